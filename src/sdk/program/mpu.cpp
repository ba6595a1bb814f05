// Gives the mpu_armv7 and addr_translate instances of a sysconfig script the wanted regions and
// entries. Sizes are powers of two; an attribute without a name of sysconfig's becomes CUSTOM.
#include "memsize/chip/limits.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"

#include "edit_program.hpp"
#include "formats/claims.hpp"
#include "formats/edit_style.hpp"
#include "instances.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using chip::MpuRegionFields;
using chip::RatEntryFields;
using core::Code;

// Of an R5F's RAT.
constexpr std::size_t kMostEntries = 16;

bool is_size(std::uint64_t size) {
  return std::has_single_bit(size) && size >= chip::kMpuSmallest && size <= chip::kMpuSpace;
}

std::uint64_t power_of(std::uint64_t size) {
  return static_cast<std::uint64_t>(std::countr_zero(size));
}

// What a property of CUSTOM's bits says; else what sysconfig takes.
std::uint64_t said(const Setting* setting, std::uint64_t otherwise) {
  if (setting == nullptr) {
    return otherwise;
  }
  return setting->value == "true"    ? 1
         : setting->value == "false" ? 0
                                     : core::parse_address(setting->value).value_or(UINT64_MAX);
}

// Sets one property that has another value now.
template <typename Fields>
void set_property(PropertyEdits& edits,
                  unsigned instance,
                  const emit::Property<Fields>& property,
                  const Fields& wanted) {
  const std::uint64_t value = property.get(wanted);
  switch (property.type) {
    case emit::PropertyType::kFlag:
      return edits.word(instance, property.name, value != 0 ? "true" : "false");
    case emit::PropertyType::kPower:
      return edits.number(instance, property.name, power_of(value), false);
    default:
      return edits.number(
          instance, property.name, value, property.type != emit::PropertyType::kNumber);
  }
}

// Sets the attributes of one region. CUSTOM stays CUSTOM; a name becomes the name that has the
// bits, or CUSTOM.
void set_kind(PropertyEdits& edits, unsigned instance, const MpuRegionFields& wanted) {
  const Setting* attributes = edits.script().find(instance, emit::kKindProperty);
  const bool is_custom =
      attributes != nullptr && core::unquoted(attributes->value) == emit::kCustomKind;
  const auto kind = std::ranges::find_if(
      board::kSyscfgKinds, [&](const board::SyscfgKind& one) { return one.is(wanted); });
  const bool has_name = kind != board::kSyscfgKinds.end();
  if (!is_custom) {
    edits.text(instance, emit::kKindProperty, has_name ? kind->name : emit::kCustomKind);
  }
  const MpuRegionFields otherwise = emit::default_mpu_region();
  for (const auto& property : emit::properties::kMpu) {
    if (property.is_of_kind && (is_custom || !has_name) &&
        said(edits.script().find(instance, property.name), property.get(otherwise)) !=
            property.get(wanted)) {
      set_property(edits, instance, property, wanted);
    }
  }
}

bool same_kind(const MpuRegionFields& a, const MpuRegionFields& b) {
  return std::ranges::all_of(emit::properties::kMpu, [&](const auto& property) {
    return !property.is_of_kind || property.get(a) == property.get(b);
  });
}

void set_fields(PropertyEdits& edits,
                unsigned instance,
                const MpuRegionFields& now,
                const MpuRegionFields& wanted) {
  for (const auto& property : emit::properties::kMpu) {
    if (!property.is_of_kind && property.get(now) != property.get(wanted)) {
      set_property(edits, instance, property, wanted);
    }
  }
  if (!same_kind(now, wanted)) {
    set_kind(edits, instance, wanted);
  }
}

void set_fields(PropertyEdits& edits,
                unsigned instance,
                const RatEntryFields& now,
                const RatEntryFields& wanted) {
  for (const auto& property : emit::properties::kRat) {
    if (property.get(now) != property.get(wanted)) {
      set_property(edits, instance, property, wanted);
    }
  }
}

// Before the properties with numbers, as sysconfig writes it.
template <typename Fields>
void set_entry(PropertyEdits& edits, unsigned instance, const Fields& now, const Fields& wanted) {
  if (now.name != wanted.name) {
    edits.text(instance, emit::kNameProperty, wanted.name);
  }
  set_fields(edits, instance, now, wanted);
}

template <typename Properties>
std::vector<std::string_view> names_of(const Properties& properties,
                                       std::vector<std::string_view> names) {
  for (const auto& property : properties) {
    names.push_back(property.name);
  }
  return names;
}

bool same_range(const MpuRegionFields& a, const MpuRegionFields& b) {
  return a.base == b.base && a.size == b.size;
}

bool same_range(const RatEntryFields& a, const RatEntryFields& b) {
  return a.local == b.local && a.size == b.size;
}

std::vector<MpuRegionFields> fields_of(const std::vector<emit::WrittenMpuRegion>& regions) {
  std::vector<MpuRegionFields> all;
  all.reserve(regions.size());
  for (const emit::WrittenMpuRegion& region : regions) {
    all.push_back(region.fields);
  }
  return all;
}

std::vector<RatEntryFields> fields_of(const std::vector<emit::WrittenRatEntry>& entries) {
  std::vector<RatEntryFields> all;
  all.reserve(entries.size());
  for (const emit::WrittenRatEntry& entry : entries) {
    all.push_back(entry.fields);
  }
  return all;
}

std::string said(const MpuRegionFields& region) {
  return fmt::format("region {} '{}', {}, eighths off {}, TEX {}, C {:d}, B {:d}, S {:d}, X {:d}",
                     region.number,
                     core::printable(region.name, 60),
                     emit::range_text(region.base, region.size),
                     core::format_hex(region.disabled),
                     region.tex,
                     region.cacheable,
                     region.bufferable,
                     region.shareable,
                     region.execute);
}

std::string said(const RatEntryFields& entry) {
  return fmt::format("entry '{}', {} to {}",
                     core::printable(entry.name, 60),
                     emit::range_text(entry.local, entry.size),
                     core::format_hex(entry.system));
}

class MpuEditor {
 public:
  MpuEditor(const emit::MapFile& file,
            const std::string& root,
            unsigned first,
            const EditOptions& options)
      : file_(file), root_(root), first_(first), options_(options) {}

  core::Result<std::string> run(std::vector<MpuRegionFields> regions,
                                std::vector<RatEntryFields> entries) {
    const emit::WrittenMpuSyscfg before = emit::parse_mpu_syscfg(file_, root_, first_, errors_);
    check(regions, entries);
    const InstancePlan mpu = planned(emit::kMpuModule, fields_of(before.regions), regions);
    const std::vector<bool> touched = touched_;
    const InstancePlan rat = planned(emit::kRatModule, fields_of(before.entries), entries);
    if (core::has_errors(errors_)) {
      return failed();
    }
    const auto set_regions = [&](const emit::MapFile& file, PropertyEdits& edits) {
      fill_regions(file, regions, touched, edits);
    };
    const auto set_entries = [&](const emit::MapFile& file, PropertyEdits& edits) {
      fill_entries(file, entries, edits);
    };
    auto with_regions =
        edit_instances(file_,
                       root_,
                       emit::kMpuModule,
                       mpu,
                       names_of(emit::properties::kMpu, {emit::kNameProperty, emit::kKindProperty}),
                       set_regions);
    MEMSIZE_TRY(with_regions);
    const emit::MapFile half{file_.path, *with_regions};
    auto result = edit_instances(half,
                                 root_,
                                 emit::kRatModule,
                                 rat,
                                 names_of(emit::properties::kRat, {emit::kNameProperty}),
                                 set_entries);
    MEMSIZE_TRY(result);
    const auto after = emit::parse_mpu_syscfg({file_.path, *result}, root_, first_, errors_);
    hold(fields_of(after.regions), regions);
    hold(fields_of(after.entries), entries);
    if (core::has_errors(errors_)) {
      return failed();
    }
    return result;
  }

 private:
  tl::unexpected<core::Diagnostics> failed() {
    core::add_text(errors_, file_.path_under(root_), file_.content);
    return tl::unexpected{std::move(errors_)};
  }

  void refuse(Code code, std::string message, std::string hint = {}) {
    errors_.push_back(
        core::error(code, std::move(message), {file_.path_under(root_)}, std::move(hint)));
  }

  void check(const std::vector<MpuRegionFields>& regions,
             const std::vector<RatEntryFields>& entries) {
    if (first_ + regions.size() > chip::kMostMpuRegions) {
      refuse(Code::kMpuRegions,
             fmt::format("{} MPU regions from number {} on are wanted: an R5F has {}",
                         regions.size(),
                         first_,
                         chip::kMostMpuRegions));
    }
    if (entries.size() > kMostEntries) {
      refuse(
          Code::kRatEntries,
          fmt::format("{} RAT entries are wanted: there can be {}", entries.size(), kMostEntries));
    }
    for (std::size_t i = 0; i < regions.size(); ++i) {
      if (regions[i].number != first_ + i || !is_size(regions[i].size)) {
        refuse(Code::kVerifyDisagree,
               fmt::format("sysconfig cannot have the wanted {}", said(regions[i])),
               fmt::format("number {}, and a power of two from 32 B to 4 GiB", first_ + i));
      }
    }
    for (const RatEntryFields& entry : entries) {
      if (!is_size(entry.size)) {
        refuse(Code::kVerifyDisagree,
               fmt::format("sysconfig cannot have the wanted RAT {}", said(entry)),
               "its size must be a power of two from 32 B to 4 GiB");
      }
    }
  }

  // Finds the wanted ones again, by name and order, and gives them numbers. Names that are to stay
  // are filled in.
  template <typename Fields>
  InstancePlan planned(const char* module,
                       const std::vector<Fields>& before,
                       std::vector<Fields>& wanted) {
    const InstanceScript script{file_, root_, module};
    InstancePlan plan;
    touched_.clear();
    if (script.numbers().size() != before.size()) {
      refuse(Code::kVerifyParse,
             fmt::format("not every instance of '{}' here is one that can be changed", module),
             fmt::format("call them {}1, {}2 and so on", module, module));
      return plan;
    }
    const auto from = partners(before.size(), wanted.size(), [&](std::size_t i, std::size_t j) {
      return wanted[j].name.empty() ? same_range(before[i], wanted[j])
                                    : before[i].name == wanted[j].name;
    });
    const std::vector<unsigned> numbers = numbered(script.numbers(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const Fields* old = from[i] ? &before[*from[i]] : nullptr;
      wanted[i].name = old != nullptr && wanted[i].name.empty() ? old->name : wanted[i].name;
      if ((old == nullptr || old->name != wanted[i].name) && !core::is_identifier(wanted[i].name)) {
        refuse(Code::kVerifyDisagree,
               fmt::format("sysconfig does not take the name of the wanted {}", said(wanted[i])),
               "a letter, then letters, digits and underscores");
      }
      const auto number = from[i] ? std::optional{script.numbers()[*from[i]]} : std::nullopt;
      plan.wanted.push_back({number, numbers[i], wanted[i].name});
      touched_.push_back(old == nullptr || !(*old == wanted[i]) || number != numbers[i]);
    }
    return plan;
  }

  // The numbers that the instances have, and further ones.
  static std::vector<unsigned> numbered(std::vector<unsigned> numbers, std::size_t count) {
    unsigned next = 1;
    for (const unsigned number : numbers) {
      next = std::max(next, number + 1);
    }
    while (numbers.size() < count) {
      numbers.push_back(next++);
    }
    numbers.resize(count);
    return numbers;
  }

  void fill_regions(const emit::MapFile& file,
                    const std::vector<MpuRegionFields>& wanted,
                    const std::vector<bool>& touched,
                    PropertyEdits& edits) const {
    core::Diagnostics unused;
    auto now = emit::parse_mpu_syscfg(file, root_, first_, unused).regions;
    const std::vector<unsigned>& numbers = edits.script().numbers();
    for (std::size_t i = 0; i < std::min({now.size(), wanted.size(), numbers.size()}); ++i) {
      set_entry(edits, numbers[i], now[i].fields, wanted[i]);
      // What its comments must say. A region without a change has none that are wrong.
      if (touched[i] || options_.correct_comments) {
        now[i].fields = wanted[i];
      } else {
        now[i].places.clear();
      }
    }
    // Regions that share a line share its comment: the first one has it.
    std::set<std::pair<std::size_t, std::size_t>> done;
    for (const WrongClaim& wrong : wrong_claims(parse_claims(file, root_), now)) {
      if (done.emplace(wrong.claim.place.line, wrong.claim.place.column).second) {
        edits.replace(wrong.claim.place, wrong.right);
      }
    }
  }

  void fill_entries(const emit::MapFile& file,
                    const std::vector<RatEntryFields>& wanted,
                    PropertyEdits& edits) const {
    core::Diagnostics unused;
    const auto now = emit::parse_mpu_syscfg(file, root_, first_, unused).entries;
    const std::vector<unsigned>& numbers = edits.script().numbers();
    for (std::size_t i = 0; i < std::min({now.size(), wanted.size(), numbers.size()}); ++i) {
      set_entry(edits, numbers[i], now[i].fields, wanted[i]);
    }
  }

  template <typename Fields>
  void hold(const std::vector<Fields>& now, const std::vector<Fields>& wanted) {
    for (std::size_t i = 0; i < std::max(now.size(), wanted.size()); ++i) {
      if (i >= now.size() || i >= wanted.size() || !(now[i] == wanted[i])) {
        return refuse(Code::kVerifyDisagree,
                      fmt::format("after the change the file would say {}, where {} is wanted",
                                  i < now.size() ? said(now[i]) : "nothing",
                                  i < wanted.size() ? said(wanted[i]) : "nothing"));
      }
    }
  }

  const emit::MapFile& file_;
  const std::string& root_;
  unsigned first_;
  EditOptions options_;
  // Of the wanted ones of the last plan, whether anything of them changes.
  std::vector<bool> touched_;
  core::Diagnostics errors_;
};

}  // namespace

core::Result<std::string> edit_mpu_syscfg(const emit::MapFile& file,
                                          const std::string& root,
                                          unsigned first,
                                          const std::vector<MpuRegionFields>& regions,
                                          const std::vector<RatEntryFields>& entries,
                                          const EditOptions& options) {
  return MpuEditor{file, root, first, options}.run(regions, entries);
}

}  // namespace memsize::sdk
