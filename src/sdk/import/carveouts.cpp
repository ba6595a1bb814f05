// What Linux reserves: the script's hulls of sections, as names of regions.
#include "memsize/emit/written.hpp"

#include "plan.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class CarveoutPlanner {
 public:
  explicit CarveoutPlanner(Plan& plan) : plan_(plan) {}

  void run() {
    for (const ScriptExport& each : plan_.variant->script->exports) {
      for (const ScriptMapEntry& entry : each.entries) {
        if (is_dts(each)) {
          add(entry.section.get());
        } else if (each.kind == "CHeaderFile") {
          in_header_.insert(entry.section->name);
        }
      }
    }
    for (PlanCarveout& carveout : plan_.carveouts) {
      const bool is_region = plan_.find(carveout.name) != nullptr;
      const bool is_physical_name = plan_.find(carveout.members.front()) != nullptr &&
                                    carveout.name == carveout.members.front() + "_PHYS";
      carveout.in_header = in_header_.contains(carveout.name) && !is_region && !is_physical_name;
    }
    std::ranges::stable_sort(plan_.carveouts, {}, &PlanCarveout::base);
    tell_hulls_without_node();
  }

 private:
  void add(const ScriptSection* section) {
    const bool known = std::ranges::any_of(
        plan_.carveouts, [&](const auto& each) { return each.label == section->dts_label; });
    if (known) {
      return;
    }
    PlanCarveout carveout{.section = section,
                          .label = section->dts_label,
                          .name = section->name,
                          .base = section->origin,
                          .size = section->length};
    if (section->concat.empty()) {
      cover(carveout, *section);
    }
    for (const std::string& name : section->concat) {
      cover_by_name(carveout, name);
    }
    complete(carveout);
    if (carveout.members.empty() || !has_hull(carveout)) {
      plan_.left_out(fmt::format("the node '{}' over {} is no hull of whole regions: the board has "
                                 "none of it",
                                 section->dts_label,
                                 emit::range_text(section->origin, section->length)),
                     plan_.place_of(section->place));
      return;
    }
    plan_.carveouts.push_back(std::move(carveout));
  }

  void cover_by_name(PlanCarveout& carveout, const std::string& name) {
    for (const ScriptSectionPointer& section : plan_.variant->script->sections) {
      if (section->variable == name || section->name == name) {
        cover(carveout, *section);
        return;
      }
    }
  }

  // The region at the section's place, or all that lie within it.
  void cover(PlanCarveout& carveout, const ScriptSection& section) {
    std::vector<std::string> inside;
    for (const PlanRegion& region : plan_.regions) {
      const bool same = region.name == section.name || region.name + "_PHYS" == section.name;
      if (same && region.space == board::Space::kDdr && region.size == section.length) {
        carveout.covers.push_back(region.name);
        carveout.members.push_back(region.name);
        return;
      }
      if (is_inside(region, section.origin, section.length)) {
        inside.push_back(region.name);
      }
    }
    carveout.members.insert(carveout.members.end(), inside.begin(), inside.end());
    // Another memory may have that name.
    if (inside.empty() || plan_.find(section.name) != nullptr) {
      carveout.covers.insert(carveout.covers.end(), inside.begin(), inside.end());
      return;
    }
    PlanCarveout group{.section = &section, .name = section.name, .covers = inside};
    const bool known = std::ranges::any_of(
        plan_.groups, [&](const auto& each) { return each.name == group.name; });
    if (!known) {
      plan_.groups.push_back(std::move(group));
    }
    carveout.covers.push_back(section.name);
  }

  static bool is_inside(const PlanRegion& region, std::uint64_t base, std::uint64_t size) {
    return region.space == board::Space::kDdr && region.physical_at >= base &&
           region.size <= size && region.physical_at - base <= size - region.size &&
           region.size != 0;
  }

  // A hull reserves what it does not name, too.
  void complete(PlanCarveout& carveout) {
    std::vector<std::string> all;
    for (const PlanRegion& region : plan_.regions) {
      if (is_inside(region, carveout.base, carveout.size)) {
        all.push_back(region.name);
      }
    }
    if (all.size() != carveout.members.size() && !carveout.members.empty()) {
      carveout.covers = all;
      carveout.members = std::move(all);
    }
  }

  [[nodiscard]] bool has_hull(const PlanCarveout& carveout) const {
    std::uint64_t base = UINT64_MAX;
    std::uint64_t end = 0;
    for (const std::string& name : carveout.members) {
      const PlanRegion& region = *plan_.find(name);
      base = std::min(base, region.physical_at);
      end = std::max(end, region.end());
    }
    return base == carveout.base && end == carveout.base + carveout.size;
  }

  void tell_hulls_without_node() {
    for (const ScriptExport& each : plan_.variant->script->exports) {
      for (const ScriptMapEntry& entry : each.entries) {
        const ScriptSection& section = *entry.section;
        const bool has_node = std::ranges::any_of(
            plan_.carveouts, [&](const auto& carveout) { return carveout.name == section.name; });
        if (each.kind == "CHeaderFile" && !section.concat.empty() && !has_node) {
          plan_.left_out(fmt::format("the C header has '{}', a hull that no device-tree node has: "
                                     "the board has none of it",
                                     section.name),
                         plan_.place_of(section.place));
        }
      }
    }
  }

  Plan& plan_;
  std::set<std::string> in_header_;
};

}  // namespace

void plan_carveouts(Plan& plan) {
  CarveoutPlanner{plan}.run();
}

}  // namespace memsize::sdk
