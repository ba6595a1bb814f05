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

#include "verify_mmu.hpp"
#include "verify_mpu.hpp"

#include <algorithm>
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

class Verifier {
 public:
  Verifier(const std::vector<MapFile>& files,
           const std::string& root,
           const board::MpuPrograms& programs)
      : files_(files), root_(root), programs_(programs) {}

  VerifyReport run() {
    const MapFile* document = find("memory_map.json");
    if (document == nullptr) {
      wrong("memory_map.json",
            Code::kVerifyParse,
            "there is no memory_map.json here",
            "give the folder that emit --out wrote; where --only chose its files, add map-json");
      return std::move(report_);
    }
    auto map = read_map_document(*document, root_, report_.diagnostics);
    if (!map) {
      return std::move(report_);
    }
    map_ = std::move(*map);
    report_.board = map_.board;
    report_.knobs = map_.knobs;
    report_.read.push_back(core::plural(map_.regions.size(), "region"));
    check_knobs();
    check_linker_maps();
    check_header();
    check_dts();
    check_mmu();
    check_mpu();
    return std::move(report_);
  }

 private:
  [[nodiscard]] const MapFile* find(const std::string& path) const {
    return core::find_in(files_, path, &MapFile::path);
  }

  [[nodiscard]] core::Place place_of(const std::string& path) const {
    return {root_.empty() ? path : root_ + "/" + path};
  }

  void wrong(const std::string& path, Code code, const std::string& what, std::string hint = {}) {
    report_.diagnostics.push_back(core::error(code, what, place_of(path), std::move(hint)));
  }

  void disagree(const core::Place& place, core::Parties parties, const std::string& what) {
    report_.diagnostics.push_back(
        core::error(Code::kVerifyDisagree, what, place, std::string{kWriteAgain})
            .about(std::move(parties)));
  }

  // A region whose size is a knob has the knob's value.
  void check_knobs() {
    for (const MapRegion& region : map_.regions) {
      const auto knob = report_.knobs.find(region.knob);
      if (knob == report_.knobs.end() || knob->second == region.size) {
        continue;
      }
      const core::Bytes set{knob->second};
      const core::Bytes has{region.size};
      const bool alike = core::is_aligned(set, kLinkerPage) && core::is_aligned(has, kLinkerPage);
      disagree(place_of("memory_map.json"),
               {{"knob", region.knob}, {"region", region.name}},
               fmt::format("{} is {}, but '{}' has {}",
                           region.knob,
                           alike ? core::format_size(set) : core::format_bytes(set),
                           region.name,
                           alike ? core::format_size(has) : core::format_bytes(has)));
    }
  }

  // The file, or nothing and a warning.
  const MapFile* find_or_warn(const std::string& path) {
    const MapFile* file = find(path);
    if (file == nullptr) {
      report_.diagnostics.push_back(
          core::warning(Code::kVerifyParse,
                        "this file is missing: nothing is held against memory_map.json",
                        place_of(path),
                        "give the memsize emit that wrote the map once more"));
    }
    return file;
  }

  // Whether parsing added errors; then only the first is kept, because the others follow from it.
  bool broken(std::size_t before) {
    if (report_.diagnostics.size() == before) {
      return false;
    }
    report_.diagnostics.resize(before + 1);
    return true;
  }

  [[nodiscard]] std::vector<std::string> cores() const {
    std::vector<std::string> names;
    for (const MapRegion& region : map_.regions) {
      for (const std::string& core : region.cores) {
        if (!core::contains(names, core)) {
          names.push_back(core);
        }
      }
    }
    return names;
  }

  [[nodiscard]] const std::string& linker_of(const std::string& core) const {
    const auto own = map_.linker_of.find(core);
    return own == map_.linker_of.end() ? map_.linker_file : own->second;
  }

  void check_linker_maps() {
    std::size_t read = 0;
    for (const std::string& core : cores()) {
      const MapFile* file = find_or_warn(fmt::format("{}/{}", core, linker_of(core)));
      if (file == nullptr) {
        continue;
      }
      ++read;
      const std::size_t before = report_.diagnostics.size();
      const auto written = parse_linker(*file, root_, report_.diagnostics);
      if (broken(before)) {
        continue;
      }
      const core::ByName<WrittenRange> by_name{written, &WrittenRange::name};
      for (const MapRegion& region : map_.regions) {
        if (!core::contains(region.cores, core)) {
          continue;
        }
        const WrittenRange* own = by_name.find(region.name);
        if (own == nullptr) {
          disagree(
              place_of(file->path),
              {{"region", region.name}, {"core", core}},
              fmt::format("'{}' is in the map of {} but not in its linker map", region.name, core));
        } else if (own->base != region.address || own->size != region.size) {
          disagree(own->place,
                   {{"region", region.name}, {"core", core}},
                   fmt::format("'{}' is {} here, but {} in memory_map.json",
                               region.name,
                               range_text(own->base, own->size),
                               range_text(region.address, region.size)));
        } else if (own->rights != region.attributes) {
          disagree(own->place,
                   {{"region", region.name}, {"core", core}},
                   fmt::format("'{}' {} here, but {} in memory_map.json",
                               region.name,
                               rights_text(own->rights),
                               rights_text(region.attributes)));
        }
      }
      check_strangers(written, core);
    }
    if (read != 0) {
      report_.read.push_back(core::plural(read, "linker map"));
    }
  }

  void check_strangers(const std::vector<WrittenRange>& written, const std::string& core) {
    const core::ByName<MapRegion> regions{map_.regions, &MapRegion::name};
    std::set<std::string> seen;
    for (const WrittenRange& range : written) {
      if (!seen.insert(range.name).second) {
        disagree(range.place,
                 {{"region", range.name}, {"core", core}},
                 fmt::format("'{}' stands twice in this linker map", core::printable(range.name)));
        continue;
      }
      const bool known = std::ranges::any_of(regions.all(range.name), [&](const MapRegion* region) {
        return core::contains(region->cores, core);
      });
      if (!known) {
        disagree(range.place,
                 {{"region", range.name}, {"core", core}},
                 fmt::format("'{}' is in the linker map of {} but not in memory_map.json",
                             core::printable(range.name),
                             core));
      }
    }
  }

  void check_header() {
    const MapFile* file = find_or_warn(map_.header_file);
    if (file == nullptr) {
      return;
    }
    const std::size_t before = report_.diagnostics.size();
    const auto macros = parse_header(*file, root_, report_.diagnostics);
    if (broken(before)) {
      return;
    }
    const Constants expected = constants_of(map_);
    for (const auto& [name, value] : expected) {
      const auto macro = macros.find(name);
      if (macro == macros.end()) {
        disagree(place_of(file->path), {{"macro", name}}, fmt::format("'{}' is not defined", name));
      } else if (macro->second.value != value) {
        disagree(macro->second.place,
                 {{"macro", name}},
                 fmt::format("{} is {} here, but {} in memory_map.json",
                             name,
                             core::format_hex(macro->second.value),
                             core::format_hex(value)));
      }
    }
    for (const auto& [name, macro] : macros) {
      if (!expected.contains(name)) {
        disagree(macro.place,
                 {{"macro", name}},
                 fmt::format("{} is defined, but memory_map.json has no such thing", name));
      }
    }
    report_.read.push_back(core::plural(macros.size(), "macro"));
  }

  void check_dts() {
    const MapFile* file = find_or_warn(map_.dts_file);
    if (file == nullptr) {
      return;
    }
    const std::size_t before = report_.diagnostics.size();
    const auto nodes = parse_dts(*file, root_, report_.diagnostics);
    if (broken(before)) {
      return;
    }
    for (const MapCarveout& carveout : map_.carveouts) {
      if (carveout.label.empty()) {
        continue;
      }
      const auto* node = core::find_in(nodes, carveout.label, &WrittenNode::label);
      if (node == nullptr) {
        disagree(place_of(file->path),
                 {{"carve-out", carveout.label}},
                 fmt::format("there is no node '{}'", carveout.label));
      } else {
        check_node(*node, carveout);
      }
    }
    for (const WrittenNode& node : nodes) {
      const bool known = core::contains(map_.carveouts, node.label, &MapCarveout::label);
      if (!known) {
        disagree(node.place,
                 {{"carve-out", node.label}},
                 fmt::format("node '{}' is not in memory_map.json", core::printable(node.label)));
      }
    }
    report_.read.push_back(core::plural(nodes.size(), "device-tree node"));
  }

  void check_node(const WrittenNode& node, const MapCarveout& carveout) {
    if (node.base != carveout.base || node.size != carveout.size) {
      disagree(node.place,
               {{"carve-out", carveout.label}, {"property", "reg"}},
               fmt::format("'{}' reserves {} here, but {} in memory_map.json",
                           carveout.label,
                           range_text(node.base, node.size),
                           range_text(carveout.base, carveout.size)));
    } else if (node.unit_address && *node.unit_address != node.base) {
      disagree(node.place,
               {{"carve-out", carveout.label}, {"property", "name"}},
               fmt::format("'{}' is named @{:x}, but reserves {}",
                           carveout.label,
                           *node.unit_address,
                           core::format_hex(node.base)));
    }
    if (node.compatible != carveout.compatible) {
      disagree(node.place,
               {{"carve-out", carveout.label}, {"property", "compatible"}},
               fmt::format("'{}' is compatible with '{}' here, but with '{}' in memory_map.json",
                           carveout.label,
                           core::printable(node.compatible, 60),
                           carveout.compatible));
    }
    if (node.alignment != carveout.alignment) {
      disagree(node.place,
               {{"carve-out", carveout.label}, {"property", "alignment"}},
               fmt::format("'{}' has an alignment of {} here, but {} in memory_map.json",
                           carveout.label,
                           core::format_hex(node.alignment),
                           core::format_hex(carveout.alignment)));
    }
    if (!node.is_reserved()) {
      const char* const property = node.is_disabled ? "status" : "reusable";
      disagree(node.places.at(property),
               {{"carve-out", carveout.label}, {"property", property}},
               fmt::format("'{}' {}",
                           carveout.label,
                           node.is_disabled ? "is not in use: Linux does not reserve it"
                                            : "is reusable: Linux uses it, too"));
    }
    if (node.no_map != carveout.no_map) {
      disagree(node.place,
               {{"carve-out", carveout.label}, {"property", "no-map"}},
               fmt::format("'{}' has {} 'no-map', but memory_map.json says that Linux {} map it",
                           carveout.label,
                           node.no_map ? "a" : "no",
                           carveout.no_map ? "must not" : "may"));
    }
  }

  // The tables of a core, whose name says where they are; those of another address are left over
  // from another map.
  const MapFile* find_tables(const std::string& core) {
    const MapFile* found = nullptr;
    for (const MapFile& file : files_) {
      if (!file.path.starts_with(core + "/mmu_tables_at_") || !file.path.ends_with(".bin")) {
        continue;
      }
      if (found != nullptr) {
        disagree(
            place_of(file.path), {{"core", core}}, fmt::format("there is {}, too", found->path));
        return nullptr;
      }
      found = &file;
    }
    return found;
  }

  // What the MMU of each core does, in sysconfig's words and as data.
  void check_mmu() {
    std::size_t read = 0;
    for (const std::string& core : map_.mmu_cores) {
      MmuFiles files{.core = core};
      if (map_.mmu_in_sysconfig) {
        files.syscfg = find_or_warn(core + "/mmu.syscfg");
      }
      files.document = find_or_warn(core + "/mmu_map.json");
      files.tables_source = find(core + "/mmu_tables.c");
      read += files.syscfg != nullptr || files.document != nullptr ? 1 : 0;
      files.tables = find_tables(core);
      verify_mmu(map_, files, root_, report_.diagnostics);
    }
    if (read != 0) {
      report_.read.push_back(core::plural(read, "MMU table"));
    }
  }

  // What the MPU and the address translation of each R5F do.
  void check_mpu() {
    std::set<std::string> cores;
    for (const MapMpu& mpu : map_.mpu) {
      cores.insert(mpu.core);
    }
    for (const MapRat& rat : map_.rat) {
      cores.insert(rat.core);
    }
    std::size_t read = 0;
    for (const std::string& core : cores) {
      const MapMpu* mpu = map_.find_mpu(core);
      const MapRat* rat = map_.find_rat(core);
      const bool by_sysconfig = mpu != nullptr && mpu->program == board::kMpuBySysconfig;
      MpuFiles files{.core = core};
      if (by_sysconfig || (map_.rat_in_sysconfig && rat != nullptr && !rat->entries.empty())) {
        files.syscfg = find_or_warn(core + "/mpu.syscfg");
      }
      if (mpu != nullptr && !by_sysconfig) {
        files.source = find_or_warn(core + "/mpu_cfg.c");
      }
      files.words = find(core + "/mpu_table.c");
      read += files.syscfg != nullptr || files.source != nullptr ? 1 : 0;
      verify_mpu(map_, files, root_, programs_, report_.diagnostics);
    }
    if (read != 0) {
      report_.read.push_back(core::plural(read, "MPU configuration"));
    }
  }

  const std::vector<MapFile>& files_;
  const std::string& root_;
  const board::MpuPrograms& programs_;
  WrittenMap map_;
  VerifyReport report_;
};

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
  VerifyReport report = Verifier{files, root, programs}.run();
  for (const MapFile& file : files) {
    core::add_text(report.diagnostics, file.path_under(root), file.content);
  }
  return report;
}

}  // namespace memsize::emit
