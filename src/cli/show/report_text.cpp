// An analysis for people: a table for each core, the facts that its figures rest on, the balance,
// and the command that would write the map. The same rows as CSV and Markdown.
#include "memsize/core/text.hpp"

#include "command_line.hpp"
#include "report.hpp"
#include "report_parts.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Bytes;
using sizing::CoreSizing;
using sizing::Demand;

std::string heading(const app::Analysis& analysis, const Detail& detail) {
  constexpr std::size_t kInputs = 4;
  std::string out;
  const sizing::Sizing& sizing = analysis.sizing;
  const std::size_t count = sizing.inputs.size();
  const std::size_t shown = detail.wide || detail.explain || count <= kInputs ? count : kInputs;
  for (std::size_t i = 0; i < shown; ++i) {
    out += understood(analysis, i);
  }
  if (shown < count) {
    out += fmt::format("{} more inputs: -v\n", count - shown);
  }
  const bool same = analysis.board && !sizing.generation_differs;
  if (analysis.format.log) {
    out += fmt::format("read as {}\n", analysis.format.log->title);
  } else if (!sizing.generations.empty() && (detail.wide || detail.explain || !same)) {
    out += fmt::format("the trace is of SDK generation {} ({}: {})\n",
                       core::join(sizing.generations, " or "),
                       sizing.generation_title,
                       sizing.generation_evidence);
  }
  if (analysis.board) {
    out += fmt::format("board {}: {}\n", analysis.board->name, analysis.board->title);
  }
  return out;
}

// Figures that few recordings have get a column only where there is one.
struct RareColumn {
  const char* title;
  std::optional<Bytes> (*of)(const Demand& demand);
};

constexpr std::array<RareColumn, 3> kRareColumns = {{
    {"in statistics", [](const Demand& demand) { return demand.statistics; }},
    {"failed", [](const Demand& demand) { return demand.failed; }},
    {"left",
     [](const Demand& demand) {
       return demand.heap && demand.heap->source != sizing::HeapUse::Source::kBoard
                  ? demand.heap->left
                  : std::nullopt;
     }},
}};

std::vector<RareColumn> rare_columns_of(const CoreSizing& core) {
  std::vector<RareColumn> columns;
  std::ranges::copy_if(kRareColumns, std::back_inserter(columns), [&](const RareColumn& column) {
    return std::ranges::any_of(core.demands,
                               [&](const Demand& demand) { return column.of(demand).has_value(); });
  });
  return columns;
}

// A figure and what it must not be read without.
std::string with_caveat(const std::string& figure, const std::string& caveat) {
  return caveat.empty() ? figure : fmt::format("{} ({})", figure, caveat);
}

Table demand_table(const app::Analysis& analysis, const CoreSizing& core) {
  const bool with_board = analysis.board.has_value();
  const std::vector<RareColumn> rare = rare_columns_of(core);
  Table table;
  table.columns = {
      {"demand"}, {"records", true}, {"requested", true}, {"bound", true}, {"in use", true}};
  for (const RareColumn& column : rare) {
    table.columns.push_back({column.title, true});
  }
  if (with_board) {
    table.columns.push_back({"region"});
    table.columns.push_back({"now", true});
    table.columns.push_back({"suggested", true});
  }
  Bytes now;
  Bytes suggested;
  Bytes forecast;
  bool has_caveat = false;
  for (const Demand& demand : core.demands) {
    const bool printed = demand.requested.count() != 0;
    std::vector<std::string> row = {
        demand_name(demand.key, core.demands),
        demand.records == 0 ? std::string{"-"} : fmt::format("{}", demand.records),
        printed ? kib(demand.requested) : std::string{"-"},
        printed ? core::format_size(demand.bound) : std::string{"-"},
        optional_size(demand.extent)};
    for (const RareColumn& column : rare) {
      row.push_back(optional_size(column.of(demand)));
    }
    if (with_board) {
      row.push_back(demand.region.empty() ? "-" : demand.region);
      row.push_back(optional_size(demand.current));
      const std::string caveat = caveat_of(analysis, demand);
      row.push_back(with_caveat(optional_size(demand.suggested), caveat));
      has_caveat = has_caveat || !caveat.empty();
      now += demand.current.value_or(Bytes{});
      suggested += demand.suggested.value_or(Bytes{});
      forecast += demand.forecast.value_or(demand.suggested.value_or(Bytes{}));
    }
    table.rows.push_back(std::move(row));
  }
  if (with_board) {
    std::vector<std::string> total(table.columns.size());
    total.front() = "total";
    total[total.size() - 2] = core::format_size(now);
    total.back() = with_caveat(
        core::format_size(suggested),
        has_caveat ? fmt::format("{} there", core::format_size(forecast)) : std::string{});
    table.rows.push_back(std::move(total));
  }
  return table;
}

Table onchip_table(const CoreSizing& core, bool with_board) {
  Table table{.columns = {{"on chip"}, {"records", true}, {"requested", true}}};
  if (with_board) {
    table.columns.push_back({"of", true});
    table.columns.push_back({"region"});
  }
  for (const sizing::OnChipDemand& demand : core.onchip) {
    std::vector<std::string> row = {
        demand.space, fmt::format("{}", demand.records), core::format_size(demand.requested)};
    if (with_board) {
      row.push_back(optional_size(demand.available));
      row.push_back(demand.region.empty() ? "-" : demand.region);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string balance(const app::Analysis& analysis) {
  return analysis.current && analysis.suggested && !suggestions_of(analysis).empty()
             ? emit::describe_balance(*analysis.suggested, *analysis.current) + ".\n"
             : std::string{};
}

// What the verdict's last words come from.
std::string reserved_line(const app::Analysis& analysis) {
  return balance(analysis).empty() ? std::string{}
                                   : fmt::format("{} stay reserved, of {} before.\n",
                                                 core::format_size(analysis.suggested->reserved()),
                                                 core::format_size(analysis.current->reserved()));
}

// How the traced run's heap was filled; empty where only its size is known.
std::string heap_fact(const sizing::HeapUse& heap) {
  std::vector<std::string> parts;
  const auto add = [&](const std::optional<Bytes>& size, const char* what) {
    if (size && size->count() != 0) {
      parts.push_back(fmt::format("{} {}", core::format_bytes(*size), what));
    }
  };
  add(heap.before, "in use before the first record");
  add(heap.gaps, "between records");
  if (heap.left) {
    parts.push_back(core::format_bytes(*heap.left) + " left at the peak");
  }
  return parts.empty()
             ? std::string{}
             : fmt::format(
                   "of its heap's {}: {}", core::format_size(heap.size), core::join(parts, ", "));
}

// What the marks and suggestions rest on, one line a fact.
std::vector<std::string> facts_of(const CoreSizing& core) {
  std::vector<std::string> facts;
  for (const sizing::InstanceSizing& instance : core.instances) {
    if (instance.instance.times > 1) {
      facts.push_back(fmt::format("{}: the model of line {} was loaded {} times",
                                  core_name(core.core),
                                  instance.instance.line,
                                  instance.instance.times));
    }
  }
  for (const Demand& demand : core.demands) {
    const std::string name =
        fmt::format("{} {}", core_name(core.core), demand_name(demand.key, core.demands));
    if (demand.extent) {
      const std::string exact = core::format_bytes(*demand.extent);
      const std::string rounded = core::format_size(*demand.extent);
      facts.push_back(fmt::format(
          "{}: high-water mark {}{} from the heap's base{}",
          name,
          exact,
          rounded == exact ? std::string{} : fmt::format(" ({})", rounded),
          demand.base ? fmt::format(" {}", core::format_address(*demand.base)) : std::string{}));
    }
    if (demand.heap) {
      if (std::string fact = heap_fact(*demand.heap); !fact.empty()) {
        facts.push_back(name + ": " + fact);
      }
    }
    if (demand.objects.count() != 0) {
      facts.push_back(fmt::format("{}: {} of it, {}, are in no record",
                                  name,
                                  core::format_bytes(demand.objects),
                                  core.instances.size() == 1 ? "the instance's own objects"
                                                             : "the instances' own objects"));
    }
  }
  return facts;
}

std::string notes(const app::Analysis& analysis) {
  std::string out;
  for (const CoreSizing& core : analysis.sizing.cores) {
    for (const std::string& fact : facts_of(core)) {
      out += fmt::format("  - {}\n", fact);
    }
  }
  for (const core::Diagnostic& diagnostic : analysis.sizing.diagnostics) {
    if (diagnostic.severity != core::Severity::kNote) {
      continue;
    }
    out += fmt::format("  - {}\n", core::visible_text(diagnostic.message));
    for (const std::string& detail : diagnostic.details) {
      out += fmt::format("      {}\n", core::visible_text(detail));
    }
    if (!diagnostic.hint.empty()) {
      out += fmt::format("      {}\n", core::visible_text(diagnostic.hint));
    }
  }
  return out;
}

// Whose memory is not DDR, as a microcontroller's arena, has it from no Linux.
bool is_of_linux(const app::Analysis& analysis) {
  return std::ranges::any_of(analysis.sizing.cores, [](const CoreSizing& core) {
    return core.demands.empty() || std::ranges::any_of(core.demands, [](const Demand& demand) {
             return demand.key.space == "ddr";
           });
  });
}

// What comes next: the command that writes the map of this report, or one that names a board;
// nothing where emit would refuse.
std::string next_line(const app::Analysis& analysis) {
  const bool refused = std::ranges::any_of(
      analysis.sizing.diagnostics,
      [&](const core::Diagnostic& one) { return app::forbids_map(analysis.sizing, one); });
  if (!analysis.board && !analysis.sizing.cores.empty()) {
    return is_of_linux(analysis)
               ? "\nto see what goes back to Linux: name the board with --board (memsize list "
                 "boards)\n"
               : "\nto have sizes suggested: name a board file of your own with --board "
                 "(boards/README.md)\n";
  }
  if (!analysis.board || refused || suggestions_of(analysis).empty()) {
    return {};
  }
  app::EmitRequest request;
  request.trace = analysis.request;
  request.board = analysis.request.board;
  request.sdk = analysis.request.sdk;
  return fmt::format("\nto write the map: {}\n", command_of(request, request.board.name));
}

// Rows of regions without a demand, with two columns more.
void add_needs(const app::Analysis& analysis, Table& table) {
  if (analysis.needs.empty()) {
    return;
  }
  const std::vector<Table::Column> columns = table.columns;
  table.columns.push_back({"need_bytes", true});
  table.columns.push_back({"class"});
  table.columns.push_back({"why"});
  for (std::vector<std::string>& row : table.rows) {
    row.resize(table.columns.size());
  }
  for (const layout::Need& need : analysis.needs) {
    const auto cell = [&](std::string_view title) {
      return title == "region"            ? need.region
             : title == "knob"            ? need.knob
             : title == "current_bytes"   ? fmt::format("{}", need.current.count())
             : title == "suggested_bytes" ? fmt::format("{}", need.suggested.count())
                                          : std::string{};
    };
    std::vector<std::string> row;
    for (const Table::Column& column : columns) {
      row.push_back(cell(column.title));
    }
    row.push_back(need.need ? fmt::format("{}", need.need->count()) : std::string{});
    row.emplace_back(layout::name_of(need.evidence));
    row.push_back(need.why);
    table.rows.push_back(std::move(row));
  }
}

Table flat_table(const app::Analysis& analysis) {
  Table table;
  table.columns = {{"core"},
                   {"space"},
                   {"cacheability"},
                   {"lifetime"},
                   {"records", true},
                   {"requested_bytes", true},
                   {"bound_bytes", true},
                   {"extent_bytes", true},
                   {"region"},
                   {"knob"},
                   {"current_bytes", true},
                   {"suggested_bytes", true},
                   {"statistics_bytes", true},
                   {"failed_bytes", true},
                   {"lower_bound"},
                   {"forecast_bytes", true},
                   {"caveat"}};
  const auto number = [](const std::optional<Bytes>& size) {
    return size ? fmt::format("{}", size->count()) : std::string{};
  };
  for (const CoreSizing& core : analysis.sizing.cores) {
    for (const Demand& demand : core.demands) {
      table.rows.push_back({core.core,
                            demand.key.space,
                            std::string{model::name_of(demand.key.cacheability)},
                            std::string{model::name_of(demand.key.lifetime)},
                            fmt::format("{}", demand.records),
                            number(demand.requested),
                            number(demand.bound),
                            number(demand.extent),
                            demand.region,
                            demand.knob,
                            number(demand.current),
                            number(demand.suggested),
                            number(demand.statistics),
                            number(demand.failed),
                            demand.lower_bound ? "true" : "",
                            number(demand.forecast),
                            caveat_of(analysis, demand)});
    }
  }
  add_needs(analysis, table);
  return table;
}

}  // namespace

std::string report_text(const app::Analysis& analysis, const Detail& detail) {
  std::string out = verdict(analysis) + "\n" + heading(analysis, detail);
  const bool with_board = analysis.board.has_value();
  std::size_t facts = 0;
  for (const CoreSizing& core : analysis.sizing.cores) {
    const std::size_t models = core.instances.size();
    out += fmt::format("\n{}: {}{}\n",
                       core_name(core.core),
                       models == 0 ? std::string{"no table"} : core::plural(models, "model"),
                       core.complete ? "" : ", incomplete: every sum is a lower bound");
    facts += facts_of(core).size();
    if (!detail.wide) {
      out += brief_table(analysis, core);
      continue;
    }
    out += demand_table(analysis, core).text(2);
    if (!core.onchip.empty()) {
      out += fmt::format("\n{}", onchip_table(core, with_board).text(2));
    }
  }
  out += needs_text(analysis);
  out += said_text(analysis, detail.wide || detail.explain);
  if (const std::string reserved = reserved_line(analysis); !reserved.empty()) {
    out += "\n" + reserved;
  }
  out += detail.budget.empty() ? std::string{} : detail.budget + "\n";
  const std::string told =
      detail.explain ? notes(analysis) : brief_notes(analysis, detail.width, facts);
  out += told.empty() ? told : fmt::format("\nnotes\n{}", told);
  if (detail.explain) {
    for (const CoreSizing& core : analysis.sizing.cores) {
      for (const Demand& demand : core.demands) {
        out += explain_demand(analysis, core, demand);
      }
    }
  }
  out += next_line(analysis);
  return out;
}

std::string report_csv(const app::Analysis& analysis) {
  return flat_table(analysis).csv();
}

std::string report_markdown(const app::Analysis& analysis) {
  std::string out;
  for (const CoreSizing& core : analysis.sizing.cores) {
    out += fmt::format("### {}{}\n\n",
                       core::escape_markdown(core_name(core.core)),
                       core.complete ? "" : " (incomplete: every sum is a lower bound)");
    out += demand_table(analysis, core).markdown() + "\n";
  }
  if (!analysis.needs.empty()) {
    out += needs_table(analysis).markdown() + "\n";
  }
  return out + balance(analysis);
}

}  // namespace memsize::cli
