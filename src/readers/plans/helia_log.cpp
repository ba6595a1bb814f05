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

class LogReader {
 public:
  explicit LogReader(const std::string& path) : problems_(path) {}

  PlanResult read(std::string_view text) {
    report_.planner = "heliaAOT";
    while (!text.empty()) {
      ++line_;
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    end_section();
    check_counts();
    report_.lines = line_;
    if (report_.arenas.empty() && !problems_.failed()) {
      problems_.error(Code::kReadNoTable,
                      {},
                      "no line says how large an arena is",
                      "convert the model with --verbose 2");
    }
    // It tells of arenas, never of what lies in them.
    report_.abridged = true;
    return problems_.finish(std::move(report_));
  }

 private:
  void read_line(std::string_view line) {
    if (const auto heading = heading_in(line); heading) {
      end_section();
      section_ = heading;
      section_line_ = line_;
      found_ = 0;
    } else if (const std::string_view item = item_in(line); !item.empty()) {
      read_item(item);
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

  // All items are of one print: what one has, all have.
  void check_counts() {
    const auto has_count = [](const model::PlannedArena& arena) {
      return arena.block_count.has_value();
    };
    const auto without = std::ranges::find_if_not(report_.arenas, has_count);
    if (without != report_.arenas.end() && std::ranges::any_of(report_.arenas, has_count)) {
      problems_.warn(Code::kPlanAbridged,
                     {without->line, 0},
                     "this line does not say how many tensors the arena has, where others do",
                     "the line is damaged: convert the model again");
    }
  }

  void read_item(std::string_view item) {
    const PlanPlace place{line_, 0};
    const std::string_view name = item.substr(0, item.find_first_of(" \t"));
    model::PlannedArena arena{.line = line_};
    words_.clear();
    std::string_view rest = item.substr(name.size());
    while (!rest.empty()) {
      rest = core::trim(rest);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
      rest.remove_prefix(word.size());
      const std::size_t equals = std::min(word.find('='), word.size());
      words_.emplace_back(core::to_lower(word.substr(0, equals)),
                          word.substr(std::min(equals + 1, word.size())));
    }
    name_arena(name, arena);
    if (arena.memory.empty()) {
      return;
    }
    ++found_;
    check_words(arena, place);
    arena.total = bytes({"total", "total_size", "size"}, place);
    arena.used = bytes({"used"}, place);
    arena.block_count = number({"consts", "tensors", "count"}, place);
    arena.region_id = number({"region", "region_id"}, place);
    if (const auto align = number({"align", "alignment"}, place); align) {
      arena.alignment = problems_.alignment(*align, place, "the arena");
    }
    check_shape(arena, name, place);
    // A log of several conversions has an arena several times: the last is the newest.
    const auto known = std::ranges::find_if(report_.arenas, [&](const model::PlannedArena& one) {
      return one.role == arena.role && one.memory == arena.memory;
    });
    if (known == report_.arenas.end()) {
      if (report_.arenas.size() == kMostArenas) {
        return problems_.error(Code::kPlanSyntax,
                               place,
                               fmt::format("more than {} arenas", kMostArenas),
                               "a network has one arena for each role in each memory");
      }
      report_.arenas.push_back(std::move(arena));
    } else {
      *known = std::move(arena);
    }
  }

  // "const_dtcm": the role, if the heading did not say it, and the memory, if no word does.
  void name_arena(std::string_view name, model::PlannedArena& arena) {
    constexpr auto kPrefixes = std::to_array<std::pair<std::string_view, Lifetime>>({
        {"const_", Lifetime::kConstant},
        {"constant_", Lifetime::kConstant},
        {"persistent_", Lifetime::kPersistent},
        {"scratch_", Lifetime::kScratch},
    });
    arena.role = section_ ? section_->role : Lifetime::kScratch;
    std::string_view memory = name;
    for (const auto& [prefix, role] : kPrefixes) {
      if (name.starts_with(prefix)) {
        arena.role = section_ ? arena.role : role;
        memory = name.substr(prefix.size());
      }
    }
    const std::string_view source = word({"src", "source", "source_memory"});
    const std::string_view destination = word({"dst", "mem", "memory"});
    arena.memory = core::to_lower(destination.empty() ? memory : destination);
    if (memory != name && arena.memory != core::to_lower(memory)) {
      problems_.error(Code::kPlanContradiction,
                      {line_, 0},
                      fmt::format("'{}' says that it lies in '{}'",
                                  core::printable(name, kLongestShown),
                                  core::printable(destination, kLongestShown)),
                      "the line is damaged: convert the model again");
    }
    arena.source_memory = helia_source(arena.memory, core::to_lower(source));
  }

  // A word that is almost one of those that are known, and a memory that nobody would name so.
  void check_words(const model::PlannedArena& arena, PlanPlace place) {
    for (const auto& [name, value] : words_) {
      const std::string_view letters =
          std::string_view{name}.substr(0, name.find_last_not_of("0123456789") + 1);
      const auto like =
          std::ranges::find_if(kWords, [&, name = std::string_view{name}](std::string_view word) {
            return core::one_byte_off(name, word) ||
                   core::one_byte_off(letters, std::string{word} + "=") || letters == word ||
                   (name.size() == word.size() + 1 && name.ends_with(word));
          });
      const bool is_known = std::ranges::find(kWords, name) != kWords.end();
      if (!is_known && like != kWords.end()) {
        problems_.error(
            Code::kPlanSyntax,
            place,
            fmt::format("'{}' is no word of an arena", core::printable(name, kLongestShown)),
            fmt::format("did you mean '{}='?", *like));
      }
    }
    for (const std::string& memory : {arena.memory, arena.source_memory}) {
      if (!memory.empty() && !core::is_identifier(memory)) {
        problems_.error(
            Code::kPlanSyntax,
            place,
            fmt::format("'{}' is no name of a memory", core::printable(memory, kLongestShown)),
            "the line is damaged: convert the model again");
      }
    }
  }

  void check_shape(const model::PlannedArena& arena, std::string_view name, PlanPlace place) {
    const std::string shape = core::to_lower(word({"shape", "kind"}));
    const bool staged = !arena.source_memory.empty();
    if ((shape == "staged" && !staged) || (shape == "cold" && staged)) {
      problems_.warn(
          Code::kPlanContradiction,
          place,
          fmt::format("'{}' is {}, but lies in '{}' and comes from '{}'",
                      core::printable(name, kLongestShown),
                      shape,
                      core::printable(arena.memory, kLongestShown),
                      core::printable(staged ? arena.source_memory : arena.memory, kLongestShown)),
          "staged is what comes from another memory than it lies in");
    }
  }

  // The value of the first of these keys that the item has.
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

  std::optional<std::uint64_t> number(std::initializer_list<std::string_view> keys,
                                      PlanPlace place) {
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
                      place,
                      fmt::format("{}= must be a whole number, not '{}'",
                                  *keys.begin(),
                                  core::printable(word(keys), kLongestShown)));
    }
    return value;
  }

  std::optional<core::Bytes> bytes(std::initializer_list<std::string_view> keys, PlanPlace place) {
    const auto value = number(keys, place);
    return value ? problems_.size(*value, place, "the arena") : std::nullopt;
  }

  static constexpr auto kWords = std::to_array<std::string_view>({"total",
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
  static constexpr std::size_t kMostArenas = 1000;

  PlanProblems problems_;
  model::PlanReport report_;
  std::size_t line_ = 0;
  std::optional<Heading> section_;
  std::size_t section_line_ = 0;
  std::uint64_t found_ = 0;
  std::vector<std::pair<std::string, std::string_view>> words_;
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
  return LogReader{path}.read(text);
}

}  // namespace memsize::readers
