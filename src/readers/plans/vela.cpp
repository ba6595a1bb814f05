// What Vela prints with --verbose-allocation: for each memory area a heading, a table with one row
// a tensor, and below it the peak that no allocation can avoid beside the one it needs.
//
// Regor, its newer compiler (Ethos-U85), prints headings of its own, a tensor's format in place of
// its purpose or neither, and one sum below the table: what the allocation needs. "Memory Usage" is
// what is alive when a tensor begins, of Regor the most while it lives.
//
// Tensors that share one live range (in-place operators, copies of the same weights) are rows with
// the same times, the same addresses and the same size. Live ranges never meet in time and
// addresses, because Vela checks that itself, so that such rows are one block and its aliases.
#include "memsize/core/text.hpp"

#include "plan_lines.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

constexpr std::string_view kHeading = "Tensor Allocation for mem_area ";
constexpr std::string_view kNewerHeading = "Allocation, memory ";
constexpr std::string_view kUsageMask = ", usage mask: ";
constexpr std::string_view kReadOnlyHeading = "Tensor Allocation for read-only ";
constexpr std::string_view kListingColumns = "Start Time - ";
constexpr std::string_view kPeak = "Allocation Peak ";
constexpr const char* kHowToPrintAllocation =
    "run vela with --verbose-allocation, and keep all it prints";

struct VelaRow {
  std::int64_t start_time = 0;
  std::int64_t end_time = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size = 0;
  std::uint64_t usage = 0;
  // Purpose or format.
  std::string_view kind;
  std::string_view name;
};

/// "     0 -     2:        0x0 -     0x4000:       16384:        16640: FeatureMap  : conv1", where
/// the table has no column before the names without "FeatureMap  :".
bool row_in(std::string_view line, bool has_kind, VelaRow& row) {
  // The first address; what is before it may be a prefix of anything, then two times.
  const std::size_t address = line.find("0x");
  if (address == std::string_view::npos) {
    return false;
  }
  std::string_view times = core::trim(line.substr(0, address));
  if (!times.ends_with(':')) {
    return false;
  }
  times.remove_suffix(1);
  const std::size_t dash = times.rfind(" - ");
  if (dash == std::string_view::npos) {
    return false;
  }
  const std::string_view before = core::trim(times.substr(0, dash));
  const std::size_t blank = before.find_last_of(" \t");
  const auto start = signed_number(before.substr(blank == std::string_view::npos ? 0 : blank + 1));
  const auto end = signed_number(core::trim(times.substr(dash + 3)));
  if (!start || !end) {
    return false;
  }
  row.start_time = *start;
  row.end_time = *end;
  LineScan scan{line.substr(address)};
  scan.hex(row.begin).take(" - ").hex(row.end).take(" : ").whole(row.size).take(" : ");
  scan.whole(row.usage).take(" : ");
  if (has_kind) {
    scan.until(":", row.kind);
  }
  scan.rest(row.name);
  // Two rows whose line end was lost are none.
  return scan.ok() && row.name.find(": 0x") == std::string_view::npos;
}

/// Times, addresses and figures between colons: what a row with a damaged byte still has.
bool looks_like_tensor(std::string_view line) {
  return std::ranges::count(line, ':') >= 4 && line.find(" - ") != std::string_view::npos &&
         line.find(kListingColumns) == std::string_view::npos;
}

/// "16352 (    0x3fe0) Bytes    15.97 KiB", "16352 bytes == 15.96875 KiB"
struct Sum {
  std::string_view what;
  std::uint64_t bytes = 0;
  /// The second form, as printed, and whether it says the same.
  std::string_view again;
  bool is_same = false;
};

bool total_in(std::string_view line, Sum& sum) {
  std::uint64_t in_hex = 0;
  LineScan scan{line};
  scan.find(kPeak).until(":", sum.what).whole(sum.bytes).take(" ( ").until(")", sum.again);
  if (scan.take(" Bytes").ok()) {
    LineScan hex{sum.again};
    sum.is_same = hex.hex(in_hex).end().ok() && in_hex == sum.bytes;
    return true;
  }
  LineScan newer{line};
  newer.find(kPeak).until(":", sum.what).whole(sum.bytes).take(" bytes == ");
  if (!newer.until(" KiB", sum.again).end().ok()) {
    return false;
  }
  // With all the digits that it takes.
  double kib = 0;
  const char* const end = sum.again.data() + sum.again.size();
  const auto [stop, failure] = std::from_chars(sum.again.data(), end, kib);
  sum.is_same =
      failure == std::errc{} && stop == end && kib == static_cast<double>(sum.bytes) / 1024.0;
  return true;
}

/// A row's times and what it says of the memory in use, as printed.
struct Usage {
  std::int64_t start_time = 0;
  std::int64_t end_time = 0;
  std::uint64_t size = 0;
  std::uint64_t usage = 0;
  std::size_t line = 0;
  bool is_alias = false;
};

struct Listing {
  std::string memory;
  model::Lifetime role = model::Lifetime::kScratch;
  bool is_newer = false;
  std::size_t line = 0;
  std::vector<model::PlannedBlock> blocks;
  // Of each block.
  std::vector<Usage> usages;
  std::optional<core::Bytes> lower_bound;
  std::optional<core::Bytes> total;
};

// "... mem_area Sram, of mem_type_set (Scratch, Scratch_fast), using allocator HillClimb, in ..."
std::optional<Listing> listing_in(std::string_view line, PlanPlace place, PlanText& plan) {
  std::string_view area;
  std::string_view types;
  std::string_view allocator;
  LineScan scan{line};
  scan.find(kHeading).until(",", area).find("mem_type_set (").until(")", types);
  if (!scan.ok() || !core::is_identifier(area)) {
    plan.error(Code::kPlanSyntax,
               place,
               "this heading does not say of which memory it is",
               kHowToPrintAllocation);
    return std::nullopt;
  }
  Listing listing{.memory = memory_name(area), .line = place.line};
  if (types.find("Permanent") != std::string_view::npos) {
    listing.role = model::Lifetime::kConstant;
  } else if (types.find("Scratch") == std::string_view::npos) {
    plan.error(Code::kPlanSyntax,
               place,
               fmt::format("'{}' is neither permanent nor scratch memory",
                           core::printable(types, kLongestShown)),
               kHowToPrintAllocation);
  }
  // Constants of the CPU and of the NPU are two tensors of the output file: in either, addresses
  // begin at 0.
  if (types == "Permanent_CPU") {
    listing.memory += "_cpu";
  }
  if (scan.find("using allocator ").until(",", allocator).ok()) {
    const std::size_t dot = allocator.rfind('.');
    allocator.remove_prefix(dot == std::string_view::npos ? 0 : dot + 1);
    plan.report().planner = core::printable(allocator, kLongestShown);
  }
  return listing;
}

Listing newer_listing(std::string_view memory,
                      model::Lifetime role,
                      PlanPlace place,
                      PlanText& plan) {
  plan.report().planner = "Regor";
  return {.memory = memory_name(memory), .role = role, .is_newer = true, .line = place.line};
}

// "Allocation, memory Sram, usage mask: FeatureMap|Staging"
std::optional<Listing> newer_listing_in(std::string_view line, PlanPlace place, PlanText& plan) {
  std::string_view memory;
  std::string_view mask;
  LineScan scan{line};
  scan.find(kNewerHeading).until(kUsageMask, memory).rest(mask);
  if (!core::is_identifier(memory)) {
    plan.error(Code::kPlanSyntax,
               place,
               "this heading does not say of which memory it is",
               kHowToPrintAllocation);
    return std::nullopt;
  }
  const auto role = mask == "ReadOnly" ? model::Lifetime::kConstant : model::Lifetime::kScratch;
  return newer_listing(memory, role, place, plan);
}

void read_peak(std::string_view line, PlanPlace place, Listing& listing, PlanText& plan) {
  Sum sum;
  const bool is_known =
      total_in(line, sum) && (sum.what == "Tensor Size" || sum.what == "Memory Usage");
  if (!is_known) {
    plan.damaged(place.line, "the sums below an allocation");
    return;
  }
  if (!sum.is_same) {
    plan.error(Code::kPlanContradiction,
               place,
               fmt::format("{} B are not {}, and the line says both",
                           sum.bytes,
                           core::printable(sum.again, kLongestShown)),
               "the line is damaged: print the allocation again");
  }
  // Regor's one sum has the name of what Vela's planners cannot avoid, and is what it needs.
  const bool is_least = sum.what == "Tensor Size" && !listing.is_newer;
  (is_least ? listing.lower_bound : listing.total) = plan.size(sum.bytes, place, sum.what);
}

void add_row(const VelaRow& row, PlanPlace place, Listing& listing, PlanText& plan) {
  model::PlannedBlock block{
      .id = row.name.empty() ? fmt::format("tensor at line {}", place.line) : std::string{row.name},
      .memory = listing.memory};
  block.role = listing.role;
  block.line = place.line;
  const std::string what = fmt::format("'{}'", core::printable(block.id, kLongestShown));
  if (!core::is_utf8(block.id)) {
    plan.error(Code::kPlanSyntax, place, fmt::format("{} is no text", what), "texts are UTF-8");
    return;
  }
  const auto size = plan.size(row.size, place, what);
  const auto offset = plan.size(row.begin, place, what);
  const auto live = plan.lifetime(row.start_time, row.end_time, LastStep::kInside, place, what);
  if (!size || !offset || !live) {
    return;
  }
  if (core::checked_add(row.begin, row.size) != row.end) {
    plan.error(Code::kPlanContradiction,
               place,
               fmt::format("{}: {} B at {} do not end at {}",
                           what,
                           row.size,
                           core::format_hex(row.begin),
                           core::format_hex(row.end)),
               "the line is damaged: print the allocation again");
  }
  block.size = *size;
  block.offset = *offset;
  // Constants are there all the time, whenever they are used.
  if (listing.role == model::Lifetime::kScratch) {
    block.live = live;
  }
  listing.blocks.push_back(std::move(block));
  listing.usages.push_back({row.start_time, row.end_time, row.size, row.usage, place.line, false});
}

/// What is alive from a step to the next of the vector.
struct Alive {
  std::int64_t step = 0;
  std::uint64_t bytes = 0;
};

std::vector<Alive> alive_in(const Listing& listing) {
  // What begins at a step, and what has ended before it.
  std::map<std::int64_t, std::uint64_t> changes;
  for (const Usage& row : listing.usages) {
    const std::uint64_t size = row.is_alias ? 0 : row.size;
    changes[row.start_time] += size;
    changes[row.end_time + 1] -= size;
  }
  std::vector<Alive> alive;
  std::uint64_t now = 0;
  for (const auto& [step, change] : changes) {
    now += change;
    alive.push_back({step, now});
  }
  return alive;
}

// The first row, by line, that says another usage than the rows have, and what these have.
std::optional<std::pair<Usage, std::uint64_t>> other_usage(const Listing& listing,
                                                           const std::vector<Alive>& alive) {
  std::vector<Usage> rows = listing.usages;
  for (Usage& row : rows) {
    row.end_time = listing.is_newer ? row.end_time : row.start_time;
  }
  std::ranges::sort(rows, {}, &Usage::end_time);
  // Of the steps up to a row's end, each with fewer bytes alive than the one before it, and more
  // than all behind it.
  std::vector<Alive> peaks;
  std::optional<std::pair<Usage, std::uint64_t>> other;
  auto next = alive.begin();
  for (const Usage& row : rows) {
    for (; next != alive.end() && next->step <= row.end_time; ++next) {
      while (!peaks.empty() && peaks.back().bytes <= next->bytes) {
        peaks.pop_back();
      }
      peaks.push_back(*next);
    }
    const std::uint64_t most =
        std::lower_bound(peaks.begin(),
                         peaks.end(),
                         row.start_time,
                         [](const Alive& peak, std::int64_t step) { return peak.step < step; })
            ->bytes;
    if (most != row.usage && (!other || row.line < other->first.line)) {
      other = {row, most};
    }
  }
  return other;
}

// The rows say once more what is alive, and the sums have the most of it.
void check_usages(const Listing& listing, PlanText& plan) {
  const std::vector<Alive> alive = alive_in(listing);
  std::uint64_t most = 0;
  for (const Alive& each : alive) {
    most = std::max(most, each.bytes);
  }
  // Some prints of Regor have the table's most in every row.
  const bool is_most_everywhere =
      listing.is_newer &&
      std::ranges::all_of(listing.usages, [most](const Usage& row) { return row.usage == most; });
  if (is_most_everywhere) {
    return;
  }
  if (const auto other = other_usage(listing, alive)) {
    const auto& [row, bytes] = *other;
    plan.warn(
        Code::kPlanContradiction,
        {row.line, 0},
        listing.is_newer
            ? fmt::format("the rows have at most {} B alive while this one lives, which says {} B",
                          bytes,
                          row.usage)
            : fmt::format("the rows have {} B alive at step {}, this one says {} B",
                          bytes,
                          row.start_time,
                          row.usage),
        "a row is damaged or missing: print the allocation again");
  } else if (listing.lower_bound && listing.lower_bound->count() != most) {
    plan.warn(Code::kPlanContradiction,
              {listing.line, 0},
              fmt::format("the rows of {} have at most {} B alive, the sums below them say {} B",
                          core::printable(listing.memory, kLongestShown),
                          most,
                          listing.lower_bound->count()),
              "a row is damaged or missing: print the allocation again");
  }
}

void add_listing(Listing& listing, PlanText& plan) {
  using Place = std::tuple<std::int64_t, std::int64_t, std::uint64_t, std::uint64_t>;
  std::map<Place, std::string> owners;
  for (std::size_t i = 0; i < listing.blocks.size(); ++i) {
    model::PlannedBlock& block = listing.blocks[i];
    const model::Interval live = block.live.value_or(model::Interval{});
    const Place where{live.lower, live.upper, block.offset->count(), block.size.count()};
    const auto owner = owners.find(where);
    if (owner != owners.end()) {
      block.alias_of = owner->second;
      listing.usages[i].is_alias = true;
    }
    const bool alone = owner == owners.end();
    if (plan.add(std::move(block)) && alone) {
      owners.emplace(where, plan.report().blocks.back().id);
    }
  }
  auto& arena = plan.arena(listing.memory, listing.role, listing.line);
  arena.lower_bound = listing.lower_bound;
  arena.total = listing.total;
  check_usages(listing, plan);
  if (!listing.total || (!listing.lower_bound && !listing.is_newer)) {
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged,
              {listing.line, 0},
              fmt::format("the table of {} lacks sums below it: its end may be missing",
                          core::printable(listing.memory, kLongestShown)),
              kHowToPrintAllocation);
  }
}

class ListingReading {
 public:
  ListingReading(std::string_view text, const std::string& path)
      : lines_(text), plan_(text, path) {}

  PlanResult read() {
    while (lines_.next()) {
      read_line(lines_.line(), {lines_.number(), 0});
    }
    close();
    for (Listing& listing : listings_) {
      add_listing(listing, plan_);
    }
    if (plan_.empty()) {
      plan_.error(Code::kPlanSyntax,
                  {},
                  "there is no allocation of Vela in this text",
                  kHowToPrintAllocation);
    }
    return plan_.done();
  }

 private:
  void read_line(std::string_view line, PlanPlace place) {
    VelaRow row;
    if (LineScan{line}.find(kHeading).ok()) {
      close();
      open_ = listing_in(line, place, plan_);
    } else if (pieces_in(line, {kNewerHeading, kUsageMask}) == 2) {
      close();
      open_ = newer_listing_in(line, place, plan_);
    } else if (LineScan{line}.find(kReadOnlyHeading).ok()) {
      close();
      open_ = newer_listing("read-only", model::Lifetime::kConstant, place, plan_);
    } else if (line.find(kListingColumns) != std::string_view::npos) {
      is_newer_ = pieces_in(line, {": Purpose"}) == 0;
      has_kind_ = !is_newer_ || pieces_in(line, {": Format"}) != 0;
    } else if (pieces_in(line, {kPeak, ") Bytes", " bytes == ", " KiB"}) >= 2) {
      if (open_) {
        read_peak(line, place, *open_, plan_);
      }
    } else if (row_in(line, has_kind_, row)) {
      if (!open_ || open_->total) {
        // The heading was lost: which memory it is nobody knows.
        close();
        open_ = Listing{.memory = "default", .is_newer = is_newer_, .line = place.line};
        plan_.report().abridged = true;
        plan_.warn(Code::kPlanAbridged,
                   place,
                   "no heading says of which memory these rows are",
                   kHowToPrintAllocation);
      }
      add_row(row, place, *open_, plan_);
    } else if (open_ && !open_->total && looks_like_tensor(line)) {
      plan_.damaged(place.line, "the allocation");
    }
  }

  // A listing that was there before is one of another run: two models in one log.
  void close() {
    if (!open_) {
      return;
    }
    Listing closed = *std::exchange(open_, std::nullopt);
    const auto [found, fresh] =
        index_.emplace(std::pair{closed.memory, closed.role}, listings_.size());
    if (fresh) {
      listings_.push_back(std::move(closed));
      return;
    }
    plan_.warn(Code::kPlanContradiction,
               {closed.line, 0},
               fmt::format("{} is listed here again; the table of line {} does not count",
                           core::printable(closed.memory, kLongestShown),
                           listings_[found->second].line),
               "give each model's print in a file of its own");
    listings_[found->second] = std::move(closed);
  }

  PlanLines lines_;
  PlanText plan_;
  // The table that is being read.
  std::optional<Listing> open_;
  // What the columns' names say: whose table it is, and whether there is one before the names.
  bool is_newer_ = false;
  bool has_kind_ = true;
  std::vector<Listing> listings_;
  std::map<std::pair<std::string, model::Lifetime>, std::size_t> index_;
};

}  // namespace

bool probe_vela(std::string_view head) {
  PlanLines lines{head};
  while (lines.next()) {
    std::string_view area;
    std::string_view name;
    if (LineScan{lines.line()}.find(kHeading).until(",", area).ok() ||
        LineScan{lines.line()}.find(kNewerHeading).until(kUsageMask, area).ok() ||
        LineScan{lines.line()}
            .find(kListingColumns)
            .take(" End Time : Start Addr - ")
            .take(" End Addr: Tensor Size: Memory Usage")
            .take(" : ")
            .rest(name)
            .ok()) {
      return true;
    }
  }
  return false;
}

PlanResult read_vela(std::string_view text, const std::string& path) {
  return ListingReading{text, path}.read();
}

}  // namespace memsize::readers
