// Reads the tables of ti_dpl_config.c, with the DPL's own enumerators as names. Sizes are powers of
// two there: MpuP_RegionSize_32 is 4, AddrTranslateP_RegionSize_1 is 0.
#include "dpl_config.hpp"

#include "memsize/chip/limits.hpp"
#include "memsize/core/c_initializer.hpp"
#include "memsize/emit/sysconfig.hpp"

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

// Sizes are powers of two: MpuP_RegionSize_32 is 4, AddrTranslateP_RegionSize_1 is 0, and both go
// up to 4 GiB.
constexpr unsigned kLeastMpuBits = 5;
constexpr unsigned kMostSizeBits = 32;
constexpr unsigned kMairs = 8;

// The DPL's enumerators.
std::optional<std::uint64_t> dpl_constant(const std::string& name) {
  static const emit::Constants constants = [] {
    emit::Constants all;
    for (unsigned mair = 0; mair < kMairs; ++mair) {
      all.emplace(fmt::format("MMUP_ATTRINDX_MAIR{}", mair), mair);
    }
    static constexpr std::array<std::string_view, 4> kUnits = {"", "K", "M", "G"};
    for (unsigned bits = 0; bits <= kMostSizeBits; ++bits) {
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
      rules.fields = made_of(emit::properties::kMmu, {std::string{emit::kMadeMair}});
    } else if (table == kRatTable) {
      rules.fields = made_of(emit::properties::kRat, {});
    } else {
      rules.fields = made_of(emit::properties::kMpu, {std::string{emit::kMadeEnable}});
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

  template <typename Properties>
  static std::set<std::string> made_of(const Properties& properties, std::set<std::string> names) {
    for (const auto& property : properties) {
      names.emplace(property.made);
    }
    return names;
  }

  std::uint64_t field(const core::CFields& fields, std::string_view name, std::uint64_t limit) {
    return core::c_field(cursor_, fields, std::string{name}, limit);
  }

  template <typename Fields, std::size_t Count>
  void set_all(Fields& entry,
               const std::array<emit::Property<Fields>, Count>& properties,
               const core::CFields& fields) {
    for (const auto& property : properties) {
      std::uint64_t value = 0;
      if (property.type == emit::PropertyType::kPower) {
        value = 1ULL << (field(fields, property.made, kMostSizeBits + 1 - property.made_less) +
                         property.made_less);
      } else {
        value = field(fields, property.made, property.limit);
      }
      property.set(entry, property.made_inverted ? 1 - value : value);
    }
  }

  // Of the first field, which says more than the brace, and of each value.
  template <typename Entry>
  static void set_places(Entry& entry,
                         const core::CFields& fields,
                         std::string_view first,
                         const core::Place& brace) {
    const auto found = fields.find(std::string{first});
    entry.place = found == fields.end() ? brace : found->second.place;
    for (const auto& [name, value] : fields) {
      entry.places.emplace(name, value.value_place);
    }
  }

  void add_mmu(const core::CFields& fields, const core::Place& brace) {
    emit::WrittenMmuEntry entry{.instance = static_cast<unsigned>(config_.mmu.size() + 1)};
    entry.name = fmt::format("entry {}", entry.instance);
    set_all(entry, emit::properties::kMmu, fields);
    entry.attribute = fmt::format("MAIR{}", field(fields, emit::kMadeMair, kMairs));
    set_places(entry, fields, emit::properties::kMmu.front().made, brace);
    config_.mmu.push_back(std::move(entry));
  }

  void add_mpu(const core::CFields& fields, const core::Place& brace) {
    emit::WrittenMpuRegion region;
    region.fields.number = first_mpu_region_ + mpu_regions_++;
    if (field(fields, emit::kMadeEnable, 2) == 0) {
      return;
    }
    set_all(region.fields, emit::properties::kMpu, fields);
    set_places(region, fields, emit::properties::kMpu.front().made, brace);
    if (region.fields.size < chip::kMpuSmallest) {
      const auto size = region.places.find("size");
      return cursor_.wrong("no MPU region is smaller than 32 B, which is MpuP_RegionSize_32",
                           size == region.places.end() ? region.place : size->second);
    }
    config_.mpu.push_back(std::move(region));
  }

  void add_rat(const core::CFields& fields, const core::Place& brace) {
    emit::WrittenRatEntry entry;
    entry.fields.name = fmt::format("{}", config_.rat.size() + 1);
    set_all(entry.fields, emit::properties::kRat, fields);
    set_places(entry, fields, emit::properties::kRat.front().made, brace);
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
