// Reads the tables of ti_dpl_config.c, with the DPL's own enumerators as names. Sizes are powers of
// two there: MpuP_RegionSize_32 is 4, AddrTranslateP_RegionSize_1 is 0.
#include "dpl_config.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/c_initializer.hpp"

#include "csource/source_reader.hpp"

#include <array>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr const char* kMmuTable = "gMmuRegionConfig";
constexpr const char* kMpuTable = "gMpuRegionConfig";
constexpr const char* kRatTable = "gAddrTranslateRegionConfig";

// An R5F sees 4 GiB, the bus has 48 bits (mmu_armv8.syscfg.js, addr_translate.syscfg.js).
constexpr std::uint64_t kBus = 1ULL << 48;
// Sizes are powers of two: MpuP_RegionSize_32 is 4, AddrTranslateP_RegionSize_1 is 0, and both go
// up to 4 GiB.
constexpr unsigned kLeastMpuBits = 5;
constexpr unsigned kMostBits = 32;
constexpr unsigned kMairs = 8;

// The DPL's enumerators.
std::optional<std::uint64_t> dpl_constant(const std::string& name) {
  static const emit::Constants constants = [] {
    emit::Constants all;
    for (unsigned mair = 0; mair < kMairs; ++mair) {
      all.emplace(fmt::format("MMUP_ATTRINDX_MAIR{}", mair), mair);
    }
    static constexpr std::array<std::string_view, 4> kUnits = {"", "K", "M", "G"};
    for (unsigned bits = 0; bits <= kMostBits; ++bits) {
      const std::string size = fmt::format("{}{}", 1U << (bits % 10), kUnits.at(bits / 10));
      all.emplace("AddrTranslateP_RegionSize_" + size, bits);
      if (bits >= kLeastMpuBits) {
        all.emplace("MpuP_RegionSize_" + size, bits - 1);
      }
    }
    return all;
  }();
  const auto found = constants.find(name);
  return found == constants.end() ? std::nullopt : std::optional{found->second};
}

class DplParser : private SourceReader {
 public:
  DplParser(const FirmwareFile& file, unsigned first_mpu_region, core::Diagnostics& errors)
      : SourceReader(file, errors), first_mpu_region_(first_mpu_region) {
    rules_.names = [own = rules_.names](const std::string& name) {
      const auto value = dpl_constant(name);
      return value ? value : own(name);
    };
    rules_.names_of = "the DPL, the map's header or the source";
  }

  DplConfig run() {
    const std::size_t before = errors_.size();
    while (!cursor_.done() && errors_.size() == before) {
      const core::Place place = cursor_.place();
      const std::string word = step();
      if (depth_ == 0 && (word == kMmuTable || word == kMpuTable || word == kRatTable) &&
          to_definition()) {
        read(word, place);
      }
    }
    return std::move(config_);
  }

 private:
  // Behind the '=' of the definition, past attributes; a declaration has none.
  bool to_definition() {
    while (!cursor_.done() && cursor_.peek() != ";" && cursor_.peek() != "{") {
      if (step() == "=") {
        return true;
      }
    }
    return false;
  }

  void read(const std::string& table, const core::Place& place) {
    if (!tables_.insert(table).second) {
      return cursor_.wrong(fmt::format("'{}' is defined twice", table), place);
    }
    core::CTableRules rules{.values = rules_, .skips_others = true};
    if (table == kMmuTable) {
      rules.fields = {"vaddr", "paddr", "size", "attrIndx"};
    } else if (table == kRatTable) {
      rules.fields = {"localAddr", "systemAddr", "size"};
    } else {
      rules.fields = {"baseAddr",
                      "size",
                      "isEnable",
                      "isCacheable",
                      "isBufferable",
                      "isSharable",
                      "isExecuteNever",
                      "tex",
                      "subregionDisableMask"};
    }
    core::c_table(cursor_, rules, [&](const core::CFields& fields, const core::Place& brace) {
      const std::size_t before = errors_.size();
      if (table == kMmuTable) {
        add_mmu(fields, brace);
      } else if (table == kMpuTable) {
        add_mpu(fields, brace);
      } else {
        add_rat(fields, brace);
      }
      return errors_.size() == before;
    });
  }

  std::uint64_t field(const core::CFields& fields, const char* name, std::uint64_t limit) {
    return core::c_field(cursor_, fields, name, limit);
  }

  bool flag(const core::CFields& fields, const char* name) { return field(fields, name, 2) != 0; }

  // Of the first field, which says more than the brace, and of each value.
  template <typename Entry>
  static void set_places(Entry& entry,
                         const core::CFields& fields,
                         const char* first,
                         const core::Place& brace) {
    const auto found = fields.find(first);
    entry.place = found == fields.end() ? brace : found->second.place;
    for (const auto& [name, value] : fields) {
      entry.places.emplace(name, value.value_place);
    }
  }

  void add_mmu(const core::CFields& fields, const core::Place& brace) {
    emit::WrittenMmuEntry entry{.instance = static_cast<unsigned>(config_.mmu.size() + 1)};
    entry.name = fmt::format("entry {}", entry.instance);
    entry.virtual_base = field(fields, "vaddr", kBus);
    entry.physical = field(fields, "paddr", kBus);
    entry.size = field(fields, "size", kBus);
    entry.attribute = fmt::format("MAIR{}", field(fields, "attrIndx", kMairs));
    set_places(entry, fields, "vaddr", brace);
    config_.mmu.push_back(std::move(entry));
  }

  void add_mpu(const core::CFields& fields, const core::Place& brace) {
    constexpr std::uint64_t kTexs = 8;
    constexpr std::uint64_t kMasks = 0x100;
    emit::WrittenMpuRegion region;
    region.fields.number = first_mpu_region_ + mpu_regions_++;
    if (!flag(fields, "isEnable")) {
      return;
    }
    region.fields.base = field(fields, "baseAddr", chip::kMpuSpace);
    region.fields.tex = static_cast<unsigned>(field(fields, "tex", kTexs));
    region.fields.cacheable = flag(fields, "isCacheable");
    region.fields.bufferable = flag(fields, "isBufferable");
    region.fields.shareable = flag(fields, "isSharable");
    region.fields.execute = !flag(fields, "isExecuteNever");
    region.fields.disabled = static_cast<unsigned>(field(fields, "subregionDisableMask", kMasks));
    set_places(region, fields, "baseAddr", brace);
    const std::uint64_t bits = field(fields, "size", kMostBits) + 1;
    if (bits < kLeastMpuBits) {
      const auto size = fields.find("size");
      return cursor_.wrong("no MPU region is smaller than 32 B, which is MpuP_RegionSize_32",
                           size == fields.end() ? region.place : size->second.value_place);
    }
    region.fields.size = 1ULL << bits;
    config_.mpu.push_back(std::move(region));
  }

  void add_rat(const core::CFields& fields, const core::Place& brace) {
    emit::WrittenRatEntry entry;
    entry.fields.name = fmt::format("{}", config_.rat.size() + 1);
    entry.fields.local = field(fields, "localAddr", chip::kMpuSpace);
    entry.fields.system = field(fields, "systemAddr", kBus);
    entry.fields.size = 1ULL << field(fields, "size", kMostBits + 1);
    set_places(entry, fields, "localAddr", brace);
    config_.rat.push_back(std::move(entry));
  }

  unsigned first_mpu_region_;
  unsigned mpu_regions_ = 0;
  std::set<std::string> tables_;
  DplConfig config_;
};

}  // namespace

DplConfig parse_dpl_config(const FirmwareFile& file,
                           unsigned first_mpu_region,
                           core::Diagnostics& errors) {
  return DplParser{file, first_mpu_region, errors}.run();
}

}  // namespace memsize::sdk
