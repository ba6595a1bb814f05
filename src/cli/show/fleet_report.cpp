// A fleet for people, and as a document.
#include "fleet_report.hpp"

#include "memsize/app/sizing_document.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"

#include "render_diagnostics.hpp"
#include "report_parts.hpp"
#include "table.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Bytes;
using core::Json;

std::string heading(const app::Fleet& fleet) {
  std::vector<std::string> facts = {core::plural(fleet.files.size(), "log")};
  const auto incomplete =
      std::ranges::count_if(fleet.files, [](const app::FleetFile& file) { return !file.complete; });
  if (incomplete != 0) {
    facts.push_back(fmt::format("{} of them incomplete", incomplete));
  }
  if (fleet.unreadable != 0) {
    facts.push_back(core::plural(fleet.unreadable, "unreadable file"));
  }
  if (fleet.others != 0) {
    facts.push_back(core::plural(fleet.others, "other file"));
  }
  if (fleet.links != 0) {
    facts.push_back(core::plural(fleet.links, "link") + " not followed");
  }
  std::string out = fmt::format(
      "{}: {}\n", core::printable(core::join(fleet.folders, ", "), 200), core::join(facts, ", "));
  std::map<std::string, std::size_t> generations;
  for (const app::FleetFile& file : fleet.files) {
    if (!file.generation.empty()) {
      ++generations[file.generation];
    }
  }
  for (const auto& [generation, logs] : generations) {
    out += fmt::format("{} of SDK generation {}\n", core::plural(logs, "log"), generation);
  }
  if (fleet.board) {
    out += fmt::format("board {}: {}\n", fleet.board->name, fleet.board->title);
  }
  return out;
}

Table fleet_demand_table(const app::Fleet& fleet) {
  Table table;
  table.columns = {
      {"demand"}, {"logs", true}, {"least", true}, {"median", true}, {"most", true}, {"most by"}};
  if (fleet.board) {
    table.columns.push_back({"region"});
    table.columns.push_back({"now", true});
    table.columns.push_back({"suggested", true});
  }
  Bytes now;
  Bytes suggested;
  for (const app::FleetSpan& span : fleet.demands) {
    std::vector<std::string> row = {
        fmt::format("{} {}", core_name(span.key.core), demand_name(span.key)),
        fmt::format("{}", span.files),
        core::format_size(span.min),
        core::format_size(span.median),
        core::format_size(span.max),
        core::printable(span.max_path)};
    if (fleet.board) {
      row.push_back(span.region.empty() ? "-" : span.region);
      row.push_back(optional_size(span.current));
      row.push_back(optional_size(span.suggested));
      now += span.current.value_or(Bytes{});
      suggested += span.suggested.value_or(Bytes{});
    }
    table.rows.push_back(std::move(row));
  }
  if (fleet.board) {
    table.rows.push_back(
        {"total", "", "", "", "", "", "", core::format_size(now), core::format_size(suggested)});
  }
  return table;
}

std::string balance(const app::Fleet& fleet) {
  return fleet.current && fleet.suggested
             ? emit::describe_balance(*fleet.suggested, *fleet.current) + ".\n"
             : std::string{};
}

Json key_json(const board::DemandKey& key) {
  Json json;
  json.set_if_any("core", key.core);
  app::add_class(json, key);
  return json;
}

Json file_json(const app::FleetFile& file) {
  Json json;
  json["path"] = file.path;
  json["complete"] = file.complete;
  json.set_if_any("generation", file.generation);
  json.set_if_any("same_as", file.same_as);
  json["demands"] = Json::array();
  for (const app::FleetDemand& demand : file.demands) {
    Json item = key_json(demand.key);
    item["bytes"] = demand.figure.count();
    if (demand.suggested) {
      item["suggested_bytes"] = demand.suggested->count();
    }
    json["demands"].push_back(std::move(item));
  }
  return json;
}

Json span_json(const app::FleetSpan& span) {
  Json json = key_json(span.key);
  json["files"] = span.files;
  json["min_bytes"] = span.min.count();
  json["median_bytes"] = span.median.count();
  json["max_bytes"] = span.max.count();
  json["max_path"] = span.max_path;
  if (!span.knob.empty()) {
    json["knob"] = span.knob;
    json["region"] = span.region;
    json["current_bytes"] = span.current->count();
    json["suggested_bytes"] = span.suggested->count();
  }
  return json;
}

}  // namespace

std::string fleet_text(const app::Fleet& fleet) {
  std::string out = heading(fleet);
  out += "\n" + fleet_demand_table(fleet).text(0);
  if (const std::string given_back = balance(fleet); !given_back.empty()) {
    out += "\n" + given_back;
  }
  return out + describe_notes(fleet.diagnostics);
}

std::string fleet_csv(const app::Fleet& fleet) {
  Table table;
  table.columns = {{"core"},
                   {"space"},
                   {"cacheability"},
                   {"lifetime"},
                   {"files", true},
                   {"min_bytes", true},
                   {"median_bytes", true},
                   {"max_bytes", true},
                   {"max_path"},
                   {"region"},
                   {"knob"},
                   {"current_bytes", true},
                   {"suggested_bytes", true}};
  const auto number = [](const std::optional<Bytes>& size) {
    return size ? fmt::format("{}", size->count()) : std::string{};
  };
  for (const app::FleetSpan& span : fleet.demands) {
    table.rows.push_back({span.key.core,
                          span.key.space,
                          std::string{model::name_of(span.key.cacheability)},
                          std::string{model::name_of(span.key.lifetime)},
                          fmt::format("{}", span.files),
                          number(span.min),
                          number(span.median),
                          number(span.max),
                          span.max_path,
                          span.region,
                          span.knob,
                          number(span.current),
                          number(span.suggested)});
  }
  return table.csv();
}

std::string fleet_markdown(const app::Fleet& fleet) {
  return fleet_demand_table(fleet).markdown() + "\n" + balance(fleet);
}

core::Json fleet_document(const app::Fleet& fleet) {
  Json json;
  json["schema"] = "memsize.fleet/1";
  if (fleet.board) {
    json["board"] = fleet.board->name;
  }
  json["headroom"] = fleet.headroom;
  json["instances"] = fleet.together ? "together" : "apart";
  json["files"] = Json::array(fleet.files, file_json);
  json["unreadable_files"] = fleet.unreadable;
  json["other_files"] = fleet.others;
  json["links"] = fleet.links;
  json["demands"] = Json::array(fleet.demands, span_json);
  if (fleet.current && fleet.suggested) {
    json["reserved_bytes"] = fleet.current->reserved().count();
    json["suggested_reserved_bytes"] = fleet.suggested->reserved().count();
  }
  json["diagnostics"] = to_json(fleet.diagnostics);
  return json;
}

}  // namespace memsize::cli
