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

class RegionCollector {
 public:
  explicit RegionCollector(Plan& plan) : plan_(plan) {}

  void run() {
    collect_cores();
    for (const ScriptExport& each : plan_.variant->script->exports) {
      has_header_ = has_header_ || each.kind == "CHeaderFile";
      has_html_ = has_html_ || each.kind == "HtmlMmapTable";
      collect(each);
    }
    find_physical_names();
    find_bases();
    for (const Member& member : members_) {
      if (!member.is_physical_name && member.section->concat.empty()) {
        own(member);
      }
    }
    find_aliases();
    own_hidden();
    std::ranges::stable_sort(plan_.regions, [](const PlanRegion& a, const PlanRegion& b) {
      return std::tie(a.physical_at, a.virtual_at) < std::tie(b.physical_at, b.virtual_at);
    });
  }

 private:
  void collect_cores() {
    for (const ScriptExport& each : plan_.variant->script->exports) {
      const std::string path = path_of(each);
      const std::size_t slash = path.find('/');
      if (each.kind == "LinkerCmdFile" && slash != std::string::npos) {
        const std::string name = path.substr(0, slash);
        const bool known = core::contains(plan_.cores, name, &PlanCore::name);
        if (!known) {
          plan_.cores.push_back({name, path.substr(slash + 1)});
        }
      }
    }
    const board::Board* known = plan_.known();
    const auto place = [&](const PlanCore& core) {
      std::size_t i = 0;
      while (known != nullptr && i < known->cores.size() && known->cores[i].name != core.name) {
        ++i;
      }
      return i;
    };
    std::ranges::stable_sort(
        plan_.cores, [&](const PlanCore& a, const PlanCore& b) { return place(a) < place(b); });
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

  // What only a hull names. A section over others is a name for them, which the carve-outs see to.
  void own_hidden() {
    std::vector<const ScriptSection*> hidden;
    for (const Member& member : members_) {
      for (const std::string& name : member.section->concat) {
        for (const ScriptSectionPointer& section : plan_.variant->script->sections) {
          if (section->concat.empty() && (section->variable == name || section->name == name)) {
            hidden.push_back(section.get());
          }
        }
      }
    }
    for (const ScriptSection* section : hidden) {
      const auto& all = plan_.regions;
      const bool taken = std::ranges::any_of(all, [&](const PlanRegion& region) {
        return region.physical_at < section->origin + section->length &&
               section->origin < region.end();
      });
      if (!taken && section->length != 0) {
        own(Member{.section = section});
      }
    }
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

  [[nodiscard]] const Member* physical_name_of(const ScriptSection& section) const {
    for (const Member& member : members_) {
      if (member.is_physical_name && without_ending(member.section->name) == section.name) {
        return &member;
      }
    }
    return nullptr;
  }

  void find_bases() {
    for (const ScriptExport& each : plan_.variant->script->exports) {
      if (each.kind == "CHeaderFile" && each.physical_base && each.virtual_base) {
        physical_base_ = *each.physical_base;
        virtual_base_ = *each.virtual_base;
      }
    }
  }

  // Where the section is on the bus.
  void place(PlanRegion& region) const {
    const ScriptSection& section = *region.section;
    region.virtual_at = section.origin;
    region.physical_at = section.origin;
    region.physical = region.forms.origin;
    if (const Member* name = physical_name_of(section)) {
      region.physical_at = name->section->origin;
      region.physical = plan_.forms->of(*name->section).origin;
      region.has_physical_name = name->header;
      region.physical_name_in_html = name->html;
    } else if (virtual_base_ < physical_base_ && section.origin >= virtual_base_ &&
               section.origin < physical_base_) {
      const std::uint64_t shift = physical_base_ - virtual_base_;
      region.physical_at += shift;
      region.physical = plus(region.physical, constant_of(static_cast<Integer>(shift)));
    } else if (const auto seen = translated(section, region.cores);
               seen && *seen != section.origin) {
      region.physical_at = *seen;
      region.physical = constant_of(static_cast<Integer>(*seen));
    }
  }

  // Where an MMU entry or a RAT entry of one of these cores leads it.
  [[nodiscard]] std::optional<std::uint64_t> translated(
      const ScriptSection& section, const std::vector<std::string>& cores) const {
    for (const std::string& name : cores) {
      const CoreReading* core = plan_.reading->find(name);
      if (core == nullptr) {
        continue;
      }
      for (const MmuReading& mmu : core->mmu) {
        for (auto entry = mmu.entries.rbegin(); entry != mmu.entries.rend(); ++entry) {
          const std::uint64_t into = section.origin - entry->virtual_base;
          if (section.origin >= entry->virtual_base && into < entry->size) {
            return entry->physical + into;
          }
        }
      }
      for (const RatReading& rat : core->rat) {
        for (const emit::WrittenRatEntry& entry : rat.entries) {
          const std::uint64_t into = section.origin - entry.fields.local;
          if (section.origin >= entry.fields.local && into < entry.fields.size) {
            return entry.fields.system + into;
          }
        }
      }
    }
    return std::nullopt;
  }

  void own(const Member& member) {
    PlanRegion region{.section = member.section, .name = member.section->name};
    for (const PlanCore& core : plan_.cores) {
      if (member.cores.contains(core.name)) {
        region.cores.push_back(core.name);
      }
    }
    // Where the script writes no such file, nothing is left out of it.
    region.in_header = member.header || !has_header_;
    region.in_html = member.html || !has_html_;
    region.size = member.section->length;
    region.forms = plan_.forms->of(*member.section);
    place(region);
    find_known(region);
    region.space = space_of(region);
    plan_.regions.push_back(std::move(region));
  }

  void find_known(PlanRegion& region) const {
    const board::Board* known = plan_.known();
    for (std::size_t i = 0; known != nullptr && i < known->chains.size(); ++i) {
      for (const board::Item& item : known->chains[i].items) {
        if (item.is_gap || item.name != region.name) {
          continue;
        }
        const bool shared = std::ranges::any_of(item.cores, [&](const std::string& core) {
          return core::contains(region.cores, core);
        });
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

  [[nodiscard]] board::Space space_of(const PlanRegion& region) const {
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
    const bool twice = std::ranges::any_of(members_, [&](const Member& other) {
      return other.section != region.section && other.section->origin == region.virtual_at &&
             other.section->concat.empty() && !other.cores.empty() && other.section->length != 0;
    });
    return private_memory || twice ? board::Space::kCore : board::Space::kSram;
  }

  // A core's name for a region that another one owns: no physical name of its own, but the
  // addresses, the translation or the size variable of one that has.
  void find_aliases() {
    std::vector<PlanRegion> owned;
    for (const PlanRegion& region : plan_.regions) {
      const PlanRegion* owner = owner_of(region);
      if (owner == nullptr) {
        owned.push_back(region);
        continue;
      }
      plan_.aliases.push_back({.section = region.section,
                               .name = region.name,
                               .of = owner->name,
                               .cores = region.cores,
                               .virtual_base = region.forms.origin,
                               .virtual_at = region.virtual_at,
                               .size = region.size,
                               .same_place = region.virtual_at == owner->virtual_at});
    }
    plan_.regions = std::move(owned);
  }

  [[nodiscard]] static bool apart(const PlanRegion& a, const PlanRegion& b) {
    return std::ranges::none_of(
        a.cores, [&](const std::string& core) { return core::contains(b.cores, core); });
  }

  [[nodiscard]] const PlanRegion* owner_of(const PlanRegion& region) const {
    if (physical_name_of(*region.section) != nullptr || region.space == board::Space::kCore ||
        region.size == 0) {
      return nullptr;
    }
    const auto seen = translated(*region.section, region.cores);
    const PlanRegion* by_size = nullptr;
    const PlanRegion* by_translation = nullptr;
    int of_that_size = 0;
    for (const PlanRegion& other : plan_.regions) {
      if (&other == &region || other.size != region.size || other.cores.empty() ||
          !apart(region, other) || physical_name_of(*other.section) == nullptr) {
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

  Plan& plan_;
  std::vector<Member> members_;
  bool has_header_ = false;
  bool has_html_ = false;
  std::uint64_t physical_base_ = 0;
  std::uint64_t virtual_base_ = 0;
};

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
  RegionCollector{plan}.run();
}

}  // namespace memsize::sdk
