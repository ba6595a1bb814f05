// Runs a fuzz target over the files of the folders given as arguments, without libFuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t inputs = 0;
  const std::vector<std::string> folders(argv + 1, argv + argc);
  for (const std::string& folder : folders) {
    std::error_code failure;
    std::filesystem::directory_iterator entries{folder, failure};
    if (failure) {
      (void)std::fprintf(stderr, "cannot read '%s'\n", folder.c_str());
      return 1;
    }
    for (const auto& entry : entries) {
      std::ifstream file{entry.path(), std::ios::binary};
      const std::string content{std::istreambuf_iterator<char>{file}, {}};
      (void)LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content.data()),
                                   content.size());
      ++inputs;
    }
  }
  (void)std::printf("%zu inputs replayed\n", inputs);
  // Nothing to replay is a mistake of whoever called.
  return inputs == 0 ? 1 : 0;
}
