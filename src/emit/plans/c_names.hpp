// Names in C for what a plan calls otherwise.
#pragma once

#include "memsize/model/plan.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace memsize::emit {

[[nodiscard]] std::string upper_case(std::string text);

/// What of a name can be in an identifier, in upper case; what cannot is one underscore, and none
/// at the ends, because two in a row are reserved in C++.
[[nodiscard]] std::string identifier_part(std::string_view text);

/// "ARENA_DTCM", "ARENA_PERSISTENT_DTCM", "ARENA_CONST_DTCM": heliaAOT's names in upper case.
[[nodiscard]] std::string arena_part(const model::PlannedArena& arena);

/// Gives out each name once: the first that asks has it, later ones get a number behind it.
class UniqueNames {
 public:
  [[nodiscard]] std::string take(const std::string& name);

 private:
  std::set<std::string> taken_;
  std::map<std::string, std::uint64_t> counts_;
};

}  // namespace memsize::emit
