// Reads files of an SDK with the library's parsers and prints what they say, for
// accept_sdk_sources.py. Standard input has one job a line, its fields separated by tabs:
//     KIND  PATH  HEADER,HEADER...  NAME,NAME...
// The headers' macros are known and the names defined; no other that begins with CPU_ is. Standard
// output has one document: for each job its items and its diagnostics.
#include "memsize/emit/written.hpp"

#include "csource/firmware.hpp"
#include "formats/claims.hpp"
#include "formats/dpl_config.hpp"
#include "formats/linker_sections.hpp"
#include "mpu_programs.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace {

using memsize::core::Diagnostics;
using memsize::core::Place;
using memsize::emit::MapFile;
using nlohmann::json;
namespace emit = memsize::emit;
namespace sdk = memsize::sdk;

std::string content_of(const std::string& path) {
  std::ifstream stream{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{stream}, {}};
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The text that a place is of: what an editor would replace.
std::string text_at(const std::string& content, const Place& place) {
  std::size_t at = 0;
  for (std::size_t line = 1; line < place.line; ++line) {
    at = content.find('\n', at) + 1;
  }
  return content.substr(at + place.column - 1, place.length);
}

struct Job {
  MapFile file;
  sdk::Macros macros;
  sdk::BuildFlags flags;
  emit::Constants constants;
};

json of(const Job& job, const sdk::Argument& argument) {
  return {{"text", argument.text},
          {"value", argument.value},
          {"at", text_at(job.file.content, argument.place)}};
}

json places_of(const Job& job, const emit::Places& places) {
  json all = json::object();
  for (const auto& [name, place] : places) {
    all[name] = text_at(job.file.content, place);
  }
  return all;
}

// The tables of sysconfig's output.
json dpl_items(const Job& job, Diagnostics& errors) {
  json items = json::array();
  const auto config = sdk::parse_dpl_config({job.file, "", job.macros, job.flags}, 0, errors);
  for (const auto& entry : config.mmu) {
    items.push_back({{"virtual", entry.virtual_base},
                     {"physical", entry.physical},
                     {"size", entry.size},
                     {"attribute", entry.attribute},
                     {"at", places_of(job, entry.places)}});
  }
  for (const auto& region : config.mpu) {
    items.push_back({{"base", region.fields.base},
                     {"size", region.fields.size},
                     {"tex", region.fields.tex},
                     {"cacheable", region.fields.cacheable},
                     {"bufferable", region.fields.bufferable},
                     {"at", places_of(job, region.places)}});
  }
  for (const auto& entry : config.rat) {
    items.push_back({{"local", entry.fields.local},
                     {"system", entry.fields.system},
                     {"size", entry.fields.size},
                     {"at", places_of(job, entry.places)}});
  }
  return items;
}

json items_of(const std::string& kind, const Job& job, Diagnostics& errors) {
  json items = json::array();
  const MapFile& file = job.file;
  if (kind == "linker") {
    for (const auto& range : emit::parse_linker(file, "", errors)) {
      items.push_back({{"name", range.name},
                       {"base", range.base},
                       {"size", range.size},
                       {"at", places_of(job, range.places)}});
    }
  } else if (kind == "header") {
    for (const auto& [name, macro] : emit::parse_header(file, "", errors)) {
      items.push_back({{"name", name},
                       {"value", macro.value},
                       {"at", text_at(file.content, macro.value_place)}});
    }
  } else if (kind == "dts") {
    for (const auto& node : emit::parse_dts(file, "", errors)) {
      items.push_back({{"label", node.label},
                       {"base", node.base},
                       {"size", node.size},
                       {"at", places_of(job, node.places)}});
    }
  } else if (kind == "syscfg") {
    for (const auto& entry : emit::parse_syscfg(file, "", errors)) {
      items.push_back({{"module", "mmu_armv8"},
                       {"name", entry.name},
                       {"virtual", entry.virtual_base},
                       {"physical", entry.physical},
                       {"size", entry.size},
                       {"attribute", entry.attribute},
                       {"at", places_of(job, entry.places)}});
    }
    const auto written = emit::parse_mpu_syscfg(file, "", 0, errors);
    for (const auto& region : written.regions) {
      items.push_back({{"module", "mpu_armv7"},
                       {"name", region.fields.name},
                       {"base", region.fields.base},
                       {"size", region.fields.size},
                       {"at", places_of(job, region.places)}});
    }
    for (const auto& entry : written.entries) {
      items.push_back({{"module", "addr_translate"},
                       {"name", entry.fields.name},
                       {"local", entry.fields.local},
                       {"system", entry.fields.system},
                       {"size", entry.fields.size},
                       {"at", places_of(job, entry.places)}});
    }
  } else if (kind == "dpl") {
    items = dpl_items(job, errors);
  } else if (kind == "mpu") {
    for (const auto& region :
         emit::parse_mpu_source(file, "", memsize::test::mpu_programs(), job.constants, 0, errors)
             .regions) {
      items.push_back({{"number", region.fields.number},
                       {"base", region.fields.base},
                       {"size", region.fields.size},
                       {"at", places_of(job, region.places)}});
    }
  } else if (kind == "sections") {
    for (const auto& section : sdk::parse_linker_sections(file, "", errors)) {
      json regions = json::array();
      for (const auto& region : section.regions) {
        regions.push_back(region.name);
      }
      items.push_back({{"name", section.name},
                       {"regions", regions},
                       {"alignment", section.alignment ? section.alignment->value : 0},
                       {"address", section.address ? section.address->value : 0},
                       {"group", section.group}});
    }
  } else if (kind == "mmu") {
    for (const auto& call : sdk::parse_mmu_calls({file, "", job.macros, job.flags}, errors)) {
      items.push_back({{"name", call.entry.name},
                       {"virtual", of(job, call.virtual_base)},
                       {"physical", of(job, call.physical)},
                       {"size", of(job, call.size)},
                       {"attribute", call.entry.attribute},
                       {"conditions", call.conditions}});
    }
  } else if (kind == "claims") {
    Diagnostics unused;
    const auto claims = sdk::parse_claims(file, "");
    auto wrong = sdk::wrong_claims(claims, emit::parse_syscfg(file, "", unused));
    auto regions = emit::parse_mpu_syscfg(file, "", 0, unused).regions;
    if (file.path.ends_with(".c")) {
      regions =
          emit::parse_mpu_source(file, "", memsize::test::mpu_programs(), job.constants, 0, errors)
              .regions;
    }
    const auto sizes = sdk::wrong_claims(claims, regions);
    wrong.insert(wrong.end(), sizes.begin(), sizes.end());
    for (const auto& claim : claims) {
      items.push_back({{"text", claim.text},
                       {"at", text_at(file.content, claim.place)},
                       {"beside", claim.beside}});
    }
    for (const auto& one : wrong) {
      items.push_back({{"wrong", one.claim.text},
                       {"right", one.right},
                       {"name", one.name},
                       {"line", one.claim.place.line},
                       {"at", text_at(file.content, one.claim.place)}});
    }
  } else if (kind == "mar") {
    for (const auto& call : sdk::parse_mar_calls({file, "", job.macros, job.flags}, errors)) {
      items.push_back({{"base", of(job, call.base)},
                       {"size", of(job, call.size)},
                       {"cached", call.is_cached},
                       {"conditions", call.conditions}});
    }
  } else if (kind == "rat") {
    for (const auto& call : sdk::parse_rat_calls({file, "", job.macros, job.flags}, errors)) {
      items.push_back({{"name", call.entry.fields.name},
                       {"local", of(job, call.local)},
                       {"system", of(job, call.system)},
                       {"size", of(job, call.size)},
                       {"programmed", call.is_programmed},
                       {"conditions", call.conditions}});
    }
  } else if (kind == "shared") {
    for (const auto& range : sdk::parse_shared_ranges({file, "", job.macros, job.flags}, errors)) {
      items.push_back({{"to", range.direction == sdk::Direction::kToShared ? "shared" : "target"},
                       {"virtual", of(job, range.virtual_base)},
                       {"physical", of(job, range.physical)},
                       {"size", range.size ? of(job, *range.size) : json{}},
                       {"conditions", range.conditions}});
    }
  }
  return items;
}

}  // namespace

int main() {
  json all = json::array();
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> fields = split(line + "\t\t\t", '\t');
    Job job;
    job.file = {fields[1], content_of(fields[1])};
    Diagnostics errors;
    for (const std::string& header : split(fields[2], ',')) {
      if (!header.empty()) {
        const MapFile file{header, content_of(header)};
        job.macros.add(sdk::CSource{file, "", {}, errors});
      }
    }
    const std::string first_header = split(fields[2], ',').front();
    if (fields[0] == "mpu" || fields[0] == "claims") {
      Diagnostics unused;
      const MapFile file{first_header, content_of(first_header)};
      for (const auto& [name, macro] : emit::parse_header(file, "", unused)) {
        job.constants.emplace(name, macro.value);
      }
    }
    for (const std::string& name : split(fields[3], ',')) {
      job.flags.defined.insert(name);
    }
    job.flags.families = {"CPU_"};
    json items = items_of(fields[0], job, errors);
    json problems = json::array();
    for (const auto& problem : errors) {
      problems.push_back({{"severity", memsize::core::severity_name(problem.severity)},
                          {"line", problem.place.line},
                          {"column", problem.place.column},
                          {"path", problem.place.path.str()},
                          {"message", problem.message}});
    }
    all.push_back({{"kind", fields[0]},
                   {"path", fields[1]},
                   {"items", std::move(items)},
                   {"problems", std::move(problems)}});
  }
  std::cout << all.dump(1) << '\n';
  return 0;
}
