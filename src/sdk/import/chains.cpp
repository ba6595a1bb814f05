// Which regions follow each other, by the script's own sums, and what such a row is called.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::uint64_t kFourGib = 1ULL << 32;

// "c7x" of "c7x_1", "mcu" of "mcu2_0": a core's name without its numbers.
std::string family_of(const std::string& core) {
  const std::size_t underscore = core.rfind('_');
  const auto is_number = [](std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  if (underscore == std::string::npos ||
      !is_number(std::string_view{core}.substr(underscore + 1))) {
    return core;
  }
  std::string family = core.substr(0, underscore);
  const std::size_t end = family.find_last_not_of("0123456789");
  // "mcu2_0" is number 0 of mcu2, "c7x_1" the first of all c7x.
  return end == std::string::npos ? core : family.substr(0, end + 1);
}

bool is_heap(const PlanRegion& region) {
  const std::string name = core::to_lower(region.name);
  return name.find("heap") != std::string::npos || name.find("scratch") != std::string::npos;
}

// The words that all names begin with: "r5f_tcma" of R5F_TCMA_VECS and R5F_TCMA.
std::string common_words(const std::vector<std::string>& names) {
  std::string common = names.front();
  for (const std::string& name : names) {
    std::size_t i = 0;
    while (i < std::min(common.size(), name.size()) && common[i] == name[i]) {
      ++i;
    }
    const bool whole =
        (i == common.size() || common[i] == '_') && (i == name.size() || name[i] == '_');
    const std::size_t word = whole ? i : common.rfind('_', i == 0 ? 0 : i - 1);
    common.resize(word == std::string::npos ? 0 : std::min(word, common.size()));
  }
  return core::to_lower(common);
}

// Regions by index.
using Row = std::vector<int>;

const PlanRegion& region_at(const Plan& plan, int index) {
  return plan.regions[static_cast<std::size_t>(index)];
}

// --- on the chip

bool continues_on_chip(const Plan& plan, const Row& row, int index) {
  const PlanRegion& before = region_at(plan, row.back());
  const PlanRegion& next = region_at(plan, index);
  const bool same_distance =
      next.physical_at - before.physical_at == next.virtual_at - before.virtual_at;
  if (before.space == board::Space::kCore) {
    return before.cores == next.cores && before.virtual_at + before.size == next.virtual_at;
  }
  const std::string root = plan.root_of(next.physical);
  const bool same_root = !root.empty() && root == plan.root_of(before.physical);
  return same_distance && next.physical_at >= before.end() &&
         (same_root || next.physical_at == before.end());
}

// Memories of one kind in rows by address.
std::vector<Row> rows_on_chip(const Plan& plan, board::Space space) {
  Row all;
  for (std::size_t i = 0; i < plan.regions.size(); ++i) {
    if (plan.regions[i].space == space) {
      all.push_back(static_cast<int>(i));
    }
  }
  if (space == board::Space::kCore) {
    std::ranges::stable_sort(all, {}, [&](int index) {
      const PlanRegion& region = region_at(plan, index);
      return std::tie(region.cores, region.virtual_at);
    });
  }
  std::vector<Row> rows;
  for (const int index : all) {
    if (rows.empty() || !continues_on_chip(plan, rows.back(), index)) {
      rows.emplace_back();
    }
    rows.back().push_back(index);
  }
  return rows;
}

PlanItem gap_before(const PlanRegion& next, const Linear& gap) {
  std::string why = next.align > 1 ? fmt::format("the next section begins on a multiple of {}",
                                                 core::format_size(core::Bytes{next.align}))
                                   : "the script leaves it free";
  if (next.known_chain != nullptr) {
    const auto& items = next.known_chain->items;
    for (std::size_t i = 1; i < items.size(); ++i) {
      if (&items[i] == next.known && items[i - 1].is_gap) {
        why = items[i - 1].note;
      }
    }
  }
  return {-1, gap, why};
}

// Sizes of on-chip memories are the chip's: numbers.
PlanChain chain_on_chip(const Plan& plan, const Row& row, board::Space space) {
  PlanChain chain{.space = space};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const PlanRegion& next = region_at(plan, row[i]);
    const std::uint64_t end = i == 0 ? 0 : region_at(plan, row[i - 1]).end();
    if (i != 0 && space == board::Space::kSram && next.physical_at != end) {
      chain.items.push_back(
          gap_before(next, constant_of(static_cast<Integer>(next.physical_at - end))));
    }
    chain.items.push_back({row[i], {}, {}});
  }
  return chain;
}

// --- DRAM

// What moves with the same address of the script, in address order.
std::vector<Row> rows_of_dram(const Plan& plan) {
  std::vector<Row> rows;
  std::map<std::string, std::size_t> by_root;
  for (std::size_t i = 0; i < plan.regions.size(); ++i) {
    const PlanRegion& region = plan.regions[i];
    if (region.space != board::Space::kDdr) {
      continue;
    }
    const std::string root = plan.root_of(region.physical);
    const std::size_t own =
        root.empty() ? rows.size() : by_root.emplace(root, rows.size()).first->second;
    rows.resize(std::max(rows.size(), own + 1));
    rows[own].push_back(static_cast<int>(i));
  }
  return rows;
}

// From the end of one to the other; nothing where they overlap.
std::optional<Linear> gap_between(const Plan& plan,
                                  const PlanRegion& before,
                                  const PlanRegion& next) {
  if (next.physical_at < before.end()) {
    return std::nullopt;
  }
  return plan.settable(plus(plus(next.physical, before.physical, -1), before.forms.length, -1));
}

bool sees_on(const Plan& plan,
             const PlanRegion& before,
             const PlanRegion& next,
             const Linear& gap) {
  const Linear seen = plan.settable(
      plus(plus(next.forms.origin, before.forms.origin, -1), before.forms.length, -1));
  return seen == gap;
}

// What a region is to people: regions of one label that follow each other are one chain.
std::string label_of(const Plan& plan, const PlanRegion& region, const std::string& before) {
  if (region.known_chain != nullptr) {
    return region.known_chain->name;
  }
  if (plan.known() != nullptr && !before.empty()) {
    return before;
  }
  if (region.cores.empty()) {
    return before.empty() || region.in_header ? "shared" : before;
  }
  if (region.cores.size() > 1) {
    return "shared";
  }
  return family_of(region.cores.front()) + (is_heap(region) ? "_heaps" : "_firmware");
}

// Where the cores see it: a number, or an address that has a name.
void see_at(Plan& plan, const PlanRegion& region, PlanChain& chain) {
  const Linear form = plan.settable(region.forms.origin);
  if (plan.addresses.contains(only_name(form))) {
    chain.virtual_base = text_of(form);
    return;
  }
  chain.virtual_base = core::format_hex(region.virtual_at);
  if (!form.terms.empty()) {
    chain.comments.push_back(
        "The script takes the virtual address from the end of other areas; here it stands "
        "still.");
    plan.left_out(
        fmt::format("'{}' is seen at {}, which moves with other areas in the script but stands "
                    "still in the board",
                    region.name,
                    chain.virtual_base),
        plan.place_of(region.section->origin_argument.place),
        "after a change of what lies before it, import the tree again");
  }
}

// A chain that has no name and no address yet.
struct ChainDraft {
  PlanChain chain;
  /// What it is to people; may be empty.
  std::string label;
  /// It follows the draft before it.
  bool continues = false;
};

// A row becomes several chains, each continuing the one before, where the kind of its contents
// changes or the cores see it elsewhere.
void draft_row(Plan& plan, const Row& row, std::vector<ChainDraft>& drafts) {
  std::string label;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const PlanRegion& next = region_at(plan, row[i]);
    const PlanRegion* before = i == 0 ? nullptr : &region_at(plan, row[i - 1]);
    std::string next_label = label_of(plan, next, label);
    const std::optional<Linear> gap =
        before == nullptr ? std::nullopt : gap_between(plan, *before, next);
    const bool seen_on = gap && sees_on(plan, *before, next, *gap);
    if (!gap || !seen_on || next_label != label) {
      drafts.push_back({{.space = board::Space::kDdr}, next_label, gap.has_value()});
      if (gap && !seen_on) {
        see_at(plan, next, drafts.back().chain);
      }
    }
    std::vector<PlanItem>& items = drafts.back().chain.items;
    if (gap && *gap != Linear{}) {
      items.push_back(gap_before(next, *gap));
    }
    items.push_back({row[i], {}, {}});
    label = std::move(next_label);
  }
}

std::vector<ChainDraft> drafts_of(Plan& plan) {
  std::vector<ChainDraft> drafts;
  for (const board::Space space : {board::Space::kCore, board::Space::kSram}) {
    for (const Row& row : rows_on_chip(plan, space)) {
      drafts.push_back({chain_on_chip(plan, row, space), "", false});
    }
  }
  for (const Row& row : rows_of_dram(plan)) {
    draft_row(plan, row, drafts);
  }
  return drafts;
}

// --- addresses and names

// Where it is on the bus: a number, or a short sum.
void begin_at(Plan& plan, const PlanRegion& region, PlanChain& chain) {
  constexpr std::size_t kMostTerms = 4;
  const Linear form = plan.settable(region.physical);
  if (plan.pinned.contains(only_name(form))) {
    chain.comments.push_back(
        "The script lets it begin where the areas before it end; here it stands still, because "
        "the");
    chain.comments.push_back("RAT leads to multiples of its own size only.");
  }
  const bool is_short = form.terms.size() <= kMostTerms;
  chain.physical =
      form.terms.empty() || !is_short ? core::format_hex(region.physical_at) : text_of(form);
  if (!is_short) {
    plan.left_out(fmt::format("'{}' begins at {}, which moves with what lies before it in the "
                              "script but stands still in the board: another area is in its way",
                              region.name,
                              chain.physical),
                  plan.place_of(region.section->origin_argument.place),
                  "let one area begin where the other one ends");
  }
}

void place_chain(Plan& plan, PlanChain& chain) {
  const auto* first =
      core::find_where(chain.items, [](const PlanItem& i) { return i.region >= 0; });
  const PlanRegion& region = region_at(plan, first->region);
  chain.physical_at = region.physical_at;
  if (chain.space == board::Space::kCore) {
    chain.virtual_base = core::format_hex(region.virtual_at);
  } else if (chain.space == board::Space::kSram) {
    chain.physical = core::format_hex(region.physical_at);
    chain.virtual_base =
        region.virtual_at == region.physical_at ? "" : core::format_hex(region.virtual_at);
  } else if (chain.after.empty()) {
    begin_at(plan, region, chain);
    if (region.virtual_at != region.physical_at ||
        plan.settable(region.forms.origin) != plan.settable(region.physical)) {
      see_at(plan, region, chain);
    }
  }
}

std::string unused_name(const Plan& plan,
                        const PlanChain& chain,
                        std::string name,
                        const std::set<std::string>& used) {
  std::vector<std::string> names;
  std::set<const board::Chain*> known;
  bool same_cores = true;
  for (const PlanItem& item : chain.items) {
    if (item.region >= 0) {
      const PlanRegion& region = region_at(plan, item.region);
      names.push_back(region.name);
      known.insert(region.known_chain);
      same_cores = same_cores && region.known != nullptr && region.known->cores == region.cores;
    }
  }
  if (name.empty()) {
    const bool one = known.size() == 1 && *known.begin() != nullptr && same_cores;
    name = one ? (*known.begin())->name : common_words(names);
  }
  if (name == "shared" && plan.known() == nullptr) {
    name += chain.physical_at < kFourGib ? "_low" : "_high";
  }
  if (name.empty() || used.contains(name)) {
    const std::string words = common_words(names);
    name = words.empty() || used.contains(words) ? core::to_lower(names.front()) : words;
  }
  const std::string base = name;
  constexpr int kSecond = 2;
  for (int i = kSecond; used.contains(name); ++i) {
    name = fmt::format("{}_{}", base, i);
  }
  return name;
}

std::vector<PlanChain> placed(Plan& plan, std::vector<ChainDraft> drafts) {
  std::vector<PlanChain> chains;
  std::set<std::string> used;
  for (ChainDraft& draft : drafts) {
    PlanChain& chain = draft.chain;
    chain.after = draft.continues ? chains.back().name : "";
    place_chain(plan, chain);
    chain.name = unused_name(plan, chain, draft.label, used);
    used.insert(chain.name);
    chains.push_back(std::move(chain));
  }
  return chains;
}

// By address within a space; a chain stays behind the one that it continues, whose address is
// lower.
void order_chains(std::vector<PlanChain>& chains) {
  std::ranges::stable_sort(chains, [](const PlanChain& a, const PlanChain& b) {
    const auto rank = [](board::Space space) {
      return space == board::Space::kCore ? 0 : space == board::Space::kSram ? 1 : 2;
    };
    return std::tuple{rank(a.space), a.physical_at} < std::tuple{rank(b.space), b.physical_at};
  });
}

void limit_chain(const Plan& plan, PlanChain& chain) {
  const PlanRegion& last = region_at(plan, chain.items.back().region);
  std::uint64_t nearest = UINT64_MAX;
  const auto take = [&](std::uint64_t begin, const std::string& text, const PlanRegion& first) {
    const bool same_bank = (begin < kFourGib) == (last.physical_at < kFourGib);
    if (same_bank && begin >= last.end() && begin < nearest) {
      nearest = begin;
      chain.limit = text;
      chain.limit_why = fmt::format("{} begins there", first.name);
    }
  };
  for (const PlanChain& other : plan.chains) {
    if (&other == &chain || other.space != board::Space::kDdr || !other.after.empty()) {
      continue;
    }
    const PlanRegion& first = region_at(plan, other.items.front().region);
    take(first.physical_at, other.physical, first);
    // What cores see there hides what would be there.
    if (last.virtual_at == last.physical_at && first.virtual_at < kFourGib) {
      take(first.virtual_at, other.virtual_base, first);
    }
  }
}

// The last chain of a row must not reach the next row, where this one and that one are.
void limit_chains(Plan& plan) {
  for (PlanChain& chain : plan.chains) {
    const bool continued = core::contains(plan.chains, chain.name, &PlanChain::after);
    if (chain.space == board::Space::kDdr && !continued) {
      limit_chain(plan, chain);
    }
  }
}

// --- views

Linear end_of_alias(const Plan& plan, const PlanAlias& alias) {
  return plan.settable(plus(alias.virtual_base, plan.find(alias.of)->forms.length));
}

bool follows(const Plan& plan, const PlanView& view, const PlanAlias& alias) {
  const PlanAlias& last = plan.aliases[view.aliases.back()];
  return view.cores == alias.cores && last.virtual_at + last.size == alias.virtual_at &&
         end_of_alias(plan, last) == plan.settable(alias.virtual_base);
}

PlanView view_from(Plan& plan, const PlanAlias& alias) {
  PlanView view{.cores = alias.cores};
  view.name = (alias.cores.empty() ? std::string{"nobody"} : alias.cores.front()) + "_sees";
  while (core::contains(plan.chains, view.name, &PlanChain::name) ||
         core::contains(plan.views, view.name, &PlanView::name)) {
    view.name += "_more";
  }
  const Linear begin = plan.settable(alias.virtual_base);
  for (const PlanChain& chain : plan.chains) {
    const int region = chain.items.back().region;
    if (region < 0) {
      continue;
    }
    const PlanRegion& last = region_at(plan, region);
    const bool own = !alias.cores.empty() && core::contains(last.cores, alias.cores.front());
    if (own && last.virtual_at + last.size == alias.virtual_at &&
        plan.settable(plus(last.forms.origin, last.forms.length)) == begin) {
      view.after = chain.name;
    }
  }
  if (view.after.empty()) {
    view.virtual_base = core::format_hex(alias.virtual_at);
    if (!begin.terms.empty()) {
      plan.left_out(fmt::format("'{}' is seen at {}, which moves with other areas in the script "
                                "but stands still in the board",
                                alias.name,
                                view.virtual_base),
                    plan.place_of(alias.section->place));
    }
  }
  return view;
}

// Other cores' memories, one behind the other.
void plan_views(Plan& plan) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < plan.aliases.size(); ++i) {
    if (!plan.aliases[i].same_place) {
      order.push_back(i);
    }
  }
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const PlanAlias& one = plan.aliases[a];
    const PlanAlias& two = plan.aliases[b];
    return std::tie(one.cores, one.virtual_at) < std::tie(two.cores, two.virtual_at);
  });
  for (const std::size_t index : order) {
    const PlanAlias& alias = plan.aliases[index];
    if (plan.views.empty() || !follows(plan, plan.views.back(), alias)) {
      plan.views.push_back(view_from(plan, alias));
    }
    plan.views.back().aliases.push_back(index);
  }
}

}  // namespace

void plan_chains(Plan& plan) {
  plan.chains = placed(plan, drafts_of(plan));
  order_chains(plan.chains);
  limit_chains(plan);
  plan_views(plan);
}

}  // namespace memsize::sdk
