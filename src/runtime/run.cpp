// The order of a run, and which end of an image is a finding about its map and which is the
// machine's fault. Findings that follow from others come last.
#include "memsize/runtime/run.hpp"

#include "memsize/core/text.hpp"

#include "judge.hpp"
#include "machine.hpp"
#include "plan.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

// What the images' exit statuses mean: target/hal.h, target/a64/boot.h.
constexpr int kNothingFound = 0;
constexpr int kSomethingFound = 1;
constexpr int kUnexpectedFault = 3;
constexpr int kNotMapped = 5;

// What cores read of each other tells that something is wrong, seldom what.
bool is_consequence(const core::Diagnostic& finding) {
  return finding.code == core::Code::kValidateMemory;
}

class Runner {
 public:
  Runner(const Subject& subject,
         const std::vector<CoreTables>& tables,
         const RunOptions& options,
         Plan plan,
         BoardMemory memory)
      : subject_(subject),
        tables_(tables),
        options_(options),
        plan_(std::move(plan)),
        memory_(std::move(memory)) {}

  core::Result<RunResult> run(const std::map<std::string, std::string>& scripts) {
    const InterruptGuard guard;
    const MachineInput input{subject_, plan_, tables_, scripts, options_, memory_};
    const std::unique_ptr<Machine> machine =
        options_.where == Where::kHost ? make_host_machine(input) : make_qemu_machine(input);
    // What lies in memory before any core starts.
    MEMSIZE_TRY(fill_memory());
    MEMSIZE_TRY(machine->prepare());
    // Each core claims what is its own; then each looks what has become of it.
    std::vector<CoreReports> reports(subject_.cores.size());
    for (const unsigned phase : {1U, 2U}) {
      for (const SubjectCore& core : subject_.cores) {
        CoreReports& own = reports[core.number];
        if (!runs(core, options_.where) || (phase == 2 && !own.first.verdict)) {
          continue;
        }
        auto report = run_core(*machine, core, phase);
        MEMSIZE_TRY(report);
        (phase == 1 ? own.first : own.second) = std::move(*report);
      }
    }
    return result_of(*machine, reports);
  }

 private:
  core::Result<void> fill_memory() {
    bool good = true;
    for (const Paint& paint : plan_.linux_paint) {
      good = good && memory_.write(paint.physical, word_of(paint.value));
    }
    for (const CoreTables& tables : tables_) {
      good = good && (tables.bytes.empty() || memory_.write(tables.base, tables.bytes));
    }
    if (!good) {
      return core::fail(machine_error("the emulated memory cannot be written",
                                      "is there a limit? see ulimit -f and df -h"));
    }
    return {};
  }

  static std::string word_of(std::uint64_t value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
  }

  core::Result<Report> run_core(Machine& machine, const SubjectCore& core, unsigned phase) {
    auto end = machine.run(core, phase);
    MEMSIZE_TRY(end);
    if (auto wrong = what_ended(machine, core, *end)) {
      return core::fail(std::move(*wrong));
    }
    Report report = parse_report(end->output);
    if (end->how == ProcessEnd::How::kExited && end->status == kNotMapped) {
      // The image could not even begin: that is a finding about its map.
      report.findings.push_back({"start", "", 0, 0, 0});
      report.core = core.name;
      return report;
    }
    if (!report.verdict || report.strange_lines != 0 || report.core != core.name ||
        report.phase != phase) {
      return core::fail(machine_error(
          fmt::format("{}: its image did not come to its end on {}{}",
                      core.name,
                      machine.name(),
                      report.strange.empty()
                          ? fmt::format(" (status {}){}", end->status, said(end->errors))
                          : fmt::format(": '{}'", report.strange)),
          "try it again; if it stays so, it is a bug in memsize"));
    }
    return report;
  }

  // Ends that no image has: the machine's fault, not the map's.
  [[nodiscard]] std::optional<core::Diagnostic> what_ended(const Machine& machine,
                                                           const SubjectCore& core,
                                                           const ProcessEnd& end) const {
    const std::string what = fmt::format("{} on {}", core.name, machine.name());
    switch (end.how) {
      case ProcessEnd::How::kExited:
        if (end.status == kNothingFound || end.status == kSomethingFound ||
            end.status == kUnexpectedFault || end.status == kNotMapped) {
          return std::nullopt;
        }
        return machine_error(
            fmt::format("{} ended with status {}{}", what, end.status, said(end.errors)));
      case ProcessEnd::How::kKilled:
        return machine_error(
            fmt::format("{} was killed by signal {}{}", what, end.status, said(end.errors)));
      case ProcessEnd::How::kTimedOut:
        return machine_error(
            fmt::format(
                "{} did not end within {} ms, and was stopped", what, options_.timeout.count()),
            "give it more with --timeout");
      case ProcessEnd::How::kTooMuch:
        return machine_error(fmt::format("{} printed without end, and was stopped", what));
      case ProcessEnd::How::kNotStarted:
        return machine_error(fmt::format("{} could not be started: {}", what, end.reason));
      case ProcessEnd::How::kInterrupted:
        break;
    }
    core::Diagnostic interrupted = machine_error("interrupted");
    return interrupted;
  }

  static std::string said(const std::string& errors) {
    const std::string line = errors.substr(0, errors.find('\n'));
    return line.empty() ? "" : fmt::format(": {}", core::printable(line, 200));
  }

  core::Result<RunResult> result_of(const Machine& machine,
                                    const std::vector<CoreReports>& reports) {
    RunResult result;
    const JudgeInput input{subject_, plan_, memory_, machine, reports};
    result.findings = judge_reports(input);
    result.findings.insert(
        result.findings.end(), subject_.findings.begin(), subject_.findings.end());
    core::Diagnostics outside = judge_memory(input, result.outside);
    std::move(outside.begin(), outside.end(), std::back_inserter(result.findings));
    for (const SubjectCore& core : subject_.cores) {
      const CoreReports& own = reports[core.number];
      CoreRun run{.core = core.name, .unit = core.unit, .ran = !own.first.core.empty()};
      for (const map_point& point : plan_.cores[core.number].points) {
        run.points += run.ran ? 1U : 0U;
        run.guards += run.ran && point.kind == MAP_FAULT ? 1U : 0U;
        run.peers += run.ran && point.kind == MAP_PEER ? 1U : 0U;
      }
      for (const Part& part : own.first.parts) {
        run.skipped += part.skipped;
      }
      run.blocks = own.first.blocks;
      result.cores.push_back(std::move(run));
    }
    result.untried = plan_.untried;
    if (std::ranges::none_of(result.cores, [](const CoreRun& core) { return core.ran; })) {
      return core::fail(machine_error(
          fmt::format("no core of '{}' can be run on {}", subject_.board, machine.name()),
          plan_.untried.empty() ? "" : plan_.untried.front().why));
    }
    // Causes before consequences.
    std::ranges::stable_sort(result.findings,
                             [](const core::Diagnostic& a, const core::Diagnostic& b) {
                               return is_consequence(a) < is_consequence(b);
                             });
    return result;
  }

  const Subject& subject_;
  const std::vector<CoreTables>& tables_;
  const RunOptions& options_;
  Plan plan_;
  BoardMemory memory_;
};

}  // namespace

std::string_view name_of(Where where) {
  return where == Where::kHost ? "host" : "qemu";
}

Toolchain default_toolchain() {
  return has_program("clang") && has_program("ld.lld") ? Toolchain::kClang : Toolchain::kGcc;
}

bool was_interrupted() {
  return InterruptGuard::interrupted();
}

core::Result<RunResult> run(const Subject& subject,
                            const std::vector<CoreTables>& tables,
                            const std::vector<CoreReplay>& replays,
                            const std::map<std::string, std::string>& scripts,
                            const RunOptions& options) {
  auto memory = BoardMemory::make(subject, options.where == Where::kQemu);
  MEMSIZE_TRY(memory);
  Plan plan = make_plan(subject, tables, replays, options.where);
  return Runner{subject, tables, options, std::move(plan), std::move(*memory)}.run(scripts);
}

}  // namespace memsize::runtime
