// Which of several places each thing goes to, so that all of them have room and take least.
#pragma once

#include "set_search.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace memsize::app {

/// Up to so many things, every way is known.
inline constexpr std::size_t kEveryWay = 12;

/// The things at each place.
using Parts = std::vector<Set>;

struct Assignment {
  Parts parts;
  std::uint64_t cost = 0;
  /// No other way costs less.
  bool proved = true;
};

class Assigner {
 public:
  /// What a set costs at a place, at least; nothing where it has no room there. A set costs no less
  /// than its parts, and has room only where they have.
  using Cost = std::function<std::optional<std::uint64_t>(std::size_t place, Set set)>;
  /// What a whole way really costs, no less than its parts; nothing where it will not do.
  using Judge = std::function<std::optional<std::uint64_t>(const Parts& parts)>;

  /// A thing stays at its `home` where that costs no more; kNowhere: it has none.
  static constexpr std::size_t kNowhere = SIZE_MAX;

  Assigner(std::vector<std::size_t> homes, std::size_t places, Cost cost, Judge judge);

  /// Whether every way is looked at, unless there are very many that cost little.
  [[nodiscard]] bool is_exact() const { return homes_.size() <= kEveryWay; }

  /// The cheapest way for the things of `set`; nothing where none was found. `proved`, where it is
  /// not null, tells then whether there is none.
  [[nodiscard]] std::optional<Assignment> cheapest(Set set, bool* proved = nullptr);

 private:
  void fill_tables();
  [[nodiscard]] std::optional<Assignment> exactly(Set set, bool* proved);
  [[nodiscard]] std::optional<Assignment> by_size(Set set);
  void collect(std::size_t place, Set left, std::uint64_t sum, std::uint64_t limit, Parts& parts);
  [[nodiscard]] std::size_t moves(const Parts& parts) const;

  std::vector<std::size_t> homes_;
  std::size_t places_;
  Cost cost_;
  Judge judge_;
  // By place and set: the cost there, and the least at that place and those behind it.
  std::vector<std::vector<std::uint64_t>> costs_;
  std::vector<std::vector<std::uint64_t>> least_;
  // Ways that were collected, and whether there are more of them.
  std::vector<std::pair<std::uint64_t, Parts>> ways_;
  bool is_cut_ = false;
};

}  // namespace memsize::app
