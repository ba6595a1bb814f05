// Which of several models fit together into what the heaps of a core may take, or of several cores.
#pragma once

#include "memsize/app/analyze.hpp"
#include "memsize/app/map.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

struct FitRequest {
  /// Its inputs are models, one each; its board must be named. Its core is not looked at.
  AnalyzeRequest analyze;
  /// Where the models are to run; of several, each model goes to one of them. None: where they were
  /// traced.
  std::vector<std::string> cores;
  /// As typed: "64MiB" for each core, "c7x_1=64MiB" for one, "all=96MiB" for all of them together.
  std::vector<std::string> budgets;
  /// Those of a project, for cores that nothing typed is for.
  std::vector<Budget> project_budgets;
  /// The traces may be of another SDK generation than the board.
  bool accept_generation = false;
};

/// A heap, and what models need of it.
struct HeapNeed {
  std::string knob;
  std::string region;
  core::Bytes need;
  /// The part of it that only the MMU needs.
  core::Bytes grown;

  friend bool operator==(const HeapNeed&, const HeapNeed&) = default;
};

struct CoreNeed {
  std::string core;
  /// In the order of the core's demands.
  std::vector<HeapNeed> heaps;

  [[nodiscard]] core::Bytes total() const;
  /// The heap that needs most; null where there is none.
  [[nodiscard]] const HeapNeed* largest() const;

  friend bool operator==(const CoreNeed&, const CoreNeed&) = default;
};

/// Models that are loaded together, by index into Fit::models.
struct FitSet {
  std::vector<std::size_t> models;
  /// Where each of them runs, by index into Fit::cores; empty where all run where they were traced.
  std::vector<std::size_t> places;
  /// One for each of Fit::cores.
  std::vector<CoreNeed> cores;
  bool fits = false;
  /// What the tightest budget has left, or lacks; and whose it is: a core, or "all".
  core::Bytes left;
  core::Bytes lacks;
  std::string binds;
  /// Why the board has no room for it, whatever the budgets allow; empty where it has.
  std::string no_room;

  [[nodiscard]] core::Bytes total() const;
};

struct FitModel {
  std::string path;
  /// The path, as short as it says which model it is.
  std::string name;
  /// The cores that its tables are of; empty names are left out.
  std::vector<std::string> traced_on;
  /// Alone, on the first core that it may run on.
  FitSet alone;
};

struct FitCore {
  std::string name;
  std::optional<core::Bytes> budget;
};

struct Fit {
  std::string board;
  std::string board_title;
  std::vector<FitModel> models;
  std::vector<FitCore> cores;
  /// For all of the cores together.
  std::optional<core::Bytes> budget;
  /// Each model goes to one of the cores.
  bool assigns = false;
  std::string headroom;
  std::string instances;
  bool one_priority = false;
  bool tight = false;
  /// All models: where they run, if they fit; else on the cores that come closest.
  FitSet together;
  /// Nothing of `together` could be better, or fit where it does not.
  bool proved = true;
  /// Sets to which no further model can be added, the largest first.
  std::vector<FitSet> maximal;
  /// Sets that do not fit, but do so without any one of their models, the smallest first.
  std::vector<FitSet> misfits;
  /// How many there are of both; those that come first are told.
  std::size_t maximal_count = 0;
  std::size_t misfit_count = 0;
  /// Every set that fits is part of one of `maximal`, every other has one of `misfits` in it.
  bool complete = true;
  /// Sets that were looked at.
  std::size_t looked_at = 0;
  /// Models without which the others fit together, where not all do.
  std::vector<std::size_t> drop;
  /// All models at one priority, where that needs less.
  std::optional<FitSet> merged;
  core::Diagnostics diagnostics;
};

/// Fails where an input cannot be read, or the board, a core, a budget or an option is wrong. That
/// the models do not fit together is an error among the diagnostics, beside the answer.
///
/// Example:
///     app::FitRequest request;
///     request.analyze.board.name = "j722s-sdk11";
///     request.analyze.inputs = {"samples/fit/detector.log", "samples/fit/segmenter.log"};
///     request.budgets = {"64MiB"};
///     request.accept_generation = true;
///     const auto answer = app::fit(session, request);
///     MEMSIZE_TRY(answer);
///     assert(answer->together.fits);
///     assert(answer->maximal.size() == 1);
[[nodiscard]] core::Result<Fit> fit(Session& session, const FitRequest& request);

}  // namespace memsize::app
