// Identifiers out of tensors' and memories' names; heliaAOT's own headers leave those of arenas
// free in upper case.
#include "c_names.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

// Longer ones tell people nothing more; what is cut off is made up for by a number.
constexpr std::size_t kLongestName = 48;

}  // namespace

std::string upper_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string identifier_part(std::string_view text) {
  std::string part;
  for (const char c : text) {
    const bool good = (c >= '0' && c <= '9') || core::is_identifier(std::string_view{&c, 1});
    if (good && c != '_') {
      part += c;
    } else if (!part.empty() && part.back() != '_') {
      part += '_';
    }
    if (part.size() == kLongestName) {
      break;
    }
  }
  while (!part.empty() && part.back() == '_') {
    part.pop_back();
  }
  return part.empty() ? "UNNAMED" : upper_case(part);
}

std::string arena_part(const model::PlannedArena& arena) {
  const std::string memory = identifier_part(arena.memory);
  switch (arena.role) {
    case model::Lifetime::kScratch:
      return "ARENA_" + memory;
    case model::Lifetime::kPersistent:
      return "ARENA_PERSISTENT_" + memory;
    case model::Lifetime::kConstant:
      break;
  }
  return "ARENA_CONST_" + memory;
}

std::string UniqueNames::take(const std::string& name) {
  std::string unique = name;
  std::uint64_t& count = counts_[name];
  while (!taken_.insert(unique).second) {
    unique = fmt::format("{}_{}", name, ++count + 1);
  }
  return unique;
}

}  // namespace memsize::emit
