// Blocks that share bytes, and outputs that somebody overwrites.
//
// One block that is wrong often collides with hundreds that are not. Told pair by pair, nobody sees
// which it is; so a block that is in many of the pairs is told once, with those that it meets, and
// only what remains is told in pairs.

#include "collisions.hpp"
#include "judged_plan.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using core::Code;
using core::Severity;

// Pairs that are looked at; more than anybody reads.
constexpr std::size_t kPairs = 256;
// A block in more of them is told once.
constexpr std::size_t kManyPairs = 3;
// Parties that a message lists.
constexpr std::size_t kParties = 5;
// Outputs for which it is looked whether somebody overwrites them.
constexpr std::size_t kOutputs = 64;

std::vector<PlacedBuffer> buffers_of(const JudgedArena& arena) {
  std::vector<PlacedBuffer> buffers;
  buffers.reserve(arena.pieces.size());
  for (const Piece& piece : arena.pieces) {
    buffers.push_back(piece.at);
  }
  return buffers;
}

// The lowest bytes that are free all the time the piece lives.
std::optional<std::uint64_t> free_place(const JudgedArena& arena,
                                        const Piece& moved,
                                        core::Align align) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  for (const Piece& other : arena.pieces) {
    const bool together =
        std::max(other.at.lower, moved.at.lower) < std::min(other.at.upper, moved.at.upper);
    if (&other != &moved && together && other.at.size != 0) {
      taken.emplace_back(other.at.offset, end_of(other.at));
    }
  }
  std::ranges::sort(taken);
  std::uint64_t at = 0;
  for (const auto& [begin, end] : taken) {
    if (at <= begin && begin - at >= moved.at.size) {
      break;
    }
    const auto next = core::align_up(std::max(at, end), align);
    if (!next) {
      return std::nullopt;
    }
    at = *next;
  }
  return at;
}

class Overlaps {
 public:
  Overlaps(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults)
      : plan_(plan), arena_(arena), faults_(faults), buffers_(buffers_of(arena)) {}

  void check() {
    Collisions found = list_collisions(buffers_, kPairs);
    while (!found.pairs.empty()) {
      const auto [piece, count] = busiest(found.pairs);
      if (count <= kManyPairs) {
        break;
      }
      tell_block(piece);
      std::erase_if(found.pairs, [&, at = piece](const Collision& pair) {
        return pair.first == at || pair.second == at;
      });
    }
    for (const Collision& pair : found.pairs) {
      tell_pair(pair);
    }
    // Of the pairs that were not listed, those of blocks that are told are told.
    if (found.count > told_) {
      faults_.leave_out(Severity::kError, Code::kPlanOverlap, found.count - told_);
    }
  }

 private:
  struct Busiest {
    std::size_t piece = 0;
    std::size_t count = 0;
  };

  // The lowest index of equals.
  [[nodiscard]] static Busiest busiest(const std::vector<Collision>& pairs) {
    std::unordered_map<std::size_t, std::size_t> counts;
    Busiest best;
    const auto add = [&](std::size_t piece) {
      const std::size_t count = ++counts[piece];
      if (count > best.count || (count == best.count && piece < best.piece)) {
        best = {piece, count};
      }
    };
    for (const Collision& pair : pairs) {
      add(pair.first);
      add(pair.second);
    }
    return best;
  }

  [[nodiscard]] std::string party(std::size_t piece) const {
    const Piece& at = arena_.pieces[piece];
    return fmt::format(
        "{:<24} bytes {}, steps {}", plan_.label(at.block), bytes_text(at.at), steps_text(at.at));
  }

  [[nodiscard]] core::Align alignment_of(std::size_t block) const {
    const auto& own = plan_.report.blocks[block].alignment;
    const core::Align base =
        arena_.row != nullptr && arena_.row->alignment ? *arena_.row->alignment : core::Align{};
    const core::Align slots = plan_.part != nullptr ? plan_.part->alignment : core::Align{};
    return own ? std::max(*own, slots) : std::max(base, slots);
  }

  [[nodiscard]] std::string way_out(std::size_t piece) const {
    const Piece& moved = arena_.pieces[piece];
    // Of what is only a part, another place says nothing.
    const bool is_whole = plan_.report.blocks[moved.block].windows.empty() &&
                          plan_.report.blocks[moved.block].size.count() == moved.at.size;
    const auto free =
        is_whole ? free_place(arena_, moved, alignment_of(moved.block)) : std::nullopt;
    const std::string otherwise =
        "; if they share on purpose, the report has to say that one is an alias";
    return free ? fmt::format("{} could lie at {}, where all its steps are free{}",
                              plan_.label(moved.block),
                              *free,
                              otherwise)
                : "plan the arena again: memsize plan" + otherwise;
  }

  void tell_pair(const Collision& pair) {
    ++told_;
    if (!faults_.wants(Severity::kError, Code::kPlanOverlap)) {
      return;
    }
    const Piece& first = arena_.pieces[pair.first];
    const Piece& second = arena_.pieces[pair.second];
    const std::uint64_t shared =
        std::min(end_of(first.at), end_of(second.at)) - std::max(first.at.offset, second.at.offset);
    const PlacedBuffer both{
        std::max(first.at.lower, second.at.lower), std::min(first.at.upper, second.at.upper), 0, 0};
    const std::string steps = steps_text(both);
    core::Diagnostic overlap =
        core::error(Code::kPlanOverlap,
                    fmt::format("{} and {} share {} B of the {}{}",
                                plan_.label(first.block),
                                plan_.label(second.block),
                                shared,
                                arena_.name(),
                                steps == "always" ? std::string{} : " in steps " + steps),
                    plan_.place_of(second.block),
                    way_out(pair.second))
            .about({{"block", plan_.label(first.block)}, {"block", plan_.label(second.block)}});
    overlap.details = {party(pair.first), party(pair.second)};
    add_related(overlap, first.block, second.block);
    faults_.say(std::move(overlap));
  }

  void tell_block(std::size_t piece) {
    std::vector<std::size_t> met;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (i != piece && !is_told(i) && collide(buffers_[i], buffers_[piece])) {
        met.push_back(i);
      }
    }
    told_ += met.size();
    told_pieces_.push_back(piece);
    if (!faults_.wants(Severity::kError, Code::kPlanOverlap)) {
      return;
    }
    const Piece& at = arena_.pieces[piece];
    core::Diagnostic overlap =
        core::error(Code::kPlanOverlap,
                    fmt::format("{} shares bytes of the {} with {} blocks that live at the same "
                                "time",
                                plan_.label(at.block),
                                arena_.name(),
                                met.size()),
                    plan_.place_of(at.block),
                    way_out(piece))
            .about({{"block", plan_.label(at.block)}});
    overlap.parties.push_back({"others", fmt::format("{}", met.size())});
    overlap.details.push_back(party(piece));
    for (std::size_t i = 0; i < std::min(met.size(), kParties); ++i) {
      overlap.details.push_back(party(met[i]));
    }
    if (met.size() > kParties) {
      overlap.details.push_back(fmt::format("and {} more", met.size() - kParties));
    }
    faults_.say(std::move(overlap));
  }

  [[nodiscard]] bool is_told(std::size_t piece) const {
    return std::ranges::find(told_pieces_, piece) != told_pieces_.end();
  }

  void add_related(core::Diagnostic& diagnostic, std::size_t other, std::size_t own) const {
    const core::Place place = plan_.place_of(other);
    if (place.line != 0 && place.line != plan_.place_of(own).line) {
      diagnostic.related.push_back({place, fmt::format("{} is here", plan_.label(other))});
    }
  }

  const JudgedPlan& plan_;
  const JudgedArena& arena_;
  Faults& faults_;
  std::vector<PlacedBuffer> buffers_;
  std::vector<std::size_t> told_pieces_;
  /// Pairs.
  std::uint64_t told_ = 0;
};

void check_twins(const JudgedPlan& plan, const JudgedArena& arena, Faults& faults) {
  for (const auto& [first, second] : arena.twins) {
    if (!faults.wants(Severity::kWarning, Code::kPlanOverlap)) {
      continue;
    }
    const model::PlannedBlock& block = plan.report.blocks[second];
    faults.say(
        core::warning(
            Code::kPlanOverlap,
            fmt::format(
                "{} and {} are the same {} B of the {}: right only if they hold the same data",
                plan.label(first),
                plan.label(second),
                block.size.count(),
                arena.name()),
            plan.place_of(second),
            "if they do, the report has to say that one is an alias of the other; else give "
            "each its own bytes")
            .about({{"block", plan.label(first)}, {"block", plan.label(second)}}));
  }
}

// Who writes over the piece of an output, from the step on at which it dies.
const Piece* overwriter(const JudgedPlan& plan,
                        const JudgedArena& arena,
                        std::size_t root,
                        const PlacedBuffer& kept) {
  const Piece* first = nullptr;
  for (const Piece& piece : arena.pieces) {
    if (plan.root_of(piece.block) != root && collide(piece.at, kept) &&
        (first == nullptr || piece.at.lower < first->at.lower)) {
      first = &piece;
    }
  }
  return first;
}

class Outputs {
 public:
  Outputs(const JudgedPlan& plan, Faults& faults)
      : plan_(plan), faults_(faults), dies_(plan.report.blocks.size(), INT64_MIN) {
    for (std::size_t i = 0; i < plan.report.blocks.size(); ++i) {
      const model::PlannedBlock& block = plan.report.blocks[i];
      if (block.live) {
        end_ = std::max(end_, block.live->upper);
        std::int64_t& dies = dies_[plan.root_of(i)];
        dies = std::max(dies, block.live->upper);
      }
    }
  }

  void check(const JudgedArena& arena) {
    for (const std::size_t i : arena.blocks) {
      const model::PlannedBlock& block = plan_.report.blocks[i];
      if (block.is_output && block.live && dies_[plan_.root_of(i)] < end_) {
        tell(arena, i);
      }
    }
  }

 private:
  void tell(const JudgedArena& arena, std::size_t i) {
    const model::PlannedBlock& block = plan_.report.blocks[i];
    const std::size_t root = plan_.root_of(i);
    const std::int64_t last = dies_[root];
    const auto& offset = block.offset ? block.offset : plan_.report.blocks[root].offset;
    const PlacedBuffer kept{last, end_, offset ? offset->count() : 0, block.size.count()};
    const Piece* const other =
        offset && looked_++ < kOutputs ? overwriter(plan_, arena, root, kept) : nullptr;
    const Severity severity = other != nullptr ? Severity::kError : Severity::kWarning;
    if (!faults_.wants(severity, Code::kPlanOutput)) {
      return;
    }
    core::Diagnostic output = core::error(
        Code::kPlanOutput,
        fmt::format("output {} lives in steps [{}, {}) only, {}",
                    plan_.label(i),
                    block.live->lower,
                    last,
                    other != nullptr
                        ? fmt::format("and {} takes its bytes in step {}, before the run ends",
                                      plan_.label(other->block),
                                      other->at.lower)
                        : fmt::format("but the run goes on to step {}: nothing keeps its bytes "
                                      "until they are read",
                                      end_ - 1)),
        plan_.place_of(i),
        fmt::format(
            "let it live in steps [{}, {}), and plan the arena again", block.live->lower, end_));
    output.severity = severity;
    if (other != nullptr) {
      output.details = {fmt::format("{:<24} bytes {}, steps [{}, {})",
                                    plan_.label(i),
                                    bytes_text(kept),
                                    block.live->lower,
                                    last),
                        fmt::format("{:<24} bytes {}, steps {}",
                                    plan_.label(other->block),
                                    bytes_text(other->at),
                                    steps_text(other->at))};
    }
    faults_.say(std::move(output));
  }

  const JudgedPlan& plan_;
  Faults& faults_;
  /// Behind the last step of anything.
  std::int64_t end_ = INT64_MIN;
  /// Behind the last step of all that share their bytes, by the root of these.
  std::vector<std::int64_t> dies_;
  std::size_t looked_ = 0;
};

}  // namespace

void check_overlaps(const JudgedPlan& plan, Faults& faults) {
  for (const JudgedArena& arena : plan.arenas) {
    Overlaps{plan, arena, faults}.check();
    check_twins(plan, arena, faults);
  }
}

void check_outputs(const JudgedPlan& plan, Faults& faults) {
  Outputs outputs{plan, faults};
  for (const JudgedArena& arena : plan.arenas) {
    if (arena.role == model::Lifetime::kScratch) {
      outputs.check(arena);
    }
  }
}

}  // namespace memsize::plan
