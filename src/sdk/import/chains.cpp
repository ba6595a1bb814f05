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

class ChainPlanner {
 public:
  explicit ChainPlanner(Plan& plan) : plan_(plan) {}

  void run() {
    plan_on_chip(board::Space::kCore);
    plan_on_chip(board::Space::kSram);
    plan_dram();
    for (std::size_t i = 0; i < plan_.chains.size(); ++i) {
      place_chain(i);
    }
    order_chains();
    limit_chains();
    plan_views();
  }

 private:
  using Row = std::vector<int>;

  [[nodiscard]] const PlanRegion& at(int index) const {
    return plan_.regions[static_cast<std::size_t>(index)];
  }

  // Sizes of on-chip memories are the chip's: numbers, in rows by address.
  void plan_on_chip(board::Space space) {
    std::vector<int> all;
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      if (plan_.regions[i].space == space) {
        all.push_back(static_cast<int>(i));
      }
    }
    if (space == board::Space::kCore) {
      std::ranges::stable_sort(all, [&](int a, int b) {
        return std::tie(at(a).cores, at(a).virtual_at) < std::tie(at(b).cores, at(b).virtual_at);
      });
    }
    Row row;
    for (const int index : all) {
      if (!row.empty() && !continues_on_chip(row, index)) {
        add_row(row, space);
        row.clear();
      }
      row.push_back(index);
    }
    add_row(row, space);
  }

  [[nodiscard]] bool continues_on_chip(const Row& row, int index) const {
    const PlanRegion& before = at(row.back());
    const PlanRegion& next = at(index);
    const bool same_distance =
        next.physical_at - before.physical_at == next.virtual_at - before.virtual_at;
    if (before.space == board::Space::kCore) {
      return before.cores == next.cores && before.virtual_at + before.size == next.virtual_at;
    }
    const std::string root = plan_.root_of(next.physical);
    const bool same_root = !root.empty() && root == plan_.root_of(before.physical);
    return same_distance && next.physical_at >= before.end() &&
           (same_root || next.physical_at == before.end());
  }

  void add_row(const Row& row, board::Space space) {
    if (row.empty()) {
      return;
    }
    PlanChain chain{.space = space};
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i != 0 && space == board::Space::kSram &&
          at(row[i]).physical_at != at(row[i - 1]).end()) {
        add_gap(chain,
                constant_of(static_cast<Integer>(at(row[i]).physical_at - at(row[i - 1]).end())),
                at(row[i]));
      }
      chain.items.push_back({row[i], {}, {}});
    }
    plan_.chains.push_back(std::move(chain));
  }

  // Rows of DRAM: what moves with the same address of the script, in address order.
  void plan_dram() {
    std::vector<std::pair<std::string, Row>> groups;
    for (std::size_t i = 0; i < plan_.regions.size(); ++i) {
      const PlanRegion& region = plan_.regions[i];
      if (region.space != board::Space::kDdr) {
        continue;
      }
      std::string key = plan_.root_of(region.physical);
      if (key.empty()) {
        key = fmt::format("#{}", i);
      }
      auto group =
          std::ranges::find_if(groups, [&](const auto& each) { return each.first == key; });
      if (group == groups.end()) {
        group = groups.insert(groups.end(), {key, {}});
      }
      group->second.push_back(static_cast<int>(i));
    }
    for (const auto& [key, row] : groups) {
      plan_group(row);
    }
  }

  // A row becomes several chains, each continuing the one before, where the kind of its contents
  // changes or the cores see it elsewhere.
  void plan_group(const Row& row) {
    std::string label;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const PlanRegion& next = at(row[i]);
      const PlanRegion* before = i == 0 ? nullptr : &at(row[i - 1]);
      std::string next_label = label_of(next, label);
      const std::optional<Linear> gap =
          before == nullptr ? std::nullopt : gap_between(*before, next);
      const bool seen_on = gap && sees_on(*before, next, *gap);
      if (!gap || !seen_on || next_label != label) {
        PlanChain chain{.space = board::Space::kDdr};
        if (gap) {
          chain.after = fmt::format("#{}", plan_.chains.size() - 1);
          if (!seen_on) {
            see_at(chain, next);
          }
        }
        labels_[plan_.chains.size()] = next_label;
        plan_.chains.push_back(std::move(chain));
      }
      if (gap && *gap != Linear{}) {
        add_gap(plan_.chains.back(), *gap, next);
      }
      plan_.chains.back().items.push_back({row[i], {}, {}});
      label = std::move(next_label);
    }
  }

  // From the end of one to the other; nothing where they overlap.
  [[nodiscard]] std::optional<Linear> gap_between(const PlanRegion& before,
                                                  const PlanRegion& next) const {
    if (next.physical_at < before.end()) {
      return std::nullopt;
    }
    return plan_.settable(plus(plus(next.physical, before.physical, -1), before.forms.length, -1));
  }

  [[nodiscard]] bool sees_on(const PlanRegion& before,
                             const PlanRegion& next,
                             const Linear& gap) const {
    const Linear seen = plan_.settable(
        plus(plus(next.forms.origin, before.forms.origin, -1), before.forms.length, -1));
    return seen == gap;
  }

  void add_gap(PlanChain& chain, const Linear& gap, const PlanRegion& next) {
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
    chain.items.push_back({-1, gap, why});
  }

  // What a region is to people: regions of one label that follow each other are one chain.
  [[nodiscard]] std::string label_of(const PlanRegion& region, const std::string& before) const {
    if (region.known_chain != nullptr) {
      return region.known_chain->name;
    }
    if (plan_.known() != nullptr && !before.empty()) {
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

  // Where it is on the bus: a number, or a short sum.
  void begin_at(PlanChain& chain, const PlanRegion& region) {
    constexpr std::size_t kMostTerms = 4;
    const Linear form = plan_.settable(region.physical);
    if (plan_.pinned.contains(only_name(form))) {
      chain.comments.push_back(
          "The script lets it begin where the areas before it end; here it stands still, because "
          "the");
      chain.comments.push_back("RAT leads to multiples of its own size only.");
    }
    const bool is_short = form.terms.size() <= kMostTerms;
    chain.physical =
        form.terms.empty() || !is_short ? core::format_hex(region.physical_at) : text_of(form);
    if (!is_short) {
      plan_.left_out(fmt::format("'{}' begins at {}, which moves with what lies before it in the "
                                 "script but stands still in the board: another area is in its way",
                                 region.name,
                                 chain.physical),
                     plan_.place_of(region.section->origin_argument.place),
                     "let one area begin where the other one ends");
    }
  }

  // Where the cores see it: a number, or an address that has a name.
  void see_at(PlanChain& chain, const PlanRegion& region) {
    const Linear form = plan_.settable(region.forms.origin);
    if (plan_.addresses.contains(only_name(form))) {
      chain.virtual_base = text_of(form);
      return;
    }
    chain.virtual_base = core::format_hex(region.virtual_at);
    if (!form.terms.empty()) {
      chain.comments.push_back(
          "The script takes the virtual address from the end of other areas; here it stands "
          "still.");
      plan_.left_out(
          fmt::format("'{}' is seen at {}, which moves with other areas in the script but stands "
                      "still in the board",
                      region.name,
                      chain.virtual_base),
          plan_.place_of(region.section->origin_argument.place),
          "after a change of what lies before it, import the tree again");
    }
  }

  void place_chain(std::size_t index) {
    PlanChain& chain = plan_.chains[index];
    const auto first =
        std::ranges::find_if(chain.items, [](const PlanItem& i) { return i.region >= 0; });
    const PlanRegion& region = at(first->region);
    chain.physical_at = region.physical_at;
    if (chain.space == board::Space::kCore) {
      chain.virtual_base = core::format_hex(region.virtual_at);
    } else if (chain.space == board::Space::kSram) {
      chain.physical = core::format_hex(region.physical_at);
      chain.virtual_base =
          region.virtual_at == region.physical_at ? "" : core::format_hex(region.virtual_at);
    } else if (chain.after.empty()) {
      begin_at(chain, region);
      place_virtually(chain, region);
    }
    chain.name = unique_name(chain, labels_[index]);
    for (PlanChain& other : plan_.chains) {
      if (other.after == fmt::format("#{}", index)) {
        other.after = chain.name;
      }
    }
  }

  void place_virtually(PlanChain& chain, const PlanRegion& region) {
    if (region.virtual_at == region.physical_at &&
        plan_.settable(region.forms.origin) == plan_.settable(region.physical)) {
      return;
    }
    see_at(chain, region);
  }

  std::string unique_name(const PlanChain& chain, std::string name) {
    std::vector<std::string> names;
    std::set<const board::Chain*> known;
    bool same_cores = true;
    for (const PlanItem& item : chain.items) {
      if (item.region >= 0) {
        const PlanRegion& region = at(item.region);
        names.push_back(region.name);
        known.insert(region.known_chain);
        same_cores = same_cores && region.known != nullptr && region.known->cores == region.cores;
      }
    }
    if (name.empty()) {
      const bool one = known.size() == 1 && *known.begin() != nullptr && same_cores;
      name = one ? (*known.begin())->name : common_words(names);
    }
    if (name == "shared" && plan_.known() == nullptr) {
      name += chain.physical_at < kFourGib ? "_low" : "_high";
    }
    if (name.empty() || used_.contains(name)) {
      const std::string words = common_words(names);
      name = words.empty() || used_.contains(words) ? core::to_lower(names.front()) : words;
    }
    const std::string base = name;
    constexpr int kSecond = 2;
    for (int i = kSecond; !used_.insert(name).second; ++i) {
      name = fmt::format("{}_{}", base, i);
    }
    return name;
  }

  // By address within a space; a chain stays behind the one that it continues, whose address is
  // lower.
  void order_chains() {
    std::ranges::stable_sort(plan_.chains, [](const PlanChain& a, const PlanChain& b) {
      const auto rank = [](board::Space space) {
        return space == board::Space::kCore ? 0 : space == board::Space::kSram ? 1 : 2;
      };
      return std::tuple{rank(a.space), a.physical_at} < std::tuple{rank(b.space), b.physical_at};
    });
  }

  // The last chain of a row must not reach the next row, where this one and that one are.
  void limit_chains() {
    for (PlanChain& chain : plan_.chains) {
      const bool continued = core::contains(plan_.chains, chain.name, &PlanChain::after);
      if (chain.space == board::Space::kDdr && !continued) {
        limit_chain(chain);
      }
    }
  }

  void limit_chain(PlanChain& chain) {
    const PlanRegion& last = at(chain.items.back().region);
    std::uint64_t nearest = UINT64_MAX;
    const auto take = [&](std::uint64_t begin, const std::string& text, const PlanRegion& first) {
      const bool same_bank = (begin < kFourGib) == (last.physical_at < kFourGib);
      if (same_bank && begin >= last.end() && begin < nearest) {
        nearest = begin;
        chain.limit = text;
        chain.limit_why = fmt::format("{} begins there", first.name);
      }
    };
    for (const PlanChain& other : plan_.chains) {
      if (&other == &chain || other.space != board::Space::kDdr || !other.after.empty()) {
        continue;
      }
      const PlanRegion& first = at(other.items.front().region);
      take(first.physical_at, other.physical, first);
      // What cores see there hides what would be there.
      if (last.virtual_at == last.physical_at && first.virtual_at < kFourGib) {
        take(first.virtual_at, other.virtual_base, first);
      }
    }
  }

  // Other cores' memories, one behind the other.
  void plan_views() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < plan_.aliases.size(); ++i) {
      if (!plan_.aliases[i].same_place) {
        order.push_back(i);
      }
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const PlanAlias& one = plan_.aliases[a];
      const PlanAlias& two = plan_.aliases[b];
      return std::tie(one.cores, one.virtual_at) < std::tie(two.cores, two.virtual_at);
    });
    for (const std::size_t index : order) {
      const PlanAlias& alias = plan_.aliases[index];
      if (plan_.views.empty() || !follows(plan_.views.back(), alias)) {
        add_view(alias);
      }
      plan_.views.back().aliases.push_back(index);
    }
  }

  [[nodiscard]] Linear end_of(const PlanAlias& alias) const {
    return plan_.settable(plus(alias.virtual_base, plan_.find(alias.of)->forms.length));
  }

  [[nodiscard]] bool follows(const PlanView& view, const PlanAlias& alias) const {
    const PlanAlias& last = plan_.aliases[view.aliases.back()];
    return view.cores == alias.cores && last.virtual_at + last.size == alias.virtual_at &&
           end_of(last) == plan_.settable(alias.virtual_base);
  }

  void add_view(const PlanAlias& alias) {
    PlanView view{.cores = alias.cores};
    view.name = (alias.cores.empty() ? std::string{"nobody"} : alias.cores.front()) + "_sees";
    while (!used_.insert(view.name).second) {
      view.name += "_more";
    }
    const Linear begin = plan_.settable(alias.virtual_base);
    for (const PlanChain& chain : plan_.chains) {
      const int region = chain.items.back().region;
      if (region < 0) {
        continue;
      }
      const PlanRegion& last = at(region);
      const bool own = !alias.cores.empty() && core::contains(last.cores, alias.cores.front());
      if (own && last.virtual_at + last.size == alias.virtual_at &&
          plan_.settable(plus(last.forms.origin, last.forms.length)) == begin) {
        view.after = chain.name;
      }
    }
    if (view.after.empty()) {
      view.virtual_base = core::format_hex(alias.virtual_at);
      if (!begin.terms.empty()) {
        plan_.left_out(fmt::format("'{}' is seen at {}, which moves with other areas in the script "
                                   "but stands still in the board",
                                   alias.name,
                                   view.virtual_base),
                       plan_.place_of(alias.section->place));
      }
    }
    plan_.views.push_back(std::move(view));
  }

  Plan& plan_;
  // By index of the chain.
  std::map<std::size_t, std::string> labels_;
  std::set<std::string> used_;
};

}  // namespace

void plan_chains(Plan& plan) {
  ChainPlanner{plan}.run();
}

}  // namespace memsize::sdk
