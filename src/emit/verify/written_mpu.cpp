// Parses MPU regions and RAT entries of sysconfig scripts, with the modules' defaults, and of C
// tables, whose attributes are what startup.c of CSL or SafeRTOS' port makes of them.
#include "memsize/chip/limits.hpp"
#include "memsize/core/c_initializer.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include "syscfg_script.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

constexpr const char* kMpuModule = "mpu_armv7";
constexpr const char* kRatModule = "addr_translate";

constexpr std::uint64_t kBus = 1ULL << 48;
constexpr unsigned kMask = 0xFF;
// SafeRTOS writes a mask as the register has it, from this bit on.
constexpr unsigned kMaskAt = 8;

// A number of a file that must stay below a limit, as the hardware's field does.
std::uint64_t below(core::Cursor& cursor, std::uint64_t limit, std::string_view what) {
  const core::Place place = cursor.place();
  const std::uint64_t value = script_number(cursor);
  if (value >= limit) {
    cursor.wrong(fmt::format("{} of {} is too large: at most {} is possible",
                             what,
                             core::format_hex(value),
                             core::format_hex(limit - 1)),
                 place);
    return 0;
  }
  return value;
}

std::uint64_t power(core::Cursor& cursor) {
  constexpr std::uint64_t kLeast = 5;
  constexpr std::uint64_t kMost = 32;
  const core::Place place = cursor.place();
  const std::uint64_t bits = script_number(cursor);
  if (bits < kLeast || bits > kMost) {
    cursor.wrong(
        fmt::format("sysconfig has no size {}: it is the power of two, from 5 to 32", bits), place);
    return 1ULL << kLeast;
  }
  return 1ULL << bits;
}

bool truth(core::Cursor& cursor) {
  const core::Place place = cursor.place();
  const std::string word = cursor.take();
  if (word != "true" && word != "false") {
    cursor.wrong(fmt::format("true or false is expected here, not '{}'", core::printable(word, 40)),
                 place);
  }
  return word == "true";
}

// An mpu_armv7 instance before its attributes are looked up: sysconfig's defaults.
struct RegionInstance {
  WrittenMpuRegion region;
  std::string attributes = "Cached";
};

RegionInstance fresh_region(const core::Place& place) {
  RegionInstance instance;
  instance.region.place = place;
  instance.region.fields.size = chip::kMpuSpace;
  instance.region.fields.tex = 1;
  instance.region.fields.cacheable = true;
  instance.region.fields.bufferable = true;
  instance.region.fields.execute = true;
  return instance;
}

void assign(RegionInstance& instance, const std::string& property, core::Cursor& cursor) {
  chip::MpuRegionFields& fields = instance.region.fields;
  if (property == "$name") {
    fields.name = script_string(cursor);
  } else if (property == "baseAddr") {
    fields.base = below(cursor, chip::kMpuSpace, "a base");
  } else if (property == "size") {
    fields.size = power(cursor);
  } else if (property == "attributes") {
    static const std::set<std::string> known = {
        "Device", "NonCached", "Cached", "Cached+Sharable", "CUSTOM"};
    const core::Place place = cursor.place();
    instance.attributes = script_string(cursor);
    if (!known.contains(instance.attributes)) {
      cursor.wrong(
          fmt::format("sysconfig has no attributes '{}'", core::printable(instance.attributes, 40)),
          place);
    }
  } else if (property == "tex") {
    fields.tex = static_cast<unsigned>(below(cursor, chip::kLastTex + 1, "TEX"));
  } else if (property == "isCacheable") {
    fields.cacheable = truth(cursor);
  } else if (property == "isBufferable") {
    fields.bufferable = truth(cursor);
  } else if (property == "isShareable") {
    fields.shareable = truth(cursor);
  } else if (property == "allowExecute") {
    fields.execute = truth(cursor);
  } else if (property == "subregionDisableMask") {
    fields.disabled = static_cast<unsigned>(below(cursor, kMask + 1, "a mask"));
  } else if (property == "accessPermissions") {
    // What sysconfig's mpu_armv7.syscfg.js makes of it where it is not said, too.
    constexpr std::string_view kFullAccess = "Supervisor RD+WR, User RD+WR";
    const std::string permissions = script_string(cursor);
    instance.region.permissions = permissions == kFullAccess ? std::string{} : permissions;
  } else {
    cursor.take();
  }
}

void assign(WrittenRatEntry& entry, const std::string& property, core::Cursor& cursor) {
  if (property == "$name") {
    entry.fields.name = script_string(cursor);
  } else if (property == "localAddr") {
    entry.fields.local = below(cursor, chip::kMpuSpace, "a local address");
  } else if (property == "systemAddr") {
    entry.fields.system = below(cursor, kBus, "a system address");
  } else if (property == "size") {
    entry.fields.size = power(cursor);
  } else {
    cursor.take();
  }
}

WrittenRatEntry fresh_rat_entry(const core::Place& place) {
  WrittenRatEntry entry{.place = place};
  entry.fields.size = 1ULL << 29;
  return entry;
}

// The bits that sysconfig's names stand for; CUSTOM keeps those that are written.
chip::MpuRegionFields with_attributes(chip::MpuRegionFields fields, const std::string& attributes) {
  if (attributes == "CUSTOM") {
    return fields;
  }
  const bool cached = attributes.starts_with("Cached");
  fields.tex = attributes == "Device" ? 0 : 1;
  fields.cacheable = cached;
  fields.bufferable = cached;
  fields.shareable = attributes != "Cached";
  return fields;
}

WrittenMpuRegion& written(RegionInstance& instance) {
  return instance.region;
}

WrittenRatEntry& written(WrittenRatEntry& entry) {
  return entry;
}

// Instances of one module in the order in which they appear.
template <typename Instance>
class Instances {
 public:
  Instances(std::string_view module, Instance (*fresh)(const core::Place&))
      : module_(module), fresh_(fresh) {}

  void read(const SyscfgStatement& statement, core::Cursor& cursor) {
    if (statement.module != module_) {
      return;
    }
    const auto [known, fresh] = index_.emplace(statement.instance, list_.size());
    if (fresh) {
      list_.push_back(fresh_(statement.place));
      is_set_.push_back(false);
    }
    Instance& instance = list_[known->second];
    if (statement.property.empty()) {
      return;
    }
    if (!is_set_[known->second]) {
      // The first property says more than the creation.
      is_set_[known->second] = true;
      written(instance).place = statement.place;
    }
    const std::string word =
        fmt::format("{}{}.{}", module_, statement.instance, statement.property);
    if (!set_.insert(word).second) {
      cursor.wrong(fmt::format("'{}' is set twice", core::printable(word, 60)), statement.place);
    }
    const core::Place value = cursor.place();
    assign(instance, statement.property, cursor);
    written(instance).places.emplace(statement.property, cursor.place_since(value));
  }

  [[nodiscard]] const std::vector<Instance>& list() const { return list_; }

 private:
  std::string_view module_;
  Instance (*fresh_)(const core::Place&);
  std::map<unsigned, std::size_t> index_;
  std::set<std::string> set_;
  std::vector<Instance> list_;
  std::vector<bool> is_set_;
};

// The names that the PDK's headers have for numbers.
std::optional<std::uint64_t> pdk_constant(const std::string& name) {
  static const Constants constants = [] {
    Constants all = {
        {"TRUE", 1},
        {"FALSE", 0},
        {"UTRUE", 1},
        {"UFALSE", 0},
        {"CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL", 0},
        {"mpuREGION_ALL_SUB_REGIONS_ENABLED", 0},
        {"portmpuLARGEST_REGION_SIZE_ACTUAL", chip::kMpuSpace / 2},
        {"CSL_ARM_R5_ACC_PERM_NO_ACCESS", 0},
        {"CSL_ARM_R5_ACC_PERM_PRIV_RD_WR", 1},
        {"CSL_ARM_R5_ACC_PERM_PRIV_RD_WR_USR_RD", 2},
        {"CSL_ARM_R5_ACC_PERM_PRIV_USR_RD_WR", 3},
        {"CSL_ARM_R5_ACC_PERM_PRIV_RD_ONLY", 5},
        {"CSL_ARM_R5_ACC_PERM_PRIV_USR_RD", 6},
        {"CSL_ARM_R5_CACHE_POLICY_NON_CACHEABLE", 0},
        {"CSL_ARM_R5_CACHE_POLICY_WB_WA", 1},
        {"CSL_ARM_R5_CACHE_POLICY_WT_NO_WA", 2},
        {"CSL_ARM_R5_CACHE_POLICY_WB_NO_WA", 3},
        {"CSL_ARM_R5_MEM_ATTR_STRONGLY_ORDERED", 0},
        {"CSL_ARM_R5_MEM_ATTR_SHAREABLE", 1},
        {"CSL_ARM_R5_MEM_ATTR_CACHED_WT_NO_WA", 2},
        {"CSL_ARM_R5_MEM_ATTR_CACHED_WB_NO_WA", 3},
        {"CSL_ARM_R5_MEM_ATTR_STRONGLY_NON_CACHED", 4},
        {"CSL_ARM_R5_MEM_ATTR_CACHED_WB_WA", 5},
        {"CSL_ARM_R5_MEM_ATTR_NON_SHAREABLE", 6},
    };
    // The last eighth has the number 8 there.
    static constexpr std::array<unsigned, 8> kParts = {0, 1, 2, 3, 4, 5, 6, 8};
    static constexpr std::array<std::string_view, 8> kOrdinals = {
        "1ST", "2ND", "3RD", "4TH", "5TH", "6TH", "7TH", "8TH"};
    for (unsigned i = 0; i < kParts.size(); ++i) {
      all.emplace(fmt::format("CSL_ARM_R5_MPU_SUB_REGION_{}_DISABLE", kParts.at(i)), 1ULL << i);
      all.emplace(fmt::format("mpuREGION_{}_SUB_REGION_DISABLE", kOrdinals.at(i)),
                  1ULL << (kMaskAt + i));
    }
    // Sizes are the register's: 4 for 32 B.
    static constexpr std::array<std::string_view, 4> kUnits = {"B", "KB", "MB", "GB"};
    for (unsigned bits = 5; bits <= 32; ++bits) {
      all.emplace(
          fmt::format("CSL_ARM_R5_MPU_REGION_SIZE_{}{}", 1U << (bits % 10), kUnits.at(bits / 10)),
          bits - 1);
    }
    return all;
  }();
  const auto found = constants.find(name);
  return found == constants.end() ? std::nullopt : std::optional<std::uint64_t>{found->second};
}

// The table of MPU regions in a C source of the PDK.
class SourceParser {
 public:
  SourceParser(const MapFile& file,
               const std::string& root,
               const Constants& constants,
               core::Diagnostics& errors)
      : cursor_(file.path_under(root), file.content, core::Code::kVerifyParse, errors),
        errors_(errors) {
    rules_.values.largest = kLargest;
    rules_.values.bits = 32;
    rules_.values.names_of = "the map or the PDK";
    rules_.values.names = [&constants](const std::string& name) {
      const auto own = constants.find(name);
      return own != constants.end() ? std::optional{own->second} : pdk_constant(name);
    };
  }

  WrittenMpuSource run() {
    if (!find_table()) {
      cursor_.wrong("neither gCslR5MpuCfg nor gMPUConfigParms is defined here", cursor_.place());
      return {};
    }
    rules_.fields = fields_of_table();
    core::c_table(cursor_, rules_, [this](const Fields& fields, const core::Place& place) {
      const std::size_t before = errors_.size();
      if (!fields.empty()) {
        is_safertos_ ? add_safertos(fields, place) : add_csl(fields, place);
      }
      return errors_.size() == before;
    });
    while (!cursor_.done()) {
      const core::Place place = cursor_.place();
      if (cursor_.take() == (is_safertos_ ? "gMPUConfigParms" : "gCslR5MpuCfg")) {
        cursor_.wrong("this may change a region of the table, in a way that is not read", place);
      }
    }
    std::ranges::sort(
        regions_, [](const auto& a, const auto& b) { return a.fields.number < b.fields.number; });
    return {is_safertos_ ? "safertos" : "csl", std::move(regions_)};
  }

 private:
  static constexpr std::uint64_t kLargest = chip::kMpuSpace * 4;

  using Fields = core::CFields;

  // Behind the '=' of the definition; a declaration has none.
  bool find_table() {
    while (!cursor_.done()) {
      const std::string word = cursor_.take();
      if (word != "gCslR5MpuCfg" && word != "gMPUConfigParms") {
        continue;
      }
      is_safertos_ = word == "gMPUConfigParms";
      while (!cursor_.done() && cursor_.peek() != ";") {
        if (cursor_.take() == "=") {
          return true;
        }
      }
    }
    return false;
  }

  [[nodiscard]] std::set<std::string> fields_of_table() const {
    if (is_safertos_) {
      return {"ulRegionNumber",
              "ulRegionBeginAddress",
              "ulexeNeverControl",
              "ulaccessPermission",
              "ulshareable",
              "ulcacheable",
              "ulcachePolicy",
              "ulmemAttr",
              "ulRegionSize",
              "ulSubRegionDisable"};
    }
    return {"regionId",
            "enable",
            "baseAddr",
            "size",
            "subRegionEnable",
            "exeNeverControl",
            "accessPermission",
            "shareable",
            "cacheable",
            "cachePolicy",
            "memAttr"};
  }

  std::uint64_t field(const Fields& fields, const char* name, std::uint64_t limit) {
    return core::c_field(cursor_, fields, name, limit);
  }

  void add_csl(const Fields& fields, const core::Place& place) {
    constexpr std::uint64_t kSizes = 32;
    constexpr std::uint64_t kLeast = 4;
    WrittenMpuRegion region{.place = place};
    region.fields.number = static_cast<unsigned>(field(fields, "regionId", 16));
    region.fields.base = field(fields, "baseAddr", chip::kMpuSpace);
    region.fields.disabled = static_cast<unsigned>(field(fields, "subRegionEnable", kMask + 1));
    region.fields.execute = field(fields, "exeNeverControl", 2) == 0;
    region.fields.shareable = field(fields, "shareable", 2) != 0;
    set_kind(region.fields,
             field(fields, "cacheable", 2) != 0,
             field(fields, "cachePolicy", chip::kMpuPolicies),
             field(fields, "memAttr", 7));
    const std::uint64_t size = field(fields, "size", kSizes);
    // The start-up code passes over what is smaller than the least size.
    if (field(fields, "enable", 2) != 0 && size >= kLeast) {
      region.fields.size = 1ULL << (size + 1);
      add(std::move(region), fields);
    }
  }

  void add_safertos(const Fields& fields, const core::Place& place) {
    constexpr std::uint64_t kLeast = 32;
    WrittenMpuRegion region{.place = place};
    region.fields.number = static_cast<unsigned>(field(fields, "ulRegionNumber", 16));
    region.fields.base = field(fields, "ulRegionBeginAddress", chip::kMpuSpace);
    const std::uint64_t disabled = field(fields, "ulSubRegionDisable", (kMask + 1) << kMaskAt);
    if ((disabled & kMask) != 0) {
      cursor_.wrong(fmt::format("the mask {} has bits below bit {}, where none belong",
                                core::format_hex(disabled),
                                kMaskAt),
                    fields.at("ulSubRegionDisable").place);
    }
    region.fields.disabled = static_cast<unsigned>(disabled >> kMaskAt);
    region.fields.execute = field(fields, "ulexeNeverControl", 2) == 0;
    region.fields.shareable = field(fields, "ulshareable", 2) != 0;
    set_kind(region.fields,
             field(fields, "ulcacheable", 2) != 0,
             field(fields, "ulcachePolicy", chip::kMpuPolicies),
             field(fields, "ulmemAttr", 7));
    region.fields.size = field(fields, "ulRegionSize", chip::kMpuSpace);
    if (region.fields.size >= kLeast) {
      add(std::move(region), fields);
    }
  }

  // What startup.c and SafeRTOS_mpu_r5f.c make of it; the latter exchanges C and B of what is no
  // cache policy.
  void set_kind(chip::MpuRegionFields& fields,
                bool cacheable,
                std::uint64_t policy,
                std::uint64_t memory) const {
    struct Kind {
      unsigned tex;
      bool cacheable;
      bool bufferable;
    };

    static constexpr std::array<Kind, 7> kKinds = {{{0, false, false},
                                                    {0, false, true},
                                                    {0, true, false},
                                                    {0, true, true},
                                                    {1, false, false},
                                                    {1, true, true},
                                                    {2, false, false}}};
    if (cacheable) {
      fields.tex = chip::kMpuPolicies + static_cast<unsigned>(policy);
      fields.cacheable = (policy & 2U) != 0;
      fields.bufferable = (policy & 1U) != 0;
      return;
    }
    const Kind& kind = kKinds.at(memory);
    fields.tex = kind.tex;
    fields.cacheable = is_safertos_ ? kind.bufferable : kind.cacheable;
    fields.bufferable = is_safertos_ ? kind.cacheable : kind.bufferable;
  }

  void add(WrittenMpuRegion region, const Fields& fields) {
    for (const auto& [name, value] : fields) {
      region.places.emplace(name, value.value_place);
    }
    const bool twice = std::ranges::any_of(
        regions_, [&](const auto& other) { return other.fields.number == region.fields.number; });
    if (twice) {
      return cursor_.wrong(fmt::format("MPU region {} stands twice here", region.fields.number),
                           region.place);
    }
    regions_.push_back(std::move(region));
  }

  core::Cursor cursor_;
  core::CTableRules rules_;
  core::Diagnostics& errors_;
  bool is_safertos_ = false;
  std::vector<WrittenMpuRegion> regions_;
};

}  // namespace

WrittenMpuSyscfg parse_mpu_syscfg(const MapFile& file,
                                  const std::string& root,
                                  unsigned first,
                                  core::Diagnostics& errors) {
  Instances<RegionInstance> regions{kMpuModule, fresh_region};
  Instances<WrittenRatEntry> entries{kRatModule, fresh_rat_entry};
  SyscfgScript script{file, root, {kMpuModule, kRatModule}, errors};
  script.read([&](const SyscfgStatement& statement, core::Cursor& cursor) {
    regions.read(statement, cursor);
    entries.read(statement, cursor);
  });
  WrittenMpuSyscfg written;
  for (const RegionInstance& instance : regions.list()) {
    WrittenMpuRegion region = instance.region;
    region.fields = with_attributes(region.fields, instance.attributes);
    region.fields.number = first + static_cast<unsigned>(written.regions.size());
    written.regions.push_back(std::move(region));
  }
  written.entries = entries.list();
  return written;
}

WrittenMpuSource parse_mpu_source(const MapFile& file,
                                  const std::string& root,
                                  const Constants& constants,
                                  core::Diagnostics& errors) {
  return SourceParser{file, root, constants, errors}.run();
}

}  // namespace memsize::emit
