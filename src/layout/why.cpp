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

// A board's map, the knobs that were set for it, and what its cores make of addresses.
struct BoardMemory {
  const MemoryMap& map;
  const board::KnobValues& set;
  std::vector<CoreHardware> hardware;
};

// --- names -----------------------------------------------------------------------------------

std::vector<std::string> all_names(const BoardMemory& memory) {
  const MemoryMap& map = memory.map;
  const auto name = [](const auto& each) { return each.name; };
  std::vector<std::string> all = core::texts_of(map.regions, name);
  for (const auto* list : {&map.carveouts, &map.groups}) {
    for (const Carveout& each : *list) {
      all.insert(all.end(), {each.name, each.label, each.node});
    }
  }
  for (const auto& names :
       {core::texts_of(map.board.knobs, name),
        core::texts_of(map.board.constants, [](const auto& each) { return each.first; }),
        entry_names(memory.hardware),
        core::texts_of(map.board.chains, name),
        core::texts_of(map.board.banks, name)}) {
    all.insert(all.end(), names.begin(), names.end());
  }
  std::erase(all, std::string{});
  return all;
}

core::Diagnostic unknown_core(const board::Board& board, const std::string& core) {
  const std::vector<std::string> names = core::texts_of(board.cores, &board::Core::name);
  return core::error(
      Code::kUsage,
      fmt::format("board '{}' has no core '{}'", board.name, core::printable(core, 40)),
      {},
      fmt::format("its cores: {}", core::join(names, ", ")));
}

core::Diagnostic unknown_name(const BoardMemory& memory, const std::string& text) {
  const board::Board& board = memory.map.board;
  const std::string near = core::did_you_mean(text, all_names(memory));
  return core::error(
      Code::kWhyUnknown,
      fmt::format("board '{}' has nothing called '{}'", board.name, core::printable(text, 60)),
      {},
      near.empty()
          ? fmt::format("memsize board show {} lists what it has; an address begins with 0x or a "
                        "digit",
                        core::shell_path(board.asked_as.empty() ? board.name : board.asked_as))
          : near);
}

// --- what a region is ------------------------------------------------------------------------

const board::Bank* bank_at(const board::Board& board, std::uint64_t physical) {
  return core::find_where(board.banks, [&](const board::Bank& bank) {
    return bank.range.contains(core::PhysAddr{physical});
  });
}

std::string memory_at(const board::Board& board, std::uint64_t physical) {
  const board::Bank* bank = bank_at(board, physical);
  return bank == nullptr
             ? "on the bus, outside of every DRAM bank"
             : fmt::format("in DRAM bank '{}' {}", bank->name, core::format_range(bank->range));
}

void add_memory(const MemoryMap& map, const Region& region, Subject& subject) {
  if (!region.physical() || region.physical()->empty()) {
    subject.facts.emplace_back("memory of its own core: nobody else has an address for it");
    return;
  }
  subject.facts.push_back(memory_at(map.board, region.physical_base->value()));
  bool reserved = false;
  for (const Carveout& carveout : map.carveouts) {
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

std::string driver(const board::Knob& knob) {
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

core::Place place_of_value(const board::Board& board, const std::string& name) {
  if (const board::Knob* knob = board.find_knob(name); knob != nullptr) {
    return knob->place;
  }
  for (const auto& [constant, expression] : board.constants) {
    if (constant == name) {
      return expression.place;
    }
  }
  return {};
}

const board::Item* item_of(const board::Board& board, const Region& region) {
  const board::Chain* chain = board.find_chain(region.chain);
  for (std::size_t i = 0; chain != nullptr && i < chain->items.size(); ++i) {
    const board::Item& item = chain->items[i];
    if (!item.is_gap && item.name == region.name && item.cores == region.cores) {
      return &item;
    }
  }
  return nullptr;
}

void add_size(const board::Board& board, const Region& region, Subject& subject) {
  const board::Item* item = item_of(board, region);
  if (item == nullptr) {
    return;
  }
  if (const board::Knob* knob = board.find_knob(region.knob); knob != nullptr) {
    subject.facts.push_back(fmt::format("its size is knob '{}'{}", knob->name, driver(*knob)));
    subject.said.push_back({knob->place, fmt::format("knob '{}'", knob->name)});
    return;
  }
  subject.facts.push_back(fmt::format("its size is \"{}\"", item->size.text));
  for (const std::string& name : board::names_in(item->size)) {
    subject.said.push_back({place_of_value(board, name), fmt::format("{}, in its size", name)});
  }
}

void add_neighbours(const board::Board& board, const Region& region, Subject& subject) {
  const board::Chain* chain = board.find_chain(region.chain);
  const board::Item* item = item_of(board, region);
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

void add_facts(const MemoryMap& map, const Region& region, Subject& subject) {
  add_memory(map, region, subject);
  add_size(map.board, region, subject);
  add_neighbours(map.board, region, subject);
  for (const Region& other : map.regions) {
    if (other.kind == RegionKind::kAlias && other.of == region.name) {
      subject.said.push_back(
          {other.place,
           fmt::format("'{}', its name on {}", other.name, core::join(other.cores, ", "))});
    }
  }
}

void add_named_sights(const CoreHardware& core, const Region& name, std::vector<Sight>& sights) {
  for (Sight& sight : look_at(core, name.virtual_base->value(), name.size.count())) {
    sight.name = name.name;
    if (!name.physical_base) {
      sight.physical = std::nullopt;
    }
    sights.push_back(std::move(sight));
  }
}

// Who has it in its linker map first, then who reaches it all the same. `asked`: the core whose
// sights are told; empty: everybody's.
std::vector<Sight> sights_of(const BoardMemory& memory,
                             const Region& region,
                             const std::string& asked) {
  if (!region.virtual_base || region.size.count() == 0) {
    return {};
  }
  std::vector<Sight> sights;
  std::vector<Sight> unnamed;
  for (const CoreHardware& core : memory.hardware) {
    if (!asked.empty() && core.core != asked) {
      continue;
    }
    for (const Region& name : memory.map.regions) {
      const bool is_it =
          name.kind != RegionKind::kPhysicalName &&
          (&name == &region || (name.of == region.name && region.kind == RegionKind::kRegion));
      if (is_it && name.seen_by(core.core) && name.virtual_base) {
        add_named_sights(core, name, sights);
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
    return std::ranges::any_of(sights, [&](const Sight& known) {
      return known.core == sight.core && known.address <= sight.address &&
             sight.address - known.address < known.size;
    });
  });
  sights.insert(sights.end(), unnamed.begin(), unnamed.end());
  return sights;
}

// The owner; where `region` is another name for it, with a fact that says so.
Subject region_subject(const BoardMemory& memory,
                       const Region& region,
                       const Region& owner,
                       const std::string& asked) {
  Subject subject{.kind = "region",
                  .name = owner.name,
                  .note = owner.note,
                  .cores = owner.cores,
                  .size = owner.size.count()};
  if (owner.virtual_base) {
    subject.address = owner.virtual_base->value();
  }
  if (owner.physical_base) {
    subject.physical = owner.physical_base->value();
  }
  if (owner.cache != chip::Cache::kAny) {
    subject.must_be = chip::name_of(owner.cache);
  }
  if (region.kind == RegionKind::kAlias) {
    subject.facts.push_back(
        fmt::format("{} is what {} calls it", region.name, core::join(region.cores, " and ")));
  } else if (region.kind == RegionKind::kPhysicalName) {
    subject.facts.push_back(
        fmt::format("{} is its address on the bus, for the C header", region.name));
  }
  add_facts(memory.map, owner, subject);
  subject.said.insert(subject.said.begin(),
                      {owner.place, fmt::format("'{}' in chain '{}'", owner.name, owner.chain)});
  subject.sights = sights_of(memory, owner, asked);
  // What is on the chip has the size that it has.
  if (owner.space == board::Space::kDdr || !owner.knob.empty()) {
    Change change{.knob = owner.knob, .region = owner.knob.empty() ? &owner : nullptr};
    subject.growth = grow(memory.map, memory.set, change);
  }
  return subject;
}

// The regions of an answer: each owner once, by whatever name.
class RegionSubjects {
 public:
  // `asked`: the core whose sights are told; empty: everybody's.
  RegionSubjects(const BoardMemory& memory, std::string asked)
      : memory_(memory), asked_(std::move(asked)) {}

  void add(const Region& region) {
    const Region* owner = region.of.empty() ? &region : memory_.map.find_owned(region.of);
    const bool is_known =
        owner != nullptr && std::ranges::any_of(subjects_, [&](const auto& known) {
          return known.name == owner->name && known.cores == owner->cores;
        });
    if (owner != nullptr && !is_known) {
      subjects_.push_back(region_subject(memory_, region, *owner, asked_));
    }
  }

  [[nodiscard]] std::vector<Subject> take() { return std::move(subjects_); }

 private:
  const BoardMemory& memory_;
  std::string asked_;
  std::vector<Subject> subjects_;
};

// --- other subjects --------------------------------------------------------------------------

Subject carveout_subject(const MemoryMap& map, const Carveout& carveout) {
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
  subject.facts.push_back(memory_at(map.board, *subject.physical));
  subject.facts.push_back(fmt::format("it covers {}", core::join(carveout.members, ", ")));
  subject.said.push_back({carveout.place, has_node ? "the carve-out" : "the group"});
  for (const std::string& member : carveout.members) {
    if (const Region* region = map.find_owned(member); region != nullptr) {
      subject.said.push_back({region->place, fmt::format("'{}'", member)});
    }
  }
  return subject;
}

void add_users(const board::Board& board, const std::string& name, Subject& subject) {
  const auto uses = [&](const board::Expression& expression) {
    const auto names = board::names_in(expression);
    return !expression.text.empty() && core::contains(names, name);
  };
  const auto add = [&](const board::Expression& expression, const std::string& what) {
    if (uses(expression)) {
      subject.said.push_back({expression.place, what});
    }
  };
  for (const auto& [constant, expression] : board.constants) {
    add(expression, fmt::format("constant '{}' uses it", constant));
  }
  for (const board::Knob& knob : board.knobs) {
    add(knob.default_value, fmt::format("the default of knob '{}' uses it", knob.name));
  }
  for (const board::Chain& chain : board.chains) {
    add(chain.physical, fmt::format("chain '{}' begins there on the bus", chain.name));
    add(chain.virtual_base, fmt::format("cores see chain '{}' there", chain.name));
    add(chain.limit, fmt::format("chain '{}' ends there", chain.name));
    for (const board::Item& item : chain.items) {
      add(item.size,
          item.is_gap ? fmt::format("a gap in chain '{}' has it in its size", chain.name)
                      : fmt::format("'{}' has it in its size", item.name));
    }
  }
  for (const auto& [base, expression] : board.header_bases) {
    add(expression, fmt::format("macro {} of the C header", base));
  }
}

// Of a knob or a constant: of the size of a region, that region. None where the board has no such
// value.
std::vector<Subject> value_subjects(const BoardMemory& memory,
                                    const std::string& name,
                                    const std::string& asked) {
  const MemoryMap& map = memory.map;
  const board::Knob* knob = map.board.find_knob(name);
  const auto value = map.values.find(name);
  if (value == map.values.end()) {
    return {};
  }
  if (const Region* region = map.find_by_knob(name); region != nullptr) {
    RegionSubjects regions{memory, asked};
    regions.add(*region);
    std::vector<Subject> subjects = regions.take();
    std::vector<std::string>& facts = subjects.back().facts;
    facts.insert(facts.begin(),
                 fmt::format("{} is a knob: it is the size of {}", name, region->name));
    return subjects;
  }
  Subject subject{.kind = knob == nullptr ? "constant" : "knob", .name = name};
  const bool is_address = knob != nullptr && knob->is_address;
  subject.facts.push_back(fmt::format(
      "it is {}{}",
      is_address ? core::format_hex(value->second) : core::format_size(core::Bytes{value->second}),
      knob == nullptr ? "" : driver(*knob)));
  subject.said.push_back({place_of_value(map.board, name), fmt::format("the {}", subject.kind)});
  add_users(map.board, name, subject);
  Change change;
  (knob == nullptr ? change.constant : change.knob) = name;
  subject.growth = grow(map, memory.set, change);
  return {std::move(subject)};
}

Subject chain_or_bank_subject(const MemoryMap& map, const std::string& name) {
  Subject subject{.name = name};
  if (const board::Chain* chain = map.board.find_chain(name); chain != nullptr) {
    subject.kind = "chain";
    subject.said.push_back({chain->place, "the chain"});
    for (const Window& window : map.windows) {
      if (window.chain == name) {
        subject.physical = window.range.base().value();
        subject.size = window.range.size().count();
        subject.facts.push_back(fmt::format("{} of its window are placed, {} kept, {} free",
                                            core::format_size(window.placed),
                                            core::format_size(window.padding),
                                            core::format_size(window.free)));
      }
    }
    for (const Region& region : map.regions) {
      if (region.chain == name && region.kind == RegionKind::kRegion) {
        subject.said.push_back({region.place, fmt::format("'{}'", region.name)});
      }
    }
  }
  for (const board::Bank& bank : map.board.banks) {
    if (bank.name == name) {
      subject.kind = "DRAM bank";
      subject.physical = bank.range.base().value();
      subject.size = bank.range.size().count();
      subject.said.push_back({bank.place, "the bank"});
    }
  }
  return subject;
}

// None where the board has no such name.
std::vector<Subject> subjects_called(const BoardMemory& memory,
                                     const std::string& text,
                                     const std::string& asked) {
  const MemoryMap& map = memory.map;
  const std::string name = name_meant(text, all_names(memory));
  if (name.empty()) {
    return {};
  }
  RegionSubjects regions{memory, asked};
  for (const Region& region : map.regions) {
    if (region.name == name) {
      regions.add(region);
    }
  }
  std::vector<Subject> subjects = regions.take();
  for (const auto* list : {&map.carveouts, &map.groups}) {
    for (const Carveout& each : *list) {
      const bool is_named = each.name == name && subjects.empty();
      if (is_named || each.label == name || each.node == name) {
        subjects.push_back(carveout_subject(map, each));
      }
    }
  }
  if (subjects.empty()) {
    subjects = value_subjects(memory, name, asked);
  }
  if (subjects.empty()) {
    auto entry = subject_of_entries(memory.hardware, name);
    subjects.push_back(entry ? std::move(*entry) : chain_or_bank_subject(map, name));
  }
  return subjects;
}

// --- addresses -------------------------------------------------------------------------------

// The region that is there on the bus; null where there is none.
const Region* owner_at(const MemoryMap& map, std::uint64_t physical) {
  return core::find_where(map.regions, [&](const Region& r) {
    return r.kind == RegionKind::kRegion && r.physical() &&
           r.physical()->contains(core::PhysAddr{physical});
  });
}

std::string owner_of_hole(const MemoryMap& map, std::uint64_t address) {
  for (const Carveout& carveout : map.carveouts) {
    if (carveout.range.contains(core::PhysAddr{address})) {
      return fmt::format("carve-out {} reserves it", carveout.label);
    }
  }
  const std::string memory = memory_at(map.board, address);
  return bank_at(map.board, address) != nullptr ? fmt::format("{}: Linux owns it", memory) : memory;
}

// What there is where no region is.
std::string hole_at(const MemoryMap& map, std::uint64_t address) {
  for (const Gap& gap : map.gaps) {
    if (gap.physical.contains(core::PhysAddr{address})) {
      return fmt::format(
          "in a gap of chain '{}' {}: {}", gap.chain, core::format_range(gap.physical), gap.why);
    }
  }
  const std::string owner = owner_of_hole(map, address);
  if (bank_at(map.board, address) == nullptr) {
    return owner;
  }
  const Region* before = nullptr;
  const Region* behind = nullptr;
  for (const Region& region : map.regions) {
    if (region.kind != RegionKind::kRegion || !region.physical() || region.physical()->empty()) {
      continue;
    }
    const std::uint64_t base = region.physical_base->value();
    if (base <= address && (before == nullptr || *before->physical_base < *region.physical_base)) {
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

// What the core's linker map has there.
const Region* own_at(const MemoryMap& map, const std::string& core, std::uint64_t address) {
  return core::find_where(map.regions, [&](const Region& r) {
    return r.seen_by(core) && r.virtual_range() &&
           r.virtual_range()->contains(core::VirtAddr{address});
  });
}

// An address as one reader sees it, and the region that it is in; null where it is in none.
struct Landing {
  AddressReading reading;
  const Region* region = nullptr;
};

Landing landing_on_bus(const MemoryMap& map, std::uint64_t physical, AddressReading reading) {
  const Region* owner = owner_at(map, physical);
  if (owner == nullptr) {
    reading.where = hole_at(map, physical);
  } else {
    reading.name = owner->name;
    reading.offset = physical - owner->physical_base->value();
  }
  return {std::move(reading), owner};
}

Landing landing_by_core(const MemoryMap& map, const CoreHardware& core, std::uint64_t address) {
  AddressReading reading = reading_of(core, address);
  if (const Region* own = own_at(map, core.core, address); own != nullptr) {
    reading.name = own->name;
    reading.offset = address - own->virtual_base->value();
    if (!own->physical_base) {
      reading.physical = std::nullopt;
    }
    return {std::move(reading), own};
  }
  const auto physical = reading.physical;
  return physical ? landing_on_bus(map, *physical, std::move(reading))
                  : Landing{std::move(reading)};
}

// Of a core that was asked for, an address is read by it alone; who else sees the same memory is
// told all the same.
std::vector<Landing> landings_of(const BoardMemory& memory,
                                 std::uint64_t address,
                                 const std::string& asked) {
  std::vector<Landing> landings;
  if (asked.empty()) {
    landings.push_back(landing_on_bus(memory.map, address, {.physical = address}));
  }
  for (const CoreHardware& core : memory.hardware) {
    if (asked.empty() || core.core == asked) {
      landings.push_back(landing_by_core(memory.map, core, address));
    }
  }
  return landings;
}

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
  const std::string& text = question.text;
  Answer answer{.asked = text,
                .source = fmt::format("board {}: {}", map.board.name, map.board.title)};
  if (!question.core.empty() && map.board.find_core(question.core) == nullptr) {
    return core::fail(unknown_core(map.board, question.core));
  }
  BoardMemory memory{.map = map, .set = set};
  for (const board::Core& core : map.board.cores) {
    memory.hardware.push_back(hardware_of(map, core.name));
  }
  // A name begins with a letter; of an entry without one, its address stands in for it.
  const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!is_number) {
    answer.subjects = subjects_called(memory, text, question.core);
    if (!answer.subjects.empty()) {
      return answer;
    }
  }
  const auto address = address_in(text);
  MEMSIZE_TRY(address);
  if (!*address) {
    return core::fail(unknown_name(memory, text));
  }
  answer.address = **address;
  RegionSubjects regions{memory, ""};
  for (Landing& landing : landings_of(memory, **address, question.core)) {
    if (landing.region != nullptr) {
      regions.add(*landing.region);
    }
    answer.readings.push_back(std::move(landing.reading));
  }
  answer.subjects = regions.take();
  return answer;
}

}  // namespace memsize::layout
