// Parsers of translation tables and of MPU register values: as the hardware reads them, from the
// Arm manuals, and from nothing of what writes them.
#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include "stray.hpp"

#include <set>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

constexpr std::uint64_t kTableBytes = 4096;
constexpr std::uint64_t kSlots = 512;
constexpr unsigned kLast = 3;
constexpr std::uint64_t kAddressBits = 0x0000'FFFF'FFFF'F000;

// A walk of every address, as the hardware does it for one (DDI 0487, D8.2 and D8.3).
class Walk {
 public:
  Walk(const MapFile& file, const std::string& root, std::uint64_t base, core::Diagnostics& errors)
      : bytes_(file.content), base_(base), errors_(errors) {
    place_.path = file.path_under(root);
  }

  std::vector<WrittenMmuEntry> run() {
    if (bytes_.empty() || bytes_.size() % kTableBytes != 0) {
      wrong("this is not a number of tables of 4 KiB");
      return {};
    }
    table(0, 0, 0);
    return std::move(found_);
  }

 private:
  void wrong(const std::string& what) {
    errors_.push_back(core::error(Code::kVerifyParse, what, place_));
    failed_ = true;
  }

  [[nodiscard]] std::uint64_t word(std::uint64_t offset) const {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < 8; ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[offset + i])) << 8 * i;
    }
    return value;
  }

  void table(std::uint64_t offset, unsigned level, std::uint64_t first) {
    if (!seen_.insert(offset).second) {
      return wrong(
          fmt::format("two descriptors lead to the table at {}", core::format_hex(base_ + offset)));
    }
    const std::uint64_t size = 1ULL << (39U - 9U * level);
    for (std::uint64_t i = 0; i < kSlots && !failed_; ++i) {
      const std::uint64_t value = word(offset + 8 * i);
      const std::uint64_t address = first + i * size;
      const unsigned kind = value & 3U;
      if ((value & 1U) == 0) {
        continue;
      }
      if (level < kLast && kind == 3) {
        below(value, level, address);
      } else if (kind == 3 || (kind == 1 && level != 0 && level != kLast)) {
        leaf(value, size, address);
      } else {
        wrong(fmt::format("the descriptor of {} is reserved", core::format_hex(address)));
      }
    }
  }

  void below(std::uint64_t value, unsigned level, std::uint64_t address) {
    const std::uint64_t target = value & kAddressBits;
    if (target < base_ || target - base_ > bytes_.size() - kTableBytes || value != (target | 3U)) {
      return wrong(fmt::format("the descriptor of {} leads to no table of this file",
                               core::format_hex(address)));
    }
    table(target - base_, level + 1, address);
  }

  void leaf(std::uint64_t value, std::uint64_t size, std::uint64_t address) {
    const std::uint64_t physical = value & kAddressBits;
    // Access flag, outer shareable, not for EL0; EL1 reads, writes and executes.
    constexpr std::uint64_t kRights = 1ULL << 54 | 1ULL << 10 | 2ULL << 8;
    const std::uint64_t rest = value & ~(kAddressBits | 0x1FU);
    if (physical % size != 0 || rest != kRights) {
      return wrong(fmt::format("the descriptor of {} is {}: not what a map has",
                               core::format_hex(address),
                               core::format_hex(value)));
    }
    const std::string attribute = fmt::format("MAIR{}", value >> 2 & 7U);
    if (!found_.empty()) {
      WrittenMmuEntry& last = found_.back();
      if (last.attribute == attribute && last.virtual_base + last.size == address &&
          last.physical + last.size == physical) {
        last.size += size;
        return;
      }
    }
    found_.push_back({.instance = static_cast<unsigned>(found_.size() + 1),
                      .name = "translation tables",
                      .virtual_base = address,
                      .physical = physical,
                      .size = size,
                      .attribute = attribute,
                      .place = place_});
  }

  const std::string& bytes_;
  std::uint64_t base_;
  core::Diagnostics& errors_;
  core::Place place_;
  std::set<std::uint64_t> seen_;
  std::vector<WrittenMmuEntry> found_;
  bool failed_ = false;
};

// Behind the last item of a list there may be none.
void expect_comma(core::Cursor& cursor) {
  if (cursor.peek() != "}") {
    cursor.expect(",");
  }
}

}  // namespace

std::vector<WrittenMmuEntry> parse_tables(const MapFile& file,
                                          const std::string& root,
                                          std::uint64_t base,
                                          core::Diagnostics& errors) {
  return Walk{file, root, base, errors}.run();
}

std::vector<std::uint64_t> parse_words(const MapFile& file,
                                       const std::string& root,
                                       const std::string& array,
                                       core::Diagnostics& errors) {
  constexpr std::uint64_t kMost = 1ULL << 20;
  core::Cursor cursor{
      file.path_under(root), file.content, Code::kVerifyParse, errors, core::Words::kC};
  const std::size_t before = errors.size();
  std::vector<std::uint64_t> words;
  cursor.skip_past(array);
  std::uint64_t size = 1;
  while (size != 0 && cursor.peek() == "[" && errors.size() == before) {
    cursor.expect("[");
    const std::uint64_t count = cursor.number();
    size = count <= kMost / size ? count * size : 0;
    cursor.expect("]");
  }
  if (size == 0) {
    cursor.wrong(fmt::format("'{}' has no size that it can have", array), cursor.place());
  }
  cursor.skip_past("=");
  if (errors.size() != before || !refuse_stray_words(file, root, errors)) {
    return {};
  }
  words.resize(size);
  std::uint64_t at = 0;
  for (unsigned depth = 0; errors.size() == before;) {
    const std::string_view token = cursor.peek();
    if (token == "{") {
      ++depth;
      cursor.take();
    } else if (token == "}") {
      cursor.take();
      if (depth <= 1) {
        cursor.expect(";");
        break;
      }
      --depth;
      expect_comma(cursor);
    } else if (token == "[") {
      cursor.take();
      at = cursor.number();
      cursor.expect("]");
      cursor.expect("=");
    } else {
      const core::Place place = cursor.place();
      const std::uint64_t value = cursor.number();
      if (at >= size) {
        cursor.wrong(fmt::format("'{}' has no more than {} words", array, size), place);
        break;
      }
      words[at++] = value;
      expect_comma(cursor);
    }
  }
  return words;
}

std::vector<WrittenMpuRegion> parse_mpu_words(const MapFile& file,
                                              const std::string& root,
                                              core::Diagnostics& errors) {
  constexpr std::size_t kColumns = 4;
  const std::size_t before = errors.size();
  const std::vector<std::uint64_t> words = parse_words(file, root, "memsize_mpu_table", errors);
  std::vector<WrittenMpuRegion> regions;
  const core::Place place{file.path_under(root)};
  for (std::size_t at = 0; at + kColumns <= words.size() && errors.size() == before;
       at += kColumns) {
    const std::uint64_t size = words[at + 2];
    const std::uint64_t access = words[at + 3];
    if ((size & ~0xFF3FULL) != 0 || (size & 1U) == 0 || (access & ~0x173FULL) != 0 ||
        (access >> 8 & 7U) != 3) {
      errors.push_back(
          core::error(Code::kVerifyParse,
                      fmt::format("row {} is not a region that is on, with full access", at / 4),
                      place));
      break;
    }
    WrittenMpuRegion region{.place = place};
    region.fields.number = static_cast<unsigned>(words[at]);
    region.fields.base = words[at + 1];
    region.fields.size = 2ULL << (size >> 1 & 31U);
    region.fields.disabled = size >> 8 & 0xFFU;
    region.fields.tex = access >> 3 & 7U;
    region.fields.shareable = (access >> 2 & 1U) != 0;
    region.fields.cacheable = (access >> 1 & 1U) != 0;
    region.fields.bufferable = (access & 1U) != 0;
    region.fields.execute = (access >> 12 & 1U) == 0;
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace memsize::emit
