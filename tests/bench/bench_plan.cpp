// The planner alone: reads tables of lifetimes, packs each several times, and prints one line a
// file for bench_plan.py.
//
//   bench_plan [--capacity BYTES] [--seconds S] FILE...
#include "memsize/plan/pack.hpp"
#include "memsize/readers/plan_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

namespace core = memsize::core;
namespace plan = memsize::plan;

// Of the processor: what others do on the machine counts less.
double seconds_so_far() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

constexpr double kLong = 0.001;

std::vector<plan::Buffer> read(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  std::vector<plan::Buffer> buffers;
  const auto report = memsize::readers::read_plan(text, path);
  if (!report) {
    fmt::print(stderr, "{}: {}\n", path, report.error().front().message);
    return buffers;
  }
  for (const memsize::model::PlannedBlock& block : report->blocks) {
    plan::Buffer buffer;
    buffer.lower = block.live ? block.live->lower : 0;
    buffer.upper = block.live ? block.live->upper : 1;
    buffer.size = block.size;
    buffer.alignment = block.alignment.value_or(core::Align{});
    buffers.push_back(buffer);
  }
  return buffers;
}

void measure(const std::string& path, const plan::PackLimits& limits, double seconds) {
  const std::vector<plan::Buffer> buffers = read(path);
  if (buffers.empty()) {
    return;
  }
  std::vector<double> times;
  plan::Packing packing;
  double all = 0;
  while (times.empty() || all < seconds) {
    // A clock that ticks in microseconds sees short runs several at a time.
    constexpr int kTogether = 16;
    const double begin = seconds_so_far();
    int runs = 0;
    do {
      packing = plan::pack(buffers, limits);
    } while (++runs < kTogether && seconds_so_far() - begin < kLong);
    times.push_back((seconds_so_far() - begin) / runs);
    all += seconds_so_far() - begin;
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  fmt::print("{}\t{:.9f}\t{}\t{}\t{}\t{}\n",
             path,
             *middle,
             packing.steps,
             packing.height.count(),
             packing.lower_bound.count(),
             plan::name_of(packing.proof));
}

template <typename Number>
Number number_of(std::string_view text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  plan::PackLimits limits;
  double seconds = 0.05;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--capacity" && i + 1 < arguments.size()) {
      limits.capacity = core::Bytes{number_of<std::uint64_t>(arguments[++i])};
    } else if (arguments[i] == "--seconds" && i + 1 < arguments.size()) {
      seconds = number_of<double>(arguments[++i]);
    } else {
      measure(arguments[i], limits, seconds);
    }
  }
}
