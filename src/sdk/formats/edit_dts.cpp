// Finds device trees in a folder, a kernel or a Linux SDK, and changes the addresses and sizes of
// nodes that a map's carve-outs have by label. Cells keep the way in which they were written.
#include "memsize/sdk/edit_dts.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include "generated_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::Carveout;
using layout::MemoryMap;

// Where a kernel has the device trees of TI's parts.
constexpr const char* kInKernel = "arch/arm64/boot/dts/ti";
// Where TI's Linux SDK has its kernels.
constexpr const char* kKernels = "board-support";

constexpr unsigned kCellBits = 32;

struct NodeRange {
  std::uint64_t base = 0;
  std::uint64_t size = 0;

  friend bool operator==(const NodeRange&, const NodeRange&) = default;
};

NodeRange range_of(const Carveout& carveout) {
  return {carveout.range.base().value(), carveout.range.size().count()};
}

const Carveout* find_label(const MemoryMap& map, const std::string& label) {
  return core::find_where(
      map.carveouts, [&](const Carveout& each) { return !label.empty() && each.label == label; });
}

// The number, written as the old one was: as wide where that was padded, in its letters. In place
// of a name or an expression it is hexadecimal.
std::string written_like(std::string_view old, std::uint64_t value) {
  constexpr std::string_view kHex = "0x";
  constexpr std::size_t kFull = 8;
  const bool is_hex = old.starts_with(kHex) || old.starts_with("0X");
  if (!is_hex) {
    const bool is_number =
        std::ranges::all_of(old, [](unsigned char c) { return std::isdigit(c); });
    return is_number ? fmt::format("{}", value) : fmt::format("0x{:x}", value);
  }
  const std::string_view digits = old.substr(kHex.size());
  const bool padded = digits.size() == kFull || (digits.size() > 1 && digits.front() == '0');
  const bool upper =
      std::ranges::any_of(digits, [](unsigned char c) { return std::isupper(c) != 0; });
  const std::size_t width = padded ? digits.size() : 0;
  return std::string{old.substr(0, kHex.size())} +
         (upper ? fmt::format("{:0{}X}", value, width) : fmt::format("{:0{}x}", value, width));
}

// One file.
class TreeEditor {
 public:
  TreeEditor(const emit::MapFile& file,
             const std::vector<const MemoryMap*>& before,
             const MemoryMap& after,
             std::optional<HandEdits> hand_edits)
      : file_(file),
        before_(before),
        after_(after),
        hand_edits_(hand_edits),
        offsets_(file.content) {}

  std::string run(core::Diagnostics& found) {
    core::Diagnostics problems;
    std::set<std::string> labels;
    for (const Carveout& each : after_.carveouts) {
      labels.insert(each.label);
    }
    const auto nodes = emit::parse_dts_beside(file_, "", labels, problems);
    std::erase_if(problems, [this](core::Diagnostic& each) { return !is_problem(each); });
    for (std::size_t i = 0; !core::has_errors(problems) && i < nodes.size(); ++i) {
      edit(nodes[i], problems);
    }
    core::add_text(problems, file_.path, file_.content);
    found.insert(found.end(), problems.begin(), problems.end());
    return core::has_errors(problems) ? file_.content : edited();
  }

  // Whether the file has a node of the map, so far as it was read.
  [[nodiscard]] bool has_node() const { return has_node_; }

  // Labels of carve-outs that a node of the file is there for: theirs, or one around them.
  [[nodiscard]] const std::set<std::string>& reserved() const { return reserved_; }

 private:
  // What was known of the carve-out.
  struct History {
    /// The last one; null where there is none that was ever otherwise than it is to be.
    const Carveout* last = nullptr;
    bool has_now = false;
  };

  [[nodiscard]] History history(const Carveout& wanted, const NodeRange& now) const {
    History history;
    bool has_moved = false;
    for (const MemoryMap* map : before_) {
      if (const Carveout* each = find_label(*map, wanted.label)) {
        history.last = each;
        history.has_now = history.has_now || now == range_of(*each);
        has_moved = has_moved || !(range_of(*each) == range_of(wanted));
      }
    }
    history.last = has_moved ? history.last : nullptr;
    return history;
  }

  // Of the reader's warnings, that a node which must follow the map is passed over.
  bool is_problem(core::Diagnostic& told) {
    if (told.severity == core::Severity::kError) {
      return true;
    }
    const std::string label{at(offsets_.span(told.place))};
    const Carveout* wanted = find_label(after_, label);
    if (wanted == nullptr) {
      return false;
    }
    has_node_ = true;
    reserved_.insert(label);
    told.message = fmt::format("'{}' must have {}, but its reg is not one range of four numbers",
                               core::printable(label, 60),
                               emit::range_text(range_of(*wanted).base, range_of(*wanted).size));
    told.hint = "write it as reg = <high low high low>; --keep leaves this node as it is";
    if (hand_edits_ != HandEdits::kKeep) {
      told.severity = core::Severity::kError;
    } else {
      told.hint = "that stays: firmware may use more than that";
    }
    return history(*wanted, {}).last != nullptr;
  }

  void edit(const emit::WrittenNode& node, core::Diagnostics& problems) {
    const Carveout* wanted = find_label(after_, node.label);
    const NodeRange now{node.base, node.size};
    for (const Carveout& each : after_.carveouts) {
      const NodeRange range = range_of(each);
      const std::uint64_t into = range.base - node.base;
      const bool is_around = wanted == nullptr && node.is_reserved() && into < node.size &&
                             range.size <= node.size - into;
      if (&each == wanted || is_around) {
        reserved_.insert(each.label);
      }
    }
    has_node_ = has_node_ || wanted != nullptr;
    if (wanted == nullptr || now == range_of(*wanted)) {
      return;
    }
    const History known = history(*wanted, now);
    if (known.last == nullptr) {
      return;
    }
    if (!known.has_now) {
      problems.push_back(own_range(node, *known.last, *wanted));
      if (hand_edits_ != HandEdits::kForce) {
        return;
      }
    }
    if (const auto reg = node.places.find("reg"); reg != node.places.end()) {
      edit_address(node, range_of(*wanted));
      edit_cells(reg->second, now, range_of(*wanted));
    }
  }

  core::Diagnostic own_range(const emit::WrittenNode& node,
                             const Carveout& old,
                             const Carveout& wanted) const {
    core::Diagnostic told =
        core::error(Code::kSdkHandEdited,
                    fmt::format("'{}' reserves {} here, but {} in the SDK, and must have {}",
                                core::printable(node.label, 60),
                                emit::range_text(node.base, node.size),
                                emit::range_text(range_of(old).base, range_of(old).size),
                                emit::range_text(range_of(wanted).base, range_of(wanted).size)),
                    node.place,
                    "--keep leaves this node as it is, --force gives it the new range");
    if (hand_edits_) {
      told.severity = core::Severity::kWarning;
      told.hint = hand_edits_ == HandEdits::kForce ? "it has the new range now"
                                                   : "that stays: firmware may use more than that";
    }
    return told;
  }

  static std::array<std::uint64_t, 4> cells_of(const NodeRange& range) {
    return {range.base >> kCellBits,
            range.base & UINT32_MAX,
            range.size >> kCellBits,
            range.size & UINT32_MAX};
  }

  void edit_address(const emit::WrittenNode& node, const NodeRange& wanted) {
    const auto name = node.places.find("name");
    const std::size_t sign = node.name.find('@');
    if (name == node.places.end() || !node.unit_address || *node.unit_address == wanted.base ||
        sign == std::string::npos) {
      return;
    }
    Span digits = offsets_.span(name->second);
    digits.begin += sign + 1;
    put(digits, written_like(fmt::format("0x{}", at(digits)), wanted.base).substr(2));
  }

  void edit_cells(const core::Place& place, const NodeRange& now, const NodeRange& wanted) {
    const std::array<std::uint64_t, 4> old = cells_of(now);
    const std::array<std::uint64_t, 4> cells = cells_of(wanted);
    Span cell{0, offsets_.span(place).begin};
    for (std::size_t i = 0; i < cells.size(); ++i) {
      cell = next_cell(file_.content, cell.end);
      if (old[i] != cells[i]) {
        put(cell, written_like(at(cell), cells[i]) + comments_of(at(cell)));
      }
    }
  }

  [[nodiscard]] std::string_view at(Span span) const {
    return std::string_view{file_.content}.substr(span.begin, span.end - span.begin);
  }

  void put(Span span, std::string text) { edits_.push_back({span, std::move(text)}); }

  std::string edited() {
    std::ranges::sort(edits_, {}, [](const TextEdit& each) { return each.span.begin; });
    std::string text;
    std::size_t done = 0;
    for (const TextEdit& each : edits_) {
      text += at({done, each.span.begin});
      text += each.text;
      done = each.span.end;
    }
    return text += at({done, file_.content.size()});
  }

  const emit::MapFile& file_;
  const std::vector<const MemoryMap*>& before_;
  const MemoryMap& after_;
  std::optional<HandEdits> hand_edits_;
  Offsets offsets_;
  std::vector<TextEdit> edits_;
  bool has_node_ = false;
  std::set<std::string> reserved_;
};

// Below the folder; nothing is itself.
std::vector<std::string> places_to_look(core::FileSystem& files, const std::string& folder) {
  std::vector<std::string> places = {"", kInKernel};
  if (const auto kernels = files.list_folders(fmt::format("{}/{}", folder, kKernels))) {
    for (const std::string& kernel : *kernels) {
      places.push_back(fmt::format("{}/{}/{}", kKernels, kernel, kInKernel));
    }
  }
  return places;
}

bool has_label(const MemoryMap& map, const std::string& text) {
  return std::ranges::any_of(map.carveouts, [&](const Carveout& each) {
    return !each.label.empty() && text.find(each.label) != std::string::npos;
  });
}

// Linux uses what none of its device trees reserves. `file` is the first with nodes of the map.
std::optional<core::Diagnostic> not_reserved(const MemoryMap& map,
                                             const std::set<std::string>& reserved,
                                             const std::string& file) {
  std::vector<const Carveout*> missing;
  for (const Carveout& each : map.carveouts) {
    if (!each.label.empty() && !reserved.contains(each.label)) {
      missing.push_back(&each);
    }
  }
  if (missing.empty()) {
    return std::nullopt;
  }
  core::Diagnostic told = core::warning(
      Code::kSdkReserved,
      fmt::format("{} of the map {} no node in any device tree here: Linux will use that memory",
                  core::plural(missing.size(), "carve-out"),
                  missing.size() == 1 ? "has" : "have"),
      {file},
      fmt::format("copy {} from {}",
                  missing.size() == 1 ? "its node" : "their nodes",
                  map.board.dts_file.empty() ? "the SDK's device tree" : map.board.dts_file));
  for (const Carveout* each : missing) {
    told.details.push_back(fmt::format(
        "{}: {}", each->label, emit::range_text(range_of(*each).base, range_of(*each).size)));
  }
  return told;
}

}  // namespace

bool is_device_tree(std::string_view path) {
  return path.ends_with(".dts") || path.ends_with(".dtsi") || path.ends_with(".dtso");
}

core::Result<DeviceTreeEdits> edit_device_trees(core::FileSystem& files,
                                                const std::string& folder,
                                                const std::vector<const MemoryMap*>& before,
                                                const MemoryMap& after,
                                                std::optional<HandEdits> hand_edits) {
  DeviceTreeEdits edits;
  core::Diagnostics found;
  std::string first;
  std::set<std::string> reserved;
  for (const std::string& place : places_to_look(files, folder)) {
    const auto names = files.list(place.empty() ? folder : fmt::format("{}/{}", folder, place));
    for (std::size_t i = 0; names && i < names->size(); ++i) {
      const std::string& name = (*names)[i];
      if (!is_device_tree(name) || name.find(after.board.soc) == std::string::npos) {
        continue;
      }
      const std::string below = place.empty() ? name : fmt::format("{}/{}", place, name);
      const std::string path = fmt::format("{}/{}", folder, below);
      auto content = files.read(path, core::kMapFile);
      if (!content) {
        found.insert(found.end(), content.error().begin(), content.error().end());
        continue;
      }
      if (!has_label(after, *content)) {
        continue;
      }
      const emit::MapFile file{path, std::move(*content)};
      TreeEditor editor{file, before, after, hand_edits};
      std::string edited = editor.run(found);
      first = first.empty() && editor.has_node() ? path : first;
      reserved.insert(editor.reserved().begin(), editor.reserved().end());
      if (edited != file.content) {
        edits.files.push_back({below, file.content, std::move(edited)});
      }
    }
  }
  if (first.empty() && found.empty()) {
    found.push_back(core::error(
        Code::kSdkTree,
        fmt::format("no device tree of '{}' here has a node of its map", after.board.soc),
        {folder},
        fmt::format("give the kernel's folder, or the one that holds {}",
                    after.board.dts_file.empty() ? "its .dts files" : after.board.dts_file)));
  }
  if (core::has_errors(found)) {
    return tl::make_unexpected(std::move(found));
  }
  if (auto told = not_reserved(after, reserved, first)) {
    found.push_back(std::move(*told));
  }
  edits.diagnostics = std::move(found);
  return edits;
}

}  // namespace memsize::sdk
