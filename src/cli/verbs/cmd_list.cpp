// memsize list: the rows of a registry as a table or a document. Every list is the one that the
// program itself works with, so that none can be out of date.
#include "memsize/app/log_format.hpp"
#include "memsize/board/load.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/network.hpp"
#include "memsize/plan/named_planners.hpp"
#include "memsize/readers/plan_reader.hpp"
#include "memsize/readers/reader.hpp"

#include "show/rules.hpp"
#include "show/table.hpp"
#include "verbs.hpp"

#include <memory>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kListSchema = "memsize.list/1";

struct ListOptions {
  std::string what;
  bool json = false;
};

void add_parts(app::Session& session, Table& table, core::Diagnostics& problems) {
  const std::string folder = session.data.boards + "/memories";
  const auto names = board::bundled_memories(session.files, folder);
  if (!names) {
    problems = names.error();
    return;
  }
  for (const std::string& name : *names) {
    const auto part = board::load_memories(session.files, folder, name);
    if (!part) {
      problems.insert(problems.end(), part.error().begin(), part.error().end());
      continue;
    }
    const std::vector<std::string> memories =
        core::texts_of(part->memories, [&](const board::PartMemory& memory) {
          return fmt::format("{} {}", memory.name, core::format_size(board::budget_of(memory)));
        });
    table.rows.push_back({name, core::join(memories, ", "), part->title});
  }
}

Table rows_of(app::Session& session, const std::string& what, core::Diagnostics& problems) {
  Table table;
  if (what == "readers") {
    table.columns = {{"reader"}, {"for"}, {"reads"}};
    for (const readers::Reader& reader : readers::all_readers()) {
      table.rows.push_back({std::string{reader.name}, "analyze", std::string{reader.description}});
    }
    for (const auto& format : app::bundled_formats(session)) {
      table.rows.push_back(
          {format->format().name, "analyze", format->format().title + " (boards/formats)"});
    }
    for (const readers::PlanReader& reader : readers::all_plan_readers()) {
      table.rows.push_back({std::string{reader.name}, "plan", std::string{reader.description}});
    }
  } else if (what == "planners") {
    table.columns = {{"planner"}, {"plans"}};
    for (const plan::NamedPlannerRow& planner : plan::named_planners()) {
      table.rows.push_back({std::string{planner.name}, std::string{planner.description}});
    }
  } else if (what == "parts") {
    table.columns = {{"part"}, {"memories"}, {"is"}};
    add_parts(session, table, problems);
  } else if (what == "emitters") {
    table.columns = {{"emitter"}, {"of"}, {"when"}, {"writes"}};
    const auto add = [&](const char* of, const auto& emitters) {
      for (const auto& emitter : emitters) {
        table.rows.push_back({std::string{emitter.name},
                              of,
                              emitter.by_request ? "by request" : "always",
                              std::string{emitter.description}});
      }
    };
    add("map", emit::all_emitters());
    add("plan", emit::all_module_emitters());
    add("network", emit::all_network_emitters());
  } else if (what == "checks") {
    table.columns = {{"check"}, {"severity"}, {"after"}, {"rule"}, {"why"}};
    for (const Rule& rule : all_rules()) {
      table.rows.push_back({std::string{core::code_name(rule.code)},
                            std::string{core::severity_name(rule.severity)},
                            rule.after ? std::string{core::code_name(*rule.after)} : "-",
                            std::string{rule.rule},
                            std::string{rule.why}});
    }
  } else {
    table.columns = {{"board"}};
    const auto names = board::bundled_boards(session.files, session.data.boards);
    if (!names) {
      problems = names.error();
      return table;
    }
    for (const std::string& name : *names) {
      table.rows.push_back({name});
    }
  }
  return table;
}

Outcome run(app::Session& session, const ListOptions& options) {
  Outcome outcome{.json = options.json};
  const Table table = rows_of(session, options.what, outcome.diagnostics);
  outcome.status = core::exit_status(outcome.diagnostics);
  outcome.text = table.text(0);
  outcome.document["schema"] = kListSchema;
  outcome.document[options.what] = Json::array();
  for (const auto& row : table.rows) {
    Json item;
    for (std::size_t i = 0; i < row.size(); ++i) {
      item[table.columns[i].title] = row[i];
    }
    outcome.document[options.what].push_back(std::move(item));
  }
  return outcome;
}

}  // namespace

Run add_list(const Command& app) {
  auto options = std::make_shared<ListOptions>();
  const Command verb =
      app.verb("list", "What memsize has: readers, emitters, checks, boards, parts, planners");
  verb.footer("Example:\n  memsize list checks");
  verb.option("WHAT", options->what, "readers, emitters, checks, boards, parts or planners")
      .required()
      .one_of({"readers", "emitters", "checks", "boards", "parts", "planners"});
  add_json_flag(verb, options->json);
  return [options](app::Session& session) { return run(session, *options); };
}

}  // namespace memsize::cli
