// What models need together, over and over for other sets of them: what analyze() would suggest for
// the same inputs.
#pragma once

#include "memsize/app/fit.hpp"

#include "set_search.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memsize::app {

/// What one input says, and what it says where its models run on each of the cores that they may
/// run on: one recording each, or one alone of models that stay where they were traced.
struct FitInput {
  std::string path;
  std::vector<std::string> traced_on;
  std::vector<model::Recording> on;
};

/// The models at each core: one set alone where they stay where they were traced.
using Places = std::vector<Set>;

class FitSums;

class FitNeeds {
 public:
  /// Of the analysis only what no recording decides is used: board, settings, map, format, options.
  FitNeeds(Analysis base,
           sizing::Options options,
           const std::vector<FitInput>& inputs,
           std::vector<std::string> cores);
  ~FitNeeds();

  /// All of them as one recording, as analyze() would read it.
  [[nodiscard]] model::Recording recording_of(const Places& places) const;

  /// From here on rounded() adds up what each model needs where that is the same; `places` sets are
  /// in a Places.
  void learn(std::size_t places);

  [[nodiscard]] bool is_tight() const { return options_.tight; }

  [[nodiscard]] bool has_sums() const { return sums_ != nullptr; }

  /// Whether a sizing contradicted the sums since; then they are not used any more.
  [[nodiscard]] bool was_wrong() const { return was_wrong_; }

  /// Rounded as the board wants it, but not grown for its MMU.
  [[nodiscard]] std::vector<CoreNeed> rounded(const Places& places);
  /// As analyze() suggests it.
  [[nodiscard]] std::vector<CoreNeed> grown(const Places& places);
  /// The same of what is rounded.
  [[nodiscard]] std::vector<CoreNeed> grown(std::vector<CoreNeed> needs);
  /// Why the board has no room for these; empty where it has.
  [[nodiscard]] std::string no_room(const std::vector<CoreNeed>& needs);

  /// Whether the board has room for these however much the MMU asks for.
  [[nodiscard]] bool has_room_to_grow(const std::vector<CoreNeed>& needs) const;

  /// The largest growth that the MMU could ask for, on top of what is rounded.
  [[nodiscard]] core::Bytes most_growth() const { return most_growth_; }

  [[nodiscard]] const board::Board& board() const { return *base_.board; }

 private:
  [[nodiscard]] const std::vector<CoreNeed>& sized(const Places& places);
  [[nodiscard]] std::vector<CoreNeed> needs_in(const sizing::Sizing& sizing) const;
  [[nodiscard]] sizing::Sizing size(const Places& places);
  [[nodiscard]] board::KnobValues values_of(const std::vector<CoreNeed>& needs) const;

  Analysis base_;
  sizing::Options options_;
  const std::vector<FitInput>& inputs_;
  std::vector<std::string> cores_;
  core::Bytes most_growth_;
  std::unique_ptr<const FitSums> sums_;
  bool was_wrong_ = false;
  std::map<Places, std::vector<CoreNeed>> sized_;
  std::map<board::KnobValues, std::optional<layout::Growth>> growths_;
  std::map<board::KnobValues, std::string> rooms_;
};

}  // namespace memsize::app
