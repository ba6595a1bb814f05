// What a core sees through entries that lie over each other: MMU entries in their driver's order,
// MPU regions by number, calls one after the other. Always the later one wins (Mmu_map() of both
// drivers; DDI 0406C, B5.1.2). What computes regions or tables may not use it: it is their judge.
#pragma once

#include "memsize/chip/entry.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memsize::chip {

/// Addresses over which one layer decides.
struct Piece {
  std::uint64_t base = 0;
  /// Included, so that a piece may end at 2^64.
  std::uint64_t last = 0;
  /// Its number in the list; nothing where none shows the addresses.
  std::optional<std::size_t> layer;

  /// 0 of all 2^64 bytes.
  [[nodiscard]] std::uint64_t size() const { return last - base + 1; }

  friend bool operator==(const Piece&, const Piece&) = default;
};

class Lens {
 public:
  /// Later layers over earlier ones. Takes n log n for n of them.
  explicit Lens(const std::vector<Layer>& layers);

  /// What shows the address.
  [[nodiscard]] std::optional<std::size_t> at(std::uint64_t address) const;

  /// All of [base, base + size), by address, what nothing shows too; pieces of one layer that
  /// touch are one. What lies above 2^64 is left out.
  [[nodiscard]] std::vector<Piece> over(std::uint64_t base, std::uint64_t size) const;

  /// All that is shown, by address.
  [[nodiscard]] const std::vector<Piece>& shown() const& { return shown_; }

  [[nodiscard]] const std::vector<Piece>& shown() && = delete;

 private:
  std::vector<Piece> shown_;
};

/// Layers of the items, in their order.
template <typename Items, typename MakeLayer>
[[nodiscard]] Lens lens_of(const Items& items, MakeLayer make_layer) {
  std::vector<Layer> layers;
  layers.reserve(items.size());
  for (const auto& item : items) {
    layers.push_back(make_layer(item));
  }
  return Lens{layers};
}

}  // namespace memsize::chip
