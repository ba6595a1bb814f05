// Edits files of an SDK with the library's functions, for accept_sdk_program.py. Standard input has
// one job a line, a JSON document:
//     {"kind": "mmu" | "mpu" | "table" | "calls", "path", "header", "after": {NAME: VALUE},
//     "first",
//      "entries": [...], "regions": [...], "correct_comments"}
// Standard output has one document a line: the job's result in "text", or "errors". A job without
// "entries" and "regions" prints what the file says in their form; with "text" that text is read
// instead of the file's. "calls" holds the calls of a source with the macros `after` against what
// they give with those of the header: its errors are what no longer fits.
#include "program/edit_program.hpp"

#include "memsize/emit/written.hpp"

#include "csource/firmware.hpp"
#include "mpu_programs.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
namespace core = memsize::core;
namespace emit = memsize::emit;
namespace sdk = memsize::sdk;

std::string content_of(const std::string& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

json of(const emit::WrittenMmuEntry& entry) {
  return {{"instance", entry.instance},
          {"name", entry.name},
          {"vAddr", entry.virtual_base},
          {"pAddr", entry.physical},
          {"size", entry.size},
          {"attribute", entry.attribute}};
}

json of(const memsize::chip::MpuRegionFields& region) {
  return {{"number", region.number},
          {"name", region.name},
          {"base", region.base},
          {"size", region.size},
          {"disabled", region.disabled},
          {"tex", region.tex},
          {"cacheable", region.cacheable},
          {"bufferable", region.bufferable},
          {"shareable", region.shareable},
          {"execute", region.execute}};
}

json of(const memsize::chip::RatEntryFields& entry) {
  return {
      {"name", entry.name}, {"local", entry.local}, {"system", entry.system}, {"size", entry.size}};
}

emit::WrittenMmuEntry mmu_entry(const json& entry) {
  emit::WrittenMmuEntry wanted;
  wanted.instance = entry.at("instance");
  wanted.name = entry.at("name");
  wanted.virtual_base = entry.at("vAddr");
  wanted.physical = entry.at("pAddr");
  wanted.size = entry.at("size");
  wanted.attribute = entry.at("attribute");
  return wanted;
}

memsize::chip::MpuRegionFields region(const json& fields) {
  memsize::chip::MpuRegionFields wanted;
  wanted.number = fields.at("number");
  wanted.name = fields.at("name");
  wanted.base = fields.at("base");
  wanted.size = fields.at("size");
  wanted.disabled = fields.at("disabled");
  wanted.tex = fields.at("tex");
  wanted.cacheable = fields.at("cacheable");
  wanted.bufferable = fields.at("bufferable");
  wanted.shareable = fields.at("shareable");
  wanted.execute = fields.at("execute");
  return wanted;
}

std::vector<memsize::chip::MpuRegionFields> regions(const json& list) {
  std::vector<memsize::chip::MpuRegionFields> all;
  for (const json& fields : list) {
    all.push_back(region(fields));
  }
  return all;
}

std::vector<memsize::chip::RatEntryFields> rat_entries(const json& list) {
  std::vector<memsize::chip::RatEntryFields> all;
  for (const json& fields : list) {
    all.push_back({fields.at("name"), fields.at("local"), fields.at("system"), fields.at("size")});
  }
  return all;
}

// What the file says.
json read(const json& job,
          const emit::MapFile& file,
          const emit::Constants& constants,
          core::Diagnostics& errors) {
  json said = {{"entries", json::array()}, {"regions", json::array()}};
  if (job.at("kind") == "mmu") {
    for (const auto& entry : emit::parse_syscfg(file, "", errors)) {
      said["entries"].push_back(of(entry));
    }
  } else if (job.at("kind") == "mpu") {
    const auto written = emit::parse_mpu_syscfg(file, "", job.value("first", 0U), errors);
    for (const auto& one : written.regions) {
      said["regions"].push_back(of(one.fields));
    }
    for (const auto& entry : written.entries) {
      said["entries"].push_back(of(entry.fields));
    }
  } else {
    for (const auto& one :
         emit::parse_mpu_source(file, "", memsize::test::mpu_programs(), constants, 0, errors)
             .regions) {
      said["regions"].push_back(of(one.fields));
    }
  }
  return said;
}

core::Result<std::string> edited(const json& job,
                                 const emit::MapFile& file,
                                 const emit::Constants& before,
                                 const emit::Constants& after) {
  const sdk::EditOptions options{job.value("correct_comments", false)};
  if (job.at("kind") == "mmu") {
    std::vector<emit::WrittenMmuEntry> wanted;
    for (const json& entry : job.at("entries")) {
      wanted.push_back(mmu_entry(entry));
    }
    return sdk::edit_mmu_syscfg(file, "", wanted, options);
  }
  if (job.at("kind") == "mpu") {
    return sdk::edit_mpu_syscfg(file,
                                "",
                                job.value("first", 0U),
                                regions(job.at("regions")),
                                rat_entries(job.at("entries")),
                                options);
  }
  return sdk::edit_mpu_source({file, "", memsize::test::mpu_programs()},
                              before,
                              after,
                              regions(job.at("regions")),
                              options);
}

json of(const core::Diagnostics& errors) {
  json all = json::array();
  for (const auto& problem : errors) {
    all.push_back({{"code", core::code_name(problem.code)},
                   {"message", problem.message},
                   {"line", problem.place.line},
                   {"hint", problem.hint}});
  }
  return all;
}

json run(const json& job) {
  const std::string path = job.at("path");
  const emit::MapFile file{
      path, job.contains("text") ? job.at("text").get<std::string>() : content_of(path)};
  core::Diagnostics errors;
  emit::Constants before;
  if (job.contains("header")) {
    const std::string header = job.at("header");
    core::Diagnostics unused;
    for (const auto& [name, macro] : emit::parse_header({header, content_of(header)}, "", unused)) {
      before.emplace(name, macro.value);
    }
  }
  emit::Constants after = before;
  const json moved = job.value("after", json::object());
  for (const auto& [name, value] : moved.items()) {
    after[name] = value;
  }
  if (!job.contains("entries") && !job.contains("regions")) {
    json said = read(job, file, before, errors);
    said["errors"] = of(errors);
    return said;
  }
  const auto result = edited(job, file, before, after);
  return result ? json{{"text", *result}} : json{{"errors", of(result.error())}};
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << run(json::parse(line)).dump() << '\n';
  }
  return 0;
}
