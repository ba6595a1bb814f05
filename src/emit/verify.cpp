#include "memsize/emit/verify.hpp"

#include "memsize/core/text.hpp"

#include "written.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::emit {

namespace {

using core::Code;
using Document = nlohmann::json;

// Sizes that are whole KiB are said exactly by format_size.
const core::Align kPage = *core::Align::make(1024);

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
  std::string cache;
  std::string knob;
};

struct MapCarveout {
  std::string name;
  std::string label;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool no_map = false;
  bool in_header = false;
};

// Members of a JSON object that a user may have edited: each is asked for with its type, and what
// is missing or of another type is an error that names it.
class Fields {
 public:
  Fields(const Document& json, std::string at, core::Place place, core::Diagnostics& errors)
      : json_(json), at_(std::move(at)), place_(std::move(place)), errors_(errors) {}

  [[nodiscard]] bool has(const char* key) const { return json_.is_object() && json_.contains(key); }

  std::string text(const char* key) {
    const Document& value = member(key);
    return expect(value.is_string(), key, "a string", value)
               ? core::printable(value.get<std::string>(), 100)
               : std::string{};
  }

  bool flag(const char* key) {
    const Document& value = member(key);
    return expect(value.is_boolean(), key, "true or false", value) && value.get<bool>();
  }

  std::uint64_t number(const char* key) { return whole(key, member(key)); }

  std::uint64_t address(const char* key) { return hexadecimal(key, member(key)); }

  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> list;
    const Document& value = member(key);
    if (expect(value.is_array(), key, "an array", value)) {
      for (const Document& item : value) {
        if (expect(item.is_string(), key, "an array of strings", item)) {
          list.push_back(core::printable(item.get<std::string>(), 100));
        }
      }
    }
    return list;
  }

  // Whole numbers, as the attributes that sysconfig calls MAIR0 and so on.
  std::set<std::string> attributes(const char* key) {
    std::set<std::string> names;
    const Document& value = member(key);
    if (expect(value.is_array(), key, "an array", value)) {
      for (const Document& item : value) {
        names.insert(fmt::format("MAIR{}", whole(key, item)));
      }
    }
    return names;
  }

  Fields object(const char* key) {
    const Document& value = member(key);
    expect(value.is_object(), key, "an object", value);
    return {value, name(key), place_, errors_};
  }

  std::vector<Fields> items(const char* key) {
    std::vector<Fields> list;
    const Document& value = member(key);
    if (expect(value.is_array(), key, "an array", value)) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        list.emplace_back(value[i], fmt::format("{}[{}]", name(key), i), place_, errors_);
      }
    }
    return list;
  }

  // Names with whole numbers or hexadecimal addresses.
  std::vector<std::pair<std::string, std::uint64_t>> numbers(const char* key) {
    std::vector<std::pair<std::string, std::uint64_t>> list;
    const Document& value = member(key);
    if (expect(value.is_object(), key, "an object", value)) {
      for (const auto& [inner, item] : value.items()) {
        const std::string full = fmt::format("{}.{}", key, core::printable(inner, 100));
        list.emplace_back(inner, item.is_string() ? hexadecimal(full, item) : whole(full, item));
      }
    }
    return list;
  }

 private:
  [[nodiscard]] std::string name(const std::string& key) const {
    return at_.empty() ? key : fmt::format("{}.{}", at_, key);
  }

  const Document& member(const char* key) {
    static const Document nothing = Document(Document::value_t::discarded);
    if (has(key)) {
      return json_.at(key);
    }
    // One error an object: what lacks one member is no object of ours.
    if (!json_.is_discarded() && !complained_) {
      complain(fmt::format("'{}' is missing", name(key)));
      complained_ = true;
    }
    return nothing;
  }

  bool expect(bool good, const std::string& key, const char* kind, const Document& value) {
    if (!good && !value.is_discarded()) {
      complain(fmt::format("{}: it must be {}, not {}", name(key), kind, shown(value)));
    }
    return good;
  }

  std::uint64_t whole(const std::string& key, const Document& value) {
    return expect(value.is_number_unsigned(), key, "a whole number", value)
               ? value.get<std::uint64_t>()
               : 0;
  }

  std::uint64_t hexadecimal(const std::string& key, const Document& value) {
    const auto parsed = value.is_string() ? core::parse_address(value.get<std::string>())
                                          : core::Result<std::uint64_t>{0};
    expect(value.is_string() && parsed.has_value(), key, "a hexadecimal address", value);
    return parsed ? *parsed : 0;
  }

  static std::string shown(const Document& value) {
    return core::printable(value.dump(-1, ' ', true, Document::error_handler_t::replace), 40);
  }

  void complain(const std::string& what) {
    errors_.push_back(
        core::error(Code::kVerifyParse, what, place_, "write the map again with: memsize emit"));
  }

  const Document& json_;
  std::string at_;
  core::Place place_;
  core::Diagnostics& errors_;
  bool complained_ = false;
};

struct WrittenMap {
  /// Kind of caching and the attributes that an MMU entry may have for it: "MAIR7".
  std::map<std::string, std::set<std::string>> mair;
  std::vector<std::string> mmu_cores;
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
    check_knobs();
    check_linker_maps();
    check_header();
    check_dts();
    check_mmu();
    return std::move(report_);
  }

 private:
  [[nodiscard]] const MapFile* find(const std::string& path) const {
    const auto found = std::find_if(
        files_.begin(), files_.end(), [&](const MapFile& file) { return file.path == path; });
    return found == files_.end() ? nullptr : &*found;
  }

  [[nodiscard]] core::Place place_of(const std::string& path) const {
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
    if (json.is_discarded()) {
      wrong(file.path, Code::kVerifyParse, "this is not valid JSON");
      return false;
    }
    if (!json.is_object() || json.value("schema", Document{}) != "memsize.map/1") {
      wrong(file.path, Code::kVerifyParse, "this is not a memsize.map/1 document");
      return false;
    }
    Fields fields{json, "", place_of(file.path), report_.diagnostics};
    read_members(fields);
    report_.read.push_back(core::plural(map_.regions.size(), "region"));
    return !core::has_errors(report_.diagnostics);
  }

  void read_members(Fields& json) {
    report_.board = json.text("board");
    Fields files = json.object("files");
    map_.linker_file = files.text("linker");
    map_.header_file = files.text("header");
    map_.dts_file = files.text("dts");
    map_.mmu_cores = json.texts("mmu_cores");
    Fields mair = json.object("mair");
    for (const char* kind : {"non-cached", "write-through", "cached"}) {
      map_.mair[kind] = mair.attributes(kind);
    }
    for (const auto& [name, value] : json.numbers("knobs")) {
      report_.knobs[name] = value;
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
    for (Fields& item : json.items("carveouts")) {
      MapCarveout carveout;
      carveout.name = item.text("name");
      carveout.base = item.address("physical");
      carveout.size = item.number("size_bytes");
      carveout.in_header = item.flag("in_header");
      if (item.has("label")) {
        carveout.label = item.text("label");
        carveout.no_map = item.flag("no_map");
      }
      map_.carveouts.push_back(std::move(carveout));
    }
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
      const bool alike = core::is_aligned(set, kPage) && core::is_aligned(has, kPage);
      disagree(place_of("memory_map.json"),
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
                        "write the map again with: memsize emit"));
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
      const MapFile* file = find_or_warn(fmt::format("{}/{}", core, map_.linker_file));
      if (file == nullptr) {
        continue;
      }
      ++read;
      const std::size_t before = report_.diagnostics.size();
      const auto written = parse_linker(*file, root_, report_.diagnostics);
      if (broken(before)) {
        continue;
      }
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
    std::set<std::string> seen;
    for (const WrittenRange& range : written) {
      if (!seen.insert(range.name).second) {
        disagree(range.place,
                 fmt::format("'{}' stands twice in this linker map", core::printable(range.name)));
        continue;
      }
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
    const MapFile* file = find_or_warn(map_.header_file);
    if (file == nullptr) {
      return;
    }
    const std::size_t before = report_.diagnostics.size();
    const auto macros = parse_header(*file, root_, report_.diagnostics);
    if (broken(before)) {
      return;
    }
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
      const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const WrittenNode& candidate) {
        return candidate.label == carveout.label;
      });
      if (node == nodes.end()) {
        disagree(place_of(file->path), fmt::format("there is no node '{}'", carveout.label));
      } else {
        check_node(*node, carveout);
      }
    }
    for (const WrittenNode& node : nodes) {
      const bool known = std::any_of(map_.carveouts.begin(),
                                     map_.carveouts.end(),
                                     [&](const MapCarveout& c) { return c.label == node.label; });
      if (!known) {
        disagree(node.place,
                 fmt::format("node '{}' is not in memory_map.json", core::printable(node.label)));
      }
    }
    report_.read.push_back(core::plural(nodes.size(), "device-tree node"));
  }

  void check_node(const WrittenNode& node, const MapCarveout& carveout) {
    if (node.base != carveout.base || node.size != carveout.size) {
      disagree(node.place,
               fmt::format("'{}' reserves {} here, but {} in memory_map.json",
                           carveout.label,
                           range_text(node.base, node.size),
                           range_text(carveout.base, carveout.size)));
    } else if (node.unit_address && *node.unit_address != node.base) {
      disagree(node.place,
               fmt::format("'{}' is named @{:x}, but reserves {}",
                           carveout.label,
                           *node.unit_address,
                           core::format_hex(node.base)));
    }
    if (node.no_map != carveout.no_map) {
      disagree(node.place,
               fmt::format("'{}' has {} 'no-map', but memory_map.json says that Linux {} map it",
                           carveout.label,
                           node.no_map ? "a" : "no",
                           carveout.no_map ? "must not" : "may"));
    }
  }

  // Every address of a core's linker map leads, through the last entry that covers it, to the
  // region's physical address; and the entries as data say the same.
  void check_mmu() {
    std::size_t read = 0;
    for (const std::string& core : map_.mmu_cores) {
      const MapFile* file = find_or_warn(core + "/mmu.syscfg");
      std::vector<WrittenMmuEntry> entries;
      const std::size_t before = report_.diagnostics.size();
      if (file != nullptr) {
        ++read;
        entries = parse_syscfg(*file, root_, report_.diagnostics);
      }
      const bool usable = file != nullptr && !broken(before);
      for (const MapRegion& region : map_.regions) {
        const bool seen =
            std::find(region.cores.begin(), region.cores.end(), core) != region.cores.end();
        if (usable && seen && region.physical && region.size != 0 &&
            check_end(entries, region, core, file->path, 0)) {
          check_end(entries, region, core, file->path, region.size - 1);
        }
      }
      check_mmu_document(usable ? &entries : nullptr, core);
    }
    if (read != 0) {
      report_.read.push_back(core::plural(read, "MMU table"));
    }
  }

  // Whether the byte at `offset` of the region is mapped as it must be.
  bool check_end(const std::vector<WrittenMmuEntry>& entries,
                 const MapRegion& region,
                 const std::string& core,
                 const std::string& path,
                 std::uint64_t offset) {
    const std::uint64_t address = region.address + offset;
    const std::uint64_t physical = *region.physical + offset;
    const auto winner =
        std::find_if(entries.rbegin(), entries.rend(), [&](const WrittenMmuEntry& entry) {
          return address >= entry.virtual_base && address - entry.virtual_base < entry.size;
        });
    if (winner == entries.rend()) {
      disagree(
          place_of(path),
          fmt::format("{} does not map '{}' at {}", core, region.name, core::format_hex(address)));
      return false;
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
      return false;
    }
    const auto allowed = map_.mair.find(region.cache);
    if (allowed != map_.mair.end() && !allowed->second.contains(winner->attribute)) {
      disagree(winner->place,
               fmt::format("{} maps '{}' with {}, but it must be {}",
                           core,
                           region.name,
                           core::printable(winner->attribute, 20),
                           region.cache));
      return false;
    }
    return true;
  }

  // `entries` are those of mmu.syscfg, or nullptr where there is nothing to compare with.
  void check_mmu_document(const std::vector<WrittenMmuEntry>* entries, const std::string& core) {
    const MapFile* file = find_or_warn(core + "/mmu_map.json");
    if (file == nullptr) {
      return;
    }
    const Document json = Document::parse(file->content, nullptr, false);
    if (json.is_discarded()) {
      wrong(file->path, Code::kVerifyParse, "this is not valid JSON");
      return;
    }
    const std::size_t before = report_.diagnostics.size();
    Fields fields{json, "", place_of(file->path), report_.diagnostics};
    bool same = fields.text("core") == core;
    std::size_t count = 0;
    for (Fields& range : fields.items("ranges")) {
      const std::string entry = range.text("entry");
      const std::uint64_t seen = range.address("virtual");
      const std::uint64_t real = range.address("physical");
      const std::uint64_t size = range.number("size_bytes");
      const std::string attribute = fmt::format("MAIR{}", range.number("mair"));
      if (entries != nullptr && count < entries->size()) {
        const WrittenMmuEntry& own = (*entries)[count];
        same = same && entry == own.name && seen == own.virtual_base && real == own.physical &&
               size == own.size && attribute == own.attribute;
      }
      ++count;
    }
    const bool readable = report_.diagnostics.size() == before;
    if (readable && entries != nullptr && (!same || count != entries->size())) {
      disagree(place_of(file->path), fmt::format("it differs from {}/mmu.syscfg", core));
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
