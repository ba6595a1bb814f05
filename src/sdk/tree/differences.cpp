// Gathers the differences of one file and tells them as one error, with the first one's place and
// some of the others as details.
#include "differences.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

Differences::Differences(Maker maker, core::Place file)
    : maker_(std::move(maker)), file_(std::move(file)) {}

void Differences::add(std::string name,
                      const std::string& what,
                      const core::Place& here,
                      const core::Place& there) {
  differing_.push_back({"entry", std::move(name)});
  lines_.push_back(what);
  if (lines_.size() == 1) {
    first_ = here.line == 0 ? file_ : here;
    there_ = there;
  }
}

void Differences::report(core::Diagnostics& found) const {
  constexpr std::size_t kMostDetails = 8;
  if (lines_.empty()) {
    return;
  }
  core::Diagnostic diagnostic =
      core::error(core::Code::kSdkGenerated,
                  fmt::format("this is not what {} makes: {}{}",
                              maker_.name,
                              lines_.front(),
                              lines_.size() == 1
                                  ? std::string{}
                                  : fmt::format(", and {} more",
                                                core::plural(lines_.size() - 1, "difference"))),
                  first_,
                  maker_.hint)
          .about(differing_);
  for (std::size_t i = 1; i < std::min(lines_.size(), kMostDetails + 1); ++i) {
    diagnostic.details.push_back(lines_[i]);
  }
  if (lines_.size() > kMostDetails + 1) {
    diagnostic.details.push_back(fmt::format("... {} more", lines_.size() - kMostDetails - 1));
  }
  if (!there_.path.empty()) {
    diagnostic.related.push_back({there_, maker_.note});
  }
  found.push_back(std::move(diagnostic));
}

}  // namespace memsize::sdk
