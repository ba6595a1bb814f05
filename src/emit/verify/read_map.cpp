// Reads memory_map.json and the files of each core that it names. It stops at errors and compares
// nothing: that is verify.cpp's. A document in which a key stands twice is refused.
#include "memsize/emit/read_map.hpp"

#include "memsize/board/mpu.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"

#include "stray.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

const std::vector<std::string> kCaches = {"any", "non-cached", "write-through", "cached"};

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Value;

constexpr unsigned kLastMpuRegion = 15;
constexpr std::size_t kLongestWritten = 100;

core::Place place_of(const std::string& path, const std::string& root) {
  return {root.empty() ? path : root + "/" + path};
}

std::uint64_t size(Fields& of) {
  return of.number("size_bytes").value_or(0);
}

unsigned small(Fields& of, const char* key, unsigned last) {
  return static_cast<unsigned>(of.number(key, last).value_or(0));
}

// Another kind of value is told by who asks for the items.
void expect_list(Fields& of, const char* key) {
  if (!of.has(key)) {
    (void)of.required(key, Kind::kList);
  }
}

std::vector<std::string> texts(Fields& of, const char* key) {
  expect_list(of, key);
  std::vector<std::string> list = of.strings(key);
  for (std::string& text : list) {
    text = core::printable(text, kLongestWritten);
  }
  return list;
}

// Names with whole numbers or hexadecimal addresses.
void read_numbers(Fields& of, const char* key, std::map<std::string, std::uint64_t>& numbers) {
  Fields list = of.table(key);
  for (const Value item : list.value()) {
    numbers[core::printable(item.key(), kLongestWritten)] =
        item.is(Kind::kText) ? list.as_address(item) : list.as_number(item).value_or(0);
  }
}

void read_map_carveouts(Fields& json, WrittenMap& map) {
  for (Fields& item : json.required_tables("carveouts")) {
    MapCarveout carveout{.name = item.required_one_line("name"),
                         .base = item.address("physical"),
                         .size = size(item),
                         .in_header = item.required_boolean("in_header")};
    if (item.has("label")) {
      carveout.label = item.required_one_line("label");
      carveout.node = item.one_line("node");
      carveout.no_map = item.required_boolean("no_map");
      carveout.compatible = item.one_line("compatible");
      carveout.alignment = item.number_if_any("alignment_bytes").value_or(0);
    }
    if (item.has("members")) {
      carveout.members = texts(item, "members");
    }
    map.carveouts.push_back(std::move(carveout));
  }
}

void read_map_mpu(Fields& json, WrittenMap& map) {
  for (Fields& item : json.required_tables("mpu")) {
    MapMpu mpu{.core = item.required_one_line("core"),
               .program = item.required_one_line("program"),
               .first = small(item, "first", kLastMpuRegion),
               .last = small(item, "last", kLastMpuRegion)};
    for (Fields& part : item.required_tables("regions")) {
      MapMpuRegion region;
      region.fields.number = small(part, "number", UINT16_MAX);
      region.fields.name = part.required_one_line("name");
      region.fields.base = part.address("base");
      region.fields.size = size(part);
      region.fields.disabled = small(part, "disabled", UINT8_MAX);
      region.fields.tex = small(part, "tex", chip::kLastTex);
      region.fields.cacheable = part.required_boolean("cacheable");
      region.fields.bufferable = part.required_boolean("bufferable");
      region.fields.shareable = part.required_boolean("shareable");
      region.fields.execute = part.required_boolean("execute");
      region.attribute = part.required_one_line("attribute");
      mpu.regions.push_back(std::move(region));
    }
    for (Fields& part : item.required_tables("areas")) {
      mpu.areas.push_back({.region = part.required_one_line("region"),
                           .base = part.address("base"),
                           .size = size(part),
                           .attribute = part.required_one_line("attribute")});
    }
    map.mpu.push_back(std::move(mpu));
  }
}

void read_map_rat(Fields& json, WrittenMap& map) {
  map.rat_in_sysconfig = json.one_of("rat_program", {"source", "sysconfig"}) == "sysconfig";
  for (Fields& item : json.required_tables("rat")) {
    MapRat rat{.core = item.required_one_line("core")};
    for (Fields& part : item.required_tables("entries")) {
      rat.entries.push_back({.name = part.required_one_line("name"),
                             .local = part.address("local"),
                             .system = part.address("system"),
                             .size = size(part)});
    }
    map.rat.push_back(std::move(rat));
  }
}

void read_map_members(Fields& json, WrittenMap& map) {
  map.board = json.required_one_line("board");
  Fields files = json.table("files");
  map.linker_file = files.required_one_line("linker");
  map.header_file = files.required_one_line("header");
  map.dts_file = files.required_one_line("dts");
  if (files.has("linker_of")) {
    for (const Value file : files.fields("linker_of")) {
      map.linker_of.emplace(file.name(),
                            core::printable(files.as_text(file).text, kLongestWritten));
    }
  }
  map.mmu_cores = texts(json, "mmu_cores");
  if (json.has("mmu_program")) {
    map.mmu_in_sysconfig = json.one_of("mmu_program", {"source", "sysconfig"}) == "sysconfig";
  }
  Fields mair = json.table("mair");
  for (const auto& [kind, list] : {std::pair{"non-cached", &map.mair.non_cached},
                                   std::pair{"write-through", &map.mair.write_through},
                                   std::pair{"cached", &map.mair.cached}}) {
    expect_list(mair, kind);
    *list = mair.numbers(kind);
  }
  read_numbers(json, "knobs", map.knobs);
  read_numbers(json, "header_bases", map.bases);
  for (Fields& item : json.required_tables("regions")) {
    MapRegion region;
    region.name = item.required_one_line("name");
    region.address = item.address("address");
    if (item.has("physical")) {
      region.physical = item.address("physical");
    }
    if (item.has("virtual")) {
      region.virtual_base = item.address("virtual");
    }
    region.kind = item.one_line("kind");
    region.of = item.one_line("of");
    region.space = item.one_line("space");
    region.attributes = item.one_line("attributes");
    region.size = size(item);
    region.cores = texts(item, "cores");
    region.in_header = item.required_boolean("in_header");
    if (item.has("cache")) {
      region.cache = core::named<chip::Cache>(item.one_of("cache", kCaches)).value_or(region.cache);
    }
    region.knob = item.one_line("knob");
    map.regions.push_back(std::move(region));
  }
  read_map_carveouts(json, map);
  if (json.has("mpu")) {
    read_map_mpu(json, map);
  }
  if (json.has("rat")) {
    read_map_rat(json, map);
  }
}

// The files of a map, core by core.
class FilesReader {
 public:
  FilesReader(const std::vector<MapFile>& files,
              const std::string& root,
              const board::MpuPrograms& programs)
      : files_(files), root_(root), programs_(programs) {}

  core::Result<MapFiles> read() {
    if (const MapFile* document = find("memory_map.json")) {
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
    return core::find_in(files_, path, &MapFile::path);
  }

  void read_all(WrittenMap map) {
    read_.map = std::move(map);
    for (const MapRegion& region : read_.map.regions) {
      for (const std::string& core : region.cores) {
        const bool known = core::contains(read_.cores, core, &CoreFiles::core);
        if (!known) {
          read_.cores.push_back(read_core(core));
        }
      }
    }
    if (const MapFile* file = find(read_.map.dts_file); file != nullptr) {
      read_.nodes = parse_dts(*file, root_, errors_);
      refuse_warnings(errors_, 0);
    }
  }

  CoreFiles read_core(const std::string& core) {
    const WrittenMap& map = read_.map;
    CoreFiles files{.core = core};
    const auto own = map.linker_of.find(core);
    const std::string& linker = own == map.linker_of.end() ? map.linker_file : own->second;
    if (const MapFile* file = find(fmt::format("{}/{}", core, linker)); file != nullptr) {
      files.linker = parse_linker(*file, root_, errors_);
      refuse_behind_memory(*file, root_, errors_);
    }
    if (core::contains(map.mmu_cores, core)) {
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
        files.mmu = parse_syscfg(*file, root_, errors_, Whole::kYes);
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
    const bool mpu_in_sysconfig = mpu != nullptr && mpu->program == board::kMpuBySysconfig;
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
        WrittenMpuSyscfg written = parse_mpu_syscfg(*file, root_, first, errors_, Whole::kYes);
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
        const std::size_t before = errors_.size();
        files.mpu =
            parse_mpu_source(*file, root_, programs_, constants_of(read_.map), mpu->first, errors_)
                .regions;
        if (errors_.size() == before) {
          refuse_stray_words(*file, root_, errors_);
        }
      }
    }
  }

  const std::vector<MapFile>& files_;
  const std::string& root_;
  const board::MpuPrograms& programs_;
  core::Diagnostics errors_;
  MapFiles read_;
};

const docs::Voice& voice() {
  static const docs::Voice voice = [] {
    docs::Voice made = docs::Voice::of(Code::kVerifyParse, std::string{kWriteAgain});
    made.one_missing = true;
    return made;
  }();
  return voice;
}

// Nothing where it is no JSON, or not of this kind.
std::optional<docs::Document> parse_document(const MapFile& file,
                                             const char* schema,
                                             const std::string& root,
                                             core::Diagnostics& errors) {
  auto document = docs::parse_json(file.content,
                                   place_of(file.path, root).path.str(),
                                   Code::kVerifyParse,
                                   std::string{kWriteAgain});
  if (!document) {
    errors.insert(errors.end(), document.error().begin(), document.error().end());
    return std::nullopt;
  }
  if (document->root()["schema"].text() != schema) {
    errors.push_back(core::error(Code::kVerifyParse,
                                 fmt::format("this is not a {} document", schema),
                                 place_of(file.path, root)));
    return std::nullopt;
  }
  return std::move(*document);
}

}  // namespace

std::optional<WrittenMap> read_map_document(const MapFile& file,
                                            const std::string& root,
                                            core::Diagnostics& errors) {
  const auto document = parse_document(file, "memsize.map/1", root, errors);
  if (!document) {
    return std::nullopt;
  }
  core::Diagnostics found;
  Fields fields{document->root(), "", found, voice()};
  WrittenMap map;
  read_map_members(fields, map);
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
  const auto document = parse_document(file, "memsize.mmu/1", root, errors);
  if (!document) {
    return entries;
  }
  const std::size_t before = errors.size();
  Fields fields{document->root(), "", errors, voice()};
  const std::string said = fields.required_one_line("core");
  if (said != core && errors.size() == before) {
    errors.push_back(
        core::error(Code::kVerifyDisagree,
                    fmt::format("it is the map of '{}', in the folder of '{}'", said, core),
                    place,
                    std::string{kWriteAgain}));
    return entries;
  }
  for (Fields& range : fields.required_tables("ranges")) {
    WrittenMmuEntry entry{.instance = static_cast<unsigned>(entries.size() + 1)};
    entry.name = range.required_one_line("entry");
    entry.virtual_base = range.address("virtual");
    entry.physical = range.address("physical");
    entry.size = size(range);
    entry.attribute = fmt::format("MAIR{}", range.number("mair").value_or(0));
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

core::Result<MapFiles> read_map_files(const std::vector<MapFile>& files,
                                      const std::string& root,
                                      const board::MpuPrograms& programs) {
  return FilesReader{files, root, programs}.read();
}

}  // namespace memsize::emit
