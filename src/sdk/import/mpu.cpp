// The MPU regions and RAT entries of each R5F. The board says which regions are fixed and what a
// core sees otherwise than these show it; which MPU regions that takes is computed again from it.
#include "memsize/chip/limits.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/emit/written.hpp"

#include "programs.hpp"
#include "toml.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using chip::MpuRegionFields;

bool same_bits(const MpuRegionFields& fields, const board::MpuAttribute& attribute) {
  return static_cast<const chip::MpuBits&>(fields) == attribute;
}

// What a core gets of memory; whether code may run there is not part of it.
bool same_memory(const MpuRegionFields& a, const MpuRegionFields& b) {
  return a.tex == b.tex && a.cacheable == b.cacheable && a.bufferable == b.bufferable;
}

// Regions by number, under the lens.
class MpuStack {
 public:
  explicit MpuStack(std::vector<MpuRegionFields> regions) : regions_(std::move(regions)) {
    std::ranges::stable_sort(regions_, {}, &MpuRegionFields::number);
    lens_ = chip::lens_of(regions_, [](const MpuRegionFields& region) { return region.layer(); });
  }

  /// Null where none shows the address.
  [[nodiscard]] const MpuRegionFields* at(std::uint64_t address) const {
    const auto layer = lens_.at(address);
    return layer ? &regions_[*layer] : nullptr;
  }

 private:
  std::vector<MpuRegionFields> regions_;
  chip::Lens lens_{{}};
};

// The bits as a board file has them.
InlineTable table_of(const chip::MpuBits& bits) {
  InlineTable table;
  table.plain("tex", fmt::format("{}", bits.tex));
  table.flag("cacheable", bits.cacheable, false).flag("bufferable", bits.bufferable, false);
  return table.flag("shareable", bits.shareable, false).flag("execute", bits.execute, false);
}

// The attributes of a board's MPU, which are in the file where something has them.
class MpuAttributes {
 public:
  explicit MpuAttributes(const Plan& plan) : plan_(plan), known_(plan.known()) {}

  // The name of the attribute that the region has.
  std::string name_of(const MpuRegionFields& fields) {
    // What code may run in is the first thing to let go of, then who shares it: neither changes
    // what a core reads.
    const board::MpuAttribute* best = nullptr;
    int most = -1;
    for (std::size_t i = 0; known_ != nullptr && i < known_->mpu.attributes.size(); ++i) {
      const board::MpuAttribute& each = known_->mpu.attributes[i];
      if (each.tex != fields.tex || each.cacheable != fields.cacheable ||
          each.bufferable != fields.bufferable) {
        continue;
      }
      // The names "device" and "non-cached" may have the same bits: memory is not a device.
      const bool in_dram = fields.base >= kLowDram && fields.size < kLowDram;
      const int score = (same_bits(fields, each) ? 4 : 0) +
                        (each.shareable == fields.shareable ? 2 : 0) +
                        ((each.name == "non-cached") == in_dram ? 1 : 0);
      if (score > most) {
        most = score;
        best = &each;
      }
    }
    // Memory that is not cached is shared with everybody, whatever the bit says.
    const bool same =
        best != nullptr &&
        (same_bits(fields, *best) || (!fields.cacheable && !fields.bufferable && !fields.execute));
    if (same) {
      define(*best);
      return best->name;
    }
    return define_new(fields);
  }

  void define(const board::MpuAttribute& attribute) {
    if (!given(plan_, "mpu.attribute." + attribute.name)) {
      rows_.add(attribute.name,
                table_of(attribute).optional_text("sysconfig", attribute.sysconfig).str(),
                "2");
    }
  }

  [[nodiscard]] const NamedTables& rows() const { return rows_; }

 private:
  std::string define_new(const MpuRegionFields& fields) {
    const chip::Cache kind = cache_of(fields);
    const bool cached = kind == chip::Cache::kCached;
    const bool device = !fields.cacheable && !fields.bufferable && fields.tex == 0 &&
                        fields.base + fields.size <= kLowDram;
    std::string name{device ? "device" : chip::name_of(kind)};
    const auto taken = [&](const std::string& word) {
      return known_ != nullptr && known_->mpu.find_attribute(word) != nullptr;
    };
    if (fields.execute != cached && !device) {
      name += cached ? "-data" : "-code";
    }
    while (taken(name)) {
      name += "-too";
    }
    return rows_.add(name, table_of(fields).str(), "too");
  }

  const Plan& plan_;
  const board::Board* known_;
  NamedTables rows_;
};

// In a carve-out of its own, as another core's vrings are.
bool belongs_elsewhere(const Plan& plan, const PlanRegion& region) {
  return core::contains(
      plan.carveouts, std::vector<std::string>{region.name}, &PlanCarveout::members);
}

// DRAM that the core's linker map has or that nobody has for himself, below 4 GiB.
std::vector<SeenRegion> reachable(const Plan& plan, const std::string& core) {
  std::vector<SeenRegion> seen = seen_by(plan, core);
  std::erase_if(seen, [&](const SeenRegion& each) {
    const auto& cores = each.region->cores;
    const bool own = core::contains(cores, core);
    const bool shared = cores.empty() && each.region->in_header &&
                        each.region->cache != chip::Cache::kCached &&
                        !belongs_elsewhere(plan, *each.region);
    return each.region->space != board::Space::kDdr || each.end() > chip::kMpuSpace ||
           !(own || shared);
  });
  return seen;
}

// Not for areas of the map: outside of DRAM, or over all that the core has of it.
bool is_fixed(const std::vector<SeenRegion>& seen, const MpuRegionFields& region) {
  if (region.base + region.size <= kLowDram || region.base >= chip::kMpuSpace) {
    return true;
  }
  return std::ranges::all_of(seen, [&](const SeenRegion& each) {
    return each.base >= region.base && each.end() <= region.base + region.size;
  });
}

// What programs a core's MPU.
struct CoreMpu {
  std::string core;
  const MpuReading* reading = nullptr;
  std::vector<SeenRegion> seen;
  std::vector<MpuRegionFields> fixed;
  MpuStack all;
  MpuStack under;
};

std::vector<CoreMpu> mpus_of(const Plan& plan) {
  std::vector<CoreMpu> mpus;
  for (const PlanCore& core : plan.cores) {
    const CoreReading* reading = plan.reading->find(core.name);
    if (reading == nullptr || reading->mpu.empty() || reading->mpu.front().regions.empty()) {
      continue;
    }
    std::vector<SeenRegion> seen = reachable(plan, core.name);
    std::vector<MpuRegionFields> all;
    std::vector<MpuRegionFields> fixed;
    for (const emit::WrittenMpuRegion& region : reading->mpu.front().regions) {
      all.push_back(region.fields);
      if (is_fixed(seen, region.fields)) {
        fixed.push_back(region.fields);
      }
    }
    mpus.push_back({core.name,
                    &reading->mpu.front(),
                    std::move(seen),
                    fixed,
                    MpuStack{std::move(all)},
                    MpuStack{fixed}});
  }
  return mpus;
}

// --- areas

// The board has the region whole; the tree shows it otherwise.
void tell_seen(Plan& plan,
               const CoreMpu& mpu,
               const SeenRegion& each,
               const std::string& how,
               const std::string& attribute) {
  plan.left_out(fmt::format("{} shows '{}' {}: the board has it as {}, whole",
                            mpu.core,
                            each.region->name,
                            how,
                            attribute),
                mpu.reading->regions.front().place,
                "the tree's MPU regions are not of its script's map: memsize emit writes some that "
                "are");
}

// Data that must be cached so: the model's attribute for it.
const board::MpuAttribute* attribute_for(const board::Board& board, chip::Cache cache) {
  const auto& all = board.mpu.attributes;
  return core::find_where(all, [&](const board::MpuAttribute& each) {
    const bool is_used = std::ranges::any_of(board.mpu.cores, [&](const board::MpuList& list) {
      return core::contains(list.wishes, each.name, &board::MpuWish::attribute);
    });
    return is_used && cache_of(each) == cache;
  });
}

// By which MPU regions a region is seen at its ends, and under those by the fixed ones; null where
// by none.
struct SeenBy {
  const MpuRegionFields* first;
  const MpuRegionFields* last;
  const MpuRegionFields* under;
};

// Where it is known how the region must be seen, and the tree's MPU regions do not show it so:
// they were not changed with the script, or never right. Nothing where there is nothing to mend.
std::optional<std::string> mend(Plan& plan,
                                const CoreMpu& mpu,
                                const SeenRegion& each,
                                const SeenBy& shown,
                                MpuAttributes& attributes) {
  const PlanRegion& region = *each.region;
  const auto is_right = [&](const MpuRegionFields* by) {
    return by != nullptr && cache_of(*by) == region.cache;
  };
  if (region.known == nullptr || region.cache == chip::Cache::kAny ||
      (is_right(shown.first) && is_right(shown.last))) {
    return std::nullopt;
  }
  const MpuRegionFields* wrong = is_right(shown.first) ? shown.last : shown.first;
  const std::string how =
      wrong == nullptr ? "not at all" : fmt::format("as {}", chip::name_of(cache_of(*wrong)));
  if (is_right(shown.under)) {
    tell_seen(plan, mpu, each, how, std::string{chip::name_of(region.cache)});
    return std::string{};
  }
  const board::MpuAttribute* attribute = attribute_for(*plan.known(), region.cache);
  if (attribute == nullptr) {
    return std::nullopt;
  }
  attributes.define(*attribute);
  tell_seen(plan, mpu, each, how, attribute->name);
  return attribute->name;
}

// The attribute that the region needs beside what the fixed ones give it; empty where it needs
// none.
std::string area_of(Plan& plan,
                    const CoreMpu& mpu,
                    const SeenRegion& each,
                    MpuAttributes& attributes) {
  const MpuRegionFields* first = mpu.all.at(each.base);
  const MpuRegionFields* last = mpu.all.at(each.end() - 1);
  const MpuRegionFields* under = mpu.under.at(each.base);
  const auto differs = [&](const MpuRegionFields* by) {
    return by != nullptr && (under == nullptr || !same_memory(*by, *under));
  };
  if (const auto mended = mend(plan, mpu, each, {first, last, under}, attributes)) {
    return *mended;
  }
  if (!differs(first) && !differs(last)) {
    return {};
  }
  // Where it begins is what somebody meant; what covers its end only may be another one's.
  std::string attribute = differs(first) ? attributes.name_of(*first) : std::string{};
  if (differs(first) != differs(last)) {
    tell_seen(
        plan, mpu, each, "in two ways", first == nullptr ? "nothing" : attributes.name_of(*first));
  }
  return attribute;
}

// --- fixed regions

// An inherited file has just this region.
bool is_given(const Plan& plan, const board::MpuFixed& region) {
  const auto same = [&](const char* field, const std::string& text) {
    const docs::Value value = given(plan, fmt::format("mpu.region.{}.{}", region.key, field));
    return value && value.string() == text;
  };
  return same("base", region.base.text) && same("size", region.size.text) &&
         same("attribute", region.attribute);
}

std::string fixed_key(const Plan& plan,
                      const std::string& core,
                      const MpuRegionFields& fields,
                      const std::string& attribute,
                      NamedTables& rows) {
  const board::Board* known = plan.known();
  const auto is_same = [&](const board::MpuFixed& each) {
    const auto base = board::evaluate(each.base, {});
    const auto size = board::evaluate(each.size, {});
    return base && size && *base == fields.base && *size == fields.size &&
           each.attribute == attribute;
  };
  const board::MpuFixed* model =
      known == nullptr ? nullptr : core::find_where(known->mpu.fixed, is_same);
  InlineTable table;
  table.text("base", core::format_hex(fields.base));
  table.text("size", size_text(static_cast<Integer>(fields.size)));
  table.text("attribute", attribute);
  if (model != nullptr) {
    InlineTable with_name;
    if (model->name != model->key) {
      with_name.text("name", model->name);
    }
    with_name.append(table).optional_text("note", model->note);
    return is_given(plan, *model) ? model->key
                                  : rows.add(model->key, with_name.str(), as_identifier(core));
  }
  const std::string name =
      fields.name.empty() ? fmt::format("REGION_{}", fields.number) : as_identifier(fields.name);
  std::string key = name;
  while (given(plan, "mpu.region." + key) || rows.has_other(key, table.str())) {
    key += "_" + as_identifier(core);
  }
  return rows.add(key, table.str(), as_identifier(core));
}

// --- tables

std::string core_text(Plan& plan,
                      const CoreMpu& mpu,
                      MpuAttributes& attributes,
                      NamedTables& rows) {
  std::vector<std::string> keys;
  for (const MpuRegionFields& fields : mpu.fixed) {
    keys.push_back(fixed_key(plan, mpu.core, fields, attributes.name_of(fields), rows));
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> areas;
  for (const SeenRegion& each : mpu.seen) {
    const std::string attribute = area_of(plan, mpu, each, attributes);
    if (attribute.empty()) {
      continue;
    }
    auto area =
        std::ranges::find_if(areas, [&](const auto& one) { return one.first == attribute; });
    if (area == areas.end()) {
      area = areas.insert(areas.end(), {attribute, {}});
    }
    area->second.push_back(each.region->name);
  }
  std::string text =
      fmt::format("[mpu.core.{}]\nfixed = {}\n\n", key_text(mpu.core), list_text(keys));
  if (!areas.empty()) {
    text += fmt::format("[mpu.core.{}.areas]\n", key_text(mpu.core));
    for (const auto& [attribute, names] : areas) {
      text += fmt::format("{} = {}\n", key_text(attribute), long_list_text(names));
    }
    text += "\n";
  }
  return text;
}

std::string program_text(const Plan& plan, const board::MpuProgram* table) {
  const std::string program{table == nullptr ? board::kMpuBySysconfig : table->name};
  const docs::Value said = given(plan, "mpu.program");
  std::string text = said && said.string() == program
                         ? std::string{}
                         : fmt::format("program = {}\n", quoted(program));
  if (const board::Board* known = plan.known(); known != nullptr) {
    constexpr unsigned kLast = 15;
    const board::Mpu& mpu = known->mpu;
    if (mpu.first != 0 && !given(plan, "mpu.first")) {
      text += fmt::format("first = {}\n", mpu.first);
    }
    if (mpu.last != kLast && !given(plan, "mpu.last")) {
      text += fmt::format("last = {}\n", mpu.last);
    }
  }
  return text;
}

class RatWriter {
 public:
  explicit RatWriter(Plan& plan) : plan_(plan), known_(plan.known()) {}

  std::string run() {
    std::string lists;
    for (const PlanCore& core : plan_.cores) {
      const CoreReading* reading = plan_.reading->find(core.name);
      if (reading == nullptr || reading->rat.empty()) {
        continue;
      }
      const RatReading& rat = reading->rat.front();
      std::vector<std::string> names;
      for (const emit::WrittenRatEntry& entry : rat.entries) {
        if (const auto name = add(core, entry)) {
          names.push_back(*name);
        }
      }
      if (!names.empty()) {
        path_ = rat.path;
        lists += fmt::format("{} = {}\n", key_text(core.name), list_text(names));
      }
    }
    if (lists.empty()) {
      return {};
    }
    return fmt::format("{}\n[rat]\nprogram = {}\n\n[rat.entry]\n{}\n[rat.core]\n{}\n",
                       heading_text("Address translation (RAT)"),
                       quoted(path_.ends_with(".syscfg") ? "sysconfig" : "source"),
                       entries_.text(),
                       lists);
  }

 private:
  std::optional<std::string> add(const PlanCore& core, const emit::WrittenRatEntry& entry) {
    const chip::RatEntryFields& fields = entry.fields;
    if (fields.local == fields.system) {
      return std::nullopt;
    }
    Coverage coverage =
        coverage_of(seen_by(plan_, core.name), fields.local, fields.system, fields.size);
    const auto macro = plan_.reading->macros.find(fields.name + "_ADDR");
    const std::string owner = plan_.owner_of(fields.name);
    if (macro != plan_.reading->macros.end() && macro->second.value == fields.local &&
        plan_.find(owner) != nullptr) {
      coverage.names = {owner};
    }
    if (coverage.names.empty()) {
      plan_.left_out(fmt::format("RAT entry '{}' of {}, {} to {}, leads to no whole region: the "
                                 "board has none of it",
                                 core::printable(fields.name),
                                 core.name,
                                 emit::range_text(fields.local, fields.size),
                                 core::format_hex(fields.system)),
                     entry.place);
      return std::nullopt;
    }
    std::uint64_t span = 0;
    for (const std::string& name : coverage.names) {
      const PlanRegion& region = *plan_.find(name);
      const bool inside = region.virtual_at >= fields.local &&
                          region.virtual_at - fields.local < chip::kMpuSpace - region.size;
      span = std::max(span, region.size + (inside ? region.virtual_at - fields.local : 0));
    }
    InlineTable table;
    table.plain("covers", list_text(coverage.names));
    if (span > chip::kMpuSpace || std::bit_ceil(span) != fields.size) {
      table.text("size", size_of(fields));
    }
    const std::string name = as_identifier(fields.name);
    return entries_.add(name, table.str(), as_identifier(core.name));
  }

  // The model's expression, where it has the value of the tree.
  [[nodiscard]] std::string size_of(const chip::RatEntryFields& fields) const {
    Numbers values;
    for (std::size_t i = 0; known_ != nullptr && i < known_->rat.entries.size(); ++i) {
      const board::RatEntry& each = known_->rat.entries[i];
      const Symbol* symbol = plan_.forms->find(each.size.text);
      if (each.name == fields.name && symbol != nullptr && plan_.keep.contains(symbol->name) &&
          symbol->value == static_cast<Integer>(fields.size)) {
        return each.size.text;
      }
    }
    return size_text(static_cast<Integer>(fields.size));
  }

  Plan& plan_;
  const board::Board* known_;
  std::string path_;
  NamedTables entries_;
};

}  // namespace

std::string mpu_text(Plan& plan) {
  const std::vector<CoreMpu> mpus = mpus_of(plan);
  if (mpus.empty()) {
    return {};
  }
  MpuAttributes attributes{plan};
  NamedTables fixed;
  std::string cores;
  std::vector<std::string> files;
  for (const CoreMpu& mpu : mpus) {
    files.push_back(mpu.reading->path);
    cores += core_text(plan, mpu, attributes, fixed);
  }
  std::string text = heading_text("The MPU");
  text += fmt::format(
      "# From {}. Fixed regions have the lowest numbers; `areas` is what a\n"
      "# core sees otherwise: which MPU regions that takes is computed.\n\n",
      files_text(files));
  const std::string own = program_text(plan, mpus.front().reading->table.get());
  text += own.empty() ? "" : "[mpu]\n" + own + "\n";
  const NamedTables& rows = attributes.rows();
  text += rows.empty() ? "" : "[mpu.attribute]\n" + rows.text() + "\n";
  text += fixed.empty() ? "" : "[mpu.region]\n" + fixed.text() + "\n";
  return text + cores;
}

std::string rat_text(Plan& plan) {
  return RatWriter{plan}.run();
}

}  // namespace memsize::sdk
