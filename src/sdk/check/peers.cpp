// A region that is named after a core must be in that core's linker map, a section's region in its
// own core's, and cores that map one address by one name must map as much of it.
#include "peers.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "tree/reading.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

bool has_region(const CoreReading& core, std::string_view name) {
  return core::contains(core.linker, name, &emit::WrittenRange::name);
}

// Whether the words of `name` have those of `core`, whatever their case: "OCRAM_MCU4_0" and
// "mcu4_0".
bool is_named_after(std::string_view name, std::string_view core) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  for (auto at = name.begin();; ++at) {
    at = std::search(at, name.end(), core.begin(), core.end(), same);
    if (at == name.end()) {
      return false;
    }
    const auto behind = at + static_cast<std::ptrdiff_t>(core.size());
    if ((at == name.begin() || at[-1] == '_') && (behind == name.end() || *behind == '_')) {
      return true;
    }
  }
}

class PeerChecker {
 public:
  PeerChecker(const View& view, core::Diagnostics& found) : view_(view), found_(found) {}

  void run() {
    for (const CoreReading& core : cores()) {
      for (const emit::WrittenRange& range : core.linker) {
        check_owner(core, range);
      }
      check_sections(core);
    }
    check_windows();
  }

 private:
  [[nodiscard]] const std::vector<CoreReading>& cores() const { return view_.reading().cores; }

  void check_owner(const CoreReading& core, const emit::WrittenRange& range) {
    if (is_named_after(range.name, core.name)) {
      return;
    }
    for (const CoreReading& other : cores()) {
      if (other.linker.empty() || !is_named_after(range.name, other.name)) {
        continue;
      }
      if (!has_region(other, range.name)) {
        found_.push_back(
            core::error(
                Code::kSdkDisagree,
                fmt::format(
                    "'{}' is in the linker map of {}, but not in that of {}, after which it is "
                    "named",
                    range.name,
                    core.name,
                    other.name),
                range.place,
                fmt::format("let the script put it into the map of {}", other.name))
                .about({{"region", range.name}, {"core", core.name}, {"core", other.name}})
                .beside(other.linker.front().place, "the other map is here"));
      }
    }
  }

  // The linker stops at such a section.
  void check_sections(const CoreReading& core) {
    for (const OutputSection& section : core.sections) {
      for (const SectionRegion& region : section.regions) {
        if (core.linker.empty() || has_region(core, region.name)) {
          continue;
        }
        found_.push_back(
            core::error(Code::kSdkDisagree,
                        fmt::format("'{}' of {} goes to '{}', which its linker map lacks",
                                    core::printable(section.name, 60),
                                    core.name,
                                    core::printable(region.name, 60)),
                        region.place,
                        "let the script put that region into the core's map, or place the section "
                        "elsewhere")
                .about({{"section", section.name}, {"core", core.name}, {"region", region.name}})
                .beside(core.linker.front().place, "the linker map is here"));
      }
    }
  }

  struct Window {
    const CoreReading* core;
    const emit::WrittenMmuEntry* entry;
  };

  // What cores map from one address to one address, by one name, is one memory.
  void check_windows() {
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::string>, std::vector<Window>> windows;
    for (const CoreReading& core : cores()) {
      for (const MmuReading& mmu : core.mmu) {
        for (const emit::WrittenMmuEntry& entry : mmu.entries) {
          windows[{entry.virtual_base, entry.physical, entry.name}].push_back({&core, &entry});
        }
      }
    }
    for (const auto& [key, all] : windows) {
      check_sizes(all);
    }
  }

  void check_sizes(const std::vector<Window>& all) {
    std::map<std::uint64_t, std::vector<Window>> by_size;
    for (const Window& each : all) {
      by_size[each.entry->size].push_back(each);
    }
    const auto usual = std::ranges::max_element(
        by_size, [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    const Window& right = usual->second.front();
    for (const auto& [size, odd] : by_size) {
      // A core may map a part of what it maps once more, otherwise.
      if (size == usual->first || odd.front().core == right.core) {
        continue;
      }
      found_.push_back(
          core::error(Code::kSdkDisagree,
                      fmt::format("{} maps {} at {} with '{}', but {} maps {} there",
                                  odd.front().core->name,
                                  core::format_size(core::Bytes{size}),
                                  core::format_hex(odd.front().entry->virtual_base),
                                  core::printable(odd.front().entry->name, 60),
                                  right.core->name,
                                  core::format_size(core::Bytes{right.entry->size})),
                      odd.front().entry->place,
                      "find out which of them is the memory's size, and let all cores map that")
              .about({{"entry", odd.front().entry->name},
                      {"core", odd.front().core->name},
                      {"core", right.core->name}})
              .beside(right.entry->place, "the other entry is here"));
    }
  }

  const View& view_;
  core::Diagnostics& found_;
};

}  // namespace

void check_peers(const View& view, core::Diagnostics& found) {
  PeerChecker{view, found}.run();
}

}  // namespace memsize::sdk
