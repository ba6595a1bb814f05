// Which of a script's sections own memory, and which are another name for it.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan.hpp"
#include "script/script.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace memsize::sdk {

namespace {

// The script library's name of a section that is only there for its physical address.
constexpr std::string_view kPhysicalEnding = "_PHYS";

// A section with the exports that have it.
struct Member {
  const ScriptSection* section = nullptr;
  std::set<std::string> cores;
  bool header = false;
  bool html = false;
  bool dts = false;
  /// Another member's physical name.
  bool is_physical_name = false;
};

std::string_view without_ending(std::string_view name) {
  return name.ends_with(kPhysicalEnding) ? name.substr(0, name.size() - kPhysicalEnding.size())
                                         : std::string_view{};
}

// The sections that a script exports, each place of a name once.
class Members {
 public:
  explicit Members(const Script& script) {
    for (const ScriptExport& each : script.exports) {
      collect(each);
    }
    find_physical_names();
  }

  [[nodiscard]] auto begin() const { return members_.begin(); }

  [[nodiscard]] auto end() const { return members_.end(); }

  // Null where it has none.
  [[nodiscard]] const Member* physical_name_of(const ScriptSection& section) const {
    for (const Member& member : members_) {
      if (member.is_physical_name && without_ending(member.section->name) == section.name) {
        return &member;
      }
    }
    return nullptr;
  }

 private:
  void collect(const ScriptExport& each) {
    const std::string path = path_of(each);
    for (const ScriptMapEntry& entry : each.entries) {
      const bool linker = each.kind == "LinkerCmdFile";
      const bool header = each.kind == "CHeaderFile";
      const bool html = each.kind == "HtmlMmapTable";
      if (!linker && !header && !html && !is_dts(each)) {
        continue;
      }
      Member& member = member_of(*entry.section);
      member.header = member.header || header;
      member.html = member.html || html;
      member.dts = member.dts || is_dts(each);
      if (linker) {
        member.cores.insert(path.substr(0, path.find('/')));
      }
    }
  }

  Member& member_of(const ScriptSection& section) {
    for (Member& member : members_) {
      if (member.section->name == section.name && member.section->origin == section.origin &&
          member.section->length == section.length) {
        return member;
      }
    }
    members_.push_back({&section, {}, false, false, false, false});
    return members_.back();
  }

  void find_physical_names() {
    for (Member& member : members_) {
      const std::string_view base = without_ending(member.section->name);
      member.is_physical_name =
          !base.empty() && std::ranges::any_of(members_, [&](const Member& other) {
            return other.section->name == base && other.section->length == member.section->length;
          });
    }
  }

  std::vector<Member> members_;
};

// Cores with a linker map, in the order of the board that is known.
std::vector<PlanCore> cores_of(const Plan& plan) {
  std::vector<PlanCore> cores;
  for (const ScriptExport& each : plan.variant->script->exports) {
    const std::string path = path_of(each);
    const std::size_t slash = path.find('/');
    if (each.kind == "LinkerCmdFile" && slash != std::string::npos) {
      const std::string name = path.substr(0, slash);
      const bool known = core::contains(cores, name, &PlanCore::name);
      if (!known) {
        cores.push_back({name, path.substr(slash + 1)});
      }
    }
  }
  const board::Board* known = plan.known();
  const auto place = [&](const PlanCore& core) {
    std::size_t i = 0;
    while (known != nullptr && i < known->cores.size() && known->cores[i].name != core.name) {
      ++i;
    }
    return i;
  };
  std::ranges::stable_sort(
      cores, [&](const PlanCore& a, const PlanCore& b) { return place(a) < place(b); });
  return cores;
}

// Where an MMU entry or a RAT entry of one of these cores leads it.
std::optional<std::uint64_t> translated(const Reading& reading,
                                        const ScriptSection& section,
                                        const std::vector<std::string>& cores) {
  for (const std::string& name : cores) {
    const CoreReading* core = reading.find(name);
    if (const auto physical = core == nullptr ? std::nullopt : led_to(*core, section.origin)) {
      return physical;
    }
  }
  return std::nullopt;
}

// How much higher on the bus than in C code an address is, by the header's pair of bases.
std::uint64_t header_shift(const Script& script, std::uint64_t address) {
  std::uint64_t physical = 0;
  std::uint64_t virtually = 0;
  for (const ScriptExport& each : script.exports) {
    if (each.kind == "CHeaderFile" && each.physical_base && each.virtual_base) {
      physical = *each.physical_base;
      virtually = *each.virtual_base;
    }
  }
  return virtually < physical && address >= virtually && address < physical ? physical - virtually
                                                                            : 0;
}

// Where the section is on the bus.
void place_region(const Plan& plan, const Members& members, PlanRegion& region) {
  const ScriptSection& section = *region.section;
  region.virtual_at = section.origin;
  region.physical_at = section.origin;
  region.physical = region.forms.origin;
  if (const Member* name = members.physical_name_of(section)) {
    region.physical_at = name->section->origin;
    region.physical = plan.forms->of(*name->section).origin;
    region.has_physical_name = name->header;
    region.physical_name_in_html = name->html;
  } else if (const std::uint64_t shift = header_shift(*plan.variant->script, section.origin);
             shift != 0) {
    region.physical_at += shift;
    region.physical = plus(region.physical, constant_of(static_cast<Integer>(shift)));
  } else if (const auto seen = translated(*plan.reading, section, region.cores);
             seen && *seen != section.origin) {
    region.physical_at = *seen;
    region.physical = constant_of(static_cast<Integer>(*seen));
  }
}

void find_known(const board::Board* known, PlanRegion& region) {
  for (std::size_t i = 0; known != nullptr && i < known->chains.size(); ++i) {
    for (const board::Item& item : known->chains[i].items) {
      if (item.is_gap || item.name != region.name) {
        continue;
      }
      const bool shared = std::ranges::any_of(
          item.cores, [&](const std::string& core) { return core::contains(region.cores, core); });
      if (region.known == nullptr || shared) {
        region.known = &item;
        region.known_chain = &known->chains[i];
      }
      if (shared) {
        return;
      }
    }
  }
}

board::Space space_of(const Members& members, const PlanRegion& region) {
  const bool in_dram = (region.physical_at >= kLowDram && region.physical_at < kLowDramEnd) ||
                       (region.physical_at >= kHighDram && region.physical_at < kHighDramEnd);
  if (region.known_chain != nullptr &&
      (region.known_chain->space == board::Space::kDdr) == in_dram) {
    return region.known_chain->space;
  }
  if (in_dram) {
    return board::Space::kDdr;
  }
  // Memory that only its core's linker knows of, or that two cores have at one address.
  const bool private_memory = !region.in_header && !region.in_html && !region.cores.empty();
  const bool twice = std::ranges::any_of(members, [&](const Member& other) {
    return other.section != region.section && other.section->origin == region.virtual_at &&
           other.section->concat.empty() && !other.cores.empty() && other.section->length != 0;
  });
  return private_memory || twice ? board::Space::kCore : board::Space::kSram;
}

PlanRegion region_from(const Plan& plan, const Members& members, const Member& member) {
  PlanRegion region{.section = member.section, .name = member.section->name};
  for (const PlanCore& core : plan.cores) {
    if (member.cores.contains(core.name)) {
      region.cores.push_back(core.name);
    }
  }
  const auto& exports = plan.variant->script->exports;
  // Where the script writes no such file, nothing is left out of it.
  region.in_header = member.header ||
                     !core::contains(exports, std::string_view{"CHeaderFile"}, &ScriptExport::kind);
  region.in_html = member.html ||
                   !core::contains(exports, std::string_view{"HtmlMmapTable"}, &ScriptExport::kind);
  region.size = member.section->length;
  region.forms = plan.forms->of(*member.section);
  place_region(plan, members, region);
  find_known(plan.known(), region);
  region.space = space_of(members, region);
  return region;
}

bool are_apart(const PlanRegion& a, const PlanRegion& b) {
  return std::ranges::none_of(
      a.cores, [&](const std::string& core) { return core::contains(b.cores, core); });
}

// The region that another core owns and this is a name for; null where it is none.
const PlanRegion* owner_of_alias(const Plan& plan,
                                 const Members& members,
                                 const PlanRegion& region) {
  if (members.physical_name_of(*region.section) != nullptr || region.space == board::Space::kCore ||
      region.size == 0) {
    return nullptr;
  }
  const auto seen = translated(*plan.reading, *region.section, region.cores);
  const PlanRegion* by_size = nullptr;
  const PlanRegion* by_translation = nullptr;
  int of_that_size = 0;
  for (const PlanRegion& other : plan.regions) {
    if (&other == &region || other.size != region.size || other.cores.empty() ||
        !are_apart(region, other) || members.physical_name_of(*other.section) == nullptr) {
      continue;
    }
    if (other.virtual_at == region.virtual_at) {
      return &other;
    }
    if (seen && *seen != region.virtual_at && *seen == other.physical_at) {
      by_translation = &other;
    }
    if (!only_name(region.forms.length).empty() && region.forms.length == other.forms.length &&
        other.physical_at != other.virtual_at) {
      by_size = &other;
      ++of_that_size;
    }
  }
  // One variable for one memory says more than firmware that may be of another state.
  return of_that_size == 1 ? by_size : by_translation;
}

// A core's name for a region that another one owns: no physical name of its own, but the
// addresses, the translation or the size variable of one that has.
void split_aliases(Plan& plan, const Members& members) {
  std::vector<PlanRegion> owned;
  for (const PlanRegion& region : plan.regions) {
    const PlanRegion* owner = owner_of_alias(plan, members, region);
    if (owner == nullptr) {
      owned.push_back(region);
      continue;
    }
    plan.aliases.push_back({.section = region.section,
                            .name = region.name,
                            .of = owner->name,
                            .cores = region.cores,
                            .virtual_base = region.forms.origin,
                            .virtual_at = region.virtual_at,
                            .size = region.size,
                            .same_place = region.virtual_at == owner->virtual_at});
  }
  plan.regions = std::move(owned);
}

// What only a hull names. A section over others is a name for them, which the carve-outs see to.
void add_hidden(Plan& plan, const Members& members) {
  std::vector<const ScriptSection*> hidden;
  for (const Member& member : members) {
    for (const std::string& name : member.section->concat) {
      for (const ScriptSectionPointer& section : plan.variant->script->sections) {
        if (section->concat.empty() && (section->variable == name || section->name == name)) {
          hidden.push_back(section.get());
        }
      }
    }
  }
  for (const ScriptSection* section : hidden) {
    const auto& all = plan.regions;
    const bool taken = std::ranges::any_of(all, [&](const PlanRegion& region) {
      return region.physical_at < section->origin + section->length &&
             section->origin < region.end();
    });
    if (!taken && section->length != 0) {
      plan.regions.push_back(region_from(plan, members, Member{.section = section}));
    }
  }
}

}  // namespace

bool is_dts(const ScriptExport& each) {
  return core::to_lower(each.kind).find("dts") != std::string::npos;
}

const PlanRegion* Plan::find(const std::string& name) const {
  return core::find_in(regions, name, &PlanRegion::name);
}

std::string Plan::owner_of(const std::string& name) const {
  for (const PlanAlias& alias : aliases) {
    if (alias.name == name) {
      return alias.of;
    }
  }
  const bool is_carveout = core::contains(carveouts, name, &PlanCarveout::name);
  const PlanRegion* region = find(name);
  const bool is_region =
      region != nullptr && region->size != 0 && region->space != board::Space::kCore;
  return is_carveout || is_region ? name : std::string{};
}

core::Place Plan::place_of(const ScriptPiece& piece) const {
  return {variant->script->path, piece.line, piece.column, piece.length};
}

void Plan::left_out(const std::string& what, const core::Place& place, std::string hint) {
  warnings.push_back(core::warning(core::Code::kSdkImport, what, place, std::move(hint)));
}

void plan_regions(Plan& plan) {
  plan.cores = cores_of(plan);
  const Members members{*plan.variant->script};
  for (const Member& member : members) {
    if (!member.is_physical_name && member.section->concat.empty()) {
      plan.regions.push_back(region_from(plan, members, member));
    }
  }
  split_aliases(plan, members);
  add_hidden(plan, members);
  std::ranges::stable_sort(plan.regions, [](const PlanRegion& a, const PlanRegion& b) {
    return std::tie(a.physical_at, a.virtual_at) < std::tie(b.physical_at, b.virtual_at);
  });
}

}  // namespace memsize::sdk
