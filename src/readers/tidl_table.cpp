// TIDL's table of memory records, anywhere in a console log.
//
// A row is `record, space, attribute, alignment, KB, base`, after an optional console prefix:
//
//   [C7x_2 ]     52.423106 s: 1           , DDR Cacheable       , Persistent  ,  128, 0.66    ,
//   0x1043de40
//
// What makes this harder than it looks (each is a test):
//  - SDK 9 and newer print the table twice a model: when the records are asked for (every base is
//  0)
//    and again when the model is initialised (real bases). Both are one instance.
//  - Rows of several cores interleave; a host's lines fall between them without a prefix.
//  - Blanks may have become tabs, or be gone; a space's name contains blanks, '/' and '-'.
//  - A base is the low 32 bits of a longer virtual address. Equal bases on two cores mean nothing.
//  - The ring buffer drops lines: a missing record is no reason to guess one.
#include "memsize/core/text.hpp"

#include "formats.hpp"
#include "merge_prints.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Block;

struct SpaceName {
  std::string_view printed;
  std::string_view space;
  model::Cacheability cacheability;
};

// What the SDK's printf writes for each memory space (TIDL's ialg spaces 0, 1, 2, 17 and 18).
constexpr std::array<SpaceName, 5> kSpaces = {{
    {"L1D", "l1d", model::Cacheability::kOnChip},
    {"L2", "l2", model::Cacheability::kOnChip},
    {"L3/MSMC", "l3", model::Cacheability::kOnChip},
    {"DDR Cacheable", "ddr", model::Cacheability::kCacheable},
    {"DDR Non-cacheable", "ddr", model::Cacheability::kNonCacheable},
}};

// A record's size is a 32-bit count of bytes in TIDL, so no row can print more KB than this.
constexpr std::uint64_t kLargestHundredths =
    (std::uint64_t{std::numeric_limits<std::uint32_t>::max()} / 1024 + 1) * 100;
// TIDL has 16 records; a far larger number is another program's table.
constexpr std::uint32_t kLargestRecord = 255;

struct Field {
  std::string_view text;
  std::size_t column = 0;  // from 1, in the physical line
};

struct Line {
  std::string_view whole;
  std::size_t number = 0;
  std::string core;
  std::vector<Field> fields;
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// The length of "  52.423106 s:" at the start of `text`, or 0.
std::size_t stamp_length(std::string_view text) {
  constexpr std::string_view kBlank = " \t";
  const std::size_t digits = text.find_first_not_of(kBlank);
  if (digits == std::string_view::npos) {
    return 0;
  }
  const std::size_t blank = text.find_first_not_of("0123456789.", digits);
  if (blank == digits || blank == std::string_view::npos) {
    return 0;
  }
  const std::size_t unit = text.find_first_not_of(kBlank, blank);
  if (unit == blank || unit == std::string_view::npos || text.substr(unit, 2) != "s:") {
    return 0;
  }
  return unit + 2;
}

// Removes "[C7x_2 ]  52.423106 s:" and says whose it was; leaves a line without prefix alone. A
// prompt or a colour may stand before it, but nothing with a comma: that is a row cut short.
std::string take_prefix(std::string_view& rest) {
  const std::string_view text = core::trim(rest);
  const std::size_t comma = std::min(text.find(','), text.size());
  std::size_t from = 0;
  for (std::size_t close = text.find(']'); close < comma; close = text.find(']', from)) {
    const std::string_view before = text.substr(from, close - from);
    const std::size_t open = from == 0 && before.starts_with('[') ? 0 : before.rfind('[');
    from = close + 1;
    if (open == std::string_view::npos) {
      continue;
    }
    const std::string_view name = core::trim(before.substr(open + 1));
    const std::size_t stamp = stamp_length(text.substr(from));
    if (!name.empty() && stamp != 0) {
      rest = text.substr(from + stamp);
      return core::printable(core::to_lower(name), 40);
    }
  }
  return {};
}

std::vector<Field> split(std::string_view whole, std::string_view rest) {
  std::vector<Field> fields;
  const auto offset = static_cast<std::size_t>(rest.data() - whole.data());
  std::size_t from = 0;
  while (from <= rest.size()) {
    const std::size_t end = std::min(rest.find(',', from), rest.size());
    const std::string_view text = core::trim(rest.substr(from, end - from));
    const std::size_t start =
        text.empty() ? offset + from : static_cast<std::size_t>(text.data() - whole.data());
    fields.push_back({text, start + 1});
    from = end + 1;
  }
  return fields;
}

const SpaceName* find_space(std::string_view name) {
  const auto found = std::find_if(kSpaces.begin(), kSpaces.end(), [&](const SpaceName& space) {
    return space.printed == name;
  });
  return found == kSpaces.end() ? nullptr : &*found;
}

// A record's row, however broken: a number, a comma, and either a known space or an attribute.
bool looks_like_row(const Line& line) {
  if (line.fields.size() < 2 || !whole_number(line.fields[0].text)) {
    return false;
  }
  const std::string_view second = line.fields[1].text;
  const bool attribute = line.fields.size() > 2 &&
                         (line.fields[2].text == "Persistent" || line.fields[2].text == "Scratch");
  return attribute || find_space(second) != nullptr || second.starts_with("DDR") ||
         second.starts_with("L3/");
}

// "15208" or "2755.41".
bool is_decimal(std::string_view text) {
  const std::size_t dot = text.find('.');
  return whole_number(text.substr(0, dot)).has_value() &&
         (dot == std::string_view::npos || whole_number(text.substr(dot + 1)).has_value());
}

// SDK 8 and older print `record, space, attribute, size`, in bytes or in KB, and no alignment: told
// from a newer row that was cut behind its alignment.
bool is_sdk8_row(const std::vector<Field>& fields) {
  constexpr std::uint64_t kLargestUsualAlignment = 4096;
  if (fields.size() != 4 || !is_decimal(fields[3].text)) {
    return false;
  }
  const std::string_view space = fields[1].text;
  if (space == "DDR" || fields[3].text.find('.') != std::string_view::npos) {
    return true;
  }
  return !space.starts_with("DDR") && whole_number(fields[3].text) > kLargestUsualAlignment;
}

// Calls `visit` for every line with its prefix taken off and its fields split.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line;
    line.whole = text.substr(0, end);
    line.number = ++number;
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.whole.ends_with('\r')) {
      line.whole.remove_suffix(1);
    }
    std::string_view rest = line.whole;
    line.core = take_prefix(rest);
    if (rest.find(',') != std::string_view::npos) {
      line.fields = split(line.whole, rest);
    }
    if (!visit(line, rest)) {
      return;
    }
  }
}

class TableReader {
 public:
  explicit TableReader(std::string path) : path_(std::move(path)) {}

  void take(const Line& line, std::string_view rest) {
    lines_ = line.number;
    if (!looks_like_row(line)) {
      other_lines_ += core::trim(rest).empty() ? 0U : 1U;
      return;
    }
    auto block = parse_row(line);
    if (!block) {
      errors_.insert(errors_.end(), block.error().begin(), block.error().end());
      return;
    }
    add(line, std::move(*block));
  }

  core::Result<model::Recording> finish() {
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    model::Recording recording;
    model::Input input;
    input.path = path_;
    input.format = "tidl-table";
    input.trace_format = "tidl";
    input.lines = lines_;
    input.other_lines = other_lines_;
    for (const std::string& core : order_) {
      model::CoreRecording cores;
      cores.core = core;
      cores.instances = merge_prints(std::move(tables_.at(core)));
      for (const model::Instance& instance : cores.instances) {
        input.records += instance.blocks.size();
      }
      recording.cores.push_back(std::move(cores));
    }
    recording.inputs.push_back(std::move(input));
    return recording;
  }

 private:
  [[nodiscard]] core::Place place(const Line& line, const Field& field) const {
    core::Place place;
    place.path = path_;
    place.line = line.number;
    // The line is shown escaped, and the column is that of the shown line. A field that is escaped
    // itself is pointed at by the message alone.
    place.text = core::printable(line.whole, std::string_view::npos);
    if (core::printable(field.text, std::string_view::npos).size() == field.text.size()) {
      const std::string_view before = line.whole.substr(0, field.column - 1);
      place.column = core::printable(before, std::string_view::npos).size() + 1;
      place.length = std::max<std::size_t>(field.text.size(), 1);
    }
    return place;
  }

  [[nodiscard]] tl::unexpected<core::Diagnostics> bad(const Line& line,
                                                      const Field& field,
                                                      const std::string& what,
                                                      std::string hint) const {
    return core::fail(core::error(Code::kReadBadRecord, what, place(line, field), std::move(hint)));
  }

  [[nodiscard]] core::Result<Block> parse_row(const Line& line) const {
    constexpr std::size_t kFields = 6;
    const auto& fields = line.fields;
    const std::string shape =
        "a row is: record, space, attribute, alignment, size in KB with two decimals, base address";
    if (is_sdk8_row(fields)) {
      return bad(line,
                 fields[3],
                 "this row has no alignment and no base address: it was printed by SDK 8 or older",
                 "only the tables of SDK 9 and newer are read");
    }
    if (fields.size() != kFields) {
      return bad(line,
                 fields.back(),
                 fmt::format("this record has {} where {} are expected",
                             core::plural(fields.size(), "field"),
                             kFields),
                 "the line was cut or joined with another; " + shape);
    }
    Block block;
    block.line = line.number;
    const auto record = whole_number(fields[0].text);
    if (!record || *record > kLargestRecord) {
      return bad(
          line, fields[0], fmt::format("record number {} is too large", fields[0].text), shape);
    }
    block.record = static_cast<std::uint32_t>(*record);
    return parse_class(line, std::move(block));
  }

  [[nodiscard]] core::Result<Block> parse_class(const Line& line, Block block) const {
    const auto& fields = line.fields;
    const SpaceName* space = find_space(fields[1].text);
    if (space == nullptr) {
      return bad(line,
                 fields[1],
                 fmt::format("'{}' is not a memory space", core::printable(fields[1].text, 40)),
                 "the spaces are: L1D, L2, L3/MSMC, DDR Cacheable, DDR Non-cacheable");
    }
    block.space = space->space;
    block.cacheability = space->cacheability;
    const auto lifetime = model::lifetime_named(core::to_lower(fields[2].text));
    if (!lifetime || *lifetime == model::Lifetime::kConstant) {
      return bad(line,
                 fields[2],
                 fmt::format("'{}' is not an attribute", core::printable(fields[2].text, 40)),
                 "the attributes are: Persistent, Scratch");
    }
    block.lifetime = *lifetime;
    const auto alignment = whole_number(fields[3].text);
    const auto align = alignment ? core::Align::make(*alignment) : std::nullopt;
    if (!align || align->value() > (1U << 20)) {
      return bad(line,
                 fields[3],
                 fmt::format("'{}' is not an alignment", core::printable(fields[3].text, 40)),
                 "an alignment is a power of two in bytes, at most 1 MiB");
    }
    block.alignment = *align;
    return parse_size_and_base(line, std::move(block));
  }

  [[nodiscard]] core::Result<Block> parse_size_and_base(const Line& line, Block block) const {
    const Field& size = line.fields[4];
    const std::size_t dot = size.text.find('.');
    const auto whole = whole_number(size.text.substr(0, dot));
    const auto parts =
        dot == std::string_view::npos ? std::nullopt : whole_number(size.text.substr(dot + 1));
    if (!whole || !parts || size.text.size() != dot + 3) {
      return bad(line,
                 size,
                 fmt::format("'{}' is not a size", core::printable(size.text, 40)),
                 "a size is in KB of 1024 bytes with two decimals, such as 2755.41");
    }
    if (*whole > kLargestHundredths / 100 || *whole * 100 + *parts > kLargestHundredths) {
      return bad(line,
                 size,
                 fmt::format("{} KB is more than a record can hold", size.text),
                 "a record is smaller than 4 GiB (4194304 KB)");
    }
    block.size = model::measured_kib(*whole * 100 + *parts);
    const Field& base = line.fields[5];
    const bool prefixed = base.text.starts_with("0x") || base.text.starts_with("0X");
    std::uint32_t address = 0;
    const std::string_view digits = base.text.substr(std::min<std::size_t>(base.text.size(), 2));
    const auto [end, failure] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
    if (!prefixed || digits.empty() || failure != std::errc{} ||
        end != digits.data() + digits.size()) {
      return bad(line,
                 base,
                 fmt::format("'{}' is not a base address", core::printable(base.text, 40)),
                 "a base is 0x and up to eight hexadecimal digits");
    }
    if (address != 0) {
      block.address_low = address;
    }
    return block;
  }

  void add(const Line& line, Block block) {
    auto [found, first_time] = tables_.try_emplace(line.core);
    if (first_time) {
      order_.push_back(line.core);
    }
    std::vector<model::Instance>& tables = found->second;
    if (!tables.empty() && tables.back().blocks.back().record == block.record) {
      core::Diagnostic twice =
          core::error(Code::kReadDuplicateRecord,
                      fmt::format("record {} stands twice in one table", block.record),
                      place(line, line.fields[0]),
                      "remove the line that does not belong there");
      core::Place first;
      first.path = path_;
      first.line = tables.back().blocks.back().line;
      twice.related.push_back({first, "it was here before"});
      errors_.push_back(std::move(twice));
      return;
    }
    // Numbers rise within a table, so a smaller one starts the next.
    if (tables.empty() || block.record < tables.back().blocks.back().record) {
      tables.emplace_back();
      tables.back().line = line.number;
    }
    tables.back().blocks.push_back(std::move(block));
  }

  std::string path_;
  std::map<std::string, std::vector<model::Instance>> tables_;
  std::vector<std::string> order_;
  core::Diagnostics errors_;
  std::size_t lines_ = 0;
  std::size_t other_lines_ = 0;
};

}  // namespace

bool probe_tidl_table(std::string_view text) {
  bool found = false;
  for_each_line(text, [&](const Line& line, std::string_view) {
    found = looks_like_row(line);
    return !found;
  });
  return found;
}

core::Result<model::Recording> read_tidl_table(std::string_view text, const std::string& path) {
  TableReader reader{path};
  for_each_line(text, [&](const Line& line, std::string_view rest) {
    reader.take(line, rest);
    return true;
  });
  return reader.finish();
}

}  // namespace memsize::readers
