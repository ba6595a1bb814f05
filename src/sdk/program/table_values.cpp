// Writes the fields of an element in the words of its table: a base as its own macro or one in use,
// sizes and masks as the header names them, attributes as whoever programs the MPU reads them.
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

bool is_number(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0 &&
         text.find_first_of(" *+-|()<") == std::string_view::npos;
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
  if (now.base != wanted.base) {
    set_field(index, program().base.name, base_text(index, wanted, is_new));
  }
  if (now.size != wanted.size) {
    set_field(index, program().size.name, size_text(index, wanted.size));
  }
  if (now.disabled != wanted.disabled) {
    set_field(index, program().disabled.name, mask_text(index, wanted.disabled));
  }
  if (now.execute != wanted.execute) {
    set_flag(index, program().execute_never, !wanted.execute, [&](const MpuRegionFields& one) {
      return one.execute == wanted.execute;
    });
  }
  if (now.shareable != wanted.shareable) {
    set_flag(index, program().shareable, wanted.shareable, [&](const MpuRegionFields& one) {
      return one.shareable == wanted.shareable;
    });
  }
  if (program().find_kind(now) != program().find_kind(wanted) ||
      program().find_kind(wanted) == nullptr) {
    set_kind(index, wanted);
  }
}

void TableValues::set_flag(std::size_t index,
                           const board::ProgramField& field,
                           bool value,
                           const std::function<bool(const MpuRegionFields&)>& has_same) {
  set_field(index, field.name, word_text(index, field.name, value ? 1 : 0, has_same));
}

std::string TableValues::text(std::size_t index, const std::string& field) const {
  const emit::Places& places = source_.regions[index].places;
  const auto place = places.find(field);
  return place == places.end() ? std::string{} : std::string{edits_.at(place->second)};
}

std::string TableValues::base_text(std::size_t index,
                                   const MpuRegionFields& wanted,
                                   bool is_new) const {
  const std::string& field = program().base.name;
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
  const board::ProgramField& field = program().size;
  const std::string old = text(index, field.name);
  const std::uint64_t number = field.number_of(size);
  if (is_number(old)) {
    return restyled(old, number);
  }
  const bool has_name =
      std::ranges::any_of(field.names, [&](const auto& name) { return name.second == number; });
  if (field.power || has_name) {
    return field.word_of(size);
  }
  const std::string product = resized_product(old, size);
  return product.empty() ? resized_product("(1U * 1024U)", size) : product;
}

std::string TableValues::mask_text(std::size_t index, unsigned disabled) const {
  const board::ProgramField& field = program().disabled;
  const std::string old = text(index, field.name);
  const bool says_none = disabled == 0 && !field.bits.empty();
  if (is_number(old) && !says_none) {
    return restyled(old, field.number_of(disabled));
  }
  const std::string word = field.word_of(disabled);
  return word.find('|') == std::string::npos ? word : fmt::format("({})", word);
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
  const board::ProgramKind* kind = program().find_kind(wanted);
  if (kind == nullptr) {
    return refuse(fmt::format("this table has no words for TEX {}, C {:d}, B {:d}",
                              wanted.tex,
                              wanted.cacheable,
                              wanted.bufferable),
                  source_.regions[index].place,
                  "give the region another attribute");
  }
  const auto says = [&](const MpuRegionFields& region, const board::ProgramWord& word) {
    const board::ProgramKind* known = program().find_kind(region);
    const board::ProgramWord* said = known == nullptr ? nullptr : known->find(word.field);
    return said != nullptr && said->number == word.number;
  };
  for (const board::ProgramWord& word : kind->says) {
    if (!says(source_.regions[index].fields, word)) {
      set_field(index,
                word.field,
                word_text(index, word.field, word.number, [&](const MpuRegionFields& one) {
                  return says(one, word);
                }));
    }
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
