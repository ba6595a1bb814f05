// The stages that fit.cpp lists.
#pragma once

#include "assign_sets.hpp"
#include "fit_needs.hpp"

#include <map>
#include <optional>
#include <vector>

namespace memsize::app {

/// Where models run, and what they may take there.
struct FitFrame {
  std::vector<FitCore> cores;
  /// For all cores together.
  std::optional<core::Bytes> all;
  /// How many sets a Places has: one a core that models may be moved to, or one of models that
  /// stay.
  std::size_t places = 1;
  /// Models may go to one of several cores.
  bool assigns = false;
};

/// Each core once. Error usage: more models than a set has room for.
[[nodiscard]] core::Result<FitRequest> without_repeats(FitRequest request);

/// Each input by itself, sorted by path, with its models where the request wants them.
[[nodiscard]] core::Result<std::vector<FitInput>> read_models(Session& session,
                                                              const FitRequest& request);

/// The board and the options, and all models at the first place as one recording: what `analyze`
/// says of it.
[[nodiscard]] core::Result<Analysis> analyze_all(Session& session,
                                                 const FitRequest& request,
                                                 const std::vector<FitInput>& inputs);

[[nodiscard]] core::Result<FitFrame> frame_of(const FitRequest& request,
                                              const board::Board& board,
                                              const std::vector<FitInput>& inputs);

/// Looks for sets within the frame's budgets.
class FitSearch {
 public:
  FitSearch(FitNeeds& needs, const FitFrame& frame, const std::vector<FitInput>& inputs);

  /// With all that it needs, against the budgets.
  [[nodiscard]] FitSet look_at(const Places& places);
  /// Where the models of the set run: where they fit and take least, else where they come close.
  [[nodiscard]] Places places_of(Set set, bool* proved);
  [[nodiscard]] bool fits(Set set);
  /// The model alone, at the place where it may run first.
  [[nodiscard]] FitSet alone(std::size_t model);

  /// Fills in what is found; models must be there.
  void find_sets(Fit& fit);

 private:
  void search(Fit& fit);
  [[nodiscard]] std::vector<FitSet> told(const std::vector<Set>& sets);
  [[nodiscard]] bool is_within(const Places& places);
  [[nodiscard]] std::optional<std::uint64_t> cost_at(std::size_t place, Set set);
  [[nodiscard]] Places close_places(Set set);
  void hold(FitSet& set) const;

  FitNeeds& needs_;
  const FitFrame& frame_;
  const std::vector<FitInput>& inputs_;
  std::optional<Assigner> assigner_;
  std::map<Set, std::optional<Assignment>> assigned_;
};

/// Each input, with what it needs alone.
[[nodiscard]] std::vector<FitModel> models_of(const std::vector<FitInput>& inputs,
                                              FitSearch& search);

/// What every answer rests on.
void describe(Fit& fit,
              const Analysis& analysis,
              const sizing::Options& options,
              const FitFrame& frame);

/// All models at one priority, where that needs less than at priorities that nobody knows.
void merge_priorities(Fit& fit,
                      const Analysis& analysis,
                      const sizing::Options& options,
                      const FitFrame& frame,
                      const std::vector<FitInput>& inputs,
                      const Places& places);

/// The same analysis with the models at these places.
[[nodiscard]] core::Result<Analysis> analyze_places(Session& session,
                                                    const Analysis& analysis,
                                                    const FitNeeds& needs,
                                                    const Places& places);

/// What of the analysis makes an answer doubtful, as errors.
void judge_traces(Session& session, const FitRequest& request, Analysis& analysis);

/// That not all models fit, and what would help.
[[nodiscard]] core::Diagnostic does_not_fit(const Fit& fit,
                                            const FitRequest& request,
                                            const board::Board& board);

}  // namespace memsize::app
