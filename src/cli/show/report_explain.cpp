// For every number of a demand its lines and its rule.
#include "memsize/core/text.hpp"

#include "report_parts.hpp"
#include "table.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

using core::Bytes;
using sizing::CoreSizing;
using sizing::Demand;

namespace {

// What the record is for, and why it counts with another size than it was printed with.
std::string meaning_of(const app::Analysis& analysis, const sizing::Counted& counted) {
  const auto meaning = analysis.format.records.find(counted.block.record);
  std::vector<std::string> parts;
  if (counted.from_total) {
    parts.emplace_back("the sum that the log itself prints");
  } else if (meaning != analysis.format.records.end()) {
    parts.push_back(fmt::format("{}: {}", meaning->second.name, meaning->second.what));
  }
  if (!counted.rule.empty()) {
    parts.push_back(counted.rule);
  }
  return core::join(parts, "; ");
}

// Line, record, sizes, address, meaning.
std::vector<std::string> facts_of(const app::Analysis& analysis, const sizing::Counted& counted) {
  const model::Block& block = counted.block;
  return {fmt::format("{}", block.line),
          counted.from_total ? std::string{"-"} : fmt::format("{}", block.record),
          block.size.printed_kib.empty() ? core::format_bytes(block.size.nearest)
                                         : block.size.printed_kib + " KiB",
          core::format_bytes(block.size.upper),
          block.address ? core::format_hex(block.address->value()) : "-",
          meaning_of(analysis, counted)};
}

// How long the name of a figure is at most.
constexpr std::size_t kFigureWidth = 11;

// Where the rule, the base or the size of a figure is from.
std::string origin_of(const Demand& demand, const std::string& figure) {
  std::string from;
  if (figure == "bound") {
    from = demand.rule_source;
  } else if (figure == "extent" && demand.base) {
    from = core::format_address(*demand.base);
  } else if (figure == "suggested") {
    from = demand.knob;
  }
  return from.empty() ? from : fmt::format(" ({})", from);
}

std::string reasons_text(const Demand& demand) {
  std::string out;
  for (const sizing::Reason& reason : demand.reasons) {
    out += fmt::format("    {:<{}}{}: {}{}\n",
                       reason.figure,
                       kFigureWidth,
                       core::format_bytes(reason.bytes),
                       reason.rule,
                       origin_of(demand, reason.figure));
  }
  for (const sizing::ForecastStep& step : demand.forecast_steps) {
    const std::string bytes = step.bytes
                                  ? fmt::format("{}{}",
                                                *step.bytes < 0 ? "-" : "+",
                                                core::format_bytes(Bytes{static_cast<std::uint64_t>(
                                                    *step.bytes < 0 ? -*step.bytes : *step.bytes)}))
                                  : std::string{"nobody knows how much"};
    out += fmt::format("      forecast: {}: {}\n", step.what, bytes);
  }
  return out;
}

}  // namespace

std::string explain_demand(const app::Analysis& analysis,
                           const CoreSizing& core,
                           const Demand& demand) {
  std::string out =
      fmt::format("\n{} {}\n", core_name(core.core), demand_name(demand.key, core.demands));
  const bool several_logs = analysis.sizing.inputs.size() > 1;
  const bool several_models = core.instances.size() > 1;
  Table table;
  if (several_models) {
    table.columns.push_back({"model", true});
  }
  if (several_logs) {
    table.columns.push_back({"log"});
  }
  for (const char* title : {"line", "record", "requested", "at most"}) {
    table.columns.push_back({title, true});
  }
  table.columns.push_back({"address"});
  table.columns.push_back({"what"});
  for (const sizing::Counted& counted : demand.counted) {
    std::vector<std::string> row;
    if (several_models) {
      row.push_back(fmt::format("{}", counted.instance + 1));
    }
    if (several_logs) {
      row.push_back(core::printable(counted.path, 60));
    }
    const std::vector<std::string> facts = facts_of(analysis, counted);
    row.insert(row.end(), facts.begin(), facts.end());
    table.rows.push_back(std::move(row));
  }
  out += table.text(4);
  return out + reasons_text(demand);
}

}  // namespace memsize::cli
