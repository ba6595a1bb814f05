// Parsers take what is exact and refuse the rest. format_size() rounds what is no whole KiB, while
// format_setting() never does. Each escape is that of one reader: a terminal, a shell, Markdown.
#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

namespace memsize::core {

namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::array<Unit, 5> kUnits = {{
    {"", 1},
    {"B", 1},
    {"KiB", 1ULL << 10},
    {"MiB", 1ULL << 20},
    {"GiB", 1ULL << 30},
}};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string bad_size(std::string_view text) {
  return fmt::format("'{}' is not a size", printable(text, 40));
}

constexpr std::string_view kSizeHint =
    "a size is a number of bytes (4096, 0x1000) or a number with KiB, MiB or GiB (64MiB)";

// Digits with single '_' between them removed; nothing where a character is no digit of `base`.
std::optional<std::uint64_t> parse_digits(std::string_view text, int base) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_') {
      if (i == 0 || i + 1 == text.size() || text[i - 1] == '_') {
        return std::nullopt;
      }
      continue;
    }
    digits.push_back(text[i]);
  }
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [rest, failure] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || failure != std::errc{} || rest != end) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> parse_integer(std::string_view text) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    return parse_digits(text.substr(2), 16);
  }
  return parse_digits(text, 10);
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (to_lower(unit.name) == to_lower(name)) {
      return &unit;
    }
  }
  return nullptr;
}

// "1.5" of a unit, exactly: nothing where the result is not a whole number of bytes.
std::optional<std::uint64_t> scale_decimal(std::string_view number, std::uint64_t factor) {
  const std::size_t dot = number.find('.');
  const std::string_view fraction = number.substr(dot + 1);
  const auto whole = parse_digits(number.substr(0, dot), 10);
  const auto parts = parse_digits(fraction, 10);
  // Separators group whole digits; behind the point they would change what a digit is worth.
  const bool grouped = fraction.find('_') != std::string_view::npos;
  if (!whole || !parts || grouped || fraction.size() > 9) {
    return std::nullopt;
  }
  std::uint64_t scale = 1;
  for (std::size_t i = 0; i < fraction.size(); ++i) {
    scale *= 10;
  }
  const auto scaled = checked_mul(*parts, factor);
  if (!scaled || *scaled % scale != 0) {
    return std::nullopt;
  }
  const auto base = checked_mul(*whole, factor);
  return base ? checked_add(*base, *scaled / scale) : std::nullopt;
}

// A size has at most 9 digits behind its point: of this many parts it is a whole number.
constexpr std::uint64_t kFinest = 1'000'000'000;

std::string escaped_bytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// Bytes of the character that `text` begins with; 0 where it begins with none. Surrogates, longer
// forms than needed and what lies beyond Unicode are none (RFC 3629).
std::size_t utf8_length(std::string_view text) {
  struct Form {
    unsigned char first, last, second_least, second_most;
    std::size_t length;
  };

  constexpr std::array<Form, 8> kForms = {{{0x00, 0x7F, 0, 0, 1},
                                           {0xC2, 0xDF, 0x80, 0xBF, 2},
                                           {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                           {0xED, 0xED, 0x80, 0x9F, 3},
                                           {0xE1, 0xEF, 0x80, 0xBF, 3},
                                           {0xF0, 0xF0, 0x90, 0xBF, 4},
                                           {0xF1, 0xF3, 0x80, 0xBF, 4},
                                           {0xF4, 0xF4, 0x80, 0x8F, 4}}};
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto form = std::ranges::find_if(
      kForms, [&](const Form& one) { return one.first <= byte(0) && byte(0) <= one.last; });
  if (form == kForms.end() || text.size() < form->length) {
    return 0;
  }
  for (std::size_t i = 1; i < form->length; ++i) {
    const bool second = i == 1;
    if (byte(i) < (second ? form->second_least : 0x80) ||
        byte(i) > (second ? form->second_most : 0xBF)) {
      return 0;
    }
  }
  return form->length;
}

struct Letters {
  char32_t first, last;
};

// Unicode's Default_Ignorable_Code_Point, which nobody sees and which may turn a line around, line
// and paragraph separators, and what is no character: no XML may have U+FFFE.
constexpr std::array<Letters, 19> kUnseen = {{
    {0xAD, 0xAD},     {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},
    {0x180B, 0x180F}, {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
    {0xFDD0, 0xFDEF}, {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
}};

// Marks on the letter before, as systems write them that keep letters and marks apart.
constexpr std::array<Letters, 13> kMarks = {{
    {0x300, 0x36F},
    {0x483, 0x489},
    {0x591, 0x5BD},
    {0x64B, 0x65F},
    {0xE31, 0xE31},
    {0xE34, 0xE3A},
    {0xE47, 0xE4E},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF},
    {0x302A, 0x302D},
    {0x3099, 0x309A},
    {0xFE20, 0xFE2F},
}};

// East Asian letters and pictures.
constexpr std::array<Letters, 13> kWide = {{
    {0x1100, 0x115F},
    {0x2329, 0x232A},
    {0x2E80, 0x303E},
    {0x3041, 0xA4CF},
    {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},
    {0xFE10, 0xFE19},
    {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F},
    {0x1F680, 0x1F9FF},
    {0x20000, 0x3FFFD},
}};

template <std::size_t N>
bool has_letter(const std::array<Letters, N>& letters, char32_t code) {
  return std::ranges::any_of(
      letters, [&](const Letters& each) { return each.first <= code && code <= each.last; });
}

struct Character {
  std::string_view bytes;
  /// Showing it does nothing but show it: no command to a terminal, and no byte that is no UTF-8,
  /// which may be one.
  bool is_harmless = false;
  /// On a terminal.
  std::size_t columns = 1;

  [[nodiscard]] std::string shown() const {
    if (is_harmless) {
      return std::string{bytes};
    }
    return bytes == "\t" ? " " : escaped_bytes(bytes);
  }
};

// How many letters of ASCII the text begins with, which need no second look.
std::size_t plain_ascii(std::string_view text) {
  const auto end = std::ranges::find_if_not(text, [](char c) { return c >= 0x20 && c < 0x7F; });
  return static_cast<std::size_t>(end - text.begin());
}

Character next_character(std::string_view text) {
  const std::size_t length = utf8_length(text);
  if (length <= 1) {
    const std::string_view byte = text.substr(0, 1);
    return {byte, length == 1 && byte >= " " && byte != "\x7F"};
  }
  constexpr std::array<unsigned, 5> kBitsOfFirst = {0, 0, 0x1F, 0x0F, 0x07};
  char32_t code = static_cast<unsigned char>(text[0]) & kBitsOfFirst.at(length);
  for (std::size_t i = 1; i < length; ++i) {
    code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  return {text.substr(0, length),
          code >= 0xA0 && !has_letter(kUnseen, code),
          has_letter(kMarks, code)  ? 0U
          : has_letter(kWide, code) ? 2U
                                    : 1U};
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the table for the last two letters of `a`, and for this one.
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitute});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row.back();
}

}  // namespace

Result<Bytes> parse_bytes(std::string_view text, const Place& place) {
  const std::string_view trimmed = trim(text);
  const auto refuse = [&](std::string hint) {
    return fail(error(Code::kTextSize, bad_size(text), place, std::move(hint)));
  };
  if (trimmed.empty()) {
    return refuse(std::string{kSizeHint});
  }
  if (trimmed.front() == '-') {
    return refuse("a size cannot be negative");
  }
  const bool hex = trimmed.size() > 2 && trimmed[0] == '0' && (trimmed[1] | 0x20) == 'x';
  std::size_t split = trimmed.size();
  if (!hex) {
    while (split > 0 && std::isalpha(static_cast<unsigned char>(trimmed[split - 1])) != 0) {
      --split;
    }
  }
  const std::string_view unit_name = trimmed.substr(split);
  const std::string_view number = trim(trimmed.substr(0, split));
  const std::string lower = to_lower(unit_name);
  if (lower == "kb" || lower == "mb" || lower == "gb") {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(lower[0])));
    return refuse(fmt::format(
        "{}B means 1000 or 1024 depending on whom you ask: write {}iB for powers of 1024",
        letter,
        letter));
  }
  const Unit* unit = find_unit(unit_name);
  if (unit == nullptr) {
    return refuse(std::string{kSizeHint});
  }
  const bool decimal = number.find('.') != std::string_view::npos;
  const auto value = decimal ? scale_decimal(number, unit->factor) : parse_integer(number);
  const auto bytes = decimal || !value ? value : checked_mul(*value, unit->factor);
  if (!bytes) {
    const std::string_view figures = hex ? number.substr(2) : number;
    const bool digits = !figures.empty() && std::ranges::all_of(figures, [&](char c) {
      return hex ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : is_digit(c);
    });
    const bool is_number =
        decimal && scale_decimal(number, kFinest) &&
        checked_mul(*parse_digits(number.substr(0, number.find('.')), 10), unit->factor);
    return refuse(digits      ? "the largest size is 2^64 - 1 bytes"
                  : is_number ? "that is no whole number of bytes: write how many it is"
                              : std::string{kSizeHint});
  }
  return Bytes{*bytes};
}

Result<std::uint64_t> parse_address(std::string_view text, const Place& place) {
  const auto value = parse_integer(trim(text));
  if (!value) {
    return fail(error(Code::kTextSize,
                      fmt::format("'{}' is not an address", printable(text, 40)),
                      place,
                      "an address is a number of at most 64 bits, such as 0x880000000"));
  }
  return *value;
}

std::string format_hex(std::uint64_t value) {
  return fmt::format("0x{:X}", value);
}

std::string format_address(PhysAddr address) {
  return format_hex(address.value());
}

std::string format_address(VirtAddr address) {
  return format_hex(address.value());
}

template <typename A>
std::string format_range(const Range<A>& range) {
  const auto end = checked_add(range.base().value(), range.size().count());
  return fmt::format("[{}, {})", format_hex(range.base().value()), end ? format_hex(*end) : "2^64");
}

template std::string format_range(const PhysRange&);
template std::string format_range(const VirtRange&);

std::string format_size(Bytes size) {
  // A longer number says less than one with decimals.
  constexpr std::uint64_t kLongest = 9999;
  const std::uint64_t count = size.count();
  if (count == 0) {
    return "0 B";
  }
  for (auto unit = kUnits.rbegin(); unit->factor > 1; ++unit) {
    if (count % unit->factor == 0 && count / unit->factor <= kLongest) {
      return fmt::format("{} {}", count / unit->factor, unit->name);
    }
  }
  // A size that is whole KiB is said exactly: it is a region's, and two of them may be 4 KiB apart.
  if (count % kKiB.count() == 0 && count % kMiB.count() * 100 % kMiB.count() != 0) {
    return fmt::format("{} KiB", count / kKiB.count());
  }
  // GiB only where MiB would have five digits, KiB only where MiB would begin with a zero.
  constexpr std::uint64_t kLeastOfKiB = 10;
  for (const Unit& unit : {kUnits[4], kUnits[3], kUnits[2]}) {
    const std::uint64_t least = unit.factor == kGiB.count()   ? (kLongest + 1) * kMiB.count()
                                : unit.factor == kKiB.count() ? kLeastOfKiB * unit.factor
                                                              : unit.factor;
    if (count >= least) {
      return fmt::format(
          "{:.2f} {}", static_cast<double>(count) / static_cast<double>(unit.factor), unit.name);
    }
  }
  return format_bytes(size);
}

std::string format_setting(Bytes size) {
  for (auto unit = kUnits.rbegin(); unit->factor > 1; ++unit) {
    if (size.count() != 0 && size.count() % unit->factor == 0) {
      return fmt::format("{}{}", size.count() / unit->factor, unit->name);
    }
  }
  return fmt::format("{}", size.count());
}

std::string format_bytes(Bytes size) {
  std::string digits = fmt::format("{}", size.count());
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, 1, ' ');
  }
  return digits + " B";
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  if (count == 1) {
    return fmt::format("1 {}", one);
  }
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return text.starts_with(kByteOrderMark) ? text.substr(kByteOrderMark.size()) : text;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

std::string to_lower(std::string_view text) {
  std::string lower{text};
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string printable(std::string_view text, std::size_t max) {
  std::string out;
  for (std::size_t columns = 0; !text.empty();) {
    if (columns >= max) {
      return out + "...";
    }
    const std::size_t plain = std::min(plain_ascii(text), max - columns);
    if (plain != 0) {
      out += text.substr(0, plain);
      columns += plain;
      text.remove_prefix(plain);
      continue;
    }
    const Character next = next_character(text);
    const std::string shown = next.shown();
    // No name is a heap of marks.
    columns += next.is_harmless ? std::max<std::size_t>(next.columns, 1) : shown.size();
    out += shown;
    text.remove_prefix(next.bytes.size());
  }
  return out;
}

std::string ascii_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char& c : text) {
    if (static_cast<unsigned char>(c) < 0x80) {
      out += c;
    } else {
      out += escaped_bytes({&c, 1});
    }
  }
  return out;
}

std::size_t text_width(std::string_view text) {
  std::size_t columns = plain_ascii(text);
  text.remove_prefix(columns);
  while (!text.empty()) {
    const Character next = next_character(text);
    columns += next.columns;
    text.remove_prefix(next.bytes.size());
  }
  return columns;
}

bool is_utf8(std::string_view text) {
  for (text.remove_prefix(plain_ascii(text)); !text.empty();
       text.remove_prefix(plain_ascii(text))) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      return false;
    }
    text.remove_prefix(length);
  }
  return true;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "_./=:,@%+-";
  const auto is_plain = [&](char c) {
    return is_digit(c) || std::isalpha(static_cast<unsigned char>(c)) != 0 ||
           kPlain.find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) {
    return std::string{text};
  }
  const bool visible = visible_text(text) == text;
  // Between $'' a shell knows escapes, so that no byte has to stand for itself.
  std::string word = visible ? "'" : "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (visible) {
      word += c == '\'' ? "'\\''" : std::string(1, c);
    } else if (c == '\'' || c == '\\') {
      word += fmt::format("\\{}", c);
    } else {
      // Three octal digits: what follows may be a digit.
      word += byte < 0x20 || byte >= 0x7F ? fmt::format("\\{:03o}", byte) : std::string(1, c);
    }
  }
  return word + "'";
}

std::string shell_path(std::string_view path) {
  const bool is_option = path.size() > 1 && path.front() == '-';
  return shell_word(is_option ? fmt::format("./{}", path) : std::string{path});
}

std::string escape_markdown(std::string_view text) {
  // Markdown is shown as HTML: nothing may begin an element, a link, a picture or a cell.
  constexpr std::string_view kSpecial = "\\`[]|";
  std::string one_line{text};
  std::ranges::replace(one_line, '\n', ' ');
  std::string escaped;
  for (const char c : visible_text(one_line)) {
    if (kSpecial.find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  }
  return escaped;
}

std::string visible_text(std::string_view text) {
  return printable(text, std::string_view::npos);
}

std::string masked_text(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = next_character(text);
    out +=
        next.is_harmless || next.bytes == "\t" ? next.shown() : std::string(next.bytes.size(), '?');
    text.remove_prefix(next.bytes.size());
  }
  return out;
}

bool is_one_of(std::string_view word, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) {
      return true;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

bool is_identifier(std::string_view text) {
  if (text.empty() || is_digit(text.front())) {
    return false;
  }
  return std::ranges::all_of(text, [](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

std::string did_you_mean(std::string_view wrong,
                         const std::vector<std::string>& names,
                         std::string_view else_all) {
  constexpr std::size_t kFarthest = 3;
  constexpr std::size_t kTelling = 5;
  const std::string asked = to_lower(wrong);
  // Whoever abbreviates means a name that begins like this, whoever says more one that this begins
  // with: the one that differs least. Only where there is none, letters may be wrong.
  std::string_view nearest;
  std::size_t missing = std::string::npos;
  for (const std::string& name : names) {
    const std::string known = to_lower(name);
    const std::size_t shorter = std::min(asked.size(), known.size());
    const std::size_t beyond = std::max(asked.size(), known.size()) - shorter;
    if (shorter >= kTelling && beyond < missing &&
        asked.compare(0, shorter, known, 0, shorter) == 0) {
      nearest = name;
      missing = beyond;
    }
  }
  // Short words are a few edits from everything: one for each three letters.
  const std::size_t most = std::min(kFarthest, std::max(wrong.size() / 3, std::size_t{1}));
  std::size_t nearest_distance = most + 1;
  for (std::size_t i = 0; missing == std::string::npos && i < names.size(); ++i) {
    // Each letter that one is longer is an edit.
    if (std::max(asked.size(), names[i].size()) > std::min(asked.size(), names[i].size()) + most) {
      continue;
    }
    const std::size_t distance = edit_distance(asked, to_lower(names[i]));
    if (distance < nearest_distance) {
      nearest = names[i];
      nearest_distance = distance;
    }
  }
  if (!nearest.empty()) {
    return fmt::format("did you mean '{}'?", printable(nearest));
  }
  return else_all.empty() ? std::string{} : fmt::format("{}: {}", else_all, join(names, ", "));
}

bool one_byte_off(std::string_view a, std::string_view b) {
  std::size_t others = a.size() == b.size() ? 0 : 2;
  for (std::size_t i = 0; i < a.size() && others < 2; ++i) {
    others += a[i] == b[i] ? 0U : 1U;
  }
  return others == 1;
}

}  // namespace memsize::core
