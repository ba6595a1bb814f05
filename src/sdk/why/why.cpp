// Finds the subject of a question in script, header, linker maps and programs, and says who sees it
// how and where it is written. A name may stand for several places: each is a subject of its own.
#include "memsize/sdk/why.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "check/generated.hpp"
#include "grow.hpp"
#include "script/script.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using layout::AddressReading;
using layout::Answer;
using layout::CoreHardware;
using layout::HardwareEntry;
using layout::Question;
using layout::Sight;
using layout::Statement;
using layout::Subject;

// Sizes in scripts are whole megabytes, mostly.
constexpr std::uint64_t kUsualStep = 1ULL << 20;

// A range of a linker map and where it is on the bus.
struct Owned {
  const emit::WrittenRange* range = nullptr;
  const CoreReading* core = nullptr;
  std::optional<std::uint64_t> physical;
  /// Not another core's name for it.
  bool is_owner = true;
  /// Memory that only its own core sees.
  bool is_local = false;
};

// What the cores of a tree make of its addresses.
struct TreeMemory {
  const View& view;
  std::vector<CoreHardware> hardware;
  std::vector<Owned> owned;
};

std::optional<std::uint64_t> led_to(const std::vector<CoreHardware>& builds,
                                    const std::string& core,
                                    std::uint64_t address) {
  const CoreHardware* first = core::find_in(builds, core, &CoreHardware::core);
  return first == nullptr ? std::nullopt : layout::look_at(*first, address, 1).front().physical;
}

TreeMemory memory_of(const View& view) {
  TreeMemory memory{.view = view};
  for (const CoreReading& core : view.reading().cores) {
    auto builds = hardware_of(view, core);
    for (const emit::WrittenRange& range : core.linker) {
      Owned owned{&range, &core, view.physical_of(range.name, range.base, core.name)};
      const layout::Region* known = view.board_region(range.name, core.name);
      owned.is_owner = known == nullptr || known->of.empty();
      owned.is_local = known != nullptr && known->space == board::Space::kCore;
      if (!owned.physical && !owned.is_local) {
        owned.physical = led_to(builds, core.name, range.base);
      }
      memory.owned.push_back(owned);
    }
    std::move(builds.begin(), builds.end(), std::back_inserter(memory.hardware));
  }
  return memory;
}

// --- names -----------------------------------------------------------------------------------

std::vector<std::string> section_names(const TreeMemory& memory) {
  std::vector<std::string> names;
  for (const ScriptSectionPointer& section : memory.view.variant().script->sections) {
    names.push_back(section->name);
  }
  for (const Owned& owned : memory.owned) {
    names.push_back(owned.range->name);
  }
  return names;
}

// The node's name without the address behind it.
std::string bare_name(const emit::WrittenNode& node) {
  return node.name.substr(0, node.name.find('@'));
}

std::vector<std::string> other_names(const TreeMemory& memory) {
  const Script& script = *memory.view.variant().script;
  std::vector<std::string> names = core::texts_of(script.variables, &ScriptVariable::name);
  for (const ScriptSectionPointer& section : script.sections) {
    names.push_back(section->variable);
  }
  for (const emit::WrittenNode& node : memory.view.reading().nodes) {
    names.insert(names.end(), {node.label, node.name, bare_name(node)});
  }
  const std::vector<std::string> entries = layout::entry_names(memory.hardware);
  names.insert(names.end(), entries.begin(), entries.end());
  for (const auto& [macro, value] : memory.view.reading().macros) {
    names.push_back(macro);
  }
  std::erase(names, std::string{});
  return names;
}

core::Diagnostic unknown_core(const Reading& reading,
                              const std::string& source,
                              const std::string& core) {
  const std::vector<std::string> names = core::texts_of(reading.cores, &CoreReading::name);
  return core::error(Code::kUsage,
                     fmt::format("{} has no core '{}'", source, core::printable(core, 40)),
                     {},
                     fmt::format("its cores: {}", core::join(names, ", ")));
}

core::Diagnostic unknown_name(const TreeMemory& memory,
                              const std::string& source,
                              const std::string& text) {
  std::vector<std::string> all = section_names(memory);
  const std::vector<std::string> others = other_names(memory);
  all.insert(all.end(), others.begin(), others.end());
  const std::string near = core::did_you_mean(text, all);
  return core::error(
      Code::kSdkName,
      fmt::format("no file of {} has '{}'", source, core::printable(text, 60)),
      {memory.view.variant().script->path},
      near.empty() ? "the script names the regions; an address begins with 0x or a digit" : near);
}

// --- what the files say of a region ----------------------------------------------------------

std::uint64_t step_of(const View& view, const ScriptSection& section) {
  const layout::MemoryMap* board = view.board();
  const layout::Region* known = view.board_region(section.name, "");
  const board::Knob* knob =
      board != nullptr && known != nullptr ? board->board.find_knob(known->knob) : nullptr;
  return knob == nullptr ? kUsualStep : knob->granule.value();
}

// Everybody knows what a megabyte is, and none has other ones.
bool is_size_unit(const std::string& name) {
  return name == "KB" || name == "MB" || name == "GB";
}

void add_assignment(const View& view, const std::string& name, Subject& subject) {
  const ScriptVariable* variable = find_variable(*view.variant().script, name);
  if (variable != nullptr && !is_size_unit(name)) {
    const ScriptAssignment& last = variable->assignments.back();
    subject.said.push_back(
        {place_in_script(view.variant(), last.name_place),
         fmt::format("{} = {}", name, core::printable(last.expression.text, 60))});
  }
}

void add_script(const View& view, const ScriptSection& section, Subject& subject) {
  subject.said.push_back({place_in_script(view.variant(), section.place), "the script makes it"});
  if (!section.concat.empty()) {
    subject.facts.push_back(fmt::format("it is the hull of {}", core::join(section.concat, ", ")));
    return;
  }
  subject.facts.push_back(fmt::format("the script: address {}, size {}",
                                      core::printable(section.origin_argument.text, 80),
                                      core::printable(section.length_argument.text, 80)));
  for (const ScriptExpression* argument : {&section.origin_argument, &section.length_argument}) {
    for (const std::string& name : argument->uses) {
      add_assignment(view, name, subject);
    }
  }
}

void add_range(const View& view,
               const Owned& owned,
               const ScriptSection* section,
               Subject& subject) {
  const emit::WrittenRange& range = *owned.range;
  subject.cores.push_back(owned.core->name);
  subject.size = subject.size.value_or(range.size);
  subject.address = subject.address.value_or(range.base);
  if (!subject.physical) {
    subject.physical = owned.physical;
  }
  const layout::Region* known = view.board_region(range.name, owned.core->name);
  if (known != nullptr && known->cache != chip::Cache::kAny) {
    subject.must_be = chip::name_of(known->cache);
  }
  subject.said.push_back({range.place, "linker map"});
  for (const OutputSection& placed : owned.core->sections) {
    for (const SectionRegion& region : placed.regions) {
      if (region.name == range.name) {
        subject.said.push_back(
            {region.place, fmt::format("section {}", core::printable(placed.name, 60))});
      }
    }
  }
  if (section != nullptr && (range.base != section->origin || range.size != section->length)) {
    subject.disagreements.push_back(fmt::format("the script makes {}, the linker map of {} has {}",
                                                emit::range_text(section->origin, section->length),
                                                owned.core->name,
                                                emit::range_text(range.base, range.size)));
  }
}

void add_macros_of(const Reading& reading, Subject& subject) {
  for (const auto& [ending, told] :
       {std::pair{"_ADDR", subject.address}, std::pair{"_SIZE", subject.size}}) {
    const auto macro = reading.macros.find(subject.name + ending);
    if (macro == reading.macros.end()) {
      continue;
    }
    subject.said.push_back({macro->second.place, macro->first});
    if (told && *told != macro->second.value) {
      subject.disagreements.push_back(fmt::format("the C header has {} = {}, not {}",
                                                  macro->first,
                                                  core::format_hex(macro->second.value),
                                                  core::format_hex(*told)));
    }
  }
  const auto physical = reading.macros.find(subject.name + "_PHYS_ADDR");
  if (physical != reading.macros.end()) {
    subject.said.push_back({physical->second.place, physical->first});
  }
}

std::vector<const emit::WrittenNode*> nodes_over(const Reading& reading,
                                                 std::uint64_t base,
                                                 std::uint64_t size) {
  std::vector<const emit::WrittenNode*> nodes;
  for (const emit::WrittenNode& node : reading.nodes) {
    const bool over = node.base <= base ? base - node.base < node.size : node.base - base < size;
    if (over && node.is_reserved()) {
      nodes.push_back(&node);
    }
  }
  return nodes;
}

std::string called(const emit::WrittenNode& node) {
  return core::printable(node.label.empty() ? node.name : node.label, 80);
}

void add_node_over(const View& view, Subject& subject) {
  if (!subject.physical || !subject.size || view.reading().nodes.empty()) {
    return;
  }
  const auto nodes = nodes_over(view.reading(), *subject.physical, *subject.size);
  for (const emit::WrittenNode* node : nodes) {
    subject.facts.push_back(fmt::format("Linux leaves it alone: node {}", called(*node)));
    subject.said.push_back(
        {node->place,
         fmt::format("node {} {}", called(*node), emit::range_text(node->base, node->size))});
  }
  if (nodes.empty() && view.in_dram(*subject.physical)) {
    subject.facts.emplace_back("Linux owns it: no node reserves it");
  }
}

// --- regions ---------------------------------------------------------------------------------

// The linker maps' ranges that are the section's: by place where several have the name.
std::vector<const Owned*> ranges_of(const std::vector<Owned>& owned_ranges,
                                    const std::string& name,
                                    const ScriptSection* section,
                                    std::size_t twins) {
  std::vector<const Owned*> ranges;
  for (const Owned& owned : owned_ranges) {
    const bool is_it =
        section == nullptr || twins == 1 ||
        (owned.range->base == section->origin && owned.range->size == section->length);
    if (owned.range->name == name && is_it) {
      ranges.push_back(&owned);
    }
  }
  return ranges;
}

// Those of `names`, which are the linker maps' ranges of the subject, and of other names that lead
// to the same place first, then who reaches it all the same. `core`: whose sights are told; empty:
// everybody's.
std::vector<Sight> sights_of(const TreeMemory& memory,
                             std::vector<const Owned*> names,
                             const Subject& subject,
                             const std::string& core) {
  for (const Owned& owned : memory.owned) {
    if (owned.range->name != subject.name && subject.physical &&
        owned.physical == subject.physical && subject.size == owned.range->size) {
      names.push_back(&owned);
    }
  }
  std::vector<Sight> sights;
  std::vector<Sight> unnamed;
  for (const CoreHardware& build : memory.hardware) {
    if (!core.empty() && build.core != core) {
      continue;
    }
    for (const Owned* owned : names) {
      if (owned->core->name != build.core) {
        continue;
      }
      for (Sight& sight : layout::look_at(build, owned->range->base, owned->range->size)) {
        sight.name = owned->range->name;
        if (!owned->physical && owned->is_local) {
          sight.physical = std::nullopt;
        }
        sights.push_back(std::move(sight));
      }
    }
    if (subject.physical && subject.size && (build.has_mmu || build.has_mpu)) {
      auto found = layout::look_for(build, *subject.physical, *subject.size);
      std::move(found.begin(), found.end(), std::back_inserter(unnamed));
    }
  }
  std::erase_if(unnamed, [&](const Sight& sight) {
    return std::ranges::any_of(sights, [&](const Sight& known) {
      return known.core == sight.core && known.build == sight.build &&
             known.address <= sight.address && sight.address - known.address < known.size;
    });
  });
  sights.insert(sights.end(), unnamed.begin(), unnamed.end());
  return sights;
}

// `twins`: how many sections have the name. `core`: whose sights are told; empty: everybody's.
Subject region_subject(const TreeMemory& memory,
                       const std::string& name,
                       const ScriptSection* section,
                       std::size_t twins,
                       const std::string& core) {
  const View& view = memory.view;
  Subject subject{.kind = "region", .name = name};
  if (section != nullptr) {
    subject.note = section->comment == name ? "" : section->comment;
    subject.address = section->origin;
    subject.size = section->length;
    add_script(view, *section, subject);
  } else {
    subject.disagreements.push_back(
        fmt::format("linker maps have '{}', but the script does not", name));
  }
  const std::vector<const Owned*> ranges = ranges_of(memory.owned, name, section, twins);
  for (const Owned* owned : ranges) {
    add_range(view, *owned, section, subject);
  }
  // What no core has in its linker map is there for Linux, or for the header.
  const bool on_bus =
      section != nullptr && ranges.empty() &&
      (name.ends_with("_PHYS") || !section->dts_label.empty() || !section->concat.empty());
  if (on_bus) {
    subject.physical = section->origin;
  }
  add_macros_of(view.reading(), subject);
  add_node_over(view, subject);
  subject.sights = sights_of(memory, ranges, subject, core);
  // What is on the chip has the size that it has.
  const layout::Region* known = view.board_region(name, "");
  const bool is_fixed = known != nullptr && known->space != board::Space::kDdr;
  if (known != nullptr && !known->of.empty()) {
    subject.facts.insert(subject.facts.begin(),
                         fmt::format("it is another name for {}", known->of));
  }
  if (section != nullptr && section->concat.empty() && section->length != 0 && !is_fixed) {
    const SizeSource source = size_source(*view.variant().script, *section);
    subject.growth = grow(view, source, step_of(view, *section));
  }
  return subject;
}

// The sections of that name, each place once: memories that only one core sees share names.
std::vector<const ScriptSection*> places_of(const Script& script, const std::string& name) {
  std::vector<const ScriptSection*> places;
  for (const ScriptSectionPointer& section : script.sections) {
    const bool told = std::ranges::any_of(places, [&](const auto* known) {
      return known->origin == section->origin && known->length == section->length;
    });
    if (section->name == name && !told) {
      places.push_back(section.get());
    }
  }
  return places;
}

// The regions of an answer: each place once, whoever leads to it.
class RegionSubjects {
 public:
  // `core`: whose sights are told; empty: everybody's.
  RegionSubjects(const TreeMemory& memory, std::string core)
      : memory_(memory), script_(*memory.view.variant().script), core_(std::move(core)) {}

  // One subject for each place that the name has.
  void add_all(const std::string& name) {
    const auto places = places_of(script_, name);
    for (const ScriptSection* section : places) {
      add_region(name, section, places.size());
    }
    if (places.empty()) {
      add_region(name, nullptr, 1);
    }
  }

  // Of another core's name for it, the owner's.
  void add_of(const Owned& owned) {
    const Owned* owner = core::find_where(memory_.owned, [&](const Owned& each) {
      return each.is_owner && each.physical && each.physical == owned.physical &&
             each.range->size == owned.range->size;
    });
    const emit::WrittenRange& range =
        owned.is_owner || owner == nullptr ? *owned.range : *owner->range;
    const auto places = places_of(script_, range.name);
    if (const auto* there = core::find_in(places, range.base, &ScriptSection::origin)) {
      add_region(range.name, *there, places.size());
    } else {
      add_all(range.name);
    }
  }

  [[nodiscard]] std::vector<Subject> take() { return std::move(subjects_); }

 private:
  void add_region(const std::string& name, const ScriptSection* section, std::size_t twins) {
    const bool told = std::ranges::any_of(subjects_, [&](const Subject& known) {
      return known.kind == "region" && known.name == name &&
             (section == nullptr || known.address == section->origin);
    });
    if (!told) {
      subjects_.push_back(region_subject(memory_, name, section, twins, core_));
    }
  }

  const TreeMemory& memory_;
  const Script& script_;
  std::string core_;
  std::vector<Subject> subjects_;
};

std::vector<Subject> regions_called(const TreeMemory& memory,
                                    const std::string& name,
                                    const std::string& core) {
  RegionSubjects regions{memory, core};
  regions.add_all(name);
  return regions.take();
}

// --- what is no region -----------------------------------------------------------------------

void add_users_of(const View& view, const std::string& name, Subject& subject) {
  const auto uses = [&](const ScriptExpression& expression) {
    return core::contains(expression.uses, name);
  };
  for (const ScriptVariable& variable : view.variant().script->variables) {
    if (uses(variable.assignments.back().expression)) {
      add_assignment(view, variable.name, subject);
    }
  }
  for (const ScriptSectionPointer& section : view.variant().script->sections) {
    const bool address = uses(section->origin_argument);
    if (address || uses(section->length_argument)) {
      subject.said.push_back(
          {place_in_script(view.variant(), section->place),
           fmt::format("the {} of '{}'", address ? "address" : "size", section->name)});
    }
  }
}

// The sections whose size is the variable and nothing else, each name once.
std::vector<const ScriptSection*> sized_by(const Script& script, const std::string& variable) {
  std::vector<const ScriptSection*> sized;
  for (const ScriptSectionPointer& section : script.sections) {
    const std::string_view argument = core::trim(section->length_argument.text);
    const bool is_size = argument == variable && section->concat.empty();
    const bool known = core::contains(sized, section->name, &ScriptSection::name);
    if (is_size && !known && !section->name.ends_with("_PHYS")) {
      sized.push_back(section.get());
    }
  }
  return sized;
}

Subject variable_subject(const View& view, const ScriptVariable& variable) {
  Subject subject{.kind = "variable", .name = variable.name};
  const auto* value = std::get_if<Integer>(&variable.value());
  const bool is_number = value != nullptr && *value >= 0 && *value <= UINT64_MAX;
  if (is_number) {
    const auto number = static_cast<std::uint64_t>(*value);
    subject.facts.push_back(fmt::format(
        "it is {}, {}", core::format_hex(number), core::format_size(core::Bytes{number})));
  } else if (const auto* text = std::get_if<std::string>(&variable.value()); text != nullptr) {
    subject.facts.push_back(fmt::format("it is \"{}\"", core::printable(*text, 60)));
  }
  add_assignment(view, variable.name, subject);
  add_users_of(view, variable.name, subject);
  if (is_number && !is_size_unit(variable.name)) {
    const SizeSource source{variable.name, variable.assignments.back().expression, nullptr};
    subject.growth = grow(view, source, kUsualStep);
  }
  return subject;
}

// Of the size of one section, that section.
std::vector<Subject> subjects_of(const TreeMemory& memory,
                                 const ScriptVariable& variable,
                                 const std::string& core) {
  const auto sized = sized_by(*memory.view.variant().script, variable.name);
  if (sized.size() != 1) {
    return {variable_subject(memory.view, variable)};
  }
  const std::string& section = sized.front()->name;
  std::vector<Subject> subjects = regions_called(memory, section, core);
  std::vector<std::string>& facts = subjects.back().facts;
  facts.insert(
      facts.begin(),
      fmt::format("{} is a variable of the script: the size of {}", variable.name, section));
  return subjects;
}

std::optional<Subject> node_subject(const TreeMemory& memory, const std::string& name) {
  const View& view = memory.view;
  const auto* node = core::find_where(view.reading().nodes, [&](const emit::WrittenNode& each) {
    return each.label == name || each.name == name || bare_name(each) == name;
  });
  if (node == nullptr) {
    return std::nullopt;
  }
  Subject subject{
      .kind = "node", .name = called(*node), .physical = node->base, .size = node->size};
  subject.facts.push_back(
      node->is_disabled ? "Linux passes over it, which is disabled: it reserves nothing"
      : node->is_reusable
          ? "Linux uses it, too: it is reusable"
          : fmt::format("Linux reserves it{}", node->no_map ? ", and does not map it" : ""));
  subject.said.push_back({node->place, "the node"});
  for (const ScriptSectionPointer& section : view.variant().script->sections) {
    if (section->dts_label == node->label) {
      subject.said.push_back({place_in_script(view.variant(), section->place),
                              fmt::format("the script makes it from '{}'", section->name)});
    }
  }
  std::set<std::string> told;
  for (const Owned& owned : memory.owned) {
    const bool inside = owned.physical && *owned.physical >= node->base &&
                        *owned.physical - node->base < node->size;
    if (inside && owned.is_owner && told.insert(owned.range->name).second) {
      subject.said.push_back({owned.range->place, fmt::format("'{}' is in it", owned.range->name)});
    }
  }
  return subject;
}

std::optional<Subject> macro_subject(const Reading& reading, const std::string& name) {
  const emit::WrittenMacro* macro = core::value_in(reading.macros, name);
  if (macro == nullptr) {
    return std::nullopt;
  }
  return Subject{.kind = "macro",
                 .name = name,
                 .facts = {fmt::format("it is {}", core::format_hex(macro->value))},
                 .said = {{macro->place, "the macro"}}};
}

// None where no file has such a name.
std::vector<Subject> subjects_called(const TreeMemory& memory,
                                     const std::string& text,
                                     const std::string& core) {
  const Script& script = *memory.view.variant().script;
  const std::vector<std::string> sections = section_names(memory);
  const std::vector<std::string> others = other_names(memory);
  // "code_size" is that variable, not the macro of a section "CODE".
  const bool is_other = !core::contains(sections, text) && core::contains(others, text) &&
                        !memory.view.reading().macros.contains(text);
  const std::string region = is_other ? "" : layout::name_meant(text, sections);
  if (!region.empty()) {
    return regions_called(memory, region, core);
  }
  const std::string name = layout::name_meant(text, others);
  if (name.empty()) {
    return {};
  }
  for (const ScriptSectionPointer& section : script.sections) {
    if (section->variable == name) {
      std::vector<Subject> subjects = regions_called(memory, section->name, core);
      if (auto node = node_subject(memory, name)) {
        subjects.push_back(std::move(*node));
      }
      return subjects;
    }
  }
  if (const ScriptVariable* variable = find_variable(script, name); variable != nullptr) {
    return subjects_of(memory, *variable, core);
  }
  auto subject = layout::subject_of_entries(memory.hardware, name);
  if (!subject) {
    subject = node_subject(memory, name);
  }
  if (!subject) {
    subject = macro_subject(memory.view.reading(), name);
  }
  return subject ? std::vector<Subject>{std::move(*subject)} : std::vector<Subject>{};
}

// --- addresses -------------------------------------------------------------------------------

// The range of a linker map that is there on the bus; null where there is none.
const Owned* owned_at(const std::vector<Owned>& ranges, std::uint64_t physical) {
  const Owned* best = nullptr;
  for (const Owned& owned : ranges) {
    const bool there = owned.physical && !owned.is_local && physical >= *owned.physical &&
                       physical - *owned.physical < owned.range->size;
    if (there && (best == nullptr || (owned.is_owner && !best->is_owner))) {
      best = &owned;
    }
  }
  return best;
}

std::string neighbours_of(const std::vector<Owned>& ranges, std::uint64_t physical) {
  const Owned* before = nullptr;
  const Owned* behind = nullptr;
  for (const Owned& owned : ranges) {
    if (!owned.physical || owned.range->size == 0 || owned.is_local) {
      continue;
    }
    if (*owned.physical <= physical && (before == nullptr || *before->physical < *owned.physical)) {
      before = &owned;
    }
    if (*owned.physical > physical && (behind == nullptr || *owned.physical < *behind->physical)) {
      behind = &owned;
    }
  }
  if (before != nullptr && behind != nullptr) {
    return fmt::format(": between {} and {}", before->range->name, behind->range->name);
  }
  if (before != nullptr) {
    return fmt::format(": behind {}, the last", before->range->name);
  }
  return behind == nullptr ? "" : fmt::format(": before {}, the first", behind->range->name);
}

// What there is where no range of a linker map is.
std::string hole_at(const TreeMemory& memory, std::uint64_t physical) {
  const View& view = memory.view;
  if (view.board() != nullptr && !view.in_dram(physical)) {
    return "in no linker map, and outside of every DRAM bank";
  }
  const std::string text = "in no linker map" + neighbours_of(memory.owned, physical);
  const auto nodes = nodes_over(view.reading(), physical, 1);
  if (!nodes.empty()) {
    return text + fmt::format("; node {} reserves it", called(*nodes.front()));
  }
  return text + (view.board() == nullptr ? "; no node reserves it"
                                         : "; no node reserves it: Linux owns it");
}

// An address as one reader sees it, and the range that it is in; null where it is in none.
struct Landing {
  AddressReading reading;
  const Owned* owned = nullptr;
};

Landing landing_on_bus(const TreeMemory& memory, std::uint64_t physical, AddressReading reading) {
  const Owned* owned = owned_at(memory.owned, physical);
  if (owned == nullptr) {
    reading.where = hole_at(memory, physical);
  } else {
    reading.name = owned->range->name;
    reading.offset = physical - *owned->physical;
  }
  return {std::move(reading), owned};
}

Landing landing_by_core(const TreeMemory& memory, const CoreHardware& core, std::uint64_t address) {
  AddressReading reading = layout::reading_of(core, address);
  const Owned* own = core::find_where(memory.owned, [&](const Owned& owned) {
    return owned.core->name == core.core && address >= owned.range->base &&
           address - owned.range->base < owned.range->size;
  });
  if (own != nullptr) {
    reading.name = own->range->name;
    reading.offset = address - own->range->base;
    if (own->is_local) {
      reading.physical = std::nullopt;
    }
    return {std::move(reading), own};
  }
  const auto physical = reading.physical;
  return physical ? landing_on_bus(memory, *physical, std::move(reading))
                  : Landing{std::move(reading)};
}

// Of a core that was asked for, an address is read by it alone; who else sees the same memory is
// told all the same.
std::vector<Landing> landings_of(const TreeMemory& memory,
                                 std::uint64_t address,
                                 const std::string& core) {
  std::vector<Landing> landings;
  if (core.empty()) {
    landings.push_back(landing_on_bus(memory, address, {.physical = address}));
  }
  for (const CoreHardware& build : memory.hardware) {
    if (core.empty() || build.core == core) {
      landings.push_back(landing_by_core(memory, build, address));
    }
  }
  return landings;
}

}  // namespace

core::Result<Answer> answer(const View& view, const Question& question) {
  const std::string& text = question.text;
  Answer answer{.asked = text,
                .source = fmt::format("{} {}", view.sources().platform.soc, view.variant().os),
                .root = view.sources().platform.folder};
  if (!question.core.empty() && view.reading().find(question.core) == nullptr) {
    return core::fail(unknown_core(view.reading(), answer.source, question.core));
  }
  const TreeMemory memory = memory_of(view);
  // A name begins with a letter; of an entry without one, its address stands in for it.
  const bool is_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!is_number) {
    answer.subjects = subjects_called(memory, text, question.core);
    if (!answer.subjects.empty()) {
      return answer;
    }
  }
  const auto address = layout::address_in(text);
  MEMSIZE_TRY(address);
  if (!*address) {
    return core::fail(unknown_name(memory, answer.source, text));
  }
  answer.address = **address;
  RegionSubjects regions{memory, ""};
  for (Landing& landing : landings_of(memory, **address, question.core)) {
    if (landing.owned != nullptr) {
      regions.add_of(*landing.owned);
    }
    answer.readings.push_back(std::move(landing.reading));
  }
  answer.subjects = regions.take();
  return answer;
}

}  // namespace memsize::sdk
