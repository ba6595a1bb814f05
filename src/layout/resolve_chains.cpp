// Chains, from their bases upwards, virtual and physical side by side, because the two differ by
// one constant per chain. A chain may continue another one, and must stop below its limit: nothing
// behind a chain moves out of its way, so growing a region past the limit is an error that says by
// how much, who is large, and what would fit.
//
//      chain base                                limit
//          |  region  | gap |  region  |   free    |
//          +----------+-----+----------+-----------+
#include "resolve_chains.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "places.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Bytes;
using core::Code;
using core::Diagnostic;
using core::PhysAddr;
using core::VirtAddr;

// Where windows end at addresses that users set: the knob is told by each error that another value
// of it puts off.
class Borders {
 public:
  explicit Borders(const board::Board& board) : board_(board) {}

  void reach(const board::Expression& limit, PhysAddr end) {
    PhysAddr& last = ends_.try_emplace(limit.text, end).first->second;
    last = std::max(last, end);
  }

  // That the error is of a chain that ends behind its limit.
  void blame(const board::Expression& limit, std::size_t error) {
    if (board_.find_knob(limit.text) != nullptr && ends_.contains(limit.text)) {
      late_.emplace_back(error, limit.text);
    }
  }

  // Several chains may end at one address: it must be behind the last of them.
  void name(core::Diagnostics& errors) const {
    for (const auto& [index, border] : late_) {
      errors[index].parties.push_back({"knob", border});
      std::string& hint = errors[index].hint;
      hint += fmt::format("{}raise what ends the window: --set {}={}",
                          hint.empty() ? "" : "; or ",
                          border,
                          first_address(board_, *board_.find_knob(border), ends_.at(border)));
    }
  }

 private:
  const board::Board& board_;
  // By the expression that ends the window: the end of the last chain in it.
  std::map<std::string, PhysAddr> ends_;
  std::vector<std::pair<std::size_t, std::string>> late_;  // errors, by knob
};

// That the chain continues what has no end; nothing where that was reported already.
std::optional<Diagnostic> unknown_chain(const board::Board& board, const board::Chain& chain) {
  std::vector<std::string> before;
  for (const board::Chain& other : board.chains) {
    if (&other == &chain) {
      break;
    }
    before.push_back(other.name);
  }
  if (core::contains(before, chain.after)) {
    return std::nullopt;
  }
  return core::error(Code::kBoardReference,
                     fmt::format("chain '{}' continues '{}', which does not stand before it",
                                 chain.name,
                                 core::printable(chain.after)),
                     chain.after_place,
                     core::did_you_mean(chain.after, before));
}

bool has_room_at(const Cursor& cursor, Bytes size) {
  return core::VirtRange::make(cursor.virtual_base, size) &&
         (!cursor.physical || core::PhysRange::make(*cursor.physical, size)) &&
         (!cursor.full || size.count() == 0);
}

Region placed_region(const board::Board& board,
                     const board::Chain& chain,
                     const board::Item& item,
                     const Cursor& cursor,
                     Bytes size) {
  Region region{.name = item.name,
                .chain = chain.name,
                .space = chain.space,
                .attributes = item.attributes,
                .cache = item.cache,
                .align = item.align,
                .section_align = item.section_align,
                .in_header = item.in_header,
                .in_html = item.in_html,
                .note = item.note,
                .cores = item.cores,
                .virtual_base = cursor.virtual_base,
                .physical_base = cursor.physical,
                .size = size,
                .place = item.place};
  if (board.find_knob(item.size.text) != nullptr) {
    region.knob = item.size.text;
  }
  return region;
}

// The chain begins behind its own limit: sizes pushed it there, or the board file is wrong.
Diagnostic starts_too_late(const board::Board& board,
                           const board::Chain& chain,
                           PhysAddr start,
                           PhysAddr limit) {
  const bool pushed = !chain.after.empty() || board.find_knob(chain.limit.text) != nullptr;
  Diagnostic late =
      core::error(pushed ? Code::kLayoutWindow : Code::kBoardValue,
                  fmt::format("chain '{}' begins at {}, which is {} behind its limit {}",
                              chain.name,
                              core::format_address(start),
                              core::format_size(start - limit),
                              core::format_address(limit)),
                  chain.limit.place)
          .about({{"chain", chain.name}});
  if (!chain.limit_why.empty()) {
    late.details.push_back(
        fmt::format("{} ends the window: {}", core::format_address(limit), chain.limit_why));
  }
  if (!chain.after.empty()) {
    late.hint = fmt::format("make what stands in chain '{}' smaller", chain.after);
  }
  return late;
}

// The largest knob of the chain that can give back what is too much.
void say_what_would_fit(const board::Board& board,
                        const board::Values& values,
                        const board::Chain& chain,
                        Bytes excess,
                        Diagnostic& misfit) {
  const auto size_by = [&](const board::Knob& knob) { return Bytes{values.at(knob.name)}; };
  const board::Knob* best = nullptr;
  for (const board::Item& item : chain.items) {
    const board::Knob* knob = board.find_knob(item.size.text);
    if (knob != nullptr && (best == nullptr || size_by(*knob) > size_by(*best))) {
      best = knob;
    }
  }
  if (best == nullptr) {
    misfit.hint = "no knob sizes a region here: make one smaller in the board file";
    return;
  }
  misfit.parties.push_back({"knob", best->name});
  const std::uint64_t largest = (size_by(*best) - excess).count();
  const std::uint64_t rounded = largest - largest % best->hard_granule.value();
  misfit.hint =
      rounded == 0 || Bytes{rounded} < best->minimum
          ? "no single knob can give back that much: make several smaller"
          : fmt::format(
                "the largest {} that fits is {}", best->name, core::format_setting(Bytes{rounded}));
}

class ChainPlacer {
 public:
  ChainPlacer(const board::Board& board, const board::Values& values)
      : board_(board), values_(values), borders_(board) {}

  void place(const board::Chain& chain) {
    auto cursor = start_of(chain);
    if (!cursor) {
      return;
    }
    const Cursor start = *cursor;
    Window window{.chain = chain.name};
    std::vector<std::pair<std::string, Bytes>> sizes;
    for (const board::Item& item : chain.items) {
      const Bytes size{evaluate(item.size)};
      if (!has_room_at(*cursor, size)) {
        errors_.push_back(core::error(Code::kLayoutAddress,
                                      fmt::format("'{}' of {} ends above 2^64",
                                                  item.is_gap ? "a gap" : item.name,
                                                  core::format_size(size)),
                                      item.place));
        return;
      }
      sizes.emplace_back(item.is_gap ? "(gap)" : item.name, size);
      if (item.is_gap) {
        window.padding += size;
        if (cursor->physical && size.count() != 0) {
          placed_.gaps.push_back(
              {chain.name, *core::PhysRange::make(*cursor->physical, size), item.note});
        }
      } else {
        window.placed += size;
        placed_.regions.push_back(placed_region(board_, chain, item, *cursor, size));
      }
      cursor = cursor->behind(size);
    }
    placed_.ends[chain.name] = *cursor;
    if (!chain.limit.text.empty() && start.physical) {
      check_window(chain, *start.physical, window, std::move(sizes));
    }
  }

  core::Result<PlacedChains> finish() {
    if (!errors_.empty()) {
      borders_.name(errors_);
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(placed_);
  }

 private:
  std::uint64_t evaluate(const board::Expression& expression) {
    return value_of(expression, values_, errors_);
  }

  std::optional<Cursor> start_of(const board::Chain& chain) {
    if (!chain.after.empty()) {
      return start_behind(chain);
    }
    if (chain.space == board::Space::kCore) {
      return Cursor{{}, VirtAddr{evaluate(chain.virtual_base)}};
    }
    const std::uint64_t physical = evaluate(chain.physical);
    // The one place where a physical address becomes a virtual one: the chain is the mapping.
    return Cursor{
        PhysAddr{physical},
        VirtAddr{chain.virtual_base.text.empty() ? physical : evaluate(chain.virtual_base)}};
  }

  std::optional<Cursor> start_behind(const board::Chain& chain) {
    const Cursor* const before = core::value_in(placed_.ends, chain.after);
    if (before == nullptr) {
      if (auto unknown = unknown_chain(board_, chain); unknown) {
        errors_.push_back(std::move(*unknown));
      }
      return std::nullopt;
    }
    if (before->physical.has_value() == (chain.space == board::Space::kCore)) {
      errors_.push_back(core::error(
          Code::kBoardReference,
          fmt::format("chain '{}' continues '{}', but only one of them is on the bus",
                      chain.name,
                      chain.after),
          chain.after_place,
          "a memory that its cores alone see has no physical address to continue from or at"));
      return std::nullopt;
    }
    Cursor start = *before;
    if (!chain.virtual_base.text.empty()) {
      start.virtual_base = VirtAddr{evaluate(chain.virtual_base)};
    }
    return start;
  }

  // Where the window of the chain ends that begins at `start`.
  PhysAddr limit_of(const board::Chain& chain, PhysAddr start, std::optional<PhysAddr> end) {
    const PhysAddr limit{evaluate(chain.limit)};
    // What begins at an address that a user set below all of the chain does not end it.
    const std::string& root = board_.root_of(chain.name)->name;
    const Region* const first = core::find_where(placed_.regions, [&](const Region& each) {
      return each.chain == root && each.physical_base;
    });
    const PhysAddr base = first == nullptr ? start : *first->physical_base;
    const bool is_below = limit < base && end && board_.find_knob(chain.limit.text) != nullptr;
    return is_below ? *end : limit;
  }

  // Needs no more than its window, or an error with the whole account.
  void check_window(const board::Chain& chain,
                    PhysAddr start,
                    Window window,
                    std::vector<std::pair<std::string, Bytes>> sizes) {
    const std::size_t errors_before = errors_.size();
    const Bytes needed = window.placed + window.padding;
    const auto end = start.plus(needed);
    if (end) {
      borders_.reach(chain.limit, *end);
    }
    const PhysAddr limit = limit_of(chain, start, end);
    if (limit < start) {
      if (errors_.size() == errors_before) {
        borders_.blame(chain.limit, errors_.size());
        errors_.push_back(starts_too_late(board_, chain, start, limit));
      }
      return;
    }
    const Bytes room = limit - start;
    const auto range = core::PhysRange::make(start, room);
    core::bug_if(!range, "a window ends above 2^64");
    window.range = *range;
    window.free = room - needed;
    placed_.windows.push_back(window);
    if (needed <= room) {
      return;
    }
    Diagnostic misfit = too_small(chain, *range, needed, std::move(sizes));
    say_what_would_fit(board_, values_, chain, needed - room, misfit);
    borders_.blame(chain.limit, errors_.size());
    errors_.push_back(std::move(misfit));
  }

  const board::Board& board_;
  const board::Values& values_;
  Borders borders_;
  PlacedChains placed_;
  core::Diagnostics errors_;
};

}  // namespace

Cursor Cursor::behind(Bytes size) const {
  const auto next_virtual = virtual_base.plus(size);
  const auto next_physical = physical ? physical->plus(size) : std::nullopt;
  const bool is_full = !next_virtual || (physical && !next_physical);
  return is_full ? Cursor{physical, virtual_base, true} : Cursor{next_physical, *next_virtual};
}

std::uint64_t value_of(const board::Expression& expression,
                       const board::Values& values,
                       core::Diagnostics& errors) {
  const auto value = board::evaluate(expression, values);
  if (!value) {
    std::ranges::copy(value.error(), std::back_inserter(errors));
    return 0;
  }
  return *value;
}

core::Result<PlacedChains> place_chains(const board::Board& board, const board::Values& values) {
  ChainPlacer placer{board, values};
  for (const board::Chain& chain : board.chains) {
    placer.place(chain);
  }
  return placer.finish();
}

}  // namespace memsize::layout
