// Walks folders, analyzes each log on its own, on all processors, and sums up. Runs that say the
// same count once, as a log and its document beside it do.
#include "memsize/app/fleet.hpp"

#include "memsize/app/sizing_document.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

#include "analyze_stages.hpp"
#include "board_now.hpp"
#include "recordings.hpp"
#include "sets/fleet_cover.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Bytes;
using core::Code;

// The regular files in folders, without following a link.
class Walk {
 public:
  Walk(core::FileSystem& files, std::string leave_out)
      : disk_(files), leave_out_(std::move(leave_out)) {}

  // False: it was walked before, perhaps under another name.
  bool into(const std::string& folder) {
    const std::size_t before = walked_.size();
    std::vector<std::string> waiting = {folder};
    while (!waiting.empty()) {
      const std::string next = std::move(waiting.back());
      waiting.pop_back();
      if (!walked_.insert(disk_.real_path(next).value_or(next)).second) {
        continue;
      }
      const auto names = disk_.list_entries(next);
      if (!names) {
        diagnostics.push_back(
            core::error(Code::kFileRead,
                        fmt::format("cannot read the folder '{}': its files are not counted",
                                    core::printable(next)),
                        whole_file(next)));
        continue;
      }
      for (const std::string& name : *names) {
        look_at(fmt::format("{}{}{}", next, next.ends_with('/') ? "" : "/", name), waiting);
      }
    }
    return walked_.size() != before;
  }

  std::vector<std::string> found;
  std::size_t links = 0;
  // The folder that was to be left out, where it lies among the others.
  std::string left_out;
  core::Diagnostics diagnostics;

 private:
  void look_at(const std::string& path, std::vector<std::string>& waiting) {
    switch (disk_.entry(path).kind) {
      case core::Entry::Kind::kFile:
        found.push_back(path);
        break;
      case core::Entry::Kind::kFolder:
        if (!leave_out_.empty() && disk_.same_file(path, leave_out_)) {
          left_out = path;
        } else {
          waiting.push_back(path);
        }
        break;
      case core::Entry::Kind::kLink:
        ++links;
        break;
      case core::Entry::Kind::kNothing:
      case core::Entry::Kind::kOther:
        break;
    }
  }

  core::FileSystem& disk_;
  std::string leave_out_;
  // Without links and dots.
  std::set<std::string> walked_;
};

// Whether memsize wrote it. A file without a byte says nothing: the shell may just have made it.
bool is_document(core::FileSystem& disk, const std::string& path) {
  constexpr std::string_view kBegin = "{\n  \"schema\": \"memsize.";
  std::array<char, kBegin.size()> head{};
  std::size_t size = 0;
  const auto stream = disk.open(path);
  while (stream && size < head.size()) {
    const auto got = (*stream)->read(std::span{head}.subspan(size));
    if (!got || *got == 0) {
      break;
    }
    size += *got;
  }
  return stream && (size == 0 || std::string_view{head.data(), size} == kBegin);
}

// Documents of an earlier run are no logs, but what else lies among them would be left out, too.
core::Result<void> check_left_out(core::FileSystem& disk, const std::string& folder) {
  if (folder.empty()) {
    return {};
  }
  Walk walk{disk, {}};
  walk.into(folder);
  std::ranges::sort(walk.found);
  const auto other =
      std::ranges::find_if(walk.found, [&](const auto& path) { return !is_document(disk, path); });
  if (other == walk.found.end()) {
    return {};
  }
  return core::fail(core::error(
      Code::kUsage,
      fmt::format("-o '{}' is in the folder that is read, and '{}' in it is no document of "
                  "memsize's: it would not be read",
                  core::printable(folder),
                  core::printable(*other)),
      {},
      "choose another folder for the documents"));
}

// What became of one file.
struct LookedAt {
  enum class Kind { kLog, kOther, kUnreadable };

  Kind kind = Kind::kOther;
  FleetFile file;
  /// Of a log: one of each code and severity; no notes. Else why it is none.
  core::Diagnostics diagnostics;
  /// Why its document could not be written.
  core::Diagnostics unwritten;
  /// What those have in common that say the same.
  std::vector<std::optional<std::uint64_t>> sayings;
};

// A table of which nothing but the title is left: it has a place in the text.
bool is_cut(const core::Diagnostic& error) {
  return error.place.line != 0;
}

bool is_no_log(const core::Diagnostics& errors) {
  return std::ranges::all_of(errors, [](const core::Diagnostic& error) {
    return (error.code == Code::kReadNoTable && !is_cut(error)) || error.code == Code::kReadEmpty ||
           error.code == Code::kSizingUnknownCore;
  });
}

core::Diagnostics one_of_each(const core::Diagnostics& found, const std::string& path) {
  core::Diagnostics kept;
  for (const core::Diagnostic& diagnostic : found) {
    const bool known = std::ranges::any_of(kept, [&](const core::Diagnostic& other) {
      return other.code == diagnostic.code && other.severity == diagnostic.severity;
    });
    if (known || diagnostic.severity == core::Severity::kNote) {
      continue;
    }
    kept.push_back(diagnostic);
    if (kept.back().place.path.empty()) {
      kept.back().place = whole_file(path);
    }
  }
  return kept;
}

std::vector<FleetDemand> demands_of(const sizing::Sizing& sizing) {
  std::vector<FleetDemand> demands;
  for (const sizing::CoreSizing& core : sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      demands.push_back({demand.key, demand.figure(), demand.suggested});
      demands.back().key.core = core.core;
    }
  }
  return demands;
}

LookedAt analyze_file(Session& session,
                      const FleetRequest& request,
                      const std::string& path,
                      const std::string& document) {
  AnalyzeRequest alone = request.analyze;
  alone.inputs = {path};
  LookedAt one;
  one.file.path = path;
  auto analysis = analyze(session, alone);
  if (!analysis) {
    one.kind = is_no_log(analysis.error()) ? LookedAt::Kind::kOther : LookedAt::Kind::kUnreadable;
    one.diagnostics = std::move(analysis.error());
    return one;
  }
  judge_sizing(*analysis, request.strict);
  const sizing::Sizing& sizing = analysis->sizing;
  one.kind = LookedAt::Kind::kLog;
  one.file.complete = sizing.complete();
  if (analysis->format.log) {
    one.file.format = analysis->format.log->title;
  } else {
    one.file.generation = sizing.generation;
  }
  one.file.demands = demands_of(sizing);
  one.sayings = model::sayings_of(analysis->recording);
  one.diagnostics = one_of_each(sizing.diagnostics, path);
  if (!document.empty()) {
    const auto written =
        session.files.replace({{document, document_text(sizing_document(*analysis))}});
    if (!written) {
      one.unwritten = written.error();
    }
  }
  return one;
}

// Warnings of one kind of many logs are told once, with their number.
class Gathered {
 public:
  void add(const core::Diagnostic& diagnostic) {
    const auto key = std::pair{diagnostic.code, diagnostic.severity};
    const auto [place, first] = place_of_.try_emplace(key, kinds_.size());
    if (first) {
      kinds_.push_back({diagnostic, 0});
    }
    ++kinds_[place->second].logs;
  }

  void tell(core::Diagnostics& diagnostics) {
    for (Kind& kind : kinds_) {
      if (kind.logs > 1) {
        kind.first.details.push_back(
            fmt::format("and {}", core::plural(kind.logs - 1, "more log")));
      }
      diagnostics.push_back(std::move(kind.first));
    }
  }

 private:
  struct Kind {
    core::Diagnostic first;
    std::size_t logs = 0;
  };

  std::vector<Kind> kinds_;
  std::map<std::pair<Code, core::Severity>, std::size_t> place_of_;
};

auto order_of(const board::DemandKey& key) {
  return std::tuple{key.core, key.space, key.cacheability, key.lifetime};
}

FleetSpan span_of(const board::DemandKey& key,
                  const std::vector<std::pair<Bytes, const FleetFile*>>& asked) {
  std::vector<Bytes> sizes;
  FleetSpan span{.key = key, .files = asked.size()};
  for (const auto& [size, file] : asked) {
    if (sizes.empty() || size > span.max) {
      span.max = size;
      span.max_path = file->path;
    }
    sizes.push_back(size);
  }
  std::ranges::sort(sizes);
  span.min = sizes.front();
  span.median = sizes[(sizes.size() - 1) / 2];
  return span;
}

bool is_before(const board::DemandKey& a, const board::DemandKey& b) {
  return order_of(a) < order_of(b);
}

std::vector<FleetSpan> sum_up(const std::vector<const FleetFile*>& files) {
  std::map<board::DemandKey, std::vector<std::pair<Bytes, const FleetFile*>>, decltype(&is_before)>
      asked(&is_before);
  std::map<board::DemandKey, Bytes, decltype(&is_before)> suggested(&is_before);
  for (const FleetFile* file : files) {
    for (const FleetDemand& demand : file->demands) {
      asked[demand.key].emplace_back(demand.figure, file);
      if (demand.suggested) {
        Bytes& most = suggested[demand.key];
        most = std::max(most, *demand.suggested);
      }
    }
  }
  std::vector<FleetSpan> spans;
  for (const auto& [key, sizes] : asked) {
    spans.push_back(span_of(key, sizes));
    if (const auto most = suggested.find(key); most != suggested.end()) {
      spans.back().suggested = most->second;
    }
  }
  return spans;
}

// Each run once.
std::vector<const FleetFile*> distinct(const std::vector<FleetFile>& files) {
  std::vector<const FleetFile*> once;
  for (const FleetFile& file : files) {
    if (file.same_as.empty()) {
      once.push_back(&file);
    }
  }
  return once;
}

// The board, and what of the options is wrong whatever the logs say.
core::Result<board::KnobValues> prepare(Session& session, AnalyzeRequest& request, Fleet& fleet) {
  const auto options = sizing_options(request, {});
  MEMSIZE_TRY(options);
  fleet.headroom = sizing::format_headroom(options->headroom);
  fleet.together = options->together;
  if (request.board.name.empty()) {
    return board::KnobValues{};
  }
  auto now = board_now(session, request.board);
  MEMSIZE_TRY(now);
  fleet.board = now->board;
  fleet.current = now->map;
  request.board.now = std::make_shared<const BoardNow>(std::move(*now));
  return request.board.now->settings;
}

// The map that the spans' suggestions lead to. Sizes that each log alone leads to need not be sizes
// that the MMU can map together.
core::Result<layout::MemoryMap> suggest(const Fleet& fleet,
                                        const board::KnobValues& settings,
                                        bool tight,
                                        std::vector<FleetSpan>& spans,
                                        core::Diagnostics& notes) {
  board::KnobValues values;
  for (FleetSpan& span : spans) {
    const auto knob = std::ranges::find_if(
        fleet.board->knobs, [&](const auto& k) { return k.demand && *k.demand == span.key; });
    if (!span.suggested || knob == fleet.board->knobs.end()) {
      continue;
    }
    const layout::Region* region = fleet.current->find_by_knob(knob->name);
    span.knob = knob->name;
    span.region = region == nullptr ? std::string{} : region->name;
    span.current = Bytes{fleet.current->values.at(knob->name)};
    values[knob->name] = span.suggested->count();
  }
  values = over(std::move(values), settings);
  if (const auto growth = layout::grow_for_mmu(*fleet.board, values, tight); growth) {
    values = over(std::move(values), growth->values);
    notes.push_back(describe_growth(*growth));
  }
  for (FleetSpan& span : spans) {
    if (const auto value = values.find(span.knob); !span.knob.empty() && value != values.end()) {
      span.suggested = Bytes{value->second};
    }
  }
  return layout::resolve(*fleet.board, values);
}

// What all of the logs lead to.
void suggest_for_all(Fleet& fleet, const board::KnobValues& settings, bool tight) {
  auto map = suggest(fleet, settings, tight, fleet.demands, fleet.diagnostics);
  if (map) {
    fleet.suggested = std::move(*map);
    return;
  }
  core::Diagnostics& misfits = map.error();
  // What a log alone does not fit into, all of them do not fit into either.
  std::erase_if(fleet.diagnostics, [&](const core::Diagnostic& told) {
    return std::ranges::any_of(misfits, [&](const core::Diagnostic& misfit) {
      return told.code == misfit.code && told.place == misfit.place;
    });
  });
  std::move(misfits.begin(), misfits.end(), std::back_inserter(fleet.diagnostics));
}

// Each log's bytes of each demand: with a board what its map would have to have, where it has a
// region for that.
std::vector<std::vector<Bytes>> asked_by(const std::vector<const FleetFile*>& files,
                                         const Fleet& fleet) {
  std::vector<std::vector<Bytes>> asked(files.size(), std::vector<Bytes>(fleet.demands.size()));
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const FleetDemand& demand : files[i]->demands) {
      const auto span =
          std::ranges::lower_bound(fleet.demands, demand.key, &is_before, &FleetSpan::key);
      if (!fleet.board || !span->region.empty()) {
        asked[i][static_cast<std::size_t>(span - fleet.demands.begin())] =
            demand.suggested.value_or(demand.figure);
      }
    }
  }
  return asked;
}

FleetCover cover_of(const Fleet& fleet,
                    const FleetRequest& request,
                    std::uint64_t share,
                    const board::KnobValues& settings) {
  std::vector<const FleetFile*> files = distinct(fleet.files);
  FleetCover cover{.share = request.cover};
  const std::vector<std::size_t> costly =
      costliest(asked_by(files, fleet), left_out_at_most(files.size(), share));
  for (const std::size_t log : costly) {
    cover.left_out.push_back(files[log]->path);
    files[log] = nullptr;
  }
  std::erase(files, nullptr);
  cover.files = files.size();
  cover.demands = sum_up(files);
  if (fleet.board) {
    // What is wrong with it is wrong with the map for all, where it is told.
    core::Diagnostics told;
    if (auto map = suggest(fleet, settings, request.analyze.tight, cover.demands, told); map) {
      cover.suggested = std::move(*map);
    }
  }
  return cover;
}

std::string without_slash(std::string folder) {
  while (folder.size() > 1 && folder.ends_with('/')) {
    folder.pop_back();
  }
  return folder;
}

// The logs that lack the core that was asked for.
class UnknownCore {
 public:
  void add(const core::Diagnostics& errors, const std::string& path) {
    for (const core::Diagnostic& error : errors) {
      if (error.code != Code::kSizingUnknownCore) {
        continue;
      }
      if (logs_++ == 0) {
        first_ = error;
        first_.place = whole_file(path);
      }
    }
  }

  [[nodiscard]] std::optional<core::Diagnostic> error() const {
    if (logs_ == 0) {
      return std::nullopt;
    }
    core::Diagnostic error = first_;
    if (logs_ > 1) {
      error.details.push_back(fmt::format("nor in {}", core::plural(logs_ - 1, "more log")));
    }
    return error;
  }

 private:
  core::Diagnostic first_;
  std::size_t logs_ = 0;
};

// A run that was saved twice, or lies beside its document.
core::Diagnostic same_run(const std::string& path, const std::string& first) {
  return core::warning(Code::kSizingInstances,
                       fmt::format("{} says the same as {}, and counts once",
                                   core::printable(path),
                                   core::printable(first)),
                       whole_file(path))
      .about({{"file", path}});
}

// Takes what became of each file, in the order of their paths, into the fleet. Nothing is kept of a
// log but what its report says of it.
class Gatherer {
 public:
  explicit Gatherer(Fleet& fleet) : fleet_(fleet) {}

  void add(LookedAt one) {
    ++looked_;
    unwritten_.insert(unwritten_.end(), one.unwritten.begin(), one.unwritten.end());
    unknown_.add(one.diagnostics, one.file.path);
    if (one.kind == LookedAt::Kind::kOther) {
      ++fleet_.others;
      return;
    }
    for (core::Diagnostic& diagnostic : one.diagnostics) {
      tell(std::move(diagnostic), one.file.path);
    }
    if (one.kind == LookedAt::Kind::kUnreadable) {
      ++fleet_.unreadable;
      return;
    }
    const auto [run, first] = runs_.try_emplace(std::move(one.sayings), fleet_.files.size());
    if (!first) {
      one.file.same_as = fleet_.files[run->second].path;
      gathered_.add(same_run(one.file.path, one.file.same_as));
    }
    fleet_.files.push_back(std::move(one.file));
  }

  // When all were added.
  core::Result<void> finish() {
    if (wrong_) {
      return core::fail(std::move(*wrong_));
    }
    gathered_.tell(fleet_.diagnostics);
    if (!unwritten_.empty()) {
      return tl::make_unexpected(std::move(unwritten_));
    }
    if (fleet_.files.empty()) {
      return tl::make_unexpected(no_logs());
    }
    return {};
  }

 private:
  void tell(core::Diagnostic diagnostic, const std::string& path) {
    if (core::code_status(diagnostic.code) == core::ExitStatus::kUsage) {
      if (!wrong_) {
        wrong_ = std::move(diagnostic);
      }
      return;
    }
    if (diagnostic.place.path.empty()) {
      diagnostic.place = whole_file(path);
    }
    if (diagnostic.severity != core::Severity::kError) {
      gathered_.add(diagnostic);
    } else if (!core::is_told(fleet_.diagnostics, diagnostic)) {
      // The same may be wrong with every log: a file that all of them need.
      fleet_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  [[nodiscard]] core::Diagnostics no_logs() const {
    core::Diagnostics errors = fleet_.diagnostics;
    if (auto error = unknown_.error(); error) {
      errors.push_back(std::move(*error));
      return errors;
    }
    errors.push_back(core::error(Code::kReadNoTable,
                                 fmt::format("none of the {} in '{}' says how much memory is used",
                                             core::plural(looked_, "file"),
                                             core::printable(core::join(fleet_.folders, "', '"))),
                                 {},
                                 "name one of them to see why: memsize analyze FILE"));
    return errors;
  }

  Fleet& fleet_;
  std::size_t looked_ = 0;
  Gathered gathered_;
  UnknownCore unknown_;
  core::Diagnostics unwritten_;
  // What is wrong with what was asked for, whatever the logs say.
  std::optional<core::Diagnostic> wrong_;
  // The first file that says it.
  std::map<std::vector<std::optional<std::uint64_t>>, std::size_t> runs_;
};

// A log's document lies where the log lies below its folder.
std::string document_of(const FleetRequest& request, const std::string& path) {
  if (request.output.empty()) {
    return {};
  }
  const std::size_t root = without_slash(request.analyze.inputs.front()).size();
  return without_slash(request.output) + "/" + path.substr(path.find_first_not_of('/', root)) +
         ".json";
}

// Results that wait for those of files before them.
class Results {
 public:
  void add(std::size_t index, LookedAt one) {
    const std::lock_guard lock{mutex_};
    waiting_.emplace(index, std::move(one));
  }

  // The next ones in order, as far as they are there.
  std::vector<LookedAt> take() {
    const std::lock_guard lock{mutex_};
    std::vector<LookedAt> taken;
    for (auto at = waiting_.begin(); at != waiting_.end() && at->first == next_; ++next_) {
      taken.push_back(std::move(at->second));
      at = waiting_.erase(at);
    }
    return taken;
  }

 private:
  std::mutex mutex_;
  std::map<std::size_t, LookedAt> waiting_;
  std::size_t next_ = 0;
};

// Each file for itself, on every core of this machine; gathered as they come.
void analyze_files(Session& session,
                   const FleetRequest& request,
                   const std::vector<std::string>& paths,
                   const Progress& progress,
                   Gatherer& gatherer) {
  // As often as people notice.
  constexpr std::chrono::milliseconds kBetweenReports{200};
  Results results;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < paths.size(); i = next++) {
      results.add(i, analyze_file(session, request, paths[i], document_of(request, paths[i])));
      ++done;
    }
  };
  const auto gather = [&] {
    for (LookedAt& one : results.take()) {
      gatherer.add(std::move(one));
    }
  };
  const std::size_t workers =
      std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), paths.size());
  std::vector<std::future<void>> running;
  for (std::size_t i = 0; i < workers; ++i) {
    running.push_back(std::async(std::launch::async, work));
  }
  for (std::future<void>& worker : running) {
    while (worker.wait_for(kBetweenReports) != std::future_status::ready) {
      gather();
      progress(done, paths.size());
    }
    worker.get();
  }
  gather();
}

}  // namespace

core::Result<Fleet> analyze_fleet(Session& session,
                                  const FleetRequest& asked,
                                  const Progress& progress) {
  FleetRequest request = asked;
  Fleet fleet;
  const core::Result<std::uint64_t> share =
      request.cover.empty() ? core::Result<std::uint64_t>{0} : parse_share(request.cover);
  MEMSIZE_TRY(share);
  const auto settings = prepare(session, request.analyze, fleet);
  MEMSIZE_TRY(settings);
  Walk walk{session.files, request.output};
  for (const std::string& folder : request.analyze.inputs) {
    if (walk.into(folder)) {
      fleet.folders.push_back(folder);
    }
  }
  MEMSIZE_TRY(check_left_out(session.files, walk.left_out));
  std::vector<std::string>& paths = walk.found;
  std::ranges::sort(paths);
  fleet.links = walk.links;
  fleet.diagnostics = std::move(walk.diagnostics);

  Gatherer gatherer{fleet};
  analyze_files(session, request, paths, progress, gatherer);
  MEMSIZE_TRY(gatherer.finish());
  fleet.demands = sum_up(distinct(fleet.files));
  if (fleet.board) {
    suggest_for_all(fleet, *settings, request.analyze.tight);
  }
  if (!request.cover.empty()) {
    fleet.cover = cover_of(fleet, request, *share, *settings);
  }
  return fleet;
}

}  // namespace memsize::app
