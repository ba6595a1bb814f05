// What every form of a row looks like (tidl_alg.c and tidl_rt.c of TIDL, tivx_alg_vision.c of
// TIOVX):
//
//   kib-placed  5           , DDR Cacheable       , Persistent  ,  128, 2755.41 , 0x1043e180
//   kib         5           , DDR         , Persistent  , 2755.41
//   bytes        0         , DDR       , Persistent,    15208
//   test           0,    17,        15208,      0.015 0x7f0010
//   requests    Allocated memory record 0 @ space = 17 and size = 15208, addr = 0x2080000000 ...
//
// A space's name contains blanks, '/' and '-'; blanks may have become tabs, or be gone. A base is
// the low 32 bits of a longer virtual address, a pointer (of the last two) all of it. Equal ones on
// two cores mean nothing.
#include "tidl_rows.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "console_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using model::Block;
using model::Cacheability;

struct SpaceName {
  std::string_view printed;
  std::uint32_t code;
  std::string_view space;
  Cacheability cacheability;
};

// What the SDK's printf writes for each memory space, and its number in ialg.h. Before SDK 9 "DDR"
// stood for all of it: parts that had anything else came later.
constexpr std::array<SpaceName, 6> kSpaces = {{
    {"L1D", 0, "l1d", Cacheability::kOnChip},
    {"L2", 1, "l2", Cacheability::kOnChip},
    {"L3/MSMC", 2, "l3", Cacheability::kOnChip},
    {"DDR Cacheable", 17, "ddr", Cacheability::kCacheable},
    {"DDR Non-cacheable", 18, "ddr", Cacheability::kNonCacheable},
    {"DDR", 17, "ddr", Cacheability::kCacheable},
}};

constexpr std::string_view kShape =
    "a row is: record, space, attribute, alignment, size in KB with two decimals, base address";

// A record's size is a 32-bit count of bytes in TIDL, so no row can print more KB than this.
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kLargestHundredths = (kMostBytes / 1024 + 1) * 100;
// TIDL has 16 records; a far larger number is another program's table.
constexpr std::uint32_t kLargestRecord = 255;
// No alignment is larger; a number behind the attribute that is, is a size.
constexpr std::uint64_t kLargestUsualAlignment = 4096;

using Fields = std::vector<std::string_view>;

Fields split(std::string_view text) {
  Fields fields;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string_view field = core::trim(text.substr(from, end - from));
    // An empty one is pointed at where it begins.
    fields.push_back(field.empty() ? text.substr(from, 0) : field);
    from = end + 1;
  }
  return fields;
}

const SpaceName* find_space(std::string_view name) {
  return core::find_in(kSpaces, name, &SpaceName::printed);
}

bool is_attribute(std::string_view text) {
  return text == "Persistent" || text == "Scratch";
}

tl::unexpected<RowProblem> problem(std::string_view field, std::string message, std::string hint) {
  return tl::make_unexpected(RowProblem{field, std::move(message), std::move(hint)});
}

// "2755.41" as hundredths; nothing where it is no such number.
std::optional<std::uint64_t> hundredths_of(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || text.size() != dot + 3) {
    return std::nullopt;
  }
  const auto whole = whole_number(text.substr(0, dot));
  const auto parts = whole_number(text.substr(dot + 1));
  if (!whole || !parts) {
    return std::nullopt;
  }
  return *whole > kLargestHundredths ? kLargestHundredths + 1 : *whole * 100 + *parts;
}

std::optional<std::uint64_t> hex_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Null is no address, but the low word of a pointer may be 0.
void set_pointer(Block& block, std::uint64_t address) {
  if (address != 0) {
    block.address = model::PrintedAddress::whole(address);
  }
}

tl::expected<void, RowProblem> parse_kib(std::string_view field, Block& block) {
  const auto hundredths = hundredths_of(field);
  if (!hundredths) {
    return problem(field,
                   fmt::format("'{}' is not a size", core::printable(field, 40)),
                   "a size is in KB of 1024 bytes with two decimals, such as 2755.41");
  }
  if (*hundredths > kLargestHundredths) {
    return problem(field,
                   fmt::format("{} KB is more than a record can hold", field),
                   "a record is smaller than 4 GiB (4194304 KB)");
  }
  block.size = model::measured_kib(*hundredths);
  return {};
}

tl::expected<void, RowProblem> parse_alignment(std::string_view field, Block& block) {
  constexpr std::uint32_t kLargestAlignment = 1U << 20U;
  const auto number = whole_number(field);
  const auto align = number ? core::Align::make(*number) : std::nullopt;
  if (!align || align->value() > kLargestAlignment) {
    return problem(field,
                   fmt::format("'{}' is not an alignment", core::printable(field, 40)),
                   "an alignment is a power of two in bytes, at most 1 MiB");
  }
  block.alignment = *align;
  return {};
}

// "0x%08x" always prints eight digits; fewer were cut.
tl::expected<void, RowProblem> parse_base(std::string_view field, Block& block) {
  constexpr std::size_t kDigits = 8;
  const bool prefixed = field.starts_with("0x") || field.starts_with("0X");
  const auto address =
      prefixed && field.size() == kDigits + 2 ? hex_number(field.substr(2)) : std::nullopt;
  if (!address) {
    return problem(field,
                   fmt::format("'{}' is not a base address", core::printable(field, 40)),
                   "a base is 0x and eight hexadecimal digits");
  }
  block.address = model::PrintedAddress::low(*address);
  return {};
}

tl::expected<void, RowProblem> parse_placed(const Fields& fields, Block& block) {
  auto done = parse_alignment(fields[3], block);
  if (done) {
    done = parse_kib(fields[4], block);
  }
  return done ? parse_base(fields[5], block) : done;
}

// The rows of before SDK 9 have a size alone, told from a newer row that was cut behind its
// alignment.
bool is_short_row(const Fields& fields) {
  constexpr std::size_t kFields = 4;
  if (fields.size() != kFields) {
    return false;
  }
  if (hundredths_of(fields[3])) {
    return true;
  }
  const auto bytes = whole_number(fields[3]);
  return bytes &&
         (fields[1] == "DDR" || (!fields[1].starts_with("DDR") && *bytes > kLargestUsualAlignment));
}

tl::expected<void, RowProblem> parse_short(const Fields& fields, Row& row) {
  if (fields[3].find('.') != std::string_view::npos) {
    row.form = "kib";
    return parse_kib(fields[3], row.block);
  }
  const auto bytes = whole_number(fields[3]);
  if (!bytes || *bytes > kMostBytes) {
    return problem(fields[3],
                   fmt::format("{} bytes are more than a record can hold", fields[3]),
                   "a record is smaller than 4 GiB");
  }
  row.form = "bytes";
  row.block.size = model::measured_exactly(core::Bytes{*bytes});
  return {};
}

// The number behind `words`, which end in " = " or " "; the rest of the text follows it.
std::optional<std::uint64_t> number_behind(std::string_view& text, std::string_view words) {
  const std::size_t found = text.find(words);
  if (found == std::string_view::npos) {
    return std::nullopt;
  }
  text.remove_prefix(found + words.size());
  text = text.substr(std::min(text.find_first_not_of(kBlank), text.size()));
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = whole_number(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

}  // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

bool space_of(std::uint64_t code, std::string& space, Cacheability& cacheability) {
  const auto* found = core::find_in(kSpaces, code, &SpaceName::code);
  if (found == nullptr) {
    return false;
  }
  space = found->space;
  cacheability = found->cacheability;
  return true;
}

// A number, a comma, and either a known space or an attribute.
bool looks_like_row(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !whole_number(core::trim(text.substr(0, comma)))) {
    return false;
  }
  const Fields fields = split(text);
  return (fields.size() > 2 && is_attribute(fields[2])) || fields[1].starts_with("DDR") ||
         fields[1].starts_with("L3/") || fields[1] == "L1D";
}

tl::expected<Row, RowProblem> parse_row(std::string_view text) {
  constexpr std::size_t kFields = 6;
  const Fields fields = split(text);
  const bool is_short = is_short_row(fields);
  if (!is_short && fields.size() != kFields) {
    return problem(fields.back(),
                   fmt::format("this record has {} where {} are expected",
                               core::plural(fields.size(), "field"),
                               kFields),
                   "the line was cut or joined with another; " + std::string{kShape});
  }
  Row row;
  const auto record = whole_number(fields[0]);
  if (!record || *record > kLargestRecord) {
    return problem(
        fields[0], fmt::format("record number {} is too large", fields[0]), std::string{kShape});
  }
  row.block.record = static_cast<std::uint32_t>(*record);
  const SpaceName* space = find_space(fields[1]);
  if (space == nullptr || (fields[1] == "DDR" && !is_short)) {
    return problem(fields[1],
                   fmt::format("'{}' is not a memory space", core::printable(fields[1], 40)),
                   "the spaces are: L1D, L2, L3/MSMC, DDR Cacheable, DDR Non-cacheable");
  }
  row.block.space = space->space;
  row.block.cacheability = space->cacheability;
  if (!is_attribute(fields[2])) {
    return problem(fields[2],
                   fmt::format("'{}' is not an attribute", core::printable(fields[2], 40)),
                   "the attributes are: Persistent, Scratch");
  }
  row.block.lifetime =
      fields[2] == "Scratch" ? model::Lifetime::kScratch : model::Lifetime::kPersistent;
  row.form = "kib-placed";
  const auto done = is_short ? parse_short(fields, row) : parse_placed(fields, row.block);
  MEMSIZE_TRY(done);
  return row;
}

std::optional<Row> parse_test_row(std::string_view text) {
  constexpr std::size_t kFields = 4;
  const Fields fields = split(text);
  if (fields.size() != kFields) {
    return std::nullopt;
  }
  const auto record = whole_number(fields[0]);
  const auto code = whole_number(fields[1]);
  const auto bytes = whole_number(fields[2]);
  // The address stands behind a blank, not a comma.
  const std::size_t blank = std::min(fields[3].find_first_of(kBlank), fields[3].size());
  const std::string_view mib = fields[3].substr(0, blank);
  const std::string_view pointer = core::trim(fields[3].substr(blank));
  Row row{.form = "test"};
  if (!record || *record > kLargestRecord || !bytes || *bytes > kMostBytes || !code ||
      !space_of(*code, row.block.space, row.block.cacheability) ||
      mib.find_first_not_of("0123456789.") != std::string_view::npos || pointer.empty()) {
    return std::nullopt;
  }
  row.block.record = static_cast<std::uint32_t>(*record);
  row.block.size = model::measured_exactly(core::Bytes{*bytes});
  // The size is printed twice, the second time in MiB with three decimals.
  if (mib != fmt::format("{:.3f}", static_cast<double>(*bytes) / (1U << 20U))) {
    return std::nullopt;
  }
  const auto address =
      pointer.starts_with("0x") ? hex_number(pointer.substr(2)) : hex_number(pointer);
  if (address) {
    set_pointer(row.block, *address);
  } else if (pointer != "(nil)") {
    return std::nullopt;
  }
  return row;
}

std::optional<Row> parse_request(std::string_view text) {
  const bool granted = text.find("Allocated memory record") != std::string_view::npos;
  if (!granted && text.find("Allocating memory record") == std::string_view::npos) {
    return std::nullopt;
  }
  const auto record = number_behind(text, "memory record ");
  if (!text.starts_with(" @ space = ")) {
    return std::nullopt;
  }
  const auto code = number_behind(text, " @ space = ");
  // A number ends where something else follows; what touches it may have cut it.
  const std::string_view next = core::trim(text);
  const bool ends = text.starts_with(',') || text.starts_with(' ') || text.starts_with('\t');
  const bool goes_on =
      granted ? next.starts_with("and ") : next.starts_with(',') || next.starts_with("size ");
  if (!ends || !goes_on) {
    return std::nullopt;
  }
  const auto bytes = number_behind(text, "size = ");
  // A number that was cut is a smaller one.
  if (!core::trim(text).starts_with(',')) {
    return std::nullopt;
  }
  Row row{.form = "requests"};
  if (!record || *record > kLargestRecord || !code || !bytes || *bytes > kMostBytes ||
      !space_of(*code, row.block.space, row.block.cacheability)) {
    return std::nullopt;
  }
  row.block.record = static_cast<std::uint32_t>(*record);
  row.block.size = model::measured_exactly(core::Bytes{*bytes});
  const std::size_t behind_size = text.find("addr = ");
  if (behind_size != std::string_view::npos) {
    std::string_view pointer = text.substr(behind_size + 7);
    pointer = pointer.substr(0, std::min(pointer.find_first_of(" \t"), pointer.size()));
    if (pointer.starts_with("0x")) {
      pointer.remove_prefix(2);
    }
    if (const auto address = hex_number(pointer); address) {
      set_pointer(row.block, *address);
    }
  } else if (!granted) {
    const auto align = core::Align::make(number_behind(text, "align = ").value_or(0));
    if (!align) {
      return std::nullopt;
    }
    row.block.alignment = *align;
  }
  return row;
}

std::optional<model::ClassTotal> parse_total(std::string_view text) {
  text = core::trim(text);
  const std::size_t open = text.find('(');
  const std::size_t comma = text.find(',');
  model::ClassTotal total;
  std::string_view name;
  std::string_view rest;
  if (open != std::string_view::npos && (comma == std::string_view::npos || open < comma)) {
    name = core::trim(text.substr(0, open));
    const std::size_t close = text.find(')', open);
    const std::string_view lifetime =
        text.substr(open + 1, std::min(close, text.size()) - open - 1);
    if (close == std::string_view::npos || !is_attribute(lifetime)) {
      return std::nullopt;
    }
    total.lifetime =
        lifetime == "Scratch" ? model::Lifetime::kScratch : model::Lifetime::kPersistent;
    rest = core::trim(text.substr(close + 1));
  } else if (comma != std::string_view::npos) {
    name = core::trim(text.substr(0, comma));
    rest = text.substr(comma);
  }
  const SpaceName* space = find_space(name);
  if (space == nullptr) {
    return std::nullopt;
  }
  if (rest.starts_with(',')) {
    rest = core::trim(rest.substr(1));
  }
  const auto hundredths =
      hundredths_of(rest.substr(0, std::min(rest.find_first_of(kBlank), rest.size())));
  if (!hundredths || *hundredths > kLargestHundredths) {
    return std::nullopt;
  }
  total.space = space->space;
  total.cacheability = space->cacheability;
  total.size = model::measured_kib(*hundredths);
  return total;
}

bool resembles_row(std::string_view text) {
  const auto names_space = [](std::string_view field) {
    return std::ranges::any_of(kSpaces, [&](const SpaceName& space) {
      return field.find(space.printed) != std::string_view::npos;
    });
  };
  constexpr std::size_t kFewest = 4;
  const Fields fields = split(text);
  return fields.size() >= kFewest && std::ranges::any_of(fields, is_attribute) &&
         std::ranges::any_of(fields, names_space);
}

bool looks_like_test_row(std::string_view text) {
  constexpr std::size_t kFields = 4;
  const Fields fields = split(text);
  return fields.size() == kFields && whole_number(fields[0]) && whole_number(fields[1]);
}

bool looks_like_total(std::string_view text) {
  text = core::trim(text);
  const std::size_t open = text.find('(');
  const std::size_t close = text.find(')');
  const bool space = find_space(core::trim(text.substr(0, std::min(open, close)))) != nullptr;
  const auto holds = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  const bool attribute =
      holds("(Persistent") || holds("(Scratch") || holds("Persistent)") || holds("Scratch)");
  bool size = false;
  for (std::size_t dot = text.find('.'); dot != std::string_view::npos && !size;
       dot = text.find('.', dot + 1)) {
    const std::size_t begin = text.find_last_of(" \t,)", dot) + 1;
    size = hundredths_of(text.substr(begin, dot + 3 - begin)).has_value();
  }
  return !looks_like_row(text) && (attribute ? space || size : space && size && open != close);
}

}  // namespace memsize::readers
