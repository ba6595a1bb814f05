// Compares ti_dpl_config.c with the core's sysconfig file, table by table and entry by number. Of a
// difference both places are told: where it was made, and what it should be made from.
#include "dpl.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"

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
  std::string_view field;
};

// A value of an entry, with the name of its property in sysconfig.
struct DplValue {
  std::string_view what;
  std::vector<DplPart> parts;
  std::string_view property;
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

// As the table of C has it.
template <typename Fields>
std::string text_of(const emit::Property<Fields>& property, const Fields& fields) {
  const std::uint64_t value = property.get(fields);
  switch (property.type) {
    case emit::PropertyType::kSize:
    case emit::PropertyType::kPower:
      return core::format_size(core::Bytes{value});
    case emit::PropertyType::kNumber:
    case emit::PropertyType::kFlag:
      return fmt::format("{}", property.made_inverted ? 1 - value : value);
    default:
      return core::format_hex(value);
  }
}

// What is said in a property of its own; the bits of a kind of memory are one value.
template <typename Fields, std::size_t Count>
std::vector<DplValue> values_of(const std::array<emit::Property<Fields>, Count>& properties,
                                const Fields& fields) {
  std::vector<DplValue> values;
  DplValue kind{"attribute", {}, emit::kKindProperty};
  for (const emit::Property<Fields>& property : properties) {
    if (property.is_of_kind) {
      kind.parts.push_back(
          {fmt::format("{} {}", property.what, text_of(property, fields)), property.made});
    } else {
      values.push_back(
          {property.what, {{text_of(property, fields), property.made}}, property.name});
    }
  }
  if (!kind.parts.empty()) {
    values.push_back(std::move(kind));
  }
  return values;
}

const emit::WrittenMmuEntry& fields_of(const emit::WrittenMmuEntry& entry) {
  return entry;
}

template <typename Written>
const auto& fields_of(const Written& written) {
  return written.fields;
}

// Regions have numbers; of other entries the place in the table is one.
template <typename Written, typename Properties>
DplEntries entries_of(std::string_view what,
                      const std::vector<Written>& list,
                      const Properties& properties) {
  DplEntries entries;
  for (const Written& each : list) {
    const auto& fields = fields_of(each);
    std::size_t number = entries.size() + 1;
    std::vector<DplValue> values = values_of(properties, fields);
    if constexpr (std::is_same_v<Written, emit::WrittenMpuRegion>) {
      number = fields.number;
    } else if constexpr (std::is_same_v<Written, emit::WrittenMmuEntry>) {
      const std::string mair = core::printable(each.attribute, 20);
      values.push_back({"attribute", {{mair, emit::kMadeMair}}, emit::kMairProperty});
    }
    entries.push_back({what, number, fields.name, std::move(values), each.place, &each.places});
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

core::Place place_in(const DplEntry& entry, std::string_view name) {
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
    compare("MMU entry", made.mmu, mmu, emit::properties::kMmu, differences);
    compare("MPU region", made.mpu, written.regions, emit::properties::kMpu, differences);
    compare("RAT entry", made.rat, written.entries, emit::properties::kRat, differences);
    return differences;
  }

  template <typename Written, typename Properties>
  static void compare(std::string_view what,
                      const std::vector<Written>& made,
                      const std::vector<Written>& from,
                      const Properties& properties,
                      Differences& differences) {
    const DplEntries here = entries_of(what, made, properties);
    const DplEntries there = entries_of(what, from, properties);
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
