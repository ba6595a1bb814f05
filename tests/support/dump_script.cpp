// Prints what evaluate_script() finds in a generator script, as one JSON document: for the tests
// that hold it against Python.
//
//   dump_script FILE [--separate NAME NAME]... [--repeat COUNT]
//
// Integers are decimal strings. With --repeat, the time that one evaluation takes, instead.
#include "script/script.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace {

namespace sdk = memsize::sdk;
namespace core = memsize::core;
using Json = nlohmann::ordered_json;

Json json_of(const sdk::ScriptPiece& piece) {
  return {{"line", piece.line},
          {"column", piece.column},
          {"offset", piece.offset},
          {"length", piece.length}};
}

Json json_of(const sdk::ScriptExpression& expression) {
  return {
      {"place", json_of(expression.place)}, {"text", expression.text}, {"uses", expression.uses}};
}

Json json_of(const sdk::ScriptValue& value) {
  if (const auto* integer = std::get_if<sdk::Integer>(&value)) {
    return {{"int", fmt::format("{}", *integer)}};
  }
  if (const auto* flag = std::get_if<bool>(&value)) {
    return {{"bool", *flag}};
  }
  return {{"text", std::get<std::string>(value)}};
}

Json json_of(const sdk::ScriptVariable& variable) {
  Json assignments = Json::array();
  for (const sdk::ScriptAssignment& assignment : variable.assignments) {
    assignments.push_back({{"value", json_of(assignment.value)},
                           {"name_place", json_of(assignment.name_place)},
                           {"expression", json_of(assignment.expression)},
                           {"augmented", assignment.augmented}});
  }
  return {
      {"name", variable.name}, {"value", json_of(variable.value())}, {"assignments", assignments}};
}

Json json_of(const sdk::ScriptSection& section) {
  return {{"variable", section.variable},
          {"name", section.name},
          {"attributes", section.attributes},
          {"comment", section.comment},
          {"origin", std::to_string(section.origin)},
          {"length", std::to_string(section.length)},
          {"dts_label", section.dts_label},
          {"dts_node", section.dts_node},
          {"compatibility", section.compatibility},
          {"print_compatibility", section.print_compatibility},
          {"no_map", section.no_map},
          {"origin_tag", section.origin_tag},
          {"split_origin", section.split_origin},
          {"alignment", section.alignment},
          {"concat", section.concat},
          {"place", json_of(section.place)},
          {"name_place", json_of(section.name_place)},
          {"origin_argument", json_of(section.origin_argument)},
          {"length_argument", json_of(section.length_argument)}};
}

Json json_of(const std::vector<sdk::ScriptMapEntry>& entries) {
  Json list = Json::array();
  for (const sdk::ScriptMapEntry& entry : entries) {
    list.push_back({{"section", json_of(*entry.section)}, {"place", json_of(entry.place)}});
  }
  return list;
}

Json json_of(const sdk::ScriptExport& written) {
  Json json = {{"kind", written.kind},
               {"map_variable", written.map_variable},
               {"map_title", written.map_title},
               {"entries", json_of(written.entries)},
               {"path", written.path},
               {"path_place", json_of(written.path_place)},
               {"conditional", written.conditional},
               {"place", json_of(written.place)}};
  if (written.physical_base) {
    json["physical_base"] = std::to_string(*written.physical_base);
  }
  if (written.virtual_base) {
    json["virtual_base"] = std::to_string(*written.virtual_base);
  }
  return json;
}

Json json_of(const core::Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const core::Diagnostic& diagnostic : diagnostics) {
    list.push_back({{"severity", core::severity_name(diagnostic.severity)},
                    {"code", core::code_name(diagnostic.code)},
                    {"message", diagnostic.message},
                    {"line", diagnostic.place.line},
                    {"column", diagnostic.place.column},
                    {"length", diagnostic.place.length},
                    {"text", diagnostic.place.text.str()},
                    {"details", diagnostic.details},
                    {"hint", diagnostic.hint}});
  }
  return list;
}

Json json_of(const sdk::Script& script) {
  Json json;
  json["variables"] = Json::array();
  for (const sdk::ScriptVariable& variable : script.variables) {
    json["variables"].push_back(json_of(variable));
  }
  json["sections"] = Json::array();
  for (const sdk::ScriptSectionPointer& section : script.sections) {
    json["sections"].push_back(json_of(*section));
  }
  json["maps"] = Json::array();
  for (const sdk::ScriptMap& map : script.maps) {
    json["maps"].push_back({{"variable", map.variable},
                            {"title", map.title},
                            {"entries", json_of(map.entries)},
                            {"overlap_checked", map.overlap_checked},
                            {"place", json_of(map.place)}});
  }
  json["exports"] = Json::array();
  for (const sdk::ScriptExport& written : script.exports) {
    json["exports"].push_back(json_of(written));
  }
  json["diagnostics"] = json_of(script.warnings);
  return json;
}

void print_time(const std::string& text, int count) {
  double best = 0;
  for (int i = 0; i < count; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const auto script = sdk::evaluate_script("script.py", text);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    best = i == 0 || took.count() < best ? took.count() : best;
  }
  fmt::print("{:.3f} ms\n", best);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  sdk::ScriptRules rules;
  int repeat = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "--separate" && i + 2 < words.size()) {
      rules.separate.emplace_back(words[i + 1], words[i + 2]);
    } else if (words[i] == "--repeat" && i + 1 < words.size()) {
      repeat = std::stoi(words[i + 1]);
    }
  }
  std::ifstream file{words.empty() ? std::string{} : words.front(), std::ios::binary};
  if (!file) {
    (void)std::fprintf(stderr, "dump_script FILE\n");
    return 2;
  }
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (repeat > 0) {
    print_time(text, repeat);
    return 0;
  }
  const auto script = sdk::evaluate_script(words.front(), text, rules);
  const Json json = script ? json_of(*script) : Json{{"diagnostics", json_of(script.error())}};
  // Pieces of a broken script may be anything.
  fmt::print("{}\n", json.dump(1, ' ', false, Json::error_handler_t::replace));
  return script ? 0 : 1;
}
