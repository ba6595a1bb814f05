// Leaves out of a fleet what costs most. Logs that ask for the same go together, because one of
// them alone saves nothing, which is why each step looks as far ahead as logs may still go.
#include "fleet_cover.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Bytes;

// In hundredths of a percent.
constexpr std::uint64_t kAllLogs = 10000;

class CostlyLogs {
 public:
  explicit CostlyLogs(const std::vector<std::vector<Bytes>>& asked)
      : asked_(asked), gone_(asked.size(), false) {
    const std::size_t demands = asked.empty() ? 0 : asked.front().size();
    heads_.resize(demands, 0);
    for (std::size_t demand = 0; demand < demands; ++demand) {
      std::vector<std::size_t> logs(asked.size());
      std::iota(logs.begin(), logs.end(), std::size_t{0});
      std::ranges::stable_sort(
          logs, [&](std::size_t a, std::size_t b) { return asked[a][demand] > asked[b][demand]; });
      falling_.push_back(std::move(logs));
    }
  }

  // The best step with at most so many logs, taken; how many went.
  std::size_t step(std::size_t at_most) {
    const Bytes before = sum(heads_);
    std::vector<std::size_t> best;
    // For each log.
    double saved = 0;
    for (std::size_t demand = 0; demand < falling_.size(); ++demand) {
      std::vector<std::size_t> tried;
      std::vector<std::size_t> heads = heads_;
      while (tried.size() < at_most && heads[demand] < asked_.size()) {
        tried.push_back(falling_[demand][heads[demand]]);
        gone_[tried.back()] = true;
        move(heads);
        const double gain =
            static_cast<double>((before - sum(heads)).count()) / static_cast<double>(tried.size());
        if (gain > saved) {
          best = tried;
          saved = gain;
        }
      }
      for (const std::size_t log : tried) {
        gone_[log] = false;
      }
    }
    for (const std::size_t log : best) {
      gone_[log] = true;
    }
    move(heads_);
    return best.size();
  }

  // Without those that fit into what is enough for the rest.
  [[nodiscard]] std::vector<std::size_t> gone() const {
    std::vector<std::size_t> logs;
    for (std::size_t log = 0; log < asked_.size(); ++log) {
      if (gone_[log] && needs_more(log)) {
        logs.push_back(log);
      }
    }
    return logs;
  }

 private:
  [[nodiscard]] Bytes most(std::size_t demand, const std::vector<std::size_t>& heads) const {
    return heads[demand] == asked_.size() ? Bytes{}
                                          : asked_[falling_[demand][heads[demand]]][demand];
  }

  [[nodiscard]] Bytes sum(const std::vector<std::size_t>& heads) const {
    Bytes all;
    for (std::size_t demand = 0; demand < heads.size(); ++demand) {
      all += most(demand, heads);
    }
    return all;
  }

  [[nodiscard]] bool needs_more(std::size_t log) const {
    for (std::size_t demand = 0; demand < heads_.size(); ++demand) {
      if (asked_[log][demand] > most(demand, heads_)) {
        return true;
      }
    }
    return false;
  }

  void move(std::vector<std::size_t>& heads) const {
    for (std::size_t demand = 0; demand < heads.size(); ++demand) {
      while (heads[demand] < asked_.size() && gone_[falling_[demand][heads[demand]]]) {
        ++heads[demand];
      }
    }
  }

  const std::vector<std::vector<Bytes>>& asked_;
  // Of each demand the logs, those that ask for most first.
  std::vector<std::vector<std::size_t>> falling_;
  // Of each demand the first log there that stays.
  std::vector<std::size_t> heads_;
  std::vector<bool> gone_;
};

}  // namespace

core::Result<std::uint64_t> parse_share(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  const auto wrong = [&] {
    return core::fail(core::error(
        core::Code::kUsage,
        fmt::format("--cover '{}' is no share of the logs", core::printable(text, 40)),
        {},
        "a percentage above 0% and below 100%, with two decimals at most, such as 99% or 99.5%"));
  };
  if (!text.ends_with('%')) {
    return wrong();
  }
  text.remove_suffix(1);
  const std::size_t point = text.find('.');
  std::string digits{text.substr(0, point)};
  std::string decimals{point == std::string_view::npos ? "" : text.substr(point + 1)};
  if (digits.empty() || decimals.size() > kDecimals ||
      (point != std::string_view::npos && decimals.empty())) {
    return wrong();
  }
  decimals.resize(kDecimals, '0');
  digits += decimals;
  std::uint64_t share = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, failure] = std::from_chars(digits.data(), end, share);
  if (failure != std::errc{} || stop != end || share == 0 || share >= kAllLogs) {
    return wrong();
  }
  return share;
}

std::size_t left_out_at_most(std::size_t logs, std::uint64_t share) {
  return logs * (kAllLogs - share) / kAllLogs;
}

std::vector<std::size_t> costliest(const std::vector<std::vector<Bytes>>& asked,
                                   std::size_t at_most) {
  CostlyLogs logs{asked};
  while (at_most != 0) {
    const std::size_t went = logs.step(at_most);
    if (went == 0) {
      break;
    }
    at_most -= went;
  }
  return logs.gone();
}

}  // namespace memsize::app
