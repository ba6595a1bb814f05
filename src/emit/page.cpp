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

class PageView {
 public:
  explicit PageView(const EmitInput& input)
      : input_(input),
        map_(input.map),
        baseline_(input.baseline),
        old_regions_(input.baseline.regions, &Region::name),
        facts_(input.facts == nullptr ? none_ : *input.facts),
        owners_(owners_of(input.map)) {
    for (const layout::Carveout& carveout : map_.carveouts) {
      for (const std::string& member : carveout.members) {
        carveout_of_.emplace(member, carveout.label);
      }
    }
  }

  Json view() {
    // What has to be done is said as in REBUILD.md.
    Json view = rebuild_view(input_);
    const std::vector<BankStrips> banks = strips_of(map_, baseline_);
    const bool compares =
        std::ranges::any_of(banks, [](const auto& bank) { return bank.strips.size() > 1; });
    view["compares"] = compares;
    view["subtitle"] = subtitle(compares);
    view["warnings"] = said(core::Severity::kWarning, kWarningsAtTop);
    view["has_warnings"] = !view["warnings"].empty();
    view["all_warnings"] = said(core::Severity::kWarning, SIZE_MAX);
    view["notes"] = said(core::Severity::kNote, SIZE_MAX);
    view["has_notes"] = !view["notes"].empty();
    view["sources"] = Json::array(facts_.sources, [](const std::string& text) -> Json {
      return {{"text", text}};
    });
    view["legend"] = legend();
    view["banks"] = Json::array(banks, bank_view);
    view["heaps"] = Json::array();
    for (const HeapFill& heap : facts_.heaps) {
      view["heaps"].push_back(heap_view(heap));
    }
    view["has_heaps"] = !facts_.heaps.empty();
    view["kinds"] = kinds();
    view["rows"] = rows();
    view["tiles"] = tiles(compares);
    view["count"] = fmt::format("{}", shown_);
    view["carveouts"] = Json::array(
        map_.carveouts, [&](const layout::Carveout& carveout) { return carveout_view(carveout); });
    view["cores"] = Json::array();
    view["data"] = script_json({{"lanes", lanes(view["cores"])}});
    return view;
  }

 private:
  [[nodiscard]] std::string subtitle(bool compares) const {
    std::vector<std::string> parts = {fmt::format("board {}", map_.board.name)};
    if (!map_.board.sdk.empty()) {
      parts.push_back(map_.board.sdk);
    }
    if (!facts_.sources.empty()) {
      parts.push_back(facts_.sources.front());
    }
    parts.push_back(compares ? "compared with " + input_.baseline_name
                             : "the same as " + input_.baseline_name);
    return core::join(parts, ", ");
  }

  [[nodiscard]] Json tiles(bool compares) const {
    Json tiles = Json::array();
    const auto add =
        [&](const std::string& value, const std::string& label, const char* kind = "") {
          tiles.push_back({{"value", value}, {"label", label}, {"kind", kind}});
        };
    const Bytes before = baseline_.reserved();
    const Bytes now = map_.reserved();
    if (!compares) {
      add(core::format_size(now), "kept from Linux");
      add(fmt::format("{}", shown_), "regions");
    } else {
      add(now == before
              ? std::string{"0 B"}
              : fmt::format("{}{}",
                            now < before ? "+" : "-",
                            core::format_size(now < before ? before - now : now - before)),
          before < now ? "taken from Linux" : "back to Linux",
          now < before   ? "good"
          : before < now ? "bad"
                         : "");
      add(core::format_size(now), fmt::format("reserved (was {})", core::format_size(before)));
      add_changes(add);
    }
    add_tables(add);
    return tiles;
  }

  void add_changes(const auto& add) const {
    std::size_t resized = 0;
    std::size_t moved = 0;
    for (const Region& region : map_.regions) {
      const Region* old = region_in(old_regions_, region);
      const bool other_size = old == nullptr || old->size != region.size;
      if (region.kind == RegionKind::kRegion && is_changed(region, old_regions_)) {
        ++(other_size ? resized : moved);
      }
    }
    add(fmt::format("{}", resized),
        fmt::format("{} resized{}",
                    resized == 1 ? "region" : "regions",
                    moved == 0 ? std::string{} : fmt::format(", {} moved", moved)));
    const Affected affected = input_.affected.value_or(affected_by(map_, baseline_));
    if (affected.cores.empty()) {
      add("nothing", affected.device_tree ? "to reflash but the device tree" : "to reflash");
    } else {
      add(affected.cores.size() <= 3 ? core::join(affected.cores, ", ")
                                     : core::plural(affected.cores.size(), "core"),
          affected.device_tree ? "to reflash, then the device tree" : "to reflash");
    }
  }

  // The core whose driver has the fewest translation tables left.
  void add_tables(const auto& add) const {
    const std::uint64_t limit = map_.board.mmu.tables;
    if (limit == 0 || !layout::can_build(map_)) {
      return;
    }
    std::size_t most = 0;
    std::string whose;
    for (const layout::MmuTable& table : map_.mmu) {
      const std::size_t taken =
          layout::TranslationTables{table, map_.board.mmu.blocks_replace_tables}.taken();
      if (most < taken) {
        most = taken;
        whose = table.core;
      }
    }
    if (most != 0) {
      add(fmt::format("{} / {}", most, limit), fmt::format("MMU tables of {}", whose));
    }
  }

  [[nodiscard]] Json said(core::Severity least, std::size_t most) const {
    Json list = Json::array();
    core::Diagnostics ordered = facts_.said;
    std::ranges::stable_sort(ordered, std::ranges::greater{}, &core::Diagnostic::severity);
    for (const core::Diagnostic& one : ordered) {
      const bool wanted = least == core::Severity::kNote ? one.severity == core::Severity::kNote
                                                         : one.severity >= least;
      if (wanted && list.size() < most) {
        std::string more = one.hint;
        for (const std::string& detail : one.details) {
          more += (more.empty() ? "" : "; ") + detail;
        }
        list.push_back({{"severity", core::severity_name(one.severity)},
                        {"code", core::code_name(one.code)},
                        {"text", core::visible_text(one.message)},
                        {"has_region", has_row(one.party("region"))},
                        {"region", std::string{one.party("region")}},
                        {"more", core::visible_text(more)}});
      }
    }
    return list;
  }

  [[nodiscard]] bool has_row(std::string_view region) const {
    return !region.empty() && map_.find_owned(region) != nullptr;
  }

  [[nodiscard]] Json legend() const {
    Json legend = Json::array();
    for (std::size_t i = 0; i < owners_.size(); ++i) {
      const char* fill =
          i + 1 == owners_.size() ? kSharedFill : kOwnerFills.at(i % kOwnerFills.size());
      legend.push_back({{"name", owners_[i]}, {"kind", fmt::format("o{}", i)}, {"fill", fill}});
    }
    return legend;
  }

  static Json bank_view(const BankStrips& bank) {
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

  static std::string_view word_of(HeapPart::Kind kind) {
    return kind == HeapPart::Kind::kMost ? "more for the largest" : name_of(kind);
  }

  // What the bars are made of.
  [[nodiscard]] Json kinds() const {
    Json kinds = Json::array();
    if (!facts_.heaps.empty()) {
      for (const HeapPart& part : facts_.heaps.front().parts) {
        kinds.push_back({{"kind", name_of(part.kind)}, {"word", word_of(part.kind)}});
      }
      kinds.push_back({{"kind", "empty"}, {"word", "empty"}});
    }
    return kinds;
  }

  [[nodiscard]] Json heap_view(const HeapFill& heap) const {
    const Region* region = map_.find_owned(heap.region);
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
      return {{"name", record.name},
              {"size", core::format_bytes(record.size)},
              {"where", record.where}};
    });
    view["count"] = core::plural(heap.records.size(), "record");
    return view;
  }

  // "was 64 MiB, from 0x...": what stood there before.
  [[nodiscard]] std::string change_of(const Region& region) const {
    if (!is_changed(region, old_regions_)) {
      return {};
    }
    const Region* old = region_in(old_regions_, region);
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

  [[nodiscard]] std::string carveout_of(const Region& region) const {
    const auto* label = core::value_in(carveout_of_, region.name);
    return label == nullptr ? std::string{} : *label;
  }

  // One for all that checks say of the region.
  [[nodiscard]] Json badges_of(const Region& region) const {
    std::vector<std::string> texts;
    const core::Diagnostic* worst = nullptr;
    for (const core::Diagnostic& one : facts_.said) {
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
    const std::string change = alias ? std::string{} : change_of(region);
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

  // Each region, and behind it its other names.
  [[nodiscard]] Json rows() {
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
      ++shown_;
      const std::vector<const Region*>& others = other_names.all(region.name);
      rows.push_back(row(region, !others.empty()));
      for (const Region* other : others) {
        rows.push_back(row(*other, false));
      }
    }
    return rows;
  }

  [[nodiscard]] Json carveout_view(const layout::Carveout& carveout) const {
    const layout::Carveout* old =
        core::find_in(baseline_.carveouts, carveout.label, &layout::Carveout::label);
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

  // What each core sees: [name, owner's name, address, size, physical or null, cached], by address;
  // and its entries: [label, address, size, target, cached].
  [[nodiscard]] Json lanes(Json& cores) const {
    Json lanes = Json::array();
    for (const board::Core& core : map_.board.cores) {
      const layout::CoreHardware hardware = layout::hardware_of(map_, core.name);
      Json seen = Json::array();
      for (const Region& region : map_.regions) {
        if (!region.seen_by(core.name) || !region.virtual_base) {
          continue;
        }
        for (const layout::Sight& sight :
             look_at(hardware, region.virtual_base->value(), region.size.count())) {
          Json one = Json::array();
          one.push_back(region.name);
          one.push_back(region.kind == RegionKind::kRegion ? region.name : region.of);
          one.push_back(fmt::format("o{}", owner_of_name(region)));
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

  [[nodiscard]] std::size_t owner_of_name(const Region& region) const {
    const Region* owner = region.kind == RegionKind::kRegion ? &region : map_.find_owned(region.of);
    return owner_of(owners_, owner == nullptr ? region : *owner);
  }

  const PageFacts none_;
  const EmitInput& input_;
  const MemoryMap& map_;
  const MemoryMap& baseline_;
  RegionsByName old_regions_;
  const PageFacts& facts_;
  std::vector<std::string> owners_;
  // By region, the label.
  std::unordered_map<std::string, std::string> carveout_of_;
  std::size_t shown_ = 0;
};

}  // namespace

core::Result<std::string> render_page(const EmitInput& input) {
  return render_page_template(input.files, input.template_folders, "page", PageView{input}.view());
}

}  // namespace memsize::emit
