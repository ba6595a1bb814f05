// Reads what memory an emulator's machine has. Not all of it need be there: what is mirrored
// elsewhere stands once.
#include "machine.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include "field_values.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Value;

std::optional<MachineWindow> read_window(Value field, core::Diagnostics& errors) {
  Fields reader{field, fmt::format("window '{}'", core::printable(field.name())), errors};
  const core::PhysAddr base{reader.address("base")};
  const Text size = reader.required_text("size");
  const core::Bytes bytes = size.written ? board::bytes(reader, "size") : core::Bytes{};
  const bool writable = reader.boolean("writable", true);
  (void)reader.required_one_line("source");
  reader.finish();
  const auto range = core::PhysRange::make(base, bytes);
  if (!range || bytes == core::Bytes{}) {
    reader.wrong(Code::kBoardValue,
                 fmt::format("{} has no byte, or ends above 2^64", reader.what()),
                 reader.place());
    return std::nullopt;
  }
  return MachineWindow{field.name(), *range, writable};
}

}  // namespace

bool is_machine_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() >= 'a' && name.front() <= 'z' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

core::Result<std::optional<std::vector<MachineWindow>>> machine_windows(core::FileSystem& files,
                                                                        const std::string& folder,
                                                                        const std::string& name) {
  const std::string path = fmt::format("{}/machines/{}.toml", folder, name);
  if (!files.exists(path)) {
    return std::nullopt;
  }
  const auto file = load_inherited(files, path, folder + "/machines");
  MEMSIZE_TRY(file);
  core::Diagnostics errors;
  Fields top{file->root(), "the machine", errors};
  if (top.integer("schema").value_or(0) != 1) {
    top.wrong(Code::kBoardValue, "'schema' of the machine must be 1", top.place());
  }
  (void)top.required_one_line("title");
  (void)top.strings("sources");
  std::vector<MachineWindow> windows;
  for (const Value field : top.fields("window")) {
    if (auto window = read_window(field, errors)) {
      windows.push_back(std::move(*window));
    }
  }
  top.finish();
  if (!errors.empty()) {
    core::sort_by_place(errors);
    return tl::make_unexpected(std::move(errors));
  }
  return windows;
}

}  // namespace memsize::board
