// The layout of an imported board as text: chip, knobs, chains, other names, carve-outs.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan.hpp"
#include "script/script.hpp"
#include "toml.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::uint64_t kGibOfDram = 1ULL << 30;
// The smallest page of the MMUs: what a size must be a multiple of unless a board knows better.
constexpr std::uint64_t kPage = 4096;

// --- the chip

std::string file_named(const Plan& plan, const char* kind, const std::string& without) {
  for (const ScriptExport& each : plan.variant->script->exports) {
    if (each.kind == kind && !each.path.empty()) {
      return each.path.substr(each.path.rfind('/') + 1);
    }
  }
  return without;
}

std::string core_fields(const Plan& plan, const PlanCore& core, const std::string& common) {
  std::string text;
  const board::Board* board = plan.known();
  const board::Core* known = board == nullptr ? nullptr : board->find_core(core.name);
  if (known != nullptr && !known->title.empty()) {
    text += fmt::format("title = {}\n", quoted(known->title));
  }
  if (core.linker_file != common) {
    text += fmt::format("linker = {}\n", quoted(core.linker_file));
  }
  if (known != nullptr && !known->device.empty()) {
    text += fmt::format("linux = {}\n", quoted(known->device));
  }
  if (known != nullptr && !known->firmware.empty()) {
    text += fmt::format("firmware = {}\n", quoted(known->firmware));
  }
  InlineTable onchip;
  bool any = false;
  for (std::size_t i = 0; known != nullptr && i < known->onchip.size(); ++i) {
    if (plan.find(known->onchip[i].region) != nullptr) {
      onchip.text(known->onchip[i].space.c_str(), known->onchip[i].region);
      any = true;
    }
  }
  return any ? text + fmt::format("onchip = {}\n", onchip.str()) : text;
}

std::string banks_text(const Plan& plan) {
  std::string text;
  const board::Board* known = plan.known();
  if (known != nullptr) {
    for (const board::Bank& bank : known->banks) {
      text += fmt::format("[bank.{}]\nbase = \"{}\"\nsize = {}\n\n",
                          key_text(bank.name),
                          core::format_address(bank.range.base()),
                          quoted(size_text(static_cast<Integer>(bank.range.size().count()))));
    }
    for (const board::Keep& kept : known->kept) {
      text += fmt::format("[kept.{}]\nbase = \"{}\"\nsize = {}\nwhy = {}\n\n",
                          key_text(kept.name),
                          core::format_address(kept.range.base()),
                          quoted(size_text(static_cast<Integer>(kept.range.size().count()))),
                          quoted(kept.why));
    }
    return text;
  }
  std::uint64_t high_end = 0;
  for (const PlanRegion& region : plan.regions) {
    high_end = region.space == board::Space::kDdr ? std::max(high_end, region.end()) : high_end;
  }
  text = "# The tree does not say how much DRAM there is: correct the sizes.\n";
  text += fmt::format("[bank.low]\nbase = \"{}\"\nsize = \"2GiB\"\n\n", core::format_hex(kLowDram));
  if (high_end > kHighDram) {
    const std::uint64_t gib = (high_end - kHighDram + kGibOfDram - 1) / kGibOfDram;
    text += fmt::format("[bank.high]\nbase = \"{}\"\nsize = \"{}GiB\"\n\n",
                        core::format_hex(kHighDram),
                        std::bit_ceil(gib));
  }
  return text;
}

std::string chip_text(const Plan& plan) {
  const board::Board* known = plan.known();
  std::string text = heading_text("The chip");
  if (known != nullptr) {
    text += fmt::format("# Titles, `onchip` and banks are those of board '{}'.\n", known->name);
  }
  std::map<std::string, int> files;
  for (const PlanCore& core : plan.cores) {
    ++files[core.linker_file];
  }
  const auto common = std::ranges::max_element(
      files, [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string head = "[files]\n";
  head += fmt::format("linker = {}\n", quoted(common->first));
  head += fmt::format("header = {}\n", quoted(file_named(plan, "CHeaderFile", "app_mem_map.h")));
  head += fmt::format(
      "dts = {}\n\n",
      quoted(file_named(
          plan,
          "DtsFile",
          known != nullptr
              ? known->dts_file
              : fmt::format("k3-{}-rtos-memory-map.dtsi",
                            plan.variant == nullptr ? "" : plan.sources->platform.soc))));
  if (known == nullptr) {
    text += "# The tree does not say which memory a trace's `l1d`, `l2` and `l3` are (`onchip`).\n";
  }
  std::string fields;
  for (const PlanCore& core : plan.cores) {
    // Cores of which nothing is known stand one below the other.
    text += fields.empty() && &core != &plan.cores.front() ? "" : "\n";
    fields = core_fields(plan, core, common->first);
    text += fmt::format("[core.{}]\n", key_text(core.name)) + fields;
  }
  return head + text + "\n" + banks_text(plan);
}

// --- knobs

const PlanRegion& planned_region(const Plan& plan, const PlanItem& item) {
  return plan.regions[static_cast<std::size_t>(item.region)];
}

Linear definition_of(const Plan& plan, const std::string& name) {
  return plan.settable(plan.forms->find(name)->definition);
}

// The names that the board's sums are made of, and what those are computed from.
std::set<std::string> names_used(const Plan& plan) {
  std::set<std::string> used;
  const auto use = [&](const Linear& form) {
    for (const auto& [name, factor] : form.terms) {
      used.insert(name);
    }
  };
  const auto use_name = [&](const std::string& name) {
    if (plan.keep.contains(name)) {
      used.insert(name);
    }
  };
  for (const PlanChain& chain : plan.chains) {
    for (const auto& value :
         {chain.after, chain.physical, chain.virtual_base, chain.limit, chain.limit_why}) {
      use_name(value);
    }
    std::ranges::for_each(board::names_in({chain.physical, {}}), use_name);
    for (const PlanItem& item : chain.items) {
      if (item.region < 0) {
        use(item.gap);
      } else if (planned_region(plan, item).space == board::Space::kDdr) {
        use(plan.settable(planned_region(plan, item).forms.length));
      }
    }
  }
  for (std::size_t before = 0; before != used.size();) {
    before = used.size();
    for (const std::string& name : std::set<std::string>{used}) {
      use(definition_of(plan, name));
    }
  }
  return used;
}

std::string default_text(const Plan& plan, const Symbol& symbol) {
  const Linear form = definition_of(plan, symbol.name);
  return form.terms.empty() && plan.addresses.contains(symbol.name)
             ? core::format_hex(static_cast<std::uint64_t>(symbol.value))
             : text_of(form);
}

bool is_one_region(const Plan& plan, const std::string& name) {
  return std::ranges::count_if(plan.regions, [&](const PlanRegion& region) {
           return only_name(plan.reduced(region.forms.length)) == name;
         }) == 1;
}

// The step that most knobs of the board have.
std::uint64_t common_step(const board::Board* known, bool hard) {
  std::map<std::uint64_t, int> count;
  for (std::size_t i = 0; known != nullptr && i < known->knobs.size(); ++i) {
    const board::Knob& knob = known->knobs[i];
    count[hard ? knob.hard_granule.value() : knob.granule.value()] += knob.is_address ? 0 : 1;
  }
  const auto most = std::ranges::max_element(
      count, [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == count.end() ? kPage : most->first;
}

std::string knob_fields(const Plan& plan, const Symbol& symbol) {
  InlineTable fields;
  fields.text("default", default_text(plan, symbol));
  const board::Board* board = plan.known();
  const board::Knob* known = board == nullptr ? nullptr : board->find_knob(symbol.name);
  const bool is_address =
      plan.addresses.contains(symbol.name) || (known != nullptr && known->is_address);
  if (is_address) {
    return fields.text("kind", "address").str();
  }
  // What the tree has is legal, whatever step the board that is known takes.
  const auto value = static_cast<std::uint64_t>(symbol.value);
  const std::uint64_t own = value == 0 ? UINT64_MAX : value & (~value + 1);
  if (known != nullptr && known->granule.value() != common_step(board, false)) {
    fields.text("granule", size_text(static_cast<Integer>(known->granule.value())));
  }
  const std::uint64_t hard_step = common_step(board, true);
  const std::uint64_t hard =
      std::min(own, known == nullptr ? hard_step : known->hard_granule.value());
  if (hard != hard_step) {
    fields.text("hard_granule", size_text(static_cast<Integer>(hard)));
  }
  if (known == nullptr) {
    return fields.str();
  }
  if (known->minimum.count() != 0) {
    fields.text("minimum", size_text(static_cast<Integer>(known->minimum.count())));
    fields.optional_text("why", known->minimum_why);
    fields.optional_text("enough", known->enough);
  }
  const auto has_core = [&](const std::string& core) {
    return core::find_in(plan.cores, core, &PlanCore::name) != nullptr;
  };
  if (known->heap && has_core(known->heap->core) && is_one_region(plan, symbol.name)) {
    fields.text("heap", fmt::format("{} {}", known->heap->core, known->heap->name));
  }
  if (known->demand && has_core(known->demand->core) && is_one_region(plan, symbol.name)) {
    const board::DemandKey& demand = *known->demand;
    fields.text("demand",
                fmt::format("{} {} {} {}",
                            demand.core,
                            demand.space,
                            model::name_of(demand.cacheability),
                            model::name_of(demand.lifetime)));
  }
  return fields.str();
}

std::string knobs_text(const Plan& plan) {
  std::vector<const Symbol*> constants;
  std::vector<const Symbol*> settable;
  for (const std::string& name : names_used(plan)) {
    const Symbol* symbol = plan.forms->find(name);
    (plan.constants.contains(name) ? constants : settable).push_back(symbol);
  }
  for (auto* list : {&constants, &settable}) {
    std::stable_sort(list->begin(), list->end(), [](const Symbol* a, const Symbol* b) {
      return a->offset < b->offset;
    });
  }
  const board::Board* known = plan.known();
  std::string text = heading_text("What a user may set");
  text += "# Names are those of the script.";
  if (known != nullptr) {
    text += fmt::format(" Minimums, granules and demands are those of board '{}', by name.",
                        known->name);
  } else {
    text +=
        " The tree does not say what sizes must be at least, nor which\n"
        "# of them a trace sizes (`minimum`, `demand`): add that where you know it.";
  }
  text += "\n\n";
  if (!constants.empty()) {
    text += "[constant]\n";
    for (const Symbol* symbol : constants) {
      text += fmt::format("{} = {}\n", key_text(symbol->name), quoted(default_text(plan, *symbol)));
    }
    text += "\n";
  }
  if (!settable.empty()) {
    text += "[knob]\n";
    for (const Symbol* symbol : settable) {
      text += fmt::format("{} = {}\n", key_text(symbol->name), knob_fields(plan, *symbol));
    }
    text += "\n";
  }
  return text;
}

// --- chains

std::string size_of(const Plan& plan, const PlanRegion& region) {
  return region.space == board::Space::kDdr ? text_of(plan.settable(region.forms.length))
                                            : size_text(static_cast<Integer>(region.size));
}

std::string region_fields(const Plan& plan, const PlanRegion& region) {
  const ScriptSection& section = *region.section;
  InlineTable fields;
  fields.text("name", region.name).text("size", size_of(plan, region));
  fields.plain("cores",
               region.cores.size() == plan.cores.size() ? "\"all\"" : list_text(region.cores));
  if (section.attributes != "RWIX") {
    fields.text("attributes", section.attributes);
  }
  if (region.cache != chip::Cache::kAny) {
    fields.text("cache", chip::name_of(region.cache));
  }
  for (const auto& [key, align] :
       {std::pair{"align", region.align}, std::pair{"section_align", region.section_align}}) {
    if (align > 1) {
      fields.text(key, size_text(static_cast<Integer>(align)));
    }
  }
  fields.flag("header", region.in_header, true).flag("html", region.in_html, true);
  fields.flag("phys", region.has_physical_name, false);
  if (region.has_physical_name) {
    fields.flag("phys_html", region.physical_name_in_html, true);
  }
  if (section.comment != section.name) {
    fields.optional_text("note", core::trim(section.comment));
  }
  return fields.str();
}

std::string chain_text(const Plan& plan, const PlanChain& chain) {
  std::string text;
  for (const std::string& comment : chain.comments) {
    text += "# " + comment + "\n";
  }
  text += fmt::format("[chain.{}]\n", key_text(chain.name));
  if (chain.space != board::Space::kDdr) {
    text += fmt::format("space = \"{}\"\n", chain.space == board::Space::kCore ? "core" : "sram");
  }
  for (const auto& [key, value] : {std::pair{"after", chain.after},
                                   std::pair{"physical", chain.physical},
                                   std::pair{"virtual", chain.virtual_base},
                                   std::pair{"limit", chain.limit},
                                   std::pair{"limit_why", chain.limit_why}}) {
    if (!value.empty()) {
      text += fmt::format("{} = {}\n", key, quoted(value));
    }
  }
  text += "regions = [\n";
  for (const PlanItem& item : chain.items) {
    text +=
        item.region < 0
            ? fmt::format("  {},\n",
                          InlineTable{}.text("gap", text_of(item.gap)).text("why", item.why).str())
            : fmt::format("  {},\n", region_fields(plan, planned_region(plan, item)));
  }
  return text + "]\n\n";
}

std::string chains_text(const Plan& plan) {
  std::string text;
  const char* part = "";
  for (const PlanChain& chain : plan.chains) {
    const char* own = chain.space != board::Space::kDdr ? "Memories on the chip"
                      : chain.physical_at < kLowDramEnd ? "DDR below 4 GiB"
                                                        : "DDR above 4 GiB";
    if (std::string_view{own} != part) {
      text += heading_text(own) + "\n";
      part = own;
    }
    text += chain_text(plan, chain);
  }
  return text;
}

std::string aliases_text(const Plan& plan) {
  std::string text;
  for (const PlanAlias& alias : plan.aliases) {
    if (alias.same_place) {
      text += fmt::format("{} = {{ of = {}, cores = {} }}\n",
                          key_text(alias.name),
                          quoted(alias.of),
                          list_text(alias.cores));
    }
  }
  return text.empty() ? text
                      : "# Cores that have another one's memory in their map, where its owner "
                        "sees it.\n[alias]\n" +
                            text + "\n";
}

std::string views_text(const Plan& plan) {
  std::string text;
  for (const PlanView& view : plan.views) {
    if (text.empty()) {
      text = "# Other cores' memories, as each core sees them one behind the other.\n";
    }
    text += fmt::format("[view.{}]\n", key_text(view.name));
    text += view.after.empty() ? fmt::format("virtual = {}\n", quoted(view.virtual_base))
                               : fmt::format("after = {}\n", quoted(view.after));
    text += fmt::format("cores = {}\nregions = [\n", list_text(view.cores));
    for (const std::size_t index : view.aliases) {
      const PlanAlias& alias = plan.aliases[index];
      text += fmt::format("  {{ name = {}, of = {} }},\n", quoted(alias.name), quoted(alias.of));
    }
    text += "]\n\n";
  }
  return text;
}

std::string header_bases_text(const Plan& plan) {
  for (const ScriptExport& each : plan.variant->script->exports) {
    if (each.kind == "CHeaderFile" && each.physical_base && each.virtual_base) {
      // The names are those of the script library's CHeaderFile.
      return fmt::format(
          "# C code converts high addresses by this pair.\n[header_base]\n"
          "DDR_64BIT_BASE_VADDR = \"{}\"\nDDR_64BIT_BASE_PADDR = \"{}\"\n\n",
          core::format_hex(*each.virtual_base),
          core::format_hex(*each.physical_base));
    }
  }
  return {};
}

// --- carve-outs

std::string carveout_text(const PlanCarveout& carveout) {
  const ScriptSection& section = *carveout.section;
  InlineTable fields;
  fields.text("node", section.dts_node);
  if (carveout.covers.front() != carveout.name) {
    fields.text("name", carveout.name);
  }
  fields.flag("header", carveout.in_header, false);
  fields.plain("covers", list_text(carveout.covers));
  const std::string compatible = section.print_compatibility ? section.compatibility : "";
  if (compatible != "shared-dma-pool") {
    fields.text("compatible", compatible);
  }
  if (section.alignment) {
    // What the script library always writes.
    fields.text("alignment", "4KiB");
  }
  return fields.flag("no_map", section.no_map, true)
      .flag("unit_address", section.origin_tag, true)
      .str();
}

std::string carveouts_text(const Plan& plan) {
  std::string text = heading_text("What Linux keeps its hands off") + "\n";
  if (!plan.carveouts.empty()) {
    text += "[carveout]\n";
    for (const PlanCarveout& carveout : plan.carveouts) {
      text += fmt::format("{} = {}\n", key_text(carveout.label), carveout_text(carveout));
    }
    text += "\n";
  }
  if (!plan.groups.empty()) {
    text += "# A name for several regions that no device-tree node has of its own.\n[group]\n";
    for (const PlanCarveout& group : plan.groups) {
      InlineTable fields;
      fields.optional_text("attributes", group.section->attributes);
      text += fmt::format(
          "{} = {}\n", key_text(group.name), fields.plain("covers", list_text(group.covers)).str());
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string layout_text(const Plan& plan) {
  return chip_text(plan) + knobs_text(plan) + chains_text(plan) + aliases_text(plan) +
         views_text(plan) + header_bases_text(plan) + carveouts_text(plan);
}

std::string steps_text(const board::Board* known) {
  const auto text = [&](bool hard) {
    return size_text(static_cast<Integer>(common_step(known, hard)));
  };
  return fmt::format("granule = {}\nhard_granule = {}\n", quoted(text(false)), quoted(text(true)));
}

}  // namespace memsize::sdk
