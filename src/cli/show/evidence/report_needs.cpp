// What regions need that no trace sizes, with what that rests on.
#include "memsize/core/text.hpp"

#include "show/report_parts.hpp"

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Bytes;
using layout::Need;

std::string suggested(const Need& need) {
  const std::string size = core::format_size(need.suggested);
  return need.grown.count() == 0
             ? size
             : fmt::format("{} ({} for the map's rules)", size, core::format_size(need.grown));
}

}  // namespace

Table needs_table(const app::Analysis& analysis) {
  Table table{
      .columns = {
          {"region"}, {"now", true}, {"need", true}, {"suggested", true}, {"class"}, {"why"}}};
  Bytes now;
  Bytes then;
  for (const Need& need : analysis.needs) {
    now += need.current;
    then += need.suggested;
    table.rows.push_back({need.region.empty() ? "(the rest)" : need.region,
                          core::format_size(need.current),
                          optional_size(need.need),
                          suggested(need),
                          std::string{layout::name_of(need.evidence)},
                          core::visible_text(need.why)});
  }
  table.rows.push_back({"total", core::format_size(now), "", core::format_size(then), "", ""});
  return table;
}

std::string needs_text(const app::Analysis& analysis) {
  return analysis.needs.empty()
             ? std::string{}
             : fmt::format("\n{}\n{}",
                           analysis.request.needs.whole ? "the whole reservation"
                                                        : "besides what traces size",
                           needs_table(analysis).text(2));
}

}  // namespace memsize::cli
