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

struct MachineWindow {
  std::string name;
  core::PhysRange range;
  bool writable = true;
};

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

// The windows of a machine; nothing where it is not described.
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

std::optional<core::PhysRange> range_at(const std::optional<core::PhysAddr>& base,
                                        const PartMemory& memory) {
  return base ? core::PhysRange::make(*base, memory.window) : std::nullopt;
}

// What is wrong with a memory that lies there, if anything is.
std::optional<core::Diagnostic> outside(const std::vector<MachineWindow>& windows,
                                        const std::string& machine,
                                        const PartMemory& memory,
                                        const core::PhysRange& range) {
  const MachineWindow* const window = core::find_where(
      windows, [&](const MachineWindow& each) { return each.range.contains(range); });
  if (window != nullptr && (window->writable || !memory.writable)) {
    return std::nullopt;
  }
  const std::string what =
      fmt::format("'{}' is at {} on {}", memory.name, core::format_range(range), machine);
  return core::error(Code::kBoardValue,
                     window == nullptr
                         ? what + ", which has no memory that holds it"
                         : fmt::format("{}, where '{}' is read-only", what, window->name),
                     {},
                     "give it an 'emulated' address in one of these windows, or \"none\"")
      .with(core::texts_of(windows, [](const MachineWindow& each) {
        return fmt::format("{} {}{}",
                           each.name,
                           core::format_range(each.range),
                           each.writable ? "" : ", read-only");
      }));
}

}  // namespace

bool is_machine_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() >= 'a' && name.front() <= 'z' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool is_memory_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  return !name.empty() && name.size() <= kLongest && name.front() >= 'a' && name.front() <= 'z' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

core::Diagnostics check_apart(const MemorySet& part,
                              const MemoryPlaces& places,
                              const BaseOf& base_of,
                              const std::string& where) {
  core::Diagnostics found;
  for (std::size_t i = 0; i < part.memories.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const PartMemory& a = part.memories[j];
      const PartMemory& b = part.memories[i];
      const auto first = range_at(base_of(a), a);
      const auto second = range_at(base_of(b), b);
      if (first && second && first->overlaps(*second)) {
        found.push_back(
            core::error(
                Code::kBoardValue,
                fmt::format("the memories '{}' and '{}' share addresses{}", a.name, b.name, where),
                places.at(b.name))
                .beside(places.at(a.name), fmt::format("'{}' stands here", a.name))
                .with({fmt::format("{} {}", a.name, core::format_range(*first)),
                       fmt::format("{} {}", b.name, core::format_range(*second))}));
      }
    }
  }
  return found;
}

core::Diagnostics check_machine(core::FileSystem& files,
                                const std::string& folder,
                                MemorySet& part,
                                const MemoryPlaces& places) {
  if (part.machine.empty()) {
    return {};
  }
  const auto at = [&](const PartMemory& memory) { return emulated_at(part, memory); };
  core::Diagnostics found = check_apart(part, places, at, " on " + part.machine);
  const auto windows = machine_windows(files, folder, part.machine);
  if (!windows) {
    return windows.error();
  }
  part.machine_is_known = windows->has_value();
  for (const PartMemory& memory : part.memories) {
    const auto range = range_at(at(memory), memory);
    if (auto wrong =
            range && *windows ? outside(**windows, part.machine, memory, *range) : std::nullopt) {
      wrong->place = places.at(memory.name);
      found.push_back(std::move(*wrong));
    }
  }
  return found;
}

}  // namespace memsize::board
