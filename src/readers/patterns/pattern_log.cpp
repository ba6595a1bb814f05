// A log read by patterns: a set of them says which a line matches, the first that stands in the
// format reads it. Only lines that have a pattern's text are looked at, or those of an open table.
#include "memsize/core/find.hpp"
#include "memsize/core/line_scanner.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/pattern_reader.hpp"

#include "../formats.hpp"
#include "../not_kept.hpp"
#include "literals.hpp"
#include "printed_size.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/set.h>

namespace memsize::readers {

// What a pattern is for.
enum class PatternRole { kRow, kTotal, kBegins, kEnds, kIgnore, kFailure };

struct CompiledPattern {
  PatternRole what{};
  // Of the rows, or of the totals.
  std::size_t index = 0;
  model::LogPattern pattern;
  std::unique_ptr<RE2> matcher;
  std::string literal;
};

namespace {

using Pattern = CompiledPattern;
using What = PatternRole;
using core::Code;
using model::Block;
using model::Instance;
using model::LogPattern;

// What a format may ask for: all of its patterns together take so much, at most.
constexpr std::int64_t kMostMemory = std::int64_t{8} << 20U;
constexpr std::size_t kMostPatterns = 256;
constexpr std::size_t kLongestPattern = 4096;
// The shortest text that lines are looked for with.
constexpr std::size_t kShortestWord = 3;
// What a hostile log may ask for, as of the built-in reader.
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;
constexpr std::size_t kLongestText = std::size_t{1} << 16U;
constexpr std::size_t kMostCores = 256;
constexpr std::size_t kMostModels = 4096;
constexpr std::size_t kMostRecords = 0xFFFF;
constexpr std::size_t kShownProblems = 20;

constexpr std::array<std::string_view, 6> kWhatNames = {
    "row", "total", "begins", "ends", "ignore", "failure"};

RE2::Options options() {
  RE2::Options all{RE2::Quiet};
  // Logs have bytes that are no UTF-8.
  all.set_encoding(RE2::Options::EncodingLatin1);
  all.set_max_mem(kMostMemory);
  return all;
}

re2::StringPiece piece(std::string_view text) {
  return {text.data(), text.size()};
}

// The text that a group matched; empty where it did not, or is not there.
class Match {
 public:
  Match(const RE2& matcher, std::string_view line)
      : groups_(matcher.NamedCapturingGroups()),
        found_(static_cast<std::size_t>(matcher.NumberOfCapturingGroups()) + 1) {
    matcher.Match(piece(line),
                  0,
                  line.size(),
                  RE2::UNANCHORED,
                  found_.data(),
                  static_cast<int>(found_.size()));
  }

  [[nodiscard]] std::string_view operator[](const char* group) const {
    const auto known = groups_.find(group);
    if (known == groups_.end()) {
      return {};
    }
    const re2::StringPiece& text = found_[static_cast<std::size_t>(known->second)];
    return {text.data(), text.size()};
  }

 private:
  const std::map<std::string, int>& groups_;
  std::vector<re2::StringPiece> found_;
};

core::Diagnostic bad_pattern(const LogPattern& pattern, std::string what, std::string hint = {}) {
  return core::error(Code::kFormatPattern,
                     std::move(what),
                     pattern.place,
                     hint.empty() ? "https://github.com/google/re2/wiki/Syntax has what there is"
                                  : std::move(hint));
}

}  // namespace

struct PatternReader::Compiled {
  explicit Compiled(model::LogFormat described)
      : format(std::move(described)), set(options(), RE2::UNANCHORED) {}

  core::Diagnostics add_all() {
    core::Diagnostics errors;
    const auto add = [&](What what, const LogPattern& pattern, std::size_t index) {
      if (auto error = add_one(what, pattern, index); error) {
        errors.push_back(std::move(*error));
      }
    };
    for (std::size_t i = 0; i < format.rows.size(); ++i) {
      add(What::kRow, format.rows[i].pattern, i);
    }
    for (std::size_t i = 0; i < format.totals.size(); ++i) {
      add(What::kTotal, format.totals[i].pattern, i);
    }
    for (const auto& [what, pattern] :
         {std::pair{What::kBegins, &format.begins}, std::pair{What::kEnds, &format.ends}}) {
      if (*pattern) {
        add(what, **pattern, 0);
      }
    }
    for (const LogPattern& pattern : format.ignored) {
      add(What::kIgnore, pattern, 0);
    }
    for (const LogPattern& pattern : format.failures) {
      add(What::kFailure, pattern, 0);
    }
    if (errors.empty() && !set.Compile()) {
      errors.push_back(bad_pattern(format.rows.front().pattern,
                                   "the patterns of the format are too large together",
                                   "a repetition such as {1000} is as long as what it stands for"));
    }
    return errors;
  }

  std::optional<core::Diagnostic> add_one(What what, const LogPattern& pattern, std::size_t index) {
    if (pattern.text.size() > kLongestPattern || patterns.size() == kMostPatterns) {
      return bad_pattern(
          pattern,
          fmt::format(
              "a format has at most {} patterns of {} characters", kMostPatterns, kLongestPattern));
    }
    auto matcher = std::make_unique<RE2>(piece(pattern.text), options());
    if (!matcher->ok()) {
      return bad_pattern(pattern, fmt::format("no pattern: {}", core::printable(matcher->error())));
    }
    if (auto error = check_groups(what, pattern, *matcher); error) {
      return error;
    }
    std::string literal = longest_literal(pattern.text);
    if (literal.size() < kShortestWord) {
      literal.clear();
      const bool is_inside = what == What::kRow || what == What::kIgnore;
      if (!is_inside || !format.begins || !format.ends) {
        return bad_pattern(pattern,
                           "nothing of at least three characters is in each match: every line of "
                           "a log would have to be tried",
                           "write a word that the line always has, outside of () and []; rows "
                           "between lines that 'begins' and 'ends' match need none");
      }
      open_rows = open_rows || what == What::kRow;
    }
    set.Add(piece(pattern.text), nullptr);
    patterns.push_back({what, index, pattern, std::move(matcher), std::move(literal)});
    return std::nullopt;
  }

  static std::optional<core::Diagnostic> check_groups(What what,
                                                      const LogPattern& pattern,
                                                      const RE2& matcher) {
    static const std::set<std::string> kOfRows = {
        "size", "name", "core", "unit", "kind", "address", "align"};
    static const std::set<std::string> kOfTotals = {"size", "core", "unit"};
    static const std::set<std::string> kOfTable = {"core"};
    static const std::set<std::string> kNone;
    const auto& allowed = what == What::kRow      ? kOfRows
                          : what == What::kTotal  ? kOfTotals
                          : what == What::kIgnore ? kNone
                                                  : kOfTable;
    const auto& groups = matcher.NamedCapturingGroups();
    for (const auto& [group, number] : groups) {
      if (!allowed.contains(group)) {
        const std::vector<std::string> names{allowed.begin(), allowed.end()};
        return bad_pattern(pattern,
                           fmt::format("a group '{}' means nothing here", group),
                           names.empty() ? "this pattern has no groups"
                                         : core::did_you_mean(group, names, "groups are"));
      }
    }
    if ((what == What::kRow || what == What::kTotal) && !groups.contains("size")) {
      return bad_pattern(pattern, "it has no group 'size'", "write (?P<size>\\d+)");
    }
    return std::nullopt;
  }

  // The first in the format's order; nullptr: none.
  [[nodiscard]] const Pattern* match(std::string_view line, std::vector<int>& found) const {
    found.clear();
    // Compile() has made sure of the memory that this takes.
    if (!set.Match(piece(line), &found) || found.empty()) {
      return nullptr;
    }
    // What is to be left out comes before what it looks like.
    const auto rank = [&](int at) {
      const Pattern& pattern = patterns[static_cast<std::size_t>(at)];
      return std::pair{pattern.what != What::kIgnore, at};
    };
    const int first = *std::ranges::min_element(found, {}, rank);
    return &patterns[static_cast<std::size_t>(first)];
  }

  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const Pattern& pattern : patterns) {
      if (!pattern.literal.empty()) {
        all.push_back(pattern.literal);
      }
    }
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

  // Whether it has the text of a row.
  [[nodiscard]] bool looks_like_row(std::string_view line) const {
    return std::ranges::any_of(patterns, [&](const Pattern& pattern) {
      return pattern.what == What::kRow && !pattern.literal.empty() &&
             line.find(pattern.literal) != std::string_view::npos;
    });
  }

  model::LogFormat format;
  RE2::Set set;
  std::vector<Pattern> patterns;
  // Rows have no text of their own: each line of an open table is one.
  bool open_rows = false;
};

namespace {

// The tables of all cores: those that are being printed, and the models of those before.
class PrintedTables {
 public:
  PrintedTables(const std::string& path,
                const model::LogFormat& format,
                OnModel on_model,
                PatternAccount* account)
      : path_(path), format_(format), on_model_(std::move(on_model)), account_(account) {
    for (const auto& [name, known] : format.names) {
      first_free_ = std::max(first_free_, known.record + 1);
    }
    for (const model::LogRow& row : format.rows) {
      first_free_ = std::max(first_free_, row.record.value_or(0) + 1);
    }
  }

  [[nodiscard]] bool is_open() const { return !open_.empty(); }

  // Nothing more is read; what is refused first is told.
  void refuse(std::size_t line, std::string what) {
    if (!limit_) {
      limit_ = core::error(Code::kReadLimit,
                           std::move(what),
                           {path_, line},
                           "this is no console log of that format; cut the part out that is");
    }
  }

  [[nodiscard]] const std::optional<core::Diagnostic>& limit() const { return limit_; }

  // One that is open goes on.
  void begin(const std::string& core, std::size_t line) { (void)opened(core, line); }

  // Without a number the row's is the next that no format knows.
  void add(const std::string& core, std::optional<std::uint32_t> number, Block block) {
    OpenTable* table = &opened(core, block.line);
    block.record = number.value_or(table->next);
    if (core::contains(table->table.blocks, block.record, &Block::record)) {
      if (format_.begins) {
        block.record = table->next;
      } else {
        close(core);
        table = &opened(core, block.line);
      }
    }
    table->next += block.record == table->next ? 1U : 0U;
    if (block.record > kMostRecords) {
      refuse(block.line, fmt::format("a model has at most {} rows", kMostRecords));
      return;
    }
    table->table.blocks.push_back(std::move(block));
  }

  void add(const std::string& core, model::ClassTotal total) {
    OpenTable* table = &opened(core, total.line);
    const auto is_same = [&](const model::ClassTotal& known) {
      return known.space == total.space && known.cacheability == total.cacheability &&
             known.lifetime == total.lifetime;
    };
    // The next model's, which says its sum first.
    if (!format_.begins && std::ranges::any_of(table->table.totals, is_same)) {
      close(core);
      table = &opened(core, total.line);
    }
    table->table.totals.push_back(std::move(total));
  }

  // The name may be that of the table which is closed: it is a copy.
  void close(std::string core) {
    const auto open = open_.find(core);
    if (open == open_.end()) {
      return;
    }
    Instance table = std::move(open->second.table);
    open_.erase(open);
    std::vector<Instance>& of_core = models_[core];
    // A title, and nothing behind it.
    if (table.blocks.empty() && table.totals.empty()) {
      if (of_core.empty()) {
        models_.erase(core);
      }
      return;
    }
    std::ranges::stable_sort(table.blocks, {}, &Block::record);
    tell(core, table);
    if (of_core.size() == kMostModels) {
      refuse(table.line, fmt::format("a core has loaded more than {} models", kMostModels));
      return;
    }
    if (account_ != nullptr) {
      account_->models += 1;
      account_->rows += table.blocks.size();
    }
    of_core.push_back(std::move(table));
  }

  // The lines where they began.
  std::vector<std::size_t> close_all() {
    std::vector<std::size_t> lines;
    while (!open_.empty()) {
      lines.push_back(open_.begin()->second.table.line);
      close(open_.begin()->first);
    }
    return lines;
  }

  void tell_open() const {
    for (const auto& [core, open] : open_) {
      tell(core, open.table);
    }
  }

  [[nodiscard]] std::map<std::string, std::vector<Instance>>& models() { return models_; }

 private:
  struct OpenTable {
    Instance table;
    // Rows that no format knows follow the known ones.
    std::uint32_t next = 0;
  };

  OpenTable& opened(const std::string& core, std::size_t line) {
    const auto [open, fresh] = open_.try_emplace(core);
    if (fresh) {
      open->second.table.line = line;
      open->second.table.form = format_.name;
      open->second.next = first_free_;
      models_.try_emplace(core);
      if (models_.size() > kMostCores) {
        refuse(line, fmt::format("this is the output of more than {} cores", kMostCores));
      }
    }
    return open->second;
  }

  void tell(const std::string& core, const Instance& table) const {
    if (on_model_ && !table.blocks.empty()) {
      on_model_(core, table, table.line);
    }
  }

  const std::string& path_;
  const model::LogFormat& format_;
  OnModel on_model_;
  PatternAccount* account_;
  std::map<std::string, OpenTable> open_;
  // Cores whose first table is open have none yet.
  std::map<std::string, std::vector<Instance>> models_;
  std::uint32_t first_free_ = 0;
  std::optional<core::Diagnostic> limit_;
};

// Lines that look like rows and cannot be read, and tables without an end.
class BrokenLines {
 public:
  BrokenLines(const std::string& path, PatternAccount* account) : path_(path), account_(account) {}

  void take(std::string_view line, std::size_t number, std::string_view why) {
    const std::string shown = core::printable(core::trim(line));
    if (account_ != nullptr && account_->similar.size() < kShownProblems) {
      account_->similar.push_back({number, shown});
    }
    if (++count_ <= kShownProblems) {
      problems_.push_back(
          core::warning(Code::kReadBadRecord,
                        fmt::format("this line cannot be read: {}", why),
                        {path_, number},
                        "the line was cut or damaged, or another version printed it: memsize "
                        "format check says which lines match")
              .with({shown}));
    }
  }

  void take_table(std::size_t line) {
    ++count_;
    problems_.push_back(core::warning(Code::kReadBadRecord,
                                      "the table that begins here has no end",
                                      {path_, line},
                                      "was the log cut short?"));
  }

  [[nodiscard]] std::size_t count() const { return count_; }

  // Those of the first.
  [[nodiscard]] core::Diagnostics& problems() { return problems_; }

 private:
  const std::string& path_;
  PatternAccount* account_;
  std::size_t count_ = 0;
  core::Diagnostics problems_;
};

constexpr std::string_view kNoSize = "its size is none, or its unit is unknown";

// How many bytes the printed size is; nothing where it is none.
std::optional<model::MeasuredSize> size_of(const Match& match,
                                           const std::map<std::string, core::Bytes>& units,
                                           core::Bytes unit) {
  if (const std::string_view printed = match["unit"]; !printed.empty()) {
    const auto* const known = core::value_in(units, std::string{printed});
    if (known == nullptr) {
      return std::nullopt;
    }
    unit = *known;
  }
  return printed_size(match["size"], unit);
}

bool take_details(const Match& match, Block& block) {
  if (const std::string_view text = match["address"]; !text.empty()) {
    const std::string prefix = text.starts_with("0x") || text.starts_with("0X") ? "" : "0x";
    const auto address = core::parse_address(prefix + std::string{text});
    if (!address) {
      return false;
    }
    block.address = model::PrintedAddress::whole(*address);
  }
  if (const std::string_view text = match["align"]; !text.empty()) {
    const auto bytes = core::parse_address(text);
    const auto align = bytes ? core::Align::make(*bytes) : std::nullopt;
    if (!align) {
      return false;
    }
    block.alignment = *align;
  }
  return true;
}

// What a row says of its block; else why it cannot be read. `known`: what the format has for its
// name, null where it has nothing.
tl::expected<Block, std::string_view> block_of(const Match& match,
                                               const model::LogRow& row,
                                               const model::LogRecord* known,
                                               const std::map<std::string, core::Bytes>& units) {
  std::optional<model::MemoryClass> memory = row.memory;
  if (!memory && known != nullptr) {
    memory = known->memory;
  }
  if (const std::string_view kind = match["kind"]; !kind.empty()) {
    const auto* const meaning = core::value_in(row.kinds, std::string{kind});
    memory = meaning == nullptr ? std::nullopt : std::optional{*meaning};
  }
  const auto size = size_of(match, units, row.unit);
  if (!size) {
    return tl::make_unexpected(kNoSize);
  }
  if (!memory) {
    return tl::make_unexpected("the format does not say in which memory it lies");
  }
  Block block{.space = memory->space,
              .cacheability = memory->cacheability,
              .lifetime = memory->lifetime,
              .size = *size};
  if (!take_details(match, block)) {
    return tl::make_unexpected("its address or alignment is none");
  }
  return block;
}

// Nothing can be read. `problems`: of lines that look like rows.
core::Result<model::Recording> without_models(const std::string& path,
                                              std::size_t lines,
                                              const std::string& format,
                                              const std::vector<model::Failure>& failures,
                                              const NotKept& not_kept,
                                              core::Diagnostics problems) {
  for (core::Diagnostic& problem : problems) {
    problem.severity = core::Severity::kError;
  }
  if (problems.empty()) {
    core::Diagnostic missing = no_table(path, lines);
    missing.hint =
        fmt::format("it was read as {}: memsize format check says which lines match", format);
    if (!failures.empty()) {
      missing.place.line = failures.front().line;
      missing.hint = "give the program more memory, and take the log of a run that has room";
    }
    for (const model::Failure& failure :
         std::span{failures}.first(std::min(failures.size(), kShownProblems))) {
      missing.details.push_back(failure.text);
    }
    if (failures.size() > kShownProblems) {
      missing.details.push_back(fmt::format("and {} more", failures.size() - kShownProblems));
    }
    problems.push_back(std::move(missing));
  }
  not_kept.tell(path, problems);
  return tl::make_unexpected(std::move(problems));
}

class PatternLog : public Reading, private core::LineTaker {
 public:
  PatternLog(const PatternReader::Compiled& compiled,
             std::string path,
             OnModel on_model,
             PatternAccount* account)
      : compiled_(compiled),
        path_(std::move(path)),
        account_(account),
        scanner_({compiled.words(), kLongestText, kLongestLine}, *this),
        tables_(path_, compiled.format, std::move(on_model), account),
        broken_(path_, account) {
    for (const Pattern& pattern : compiled_.patterns) {
      if (account_ != nullptr) {
        account_->patterns.push_back({kWhatNames.at(static_cast<std::size_t>(pattern.what)),
                                      pattern.pattern,
                                      pattern.literal});
      }
    }
  }

  void take(std::string_view block) override {
    if (wants_more()) {
      if (const auto fed = scanner_.feed(block); !fed) {
        tables_.refuse(fed.error(),
                       fmt::format("this line is longer than {}",
                                   core::format_size(core::Bytes{kLongestLine})));
      }
    }
  }

  [[nodiscard]] bool wants_more() const override { return !tables_.limit(); }

  void pause() override { tables_.tell_open(); }

  core::Result<model::Recording> finish() override {
    if (wants_more()) {
      scanner_.finish();
    }
    for (const std::size_t line : tables_.close_all()) {
      if (compiled_.format.ends) {
        broken_.take_table(line);
      }
    }
    if (account_ != nullptr) {
      account_->lines = scanner_.lines();
    }
    if (tables_.limit()) {
      return core::fail(*tables_.limit());
    }
    if (tables_.models().empty()) {
      return without_models(path_,
                            scanner_.lines(),
                            compiled_.format.name,
                            failures_,
                            not_kept_,
                            std::move(broken_.problems()));
    }
    model::Recording recording;
    model::Input& input = recording.inputs.emplace_back();
    input.path = path_;
    input.format = compiled_.format.name;
    input.trace_format = compiled_.format.name;
    input.lines = scanner_.lines();
    input.broken_rows = broken_.count();
    for (auto& [core, instances] : tables_.models()) {
      for (const Instance& instance : instances) {
        input.records += instance.blocks.size();
      }
      recording.cores.push_back({core, std::move(instances)});
    }
    recording.failures = std::move(failures_);
    recording.diagnostics = std::move(broken_.problems());
    if (broken_.count() > kShownProblems) {
      recording.diagnostics.push_back(
          core::warning(Code::kReadBadRecord,
                        fmt::format("{} more lines look like rows and cannot be read",
                                    broken_.count() - kShownProblems),
                        {path_}));
    }
    not_kept_.tell(path_, recording.diagnostics);
    return recording;
  }

 private:
  [[nodiscard]] bool take(std::string_view line, std::size_t number) override {
    const bool inside = tables_.is_open() && compiled_.open_rows;
    const Pattern* pattern = line.size() <= kLongestText ? compiled_.match(line, found_) : nullptr;
    // Outside of a table, what has no text of its own is found in anything.
    if (pattern != nullptr && pattern->literal.empty() && !inside) {
      pattern = nullptr;
    }
    if (pattern == nullptr) {
      const bool blank = core::trim(line).empty();
      if (!blank && (inside || compiled_.looks_like_row(line))) {
        broken_.take(line, number, "it looks like a row of the format, and no pattern matches it");
      }
      return inside;
    }
    if (account_ != nullptr) {
      PatternUse& use =
          account_->patterns[static_cast<std::size_t>(pattern - compiled_.patterns.data())];
      use.first_line = use.lines++ == 0 ? number : use.first_line;
    }
    const auto read = take_match(*pattern, Match{*pattern->matcher, line}, line, number);
    if (!read) {
      broken_.take(line, number, read.error());
    }
    return tables_.is_open() && compiled_.open_rows && wants_more();
  }

  // Else why the line cannot be read.
  tl::expected<void, std::string_view> take_match(const Pattern& pattern,
                                                  const Match& match,
                                                  std::string_view line,
                                                  std::size_t number) {
    switch (pattern.what) {
      case What::kRow:
        return take_row(compiled_.format.rows[pattern.index], match, number);
      case What::kTotal:
        return take_total(compiled_.format.totals[pattern.index], match, number);
      case What::kBegins:
        tables_.close(core_of(match));
        tables_.begin(core_of(match), number);
        break;
      case What::kEnds:
        // Of all cores, where the line names none.
        if (match["core"].empty()) {
          (void)tables_.close_all();
        } else {
          tables_.close(core_of(match));
        }
        break;
      case What::kFailure:
        if (failures_.size() < kMostModels) {
          failures_.push_back(
              {.line = number, .core = core_of(match), .text = core::printable(core::trim(line))});
        } else {
          not_kept_.add("failures", number);
        }
        break;
      case What::kIgnore:
        break;
    }
    return {};
  }

  [[nodiscard]] std::string core_of(const Match& match) const {
    const std::string_view printed = match["core"];
    return printed.empty() ? compiled_.format.core : core::to_lower(core::visible_text(printed));
  }

  tl::expected<void, std::string_view> take_row(const model::LogRow& row,
                                                const Match& match,
                                                std::size_t number) {
    const std::string name{match["name"]};
    const auto* const known = name.empty() ? nullptr : core::value_in(compiled_.format.names, name);
    auto block = block_of(match, row, known, compiled_.format.units);
    MEMSIZE_TRY(block);
    // Nothing was asked for.
    if (block->size.nearest == core::Bytes{}) {
      tables_.begin(core_of(match), number);
      return {};
    }
    block->line = number;
    tables_.add(core_of(match),
                known == nullptr ? row.record : std::optional{known->record},
                std::move(*block));
    return {};
  }

  tl::expected<void, std::string_view> take_total(const model::LogTotal& total,
                                                  const Match& match,
                                                  std::size_t number) {
    const auto size = size_of(match, compiled_.format.units, total.unit);
    if (!size) {
      return tl::make_unexpected(kNoSize);
    }
    tables_.add(core_of(match), {total.space, total.cacheability, total.lifetime, *size, number});
    return {};
  }

  const PatternReader::Compiled& compiled_;
  std::string path_;
  PatternAccount* account_;
  core::LineScanner scanner_;
  PrintedTables tables_;
  BrokenLines broken_;
  std::vector<model::Failure> failures_;
  NotKept not_kept_;
  // Room for what the set found.
  std::vector<int> found_;
};

}  // namespace

PatternReader::PatternReader(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}

PatternReader::~PatternReader() = default;

core::Result<std::shared_ptr<const PatternReader>> PatternReader::make(model::LogFormat format) {
  auto compiled = std::make_unique<Compiled>(std::move(format));
  auto errors = compiled->add_all();
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return std::shared_ptr<const PatternReader>{new PatternReader{std::move(compiled)}};
}

const model::LogFormat& PatternReader::format() const {
  return compiled_->format;
}

bool PatternReader::probe(std::string_view head) const {
  std::vector<int> found;
  const std::vector<std::string> words = compiled_->words();
  // Most texts are of another format.
  if (std::ranges::none_of(words, [&](const std::string& word) {
        return head.find(word) != std::string_view::npos;
      })) {
    return false;
  }
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const bool may_match = std::ranges::any_of(
        words, [&](const std::string& word) { return line.find(word) != std::string_view::npos; });
    const Pattern* pattern = may_match ? compiled_->match(line, found) : nullptr;
    if (pattern != nullptr && !pattern->literal.empty() &&
        (pattern->what == What::kRow || pattern->what == What::kTotal ||
         pattern->what == What::kFailure)) {
      return true;
    }
  }
  return false;
}

std::unique_ptr<Reading> PatternReader::open(const std::string& path,
                                             OnModel on_model,
                                             PatternAccount* account) const {
  return std::make_unique<PatternLog>(*compiled_, path, std::move(on_model), account);
}

}  // namespace memsize::readers
