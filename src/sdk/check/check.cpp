// The rules of a tree, a row each, and the order of their checks for one variant. Held here: header
// against linker maps, regions against each other, and memory that Linux would take for itself.
#include "memsize/sdk/check.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/view.hpp"

#include "core.hpp"
#include "dpl.hpp"
#include "files.hpp"
#include "generated.hpp"
#include "peers.hpp"
#include "rules.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

class VariantChecker {
 public:
  explicit VariantChecker(const View& view) : view_(view) {}

  TreeReport run() {
    const Reading& reading = view_.reading();
    report_.diagnostics = reading.problems;
    check_generated(view_.sources(), view_.variant(), reading, report_.diagnostics);
    check_dpl(view_, report_.diagnostics);
    check_header();
    check_overlaps();
    check_reserved();
    for (const CoreReading& core : reading.cores) {
      check_core(view_, core, report_.diagnostics);
    }
    check_files(view_, report_.diagnostics);
    check_peers(view_, report_.diagnostics);
    check_rules(view_, report_.diagnostics);
    count_files();
    return std::move(report_);
  }

 private:
  void count_files() {
    const Reading& reading = view_.reading();
    std::size_t linkers = 0;
    std::size_t mmus = 0;
    std::size_t mpus = 0;
    std::size_t generated = 0;
    for (const CoreReading& core : reading.cores) {
      linkers += core.linker.empty() ? 0U : 1U;
      mmus += core.mmu.size();
      mpus += core.mpu.size();
      generated += core.generated.path.empty() ? 0U : 1U;
    }
    count(linkers, "linker map");
    count(reading.macros.size(), "macro");
    count(reading.nodes.size(), "device-tree node");
    count(mmus, "MMU table");
    count(mpus, "MPU configuration");
    count(generated, "generated configuration");
  }

  void count(std::size_t number, const char* what) {
    if (number != 0) {
      report_.read.push_back(core::plural(number, what));
    }
  }

  // The C code takes its addresses from the header, the linker from its maps.
  void check_header() {
    if (view_.reading().macros.empty()) {
      return;
    }
    std::set<std::string> told;
    for (const CoreReading& core : view_.reading().cores) {
      for (const emit::WrittenRange& range : core.linker) {
        const auto address = view_.reading().macros.find(range.name + "_ADDR");
        const auto size = view_.reading().macros.find(range.name + "_SIZE");
        if (address == view_.reading().macros.end() || size == view_.reading().macros.end() ||
            (address->second.value == range.base && size->second.value == range.size) ||
            !told.insert(range.name).second) {
          continue;
        }
        report_.diagnostics.push_back(
            core::error(Code::kSdkDisagree,
                        fmt::format("the linker puts '{}' at {}, but the C code of {} has it at {}",
                                    range.name,
                                    emit::range_text(range.base, range.size),
                                    core.name,
                                    emit::range_text(address->second.value, size->second.value)),
                        range.place,
                        "run the script again, so that both follow it")
                .about({{"region", range.name}, {"core", core.name}})
                .beside(address->second.place, "the C header says so here"));
      }
    }
  }

  struct Owned {
    std::string name;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    core::Place place;
  };

  // Whether a region that no board knows is all of one that some board or core calls otherwise.
  [[nodiscard]] bool is_another_name(const emit::WrittenRange& own, const std::string& core) const {
    const auto there = view_.physical_of(own.name, own.base, core);
    return std::ranges::any_of(view_.reading().cores, [&](const CoreReading& other) {
      return std::ranges::any_of(other.linker, [&](const emit::WrittenRange& range) {
        return range.name != own.name && range.size == own.size &&
               view_.physical_of(range.name, range.base, other.name) == there;
      });
    });
  }

  void check_overlaps() {
    std::vector<Owned> on_bus;
    std::set<std::string> names;
    for (const CoreReading& core : view_.reading().cores) {
      std::vector<Owned> seen;
      for (const emit::WrittenRange& range : core.linker) {
        seen.push_back({range.name, range.base, range.size, range.place});
        const layout::Region* known = view_.board_region(range.name, core.name);
        const auto physical = view_.physical_of(range.name, range.base, core.name);
        const bool is_owner =
            known != nullptr ? known->of.empty() : !is_another_name(range, core.name);
        if (physical && is_owner && view_.in_dram(*physical) && names.insert(range.name).second) {
          on_bus.push_back({range.name, *physical, range.size, range.place});
        }
      }
      check_overlaps(std::move(seen), Code::kLayoutVirtualOverlap, core.name);
    }
    check_overlaps(std::move(on_bus), Code::kLayoutOverlap, "");
  }

  void check_overlaps(std::vector<Owned> list, Code code, const std::string& core) {
    const std::string who = core.empty() ? core : core + " sees ";
    std::ranges::stable_sort(list, {}, &Owned::base);
    std::size_t last = 0;
    for (std::size_t i = 1; i < list.size(); ++i) {
      const Owned& before = list[last];
      const std::uint64_t into = list[i].base - before.base;
      if (before.size > into && list[i].size != 0) {
        core::Diagnostic both =
            core::error(code,
                        fmt::format("{}'{}' {} over '{}' {}, by {}",
                                    who,
                                    list[i].name,
                                    emit::range_text(list[i].base, list[i].size),
                                    before.name,
                                    emit::range_text(before.base, before.size),
                                    core::format_size(
                                        core::Bytes{std::min(before.size - into, list[i].size)})),
                        list[i].place,
                        "move one of them in the script")
                .about({{"region", list[i].name}, {"region", before.name}, {"core", core}});
        both.related.push_back(core::region_at(before.place, before.name));
        report_.diagnostics.push_back(std::move(both));
      }
      last = before.base + before.size > list[i].base + list[i].size ? last : i;
    }
  }

  // Linux takes for itself what no node reserves.
  void check_reserved() {
    if (view_.reading().nodes.empty() || view_.board() == nullptr) {
      return;
    }
    std::set<std::string> told;
    for (const CoreReading& core : view_.reading().cores) {
      for (const emit::WrittenRange& range : core.linker) {
        const auto physical = view_.physical_of(range.name, range.base, core.name);
        if (!physical || range.size == 0 || !view_.in_dram(*physical) ||
            !told.insert(range.name).second) {
          continue;
        }
        const std::uint64_t reserved = reserved_until(view_.reading().nodes, *physical);
        if (reserved - *physical >= range.size) {
          continue;
        }
        report_.diagnostics.push_back(
            core::error(
                Code::kSdkReserved,
                fmt::format("no node reserves {} of '{}', which {} uses: Linux will use it too",
                            emit::range_text(reserved, range.size - (reserved - *physical)),
                            range.name,
                            core.name),
                range.place,
                "let a node of the device tree cover it")
                .about({{"region", range.name}, {"core", core.name}})
                .beside(view_.place_of(view_.variant().dts), "the nodes are here"));
      }
    }
  }

  const View& view_;
  TreeReport report_;
};

}  // namespace

const std::vector<core::Rule>& tree_rules() {
  static const std::vector<core::Rule> rules = {
      {Code::kSdkScript,
       core::Severity::kError,
       "a generator script is in the subset of Python that such scripts need",
       "memsize evaluates it without running it"},
      {Code::kSdkName,
       core::Severity::kError,
       "a generator script uses no name that is not defined",
       "two shipped SafeRTOS scripts end with a NameError"},
      {Code::kSdkGenerated,
       core::Severity::kError,
       "a generated file is what its script or its sysconfig file makes",
       "shipped linker maps, headers and device trees were edited by hand"},
      {Code::kSdkMissing,
       core::Severity::kWarning,
       "every file that a script writes or a core needs is there",
       "a part of the tree was not copied"},
      {Code::kSdkDisagree,
       core::Severity::kError,
       "what two files of a tree say of one memory is the same",
       "the linker follows one of them, the C code the other"},
      {Code::kSdkReserved,
       core::Severity::kError,
       "a node of the device tree reserves all that the cores use",
       "Linux takes for itself what no node reserves"},
      {Code::kSdkComment,
       core::Severity::kWarning,
       "addresses and sizes in comments are those of the entry beside them",
       "an entry of 16 MiB was shipped with the comment 32 MB, which nobody doubted"},
      {Code::kSdkStale,
       core::Severity::kWarning,
       "every table, linker map and device tree is one that something makes or uses",
       "tables of C were left beside the sysconfig files that replaced them"},
  };
  return rules;
}

TreeReport check_variant(const Sources& sources,
                         const Variant& variant,
                         const layout::MemoryMap* board,
                         std::shared_ptr<const Reading> reading) {
  if (reading == nullptr) {
    reading = read_variant(sources, variant, board == nullptr ? 0 : board->board.mpu.first);
  }
  TreeReport report = VariantChecker{View{sources, variant, *reading, board}}.run();
  for (const auto& [path, file] : sources.files) {
    core::add_text(report.diagnostics, file.path_under(sources.platform.folder), file.content);
  }
  return report;
}

}  // namespace memsize::sdk
