// Writes a number in the width and letters of the old one and its neighbours, keeps quotes and
// products, and pairs old entries with wanted ones in their order, as many alike as can be.
#include "edit_style.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

constexpr std::uint64_t kKilo = 1024;

// A number's parts as they are written.
struct Written {
  bool is_hex = false;
  std::string prefix;
  std::string digits;
  std::string suffix;
};

Written written_parts(std::string_view text) {
  Written parts{.is_hex = text.starts_with("0x") || text.starts_with("0X")};
  parts.prefix = parts.is_hex ? text.substr(0, 2) : std::string_view{};
  text.remove_prefix(parts.prefix.size());
  const std::size_t end = std::min(text.find_first_of("uUlL"), text.size());
  for (const char c : text.substr(0, end)) {
    parts.digits += c == '_' ? std::string{} : std::string(1, c);
  }
  parts.suffix = text.substr(end);
  return parts;
}

bool has(const std::string& digits, char first, char last) {
  return std::ranges::any_of(digits, [&](char c) { return c >= first && c <= last; });
}

bool is_padded(const Written& number) {
  return number.digits.size() > 1 && number.digits.front() == '0';
}

// The neighbours' digits: case and, in `width`, how wide all of them are at least; 0 where one of
// them is shorter than the padded ones.
struct HexStyle {
  bool lower = false;
  std::size_t width = 0;
};

HexStyle style_of(const Written& old, const std::vector<Written>& neighbours) {
  HexStyle style;
  std::vector<const Written*> all = {&old};
  for (const Written& neighbour : neighbours) {
    all.push_back(&neighbour);
  }
  const auto lettered = std::ranges::find_if(all, [](const Written* number) {
    return number->is_hex && (has(number->digits, 'a', 'f') || has(number->digits, 'A', 'F'));
  });
  style.lower = lettered != all.end() && has((*lettered)->digits, 'a', 'f');
  if (is_padded(old)) {
    style.width = old.digits.size();
    return style;
  }
  std::size_t shortest = SIZE_MAX;
  for (const Written* number : all) {
    if (number->is_hex) {
      shortest = std::min(shortest, number->digits.size());
      style.width = is_padded(*number) ? std::max(style.width, number->digits.size()) : style.width;
    }
  }
  style.width = shortest < style.width ? 0 : style.width;
  return style;
}

}  // namespace

std::string restyled(std::string_view old,
                     std::uint64_t value,
                     const std::vector<std::string>& neighbours) {
  Written own = written_parts(old);
  std::vector<Written> others;
  others.reserve(neighbours.size());
  for (const std::string& neighbour : neighbours) {
    others.push_back(written_parts(neighbour));
  }
  const auto hex = std::ranges::find_if(others, [](const Written& other) { return other.is_hex; });
  if (!own.is_hex && (own.digits == "0" || own.digits.empty()) && hex != others.end()) {
    own.is_hex = true;
    own.prefix = hex->prefix;
  }
  if (!own.is_hex) {
    return fmt::format("{}{}", value, own.suffix);
  }
  const HexStyle style = style_of(own, others);
  const std::string digits = style.lower ? fmt::format("{:x}", value) : fmt::format("{:X}", value);
  const std::size_t missing = style.width > digits.size() ? style.width - digits.size() : 0;
  return own.prefix + std::string(missing, '0') + digits + own.suffix;
}

std::string requoted(std::string_view old, std::string_view value) {
  const std::string quote = old.empty() || old.front() == '"' ? "\""
                            : old.front() == '\''             ? "'"
                                                              : "";
  return fmt::format("{}{}{}", quote, value, quote);
}

std::string resized_product(std::string_view old, std::uint64_t size) {
  if (old.find('*') == std::string_view::npos) {
    return {};
  }
  const std::size_t begin = old.find_first_of("0123456789");
  const std::size_t end = std::min(old.find_first_of(" *", begin), old.size());
  if (begin == std::string_view::npos || old.find_first_not_of("( ") != begin) {
    return {};
  }
  std::uint64_t units = 1;
  std::string rest;
  for (const char c : old.substr(end)) {
    if (c == '*') {
      units *= kKilo;
    } else if (c != ' ') {
      rest += c;
    }
  }
  // The other factors must be 1024 each, for the first one to be all that counts.
  const std::string suffix = written_parts(old.substr(begin, end - begin)).suffix;
  std::string expected;
  for (std::uint64_t unit = units; unit > 1; unit /= kKilo) {
    expected += "1024" + suffix;
  }
  const std::string brackets = rest.substr(std::min(rest.find(')'), rest.size()));
  if (rest != expected + brackets) {
    return {};
  }
  if (size % units == 0 && size / units < kKilo) {
    return fmt::format("{}{}{}{}", old.substr(0, begin), size / units, suffix, old.substr(end));
  }
  const unsigned factors = size < kKilo ? 0 : size < kKilo * kKilo ? 1 : 2;
  const std::uint64_t unit = factors == 0 ? 1 : factors == 1 ? kKilo : kKilo * kKilo;
  if (size % unit != 0) {
    return {};
  }
  std::string product = fmt::format("{}{}{}", old.substr(0, begin), size / unit, suffix);
  for (unsigned i = 0; i < factors; ++i) {
    product += fmt::format(" * 1024{}", suffix);
  }
  return product + brackets;
}

std::vector<std::optional<std::size_t>> partners(
    std::size_t old,
    std::size_t wanted,
    const std::function<bool(std::size_t, std::size_t)>& is_same) {
  // best[i][j]: what can be won from the i-th old and the j-th wanted on; each left alone costs 1.
  std::vector<std::vector<int>> best(old + 1, std::vector<int>(wanted + 1, 0));
  const auto pair = [&](std::size_t i, std::size_t j) {
    return best[i + 1][j + 1] + (is_same(i, j) ? 1 : 0);
  };
  for (std::size_t i = old + 1; i-- > 0;) {
    for (std::size_t j = wanted + 1; j-- > 0;) {
      if (i < old && j < wanted) {
        best[i][j] = std::max({pair(i, j), best[i + 1][j] - 1, best[i][j + 1] - 1});
      } else {
        best[i][j] = -static_cast<int>(old - i + wanted - j);
      }
    }
  }
  std::vector<std::optional<std::size_t>> found(wanted);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < old && j < wanted) {
    if (best[i][j] == pair(i, j)) {
      found[j++] = i++;
    } else if (best[i][j] == best[i + 1][j] - 1) {
      ++i;
    } else {
      ++j;
    }
  }
  return found;
}

}  // namespace memsize::sdk
