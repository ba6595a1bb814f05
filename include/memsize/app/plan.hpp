// Where the tensors of a model lie in memory.
#pragma once

#include "memsize/app/session.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/plan_files.hpp"
#include "memsize/model/plan.hpp"
#include "memsize/network/nnapi.hpp"
#include "memsize/network/schedule.hpp"
#include "memsize/plan/order.hpp"
#include "memsize/plan/pack.hpp"
#include "memsize/plan/planner.hpp"
#include "memsize/plan/stage_advice.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::app {

struct PlanRequest {
  /// Reports of one model, as compilers wrote them.
  std::vector<std::string> reports;
  std::string format;
  /// Reports of other models on the same part, one each, which never run while another does.
  std::vector<std::string> with;
  /// Reports of further models on the same part, one each, which run while the others do. For
  /// plan_at_once().
  std::vector<std::string> beside;
  /// By memory, what those have at its beginning.
  std::map<std::string, core::Bytes> taken;
  /// A part whose memories are planned into; empty: those that the reports know.
  std::string board;
  /// "NAME=SIZE" or "NAME=SIZE:RANK" as typed: the memories, instead of a part. Those of a lower
  /// rank fill first; without ranks, in the order that was typed.
  std::vector<std::string> memories;
  /// As typed; empty: no limit.
  std::string capacity;
  /// A file; empty: none.
  std::string rules;
  /// A peer by name; empty: the least that can be found.
  std::string planner;
  bool keep_offsets = false;
  std::vector<std::string> fixed;
  /// "auto", "none" or "MEMORY=SIZE"; empty: constants are staged as the reports or rules have it.
  std::vector<std::string> stage;
  /// Files of cycles by operator: all constants cold, then all staged.
  std::vector<std::string> profiles;
  plan::PackLimits limits;
  /// Operators may run in another order, where that needs less.
  bool reorder = false;
  /// Scratch blocks are aligned so at least.
  core::Align slot;
  /// "KNOB=SIZE" of a part: what tiles may use, and stacks.
  std::vector<std::string> set;
  /// How a network's layers are cut, a TileChoice by name; empty: as ARES does.
  std::string tiles;
  /// A network's tiles and the part's stacks are held against the hardware, too; who also knows
  /// images does it himself.
  bool counts_levels = true;
  /// Whether what does not fit is told with what would help, which takes planning again and again.
  bool with_remedies = true;
};

/// What one of several models needs of its own.
struct ModelNeeds {
  std::string name;
  std::string path;
  std::size_t blocks = 0;
  /// Alive at its busiest step.
  core::Bytes scratch;
  core::Bytes persistent;
  core::Bytes constant;
};

/// In which order the operators of a model run.
struct ModelOrder {
  std::string path;
  plan::OperatorOrder order;
};

struct Planning {
  /// What the reports said.
  model::PlanReport wanted;
  /// One each, where there are several.
  std::vector<ModelNeeds> models;
  /// One each, where another order was asked for.
  std::vector<ModelOrder> orders;
  /// The plan that they have is wrong, which is no measure for another.
  bool own_is_wrong = false;
  /// Offsets are kept that were not chosen here.
  bool keeps_offsets = false;
  board::MemorySet part;
  /// One each network among the models.
  std::vector<network::Schedule> schedules;
  /// Of a log of NNAPI: what it says beside what is planned.
  std::optional<network::NnAccount> nnapi;
  plan::PlanOutcome outcome;
  /// Where staging was asked for; its outcome is above.
  std::optional<plan::StagedPlan> staging;
  core::Diagnostics diagnostics;
};

/// A plan that does not fit is a plan with errors; what fails is what nobody can plan.
///
/// Example:
///     app::PlanRequest request;
///     request.reports = {"samples/plans/tflite/okay_nabu.tflite"};
///     request.board = "corstone-320";
///     request.reorder = true;
///     const auto planning = app::plan_memory(session, request);
///     MEMSIZE_TRY(planning);
///     for (const model::PlannedBlock& block : planning->outcome.plan.blocks) {
///       assert(block.offset.has_value());
///     }
[[nodiscard]] core::Result<Planning> plan_memory(Session& session, const PlanRequest& request);

/// Plans of models that run at the same time.
struct PlansAtOnce {
  /// One each: of `reports`, then of each of `beside`.
  std::vector<Planning> plans;
  std::vector<std::string> names;
  /// Indices into `plans`: who chose its memories before whom.
  std::vector<std::size_t> turns;
};

/// Each model has arenas of its own: where every block of one is alive while every block of another
/// is, they gain nothing from sharing. In each memory those of one model begin where those of the
/// one before it end. The first has the choice of memories; where the others do not fit then, they
/// choose in another order: of up to three models in any, of more with each of them as the first.
/// Where none of these fits, the plans are those in the order of the request. Fails as
/// plan_memory() does, for networks, and where a capacity is one of several memories. Nothing is
/// staged.
///
/// Example:
///     app::PlanRequest request;
///     request.reports = {"samples/plans/tflite/kws_ref_model.tflite"};
///     request.beside = {"samples/plans/tflite/okay_nabu.tflite"};
///     request.board = "corstone-320";
///     const auto together = app::plan_at_once(session, request);
///     MEMSIZE_TRY(together);
///     assert(together->plans[1].outcome.begins.at("sram") > core::Bytes{});
[[nodiscard]] core::Result<PlansAtOnce> plan_at_once(Session& session, const PlanRequest& request);

/// The plan in one of emit::plan_formats(). A model that is written ("tflite") is read again, and
/// must be the plan. Errors: those of emit::plan_file().
[[nodiscard]] core::Result<std::string> plan_as(Session& session,
                                                const PlanRequest& request,
                                                const Planning& planning,
                                                std::string_view format,
                                                emit::PlanFileOptions options);

/// Reports of one model, combined into one; "-" is standard input, files may be packed. All errors
/// of all files come together. An empty `format`: each is found by its content.
[[nodiscard]] core::Result<model::PlanReport> read_plans(Session& session,
                                                         const std::vector<std::string>& paths,
                                                         const std::string& format);

/// One report, with all memory that it tells of as arenas, for plan::diff_plans(): of a log of
/// NNAPI its models' pools, operandValues, inputs and outputs, too. `board`: a part, as which
/// memories are called; empty: as the report calls them.
[[nodiscard]] core::Result<model::PlanReport> read_compared_plan(Session& session,
                                                                 const std::string& path,
                                                                 const std::string& board);

}  // namespace memsize::app
