// Reads the arrays that become memory of a section by name: heaps, logs and what else the map has a
// region for. A size without a value, and an array that may not be compiled, are passed over.
#include "memsize/core/text.hpp"

#include "firmware.hpp"
#include "source_reader.hpp"

#include <string_view>
#include <utility>

namespace memsize::sdk {

namespace {

constexpr std::string_view kSizeEnding = "_SIZE";

class ArrayParser : private SourceReader {
 public:
  using SourceReader::SourceReader;

  std::vector<PlacedArray> run() {
    while (!cursor_.done()) {
      const std::string type = step();
      if (depth_ == 0 && (type == "uint8_t" || type == "char") && cursor_.peek(1) == "[" &&
          conditions().empty()) {
        array();
      }
    }
    return std::move(arrays_);
  }

 private:
  // `name[size] __attribute__((section("name")))`, and whatever else up to the semicolon.
  void array() {
    PlacedArray array{.place = cursor_.place()};
    array.name = step();
    step();
    auto size = argument();
    if (!size || cursor_.peek() != "]") {
      return;
    }
    const std::string last = macros_.last_name(name_of(*size, {}));
    if (last.ends_with(kSizeEnding)) {
      array.region = last.substr(0, last.size() - kSizeEnding.size());
    }
    array.size = std::move(*size);
    while (!cursor_.done() && cursor_.peek() != ";") {
      if (step() == "section" && cursor_.peek() == "(") {
        step();
        array.section = core::unquoted(cursor_.peek());
      }
    }
    if (!array.section.empty() && !cursor_.done()) {
      arrays_.push_back(std::move(array));
    }
  }

  std::vector<PlacedArray> arrays_;
};

}  // namespace

std::vector<PlacedArray> parse_placed_arrays(const FirmwareFile& file) {
  core::Diagnostics unused;
  return ArrayParser{file, unused}.run();
}

}  // namespace memsize::sdk
