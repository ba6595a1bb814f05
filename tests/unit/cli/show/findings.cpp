// What check prints for machines: columns, annotations, baselines, SARIF.
#include "memsize/app/baseline.hpp"

#include "show/annotations.hpp"
#include "show/columns.hpp"
#include "show/render_diagnostics.hpp"
#include "show/sarif.hpp"
#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace memsize::cli::findings_test {

namespace {

using core::Code;

core::Place place_in(const std::string& path,
                     std::size_t line,
                     std::size_t column,
                     std::size_t length,
                     const std::string& text) {
  core::Place place;
  place.path = path;
  place.line = line;
  place.column = column;
  place.length = length;
  place.text = text;
  return place;
}

core::Diagnostic finding(const std::string& path, const std::string& message) {
  return core::error(Code::kSdkDisagree, message, place_in(path, 3, 1, 4, "abcd"));
}

const app::Homes kHomes = {{"../sdk/platform/zx9/rtos", "platform/zx9/rtos"}};

app::Baseline baseline_of(const std::vector<core::Diagnostic>& findings, const app::Homes& homes) {
  const auto parsed = app::parse_baseline("b.json", app::format_baseline(findings, homes, {}));
  REQUIRE(parsed);
  return *parsed;
}

core::Diagnostics errors_of(const std::string& text) {
  const auto parsed = app::parse_baseline("b.json", text);
  REQUIRE_FALSE(parsed);
  return parsed.error();
}

nlohmann::json parsed(const core::Json& document) {
  return nlohmann::json::parse(document.compact());
}

}  // namespace

TEST_SUITE_BEGIN("cli");

TEST_CASE("a place behind the end of its line is shown without a caret") {
  const std::string line(229, 'x');
  const std::string shown =
      render(core::error(Code::kUsage, "odd", place_in("f", 2, 452, 3, line)), false);
  CHECK(shown.find("    2 | ...\n") != std::string::npos);
  CHECK(shown.find('^') == std::string::npos);
}

TEST_CASE("columns count characters as editors do, not bytes") {
  // "ä" has two bytes and one unit, "😀" four bytes and two units.
  const std::string text = "\xC3\xA4 \xF0\x9F\x98\x80 = RINGS";
  const auto columns = columns_of(place_in("f", 1, 11, 5, text));
  REQUIRE(columns);
  CHECK(columns->first == 8);
  CHECK(columns->end == 13);
  const auto wide = columns_of(place_in("f", 1, 4, 4, text));
  REQUIRE(wide);
  CHECK(wide->first == 3);
  CHECK(wide->end == 5);
}

TEST_CASE("columns stay in their line and are not guessed") {
  const auto beyond = columns_of(place_in("f", 1, 3, 100, "abcd"));
  REQUIRE(beyond);
  CHECK(beyond->first == 3);
  CHECK(beyond->end == 5);
  const auto behind = columns_of(place_in("f", 1, 5, 0, "abcd"));
  REQUIRE(behind);
  CHECK(behind->first == 5);
  CHECK(behind->end == 6);
  CHECK_FALSE(columns_of(place_in("f", 1, 6, 1, "abcd")));
  CHECK_FALSE(columns_of(place_in("f", 1, 0, 0, "abcd")));
  CHECK_FALSE(columns_of(place_in("f", 1, 2, 1, "")));
}

TEST_CASE("annotations cannot be forged by what they say") {
  core::Diagnostic hostile = core::warning(
      Code::kSdkComment, "100%\n::error::x", place_in("a,b:c%/d\n", 2, 3, 4, "0123456789"), "h");
  hostile.details = {"one\r"};
  hostile.related.push_back({place_in("other", 7, 0, 0, ""), "there"});
  CHECK(github_annotations({hostile}) ==
        "::warning file=a%2Cb%3Ac%25/d%0A,line=2,col=3,endColumn=6,title=sdk.comment::"
        "100%25\\x0A::error::x%0Aone\\x0D%0Aother:7: there%0Ahint: h\n");
}

TEST_CASE("annotations say only what is known") {
  CHECK(github_annotations({core::error(Code::kUsage, "no file")}) ==
        "::error title=usage::no file\n");
  core::Place file;
  file.path = "./out//../sdk/f";
  CHECK(github_annotations({core::note(Code::kSdkStale, "m", file)}) ==
        "::notice file=sdk/f,title=sdk.stale::m\n");
}

TEST_CASE("names of an input cannot command a terminal") {
  core::Diagnostic hostile =
      core::error(Code::kSdkStale, "m\x1B[2J", place_in("f\n", 1, 3, 2, "a\t\x1B[31mb\x7F"), "h\r");
  hostile.details = {"d\x07"};
  hostile.related.push_back({place_in("g", 1, 1, 1, "\x01"), "r\n::error::"});
  CHECK(render(hostile, false) ==
        "f\\x0A:1:3: error[sdk.stale]: m\\x1B[2J\n"
        "    1 | a ?[31mb?\n"
        "      |   ^^\n"
        "  d\\x07\n"
        "g:1:1: note: r\\x0A::error::\n"
        "    1 | ?\n"
        "      | ^\n"
        "  hint: h\\x0D\n");
}

TEST_CASE("a finding is recognised wherever the tree lies and whatever line it is on") {
  const app::Homes other = {{"/elsewhere/platform/zx9/rtos", "platform/zx9/rtos"}};
  core::Diagnostics found = {finding("/elsewhere/platform/zx9/rtos/r5/a.cmd",
                                     "not what /elsewhere/platform/zx9/rtos/gen.py makes")};
  found.front().place.line = 99;
  app::Acceptance acceptance;
  acceptance.homes = other;
  const app::Baseline baseline =
      baseline_of({finding("../sdk/platform/zx9/rtos/r5/a.cmd",
                           "not what ../sdk/platform/zx9/rtos/gen.py makes")},
                  kHomes);
  CHECK(baseline.entries.front().message == "not what platform/zx9/rtos/gen.py makes");
  app::accept(baseline, true, found, acceptance);
  CHECK(found.empty());
  CHECK(acceptance.accepted.size() == 1);
}

TEST_CASE("a folder's name inside another word stays") {
  const app::Homes homes = {{"a", "platform/a/rtos"}};
  CHECK(app::older_key_of(finding("a/f", "a/f and 'a' but not ba/f, a.b or /a/f"), homes).message ==
        "platform/a/rtos/f and 'platform/a/rtos' but not ba/f, a.b or /a/f");
  // The name may begin like the folder.
  CHECK(app::older_key_of(finding("p/f", "p/f p/g"), {{"p", "p/p"}}).message == "p/p/f p/p/g");
  CHECK(app::older_key_of(finding("out/x/f", "see out/x/f"), {{"out", ""}}) ==
        app::FindingKey{"x/f", "sdk.disagree", {}, "see x/f"});
  CHECK(app::key_of(finding("out/f", "m").about({{"file", "out/x"}}), {{"out", ""}}) ==
        app::FindingKey{"f", "sdk.disagree", {"file x"}, ""});
}

TEST_CASE("another party, another file or another code is another finding") {
  const std::string path = "../sdk/platform/zx9/rtos/f";
  const auto about = [](const std::string& file, const char* region) {
    return finding(file, "m").about({{"region", region}});
  };
  const app::Baseline baseline = baseline_of({about(path, "HEAP")}, kHomes);
  core::Diagnostic code = about(path, "HEAP");
  code.code = Code::kSdkReserved;
  core::Diagnostics found = {about(path, "RINGS"),
                             about(path + "2", "HEAP"),
                             code,
                             about(path, "HEAP"),
                             about(path, "HEAP")};
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  app::accept(baseline, true, found, acceptance);
  CHECK(found.size() == 3);
  CHECK(acceptance.accepted.size() == 2);
}

TEST_CASE("other words and other numbers about the same are accepted") {
  const std::string path = "../sdk/platform/zx9/rtos/f";
  const core::Parties parties = {{"core", "r5"}, {"region", "HEAP"}};
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  core::Diagnostics found = {finding(path, "to r5, 2 MiB of HEAP are cached").about(parties)};
  app::accept(baseline_of({finding(path, "r5 caches 1 MiB of 'HEAP'").about(parties)}, kHomes),
              true,
              found,
              acceptance);
  CHECK(found.empty());
  // What names no party is recognised by its words.
  found = {finding(path, "m"), finding(path, "n")};
  app::accept(baseline_of({finding(path, "m")}, kHomes), false, found, acceptance);
  CHECK(found.size() == 1);
}

TEST_CASE("a baseline with messages alone accepts what it accepted, and keeps why") {
  const auto old = app::parse_baseline("b.json", R"({"schema": "memsize.baseline/1", "findings": [
      {"path": "platform/zx9/rtos/f", "code": "sdk.disagree", "message": "m", "why": "old"}]})");
  REQUIRE(old);
  const core::Diagnostic own =
      finding("../sdk/platform/zx9/rtos/f", "m").about({{"region", "HEAP"}});
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  core::Diagnostics found = {own, own};
  found.back().message = "n";
  app::accept(*old, true, found, acceptance);
  CHECK(found.size() == 1);
  REQUIRE(acceptance.accepted.size() == 1);
  CHECK(acceptance.accepted.front().why == "old");
  const auto rewritten = app::parse_baseline("b.json", app::format_baseline({own}, kHomes, *old));
  REQUIRE(rewritten);
  CHECK(rewritten->entries.front().why == "old");
  CHECK(rewritten->entries.front().key.about == std::vector<std::string>{"region HEAP"});
}

TEST_CASE("what could not be looked at is never accepted") {
  const std::string path = "../sdk/platform/zx9/rtos/f";
  core::Diagnostics found = {
      core::error(Code::kSdkTree, "too large", place_in(path, 0, 0, 0, "")),
      core::error(Code::kFileRead, "unreadable", place_in(path, 0, 0, 0, "")),
      core::error(Code::kBoardValue, "a board", place_in("board.toml", 1, 1, 1, "x")),
      core::error(Code::kUsage, "usage"),
      core::note(Code::kMmuCost, "a note", place_in(path, 1, 1, 1, "x"))};
  CHECK(baseline_of(found, kHomes).entries.empty());
  app::Baseline forged;
  for (const core::Diagnostic& each : found) {
    forged.entries.push_back({app::key_of(each, kHomes), each.message, "", {}});
  }
  const std::size_t all = found.size();
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  app::accept(forged, true, found, acceptance);
  CHECK(acceptance.accepted.empty());
  CHECK(found.size() == all);
}

TEST_CASE("an entry that matches nothing is told, where that is certain") {
  const app::Baseline baseline = baseline_of({finding("../sdk/platform/zx9/rtos/f", "m")}, kHomes);
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  core::Diagnostics none;
  app::accept(baseline, true, none, acceptance);
  REQUIRE(none.size() == 1);
  CHECK(none.front().severity == core::Severity::kNote);
  CHECK(none.front().place.line == 4);
  none.clear();
  app::accept(baseline, false, none, acceptance);
  CHECK(none.empty());
  // A script that is not understood may hide it; one whose error is accepted did so before.
  core::Diagnostics script = {
      core::error(Code::kSdkName, "x", place_in("../sdk/platform/zx9/rtos/gen.py", 1, 1, 1, "x"))};
  core::Diagnostics hidden = script;
  app::accept(baseline, true, hidden, acceptance);
  CHECK(hidden.size() == 1);
  app::Baseline both = baseline;
  both.entries.push_back({app::key_of(script.front(), kHomes), "x", "", {}});
  app::accept(both, true, script, acceptance);
  REQUIRE(script.size() == 1);
  CHECK(script.front().code == Code::kCheckBaseline);
  // Another part of the tree was not looked at.
  core::Diagnostics other;
  acceptance.homes = {{"../sdk/platform/zx1/rtos", "platform/zx1/rtos"}};
  app::accept(baseline, true, other, acceptance);
  CHECK(other.empty());
}

TEST_CASE("a baseline is sorted, holds each finding once, and keeps why") {
  const std::string folder = "../sdk/platform/zx9/rtos/";
  const core::Diagnostics found = {
      finding(folder + "b", "m"), finding(folder + "a", "n"), finding(folder + "b", "m")};
  app::Baseline before;
  before.entries.push_back({app::key_of(found.front(), kHomes), "m", "known since 2020", {}});
  const std::string text = app::format_baseline(found, kHomes, before);
  const auto parsed = app::parse_baseline("b.json", text);
  REQUIRE(parsed);
  REQUIRE(parsed->entries.size() == 2);
  CHECK(parsed->entries[0].key.path == "platform/zx9/rtos/a");
  CHECK(parsed->entries[0].why.empty());
  CHECK(parsed->entries[1].why == "known since 2020");
  CHECK(app::format_baseline(found, kHomes, *parsed) == text);
  // Bytes that are no UTF-8 are the same finding when they are read again.
  core::Diagnostics odd = {finding(folder + "\xFF", "m \xC3")};
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  app::accept(baseline_of(odd, kHomes), true, odd, acceptance);
  CHECK(odd.empty());
}

TEST_CASE("a broken baseline is told with its place") {
  const core::Diagnostics cut = errors_of("{\n  \"schema\": ");
  CHECK(cut.front().code == Code::kCheckBaseline);
  CHECK(cut.front().place.line == 2);
  const core::Diagnostics other = errors_of("{\n  \"schema\": \"memsize.map/1\",\n  \"x\": [{}]}");
  CHECK(other.front().place.line == 2);
  CHECK(other.front().place.column == 3);
  CHECK(other.front().place.length == 8);
  const core::Diagnostics items = errors_of(
      "{\"schema\": \"memsize.baseline/1\", \"other\": [{}],\n\"findings\": [\n"
      " {\"path\": \"a\", \"code\": \"b\", \"message\": \"c\"},\n  {\"path\": 1}, [[]],\n"
      "   {\"path\": \"a\", \"code\": \"b\"}, true,\n"
      " {\"path\": \"a\", \"code\": \"b\", \"message\": \"c\", \"about\": []}]}");
  REQUIRE(items.size() == 6);
  CHECK(items[5].place.line == 6);
  CHECK(items[0].place.line == 4);
  CHECK(items[0].place.column == 12);
  CHECK(items[1].place.line == 4);
  CHECK(items[1].place.column == 3);
  CHECK(items[2].place.line == 4);
  CHECK(items[2].place.column == 16);
  CHECK(items[3].place.line == 5);
  CHECK(items[3].place.column == 4);
  for (const char* text : {"",
                           "[]",
                           "1",
                           "{}",
                           "{\"schema\": 1}",
                           "\xFF",
                           "{\"findings\": []}",
                           "{\"schema\": \"memsize.baseline/1\"}",
                           "{\"schema\": \"memsize.baseline/1\", \"findings\": 1}"}) {
    CHECK(errors_of(text).front().code == Code::kCheckBaseline);
    CHECK(errors_of(text).front().place.path.str() == "b.json");
  }
}

TEST_CASE("SARIF has a rule for each code, and results with places and suppressions") {
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  core::Diagnostic found = finding("../sdk/platform/zx9/rtos/a b%\xC3\xA4.cmd", "m");
  found.hint = "h";
  found.related.push_back({place_in("/abs/f", 2, 0, 0, ""), "there"});
  core::Diagnostic second = core::warning(Code::kSdkStale, "s");
  const std::vector<Rule> rules = {
      {Code::kSdkDisagree, core::Severity::kError, std::nullopt, "one address", "or chaos"}};
  const auto all = parsed(
      to_sarif({second, found, found}, acceptance, core::ExitStatus::kInput, rules, "1.2.3"));
  const auto& run = all["runs"][0];
  CHECK(run["tool"]["driver"]["version"] == "1.2.3");
  CHECK(run["tool"]["driver"]["rules"].size() == 2);
  CHECK_FALSE(run["tool"]["driver"]["rules"][0].contains("shortDescription"));
  CHECK(run["tool"]["driver"]["rules"][0]["help"]["text"] != "");
  CHECK(run["tool"]["driver"]["rules"][1]["help"]["text"] == "why: or chaos");
  CHECK(run["tool"]["driver"]["rules"][1]["shortDescription"]["text"] == "one address");
  REQUIRE(run["results"].size() == 3);
  CHECK_FALSE(run["results"][0].contains("locations"));
  CHECK(run["results"][0]["level"] == "warning");
  const auto& result = run["results"][1];
  CHECK(result["ruleIndex"] == 1);
  CHECK(result["message"]["text"] == "m\nhint: h");
  const auto& physical = result["locations"][0]["physicalLocation"];
  CHECK(physical["artifactLocation"]["uri"] == "../sdk/platform/zx9/rtos/a%20b%25%C3%A4.cmd");
  CHECK(physical["region"]["startLine"] == 3);
  CHECK(physical["region"]["endColumn"] == 5);
  CHECK(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] ==
        "file:///abs/f");
  CHECK_FALSE(result["relatedLocations"][0]["physicalLocation"]["region"].contains("startColumn"));
  CHECK_FALSE(result.contains("suppressions"));
  CHECK(run["invocations"][0]["executionSuccessful"] == true);
  CHECK(run["invocations"][0]["exitCode"] == 1);
}

TEST_CASE("SARIF's fingerprints are those of a baseline's keys, older and newer") {
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  const auto print_of = [&](const core::Diagnostic& each, const char* kind = "memsizeFinding/v1") {
    const auto document = parsed(to_sarif({each}, acceptance, core::ExitStatus::kInput, {}, "1"));
    return document["runs"][0]["results"][0]["partialFingerprints"][kind].get<std::string>();
  };
  core::Diagnostic found = finding("../sdk/platform/zx9/rtos/a", "m");
  const std::string first = print_of(found);
  found.place.line = 70;
  CHECK(print_of(found) == first);
  CHECK(print_of(finding("../sdk/platform/zx9/rtos/a", "n")) != first);
  CHECK(print_of(finding("../sdk/platform/zx9/rtos/b", "m")) != first);
  // FNV-1a of "platform/zx9/rtos/a", "sdk.disagree" and "m", each with a byte of zero behind it.
  CHECK(first == "8451d3b6a48b58ba");
  const auto about = [&](const char* message, const char* region) {
    return print_of(finding("../sdk/platform/zx9/rtos/a", message).about({{"region", region}}),
                    "memsizeFinding/v2");
  };
  CHECK(about("m", "HEAP") == about("n", "HEAP"));
  CHECK(about("m", "HEAP") != about("m", "RINGS"));
}

TEST_CASE("SARIF tells findings from what could not be looked at, and shows what is accepted") {
  app::Acceptance acceptance;
  acceptance.homes = kHomes;
  acceptance.is_asked = true;
  acceptance.accepted.push_back({finding("../sdk/platform/zx9/rtos/a", "m"), "since 2020"});
  const auto all =
      parsed(to_sarif({core::error(Code::kSdkTree, "no tree"), core::warning(Code::kSdkStale, "s")},
                      acceptance,
                      core::ExitStatus::kEnvironment,
                      {},
                      "1"));
  const auto& run = all["runs"][0];
  CHECK(run["invocations"][0]["executionSuccessful"] == false);
  CHECK(run["invocations"][0]["toolExecutionNotifications"][0]["descriptor"]["id"] == "sdk.tree");
  REQUIRE(run["results"].size() == 2);
  CHECK(run["results"][0]["suppressions"].empty());
  CHECK(run["results"][0]["suppressions"].is_array());
  CHECK(run["results"][1]["suppressions"][0]["kind"] == "external");
  CHECK(run["results"][1]["suppressions"][0]["justification"] == "since 2020");
}

TEST_SUITE_END();

}  // namespace memsize::cli::findings_test
