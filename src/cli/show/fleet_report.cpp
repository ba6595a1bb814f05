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
  std::map<std::string, std::size_t> kinds;
  for (const app::FleetFile& file : fleet.files) {
    if (!file.format.empty()) {
      ++kinds["read as " + file.format];
    } else if (!file.generation.empty()) {
      ++kinds["of SDK generation " + file.generation];
    }
  }
  for (const auto& [kind, logs] : kinds) {
    out += fmt::format("{} {}\n", core::plural(logs, "log"), kind);
  }
  if (fleet.board) {
    out += fmt::format("board {}: {}\n", fleet.board->name, fleet.board->title);
  }
  return out;
}

// What is enough of a demand for the logs that are covered; none of them may have it.
std::optional<Bytes> covering_size(const app::Fleet& fleet, const board::DemandKey& key) {
  const auto span = std::ranges::find(fleet.cover->demands, key, &app::FleetSpan::key);
  if (span == fleet.cover->demands.end()) {
    return std::nullopt;
  }
  return fleet.board ? span->suggested : span->max;
}

Bytes most_of(const std::vector<app::FleetSpan>& spans) {
  Bytes sum;
  for (const app::FleetSpan& span : spans) {
    sum += span.max;
  }
  return sum;
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
  if (fleet.cover) {
    table.columns.push_back({"for " + fleet.cover->share, true});
  }
  Bytes now;
  Bytes suggested;
  Bytes covering;
  for (const app::FleetSpan& span : fleet.demands) {
    std::vector<std::string> row = {
        fmt::format("{} {}", core_name(span.key.core), demand_name(span.key, fleet.demands)),
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
    if (fleet.cover) {
      const std::optional<Bytes> enough = covering_size(fleet, span.key);
      row.push_back(optional_size(enough));
      covering += enough.value_or(Bytes{});
    }
    table.rows.push_back(std::move(row));
  }
  if (fleet.board) {
    table.rows.push_back(
        {"total", "", "", "", "", "", "", core::format_size(now), core::format_size(suggested)});
    if (fleet.cover) {
      table.rows.back().push_back(core::format_size(covering));
    }
  }
  return table;
}

// What the logs cost that are left out, and which they are.
std::string cover_text(const app::Fleet& fleet) {
  if (!fleet.cover) {
    return {};
  }
  constexpr std::size_t kNamed = 10;
  const app::FleetCover& cover = *fleet.cover;
  std::string out = fmt::format("\nFor {}: {} of {} fit.",
                                cover.share,
                                cover.files,
                                core::plural(cover.files + cover.left_out.size(), "log"));
  if (cover.left_out.empty()) {
    return out + " Leaving out others saves nothing.\n";
  }
  out += fmt::format(" Without the other {}: ", cover.left_out.size());
  out += fleet.suggested && cover.suggested
             ? emit::describe_balance(*cover.suggested, *fleet.suggested) + ".\n"
             : fmt::format("{} instead of {}.\n",
                           core::format_size(most_of(cover.demands)),
                           core::format_size(most_of(fleet.demands)));
  for (std::size_t i = 0; i < std::min(kNamed, cover.left_out.size()); ++i) {
    out += fmt::format("  {}\n", core::printable(cover.left_out[i]));
  }
  if (cover.left_out.size() > kNamed) {
    out += fmt::format("  and {} more, which --json names\n", cover.left_out.size() - kNamed);
  }
  return out;
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
  json.set_if_any("format", file.format);
  json.set_if_any("generation", file.generation);
  json.set_if_any("same_as", file.same_as);
  json["demands"] = Json::array();
  for (const app::FleetDemand& demand : file.demands) {
    Json item = key_json(demand.key);
    item["bytes"] = demand.figure.count();
    item.set_if_any("suggested_bytes", demand.suggested, &Bytes::count);
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

Json cover_json(const app::FleetCover& cover) {
  Json json;
  json["share"] = cover.share;
  json["files"] = cover.files;
  json["left_out"] = Json::array(cover.left_out, [](const std::string& path) { return path; });
  json["demands"] = Json::array(cover.demands, span_json);
  if (cover.suggested) {
    json["suggested_reserved_bytes"] = cover.suggested->reserved().count();
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
  out += cover_text(fleet);
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
  if (fleet.cover) {
    table.columns.push_back({"cover_bytes", true});
  }
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
    if (fleet.cover) {
      table.rows.back().push_back(number(covering_size(fleet, span.key)));
    }
  }
  return table.csv();
}

std::string fleet_markdown(const app::Fleet& fleet) {
  return fleet_demand_table(fleet).markdown() + "\n" + balance(fleet) + cover_text(fleet);
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
  if (fleet.cover) {
    json["cover"] = cover_json(*fleet.cover);
  }
  json["diagnostics"] = to_json(fleet.diagnostics);
  return json;
}

}  // namespace memsize::cli
