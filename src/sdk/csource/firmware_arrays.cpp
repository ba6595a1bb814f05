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
    const core::Place place = cursor_.place();
    const std::string name = step();
    step();
    const auto size = argument();
    if (!size || cursor_.peek() != "]") {
      return;
    }
    std::string section;
    while (!cursor_.done() && cursor_.peek() != ";") {
      if (step() == "section" && cursor_.peek() == "(") {
        step();
        section = core::unquoted(cursor_.peek());
      }
    }
    if (!section.empty() && !cursor_.done()) {
      const std::string last = macros_.last_name(name_of(*size, {}));
      const std::size_t ending = last.ends_with(kSizeEnding) ? kSizeEnding.size() : last.size();
      arrays_.push_back({name, section, *size, last.substr(0, last.size() - ending), place});
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
