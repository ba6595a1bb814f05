// What logs say beside their tables: heaps, what went wrong, what runs took.
#include "memsize/core/text.hpp"

#include "report_parts.hpp"
#include "table.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Bytes;
using model::HeapReport;

// More is for the document; a report is read by people.
constexpr std::size_t kMostRows = 40;

std::string more_rows(std::size_t all) {
  return all <= kMostRows ? std::string{}
                          : fmt::format("  {} more: --json has them all\n", all - kMostRows);
}

// Leads every row: which log, where there are several, and which line.
template <typename Item>
std::vector<std::string> origin_of(const app::Analysis& analysis, const Item& item) {
  std::vector<std::string> row;
  const auto& inputs = analysis.sizing.inputs;
  if (inputs.size() > 1) {
    row.push_back(input_name(inputs.at(item.input)));
  }
  row.push_back(fmt::format("{}", item.line));
  row.push_back(item.core.empty() ? "-" : item.core);
  return row;
}

Table origin_table(const app::Analysis& analysis) {
  Table table;
  if (analysis.sizing.inputs.size() > 1) {
    table.columns.push_back({"log"});
  }
  table.columns.push_back({"line", true});
  table.columns.push_back({"core"});
  return table;
}

std::string measure(const std::optional<double>& value, const char* unit) {
  return value ? fmt::format("{:.2f} {}", *value, unit) : std::string{"-"};
}

std::string heaps_text(const app::Analysis& analysis) {
  const std::vector<HeapReport>& heaps = analysis.recording.heaps;
  Table table = origin_table(analysis);
  for (const char* title : {"heap", "told"}) {
    table.columns.push_back({title});
  }
  for (const char* title : {"from", "size", "in use", "left"}) {
    table.columns.push_back({title, true});
  }
  for (std::size_t i = 0; i < std::min(heaps.size(), kMostRows); ++i) {
    const HeapReport& heap = heaps[i];
    std::vector<std::string> row = origin_of(analysis, heap);
    row.push_back(core::printable(heap.name, 40));
    row.emplace_back(heap.source == HeapReport::Source::kBoot ? "when made" : "in statistics");
    row.push_back(heap.address ? core::format_hex(heap.address->value()) : "-");
    row.push_back(core::format_size(heap.size));
    row.push_back(heap.free ? core::format_size(heap.size - *heap.free) : "-");
    row.push_back(optional_size(heap.free));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? std::string{} : "\nheaps\n" + table.text(2) + more_rows(heaps.size());
}

std::string failures_text(const app::Analysis& analysis) {
  const std::vector<model::Failure>& failures = analysis.recording.failures;
  Table table = origin_table(analysis);
  table.columns.push_back({"what went wrong"});
  for (std::size_t i = 0; i < std::min(failures.size(), kMostRows); ++i) {
    std::vector<std::string> row = origin_of(analysis, failures[i]);
    row.push_back(core::printable(failures[i].text));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? std::string{}
                            : "\nfailures\n" + table.text(2) + more_rows(failures.size());
}

std::string runs_text(const app::Analysis& analysis) {
  const std::vector<model::RunReport>& runs = analysis.recording.runs;
  Table table = origin_table(analysis);
  for (const char* title : {"begun in", "runs", "slowest", "read", "written"}) {
    table.columns.push_back({title, true});
  }
  for (std::size_t i = 0; i < std::min(runs.size(), kMostRows); ++i) {
    const model::RunReport& run = runs[i];
    std::vector<std::string> row = origin_of(analysis, run);
    row.push_back(measure(run.init_ms, "ms"));
    row.push_back(fmt::format("{}", run.executions));
    row.push_back(measure(run.execution_ms, "ms"));
    row.push_back(measure(run.read_mb, "MB"));
    row.push_back(measure(run.written_mb, "MB"));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? std::string{} : "\nruns\n" + table.text(2) + more_rows(runs.size());
}

template <typename Item>
std::size_t count_of(const std::vector<Item>& items, std::size_t input) {
  return static_cast<std::size_t>(
      std::ranges::count_if(items, [&](const Item& item) { return item.input == input; }));
}

// "2 models of 32 records".
std::string models_fact(const model::Recording& recording, std::size_t input) {
  std::size_t models = 0;
  for (const model::CoreRecording& core : recording.cores) {
    models += count_of(core.instances, input);
  }
  const std::size_t records = recording.inputs.at(input).records;
  const std::string of = records == 0 ? std::string{} : " of " + core::plural(records, "record");
  return models == 0 ? std::string{} : core::plural(models, "model") + of;
}

// A heap is told again with every statistics.
std::size_t heaps_of(const model::Recording& recording, std::size_t input) {
  std::set<std::pair<std::string, std::string>> names;
  for (const HeapReport& heap : recording.heaps) {
    if (heap.input == input) {
      names.emplace(heap.core, heap.name);
    }
  }
  return names.size();
}

}  // namespace

std::string input_name(const model::Input& input) {
  return input.path == "-" ? "standard input" : core::printable(input.path, 200);
}

std::string understood(const app::Analysis& analysis, std::size_t input) {
  const model::Recording& recording = analysis.recording;
  const model::Input& of = recording.inputs.at(input);
  std::vector<std::string> facts = {of.format};
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many = {}) {
    if (count != 0) {
      facts.push_back(core::plural(count, one, many));
    }
  };
  if (std::string models = models_fact(recording, input); !models.empty()) {
    facts.push_back(std::move(models));
  }
  add(heaps_of(recording, input), "heap");
  add(count_of(recording.failures, input), "failure");
  add(count_of(recording.runs, input), "run");
  add(of.broken_rows, "broken row");
  if (of.emulated) {
    facts.emplace_back("emulated on a host");
  }
  add(of.lines, "line");
  return fmt::format("{}: {}\n", input_name(of), core::join(facts, ", "));
}

std::string said_text(const app::Analysis& analysis, bool all) {
  if (all) {
    return heaps_text(analysis) + failures_text(analysis) + runs_text(analysis);
  }
  std::vector<std::string> more;
  if (!analysis.recording.heaps.empty()) {
    more.push_back(
        core::plural(analysis.recording.heaps.size(), "line about heaps", "lines about heaps"));
  }
  if (!analysis.recording.runs.empty()) {
    more.push_back(core::plural(analysis.recording.runs.size(), "run"));
  }
  return failures_text(analysis) +
         (more.empty() ? std::string{}
                       : fmt::format("\nin the log besides: {} (-v)\n", core::join(more, ", ")));
}

}  // namespace memsize::cli
