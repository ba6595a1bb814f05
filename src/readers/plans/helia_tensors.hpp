// What heliaAOT's operator manifest and its table of layers have in common: both list, operator by
// operator, the tensors that it touches, with where each lies. From that follows what is alive
// when.
#pragma once

#include "plan_problems.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memsize::readers {

/// One tensor of one operator.
struct HeliaTouch {
  /// Local: constants, and buffers that only this operator uses.
  enum class Side { kInput, kOutput, kLocal };

  Side side = Side::kLocal;
  std::string id;
  std::string name;
  model::Lifetime role = model::Lifetime::kScratch;
  std::string memory;
  /// As written: equal to `memory` where the tensor is not staged; empty where it does not say.
  std::string source_memory;
  std::optional<bool> staged;
  std::optional<std::uint64_t> region_id;
  std::optional<core::Bytes> offset;
  core::Bytes size;
  /// Of its elements; empty: not said.
  std::string type;
  std::vector<std::uint64_t> shape;
  PlanPlace place;
};

/// Builds the report's blocks and arenas from touches, in the order of the text.
///
/// heliaAOT counts a tensor alive from the first operator that uses or produces it to the last that
/// uses it. Here what the network is fed with is alive from its first operator on, and what it
/// leaves is alive to the end: somebody writes and reads them outside of any operator. Constants
/// and persistent tensors live always.
class HeliaTensors {
 public:
  explicit HeliaTensors(PlanProblems& problems) : problems_(problems) {}

  /// The touches that follow are of this operator; without an id it has its index.
  void begin_operator(std::int64_t index, std::string id, std::string_view type, PlanPlace place);
  void take(HeliaTouch touch);
  /// Adds what was taken to the report.
  void finish(model::PlanReport& report);

 private:
  struct Tensor {
    model::PlannedBlock block;
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool read = false;
    bool written = false;
  };

  void compare(const Tensor& tensor, const HeliaTouch& touch);
  void disagree(const Tensor& tensor,
                const HeliaTouch& touch,
                std::string_view what,
                const std::string& now,
                const std::string& before);
  void find_views();
  void take_arena(const HeliaTouch& touch);

  PlanProblems& problems_;
  std::vector<Tensor> tensors_;
  model::Network network_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<model::PlannedArena> arenas_;
  std::map<std::pair<model::Lifetime, std::string>, std::size_t> arena_of_;
  std::map<std::uint64_t, std::size_t> arena_of_region_;
  // The operator under way.
  std::int64_t operator_ = 0;
  bool is_view_ = false;
  std::vector<std::size_t> read_here_;
  std::vector<std::size_t> made_here_;
  // Of the whole network.
  bool has_operator_ = false;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

/// The source as blocks have it: empty where the bytes are read where they lie.
[[nodiscard]] std::string helia_source(const std::string& memory, const std::string& source);

}  // namespace memsize::readers
