// A plan as the C module of a part: its arenas, what binds and fills them, and where each tensor
// lies. Operators are the application's. The contract is heliaAOT's (how-to/tensor-packaging);
// where that says two things, templates/module-header says which holds.
#pragma once

#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/model/plan.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

struct ModuleArena {
  /// Its enumerator, and the stem of all its names: "wake_arena_const_dtcm".
  std::string name;
  model::Lifetime role = model::Lifetime::kScratch;
  std::string memory;
  /// Of constants that are copied when the model starts; empty: it has none, or they are read in
  /// place.
  std::string source_memory;
  core::Bytes size;
  core::Align alignment;
  /// Of what it is copied from.
  core::Align source_alignment;
  /// The module has a buffer for it; otherwise the application binds one.
  bool is_own = true;
  /// Of what is copied: the image has the bytes. No section of the part's scripts is in memory that
  /// an application switches on first.
  bool has_source = false;
  /// Of constants: all of them with the padding between, zeros where nobody gave any.
  std::string bytes;
  std::size_t tensors = 0;
};

struct ModuleTensor {
  std::string id;
  /// Its enumerator.
  std::string name;
  /// What people call it, and when it is alive.
  std::string note;
  /// Index into the arenas, which is the region's number.
  std::size_t arena = 0;
  core::Bytes offset;
  core::Bytes size;
  /// Nothing: all the time; or of scratch, not all of its bytes all that time, or nobody says.
  std::optional<model::Interval> live;
  /// The tensor in whose bytes it lies; itself where it has its own.
  std::size_t root = 0;
  bool is_input = false;
  bool is_output = false;
};

/// One operator of the network, which the application's table has.
struct ModuleOperator {
  /// Its enumerator, and what that stands for: the report's id where it is a number, else the
  /// place.
  std::string name;
  std::int64_t number = 0;
  /// "CONV_2D; reads 0, 1, 2; writes 3; with stride_h 2, stride_w 2".
  std::string note;
};

struct Module {
  std::string prefix;
  std::string planner;
  /// The reports it was made of.
  std::string origin;
  board::MemorySet part;
  /// By region.
  std::vector<ModuleArena> arenas;
  std::vector<ModuleTensor> tensors;
  /// In their order; empty: no report lists them.
  std::vector<ModuleOperator> operators;
  std::string envelope_hash;
  std::string layout_hash;
  /// heliaAOT's residency report of it.
  std::string residency;
  bool is_external = false;
  /// False: constants are zeros.
  bool has_data = false;
};

/// Bytes of constants by id, in texts of the caller's.
using ConstantBytes = std::map<std::string, std::string_view>;

struct ModuleOptions {
  std::string prefix;
  std::string origin;
  /// The application owns every arena (heliaAOT's allocate_arenas: false).
  bool is_external = false;
  /// Nothing: nobody gave any.
  std::optional<ConstantBytes> constants;
};

/// Errors: blocks without a place (plan.unplanned), constants whose bytes are missing or of another
/// size (emit.data), and memory that no section of the part's linker scripts is in
/// (emit.sections).
[[nodiscard]] core::Result<Module> make_module(const model::PlanReport& plan,
                                               const board::MemorySet& part,
                                               const ModuleOptions& options);

struct ModuleInput {
  const Module& module;
  core::FileSystem& files;
  /// Folders that templates are looked for in, the first wins.
  std::vector<std::string> template_folders;
};

using ModuleEmitter = EmitterOf<ModuleInput>;

[[nodiscard]] const std::vector<ModuleEmitter>& all_module_emitters();

/// With the emitters of `only`, or with all, in their order.
[[nodiscard]] core::Result<std::vector<Artifact>> render_module(
    const ModuleInput& input, const std::vector<std::string>& only);

/// A whole linker script of the part for GNU ld and lld: at its own addresses, or at those of the
/// machine that emulates it.
[[nodiscard]] core::Result<std::string> part_script(const ModuleInput& input, bool is_emulated);

}  // namespace memsize::emit
