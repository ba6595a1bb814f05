// Compares ti_dpl_config.c with the core's sysconfig file, table by table and entry by number. Of a
// difference both places are told: where it was made, and what it should be made from.
#include "dpl.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "tree/differences.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

// A part of a value, with the name of its field.
struct DplPart {
  std::string text;
  const char* field;
};

// A value of an entry, with the name of its property in sysconfig.
struct DplValue {
  std::string_view what;
  std::vector<DplPart> parts;
  const char* property;
};

// An entry of any of the three tables.
struct DplEntry {
  // "MMU entry".
  std::string_view what;
  std::size_t number;
  std::string name;
  std::vector<DplValue> values;
  core::Place place;
  const emit::Places* places;
};

// By their numbers, which grow.
using DplEntries = std::vector<DplEntry>;

std::string size_text(std::uint64_t size) {
  return core::format_size(core::Bytes{size});
}

DplEntries entries_of(const std::vector<emit::WrittenMmuEntry>& list) {
  DplEntries entries;
  for (const emit::WrittenMmuEntry& entry : list) {
    entries.push_back(
        {"MMU entry",
         entries.size() + 1,
         entry.name,
         {{"virtual address", {{core::format_hex(entry.virtual_base), "vaddr"}}, "vAddr"},
          {"physical address", {{core::format_hex(entry.physical), "paddr"}}, "pAddr"},
          {"size", {{size_text(entry.size), "size"}}, "size"},
          {"attribute", {{core::printable(entry.attribute, 20), "attrIndx"}}, "attribute"}},
         entry.place,
         &entry.places});
  }
  return entries;
}

DplEntries entries_of(const std::vector<emit::WrittenMpuRegion>& list) {
  DplEntries entries;
  for (const emit::WrittenMpuRegion& region : list) {
    const chip::MpuRegionFields& fields = region.fields;
    const auto bit = [](const char* name, bool is_set) {
      return fmt::format("{} {}", name, is_set ? 1 : 0);
    };
    entries.push_back(
        {"MPU region",
         fields.number,
         fields.name,
         {{"base", {{core::format_hex(fields.base), "baseAddr"}}, "baseAddr"},
          {"size", {{size_text(fields.size), "size"}}, "size"},
          {"attribute",
           {{fmt::format("TEX {}", fields.tex), "tex"},
            {bit("C", fields.cacheable), "isCacheable"},
            {bit("B", fields.bufferable), "isBufferable"},
            {bit("S", fields.shareable), "isSharable"}},
           "attributes"},
          {"execute-never bit", {{fields.execute ? "0" : "1", "isExecuteNever"}}, "allowExecute"},
          {"mask",
           {{core::format_hex(fields.disabled), "subregionDisableMask"}},
           "subregionDisableMask"}},
         region.place,
         &region.places});
  }
  return entries;
}

DplEntries entries_of(const std::vector<emit::WrittenRatEntry>& list) {
  DplEntries entries;
  for (const emit::WrittenRatEntry& entry : list) {
    entries.push_back(
        {"RAT entry",
         entries.size() + 1,
         entry.fields.name,
         {{"local address", {{core::format_hex(entry.fields.local), "localAddr"}}, "localAddr"},
          {"system address", {{core::format_hex(entry.fields.system), "systemAddr"}}, "systemAddr"},
          {"size", {{size_text(entry.fields.size), "size"}}, "size"}},
         entry.place,
         &entry.places});
  }
  return entries;
}

// All parts, with a blank between two.
std::string value_text(const DplValue& value) {
  const std::vector<std::string> texts = core::texts_of(value.parts, &DplPart::text);
  return core::join(texts, " ");
}

// The first part that is another one; null where the values are equal.
const DplPart* first_difference(const DplValue& here, const DplValue& there) {
  for (std::size_t i = 0; i < here.parts.size(); ++i) {
    if (here.parts[i].text != there.parts[i].text) {
      return &here.parts[i];
    }
  }
  return nullptr;
}

core::Place place_in(const DplEntry& entry, const char* name) {
  const auto found = entry.places->find(name);
  return found == entry.places->end() ? entry.place : found->second;
}

std::string named(const DplEntry& entry) {
  return fmt::format(
      "{} {}{}",
      entry.what,
      entry.number,
      entry.name.empty() ? "" : fmt::format(" '{}'", core::printable(entry.name, 60)));
}

// Null where there is none of that number.
const DplEntry* find(const DplEntries& entries, std::size_t number) {
  const auto found = std::lower_bound(
      entries.begin(), entries.end(), number, [](const DplEntry& entry, std::size_t wanted) {
        return entry.number < wanted;
      });
  return found == entries.end() || found->number != number ? nullptr : &*found;
}

class DplChecker {
 public:
  DplChecker(const View& view, core::Diagnostics& found) : view_(view), found_(found) {}

  void run() {
    for (const CoreReading& core : view_.reading().cores) {
      if (!core.generated.path.empty()) {
        check(core);
      }
    }
  }

 private:
  // A sysconfig file that may have made it.
  struct Source {
    std::string path;
    /// Of the operating system that is checked.
    bool is_own = false;
  };

  [[nodiscard]] std::vector<Source> sources_of(const std::string& core) const {
    std::vector<Source> sources;
    for (const Variant& variant : view_.sources().variants) {
      for (const CoreSources& each : variant.cores) {
        for (std::size_t i = 0; each.name == core && i < each.syscfg.size(); ++i) {
          const std::string& path = each.syscfg[i];
          // A script may write several linker maps for a core.
          if (!core::contains(sources, path, &Source::path)) {
            sources.push_back({path, variant.os == view_.variant().os});
          }
        }
      }
    }
    return sources;
  }

  void check(const CoreReading& core) {
    const std::vector<Source> sources = sources_of(core.name);
    std::optional<Differences> nearest;
    bool is_own = false;
    for (const Source& source : sources) {
      auto differences = compare(core, source.path, sources.size());
      if (differences && (!nearest || differences->count() < nearest->count())) {
        nearest = std::move(differences);
        is_own = source.is_own;
      }
    }
    if (nearest && is_own) {
      nearest->report(found_);
    }
  }

  // Nothing where the sysconfig file cannot be parsed, which is told elsewhere.
  [[nodiscard]] std::optional<Differences> compare(const CoreReading& core,
                                                   const std::string& path,
                                                   std::size_t sources) const {
    const emit::MapFile& file = *view_.sources().find(path);
    const std::string& root = view_.sources().platform.folder;
    const layout::MemoryMap* board = view_.board();
    core::Diagnostics errors;
    const auto mmu = emit::parse_syscfg(file, root, errors);
    const auto written =
        emit::parse_mpu_syscfg(file, root, board == nullptr ? 0 : board->board.mpu.first, errors);
    if (!errors.empty()) {
      return std::nullopt;
    }
    Differences differences{
        {sources == 1 ? path : fmt::format("{}, the nearest of {} sysconfig files,", path, sources),
         fmt::format(
             "the firmware is built from this file: run sysconfig on {} again, as sdk_builder's "
             "'make vision_apps' does",
             path),
         "sysconfig makes it of this"},
        view_.place_of(core.generated.path)};
    const DplConfig& made = core.generated.config;
    compare(entries_of(made.mmu), entries_of(mmu), differences);
    compare(entries_of(made.mpu), entries_of(written.regions), differences);
    compare(entries_of(made.rat), entries_of(written.entries), differences);
    return differences;
  }

  static void compare(const DplEntries& here, const DplEntries& there, Differences& differences) {
    for (const DplEntry& entry : there) {
      if (const DplEntry* own = find(here, entry.number)) {
        compare(*own, entry, differences);
      } else {
        differences.add(named(entry), fmt::format("it lacks {}", named(entry)), {}, entry.place);
      }
    }
    for (const DplEntry& entry : here) {
      if (find(there, entry.number) == nullptr) {
        const std::string name = fmt::format("{} {}", entry.what, entry.number);
        differences.add(name, fmt::format("{} is only here", name), entry.place, {});
      }
    }
  }

  static void compare(const DplEntry& here, const DplEntry& there, Differences& differences) {
    for (std::size_t i = 0; i < there.values.size(); ++i) {
      const DplValue& value = there.values[i];
      if (const DplPart* part = first_difference(here.values[i], value)) {
        const std::string name = fmt::format("the {} of {}", value.what, named(there));
        differences.add(
            name,
            fmt::format(
                "{} is {} here, but {} there", name, value_text(here.values[i]), value_text(value)),
            place_in(here, part->field),
            place_in(there, value.property));
      }
    }
  }

  const View& view_;
  core::Diagnostics& found_;
};

}  // namespace

void check_dpl(const View& view, core::Diagnostics& found) {
  DplChecker{view, found}.run();
}

}  // namespace memsize::sdk
