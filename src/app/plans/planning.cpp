// Gathers memories, rules and limits for the planner, from a part, from typed sizes or from the
// report; checks the plan that comes out, and says what would help where it lacks room.
#include "plans/planning.hpp"

#include "memsize/core/bug.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/model/several.hpp"
#include "memsize/network/levels.hpp"
#include "memsize/plan/check_plan.hpp"
#include "memsize/plan/part_names.hpp"
#include "memsize/plan/rules.hpp"
#include "memsize/readers/profile_reader.hpp"

#include "networks/network.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

std::string memories_folder(const Session& session) {
  return session.data.boards + "/memories";
}

// More than any part has.
constexpr std::size_t kMostMemories = 64;

// As far as reports tell: what they do not say of a memory does not limit it.
core::Result<board::MemorySet> memories_of(const model::PlanReport& wanted) {
  std::set<std::string> names;
  for (const model::PlannedMemory& memory : wanted.memories) {
    names.insert(memory.name);
  }
  for (const model::PlannedBlock& block : wanted.blocks) {
    names.insert(block.memory);
    names.insert(block.source_memory);
  }
  names.erase("");
  if (names.size() > kMostMemories) {
    return core::fail(core::error(
        Code::kPlanMemory,
        fmt::format(
            "the plan names {} memories; no part has more than {}", names.size(), kMostMemories),
        {wanted.path},
        "its column or key 'memory' says something else"));
  }
  board::MemorySet set;
  for (const std::string& name : names) {
    board::PartMemory memory{.name = name, .window = model::kLargestPlan, .is_volatile = false};
    const auto known = std::ranges::find_if(
        wanted.memories, [&](const auto& candidate) { return candidate.name == name; });
    if (known != wanted.memories.end()) {
      memory.window = known->capacity.value_or(memory.window);
      memory.base = known->base;
      memory.arena_alignment = known->alignment.value_or(memory.arena_alignment);
      memory.writable = known->writable.value_or(true);
    }
    memory.hardware = memory.window;
    set.memories.push_back(std::move(memory));
  }
  return set;
}

core::Diagnostic bad_memory(
    const std::string& typed,
    const std::string& what,
    std::string hint =
        "write NAME=SIZE or NAME=SIZE:RANK, as in --memory dtcm=64KiB:1 --memory sram=1MiB:2") {
  return core::error(Code::kUsage,
                     fmt::format("--memory {}: {}", core::printable(typed, 80), what),
                     {},
                     std::move(hint))
      .of_option("--memory");
}

// "sram=256KiB:1". What is not typed of it does not limit anything.
core::Result<board::PartMemory> typed_memory(const std::string& typed, std::size_t before) {
  constexpr std::uint32_t kMostRank = 1'000'000;
  const std::size_t equals = typed.find('=');
  const std::size_t colon = std::min(typed.find(':', std::min(equals, typed.size())), typed.size());
  const std::string name = core::to_lower(typed.substr(0, std::min(equals, typed.size())));
  if (equals == std::string::npos || !core::is_identifier(name)) {
    return core::fail(bad_memory(typed, "no name of a memory stands before a '='"));
  }
  const auto size = core::parse_bytes(typed.substr(equals + 1, colon - equals - 1));
  if (!size) {
    return core::fail(bad_memory(typed, size.error().front().message, size.error().front().hint));
  }
  if (size->count() == 0) {
    return core::fail(bad_memory(typed, "a memory has at least 1 byte"));
  }
  board::PartMemory memory{.name = name,
                           .hardware = *size,
                           .window = *size,
                           .is_volatile = false,
                           .cost = static_cast<std::uint32_t>(before + 1)};
  if (colon < typed.size()) {
    const auto rank = core::parse_address(typed.substr(colon + 1));
    if (!rank || *rank == 0 || *rank > kMostRank) {
      return core::fail(bad_memory(typed, fmt::format("a rank is 1 to {}", kMostRank)));
    }
    memory.cost = static_cast<std::uint32_t>(*rank);
  }
  return memory;
}

core::Result<board::MemorySet> typed_memories(const std::vector<std::string>& typed) {
  board::MemorySet set{.name = "typed", .title = "the memories of --memory"};
  for (const std::string& text : typed) {
    auto memory = typed_memory(text, set.memories.size());
    MEMSIZE_TRY(memory);
    if (core::contains(set.memories, memory->name, &board::PartMemory::name)) {
      return core::fail(bad_memory(text, fmt::format("'{}' is there twice", memory->name)));
    }
    set.memories.push_back(std::move(*memory));
  }
  std::ranges::stable_sort(set.memories, {}, &board::PartMemory::cost);
  return set;
}

// Those that can be read: nobody asked for any of them.
std::vector<board::MemorySet> known_parts(Session& session) {
  const std::string folder = memories_folder(session);
  std::vector<board::MemorySet> parts;
  for (const std::string& name :
       board::bundled_memories(session.files, folder).value_or(std::vector<std::string>{})) {
    if (auto part = board::load_memories(session.files, folder, name)) {
      parts.push_back(std::move(*part));
    }
  }
  return parts;
}

// No block can rely on more than the base of its arena has.
std::uint64_t alignment_of_base(const model::PlanReport& wanted,
                                const std::string& memory,
                                model::Lifetime role) {
  for (const model::PlannedArena& arena : wanted.arenas) {
    if (arena.memory == memory && arena.role == role && arena.alignment) {
      return arena.alignment->value();
    }
  }
  for (const model::PlannedMemory& known : wanted.memories) {
    if (known.name == memory && known.alignment) {
      return known.alignment->value();
    }
  }
  // What vector loads of embedded cores need.
  constexpr std::uint64_t kVector = 16;
  return kVector;
}

core::Result<core::Bytes> capacity_of(const std::string& text) {
  auto size = core::parse_bytes(text);
  if (size && size->count() == 0) {
    return core::fail(core::error(Code::kTextSize,
                                  "--capacity: nothing fits into 0 bytes",
                                  {},
                                  "give a size, such as 512KiB, or leave it out"));
  }
  return size;
}

// Where reports do not say how blocks are aligned, but where they lie: then blocks are as aligned
// as all of their arena are, up to what its memory asks for, or 16 B, which is what vector loads of
// embedded cores need. Notes say what was assumed.
core::Diagnostics assume_alignments(model::PlanReport& wanted) {
  if (wanted.has_alignments) {
    return {};
  }

  struct Arena {
    std::uint64_t offsets = 0;
    bool is_planned = true;
    bool is_said = true;
  };

  std::map<std::pair<std::string, model::Lifetime>, Arena> arenas;
  for (const model::PlannedBlock& block : wanted.blocks) {
    Arena& arena = arenas[{block.memory, block.role}];
    arena.is_planned = arena.is_planned && block.offset;
    arena.is_said = arena.is_said && block.alignment && !wanted.aligns_elements;
    arena.offsets |= block.offset.value_or(core::Bytes{}).count();
  }
  std::vector<std::string> said;
  std::map<std::pair<std::string, model::Lifetime>, core::Align> assumed;
  for (const auto& [key, arena] : arenas) {
    // With all at 0, nothing can be told.
    if (!arena.is_planned || arena.is_said || arena.offsets == 0) {
      continue;
    }
    const std::uint64_t common = arena.offsets & (~arena.offsets + 1);
    const auto alignment =
        core::Align::make(std::min(common, alignment_of_base(wanted, key.first, key.second)));
    if (alignment && alignment->value() > 1) {
      assumed[key] = *alignment;
      said.push_back(fmt::format("{} in '{}' by {}",
                                 model::name_of(key.second),
                                 core::printable(key.first, 60),
                                 alignment->value()));
    }
  }
  core::Diagnostics notes;
  if (!said.empty()) {
    notes.push_back(core::note(
        Code::kPlanAlignment,
        "the report does not say how its blocks are aligned; they stay aligned as they all are: " +
            core::join(said, ", "),
        {wanted.path},
        "a report that says it counts instead"));
  }
  for (model::PlannedBlock& block : wanted.blocks) {
    const auto known = assumed.find({block.memory, block.role});
    if (known != assumed.end() && (!block.alignment || wanted.aligns_elements)) {
      block.alignment = std::max(block.alignment, std::optional{known->second});
    }
  }
  return notes;
}

bool is_planned(const model::PlanReport& wanted) {
  return std::ranges::any_of(wanted.blocks,
                             [](const auto& block) { return block.offset.has_value(); });
}

// What is wrong with the plan that the reports had, in one note; nothing: they had none, or nothing
// is.
std::optional<core::Diagnostic> faults_of_reports(const model::PlanReport& wanted) {
  const core::Diagnostics found = plan::check_plan(wanted, nullptr);
  const auto errors = std::ranges::count_if(
      found, [](const auto& fault) { return fault.severity == core::Severity::kError; });
  if (errors == 0) {
    return std::nullopt;
  }
  return core::note(Code::kPlanContradiction,
                    fmt::format("the {} is wrong in {}",
                                is_planned(wanted) ? "plan that the report has" : "report",
                                core::plural(static_cast<std::uint64_t>(errors), "place")),
                    {},
                    "memsize check shows where");
}

// Such as the log of a run alone.
std::optional<core::Diagnostic> nothing_to_plan(const model::PlanReport& wanted) {
  if (!wanted.blocks.empty() || wanted.nnapi != nullptr) {
    return std::nullopt;
  }
  return core::error(
      Code::kPlanUnplanned,
      fmt::format("this {} lists no blocks: there is nothing to plan", wanted.format),
      {wanted.path},
      "name the report that lists them beside it; memsize check says what this one holds");
}

// Operators, where another order of them is wanted, and the slots of who runs them.
// Of a time, orders take half, and planning takes half.
plan::PackLimits limits_of_part(const PlanRequest& request) {
  plan::PackLimits limits = request.limits;
  if (request.reorder && limits.time) {
    *limits.time /= 2;
  }
  return limits;
}

// Each model has its own order.
plan::PackLimits limits_of_order(const PlanRequest& request) {
  plan::PackLimits limits = limits_of_part(request);
  if (limits.time) {
    *limits.time /= static_cast<std::int64_t>(request.with.size()) + 1;
  }
  return limits;
}

core::Result<void> put_in_order(const PlanRequest& request,
                                model::PlanReport& model,
                                Planning& planning) {
  for (model::PlannedBlock& block : model.blocks) {
    if (block.role == model::Lifetime::kScratch && request.slot > core::Align{}) {
      block.alignment = std::max(block.alignment.value_or(core::Align{}), request.slot);
    }
  }
  if (!request.reorder) {
    return {};
  }
  if (!planning.schedules.empty()) {
    return core::fail(core::error(Code::kUsage,
                                  "--reorder is not of a network, whose layers run one by one",
                                  {},
                                  "leave it out")
                          .of_option("--reorder"));
  }
  auto order = plan::reorder(model, limits_of_order(request));
  MEMSIZE_TRY(order);
  planning.orders.push_back({model.path, std::move(*order)});
  return {};
}

ModelNeeds needs_of(const model::PlanReport& report, const std::string& name) {
  ModelNeeds needs{.name = name, .path = report.path, .blocks = report.blocks.size()};
  auto least = plan::least_sizes_together(report);
  needs.scratch = least[{model::Lifetime::kScratch, ""}];
  needs.persistent = least[{model::Lifetime::kPersistent, ""}];
  needs.constant = least[{model::Lifetime::kConstant, ""}];
  return needs;
}

}  // namespace

core::Result<model::PlanReport> read_models(Session& session,
                                            const PlanRequest& request,
                                            Planning& planning) {
  std::vector<model::PlanReport> models;
  const auto take = [&](const std::vector<std::string>& reports) -> core::Result<void> {
    auto model = read_plans(session, reports, request.format);
    MEMSIZE_TRY(model);
    if (auto nothing = nothing_to_plan(*model); nothing) {
      return core::fail(std::move(*nothing));
    }
    plan::name_as_part(*model, planning.part);
    std::ranges::move(model->diagnostics, std::back_inserter(planning.diagnostics));
    if (is_network(*model) && !request.board.empty() && !planning.part.tiles) {
      planning.diagnostics.push_back(core::note(
          Code::kPlanNetwork,
          fmt::format("nothing is cut or fused: part '{}' does not say what a layer may use of its "
                      "memories",
                      core::printable(planning.part.name, 80)),
          {model->path},
          "memsize board show PART says what a part gives to tiles; [tiles] adds it to one"));
    } else if (is_network(*model) && !request.board.empty()) {
      auto schedule = schedule_network(
          *model,
          planning.part,
          core::named<network::TileChoice>(request.tiles).value_or(network::TileChoice::kAres));
      MEMSIZE_TRY(schedule);
      std::ranges::move(schedule->diagnostics, std::back_inserter(planning.diagnostics));
      planning.schedules.push_back(std::move(*schedule));
    }
    if (auto faults = faults_of_reports(*model); faults) {
      planning.own_is_wrong = true;
      planning.diagnostics.push_back(std::move(*faults));
    }
    std::ranges::move(assume_alignments(*model), std::back_inserter(planning.diagnostics));
    if (!planning.schedules.empty() && !request.stage.empty()) {
      return core::fail(core::error(Code::kUsage,
                                    "--stage is not of a network, whose layers know what is staged",
                                    {},
                                    "--set stage=SIZE stages weights that are larger")
                            .of_option("--stage"));
    }
    const auto ordered = put_in_order(request, *model, planning);
    MEMSIZE_TRY(ordered);
    models.push_back(std::move(*model));
    return {};
  };
  const auto first = take(request.reports);
  MEMSIZE_TRY(first);
  for (const std::string& report : request.with) {
    const auto done = take({report});
    MEMSIZE_TRY(done);
  }
  if (!request.tiles.empty() && std::ranges::none_of(models, is_network)) {
    return core::fail(core::error(Code::kUsage,
                                  "--tiles is of a network's layers, and the report has none",
                                  {request.reports.front()},
                                  "give ARES' network_info.json, or leave --tiles out")
                          .of_option("--tiles"));
  }
  if (models.size() == 1) {
    return std::move(models.front());
  }
  const std::vector<std::string> names = model::names_of_models(models);
  for (std::size_t i = 0; i < models.size(); ++i) {
    planning.models.push_back(needs_of(models[i], names[i]));
  }
  return model::one_after_another(std::move(models), names);
}

core::Result<board::MemorySet> part_with_settings(Session& session,
                                                  const std::string& board,
                                                  const std::vector<std::string>& set) {
  auto part = board::load_memories(session.files, memories_folder(session), board);
  for (const std::string& setting : set) {
    MEMSIZE_TRY(part);
    MEMSIZE_TRY(board::set_of_part(*part, setting));
  }
  return part;
}

core::Result<board::MemorySet> memories_for(const PlanRequest& request,
                                            const model::PlanReport& wanted) {
  if (!request.memories.empty()) {
    return typed_memories(request.memories);
  }
  auto set = memories_of(wanted);
  if (!set || request.capacity.empty()) {
    return set;
  }
  const auto capacity = capacity_of(request.capacity);
  MEMSIZE_TRY(capacity);
  if (set->memories.size() > 1) {
    const std::vector<std::string> names = core::texts_of(
        set->memories,
        [&](const board::PartMemory& memory) { return core::printable(memory.name, 40); });
    return core::fail(
        core::error(Code::kUsage,
                    fmt::format("--capacity is for one memory, but the plan has {}: {}",
                                names.size(),
                                core::join(names, ", ")),
                    {},
                    "limit each with a rule (memory: constraints: - {name, max_size}) and --rules, "
                    "or name the part with --board"));
  }
  for (board::PartMemory& memory : set->memories) {
    memory.window = *capacity;
    memory.hardware = *capacity;
  }
  return set;
}

core::Result<plan::PlanOptions> planning_options(Session& session, const PlanRequest& request) {
  plan::PlanOptions options{.limits = limits_of_part(request),
                            .planner = request.planner,
                            .keep_offsets = request.keep_offsets,
                            .fixed = request.fixed,
                            .with_remedies = request.with_remedies};
  options.taken = request.taken;
  options.keep_memories = request.board.empty() && request.memories.empty();
  if (!request.rules.empty()) {
    const auto text = session.files.read(request.rules, core::kWrittenFile);
    MEMSIZE_TRY(text);
    auto rules = plan::read_rules(*text, request.rules);
    MEMSIZE_TRY(rules);
    options.rules = std::move(*rules);
  }
  // Elsewhere, models beside this one would need room, too.
  if (!request.with_remedies ||
      (request.board.empty() && request.memories.empty() && request.capacity.empty()) ||
      !request.beside.empty()) {
    return options;
  }
  options.others = [&session] { return known_parts(session); };
  return options;
}

core::Result<plan::StageWishes> stage_wishes(Session& session, const PlanRequest& request) {
  plan::StageWishes wishes;
  const bool is_alone = request.stage.size() == 1;
  for (const std::string& typed : request.stage) {
    const std::size_t equals = typed.find('=');
    if (is_alone && (typed == "none" || typed == "auto")) {
      wishes.memories.assign(typed == "auto" ? 1 : 0, {});
      continue;
    }
    if (equals == std::string::npos || equals == 0) {
      return core::fail(core::error(
          Code::kUsage,
          fmt::format("--stage: '{}' is no memory with a size", core::printable(typed, 60)),
          {},
          "write auto, none, or how much goes where: --stage dtcm=64KiB"));
    }
    auto size = core::parse_bytes(typed.substr(equals + 1));
    if (!size) {
      core::Diagnostic error = std::move(size.error().front());
      error.message = "--stage: " + error.message;
      return core::fail(std::move(error));
    }
    wishes.memories.push_back({core::to_lower(typed.substr(0, equals)), *size});
  }
  constexpr std::size_t kMostProfiles = 2;
  if (request.profiles.size() > kMostProfiles) {
    return core::fail(
        core::error(Code::kUsage,
                    fmt::format("--profile is given {} times", request.profiles.size()),
                    {},
                    "give one, or two: all constants cold, then all staged"));
  }
  for (const std::string& path : request.profiles) {
    const auto text = session.files.read(path, core::kWrittenFile);
    MEMSIZE_TRY(text);
    auto profile = readers::read_profile(*text, path);
    MEMSIZE_TRY(profile);
    wishes.profiles.push_back(std::move(*profile));
  }
  return wishes;
}

void settle_kept(const PlanRequest& request, Planning& planning) {
  const bool keeps = request.keep_offsets && is_planned(planning.wanted);
  planning.keeps_offsets = keeps || !request.fixed.empty();
  if (request.keep_offsets && !keeps) {
    planning.diagnostics.push_back(
        core::warning(Code::kPlanUnplanned,
                      "no block has an offset: there is nothing that --keep could keep",
                      {planning.wanted.path},
                      "name the report that has offsets, or leave --keep out"));
  }
}

void count_unplaced(Planning& planning) {
  const model::PlanReport& wanted = planning.wanted;
  std::vector<plan::Shortage>& shortages = planning.outcome.shortages;
  for (model::PlannedMemory& memory : planning.outcome.plan.memories) {
    core::Bytes used = memory.used.value_or(core::Bytes{});
    if (memory.name == network::kStackLevel) {
      for (const network::Schedule& schedule : planning.schedules) {
        used = std::max(used, network::largest_tiles(schedule).bytes);
      }
    }
    const auto* const known =
        core::find_in(wanted.memories, memory.name, &model::PlannedMemory::name);
    const bool is_listed = core::contains(wanted.blocks, memory.name, &model::PlannedBlock::memory);
    const core::Bytes said =
        known == nullptr || is_listed ? core::Bytes{} : known->used.value_or(core::Bytes{});
    memory.used = used + said;
    if (said != core::Bytes{} && memory.capacity && *memory.used > *memory.capacity &&
        !core::contains(shortages, memory.name, &plan::Shortage::memory)) {
      shortages.push_back(
          {.memory = memory.name,
           .needed = *memory.used,
           .is_least = used == core::Bytes{},
           .budget = *memory.capacity,
           .remedies = {fmt::format("the report says that {} of it are used: have its compiler use "
                                    "less, or take a part that has more",
                                    core::format_bytes(said))}});
    }
  }
}

void check_own_plan(const Planning& planning, const PlanRequest& request) {
  const model::PlanReport* plan = &planning.outcome.plan;
  model::PlanReport without;
  if (!planning.outcome.shortages.empty()) {
    // What does not fit is said elsewhere.
    without = *plan;
    without.memories.clear();
    plan = &without;
  }
  for (const core::Diagnostic& fault : plan::check_plan(*plan, nullptr)) {
    // Alignments are not the planner's where a peer's rule knows none, or an offset is kept.
    const bool aligns = request.planner.empty() && !planning.keeps_offsets;
    const bool is_ours = fault.code == Code::kPlanOverlap || fault.code == Code::kPlanTotal ||
                         fault.code == Code::kPlanBounds ||
                         (fault.code == Code::kPlanAlignment && aligns);
    core::bug_if(is_ours && fault.severity == core::Severity::kError, fault.message.c_str());
  }
}

core::Diagnostics describe_shortages(const plan::PlanOutcome& outcome) {
  core::Diagnostics errors;
  const auto name_of = [&](std::size_t block) {
    const model::PlannedBlock& named = outcome.plan.blocks[block];
    return fmt::format("'{}' ({})", core::printable(named.id, 60), core::format_size(named.size));
  };
  const auto names_of = [&](const std::vector<std::size_t>& blocks, std::size_t most) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::min(most, blocks.size()); ++i) {
      names.push_back(name_of(blocks[i]));
    }
    const std::size_t more = blocks.size() - names.size();
    return core::join(names, ", ") + (more == 0 ? "" : fmt::format(" and {} more", more));
  };
  for (const plan::Shortage& shortage : outcome.shortages) {
    // Few enough to read; the document has all of them.
    constexpr std::size_t kShown = 8;
    core::Diagnostic error =
        core::error(Code::kPlanDoesNotFit,
                    fmt::format("'{}' needs {}{}, but plans may use {}: {} too much",
                                core::printable(shortage.memory, 60),
                                core::format_bytes(shortage.needed),
                                shortage.is_least ? "" : " in the best plan that is known",
                                core::format_bytes(shortage.budget),
                                core::format_bytes(shortage.needed - shortage.budget)));
    const auto begin = outcome.begins.find(shortage.memory);
    if (begin != outcome.begins.end() && begin->second != core::Bytes{}) {
      error.details.push_back(fmt::format(
          "{} before that are of models that chose before this one and run at the same time",
          core::format_bytes(begin->second)));
    }
    if (!shortage.live.empty()) {
      error.details.push_back(
          fmt::format("alive at step {}: {}", shortage.step, names_of(shortage.live, kShown)));
    }
    if (!shortage.largest.empty()) {
      error.details.push_back(
          fmt::format("the largest: {}", names_of(shortage.largest, shortage.largest.size())));
    }
    // What is told of the whole plan is told once, of the last.
    const bool is_told = &shortage != &outcome.shortages.back() &&
                         shortage.remedies == outcome.shortages.back().remedies;
    error.hint = is_told ? "" : core::join(shortage.remedies, "; or ");
    errors.push_back(std::move(error));
  }
  if (!errors.empty() && !outcome.fits_on.empty()) {
    errors.back().details.push_back("it would fit on " + core::join(outcome.fits_on, ", "));
  }
  return errors;
}

}  // namespace memsize::app
