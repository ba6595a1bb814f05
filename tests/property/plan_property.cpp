// The planner against a judge that tries everything, and what must hold of its plans however large.
//
//   plan_property [--count N] [--seed N]
//
// Problem i is made of the seed plus i, so that one that fails can be had alone: --seed that
// --count 1.
#include "memsize/emit/plan_files.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/named_planners.hpp"
#include "memsize/plan/pack.hpp"

#include "plan_judge.hpp"
#include "planner_property.hpp"
#include "random_plans.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

namespace core = memsize::core;
namespace judge = memsize::judge;
namespace plan = memsize::plan;

using judge::Buffers;
using judge::Offsets;
using judge::RandomPlans;
using plan::Packing;
using plan::PackLimits;
using plan::Proof;

constexpr std::size_t kMostBuffers = 8;

Offsets offsets_of(const Packing& packing) {
  Offsets offsets;
  for (const core::Bytes offset : packing.offsets) {
    offsets.push_back(offset.count());
  }
  return offsets;
}

bool is_proved(const Packing& packing) {
  return packing.proof == Proof::kBound || packing.proof == Proof::kExhausted;
}

bool same_plan(const Packing& a, const Packing& b) {
  return a.offsets == b.offsets && a.height == b.height && a.proof == b.proof &&
         a.steps == b.steps && a.lower_bound == b.lower_bound;
}

// What is wrong with a plan as such, whether it is a good one or not.
std::string fault_of(const Buffers& buffers, const Packing& packing) {
  const Offsets offsets = offsets_of(packing);
  std::string fault = judge::fault_of(buffers, offsets);
  if (!fault.empty()) {
    return fault;
  }
  const std::uint64_t height = judge::height_of(buffers, offsets);
  if (packing.height.count() != height) {
    return fmt::format("height {} of a plan that is {} high", packing.height.count(), height);
  }
  if (packing.lower_bound > packing.height) {
    return fmt::format("bound {} above height {}", packing.lower_bound.count(), height);
  }
  if (packing.proof == Proof::kBound && packing.lower_bound != packing.height) {
    return fmt::format("proved by a bound of {}, but {} high", packing.lower_bound.count(), height);
  }
  return {};
}

class Test {
 public:
  explicit Test(std::uint64_t seed) : first_seed_(seed) {}

  void judge_the_judge(std::uint64_t count);
  void check_small(std::uint64_t count);
  void check_windows(std::uint64_t count);
  void check_puzzles(std::uint64_t count);
  void check_collisions(std::uint64_t count);
  void check_extremes();

  [[nodiscard]] std::uint64_t failures() const { return failures_; }

 private:
  void begin(std::uint64_t problem, std::string_view kind) {
    seed_ = first_seed_ + problem;
    kind_ = kind;
  }

  void require(bool holds, const Buffers& buffers, const std::string& what);
  void check_optimum(const Buffers& buffers, std::optional<std::uint64_t> least);
  void check_capacity(const Buffers& buffers, std::uint64_t least, std::uint64_t capacity);
  void check_named(const Buffers& buffers, std::optional<std::uint64_t> least);
  void check_relatives(const Buffers& buffers, std::uint64_t least, RandomPlans& random);
  void check_limits(const Buffers& buffers, RandomPlans& random);

  std::uint64_t first_seed_;
  std::uint64_t seed_ = 0;
  std::string_view kind_;
  std::uint64_t failures_ = 0;
};

void Test::require(bool holds, const Buffers& buffers, const std::string& what) {
  constexpr std::uint64_t kShown = 10;
  if (holds || ++failures_ > kShown) {
    return;
  }
  fmt::print("{}, seed {}: {}\n{}\n", kind_, seed_, what, judge::table_of(buffers));
}

void Test::judge_the_judge(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    begin(i, "judge");
    RandomPlans random{seed_};
    const Buffers buffers = random.tiny();
    const auto least = judge::least_height(buffers);
    if (!least) {
      require(!judge::any_plan(buffers, 100), buffers, "the judge does not find the plan there is");
      continue;
    }
    require(judge::any_plan(buffers, *least), buffers, "the judge's least height is too low");
    require(*least == 0 || !judge::any_plan(buffers, *least - 1),
            buffers,
            "the judge's least height is too high");
  }
}

void Test::check_optimum(const Buffers& buffers, std::optional<std::uint64_t> least) {
  const Packing packing = plan::pack(buffers, {});
  if (!least) {
    require(packing.proof == Proof::kInfeasible && packing.offsets.empty(),
            buffers,
            fmt::format("fixed buffers collide, but the plan is '{}' and has {} offsets",
                        plan::name_of(packing.proof),
                        packing.offsets.size()));
    return;
  }
  const std::string fault = fault_of(buffers, packing);
  require(fault.empty(), buffers, fault);
  require(is_proved(packing) && packing.height.count() == *least,
          buffers,
          fmt::format("{} high ('{}'), the least is {}",
                      packing.height.count(),
                      plan::name_of(packing.proof),
                      *least));
  require(packing.lower_bound.count() <= *least && plan::lower_bound(buffers).count() <= *least,
          buffers,
          fmt::format("a bound of {}, the least is {}", packing.lower_bound.count(), *least));
  require(!packing.interrupted, buffers, "nobody interrupted this");
}

void Test::check_capacity(const Buffers& buffers, std::uint64_t least, std::uint64_t capacity) {
  PackLimits limits;
  limits.capacity = core::Bytes{capacity};
  const Packing packing = plan::pack(buffers, limits);
  const bool fits = least <= capacity;
  const std::string found = fmt::format("capacity {}, least {}: {} high ('{}')",
                                        capacity,
                                        least,
                                        packing.height.count(),
                                        plan::name_of(packing.proof));
  require(fits == (packing.proof != Proof::kInfeasible), buffers, found);
  if (packing.offsets.empty() && !buffers.empty()) {
    require(false, buffers, found + ", without a plan");
    return;
  }
  const std::string fault = fault_of(buffers, packing);
  require(fault.empty(), buffers, found + ": " + fault);
  require(fits == (packing.height.count() <= capacity), buffers, found);
  require(!is_proved(packing) || packing.height.count() == least, buffers, found);
}

void Test::check_named(const Buffers& buffers, std::optional<std::uint64_t> least) {
  for (const plan::NamedPlannerRow& row : plan::named_planners()) {
    const Packing packing = plan::pack_with(row.planner, buffers);
    const std::string name{row.name};
    if (!least) {
      require(packing.proof == Proof::kInfeasible && packing.offsets.empty(),
              buffers,
              name + ": fixed buffers collide");
      continue;
    }
    Buffers known = buffers;
    std::uint64_t height = packing.height.count();
    if (row.planner == plan::NamedPlanner::kFirstFit) {
      for (plan::Buffer& buffer : known) {
        buffer.alignment = core::Align{};
      }
      const std::uint64_t end = judge::height_of(known, offsets_of(packing));
      require(height % 4 == 0 && height >= end && height - end < 4, buffers, name + ": height");
      height = end;
    }
    const std::string fault = judge::fault_of(known, offsets_of(packing));
    require(fault.empty(), buffers, name + ": " + fault);
    require(height == judge::height_of(known, offsets_of(packing)), buffers, name + ": height");
    const std::uint64_t least_known =
        row.planner == plan::NamedPlanner::kFirstFit ? *judge::least_height(known) : *least;
    require(height >= least_known, buffers, name + ": lower than can be");
    require(packing.proof != Proof::kExhausted && packing.proof != Proof::kInfeasible,
            buffers,
            name + ": proves nothing");
    require(packing.proof != Proof::kBound || (height + 3) / 4 == (least_known + 3) / 4,
            buffers,
            name + ": is not the least");
  }
}

// Problems that follow from another one.
void Test::check_relatives(const Buffers& buffers, std::uint64_t least, RandomPlans& random) {
  const Packing packing = plan::pack(buffers, {});
  require(same_plan(packing, plan::pack(buffers, {})), buffers, "planned again, it is another one");

  Buffers fed_back = buffers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    fed_back[i].offset = packing.offsets[i];
  }
  const Packing again = plan::pack(fed_back, {});
  require(again.offsets == packing.offsets && again.height == packing.height && is_proved(again),
          fed_back,
          "a plan's own offsets are not kept");

  Buffers shrunk = buffers;
  plan::Buffer& smaller = shrunk[random.below(shrunk.size())];
  smaller.size = core::Bytes{random.below(smaller.size.count() + 1)};
  const Packing less = plan::pack(shrunk, {});
  require(is_proved(less) && less.height.count() <= least,
          shrunk,
          fmt::format("{} high after a buffer shrank, {} before", less.height.count(), least));

  const bool is_aligned = std::ranges::any_of(
      buffers, [](const auto& buffer) { return buffer.alignment.value() != 1; });
  const std::uint64_t factor = is_aligned ? std::uint64_t{1} << (1 + random.below(3)) : 7;
  Buffers scaled = buffers;
  for (plan::Buffer& buffer : scaled) {
    buffer.size = core::Bytes{buffer.size.count() * factor};
    if (is_aligned) {
      buffer.alignment = *core::Align::make(buffer.alignment.value() * factor);
    }
    if (buffer.offset) {
      buffer.offset = core::Bytes{buffer.offset->count() * factor};
    }
  }
  const Packing larger = plan::pack(scaled, {});
  bool scales =
      larger.proof == packing.proof && larger.height.count() == packing.height.count() * factor;
  for (std::size_t i = 0; i < buffers.size() && scales; ++i) {
    scales = larger.offsets[i].count() == packing.offsets[i].count() * factor;
  }
  require(scales, buffers, fmt::format("times {}, it is another plan", factor));

  Buffers slower = buffers;
  const auto stretch = static_cast<std::int64_t>(1 + random.below(1'000'000));
  for (plan::Buffer& buffer : slower) {
    buffer.lower = buffer.lower * stretch - 17;
    buffer.upper = buffer.upper * stretch - 17;
  }
  require(
      same_plan(packing, plan::pack(slower, {})), slower, "with slower steps, it is another plan");
}

void Test::check_small(std::uint64_t count) {
  std::uint64_t above_bound = 0;
  std::uint64_t collide = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    begin(i, "small");
    RandomPlans random{seed_};
    const Buffers buffers = random.small(kMostBuffers);
    const auto least = judge::least_height(buffers);
    check_optimum(buffers, least);
    check_named(buffers, least);
    if (!least) {
      ++collide;
      continue;
    }
    above_bound += *least > judge::most_alive(buffers) ? 1U : 0U;
    const std::uint64_t more = *least + random.below(*least / 4 + 2);
    check_capacity(buffers, *least, *least);
    check_capacity(buffers, *least, more);
    if (*least > 1) {
      check_capacity(buffers, *least, *least - 1);
      check_capacity(buffers, *least, 1 + random.below(*least - 1));
    }
    check_relatives(buffers, *least, random);
  }
  fmt::print(
      "{} small problems from seed {}: {} need more than what is alive, in {} fixed buffers "
      "collide\n",
      count,
      first_seed_,
      above_bound,
      collide);
  // Problems that a bound decides would not show what a search does.
  if (count >= 1000 && (above_bound < count / 20 || collide < count / 100)) {
    ++failures_;
    fmt::print("they are too easy\n");
  }
}

void Test::check_windows(std::uint64_t count) {
  std::uint64_t lower = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    begin(i, "windows");
    RandomPlans random{seed_};
    const Buffers buffers = random.windowed();
    const auto least = judge::least_by_trying(buffers);
    check_optimum(buffers, least);
    if (!least) {
      continue;
    }
    Buffers whole = buffers;
    for (plan::Buffer& buffer : whole) {
      buffer.windows.clear();
    }
    const auto least_whole = judge::least_height(whole);
    lower += !least_whole || *least < *least_whole ? 1U : 0U;
    require(!least_whole || *least <= *least_whole, buffers, "gaps make it higher");
    if (*least > 1) {
      check_capacity(buffers, *least, *least);
      check_capacity(buffers, *least, *least - 1);
    }
    for (const plan::NamedPlannerRow& row : plan::named_planners()) {
      Buffers known = buffers;
      for (plan::Buffer& buffer : known) {
        buffer.alignment = core::Align{};
      }
      const std::string fault =
          judge::fault_of(known, offsets_of(plan::pack_with(row.planner, buffers)));
      require(fault.empty(), buffers, std::string{row.name} + ": " + fault);
    }
  }
  fmt::print("{} problems with windows: {} are lower for it\n", count, lower);
  if (count >= 1000 && lower < count / 10) {
    ++failures_;
    fmt::print("their windows are too easy\n");
  }
}

void Test::check_limits(const Buffers& buffers, RandomPlans& random) {
  PackLimits limits;
  limits.steps = random.below(30'000);
  const Packing first = plan::pack(buffers, limits);
  std::string fault = fault_of(buffers, first);
  require(fault.empty(), buffers, fmt::format("{} steps: {}", limits.steps, fault));
  require(!first.interrupted && first.proof != Proof::kInfeasible, buffers, "it has plans");
  require(same_plan(first, plan::pack(buffers, limits)),
          buffers,
          fmt::format("{} steps, again: another plan", limits.steps));

  PackLimits stopped;
  const std::uint64_t last = random.below(4);
  std::uint64_t asked = 0;
  std::uint64_t steps = 0;
  bool is_sane = true;
  stopped.steps = 3'000'000;
  stopped.stop = [&] { return asked++ >= last; };
  stopped.progress = [&](const plan::PackProgress& progress) {
    is_sane = is_sane && progress.steps >= steps && progress.height >= progress.lower_bound;
    steps = progress.steps;
  };
  const Packing best = plan::pack(buffers, stopped);
  fault = fault_of(buffers, best);
  require(fault.empty(), buffers, fmt::format("stopped after {} questions: {}", last, fault));
  require(
      best.interrupted == (asked > last),
      buffers,
      fmt::format(
          "stopped after {} questions, asked {}, interrupted: {}", last, asked, best.interrupted));
  require(best.interrupted || is_proved(best) || best.steps >= stopped.steps,
          buffers,
          "it ends early and proves nothing");
  require(is_sane, buffers, "progress goes backwards");

  PackLimits timed;
  timed.time = std::chrono::milliseconds{5};
  fault = fault_of(buffers, plan::pack(buffers, timed));
  require(fault.empty(), buffers, "5 ms: " + fault);
}

void Test::check_puzzles(std::uint64_t count) {
  std::uint64_t solved = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    begin(i, "puzzle");
    RandomPlans random{seed_};
    Buffers buffers = random.puzzle(12 + random.below(80));
    if (random.chance(30)) {
      for (plan::Buffer& buffer : buffers) {
        buffer.size = core::Bytes{buffer.size.count() - random.below(16)};
        buffer.alignment = *core::Align::make(16);
      }
    }
    check_limits(buffers, random);
    PackLimits limits;
    limits.steps = 300'000;
    const Packing packing = plan::pack(buffers, limits);
    solved += packing.height.count() <= 4096 ? 1U : 0U;
    if (is_proved(packing)) {
      // Cut out of 4096 bytes, they fit into them.
      require(packing.height.count() <= 4096, buffers, "a plan of 4096 bytes is not found");
    }
    const Packing named = plan::pack_with(plan::NamedPlanner::kBySize, buffers);
    require(
        packing.height <= named.height, buffers, "the largest first is better than the planner");
  }
  fmt::print("{} puzzles: {} are laid\n", count, solved);
}

void Test::check_collisions(std::uint64_t count) {
  std::uint64_t colliding = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    begin(i, "collisions");
    RandomPlans random{seed_};
    const Buffers buffers = random.small(1 + random.below(14));
    Offsets offsets;
    std::vector<plan::PlacedBuffer> placed;
    const std::uint64_t end = 1 + 2 * judge::most_alive(buffers);
    for (const plan::Buffer& buffer : buffers) {
      offsets.push_back(random.below(end));
      placed.push_back({buffer.lower, buffer.upper, offsets.back(), buffer.size.count()});
    }
    Buffers anywhere = buffers;
    for (plan::Buffer& buffer : anywhere) {
      buffer.alignment = core::Align{};
      buffer.offset.reset();
    }
    const auto found = plan::find_collision(placed);
    const bool collides = !judge::fault_of(anywhere, offsets).empty();
    colliding += collides ? 1U : 0U;
    require(found.has_value() == collides, buffers, "the checker does not see what shares bytes");
    if (found && collides) {
      const Buffers pair = {anywhere[found->first], anywhere[found->second]};
      require(found->first != found->second &&
                  !judge::fault_of(pair, {offsets[found->first], offsets[found->second]}).empty(),
              buffers,
              fmt::format("b{} and b{} share no byte", found->first, found->second));
    }
    const plan::Peak peak = plan::peak_of(placed);
    std::uint64_t alive = 0;
    for (const plan::Buffer& buffer : buffers) {
      alive += buffer.lower <= peak.step && peak.step < buffer.upper ? buffer.size.count() : 0;
    }
    require(peak.bytes == judge::most_alive(buffers) && alive == peak.bytes,
            buffers,
            "the peak is elsewhere");
  }
  fmt::print("{} random plans: {} collide\n", count, colliding);
}

void Test::check_extremes() {
  begin(0, "extreme");
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 60U;
  const auto with =
      [](std::int64_t lower, std::int64_t upper, std::uint64_t size, std::uint64_t alignment) {
        plan::Buffer buffer;
        buffer.lower = lower;
        buffer.upper = upper;
        buffer.size = core::Bytes{size};
        buffer.alignment = *core::Align::make(alignment);
        return buffer;
      };
  const std::array problems = {
      Buffers{},
      Buffers{with(0, 1, 0, 1)},
      Buffers{with(0, 1, (std::uint64_t{1} << 62U) - 1, 1)},
      Buffers{with(INT64_MIN, INT64_MAX, kHuge, 1), with(INT64_MAX - 1, INT64_MAX, kHuge, 1)},
      Buffers{with(INT64_MIN, INT64_MIN + 1, 7, 1), with(INT64_MIN + 1, INT64_MAX, 9, 1)},
      Buffers{with(0, 3, kHuge, 1),
              with(1, 3, kHuge - 1, 1),
              with(2, 3, kHuge - 2, 1),
              with(3, 4, 5, 1)},
      Buffers{with(0, 2, kHuge, kHuge), with(0, 2, 1, kHuge), with(1, 2, 1, 1)},
      Buffers{with(0, 2, 3, std::uint64_t{1} << 63U), with(3, 4, 1, std::uint64_t{1} << 63U)},
      Buffers{with(0, 2, 3, std::uint64_t{1} << 61U), with(1, 4, 1, 1)},
      Buffers{with(0, 2, kHuge + 1, 2), with(1, 4, kHuge + 3, 4), with(0, 4, 1, 1)},
  };
  for (const Buffers& buffers : problems) {
    const auto least = judge::least_height(buffers);
    check_optimum(buffers, least);
    if (!buffers.empty() && *least > 1) {
      check_capacity(buffers, *least, *least);
      check_capacity(buffers, *least, *least - 1);
      check_capacity(buffers, *least, 1);
      check_capacity(buffers, *least, UINT64_MAX);
    }
    check_named(buffers, least);
  }
  Buffers fixed = {with(0, 2, 5, 1), with(1, 3, 6, 1), with(0, 3, 4, 1)};
  fixed[0].offset = core::Bytes{(std::uint64_t{1} << 61U) + 1};
  check_optimum(fixed, judge::least_height(fixed));
  fixed[1].offset = core::Bytes{(std::uint64_t{1} << 61U) - 5};
  check_optimum(fixed, judge::least_height(fixed));
  fixed[1].offset = core::Bytes{(std::uint64_t{1} << 61U) - 4};
  check_optimum(fixed, judge::least_height(fixed));
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t count = 10'000;
  std::uint64_t seed = 7;
  const std::vector<std::string_view> arguments{argv + 1, argv + argc};
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    (arguments[i] == "--count" ? count : seed) = number_of(arguments[i + 1]);
  }
  Test test{seed};
  test.judge_the_judge(count / 5 + 1);
  test.check_extremes();
  test.check_small(count);
  test.check_collisions(count / 2 + 1);
  test.check_windows(count);
  test.check_puzzles(count / 100 + 1);
  const std::uint64_t failures = test.failures() + judge::check_planner(seed, count / 5 + 1);
  fmt::print("{} failures\n", failures);
  return failures == 0 ? 0 : 1;
}
