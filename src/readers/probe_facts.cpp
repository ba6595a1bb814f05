// /proc/iomem, /proc/meminfo and /sys/class/remoteproc, as Linux prints them.
#include "probe_facts.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

// No processor has more bits of an address.
constexpr std::uint64_t kAddressEnd = 1ULL << 52U;
constexpr std::string_view kRemoteCores = "/sys/class/remoteproc/";

std::vector<std::string_view> text_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<std::uint64_t> hex_of(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), value, 16);
  return failure == std::errc{} && end == digits.end() ? std::optional{value} : std::nullopt;
}

// "  80210000-8185ffff : Kernel code": two blanks a level, the last address inside.
std::optional<model::IoRange> io_range_of(std::string_view line) {
  const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
  const std::string_view rest = line.substr(blanks);
  const std::size_t dash = rest.find('-');
  const std::size_t colon = rest.find(" : ");
  if (dash == std::string_view::npos || colon == std::string_view::npos || dash > colon) {
    return std::nullopt;
  }
  const auto begin = hex_of(rest.substr(0, dash));
  const auto last = hex_of(rest.substr(dash + 1, colon - dash - 1));
  if (!begin || !last || *last < *begin || *last >= kAddressEnd) {
    return std::nullopt;
  }
  const auto size = core::checked_add(*last - *begin, 1);
  const auto range =
      size ? core::PhysRange::make(core::PhysAddr{*begin}, core::Bytes{*size}) : std::nullopt;
  if (!range) {
    return std::nullopt;
  }
  return model::IoRange{
      *range, std::string{rest.substr(colon + 3)}, static_cast<unsigned>(blanks / 2)};
}

void read_io_ranges(model::Probe& probe, core::Diagnostics& errors) {
  constexpr const char* kPath = "/proc/iomem";
  std::size_t number = 0;
  // Of a large machine it has some hundred lines.
  constexpr std::size_t kMostRanges = 4096;
  for (const std::string_view line : text_lines(probe.content(kPath))) {
    auto range = number < kMostRanges ? io_range_of(line) : std::nullopt;
    ++number;
    if (!range) {
      errors.push_back(core::error(core::Code::kProbeSyntax,
                                   fmt::format("line {} of its {} is no range of memory: '{}'",
                                               number,
                                               kPath,
                                               core::printable(line, 60)),
                                   {probe.path, probe.find(kPath)->line},
                                   "record it again, on the board: memsize-probe -o probe.json"));
      return;
    }
    probe.io_ranges.push_back(std::move(*range));
  }
  probe.is_io_hidden =
      !probe.io_ranges.empty() &&
      std::ranges::all_of(probe.io_ranges, [](const model::IoRange& each) {
        return each.range.base() == core::PhysAddr{0} && each.range.size() == core::Bytes{1};
      });
}

void read_total(model::Probe& probe) {
  for (std::string_view line : text_lines(probe.content("/proc/meminfo"))) {
    constexpr std::string_view kKey = "MemTotal:";
    if (!line.starts_with(kKey)) {
      continue;
    }
    const std::string_view value = core::trim(line.substr(kKey.size()));
    std::uint64_t kib = 0;
    const auto [end, failure] = std::from_chars(value.begin(), value.end(), kib);
    if (failure == std::errc{} && kib <= UINT64_MAX / 1024) {
      probe.total = core::Bytes{kib * 1024};
    }
    return;
  }
}

void read_remote_cores(model::Probe& probe) {
  for (const model::ProbeFile& file : probe.files) {
    constexpr std::string_view kName = "/name";
    if (!file.path.starts_with(kRemoteCores) || !file.path.ends_with(kName) || !file.content) {
      continue;
    }
    // A chip has twenty or so; each costs a search.
    constexpr std::size_t kMostCores = 64;
    if (probe.remote_cores.size() == kMostCores) {
      break;
    }
    const std::string folder = file.path.substr(0, file.path.size() - kName.size());
    const auto said = [&](const char* member) {
      return std::string{core::trim(probe.content(folder + member))};
    };
    probe.remote_cores.push_back(
        {folder.substr(kRemoteCores.size()), said("/name"), said("/state"), said("/firmware")});
  }
  // Their numbers change from boot to boot.
  std::ranges::stable_sort(probe.remote_cores, {}, &model::RemoteCore::name);
}

}  // namespace

void read_probe_facts(model::Probe& probe, core::Diagnostics& errors) {
  read_io_ranges(probe, errors);
  read_total(probe);
  read_remote_cores(probe);
}

std::vector<model::PoolReport> probe_pools(const model::Probe& probe) {
  std::map<std::string, model::PoolReport> pools;
  for (const model::PoolSample& sample : probe.samples) {
    for (const model::PoolUse& use : sample.uses) {
      model::PoolReport& pool = pools[use.exporter];
      if (use.bytes > pool.most) {
        pool.most = use.bytes;
        pool.line = sample.line;
      }
      pool.largest = std::max(pool.largest, use.largest);
    }
  }
  std::vector<model::PoolReport> reports;
  for (auto& [name, pool] : pools) {
    pool.name = name;
    pool.samples = probe.samples_taken;
    reports.push_back(std::move(pool));
  }
  return reports;
}

}  // namespace memsize::readers
