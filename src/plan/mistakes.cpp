// The first mistakes are told, the others counted.
#include "mistakes.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "problem.hpp"

#include <fmt/format.h>

namespace memsize::plan {

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
  auto* const known = core::find_where(shared_, [&](const auto& each) {
    return errors_[each.first].code == code && errors_[each.first].place == place;
  });
  if (known == nullptr) {
    if (errors_.size() < kMostMistakes) {
      shared_.emplace_back(errors_.size(), 0);
    }
    return add(code, std::move(what), place, std::move(hint));
  }
  std::vector<std::string>& details = errors_[known->first].details;
  if (++known->second <= kListed) {
    details.push_back(fmt::format("the same for {}", label_of(block)));
  } else {
    details.back() = fmt::format("and for {} more", known->second - kListed + 1);
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
