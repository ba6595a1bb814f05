#include "memsize/emit/verify.hpp"

#include "memsize/core/text.hpp"

#include "written.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::emit {

namespace {

using core::Code;
using Document = nlohmann::json;

std::string range_text(std::uint64_t base, std::uint64_t size) {
  const auto range = core::PhysRange::make(core::PhysAddr{base}, core::Bytes{size});
  return range ? core::format_range(*range) : "a range that ends above 2^64";
}

// What memory_map.json says, reduced to what the other files can contradict.
struct MapRegion {
  std::string name;
  std::uint64_t address = 0;
  std::optional<std::uint64_t> physical;
  std::uint64_t size = 0;
  std::vector<std::string> cores;
  bool in_header = false;
  bool is_physical_name = false;
  std::string cache;
};

struct MapCarveout {
  std::string name;
  std::string label;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool in_header = false;
};

struct WrittenMap {
  std::vector<MapRegion> regions;
  std::vector<MapCarveout> carveouts;
  std::map<std::string, std::uint64_t> bases;
  std::string linker_file;
  std::string header_file;
  std::string dts_file;
};

class Verifier {
 public:
  Verifier(const std::vector<MapFile>& files, const std::string& root)
      : files_(files), root_(root) {}

  VerifyReport run() {
    const MapFile* document = find("memory_map.json");
    if (document == nullptr) {
      wrong("memory_map.json",
            Code::kVerifyParse,
            "there is no memory_map.json here",
            "give the folder that emit --out wrote");
      return std::move(report_);
    }
    if (!read_map(*document)) {
      return std::move(report_);
    }
    check_linker_maps();
    check_header();
    check_dts();
    check_mmu();
    return std::move(report_);
  }

 private:
  const MapFile* find(const std::string& path) const {
    const auto found = std::find_if(
        files_.begin(), files_.end(), [&](const MapFile& file) { return file.path == path; });
    return found == files_.end() ? nullptr : &*found;
  }

  core::Place place_of(const std::string& path) const {
    core::Place place;
    place.path = root_.empty() ? path : root_ + "/" + path;
    return place;
  }

  void wrong(const std::string& path, Code code, const std::string& what, std::string hint = {}) {
    report_.diagnostics.push_back(core::error(code, what, place_of(path), std::move(hint)));
  }

  void disagree(const core::Place& place, const std::string& what) {
    report_.diagnostics.push_back(
        core::error(Code::kVerifyDisagree, what, place, "write the map again with: memsize emit"));
  }

  bool read_map(const MapFile& file) {
    const Document json = Document::parse(file.content, nullptr, false);
    if (json.is_discarded() || !json.is_object()) {
      wrong(file.path, Code::kVerifyParse, "this is not valid JSON");
      return false;
    }
    // The document is data from a disk: any member may be of any type. The accessors below throw on
    // a wrong one, and this is the one place that reads it.
    try {
      if (json.at("schema") != "memsize.map/1") {
        wrong(file.path, Code::kVerifyParse, "this is not a memsize.map/1 document");
        return false;
      }
      read_members(json);
    } catch (const Document::exception& problem) {
      wrong(file.path,
            Code::kVerifyParse,
            fmt::format("the map lacks something or has it in another type: {}", problem.what()));
      return false;
    }
    report_.read.push_back(core::plural(map_.regions.size(), "region"));
    return true;
  }

  static std::uint64_t address(const Document& value) {
    const auto parsed = core::parse_address(value.get<std::string>());
    return parsed ? *parsed : UINT64_MAX;
  }

  void read_members(const Document& json) {
    report_.board = json.at("board").get<std::string>();
    map_.linker_file = json.at("files").at("linker").get<std::string>();
    map_.header_file = json.at("files").at("header").get<std::string>();
    map_.dts_file = json.at("files").at("dts").get<std::string>();
    for (const auto& [name, value] : json.at("knobs").items()) {
      report_.knobs[name] = value.is_string() ? address(value) : value.get<std::uint64_t>();
    }
    for (const auto& [name, value] : json.at("header_bases").items()) {
      map_.bases[name] = address(value);
    }
    for (const Document& item : json.at("regions")) {
      MapRegion region;
      region.name = item.at("name").get<std::string>();
      region.is_physical_name = item.at("kind") == "physical";
      region.address = address(item.at("address"));
      if (item.contains("physical")) {
        region.physical = address(item.at("physical"));
      }
      region.size = item.at("size_bytes").get<std::uint64_t>();
      region.cores = item.at("cores").get<std::vector<std::string>>();
      region.in_header = item.at("in_header").get<bool>();
      region.cache = item.value("cache", "any");
      map_.regions.push_back(std::move(region));
    }
    for (const Document& item : json.at("carveouts")) {
      MapCarveout carveout;
      carveout.name = item.at("name").get<std::string>();
      carveout.label = item.value("label", "");
      carveout.base = address(item.at("physical"));
      carveout.size = item.at("size_bytes").get<std::uint64_t>();
      carveout.in_header = item.at("in_header").get<bool>();
      map_.carveouts.push_back(std::move(carveout));
    }
  }

  [[nodiscard]] std::vector<std::string> cores() const {
    std::vector<std::string> names;
    for (const MapRegion& region : map_.regions) {
      for (const std::string& core : region.cores) {
        if (std::find(names.begin(), names.end(), core) == names.end()) {
          names.push_back(core);
        }
      }
    }
    return names;
  }

  void check_linker_maps() {
    std::size_t read = 0;
    for (const std::string& core : cores()) {
      const MapFile* file = find(core + "/" + map_.linker_file);
      if (file == nullptr) {
        continue;
      }
      ++read;
      const auto written = parse_linker(*file, root_, report_.diagnostics);
      for (const MapRegion& region : map_.regions) {
        if (std::find(region.cores.begin(), region.cores.end(), core) == region.cores.end()) {
          continue;
        }
        const auto own =
            std::find_if(written.begin(), written.end(), [&](const WrittenRange& range) {
              return range.name == region.name;
            });
        if (own == written.end()) {
          disagree(
              place_of(file->path),
              fmt::format("'{}' is in the map of {} but not in its linker map", region.name, core));
        } else if (own->base != region.address || own->size != region.size) {
          disagree(own->place,
                   fmt::format("'{}' is {} here, but {} in memory_map.json",
                               region.name,
                               range_text(own->base, own->size),
                               range_text(region.address, region.size)));
        }
      }
      check_strangers(written, core);
    }
    if (read != 0) {
      report_.read.push_back(core::plural(read, "linker map"));
    }
  }

  void check_strangers(const std::vector<WrittenRange>& written, const std::string& core) {
    for (const WrittenRange& range : written) {
      const bool known =
          std::any_of(map_.regions.begin(), map_.regions.end(), [&](const MapRegion& region) {
            return region.name == range.name &&
                   std::find(region.cores.begin(), region.cores.end(), core) != region.cores.end();
          });
      if (!known) {
        disagree(range.place,
                 fmt::format("'{}' is in the linker map of {} but not in memory_map.json",
                             core::printable(range.name),
                             core));
      }
    }
  }

  void check_header() {
    const MapFile* file = find(map_.header_file);
    if (file == nullptr) {
      return;
    }
    const auto macros = parse_header(*file, root_, report_.diagnostics);
    std::map<std::string, std::uint64_t> expected = map_.bases;
    for (const MapRegion& region : map_.regions) {
      if (region.in_header) {
        expected[region.name + "_ADDR"] = region.address;
        expected[region.name + "_SIZE"] = region.size;
      }
    }
    for (const MapCarveout& carveout : map_.carveouts) {
      if (carveout.in_header) {
        expected[carveout.name + "_ADDR"] = carveout.base;
        expected[carveout.name + "_SIZE"] = carveout.size;
      }
    }
    for (const auto& [name, value] : expected) {
      const auto macro = macros.find(name);
      if (macro == macros.end()) {
        disagree(place_of(file->path), fmt::format("'{}' is not defined", name));
      } else if (macro->second.value != value) {
        disagree(macro->second.place,
                 fmt::format("{} is {} here, but {} in memory_map.json",
                             name,
                             core::format_hex(macro->second.value),
                             core::format_hex(value)));
      }
    }
    for (const auto& [name, macro] : macros) {
      if (!expected.contains(name)) {
        disagree(macro.place,
                 fmt::format("{} is defined, but memory_map.json has no such thing", name));
      }
    }
    report_.read.push_back(core::plural(macros.size(), "macro"));
  }

  void check_dts() {
    const MapFile* file = find(map_.dts_file);
    if (file == nullptr) {
      return;
    }
    const auto nodes = parse_dts(*file, root_, report_.diagnostics);
    for (const MapCarveout& carveout : map_.carveouts) {
      if (carveout.label.empty()) {
        continue;
      }
      const auto node =
          std::find_if(nodes.begin(), nodes.end(), [&](const WrittenRange& candidate) {
            return candidate.name == carveout.label;
          });
      if (node == nodes.end()) {
        disagree(place_of(file->path), fmt::format("there is no node '{}'", carveout.label));
      } else if (node->base != carveout.base || node->size != carveout.size) {
        disagree(node->place,
                 fmt::format("'{}' reserves {} here, but {} in memory_map.json",
                             carveout.label,
                             range_text(node->base, node->size),
                             range_text(carveout.base, carveout.size)));
      }
    }
    report_.read.push_back(core::plural(nodes.size(), "device-tree node"));
  }

  // Every address of a core's linker map leads, through the last entry that covers it, to the
  // region's physical address; and the entries as data say the same.
  void check_mmu() {
    std::size_t read = 0;
    for (const std::string& core : cores()) {
      const MapFile* file = find(core + "/mmu.syscfg");
      if (file == nullptr) {
        continue;
      }
      ++read;
      const auto entries = parse_syscfg(*file, root_, report_.diagnostics);
      for (const MapRegion& region : map_.regions) {
        const bool seen =
            std::find(region.cores.begin(), region.cores.end(), core) != region.cores.end();
        if (seen && region.physical && region.size != 0) {
          check_end(entries, region, core, file->path, region.address, *region.physical);
          check_end(entries,
                    region,
                    core,
                    file->path,
                    region.address + (region.size - 1),
                    *region.physical + (region.size - 1));
        }
      }
      check_mmu_document(entries, core);
    }
    if (read != 0) {
      report_.read.push_back(core::plural(read, "MMU table"));
    }
  }

  void check_end(const std::vector<WrittenMmuEntry>& entries,
                 const MapRegion& region,
                 const std::string& core,
                 const std::string& path,
                 std::uint64_t address,
                 std::uint64_t physical) {
    const auto winner =
        std::find_if(entries.rbegin(), entries.rend(), [&](const WrittenMmuEntry& entry) {
          return address >= entry.virtual_base && address - entry.virtual_base < entry.size;
        });
    if (winner == entries.rend()) {
      disagree(
          place_of(path),
          fmt::format("{} does not map '{}' at {}", core, region.name, core::format_hex(address)));
      return;
    }
    const std::uint64_t reached = winner->physical + (address - winner->virtual_base);
    if (reached != physical) {
      disagree(winner->place,
               fmt::format("{} maps '{}' at {} to {}, but it is at {}",
                           core,
                           region.name,
                           core::format_hex(address),
                           core::format_hex(reached),
                           core::format_hex(physical)));
    }
    const bool write_back = winner->attribute == "MAIR7";
    if ((region.cache == "non-cached" && write_back) || (region.cache == "cached" && !write_back)) {
      disagree(winner->place,
               fmt::format("{} maps '{}' with {}, but it must be {}",
                           core,
                           region.name,
                           core::printable(winner->attribute, 20),
                           region.cache));
    }
  }

  void check_mmu_document(const std::vector<WrittenMmuEntry>& entries, const std::string& core) {
    const MapFile* file = find(core + "/mmu_map.json");
    if (file == nullptr) {
      return;
    }
    const Document json = Document::parse(file->content, nullptr, false);
    try {
      const Document& ranges = json.at("ranges");
      bool same = ranges.size() == entries.size() && json.at("core") == core;
      for (std::size_t i = 0; same && i < entries.size(); ++i) {
        const Document& range = ranges.at(i);
        same = range.at("entry") == entries[i].name &&
               address(range.at("virtual")) == entries[i].virtual_base &&
               address(range.at("physical")) == entries[i].physical &&
               range.at("size_bytes") == entries[i].size &&
               fmt::format("MAIR{}", range.at("mair").get<unsigned>()) == entries[i].attribute;
      }
      if (!same) {
        disagree(place_of(file->path), fmt::format("it differs from {}/mmu.syscfg", core));
      }
    } catch (const Document::exception& problem) {
      wrong(
          file->path,
          Code::kVerifyParse,
          fmt::format("the mapping lacks something or has it in another type: {}", problem.what()));
    }
  }

  const std::vector<MapFile>& files_;
  const std::string& root_;
  WrittenMap map_;
  VerifyReport report_;
};

}  // namespace

VerifyReport verify_map(const std::vector<MapFile>& files, const std::string& root) {
  return Verifier{files, root}.run();
}

}  // namespace memsize::emit
