// Finds out what the two are, reads both, and holds their parts against each other by name.
#include "memsize/app/compare.hpp"

#include "memsize/app/analyze.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/tree.hpp"

#include "shown_map.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Bytes;
using layout::MemoryMap;

/// Values of something that has a name, in the order in which they are shown.
struct Described {
  std::string kind;
  std::string name;
  std::string core;
  std::optional<Bytes> size;
  std::vector<std::pair<std::string, std::string>> values;
};

// Same kind, core and name: the same thing.
using Key = std::vector<std::string>;

Key key_of(const Described& one) {
  return {one.kind, one.core, one.name};
}

void describe_regions(const MemoryMap& map, std::vector<Described>& all) {
  for (const layout::Region& region : map.regions) {
    if (region.kind == layout::RegionKind::kPhysicalName) {
      continue;
    }
    Described one{"region", region.name, core::join(region.cores, " "), region.size, {}};
    if (region.physical_base) {
      one.values.emplace_back("physical", core::format_address(*region.physical_base));
    }
    if (region.virtual_base) {
      one.values.emplace_back("virtual", core::format_address(*region.virtual_base));
    }
    one.values.emplace_back("attributes", region.attributes);
    one.values.emplace_back("cached", std::string{chip::name_of(region.cache)});
    all.push_back(std::move(one));
  }
}

void describe_entries(const MemoryMap& map, std::vector<Described>& all) {
  for (const layout::MmuTable& table : map.mmu) {
    for (const layout::MmuRange& range : table.ranges) {
      all.push_back({"MMU entry",
                     range.entry,
                     table.core,
                     range.virtual_range.size(),
                     {{"virtual", core::format_address(range.virtual_range.base())},
                      {"physical", core::format_address(range.physical.base())},
                      {"mair", fmt::format("{}", range.mair)}}});
    }
  }
  for (const layout::MpuTable& table : map.mpu) {
    for (const layout::MpuRegion& region : table.regions) {
      all.push_back({"MPU region",
                     fmt::format("{}", region.number),
                     table.core,
                     region.range.size(),
                     {{"base", core::format_address(region.range.base())},
                      {"attribute", region.attribute},
                      {"disabled", core::format_hex(region.disabled)}}});
    }
  }
  for (const layout::RatTable& table : map.rat) {
    for (const layout::RatRange& range : table.ranges) {
      all.push_back({"RAT entry",
                     range.name,
                     table.core,
                     range.size,
                     {{"local", core::format_address(range.local)},
                      {"system", core::format_address(range.system)}}});
    }
  }
}

std::vector<Described> describe(const MemoryMap& map) {
  std::vector<Described> all;
  for (const layout::Carveout& carveout : map.carveouts) {
    all.push_back({"carve-out",
                   carveout.label,
                   {},
                   carveout.range.size(),
                   {{"physical", core::format_address(carveout.range.base())}}});
  }
  describe_regions(map, all);
  describe_entries(map, all);
  return all;
}

std::vector<Described> describe(const sizing::Sizing& sizing) {
  std::vector<Described> all;
  for (const sizing::CoreSizing& core : sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      Described one{"heap",
                    fmt::format("{} {} {}",
                                demand.key.space,
                                model::name_of(demand.key.cacheability),
                                model::name_of(demand.key.lifetime)),
                    core.core,
                    demand.figure(),
                    {}};
      if (demand.suggested) {
        one.values.emplace_back("suggested", core::format_size(*demand.suggested));
      }
      one.values.emplace_back("records", fmt::format("{}", demand.records));
      one.values.emplace_back("complete", demand.lower_bound ? "no" : "yes");
      all.push_back(std::move(one));
    }
  }
  return all;
}

// What differs between two of one key; either may be missing.
ChangedItem changed_item(const Described* before, const Described* after) {
  const Described& any = after == nullptr ? *before : *after;
  ChangedItem item{.kind = any.kind, .name = any.name, .core = any.core};
  item.size_before = before == nullptr ? std::nullopt : before->size;
  item.size_after = after == nullptr ? std::nullopt : after->size;
  if (before == nullptr || after == nullptr) {
    return item;
  }
  std::map<std::string, std::string> old(before->values.begin(), before->values.end());
  for (const auto& [what, value] : after->values) {
    const std::string* was = core::value_in(old, what);
    if (was == nullptr || *was != value) {
      item.values.push_back({what, was == nullptr ? std::string{} : *was, value});
    }
    old.erase(what);
  }
  for (const auto& [what, value] : old) {
    item.values.push_back({what, value, {}});
  }
  return item;
}

void compare_lists(const std::vector<Described>& before,
                   const std::vector<Described>& after,
                   Comparison& comparison) {
  std::map<Key, const Described*> old;
  for (const Described& one : before) {
    old[key_of(one)] = &one;
  }
  for (const Described& one : after) {
    const auto found = old.find(key_of(one));
    const Described* was = found == old.end() ? nullptr : found->second;
    ChangedItem item = changed_item(was, &one);
    if (was == nullptr || !item.values.empty() || item.size_before != item.size_after) {
      comparison.items.push_back(std::move(item));
    } else {
      ++comparison.unchanged;
    }
    if (was != nullptr) {
      old.erase(found);
    }
  }
  for (const Described& one : before) {
    if (core::value_in(old, key_of(one)) != nullptr) {
      comparison.items.push_back(changed_item(&one, nullptr));
    }
  }
}

// What others are built against.
bool is_envelope(const ChangedItem& item) {
  return item.kind == "carve-out" ||
         (item.kind == "heap" &&
          core::contains(item.values, std::string{"suggested"}, &ChangedValue::what));
}

void judge_change(Comparison& comparison) {
  comparison.change = comparison.items.empty() ? CompareChange::kNone
                      : std::ranges::any_of(comparison.items, is_envelope)
                          ? CompareChange::kEnvelope
                          : CompareChange::kLayout;
}

// A folder that has a written map, or that map's document itself; empty: neither.
std::string map_folder(Session& session, const std::string& path) {
  constexpr std::string_view kDocument = "memory_map.json";
  if (session.files.is_directory(path)) {
    return session.files.is_regular_file(fmt::format("{}/{}", path, kDocument)) ? path
                                                                                : std::string{};
  }
  if (!path.ends_with(kDocument)) {
    return {};
  }
  const std::string folder = path.substr(0, path.size() - kDocument.size());
  return folder.empty() ? "." : folder.substr(0, std::max<std::size_t>(1, folder.size() - 1));
}

// Nothing where it is no map.
core::Result<std::optional<ShownMap>> read_one_map(Session& session,
                                                   const CompareRequest& request,
                                                   const std::string& path) {
  if (const std::string folder = map_folder(session, path); !folder.empty()) {
    auto found = map_of_folder(session, request.board, folder);
    MEMSIZE_TRY(found);
    return std::move(*found);
  }
  if (session.files.is_directory(path) && sdk::tree_root(session.files, path)) {
    EmitRequest tree{.board = request.board, .sdk = path};
    auto found = map_of_tree(session, tree, request.soc, request.os);
    MEMSIZE_TRY(found);
    // What is wrong in a tree, check tells.
    found->diagnostics.clear();
    return std::move(*found);
  }
  return std::nullopt;
}

core::Result<std::optional<Comparison>> compare_maps(Session& session,
                                                     const CompareRequest& request) {
  const auto before = read_one_map(session, request, request.before);
  MEMSIZE_TRY(before);
  const auto after = read_one_map(session, request, request.after);
  MEMSIZE_TRY(after);
  if (before->has_value() != after->has_value()) {
    return core::fail(core::error(
        core::Code::kUsage,
        fmt::format("'{}' is a map, '{}' is none",
                    core::printable(before->has_value() ? request.before : request.after),
                    core::printable(before->has_value() ? request.after : request.before)),
        {},
        "compare a map with a map: a folder of emit --out, or an SDK tree"));
  }
  if (!before->has_value()) {
    return std::nullopt;
  }
  Comparison comparison{.kind = CompareKind::kMap};
  compare_lists(describe((*before)->map), describe((*after)->map), comparison);
  comparison.total_before = (*before)->map.reserved();
  comparison.total_after = (*after)->map.reserved();
  for (const ShownMap* shown : {&**before, &**after}) {
    comparison.diagnostics.insert(
        comparison.diagnostics.end(), shown->diagnostics.begin(), shown->diagnostics.end());
  }
  judge_change(comparison);
  return comparison;
}

// What is suggested, or where no board says so, what is used.
Bytes total_of(const sizing::Sizing& sizing) {
  Bytes total;
  for (const sizing::CoreSizing& core : sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      total += demand.suggested.value_or(demand.figure());
    }
  }
  return total;
}

bool reads_as_no_log(const core::Diagnostics& errors) {
  return std::ranges::any_of(errors, [](const core::Diagnostic& error) {
    return error.code == core::Code::kReadUnknownFormat || error.code == core::Code::kReadNoTable ||
           error.code == core::Code::kReadEmpty;
  });
}

core::Result<std::optional<Comparison>> compare_runs(Session& session,
                                                     const CompareRequest& request) {
  // What is read once is left to who reads plans.
  if (request.before == "-" || request.after == "-" || session.files.is_directory(request.before)) {
    return std::nullopt;
  }
  AnalyzeRequest asked{.board = request.board};
  asked.inputs = {request.before};
  const auto before = analyze(session, asked);
  if (!before && reads_as_no_log(before.error())) {
    return std::nullopt;
  }
  MEMSIZE_TRY(before);
  asked.inputs = {request.after};
  const auto after = analyze(session, asked);
  MEMSIZE_TRY(after);
  Comparison comparison{.kind = CompareKind::kSizing};
  compare_lists(describe(before->sizing), describe(after->sizing), comparison);
  comparison.total_before = total_of(before->sizing);
  comparison.total_after = total_of(after->sizing);
  for (const core::Diagnostic& said : after->sizing.diagnostics) {
    if (said.severity != core::Severity::kNote) {
      comparison.diagnostics.push_back(said);
    }
  }
  judge_change(comparison);
  return comparison;
}

}  // namespace

core::Result<std::optional<Comparison>> compare_memory(Session& session,
                                                       const CompareRequest& request) {
  // What is not there is no plan either.
  for (const std::string& path : {request.before, request.after}) {
    if (path != "-" && !session.files.exists(path)) {
      return core::fail(core::error(
          core::Code::kFileRead,
          fmt::format("cannot read '{}': there is no such file or folder", core::printable(path)),
          {path}));
    }
  }
  auto maps = compare_maps(session, request);
  return !maps || maps->has_value() ? std::move(maps) : compare_runs(session, request);
}

}  // namespace memsize::app
