// What several readers of board tables ask alike: whether a name can become a C macro, lists of
// cores and attributes, and what an entry covers.
#include "reader_context.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::board {

using core::Code;
using docs::Kind;
using docs::Value;

std::string named(std::string_view what, Value field) {
  return fmt::format("{} '{}'", what, core::printable(field.name()));
}

void ReaderContext::check_identifier(const Text& name) {
  if (name.written) {
    check_identifier(name.text, name.place);
  }
}

void ReaderContext::check_identifier(const std::string& name, const core::Place& place) {
  constexpr std::size_t kLongest = 100;
  if (!core::is_identifier(name) || name.size() > kLongest) {
    errors_.push_back(core::error(Code::kBoardName,
                                  fmt::format("'{}' cannot be a name", core::printable(name, 60)),
                                  place,
                                  "names become C macros: a letter or '_' first, then letters, "
                                  "digits and '_', at most 100"));
  }
}

void ReaderContext::unknown_core(const std::string& core, const core::Place& place) {
  const std::vector<std::string> names =
      core::texts_of(board_.cores, [&](const Core& known) { return core::printable(known.name); });
  errors_.push_back(
      core::error(Code::kBoardReference,
                  fmt::format("'{}' is not a core of this board", core::printable(core)),
                  place,
                  core::did_you_mean(core, names, "the cores are")));
}

std::vector<std::string> ReaderContext::read_cores(Fields& reader, Value table) {
  std::vector<std::string> cores;
  const Value field = table["cores"];
  if (field && field.is(Kind::kText) && field.string() == "all") {
    (void)reader.string("cores");
    for (const Core& core : board_.cores) {
      cores.push_back(core.name);
    }
    return cores;
  }
  if (!reader.required("cores", Kind::kList)) {
    return cores;
  }
  for (Text& core : reader.texts("cores")) {
    if (board_.find_core(core.text) == nullptr) {
      unknown_core(core.text, core.place);
    }
    cores.push_back(std::move(core.text));
  }
  return cores;
}

std::string ReaderContext::read_attributes(Fields& reader, const std::string& fallback) {
  Text letters = reader.text("attributes", fallback);
  if (letters.text.find_first_not_of("RWIX") != std::string::npos) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' are not linker attributes", core::printable(letters.text)),
                 letters.place,
                 "attributes are any of the letters R, W, I and X");
  }
  return std::move(letters.text);
}

void ReaderContext::read_covers(Fields& reader,
                                std::vector<std::string>& names,
                                std::vector<core::Place>& places) {
  for (Text& name : reader.texts("covers")) {
    names.push_back(std::move(name.text));
    places.push_back(std::move(name.place));
  }
}

}  // namespace memsize::board
