// Reads memory_map.json and the files of each core that it names. It stops at errors and compares
// nothing: that is verify.cpp's. A document in which a key stands twice is refused.
#include "memsize/emit/read_map.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/json_keys.hpp"
#include "memsize/core/text.hpp"

#include "document_fields.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

constexpr unsigned kLastMpuRegion = 15;

core::Place place_of(const std::string& path, const std::string& root) {
  core::Place place;
  place.path = root.empty() ? path : root + "/" + path;
  return place;
}

class MapReader {
 public:
  WrittenMap read(Fields& json) {
    read_members(json);
    return std::move(map_);
  }

 private:
  void read_members(Fields& json) {
    map_.board = json.text("board");
    Fields files = json.object("files");
    map_.linker_file = files.text("linker");
    map_.header_file = files.text("header");
    map_.dts_file = files.text("dts");
    if (files.has("linker_of")) {
      map_.linker_of = files.text_map("linker_of");
    }
    map_.mmu_cores = json.texts("mmu_cores");
    if (json.has("mmu_program")) {
      map_.mmu_in_sysconfig = json.one_of("mmu_program", {"sysconfig", "source"}) == "sysconfig";
    }
    Fields mair = json.object("mair");
    for (const char* kind : {"non-cached", "write-through", "cached"}) {
      map_.mair[kind] = mair.attributes(kind);
    }
    for (const auto& [name, value] : json.numbers("knobs")) {
      map_.knobs[name] = value;
    }
    for (const auto& [name, value] : json.numbers("header_bases")) {
      map_.bases[name] = value;
    }
    for (Fields& item : json.items("regions")) {
      MapRegion region;
      region.name = item.text("name");
      region.address = item.address("address");
      if (item.has("physical")) {
        region.physical = item.address("physical");
      }
      region.size = item.number("size_bytes");
      region.cores = item.texts("cores");
      region.in_header = item.flag("in_header");
      region.cache = item.has("cache") ? item.text("cache") : "any";
      region.knob = item.has("knob") ? item.text("knob") : "";
      map_.regions.push_back(std::move(region));
    }
    read_carveouts(json);
    if (json.has("mpu")) {
      read_mpu(json);
    }
    if (json.has("rat")) {
      read_rat(json);
    }
  }

  void read_carveouts(Fields& json) {
    for (Fields& item : json.items("carveouts")) {
      MapCarveout carveout;
      carveout.name = item.text("name");
      carveout.base = item.address("physical");
      carveout.size = item.number("size_bytes");
      carveout.in_header = item.flag("in_header");
      if (item.has("label")) {
        carveout.label = item.text("label");
        carveout.no_map = item.flag("no_map");
        carveout.compatible = item.has("compatible") ? item.text("compatible") : "";
        carveout.alignment = item.has("alignment_bytes") ? item.number("alignment_bytes") : 0;
      }
      map_.carveouts.push_back(std::move(carveout));
    }
  }

  void read_mpu(Fields& json) {
    for (Fields& item : json.items("mpu")) {
      MapMpu mpu;
      mpu.core = item.text("core");
      mpu.program = item.one_of("program", {"sysconfig", "csl", "safertos"});
      mpu.first = item.small("first", kLastMpuRegion);
      mpu.last = item.small("last", kLastMpuRegion);
      for (Fields& part : item.items("regions")) {
        MapMpuRegion region;
        region.fields.number = part.small("number", UINT16_MAX);
        region.fields.name = part.text("name");
        region.fields.base = part.address("base");
        region.fields.size = part.number("size_bytes");
        region.fields.disabled = part.small("disabled", UINT8_MAX);
        region.fields.tex = part.small("tex", kLastTex);
        region.fields.cacheable = part.flag("cacheable");
        region.fields.bufferable = part.flag("bufferable");
        region.fields.shareable = part.flag("shareable");
        region.fields.execute = part.flag("execute");
        region.attribute = part.text("attribute");
        mpu.regions.push_back(std::move(region));
      }
      for (Fields& part : item.items("areas")) {
        MapMpuArea area;
        area.region = part.text("region");
        area.base = part.address("base");
        area.size = part.number("size_bytes");
        area.attribute = part.text("attribute");
        mpu.areas.push_back(std::move(area));
      }
      map_.mpu.push_back(std::move(mpu));
    }
  }

  void read_rat(Fields& json) {
    map_.rat_in_sysconfig = json.one_of("rat_program", {"sysconfig", "source"}) == "sysconfig";
    for (Fields& item : json.items("rat")) {
      MapRat rat;
      rat.core = item.text("core");
      for (Fields& part : item.items("entries")) {
        RatEntryFields entry;
        entry.name = part.text("name");
        entry.local = part.address("local");
        entry.system = part.address("system");
        entry.size = part.number("size_bytes");
        rat.entries.push_back(std::move(entry));
      }
      map_.rat.push_back(std::move(rat));
    }
  }

  WrittenMap map_;
};

// The files of a map, core by core.
class FilesReader {
 public:
  FilesReader(const std::vector<MapFile>& files, const std::string& root)
      : files_(files), root_(root) {}

  core::Result<MapFiles> read() {
    const MapFile* document = find("memory_map.json");
    if (document != nullptr) {
      if (auto map = read_map_document(*document, root_, errors_); map) {
        read_all(std::move(*map));
      }
    }
    for (const MapFile& file : files_) {
      core::add_text(errors_, file.path_under(root_), file.content);
    }
    if (core::has_errors(errors_)) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(read_);
  }

 private:
  // A file that must be there.
  const MapFile* find(const std::string& path) {
    const MapFile* file = find_optional(path);
    if (file == nullptr) {
      errors_.push_back(core::error(Code::kVerifyParse,
                                    fmt::format("there is no {} here", path),
                                    place_of(path, root_),
                                    "give the folder that emit --out wrote"));
    }
    return file;
  }

  [[nodiscard]] const MapFile* find_optional(const std::string& path) const {
    const auto found = std::find_if(
        files_.begin(), files_.end(), [&](const MapFile& file) { return file.path == path; });
    return found == files_.end() ? nullptr : &*found;
  }

  void read_all(WrittenMap map) {
    read_.map = std::move(map);
    for (const MapRegion& region : read_.map.regions) {
      for (const std::string& core : region.cores) {
        const bool known = std::any_of(read_.cores.begin(),
                                       read_.cores.end(),
                                       [&](const CoreFiles& files) { return files.core == core; });
        if (!known) {
          read_.cores.push_back(read_core(core));
        }
      }
    }
    if (const MapFile* file = find(read_.map.dts_file); file != nullptr) {
      read_.nodes = parse_dts(*file, root_, errors_);
    }
  }

  CoreFiles read_core(const std::string& core) {
    const WrittenMap& map = read_.map;
    CoreFiles files;
    files.core = core;
    const auto own = map.linker_of.find(core);
    const std::string& linker = own == map.linker_of.end() ? map.linker_file : own->second;
    if (const MapFile* file = find(fmt::format("{}/{}", core, linker)); file != nullptr) {
      files.linker = parse_linker(*file, root_, errors_);
    }
    if (std::find(map.mmu_cores.begin(), map.mmu_cores.end(), core) != map.mmu_cores.end()) {
      read_mmu(files);
    }
    if (map.find_mpu(core) != nullptr || map.find_rat(core) != nullptr) {
      read_mpu(files);
    }
    return files;
  }

  void read_mmu(CoreFiles& files) {
    if (read_.map.mmu_in_sysconfig) {
      files.program_path = files.core + "/mmu.syscfg";
      if (const MapFile* file = find(files.program_path); file != nullptr) {
        files.mmu = parse_syscfg(*file, root_, errors_);
      }
      return;
    }
    files.program_path = files.core + "/mmu_map.json";
    if (const MapFile* file = find(files.program_path); file != nullptr) {
      files.mmu = read_mmu_document(*file, files.core, root_, errors_);
    }
  }

  void read_mpu(CoreFiles& files) {
    const MapMpu* mpu = read_.map.find_mpu(files.core);
    const MapRat* rat = read_.map.find_rat(files.core);
    const bool mpu_in_sysconfig = mpu != nullptr && mpu->program == "sysconfig";
    const bool rat_in_sysconfig =
        read_.map.rat_in_sysconfig && rat != nullptr && !rat->entries.empty();
    if (rat != nullptr && !read_.map.rat_in_sysconfig) {
      // The firmware's sources program them: the map's own words are all there is.
      files.rat = rat->entries;
    }
    if (mpu_in_sysconfig || rat_in_sysconfig) {
      files.program_path = files.core + "/mpu.syscfg";
      if (const MapFile* file = find(files.program_path); file != nullptr) {
        const unsigned first = mpu_in_sysconfig ? mpu->first : 0;
        WrittenMpuSyscfg written = parse_mpu_syscfg(*file, root_, first, errors_);
        if (mpu_in_sysconfig) {
          files.mpu = std::move(written.regions);
        }
        for (const WrittenRatEntry& entry : written.entries) {
          files.rat.push_back(entry.fields);
        }
      }
    }
    if (mpu != nullptr && !mpu_in_sysconfig) {
      files.program_path = files.core + "/mpu_cfg.c";
      if (const MapFile* file = find(files.program_path); file != nullptr) {
        files.mpu = parse_mpu_source(*file, root_, constants_of(read_.map), errors_).regions;
      }
    }
  }

  const std::vector<MapFile>& files_;
  const std::string& root_;
  core::Diagnostics errors_;
  MapFiles read_;
};

// Nothing where it is no JSON, or two values have one key.
std::optional<Json> parse_document(const MapFile& file,
                                   core::Place place,
                                   core::Diagnostics& errors) {
  auto json = core::read_json(file.content);
  if (!json) {
    errors.push_back(core::error(Code::kVerifyParse, "this is not valid JSON", place));
  } else if (const auto twice = core::repeated_key(file.content)) {
    place.line = twice->line;
    place.column = twice->column;
    errors.push_back(
        core::error(Code::kVerifyParse,
                    fmt::format("an object has '{}' twice", core::printable(twice->key, 40)),
                    place,
                    std::string{kWriteAgain}));
    json.reset();
  }
  return json;
}

}  // namespace

std::optional<WrittenMap> read_map_document(const MapFile& file,
                                            const std::string& root,
                                            core::Diagnostics& errors) {
  const core::Place place = place_of(file.path, root);
  const auto json = parse_document(file, place, errors);
  if (!json) {
    return std::nullopt;
  }
  const Json* schema = json->find("schema");
  if (schema == nullptr || schema->text() == nullptr || *schema->text() != "memsize.map/1") {
    errors.push_back(
        core::error(Code::kVerifyParse, "this is not a memsize.map/1 document", place));
    return std::nullopt;
  }
  core::Diagnostics found;
  Fields fields{&*json, "", place, found};
  WrittenMap map = MapReader{}.read(fields);
  const bool good = !core::has_errors(found);
  std::move(found.begin(), found.end(), std::back_inserter(errors));
  return good ? std::optional{std::move(map)} : std::nullopt;
}

std::vector<WrittenMmuEntry> read_mmu_document(const MapFile& file,
                                               const std::string& core,
                                               const std::string& root,
                                               core::Diagnostics& errors) {
  const core::Place place = place_of(file.path, root);
  std::vector<WrittenMmuEntry> entries;
  const auto json = parse_document(file, place, errors);
  if (!json) {
    return entries;
  }
  const std::size_t before = errors.size();
  Fields fields{&*json, "", place, errors};
  const std::string said = fields.text("core");
  if (said != core && errors.size() == before) {
    errors.push_back(
        core::error(Code::kVerifyDisagree,
                    fmt::format("it is the map of '{}', in the folder of '{}'", said, core),
                    place,
                    std::string{kWriteAgain}));
    return entries;
  }
  for (Fields& range : fields.items("ranges")) {
    WrittenMmuEntry entry;
    entry.instance = static_cast<unsigned>(entries.size() + 1);
    entry.name = range.text("entry");
    entry.virtual_base = range.address("virtual");
    entry.physical = range.address("physical");
    entry.size = range.number("size_bytes");
    entry.attribute = fmt::format("MAIR{}", range.number("mair"));
    entry.place = place;
    entries.push_back(std::move(entry));
  }
  return entries;
}

Constants constants_of(const WrittenMap& map) {
  Constants constants = map.bases;
  for (const MapCarveout& carveout : map.carveouts) {
    if (carveout.in_header) {
      constants[carveout.name + "_ADDR"] = carveout.base;
      constants[carveout.name + "_SIZE"] = carveout.size;
    }
  }
  for (const MapRegion& region : map.regions) {
    if (region.in_header) {
      constants[region.name + "_ADDR"] = region.address;
      constants[region.name + "_SIZE"] = region.size;
    }
  }
  return constants;
}

core::Result<MapFiles> read_map_files(const std::vector<MapFile>& files, const std::string& root) {
  return FilesReader{files, root}.read();
}

}  // namespace memsize::emit
