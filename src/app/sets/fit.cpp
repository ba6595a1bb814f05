// Models in, which of them fit together out. What a comment calls frozen does not change after it.
#include "memsize/app/fit.hpp"

#include "memsize/core/find.hpp"

#include "analyze_stages.hpp"
#include "fit_stages.hpp"

#include <utility>

namespace memsize::app {

core::Result<Fit> fit(Session& session, const FitRequest& asked) {
  Fit fit;
  auto wanted = without_repeats(asked);
  MEMSIZE_TRY(wanted);
  const FitRequest& request = *wanted;

  // Every input is a model, read by itself, on each core that it may run on.
  auto board = load_board(session, request.analyze.board);
  MEMSIZE_TRY(board);
  const auto inputs = read_models(session, request);
  MEMSIZE_TRY(inputs);
  const auto frame = frame_of(request, *board, *inputs);
  MEMSIZE_TRY(frame);
  // Frozen: no block changes its class, and no budget changes.

  // All of them as one recording, and the options that hold for every set of them.
  auto analysis = analyze_all(session, request, *inputs);
  MEMSIZE_TRY(analysis);
  auto options = sizing_options(analysis->request, analysis->recording);
  MEMSIZE_TRY(options);
  std::vector<std::string> cores = core::texts_of(frame->cores, &FitCore::name);
  FitNeeds needs{*analysis, *options, *inputs, cores};
  needs.learn(frame->places);
  FitSearch search{needs, *frame, *inputs};

  // All together, where they run at their best; what one priority would save.
  describe(fit, *analysis, *options, *frame);
  fit.models = models_of(*inputs, search);
  const Set all = all_of(inputs->size());
  const Places places = search.places_of(all, &fit.proved);
  fit.together = search.look_at(places);
  merge_priorities(fit, *analysis, *options, *frame, *inputs, places);

  // Which sets fit, and which model is too much.
  search.find_sets(fit);
  // Frozen: no answer changes.

  // What is said of the traces where the models run.
  if (frame->assigns) {
    auto placed = analyze_places(session, *analysis, needs, places);
    MEMSIZE_TRY(placed);
    analysis = std::move(placed);
  }
  judge_traces(session, request, *analysis);
  fit.diagnostics = std::move(analysis->sizing.diagnostics);
  if (!fit.together.fits) {
    fit.diagnostics.push_back(does_not_fit(fit, request, *board));
  }
  return fit;
}

}  // namespace memsize::app
