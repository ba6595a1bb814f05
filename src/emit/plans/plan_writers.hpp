// The formats of plan_files.hpp, one function each.
#pragma once

#include "memsize/emit/plan_files.hpp"

#include "plan_view.hpp"
#include "template.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memsize::emit {

/// On one line, with a blank behind commas and colons: a document of 60 000 blocks has a line for
/// each of them, which people can compare.
[[nodiscard]] std::string json_line(const Json& value);

/// "[" and "]" around values that are JSON already, one a line.
[[nodiscard]] std::string json_lines(const std::vector<std::string>& values,
                                     std::string_view indent);

[[nodiscard]] std::string plan_csv(const model::PlanReport& plan);
[[nodiscard]] std::string plan_residency(const model::PlanReport& plan, const std::string& prefix);
/// Errors: a plan whose memories have no names.
[[nodiscard]] core::Result<std::string> plan_rules_yaml(const model::PlanReport& plan);
[[nodiscard]] std::string plan_trace(const model::PlanReport& plan);
[[nodiscard]] std::string plan_chart(const model::PlanReport& plan, std::size_t width);
[[nodiscard]] std::string plan_svg(const model::PlanReport& plan);

/// Views of the templates plan-header and plan-html.
[[nodiscard]] Json plan_header_view(const model::PlanReport& plan, const std::string& prefix);
[[nodiscard]] Json plan_html_view(const model::PlanReport& plan, const std::string& prefix);

}  // namespace memsize::emit
