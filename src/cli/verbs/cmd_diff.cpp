// memsize diff: two maps, runs or plans in, what changed out, as tables or a document. What only
// one of two plans says of an arena is no change. --fail-on makes a change an error.
#include "memsize/app/compare.hpp"
#include "memsize/app/plan.hpp"
#include "memsize/core/text.hpp"
#include "memsize/plan/diff_plans.hpp"

#include "show/compare_report.hpp"
#include "show/table.hpp"
#include "verbs.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;
using model::PlannedArena;
using model::PlannedBlock;
using plan::ArenaChange;
using plan::BlockChange;
using plan::PlanChange;
using plan::PlanDiff;

constexpr const char* kDiffSchema = "memsize.diff/1";
constexpr std::size_t kLongestName = 60;
// Blocks that a terminal shows.
constexpr std::size_t kBlocksShown = 40;

struct DiffOptions {
  std::string before;
  std::string after;
  /// Of maps and runs.
  app::CompareRequest memory;
  std::string fail_on;
  bool json = false;
  bool markdown = false;
};

std::string shown(const std::string& name) {
  return core::printable(name, kLongestName);
}

// "+256 B", "-1 024 B".
std::string signed_bytes(std::int64_t bytes) {
  const auto size = static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes);
  return (bytes < 0 ? "-" : "+") + core::format_bytes(core::Bytes{size});
}

std::int64_t reserved(const std::optional<PlannedArena>& arena) {
  const auto bytes = arena ? plan::reserved_of(*arena) : std::nullopt;
  return bytes ? static_cast<std::int64_t>(std::min(bytes->count(), std::uint64_t{INT64_MAX})) : 0;
}

std::int64_t growth_of(const ArenaChange& change) {
  // What only one of two arenas says is no change.
  const bool is_known = !change.before || !change.after ||
                        (plan::reserved_of(*change.before) && plan::reserved_of(*change.after));
  return is_known ? reserved(change.after) - reserved(change.before) : 0;
}

// By memory, where there is a difference.
std::map<std::string, std::int64_t> growth_of(const PlanDiff& diff) {
  std::map<std::string, std::int64_t> growth;
  for (const ArenaChange& change : diff.arenas) {
    const PlannedArena& arena = change.after ? *change.after : *change.before;
    std::int64_t& sum = growth[arena.memory];
    if (__builtin_add_overflow(sum, growth_of(change), &sum)) {
      sum = INT64_MAX;
    }
  }
  std::erase_if(growth, [](const auto& memory) { return memory.second == 0; });
  return growth;
}

// One property before and after, in the words of the documents.
template <typename T>
std::string word_of(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string{"-"};
}

std::string memory_word(const std::string& memory) {
  return memory.empty() ? "-" : shown(memory);
}

std::string value_of(const PlannedArena& arena, const std::string& word) {
  if (word == "alignment") {
    return arena.alignment ? fmt::format("{}", arena.alignment->value()) : "-";
  }
  return word == "source_memory" ? memory_word(arena.source_memory) : word_of(arena.region_id);
}

std::string value_of(const PlannedBlock& block, const std::string& word) {
  const auto bytes = [](const std::optional<core::Bytes>& size) {
    return size ? fmt::format("{}", size->count()) : std::string{"-"};
  };
  if (word == "role") {
    return std::string{model::name_of(block.role)};
  }
  if (word == "memory" || word == "source_memory") {
    return memory_word(word == "memory" ? block.memory : block.source_memory);
  }
  if (word == "size" || word == "offset") {
    return bytes(word == "size" ? block.size : block.offset);
  }
  if (word == "alias_of") {
    return memory_word(block.alias_of);
  }
  return block.live ? fmt::format("{}", word == "lower" ? block.live->lower : block.live->upper)
                    : "-";
}

template <typename Change>
std::string what_changed(const Change& change, const std::string& left_out) {
  if (!change.before || !change.after) {
    return change.before ? "gone" : "new";
  }
  std::vector<std::string> parts;
  for (const std::string& word : change.changed) {
    if (word != left_out) {
      parts.push_back(fmt::format(
          "{} {} -> {}", word, value_of(*change.before, word), value_of(*change.after, word)));
    }
  }
  return core::join(parts, ", ");
}

std::string bytes_of(const std::optional<PlannedArena>& arena) {
  const auto bytes = arena ? plan::reserved_of(*arena) : std::nullopt;
  return bytes ? core::format_bytes(*bytes) : "-";
}

std::string arena_table(const PlanDiff& diff, bool markdown) {
  Table table;
  table.columns = {
      {"arena"}, {"memory"}, {"before", true}, {"after", true}, {"change", true}, {""}};
  for (const ArenaChange& change : diff.arenas) {
    const PlannedArena& arena = change.after ? *change.after : *change.before;
    const std::int64_t growth = growth_of(change);
    table.rows.push_back({std::string{model::name_of(arena.role)},
                          shown(arena.memory),
                          bytes_of(change.before),
                          bytes_of(change.after),
                          growth == 0 ? "-" : signed_bytes(growth),
                          what_changed(change, change.is_placed ? "total_bytes" : "least_bytes")});
  }
  return table.rows.empty() ? std::string{} : (markdown ? table.markdown() : table.text(0)) + "\n";
}

// Where a block that is only in one of the plans lies.
std::string place_text(const PlannedBlock& block) {
  const std::string where =
      block.offset
          ? fmt::format("[{}, {})", block.offset->count(), (*block.offset + block.size).count())
          : fmt::format("{} B", block.size.count());
  return fmt::format("{} of the {} arena", where, model::name_of(block.role));
}

std::string block_table(const PlanDiff& diff, bool markdown) {
  Table table{.columns = {{"block"}, {"memory"}, {"change"}}};
  for (std::size_t i = 0; i < std::min(diff.blocks.size(), kBlocksShown); ++i) {
    const BlockChange& change = diff.blocks[i];
    const PlannedBlock& block = change.after ? *change.after : *change.before;
    const std::string name = block.name.empty() || block.name == block.id
                                 ? shown(block.id)
                                 : fmt::format("{} ({})", shown(block.id), shown(block.name));
    std::string what = what_changed(change, "");
    if (!change.before || !change.after) {
      what += ": " + place_text(block);
    }
    table.rows.push_back({name, shown(block.memory), what});
  }
  if (table.rows.empty()) {
    return {};
  }
  std::string text = markdown ? table.markdown() : table.text(0);
  if (diff.blocks.size() > kBlocksShown) {
    text += fmt::format("{}and {} more, which --json lists\n",
                        markdown ? "\n" : "",
                        diff.blocks.size() - kBlocksShown);
  }
  return text + "\n";
}

const char* headline(PlanChange change) {
  switch (change) {
    case PlanChange::kNone:
      return "no change: every arena and every block is as it was\n";
    case PlanChange::kLayout:
      return "only the layout changed, inside arenas that are as they were: what binds the arenas "
             "need not be built again\n";
    case PlanChange::kEnvelope:
      return "the envelope changed: what binds the arenas itself has to be built again\n";
  }
  return "";
}

// `is_said`: what changed stands above. Else one report only says more than the other.
std::string hash_line(const char* what,
                      const std::string& before,
                      const std::string& after,
                      bool is_said = true) {
  if (before.empty() && after.empty()) {
    return {};
  }
  const auto quoted = [](const std::string& hash) { return hash.empty() ? "-" : shown(hash); };
  return before == after ? fmt::format("{:<32} {}  same\n", what, quoted(before))
                         : fmt::format("{:<32} {} -> {}  {}\n",
                                       what,
                                       quoted(before),
                                       quoted(after),
                                       is_said ? "changed" : "one of the reports says more");
}

std::string text_of(const model::PlanReport& before,
                    const model::PlanReport& after,
                    const PlanDiff& diff,
                    bool markdown) {
  std::string text = headline(diff.change);
  text += "\n" + arena_table(diff, markdown) + block_table(diff, markdown);
  if (markdown) {
    return text;
  }
  if (diff.growth_bytes != 0) {
    text += fmt::format("{:<32} {}\n", "all arenas together", signed_bytes(diff.growth_bytes));
  }
  text += fmt::format("{:<32} {}, {}\n",
                      "as they were, not shown",
                      core::plural(diff.unchanged_arenas, "arena"),
                      core::plural(diff.unchanged_blocks, "block"));
  if (diff.unplaced_arenas != 0) {
    text += fmt::format("{:<32} {}, compared by the least that {} blocks take\n",
                        "placed by neither report",
                        core::plural(diff.unplaced_arenas, "arena"),
                        diff.unplaced_arenas == 1 ? "its" : "their");
  }
  if (before.prefix != after.prefix) {
    text += fmt::format("{:<32} {} -> {}\n",
                        "names in C begin with",
                        memory_word(before.prefix),
                        memory_word(after.prefix));
  }
  text += hash_line("envelope hash",
                    diff.envelope_before,
                    diff.envelope_after,
                    diff.change == PlanChange::kEnvelope);
  text += hash_line(
      "layout hash", diff.layout_before, diff.layout_after, diff.change != PlanChange::kNone);
  text +=
      hash_line("the reports' own plan hash", before.foreign_plan_hash, after.foreign_plan_hash);
  text += hash_line(
      "the reports' own layout hash", before.foreign_layout_hash, after.foreign_layout_hash);
  return text;
}

// An absent key is not known.
template <typename T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) {
    json[key] = *value;
  }
}

void put(Json& json, const char* key, const std::string& text) {
  if (!text.empty()) {
    json[key] = core::printable(text, std::string::npos);
  }
}

void put(Json& json, const char* key, const std::optional<core::Bytes>& size) {
  if (size) {
    json[key] = size->count();
  }
}

Json diff_json(const PlannedArena& arena, bool is_placed) {
  Json json = Json::object();
  put(json, "region_id", arena.region_id);
  put(json, is_placed ? "total_bytes" : "least_bytes", plan::reserved_of(arena));
  json.set_if_any("alignment", arena.alignment, &core::Align::value);
  put(json, "source_memory", arena.source_memory);
  return json;
}

Json diff_json(const PlannedBlock& block) {
  Json json = {{"memory", core::printable(block.memory, std::string::npos)},
               {"role", model::name_of(block.role)}};
  put(json, "source_memory", block.source_memory);
  if (block.live) {
    json["lower"] = block.live->lower;
    json["upper"] = block.live->upper;
  }
  json["size"] = block.size.count();
  put(json, "offset", block.offset);
  put(json, "alias_of", block.alias_of);
  return json;
}

template <typename Change, typename ToJson>
void put_change(Json& json, const Change& change, const ToJson& row_json) {
  json.set_if_any("before", change.before, row_json);
  json.set_if_any("after", change.after, row_json);
  json.set_if_any("changed", change.changed);
}

Json side(const model::PlanReport& report, const std::string& envelope, const std::string& layout) {
  Json json = {{"path", core::printable(report.path, std::string::npos)},
               {"format", report.format}};
  put(json, "planner", report.planner);
  put(json, "prefix", report.prefix);
  json["envelope_hash"] = envelope;
  json["layout_hash"] = layout;
  put(json, "foreign_plan_hash", report.foreign_plan_hash);
  put(json, "foreign_layout_hash", report.foreign_layout_hash);
  return json;
}

Json document_of(const model::PlanReport& before,
                 const model::PlanReport& after,
                 const PlanDiff& diff,
                 bool ok) {
  Json json;
  json["schema"] = kDiffSchema;
  json["ok"] = ok;
  json["change"] = plan::name_of(diff.change);
  json["old"] = side(before, diff.envelope_before, diff.layout_before);
  json["new"] = side(after, diff.envelope_after, diff.layout_after);
  json["growth_bytes"] = diff.growth_bytes;
  json["memories"] = Json::array();
  for (const auto& [memory, growth] : growth_of(diff)) {
    json["memories"].push_back(
        {{"memory", core::printable(memory, std::string::npos)}, {"growth_bytes", growth}});
  }
  json["arenas"] = Json::array();
  for (const ArenaChange& change : diff.arenas) {
    const PlannedArena& arena = change.after ? *change.after : *change.before;
    Json item = {{"memory", core::printable(arena.memory, std::string::npos)},
                 {"role", model::name_of(arena.role)}};
    put_change(
        item, change, [&](const PlannedArena& row) { return diff_json(row, change.is_placed); });
    json["arenas"].push_back(std::move(item));
  }
  json["blocks"] = Json::array();
  for (const BlockChange& change : diff.blocks) {
    const PlannedBlock& block = change.after ? *change.after : *change.before;
    Json item = {{"id", core::printable(block.id, std::string::npos)}};
    put(item, "name", block.name);
    put_change(item, change, [](const PlannedBlock& row) { return diff_json(row); });
    json["blocks"].push_back(std::move(item));
  }
  json["unchanged"] = {{"arenas", diff.unchanged_arenas}, {"blocks", diff.unchanged_blocks}};
  return json;
}

// What --fail-on was asked to fail on.
core::Diagnostics refusals(const PlanDiff& diff, const DiffOptions& options) {
  const core::Place place{options.after};
  const auto refuse = [&](std::string what) {
    return core::error(Code::kDiffChanged,
                       std::move(what),
                       place,
                       "if this is meant, keep the new report as the one to compare with");
  };
  core::Diagnostics found;
  if (options.fail_on == "growth") {
    for (const auto& [memory, growth] : growth_of(diff)) {
      if (growth > 0) {
        found.push_back(refuse(
            fmt::format("the arenas in '{}' take {} more than before",
                        shown(memory),
                        core::format_bytes(core::Bytes{static_cast<std::uint64_t>(growth)}))));
      }
    }
  } else if (options.fail_on == "envelope" && diff.change == PlanChange::kEnvelope) {
    found.push_back(refuse(fmt::format("the envelope changed: {} not as before",
                                       diff.arenas.size() == 1
                                           ? std::string{"1 arena is"}
                                           : fmt::format("{} arenas are", diff.arenas.size()))));
  } else if (options.fail_on == "any" && diff.change != PlanChange::kNone) {
    found.push_back(refuse(fmt::format("the {} changed: {}, {}",
                                       plan::name_of(diff.change),
                                       core::plural(diff.arenas.size(), "arena"),
                                       core::plural(diff.blocks.size(), "block"))));
  }
  return found;
}

// A hash of somebody else says that the arenas are the same, but they are not.
void doubt_hash(const model::PlanReport& before,
                const model::PlanReport& after,
                const PlanDiff& diff,
                core::Diagnostics& found) {
  if (diff.change != PlanChange::kEnvelope || before.foreign_plan_hash.empty() ||
      before.foreign_plan_hash != after.foreign_plan_hash) {
    return;
  }
  found.push_back(core::warning(
      Code::kPlanContradiction,
      fmt::format("the report's own plan hash is that of before ({}), although its arenas are not",
                  shown(after.foreign_plan_hash)),
      {after.path},
      "one of the reports was edited, or cut from another one"));
}

// What --fail-on was asked to fail on, of maps and runs.
core::Diagnostics refusals(const app::Comparison& comparison, const DiffOptions& options) {
  const auto refuse = [&](std::string what) {
    return core::Diagnostics{core::error(Code::kDiffChanged,
                                         std::move(what),
                                         {options.after},
                                         "if this is meant, keep the new one to compare with")};
  };
  const bool is_map = comparison.kind == app::CompareKind::kMap;
  const bool fails = options.fail_on == "growth" ? comparison.growth() > 0
                     : options.fail_on == "envelope"
                         ? comparison.change == app::CompareChange::kEnvelope
                     : options.fail_on == "any" ? comparison.change != app::CompareChange::kNone
                                                : false;
  if (!fails) {
    return {};
  }
  if (options.fail_on == "growth") {
    return refuse(fmt::format("{} {} more than before",
                              is_map ? "the map reserves" : "the models need",
                              core::format_size(comparison.total_after - comparison.total_before)));
  }
  return refuse(fmt::format("{} not as before",
                            comparison.items.size() == 1
                                ? std::string{"1 of its parts is"}
                                : fmt::format("{} of its parts are", comparison.items.size())));
}

Outcome outcome_of(const app::Comparison& comparison,
                   const app::CompareRequest& request,
                   const DiffOptions& options) {
  Outcome outcome{.json = options.json};
  outcome.diagnostics = comparison.diagnostics;
  const core::Diagnostics refused = refusals(comparison, options);
  outcome.diagnostics.insert(outcome.diagnostics.end(), refused.begin(), refused.end());
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.text = comparison_text(comparison, options.markdown);
  outcome.paint = options.markdown ? Outcome::Paint::kPlain : Outcome::Paint::kVerdict;
  outcome.document =
      comparison_document(comparison, request, outcome.status == core::ExitStatus::kDone);
  return outcome;
}

Outcome run(app::Session& session, const DiffOptions& options) {
  if (options.before == "-" && options.after == "-") {
    return failed({core::error(Code::kUsage,
                               "standard input can be read only once",
                               {},
                               "memsize diff --help shows how")},
                  kDiffSchema,
                  options.json);
  }
  app::CompareRequest request = options.memory;
  request.before = options.before;
  request.after = options.after;
  const auto memory = compare_memory(session, request);
  if (!memory) {
    return failed(memory.error(), kDiffSchema, options.json);
  }
  if (memory->has_value()) {
    return outcome_of(**memory, request, options);
  }
  auto before = read_compared_plan(session, options.before, request.board.name);
  auto after = read_compared_plan(session, options.after, request.board.name);
  if (!before || !after) {
    core::Diagnostics errors = before ? core::Diagnostics{} : std::move(before.error());
    // What is wrong with --board is said once.
    const bool is_said = !errors.empty() && errors.front().option == "--board";
    if (!after && !is_said) {
      errors.insert(errors.end(), after.error().begin(), after.error().end());
    }
    return failed(std::move(errors), kDiffSchema, options.json);
  }
  const PlanDiff diff = plan::diff_plans(*before, *after);
  Outcome outcome{.json = options.json};
  const auto keep = [&](const core::Diagnostics& found) {
    outcome.diagnostics.insert(outcome.diagnostics.end(), found.begin(), found.end());
  };
  keep(before->diagnostics);
  keep(after->diagnostics);
  doubt_hash(*before, *after, diff, outcome.diagnostics);
  keep(refusals(diff, options));
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.text = text_of(*before, *after, diff, options.markdown);
  outcome.document = document_of(*before, *after, diff, outcome.status == core::ExitStatus::kDone);
  return outcome;
}

}  // namespace

Run add_diff(const Command& app) {
  auto options = std::make_shared<DiffOptions>();
  const Command verb =
      app.verb("diff", "What changed between two maps, runs or plans: bytes, addresses, entries");
  verb.footer(
      "Examples:\n"
      "  memsize diff old/ new/                             # folders of emit --out\n"
      "  memsize diff before.log after.log --board j722s-sdk11\n"
      "  memsize diff memsize-out/j784s4 ~/ti/vision_apps --soc j784s4\n"
      "  memsize diff main.json branch.json --fail-on growth --markdown  # in a pull request\n"
      "  memsize diff old/aot_residency.json new/aot_residency.json\n"
      "  memsize diff old.json new.json --fail-on envelope  # callers bind the arenas themselves");
  verb.option("OLD",
              options->before,
              "A folder of emit --out, an SDK tree, a log, a sizing document or a plan")
      .required();
  verb.option("NEW", options->after, "The same after the change").required();
  add_board_option(verb, options->memory.board);
  verb.option("--soc", options->memory.soc, "The part, where an SDK has several").filled();
  verb.option("--os", options->memory.os, "The operating system of the remote cores (freertos)")
      .filled();
  verb.option("--fail-on",
              options->fail_on,
              "Exit status 1 if more is taken (growth), what others are built against changed "
              "(envelope: an arena, a carve-out, a suggested size), or anything did (any)")
      .one_of({"growth", "envelope", "any"});
  const Option json = add_json_flag(verb, options->json);
  verb.flag("--markdown", options->markdown, "Tables for a pull request").excludes(json);
  verb.main_options({"--board", "--soc", "--fail-on", "--json", "--markdown"});
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
