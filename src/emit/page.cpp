// The page of a map: its values for the template `page`, and the data of the lanes for its script.
#include "memsize/emit/page.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/layout/translation.hpp"
#include "memsize/layout/why.hpp"

#include "strips.hpp"
#include "template.hpp"
#include "view.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Bytes;
using layout::MemoryMap;
using layout::Region;
using layout::RegionKind;

constexpr std::size_t kWarningsAtTop = 3;

// Closes no <script>, whatever a name is.
std::string script_json(const Json& json) {
  std::string text;
  for (const char c : json.compact()) {
    text += c == '<' ? std::string{"\\u003c"} : std::string(1, c);
  }
  return text;
}

void add_tile(Json& tiles,
              const std::string& value,
              const std::string& label,
              const char* kind = "") {
  tiles.push_back({{"value", value}, {"label", label}, {"kind", kind}});
}

std::string subtitle_of(const EmitInput& input, const PageFacts& facts, bool compares) {
  std::vector<std::string> parts = {fmt::format("board {}", input.map.board.name)};
  if (!input.map.board.sdk.empty()) {
    parts.push_back(input.map.board.sdk);
  }
  if (!facts.sources.empty()) {
    parts.push_back(facts.sources.front());
  }
  parts.push_back(compares ? "compared with " + input.baseline_name
                           : "the same as " + input.baseline_name);
  return core::join(parts, ", ");
}

void add_changes(const EmitInput& input, const RegionsByName& old_regions, Json& tiles) {
  std::size_t resized = 0;
  std::size_t moved = 0;
  for (const Region& region : input.map.regions) {
    const Region* old = region_in(old_regions, region);
    const bool other_size = old == nullptr || old->size != region.size;
    if (region.kind == RegionKind::kRegion && is_changed(region, old_regions)) {
      ++(other_size ? resized : moved);
    }
  }
  add_tile(tiles,
           fmt::format("{}", resized),
           fmt::format("{} resized{}",
                       resized == 1 ? "region" : "regions",
                       moved == 0 ? std::string{} : fmt::format(", {} moved", moved)));
  const Affected affected = input.affected.value_or(affected_by(input.map, input.baseline));
  if (affected.cores.empty()) {
    add_tile(
        tiles, "nothing", affected.device_tree ? "to reflash but the device tree" : "to reflash");
  } else {
    add_tile(tiles,
             affected.cores.size() <= 3 ? core::join(affected.cores, ", ")
                                        : core::plural(affected.cores.size(), "core"),
             affected.device_tree ? "to reflash, then the device tree" : "to reflash");
  }
}

// The core whose driver has the fewest translation tables left.
void add_tables_left(const MemoryMap& map, Json& tiles) {
  const std::uint64_t limit = map.board.mmu.tables;
  if (limit == 0 || !layout::can_build(map)) {
    return;
  }
  std::size_t most = 0;
  std::string whose;
  for (const layout::MmuTable& table : map.mmu) {
    const std::size_t taken =
        layout::TranslationTables{table, map.board.mmu.blocks_replace_tables}.taken();
    if (most < taken) {
      most = taken;
      whose = table.core;
    }
  }
  if (most != 0) {
    add_tile(tiles, fmt::format("{} / {}", most, limit), fmt::format("MMU tables of {}", whose));
  }
}

Json tiles_view(const EmitInput& input,
                const RegionsByName& old_regions,
                std::size_t shown,
                bool compares) {
  Json tiles = Json::array();
  const Bytes before = input.baseline.reserved();
  const Bytes now = input.map.reserved();
  if (!compares) {
    add_tile(tiles, core::format_size(now), "kept from Linux");
    add_tile(tiles, fmt::format("{}", shown), "regions");
  } else {
    add_tile(tiles,
             now == before
                 ? std::string{"0 B"}
                 : fmt::format("{}{}",
                               now < before ? "+" : "-",
                               core::format_size(now < before ? before - now : now - before)),
             before < now ? "taken from Linux" : "back to Linux",
             now < before   ? "good"
             : before < now ? "bad"
                            : "");
    add_tile(
        tiles, core::format_size(now), fmt::format("reserved (was {})", core::format_size(before)));
    add_changes(input, old_regions, tiles);
  }
  add_tables_left(input.map, tiles);
  return tiles;
}

Json said_view(const MemoryMap& map,
               const core::Diagnostics& said,
               core::Severity least,
               std::size_t most) {
  Json list = Json::array();
  core::Diagnostics ordered = said;
  std::ranges::stable_sort(ordered, std::ranges::greater{}, &core::Diagnostic::severity);
  for (const core::Diagnostic& one : ordered) {
    const bool wanted = least == core::Severity::kNote ? one.severity == core::Severity::kNote
                                                       : one.severity >= least;
    if (wanted && list.size() < most) {
      const std::string_view region = one.party("region");
      std::string more = one.hint;
      for (const std::string& detail : one.details) {
        more += (more.empty() ? "" : "; ") + detail;
      }
      list.push_back({{"severity", core::severity_name(one.severity)},
                      {"code", core::code_name(one.code)},
                      {"text", core::visible_text(one.message)},
                      {"has_region", !region.empty() && map.find_owned(region) != nullptr},
                      {"region", std::string{region}},
                      {"more", core::visible_text(more)}});
    }
  }
  return list;
}

Json legend_view(const std::vector<std::string>& owners) {
  Json legend = Json::array();
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const char* fill =
        i + 1 == owners.size() ? kSharedFill : kOwnerFills.at(i % kOwnerFills.size());
    legend.push_back({{"name", owners[i]}, {"kind", fmt::format("o{}", i)}, {"fill", fill}});
  }
  return legend;
}

Json bank_view(const BankStrips& bank) {
  Json view = {{"name", bank.name},
               {"base", fmt::format("{}", bank.range.base().value())},
               {"from", fmt::format("{}", (bank.view.base() - bank.range.base()).count())},
               {"shown", fmt::format("{}", bank.view.size().count())},
               {"bytes", fmt::format("{}", bank.range.size().count())},
               {"range",
                fmt::format("{} to {}",
                            core::format_address(bank.range.base()),
                            core::format_address(bank.range.last()))},
               {"size", core::format_size(bank.range.size())}};
  view["strips"] = Json::array(bank.strips, [&](const Strip& strip) -> Json {
    return {{"title", strip.title}, {"svg", strip_svg(bank, strip)}};
  });
  return view;
}

std::string_view word_of(HeapPart::Kind kind) {
  return kind == HeapPart::Kind::kMost ? "more for the largest" : name_of(kind);
}

// What the bars are made of.
Json kinds_view(const std::vector<HeapFill>& heaps) {
  Json kinds = Json::array();
  if (!heaps.empty()) {
    for (const HeapPart& part : heaps.front().parts) {
      kinds.push_back({{"kind", name_of(part.kind)}, {"word", word_of(part.kind)}});
    }
    kinds.push_back({{"kind", "empty"}, {"word", "empty"}});
  }
  return kinds;
}

Json heap_view(const MemoryMap& map, const HeapFill& heap) {
  const Region* region = map.find_owned(heap.region);
  const Bytes size = region == nullptr ? Bytes{} : region->size;
  Json view = {{"region", heap.region},
               {"title", heap.title},
               {"size", core::format_size(size)},
               {"caveat", heap.caveat},
               {"has_caveat", !heap.caveat.empty()}};
  view["parts"] = Json::array();
  Bytes used;
  const auto add = [&](std::string_view kind, Bytes part) {
    if (part.count() != 0 && size.count() != 0) {
      view["parts"].push_back({{"kind", kind},
                               {"share",
                                fmt::format("{:.3f}",
                                            100.0 * static_cast<double>(part.count()) /
                                                static_cast<double>(size.count()))},
                               {"text", fmt::format("{}: {}", kind, core::format_bytes(part))}});
    }
  };
  std::vector<std::string> words;
  for (const HeapPart& part : heap.parts) {
    // A size that was set may be smaller than what is needed.
    const Bytes shown = std::min(part.size, size - used);
    used += shown;
    add(name_of(part.kind), shown);
    if (part.size.count() != 0) {
      words.push_back(fmt::format("{} {}", core::format_size(part.size), word_of(part.kind)));
    }
  }
  add("empty", size - used);
  view["words"] = core::join(words, ", ");
  view["records"] = Json::array(heap.records, [](const HeapRecord& record) -> Json {
    return {
        {"name", record.name}, {"size", core::format_bytes(record.size)}, {"where", record.where}};
  });
  view["count"] = core::plural(heap.records.size(), "record");
  return view;
}

// "was 64 MiB, from 0x...": what stood there before.
std::string change_of(const Region& region, const RegionsByName& old_regions) {
  if (!is_changed(region, old_regions)) {
    return {};
  }
  const Region* old = region_in(old_regions, region);
  if (old == nullptr) {
    return "new";
  }
  std::vector<std::string> parts;
  if (old->size != region.size) {
    parts.push_back("was " + core::format_size(old->size));
  }
  if (old->physical_base != region.physical_base && old->physical_base) {
    parts.push_back("from " + core::format_address(*old->physical_base));
  }
  return parts.empty() ? std::string{"seen elsewhere"} : core::join(parts, ", ");
}

// The table of regions.
class RegionRows {
 public:
  RegionRows(const MemoryMap& map,
             const RegionsByName& old_regions,
             const core::Diagnostics& said,
             const std::vector<std::string>& owners)
      : map_(map), old_regions_(old_regions), said_(said), owners_(owners) {
    for (const layout::Carveout& carveout : map_.carveouts) {
      for (const std::string& member : carveout.members) {
        carveout_of_.emplace(member, carveout.label);
      }
    }
  }

  // Each region, and behind it its other names.
  [[nodiscard]] Json rows() const {
    Json rows = Json::array();
    const RegionsByName other_names{map_.regions, &Region::of};
    std::vector<const Region*> owned;
    for (const Region& region : map_.regions) {
      if (region.kind == RegionKind::kRegion) {
        owned.push_back(&region);
      }
    }
    // What is on the bus first, then what only its own core sees.
    std::stable_partition(owned.begin(), owned.end(), [](const Region* one) {
      return one->physical_base.has_value();
    });
    for (const Region* one : owned) {
      const Region& region = *one;
      const std::vector<const Region*>& others = other_names.all(region.name);
      rows.push_back(row(region, !others.empty()));
      for (const Region* other : others) {
        rows.push_back(row(*other, false));
      }
    }
    return rows;
  }

 private:
  [[nodiscard]] std::string carveout_of(const Region& region) const {
    const auto* label = core::value_in(carveout_of_, region.name);
    return label == nullptr ? std::string{} : *label;
  }

  // One for all that checks say of the region.
  [[nodiscard]] Json badges_of(const Region& region) const {
    std::vector<std::string> texts;
    const core::Diagnostic* worst = nullptr;
    for (const core::Diagnostic& one : said_) {
      const bool is_about = std::ranges::any_of(one.parties, [&](const core::Party& party) {
        return party.kind == "region" && party.name == region.name;
      });
      if (is_about && one.severity != core::Severity::kNote) {
        texts.push_back(core::visible_text(one.message));
        worst = worst == nullptr || worst->severity < one.severity ? &one : worst;
      }
    }
    Json badges = Json::array();
    if (worst != nullptr) {
      badges.push_back({{"severity", core::severity_name(worst->severity)},
                        {"label",
                         texts.size() == 1 ? std::string{core::code_name(worst->code)}
                                           : core::plural(texts.size(), "finding")},
                        {"text", core::join(texts, "; ")}});
    }
    return badges;
  }

  [[nodiscard]] Json row(const Region& region, bool folds) const {
    const bool alias = region.kind != RegionKind::kRegion;
    const auto hex = [](const auto& address) {
      return address ? core::format_address(*address) : std::string{};
    };
    const auto plain = [](const auto& address) {
      return address ? fmt::format("{}", address->value()) : std::string{};
    };
    const bool elsewhere =
        region.virtual_base &&
        (!region.physical_base || region.virtual_base->value() != region.physical_base->value());
    const std::string change = alias ? std::string{} : change_of(region, old_regions_);
    return {{"name", region.name},
            {"folds", folds},
            {"alias", alias},
            {"kind", layout::name_of(region.kind)},
            {"of", alias ? region.of : region.name},
            {"owner", fmt::format("o{}", owner_of(owners_, region))},
            {"physical", hex(region.physical_base)},
            {"virtual", elsewhere ? hex(region.virtual_base) : std::string{}},
            {"a", plain(region.physical_base)},
            {"v", plain(region.virtual_base)},
            {"n", fmt::format("{}", region.size.count())},
            {"size", core::format_size(region.size)},
            {"change", change},
            {"changed", !change.empty()},
            {"cores", core::join(region.cores, " ")},
            {"cache", region.cache == chip::Cache::kAny ? "" : chip::name_of(region.cache)},
            {"attributes", region.attributes},
            {"carveout", carveout_of(region)},
            {"badges", badges_of(region)},
            {"note", region.note}};
  }

  const MemoryMap& map_;
  const RegionsByName& old_regions_;
  const core::Diagnostics& said_;
  const std::vector<std::string>& owners_;
  // By region, the label.
  std::unordered_map<std::string, std::string> carveout_of_;
};

Json carveout_view(const layout::Carveout& carveout, const MemoryMap& baseline) {
  const layout::Carveout* old =
      core::find_in(baseline.carveouts, carveout.label, &layout::Carveout::label);
  std::vector<std::string> change;
  if (old == nullptr) {
    change.emplace_back("new");
  } else if (old->range.size() != carveout.range.size()) {
    change.push_back("was " + core::format_size(old->range.size()));
  }
  if (old != nullptr && old->range.base() != carveout.range.base()) {
    change.push_back("from " + core::format_address(old->range.base()));
  }
  return {{"label", carveout.label},
          {"first", core::format_address(carveout.range.base())},
          {"last", core::format_address(carveout.range.last())},
          {"size", core::format_size(carveout.range.size())},
          {"change", core::join(change, ", ")},
          {"changed", !change.empty()},
          {"members", core::join(carveout.members, " ")}};
}

std::size_t owner_of_name(const MemoryMap& map,
                          const std::vector<std::string>& owners,
                          const Region& region) {
  const Region* owner = region.kind == RegionKind::kRegion ? &region : map.find_owned(region.of);
  return owner_of(owners, owner == nullptr ? region : *owner);
}

// What each core sees: [name, owner's name, address, size, physical or null, cached], by address;
// and its entries: [label, address, size, target, cached].
Json lanes_view(const MemoryMap& map, const std::vector<std::string>& owners, Json& cores) {
  Json lanes = Json::array();
  for (const board::Core& core : map.board.cores) {
    const layout::CoreHardware hardware = layout::hardware_of(map, core.name);
    Json seen = Json::array();
    for (const Region& region : map.regions) {
      if (!region.seen_by(core.name) || !region.virtual_base) {
        continue;
      }
      for (const layout::Sight& sight :
           look_at(hardware, region.virtual_base->value(), region.size.count())) {
        Json one = Json::array();
        one.push_back(region.name);
        one.push_back(region.kind == RegionKind::kRegion ? region.name : region.of);
        one.push_back(fmt::format("o{}", owner_of_name(map, owners, region)));
        one.push_back(sight.address);
        one.push_back(sight.size);
        Json physical;
        if (sight.physical) {
          physical = *sight.physical;
        }
        one.push_back(std::move(physical));
        one.push_back(sight.cached);
        seen.push_back(std::move(one));
      }
    }
    Json entries = Json::array();
    for (const auto* list : {&hardware.entries, &hardware.rat}) {
      for (const layout::HardwareEntry& entry : *list) {
        Json one = Json::array();
        one.push_back(entry.label);
        one.push_back(entry.base);
        one.push_back(entry.size);
        one.push_back(entry.target);
        one.push_back(entry.cached);
        entries.push_back(std::move(one));
      }
    }
    if (!seen.empty()) {
      cores.push_back({{"name", core.name}, {"title", core.title}});
      lanes.push_back(
          {{"core", core.name}, {"seen", std::move(seen)}, {"entries", std::move(entries)}});
    }
  }
  return lanes;
}

Json page_view(const EmitInput& input) {
  static const PageFacts none;
  const PageFacts& facts = input.facts == nullptr ? none : *input.facts;
  const MemoryMap& map = input.map;
  const RegionsByName old_regions{input.baseline.regions, &Region::name};
  const std::vector<std::string> owners = owners_of(map);
  const auto shown =
      static_cast<std::size_t>(std::ranges::count(map.regions, RegionKind::kRegion, &Region::kind));
  // What has to be done is said as in REBUILD.md.
  Json view = rebuild_view(input);
  const std::vector<BankStrips> banks = strips_of(map, input.baseline);
  const bool compares =
      std::ranges::any_of(banks, [](const auto& bank) { return bank.strips.size() > 1; });
  view["compares"] = compares;
  view["subtitle"] = subtitle_of(input, facts, compares);
  view["warnings"] = said_view(map, facts.said, core::Severity::kWarning, kWarningsAtTop);
  view["has_warnings"] = !view["warnings"].empty();
  view["all_warnings"] = said_view(map, facts.said, core::Severity::kWarning, SIZE_MAX);
  view["notes"] = said_view(map, facts.said, core::Severity::kNote, SIZE_MAX);
  view["has_notes"] = !view["notes"].empty();
  view["sources"] = Json::array(facts.sources, [](const std::string& text) -> Json {
    return {{"text", text}};
  });
  view["legend"] = legend_view(owners);
  view["banks"] = Json::array(banks, bank_view);
  view["heaps"] = Json::array();
  for (const HeapFill& heap : facts.heaps) {
    view["heaps"].push_back(heap_view(map, heap));
  }
  view["has_heaps"] = !facts.heaps.empty();
  view["kinds"] = kinds_view(facts.heaps);
  view["rows"] = RegionRows{map, old_regions, facts.said, owners}.rows();
  view["tiles"] = tiles_view(input, old_regions, shown, compares);
  view["count"] = fmt::format("{}", shown);
  view["carveouts"] = Json::array(map.carveouts, [&](const layout::Carveout& carveout) {
    return carveout_view(carveout, input.baseline);
  });
  view["cores"] = Json::array();
  view["data"] = script_json({{"lanes", lanes_view(map, owners, view["cores"])}});
  return view;
}

}  // namespace

core::Result<std::string> render_page(const EmitInput& input) {
  return render_page_template(input.files, input.template_folders, "page", page_view(input));
}

}  // namespace memsize::emit
