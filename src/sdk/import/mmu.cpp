// The MMU entries of each core, as regions that they cover or as fixed ranges.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include "programs.hpp"
#include "toml.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

// An entry over more regions than these is a window that somebody drew around all of them.
constexpr std::size_t kMostCovered = 16;

// What programs a core's MMU.
struct CoreMmu {
  std::string core;
  const MmuReading* reading = nullptr;
  std::vector<SeenRegion> seen;

  [[nodiscard]] bool by_sysconfig() const { return reading->path.ends_with(".syscfg"); }
};

std::vector<CoreMmu> mmus_of(const Plan& plan) {
  std::vector<CoreMmu> mmus;
  for (const PlanCore& core : plan.cores) {
    const CoreReading* reading = plan.reading->find(core.name);
    if (reading != nullptr && !reading->mmu.empty()) {
      mmus.push_back({core.name, &reading->mmu.front(), seen_by(plan, core.name)});
    }
  }
  return mmus;
}

// C code maps by the macros of the C header, and follows them whatever they are: the region or
// carve-out whose macros the call has.
std::string by_macro(const Plan& plan, const CoreMmu& mmu, const emit::WrittenMmuEntry& entry) {
  const auto macro = [&](const char* ending, std::uint64_t value) {
    const auto found = plan.reading->macros.find(entry.name + ending);
    return found != plan.reading->macros.end() && found->second.value == value;
  };
  if (mmu.by_sysconfig() || !macro("_ADDR", entry.virtual_base) || !macro("_SIZE", entry.size)) {
    return {};
  }
  return plan.owner_of(entry.name);
}

void leave_out(Plan& plan,
               const CoreMmu& mmu,
               const emit::WrittenMmuEntry& entry,
               const std::string& why) {
  plan.left_out(fmt::format("entry '{}' of {}, {} to {}, {}",
                            core::printable(entry.name),
                            mmu.core,
                            emit::range_text(entry.virtual_base, entry.size),
                            core::format_hex(entry.physical),
                            why),
                entry.place,
                "correct the entry in the tree: its map is not its script's");
}

// The model's fixed entry over the same range.
const board::MmuEntry* same_fixed(const board::Board* known,
                                  const emit::WrittenMmuEntry& entry,
                                  unsigned mair) {
  const auto is_same = [&](const board::MmuEntry& each) {
    const auto base = board::evaluate(each.base, {});
    const auto size = board::evaluate(each.size, {});
    return each.covers.empty() && each.mair == mair && base && size &&
           *base == entry.virtual_base && *size == entry.size;
  };
  return known == nullptr ? nullptr : core::find_where(known->mmu.entries, is_same);
}

// --- entries; each is added under the key that is given

std::string add_entry(const CoreMmu& mmu,
                      const std::string& key,
                      const std::string& name,
                      unsigned mair,
                      const InlineTable& rest,
                      NamedTables& entries) {
  InlineTable fields;
  fields.plain("mair", fmt::format("{}", mair)).append(rest);
  InlineTable with_name;
  with_name.text("name", name).append(fields);
  // A key that another core's entry has is not the entry's name any more.
  const std::string plain = key == name ? fields.str() : with_name.str();
  if (!entries.has_other(key, plain)) {
    return entries.add(key, plain, mmu.core);
  }
  return entries.add(key + "_" + as_identifier(mmu.core), with_name.str(), mmu.core);
}

std::string add_covering(const CoreMmu& mmu,
                         const emit::WrittenMmuEntry& entry,
                         unsigned mair,
                         const std::vector<std::string>& covers,
                         NamedTables& entries) {
  // What C code maps has no name of its own: regions give it.
  const std::string name = mmu.by_sysconfig() ? as_identifier(entry.name) : covers.front();
  return add_entry(
      mmu, name, name, mair, InlineTable{}.plain("covers", list_text(covers)), entries);
}

// `model`: the known board's entry over the same range; may be null. `touches`: some region is in
// it.
std::string add_fixed(const CoreMmu& mmu,
                      const emit::WrittenMmuEntry& entry,
                      unsigned mair,
                      const board::MmuEntry* model,
                      bool touches,
                      NamedTables& entries) {
  std::string key = as_identifier(entry.name);
  std::string name = key;
  if (!mmu.by_sysconfig() && model != nullptr) {
    key = model->key;
    name = model->name;
  } else if (entry.name.starts_with("0x")) {
    key = "MAP" + key;
    name = key;
  }
  InlineTable fields;
  fields.text("base", core::format_hex(entry.virtual_base));
  fields.text("size", size_text(static_cast<Integer>(entry.size)));
  if (model != nullptr && !model->window_why.empty()) {
    fields.text("window", model->window_why);
  } else if (touches) {
    fields.text("window", "the SDK maps more than it has there");
  }
  return add_entry(mmu, key, name, mair, fields, entries);
}

// Nothing where the board has none of it.
std::optional<std::string> entry_key(Plan& plan,
                                     const CoreMmu& mmu,
                                     const emit::WrittenMmuEntry& entry,
                                     NamedTables& entries) {
  const auto mair = chip::mair_of(entry.attribute);
  if (!mair || entry.size == 0) {
    leave_out(plan, mmu, entry, "has no attribute or size that a board has");
    return std::nullopt;
  }
  if (const std::string named = by_macro(plan, mmu, entry); !named.empty()) {
    return add_covering(mmu, entry, *mair, {named}, entries);
  }
  const Coverage coverage = coverage_of(mmu.seen, entry.virtual_base, entry.physical, entry.size);
  const bool by_number = entry.name.starts_with("0x");
  const bool covers = coverage.exact && coverage.names.size() <= kMostCovered &&
                      !(by_number && coverage.names.size() > 1);
  if (covers) {
    return add_covering(mmu, entry, *mair, shortest(plan, coverage.names), entries);
  }
  const board::Board* known = plan.known();
  const board::MmuEntry* model =
      known == nullptr ? nullptr
                       : core::find_in(known->mmu.entries, entry.name, &board::MmuEntry::name);
  const bool usable = model != nullptr && !model->covers.empty() &&
                      std::ranges::all_of(model->covers, [&](const std::string& name) {
                        return !plan.owner_of(name).empty();
                      });
  // An entry for regions of DRAM that is none of the script's map was not changed with it.
  const bool follows = usable && mmu.by_sysconfig() && entry.physical >= kLowDram;
  if (entry.virtual_base == entry.physical && !follows) {
    return add_fixed(mmu, entry, *mair, same_fixed(known, entry, *mair), coverage.touches, entries);
  }
  leave_out(plan,
            mmu,
            entry,
            usable ? "is no hull of whole regions: the board has it over what board '" +
                         known->name + "' has it cover"
                   : "is no hull of whole regions: the board has none of it");
  return usable ? std::optional{add_covering(mmu, entry, *mair, model->covers, entries)}
                : std::nullopt;
}

std::vector<std::string> keys_of(Plan& plan, const CoreMmu& mmu, NamedTables& entries) {
  std::vector<std::string> keys;
  for (const emit::WrittenMmuEntry& entry : mmu.reading->entries) {
    if (const auto key = entry_key(plan, mmu, entry, entries)) {
      // The same once more: where entries overlap, the later one counts.
      std::erase(keys, *key);
      keys.push_back(*key);
    }
  }
  return keys;
}

// --- the rest

// What the driver can do: the model's, but for who programs the MMU.
std::string driver_text(const Plan& plan, bool by_sysconfig, std::size_t most) {
  std::string text;
  const auto add = [&](const char* key, const std::string& value) {
    if (!given(plan, fmt::format("mmu.{}", key))) {
      text += fmt::format("{} = {}\n", key, value);
    }
  };
  const std::string program = by_sysconfig ? "sysconfig" : "source";
  const docs::Value said = given(plan, "mmu.program");
  if (!said || said.string() != program) {
    text += fmt::format("program = {}\n", quoted(program));
  }
  const board::Board* known = plan.known();
  if (known == nullptr) {
    return text;
  }
  const board::Mmu& mmu = known->mmu;
  add("granule", quoted(size_text(static_cast<Integer>(mmu.granule.value()))));
  if (mmu.tables != 0) {
    add("tables", fmt::format("{}", mmu.tables));
    add("blocks_replace_tables", mmu.blocks_replace_tables ? "true" : "false");
  }
  if (mmu.max_entries != 0 && mmu.max_entries >= most) {
    add("max_entries", fmt::format("{}", mmu.max_entries));
  }
  if (mmu.max_entry.count() != 0) {
    add("max_entry", quoted(size_text(static_cast<Integer>(mmu.max_entry.count()))));
  }
  for (const auto& [key, mairs] : {std::pair{"mair_non_cached", &mmu.mair.non_cached},
                                   std::pair{"mair_write_through", &mmu.mair.write_through},
                                   std::pair{"mair_cached", &mmu.mair.cached}}) {
    if (!mairs->empty()) {
      add(key, fmt::format("[{}]", fmt::join(*mairs, ", ")));
    }
  }
  return text;
}

std::string property_text(const Plan& plan, bool by_sysconfig) {
  const board::Board* known = plan.known();
  if (known == nullptr || known->mmu.properties.empty() || given(plan, "mmu.property") ||
      !by_sysconfig) {
    return {};
  }
  std::string text = "[mmu.property]\n";
  for (const auto& [name, value] : known->mmu.properties) {
    // As sysconfig writes it: a text has its quotes.
    text += fmt::format("{} = {}\n", key_text(name), value);
  }
  return text + "\n";
}

// Where each core's translation tables lie: nothing in the tree says it, the model does.
std::string tables_text(const board::Board* known, const std::vector<CoreMmu>& mmus) {
  std::string lines;
  for (const CoreMmu& mmu : mmus) {
    for (std::size_t i = 0; known != nullptr && i < known->mmu.tables_in.size(); ++i) {
      const board::MmuTablesIn& place = known->mmu.tables_in[i];
      const bool is_seen = std::ranges::any_of(
          mmu.seen, [&](const SeenRegion& region) { return region.region->name == place.region; });
      if (place.core == mmu.core && is_seen) {
        lines += fmt::format("{} = {}\n", key_text(mmu.core), quoted(place.region));
      }
    }
  }
  return lines.empty()
             ? std::string{}
             : fmt::format("# As board '{}' has it.\n[mmu.tables_in]\n{}\n", known->name, lines);
}

}  // namespace

std::string mmu_text(Plan& plan) {
  const std::vector<CoreMmu> mmus = mmus_of(plan);
  if (mmus.empty()) {
    return {};
  }
  NamedTables entries;
  std::string lists;
  std::size_t most = 0;
  std::vector<std::string> files;
  for (const CoreMmu& mmu : mmus) {
    files.push_back(mmu.reading->path);
    lists +=
        fmt::format("{} = {}\n", key_text(mmu.core), long_list_text(keys_of(plan, mmu, entries)));
    most = std::max(most, mmu.reading->entries.size());
  }
  const bool by_sysconfig = mmus.back().by_sysconfig();
  for (const CoreMmu& mmu : mmus) {
    if (mmu.by_sysconfig() != by_sysconfig) {
      plan.left_out(
          fmt::format("the MMU of {} is programmed by another kind of file than that of {}, "
                      "which the board goes by",
                      mmu.core,
                      mmus.back().core),
          {mmu.reading->entries.empty() ? core::SharedText{mmu.reading->path}
                                        : mmu.reading->entries.front().place.path},
          by_sysconfig ? "no mmu.syscfg that emit --out writes for it is used"
                       : "emit --out writes no mmu.syscfg for it; emit --sdk edits its own");
    }
  }
  std::string text = heading_text("The MMU");
  text += fmt::format(
      "# From {}. An entry covers regions, and follows them, or is fixed.\n"
      "# Where entries overlap, the later one in a core's list wins.\n\n",
      files_text(files));
  const std::string driver = driver_text(plan, by_sysconfig, most);
  text += driver.empty() ? "" : "[mmu]\n" + driver + "\n";
  text += property_text(plan, by_sysconfig);
  text += "[mmu.entry]\n" + entries.text() + "\n";
  return text + "[mmu.core]\n" + lists + "\n" + tables_text(plan.known(), mmus);
}

}  // namespace memsize::sdk
