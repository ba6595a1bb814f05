// A run is read line by line: events of target/report.h, and what target/net/main.c prints. The
// board reports the transfers of each step when it ends, so that what comes before is the step's.
#include "network_judge.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/names.hpp"
#include "memsize/core/text.hpp"
#include "memsize/runtime/report.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using core::Code;

constexpr std::size_t kMostOfAKind = 4;

// "now" for people.
constexpr auto kTimings = std::to_array<std::string_view>(
    {"at once", "as late as possible", "last first", "by an engine of its own"});

struct Arena {
  std::string name;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// The rest of a line behind a beginning; nothing: it begins otherwise.
std::optional<std::string_view> behind(std::string_view line, std::string_view beginning) {
  return line.starts_with(beginning) ? std::optional{line.substr(beginning.size())} : std::nullopt;
}

// Where the program says that its memories are.
class Arenas {
 public:
  // "  L2 arena: 1C03E280 - 1C047890".
  void read(std::string_view line) {
    for (const std::string_view name : {"L1", "L2 arena", "L2 constants"}) {
      const auto rest = behind(line, fmt::format("  {}: ", name));
      const std::size_t dash = rest ? rest->find(" - ") : std::string_view::npos;
      if (dash == std::string_view::npos) {
        continue;
      }
      const auto begin = core::parse_address(fmt::format("0x{}", rest->substr(0, dash)));
      const auto end = core::parse_address(fmt::format("0x{}", rest->substr(dash + 3)));
      if (begin && end) {
        arenas_.push_back({std::string{name}, *begin, *end});
      }
    }
  }

  // ", byte 12 of 'conv5_weight' in L2".
  [[nodiscard]] std::string owner_of(std::uint64_t address,
                                     const model::PlanReport& plan,
                                     std::size_t step) const {
    for (const Arena& arena : arenas_) {
      if (address < arena.begin || address >= arena.end) {
        continue;
      }
      const core::Bytes at{address - arena.begin};
      if (arena.name == "L1") {
        return fmt::format(", byte {} of L1", at.count());
      }
      const bool is_constant = arena.name == "L2 constants";
      for (const model::PlannedBlock& block : plan.blocks) {
        const bool is_there = block.memory == "l2" && block.offset && at >= *block.offset &&
                              at < *block.offset + block.size &&
                              (block.role == model::Lifetime::kConstant) == is_constant;
        const auto now = static_cast<std::int64_t>(step);
        const bool is_live = !block.live || (block.live->lower <= now && now < block.live->upper);
        if (is_there && is_live) {
          return fmt::format(", byte {} of '{}' in L2",
                             (at - *block.offset).count(),
                             core::printable(block.id, 60));
        }
      }
      return ", in L2, where nothing lives now";
    }
    return "";
  }

 private:
  std::vector<Arena> arenas_;
};

// What layers gave, held against their goldens.
class Comparisons {
 public:
  // "conv1 validation: 0 mismatches (max_diff=0)".
  void read(std::string_view line) {
    const std::size_t end = line.find(" validation: ");
    if (end == std::string_view::npos) {
      return;
    }
    ++compared_;
    const std::string_view said = line.substr(end + std::string_view{" validation: "}.size());
    if (said.starts_with("0 ")) {
      return;
    }
    if (differing_++ == 0) {
      first_differing_ = core::error(Code::kNetworkLayer,
                                     fmt::format("layer '{}' is not its golden: {}",
                                                 core::printable(line.substr(0, end), 60),
                                                 core::printable(said, 80)));
    }
  }

  [[nodiscard]] std::size_t compared() const { return compared_; }

  // The first layer that differs, since those behind it follow from it.
  [[nodiscard]] std::optional<core::Diagnostic> finding() && {
    if (differing_ > 1) {
      first_differing_->details.push_back(
          fmt::format("and {} behind it", core::plural(differing_ - 1, "layer")));
    }
    return std::move(first_differing_);
  }

 private:
  std::optional<core::Diagnostic> first_differing_;
  std::size_t differing_ = 0;
  std::size_t compared_ = 0;
};

// Which of the workers is first is chance.
std::string who(const std::string& region) {
  return region.starts_with("worker ") ? "a worker" + region.substr(region.rfind(' ')) : region;
}

std::string numbers_of(const Finding& finding) {
  if (finding.expected == 0) {
    return finding.actual == 0 ? "" : fmt::format(" ({} B)", finding.actual);
  }
  return fmt::format(" ({}, of {})", finding.actual, finding.expected);
}

class RunReader {
 public:
  RunReader(const NetworkSubject& subject, const FunctionAt& function_at, NetworkResult& result)
      : subject_(subject), function_at_(function_at), result_(result) {}

  core::Diagnostics read(const NetworkRun& run) {
    std::string_view text = run.output;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      read_line(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    if (auto differing = std::move(comparisons_).finding()) {
      found_.push_back(std::move(*differing));
    }
    if (!run.broken.empty() && !has_fault_) {
      add(Code::kNetworkFault, fmt::format("{}: the program {}", at_step(), run.broken));
    }
    if (is_complete_) {
      result_.timings.push_back(run.timing);
      result_.steps = step_;
      result_.compared = comparisons_.compared();
      result_.transfers = transfers_;
      result_.most_open = most_open_;
      result_.moved = moved_;
      result_.moved_l3 = moved_l3_;
    }
    return std::move(found_);
  }

 private:
  void read_line(std::string_view line) {
    if (line.starts_with('{')) {
      read_event(parse_report(line));
    } else if (const auto bad = behind(line, "  [BAD] ")) {
      add(Code::kNetworkFile, fmt::format("'{}'", core::printable(*bad, 200)));
    } else if (const auto layer = behind(line, "Layer ")) {
      comparisons_.read(*layer);
    } else if (const auto failed = behind(line, "network: ");
               failed && failed->find(" steps") == std::string_view::npos) {
      add(Code::kNetworkFault, fmt::format("the program says: {}", core::printable(*failed, 200)));
    } else {
      arenas_.read(line);
    }
  }

  void read_event(const Report& report) {
    for (const Part& part : report.parts) {
      read_part(part);
    }
    for (const Finding& finding : report.findings) {
      read_finding(finding);
    }
    is_complete_ = is_complete_ || report.verdict.has_value();
  }

  void read_part(const Part& part) {
    if (part.name == "commands") {
      transfers_ += part.done;
      most_open_ = std::max(most_open_, part.skipped);
      commands_ = part.done;
    } else if (part.name == "bytes") {
      moved_ += core::Bytes{part.done};
      moved_l3_ += core::Bytes{part.skipped};
      compare_transfers(part.done);
      ++step_;
    }
  }

  void compare_transfers(std::uint64_t bytes) {
    if (step_ >= subject_.program.steps.size()) {
      return;
    }
    const network::TileCost& planned = subject_.program.steps[step_].cost;
    if (commands_ != planned.commands || bytes != planned.bytes) {
      add(Code::kNetworkTransfers,
          fmt::format("{}: {} of {}, where its tiles need {} of {}",
                      at_step(),
                      core::plural(commands_, "transfer"),
                      core::format_bytes(core::Bytes{bytes}),
                      planned.commands,
                      core::format_bytes(core::Bytes{planned.bytes})));
    }
  }

  void read_finding(const Finding& finding) {
    if (finding.check == "fault") {
      has_fault_ = true;
      const std::string function = function_at_(finding.actual);
      add(Code::kNetworkFault,
          fmt::format(
              "{}: {} {}{}{}",
              at_step(),
              who(finding.region),
              core::format_hex(finding.address),
              arenas_.owner_of(finding.address, subject_.plan, step_),
              function.empty() ? "" : fmt::format(", in {}()", core::printable(function, 80))));
      return;
    }
    add(Code::kNetworkDma,
        fmt::format("{}: {}{}{}",
                    at_step(),
                    finding.region,
                    numbers_of(finding),
                    arenas_.owner_of(finding.address, subject_.plan, step_)));
  }

  [[nodiscard]] std::string at_step() const {
    const auto& steps = subject_.program.steps;
    return step_ < steps.size() ? fmt::format("layer '{}'", core::printable(steps[step_].name, 60))
                                : std::string{"behind the last layer"};
  }

  void add(Code code, std::string message) {
    if (core::contains(found_, message, &core::Diagnostic::message)) {
      return;
    }
    std::size_t& count = kinds_[code];
    if (++count <= kMostOfAKind) {
      found_.push_back(core::error(code, std::move(message)));
    }
  }

  const NetworkSubject& subject_;
  const FunctionAt& function_at_;
  NetworkResult& result_;
  core::Diagnostics found_;
  std::map<Code, std::size_t> kinds_;
  Arenas arenas_;
  Comparisons comparisons_;
  std::size_t step_ = 0;
  std::uint64_t commands_ = 0;
  std::uint64_t transfers_ = 0;
  std::uint64_t most_open_ = 0;
  core::Bytes moved_;
  core::Bytes moved_l3_;
  bool has_fault_ = false;
  bool is_complete_ = false;
};

}  // namespace

std::string_view in_words(DmaTiming timing) {
  return kTimings.at(static_cast<std::size_t>(timing));
}

void judge_network(const NetworkSubject& subject,
                   const std::vector<NetworkRun>& runs,
                   const FunctionAt& function_at,
                   NetworkResult& result) {
  std::vector<std::pair<core::Diagnostic, std::vector<std::string>>> all;
  for (const NetworkRun& run : runs) {
    for (core::Diagnostic& one : RunReader{subject, function_at, result}.read(run)) {
      const auto known = std::ranges::find_if(
          all, [&](const auto& other) { return other.first.message == one.message; });
      const std::string timing{in_words(run.timing)};
      if (known == all.end()) {
        all.emplace_back(std::move(one), std::vector{timing});
      } else {
        known->second.push_back(timing);
      }
    }
  }
  for (auto& [one, timings] : all) {
    if (timings.size() != runs.size()) {
      one.message += fmt::format(" (where the DMA moves {})", core::join(timings, ", or "));
    }
    result.findings.push_back(std::move(one));
  }
}

}  // namespace memsize::runtime
