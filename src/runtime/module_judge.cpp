// A finding has a kind, which is its code, what was looked at, and a row:
// target/module/module_probe.h.
#include "module_judge.hpp"

#include "memsize/core/text.hpp"

#include "machine.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using core::Code;

// Of one kind and sentence. A mistake in a function shows with every arena or operator.
constexpr std::size_t kMostRows = 4;

// probe_about of target/module/module_probe.h.
enum class About : std::uint8_t { kModule, kArena, kTensor, kStep };

const std::map<std::string, Code, std::less<>>& codes() {
  static const std::map<std::string, Code, std::less<>> all = {
      {"contract", Code::kModuleContract},
      {"constant", Code::kModuleConstant},
      {"overlap", Code::kModuleOverlap},
      {"persistent", Code::kModulePersistent},
      {"bounds", Code::kModuleBounds},
      {"fault", Code::kModuleFault},
  };
  return all;
}

class Sentences {
 public:
  explicit Sentences(const emit::Module& module) : module_(module) {}

  [[nodiscard]] core::Diagnostic say(const Finding& finding,
                                     Code code,
                                     const ModuleRun& run) const {
    core::Diagnostic said = core::error(code, message(finding, code));
    if (run.report.fault && &finding == &run.report.findings.back()) {
      said.message += by_code(run);
    }
    if (const emit::ModuleArena* arena = arena_of(finding)) {
      return std::move(said).about({{"arena", arena->name}});
    }
    if (const emit::ModuleTensor* tensor = tensor_of(finding)) {
      return std::move(said).about({{"tensor", tensor->id}});
    }
    return said;
  }

  [[nodiscard]] core::Diagnostic broken(const ModuleRun& run) const {
    const std::vector<Part>& parts = run.report.parts;
    return core::error(Code::kModuleFault,
                       fmt::format("module '{}': its test application {}{}",
                                   module_.prefix,
                                   run.broken,
                                   parts.empty() ? "" : ", after " + parts.back().name));
  }

  [[nodiscard]] const std::string& prefix() const { return module_.prefix; }

 private:
  static About about(const Finding& finding) {
    return static_cast<About>(finding.address >> 32U & 3U);
  }

  static std::size_t row(const Finding& finding) {
    return static_cast<std::size_t>(finding.address & 0xFFFFFFFFU);
  }

  [[nodiscard]] const emit::ModuleArena* arena_of(const Finding& finding) const {
    return about(finding) == About::kArena && row(finding) < module_.arenas.size()
               ? &module_.arenas[row(finding)]
               : nullptr;
  }

  [[nodiscard]] const emit::ModuleTensor* tensor_of(const Finding& finding) const {
    return about(finding) == About::kTensor && row(finding) < module_.tensors.size()
               ? &module_.tensors[row(finding)]
               : nullptr;
  }

  [[nodiscard]] std::string who(const Finding& finding) const {
    if (const emit::ModuleArena* arena = arena_of(finding)) {
      return fmt::format("'{}'", arena->name);
    }
    if (const emit::ModuleTensor* tensor = tensor_of(finding)) {
      return fmt::format("tensor '{}'", core::printable(tensor->id, 60));
    }
    if (about(finding) == About::kStep) {
      return fmt::format("operator {} of the test", row(finding));
    }
    return fmt::format("module '{}'", module_.prefix);
  }

  [[nodiscard]] std::string message(const Finding& finding, Code code) const {
    return fmt::format("{}: {}{}", who(finding), finding.region, rest(finding, code));
  }

  // A fault is the last that a program says. Of addresses of code each build has others.
  static std::string by_code(const ModuleRun& run) {
    return run.function.empty() ? "" : fmt::format(", by {}()", core::printable(run.function, 80));
  }

  // The numbers behind what was looked at.
  [[nodiscard]] std::string rest(const Finding& finding, Code code) const {
    switch (code) {
      case Code::kModuleContract:
        return fmt::format(": {}, but must be {}",
                           static_cast<std::int64_t>(finding.actual),
                           static_cast<std::int64_t>(finding.expected));
      case Code::kModuleConstant:
        return constant(finding);
      case Code::kModuleOverlap:
        return overlap(finding);
      case Code::kModuleBounds:
        return fmt::format(", byte {}", finding.expected);
      case Code::kModuleFault:
        return fmt::format(": an access to {} faults", core::format_hex(finding.actual));
      default:
        return fmt::format(", from byte {} on", finding.expected);
    }
  }

  [[nodiscard]] std::string constant(const Finding& finding) const {
    const emit::ModuleArena* arena = arena_of(finding);
    const std::size_t at = finding.expected;
    if (arena == nullptr || at >= arena->bytes.size()) {
      return "";
    }
    std::string owner;
    for (const emit::ModuleTensor& tensor : module_.tensors) {
      if (tensor.arena == row(finding) && at >= tensor.offset.count() &&
          at - tensor.offset.count() < tensor.size.count()) {
        owner = fmt::format(" (tensor '{}')", core::printable(tensor.id, 60));
        break;
      }
    }
    return fmt::format(": byte {}{} is {:#04x}, but must be {:#04x}",
                       at,
                       owner,
                       finding.actual,
                       static_cast<unsigned char>(arena->bytes[at]));
  }

  [[nodiscard]] std::string overlap(const Finding& finding) const {
    std::string at = fmt::format(": byte {}", finding.expected);
    if (finding.actual == row(finding) || finding.actual >= module_.tensors.size()) {
      return at;
    }
    return fmt::format(
        "{} is tensor '{}'s", at, core::printable(module_.tensors[finding.actual].id, 60));
  }

  const emit::Module& module_;
};

// What is one finding, whichever programs have it. Of bytes that are wrong the first to be seen
// counts: they stay so.
std::string key_of(const Finding& finding) {
  const bool is_bytes = finding.check == "constant" || finding.check == "persistent";
  return fmt::format("{} {} {}",
                     finding.check,
                     is_bytes ? fmt::format("{}", finding.expected) : finding.region,
                     finding.address);
}

std::size_t most_of(Code code) {
  return code == Code::kModuleContract ? 1 : kMostRows;
}

class Findings {
 public:
  explicit Findings(const emit::Module& module) : sentences_(module) {}

  core::Result<void> add(const ModuleRun& run) {
    std::set<std::string> own;
    for (const Finding& finding : run.report.findings) {
      const auto code = codes().find(finding.check);
      if (code == codes().end()) {
        return core::fail(machine_error(
            fmt::format("the test application of '{}': {}", sentences_.prefix(), finding.region)));
      }
      const std::string key = key_of(finding);
      if (!own.insert(key).second) {
        continue;
      }
      const auto [found, is_new] = by_key_.try_emplace(key, all_.size());
      if (is_new) {
        all_.push_back(
            {sentences_.say(finding, code->second, run), finding.check + finding.region, {}});
      }
      all_[found->second].programs.push_back(run.program);
    }
    if (!run.broken.empty() && !run.report.fault) {
      const auto [found, is_new] = by_key_.try_emplace(run.broken, all_.size());
      if (is_new) {
        all_.push_back({sentences_.broken(run), {}, {}});
      }
      all_[found->second].programs.push_back(run.program);
    }
    return {};
  }

  // The first of each kind; a program is named where others did not have it.
  core::Diagnostics take(std::size_t programs) {
    core::Diagnostics said;
    // By kind: how many, and where the last is that is said.
    std::map<std::string, std::pair<std::size_t, std::size_t>> kinds;
    for (Row& row : all_) {
      auto& [count, last] = kinds[row.kind];
      if (++count > most_of(row.said.code)) {
        continue;
      }
      last = said.size();
      if (row.programs.size() != programs) {
        row.said.message +=
            fmt::format(" (with {} hydrate_constants)", core::join(row.programs, " and "));
      }
      said.push_back(std::move(row.said));
    }
    for (const auto& [kind, rows] : kinds) {
      const std::size_t most = most_of(said[rows.second].code);
      if (rows.first > most) {
        said[rows.second].details.push_back(
            fmt::format("and {} more like this", rows.first - most));
      }
    }
    return said;
  }

 private:
  struct Row {
    core::Diagnostic said;
    std::string kind;
    std::vector<std::string> programs;
  };

  Sentences sentences_;
  std::vector<Row> all_;
  std::map<std::string, std::size_t, std::less<>> by_key_;
};

}  // namespace

core::Result<core::Diagnostics> judge_module(const emit::Module& module,
                                             const std::vector<ModuleRun>& runs) {
  Findings findings{module};
  for (const ModuleRun& run : runs) {
    MEMSIZE_TRY(findings.add(run));
  }
  return findings.take(runs.size());
}

}  // namespace memsize::runtime
