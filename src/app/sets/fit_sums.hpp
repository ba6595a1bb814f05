// What sets of models need as sums and maxima of what each of them needs: for searches that ask
// about very many sets.
#pragma once

#include "fit_needs.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace memsize::app {

class FitSums {
 public:
  /// The sizing of models at places, without the MMU's part.
  using Size = std::function<sizing::Sizing(const Places& places)>;

  /// Nothing where a set may need something else than its sums say: models loaded apart or at
  /// priorities that are known, tables that are damaged or stand beside statistics and failures,
  /// generations that differ. Sizes some sets of one to three models, and all of them.
  [[nodiscard]] static std::optional<FitSums> learn(const std::vector<FitInput>& inputs,
                                                    const board::Board& board,
                                                    const std::vector<std::string>& cores,
                                                    const sizing::Options& options,
                                                    std::size_t places,
                                                    const Size& size);

  /// As the sizing of these has it.
  [[nodiscard]] std::vector<CoreNeed> of(const Places& places) const;

 private:
  /// What one model brings to a heap.
  struct Part {
    core::Bytes requested;
    /// Alone, and what it adds to others.
    core::Bytes bound;
    core::Bytes more;
    core::Bytes extent;
    core::Bytes fixed;
  };

  struct Heap {
    std::size_t core = 0;
    const board::Knob* knob = nullptr;
    std::string region;
    bool adds = false;
    /// By input; nothing for one that has nothing there.
    std::vector<std::optional<Part>> parts;
    /// What several models need whatever they are.
    core::Bytes base;
  };

  FitSums(const board::Board& board, std::vector<std::string> cores, sizing::Options options)
      : board_(&board), cores_(std::move(cores)), options_(options) {}

  [[nodiscard]] bool learn_place(std::size_t place,
                                 std::size_t places,
                                 std::size_t inputs,
                                 const Size& size);
  void take(const sizing::Sizing& sizing, std::size_t input, std::vector<Heap>& heaps) const;
  [[nodiscard]] std::optional<core::Bytes> need(const Heap& heap, Set set) const;

  const board::Board* board_;
  std::vector<std::string> cores_;
  sizing::Options options_;
  /// By place.
  std::vector<std::vector<Heap>> heaps_;
};

}  // namespace memsize::app
