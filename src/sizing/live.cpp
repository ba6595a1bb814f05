#include "live.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace memsize::sizing {

namespace {

using model::Block;
using model::Instance;

// Up to so many models that lie over each other, every set is tried: 2^20 at the most.
constexpr std::size_t kExactModels = 20;

bool is_kept(const Block& block) {
  return block.lifetime == model::Lifetime::kPersistent &&
         block.cacheability != model::Cacheability::kOnChip && block.address_low.has_value();
}

std::uint64_t end_of(const Block& block) {
  return block.address_low.value_or(0) + std::max<std::uint64_t>(block.size.nearest.count(), 1);
}

std::size_t root_of(std::vector<std::size_t>& parents, std::size_t node) {
  while (parents[node] != node) {
    parents[node] = parents[parents[node]];
    node = parents[node];
  }
  return node;
}

struct Span {
  std::uint64_t begin;
  std::uint64_t end;
  std::size_t instance;
};

// Spans of one heap that share addresses make their instances one group.
void join_overlapping(std::vector<Span>& spans, std::vector<std::size_t>& parents) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
    return std::tie(a.begin, a.end, a.instance) < std::tie(b.begin, b.end, b.instance);
  });
  const Span* reaching = nullptr;
  for (const Span& span : spans) {
    if (reaching != nullptr && span.begin < reaching->end) {
      parents[root_of(parents, span.instance)] = root_of(parents, reaching->instance);
    }
    if (reaching == nullptr || span.end > reaching->end) {
      reaching = &span;
    }
  }
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

void add_exactly(const std::vector<Instance>& instances,
                 const std::vector<std::size_t>& nodes,
                 const std::vector<std::uint64_t>& weights,
                 LiveSet& set) {
  std::vector<std::uint32_t> conflicts(nodes.size());
  std::vector<std::uint64_t> own;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    own.push_back(weights[nodes[a]]);
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      if (a != b && never_together(instances[nodes[a]], instances[nodes[b]])) {
        conflicts[a] |= std::uint32_t{1} << b;
      }
    }
  }
  const std::uint32_t best = Search{std::move(conflicts), std::move(own)}.run();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if ((best >> i & 1U) != 0) {
      set.instances.push_back(nodes[i]);
    }
  }
}

// Of models of which each lies over each other, one was live: the heaviest of each such clique is
// never less than what was live.
void add_bound(const std::vector<Instance>& instances,
               std::vector<std::size_t> nodes,
               const std::vector<std::uint64_t>& weights,
               LiveSet& set) {
  std::sort(nodes.begin(), nodes.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple{weights[b], instances[a].line, a} <
           std::tuple{weights[a], instances[b].line, b};
  });
  std::vector<std::vector<std::size_t>> cliques;
  for (const std::size_t node : nodes) {
    const auto home = std::find_if(cliques.begin(), cliques.end(), [&](const auto& clique) {
      return std::all_of(clique.begin(), clique.end(), [&](std::size_t other) {
        return never_together(instances[node], instances[other]);
      });
    });
    if (home != cliques.end()) {
      home->push_back(node);
    } else {
      cliques.push_back({node});
    }
  }
  for (const std::vector<std::size_t>& clique : cliques) {
    set.instances.push_back(clique.front());
  }
  set.exact = set.exact && cliques.size() == 1;
}

}  // namespace

bool overlap(const Block& a, const Block& b) {
  return a.address_low && b.address_low && *a.address_low < end_of(b) && *b.address_low < end_of(a);
}

bool never_together(const Instance& a, const Instance& b) {
  if (a.input != b.input) {
    return false;
  }
  return std::any_of(a.blocks.begin(), a.blocks.end(), [&](const Block& one) {
    return is_kept(one) && std::any_of(b.blocks.begin(), b.blocks.end(), [&](const Block& other) {
             return is_kept(other) && other.cacheability == one.cacheability &&
                    other.space == one.space && overlap(one, other);
           });
  });
}

LiveModels::LiveModels(const std::vector<Instance>& instances) : instances_(instances) {
  std::map<std::tuple<std::size_t, std::string, model::Cacheability>, std::vector<Span>> heaps;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    for (const Block& block : instances[i].blocks) {
      if (is_kept(block)) {
        heaps[{instances[i].input, block.space, block.cacheability}].push_back(
            {*block.address_low, end_of(block), i});
      }
    }
  }
  std::vector<std::size_t> parents(instances.size());
  std::iota(parents.begin(), parents.end(), std::size_t{0});
  for (auto& [heap, spans] : heaps) {
    join_overlapping(spans, parents);
  }
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < instances.size(); ++i) {
    members[root_of(parents, i)].push_back(i);
  }
  for (auto& [root, group] : members) {
    if (group.size() == 1) {
      alone_.push_back(group.front());
    } else {
      groups_.push_back(std::move(group));
    }
  }
  std::sort(groups_.begin(), groups_.end());
}

LiveSet LiveModels::heaviest(const std::vector<std::uint64_t>& weights) const {
  LiveSet set;
  const auto weighs = [&](std::size_t node) { return weights[node] > 0; };
  std::copy_if(alone_.begin(), alone_.end(), std::back_inserter(set.instances), weighs);
  for (const std::vector<std::size_t>& group : groups_) {
    std::vector<std::size_t> nodes;
    std::copy_if(group.begin(), group.end(), std::back_inserter(nodes), weighs);
    if (nodes.size() > kExactModels) {
      add_bound(instances_, std::move(nodes), weights, set);
    } else if (!nodes.empty()) {
      add_exactly(instances_, nodes, weights, set);
    }
  }
  std::sort(set.instances.begin(), set.instances.end());
  return set;
}

}  // namespace memsize::sizing
