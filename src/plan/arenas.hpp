// Arenas of an assignment: what lies in them, how high they are, and what a memory has to hold.
#pragma once

#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/named_planners.hpp"

#include "problem.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace memsize::plan {

/// One role in one bank.
struct Arena {
  model::Lifetime role = model::Lifetime::kScratch;
  std::size_t bank = 0;
  /// The bank itself, but for a staged arena.
  std::size_t source = 0;
  /// Indices into the problem's slots, in their order, and where each begins.
  std::vector<std::size_t> slots;
  std::vector<std::uint64_t> offsets;
  std::uint64_t height = 0;
  std::uint64_t lower_bound = 0;
  Proof proof = Proof::kBest;
  /// Somebody proved that it cannot be as low as its bank wants.
  bool no_room = false;
  /// A multiple of every slot's alignment.
  std::uint64_t base_alignment = 1;

  [[nodiscard]] bool staged() const { return bank != source; }
};

/// Packs arenas, and counts what searches take: all of a plan share one limit.
class Packer {
 public:
  explicit Packer(const PlanOptions& options);

  /// `capacity`: any height up to here will do. `share`: the part of all steps that this search may
  /// take, as a divisor.
  [[nodiscard]] Packing pack(const std::vector<Buffer>& buffers,
                             std::optional<std::uint64_t> capacity,
                             std::uint64_t share);

  /// The same of a scratch arena, which a planner of another tool may be asked to pack.
  [[nodiscard]] Packing pack_scratch(const std::vector<Buffer>& buffers,
                                     std::optional<std::uint64_t> capacity,
                                     std::uint64_t share);

  [[nodiscard]] std::uint64_t steps() const { return steps_; }

  [[nodiscard]] bool interrupted() const { return interrupted_; }

  /// Somebody said stop, or the time is over.
  [[nodiscard]] bool over() const;

  /// Whether so many buffers can be packed without going on for long when it is over.
  [[nodiscard]] bool has_time_for(std::size_t buffers) const;

  /// Whether a planner of another tool packs: then buffers come in the report's order.
  [[nodiscard]] bool named() const { return named_.has_value(); }

 private:
  [[nodiscard]] std::optional<std::chrono::milliseconds> time_left() const;

  const PlanOptions& options_;
  std::optional<NamedPlanner> named_;
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t steps_ = 0;
  bool interrupted_ = false;
};

/// The slot's alignment in the bank.
[[nodiscard]] std::uint64_t alignment_in(const Bank& bank, const Slot& slot);

/// The slots as pack() wants them; of persistent and constant arenas all live at once.
[[nodiscard]] std::vector<Buffer> buffers_of(const Problem& problem, const Arena& arena);

/// What a placed arena's slots need when; of persistent and constant arenas all the time.
struct Taken {
  std::vector<PlacedBuffer> buffers;
  /// Of each, whose it is: an index into the arena's slots.
  std::vector<std::size_t> owners;
};

[[nodiscard]] Taken taken_of(const Problem& problem, const Arena& arena);

/// In an assignment: the slot is left out.
inline constexpr std::size_t kNowhere = SIZE_MAX;

/// The arenas of an assignment, which is one index into each slot's homes: by bank, then scratch,
/// persistent, constant. Heights are still 0. `reports_order`: a scratch arena's slots stand as the
/// report has them.
[[nodiscard]] std::vector<Arena> arenas_of(const Problem& problem,
                                           const std::vector<std::size_t>& assignment,
                                           bool reports_order);

/// Persistent and constant arenas: one slot after another, those with the largest alignment first,
/// and of one alignment the one whose padding is largest last. What that leaves above the lower
/// bound is searched for with `packer`.
void pack_steady(const Problem& problem, Arena& arena, Packer& packer);

/// What a bank holds beside its scratch arena, in this order: blobs that staged arenas elsewhere
/// are filled from, constants, persistent. Each begins at a multiple of its alignment, counted from
/// the bank's base. Blobs are as large as their arenas, padding and all, because one copy fills an
/// arena.
struct Load {
  /// From the bank's base to the end of the last of them.
  std::uint64_t used = 0;
  /// The part of it that is blobs.
  std::uint64_t blobs = 0;

  /// Adds an arena or blob; `height` 0 takes nothing.
  void add(const Bank& bank, std::uint64_t alignment, std::uint64_t height);
};

/// Of packed persistent and constant arenas, by bank.
[[nodiscard]] std::vector<Load> loads_of(const Problem& problem, const std::vector<Arena>& arenas);

/// What is left for a scratch arena; nothing: not even the rest fits.
[[nodiscard]] std::optional<std::uint64_t> room_for_scratch(const Bank& bank,
                                                            const Load& load,
                                                            std::uint64_t alignment);

}  // namespace memsize::plan
