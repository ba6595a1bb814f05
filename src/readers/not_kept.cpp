// Nothing is dropped without a word: what is beyond a limit is told once for each kind.
#include "not_kept.hpp"

#include <fmt/format.h>

namespace memsize::readers {

void NotKept::add(const char* what, std::size_t line) {
  lost_.try_emplace(what, Lost{line, 0}).first->second.count += 1;
}

void NotKept::tell(const std::string& path, core::Diagnostics& diagnostics) const {
  for (const auto& [what, lost] : lost_) {
    diagnostics.push_back(core::warning(
        core::Code::kReadLimit,
        fmt::format("{} more {} are not kept: this is the first of them", lost.count, what),
        {path, lost.line},
        "analyze the log in parts to see them"));
  }
}

}  // namespace memsize::readers
