#include "report.hpp"

#include "memsize/core/text.hpp"

#include "render_diagnostics.hpp"
#include "table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Bytes;
using sizing::CoreSizing;
using sizing::Demand;

std::string demand_name(const board::DemandKey& key) {
  return fmt::format(
      "{} {} {}", key.space, model::name_of(key.cacheability), model::name_of(key.lifetime));
}

// As the trace printed it: two decimals of a KiB.
std::string kib(Bytes size) {
  return fmt::format("{:.2f} KiB", static_cast<double>(size.count()) / 1024.0);
}

std::string core_name(const std::string& core) {
  return core.empty() ? "(no core name)" : core;
}

std::string optional_size(const std::optional<Bytes>& size) {
  return size ? core::format_size(*size) : std::string{"-"};
}

std::string heading(const Analysis& analysis) {
  std::string out;
  const sizing::Sizing& sizing = analysis.sizing;
  for (const model::Input& input : sizing.inputs) {
    std::vector<std::string> facts = {fmt::format("{}", core::plural(input.records, "record"))};
    if (input.lines != 0) {
      facts.push_back(core::plural(input.lines, "line"));
    }
    if (input.other_lines != 0) {
      facts.push_back(fmt::format("{} not of a table", input.other_lines));
    }
    out += fmt::format("{}: {}, {}\n",
                       input.path == "-" ? "standard input" : core::printable(input.path, 200),
                       input.format,
                       core::join(facts, ", "));
  }
  if (!sizing.generation.empty()) {
    out += fmt::format("the trace is of SDK generation {} ({}: {})\n",
                       sizing.generation,
                       sizing.generation_title,
                       sizing.generation_evidence);
  }
  if (analysis.board) {
    out += fmt::format("board {}: {}\n", analysis.board->name, analysis.board->title);
  }
  return out;
}

Table demand_table(const CoreSizing& core, bool with_board) {
  Table table;
  table.columns = {
      {"demand"}, {"records", true}, {"requested", true}, {"bound", true}, {"in use", true}};
  if (with_board) {
    table.columns.push_back({"region"});
    table.columns.push_back({"now", true});
    table.columns.push_back({"suggested", true});
  }
  Bytes now;
  Bytes suggested;
  for (const Demand& demand : core.demands) {
    std::vector<std::string> row = {demand_name(demand.key),
                                    fmt::format("{}", demand.records),
                                    kib(demand.requested),
                                    core::format_size(demand.bound),
                                    optional_size(demand.extent)};
    if (with_board) {
      row.push_back(demand.region.empty() ? "-" : demand.region);
      row.push_back(optional_size(demand.current));
      row.push_back(optional_size(demand.suggested));
      now += demand.current.value_or(Bytes{});
      suggested += demand.suggested.value_or(Bytes{});
    }
    table.rows.push_back(std::move(row));
  }
  if (with_board) {
    table.rows.push_back(
        {"total", "", "", "", "", "", core::format_size(now), core::format_size(suggested)});
  }
  return table;
}

Table onchip_table(const CoreSizing& core, bool with_board) {
  Table table;
  table.columns = {{"on chip"}, {"records", true}, {"requested", true}};
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

std::string balance(const Analysis& analysis) {
  return analysis.current && analysis.suggested
             ? emit::describe_balance(*analysis.suggested, *analysis.current) + ".\n"
             : std::string{};
}

// What the marks and suggestions rest on, one line a fact.
std::vector<std::string> facts_of(const CoreSizing& core) {
  std::vector<std::string> facts;
  for (const Demand& demand : core.demands) {
    const std::string name = fmt::format("{} {}", core_name(core.core), demand_name(demand.key));
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

std::string notes(const Analysis& analysis) {
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
    out += fmt::format("  - {}\n", diagnostic.message);
    for (const std::string& detail : diagnostic.details) {
      out += fmt::format("      {}\n", detail);
    }
    if (!diagnostic.hint.empty()) {
      out += fmt::format("      {}\n", diagnostic.hint);
    }
  }
  return out.empty() ? out : fmt::format("notes\n{}", out);
}

// The command that writes the map of this report; nothing where emit would refuse.
std::string emit_line(const Analysis& analysis) {
  const bool refused = analysis.sizing.generation_differs || !analysis.sizing.complete();
  if (!analysis.board || refused || suggestions_of(analysis).empty()) {
    return {};
  }
  const AnalyzeRequest& request = analysis.request;
  std::string command = fmt::format("memsize emit --board {}", request.board.name);
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) {
      command += fmt::format(" {} {}", option, core::printable(value, 200));
    }
  };
  for (const std::string& input : request.inputs) {
    add("--trace", input);
  }
  add("--core", request.core);
  add("--format", request.format);
  add("--instances", request.instances);
  add("--headroom", request.headroom);
  add("--dram", request.board.dram);
  if (request.tight) {
    command += " --tight";
  }
  return fmt::format("\nto write the map: {}\n", command);
}

std::string explain_demand(const Analysis& analysis, const CoreSizing& core, const Demand& demand) {
  std::string out = fmt::format("\n{} {}\n", core_name(core.core), demand_name(demand.key));
  Table table;
  table.columns = {{"line", true},
                   {"record", true},
                   {"requested", true},
                   {"at most", true},
                   {"address"},
                   {"what"}};
  for (const sizing::Counted& counted : demand.counted) {
    const model::Block& block = counted.block;
    const auto meaning = analysis.format.records.find(block.record);
    table.rows.push_back({fmt::format("{}", block.line),
                          fmt::format("{}", block.record),
                          block.size.printed_kib.empty() ? core::format_bytes(block.size.nearest)
                                                         : block.size.printed_kib + " KiB",
                          core::format_bytes(block.size.upper),
                          block.address_low ? core::format_hex(*block.address_low) : "-",
                          meaning == analysis.format.records.end()
                              ? std::string{}
                              : fmt::format("{}: {}", meaning->second.name, meaning->second.what)});
  }
  out += table.text(4);
  out += fmt::format("    requested {}: the sum of the sizes as printed\n",
                     core::format_bytes(demand.requested));
  out += fmt::format(
      "    bound     {}: each size at most, rounded to its alignment, placed by the heap's rule "
      "({})\n",
      core::format_bytes(demand.bound),
      demand.rule_source.empty() ? "no rule is known for this heap" : demand.rule_source);
  if (demand.extent) {
    out += fmt::format(
        "    in use    {}: the highest end less the heap's base {}\n",
        core::format_bytes(*demand.extent),
        demand.base ? core::format_address(*demand.base) : std::string{"that the addresses imply"});
  }
  if (!demand.suggested) {
    return out;
  }
  out += fmt::format("    headroom  {}: {} of the largest figure, less {} that no model changes\n",
                     core::format_bytes(demand.headroom),
                     sizing::format_headroom(analysis.sizing.headroom),
                     core::format_bytes(demand.fixed));
  const std::string grown =
      demand.grown.count() == 0
          ? std::string{}
          : fmt::format(", and {} more that the MMU needs", core::format_size(demand.grown));
  out += fmt::format("    suggested {}: {} + {}, rounded up to {}{} ({})\n",
                     core::format_bytes(*demand.suggested),
                     core::format_bytes(demand.figure()),
                     core::format_bytes(demand.headroom),
                     core::format_size(Bytes{demand.granule.value()}),
                     grown,
                     demand.knob);
  if (demand.forecast) {
    out += fmt::format("    forecast  {} under the board's SDK generation\n",
                       core::format_bytes(*demand.forecast));
  }
  return out;
}

Table flat_table(const Analysis& analysis) {
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
                   {"suggested_bytes", true}};
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
                            number(demand.suggested)});
    }
  }
  return table;
}

nlohmann::ordered_json block_json(const model::Block& block, const Demand* demand) {
  nlohmann::ordered_json json;
  json["record"] = block.record;
  json["space"] = block.space;
  json["cacheability"] = model::name_of(block.cacheability);
  json["lifetime"] = model::name_of(block.lifetime);
  json["alignment"] = block.alignment.value();
  json["size_bytes"] = block.size.nearest.count();
  if (!block.size.printed_kib.empty()) {
    json["printed_kib"] = block.size.printed_kib;
  }
  if (block.address_low) {
    std::uint64_t address = *block.address_low;
    if (demand != nullptr && demand->base) {
      const std::uint64_t base = demand->base->value();
      address = base + static_cast<std::uint32_t>(address - base);
    }
    json["address"] = fmt::format("0x{:x}", address);
  }
  json["line"] = block.line;
  return json;
}

nlohmann::ordered_json demand_json(const Demand& demand) {
  nlohmann::ordered_json json;
  json["space"] = demand.key.space;
  json["cacheability"] = model::name_of(demand.key.cacheability);
  json["lifetime"] = model::name_of(demand.key.lifetime);
  json["records"] = demand.records;
  json["requested_bytes"] = demand.requested.count();
  json["bound_bytes"] = demand.bound.count();
  if (demand.extent) {
    json["extent_bytes"] = demand.extent->count();
  }
  if (demand.suggested) {
    json["knob"] = demand.knob;
    json["region"] = demand.region;
    json["current_bytes"] = demand.current->count();
    json["suggested_bytes"] = demand.suggested->count();
    json["granule_bytes"] = demand.granule.value();
    if (demand.grown.count() != 0) {
      json["mmu_bytes"] = demand.grown.count();
    }
  }
  if (demand.forecast) {
    json["forecast_bytes"] = demand.forecast->count();
  }
  return json;
}

nlohmann::ordered_json core_json(const CoreSizing& core) {
  nlohmann::ordered_json json;
  if (!core.core.empty()) {
    json["core"] = core.core;
  }
  json["complete"] = core.complete;
  json["instances"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < core.instances.size(); ++i) {
    const sizing::InstanceSizing& instance = core.instances[i];
    nlohmann::ordered_json item;
    item["index"] = i;
    item["input"] = instance.instance.input;
    item["line"] = instance.instance.line;
    item["complete"] = instance.complete;
    if (!instance.missing.empty()) {
      item["missing_records"] = instance.missing;
    }
    item["blocks"] = nlohmann::ordered_json::array();
    for (const model::Block& block : instance.instance.blocks) {
      const auto demand =
          std::find_if(core.demands.begin(), core.demands.end(), [&](const Demand& candidate) {
            return candidate.key.space == block.space &&
                   candidate.key.cacheability == block.cacheability &&
                   candidate.key.lifetime == block.lifetime;
          });
      item["blocks"].push_back(
          block_json(block, demand == core.demands.end() ? nullptr : &*demand));
    }
    json["instances"].push_back(std::move(item));
  }
  json["demands"] = nlohmann::ordered_json::array();
  for (const Demand& demand : core.demands) {
    json["demands"].push_back(demand_json(demand));
  }
  json["onchip"] = nlohmann::ordered_json::array();
  for (const sizing::OnChipDemand& demand : core.onchip) {
    nlohmann::ordered_json item = {{"space", demand.space},
                                   {"records", demand.records},
                                   {"requested_bytes", demand.requested.count()}};
    if (demand.available) {
      item["region"] = demand.region;
      item["available_bytes"] = demand.available->count();
    }
    json["onchip"].push_back(std::move(item));
  }
  return json;
}

}  // namespace

std::string report_text(const Analysis& analysis, bool explain) {
  std::string out = heading(analysis);
  const bool with_board = analysis.board.has_value();
  for (const CoreSizing& core : analysis.sizing.cores) {
    out += fmt::format("\n{}: {}{}\n",
                       core_name(core.core),
                       core::plural(core.instances.size(), "model"),
                       core.complete ? "" : ", incomplete: every sum is a lower bound");
    out += demand_table(core, with_board).text(2);
    if (!core.onchip.empty()) {
      out += fmt::format("\n{}", onchip_table(core, with_board).text(2));
    }
  }
  const std::string given_back = balance(analysis);
  out += given_back.empty() ? std::string{"\n"} : fmt::format("\n{}\n", given_back);
  out += notes(analysis);
  if (explain) {
    for (const CoreSizing& core : analysis.sizing.cores) {
      for (const Demand& demand : core.demands) {
        out += explain_demand(analysis, core, demand);
      }
    }
  }
  out += emit_line(analysis);
  return out;
}

std::string report_csv(const Analysis& analysis) {
  return flat_table(analysis).csv();
}

std::string report_markdown(const Analysis& analysis) {
  std::string out;
  for (const CoreSizing& core : analysis.sizing.cores) {
    out += fmt::format("### {}\n\n", core_name(core.core));
    out += demand_table(core, analysis.board.has_value()).markdown() + "\n";
  }
  return out + balance(analysis);
}

nlohmann::ordered_json sizing_document(const Analysis& analysis) {
  const sizing::Sizing& sizing = analysis.sizing;
  nlohmann::ordered_json json;
  json["schema"] = "memsize.sizing/1";
  json["trace_format"] = sizing.trace_format;
  if (!sizing.generation.empty()) {
    json["generation"] = sizing.generation;
  }
  if (analysis.board) {
    json["board"] = analysis.board->name;
  }
  json["headroom"] = sizing::format_headroom(sizing.headroom);
  json["instances"] = sizing.together ? "together" : "apart";
  json["inputs"] = nlohmann::ordered_json::array();
  for (const model::Input& input : sizing.inputs) {
    json["inputs"].push_back({{"path", input.path},
                              {"format", input.format},
                              {"lines", input.lines},
                              {"records", input.records}});
  }
  json["cores"] = nlohmann::ordered_json::array();
  for (const CoreSizing& core : sizing.cores) {
    json["cores"].push_back(core_json(core));
  }
  if (analysis.current && analysis.suggested) {
    json["reserved_bytes"] = analysis.current->reserved().count();
    json["suggested_reserved_bytes"] = analysis.suggested->reserved().count();
  }
  json["diagnostics"] = to_json(sizing.diagnostics);
  return json;
}

}  // namespace memsize::cli
