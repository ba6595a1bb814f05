// Goes through all edges from the lowest to the highest address, with the layers that are open
// there: the last of them shows what follows, until the next edge.
#include "memsize/chip/lens.hpp"

#include "memsize/chip/limits.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace memsize::chip {

namespace {

std::uint64_t last_of(std::uint64_t base, std::uint64_t size) {
  return size - 1 > UINT64_MAX - base ? UINT64_MAX : base + (size - 1);
}

struct Edge {
  std::uint64_t address = 0;
  std::size_t layer = 0;
  bool opens = false;
};

// Where it begins and ends to show something; an end at 2^64 is none.
void add_edges(const Layer& layer, std::size_t number, std::vector<Edge>& edges) {
  if (layer.size == 0) {
    return;
  }
  const auto add = [&](std::uint64_t base, std::uint64_t last) {
    edges.push_back({base, number, true});
    if (last != UINT64_MAX) {
      edges.push_back({last + 1, number, false});
    }
  };
  constexpr unsigned kAllParts = (1U << kMpuParts) - 1;
  if (layer.size < kMpuSmallestWithParts || (layer.disabled & kAllParts) == 0) {
    add(layer.base, last_of(layer.base, layer.size));
    return;
  }
  const std::uint64_t part = layer.size / kMpuParts;
  for (std::uint64_t i = 0; i < kMpuParts; ++i) {
    if ((layer.disabled >> i & 1U) == 0 && i * part <= UINT64_MAX - layer.base) {
      const std::uint64_t base = layer.base + i * part;
      // What does not divide by eight belongs to the last.
      add(base, last_of(base, i + 1 == kMpuParts ? layer.size - i * part : part));
    }
  }
}

void append(std::vector<Piece>& pieces, const Piece& piece) {
  const bool continues =
      !pieces.empty() && pieces.back().layer == piece.layer && pieces.back().last + 1 == piece.base;
  if (continues) {
    pieces.back().last = piece.last;
  } else {
    pieces.push_back(piece);
  }
}

}  // namespace

Lens::Lens(const std::vector<Layer>& layers) {
  std::vector<Edge> edges;
  edges.reserve(2 * layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    add_edges(layers[i], i, edges);
  }
  std::ranges::stable_sort(edges, {}, &Edge::address);
  std::multiset<std::size_t> open;
  for (auto edge = edges.begin(); edge != edges.end();) {
    const std::uint64_t address = edge->address;
    for (; edge != edges.end() && edge->address == address; ++edge) {
      if (edge->opens) {
        open.insert(edge->layer);
      } else {
        open.erase(open.find(edge->layer));
      }
    }
    if (!open.empty()) {
      const std::uint64_t last = edge == edges.end() ? UINT64_MAX : edge->address - 1;
      append(shown_, {address, last, *open.rbegin()});
    }
  }
}

std::optional<std::size_t> Lens::at(std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(shown_, address, {}, &Piece::base);
  return next != shown_.begin() && std::prev(next)->last >= address ? std::prev(next)->layer
                                                                    : std::nullopt;
}

std::vector<Piece> Lens::over(std::uint64_t base, std::uint64_t size) const {
  std::vector<Piece> pieces;
  if (size == 0) {
    return pieces;
  }
  const std::uint64_t last = last_of(base, size);
  auto next = std::ranges::upper_bound(shown_, base, {}, &Piece::base);
  if (next != shown_.begin() && std::prev(next)->last >= base) {
    --next;
  }
  std::uint64_t at = base;
  for (; next != shown_.end() && next->base <= last; ++next) {
    if (next->base > at) {
      pieces.push_back({at, next->base - 1, std::nullopt});
    }
    const std::uint64_t end = std::min(next->last, last);
    pieces.push_back({std::max(next->base, base), end, next->layer});
    if (end == last) {
      return pieces;
    }
    at = end + 1;
  }
  pieces.push_back({at, last, std::nullopt});
  return pieces;
}

}  // namespace memsize::chip
