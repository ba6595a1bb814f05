// The limits of sizes, alignments and lifetimes with their messages. Of one code the first twenty
// are kept and the rest counted, because a text with one mistake may have it a million times.
#include "plan_problems.hpp"

#include "memsize/core/text.hpp"

#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

// Of one code.
constexpr std::size_t kMostShown = 20;
constexpr std::size_t kLongestValue = 60;

}  // namespace

bool is_lifetime(std::int64_t first, std::int64_t last, LastStep meaning) {
  const auto is_step = [](std::int64_t step) {
    return step >= -model::kLastStep && step <= model::kLastStep;
  };
  return is_step(first) && is_step(last) &&
         (meaning == LastStep::kInside ? first <= last && last < model::kLastStep : first < last);
}

bool PlanProblems::wants(core::Severity severity, Code code) const {
  const auto count = counts_.find({severity, code});
  return count == counts_.end() || count->second < kMostShown;
}

core::Place PlanProblems::in_file(PlanPlace place) const {
  return {path_, place.line, place.column};
}

void PlanProblems::keep(core::Diagnostics& list, core::Diagnostic diagnostic) {
  if (++counts_[{diagnostic.severity, diagnostic.code}] <= kMostShown) {
    list.push_back(std::move(diagnostic));
  }
}

void PlanProblems::error(Code code, PlanPlace place, std::string message, std::string hint) {
  keep(errors_, core::error(code, std::move(message), in_file(place), std::move(hint)));
}

void PlanProblems::warn(Code code, PlanPlace place, std::string message, std::string hint) {
  keep(warnings_, core::warning(code, std::move(message), in_file(place), std::move(hint)));
}

void PlanProblems::too_many(PlanPlace place) {
  error(Code::kReadLimit,
        place,
        fmt::format("this lists more than {} million blocks: a plan has no more",
                    kMostPlanBlocks / 1'000'000),
        "plan what is alive together, such as one network or one phase of a recording, for itself");
}

PlanResult PlanProblems::finish(model::PlanReport report) {
  core::Diagnostics& said = errors_.empty() ? warnings_ : errors_;
  for (const auto& [kind, count] : counts_) {
    if (count > kMostShown) {
      for (auto last = said.rbegin(); last != said.rend(); ++last) {
        if (std::pair{last->severity, last->code} == kind) {
          last->details.push_back(
              fmt::format("and {} more like it", core::plural(count - kMostShown, "place")));
          break;
        }
      }
    }
  }
  if (!errors_.empty()) {
    return tl::make_unexpected(std::move(errors_));
  }
  for (core::Diagnostic& warning : warnings_) {
    report.diagnostics.push_back(std::move(warning));
  }
  warnings_.clear();
  return report;
}

std::optional<core::Bytes> PlanProblems::size(std::uint64_t bytes,
                                              PlanPlace place,
                                              std::string_view what) {
  if (core::Bytes{bytes} > model::kLargestPlan) {
    error(Code::kPlanSize,
          place,
          fmt::format("{}: {} B is more than any memory has", what, bytes),
          "sizes and offsets of plans go up to 2^62 B");
    return std::nullopt;
  }
  return core::Bytes{bytes};
}

std::optional<core::Align> PlanProblems::alignment(std::uint64_t bytes,
                                                   PlanPlace place,
                                                   std::string_view what) {
  const auto align = core::Align::make(bytes);
  if (!align || core::Bytes{bytes} > model::kLargestPlan) {
    error(Code::kPlanAlignment,
          place,
          fmt::format("{}: {} is no alignment", what, bytes),
          "an alignment is a power of two, such as 16");
    return std::nullopt;
  }
  return align;
}

std::optional<model::Interval> PlanProblems::lifetime(std::int64_t first,
                                                      std::int64_t last,
                                                      LastStep meaning,
                                                      PlanPlace place,
                                                      std::string_view what) {
  const bool inside = meaning == LastStep::kInside;
  if (is_lifetime(first, last, meaning)) {
    return model::Interval{first, inside ? last + 1 : last};
  }
  const auto refuse = [&](std::string_view why, std::string_view hint) {
    error(Code::kPlanLifetime,
          place,
          fmt::format("{}: the lifetime from {} to {} {}", what, first, last, why),
          std::string{hint});
    return std::nullopt;
  };
  if (last < first) {
    return refuse("ends before it begins", "the first step comes first");
  }
  if (!inside && last == first) {
    return refuse("is empty", "the end is the first step at which it no longer lives");
  }
  return refuse("goes beyond any step of a network",
                "steps go from -2^40 to 2^40; leave the lifetime of what always lives away");
}

bool PlanProblems::ends_in_plan(core::Bytes offset,
                                core::Bytes size,
                                PlanPlace place,
                                std::string_view what) {
  if (offset + size <= model::kLargestPlan) {
    return true;
  }
  error(Code::kPlanSize,
        place,
        fmt::format(
            "{}: {} B at offset {} end beyond any memory", what, size.count(), offset.count()),
        "sizes and offsets of plans go up to 2^62 B");
  return false;
}

bool PlanProblems::adds_up(core::Bytes total, PlanPlace place, std::string_view what) {
  if (total <= model::kLargestPlan) {
    return true;
  }
  error(Code::kPlanSize,
        place,
        fmt::format("with {}, the sizes add up to more than any memory has", what),
        "sums of sizes go up to 2^62 B");
  return false;
}

bool PlanProblems::is_new(std::string_view id, PlanPlace place) {
  const auto [found, fresh] = ids_.emplace(id, place.line);
  if (fresh) {
    return true;
  }
  std::string message = fmt::format("'{}' stands here again", core::printable(id, kLongestValue));
  if (found->second != 0 && found->second != place.line) {
    message += fmt::format("; it is in line {}, too", found->second);
  }
  error(Code::kPlanDuplicate, place, std::move(message), "each buffer needs an id of its own");
  return false;
}

std::string memory_name(std::string_view text) {
  const std::string name = core::to_lower(core::trim(text));
  return name.empty() ? std::string{"default"} : name;
}

std::optional<model::Lifetime> role_named(std::string_view text) {
  return model::named<model::Lifetime>(core::to_lower(core::trim(text)));
}

std::optional<std::int64_t> signed_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (text.empty() || failure != std::errc{} || stop != end) {
    return std::nullopt;
  }
  return value;
}

}  // namespace memsize::readers
