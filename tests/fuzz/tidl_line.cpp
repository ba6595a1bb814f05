// Any bytes as one line: its prefix, and everything that a line can be.
#include "memsize/core/text.hpp"

#include "check.hpp"
#include "console_line.hpp"
#include "tidl_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using memsize::fuzz::is_visible;
using memsize::fuzz::require;
namespace readers = memsize::readers;

namespace {

bool within(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_block(const memsize::model::Block& block) {
  require(!block.space.empty(), "a block has a space");
  require(block.size.nearest <= block.size.ceiling && block.size.ceiling <= block.size.upper,
          "a size's span is in order");
  require(block.record <= 255, "a record's number is small");
}

void check_text(std::string_view text) {
  if (readers::looks_like_row(text)) {
    const auto row = readers::parse_row(text);
    if (row) {
      check_block(row->block);
      require(!row->form.empty(), "a row has a form");
    } else {
      require(within(row.error().field, text), "what is wrong stands in the row");
      require(!row.error().message.empty() && !row.error().hint.empty(), "it is explained");
    }
  }
  if (const auto row = readers::parse_test_row(text); row) {
    check_block(row->block);
  }
  if (const auto row = readers::parse_request(text); row) {
    check_block(row->block);
  }
  if (const auto total = readers::parse_total(text); total) {
    require(!total->space.empty() && !total->size.printed_kib.empty(), "a sum is one of a space");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(tidl_line) {
  const std::string_view line{reinterpret_cast<const char*>(data), size};
  std::string cleaned;
  if (readers::clean_line(line, cleaned)) {
    require(cleaned.size() <= line.size(), "cleaning adds nothing");
    std::string again;
    require(!readers::clean_line(cleaned, again), "what is clean stays so");
  }
  const char* before = line.data();
  for (const readers::Piece& piece : readers::split_line(line)) {
    require(within(piece.text, line), "a piece stands in the line");
    require(piece.text.empty() || piece.text.data() >= before, "pieces follow each other");
    require(piece.written <= line.size(), "no piece is longer than its line");
    require(is_visible(piece.core), "a core's name is printable");
    before = piece.text.empty() ? before : piece.text.data() + piece.text.size();
    check_text(piece.text);
  }
  check_text(line);
  return 0;
}
