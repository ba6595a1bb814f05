// Writes the fields of an element in the words of its table: a base as its own macro or one in use,
// sizes and masks as the header names them, attributes as CSL or SafeRTOS reads them.
#include "table_values.hpp"

#include "memsize/core/text.hpp"

#include "formats/edit_style.hpp"
#include "table_scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using chip::MpuRegionFields;

// A register's TEX of a cache policy, plus the policy.
// SafeRTOS writes a mask as the register has it, from this bit on.
constexpr unsigned kMaskAt = 8;
constexpr std::uint64_t kLargestProduct = 1ULL << 31;

bool is_number(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         text.find_first_of(" *+-|()<") == std::string_view::npos;
}

bool is_cached(const MpuRegionFields& fields) {
  return fields.tex >= chip::kMpuPolicies;
}

bool same_kind(const MpuRegionFields& a, const MpuRegionFields& b) {
  return a.tex == b.tex && a.cacheable == b.cacheable && a.bufferable == b.bufferable;
}

// The memory attribute that CSL's startup.c turns into TEX, C and B; SafeRTOS exchanges C and B.
std::optional<std::uint64_t> memory_of(const MpuRegionFields& fields, bool is_csl) {
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
  const bool cacheable = is_csl ? fields.cacheable : fields.bufferable;
  const bool bufferable = is_csl ? fields.bufferable : fields.cacheable;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    const Kind& kind = kKinds.at(i);
    if (kind.tex == fields.tex && kind.cacheable == cacheable && kind.bufferable == bufferable) {
      return i;
    }
  }
  return std::nullopt;
}

}  // namespace

TableValues::TableValues(const emit::MapFile& file,
                         const emit::WrittenMpuSource& source,
                         const emit::Constants& macros,
                         core::TextEdits& edits,
                         core::Diagnostics& errors)
    : file_(file), source_(source), macros_(macros), edits_(edits), errors_(errors) {}

void TableValues::set(std::size_t index, const MpuRegionFields& wanted, bool is_new) {
  const MpuRegionFields& now = source_.regions[index].fields;
  const bool csl = is_csl();
  if (now.base != wanted.base) {
    set_field(index, csl ? "baseAddr" : "ulRegionBeginAddress", base_text(index, wanted, is_new));
  }
  if (now.size != wanted.size) {
    set_field(index, csl ? "size" : "ulRegionSize", size_text(index, wanted.size));
  }
  if (now.disabled != wanted.disabled) {
    set_field(
        index, csl ? "subRegionEnable" : "ulSubRegionDisable", mask_text(index, wanted.disabled));
  }
  if (now.execute != wanted.execute) {
    const std::string field = csl ? "exeNeverControl" : "ulexeNeverControl";
    set_field(index, field, word_text(index, field, wanted.execute ? 0 : 1, [&](const auto& one) {
                return one.execute == wanted.execute;
              }));
  }
  if (now.shareable != wanted.shareable) {
    const std::string field = csl ? "shareable" : "ulshareable";
    set_field(index, field, word_text(index, field, wanted.shareable ? 1 : 0, [&](const auto& one) {
                return one.shareable == wanted.shareable;
              }));
  }
  if (!same_kind(now, wanted)) {
    set_kind(index, wanted);
  }
}

std::string TableValues::text(std::size_t index, const std::string& field) const {
  const emit::Places& places = source_.regions[index].places;
  const auto place = places.find(field);
  return place == places.end() ? std::string{} : std::string{edits_.at(place->second)};
}

std::string TableValues::base_text(std::size_t index,
                                   const MpuRegionFields& wanted,
                                   bool is_new) const {
  const std::string field = is_csl() ? "baseAddr" : "ulRegionBeginAddress";
  const std::string old = text(index, field);
  // Without one that stands here already, the header may not be included.
  bool has_macros = false;
  for (std::size_t i = 0; i < source_.regions.size(); ++i) {
    has_macros = has_macros || macros_.contains(text(i, field));
  }
  if (has_macros && (!is_number(old) || is_new)) {
    if (std::string macro = macro_for(wanted); !macro.empty()) {
      return macro;
    }
  }
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < source_.regions.size(); ++i) {
    if (const std::string other = text(i, field); is_number(other)) {
      numbers.push_back(other);
    }
  }
  return restyled(is_number(old) ? old : "0x", wanted.base, numbers);
}

// The macro that has the base: NAME_ADDR of its own name, else one that the table uses already. A
// number is better than a macro that has the value by chance.
std::string TableValues::macro_for(const MpuRegionFields& wanted) const {
  std::vector<std::string> candidates;
  for (const auto& [name, value] : macros_) {
    if (value == wanted.base && name.ends_with("_ADDR")) {
      candidates.push_back(name);
    }
  }
  const auto prefer = [&](const auto& is_better) -> std::string {
    const auto found = std::ranges::find_if(candidates, is_better);
    return found == candidates.end() ? std::string{} : *found;
  };
  std::string own = prefer([&](const std::string& name) { return name == wanted.name + "_ADDR"; });
  if (!own.empty()) {
    return own;
  }
  return prefer(
      [&](const std::string& name) { return file_.content.find(name) != std::string::npos; });
}

std::string TableValues::size_text(std::size_t index, std::uint64_t size) const {
  const std::string old = text(index, is_csl() ? "size" : "ulRegionSize");
  const auto bits = static_cast<unsigned>(std::countr_zero(size));
  if (is_csl()) {
    if (is_number(old)) {
      // The register's: 4 for 32 B.
      return restyled(old, bits - 1);
    }
    static constexpr std::array<std::string_view, 4> kUnits = {"B", "KB", "MB", "GB"};
    return fmt::format("CSL_ARM_R5_MPU_REGION_SIZE_{}{}", 1U << (bits % 10), kUnits.at(bits / 10));
  }
  if (is_number(old)) {
    return restyled(old, size);
  }
  if (size == kLargestProduct) {
    return "portmpuLARGEST_REGION_SIZE_ACTUAL";
  }
  const std::string product = resized_product(old, size);
  return product.empty() ? resized_product("(1U * 1024U)", size) : product;
}

std::string TableValues::mask_text(std::size_t index, unsigned disabled) const {
  const std::string old = text(index, is_csl() ? "subRegionEnable" : "ulSubRegionDisable");
  if (is_number(old)) {
    return disabled == 0 && !is_csl() ? "mpuREGION_ALL_SUB_REGIONS_ENABLED"
                                      : restyled(old, is_csl() ? disabled : disabled << kMaskAt);
  }
  if (is_csl()) {
    return disabled == 0 ? "CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL"
                         : fmt::format("0x{:02X}U", disabled);
  }
  static constexpr std::array<std::string_view, 8> kOrdinals = {
      "1ST", "2ND", "3RD", "4TH", "5TH", "6TH", "7TH", "8TH"};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kOrdinals.size(); ++i) {
    if ((disabled >> i & 1U) != 0) {
      names.push_back(fmt::format("mpuREGION_{}_SUB_REGION_DISABLE", kOrdinals.at(i)));
    }
  }
  return names.empty()       ? "mpuREGION_ALL_SUB_REGIONS_ENABLED"
         : names.size() == 1 ? names.front()
                             : fmt::format("({})", core::join(names, " | "));
}

std::string TableValues::word_text(
    std::size_t index,
    const std::string& field,
    std::uint64_t value,
    const std::function<bool(const MpuRegionFields&)>& has_same) const {
  for (std::size_t i = 0; i < source_.regions.size(); ++i) {
    if (std::string other = text(i, field); !other.empty() && has_same(source_.regions[i].fields)) {
      return other;
    }
  }
  const std::string old = text(index, field);
  return is_number(old) ? restyled(old, value) : fmt::format("{}U", value);
}

void TableValues::set_kind(std::size_t index, const MpuRegionFields& wanted) {
  const std::string prefix = is_csl() ? "" : "ul";
  const MpuRegionFields& now = source_.regions[index].fields;
  const auto set = [&](const std::string& field, std::uint64_t value, const auto& has_same) {
    set_field(index, prefix + field, word_text(index, prefix + field, value, has_same));
  };
  const auto memory = memory_of(wanted, is_csl());
  const unsigned policy = wanted.tex - chip::kMpuPolicies;
  const bool is_policy = is_cached(wanted) && wanted.cacheable == ((policy & 2U) != 0) &&
                         wanted.bufferable == ((policy & 1U) != 0);
  if (!is_policy && !memory) {
    return refuse(fmt::format("this table has no words for TEX {}, C {:d}, B {:d}",
                              wanted.tex,
                              wanted.cacheable,
                              wanted.bufferable),
                  source_.regions[index].place,
                  "give the region another attribute");
  }
  if (is_cached(now) != is_cached(wanted)) {
    set("cacheable", is_policy ? 1 : 0, [&](const MpuRegionFields& one) {
      return is_cached(one) == is_cached(wanted);
    });
  }
  const auto has_same = [&](const MpuRegionFields& one) { return same_kind(one, wanted); };
  if (is_policy) {
    set("cachePolicy", policy, has_same);
  } else {
    set("memAttr", *memory, has_same);
  }
}

void TableValues::set_field(std::size_t index, const std::string& field, std::string value) {
  const emit::WrittenMpuRegion& region = source_.regions[index];
  const auto known = region.places.find(field);
  if (known != region.places.end()) {
    const std::string behind = word_behind(file_, known->second);
    if (behind != "," && behind != "}") {
      return refuse(
          fmt::format("'{}' cannot be changed: its value goes on on the next line", field),
          known->second,
          fmt::format("write '{}' on one line", value));
    }
    if (edits_.at(known->second) != value) {
      edits_.replace(known->second, std::move(value));
      changed_.insert(index);
    }
    return;
  }
  refuse(fmt::format("this element has no '{}' that could become '{}'", field, value),
         region.place,
         fmt::format("write '.{} = {},' into it", field, value));
}

void TableValues::refuse(std::string message, const core::Place& place, std::string hint) {
  errors_.push_back(
      core::error(core::Code::kVerifyParse, std::move(message), place, std::move(hint)));
}

}  // namespace memsize::sdk
