// What heliaAOT prints with --verbose 2, wherever it stands in a console log:
//
//   Constant arenas (1):
//     • const_dtcm    size=8704 B  shape=staged  src=mram -> dst=dtcm  consts=2
//
// Only this line of a staged arena is published. Those of cold, scratch and persistent arenas are
// taken for the same: a heading with a role and a count, then items of words key=value, in any
// order and at any column. A key that nobody knows is passed over.
#include "memsize/core/text.hpp"

#include "helia_tensors.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Lifetime;

constexpr std::string_view kBullet = "\xE2\x80\xA2";

struct Heading {
  Lifetime role = Lifetime::kScratch;
  std::uint64_t count = 0;
};

// "Constant arenas (1):", with anything before it.
std::optional<Heading> heading_in(std::string_view line) {
  constexpr std::string_view kArenas = " arenas (";
  const std::size_t at = line.find(kArenas);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  // Whatever stands before it, such as a command for the terminal.
  const std::string before = core::to_lower(line.substr(0, at));
  constexpr auto kRoles =
      std::to_array({Lifetime::kScratch, Lifetime::kPersistent, Lifetime::kConstant});
  const auto role = std::ranges::find_if(
      kRoles, [&](Lifetime one) { return before.ends_with(model::name_of(one)); });
  const std::string_view behind = line.substr(at + kArenas.size());
  const auto count = whole_number(behind.substr(0, behind.find(')')));
  if (role == kRoles.end() || !count) {
    return std::nullopt;
  }
  return Heading{*role, *count};
}

// An item's text behind its bullet; empty: the line is none. Consoles without UTF-8 print another
// character there.
std::string_view item_in(std::string_view line) {
  if (line.find("size=") == std::string_view::npos) {
    return {};
  }
  if (const std::size_t at = line.find(kBullet); at != std::string_view::npos) {
    return core::trim(line.substr(at + kBullet.size()));
  }
  const std::string_view text = core::trim(line);
  const bool marked = text.starts_with("* ") || text.starts_with("- ") || text.starts_with("? ");
  return marked ? core::trim(text.substr(1)) : std::string_view{};
}

constexpr auto kArenaWords = std::to_array<std::string_view>({"total",
                                                              "total_size",
                                                              "size",
                                                              "used",
                                                              "consts",
                                                              "tensors",
                                                              "count",
                                                              "region",
                                                              "region_id",
                                                              "align",
                                                              "alignment",
                                                              "src",
                                                              "source",
                                                              "source_memory",
                                                              "dst",
                                                              "mem",
                                                              "memory",
                                                              "shape",
                                                              "kind"});

// Three roles in more memories than any board has.
constexpr std::size_t kMostArenas = 1000;

/// An arena's line: a name, and words of key=value behind it. What it asks for that is no number is
/// an error.
class ArenaItem {
 public:
  ArenaItem(std::string_view item, PlanPlace place, PlanProblems& problems)
      : name_(item.substr(0, item.find_first_of(" \t"))), place_(place), problems_(problems) {
    std::string_view rest = item.substr(name_.size());
    while (!rest.empty()) {
      rest = core::trim(rest);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
      rest.remove_prefix(word.size());
      const std::size_t equals = std::min(word.find('='), word.size());
      words_.emplace_back(core::to_lower(word.substr(0, equals)),
                          word.substr(std::min(equals + 1, word.size())));
    }
  }

  [[nodiscard]] std::string_view name() const { return name_; }

  [[nodiscard]] PlanPlace place() const { return place_; }

  [[nodiscard]] const std::vector<std::pair<std::string, std::string_view>>& words() const {
    return words_;
  }

  /// The value of the first of these keys that the item has.
  [[nodiscard]] std::string_view word(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
      for (const auto& [name, value] : words_) {
        if (name == key) {
          return value;
        }
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<std::uint64_t> number(
      std::initializer_list<std::string_view> keys) const {
    std::string_view text = word(keys);
    if (text.empty()) {
      return std::nullopt;
    }
    // "8704B", "8704,"
    for (const char end : {',', 'B'}) {
      text.remove_suffix(text.ends_with(end) ? 1U : 0U);
    }
    const auto value = whole_number(text);
    if (!value) {
      problems_.error(Code::kPlanSyntax,
                      place_,
                      fmt::format("{}= must be a whole number, not '{}'",
                                  *keys.begin(),
                                  core::printable(word(keys), kLongestShown)));
    }
    return value;
  }

  [[nodiscard]] std::optional<core::Bytes> bytes(
      std::initializer_list<std::string_view> keys) const {
    const auto value = number(keys);
    return value ? problems_.size(*value, place_, "the arena") : std::nullopt;
  }

 private:
  std::string_view name_;
  PlanPlace place_;
  PlanProblems& problems_;
  std::vector<std::pair<std::string, std::string_view>> words_;
};

// A word that is almost one of those that are known, and a memory that nobody would name so.
void check_words(const ArenaItem& item, const model::PlannedArena& arena, PlanProblems& problems) {
  for (const auto& [name, value] : item.words()) {
    const std::string_view letters =
        std::string_view{name}.substr(0, name.find_last_not_of("0123456789") + 1);
    const auto like = std::ranges::find_if(
        kArenaWords, [&, name = std::string_view{name}](std::string_view word) {
          return core::one_byte_off(name, word) ||
                 core::one_byte_off(letters, std::string{word} + "=") || letters == word ||
                 (name.size() == word.size() + 1 && name.ends_with(word));
        });
    const bool is_known = std::ranges::find(kArenaWords, name) != kArenaWords.end();
    if (!is_known && like != kArenaWords.end()) {
      problems.error(
          Code::kPlanSyntax,
          item.place(),
          fmt::format("'{}' is no word of an arena", core::printable(name, kLongestShown)),
          fmt::format("did you mean '{}='?", *like));
    }
  }
  for (const std::string& memory : {arena.memory, arena.source_memory}) {
    if (!memory.empty() && !core::is_identifier(memory)) {
      problems.error(
          Code::kPlanSyntax,
          item.place(),
          fmt::format("'{}' is no name of a memory", core::printable(memory, kLongestShown)),
          "the line is damaged: convert the model again");
    }
  }
}

void check_shape(const ArenaItem& item, const model::PlannedArena& arena, PlanProblems& problems) {
  const std::string shape = core::to_lower(item.word({"shape", "kind"}));
  const bool staged = !arena.source_memory.empty();
  if ((shape == "staged" && !staged) || (shape == "cold" && staged)) {
    problems.warn(
        Code::kPlanContradiction,
        item.place(),
        fmt::format("'{}' is {}, but lies in '{}' and comes from '{}'",
                    core::printable(item.name(), kLongestShown),
                    shape,
                    core::printable(arena.memory, kLongestShown),
                    core::printable(staged ? arena.source_memory : arena.memory, kLongestShown)),
        "staged is what comes from another memory than it lies in");
  }
}

// "const_dtcm": the role, if the heading did not say it, and the memory, if no word does.
model::PlannedArena named_arena(const ArenaItem& item,
                                const std::optional<Heading>& section,
                                PlanProblems& problems) {
  constexpr auto kPrefixes = std::to_array<std::pair<std::string_view, Lifetime>>({
      {"const_", Lifetime::kConstant},
      {"constant_", Lifetime::kConstant},
      {"persistent_", Lifetime::kPersistent},
      {"scratch_", Lifetime::kScratch},
  });
  const std::string_view name = item.name();
  model::PlannedArena arena{.role = section ? section->role : Lifetime::kScratch,
                            .line = item.place().line};
  std::string_view memory = name;
  for (const auto& [prefix, role] : kPrefixes) {
    if (name.starts_with(prefix)) {
      arena.role = section ? arena.role : role;
      memory = name.substr(prefix.size());
    }
  }
  const std::string_view source = item.word({"src", "source", "source_memory"});
  const std::string_view destination = item.word({"dst", "mem", "memory"});
  arena.memory = core::to_lower(destination.empty() ? memory : destination);
  if (memory != name && arena.memory != core::to_lower(memory)) {
    problems.error(Code::kPlanContradiction,
                   item.place(),
                   fmt::format("'{}' says that it lies in '{}'",
                               core::printable(name, kLongestShown),
                               core::printable(destination, kLongestShown)),
                   "the line is damaged: convert the model again");
  }
  arena.source_memory = helia_source(arena.memory, core::to_lower(source));
  return arena;
}

// A log of several conversions has an arena several times: the last is the newest.
void keep_newest(model::PlannedArena arena,
                 std::vector<model::PlannedArena>& arenas,
                 PlanProblems& problems) {
  const auto known = std::ranges::find_if(arenas, [&](const model::PlannedArena& one) {
    return one.role == arena.role && one.memory == arena.memory;
  });
  if (known == arenas.end()) {
    if (arenas.size() == kMostArenas) {
      return problems.error(Code::kPlanSyntax,
                            {arena.line, 0},
                            fmt::format("more than {} arenas", kMostArenas),
                            "a network has one arena for each role in each memory");
    }
    arenas.push_back(std::move(arena));
  } else {
    *known = std::move(arena);
  }
}

// All items are of one print: what one has, all have.
void check_same_words(const std::vector<model::PlannedArena>& arenas, PlanProblems& problems) {
  const auto has_count = [](const model::PlannedArena& arena) {
    return arena.block_count.has_value();
  };
  const auto without = std::ranges::find_if_not(arenas, has_count);
  if (without != arenas.end() && std::ranges::any_of(arenas, has_count)) {
    problems.warn(Code::kPlanAbridged,
                  {without->line, 0},
                  "this line does not say how many tensors the arena has, where others do",
                  "the line is damaged: convert the model again");
  }
}

/// Arenas under their headings.
class LogReader {
 public:
  explicit LogReader(PlanProblems& problems) : problems_(problems) {}

  void read_line(std::string_view line, PlanPlace place) {
    if (const auto heading = heading_in(line); heading) {
      end_section();
      section_ = heading;
      section_line_ = place.line;
      found_ = 0;
    } else if (const std::string_view item = item_in(line); !item.empty()) {
      read_item({item, place, problems_});
    }
  }

  void end_section() {
    if (section_ && found_ != section_->count) {
      problems_.warn(
          Code::kPlanAbridged,
          {section_line_, 0},
          fmt::format("{} announced, {} found",
                      core::plural(section_->count,
                                   fmt::format("{} arena is", model::name_of(section_->role)),
                                   fmt::format("{} arenas are", model::name_of(section_->role))),
                      found_),
          "give the whole log");
    }
    section_.reset();
  }

  [[nodiscard]] std::vector<model::PlannedArena>& arenas() { return arenas_; }

 private:
  void read_item(const ArenaItem& item) {
    model::PlannedArena arena = named_arena(item, section_, problems_);
    if (arena.memory.empty()) {
      return;
    }
    ++found_;
    check_words(item, arena, problems_);
    arena.total = item.bytes({"total", "total_size", "size"});
    arena.used = item.bytes({"used"});
    arena.block_count = item.number({"consts", "tensors", "count"});
    arena.region_id = item.number({"region", "region_id"});
    if (const auto align = item.number({"align", "alignment"}); align) {
      arena.alignment = problems_.alignment(*align, item.place(), "the arena");
    }
    check_shape(item, arena, problems_);
    keep_newest(std::move(arena), arenas_, problems_);
  }

  PlanProblems& problems_;
  std::vector<model::PlannedArena> arenas_;
  std::optional<Heading> section_;
  std::size_t section_line_ = 0;
  std::uint64_t found_ = 0;
};

}  // namespace

bool probe_helia_log(std::string_view head) {
  bool announced = false;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find('\n'), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    announced = announced || heading_in(line).has_value();
    if (announced && !item_in(line).empty()) {
      return true;
    }
  }
  return false;
}

PlanResult read_helia_log(std::string_view text, const std::string& path) {
  PlanProblems problems{path};
  model::PlanReport report;
  report.planner = "heliaAOT";
  LogReader reader{problems};
  while (!text.empty()) {
    ++report.lines;
    const std::size_t end = std::min(text.find('\n'), text.size());
    reader.read_line(text.substr(0, end), {report.lines, 0});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  reader.end_section();
  report.arenas = std::move(reader.arenas());
  check_same_words(report.arenas, problems);
  if (report.arenas.empty() && !problems.failed()) {
    problems.error(Code::kReadNoTable,
                   {},
                   "no line says how large an arena is",
                   "convert the model with --verbose 2");
  }
  // It tells of arenas, never of what lies in them.
  report.abridged = true;
  return problems.finish(std::move(report));
}

}  // namespace memsize::readers
