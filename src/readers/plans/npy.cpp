// NumPy's .npy: a magic word, a version, the length of a header, and a header in Python's words
// (numpy.lib.format). Only what says how the bytes lie is looked at.
#include "memsize/core/text.hpp"
#include "memsize/readers/constants_reader.hpp"

#include "tidl_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

constexpr std::string_view kNpyMagic{"\x93NUMPY", 6};
constexpr std::size_t kNpyVersion = 6;
constexpr std::size_t kNpyLength = 8;

tl::unexpected<core::Diagnostics> wrong_npy(const std::string& path, std::string what) {
  return core::fail(core::error(core::Code::kEmitData,
                                std::move(what),
                                {path},
                                "write it with numpy.save, or the plain bytes as .bin"));
}

// The value of a key in the header's dictionary, up to what ends it; nothing: it has no such key.
std::optional<std::string_view> value_in_header(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::size_t at = header.find(fmt::format("{0}{1}{0}", quote, key));
    const std::size_t colon = at == std::string_view::npos ? at : header.find(':', at);
    if (colon != std::string_view::npos) {
      const std::string_view rest = header.substr(colon + 1);
      return core::trim(rest.substr(0, rest.find_first_of(",}")));
    }
  }
  return std::nullopt;
}

// "(16, 32)", "(10,)", "()"; none where the header does not say it.
std::optional<std::vector<std::uint64_t>> shape_in(std::string_view header) {
  const std::size_t key = header.find("shape");
  if (key == std::string_view::npos) {
    return std::vector<std::uint64_t>{};
  }
  const std::size_t open = header.find('(', std::min(key, header.size()));
  const std::size_t close = header.find(')', std::min(open, header.size()));
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> shape;
  std::string_view rest = header.substr(open + 1, close - open - 1);
  while (!core::trim(rest).empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto number = whole_number(core::trim(rest.substr(0, comma)));
    if (!number) {
      return std::nullopt;
    }
    shape.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return shape;
}

// What the header says; 0: it does not. Of text ('U') a number is of characters.
std::uint64_t said_size(const NpyArray& array) {
  const bool is_text = array.type.size() > 1 && array.type[1] == 'U';
  const auto element = whole_number(array.type.substr(std::min<std::size_t>(array.type.size(), 2)));
  std::uint64_t bytes = array.shape.empty() || is_text ? 0 : element.value_or(0);
  for (const std::uint64_t count : array.shape) {
    bytes = core::checked_mul(bytes, count).value_or(UINT64_MAX);
  }
  return bytes;
}

}  // namespace

core::Result<NpyArray> read_npy(std::string_view text, const std::string& path) {
  if (!text.starts_with(kNpyMagic) || text.size() < kNpyLength + 2) {
    return wrong_npy(path, "this is no array of NumPy's");
  }
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const std::size_t width = byte(kNpyVersion) == 1 ? 2 : 4;
  const std::size_t begin = kNpyLength + width;
  if (byte(kNpyVersion) < 1 || byte(kNpyVersion) > 3 || text.size() < begin) {
    return wrong_npy(path, "this is no array of NumPy's that memsize knows (versions 1 to 3)");
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < width; ++i) {
    length |= static_cast<std::size_t>(byte(kNpyLength + i)) << (8 * i);
  }
  if (length > text.size() - begin) {
    return wrong_npy(path, "the array's header is cut off");
  }
  const std::string_view header = text.substr(begin, length);
  const auto type = value_in_header(header, "descr");
  const auto order = value_in_header(header, "fortran_order");
  if (!type || !order) {
    return wrong_npy(
        path, fmt::format("the array's header has no '{}'", type ? "fortran_order" : "descr"));
  }
  if (*order != "False") {
    return wrong_npy(path, "the array lies in Fortran's order, and models read rows");
  }
  // A list is of records; '>' has the larger byte first, and of objects there are only addresses.
  if (type->size() < 3 || type->front() == '[' || (*type)[1] == '>' ||
      type->find('O') != type->npos) {
    return wrong_npy(path,
                     fmt::format("the array's type is {}, whose bytes cannot be taken as they lie",
                                 core::printable(*type, 40)));
  }
  auto shape = shape_in(header);
  if (!shape) {
    return wrong_npy(path, "the array's header has a 'shape' that is no list of numbers");
  }
  NpyArray array{type->substr(1, type->size() - 2), std::move(*shape), text.substr(begin + length)};
  if (const std::uint64_t said = said_size(array); said > array.bytes.size()) {
    return wrong_npy(
        path, fmt::format("the array is cut off: it has {} B of {} B", array.bytes.size(), said));
  }
  return array;
}

}  // namespace memsize::readers
