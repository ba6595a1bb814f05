// Tables of regions with what is left in each, of run times before and after, and the same as a
// document, which also has every record.
#include "report_board_log.hpp"

#include "memsize/app/sizing_document.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "render_diagnostics.hpp"
#include "report_parts.hpp"
#include "table.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using runtime::BoardLogReport;
using runtime::HeldRecord;
using runtime::HeldRegion;
using runtime::RunPair;
using RecordPlace = HeldRecord::Where;

// More is for the document.
constexpr std::size_t kMostRuns = 40;

std::string heading(const BoardLogReport& report) {
  const std::vector<std::string> names =
      core::texts_of(report.inputs, [&](const model::Input& input) { return input_name(input); });
  std::string out = "the board's log " + core::join(names, ", ") + "\n";
  if (!report.generation.empty()) {
    out += fmt::format(
        "  printed by SDK generation {} ({})\n", report.generation, report.generation_title);
  }
  if (report.records.empty()) {
    return out + "  it has no table of records\n";
  }
  const std::size_t all = report.records.size();
  const std::size_t inside = report.count(RecordPlace::kInside);
  if (inside == all) {
    return out + fmt::format("  {}, each inside of its region\n", core::plural(all, "record"));
  }
  std::vector<std::string> parts = {fmt::format("{} inside of their regions", inside)};
  const auto add = [&](RecordPlace where, const char* what) {
    if (const std::size_t count = report.count(where); count != 0) {
      parts.push_back(fmt::format("{} {}", count, what));
    }
  };
  add(RecordPlace::kOutside, "outside");
  add(RecordPlace::kNoAddress, "without an address");
  add(RecordPlace::kNoRegion, "of memory that the board has no region for");
  return out + fmt::format("  {}: {}\n", core::plural(all, "record"), core::join(parts, ", "));
}

std::string left_text(const HeldRegion& region) {
  const auto left = region.left();
  return left ? fmt::format("{} ({} %)", core::format_size(*left), *region.left_percent()) : "-";
}

std::string regions_text(const BoardLogReport& report) {
  Table table;
  table.columns = {{"core"},
                   {"region"},
                   {"from", true},
                   {"size", true},
                   {"inside", true},
                   {"largest", true},
                   {"in use", true},
                   {"left", true}};
  for (const HeldRegion& region : report.regions) {
    table.rows.push_back(
        {region.key.core,
         region.region,
         core::format_address(region.range.base()),
         core::format_size(region.range.size()),
         region.records == 0 ? "-" : fmt::format("{} of {}", region.inside, region.records),
         region.largest_record ? core::format_size(region.largest) : "-",
         optional_size(region.used),
         left_text(region)});
  }
  return table.rows.empty() ? std::string{} : "\n" + table.text(2);
}

using Figure = std::optional<double> (*)(const model::RunReport& run);

struct Measure {
  const char* title;
  const char* unit;
  Figure of;
};

constexpr Measure kMeasures[] = {
    {"begun in", "ms", [](const model::RunReport& run) { return run.init_ms; }},
    {"slowest", "ms", [](const model::RunReport& run) { return run.execution_ms; }},
    {"read", "MB", [](const model::RunReport& run) { return run.read_mb; }},
    {"written", "MB", [](const model::RunReport& run) { return run.written_mb; }},
};

std::string figure(const std::optional<model::RunReport>& run, const Measure& measure) {
  const auto value = run ? measure.of(*run) : std::nullopt;
  return value ? fmt::format("{:.2f} {}", *value, measure.unit) : "-";
}

std::string times_text(const BoardLogReport& report) {
  Table table{.columns = {{"core"}, {"run", true}, {"when"}}};
  for (const Measure& measure : kMeasures) {
    table.columns.push_back({measure.title, true});
  }
  const std::size_t shown = std::min(report.times.size(), kMostRuns);
  for (std::size_t i = 0; i < shown; ++i) {
    const RunPair& pair = report.times[i];
    std::vector<std::string> before = {
        pair.core.empty() ? "-" : pair.core, fmt::format("{}", pair.number), "before"};
    std::vector<std::string> after = {"", "", "after"};
    for (const Measure& measure : kMeasures) {
      before.push_back(figure(pair.before, measure));
      after.push_back(figure(pair.after, measure));
    }
    table.rows.push_back(std::move(before));
    table.rows.push_back(std::move(after));
  }
  if (table.rows.empty()) {
    return {};
  }
  const std::string more =
      shown == report.times.size()
          ? std::string{}
          : fmt::format("  {} more: --json has them all\n", report.times.size() - shown);
  return "\nruns\n" + table.text(2) + more;
}

Json log_run_json(const model::RunReport& run) {
  Json json;
  json["input"] = run.input;
  json["line"] = run.line;
  json["executions"] = run.executions;
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) {
      json[key] = *value;
    }
  };
  put("init_ms", run.init_ms);
  put("execution_ms", run.execution_ms);
  put("read_mb", run.read_mb);
  put("written_mb", run.written_mb);
  return json;
}

Json record_json(const HeldRecord& record) {
  Json json = {{"input", record.input},
               {"line", record.line},
               {"core", record.core},
               {"record", record.record},
               {"size_bytes", record.size.count()},
               {"where", runtime::name_of(record.where)}};
  if (record.printed) {
    const auto low = model::PrintedAddress::low(record.printed->value());
    json["address_low"] = core::format_hex(low.value());
  }
  if (record.address) {
    json["address"] = core::format_address(*record.address);
  }
  json.set_if_any("region", record.region);
  json.set_if_any("found_in", record.found_in);
  return json;
}

Json region_json(const HeldRegion& region) {
  Json json;
  json["core"] = region.key.core;
  app::add_class(json, region.key);
  json["region"] = region.region;
  json.set_if_any("knob", region.knob);
  json["base"] = core::format_address(region.range.base());
  json["size_bytes"] = region.range.size().count();
  json["records"] = region.records;
  json["inside"] = region.inside;
  if (region.largest_record) {
    json["largest"] = {{"record", *region.largest_record}, {"size_bytes", region.largest.count()}};
  }
  if (region.used) {
    json["used_bytes"] = region.used->count();
    json["used_from"] = runtime::name_of(region.source);
    json["left_bytes"] = region.left()->count();
    json["left_percent"] = *region.left_percent();
  }
  return json;
}

}  // namespace

std::string board_log_text(const BoardLogReport& report) {
  const std::string notes = describe_notes(report.findings);
  return heading(report) + regions_text(report) + times_text(report) +
         (notes.empty() ? notes : "\nnotes\n" + notes);
}

Json board_log_document(const BoardLogReport& report) {
  Json json;
  json["inputs"] = Json::array(report.inputs, [&](const model::Input& input) -> Json {
    return {{"path", input.path}, {"format", input.format}, {"lines", input.lines}};
  });
  json.set_if_any("generation", report.generation);
  json["generation_differs"] = report.generation_differs;
  json["inside"] = report.count(RecordPlace::kInside);
  json["outside"] = report.count(RecordPlace::kOutside);
  json["records"] = Json::array(report.records, record_json);
  json["regions"] = Json::array(report.regions, region_json);
  json["times"] = Json::array();
  for (const RunPair& pair : report.times) {
    Json item = {{"core", pair.core}, {"number", pair.number}};
    item.set_if_any("before", pair.before, log_run_json);
    item.set_if_any("after", pair.after, log_run_json);
    json["times"].push_back(std::move(item));
  }
  return json;
}

}  // namespace memsize::cli
