// The first mistakes are told, the others counted.
#include "mistakes.hpp"

#include "memsize/core/text.hpp"

#include "problem.hpp"

#include <tuple>

#include <fmt/format.h>

namespace memsize::plan {

bool Mistakes::EarlierSpot::operator()(const Spot& a, const Spot& b) const {
  return std::tie(a.first, a.second.path, a.second.line, a.second.column) <
         std::tie(b.first, b.second.path, b.second.line, b.second.column);
}

void Mistakes::add(core::Code code, std::string what, core::Place place, std::string hint) {
  if (errors_.size() >= kMostMistakes) {
    ++unsaid_;
    return;
  }
  errors_.push_back(core::error(code, std::move(what), std::move(place), std::move(hint)));
}

void Mistakes::add_for(const model::PlannedBlock& block,
                       core::Code code,
                       std::string what,
                       const core::Place& place,
                       std::string hint) {
  constexpr std::size_t kListed = 5;
  const auto known = by_place_.find({code, place});
  if (known == by_place_.end()) {
    if (errors_.size() < kMostMistakes) {
      by_place_.emplace(std::pair{code, place}, std::pair{errors_.size(), std::size_t{0}});
    }
    return add(code, std::move(what), place, std::move(hint));
  }
  auto& [error, others] = known->second;
  if (++others <= kListed) {
    errors_[error].details.push_back(fmt::format("the same for {}", label_of(block)));
  } else {
    std::string& last = errors_[error].details.back();
    last = fmt::format("and for {} more", others - kListed + 1);
  }
}

bool Mistakes::is_new(const std::string& memory, std::size_t line) {
  return asked_for_.insert({memory, line}).second;
}

core::Diagnostics Mistakes::take() {
  if (unsaid_ > 0) {
    errors_.back().details.push_back(fmt::format("and {} more", core::plural(unsaid_, "mistake")));
  }
  return std::move(errors_);
}

}  // namespace memsize::plan
