// The regions as comma-separated values (RFC 4180), a row each, for spreadsheets and scripts. What
// a spreadsheet would take for a formula has an apostrophe before it.
#include "memsize/core/csv.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "consumers/consumer.hpp"
#include "rendered.hpp"
#include "view.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;
using layout::Region;

constexpr std::string_view kCsvFile = "memory_map.csv";
constexpr auto kColumns = std::to_array<std::string_view>({"name",
                                                           "kind",
                                                           "of",
                                                           "space",
                                                           "cores",
                                                           "virtual",
                                                           "physical",
                                                           "size_bytes",
                                                           "attributes",
                                                           "cache",
                                                           "carveouts",
                                                           "knob"});

// Names of the carve-outs and groups that the region, or what it is a name of, is a member of.
std::string carveouts_of(const layout::MemoryMap& map, const Region& region) {
  const std::string& member = region.of.empty() ? region.name : region.of;
  std::vector<std::string> names;
  for (const auto* list : {&map.carveouts, &map.groups}) {
    for (const layout::Carveout& carveout : *list) {
      if (core::contains(carveout.members, member)) {
        names.push_back(carveout.name);
      }
    }
  }
  return core::join(names, " ");
}

std::string csv_space(board::Space space) {
  return space == board::Space::kDdr ? "ddr" : space == board::Space::kSram ? "sram" : "core";
}

core::Result<std::vector<Artifact>> render_csv(const EmitInput& input) {
  const layout::MemoryMap& map = input.map;
  Json view = head_view(map);
  view["regions"] = Json::array(map.regions, [&](const Region& region) -> Json {
    return {
        {"name", region.name},
        {"kind", layout::name_of(region.kind)},
        {"of", region.of},
        {"space", csv_space(region.space)},
        {"cores", core::join(region.cores, " ")},
        {"virtual", region.virtual_base ? hex8(region.virtual_base->value()) : std::string{}},
        {"physical", region.physical_base ? hex8(region.physical_base->value()) : std::string{}},
        {"size_bytes", fmt::format("{}", region.size.count())},
        {"attributes", region.attributes},
        {"cache",
         region.cache == chip::Cache::kAny ? std::string{}
                                           : std::string{chip::name_of(region.cache)}},
        {"carveouts", carveouts_of(map, region)},
        {"knob", region.knob},
        {"note", region.note}};
  });
  return render_one(input, std::string{kCsvFile}, "csv", view, core::csv_cell);
}

struct CsvRow {
  std::vector<std::string> cells;
  core::Place place;
};

// RFC 4180; lines end with LF or CR LF.
class CsvReader {
 public:
  CsvReader(const WrittenFile& file, core::Diagnostics& errors)
      : text_(file.file.content), path_(file.file.path_under(file.root)), errors_(errors) {}

  std::vector<CsvRow> read() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size() && errors_.empty()) {
      CsvRow row{.place = {path_, line_, 1}};
      row.cells.push_back(cell());
      while (next() == ',' && errors_.empty()) {
        ++at_;
        row.cells.push_back(cell());
      }
      if (errors_.empty() && at_ < text_.size() && next() != '\n') {
        wrong("there is text behind a quoted cell");
      }
      ++at_;
      ++line_;
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  // What is not taken yet; at the end a line end.
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\n'; }

  std::string cell() {
    std::string cell;
    if (next() == '"') {
      cell = quoted();
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
      cell = text_.substr(at_, end - at_);
      at_ = end;
      if (cell.ends_with('\r')) {
        cell.pop_back();
      }
    }
    at_ += text_.compare(at_, 2, "\r\n") == 0 ? 1U : 0U;
    return cell;
  }

  std::string quoted() {
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && text_.compare(at_, 2, "\"\"") != 0) {
        ++at_;
        return cell;
      }
      at_ += text_[at_] == '"' ? 1U : 0U;
      line_ += text_[at_] == '\n' ? 1U : 0U;
      cell += text_[at_];
    }
    wrong("a quote is not closed");
    return cell;
  }

  void wrong(const char* what) {
    errors_.push_back(core::error(Code::kVerifyParse, what, {path_, line_, 1}));
  }

  const std::string& text_;
  std::string path_;
  core::Diagnostics& errors_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

std::string csv_hex(const std::optional<std::uint64_t>& value) {
  return value ? fmt::format("0x{:08X}", *value) : std::string{};
}

std::vector<std::string> wanted_row(const WrittenMap& map, const MapRegion& region) {
  const std::string& member = region.of.empty() ? region.name : region.of;
  std::vector<std::string> carveouts;
  for (const MapCarveout& carveout : map.carveouts) {
    if (core::contains(carveout.members, member)) {
      carveouts.push_back(carveout.name);
    }
  }
  return {
      region.name,
      region.kind,
      region.of,
      region.space,
      core::join(region.cores, " "),
      csv_hex(region.virtual_base),
      csv_hex(region.physical),
      fmt::format("{}", region.size),
      region.attributes,
      region.cache == chip::Cache::kAny ? std::string{} : std::string{chip::name_of(region.cache)},
      core::join(carveouts, " "),
      region.knob};
}

void verify_csv(const WrittenFile& file, core::Diagnostics& found) {
  const std::vector<CsvRow> rows = CsvReader{file, found}.read();
  if (!found.empty()) {
    return;
  }
  const auto wrong_head = [&](const CsvRow& head) {
    return head.cells.size() < kColumns.size() ||
           !std::equal(kColumns.begin(), kColumns.end(), head.cells.begin());
  };
  if (rows.empty() || wrong_head(rows.front())) {
    found.push_back(core::error(Code::kVerifyParse,
                                "the first row must name the columns",
                                file.place(),
                                std::string{kWriteAgain}));
    return;
  }
  const std::vector<MapRegion>& regions = file.map.regions;
  if (rows.size() != regions.size() + 1) {
    found.push_back(disagreement(file.place(),
                                 {},
                                 fmt::format("there are {} here, but {} in memory_map.json",
                                             core::plural(rows.size() - 1, "region"),
                                             regions.size())));
    return;
  }
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const CsvRow& row = rows[i + 1];
    const std::vector<std::string> wanted = wanted_row(file.map, regions[i]);
    for (std::size_t column = 0; column < wanted.size(); ++column) {
      const std::string cell = column < row.cells.size() ? row.cells[column] : std::string{};
      if (cell != wanted[column]) {
        found.push_back(
            disagreement(row.place,
                         {{"region", regions[i].name}},
                         fmt::format("{} of '{}' is '{}' here, but '{}' in memory_map.json",
                                     kColumns[column],
                                     regions[i].name,
                                     core::printable(cell, 60),
                                     core::printable(wanted[column], 60))));
      }
    }
  }
}

}  // namespace

Emitter csv_emitter() {
  return {"csv",
          "the regions as a table for spreadsheets, a row each",
          render_csv,
          true,
          kCsvFile,
          verify_csv};
}

}  // namespace memsize::emit
