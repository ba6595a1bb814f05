// Parses MPU regions and RAT entries of sysconfig scripts, with the modules' defaults, and of C
// tables, whose fields and words are data (boards/programs).
#include "memsize/chip/limits.hpp"
#include "memsize/core/c_initializer.hpp"
#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"
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

constexpr unsigned kMask = 0xFF;

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
  std::string attributes{kDefaultKind.name};
};

RegionInstance fresh_region(const core::Place& place) {
  RegionInstance instance;
  instance.region = {default_mpu_region(), place};
  return instance;
}

WrittenRatEntry fresh_rat_entry(const core::Place& place) {
  return {default_rat_entry(), place};
}

template <typename Entry>
std::uint64_t value_of(const Property<Entry>& property, core::Cursor& cursor) {
  switch (property.type) {
    case PropertyType::kPower:
      return power(cursor);
    case PropertyType::kFlag:
      return truth(cursor) ? 1 : 0;
    default:
      return below(
          cursor,
          property.limit,
          property.what == "TEX" ? std::string{property.what} : fmt::format("a {}", property.what));
  }
}

// False where the property is none of these.
template <typename Entry, std::size_t Count>
bool assign_number(const std::array<Property<Entry>, Count>& properties,
                   Entry& fields,
                   const std::string& name,
                   core::Cursor& cursor) {
  const Property<Entry>* property = core::find_in(properties, name, &Property<Entry>::name);
  if (property != nullptr) {
    property->set(fields, value_of(*property, cursor));
  }
  return property != nullptr;
}

void assign(RegionInstance& instance, const std::string& property, core::Cursor& cursor) {
  if (assign_number(properties::kMpu, instance.region.fields, property, cursor)) {
    return;
  }
  if (property == kNameProperty) {
    instance.region.fields.name = script_string(cursor);
  } else if (property == kKindProperty) {
    const core::Place place = cursor.place();
    instance.attributes = script_string(cursor);
    if (instance.attributes != kCustomKind &&
        !core::contains(board::kSyscfgKinds, instance.attributes, &board::SyscfgKind::name)) {
      cursor.wrong(
          fmt::format("sysconfig has no attributes '{}'", core::printable(instance.attributes, 40)),
          place);
    }
  } else if (property == kPermissionsProperty) {
    // What sysconfig's mpu_armv7.syscfg.js makes of it where it is not said, too.
    constexpr std::string_view kFullAccess = "Supervisor RD+WR, User RD+WR";
    const std::string permissions = script_string(cursor);
    instance.region.permissions = permissions == kFullAccess ? std::string{} : permissions;
  } else {
    cursor.take();
  }
}

void assign(WrittenRatEntry& entry, const std::string& property, core::Cursor& cursor) {
  if (assign_number(properties::kRat, entry.fields, property, cursor)) {
    return;
  }
  if (property == kNameProperty) {
    entry.fields.name = script_string(cursor);
  } else {
    cursor.take();
  }
}

// The bits that sysconfig's names stand for; CUSTOM keeps those that are written.
chip::MpuRegionFields with_attributes(chip::MpuRegionFields fields, const std::string& attributes) {
  const auto* kind = core::find_in(board::kSyscfgKinds, attributes, &board::SyscfgKind::name);
  if (kind != nullptr) {
    fields.tex = kind->tex;
    fields.cacheable = kind->cacheable;
    fields.bufferable = kind->bufferable;
    fields.shareable = kind->shareable;
  }
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

std::string none_of(const board::MpuPrograms& programs) {
  std::vector<std::string> names;
  for (const auto& program : programs) {
    names.push_back(program->table);
  }
  return names.size() == 2
             ? fmt::format("neither {} nor {}", names[0], names[1])
             : fmt::format("none of the tables of MPU programs ({})", core::join(names, ", "));
}

// The table of MPU regions in a C source.
class SourceParser {
 public:
  SourceParser(const MapFile& file,
               const std::string& root,
               const board::MpuPrograms& programs,
               const Constants& constants,
               unsigned first,
               core::Diagnostics& errors)
      : cursor_(file.path_under(root), file.content, core::Code::kVerifyParse, errors),
        errors_(errors),
        programs_(programs),
        next_(first) {
    rules_.values.largest = kLargest;
    rules_.values.bits = 32;
    rules_.values.names_of = "the map or the PDK";
    rules_.values.names = [this, &constants](const std::string& name) {
      const auto own = constants.find(name);
      return own != constants.end() ? std::optional{own->second} : constant(name);
    };
  }

  WrittenMpuSource run() {
    if (!find_table()) {
      cursor_.wrong(fmt::format("{} is defined here", none_of(programs_)), cursor_.place());
      return {};
    }
    kinds_ = program_->kind_fields();
    rules_.fields = fields_of_table();
    core::c_table(cursor_, rules_, [this](const Fields& fields, const core::Place& place) {
      const std::size_t before = errors_.size();
      if (!fields.empty()) {
        add(fields, place);
      }
      ++next_;
      return errors_.size() == before;
    });
    while (!cursor_.done()) {
      const core::Place place = cursor_.place();
      if (cursor_.take() == program_->table) {
        cursor_.wrong("this may change a region of the table, in a way that is not read", place);
      }
    }
    std::ranges::sort(
        regions_, [](const auto& a, const auto& b) { return a.fields.number < b.fields.number; });
    return {std::move(program_), std::move(regions_)};
  }

 private:
  static constexpr std::uint64_t kLargest = chip::kMpuSpace * 4;

  using Fields = core::CFields;

  [[nodiscard]] std::optional<std::uint64_t> constant(const std::string& name) const {
    const auto known = program_->constants.find(name);
    return known == program_->constants.end() ? std::nullopt : std::optional{known->second};
  }

  // Behind the '=' of the definition; a declaration has none.
  bool find_table() {
    while (!cursor_.done()) {
      const std::string word = cursor_.take();
      const auto program =
          std::ranges::find_if(programs_, [&](const auto& each) { return each->table == word; });
      if (program == programs_.end()) {
        continue;
      }
      program_ = *program;
      while (!cursor_.done() && cursor_.peek() != ";") {
        if (cursor_.take() == "=") {
          return true;
        }
      }
    }
    return false;
  }

  [[nodiscard]] std::set<std::string> fields_of_table() const {
    std::set<std::string> names{program_->kept.begin(), program_->kept.end()};
    for (const board::ProgramField* field : {&program_->number,
                                             &program_->enable,
                                             &program_->base,
                                             &program_->size,
                                             &program_->disabled,
                                             &program_->execute_never,
                                             &program_->shareable}) {
      if (!field->name.empty()) {
        names.insert(field->name);
      }
    }
    for (const auto& [name, most] : kinds_) {
      names.insert(name);
    }
    return names;
  }

  // Of a field, what the table has: below the limit, as the hardware's is.
  std::uint64_t number(const Fields& fields,
                       const board::ProgramField& field,
                       std::uint64_t limit) {
    return core::c_field(cursor_, fields, field.name, limit);
  }

  void add(const Fields& fields, const core::Place& place) {
    WrittenMpuRegion region{.place = place};
    region.fields.number =
        program_->number.name.empty()
            ? next_
            : static_cast<unsigned>(number(fields, program_->number, chip::kMostMpuRegions));
    region.fields.base = number(fields, program_->base, chip::kMpuSpace);
    region.fields.disabled = mask(fields);
    region.fields.execute = number(fields, program_->execute_never, 2) == 0;
    region.fields.shareable = number(fields, program_->shareable, 2) != 0;
    set_kind(region.fields, fields, place);
    const board::ProgramField& size = program_->size;
    region.fields.size = size.value_of(number(fields, size, size.power ? kSizes : chip::kMpuSpace));
    const bool is_on = program_->enable.name.empty() || number(fields, program_->enable, 2) != 0;
    // What is smaller than any region is passed over by whoever programs the MPU.
    if (is_on && region.fields.size >= chip::kMpuSmallest) {
      keep(std::move(region), fields);
    }
  }

  unsigned mask(const Fields& fields) {
    const board::ProgramField& field = program_->disabled;
    const std::uint64_t written = number(fields, field, (kMask + 1ULL) << field.shift);
    if ((written & ((1ULL << field.shift) - 1)) != 0) {
      cursor_.wrong(fmt::format("the mask {} has bits below bit {}, where none belong",
                                core::format_hex(written),
                                field.shift),
                    fields.at(field.name).place);
    }
    return static_cast<unsigned>(field.value_of(written));
  }

  void set_kind(chip::MpuRegionFields& region, const Fields& fields, const core::Place& place) {
    std::map<std::string, std::uint64_t> numbers;
    const std::size_t before = errors_.size();
    for (const auto& [name, most] : kinds_) {
      numbers.emplace(name, core::c_field(cursor_, fields, name, most + 1));
    }
    const board::ProgramKind* kind = program_->find_kind(numbers);
    if (kind != nullptr) {
      region.tex = kind->tex;
      region.cacheable = kind->cacheable;
      region.bufferable = kind->bufferable;
    } else if (errors_.size() == before) {
      cursor_.wrong(fmt::format("the MPU program '{}' has no kind of memory with these fields",
                                program_->name),
                    place);
    }
  }

  void keep(WrittenMpuRegion region, const Fields& fields) {
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

  // Sizes as a power of two have five bits in the register.
  static constexpr std::uint64_t kSizes = 32;

  core::Cursor cursor_;
  core::CTableRules rules_;
  core::Diagnostics& errors_;
  const board::MpuPrograms& programs_;
  std::shared_ptr<const board::MpuProgram> program_;
  // The number of the next entry, for a table that has none.
  unsigned next_;
  // The fields that say the kind of memory, with their largest number.
  std::map<std::string, std::uint64_t> kinds_;
  std::vector<WrittenMpuRegion> regions_;
};

}  // namespace

chip::MpuRegionFields default_mpu_region() {
  chip::MpuRegionFields region;
  region.size = chip::kMpuSpace;
  region.tex = kDefaultKind.tex;
  region.cacheable = kDefaultKind.cacheable;
  region.bufferable = kDefaultKind.bufferable;
  region.execute = true;
  return region;
}

chip::RatEntryFields default_rat_entry() {
  return {.size = 1ULL << 29};
}

WrittenMpuSyscfg parse_mpu_syscfg(const MapFile& file,
                                  const std::string& root,
                                  unsigned first,
                                  core::Diagnostics& errors,
                                  Whole whole) {
  Instances<RegionInstance> regions{kMpuModule, fresh_region};
  Instances<WrittenRatEntry> entries{kRatModule, fresh_rat_entry};
  SyscfgScript script{file, root, {kMpuModule, kRatModule}, errors};
  script.expect_modules(whole);
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
                                  const board::MpuPrograms& programs,
                                  const Constants& constants,
                                  unsigned first,
                                  core::Diagnostics& errors) {
  return SourceParser{file, root, programs, constants, first, errors}.run();
}

}  // namespace memsize::emit
