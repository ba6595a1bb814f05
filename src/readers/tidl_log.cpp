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
#include "memsize/core/line_scanner.hpp"
#include "memsize/core/text.hpp"

#include "formats.hpp"
#include "lone_heaps.hpp"
#include "model_collector.hpp"
#include "table_prints.hpp"
#include "tidl_facts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
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

// The table of one core that is being printed.
struct OpenTable {
  Instance table;
  // Its sums have begun: a row begins the next table.
  bool summed = false;
  // One of its records could not be allocated.
  bool refused = false;
};

// What there was too much of.
struct NotKept {
  std::size_t line = 0;
  std::size_t count = 0;
};

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
               "this is no console log; cut the part out that is");
      }
      silence_ += block.size();
      if (silence_ > kLongestSilence) {
        refuse(scanner_.lines(),
               fmt::format("nothing in {} says how much memory is used",
                           core::format_size(core::Bytes{kLongestSilence})),
               "this is no console log; cut the part out that is");
      }
    }
  }

  [[nodiscard]] bool wants_more() const override { return !limit_; }

  void pause() override {
    for (const auto& [core, open] : open_) {
      if (on_model_ && open && !open->table.blocks.empty()) {
        const Instance table = prints_of(open->table).back();
        const auto collector = models_.find(core);
        on_model_(core,
                  table,
                  collector == models_.end() ? table.line : collector->second.first_line_of(table));
      }
    }
  }

  core::Result<model::Recording> finish() override {
    if (!limit_) {
      scanner_.finish();
    }
    for (auto& [core, open] : open_) {
      close(core);
    }
    if (limit_) {
      return core::fail(std::move(*limit_));
    }
    model::Recording recording;
    recording.inputs.push_back(std::move(input_));
    model::Input& input = recording.inputs.back();
    input.path = path_;
    input.format = "tidl-log";
    input.trace_format = "tidl";
    input.lines = scanner_.lines();
    for (auto& [core, collector] : models_) {
      model::CoreRecording cores{.core = core, .instances = collector.finish()};
      for (const Instance& instance : cores.instances) {
        input.records += instance.blocks.size();
      }
      recording.cores.push_back(std::move(cores));
    }
    recording.heaps = std::move(heaps_);
    recording.failures = std::move(failures_);
    // One that came again stands where it came last.
    std::ranges::stable_sort(recording.failures, {}, &model::Failure::line);
    recording.runs = std::move(runs_);
    recording.diagnostics = std::move(problems_);
    for (const auto& [what, more] : not_kept_) {
      recording.diagnostics.push_back(core::warning(
          Code::kReadLimit,
          fmt::format("{} more {} are not kept: this is the first of them", more.count, what),
          {path_, more.line},
          "analyze the log in parts to see them"));
    }
    if (recording.cores.empty() && recording.heaps.empty() && recording.failures.empty() &&
        recording.runs.empty()) {
      return nothing(input, std::move(recording.diagnostics));
    }
    for (const auto& [core, count] : broken_) {
      if (count > kShownProblems) {
        recording.diagnostics.push_back(
            core::warning(Code::kReadBadRecord,
                          fmt::format("{}{} more rows cannot be read",
                                      core.empty() ? std::string{} : core + ": ",
                                      count - kShownProblems),
                          {path_})
                .about({{"core", core}}));
      }
    }
    tell_lone_heaps(path_, recording);
    note_host_use(recording.diagnostics);
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

  // Nothing is there but rows that cannot be read, or nothing at all.
  [[nodiscard]] core::Result<model::Recording> nothing(const model::Input& input,
                                                       core::Diagnostics problems) const {
    for (core::Diagnostic& problem : problems) {
      problem.severity = core::Severity::kError;
    }
    if (input.broken_rows == 0) {
      core::Diagnostic missing = no_table(path_, input.lines);
      if (title_) {
        // A place within the log: there it is that something is missing.
        missing.place.line = *title_;
        missing.hint = "the table's title is there but no row: was the log cut short?";
      } else if (host_) {
        missing.message = fmt::format(
            "{} says how much memory the host shares with the cores, and not what a model needs of "
            "a core's heaps",
            shown_name(path_));
        missing.place.line = host_->line;
        missing.details.push_back(host_use());
      }
      problems.insert(problems.begin(), std::move(missing));
    }
    return tl::make_unexpected(std::move(problems));
  }

  [[nodiscard]] std::string host_use() const {
    return fmt::format("in use of the shared memory at line {}: {} in {}",
                       host_->line,
                       core::format_bytes(host_->bytes),
                       core::plural(host_->allocations, "allocation"));
  }

  // A log that says both: the shared memory is sized by nobody here, but not forgotten.
  void note_host_use(core::Diagnostics& diagnostics) const {
    if (host_) {
      core::Diagnostic said = core::note(
          Code::kSizingStatistics,
          "the host shares memory with the cores, which is no heap of theirs and not sized here",
          {path_, host_->line});
      said.details.push_back(host_use());
      diagnostics.push_back(std::move(said));
    }
  }

  void refuse(std::size_t line, std::string what, std::string hint) {
    if (!limit_) {
      limit_ = core::error(Code::kReadLimit, std::move(what), {path_, line}, std::move(hint));
    }
  }

  void take_fact(Fact fact) {
    silence_ = 0;
    if (limit_) {
      return;
    }
    std::visit([&](auto& value) { take_value(fact, value); }, fact.value);
  }

  std::optional<OpenTable>& open_of(const Fact& fact) {
    if (open_.size() >= kMostCores && !open_.contains(fact.core)) {
      refuse(fact.line,
             fmt::format("this is the output of more than {} cores", kMostCores),
             "their names are damaged, or this is no console log");
    }
    return open_[fact.core];
  }

  void close(const std::string& core) {
    std::optional<OpenTable>& open = open_[core];
    if (!open) {
      return;
    }
    Instance table = std::move(open->table);
    const bool refused = open->refused;
    open.reset();
    const std::size_t line = table.line;
    last_[core] = hash_of(table);
    auto [collector, fresh] = models_.try_emplace(core, core, on_model_);
    for (Instance& print : prints_of(std::move(table))) {
      if (!collector->second.add(std::move(print), refused)) {
        refuse(
            line,
            fmt::format(
                "'{}' has loaded more than {} different models", core, ModelCollector::kMostModels),
            "analyze the log in parts");
      }
    }
  }

  Instance& open_table(const Fact& fact, std::optional<OpenTable>& open) {
    if (!open) {
      open.emplace();
      open->table.line = fact.line;
      const auto priority = priorities_.find(fact.core);
      if (priority != priorities_.end()) {
        open->table.priority = priority->second;
        priorities_.erase(priority);
      }
    }
    return open->table;
  }

  void take_value(const Fact& fact, RowFact& row) {
    std::optional<OpenTable>& open = open_of(fact);
    if (open && fill_in(open->table, row)) {
      return;
    }
    if (open && begins_next(*open, row)) {
      close(fact.core);
    }
    Instance& table = open_table(fact, open);
    table.form = row.form;
    table.blocks.push_back(std::move(row.block));
  }

  // Numbers rise within a table.
  static bool begins_next(const OpenTable& open, const RowFact& row) {
    return open.summed || open.table.form != row.form ||
           row.block.record <= open.table.blocks.back().record;
  }

  // A record that was asked for has been given: the same record, with its address. Also a row that
  // the log has twice, by mistake.
  static bool fill_in(Instance& table, const RowFact& row) {
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

  // The cores do not share the limit: what one prints does not hide another's.
  void take_value(const Fact& fact, BrokenRowFact& row) {
    (void)open_of(fact);
    const bool of_table = row.problem.code == Code::kReadBadRecord;
    input_.broken_rows += of_table ? 1U : 0U;
    if (++(of_table ? broken_ : broken_heaps_)[fact.core] <= kShownProblems) {
      problems_.push_back(std::move(row.problem));
    }
  }

  void take_value(const Fact& fact, TotalFact& sum) {
    std::optional<OpenTable>& open = open_of(fact);
    // Without its attribute a sum looks like much else: only behind its title.
    if (!sum.total.lifetime && !sums_.contains(fact.core)) {
      return;
    }
    const auto same_class = [&](const model::ClassTotal& known) {
      return known.space == sum.total.space && known.cacheability == sum.total.cacheability &&
             known.lifetime == sum.total.lifetime;
    };
    if (open && std::ranges::any_of(open->table.totals, same_class)) {
      close(fact.core);
    }
    Instance& table = open_table(fact, open);
    open->summed = true;
    table.totals.push_back(std::move(sum.total));
  }

  void take_value(const Fact& fact, BorderFact& border) {
    if (border.title && !title_) {
      title_ = fact.line;
    }
    std::optional<OpenTable>& open = open_of(fact);
    if (border.title) {
      close(fact.core);
      sums_.erase(fact.core);
    } else {
      sums_.insert(fact.core);
      // The sums that follow are those of the rows before.
      if (open && open->summed) {
        close(fact.core);
      }
    }
  }

  void take_value(const Fact& fact, PriorityFact& priority) {
    (void)open_of(fact);
    priorities_[fact.core] = priority.priority;
  }

  void take_value(const Fact&, EmulationFact&) { input_.emulated = true; }

  void take_value(const Fact&, HostUseFact& use) { host_ = use; }

  void take_value(const Fact& fact, InitFact& init) {
    if (room_for(fact, runs_.size(), kMostRuns, "runs")) {
      runs_.push_back({.line = fact.line, .core = fact.core, .init_ms = init.ms});
    }
  }

  // The slowest of a run's frames.
  void take_value(const Fact& fact, ExecutionFact& execution) {
    const auto last = std::find_if(runs_.rbegin(), runs_.rend(), [&](const model::RunReport& run) {
      return run.core == fact.core;
    });
    auto known = last == runs_.rend() ? runs_.end() : std::prev(last.base());
    if (known == runs_.end()) {
      if (!room_for(fact, runs_.size(), kMostRuns, "runs")) {
        return;
      }
      known = runs_.emplace(runs_.end());
      known->line = fact.line;
      known->core = fact.core;
    }
    model::RunReport& run = *known;
    run.executions += 1;
    if (execution.ms >= run.execution_ms.value_or(0)) {
      run.execution_ms = execution.ms;
      run.read_mb = execution.read_mb;
      run.written_mb = execution.written_mb;
    }
  }

  // The latest of each source is what counts, but a heap that was ever fuller is not forgotten.
  void take_value(const Fact& fact, model::HeapReport& heap) {
    const auto same = [&](const model::HeapReport& known) {
      return known.core == heap.core && known.name == heap.name && known.source == heap.source &&
             known.size == heap.size && known.address == heap.address;
    };
    const auto known = std::ranges::find_if(heaps_, same);
    if (known != heaps_.end()) {
      heap.samples = known->samples + 1;
      if (heap.free && *heap.free < known->free.value_or(heap.size)) {
        *known = std::move(heap);
      } else {
        known->samples = heap.samples;
      }
      return;
    }
    if (heaps_.size() == kMostHeaps) {
      return refuse(fact.line,
                    fmt::format("there are more than {} heaps", kMostHeaps),
                    "their names or sizes are damaged, or this is no console log");
    }
    heaps_.push_back(std::move(heap));
  }

  // Each complaint once: a camera makes thirty a second. A record that is refused again is the same
  // complaint only if the same table stands before it, which says what else the heap held.
  void take_value(const Fact& fact, FailureFact& said) {
    model::Failure& failure = said.failure;
    std::optional<std::uint64_t> table;
    if (failure.kind == model::Failure::Kind::kRecord) {
      table = refuse_record(fact);
    }
    const auto [known, fresh] =
        complaints_.try_emplace({failure.core, std::move(said.complaint), table}, failures_.size());
    if (!fresh) {
      // Of attempts the last one counts: the table of the others is that of the last, too.
      std::size_t& line = failures_[known->second].line;
      line = table ? failure.line : line;
    } else if (room_for(fact, failures_.size(), kMostFailures, "kinds of failures")) {
      failures_.push_back(std::move(failure));
    } else {
      complaints_.erase(known);
    }
  }

  // The table whose record it is: what is printed now, or was last.
  std::optional<std::uint64_t> refuse_record(const Fact& fact) {
    if (std::optional<OpenTable>& open = open_of(fact); open) {
      open->refused = true;
      return hash_of(open->table);
    }
    if (const auto collector = models_.find(fact.core); collector != models_.end()) {
      collector->second.refuse_last();
    }
    const auto last = last_.find(fact.core);
    return last == last_.end() ? std::nullopt : std::optional{last->second};
  }

  // Whether one more is kept. Of what tells about runs, and not how much memory they need, the
  // first are enough; how many more there were is said.
  bool room_for(const Fact& fact, std::size_t count, std::size_t most, const char* what) {
    if (count < most) {
      return true;
    }
    NotKept& more = not_kept_.try_emplace(what, NotKept{fact.line, 0}).first->second;
    more.count += 1;
    return false;
  }

  std::string path_;
  OnModel on_model_;
  FactFinder finder_;
  core::LineScanner scanner_;
  std::map<std::string, std::optional<OpenTable>> open_;
  std::map<std::string, ModelCollector> models_;
  std::map<std::string, std::uint32_t> priorities_;
  // Cores whose sums have been announced.
  std::set<std::string> sums_;
  std::vector<model::HeapReport> heaps_;
  std::vector<model::Failure> failures_;
  std::vector<model::RunReport> runs_;
  // Where in failures_ each complaint of a core stands, with the table before a refused record.
  std::map<std::tuple<std::string, std::string, std::optional<std::uint64_t>>, std::size_t>
      complaints_;
  // The rows of each core's table before, as a number.
  std::map<std::string, std::uint64_t> last_;
  std::map<std::string, NotKept> not_kept_;
  core::Diagnostics problems_;
  // How many rows of each core cannot be read, of tables and of statistics.
  std::map<std::string, std::size_t> broken_;
  std::map<std::string, std::size_t> broken_heaps_;
  // What the host says of its shared memory, the last time.
  std::optional<HostUseFact> host_;
  model::Input input_;
  // The first line that announces a table.
  std::optional<std::size_t> title_;
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
