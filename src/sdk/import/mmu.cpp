// The MMU entries of each core, as regions that they cover or as fixed ranges.
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

class MmuWriter {
 public:
  explicit MmuWriter(Plan& plan) : plan_(plan), known_(plan.known()) {}

  std::string run() {
    std::string lists;
    std::size_t most = 0;
    for (const PlanCore& core : plan_.cores) {
      const CoreReading* reading = plan_.reading->find(core.name);
      if (reading == nullptr || reading->mmu.empty()) {
        continue;
      }
      const MmuReading& mmu = reading->mmu.front();
      by_sysconfig_ = mmu.path.ends_with(".syscfg");
      files_.push_back(mmu.path);
      lists += fmt::format("{} = {}\n", key_text(core.name), long_list_text(keys_of(core, mmu)));
      most = std::max(most, mmu.entries.size());
    }
    if (lists.empty()) {
      return {};
    }
    std::string text = heading_text("The MMU");
    text += fmt::format(
        "# From {}. An entry covers regions, and follows them, or is fixed.\n"
        "# Where entries overlap, the later one in a core's list wins.\n\n",
        files_text(files_));
    const std::string driver = driver_text(most);
    text += driver.empty() ? "" : "[mmu]\n" + driver + "\n";
    text += property_text();
    text += "[mmu.entry]\n" + entries_.text() + "\n";
    return text + "[mmu.core]\n" + lists + "\n" + tables_text();
  }

 private:
  // Where each core's translation tables lie: nothing in the tree says it, the model does.
  std::string tables_text() {
    std::string lines;
    for (const PlanCore& core : plan_.cores) {
      const CoreReading* reading = plan_.reading->find(core.name);
      if (reading == nullptr || reading->mmu.empty()) {
        continue;
      }
      const std::vector<SeenRegion> seen = seen_by(plan_, core.name);
      for (std::size_t i = 0; known_ != nullptr && i < known_->mmu.tables_in.size(); ++i) {
        const board::MmuTablesIn& place = known_->mmu.tables_in[i];
        const bool is_seen = std::ranges::any_of(
            seen, [&](const SeenRegion& region) { return region.region->name == place.region; });
        if (place.core == core.name && is_seen) {
          lines += fmt::format("{} = {}\n", key_text(core.name), quoted(place.region));
        }
      }
    }
    return lines.empty()
               ? std::string{}
               : fmt::format("# As board '{}' has it.\n[mmu.tables_in]\n{}\n", known_->name, lines);
  }

  std::vector<std::string> keys_of(const PlanCore& core, const MmuReading& mmu) {
    const std::vector<SeenRegion> seen = seen_by(plan_, core.name);
    std::vector<std::string> keys;
    for (const emit::WrittenMmuEntry& entry : mmu.entries) {
      if (const auto key = add(core, seen, entry)) {
        // The same once more: where entries overlap, the later one counts.
        std::erase(keys, *key);
        keys.push_back(*key);
      }
    }
    return keys;
  }

  std::optional<std::string> add(const PlanCore& core,
                                 const std::vector<SeenRegion>& seen,
                                 const emit::WrittenMmuEntry& entry) {
    const auto mair = chip::mair_of(entry.attribute);
    if (!mair || entry.size == 0) {
      left_out(core, entry, "has no attribute or size that a board has");
      return std::nullopt;
    }
    if (const std::string named = by_macro(entry); !named.empty()) {
      return add_covering(core, entry, *mair, {named});
    }
    const Coverage coverage = coverage_of(seen, entry.virtual_base, entry.physical, entry.size);
    const bool by_number = entry.name.starts_with("0x");
    const bool covers = coverage.exact && coverage.names.size() <= kMostCovered &&
                        !(by_number && coverage.names.size() > 1);
    if (covers) {
      return add_covering(core, entry, *mair, shortest(plan_, coverage.names));
    }
    const board::MmuEntry* model = named(entry.name);
    const bool usable = model != nullptr && !model->covers.empty() &&
                        std::ranges::all_of(model->covers, [&](const std::string& name) {
                          return !plan_.owner_of(name).empty();
                        });
    // An entry for regions of DRAM that is none of the script's map was not changed with it.
    const bool follows = usable && by_sysconfig_ && entry.physical >= kLowDram;
    if (entry.virtual_base == entry.physical && !follows) {
      return add_fixed(core, entry, *mair, coverage);
    }
    left_out(core,
             entry,
             usable ? "is no hull of whole regions: the board has it over what board '" +
                          known_->name + "' has it cover"
                    : "is no hull of whole regions: the board has none of it");
    return usable ? std::optional{add_covering(core, entry, *mair, model->covers)} : std::nullopt;
  }

  // C code maps by the macros of the C header, and follows them whatever they are: the region or
  // carve-out whose macros the call has.
  [[nodiscard]] std::string by_macro(const emit::WrittenMmuEntry& entry) const {
    const auto macro = [&](const char* ending, std::uint64_t value) {
      const auto found = plan_.reading->macros.find(entry.name + ending);
      return found != plan_.reading->macros.end() && found->second.value == value;
    };
    if (by_sysconfig_ || !macro("_ADDR", entry.virtual_base) || !macro("_SIZE", entry.size)) {
      return {};
    }
    return plan_.owner_of(entry.name);
  }

  void left_out(const PlanCore& core, const emit::WrittenMmuEntry& entry, const std::string& why) {
    plan_.left_out(fmt::format("entry '{}' of {}, {} to {}, {}",
                               core::printable(entry.name),
                               core.name,
                               emit::range_text(entry.virtual_base, entry.size),
                               core::format_hex(entry.physical),
                               why),
                   entry.place,
                   "correct the entry in the tree: its map is not its script's");
  }

  std::string add_covering(const PlanCore& core,
                           const emit::WrittenMmuEntry& entry,
                           unsigned mair,
                           const std::vector<std::string>& covers) {
    // What C code maps has no name of its own: regions give it.
    const std::string name = by_sysconfig_ ? as_identifier(entry.name) : covers.front();
    return add_named(core, name, name, mair, InlineTable{}.plain("covers", list_text(covers)));
  }

  std::string add_fixed(const PlanCore& core,
                        const emit::WrittenMmuEntry& entry,
                        unsigned mair,
                        const Coverage& coverage) {
    const board::MmuEntry* model = same_fixed(entry, mair);
    std::string key = as_identifier(entry.name);
    std::string name = key;
    if (!by_sysconfig_ && model != nullptr) {
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
    } else if (coverage.touches) {
      fields.text("window", "the SDK maps more than it has there");
    }
    return add_named(core, key, name, mair, fields);
  }

  std::string add_named(const PlanCore& core,
                        const std::string& key,
                        const std::string& name,
                        unsigned mair,
                        const InlineTable& rest) {
    InlineTable fields;
    fields.plain("mair", fmt::format("{}", mair)).append(rest);
    InlineTable with_name;
    with_name.text("name", name).append(fields);
    // A key that another core's entry has is not the entry's name any more.
    const std::string plain = key == name ? fields.str() : with_name.str();
    if (!entries_.has_other(key, plain)) {
      return entries_.add(key, plain, core.name);
    }
    return entries_.add(key + "_" + as_identifier(core.name), with_name.str(), core.name);
  }

  [[nodiscard]] const board::MmuEntry* named(const std::string& name) const {
    for (std::size_t i = 0; known_ != nullptr && i < known_->mmu.entries.size(); ++i) {
      if (known_->mmu.entries[i].name == name) {
        return &known_->mmu.entries[i];
      }
    }
    return nullptr;
  }

  // The model's fixed entry over the same range.
  [[nodiscard]] const board::MmuEntry* same_fixed(const emit::WrittenMmuEntry& entry,
                                                  unsigned mair) const {
    for (std::size_t i = 0; known_ != nullptr && i < known_->mmu.entries.size(); ++i) {
      const board::MmuEntry& each = known_->mmu.entries[i];
      const auto base = board::evaluate(each.base, {});
      const auto size = board::evaluate(each.size, {});
      if (each.covers.empty() && each.mair == mair && base && size && *base == entry.virtual_base &&
          *size == entry.size) {
        return &each;
      }
    }
    return nullptr;
  }

  // What the driver can do: the model's, but for who programs the MMU.
  [[nodiscard]] std::string driver_text(std::size_t most) const {
    std::string text;
    const auto add = [&](const char* key, const std::string& value) {
      if (!given(plan_, fmt::format("mmu.{}", key))) {
        text += fmt::format("{} = {}\n", key, value);
      }
    };
    const std::string program = by_sysconfig_ ? "sysconfig" : "source";
    const docs::Value said = given(plan_, "mmu.program");
    if (!said || said.string() != program) {
      text += fmt::format("program = {}\n", quoted(program));
    }
    if (known_ == nullptr) {
      return text;
    }
    const board::Mmu& mmu = known_->mmu;
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

  [[nodiscard]] std::string property_text() const {
    if (known_ == nullptr || known_->mmu.properties.empty() || given(plan_, "mmu.property") ||
        !by_sysconfig_) {
      return {};
    }
    std::string text = "[mmu.property]\n";
    for (const auto& [name, value] : known_->mmu.properties) {
      // As sysconfig writes it: a text has its quotes.
      text += fmt::format("{} = {}\n", key_text(name), value);
    }
    return text + "\n";
  }

  Plan& plan_;
  const board::Board* known_;
  bool by_sysconfig_ = false;
  std::vector<std::string> files_;
  NamedTables entries_;
};

}  // namespace

std::string mmu_text(Plan& plan) {
  return MmuWriter{plan}.run();
}

}  // namespace memsize::sdk
