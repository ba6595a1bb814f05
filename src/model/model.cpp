#include "memsize/model/block.hpp"
#include "memsize/model/recording.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace memsize::model {

namespace {

constexpr std::array<std::pair<Cacheability, std::string_view>, 3> kCacheabilities = {{
    {Cacheability::kCacheable, "cacheable"},
    {Cacheability::kNonCacheable, "non-cacheable"},
    {Cacheability::kOnChip, "on-chip"},
}};

constexpr std::array<std::pair<Lifetime, std::string_view>, 3> kLifetimes = {{
    {Lifetime::kPersistent, "persistent"},
    {Lifetime::kScratch, "scratch"},
    {Lifetime::kConstant, "constant"},
}};

template <typename Rows, typename Value>
std::string_view name_in(const Rows& rows, Value value) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.first == value; });
  return row == rows.end() ? std::string_view{} : row->second;
}

template <typename Value, typename Rows>
std::optional<Value> value_in(const Rows& rows, std::string_view name) {
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.second == name; });
  return row == rows.end() ? std::nullopt : std::optional<Value>{row->first};
}

constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

}  // namespace

std::string_view name_of(Cacheability cacheability) {
  return name_in(kCacheabilities, cacheability);
}

std::string_view name_of(Lifetime lifetime) {
  return name_in(kLifetimes, lifetime);
}

std::optional<Cacheability> cacheability_named(std::string_view name) {
  return value_in<Cacheability>(kCacheabilities, name);
}

std::optional<Lifetime> lifetime_named(std::string_view name) {
  return value_in<Lifetime>(kLifetimes, name);
}

MeasuredSize measured_kib(std::uint64_t hundredths) {
  // One hundredth of a KiB is 10.24 B; its half is 512 hundredths of a byte.
  const std::uint64_t centibytes = hundredths * 1024;
  MeasuredSize size;
  size.nearest = core::Bytes{(centibytes + 50) / 100};
  size.ceiling = core::Bytes{divide_up(centibytes, 100)};
  // A float has 24 bits of precision: from 2^24 B on, its last place is worth 2^(bits - 24) bytes.
  constexpr int kFloatPrecision = 24;
  const auto bits = static_cast<int>(std::bit_width(size.ceiling.count()));
  const std::uint64_t half_ulp = bits > kFloatPrecision ? 1ULL << (bits - kFloatPrecision - 1) : 0;
  size.upper = core::Bytes{std::max<std::uint64_t>(divide_up(centibytes + 512, 100) + half_ulp, 1)};
  size.printed_kib = fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
  return size;
}

MeasuredSize measured_exactly(core::Bytes size) {
  return MeasuredSize{size, size, std::max(size, core::Bytes{1}), {}};
}

void append(Recording& recording, Recording more) {
  const std::size_t first_input = recording.inputs.size();
  if (recording.headroom.empty()) {
    recording.headroom = std::move(more.headroom);
    recording.instances = std::move(more.instances);
  }
  std::move(more.inputs.begin(), more.inputs.end(), std::back_inserter(recording.inputs));
  std::move(
      more.diagnostics.begin(), more.diagnostics.end(), std::back_inserter(recording.diagnostics));
  for (CoreRecording& added : more.cores) {
    for (Instance& instance : added.instances) {
      instance.input += first_input;
    }
    const auto known = std::find_if(recording.cores.begin(),
                                    recording.cores.end(),
                                    [&](const CoreRecording& c) { return c.core == added.core; });
    if (known == recording.cores.end()) {
      recording.cores.push_back(std::move(added));
    } else {
      std::move(
          added.instances.begin(), added.instances.end(), std::back_inserter(known->instances));
    }
  }
}

}  // namespace memsize::model
