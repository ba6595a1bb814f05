// Reads memory_map.json, then every file that it says there must be, and compares both ways: what
// is in one must be in the other. Of a file that cannot be parsed only the first mistake is told.
#include "memsize/emit/verify.hpp"

#include "memsize/board/mpu.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/read_map.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/emit/written_map.hpp"

#include "page_rows.hpp"
#include "stray.hpp"
#include "verify_mmu.hpp"
#include "verify_mpu.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// Sizes that are whole KiB are said exactly by format_size.
const core::Align kLinkerPage = *core::Align::make(1024);

std::string rights_text(const std::string& rights) {
  return rights.empty() ? "has no attributes" : fmt::format("is ({})", core::printable(rights, 40));
}

// The folder of a written map.
struct MapFolder {
  const std::vector<MapFile>& files;
  const std::string& root;

  [[nodiscard]] const MapFile* find(const std::string& path) const {
    return core::find_in(files, path, &MapFile::path);
  }

  [[nodiscard]] core::Place place_of(const std::string& path) const {
    return {MapFile{.path = path, .content = {}}.path_under(root)};
  }

  // Or nothing, which is kept.
  [[nodiscard]] const MapFile* find_or_miss(const std::string& path, VerifyReport& report) const {
    const MapFile* file = find(path);
    if (file == nullptr) {
      report.missing.push_back(path);
    }
    return file;
  }
};

// What `parse` makes of a file of the map. Nothing where the file is missing, and where it is
// broken: then only the first mistake is told, because the others follow from it. What it only
// warns of is an error here, but the rest of the file is what it seems.
template <typename Written>
std::optional<Written> parsed(const MapFolder& folder,
                              const std::string& path,
                              Written (*parse)(const MapFile&,
                                               const std::string&,
                                               core::Diagnostics&),
                              VerifyReport& report) {
  const MapFile* file = folder.find_or_miss(path, report);
  if (file == nullptr) {
    return std::nullopt;
  }
  const std::size_t before = report.diagnostics.size();
  core::Diagnostics& found = report.diagnostics;
  std::optional<Written> written = parse(*file, folder.root, found);
  const auto told = found.begin() + static_cast<std::ptrdiff_t>(before);
  const auto first =
      std::ranges::find(told, found.end(), core::Severity::kError, &core::Diagnostic::severity);
  if (first != found.end()) {
    std::iter_swap(told, first);
    found.resize(before + 1);
    return std::nullopt;
  }
  refuse_warnings(found, before);
  return written;
}

// A region whose size is a knob has the knob's value.
void check_map_knobs(const MapFolder& folder, const WrittenMap& map, VerifyReport& report) {
  for (const MapRegion& region : map.regions) {
    const auto knob = report.knobs.find(region.knob);
    if (knob == report.knobs.end() || knob->second == region.size) {
      continue;
    }
    const core::Bytes set{knob->second};
    const core::Bytes has{region.size};
    const bool alike = core::is_aligned(set, kLinkerPage) && core::is_aligned(has, kLinkerPage);
    report.diagnostics.push_back(
        disagreement(folder.place_of("memory_map.json"),
                     {{"knob", region.knob}, {"region", region.name}},
                     fmt::format("{} is {}, but '{}' has {}",
                                 region.knob,
                                 alike ? core::format_size(set) : core::format_bytes(set),
                                 region.name,
                                 alike ? core::format_size(has) : core::format_bytes(has))));
  }
}

std::vector<std::string> cores_of(const WrittenMap& map) {
  std::vector<std::string> names;
  for (const MapRegion& region : map.regions) {
    for (const std::string& core : region.cores) {
      if (!core::contains(names, core)) {
        names.push_back(core);
      }
    }
  }
  return names;
}

void check_strangers(const WrittenMap& map,
                     const std::vector<WrittenRange>& written,
                     const std::string& core,
                     core::Diagnostics& found) {
  const core::ByName<MapRegion> regions{map.regions, &MapRegion::name};
  std::set<std::string> seen;
  for (const WrittenRange& range : written) {
    if (!seen.insert(range.name).second) {
      found.push_back(disagreement(
          range.place,
          {{"region", range.name}, {"core", core}},
          fmt::format("'{}' stands twice in this linker map", core::printable(range.name))));
      continue;
    }
    const bool known = std::ranges::any_of(regions.all(range.name), [&](const MapRegion* region) {
      return core::contains(region->cores, core);
    });
    if (!known) {
      found.push_back(
          disagreement(range.place,
                       {{"region", range.name}, {"core", core}},
                       fmt::format("'{}' is in the linker map of {} but not in memory_map.json",
                                   core::printable(range.name),
                                   core)));
    }
  }
}

void check_linker_map(const WrittenMap& map,
                      const std::vector<WrittenRange>& written,
                      const std::string& core,
                      const core::Place& place,
                      core::Diagnostics& found) {
  const core::ByName<WrittenRange> by_name{written, &WrittenRange::name};
  for (const MapRegion& region : map.regions) {
    if (!core::contains(region.cores, core)) {
      continue;
    }
    const WrittenRange* own = by_name.find(region.name);
    if (own == nullptr) {
      found.push_back(disagreement(
          place,
          {{"region", region.name}, {"core", core}},
          fmt::format("'{}' is in the map of {} but not in its linker map", region.name, core)));
    } else if (own->base != region.address || own->size != region.size) {
      found.push_back(disagreement(own->place,
                                   {{"region", region.name}, {"core", core}},
                                   fmt::format("'{}' is {} here, but {} in memory_map.json",
                                               region.name,
                                               range_text(own->base, own->size),
                                               range_text(region.address, region.size))));
    } else if (own->rights != region.attributes) {
      found.push_back(disagreement(own->place,
                                   {{"region", region.name}, {"core", core}},
                                   fmt::format("'{}' {} here, but {} in memory_map.json",
                                               region.name,
                                               rights_text(own->rights),
                                               rights_text(region.attributes))));
    }
  }
}

void check_linker_maps(const MapFolder& folder, const WrittenMap& map, VerifyReport& report) {
  std::size_t read = 0;
  for (const std::string& core : cores_of(map)) {
    const auto own = map.linker_of.find(core);
    const std::string path =
        fmt::format("{}/{}", core, own == map.linker_of.end() ? map.linker_file : own->second);
    read += folder.find(path) == nullptr ? 0U : 1U;
    if (const auto written = parsed(folder, path, parse_linker, report); written) {
      refuse_behind_memory(*folder.find(path), folder.root, report.diagnostics);
      check_linker_map(map, *written, core, folder.place_of(path), report.diagnostics);
      check_strangers(map, *written, core, report.diagnostics);
    }
  }
  if (read != 0) {
    report.read.push_back(core::plural(read, "linker map"));
  }
}

void check_header(const MapFolder& folder, const WrittenMap& map, VerifyReport& report) {
  const auto macros = parsed(folder, map.header_file, parse_header, report);
  if (!macros) {
    return;
  }
  // What else is wrong with the file may be why a name is not found.
  const bool is_whole =
      refuse_stray_words(*folder.find(map.header_file), folder.root, report.diagnostics);
  const Constants expected = constants_of(map);
  for (const auto& [name, value] : expected) {
    const auto macro = macros->find(name);
    if (macro == macros->end() && !is_whole) {
      continue;
    }
    if (macro == macros->end()) {
      report.diagnostics.push_back(disagreement(folder.place_of(map.header_file),
                                                {{"macro", name}},
                                                fmt::format("'{}' is not defined", name)));
    } else if (macro->second.value != value) {
      report.diagnostics.push_back(
          disagreement(macro->second.place,
                       {{"macro", name}},
                       fmt::format("{} is {} here, but {} in memory_map.json",
                                   name,
                                   core::format_hex(macro->second.value),
                                   core::format_hex(value))));
    }
  }
  for (const auto& [name, macro] : *macros) {
    if (!expected.contains(name)) {
      report.diagnostics.push_back(
          disagreement(macro.place,
                       {{"macro", name}},
                       fmt::format("{} is defined, but memory_map.json has no such thing", name)));
    }
  }
  report.read.push_back(core::plural(macros->size(), "macro"));
}

void check_node(const WrittenNode& node, const MapCarveout& carveout, core::Diagnostics& found) {
  if (node.base != carveout.base || node.size != carveout.size) {
    found.push_back(disagreement(node.place,
                                 {{"carve-out", carveout.label}, {"property", "reg"}},
                                 fmt::format("'{}' reserves {} here, but {} in memory_map.json",
                                             carveout.label,
                                             range_text(node.base, node.size),
                                             range_text(carveout.base, carveout.size))));
  } else if (node.unit_address && *node.unit_address != node.base) {
    found.push_back(disagreement(node.place,
                                 {{"carve-out", carveout.label}, {"property", "name"}},
                                 fmt::format("'{}' is named @{:x}, but reserves {}",
                                             carveout.label,
                                             *node.unit_address,
                                             core::format_hex(node.base))));
  }
  if (node.compatible != carveout.compatible) {
    found.push_back(disagreement(
        node.place,
        {{"carve-out", carveout.label}, {"property", "compatible"}},
        fmt::format("'{}' is compatible with '{}' here, but with '{}' in memory_map.json",
                    carveout.label,
                    core::printable(node.compatible, 60),
                    carveout.compatible)));
  }
  if (node.alignment != carveout.alignment) {
    found.push_back(
        disagreement(node.place,
                     {{"carve-out", carveout.label}, {"property", "alignment"}},
                     fmt::format("'{}' has an alignment of {} here, but {} in memory_map.json",
                                 carveout.label,
                                 core::format_hex(node.alignment),
                                 core::format_hex(carveout.alignment))));
  }
  if (!node.is_reserved()) {
    const char* const property = node.is_disabled ? "status" : "reusable";
    found.push_back(
        disagreement(node.places.at(property),
                     {{"carve-out", carveout.label}, {"property", property}},
                     fmt::format("'{}' {}",
                                 carveout.label,
                                 node.is_disabled ? "is not in use: Linux does not reserve it"
                                                  : "is reusable: Linux uses it, too")));
  }
  if (node.no_map != carveout.no_map) {
    found.push_back(disagreement(
        node.place,
        {{"carve-out", carveout.label}, {"property", "no-map"}},
        fmt::format("'{}' has {} 'no-map', but memory_map.json says that Linux {} map it",
                    carveout.label,
                    node.no_map ? "a" : "no",
                    carveout.no_map ? "must not" : "may")));
  }
}

void check_dts(const MapFolder& folder, const WrittenMap& map, VerifyReport& report) {
  const std::size_t before = report.diagnostics.size();
  const auto nodes = parsed(folder, map.dts_file, parse_dts, report);
  if (!nodes) {
    return;
  }
  // What else is wrong with the file may be why a node is not found.
  const bool is_whole = report.diagnostics.size() == before;
  for (const MapCarveout& carveout : map.carveouts) {
    if (carveout.label.empty()) {
      continue;
    }
    const auto* node = core::find_in(*nodes, carveout.label, &WrittenNode::label);
    if (node == nullptr && !is_whole) {
      continue;
    }
    if (node == nullptr) {
      report.diagnostics.push_back(
          disagreement(folder.place_of(map.dts_file),
                       {{"carve-out", carveout.label}},
                       fmt::format("there is no node '{}'", carveout.label)));
    } else {
      check_node(*node, carveout, report.diagnostics);
    }
  }
  std::set<std::string> seen;
  for (const WrittenNode& node : *nodes) {
    const bool known = core::contains(map.carveouts, node.label, &MapCarveout::label);
    if (known && !seen.insert(node.label).second) {
      report.diagnostics.push_back(
          disagreement(node.place,
                       {{"carve-out", node.label}},
                       fmt::format("'{}' stands twice in this device tree", node.label)));
    }
    if (!known) {
      report.diagnostics.push_back(disagreement(
          node.place,
          {{"carve-out", node.label}},
          fmt::format("node '{}' is not in memory_map.json", core::printable(node.label))));
    }
  }
  report.read.push_back(core::plural(nodes->size(), "device-tree node"));
}

// The tables of a core, whose name says where they are; those of another address are left over
// from another map.
const MapFile* find_tables(const MapFolder& folder,
                           const std::string& core,
                           core::Diagnostics& found) {
  const MapFile* tables = nullptr;
  for (const MapFile& file : folder.files) {
    if (!file.path.starts_with(core + "/mmu_tables_at_") || !file.path.ends_with(".bin")) {
      continue;
    }
    if (tables != nullptr) {
      found.push_back(disagreement(folder.place_of(file.path),
                                   {{"core", core}},
                                   fmt::format("there is {}, too", tables->path)));
      return nullptr;
    }
    tables = &file;
  }
  return tables;
}

// What the MMU of each core does, in sysconfig's words and as data.
void check_mmu(const MapFolder& folder, const WrittenMap& map, VerifyReport& report) {
  std::size_t read = 0;
  for (const std::string& core : map.mmu_cores) {
    MmuFiles files{.core = core};
    if (map.mmu_in_sysconfig) {
      files.syscfg = folder.find_or_miss(core + "/mmu.syscfg", report);
    }
    files.document = folder.find_or_miss(core + "/mmu_map.json", report);
    files.tables_source = folder.find(core + "/mmu_tables.c");
    read += files.syscfg != nullptr || files.document != nullptr ? 1 : 0;
    files.tables = find_tables(folder, core, report.diagnostics);
    verify_mmu(map, files, folder.root, report.diagnostics);
  }
  if (read != 0) {
    report.read.push_back(core::plural(read, "MMU table"));
  }
}

// What the MPU and the address translation of each R5F do.
void check_mpu(const MapFolder& folder,
               const WrittenMap& map,
               const board::MpuPrograms& programs,
               VerifyReport& report) {
  std::set<std::string> cores;
  for (const MapMpu& mpu : map.mpu) {
    cores.insert(mpu.core);
  }
  for (const MapRat& rat : map.rat) {
    cores.insert(rat.core);
  }
  std::size_t read = 0;
  for (const std::string& core : cores) {
    const MapMpu* mpu = map.find_mpu(core);
    const MapRat* rat = map.find_rat(core);
    const bool by_sysconfig = mpu != nullptr && mpu->program == board::kMpuBySysconfig;
    MpuFiles files{.core = core};
    if (by_sysconfig || (map.rat_in_sysconfig && rat != nullptr && !rat->entries.empty())) {
      files.syscfg = folder.find_or_miss(core + "/mpu.syscfg", report);
    }
    if (mpu != nullptr && !by_sysconfig) {
      files.source = folder.find_or_miss(core + "/mpu_cfg.c", report);
    }
    files.words = folder.find(core + "/mpu_table.c");
    read += files.syscfg != nullptr || files.source != nullptr ? 1 : 0;
    verify_mpu(map, files, folder.root, programs, report.diagnostics);
  }
  if (read != 0) {
    report.read.push_back(core::plural(read, "MPU configuration"));
  }
}

VerifyReport verified(const MapFolder& folder, const board::MpuPrograms& programs) {
  VerifyReport report;
  const MapFile* document = folder.find("memory_map.json");
  if (document == nullptr) {
    report.diagnostics.push_back(core::error(
        Code::kVerifyParse,
        "there is no memory_map.json here",
        folder.place_of("memory_map.json"),
        "give the folder that emit --out wrote; where --only chose its files, add map-json"));
    return report;
  }
  const auto map = read_map_document(*document, folder.root, report.diagnostics);
  if (!map) {
    return report;
  }
  report.board = map->board;
  report.knobs = map->knobs;
  report.read.push_back(core::plural(map->regions.size(), "region"));
  check_map_knobs(folder, *map, report);
  check_linker_maps(folder, *map, report);
  check_header(folder, *map, report);
  check_dts(folder, *map, report);
  check_mmu(folder, *map, report);
  check_mpu(folder, *map, programs, report);
  // Nothing is built from it: it may be missing.
  if (const MapFile* page = folder.find(std::string{kPageFile})) {
    verify_page(*map, *page, folder.root, report.diagnostics);
  }
  return report;
}

}  // namespace

const std::vector<core::Rule>& written_rules() {
  static const std::vector<core::Rule> rules = {
      {Code::kVerifyParse,
       core::Severity::kError,
       "every file of a written map is what its name says",
       "the grammars of the TI linker, sysconfig, C and device trees"},
      {Code::kDtsCells,
       core::Severity::kError,
       "a cell of a device-tree node holds 32 bits: two for an address, two for a length",
       "Devicetree Specification 2.3.6; a shipped generator prints 4 GiB as one cell"},
      {Code::kVerifyDisagree,
       core::Severity::kError,
       "linker maps, C header, device tree, MMU, MPU and RAT on disk say what memory_map.json says",
       "one size stands in eight kinds of files, and hand edits reach some of them"},
  };
  return rules;
}

VerifyReport verify_map(const std::vector<MapFile>& files,
                        const std::string& root,
                        const board::MpuPrograms& programs) {
  VerifyReport report = verified({files, root}, programs);
  for (const MapFile& file : files) {
    core::add_text(report.diagnostics, file.path_under(root), file.content);
  }
  return report;
}

}  // namespace memsize::emit
