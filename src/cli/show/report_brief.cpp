// What a person looks for first: the verdict, a table that fits 80 columns, the few notes that ask
// for something. The rest is under --explain, and in the tables of -v.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "report_parts.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

using core::Bytes;
using sizing::CoreSizing;
using sizing::Demand;

namespace {

constexpr std::uint64_t kKib = 1024;
constexpr std::uint64_t kMib = kKib * kKib;
constexpr std::size_t kNotes = 5;

// One unit for all numbers of a column.
struct SizeUnit {
  const char* name = "MiB";
  std::uint64_t bytes = kMib;
};

SizeUnit size_unit_of(const std::vector<Bytes>& sizes, bool whole) {
  const bool fits =
      whole ? std::ranges::all_of(sizes, [](Bytes size) { return size.count() % kMib == 0; })
            : std::ranges::any_of(sizes, [](Bytes size) { return size.count() >= kMib; });
  return fits ? SizeUnit{} : SizeUnit{"KiB", kKib};
}

std::string rounded(Bytes size, const SizeUnit& unit) {
  const double value = static_cast<double>(size.count()) / static_cast<double>(unit.bytes);
  // What is not nothing does not look so.
  return fmt::format("{:.2f}", size.count() == 0 ? 0.0 : std::max(value, 0.01));
}

std::string whole(Bytes size, const SizeUnit& unit) {
  return fmt::format("{}", (size.count() + unit.bytes - 1) / unit.bytes);
}

// Rounded, but what is not nothing does not look so.
std::uint64_t part_of(Bytes part, Bytes whole, std::uint64_t steps) {
  if (whole.count() == 0 || part.count() == 0) {
    return 0;
  }
  const double ratio = static_cast<double>(part.count()) / static_cast<double>(whole.count());
  return std::max<std::uint64_t>(
      1, static_cast<std::uint64_t>(std::lround(ratio * static_cast<double>(steps))));
}

std::string bar(Bytes part, Bytes of) {
  constexpr std::size_t kWidth = 10;
  const std::size_t marks = std::min<std::size_t>(kWidth, part_of(part, of, kWidth));
  return std::string(marks, '#') + std::string(kWidth - marks, '.');
}

std::string heap_name(const board::DemandKey& key, const CoreSizing& core) {
  const std::string name = demand_name(key, core.demands);
  constexpr std::string_view kUsual = "ddr ";
  return name.starts_with(kUsual) ? name.substr(kUsual.size()) : name;
}

struct Sum {
  Bytes now;
  Bytes suggested;
  Bytes forecast;
  bool has_caveat = false;
};

Sum sum_of(const app::Analysis& analysis, const CoreSizing& core) {
  Sum sum;
  for (const Demand& demand : core.demands) {
    if (!demand.current || !demand.suggested) {
      continue;
    }
    sum.now += *demand.current;
    sum.suggested += *demand.suggested;
    sum.forecast += demand.forecast.value_or(*demand.suggested);
    sum.has_caveat = sum.has_caveat || !caveat_of(analysis, demand).empty();
  }
  return sum;
}

std::string on_chip_line(const CoreSizing& core) {
  std::vector<std::string> parts;
  for (const sizing::OnChipDemand& demand : core.onchip) {
    parts.push_back(demand.available
                        ? fmt::format("{} {} of {}",
                                      demand.space,
                                      core::format_size(demand.requested),
                                      core::format_size(*demand.available))
                        : fmt::format("{} {}", demand.space, core::format_size(demand.requested)));
  }
  return parts.empty() ? std::string{} : fmt::format("  on chip: {}\n", core::join(parts, ", "));
}

// What the verdict says of the cores that are sized.
std::string needs(const app::Analysis& analysis) {
  std::vector<std::string> cores;
  Sum all;
  bool complete = true;
  for (const CoreSizing& core : analysis.sizing.cores) {
    const Sum sum = sum_of(analysis, core);
    if (sum.now.count() == 0) {
      continue;
    }
    cores.push_back(core_name(core.core));
    all.now += sum.now;
    all.suggested += sum.suggested;
    all.forecast += sum.forecast;
    all.has_caveat = all.has_caveat || sum.has_caveat;
    complete = complete && core.complete;
  }
  if (cores.empty()) {
    return {};
  }
  const std::string needed = core::format_size(all.suggested);
  const std::string now = core::format_size(all.now);
  const bool same_unit = needed.ends_with(" MiB") && now.ends_with(" MiB");
  return fmt::format("{} {} {}{} of {}{}",
                     core::join(cores, ", "),
                     cores.size() == 1 ? "needs" : "need",
                     complete ? "" : "at least ",
                     same_unit ? needed.substr(0, needed.size() - 4) : needed,
                     now,
                     all.has_caveat
                         ? fmt::format(" ({} on this board)", core::format_size(all.forecast))
                         : std::string{});
}

// Without a board there is nothing to compare with.
std::string used(const app::Analysis& analysis) {
  std::vector<std::string> parts;
  bool is_ddr = true;
  for (const CoreSizing& core : analysis.sizing.cores) {
    std::map<std::string, Bytes> sums;
    for (const Demand& demand : core.demands) {
      sums[demand.key.space] += demand.figure();
      is_ddr = is_ddr && demand.key.space == "ddr";
    }
    std::vector<std::string> sizes;
    for (const auto& [space, sum] : sums) {
      sizes.push_back(core::format_size(sum) + (space == "ddr" && sums.size() == 1
                                                    ? ""
                                                    : " of " + core::printable(space, 40)));
    }
    if (!sizes.empty()) {
      parts.push_back(fmt::format("{} {}{}",
                                  core_name(core.core),
                                  core.complete ? "" : "at least ",
                                  core::join(sizes, " and ")));
    }
  }
  return parts.empty()
             ? std::string{"no memory is sized by this"}
             : fmt::format("used{}: {}", is_ddr ? " in DDR" : "", core::join(parts, ", "));
}

}  // namespace

std::string verdict(const app::Analysis& analysis) {
  const std::string what = analysis.board ? needs(analysis) : used(analysis);
  if (what.empty() && analysis.needs.empty()) {
    return "no heap of the board is sized by this";
  }
  if (!analysis.current || !analysis.suggested) {
    return what;
  }
  const Bytes before = analysis.current->reserved();
  const Bytes after = analysis.suggested->reserved();
  const std::string balance =
      after < before   ? fmt::format("{} go back to Linux", core::format_size(before - after))
      : before < after ? fmt::format("Linux loses {}", core::format_size(after - before))
                       : std::string{"Linux keeps what it has"};
  return what.empty() ? balance : what + "; " + balance;
}

std::string brief_table(const app::Analysis& analysis, const CoreSizing& core) {
  std::vector<Bytes> figures;
  std::vector<Bytes> sizes;
  bool has_caveat = false;
  for (const Demand& demand : core.demands) {
    figures.push_back(demand.figure());
    for (const auto& size : {demand.current, demand.suggested}) {
      if (size) {
        sizes.push_back(*size);
      }
    }
    has_caveat = has_caveat || !caveat_of(analysis, demand).empty();
  }
  const bool with_board = !sizes.empty();
  const SizeUnit unit = with_board ? size_unit_of(sizes, true) : size_unit_of(figures, false);
  Table table{.columns = {{fmt::format("heap, {}", unit.name)}, {"used", true}}};
  // Beside what a number must not be read without, there is no room for its share of now.
  const bool with_bar = with_board && !has_caveat;
  if (with_bar) {
    table.columns.insert(table.columns.begin() + 1, {""});
  }
  if (with_board) {
    if (with_bar) {
      table.columns.push_back({"%", true});
    }
    table.columns.push_back({"now ->", true});
    table.columns.push_back({"suggested", true});
  }
  if (has_caveat) {
    table.columns.push_back({""});
  }
  const auto row = [&](const std::string& name,
                       const std::string& drawn,
                       const std::string& used_now,
                       const std::string& percent,
                       const std::string& now,
                       const std::string& suggested,
                       const std::string& caveat) {
    std::vector<std::string> cells = {name};
    if (with_bar) {
      cells.push_back(drawn);
    }
    cells.push_back(used_now);
    if (with_board) {
      if (with_bar) {
        cells.push_back(percent);
      }
      cells.push_back(now + " ->");
      cells.push_back(suggested);
    }
    if (has_caveat) {
      cells.push_back(caveat);
    }
    table.rows.push_back(std::move(cells));
  };
  for (const Demand& demand : core.demands) {
    const Bytes most = demand.figure();
    const std::string caveat = caveat_of(analysis, demand);
    row(heap_name(demand.key, core),
        demand.current ? bar(most, *demand.current) : std::string{},
        demand.lower_bound ? ">=" + rounded(most, unit) : rounded(most, unit),
        demand.current ? fmt::format("{}", part_of(most, *demand.current, 100)) : "-",
        demand.current ? whole(*demand.current, unit) : "-",
        demand.suggested ? whole(*demand.suggested, unit) : "-",
        caveat);
  }
  const Sum sum = sum_of(analysis, core);
  if (with_board && core.demands.size() > 1) {
    row("total",
        "",
        "",
        "",
        whole(sum.now, unit),
        whole(sum.suggested, unit),
        sum.has_caveat ? fmt::format("{} there", core::format_size(sum.forecast)) : std::string{});
  }
  return (table.rows.empty() ? std::string{} : table.text(2)) + on_chip_line(core);
}

std::string wrapped(const std::string& text,
                    std::size_t width,
                    std::size_t first,
                    std::size_t rest) {
  std::string out(first, ' ');
  std::size_t column = first;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t length = end - at;
    if (column + length > width && column > rest) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(rest, ' ');
      column = rest;
    }
    out += text.substr(at, length) + " ";
    column += length + 1;
    at = end + 1;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

std::string brief_notes(const app::Analysis& analysis, std::size_t width, std::size_t facts) {
  std::string out;
  std::size_t shown = 0;
  std::size_t left = facts;
  const auto& diagnostics = analysis.sizing.diagnostics;
  for (const core::Diagnostic& one : diagnostics) {
    if (one.severity != core::Severity::kNote) {
      continue;
    }
    // What asks for nothing can wait.
    if (one.hint.empty() || shown == kNotes) {
      ++left;
      continue;
    }
    ++shown;
    out += wrapped("- " + core::visible_text(one.message), width, 2, 4);
    out += wrapped(core::visible_text(one.hint), width, 4, 4);
  }
  if (left != 0) {
    out += fmt::format("  - {} more, and each number's lines: --explain\n",
                       core::plural(left, "note"));
  }
  return out;
}

}  // namespace memsize::cli
