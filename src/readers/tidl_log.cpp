// What TIDL and the SDK around it print, anywhere in a console log, put together: tables of memory
// records become models, beside heaps, failures and times.
//
// What makes this harder than it looks (each is a test):
//  - Rows of several cores interleave; a host's lines fall between them without a prefix.
//  - SDK 9 and newer print each table twice, and both are one model.
//  - Pasted logs have no line ends, no '[', tabs for blanks; serial ones have escapes and NULs.
//  - The ring buffer drops lines: a missing record is no reason to guess one, and a table may begin
//    with any record.
//  - A log may be larger than memory: only what it says is kept.
#include "memsize/core/find.hpp"
#include "memsize/core/line_scanner.hpp"
#include "memsize/core/text.hpp"

#include "formats.hpp"
#include "lone_heaps.hpp"
#include "model_collector.hpp"
#include "not_kept.hpp"
#include "table_prints.hpp"
#include "tidl_facts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Block;
using model::Instance;

// What a hostile or broken log may ask for. A console line of a log that lost its line ends holds
// thousands of lines; a part has at most about a dozen cores; and nobody reads more of one kind.
constexpr std::size_t kLongestLine = std::size_t{1} << 20U;

// Between two lines that say something: a serial console prints as much in years.
constexpr std::uint64_t kLongestSilence = std::uint64_t{16} << 30U;
constexpr std::size_t kMostCores = 256;
constexpr std::size_t kMostHeaps = 4096;
constexpr std::size_t kMostFailures = 1024;
constexpr std::size_t kMostRuns = 4096;
constexpr std::size_t kShownProblems = 20;
constexpr const char* kNoLog = "this is no console log; cut the part out that is";

// The table of one core that is being printed.
struct OpenTable {
  Instance table;
  // Its sums have begun: a row begins the next table.
  bool summed = false;
  // One of its records could not be allocated.
  bool refused = false;
};

// Numbers rise within a table.
bool begins_next(const OpenTable& open, const RowFact& row) {
  return open.summed || open.table.form != row.form ||
         row.block.record <= open.table.blocks.back().record;
}

// A record that was asked for has been given: the same record, with its address. Also a row that
// the log has twice, by mistake.
bool fill_in(Instance& table, const RowFact& row) {
  if (table.form != row.form || table.blocks.empty()) {
    return false;
  }
  Block& last = table.blocks.back();
  const bool same = last.record == row.block.record && last.space == row.block.space &&
                    last.size.nearest == row.block.size.nearest &&
                    last.lifetime == row.block.lifetime;
  if (!same || (last.address && last.address != row.block.address) ||
      (row.form != "requests" && last.address != row.block.address)) {
    return false;
  }
  last.address = row.block.address;
  return true;
}

// What one core prints of tables: the one that is open, and the models of those before.
class CoreTables {
 public:
  // Where there are more models than any part has: the line of the table.
  using Taken = tl::expected<void, std::size_t>;

  CoreTables(std::string core, const OnModel& on_model)
      : core_(std::move(core)), on_model_(on_model) {}

  Taken take(RowFact& row, std::size_t line) {
    if (open_ && fill_in(open_->table, row)) {
      return {};
    }
    const Taken closed = open_ && begins_next(*open_, row) ? close() : Taken{};
    Instance& table = opened(line).table;
    table.form = row.form;
    table.blocks.push_back(std::move(row.block));
    return closed;
  }

  Taken take(TotalFact& sum, std::size_t line) {
    // Without its attribute a sum looks like much else: only behind its title.
    if (!sum.total.lifetime && !has_sums_title_) {
      return {};
    }
    const auto same_class = [&](const model::ClassTotal& known) {
      return known.space == sum.total.space && known.cacheability == sum.total.cacheability &&
             known.lifetime == sum.total.lifetime;
    };
    const Taken closed =
        open_ && std::ranges::any_of(open_->table.totals, same_class) ? close() : Taken{};
    OpenTable& open = opened(line);
    open.summed = true;
    open.table.totals.push_back(std::move(sum.total));
    return closed;
  }

  Taken take(const BorderFact& border, std::size_t /*line*/) {
    has_sums_title_ = !border.title;
    // The sums that follow are those of the rows before.
    return border.title || (open_ && open_->summed) ? close() : Taken{};
  }

  Taken take(const PriorityFact& of_next, std::size_t /*line*/) {
    priority_ = of_next.priority;
    return {};
  }

  // How many lines of this kind could not be read before.
  std::size_t count_broken(Code kind) { return broken_[kind]++; }

  [[nodiscard]] const std::map<Code, std::size_t>& broken() const { return broken_; }

  [[nodiscard]] std::size_t broken_rows() const {
    const std::size_t* rows = core::value_in(broken_, Code::kReadBadRecord);
    return rows == nullptr ? 0 : *rows;
  }

  // The table whose record it is, as a number: what is printed now, or was last.
  std::optional<std::uint64_t> refuse_record() {
    if (open_) {
      open_->refused = true;
      return hash_of(open_->table);
    }
    if (models_) {
      models_->refuse_last();
    }
    return last_;
  }

  Taken close() {
    if (!open_) {
      return {};
    }
    Instance table = std::move(open_->table);
    const bool refused = open_->refused;
    open_.reset();
    const std::size_t line = table.line;
    last_ = hash_of(table);
    if (!models_) {
      models_.emplace(core_, on_model_);
    }
    Taken taken;
    for (Instance& print : prints_of(std::move(table))) {
      if (!models_->add(std::move(print), refused)) {
        taken = tl::make_unexpected(line);
      }
    }
    return taken;
  }

  void tell_open() const {
    if (on_model_ && open_ && !open_->table.blocks.empty()) {
      const Instance table = prints_of(open_->table).back();
      on_model_(core_, table, models_ ? models_->first_line_of(table) : table.line);
    }
  }

  // None before the first table is closed.
  [[nodiscard]] std::optional<ModelCollector>& models() { return models_; }

 private:
  OpenTable& opened(std::size_t line) {
    if (!open_) {
      open_.emplace();
      open_->table.line = line;
      open_->table.priority = std::exchange(priority_, std::nullopt);
    }
    return *open_;
  }

  std::string core_;
  const OnModel& on_model_;
  std::optional<OpenTable> open_;
  std::optional<ModelCollector> models_;
  std::optional<std::uint32_t> priority_;
  bool has_sums_title_ = false;
  // The rows of the table before, as a number.
  std::optional<std::uint64_t> last_;
  std::map<Code, std::size_t> broken_;
};

// False here and below: there are too many.
bool keep_init(std::vector<model::RunReport>& runs, const Fact& fact, const InitFact& init) {
  if (runs.size() == kMostRuns) {
    return false;
  }
  runs.push_back({.line = fact.line, .core = fact.core, .init_ms = init.ms});
  return true;
}

// The slowest of a run's frames.
bool keep_execution(std::vector<model::RunReport>& runs,
                    const Fact& fact,
                    const ExecutionFact& execution) {
  auto run = std::find_if(
      runs.rbegin(), runs.rend(), [&](const auto& known) { return known.core == fact.core; });
  if (run == runs.rend()) {
    if (runs.size() == kMostRuns) {
      return false;
    }
    runs.push_back({.line = fact.line, .core = fact.core});
    run = runs.rbegin();
  }
  run->executions += 1;
  if (execution.ms >= run->execution_ms.value_or(0)) {
    run->execution_ms = execution.ms;
    run->read_mb = execution.read_mb;
    run->written_mb = execution.written_mb;
  }
  return true;
}

// Each complaint once: a camera makes thirty a second. A record that is refused again is the same
// complaint only if the same table stands before it, which says what else the heap held.
class Complaints {
 public:
  // `table`: the one before a refused record, as a number.
  bool take(FailureFact& said, std::optional<std::uint64_t> table) {
    model::Failure& failure = said.failure;
    const auto [known, fresh] =
        known_.try_emplace({failure.core, std::move(said.complaint), table}, failures_.size());
    if (!fresh) {
      // Of attempts the last one counts: the table of the others is that of the last, too.
      std::size_t& line = failures_[known->second].line;
      line = table ? failure.line : line;
    } else if (failures_.size() < kMostFailures) {
      failures_.push_back(std::move(failure));
    } else {
      known_.erase(known);
      return false;
    }
    return true;
  }

  // One that came again stands where it came last.
  [[nodiscard]] std::vector<model::Failure> finish() {
    std::ranges::stable_sort(failures_, {}, &model::Failure::line);
    return std::move(failures_);
  }

 private:
  std::vector<model::Failure> failures_;
  // Where in failures_ each complaint of a core stands.
  std::map<std::tuple<std::string, std::string, std::optional<std::uint64_t>>, std::size_t> known_;
};

// The latest of each source is what counts, but a heap that was ever fuller is not forgotten.
bool keep_heap(std::vector<model::HeapReport>& heaps, model::HeapReport& heap) {
  auto* const known = core::find_where(heaps, [&](const model::HeapReport& each) {
    return each.core == heap.core && each.name == heap.name && each.source == heap.source &&
           each.size == heap.size && each.address == heap.address;
  });
  if (known == nullptr) {
    if (heaps.size() == kMostHeaps) {
      return false;
    }
    heaps.push_back(std::move(heap));
    return true;
  }
  heap.samples = known->samples + 1;
  if (heap.free && *heap.free < known->free.value_or(heap.size)) {
    *known = std::move(heap);
  } else {
    known->samples = heap.samples;
  }
  return true;
}

std::string shown_use(const HostUseFact& host) {
  return fmt::format("in use of the shared memory at line {}: {} in {}",
                     host.line,
                     core::format_bytes(host.bytes),
                     core::plural(host.allocations, "allocation"));
}

// Beside tables: the shared memory is sized by nobody here, but not forgotten.
core::Diagnostic note_of_host(const std::string& path, const HostUseFact& host) {
  return core::note(
             Code::kSizingStatistics,
             "the host shares memory with the cores, which is no heap of theirs and not sized here",
             {path, host.line})
      .with({shown_use(host)});
}

// Nothing is there but rows that cannot be read, or nothing at all. `title`: a line that announces
// a table.
core::Result<model::Recording> without_facts(const model::Input& input,
                                             std::optional<std::size_t> title,
                                             const std::optional<HostUseFact>& host,
                                             core::Diagnostics problems) {
  for (core::Diagnostic& problem : problems) {
    problem.severity = core::Severity::kError;
  }
  if (input.broken_rows == 0) {
    core::Diagnostic missing = no_table(input.path, input.lines);
    if (title) {
      // A place within the log: there it is that something is missing.
      missing.place.line = *title;
      missing.hint = "the table's title is there but no row: was the log cut short?";
    } else if (host) {
      missing.message = fmt::format(
          "{} says how much memory the host shares with the cores, and not what a model needs of "
          "a core's heaps",
          shown_name(input.path));
      missing.place.line = host->line;
      missing.details.push_back(shown_use(*host));
    }
    problems.insert(problems.begin(), std::move(missing));
  }
  return tl::make_unexpected(std::move(problems));
}

// What is behind the first of each core and kind.
void tell_more_broken(const std::string& path,
                      const std::map<std::string, CoreTables>& cores,
                      core::Diagnostics& diagnostics) {
  for (const auto& [core, tables] : cores) {
    for (const auto& [kind, count] : tables.broken()) {
      if (count > kShownProblems) {
        diagnostics.push_back(
            core::warning(kind,
                          fmt::format("{}{} more {} cannot be read",
                                      core.empty() ? std::string{} : core + ": ",
                                      count - kShownProblems,
                                      kind == Code::kReadBadRecord      ? "rows"
                                      : kind == Code::kSizingStatistics ? "lines of heaps"
                                                                        : "sums and requests"),
                          {path})
                .about({{"core", core}}));
      }
    }
  }
}

class Log : public Reading, private core::LineTaker {
 public:
  Log(const std::string& path, OnModel on_model)
      : path_(path),
        on_model_(std::move(on_model)),
        finder_(path, [this](Fact fact) { take_fact(std::move(fact)); }),
        scanner_({telling_words(), kLongestWritten, kLongestLine}, *this) {}

  void take(std::string_view block) override {
    if (!limit_) {
      if (const auto fed = scanner_.feed(block); !fed) {
        refuse(fed.error(),
               fmt::format("this line is longer than {}",
                           core::format_size(core::Bytes{kLongestLine})),
               kNoLog);
      }
      silence_ += block.size();
      if (silence_ > kLongestSilence) {
        refuse(scanner_.lines(),
               fmt::format("nothing in {} says how much memory is used",
                           core::format_size(core::Bytes{kLongestSilence})),
               kNoLog);
      }
    }
  }

  [[nodiscard]] bool wants_more() const override { return !limit_; }

  void pause() override {
    for (const auto& [core, tables] : tables_) {
      tables.tell_open();
    }
  }

  core::Result<model::Recording> finish() override {
    if (!limit_) {
      scanner_.finish();
    }
    for (auto& [core, tables] : tables_) {
      refuse_models(core, tables.close());
    }
    if (limit_) {
      return core::fail(std::move(*limit_));
    }
    model::Recording recording = recorded();
    tell_more_broken(path_, tables_, recording.diagnostics);
    const model::Input& input = recording.inputs.back();
    if (recording.cores.empty() && recording.heaps.empty() && recording.failures.empty() &&
        recording.runs.empty()) {
      return without_facts(input, title_, host_, std::move(recording.diagnostics));
    }
    tell_lone_heaps(path_, recording);
    if (host_) {
      recording.diagnostics.push_back(note_of_host(path_, *host_));
    }
    if (recording.cores.empty()) {
      core::Diagnostic missing = no_table(path_, input.lines);
      missing.severity = core::Severity::kWarning;
      missing.message = fmt::format("{} has no table of memory records", shown_name(path_));
      recording.diagnostics.push_back(std::move(missing));
    }
    return recording;
  }

 private:
  [[nodiscard]] bool take(std::string_view line, std::size_t number) override {
    return finder_.take(line, number) && !limit_;
  }

  [[nodiscard]] model::Recording recorded() {
    model::Recording recording = std::move(found_);
    model::Input& input = recording.inputs.emplace_back();
    input.path = path_;
    input.format = "tidl-log";
    input.trace_format = "tidl";
    input.lines = scanner_.lines();
    input.emulated = is_emulated_;
    for (auto& [core, tables] : tables_) {
      input.broken_rows += tables.broken_rows();
      if (auto& models = tables.models(); models) {
        recording.cores.push_back({core, models->finish()});
        for (const Instance& instance : recording.cores.back().instances) {
          input.records += instance.blocks.size();
        }
      }
    }
    recording.failures = complaints_.finish();
    not_kept_.tell(path_, recording.diagnostics);
    return recording;
  }

  void refuse(std::size_t line, std::string what, std::string hint) {
    if (!limit_) {
      limit_ = core::error(Code::kReadLimit, std::move(what), {path_, line}, std::move(hint));
    }
  }

  void refuse_models(const std::string& core, const CoreTables::Taken& taken) {
    if (!taken) {
      refuse(
          taken.error(),
          fmt::format(
              "'{}' has loaded more than {} different models", core, ModelCollector::kMostModels),
          "analyze the log in parts");
    }
  }

  void take_fact(Fact fact) {
    silence_ = 0;
    if (limit_) {
      return;
    }
    std::visit([&](auto& value) { take_value(fact, value); }, fact.value);
  }

  CoreTables& tables_of(const Fact& fact) {
    if (tables_.size() >= kMostCores && !tables_.contains(fact.core)) {
      refuse(fact.line,
             fmt::format("this is the output of more than {} cores", kMostCores),
             "their names are damaged, or this is no console log");
    }
    return tables_.try_emplace(fact.core, fact.core, on_model_).first->second;
  }

  template <typename OfTable>
  void take_value(const Fact& fact, OfTable& said) {
    const auto taken = tables_of(fact).take(said, fact.line);
    refuse_models(fact.core, taken);
    if constexpr (std::is_same_v<OfTable, BorderFact>) {
      title_ = said.title && !title_ ? fact.line : title_;
    }
  }

  void take_value(const Fact& fact, BrokenRowFact& row) {
    // The cores do not share the limit: what one prints does not hide another's.
    if (tables_of(fact).count_broken(row.problem.code) < kShownProblems) {
      found_.diagnostics.push_back(std::move(row.problem));
    }
  }

  void take_value(const Fact&, EmulationFact&) { is_emulated_ = true; }

  void take_value(const Fact&, HostUseFact& use) { host_ = use; }

  void take_value(const Fact& fact, InitFact& init) {
    count_lost(keep_init(found_.runs, fact, init), "runs", fact.line);
  }

  void take_value(const Fact& fact, ExecutionFact& execution) {
    count_lost(keep_execution(found_.runs, fact, execution), "runs", fact.line);
  }

  void take_value(const Fact& fact, model::HeapReport& heap) {
    if (!keep_heap(found_.heaps, heap)) {
      refuse(fact.line,
             fmt::format("there are more than {} heaps", kMostHeaps),
             "their names or sizes are damaged, or this is no console log");
    }
  }

  void take_value(const Fact& fact, FailureFact& said) {
    const auto table = said.failure.kind == model::Failure::Kind::kRecord
                           ? tables_of(fact).refuse_record()
                           : std::nullopt;
    count_lost(complaints_.take(said, table), "kinds of failures", fact.line);
  }

  // Of what tells about runs, and not how much memory they need, the first are enough.
  void count_lost(bool is_kept, const char* what, std::size_t line) {
    if (!is_kept) {
      not_kept_.add(what, line);
    }
  }

  std::string path_;
  OnModel on_model_;
  FactFinder finder_;
  core::LineScanner scanner_;
  std::map<std::string, CoreTables> tables_;
  // Heaps, runs and problems.
  model::Recording found_;
  Complaints complaints_;
  NotKept not_kept_;
  // What the host says of its shared memory, the last time.
  std::optional<HostUseFact> host_;
  // The first line that announces a table.
  std::optional<std::size_t> title_;
  bool is_emulated_ = false;
  std::optional<core::Diagnostic> limit_;
  // Bytes since the last line that said something.
  std::uint64_t silence_ = 0;
};

}  // namespace

bool probe_tidl_log(std::string_view) {
  return true;
}

bool is_surely_tidl_log(std::string_view head) {
  constexpr std::array<std::string_view, 4> kOwn = {
      "TIDL", "DDR Cacheable", "DDR Non-cacheable", "VX_ZONE_"};
  return std::ranges::any_of(
      kOwn, [&](std::string_view word) { return head.find(word) != std::string_view::npos; });
}

std::unique_ptr<Reading> open_tidl_log(const std::string& path, OnModel on_model) {
  return std::make_unique<Log>(path, std::move(on_model));
}

}  // namespace memsize::readers
