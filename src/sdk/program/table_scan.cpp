// Finds the lines of each element of an MPU table, and whether it has them to itself. An element
// that shares lines with other code cannot be moved.
#include "table_scan.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memsize::sdk {

namespace {

class Scanner {
 public:
  Scanner(const emit::MapFile& file, const std::string& root, const std::string& table)
      : cursor_(file.path_under(root), file.content, core::Code::kVerifyParse, unused_),
        table_(table) {}

  TableScan run() {
    find();
    while (!cursor_.done() && cursor_.peek() != "}") {
      element();
    }
    while (!cursor_.done()) {
      scan_.others.push_back(take());
    }
    for (TableElement& element : scan_.elements) {
      element.is_alone = true;
      for (std::size_t line = element.open.line; line <= element.last_line; ++line) {
        element.is_alone = element.is_alone && owners_[line].size() <= 1;
      }
    }
    return std::move(scan_);
  }

 private:
  // Every word belongs to an element, by its number from 1, or to none.
  std::string take() {
    std::vector<std::size_t>& owners = owners_[cursor_.place().line];
    if (std::ranges::find(owners, owner_) == owners.end()) {
      owners.push_back(owner_);
    }
    return cursor_.take();
  }

  // Behind the brace that opens the table.
  void find() {
    while (!cursor_.done()) {
      std::string word = take();
      const bool begins = word == table_;
      scan_.others.push_back(std::move(word));
      while (begins && !cursor_.done() && cursor_.peek() != ";") {
        if (cursor_.peek() == "[") {
          room();
        }
        scan_.others.push_back(take());
        if (scan_.others.back() == "=") {
          scan_.open = cursor_.place();
          take();
          return;
        }
      }
    }
  }

  void room() {
    const auto number = core::parse_address(core::trim(cursor_.peek(1)));
    scan_.room.reset();
    if (number && cursor_.peek(2) == "]") {
      scan_.room = static_cast<std::size_t>(*number);
    }
  }

  void element() {
    owner_ = scan_.elements.size() + 1;
    TableElement element{.open = cursor_.place()};
    int depth = 0;
    do {
      element.close = cursor_.place();
      const std::string word = take();
      depth += word == "{" ? 1 : word == "}" ? -1 : 0;
    } while (depth > 0 && !cursor_.done());
    element.last_line = element.close.line;
    if (cursor_.peek() == ",") {
      element.has_comma = true;
      element.last_line = cursor_.place().line;
      take();
    }
    scan_.elements.push_back(std::move(element));
    owner_ = 0;
  }

  core::Diagnostics unused_;
  core::Cursor cursor_;
  const std::string& table_;
  TableScan scan_;
  std::size_t owner_ = 0;
  std::map<std::size_t, std::vector<std::size_t>> owners_;
};

}  // namespace

std::optional<std::size_t> TableScan::element_of(const emit::WrittenMpuRegion& region) const {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].open == region.place) {
      return i;
    }
  }
  return std::nullopt;
}

TableScan scan_table(const emit::MapFile& file, const std::string& root, const std::string& table) {
  return Scanner{file, root, table}.run();
}

std::string word_behind(const emit::MapFile& file, const core::Place& value) {
  core::Diagnostics unused;
  core::Cursor cursor{"", file.content, core::Code::kVerifyParse, unused};
  const std::size_t end = value.column + value.length;
  while (!cursor.done() && (cursor.place().line < value.line ||
                            (cursor.place().line == value.line && cursor.place().column < end))) {
    cursor.take();
  }
  return cursor.take();
}

std::string without_comments(const std::string& text) {
  std::string bare = text;
  for (std::size_t at = 0; at < bare.size();) {
    const bool is_block = bare.compare(at, 2, "/*") == 0;
    if (bare[at] == '"') {
      at = std::min(bare.find('"', at + 1), bare.size() - 1) + 1;
    } else if (is_block || bare.compare(at, 2, "//") == 0) {
      std::size_t end = is_block ? bare.find("*/", at + 2) : bare.find('\n', at);
      end = end == std::string::npos ? bare.size() : end + (is_block ? 2 : 0);
      for (; at < end; ++at) {
        bare[at] = bare[at] == '\n' || bare[at] == '\r' ? bare[at] : ' ';
      }
    } else {
      ++at;
    }
  }
  return bare;
}

}  // namespace memsize::sdk
