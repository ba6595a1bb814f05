// An answer in paragraphs and tables of a terminal's width, and as a document. What several files
// say alike is said once; sizes and names are left out where they are the subject's own.
#include "why_report.hpp"

#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/layout/sight.hpp"

#include "table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using layout::AddressReading;
using layout::Answer;
using layout::Expansion;
using layout::Shift;
using layout::Sight;
using layout::Statement;
using layout::Subject;

constexpr std::size_t kWidth = 98;
constexpr std::size_t kMostMoved = 12;

std::string size_text(std::uint64_t size) {
  return core::format_size(core::Bytes{size});
}

// Words of a list in lines that a terminal holds; the first line begins with `head`.
std::string wrapped(const std::string& head,
                    const std::vector<std::string>& words,
                    std::size_t indent) {
  std::string out;
  std::string line = std::string(indent, ' ') + head;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string word = core::printable(words[i]) + (i + 1 < words.size() ? "," : "");
    if (line.size() + 1 + word.size() > kWidth && line.size() > indent + 2) {
      out += line + "\n";
      line = std::string(indent + 2, ' ') + word;
    } else {
      line += " " + word;
    }
  }
  return out + line + "\n";
}

// Sentences are cut at blanks. They may hold names that nobody has checked.
std::string sentence(const std::string& said, std::size_t indent) {
  constexpr std::size_t kLongest = 4000;
  const std::string text = core::printable(said, kLongest);
  std::string out;
  std::string line(indent, ' ');
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t blank = std::min(text.find(' ', at), text.size());
    // A range is one word.
    if (text[at] == '[' && blank > at && text[blank - 1] == ',') {
      blank = std::min(text.find(' ', blank + 1), text.size());
    }
    const std::string word = text.substr(at, blank - at);
    const bool is_first = line.find_first_not_of(' ') == std::string::npos;
    if (!is_first && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = std::string(indent + 2, ' ') + word;
    } else {
      line += (is_first ? "" : " ") + word;
    }
    at = blank + 1;
  }
  return out + line + "\n";
}

std::string path_below(const std::string& root, const core::Place& place) {
  const std::string& path = place.path.str();
  const bool below = !root.empty() && path.starts_with(root + "/");
  return core::printable(below ? path.substr(root.size() + 1) : path, 200);
}

// --- readings of an address --------------------------------------------------------------------

std::string found_in(const AddressReading& reading) {
  if (reading.name.empty()) {
    return "";
  }
  const std::string name = core::printable(reading.name);
  return reading.offset == 0 ? name
                             : fmt::format("{} + {}", name, core::format_hex(reading.offset));
}

std::string readings_text(const Answer& answer) {
  Table table{.columns = {{"read by"}, {"on the bus", true}, {"cached"}, {"by"}, {"in"}}};
  std::string holes;
  std::vector<std::string> told;
  for (const AddressReading& reading : answer.readings) {
    const std::string who = reading.core.empty() ? "the bus" : reading.core;
    std::string in = found_in(reading);
    if (!reading.is_mapped) {
      in = "not mapped: an access faults";
    } else if (in.empty() && !reading.where.empty()) {
      auto known = std::ranges::find(told, reading.where);
      if (known == told.end()) {
        told.push_back(reading.where);
        known = told.end() - 1;
        holes += sentence(fmt::format("({}) {}", told.size(), reading.where), 2);
      }
      in = fmt::format("({})", known - told.begin() + 1);
    }
    table.rows.push_back({who,
                          reading.physical ? core::format_hex(*reading.physical) : "-",
                          reading.cached.empty() ? "-" : reading.cached,
                          reading.by.empty() ? "-" : reading.by.substr(0, reading.by.find(" '")),
                          in});
  }
  // What every build of a core says the same way is said once.
  table.rows.erase(std::unique(table.rows.begin(), table.rows.end()), table.rows.end());
  return table.text(2) + holes;
}

// --- who sees it -------------------------------------------------------------------------------

std::string short_label(const std::string& label) {
  return label.substr(0, label.find(" '"));
}

std::string by_text(const Sight& sight) {
  std::string by = short_label(sight.by);
  if (!sight.moved_by.empty()) {
    by += (by.empty() ? "" : ", ") + short_label(sight.moved_by);
  }
  return by.empty() ? "-" : by;
}

std::string cached_text(const Subject& subject, const Sight& sight) {
  if (!sight.is_mapped) {
    return "not mapped";
  }
  const bool is_wrong = !sight.name.empty() && !subject.must_be.empty() && !sight.cached.empty() &&
                        sight.cached != subject.must_be;
  return sight.cached.empty() ? "-" : is_wrong ? sight.cached + " (wrong)" : sight.cached;
}

bool is_listed(const Subject& subject, const Sight& sight) {
  return !sight.name.empty() || subject.kind != "region";
}

// Cores whose builds differ: then the table names the file.
std::map<std::string, bool> builds_differ(const Subject& subject) {
  std::map<std::string, std::map<std::string, std::string>> said;
  for (const Sight& sight : subject.sights) {
    if (is_listed(subject, sight)) {
      said[sight.core][sight.build] += fmt::format("{} {} {} {} {} {}\n",
                                                   sight.name,
                                                   sight.address,
                                                   sight.size,
                                                   sight.physical.value_or(0),
                                                   cached_text(subject, sight),
                                                   by_text(sight));
    }
  }
  std::map<std::string, bool> differ;
  for (const auto& [core, builds] : said) {
    const std::string& first = builds.begin()->second;
    differ[core] =
        std::ranges::any_of(builds, [&](const auto& build) { return build.second != first; });
  }
  return differ;
}

// Columns of the table of sights.
constexpr std::size_t kSizeColumn = 3;
constexpr std::size_t kNameColumn = 6;

Table sight_table(const Subject& subject) {
  const std::map<std::string, bool> differ = builds_differ(subject);
  Table table;
  table.columns = {{"core"},
                   {"address", true},
                   {"on the bus", true},
                   {"size", true},
                   {"cached"},
                   {"by"},
                   {"as"}};
  auto& rows = table.rows;
  for (const Sight& sight : subject.sights) {
    if (!is_listed(subject, sight)) {
      continue;
    }
    const std::string file = sight.build.substr(sight.build.rfind('/') + 1);
    std::vector<std::string> row = {
        differ.at(sight.core) ? fmt::format("{} ({})", sight.core, file) : sight.core,
        core::format_hex(sight.address),
        sight.physical ? core::format_hex(*sight.physical) : "-",
        size_text(sight.size),
        cached_text(subject, sight),
        by_text(sight),
        sight.name == subject.name ? "" : core::printable(sight.name)};
    if (std::ranges::find(rows, row) == rows.end()) {
      rows.push_back(std::move(row));
    }
  }
  return table;
}

void drop_column(Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) {
    row.erase(row.begin() + at);
  }
}

// Sizes and names only where there is another one than the subject's.
void drop_what_is_known(const Subject& subject, Table& table) {
  const auto& rows = table.rows;
  if (std::ranges::all_of(rows, [](const auto& row) { return row[kNameColumn].empty(); })) {
    drop_column(table, kNameColumn);
  }
  if (std::ranges::all_of(rows, [&](const auto& row) {
        return subject.size && row[kSizeColumn] == size_text(*subject.size);
      })) {
    drop_column(table, kSizeColumn);
  }
}

// What has no name is within reach all the same: each way to see it, with the cores.
std::vector<std::pair<std::string, std::vector<std::string>>> unnamed_sights(
    const Subject& subject) {
  std::vector<std::pair<std::string, std::vector<std::string>>> ways;
  for (const Sight& sight : subject.sights) {
    if (is_listed(subject, sight)) {
      continue;
    }
    const std::string how = fmt::format("{} at {} ({}):",
                                        cached_text(subject, sight),
                                        emit::range_text(sight.address, sight.size),
                                        by_text(sight));
    auto known = std::ranges::find_if(ways, [&](const auto& each) { return each.first == how; });
    if (known == ways.end()) {
      ways.push_back({how, {}});
      known = ways.end() - 1;
    }
    auto& cores = known->second;
    if (std::ranges::find(cores, sight.core) == cores.end()) {
      cores.push_back(sight.core);
    }
  }
  return ways;
}

std::string sights_text(const Subject& subject) {
  if (subject.sights.empty()) {
    return "";
  }
  std::string out = "\n  who sees it\n";
  Table table = sight_table(subject);
  const bool has_rows = !table.rows.empty();
  if (has_rows) {
    drop_what_is_known(subject, table);
    out += table.text(4);
  }
  const auto ways = unnamed_sights(subject);
  if (!ways.empty()) {
    out += has_rows ? "    within reach too, without a name in their linker maps:\n"
                    : "    within reach, without a name in a linker map:\n";
  }
  for (const auto& [how, cores] : ways) {
    out += wrapped(how, cores, 6);
  }
  return out;
}

// --- where it is said --------------------------------------------------------------------------

// The entries that decide what cores see, once each with all cores.
std::vector<Statement> with_entries(const Subject& subject) {
  std::vector<Statement> said = subject.said;
  std::vector<std::pair<Statement, std::vector<std::string>>> entries;
  const auto add =
      [&](const core::Place& place, const std::string& label, const std::string& core) {
        if (label.empty() || place.path.empty()) {
          return;
        }
        auto known = std::ranges::find_if(entries, [&](const auto& each) {
          return each.first.place == place && each.first.what == label;
        });
        if (known == entries.end()) {
          entries.push_back({{place, label}, {}});
          known = entries.end() - 1;
        }
        if (std::ranges::find(known->second, core) == known->second.end()) {
          known->second.push_back(core);
        }
      };
  for (const Sight& sight : subject.sights) {
    add(sight.by_place, sight.by, sight.core);
    add(sight.moved_by_place, sight.moved_by, sight.core);
  }
  for (const auto& [statement, cores] : entries) {
    // A file in a core's own folder is that core's.
    const bool is_own =
        statement.place.path.str().find("/" + cores.front() + "/") != std::string::npos;
    said.push_back({statement.place,
                    is_own ? statement.what
                           : fmt::format("{} of {}", statement.what, core::join(cores, ", "))});
  }
  return said;
}

struct Line {
  std::string path;
  std::size_t number = 0;
  std::string what;

  [[nodiscard]] std::string place() const {
    return number == 0 ? path : fmt::format("{}:{}", path, number);
  }

  friend bool operator==(const Line&, const Line&) = default;
};

// What several files say alike, such as every linker map, is one paragraph.
std::string shared_text(std::vector<Line>& lines) {
  std::map<std::string, std::vector<std::string>> files;
  std::vector<std::string> order;
  for (const Line& line : lines) {
    auto& known = files[line.what];
    if (known.empty()) {
      order.push_back(line.what);
    }
    known.push_back(line.place());
  }
  std::string out;
  for (const std::string& what : order) {
    if (files[what].size() > 1) {
      out += wrapped(what + ":", files[what], 4);
    }
  }
  std::erase_if(lines, [&](const Line& line) { return files[line.what].size() > 1; });
  return out;
}

std::string said_text(const Answer& answer, const Subject& subject) {
  std::vector<Line> lines;
  for (const Statement& each : with_entries(subject)) {
    Line line{
        path_below(answer.root, each.place), each.place.line, core::printable(each.what, 200)};
    if (!each.place.path.empty() && std::ranges::find(lines, line) == lines.end()) {
      lines.push_back(std::move(line));
    }
  }
  if (lines.empty()) {
    return "";
  }
  const std::string shared = shared_text(lines);
  std::vector<std::string> paths;
  for (const Line& line : lines) {
    if (std::ranges::find(paths, line.path) == paths.end()) {
      paths.push_back(line.path);
    }
  }
  std::ranges::stable_sort(lines, {}, &Line::number);
  std::string out = "\n  where it is said\n";
  for (const std::string& path : paths) {
    out += fmt::format("    {}\n", path);
    for (const Line& line : lines) {
      if (line.path == path) {
        out += line.number == 0 ? fmt::format("            {}\n", line.what)
                                : fmt::format("      {:>4}  {}\n", line.number, line.what);
      }
    }
  }
  return out + shared;
}

// --- if it grows -------------------------------------------------------------------------------

std::string shift_text(const Shift& shift) {
  return shift.base_after >= shift.base_before
             ? "+" + size_text(shift.base_after - shift.base_before)
             : "-" + size_text(shift.base_before - shift.base_after);
}

std::string moved_text(const Expansion& growth) {
  if (growth.moved.empty()) {
    return "    nothing else moves\n";
  }
  std::string out = fmt::format("    {}\n", growth.moved.size() == 1 ? "this moves" : "these move");
  Table table{.columns = {{"what"}, {"from", true}, {"to", true}, {"by", true}}};
  for (std::size_t i = 0; i < std::min(growth.moved.size(), kMostMoved); ++i) {
    const Shift& shift = growth.moved[i];
    table.rows.push_back({core::printable(shift.name),
                          core::format_hex(shift.base_before),
                          core::format_hex(shift.base_after),
                          shift_text(shift)});
  }
  out += table.text(6);
  if (growth.moved.size() > kMostMoved) {
    out += fmt::format("      ... {} more\n", growth.moved.size() - kMostMoved);
  }
  return out;
}

std::string resized_text(const Expansion& growth) {
  std::string out;
  for (const Shift& shift : growth.resized) {
    const bool moves = shift.base_before != shift.base_after;
    out +=
        fmt::format("    {}: {} instead of {}{}\n",
                    core::printable(shift.name),
                    size_text(shift.size_after),
                    size_text(shift.size_before),
                    moves ? fmt::format(", from {} on", core::format_hex(shift.base_after)) : "");
  }
  return out;
}

std::string tables_text(const Expansion& growth) {
  std::vector<std::string> words;
  for (const layout::TableUse& use : growth.tables) {
    const std::string of = use.limit == 0 ? "" : fmt::format(" of {}", use.limit);
    words.push_back(use.before == use.after
                        ? fmt::format("{} {}{}", use.core, use.after, of)
                        : fmt::format("{} {}{}, {} before", use.core, use.after, of, use.before));
  }
  return words.empty() ? "" : wrapped("MMU tables:", words, 4);
}

std::string room_text(const Expansion& growth) {
  if (!growth.room) {
    return "";
  }
  const layout::Room& room = *growth.room;
  std::string out = sentence(
      fmt::format("{} free behind it, up to {}, {}{}",
                  room.size == 0 ? std::string{"nothing is"} : size_text(room.size) + " are",
                  core::format_hex(room.base + room.size),
                  room.until,
                  room.why.empty() ? "" : ": " + room.why),
      4);
  return out;
}

std::string growth_text(const Expansion& growth) {
  if (growth.change.empty()) {
    return "";
  }
  // What is to be written stays in one piece, for copying.
  const std::string head =
      fmt::format("  if {} grows by {}:", core::printable(growth.what), size_text(growth.step));
  const std::string change = core::printable(growth.change, 200);
  const bool fits = head.size() + 1 + change.size() <= kWidth;
  std::string out = fmt::format("\n{}{}{}\n", head, fits ? " " : "\n    ", change);
  if (growth.refused_step != 0) {
    out += sentence(fmt::format("{} do not work: {}",
                                size_text(growth.refused_step),
                                core::printable(growth.refused.front().message, 300)),
                    4);
  }
  if (!growth.works()) {
    const core::Diagnostic& first = growth.problems.front();
    // A script's errors have hints for those who wanted to read it.
    const bool by_script = first.code == core::Code::kSdkScript;
    out += sentence(
        fmt::format("it does not work: {}{}",
                    core::printable(first.message, 300),
                    by_script ? fmt::format(" in line {}: {}",
                                            first.place.line,
                                            core::printable(core::trim(first.place.text.str())))
                              : std::string{}),
        4);
    if (!first.hint.empty() && !by_script) {
      out += sentence("hint: " + core::printable(first.hint, 300), 6);
    }
  } else {
    out += resized_text(growth) + moved_text(growth) + tables_text(growth);
  }
  out += room_text(growth);
  if (growth.largest) {
    out += fmt::format("    the largest found that works: {}{}\n",
                       size_text(*growth.largest),
                       growth.largest_change.empty() ? "" : ", " + growth.largest_change);
  }
  if (!growth.cores.empty()) {
    out += wrapped("rebuild:", growth.cores, 4);
  }
  if (!growth.files.empty()) {
    out += wrapped("files that change:", growth.files, 4);
  }
  if (!growth.by_hand.empty()) {
    out += wrapped("not made from it, but emit --sdk edits them, too:", growth.by_hand, 4);
  }
  return out;
}

// --- the whole ---------------------------------------------------------------------------------

std::string head_text(const Subject& subject) {
  std::string out =
      sentence(fmt::format("{} {}{}",
                           subject.kind,
                           core::printable(subject.name, 120),
                           subject.note.empty() ? "" : ": " + core::printable(subject.note, 200)),
               0);
  std::vector<std::string> parts;
  if (subject.size) {
    parts.push_back(size_text(*subject.size));
  }
  if (subject.physical && subject.size) {
    parts.push_back(emit::range_text(*subject.physical, *subject.size) + " on the bus");
  } else if (subject.address && subject.size) {
    parts.push_back(emit::range_text(*subject.address, *subject.size) + " for its core");
  }
  if (!subject.must_be.empty()) {
    parts.push_back("must be " + subject.must_be);
  }
  if (!parts.empty()) {
    out += fmt::format("  {}\n", core::join(parts, ", "));
  }
  for (const std::string& fact : subject.facts) {
    out += sentence(fact, 2);
  }
  for (const std::string& disagreement : subject.disagreements) {
    out += sentence("they disagree: " + disagreement, 2);
  }
  return out;
}

// As all documents write addresses.
std::string hex(std::uint64_t address) {
  return fmt::format("0x{:x}", address);
}

Json sight_json(const Sight& sight) {
  Json json = {{"core", sight.core}};
  json.set_if_any("build", sight.build);
  json.set_if_any("name", sight.name);
  json["address"] = hex(sight.address);
  json["size_bytes"] = sight.size;
  json["mapped"] = sight.is_mapped;
  json.set_if_any("physical", sight.physical, hex);
  json.set_if_any("cached", sight.cached);
  for (const auto& [key, label, place] :
       {std::tuple{"by", &sight.by, &sight.by_place},
        std::tuple{"moved_by", &sight.moved_by, &sight.moved_by_place}}) {
    if (!label->empty()) {
      json[key] = place_json(*place);
      json[key]["what"] = *label;
    }
  }
  return json;
}

Json shifts_json(const std::vector<Shift>& shifts) {
  Json list = Json::array();
  for (const Shift& shift : shifts) {
    list.push_back({{"name", shift.name},
                    {"base", hex(shift.base_before)},
                    {"new_base", hex(shift.base_after)},
                    {"size_bytes", shift.size_before},
                    {"new_size_bytes", shift.size_after}});
  }
  return list;
}

Json problems_json(const core::Diagnostics& problems) {
  Json list = Json::array();
  for (const core::Diagnostic& problem : problems) {
    Json json = {{"code", core::code_name(problem.code)}, {"message", problem.message}};
    json.update(place_json(problem.place));
    json.set_if_any("hint", problem.hint);
    list.push_back(std::move(json));
  }
  return list;
}

Json growth_json(const Expansion& growth) {
  Json json = {{"what", growth.what}, {"change", growth.change}};
  if (!growth.place.path.empty()) {
    json["place"] = place_json(growth.place);
  }
  json["step_bytes"] = growth.step;
  if (growth.refused_step != 0) {
    json["refused_step_bytes"] = growth.refused_step;
    json["refused"] = problems_json(growth.refused);
  }
  json["works"] = growth.works();
  if (!growth.works()) {
    json["problems"] = problems_json(growth.problems);
  } else {
    json["resized"] = shifts_json(growth.resized);
    json["moved"] = shifts_json(growth.moved);
  }
  for (const layout::TableUse& use : growth.tables) {
    Json table = {{"core", use.core}, {"tables", use.before}, {"new_tables", use.after}};
    if (use.limit != 0) {
      table["limit"] = use.limit;
    }
    json["mmu_tables"].push_back(std::move(table));
  }
  if (growth.room) {
    json["room"] = {{"base", hex(growth.room->base)},
                    {"size_bytes", growth.room->size},
                    {"until", growth.room->until}};
    if (!growth.room->why.empty()) {
      json["room"]["why"] = growth.room->why;
    }
  }
  json.set_if_any("largest_bytes", growth.largest);
  json["cores"] = growth.cores;
  json["files"] = growth.files;
  json["by_hand"] = growth.by_hand;
  return json;
}

Json subject_json(const Subject& subject) {
  Json json = {{"kind", subject.kind}, {"name", subject.name}};
  json.set_if_any("note", subject.note);
  json["cores"] = subject.cores;
  json.set_if_any("address", subject.address, hex);
  json.set_if_any("physical", subject.physical, hex);
  json.set_if_any("size_bytes", subject.size);
  json.set_if_any("must_be", subject.must_be);
  json["facts"] = subject.facts;
  json["disagreements"] = subject.disagreements;
  json["seen"] = Json::array(subject.sights, sight_json);
  json["said"] = Json::array();
  for (const Statement& each : subject.said) {
    Json statement = place_json(each.place);
    statement["what"] = each.what;
    json["said"].push_back(std::move(statement));
  }
  if (subject.growth && !subject.growth->change.empty()) {
    json["growth"] = growth_json(*subject.growth);
  }
  return json;
}

Json reading_json(const AddressReading& reading) {
  Json json = Json::object();
  json.set_if_any("core", reading.core);
  json.set_if_any("build", reading.build);
  json["mapped"] = reading.is_mapped;
  json.set_if_any("physical", reading.physical, hex);
  json.set_if_any("cached", reading.cached);
  if (!reading.by.empty()) {
    json["by"] = place_json(reading.by_place);
    json["by"]["what"] = reading.by;
  }
  if (!reading.name.empty()) {
    json["name"] = reading.name;
    json["offset_bytes"] = reading.offset;
  }
  json.set_if_any("where", reading.where);
  return json;
}

}  // namespace

std::string why_text(const Answer& answer) {
  std::string out = core::printable(answer.source, 200) + "\n";
  if (!answer.root.empty()) {
    out += fmt::format("files below {}\n", core::printable(answer.root, 200));
  }
  if (answer.address) {
    // What a dump prints without 0x may be either.
    const bool is_decimal = answer.asked.find_first_not_of("0123456789_") == std::string::npos;
    out += fmt::format("\naddress {}{}\n{}",
                       core::format_hex(*answer.address),
                       is_decimal ? ", which was given in decimal" : "",
                       readings_text(answer));
  }
  for (const Subject& subject : answer.subjects) {
    out += "\n" + head_text(subject) + sights_text(subject) + said_text(answer, subject);
    if (subject.growth) {
      out += growth_text(*subject.growth);
    }
  }
  return out;
}

core::Json why_document(const Answer& answer) {
  Json json;
  json["schema"] = "memsize.why/1";
  json["asked"] = answer.asked;
  json.set_if_any("address", answer.address, hex);
  json["source"] = answer.source;
  json["readings"] = Json::array(answer.readings, reading_json);
  json["subjects"] = Json::array(answer.subjects, subject_json);
  return json;
}

}  // namespace memsize::cli
