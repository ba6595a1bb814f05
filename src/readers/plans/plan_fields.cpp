// Takes members by type and range, and says what is wrong at the place of the value.
#include "plan_fields.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

using core::Code;

void PlanFields::read_content_hash(const docs::Document& document,
                                   const char* key,
                                   model::PlanReport& report) {
  report.claimed_content_hash = text_if_any(document.root(), key);
  if (!report.claimed_content_hash.empty()) {
    report.content_hash = document.hash_without(key);
  }
}

PlanResult PlanFields::finish(model::PlanReport report, const docs::Document& document) {
  for (const docs::Document::Misspelt& each : document.misspelt()) {
    const docs::Value value = document.at(each.index);
    warn(Code::kPlanSyntax,
         value.position(),
         fmt::format("nothing reads {}, and there is no '{}'", value.path(), each.wanted),
         fmt::format("did you mean '{}'?", each.wanted));
  }
  return PlanProblems::finish(std::move(report));
}

std::string PlanFields::subject(docs::Value value, Code code) const {
  return wants(core::Severity::kError, code) ? value.path() : std::string{};
}

void PlanFields::wrong(docs::Value value, const std::string& what, std::string hint) {
  error(Code::kPlanSyntax,
        value.position(),
        fmt::format("{}: {}", subject(value, Code::kPlanSyntax), what),
        std::move(hint));
}

std::optional<model::Interval> PlanFields::lifetime(docs::Value of,
                                                    std::int64_t first,
                                                    std::int64_t last,
                                                    LastStep meaning) {
  return PlanProblems::lifetime(
      first,
      last,
      meaning,
      of.position(),
      is_lifetime(first, last, meaning) ? "" : subject(of, Code::kPlanLifetime));
}

bool PlanFields::is_kind(docs::Value value, docs::Kind kind, const char* what) {
  if (!value.is(kind)) {
    wrong(value, fmt::format("it must be {}, not {}", what, value.shown()));
  }
  return value.is(kind);
}

bool PlanFields::is_object(docs::Value value) {
  return is_kind(value, docs::Kind::kTable, "an object");
}

bool PlanFields::is_array(docs::Value value) {
  return is_kind(value, docs::Kind::kList, "an array");
}

docs::Value PlanFields::member(docs::Value object, const char* key) {
  if (!object.is(docs::Kind::kTable)) {
    is_object(object);
    return {};
  }
  const docs::Value found = object[key];
  if (!found) {
    wrong(object, fmt::format("'{}' is missing", key));
  }
  return found;
}

std::string PlanFields::text(docs::Value object, const char* key) {
  return member(object, key) ? text_if_any(object, key) : std::string{};
}

std::string PlanFields::text_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  return value && is_kind(value, docs::Kind::kText, "a string") ? value.string() : std::string{};
}

std::string PlanFields::id(docs::Value object, const char* key) {
  const docs::Value value = member(object, key);
  return value ? as_id(value) : std::string{};
}

std::string PlanFields::as_id(docs::Value value) {
  if (value.is(docs::Kind::kWhole)) {
    return fmt::format("{}", value.whole());
  }
  if (value.is(docs::Kind::kNegative)) {
    return fmt::format("{}", value.integer());
  }
  if (!value.is(docs::Kind::kText) || value.text().empty()) {
    wrong(value, fmt::format("it must be a name or a number, not {}", value.shown()));
    return {};
  }
  return std::string{value.text()};
}

std::optional<std::uint64_t> PlanFields::whole(docs::Value object, const char* key) {
  const docs::Value value = member(object, key);
  return value ? as_whole(value) : std::nullopt;
}

std::optional<std::uint64_t> PlanFields::whole_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  return value ? as_whole(value) : std::nullopt;
}

std::optional<std::uint64_t> PlanFields::as_whole(docs::Value value) {
  if (value.is(docs::Kind::kWhole)) {
    return value.whole();
  }
  // What a program computed with floating point: exact up to 2^53.
  constexpr double kMostExact = 9007199254740992.0;
  if (value.is(docs::Kind::kReal) && value.real() >= 0 && value.real() <= kMostExact &&
      std::floor(value.real()) == value.real()) {
    return static_cast<std::uint64_t>(value.real());
  }
  wrong(value, fmt::format("it must be a whole number from 0, not {}", value.shown()));
  return std::nullopt;
}

std::optional<std::int64_t> PlanFields::step(docs::Value object, const char* key) {
  const docs::Value value = member(object, key);
  return value ? as_step(value) : std::nullopt;
}

std::optional<std::int64_t> PlanFields::step_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  return value ? as_step(value) : std::nullopt;
}

std::optional<std::int64_t> PlanFields::as_step(docs::Value value) {
  if (value.is(docs::Kind::kNegative)) {
    return value.integer();
  }
  const auto number = as_whole(value);
  if (number && *number > static_cast<std::uint64_t>(INT64_MAX)) {
    // More than any step, which is then said of the lifetime.
    return INT64_MAX;
  }
  return number ? std::optional{static_cast<std::int64_t>(*number)} : std::nullopt;
}

std::optional<bool> PlanFields::flag_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  return value && is_kind(value, docs::Kind::kBoolean, "true or false")
             ? std::optional{value.boolean()}
             : std::nullopt;
}

std::optional<core::Bytes> PlanFields::size(docs::Value object, const char* key) {
  const docs::Value value = member(object, key);
  return value ? as_size(value) : std::nullopt;
}

std::optional<core::Bytes> PlanFields::size_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  return value ? as_size(value) : std::nullopt;
}

std::optional<core::Bytes> PlanFields::as_size(docs::Value value) {
  if (value.is(docs::Kind::kWhole)) {
    return core::Bytes{value.whole()} <= model::kLargestPlan
               ? core::Bytes{value.whole()}
               : size(value.whole(), value.position(), subject(value, Code::kPlanSize));
  }
  if (value.is(docs::Kind::kNegative) ||
      (value.is(docs::Kind::kReal) && !(std::abs(value.real()) < 9007199254740992.0))) {
    error(Code::kPlanSize,
          value.position(),
          fmt::format("{}: {} is no size", subject(value, Code::kPlanSize), value.shown()),
          "sizes and offsets are whole numbers of bytes from 0 to 2^62");
    return std::nullopt;
  }
  const auto number = as_whole(value);
  return number ? std::optional{core::Bytes{*number}} : std::nullopt;
}

std::optional<core::Align> PlanFields::alignment_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  const auto number = value ? as_whole(value) : std::nullopt;
  if (!number || core::Align::make(*number)) {
    return number ? core::Align::make(*number) : std::nullopt;
  }
  return alignment(*number, value.position(), subject(value, Code::kPlanAlignment));
}

std::string PlanFields::memory_if_any(docs::Value object, const char* key) {
  return memory_name(text_if_any(object, key));
}

std::optional<model::Lifetime> PlanFields::role(docs::Value object, const char* key) {
  return member(object, key) ? role_if_any(object, key) : std::nullopt;
}

std::optional<model::Lifetime> PlanFields::role_if_any(docs::Value object, const char* key) {
  const docs::Value value = object[key];
  if (!value) {
    return std::nullopt;
  }
  const auto role =
      value.is(docs::Kind::kText) ? role_named(value.text()) : std::optional<model::Lifetime>{};
  if (!role) {
    wrong(value,
          fmt::format("it must be 'scratch', 'persistent' or 'constant', not {}", value.shown()));
  }
  return role;
}

}  // namespace memsize::readers
