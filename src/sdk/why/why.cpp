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

class TreeAnswerer {
 public:
  TreeAnswerer(const View& view, const Question& question)
      : view_(view),
        script_(*view.variant().script),
        reading_(view.reading()),
        question_(question) {}

  core::Result<Answer> run() {
    answer_.asked = question_.text;
    answer_.source = fmt::format("{} {}", view_.sources().platform.soc, view_.variant().os);
    answer_.root = view_.sources().platform.folder;
    if (!question_.core.empty() && reading_.find(question_.core) == nullptr) {
      return core::fail(unknown_core());
    }
    for (const CoreReading& core : reading_.cores) {
      auto builds = hardware_of(view_, core);
      std::move(builds.begin(), builds.end(), std::back_inserter(hardware_));
    }
    find_owners();
    // A name begins with a letter; of an entry without one, its address stands in for it.
    const bool is_number =
        !question_.text.empty() && question_.text[0] >= '0' && question_.text[0] <= '9';
    if (!is_number && add_named()) {
      return std::move(answer_);
    }
    const auto address = layout::address_in(question_.text);
    MEMSIZE_TRY(address);
    if (!*address) {
      return core::fail(unknown_name());
    }
    answer_.address = **address;
    read_address(**address);
    return std::move(answer_);
  }

 private:
  // A range of a linker map and where it is on the bus.
  struct Owned {
    const emit::WrittenRange* range = nullptr;
    const CoreReading* core = nullptr;
    std::optional<std::uint64_t> physical;
    /// Not another core's name for it.
    bool is_owner = true;
  };

  // Of a core that was asked for, an address is read by it alone; who else sees the same memory is
  // told all the same.
  [[nodiscard]] bool is_asked(const std::string& core) const {
    return question_.core.empty() || question_.core == core;
  }

  core::Diagnostic unknown_core() const {
    const std::vector<std::string> names = core::texts_of(reading_.cores, &CoreReading::name);
    return core::error(
        Code::kUsage,
        fmt::format("{} has no core '{}'", answer_.source, core::printable(question_.core, 40)),
        {},
        fmt::format("its cores: {}", core::join(names, ", ")));
  }

  core::Diagnostic unknown_name() const {
    const std::string near = core::did_you_mean(question_.text, all_names());
    return core::error(
        Code::kSdkName,
        fmt::format("no file of {} has '{}'", answer_.source, core::printable(question_.text, 60)),
        {script_.path},
        near.empty() ? "the script names the regions; an address begins with 0x or a digit" : near);
  }

  // --- names ---------------------------------------------------------------------------------

  [[nodiscard]] std::vector<std::string> section_names() const {
    std::vector<std::string> names;
    for (const ScriptSectionPointer& section : script_.sections) {
      names.push_back(section->name);
    }
    for (const CoreReading& core : reading_.cores) {
      for (const emit::WrittenRange& range : core.linker) {
        names.push_back(range.name);
      }
    }
    return names;
  }

  [[nodiscard]] std::vector<std::string> other_names() const {
    std::vector<std::string> names = core::texts_of(script_.variables, &ScriptVariable::name);
    for (const ScriptSectionPointer& section : script_.sections) {
      names.push_back(section->variable);
    }
    for (const emit::WrittenNode& node : reading_.nodes) {
      names.insert(names.end(), {node.label, node.name, node.name.substr(0, node.name.find('@'))});
    }
    const std::vector<std::string> entries = layout::entry_names(hardware_);
    names.insert(names.end(), entries.begin(), entries.end());
    for (const auto& [macro, value] : reading_.macros) {
      names.push_back(macro);
    }
    std::erase(names, std::string{});
    return names;
  }

  [[nodiscard]] std::vector<std::string> all_names() const {
    std::vector<std::string> all = section_names();
    const std::vector<std::string> others = other_names();
    all.insert(all.end(), others.begin(), others.end());
    return all;
  }

  // False where no file has such a name.
  bool add_named() {
    const std::vector<std::string> sections = section_names();
    const std::vector<std::string> others = other_names();
    // "code_size" is that variable, not the macro of a section "CODE".
    const bool is_other = !core::contains(sections, question_.text) &&
                          core::contains(others, question_.text) &&
                          !reading_.macros.contains(question_.text);
    std::string name = is_other ? "" : layout::name_meant(question_.text, sections);
    if (!name.empty()) {
      add_regions(name);
      return true;
    }
    name = layout::name_meant(question_.text, others);
    if (name.empty()) {
      return false;
    }
    for (const ScriptSectionPointer& section : script_.sections) {
      if (section->variable == name) {
        add_regions(section->name);
        add_node(name);
        return true;
      }
    }
    if (const ScriptVariable* variable = find_variable(script_, name); variable != nullptr) {
      add_variable(*variable);
    } else if (auto entry = layout::subject_of_entries(hardware_, name); entry) {
      answer_.subjects.push_back(std::move(*entry));
    } else if (!add_node(name)) {
      add_macro(name);
    }
    return true;
  }

  // --- regions -------------------------------------------------------------------------------

  // One subject for each place that the name has: memories that only one core sees share names.
  void add_regions(const std::string& name) {
    std::vector<const ScriptSection*> sections;
    for (const ScriptSectionPointer& section : script_.sections) {
      const bool told = std::ranges::any_of(sections, [&](const auto* known) {
        return known->origin == section->origin && known->length == section->length;
      });
      if (section->name == name && !told) {
        sections.push_back(section.get());
      }
    }
    for (const ScriptSection* section : sections) {
      add_region(name, section, sections.size());
    }
    if (sections.empty()) {
      add_region(name, nullptr, 1);
    }
  }

  // `twins`: how many sections have the name.
  void add_region(const std::string& name, const ScriptSection* section, std::size_t twins) {
    const bool told = std::ranges::any_of(answer_.subjects, [&](const Subject& known) {
      return known.kind == "region" && known.name == name &&
             (section == nullptr || known.address == section->origin);
    });
    if (told) {
      return;
    }
    Subject subject{.kind = "region", .name = name};
    if (section != nullptr) {
      subject.note = section->comment == name ? "" : section->comment;
      subject.address = section->origin;
      subject.size = section->length;
      add_script(*section, subject);
    } else {
      subject.disagreements.push_back(
          fmt::format("linker maps have '{}', but the script does not", name));
    }
    std::vector<const Owned*> ranges = ranges_of(name, section, twins);
    for (const Owned* owned : ranges) {
      add_range(*owned, section, subject);
    }
    // What no core has in its linker map is there for Linux, or for the header.
    const bool on_bus =
        section != nullptr && ranges.empty() &&
        (name.ends_with("_PHYS") || !section->dts_label.empty() || !section->concat.empty());
    if (on_bus) {
      subject.physical = section->origin;
    }
    add_macros(name, subject);
    add_node_over(subject);
    add_sights(name, ranges, subject);
    // What is on the chip has the size that it has.
    const layout::Region* known = view_.board_region(name, "");
    const bool is_fixed = known != nullptr && known->space != board::Space::kDdr;
    if (known != nullptr && !known->of.empty()) {
      subject.facts.insert(subject.facts.begin(),
                           fmt::format("it is another name for {}", known->of));
    }
    if (section != nullptr && section->concat.empty() && section->length != 0 && !is_fixed) {
      const SizeSource source = size_source(script_, *section);
      subject.growth = grow(view_, source, step_of(*section));
    }
    answer_.subjects.push_back(std::move(subject));
  }

  // The linker maps' ranges that are the section's: by place where several have the name.
  [[nodiscard]] std::vector<const Owned*> ranges_of(const std::string& name,
                                                    const ScriptSection* section,
                                                    std::size_t twins) const {
    std::vector<const Owned*> ranges;
    for (const Owned& owned : owned_) {
      const bool is_it =
          section == nullptr || twins == 1 ||
          (owned.range->base == section->origin && owned.range->size == section->length);
      if (owned.range->name == name && is_it) {
        ranges.push_back(&owned);
      }
    }
    return ranges;
  }

  [[nodiscard]] std::uint64_t step_of(const ScriptSection& section) const {
    const layout::MemoryMap* board = view_.board();
    const layout::Region* known = view_.board_region(section.name, "");
    const board::Knob* knob =
        board != nullptr && known != nullptr ? board->board.find_knob(known->knob) : nullptr;
    return knob == nullptr ? kUsualStep : knob->granule.value();
  }

  void add_script(const ScriptSection& section, Subject& subject) const {
    subject.said.push_back(
        {place_in_script(view_.variant(), section.place), "the script makes it"});
    if (!section.concat.empty()) {
      subject.facts.push_back(
          fmt::format("it is the hull of {}", core::join(section.concat, ", ")));
      return;
    }
    const auto words = [](const ScriptExpression& expression) {
      return core::printable(expression.text, 80);
    };
    subject.facts.push_back(fmt::format("the script: address {}, size {}",
                                        words(section.origin_argument),
                                        words(section.length_argument)));
    for (const ScriptExpression* argument : {&section.origin_argument, &section.length_argument}) {
      for (const std::string& name : argument->uses) {
        add_assignment(name, subject);
      }
    }
  }

  // Everybody knows what a megabyte is, and none has other ones.
  static bool is_unit(const std::string& name) {
    return name == "KB" || name == "MB" || name == "GB";
  }

  void add_assignment(const std::string& name, Subject& subject) const {
    const ScriptVariable* variable = find_variable(script_, name);
    if (variable != nullptr && !is_unit(name)) {
      const ScriptAssignment& last = variable->assignments.back();
      subject.said.push_back(
          {place_in_script(view_.variant(), last.name_place),
           fmt::format("{} = {}", name, core::printable(last.expression.text, 60))});
    }
  }

  void add_range(const Owned& owned, const ScriptSection* section, Subject& subject) const {
    const emit::WrittenRange& range = *owned.range;
    subject.cores.push_back(owned.core->name);
    subject.size = subject.size.value_or(range.size);
    subject.address = subject.address.value_or(range.base);
    if (!subject.physical) {
      subject.physical = owned.physical;
    }
    const layout::Region* known = view_.board_region(range.name, owned.core->name);
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
      subject.disagreements.push_back(
          fmt::format("the script makes {}, the linker map of {} has {}",
                      emit::range_text(section->origin, section->length),
                      owned.core->name,
                      emit::range_text(range.base, range.size)));
    }
  }

  void add_macros(const std::string& name, Subject& subject) const {
    for (const auto& [ending, told] :
         {std::pair{"_ADDR", subject.address}, std::pair{"_SIZE", subject.size}}) {
      const auto macro = reading_.macros.find(name + ending);
      if (macro == reading_.macros.end()) {
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
    const auto physical = reading_.macros.find(name + "_PHYS_ADDR");
    if (physical != reading_.macros.end()) {
      subject.said.push_back({physical->second.place, physical->first});
    }
  }

  [[nodiscard]] std::vector<const emit::WrittenNode*> nodes_over(std::uint64_t base,
                                                                 std::uint64_t size) const {
    std::vector<const emit::WrittenNode*> nodes;
    for (const emit::WrittenNode& node : reading_.nodes) {
      const bool over = node.base <= base ? base - node.base < node.size : node.base - base < size;
      if (over && node.is_reserved()) {
        nodes.push_back(&node);
      }
    }
    return nodes;
  }

  void add_node_over(Subject& subject) const {
    if (!subject.physical || !subject.size || reading_.nodes.empty()) {
      return;
    }
    const auto nodes = nodes_over(*subject.physical, *subject.size);
    for (const emit::WrittenNode* node : nodes) {
      subject.facts.push_back(fmt::format("Linux leaves it alone: node {}", called(*node)));
      subject.said.push_back(
          {node->place,
           fmt::format("node {} {}", called(*node), emit::range_text(node->base, node->size))});
    }
    if (nodes.empty() && view_.in_dram(*subject.physical)) {
      subject.facts.emplace_back("Linux owns it: no node reserves it");
    }
  }

  static std::string called(const emit::WrittenNode& node) {
    return core::printable(node.label.empty() ? node.name : node.label, 80);
  }

  // In the linker maps first, then who reaches it all the same.
  void add_sights(const std::string& name,
                  const std::vector<const Owned*>& ranges,
                  Subject& subject) const {
    std::vector<Sight> unnamed;
    for (const CoreHardware& core : hardware_) {
      if (!answer_.address && !is_asked(core.core)) {
        continue;
      }
      for (const Owned* owned : names_of_same(name, ranges, subject)) {
        if (owned->core->name != core.core) {
          continue;
        }
        for (Sight& sight : layout::look_at(core, owned->range->base, owned->range->size)) {
          sight.name = owned->range->name;
          if (!owned->physical && is_local(*owned)) {
            sight.physical = std::nullopt;
          }
          subject.sights.push_back(std::move(sight));
        }
      }
      if (subject.physical && subject.size && (core.has_mmu || core.has_mpu)) {
        auto found = layout::look_for(core, *subject.physical, *subject.size);
        std::move(found.begin(), found.end(), std::back_inserter(unnamed));
      }
    }
    std::erase_if(unnamed, [&](const Sight& sight) {
      return std::ranges::any_of(subject.sights, [&](const Sight& known) {
        return known.core == sight.core && known.build == sight.build &&
               known.address <= sight.address && sight.address - known.address < known.size;
      });
    });
    subject.sights.insert(subject.sights.end(), unnamed.begin(), unnamed.end());
  }

  // The section's ranges, and those of other names that lead to the same place.
  [[nodiscard]] std::vector<const Owned*> names_of_same(const std::string& name,
                                                        const std::vector<const Owned*>& ranges,
                                                        const Subject& subject) const {
    std::vector<const Owned*> all = ranges;
    for (const Owned& owned : owned_) {
      if (owned.range->name != name && subject.physical && owned.physical == subject.physical &&
          subject.size == owned.range->size) {
        all.push_back(&owned);
      }
    }
    return all;
  }

  // Memory that only its own core sees.
  [[nodiscard]] bool is_local(const Owned& owned) const {
    const layout::Region* known = view_.board_region(owned.range->name, owned.core->name);
    return known != nullptr && known->space == board::Space::kCore;
  }

  void find_owners() {
    for (const CoreReading& core : reading_.cores) {
      for (const emit::WrittenRange& range : core.linker) {
        Owned owned{&range, &core, view_.physical_of(range.name, range.base, core.name), true};
        const layout::Region* known = view_.board_region(range.name, core.name);
        owned.is_owner = known == nullptr || known->of.empty();
        if (!owned.physical && !is_local(owned)) {
          owned.physical = led_to(core.name, range.base);
        }
        owned_.push_back(owned);
      }
    }
  }

  [[nodiscard]] std::optional<std::uint64_t> led_to(const std::string& core,
                                                    std::uint64_t address) const {
    for (const CoreHardware& hardware : hardware_) {
      if (hardware.core == core) {
        return layout::look_at(hardware, address, 1).front().physical;
      }
    }
    return std::nullopt;
  }

  // --- what is no region ---------------------------------------------------------------------

  void add_variable(const ScriptVariable& variable) {
    const auto* value = std::get_if<Integer>(&variable.value());
    const bool is_number = value != nullptr && *value >= 0 && *value <= UINT64_MAX;
    std::vector<const ScriptSection*> sized;
    for (const ScriptSectionPointer& section : script_.sections) {
      const std::string_view argument = core::trim(section->length_argument.text);
      const bool is_size = argument == variable.name && section->concat.empty();
      const bool known = core::contains(sized, section->name, &ScriptSection::name);
      if (is_size && !known && !section->name.ends_with("_PHYS")) {
        sized.push_back(section.get());
      }
    }
    if (sized.size() == 1) {
      add_regions(sized.front()->name);
      answer_.subjects.back().facts.insert(
          answer_.subjects.back().facts.begin(),
          fmt::format("{} is a variable of the script: the size of {}",
                      variable.name,
                      sized.front()->name));
      return;
    }
    Subject subject{.kind = "variable", .name = variable.name};
    if (is_number) {
      const auto number = static_cast<std::uint64_t>(*value);
      subject.facts.push_back(fmt::format(
          "it is {}, {}", core::format_hex(number), core::format_size(core::Bytes{number})));
    } else if (const auto* text = std::get_if<std::string>(&variable.value()); text != nullptr) {
      subject.facts.push_back(fmt::format("it is \"{}\"", core::printable(*text, 60)));
    }
    add_assignment(variable.name, subject);
    add_users(variable.name, subject);
    if (is_number && !is_unit(variable.name)) {
      SizeSource source{variable.name, variable.assignments.back().expression, nullptr};
      subject.growth = grow(view_, source, kUsualStep);
    }
    answer_.subjects.push_back(std::move(subject));
  }

  void add_users(const std::string& name, Subject& subject) const {
    const auto uses = [&](const ScriptExpression& expression) {
      return core::contains(expression.uses, name);
    };
    for (const ScriptVariable& variable : script_.variables) {
      if (uses(variable.assignments.back().expression)) {
        add_assignment(variable.name, subject);
      }
    }
    for (const ScriptSectionPointer& section : script_.sections) {
      const bool address = uses(section->origin_argument);
      if (address || uses(section->length_argument)) {
        subject.said.push_back(
            {place_in_script(view_.variant(), section->place),
             fmt::format("the {} of '{}'", address ? "address" : "size", section->name)});
      }
    }
  }

  bool add_node(const std::string& name) {
    for (const emit::WrittenNode& node : reading_.nodes) {
      if (node.label != name && node.name != name &&
          node.name.substr(0, node.name.find('@')) != name) {
        continue;
      }
      Subject subject{
          .kind = "node", .name = called(node), .physical = node.base, .size = node.size};
      subject.facts.push_back(
          node.is_disabled ? "Linux passes over it, which is disabled: it reserves nothing"
          : node.is_reusable
              ? "Linux uses it, too: it is reusable"
              : fmt::format("Linux reserves it{}", node.no_map ? ", and does not map it" : ""));
      subject.said.push_back({node.place, "the node"});
      for (const ScriptSectionPointer& section : script_.sections) {
        if (section->dts_label == node.label) {
          subject.said.push_back({place_in_script(view_.variant(), section->place),
                                  fmt::format("the script makes it from '{}'", section->name)});
        }
      }
      std::set<std::string> told;
      for (const Owned& owned : owned_) {
        const bool inside = owned.physical && *owned.physical >= node.base &&
                            *owned.physical - node.base < node.size;
        if (inside && owned.is_owner && told.insert(owned.range->name).second) {
          subject.said.push_back(
              {owned.range->place, fmt::format("'{}' is in it", owned.range->name)});
        }
      }
      answer_.subjects.push_back(std::move(subject));
      return true;
    }
    return false;
  }

  void add_macro(const std::string& name) {
    const auto macro = reading_.macros.find(name);
    if (macro == reading_.macros.end()) {
      return;
    }
    Subject subject{.kind = "macro", .name = name};
    subject.facts.push_back(fmt::format("it is {}", core::format_hex(macro->second.value)));
    subject.said.push_back({macro->second.place, "the macro"});
    answer_.subjects.push_back(std::move(subject));
  }

  // --- addresses -----------------------------------------------------------------------------

  void read_address(std::uint64_t address) {
    if (question_.core.empty()) {
      AddressReading reading{.physical = address};
      place_on_bus(address, reading);
      answer_.readings.push_back(std::move(reading));
    }
    for (const CoreHardware& core : hardware_) {
      if (is_asked(core.core)) {
        read_by_core(core, address);
      }
    }
  }

  // The range of a linker map that is there on the bus, or what is there instead.
  void place_on_bus(std::uint64_t physical, AddressReading& reading) {
    const Owned* best = nullptr;
    for (const Owned& owned : owned_) {
      const bool there = owned.physical && !is_local(owned) && physical >= *owned.physical &&
                         physical - *owned.physical < owned.range->size;
      if (there && (best == nullptr || (owned.is_owner && !best->is_owner))) {
        best = &owned;
      }
    }
    if (best != nullptr) {
      reading.name = best->range->name;
      reading.offset = physical - *best->physical;
      add_region_of(*best);
      return;
    }
    reading.where = hole_at(physical);
  }

  // Of another core's name for it, the owner's.
  void add_region_of(const Owned& owned) {
    if (!owned.is_owner) {
      for (const Owned& owner : owned_) {
        if (owner.is_owner && owner.physical && owner.physical == owned.physical &&
            owner.range->size == owned.range->size) {
          add_region_of(owner);
          return;
        }
      }
    }
    for (const ScriptSectionPointer& section : script_.sections) {
      if (section->name == owned.range->name && section->origin == owned.range->base) {
        std::set<std::pair<std::uint64_t, std::uint64_t>> places;
        for (const ScriptSectionPointer& twin : script_.sections) {
          if (twin->name == section->name) {
            places.insert({twin->origin, twin->length});
          }
        }
        add_region(section->name, section.get(), places.size());
        return;
      }
    }
    add_regions(owned.range->name);
  }

  [[nodiscard]] std::string hole_at(std::uint64_t physical) const {
    const bool has_board = view_.board() != nullptr;
    if (has_board && !view_.in_dram(physical)) {
      return "in no linker map, and outside of every DRAM bank";
    }
    const Owned* before = nullptr;
    const Owned* behind = nullptr;
    for (const Owned& owned : owned_) {
      if (!owned.physical || owned.range->size == 0 || is_local(owned)) {
        continue;
      }
      if (*owned.physical <= physical &&
          (before == nullptr || *before->physical < *owned.physical)) {
        before = &owned;
      }
      if (*owned.physical > physical &&
          (behind == nullptr || *owned.physical < *behind->physical)) {
        behind = &owned;
      }
    }
    std::string text = "in no linker map";
    if (before != nullptr && behind != nullptr) {
      text += fmt::format(": between {} and {}", before->range->name, behind->range->name);
    } else if (before != nullptr) {
      text += fmt::format(": behind {}, the last", before->range->name);
    } else if (behind != nullptr) {
      text += fmt::format(": before {}, the first", behind->range->name);
    }
    const auto nodes = nodes_over(physical, 1);
    if (!nodes.empty()) {
      return text + fmt::format("; node {} reserves it", called(*nodes.front()));
    }
    return text + (has_board ? "; no node reserves it: Linux owns it" : "; no node reserves it");
  }

  void read_by_core(const CoreHardware& core, std::uint64_t address) {
    const Sight sight = layout::look_at(core, address, 1).front();
    AddressReading reading{.core = core.core,
                           .build = core.build,
                           .is_mapped = sight.is_mapped,
                           .physical = sight.physical,
                           .cached = sight.cached,
                           .by = sight.by,
                           .by_place = sight.by_place};
    if (!sight.moved_by.empty()) {
      reading.by += (reading.by.empty() ? "" : ", ") + sight.moved_by;
    }
    const auto own = std::ranges::find_if(owned_, [&](const Owned& owned) {
      return owned.core->name == core.core && address >= owned.range->base &&
             address - owned.range->base < owned.range->size;
    });
    if (own != owned_.end()) {
      reading.name = own->range->name;
      reading.offset = address - own->range->base;
      if (is_local(*own)) {
        reading.physical = std::nullopt;
      }
      add_region_of(*own);
    } else if (sight.physical) {
      place_on_bus(*sight.physical, reading);
    }
    answer_.readings.push_back(std::move(reading));
  }

  const View& view_;
  const Script& script_;
  const Reading& reading_;
  const Question& question_;
  std::vector<CoreHardware> hardware_;
  std::vector<Owned> owned_;
  Answer answer_;
};

}  // namespace

core::Result<Answer> answer(const View& view, const Question& question) {
  return TreeAnswerer{view, question}.run();
}

}  // namespace memsize::sdk
