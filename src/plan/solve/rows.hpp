// For instances so tight that whatever a greedy planner leaves between two items is lost.
#pragma once

#include "greedy_builder.hpp"
#include "instance.hpp"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace memsize::plan {

/// What a row is worth. Sizes here are parts of what is alive in the busiest slot: 2^20 are all.
struct RowRule {
  /// Of a slot that is covered, beside the size of what covers it.
  std::int64_t covered = 0;
  /// What a slot costs that stays free, in 2^20.
  std::int64_t gap = 16;
  /// How much less it costs where much room is left below the height that is aimed at.
  std::int64_t ease = 64;
  /// The height that is aimed at, above what is alive in the busiest slot, in thousandths.
  std::int64_t room = 100;
  /// Sizes count for up to so many 256ths more, by chance.
  std::int64_t noise = 0;
};

/// Fills an arena from below, row by row: whatever lies lowest is a valley between two walls, and a
/// row covers it with items that end where the next one begins, with as few gaps as can be.
class Rows {
 public:
  Rows(const Instance& instance, Budget& budget);

  /// The free items in the order in which they are laid; one that takes each as low as it can comes
  /// no higher than this does. Empty: it reaches `limit`, takes more than so many steps, or the
  /// budget is over.
  [[nodiscard]] std::vector<std::uint32_t> make(const RowRule& rule,
                                                std::int64_t limit,
                                                std::uint64_t steps,
                                                Random& random);

 private:
  struct Piece {
    std::int32_t lower = 0;
    std::int32_t upper = 0;
    std::int64_t height = 0;
  };

  void begin(const RowRule& rule, Random& random);
  [[nodiscard]] bool cover(const Piece& valley);
  [[nodiscard]] bool lay(const Piece& valley);
  void find_row(const Piece& valley);
  void raise(const Piece& valley);
  void put_pieces(const Piece& valley);
  std::int64_t take(std::uint32_t item, std::int64_t height);
  [[nodiscard]] std::int64_t gap_at(std::size_t slot, std::int64_t height) const;
  [[nodiscard]] std::int64_t scaled(std::int64_t size) const;

  const Instance& instance_;
  Budget& budget_;
  RowRule rule_;
  /// In the busiest slot.
  std::int64_t alive_ = 0;

  /// The free items by lower, and what they are by slot.
  std::vector<std::uint32_t> sorted_;
  std::vector<std::int64_t> all_;
  /// Of slot s, [first_[s], first_[s] + waiting_[s]) of listed_ still have to be laid.
  std::vector<std::uint32_t> listed_;
  std::vector<std::size_t> first_;
  std::vector<std::uint32_t> waiting_;
  /// By slot, what is still to be laid.
  std::vector<std::int64_t> rest_;
  std::vector<std::int64_t> weights_;

  /// Pieces by where they begin: where they end, who is before them, how high they are.
  std::vector<std::int32_t> end_;
  std::vector<std::int32_t> before_;
  std::vector<std::int64_t> height_;
  std::set<std::pair<std::int64_t, std::int32_t>> lowest_;

  /// Of the valley's slots: the most that a row up to there is worth, and the item that ends it, or
  /// a gap.
  std::vector<std::int64_t> worth_;
  std::vector<std::int64_t> last_;
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> order_;
  std::int64_t top_ = 0;
  std::uint64_t work_ = 0;
};

/// More than a pass takes, unless nearly everything lives nearly always.
[[nodiscard]] std::uint64_t steps_of_pass(const Instance& instance);

/// Lays rows by one rule after another, and goes on with others each time it runs.
class RowSearch {
 public:
  RowSearch(const Instance& instance,
            std::int64_t bound,
            std::int64_t target,
            Placement& best,
            Budget& budget,
            std::uint64_t seed);

  /// Lowers `best` in at most so many passes and steps; whether it did.
  bool run(std::uint64_t passes, std::uint64_t steps);

 private:
  void pass(std::uint64_t steps);

  const Instance& instance_;
  std::int64_t bound_;
  std::int64_t target_;
  Placement& best_;
  Budget& budget_;
  Rows rows_;
  Builder builder_;
  Random random_;
  RowRule best_rule_;
  std::uint64_t passes_ = 0;
};

}  // namespace memsize::plan
