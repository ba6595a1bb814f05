// What memsize.toml may say, what of it is used, where its mistakes are told, and budgets.
#include "memsize/app/project.hpp"

#include "memsize/core/file_system.hpp"

#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::app::project_test {

namespace {

using core::Code;

Project project_of(const std::string& text, const std::string& path = "memsize.toml") {
  auto parsed = parse_project(text, path);
  if (!parsed) {
    FAIL(test::all_text(parsed.error()));
  }
  return *parsed;
}

core::Diagnostics errors_of(const std::string& text) {
  auto parsed = parse_project(text, "memsize.toml");
  REQUIRE_FALSE(parsed);
  return parsed.error();
}

// The only mistake of the text: its code and where it is.
void check_mistake(const std::string& text, Code code, std::size_t line, std::size_t column) {
  CAPTURE(text);
  const core::Diagnostics errors = errors_of(text);
  REQUIRE(errors.size() == 1);
  CHECK(errors.front().code == code);
  CHECK(errors.front().place.path == "memsize.toml");
  CHECK(errors.front().place.line == line);
  CHECK(errors.front().place.column == column);
}

constexpr const char* kEverything = R"toml(board = "boards/mine.toml"
dram = "4GiB"
traces = ["one.log", "/var/two.log"]
out = "map/"
headroom = "20%"
instances = "apart"
tight = true
one_priority = true
accept_generation = true

[set]
alpha_size = "1MiB"
beta_size = "2MiB"

[budget]
reserved = "1200MiB"

[budget.core]
alpha = "24MiB"
)toml";

}  // namespace

TEST_SUITE_BEGIN("app");

TEST_CASE("a project's paths are relative to its file, whatever else looks like one") {
  const Project project = project_of(kEverything, "evm/memsize.toml");
  CHECK(project.board->text == "evm/boards/mine.toml");
  CHECK(project.dram->text == "4GiB");
  REQUIRE(project.traces.size() == 2);
  CHECK(project.traces[0].text == "evm/one.log");
  CHECK(project.traces[1].text == "/var/two.log");
  CHECK(project.out->text == "evm/map");
  CHECK(project.headroom->text == "20%");
  CHECK(project.instances->text == "apart");
  CHECK(project.tight);
  CHECK(project.one_priority);
  CHECK(project.accept_generation);
  REQUIRE(project.set.size() == 2);
  CHECK(project.set[1].knob == "beta_size");
  CHECK(project.set[1].size.text == "2MiB");
  REQUIRE(project.budgets.size() == 2);
  CHECK(project.budgets[0].core.empty());
  CHECK(project.budgets[0].most.count() == 1200ULL << 20);
  CHECK(project.budgets[1].core == "alpha");
  CHECK(project.budgets[1].place.line == 19);
  CHECK(project.beside("memsize-out/mine") == "evm/memsize-out/mine");

  CHECK(project_of("board = \"bundled\"", "evm/memsize.toml").board->text == "bundled");
  CHECK(project_of("board = \"mine.toml\"", "evm/memsize.toml").board->text == "evm/mine.toml");
  CHECK(project_of("sdk = \"..\"\nlinux = \"/k\"", "evm/memsize.toml").sdk->text == "evm/..");
  CHECK(project_of("sdk = \".\"", "/home/evm/memsize.toml").sdk->text == "/home/evm");
  CHECK(project_of("sdk = \"./\"", "/memsize.toml").sdk->text == "/");
  CHECK(project_of("sdk = \".\"").sdk->text == ".");
  CHECK(project_of("sdk = \"a..\"").sdk->text == "a..");
  // Standard input is no file of a project, and a file is no option.
  CHECK(project_of("traces = [\"-\", \"--out\"]").traces[0].text == "./-");
  CHECK(project_of("traces = [\"-\", \"--out\"]").traces[1].text == "./--out");
}

constexpr const char* kModule = R"toml(board = "made-up"
plans = ["a.json", "/var/b.json"]
data = "weights/"
rules = "../r.yaml"
stage = ["auto", "dtcm=4KiB"]
prefix = "net"
external = true
out = "module"
)toml";

TEST_CASE("a project of a module: its paths lie beside the file, its words do not") {
  const Project project = project_of(kModule, "evm/memsize.toml");
  REQUIRE(project.plans.size() == 2);
  CHECK(project.plans[0].text == "evm/a.json");
  CHECK(project.plans[1].text == "/var/b.json");
  CHECK(project.data->text == "evm/weights");
  CHECK(project.rules->text == "evm/../r.yaml");
  REQUIRE(project.stage.size() == 2);
  CHECK(project.stage[1].text == "dtcm=4KiB");
  CHECK(project.stage[1].place.line == 5);
  CHECK(project.prefix->text == "net");
  CHECK(project.external->line == 7);
  CHECK_FALSE(project_of("plans = [\"a\"]\nexternal = false").external);

  ModuleRequest all;
  Defaults{project}.fill(all);
  CHECK(all.plan.reports == std::vector<std::string>{"evm/a.json", "/var/b.json"});
  CHECK(all.data == "evm/weights");
  CHECK(all.plan.rules == "evm/../r.yaml");
  CHECK(all.plan.stage == std::vector<std::string>{"auto", "dtcm=4KiB"});
  CHECK(all.prefix == "net");
  CHECK(all.is_external);

  // Value by value, unless another model is typed.
  ModuleRequest some;
  some.data = "typed.tflite";
  some.plan.stage = {"none"};
  some.prefix = "typed";
  Defaults{project}.fill(some);
  CHECK(some.plan.reports.size() == 2);
  CHECK(some.data == "typed.tflite");
  CHECK(some.plan.stage == std::vector<std::string>{"none"});
  CHECK(some.prefix == "typed");
  CHECK(some.plan.rules == "evm/../r.yaml");
  ModuleRequest typed;
  typed.plan.reports = {"other.json"};
  Defaults{project}.fill(typed);
  CHECK(typed.plan.reports == std::vector<std::string>{"other.json"});
  CHECK(typed.data.empty());
  CHECK(typed.plan.rules.empty());
  CHECK_FALSE(typed.is_external);
}

TEST_CASE("a project's module: mistakes") {
  const std::string plans = "plans = [\"a\"]\n";
  for (const char* of_maps :
       {"traces = [\"b\"]", "sizing = \"b\"", "sdk = \"b\"", "[set]", "dram = \"1GiB\""}) {
    const bool is_table = of_maps[0] == '[';
    check_mistake(plans + of_maps, Code::kUsage, 2, is_table ? 2 : 1);
  }
  for (const char* key : {"data", "rules", "prefix"}) {
    const std::string line = std::string{key} + " = \"x\"";
    check_mistake(line, Code::kUsage, 1, 1);
    CHECK(errors_of(line).front().message == "'" + std::string{key} + "' requires 'plans'");
    CHECK(project_of(plans + line).plans.size() == 1);
    check_mistake(plans + key + " = \"\"", Code::kUsage, 2, std::string{key}.size() + 4);
  }
  check_mistake("\nstage = [\"auto\"]", Code::kUsage, 2, 1);
  check_mistake("external = true", Code::kUsage, 1, 1);
  check_mistake("plans = \"a\"", Code::kTomlType, 1, 9);
  check_mistake("plans = [\"\"]", Code::kUsage, 1, 10);
  check_mistake(plans + "stage = \"auto\"", Code::kTomlType, 2, 9);
  check_mistake(plans + "external = 1", Code::kTomlType, 2, 12);
  check_mistake(plans + "data = [\"a\"]", Code::kTomlType, 2, 8);
}

TEST_CASE("a project that says nothing is one") {
  CHECK_FALSE(project_of("").board);
  CHECK(project_of("[set]\n[budget]\n[budget.core]\n").set.empty());
  CHECK_FALSE(project_of("tight = false").tight);
  CHECK_FALSE(project_of("one_priority = false").one_priority);
  CHECK(project_of("").beside("memsize-out/x") == "memsize-out/x");
}

TEST_CASE("every mistake of a project is told where it is") {
  check_mistake("board = \"a", Code::kTomlSyntax, 1, 11);
  check_mistake("bord = \"a\"", Code::kTomlUnknownKey, 1, 1);
  check_mistake("\n[budgets]\n", Code::kTomlUnknownKey, 2, 2);
  check_mistake("[budget]\nreservd = \"1MiB\"", Code::kTomlUnknownKey, 2, 1);
  check_mistake("board = 7", Code::kTomlType, 1, 9);
  check_mistake("tight = \"yes\"", Code::kTomlType, 1, 9);
  check_mistake("one_priority = 1", Code::kTomlType, 1, 16);
  check_mistake("traces = \"a.log\"", Code::kTomlType, 1, 10);
  check_mistake("traces = [\"a.log\", 7]", Code::kTomlType, 1, 20);
  check_mistake("set = \"a=1\"", Code::kTomlType, 1, 7);
  check_mistake("[set]\na = 1048576", Code::kTomlType, 2, 5);
  check_mistake("budget = \"1MiB\"", Code::kTomlType, 1, 10);
  check_mistake("[budget]\ncore = \"1MiB\"", Code::kTomlType, 2, 8);
  check_mistake("[budget]\nreserved = 7", Code::kTomlType, 2, 12);
  check_mistake("[budget]\nreserved = \"7 MB\"", Code::kTextSize, 2, 12);
  check_mistake("[budget.core]\na = \"\"", Code::kTextSize, 2, 5);
  check_mistake("board = \"\"", Code::kUsage, 1, 9);
  check_mistake("traces = [\"\"]", Code::kUsage, 1, 11);
  check_mistake("[set]\na = \"\"", Code::kUsage, 2, 5);
  check_mistake("[set]\n\"a=b\" = \"1MiB\"", Code::kKnobSyntax, 2, 1);
  check_mistake("instances = \"both\"", Code::kUsage, 1, 13);
  check_mistake("out = \"a\"\nsdk = \"b\"", Code::kUsage, 2, 1);
  check_mistake("sizing = \"a\"\ntraces = [\"b\"]", Code::kUsage, 2, 1);
  check_mistake("linux = \"a\"", Code::kUsage, 1, 1);
}

TEST_CASE("several mistakes are told at once, and the nearest key is named") {
  const core::Diagnostics errors = errors_of("bord = \"a\"\ndram = 4\n[budget]\nreservd = \"1\"");
  REQUIRE(errors.size() == 3);
  CHECK(errors[0].hint == "did you mean 'board'?");
  CHECK(errors[1].hint == "put it in quotes: dram = \"4\"");
  CHECK(errors[2].hint == "did you mean 'reserved'?");
  const core::Diagnostics excluded = errors_of("out = \"a\"\nsdk = \"b\"");
  REQUIRE(excluded.front().related.size() == 1);
  CHECK(excluded.front().related.front().place.line == 1);
}

TEST_CASE("which project is used") {
  core::MemFileSystem files;
  files.content["memsize.toml"] = "board = \"here\"";
  files.content["sub/other.toml"] = "board = \"there\"";
  Session session{files, {}};
  CHECK(load_project(session, {})->board->text == "here");
  CHECK(load_project(session, {"sub/other.toml", false})->board->text == "there");
  CHECK(load_project(session, {"", true})->path.empty());
  CHECK_FALSE(load_project(session, {"sub/none.toml", false}));
  files.content.erase("memsize.toml");
  CHECK(load_project(session, {})->path.empty());
}

TEST_CASE("what is typed wins over the project, knob by knob") {
  const Project project = project_of(kEverything);
  BoardRequest board;
  board.set = {"beta_size=9MiB"};
  AnalyzeRequest margins;
  margins.headroom = "0";
  Defaults defaults{project};
  defaults.fill(board);
  defaults.fill_margins(margins);
  CHECK(board.name == "boards/mine.toml");
  CHECK(board.dram == "4GiB");
  CHECK(board.set == std::vector<std::string>{"alpha_size=1MiB", "beta_size=9MiB"});
  CHECK(margins.headroom == "0");
  CHECK(margins.instances == "apart");
  CHECK(margins.tight);
  CHECK(margins.one_priority);

  std::vector<std::string> traces;
  std::string sizing = "typed.json";
  defaults.fill_inputs(traces, sizing);
  CHECK(traces.empty());
  sizing.clear();
  defaults.fill_inputs(traces, sizing);
  CHECK(traces == std::vector<std::string>{"one.log", "/var/two.log"});

  Target typed{{}, "sdk", {}};
  defaults.fill(typed);
  CHECK(typed.out.empty());
  Target none;
  defaults.fill(none);
  CHECK(none.out == "map");
}

TEST_CASE("sizes of a project wait for a board") {
  const Project project = project_of("dram = \"4GiB\"\n[set]\na = \"1MiB\"");
  Defaults defaults{project};
  BoardRequest board;
  defaults.fill(board);
  CHECK(board.dram.empty());
  CHECK(board.set.empty());
  board.name = "typed";
  defaults.fill(board);
  CHECK(board.dram == "4GiB");
  CHECK(board.set.size() == 1);
}

TEST_CASE("problems are told where the value was written, unless it was typed") {
  const Project project = project_of(kEverything);
  Defaults defaults{project};
  BoardRequest board;
  board.set = {"beta_size=9MB"};
  defaults.fill(board);
  std::vector<std::string> traces;
  std::string sizing;
  defaults.fill_inputs(traces, sizing);

  const auto about = [](const char* option, const char* message) {
    core::Diagnostic problem = core::error(Code::kTextSize, message);
    problem.option = option;
    return problem;
  };
  core::Place trace;
  trace.path = "one.log";
  core::Place line = trace;
  line.line = 7;
  core::Diagnostics problems = {
      about("--dram", "--dram: not a size"),
      about("--set alpha_size", "--set alpha_size: not a size"),
      about("--set alpha_size", "alpha_size is too small"),
      about("--set beta_size", "--set beta_size: not a size"),
      core::error(Code::kFileRead, "cannot read 'one.log'", trace).about({{"file", "one.log"}}),
      core::error(Code::kReadNoTable, "no table", trace),
      core::error(Code::kReadBadRecord, "bad", line),
  };
  defaults.say_where(problems);
  CHECK(problems[0].place.line == 2);
  CHECK(problems[0].message == "dram: not a size");
  CHECK(problems[1].place.line == 12);
  CHECK(problems[1].message == "alpha_size: not a size");
  CHECK(problems[2].place.line == 12);
  CHECK(problems[2].message == "alpha_size is too small");
  CHECK(problems[3].place.path.empty());
  CHECK(problems[3].message == "--set beta_size: not a size");
  CHECK(problems[4].place.path == "memsize.toml");
  CHECK(problems[4].place.line == 3);
  CHECK(problems[5].place == trace);
  REQUIRE(problems[5].related.size() == 1);
  CHECK(problems[5].related.front().place.line == 3);
  CHECK(problems[6].place == line);
  CHECK(problems[6].related.empty());
}

TEST_CASE("a budget holds what Linux loses, and what a core's heaps take") {
  const layout::MemoryMap map = test::map_of(test::zx9_text());
  // 2 + 256 * 4 KiB + 256 KiB of firmware, four heaps of 16 MiB, and a pool of 4 GiB.
  constexpr std::uint64_t kReserved =
      (2ULL << 20) + (1ULL << 20) + (256ULL << 10) + (64ULL << 20) + (4ULL << 30);
  const auto budget = [](const std::string& core, std::uint64_t most) {
    return Budget{core, core::Bytes{most}, {}, {}};
  };
  CHECK(over_budget({budget("", kReserved), budget("alpha", 64ULL << 20)}, map).empty());

  const core::Diagnostics found =
      over_budget({budget("", kReserved - 1), budget("alpha", 60ULL << 20)}, map);
  REQUIRE(found.size() == 2);
  CHECK(found[0].code == Code::kEmitBudget);
  CHECK(found[0].details.front() == "POOL has 4 GiB");
  CHECK(found[1].message == "the heaps of alpha take 64 MiB, 4 MiB more than the 60 MiB allowed");
  CHECK(found[1].details.size() == 4);
  CHECK(found[1].details.front() == "ARENA_KEEP has 16 MiB");
  CHECK(test::contains(found[1].hint, "alpha = \"64MiB\""));

  const core::Diagnostics unknown = over_budget({budget("beta_1", 1), budget("alpa", 1)}, map);
  REQUIRE(unknown.size() == 2);
  CHECK(unknown[0].code == Code::kSizingUnknownCore);
  CHECK(unknown[0].hint == "these have some: alpha");
  CHECK(unknown[1].hint == "did you mean 'alpha'?");
}

TEST_CASE("a board's name is that of its file") {
  CHECK(board_stem("bundled") == "bundled");
  CHECK(board_stem("some/where/mine.toml") == "mine");
  CHECK(board_stem("").empty());
}

TEST_SUITE_END();

}  // namespace memsize::app::project_test
