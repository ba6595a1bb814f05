// How much of each class of memory one model has.
#include "follow_report.hpp"

#include "memsize/core/text.hpp"

#include "report_parts.hpp"
#include "table.hpp"

#include <map>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Bytes;

using Class = std::tuple<std::string, model::Cacheability, std::string_view>;

struct ClassSum {
  std::size_t records = 0;
  Bytes size;
};

std::map<Class, ClassSum> sums_of(const model::Instance& instance) {
  std::map<Class, ClassSum> sums;
  for (const model::Block& block : instance.blocks) {
    ClassSum& sum = sums[{block.space, block.cacheability, model::name_of(block.lifetime)}];
    ++sum.records;
    sum.size += block.size.nearest;
  }
  if (!instance.blocks.empty()) {
    return sums;
  }
  for (const model::ClassTotal& total : instance.totals) {
    const std::string_view lifetime =
        total.lifetime ? model::name_of(*total.lifetime) : std::string_view{};
    sums[{total.space, total.cacheability, lifetime}].size += total.size.nearest;
  }
  return sums;
}

}  // namespace

std::string model_text(const std::string& core, const model::Instance& instance, bool again) {
  Table table{.columns = {{"class"}, {"records", true}, {"requested", true}}};
  for (const auto& [of, sum] : sums_of(instance)) {
    const auto& [space, cacheability, lifetime] = of;
    table.rows.push_back({fmt::format("{} {} {}", space, model::name_of(cacheability), lifetime),
                          sum.records == 0 ? std::string{"-"} : fmt::format("{}", sum.records),
                          kib(sum.size)});
  }
  return fmt::format("{}: model at line {}, {}{}\n{}",
                     core_name(core),
                     instance.line,
                     instance.blocks.empty() ? std::string{"totals only"}
                                             : core::plural(instance.blocks.size(), "record"),
                     again ? ", with more of it" : "",
                     table.text(2));
}

}  // namespace memsize::cli
