// Fills answers for names, knobs, entries and addresses of a board's map: what it is, who sees it
// how, why it lies there, and what happens if it grows.
#include "memsize/layout/why.hpp"

#include "memsize/board/expression.hpp"
#include "memsize/board/mmu.hpp"
#include "memsize/board/mpu.hpp"
#include "memsize/chip/limits.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/grow.hpp"

#include "checks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;

// "MAIR5" where the board does not say what the index does.
std::string effect_of(const board::Mmu& mmu, unsigned mair) {
  const chip::Cache cache = mmu.mair.of(mair);
  return cache == chip::Cache::kAny ? chip::mair_name(mair) : std::string{chip::name_of(cache)};
}

void add_mmu(const MemoryMap& map, CoreHardware& hardware) {
  const MmuTable* table = map.find_mmu(hardware.core);
  if (table == nullptr) {
    return;
  }
  hardware.has_mmu = true;
  for (const MmuRange& range : table->ranges) {
    hardware.entries.push_back({fmt::format("MMU {} '{}'", range.instance, range.entry),
                                range.place,
                                range.virtual_range.base().value(),
                                range.physical.base().value(),
                                range.virtual_range.size().count(),
                                effect_of(map.board.mmu, range.mair),
                                0});
  }
}

void add_mpu(const MemoryMap& map, CoreHardware& hardware) {
  for (const MpuTable& table : map.mpu) {
    for (std::size_t i = 0; table.core == hardware.core && i < table.regions.size(); ++i) {
      const MpuRegion& region = table.regions[i];
      const board::MpuAttribute* attribute = map.board.mpu.find_attribute(region.attribute);
      hardware.has_mpu = true;
      hardware.limit = chip::kMpuSpace;
      const std::uint64_t base = region.range.base().value();
      hardware.entries.push_back(
          {region.is_fixed ? fmt::format("MPU {} '{}'", region.number, region.name)
                           : fmt::format("MPU {}", region.number),
           region.is_fixed ? region.place : table.place,
           base,
           base,
           region.range.size().count(),
           attribute == nullptr ? region.attribute
                                : std::string{chip::name_of(cache_of(*attribute))},
           region.disabled});
    }
  }
}

void add_rat(const MemoryMap& map, CoreHardware& hardware) {
  for (const RatTable& table : map.rat) {
    for (std::size_t i = 0; table.core == hardware.core && i < table.ranges.size(); ++i) {
      const RatRange& range = table.ranges[i];
      hardware.rat.push_back({fmt::format("RAT '{}'", range.name),
                              range.place,
                              range.local.value(),
                              range.system.value(),
                              range.size.count(),
                              "",
                              0});
    }
  }
}

class BoardAnswerer {
 public:
  BoardAnswerer(const MemoryMap& map, const board::KnobValues& set, const Question& question)
      : map_(map), set_(set), question_(question) {}

  core::Result<Answer> run() {
    answer_.asked = question_.text;
    answer_.source = fmt::format("board {}: {}", map_.board.name, map_.board.title);
    if (!question_.core.empty() && map_.board.find_core(question_.core) == nullptr) {
      return core::fail(unknown_core());
    }
    for (const board::Core& core : map_.board.cores) {
      hardware_.push_back(hardware_of(map_, core.name));
    }
    // A name begins with a letter; of an entry without one, its address stands in for it.
    const bool is_number =
        !question_.text.empty() && question_.text[0] >= '0' && question_.text[0] <= '9';
    if (!is_number && add_named()) {
      return std::move(answer_);
    }
    const auto address = address_in(question_.text);
    MEMSIZE_TRY(address);
    if (!*address) {
      return core::fail(unknown_name());
    }
    answer_.address = **address;
    read_address(**address);
    return std::move(answer_);
  }

 private:
  // Of a core that was asked for, an address is read by it alone; who else sees the same memory is
  // told all the same.
  [[nodiscard]] bool is_asked(const std::string& core) const {
    return question_.core.empty() || question_.core == core;
  }

  core::Diagnostic unknown_core() const {
    const std::vector<std::string> names = core::texts_of(map_.board.cores, &board::Core::name);
    return core::error(
        Code::kUsage,
        fmt::format(
            "board '{}' has no core '{}'", map_.board.name, core::printable(question_.core, 40)),
        {},
        fmt::format("its cores: {}", core::join(names, ", ")));
  }

  core::Diagnostic unknown_name() const {
    const std::string near = core::did_you_mean(question_.text, all_names());
    return core::error(Code::kWhyUnknown,
                       fmt::format("board '{}' has nothing called '{}'",
                                   map_.board.name,
                                   core::printable(question_.text, 60)),
                       {},
                       near.empty() ? fmt::format("memsize board show {} lists what it has; an "
                                                  "address begins with 0x or a digit",
                                                  core::shell_path(asked_as()))
                                    : near);
  }

  [[nodiscard]] const std::string& asked_as() const {
    return map_.board.asked_as.empty() ? map_.board.name : map_.board.asked_as;
  }

  // --- names ---------------------------------------------------------------------------------

  [[nodiscard]] std::vector<std::string> region_names() const {
    return core::texts_of(map_.regions, &Region::name);
  }

  [[nodiscard]] std::vector<std::string> carveout_names() const {
    std::vector<std::string> names;
    for (const auto* list : {&map_.carveouts, &map_.groups}) {
      for (const Carveout& each : *list) {
        names.insert(names.end(), {each.name, each.label, each.node});
      }
    }
    return names;
  }

  template <typename List>
  static std::vector<std::string> names_of(const List& list) {
    return core::texts_of(list, [](const auto& each) { return each.name; });
  }

  [[nodiscard]] std::vector<std::string> constant_names() const {
    std::vector<std::string> names;
    for (const auto& [name, expression] : map_.board.constants) {
      names.push_back(name);
    }
    return names;
  }

  [[nodiscard]] std::vector<std::string> all_names() const {
    std::vector<std::string> all = region_names();
    for (const auto& names : {carveout_names(),
                              names_of(map_.board.knobs),
                              constant_names(),
                              entry_names(hardware_),
                              names_of(map_.board.chains),
                              names_of(map_.board.banks)}) {
      all.insert(all.end(), names.begin(), names.end());
    }
    std::erase(all, std::string{});
    return all;
  }

  // False where the board has no such name.
  bool add_named() {
    const std::string name = name_meant(question_.text, all_names());
    if (name.empty()) {
      return false;
    }
    for (const Region& region : map_.regions) {
      if (region.name == name) {
        add_region(region);
      }
    }
    for (const auto* list : {&map_.carveouts, &map_.groups}) {
      for (const Carveout& each : *list) {
        const bool is_named = each.name == name && answer_.subjects.empty();
        if (is_named || each.label == name || each.node == name) {
          add_carveout(each);
        }
      }
    }
    if (answer_.subjects.empty()) {
      add_value(name);
    }
    if (answer_.subjects.empty()) {
      if (auto entry = subject_of_entries(hardware_, name)) {
        answer_.subjects.push_back(std::move(*entry));
      }
    }
    if (answer_.subjects.empty()) {
      add_chain_or_bank(name);
    }
    return true;
  }

  // --- subjects ------------------------------------------------------------------------------

  // The region; of an alias or a physical name the owner, with a fact that says so.
  void add_region(const Region& region) {
    const Region* owner = region.of.empty() ? &region : map_.find_owned(region.of);
    if (owner == nullptr) {
      return;
    }
    for (Subject& known : answer_.subjects) {
      if (known.name == owner->name && known.cores == owner->cores) {
        return;
      }
    }
    Subject subject{.kind = "region",
                    .name = owner->name,
                    .note = owner->note,
                    .cores = owner->cores,
                    .size = owner->size.count()};
    if (owner->virtual_base) {
      subject.address = owner->virtual_base->value();
    }
    if (owner->physical_base) {
      subject.physical = owner->physical_base->value();
    }
    if (owner->cache != chip::Cache::kAny) {
      subject.must_be = chip::name_of(owner->cache);
    }
    if (region.kind == RegionKind::kAlias) {
      subject.facts.push_back(
          fmt::format("{} is what {} calls it", region.name, core::join(region.cores, " and ")));
    } else if (region.kind == RegionKind::kPhysicalName) {
      subject.facts.push_back(
          fmt::format("{} is its address on the bus, for the C header", region.name));
    }
    add_facts(*owner, subject);
    subject.said.insert(
        subject.said.begin(),
        {owner->place, fmt::format("'{}' in chain '{}'", owner->name, owner->chain)});
    add_sights(*owner, subject);
    // What is on the chip has the size that it has.
    if (owner->space == board::Space::kDdr || !owner->knob.empty()) {
      Change change{.knob = owner->knob, .region = owner->knob.empty() ? owner : nullptr};
      subject.growth = grow(map_, set_, change);
    }
    answer_.subjects.push_back(std::move(subject));
  }

  void add_facts(const Region& region, Subject& subject) const {
    add_memory(region, subject);
    add_size(region, subject);
    add_neighbours(region, subject);
    for (const Region& other : map_.regions) {
      if (other.kind == RegionKind::kAlias && other.of == region.name) {
        subject.said.push_back(
            {other.place,
             fmt::format("'{}', its name on {}", other.name, core::join(other.cores, ", "))});
      }
    }
  }

  void add_memory(const Region& region, Subject& subject) const {
    if (!region.physical() || region.physical()->empty()) {
      subject.facts.emplace_back("memory of its own core: nobody else has an address for it");
      return;
    }
    subject.facts.push_back(memory_at(region.physical_base->value()));
    bool reserved = false;
    for (const Carveout& carveout : map_.carveouts) {
      if (carveout.range.overlaps(*region.physical())) {
        reserved = true;
        subject.said.push_back(
            {carveout.place,
             fmt::format("carve-out {} {}", carveout.label, core::format_range(carveout.range))});
        subject.facts.push_back(fmt::format("Linux leaves it alone: carve-out {}", carveout.label));
      }
    }
    if (!reserved && region.space == board::Space::kDdr) {
      subject.facts.emplace_back("Linux owns it: no carve-out covers it");
    }
  }

  [[nodiscard]] std::string memory_at(std::uint64_t physical) const {
    for (const board::Bank& bank : map_.board.banks) {
      if (bank.range.contains(core::PhysAddr{physical})) {
        return fmt::format("in DRAM bank '{}' {}", bank.name, core::format_range(bank.range));
      }
    }
    return "on the bus, outside of every DRAM bank";
  }

  [[nodiscard]] bool is_in_bank(std::uint64_t physical) const {
    const auto& banks = map_.board.banks;
    return std::ranges::any_of(banks, [&](const board::Bank& bank) {
      return bank.range.contains(core::PhysAddr{physical});
    });
  }

  void add_size(const Region& region, Subject& subject) const {
    const board::Item* item = item_of(region);
    if (item == nullptr) {
      return;
    }
    if (const board::Knob* knob = map_.board.find_knob(region.knob); knob != nullptr) {
      subject.facts.push_back(fmt::format("its size is knob '{}'{}", knob->name, driver(*knob)));
      subject.said.push_back({knob->place, fmt::format("knob '{}'", knob->name)});
      return;
    }
    subject.facts.push_back(fmt::format("its size is \"{}\"", item->size.text));
    for (const std::string& name : board::names_in(item->size)) {
      subject.said.push_back({place_of_value(name), fmt::format("{}, in its size", name)});
    }
  }

  static std::string driver(const board::Knob& knob) {
    std::string text =
        knob.is_address
            ? std::string{}
            : fmt::format(", in steps of {}", core::format_size(core::Bytes{knob.granule.value()}));
    if (knob.demand) {
      text += fmt::format("; traces size it: {} {} {} {}",
                          knob.demand->core,
                          knob.demand->space,
                          model::name_of(knob.demand->cacheability),
                          model::name_of(knob.demand->lifetime));
    }
    return text;
  }

  [[nodiscard]] core::Place place_of_value(const std::string& name) const {
    if (const board::Knob* knob = map_.board.find_knob(name); knob != nullptr) {
      return knob->place;
    }
    for (const auto& [constant, expression] : map_.board.constants) {
      if (constant == name) {
        return expression.place;
      }
    }
    return {};
  }

  [[nodiscard]] const board::Item* item_of(const Region& region) const {
    const board::Chain* chain = map_.board.find_chain(region.chain);
    for (std::size_t i = 0; chain != nullptr && i < chain->items.size(); ++i) {
      const board::Item& item = chain->items[i];
      if (!item.is_gap && item.name == region.name && item.cores == region.cores) {
        return &item;
      }
    }
    return nullptr;
  }

  void add_neighbours(const Region& region, Subject& subject) const {
    const board::Chain* chain = map_.board.find_chain(region.chain);
    const board::Item* item = item_of(region);
    if (item == nullptr) {
      return;
    }
    const std::size_t at = static_cast<std::size_t>(item - chain->items.data());
    const auto called = [](const board::Item& each) {
      return each.is_gap ? fmt::format("a gap ({})", each.note) : each.name;
    };
    const bool is_first = at == 0;
    const bool is_last = at + 1 == chain->items.size();
    std::string text = fmt::format("chain '{}': {}",
                                   chain->name,
                                   is_first && is_last ? "alone in it"
                                   : is_first          ? "the first"
                                                       : "behind " + called(chain->items[at - 1]));
    if (!is_last) {
      text += ", before " + called(chain->items[at + 1]);
    } else if (!is_first) {
      text += ", the last";
    }
    subject.facts.push_back(std::move(text));
  }

  // Who has it in its linker map first, then who reaches it all the same.
  void add_sights(const Region& region, Subject& subject) const {
    if (!region.virtual_base || region.size.count() == 0) {
      return;
    }
    std::vector<Sight> unnamed;
    for (const CoreHardware& core : hardware_) {
      if (!answer_.address && !is_asked(core.core)) {
        continue;
      }
      for (const Region& name : map_.regions) {
        const bool is_it =
            name.kind != RegionKind::kPhysicalName &&
            (&name == &region || (name.of == region.name && region.kind == RegionKind::kRegion));
        if (is_it && name.seen_by(core.core) && name.virtual_base) {
          add_named_sights(core, name, subject.sights);
        }
      }
      const bool is_known = core.has_mmu || core.has_mpu;
      if (region.physical_base && is_known) {
        for (Sight& sight : look_for(core, region.physical_base->value(), region.size.count())) {
          unnamed.push_back(std::move(sight));
        }
      }
    }
    std::erase_if(unnamed, [&](const Sight& sight) {
      return std::ranges::any_of(subject.sights, [&](const Sight& known) {
        return known.core == sight.core && known.address <= sight.address &&
               sight.address - known.address < known.size;
      });
    });
    subject.sights.insert(subject.sights.end(), unnamed.begin(), unnamed.end());
  }

  static void add_named_sights(const CoreHardware& core,
                               const Region& name,
                               std::vector<Sight>& sights) {
    for (Sight& sight : look_at(core, name.virtual_base->value(), name.size.count())) {
      sight.name = name.name;
      if (!name.physical_base) {
        sight.physical = std::nullopt;
      }
      sights.push_back(std::move(sight));
    }
  }

  void add_carveout(const Carveout& carveout) {
    Subject subject;
    const bool has_node = !carveout.label.empty();
    subject.kind = has_node ? "carve-out" : "group";
    subject.name = has_node ? carveout.label : carveout.name;
    subject.physical = carveout.range.base().value();
    subject.size = carveout.range.size().count();
    if (has_node) {
      subject.facts.push_back(fmt::format("Linux reserves it as node '{}'{}",
                                          carveout.node,
                                          carveout.no_map ? ", and does not map it" : ""));
    }
    subject.facts.push_back(memory_at(*subject.physical));
    subject.facts.push_back(fmt::format("it covers {}", core::join(carveout.members, ", ")));
    subject.said.push_back({carveout.place, has_node ? "the carve-out" : "the group"});
    for (const std::string& member : carveout.members) {
      if (const Region* region = map_.find_owned(member); region != nullptr) {
        subject.said.push_back({region->place, fmt::format("'{}'", member)});
      }
    }
    answer_.subjects.push_back(std::move(subject));
  }

  // A knob or a constant.
  void add_value(const std::string& name) {
    const board::Knob* knob = map_.board.find_knob(name);
    const auto value = map_.values.find(name);
    if (value == map_.values.end()) {
      return;
    }
    if (const Region* region = map_.find_by_knob(name); region != nullptr) {
      add_region(*region);
      answer_.subjects.back().facts.insert(
          answer_.subjects.back().facts.begin(),
          fmt::format("{} is a knob: it is the size of {}", name, region->name));
      return;
    }
    Subject subject{.kind = knob == nullptr ? "constant" : "knob", .name = name};
    const bool is_address = knob != nullptr && knob->is_address;
    subject.facts.push_back(fmt::format("it is {}{}",
                                        is_address ? core::format_hex(value->second)
                                                   : core::format_size(core::Bytes{value->second}),
                                        knob == nullptr ? "" : driver(*knob)));
    subject.said.push_back({place_of_value(name), fmt::format("the {}", subject.kind)});
    add_users(name, subject);
    Change change;
    (knob == nullptr ? change.constant : change.knob) = name;
    subject.growth = grow(map_, set_, change);
    answer_.subjects.push_back(std::move(subject));
  }

  void add_users(const std::string& name, Subject& subject) const {
    const auto uses = [&](const board::Expression& expression) {
      const auto names = board::names_in(expression);
      return !expression.text.empty() && core::contains(names, name);
    };
    const auto add = [&](const board::Expression& expression, const std::string& what) {
      if (uses(expression)) {
        subject.said.push_back({expression.place, what});
      }
    };
    for (const auto& [constant, expression] : map_.board.constants) {
      add(expression, fmt::format("constant '{}' uses it", constant));
    }
    for (const board::Knob& knob : map_.board.knobs) {
      add(knob.default_value, fmt::format("the default of knob '{}' uses it", knob.name));
    }
    for (const board::Chain& chain : map_.board.chains) {
      add(chain.physical, fmt::format("chain '{}' begins there on the bus", chain.name));
      add(chain.virtual_base, fmt::format("cores see chain '{}' there", chain.name));
      add(chain.limit, fmt::format("chain '{}' ends there", chain.name));
      for (const board::Item& item : chain.items) {
        add(item.size,
            item.is_gap ? fmt::format("a gap in chain '{}' has it in its size", chain.name)
                        : fmt::format("'{}' has it in its size", item.name));
      }
    }
    for (const auto& [base, expression] : map_.board.header_bases) {
      add(expression, fmt::format("macro {} of the C header", base));
    }
  }

  void add_chain_or_bank(const std::string& name) {
    Subject subject{.name = name};
    if (const board::Chain* chain = map_.board.find_chain(name); chain != nullptr) {
      subject.kind = "chain";
      subject.said.push_back({chain->place, "the chain"});
      for (const Window& window : map_.windows) {
        if (window.chain == name) {
          subject.physical = window.range.base().value();
          subject.size = window.range.size().count();
          subject.facts.push_back(fmt::format("{} of its window are placed, {} kept, {} free",
                                              core::format_size(window.placed),
                                              core::format_size(window.padding),
                                              core::format_size(window.free)));
        }
      }
      for (const Region& region : map_.regions) {
        if (region.chain == name && region.kind == RegionKind::kRegion) {
          subject.said.push_back({region.place, fmt::format("'{}'", region.name)});
        }
      }
    }
    for (const board::Bank& bank : map_.board.banks) {
      if (bank.name == name) {
        subject.kind = "DRAM bank";
        subject.physical = bank.range.base().value();
        subject.size = bank.range.size().count();
        subject.said.push_back({bank.place, "the bank"});
      }
    }
    answer_.subjects.push_back(std::move(subject));
  }

  // --- addresses -----------------------------------------------------------------------------

  void read_address(std::uint64_t address) {
    if (question_.core.empty()) {
      read_on_bus(address);
    }
    for (const CoreHardware& core : hardware_) {
      if (is_asked(core.core)) {
        read_by_core(core, address);
      }
    }
  }

  [[nodiscard]] const Region* owner_at(std::uint64_t physical) const {
    return core::find_where(map_.regions, [&](const Region& r) {
      return r.kind == RegionKind::kRegion && r.physical() &&
             r.physical()->contains(core::PhysAddr{physical});
    });
  }

  void read_on_bus(std::uint64_t address) {
    AddressReading reading{.physical = address};
    if (const Region* owner = owner_at(address); owner != nullptr) {
      reading.name = owner->name;
      reading.offset = address - owner->physical_base->value();
      add_region(*owner);
    } else {
      reading.where = hole_at(address);
    }
    answer_.readings.push_back(std::move(reading));
  }

  // What there is where no region is.
  [[nodiscard]] std::string hole_at(std::uint64_t address) const {
    for (const Gap& gap : map_.gaps) {
      if (gap.physical.contains(core::PhysAddr{address})) {
        return fmt::format(
            "in a gap of chain '{}' {}: {}", gap.chain, core::format_range(gap.physical), gap.why);
      }
    }
    const std::string owner = owner_of_hole(address);
    if (!is_in_bank(address)) {
      return owner;
    }
    const Region* before = nullptr;
    const Region* behind = nullptr;
    for (const Region& region : map_.regions) {
      if (region.kind != RegionKind::kRegion || !region.physical() || region.physical()->empty()) {
        continue;
      }
      const std::uint64_t base = region.physical_base->value();
      if (base <= address &&
          (before == nullptr || *before->physical_base < *region.physical_base)) {
        before = &region;
      }
      if (base > address && (behind == nullptr || *region.physical_base < *behind->physical_base)) {
        behind = &region;
      }
    }
    std::string text = "in no region: ";
    if (before != nullptr && behind != nullptr) {
      text += fmt::format("between {} and {}", before->name, behind->name);
    } else if (before != nullptr || behind != nullptr) {
      text += before != nullptr ? fmt::format("behind {}, the last", before->name)
                                : fmt::format("before {}, the first", behind->name);
    }
    return text + "; " + owner;
  }

  [[nodiscard]] std::string owner_of_hole(std::uint64_t address) const {
    for (const Carveout& carveout : map_.carveouts) {
      if (carveout.range.contains(core::PhysAddr{address})) {
        return fmt::format("carve-out {} reserves it", carveout.label);
      }
    }
    const std::string memory = memory_at(address);
    return is_in_bank(address) ? fmt::format("{}: Linux owns it", memory) : memory;
  }

  void read_by_core(const CoreHardware& core, std::uint64_t address) {
    const Sight sight = look_at(core, address, 1).front();
    AddressReading reading{.core = core.core,
                           .is_mapped = sight.is_mapped,
                           .physical = sight.physical,
                           .cached = sight.cached,
                           .by = sight.by,
                           .by_place = sight.by_place};
    if (!sight.moved_by.empty()) {
      reading.by += (reading.by.empty() ? "" : ", ") + sight.moved_by;
    }
    const Region* own = own_at(core.core, address);
    const Region* there = own == nullptr && sight.physical ? owner_at(*sight.physical) : nullptr;
    if (own != nullptr) {
      reading.name = own->name;
      reading.offset = address - own->virtual_base->value();
      if (!own->physical_base) {
        reading.physical = std::nullopt;
      }
      add_region(*own);
    } else if (there != nullptr) {
      reading.name = there->name;
      reading.offset = *sight.physical - there->physical_base->value();
      add_region(*there);
    } else if (sight.physical) {
      reading.where = hole_at(*sight.physical);
    }
    answer_.readings.push_back(std::move(reading));
  }

  // What the core's linker map has there.
  [[nodiscard]] const Region* own_at(const std::string& core, std::uint64_t address) const {
    return core::find_where(map_.regions, [&](const Region& r) {
      return r.seen_by(core) && r.virtual_range() &&
             r.virtual_range()->contains(core::VirtAddr{address});
    });
  }

  const MemoryMap& map_;
  const board::KnobValues& set_;
  const Question& question_;
  std::vector<CoreHardware> hardware_;
  Answer answer_;
};

}  // namespace

CoreHardware hardware_of(const MemoryMap& map, const std::string& core) {
  CoreHardware hardware{.core = core};
  add_mmu(map, hardware);
  if (!hardware.has_mmu) {
    add_mpu(map, hardware);
  }
  add_rat(map, hardware);
  return hardware;
}

core::Result<Answer> answer(const MemoryMap& map,
                            const board::KnobValues& set,
                            const Question& question) {
  return BoardAnswerer{map, set, question}.run();
}

}  // namespace memsize::layout
