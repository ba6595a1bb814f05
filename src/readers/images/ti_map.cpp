// The map that TI's linkers write: of each region how much is used. Its table says each number
// twice, so that a damaged row shows. Sections are not read: what is used has the padding between
// them, and what lies at a region's end.
//
// Banners differ from tool to tool; the table and the line above it do not:
//            name            origin    length      used     unused   attr    fill
//   ----------------------  --------  ---------  --------  --------  ----  --------
//     MSRAM_0               70000100   0006ff00  00019ef8  00056008  RWIX
#include "ti_map.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::ImageRegion;

constexpr std::string_view kTableHead = "MEMORY CONFIGURATION";
constexpr std::string_view kOutput = "OUTPUT FILE NAME:";
constexpr std::string_view kEntry = "ENTRY POINT SYMBOL:";
constexpr std::string_view kAddress = "address:";
constexpr std::string_view kPage = "PAGE ";
constexpr std::string_view kColumnBlanks = " \t\r";
// No linker command file has more.
constexpr std::size_t kMostRows = 4096;
constexpr std::size_t kShortestNumber = 8;
constexpr std::size_t kLongestNumber = 16;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  // A name, four numbers, attributes with blanks between them, a fill value: no row has more.
  constexpr std::size_t kMostWords = 16;
  while (words.size() < kMostWords) {
    const std::size_t begin = line.find_first_not_of(kColumnBlanks);
    if (begin == std::string_view::npos) {
      break;
    }
    line.remove_prefix(begin);
    words.push_back(line.substr(0, line.find_first_of(kColumnBlanks)));
    line.remove_prefix(words.back().size());
  }
  return words;
}

std::optional<std::uint64_t> number_of(std::string_view word) {
  std::uint64_t value = 0;
  if (word.size() < kShortestNumber || word.size() > kLongestNumber) {
    return std::nullopt;
  }
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value, 16);
  return error == std::errc{} && at == end ? std::optional{value} : std::nullopt;
}

// "SEGMENT ALLOCATION MAP": the next part's title, which ends the table.
bool is_title(std::string_view line) {
  return !line.empty() && std::isupper(static_cast<unsigned char>(line.front())) != 0 &&
         line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ/ \r") == std::string_view::npos;
}

bool is_columns(std::string_view line) {
  const auto words = words_of(line);
  constexpr auto kColumns =
      std::to_array<std::string_view>({"name", "origin", "length", "used", "unused"});
  return words.size() >= kColumns.size() &&
         std::equal(kColumns.begin(), kColumns.end(), words.begin());
}

// "<sbl_ospi_linux.release.out>"
std::string_view between_angles(std::string_view text) {
  const std::size_t begin = text.find('<');
  const std::size_t end = text.rfind('>');
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? core::trim(text)
             : text.substr(begin + 1, end - begin - 1);
}

class TiMapReader {
 public:
  TiMapReader(std::string content, const std::string& path) {
    image_.path = path;
    image_.format = "ti-map";
    image_.is_linked = true;
    image_.content = core::SharedText{std::move(content)};
  }

  core::Result<model::Image> read() {
    std::string_view rest = image_.content.str();
    while (!rest.empty() && part_ != Part::kDone) {
      ++line_;
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    if (image_.regions.empty()) {
      return core::fail(
          core::error(Code::kImageSyntax,
                      fmt::format("this map ends before the regions of its '{}'", kTableHead),
                      {image_.path},
                      "link again with --map_file, and give the whole file"));
    }
    return std::move(image_);
  }

 private:
  enum class Part { kHead, kTable, kRows, kDone };

  void read_line(std::string_view line) {
    if (part_ == Part::kHead) {
      read_head(line);
    } else if (part_ == Part::kTable) {
      part_ = is_columns(line) ? Part::kRows : Part::kTable;
    } else if (is_title(line)) {
      part_ = Part::kDone;
    } else {
      read_row(line);
    }
  }

  void read_head(std::string_view line) {
    if (line.starts_with(kTableHead)) {
      part_ = Part::kTable;
    } else if (line.starts_with(kOutput)) {
      image_.output = between_angles(line.substr(kOutput.size()));
    } else if (line.starts_with(kEntry)) {
      const std::size_t at = line.rfind(kAddress);
      const auto words =
          words_of(at == std::string_view::npos ? "" : line.substr(at + kAddress.size()));
      image_.entry = words.empty() ? 0 : number_of(words.front()).value_or(0);
    }
  }

  void read_row(std::string_view line) {
    std::vector<std::string_view> words = words_of(line);
    if (words.empty() || words.front().starts_with("---") || core::trim(line).starts_with(kPage)) {
      return;
    }
    // A name that is too long for its column has a line of its own.
    if (!pending_.empty()) {
      if (words.front() == "*") {
        words.erase(words.begin());
      }
      words.insert(words.begin(), std::exchange(pending_, {}));
    } else if (words.size() == 1 || (words.size() == 2 && words.back() == "*")) {
      pending_ = words.front();
      while (pending_.ends_with('*')) {
        pending_.remove_suffix(1);
      }
      return;
    }
    add_row(words);
  }

  void add_row(const std::vector<std::string_view>& words) {
    std::array<std::optional<std::uint64_t>, 4> numbers;
    for (std::size_t i = 0; i < numbers.size() && i + 1 < words.size(); ++i) {
      numbers[i] = number_of(words[i + 1]);
    }
    const auto& [origin, length, used, unused] = numbers;
    const std::string name = core::printable(words.front(), 80);
    if (!origin || !length || !used || !unused) {
      wrong(fmt::format("the row of region '{}' has not the four numbers of its columns", name));
    } else if (core::checked_add(*used, *unused) != *length) {
      wrong(
          fmt::format("region '{}' has {:#x} bytes, of which {:#x} are used and {:#x} unused: "
                      "that is not all of it",
                      name,
                      *length,
                      *used,
                      *unused));
    } else if (!core::checked_add(*origin, *length)) {
      wrong(fmt::format("region '{}' would end behind the last address", name));
    } else if (image_.regions.size() == kMostRows) {
      wrong(fmt::format("this map has more than {} regions", kMostRows));
      part_ = Part::kDone;
    } else {
      image_.regions.push_back({.name = words.front(),
                                .origin = *origin,
                                .length = core::Bytes{*length},
                                .used = core::Bytes{*used},
                                .line = line_});
    }
  }

  void wrong(std::string message) {
    // What is damaged in so many places is told well enough.
    constexpr std::size_t kMostErrors = 20;
    if (errors_.size() < kMostErrors) {
      errors_.push_back(core::error(Code::kImageSyntax,
                                    std::move(message),
                                    {image_.path, line_},
                                    "the map was damaged or edited: link again with --map_file"));
    }
  }

  model::Image image_;
  Part part_ = Part::kHead;
  std::size_t line_ = 0;
  /// A name whose numbers are on the next line.
  std::string_view pending_;
  core::Diagnostics errors_;
};

}  // namespace

bool is_ti_map(std::string_view content) {
  for (std::size_t at = content.find(kTableHead); at != std::string_view::npos;
       at = content.find(kTableHead, at + 1)) {
    // The line of the columns is the second behind the title.
    constexpr std::size_t kNear = 512;
    std::string_view rest = content.substr(at, kNear);
    for (int i = 0; i < 4 && !rest.empty(); ++i) {
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      if (is_columns(rest.substr(0, length))) {
        return true;
      }
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
  }
  return false;
}

core::Result<model::Image> read_ti_map(std::string content, const std::string& path) {
  return TiMapReader{std::move(content), path}.read();
}

}  // namespace memsize::readers
