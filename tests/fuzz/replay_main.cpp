// Runs a fuzz target over the files of a folder, without libFuzzer: replay TARGET FOLDER
#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <system_error>

namespace memsize::fuzz {
namespace {

std::map<std::string, Target::Run>& targets() {
  static std::map<std::string, Target::Run> all;
  return all;
}

int replay(const char* folder, Target::Run run) {
  std::error_code failure;
  std::filesystem::directory_iterator entries{folder, failure};
  if (failure) {
    (void)std::fprintf(stderr, "cannot read '%s'\n", folder);
    return 1;
  }
  std::size_t inputs = 0;
  for (const auto& entry : entries) {
    std::ifstream file{entry.path(), std::ios::binary};
    const std::string content{std::istreambuf_iterator<char>{file}, {}};
    (void)run(reinterpret_cast<const std::uint8_t*>(content.data()), content.size());
    ++inputs;
  }
  (void)std::printf("%zu inputs replayed\n", inputs);
  // Nothing to replay is a mistake of whoever called.
  return inputs == 0 ? 1 : 0;
}

}  // namespace

Target::Target(const char* name, Run run) {
  targets().emplace(name, run);
}

}  // namespace memsize::fuzz

int main(int argc, char** argv) {
  const auto& targets = memsize::fuzz::targets();
  const auto target = argc == 3 ? targets.find(argv[1]) : targets.end();
  if (target == targets.end()) {
    (void)std::fprintf(stderr, "usage: replay TARGET FOLDER, of these targets:");
    for (const auto& [name, run] : targets) {
      (void)std::fprintf(stderr, " %s", name.c_str());
    }
    (void)std::fprintf(stderr, "\n");
    return 2;
  }
  return memsize::fuzz::replay(argv[2], target->second);
}
