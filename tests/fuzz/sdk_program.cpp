// Any bytes as a file that programs an MMU, MPU or RAT, and any wanted entries: an error, or a
// result that reads back as wanted; where nothing wanted differs, the same bytes.
#include "check.hpp"
#include "mpu_programs.hpp"
#include "program/edit_program.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using memsize::core::Diagnostics;
using memsize::fuzz::is_visible;
using memsize::fuzz::require;
namespace emit = memsize::emit;
namespace sdk = memsize::sdk;

namespace {

const emit::Constants kBefore = {{"A_ADDR", 0xA0000000}, {"B_ADDR", 0xC0000000}};
const emit::Constants kAfter = {{"A_ADDR", 0xA1000000}, {"B_ADDR", 0xC0000000}};

// The fuzzer's choices, zeros behind their end.
class Choices {
 public:
  explicit Choices(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t below(std::uint64_t limit) {
    const auto byte = at_ < bytes_.size() ? static_cast<unsigned char>(bytes_[at_]) : 0U;
    ++at_;
    return byte % limit;
  }

 private:
  std::string_view bytes_;
  std::size_t at_ = 0;
};

void vary(emit::WrittenMmuEntry& entry, Choices& choices) {
  const std::uint64_t value = choices.below(256) << choices.below(40);
  switch (choices.below(6)) {
    case 0:
      entry.virtual_base = value;
      break;
    case 1:
      entry.physical = value;
      break;
    case 2:
      entry.size = value;
      break;
    case 3:
      entry.attribute = "MAIR" + std::to_string(choices.below(9));
      break;
    case 4:
      entry.name = choices.below(2) == 0 ? "NEW" : "no name";
      break;
    default:
      entry.name.clear();
  }
}

void vary(memsize::chip::MpuRegionFields& region, Choices& choices) {
  const std::uint64_t value = choices.below(256);
  switch (choices.below(8)) {
    case 0:
      region.base = value << choices.below(25);
      break;
    case 1:
      region.size = 1ULL << (value % 34);
      break;
    case 2:
      region.disabled = static_cast<unsigned>(value);
      break;
    case 3:
      region.tex = static_cast<unsigned>(value % 8);
      region.cacheable = value >> 3U & 1U;
      region.bufferable = value >> 4U & 1U;
      break;
    case 4:
      region.shareable = value % 2 == 0;
      break;
    case 5:
      region.execute = value % 2 == 0;
      break;
    case 6:
      region.base = kAfter.at(value % 2 == 0 ? "A_ADDR" : "B_ADDR");
      break;
    default:
      region.name = "NEW";
  }
}

void vary(memsize::chip::RatEntryFields& entry, Choices& choices) {
  const std::uint64_t value = choices.below(256);
  switch (choices.below(4)) {
    case 0:
      entry.local = value << 24U;
      break;
    case 1:
      entry.system = value << 28U;
      break;
    case 2:
      entry.size = 1ULL << (value % 34);
      break;
    default:
      entry.name = "NEW";
  }
}

// Whether anything was changed.
template <typename Entry>
bool vary(std::vector<Entry>& list, Choices& choices) {
  const std::uint64_t count = choices.below(4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(choices.below(list.size() + 1));
    const std::uint64_t what = choices.below(4);
    if (at == list.size() || what == 0) {
      Entry fresh = list.empty() ? Entry{} : list[at == list.size() ? 0 : at];
      fresh.name = "FRESH";
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(at), std::move(fresh));
    } else if (what == 1) {
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      vary(list[at], choices);
    }
  }
  return count != 0;
}

void check_errors(const Diagnostics& errors) {
  require(!errors.empty(), "a failure says why");
  for (const auto& problem : errors) {
    require(!problem.message.empty(), "an error has a text");
    require(is_visible(problem.message), "an error has printable text");
  }
}

void edit_mmu(const emit::MapFile& file, Choices& choices) {
  Diagnostics errors;
  auto wanted = emit::parse_syscfg(file, "", errors);
  const bool changed = vary(wanted, choices);
  for (std::size_t i = 0; changed && i < wanted.size() && choices.below(2) == 0; ++i) {
    wanted[i].instance = static_cast<unsigned>(i + 1);
  }
  const auto result = sdk::edit_mmu_syscfg(file, "", wanted, {choices.below(2) != 0});
  if (!result) {
    check_errors(result.error());
    return;
  }
  const auto entries = emit::parse_syscfg({"f", *result}, "", errors);
  require(errors.empty(), "the result is understood");
  require(entries.size() == wanted.size(), "the result has the wanted entries");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    require(entries[i].instance == wanted[i].instance &&
                entries[i].virtual_base == wanted[i].virtual_base &&
                entries[i].physical == wanted[i].physical && entries[i].size == wanted[i].size &&
                (wanted[i].name.empty() || entries[i].name == wanted[i].name) &&
                (wanted[i].attribute.empty() || entries[i].attribute == wanted[i].attribute),
            "an entry is as wanted");
  }
  const auto again = sdk::edit_mmu_syscfg({"f", *result}, "", entries);
  require(again && *again == *result, "what is as wanted keeps its bytes");
}

template <typename Written>
auto fields_of(const std::vector<Written>& written) {
  std::vector<decltype(Written::fields)> all;
  for (const Written& one : written) {
    all.push_back(one.fields);
  }
  return all;
}

template <typename Fields>
void same(std::vector<Fields> now, const std::vector<Fields>& wanted, bool with_names) {
  require(now.size() == wanted.size(), "the result has the wanted regions and entries");
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (!with_names || wanted[i].name.empty()) {
      now[i].name = wanted[i].name;
    }
    require(now[i] == wanted[i], "a region or entry is as wanted");
  }
}

void edit_mpu(const emit::MapFile& file, Choices& choices) {
  Diagnostics errors;
  const auto before = emit::parse_mpu_syscfg(file, "", 1, errors);
  auto regions = fields_of(before.regions);
  auto entries = fields_of(before.entries);
  vary(regions, choices);
  vary(entries, choices);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    regions[i].number = static_cast<unsigned>(i + 1);
  }
  const auto result = sdk::edit_mpu_syscfg(file, "", 1, regions, entries, {choices.below(2) != 0});
  if (!result) {
    check_errors(result.error());
    return;
  }
  const auto now = emit::parse_mpu_syscfg({"f", *result}, "", 1, errors);
  require(errors.empty(), "the result is understood");
  same(fields_of(now.regions), regions, true);
  same(fields_of(now.entries), entries, true);
  const auto again =
      sdk::edit_mpu_syscfg({"f", *result}, "", 1, fields_of(now.regions), fields_of(now.entries));
  require(again && *again == *result, "what is as wanted keeps its bytes");
}

void edit_table(const emit::MapFile& file, Choices& choices) {
  Diagnostics errors;
  auto regions = fields_of(
      emit::parse_mpu_source(file, "", memsize::test::mpu_programs(), kBefore, 0, errors).regions);
  const unsigned first = regions.empty() ? 0 : regions.front().number;
  const std::size_t count = regions.size();
  vary(regions, choices);
  for (std::size_t i = 0; regions.size() != count && i < regions.size(); ++i) {
    regions[i].number = first + static_cast<unsigned>(i);
  }
  const auto result = sdk::edit_mpu_source(
      {file, "", memsize::test::mpu_programs()}, kBefore, kAfter, regions, {choices.below(2) != 0});
  if (!result) {
    check_errors(result.error());
    return;
  }
  const auto now =
      emit::parse_mpu_source({"f", *result}, "", memsize::test::mpu_programs(), kAfter, 0, errors)
          .regions;
  require(errors.empty(), "the result is understood");
  same(fields_of(now), regions, false);
  const auto again = sdk::edit_mpu_source(
      {{"f", *result}, "", memsize::test::mpu_programs()}, kAfter, kAfter, fields_of(now));
  require(again && *again == *result, "what is as wanted keeps its bytes");
}

}  // namespace

/// The first byte says what the rest is; the rest of the first line are the choices.
MEMSIZE_FUZZ_TARGET(sdk_program) {
  const std::string_view all{reinterpret_cast<const char*>(data), size};
  const std::size_t end = all.find('\n');
  if (end == std::string_view::npos || end == 0) {
    return 0;
  }
  Choices choices{all.substr(1, end - 1)};
  const emit::MapFile file{"f", std::string{all.substr(end + 1)}};
  if (data[0] % 3 == 0) {
    edit_mmu(file, choices);
  } else if (data[0] % 3 == 1) {
    edit_mpu(file, choices);
  } else {
    edit_table(file, choices);
  }
  return 0;
}
