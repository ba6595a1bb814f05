// Puts the tables of what cores program together, with what they share: which regions a range
// covers, exactly or in part, and keys for tables that several cores have alike.
#include "programs.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "toml.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

std::string rebuild_text(const Plan& plan) {
  const board::Board* known = plan.known();
  std::string text = heading_text("After a change");
  if (known == nullptr) {
    return text +
           "# The tree does not say what must be built again: add [[rebuild]] steps for "
           "REBUILD.md.\n";
  }
  if (known->rebuild.empty() || given(plan, "rebuild")) {
    return {};
  }
  text += fmt::format(
      "# Those of board '{}'. `when`: \"always\", \"linux\" (a carve-out changed), or a "
      "core.\n\n",
      known->name);
  for (const board::RebuildStep& step : known->rebuild) {
    const bool is_core = step.when != "always" && step.when != "linux";
    const bool has_core = core::contains(plan.cores, step.when, &PlanCore::name);
    if (is_core && !has_core) {
      continue;
    }
    text += fmt::format("[[rebuild]]\nwhen = {}\n", quoted(step.when));
    for (const auto& [key, value] :
         {std::pair{"what", step.what}, std::pair{"why", step.why}, std::pair{"run", step.run}}) {
      text += value.empty() ? std::string{} : fmt::format("{} = {}\n", key, quoted(value));
    }
    text += step.by_hand ? "by_hand = true\n" : "";
    text += "\n";
  }
  return text;
}

// A core of which the known board says what it maps, and no file of the tree that can be read.
void tell_unprogrammed(Plan& plan) {
  const board::Board* known = plan.known();
  for (std::size_t i = 0; known != nullptr && i < plan.cores.size(); ++i) {
    const std::string& core = plan.cores[i].name;
    const CoreReading* reading = plan.reading->find(core);
    const auto tell = [&](const char* unit) {
      plan.left_out(
          fmt::format("no file that can be read says what the {} of {} maps: board '{}' has it, "
                      "this one has nothing of it",
                      unit,
                      core,
                      known->name),
          {fmt::format("{}/{}", plan.sources->platform.folder, core)},
          "put the file back, or correct it, and import the tree again");
    };
    if (core::contains(known->mmu.cores, core, &board::MmuList::core) &&
        (reading == nullptr || reading->mmu.empty())) {
      tell("MMU");
    }
    if (core::contains(known->mpu.cores, core, &board::MpuList::core) &&
        (reading == nullptr || reading->mpu.empty())) {
      tell("MPU");
    }
  }
}

}  // namespace

std::vector<SeenRegion> seen_by(const Plan& plan, const std::string& core) {
  std::vector<SeenRegion> seen;
  for (const PlanRegion& region : plan.regions) {
    if (region.space == board::Space::kCore || region.size == 0) {
      continue;
    }
    std::uint64_t base = region.virtual_at;
    for (const PlanAlias& alias : plan.aliases) {
      const bool own = core::contains(alias.cores, core);
      base = own && alias.of == region.name ? alias.virtual_at : base;
    }
    seen.push_back({&region, base});
  }
  std::ranges::stable_sort(seen, {}, &SeenRegion::base);
  return seen;
}

Coverage coverage_of(const std::vector<SeenRegion>& seen,
                     std::uint64_t base,
                     std::uint64_t physical,
                     std::uint64_t size) {
  Coverage coverage;
  std::uint64_t first = UINT64_MAX;
  std::uint64_t last = 0;
  bool all = true;
  for (const SeenRegion& each : seen) {
    if (each.base >= base + size || each.end() <= base) {
      continue;
    }
    // What other cores see at these addresses is none of this one's.
    const bool same_distance = each.region->physical_at - each.base == physical - base;
    if (!same_distance) {
      continue;
    }
    coverage.touches = true;
    if (each.base < base || each.end() > base + size) {
      all = false;
      continue;
    }
    coverage.names.push_back(each.region->name);
    first = std::min(first, each.base);
    last = std::max(last, each.end());
  }
  coverage.exact = all && first == base && last == base + size;
  return coverage;
}

std::string files_text(const std::vector<std::string>& paths) {
  std::set<std::string> names;
  for (const std::string& path : paths) {
    names.insert("CORE/" + core::printable(path.substr(path.find('/') + 1)));
  }
  return core::join({names.begin(), names.end()}, " and ");
}

std::vector<std::string> shortest(const Plan& plan, const std::vector<std::string>& names) {
  for (const auto* list : {&plan.carveouts, &plan.groups}) {
    for (const PlanCarveout& each : *list) {
      const auto& members = each.members.empty() ? each.covers : each.members;
      if (names.size() > 1 && std::set<std::string>(members.begin(), members.end()) ==
                                  std::set<std::string>(names.begin(), names.end())) {
        return {each.name};
      }
    }
  }
  return names;
}

std::string as_identifier(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const auto u = static_cast<unsigned char>(c);
    result += u < 0x80 && std::isalnum(u) != 0 ? c : '_';
  }
  const bool starts = !result.empty() && std::isdigit(static_cast<unsigned char>(result[0])) == 0;
  return starts ? result : "_" + result;
}

docs::Value given(const Plan& plan, std::string_view dotted) {
  docs::Value value = plan.model == nullptr ? docs::Value{} : plan.model->given.root();
  while (value && !dotted.empty()) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    value = value[dotted.substr(0, dot)];
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return value;
}

std::string NamedTables::add(const std::string& wanted,
                             const std::string& content,
                             const std::string& otherwise) {
  std::string key = wanted;
  for (;;) {
    const auto known =
        std::ranges::find_if(rows_, [&](const auto& row) { return row.first == key; });
    if (known == rows_.end()) {
      rows_.emplace_back(key, content);
      return key;
    }
    if (known->second == content) {
      return key;
    }
    key += "_" + otherwise;
  }
}

bool NamedTables::has_other(const std::string& key, const std::string& content) const {
  return std::ranges::any_of(
      rows_, [&](const auto& row) { return row.first == key && row.second != content; });
}

std::string NamedTables::text() const {
  std::string text;
  for (const auto& [key, content] : rows_) {
    text += fmt::format("{} = {}\n", key_text(key), content);
  }
  return text;
}

std::string programs_text(Plan& plan) {
  tell_unprogrammed(plan);
  return mmu_text(plan) + mpu_text(plan) + rat_text(plan) + rebuild_text(plan);
}

}  // namespace memsize::sdk
