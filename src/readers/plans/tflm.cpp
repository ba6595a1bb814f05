// What TensorFlow Lite Micro prints of its arena: the memory plan of a build with
// TF_LITE_SHOW_MEMORY_USE, one line a buffer, and the totals of its recording allocator. Both come
// over a console, behind time stamps and between other lines.
#include "memsize/core/text.hpp"

#include "plan_lines.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

// The arena is one block of bytes, which the program puts wherever it wants.
constexpr const char* kArena = "default";
constexpr std::string_view kBuffer = " (id=";
constexpr std::string_view kLast = " last_used=";
constexpr std::string_view kOverlap = "Overlap: ";
constexpr std::string_view kRecording = "[RecordingMicroAllocator] ";
constexpr std::string_view kMissing = ". Requested: ";
constexpr std::string_view kTotals = "Arena allocation ";
constexpr const char* kHowToPrintPlan =
    "build TFLM with TF_LITE_SHOW_MEMORY_USE defined, and keep all lines of the plan";

struct TensorBuffer {
  char letter = '\0';
  std::uint64_t id = 0;
  std::int64_t size = 0;
  std::int64_t offset = 0;
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::size_t line = 0;
};

/// Cut: its end is missing. Damaged: its end is there.
enum class RowMatch { kNo, kCut, kDamaged, kYes };

/// A step of the drawing below the list: what is alive then, in KiB, rounded up.
struct Drawn {
  std::int64_t step = 0;
  std::uint64_t kib = 0;
  std::size_t line = 0;
};

/// "   4: 55555555....4444444444.... (27k)", behind anything.
bool drawn_in(std::string_view line, Drawn& drawn) {
  line = core::trim(line);
  const std::size_t open = line.rfind(" (");
  if (open == std::string_view::npos || !line.ends_with("k)")) {
    return false;
  }
  const auto kib = whole_number(line.substr(open + 2, line.size() - open - 4));
  std::string_view before = core::trim(line.substr(0, open));
  before = core::trim(before.substr(0, before.find_last_of(" \t") + 1));
  if (!kib || !before.ends_with(':')) {
    return false;
  }
  before.remove_suffix(1);
  const auto step = signed_number(before.substr(before.find_last_of(" \t") + 1));
  drawn.step = step.value_or(0);
  drawn.kib = *kib;
  return step.has_value();
}

RowMatch tensor_buffer_in(std::string_view line, TensorBuffer& buffer) {
  const std::size_t at = line.find(kBuffer);
  const bool has_pieces =
      pieces_in(line, {kBuffer, "): size=", ", offset=", ", first_used=", kLast}) >= 2;
  const RowMatch damaged = has_pieces ? RowMatch::kDamaged : RowMatch::kNo;
  if (at == std::string_view::npos || at == 0) {
    return damaged;
  }
  buffer.letter = line[at - 1];
  LineScan scan{line};
  if (!scan.find(kBuffer).whole(buffer.id).take("): size=").ok()) {
    return damaged;
  }
  scan.step(buffer.size).take(", offset=").step(buffer.offset);
  scan.take(", first_used=").step(buffer.first).take(" last_used=").step(buffer.last).end();
  if (!scan.ok() && line.find(kLast) != std::string_view::npos) {
    return RowMatch::kDamaged;
  }
  return scan.ok() ? RowMatch::kYes : RowMatch::kCut;
}

// TFLM says each pair twice, once from either side.
void read_overlap(std::string_view line, PlanPlace place, PlanText& plan) {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  LineScan scan{line};
  scan.find(kOverlap).whole(first).find(") vs ").whole(second);
  if (scan.ok() && first < second) {
    plan.warn(Code::kPlanContradiction,
              place,
              fmt::format("TFLM itself found that buffers {} and {} overlap", first, second),
              "an offline plan in the model's metadata is wrong: let TFLM plan, or plan again");
  }
}

// "Failed to resize buffer. Requested: 120000, available 100000, missing: 20000".
void read_failure(std::string_view line, PlanPlace place, PlanText& plan) {
  std::uint64_t wanted = 0;
  std::uint64_t available = 0;
  std::uint64_t missing = 0;
  LineScan scan{line};
  scan.find(kMissing).whole(wanted).take(", available ").whole(available);
  if (scan.take(", missing: ").whole(missing).ok()) {
    plan.warn(Code::kPlanDoesNotFit,
              place,
              fmt::format("the arena had no room: {} B were requested, {} B available, {} B "
                          "missing",
                          wanted,
                          available,
                          missing),
              "make the arena larger: this plan, if it is of that model, is not whole");
  }
}

/// A total of the recording allocator.
struct ArenaTotal {
  std::optional<core::Bytes> bytes;
  std::size_t line = 0;
};

/// What the head and the tail of the arena take, and both.
struct ArenaTotals {
  ArenaTotal total;
  ArenaTotal head;
  ArenaTotal tail;
};

void read_arena_total(std::string_view line, PlanPlace place, ArenaTotals& totals, PlanText& plan) {
  std::string_view part;
  std::uint64_t bytes = 0;
  LineScan scan{line};
  scan.find(kRecording).take(kTotals).until(" ", part).whole(bytes).take(" bytes");
  if (!scan.ok() || !plan.size(bytes, place, part)) {
    return;
  }
  const ArenaTotal read{core::Bytes{bytes}, place.line};
  if (part == "total") {
    totals.total = read;
  } else if (part == "head") {
    totals.head = read;
  } else if (part == "tail") {
    totals.tail = read;
  }
}

// They count from 0; what misses was lost on the way.
void check_ids(const std::vector<TensorBuffer>& buffers, PlanText& plan) {
  std::vector<std::uint64_t> ids;
  ids.reserve(buffers.size());
  for (const TensorBuffer& buffer : buffers) {
    ids.push_back(buffer.id);
  }
  std::ranges::sort(ids);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] > i) {
      plan.report().abridged = true;
      plan.warn(Code::kPlanAbridged,
                {buffers.front().line, 0},
                fmt::format("the memory plan lacks buffer {}", i),
                kHowToPrintPlan);
      return;
    }
  }
}

// The drawing says once more how much is alive at each step.
void check_drawing(const std::vector<TensorBuffer>& buffers,
                   std::vector<Drawn> drawing,
                   PlanText& plan) {
  std::map<std::int64_t, std::uint64_t> changes;
  for (const TensorBuffer& buffer : buffers) {
    if (buffer.size >= 0 && is_lifetime(buffer.first, buffer.last, LastStep::kInside)) {
      changes[buffer.first] += static_cast<std::uint64_t>(buffer.size);
      changes[buffer.last + 1] -= static_cast<std::uint64_t>(buffer.size);
    }
  }
  std::ranges::sort(drawing, {}, [](const Drawn& drawn) {
    return std::pair{drawn.step, drawn.line};
  });
  constexpr std::uint64_t kKib = 1024;
  auto change = changes.begin();
  std::uint64_t alive = 0;
  for (const Drawn& drawn : drawing) {
    for (; change != changes.end() && change->first <= drawn.step; ++change) {
      alive += change->second;
    }
    if (alive / kKib + (alive % kKib == 0 ? 0 : 1) != drawn.kib) {
      plan.warn(
          Code::kPlanContradiction,
          {drawn.line, 0},
          fmt::format("{} B of the plan's buffers are alive at step {}, the drawing has {} KiB",
                      alive,
                      drawn.step,
                      drawn.kib),
          "a line is damaged or missing: keep all lines of the plan");
      return;
    }
  }
}

void add_buffer(const TensorBuffer& buffer, PlanText& plan) {
  const PlanPlace place{buffer.line, 0};
  const std::string what = fmt::format("'{}'", buffer.id);
  if (buffer.size < 0 || buffer.offset < -1) {
    plan.error(Code::kPlanSize,
               place,
               fmt::format("{}: {} B at offset {} are no place", what, buffer.size, buffer.offset),
               "TFLM counts in 32 bits: the model is too large for it");
    return;
  }
  model::PlannedBlock block{.id = fmt::format("{}", buffer.id)};
  // By its letter in the drawing below the list; '*' is what lives in one step only.
  if (buffer.letter != '*' && block.id != std::string_view{&buffer.letter, 1}) {
    block.name = core::printable({&buffer.letter, 1});
  }
  block.memory = kArena;
  block.line = buffer.line;
  block.size = core::Bytes{static_cast<std::uint64_t>(buffer.size)};
  if (buffer.offset >= 0) {
    block.offset = core::Bytes{static_cast<std::uint64_t>(buffer.offset)};
  }
  block.live = plan.lifetime(buffer.first, buffer.last, LastStep::kInside, place, what);
  if (block.live && plan.is_new(block.id, place)) {
    plan.add(std::move(block));
  }
}

void add_totals(const ArenaTotals& totals, bool has_buffers, PlanText& plan) {
  const auto& [total, head, tail] = totals;
  if (head.bytes) {
    plan.arena(kArena, model::Lifetime::kScratch, head.line).total = head.bytes;
  }
  if (tail.bytes) {
    // Bump-allocated from the arena's end downwards: what is used is what is reserved.
    plan.arena(kArena, model::Lifetime::kPersistent, tail.line).total = tail.bytes;
  }
  if (total.bytes) {
    plan.memory(kArena, total.line).used = total.bytes;
  }
  if (total.bytes && head.bytes && tail.bytes && *head.bytes + *tail.bytes != *total.bytes) {
    plan.error(Code::kPlanContradiction,
               {total.line, 0},
               fmt::format("head and tail are {} B, the total is {} B",
                           (*head.bytes + *tail.bytes).count(),
                           total.bytes->count()),
               "a line is damaged, or the lines are of two models: give each model's log in a "
               "file of its own");
  }
  if ((total.bytes || head.bytes || tail.bytes) && !(total.bytes && head.bytes && tail.bytes)) {
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged,
              {std::max({total.line, head.line, tail.line}), 0},
              fmt::format("of the arena's totals, the {} is missing",
                          !total.bytes  ? "sum of both"
                          : !head.bytes ? "head"
                                        : "tail"),
              kHowToPrintPlan);
  }
  if (!has_buffers && (head.bytes || total.bytes)) {
    plan.report().abridged = true;
    plan.warn(Code::kPlanAbridged,
              {head.bytes ? head.line : total.line, 0},
              "the arena's totals are here, but not the buffers in it",
              kHowToPrintPlan);
  }
}

// The drawing follows the list, and the totals, where a build prints them, follow both.
void check_end(const std::vector<TensorBuffer>& buffers, bool has_more, PlanText& plan) {
  if (buffers.empty() || has_more) {
    return;
  }
  plan.report().abridged = true;
  plan.warn(Code::kPlanAbridged,
            {buffers.back().line, 0},
            "the memory plan lacks the drawing below its buffers: its end may be missing",
            kHowToPrintPlan);
}

class PlanReading {
 public:
  PlanReading(std::string_view text, const std::string& path) : lines_(text), plan_(text, path) {}

  PlanResult read() {
    while (lines_.next()) {
      read_line(lines_.line(), {lines_.number(), 0});
    }
    check_ids(buffers_, plan_);
    check_end(buffers_,
              !drawing_.empty() || totals_.total.bytes || totals_.head.bytes || totals_.tail.bytes,
              plan_);
    check_drawing(buffers_, std::move(drawing_), plan_);
    for (const TensorBuffer& buffer : buffers_) {
      add_buffer(buffer, plan_);
    }
    add_totals(totals_, !buffers_.empty(), plan_);
    if (plan_.empty()) {
      plan_.error(
          Code::kPlanSyntax, {}, "there is no memory plan of TFLM in this text", kHowToPrintPlan);
    }
    return plan_.done();
  }

 private:
  void read_line(std::string_view line, PlanPlace place) {
    TensorBuffer buffer{.line = place.line};
    const RowMatch match = tensor_buffer_in(line, buffer);
    if (match == RowMatch::kCut) {
      plan_.report().abridged = true;
      plan_.warn(
          Code::kPlanAbridged, place, "this line of the memory plan is cut", kHowToPrintPlan);
    } else if (match == RowMatch::kDamaged) {
      plan_.damaged(place.line, "the memory plan");
    } else if (match == RowMatch::kYes) {
      take(buffer);
    } else if (line.find(kMissing) != std::string_view::npos) {
      read_failure(line, place, plan_);
    } else if (line.find(kOverlap) != std::string_view::npos) {
      read_overlap(line, place, plan_);
    } else if (Drawn drawn; drawn_in(line, drawn)) {
      drawn.line = place.line;
      drawing_.push_back(drawn);
    } else if (line.find(kRecording) != std::string_view::npos) {
      read_arena_total(line, place, totals_, plan_);
    }
  }

  // A plan begins with buffer 0.
  void take(const TensorBuffer& buffer) {
    if (buffer.id == 0 && !buffers_.empty()) {
      plan_.warn(Code::kPlanContradiction,
                 {buffer.line, 0},
                 fmt::format("another memory plan begins here; that of line {} does not count",
                             buffers_.front().line),
                 "give each model's log in a file of its own");
      buffers_.clear();
      drawing_.clear();
    }
    buffers_.push_back(buffer);
  }

  PlanLines lines_;
  PlanText plan_;
  std::vector<TensorBuffer> buffers_;
  std::vector<Drawn> drawing_;
  ArenaTotals totals_;
};

}  // namespace

bool probe_tflm(std::string_view head) {
  PlanLines lines{head};
  while (lines.next()) {
    TensorBuffer buffer;
    LineScan totals{lines.line()};
    if (tensor_buffer_in(lines.line(), buffer) == RowMatch::kYes ||
        totals.find(kRecording).take(kTotals).ok()) {
      return true;
    }
  }
  return false;
}

PlanResult read_tflm(std::string_view text, const std::string& path) {
  return PlanReading{text, path}.read();
}

}  // namespace memsize::readers
