// Groups models that lie over each other and takes the heaviest set of each group: exactly up to
// kExactModels, by a bound from cliques beyond. Only addresses of one input and heap are compared.
#include "live.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

namespace memsize::sizing {

namespace {

using model::Block;
using model::Instance;

// Up to so many models that lie over each other, every set is tried: 2^20 at the most.
constexpr std::size_t kExactModels = 20;

bool is_kept(const Block& block) {
  return block.lifetime == model::Lifetime::kPersistent &&
         block.cacheability != model::Cacheability::kOnChip && block.address.has_value();
}

std::size_t root_of(std::vector<std::size_t>& parents, std::size_t node) {
  while (parents[node] != node) {
    parents[node] = parents[parents[node]];
    node = parents[node];
  }
  return node;
}

// The spans of one heap. Those of different inputs, spaces or classes never meet.
using Heaps =
    std::map<std::tuple<std::size_t, std::string_view, model::Cacheability>, std::vector<Span>>;

Heaps heaps_of(const std::vector<Instance>& instances) {
  Heaps heaps;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (const Block& block : instances[i].blocks) {
      if (is_kept(block)) {
        heaps[{instances[i].input, block.space, block.cacheability}].push_back(span_of(block, i));
      }
    }
  }
  for (auto& [heap, spans] : heaps) {
    sort_spans(spans);
  }
  return heaps;
}

// Calls `take(first, last)` for each row of sorted spans that lie over each other, directly or one
// over the next.
template <typename Take>
void for_each_row(const std::vector<Span>& spans, const Take& take) {
  auto first = spans.begin();
  while (first != spans.end()) {
    std::uint64_t reached = first->end;
    auto last = first + 1;
    while (last != spans.end() && last->begin < reached) {
      reached = std::max(reached, last->end);
      ++last;
    }
    take(first, last);
    first = last;
  }
}

// Models of one group by the model that stands for it: what lies over each other is one group.
std::vector<std::size_t> join_overlapping(const Heaps& heaps, std::size_t models) {
  std::vector<std::size_t> parents(models);
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (const auto& [heap, spans] : heaps) {
    for_each_row(spans, [&](auto first, auto last) {
      const std::size_t root = root_of(parents, first->member);
      for (auto span = first + 1; span != last; ++span) {
        parents[root_of(parents, span->member)] = root;
      }
    });
  }
  for (std::size_t i = 0; i < models; ++i) {
    parents[i] = root_of(parents, i);
  }
  return parents;
}

// Where a model is: in which group, and which of its members it is.
struct Home {
  std::size_t group = 0;
  std::size_t position = 0;
};

// Finds out for every group which of its members share an address.
std::vector<std::optional<Relation>> relate(Heaps& heaps,
                                            const std::vector<std::vector<std::size_t>>& groups,
                                            std::size_t models) {
  std::vector<std::optional<Relation>> relations(groups.size());
  std::vector<std::optional<Sweep>> sweeps(groups.size());
  std::vector<std::optional<Home>> homes(models);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const std::size_t size = groups[group].size();
    if (size > kMostRelated) {
      continue;
    }
    relations[group].emplace(size);
    sweeps[group].emplace(*relations[group], size);
    for (std::size_t position = 0; position < size; ++position) {
      homes[groups[group][position]] = Home{group, position};
    }
  }
  for (auto& [heap, spans] : heaps) {
    std::erase_if(spans, [&](const Span& span) { return !homes[span.member]; });
    for_each_row(spans, [&](auto first, auto last) {
      const std::size_t group = homes[first->member]->group;
      // What lies over each other is of one group.
      std::vector<Span> row{first, last};
      for (Span& span : row) {
        span.member = homes[span.member]->position;
      }
      sweeps[group]->run(row.begin(), row.end());
    });
  }
  return relations;
}

// The heaviest independent set of up to kExactModels nodes, by trying: a node is in or out.
class Search {
 public:
  Search(std::vector<std::uint32_t> conflicts, std::vector<std::uint64_t> weights)
      : conflicts_(std::move(conflicts)), weights_(std::move(weights)) {}

  std::uint32_t run() {
    descend(0, (std::uint32_t{1} << weights_.size()) - 1, 0, 0);
    return best_;
  }

 private:
  void descend(std::size_t node, std::uint32_t open, std::uint32_t taken, std::uint64_t weight) {
    while (node < weights_.size() && (open >> node & 1U) == 0) {
      ++node;
    }
    if (node == weights_.size()) {
      if (weight > most_ || best_ == 0) {
        most_ = weight;
        best_ = taken;
      }
      return;
    }
    const std::uint32_t bit = std::uint32_t{1} << node;
    descend(node + 1, open & ~bit & ~conflicts_[node], taken | bit, weight + weights_[node]);
    // Without a conflict among what is open it never pays to leave a node out.
    if ((open & conflicts_[node]) != 0) {
      descend(node + 1, open & ~bit, taken, weight);
    }
  }

  std::vector<std::uint32_t> conflicts_;
  std::vector<std::uint64_t> weights_;
  std::uint32_t best_ = 0;
  std::uint64_t most_ = 0;
};

// A group, and what its members weigh. Its members are known by their position in it.
struct Weighed {
  const std::vector<Instance>& instances;
  const std::vector<std::size_t>& group;
  const std::vector<std::uint64_t>& weights;

  [[nodiscard]] std::uint64_t weight(std::size_t position) const {
    return weights[group[position]];
  }

  [[nodiscard]] std::size_t line(std::size_t position) const {
    return instances[group[position]].line;
  }
};

void add_exactly(const Weighed& weighed,
                 const Relation& conflicts,
                 const std::vector<std::size_t>& nodes,
                 LiveSet& set) {
  std::vector<std::uint32_t> rows(nodes.size());
  std::vector<std::uint64_t> own;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    own.push_back(weighed.weight(nodes[a]));
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      if (a != b && conflicts.has(nodes[a], nodes[b])) {
        rows[a] |= std::uint32_t{1} << b;
      }
    }
  }
  const std::uint32_t best = Search{std::move(rows), std::move(own)}.run();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if ((best >> i & 1U) != 0) {
      set.instances.push_back(weighed.group[nodes[i]]);
    }
  }
}

// Of models of which each lies over each other, one was live: the heaviest of each such clique is
// never less than what was live.
void add_bound(const Weighed& weighed,
               const Relation& conflicts,
               std::vector<std::size_t> nodes,
               LiveSet& set) {
  std::ranges::sort(nodes, [&](std::size_t a, std::size_t b) {
    return std::tuple{weighed.weight(b), weighed.line(a), a} <
           std::tuple{weighed.weight(a), weighed.line(b), b};
  });
  std::vector<std::vector<std::size_t>> cliques;
  for (const std::size_t node : nodes) {
    const auto home = std::ranges::find_if(cliques, [&](const auto& clique) {
      return std::ranges::all_of(clique,
                                 [&](std::size_t other) { return conflicts.has(node, other); });
    });
    if (home != cliques.end()) {
      home->push_back(node);
    } else {
      cliques.push_back({node});
    }
  }
  for (const std::vector<std::size_t>& clique : cliques) {
    set.instances.push_back(weighed.group[clique.front()]);
  }
  set.exact = set.exact && cliques.size() == 1;
}

// No set of them that was live needs more than all of them.
void add_all(const Weighed& weighed, const std::vector<std::size_t>& nodes, LiveSet& set) {
  for (const std::size_t node : nodes) {
    set.instances.push_back(weighed.group[node]);
  }
  set.exact = set.exact && nodes.size() <= 1;
}

}  // namespace

LiveModels::LiveModels(const std::vector<Instance>& instances,
                       const std::vector<std::pair<std::size_t, std::size_t>>& perhaps_one)
    : instances_(instances), any_perhaps_one_(!perhaps_one.empty()) {
  Heaps heaps = heaps_of(instances);
  // As if each pair shared a byte of a heap of its own.
  for (std::size_t i = 0; i < perhaps_one.size(); ++i) {
    std::vector<Span>& spans = heaps[{i, "", model::Cacheability::kOnChip}];
    spans.push_back({0, 1, perhaps_one[i].first, true});
    spans.push_back({0, 1, perhaps_one[i].second, true});
  }
  const std::vector<std::size_t> roots = join_overlapping(heaps, instances.size());
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    members[roots[i]].push_back(i);
  }
  for (auto& [root, group] : members) {
    if (group.size() == 1) {
      alone_.push_back(group.front());
    } else {
      groups_.push_back(std::move(group));
    }
  }
  std::ranges::sort(groups_);
  conflicts_ = relate(heaps, groups_, instances.size());
}

LiveSet LiveModels::heaviest(const std::vector<std::uint64_t>& weights) const {
  LiveSet set;
  const auto weighs = [&](std::size_t node) { return weights[node] > 0; };
  std::ranges::copy_if(alone_, std::back_inserter(set.instances), weighs);
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    const Weighed weighed{instances_, groups_[group], weights};
    const std::optional<Relation>& conflicts = conflicts_[group];
    std::vector<std::size_t> nodes;
    for (std::size_t position = 0; position < groups_[group].size(); ++position) {
      if (weighed.weight(position) > 0) {
        nodes.push_back(position);
      }
    }
    if (!conflicts) {
      add_all(weighed, nodes, set);
    } else if (nodes.size() > kExactModels) {
      add_bound(weighed, *conflicts, std::move(nodes), set);
    } else if (!nodes.empty()) {
      add_exactly(weighed, *conflicts, nodes, set);
    }
  }
  std::ranges::sort(set.instances);
  return set;
}

}  // namespace memsize::sizing
