// Finds sizes, ranges and attributes in comments, puts each to the entry that it stands beside, and
// gives those that are not true. Of an end, the last address and the one behind it are both true.
#include "claims.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"

#include "mpu_shown.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Goes through the comments of a text, and the words between them.
class ClaimParser {
 public:
  ClaimParser(std::string path, std::string_view text) : path_(std::move(path)), text_(text) {}

  std::vector<Claim> run() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("/*") || rest.starts_with("//")) {
        comment();
      } else if (rest.front() == '\n') {
        next_line();
      } else if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) {
        ++at_;
      } else {
        word();
      }
    }
    return std::move(claims_);
  }

 private:
  void next_line() {
    ++line_;
    ++at_;
    line_begin_ = at_;
    first_word_.clear();
  }

  void word() {
    std::size_t end = at_;
    if (text_[at_] == '"') {
      end = std::min(text_.find_first_of("\"\n", at_ + 1), text_.size() - 1);
      end += text_[end] == '\n' ? 0U : 1U;
    } else {
      while (end < text_.size() &&
             (is_letter(text_[end]) || text_[end] == '.' || text_[end] == '$')) {
        ++end;
      }
      end = std::max(end, at_ + 1);
    }
    const std::string word{text_.substr(at_, end - at_)};
    for (; waiting_ < claims_.size(); ++waiting_) {
      claims_[waiting_].beside = word;
      claims_[waiting_].beside_line = line_;
    }
    first_word_ = first_word_.empty() ? word : first_word_;
    at_ = end;
  }

  // One comment: line by line. Behind a word of its line, it is about that line.
  void comment() {
    const bool is_block = text_[at_ + 1] == '*';
    const std::size_t end =
        std::min(is_block ? text_.find("*/", at_ + 2) : text_.find('\n', at_), text_.size());
    const std::size_t first = claims_.size();
    const std::string beside = first_word_;
    const std::size_t beside_line = line_;
    while (at_ < end) {
      const std::size_t newline = std::min(text_.find('\n', at_), end);
      line(text_.substr(at_, newline - at_));
      at_ = newline;
      if (at_ < end) {
        next_line();
      }
    }
    at_ = is_block ? std::min(end + 2, text_.size()) : end;
    if (!beside.empty()) {
      for (std::size_t i = first; i < claims_.size(); ++i) {
        claims_[i].beside = beside;
        claims_[i].beside_line = beside_line;
      }
      waiting_ = claims_.size();
    }
  }

  void line(std::string_view line) {
    const std::string lower = core::to_lower(line);
    address(line, lower, "region start:", Stated::kStart);
    address(line, lower, "region end:", Stated::kEnd);
    if (const std::size_t at = lower.find("attribute is mair"); at != std::string::npos) {
      const std::size_t digit = at + std::string_view{"attribute is mair"}.size();
      if (digit < line.size() && line[digit] >= '0' && line[digit] <= '7') {
        add(Stated::kAttribute, static_cast<std::uint64_t>(line[digit] - '0'), line, digit - 4, 5);
      }
    }
    if (configuration(line, lower) || !size(line, lower)) {
      mentions(line, lower);
    }
  }

  void address(std::string_view line,
               const std::string& lower,
               std::string_view label,
               Stated what) {
    std::size_t at = lower.find(label);
    if (at == std::string::npos) {
      return;
    }
    at = std::min(lower.find_first_not_of(" \t", at + label.size()), lower.size());
    std::size_t end = at;
    while (end < line.size() && is_letter(line[end])) {
      ++end;
    }
    if (const auto value = core::parse_address(line.substr(at, end - at))) {
      add(what, *value, line, at, end - at);
    }
  }

  // "Region 5 configuration: ...": what comes behind describes the region, with sizes of parts.
  bool configuration(std::string_view line, const std::string& lower) {
    constexpr std::string_view kLabel = "region ";
    const std::size_t at = lower.find(kLabel);
    if (at == std::string::npos || lower.find(" configuration", at) == std::string::npos) {
      return false;
    }
    const std::size_t begin = at + kLabel.size();
    std::size_t end = begin;
    while (end < line.size() && std::isdigit(static_cast<unsigned char>(line[end])) != 0) {
      ++end;
    }
    if (end > begin && end - begin < 4) {
      add(Stated::kNumber,
          *core::parse_address(line.substr(begin, end - begin)),
          line,
          begin,
          end - begin);
    }
    return true;
  }

  // "32 KB", alone or behind the word "size": the comment must say nothing else of weight.
  bool size(std::string_view line, const std::string& lower) {
    const std::size_t begin = lower.find_first_of("0123456789");
    if (begin == std::string::npos) {
      return false;
    }
    std::string_view before = core::trim(std::string_view{lower}.substr(0, begin));
    before = core::trim(before.substr(std::min(before.find_first_not_of("/*"), before.size())));
    const bool is_alone = before.empty() || before == "size" || before == "size is" ||
                          before == "size:" || before == "ulregionsize";
    return is_alone && size_at(Stated::kSize, line, lower, begin);
  }

  // Sizes among other words.
  void mentions(std::string_view line, const std::string& lower) {
    for (std::size_t at = 0; at < lower.size(); ++at) {
      if (std::isdigit(static_cast<unsigned char>(lower[at])) != 0 &&
          (at == 0 || (!is_letter(lower[at - 1]) && lower[at - 1] != '.'))) {
        size_at(Stated::kMention, line, lower, at);
      }
    }
  }

  bool size_at(Stated what, std::string_view line, const std::string& lower, std::size_t begin) {
    std::size_t digits = begin;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) {
      ++digits;
    }
    const std::size_t unit = std::min(lower.find_first_not_of(' ', digits), lower.size());
    const std::string_view name = std::string_view{lower}.substr(unit, 2);
    const unsigned shift = name == "kb" ? 10 : name == "mb" ? 20 : name == "gb" ? 30 : 0;
    const bool ends = unit + 2 >= line.size() || !is_letter(line[unit + 2]);
    const bool is_size = shift != 0 && ends && digits - begin < 6;
    if (is_size) {
      const std::uint64_t number = *core::parse_address(line.substr(begin, digits - begin));
      add(what, number << shift, line, begin, unit + 2 - begin);
    }
    return is_size;
  }

  void add(
      Stated what, std::uint64_t value, std::string_view line, std::size_t at, std::size_t length) {
    Claim claim{.what = what, .value = value, .text = std::string{line.substr(at, length)}};
    claim.place.path = path_;
    claim.place.line = line_;
    claim.place.column = at_ - line_begin_ + at + 1;
    claim.place.length = length;
    claims_.push_back(std::move(claim));
  }

  core::SharedText path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
  std::string first_word_;
  std::vector<Claim> claims_;
  // The first claim that waits for the word behind its comment.
  std::size_t waiting_ = 0;
};

std::string sized(std::uint64_t bytes, const std::string& like) {
  const unsigned shift = bytes >= (1ULL << 30) ? 30 : bytes >= (1ULL << 20) ? 20 : 10;
  const char* unit = shift == 30 ? "GB" : shift == 20 ? "MB" : "KB";
  const bool whole = bytes % (1ULL << shift) == 0;
  return whole ? fmt::format("{}{}{}", bytes >> shift, like.find(' ') != like.npos ? " " : "", unit)
               : fmt::format("{} B", bytes);
}

// The last address that a range has, or the one behind it.
bool is_end(const Claim& claim, const emit::WrittenMmuEntry& entry) {
  return claim.value == entry.virtual_base + entry.size ||
         (entry.size != 0 && claim.value == entry.virtual_base + entry.size - 1);
}

const emit::WrittenMmuEntry* entry_of(const Claim& claim,
                                      const std::vector<emit::WrittenMmuEntry>& entries) {
  const std::size_t dot = claim.beside.find('.');
  if (dot == std::string::npos) {
    return nullptr;
  }
  const std::string_view instance = std::string_view{claim.beside}.substr(0, dot);
  return core::find_where(entries, [&](const auto& entry) {
    return instance == fmt::format("mmu_armv8{}", entry.instance);
  });
}

// Whether the claim stands beside the value that it is about.
bool is_beside(const Claim& claim, const emit::WrittenMpuRegion& region) {
  const std::size_t dot = claim.beside.rfind('.');
  const std::string field = dot == std::string::npos ? "" : claim.beside.substr(dot + 1);
  const bool fits = claim.what == Stated::kSize ? field == "size" || field == "ulRegionSize"
                                                : field == "regionId" || field == "ulRegionNumber";
  const auto place = fits ? region.places.find(field) : region.places.end();
  return place != region.places.end() && place->second.line == claim.beside_line;
}

// The region of sysconfig's whose first statement stands below the claim.
const emit::WrittenMpuRegion* region_of(const Claim& claim,
                                        const std::vector<emit::WrittenMpuRegion>& regions) {
  const auto found = std::ranges::find_if(regions, [&](const auto& region) {
    return std::ranges::any_of(
        region.places, [&](const auto& place) { return place.second.line == claim.beside_line; });
  });
  const bool here = claim.beside.starts_with(emit::kMpuModule) && found != regions.end();
  return here ? &*found : nullptr;
}

// The region may be said as a whole, too.
void add_wrong_range(const Claim& claim,
                     const chip::MpuRegionFields& fields,
                     bool exclusive,
                     std::vector<WrongClaim>& wrong) {
  const ShownRange shown = shown_by(fields);
  const ShownRange whole{fields.base, fields.base + fields.size, false};
  if (claim.what == Stated::kStart) {
    if (claim.value != shown.base && claim.value != whole.base) {
      wrong.push_back({claim, core::format_hex(shown.base), fields.name});
    }
    return;
  }
  const auto is_end = [&](std::uint64_t end) {
    return claim.value == end || claim.value == end - 1;
  };
  if (!is_end(shown.end) && !is_end(whole.end)) {
    wrong.push_back({claim, core::format_hex(exclusive ? shown.end : shown.end - 1), fields.name});
  }
}

}  // namespace

std::vector<Claim> parse_claims(const emit::MapFile& file, const std::string& root) {
  return ClaimParser{file.path_under(root), file.content}.run();
}

std::vector<WrongClaim> wrong_claims(const std::vector<Claim>& claims,
                                     const std::vector<emit::WrittenMmuEntry>& entries) {
  const bool has_exclusive = std::ranges::any_of(claims, [&](const Claim& claim) {
    const auto* entry = claim.what == Stated::kEnd ? entry_of(claim, entries) : nullptr;
    return entry != nullptr && claim.value == entry->virtual_base + entry->size;
  });
  const bool has_inclusive = std::ranges::any_of(claims, [&](const Claim& claim) {
    const auto* entry = claim.what == Stated::kEnd ? entry_of(claim, entries) : nullptr;
    return entry != nullptr && is_end(claim, *entry) &&
           claim.value != entry->virtual_base + entry->size;
  });
  const bool exclusive = has_exclusive && !has_inclusive;
  std::vector<WrongClaim> wrong;
  for (const Claim& claim : claims) {
    const emit::WrittenMmuEntry* entry = entry_of(claim, entries);
    if (entry == nullptr) {
      continue;
    }
    if (claim.what == Stated::kStart && claim.value != entry->virtual_base) {
      wrong.push_back({claim, core::format_hex(entry->virtual_base), entry->name});
    } else if (claim.what == Stated::kEnd && !is_end(claim, *entry)) {
      const std::uint64_t behind = entry->virtual_base + entry->size;
      wrong.push_back({claim,
                       core::format_hex(exclusive || entry->size == 0 ? behind : behind - 1),
                       entry->name});
    } else if (claim.what == Stated::kAttribute &&
               entry->attribute != fmt::format("MAIR{}", claim.value)) {
      wrong.push_back({claim, entry->attribute, entry->name});
    }
  }
  return wrong;
}

std::vector<WrongClaim> wrong_claims(const std::vector<Claim>& claims,
                                     const std::vector<emit::WrittenMpuRegion>& regions) {
  const bool exclusive = std::ranges::any_of(claims, [&](const Claim& claim) {
    const auto* region = claim.what == Stated::kEnd ? region_of(claim, regions) : nullptr;
    return region != nullptr && claim.value == shown_by(region->fields).end;
  });
  std::vector<WrongClaim> wrong;
  for (const Claim& claim : claims) {
    if (claim.what == Stated::kStart || claim.what == Stated::kEnd) {
      if (const auto* region = region_of(claim, regions)) {
        add_wrong_range(claim, region->fields, exclusive, wrong);
      }
      continue;
    }
    if (claim.what != Stated::kSize && claim.what != Stated::kNumber) {
      continue;
    }
    const bool is_size = claim.what == Stated::kSize;
    for (const emit::WrittenMpuRegion& region : regions) {
      const bool is_wrong =
          is_size ? claim.value != region.fields.size : claim.value != region.fields.number;
      if (is_wrong && is_beside(claim, region)) {
        wrong.push_back({claim,
                         is_size ? sized(region.fields.size, claim.text)
                                 : fmt::format("{}", region.fields.number),
                         region.fields.name.empty() ? fmt::format("region {}", region.fields.number)
                                                    : region.fields.name});
      }
    }
  }
  return wrong;
}

std::vector<WrongClaim> old_mentions(const std::vector<Claim>& claims,
                                     const emit::WrittenMpuRegion& region,
                                     std::uint64_t old_size) {
  std::vector<WrongClaim> wrong;
  for (const Claim& claim : claims) {
    if (claim.what == Stated::kMention && claim.value == old_size && is_beside(claim, region)) {
      wrong.push_back({claim, sized(region.fields.size, claim.text), region.fields.name});
    }
  }
  return wrong;
}

core::Diagnostic wrong_claims_news(const std::vector<WrongClaim>& wrong) {
  constexpr std::size_t kMost = 8;
  const auto line_of = [](const WrongClaim& each) {
    return fmt::format("{} of '{}' is {}",
                       core::printable(each.claim.text, 40),
                       core::printable(each.name, 60),
                       each.right);
  };
  core::Diagnostic warning = core::warning(
      core::Code::kSdkComment,
      fmt::format("{} not true: {}{}",
                  wrong.size() == 1 ? "a comment is" : fmt::format("{} comments are", wrong.size()),
                  line_of(wrong.front()),
                  wrong.size() == 1 ? "" : ", and others"),
      wrong.front().claim.place,
      "correct the comments: the next engineer believes them");
  for (const WrongClaim& each : wrong) {
    warning.parties.push_back({"entry", each.name});
  }
  for (std::size_t i = 1; i < std::min(wrong.size(), kMost + 1); ++i) {
    warning.details.push_back(
        fmt::format("line {}: {}", wrong[i].claim.place.line, line_of(wrong[i])));
  }
  if (wrong.size() > kMost + 1) {
    warning.details.push_back(fmt::format("... {} more", wrong.size() - kMost - 1));
  }
  return warning;
}

}  // namespace memsize::sdk
