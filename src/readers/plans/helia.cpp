// heliaAOT's JSON: the residency report (arenas, and where each tensor lies) and the operator
// manifest (which operator touches which tensor). Source of the fields: heliaAOT's guide to tensor
// packaging, and what AmbiqAI/helia-profiler reads of the manifest. Schema 3 of the residency is
// the only one that is described; older files are read as far as they go, so that every field that
// may have come late is optional. The published example is itself abridged.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "helia_tensors.hpp"
#include "plan_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Lifetime;

constexpr std::uint64_t kNewestSchema = 3;
constexpr auto kRoles =
    std::to_array({Lifetime::kScratch, Lifetime::kPersistent, Lifetime::kConstant});
constexpr const char* kConvertAgain =
    "convert the model again with memory.dump_residency_json: true, and give the whole file";

std::string arena_name(Lifetime role, const std::string& memory) {
  return fmt::format(
      "the {} arena in '{}'", model::name_of(role), core::printable(memory, kLongestShown));
}

std::string memory_in(docs::Value object, PlanFields& fields) {
  return fields.member(object, "memory") ? fields.memory_if_any(object, "memory") : std::string{};
}

// Empty: it says none.
std::string source_in(docs::Value object, PlanFields& fields) {
  return object["source_memory"] ? fields.memory_if_any(object, "source_memory") : std::string{};
}

bool is_known_schema(docs::Value root, PlanFields& fields) {
  const auto version = fields.whole_if_any(root, "schema_version");
  if (version && *version > kNewestSchema) {
    fields.error(
        Code::kPlanVersion,
        root["schema_version"].position(),
        fmt::format("schema_version is {}; this memsize reads up to {}", *version, kNewestSchema),
        "convert the model with a heliaAOT that writes schema 3, or take a newer memsize");
    return false;
  }
  return !fields.failed();
}

// Hashes are strings to compare. A text in brackets stands where one should be.
std::string hash_in(docs::Value root,
                    const char* key,
                    PlanFields& fields,
                    model::PlanReport& report) {
  std::string hash = fields.text_if_any(root, key);
  const bool whole =
      hash.size() == 16 && std::ranges::all_of(hash, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      });
  if (!hash.empty() && !whole) {
    report.abridged = true;
    fields.warn(
        Code::kPlanAbridged,
        root[key].position(),
        fmt::format(
            "{} is '{}', not 16 hexadecimal digits", key, core::printable(hash, kLongestShown)),
        kConvertAgain);
    hash.clear();
  }
  return hash;
}

void check_kind(docs::Value object,
                const model::PlannedArena& arena,
                const std::string& source,
                PlanFields& fields) {
  const std::string kind = core::to_lower(fields.text_if_any(object, "kind"));
  const std::string name = arena_name(arena.role, arena.memory);
  if (!kind.empty() && kind != "staged" && kind != "cold") {
    fields.warn(Code::kPlanContradiction,
                object["kind"].position(),
                fmt::format("{} is of the kind '{}'", name, core::printable(kind, kLongestShown)),
                "the kinds are staged and cold");
  } else if (kind == "staged" && arena.source_memory.empty()) {
    fields.warn(Code::kPlanContradiction,
                object["kind"].position(),
                fmt::format("{} is staged, but {}",
                            name,
                            source.empty() ? "has no source memory" : "comes from that memory"),
                "staged is what comes from another memory than it lies in");
  } else if (kind == "cold" && !arena.source_memory.empty()) {
    fields.warn(Code::kPlanContradiction,
                object["kind"].position(),
                fmt::format("{} is cold, but comes from '{}'",
                            name,
                            core::printable(arena.source_memory, kLongestShown)),
                "cold is what is read where it lies");
  }
  if (arena.role != Lifetime::kConstant && !arena.source_memory.empty()) {
    fields.warn(Code::kPlanContradiction,
                object["source_memory"].position(),
                fmt::format("{} has the source memory '{}'",
                            name,
                            core::printable(arena.source_memory, kLongestShown)),
                "only constants come from somewhere");
  }
}

// The total of a scratch arena may be the budget that it was given; the others are exactly
// filled.
void check_totals(docs::Value object, const model::PlannedArena& arena, PlanFields& fields) {
  if (!arena.used || !arena.total) {
    return;
  }
  const bool more = *arena.used > *arena.total;
  if (more || (arena.role != Lifetime::kScratch && *arena.used != *arena.total)) {
    fields.warn(Code::kPlanContradiction,
                object["used"].position(),
                fmt::format("{} uses {} of {} B",
                            arena_name(arena.role, arena.memory),
                            arena.used->count(),
                            arena.total->count()),
                more ? "no arena uses more than it has"
                     : "an arena whose blocks are never reclaimed is as large as what it holds");
  }
}

/// One a role in a memory, each with a region of its own.
class HeliaArenas {
 public:
  explicit HeliaArenas(PlanFields& fields) : fields_(fields) {}

  /// The first of its role in its memory holds.
  void add(docs::Value object, model::PlannedArena arena) {
    if (!index_.emplace(std::pair{arena.role, arena.memory}, all_.size()).second) {
      fields_.warn(Code::kPlanContradiction,
                   object.position(),
                   fmt::format("{} stands here again; the first holds",
                               arena_name(arena.role, arena.memory)),
                   "one role has one arena in one memory");
      return;
    }
    if (arena.region_id && !regions_.insert(*arena.region_id).second) {
      fields_.warn(Code::kPlanContradiction,
                   object["region_id"].position(),
                   fmt::format("region {} is {} and another one, too",
                               *arena.region_id,
                               arena_name(arena.role, arena.memory)),
                   "each arena has a region of its own");
    }
    all_.push_back(std::move(arena));
  }

  /// Null: it is not listed.
  [[nodiscard]] const model::PlannedArena* find(Lifetime role, const std::string& memory) const {
    const std::size_t* const at = core::value_in(index_, std::pair{role, memory});
    return at == nullptr ? nullptr : &all_[*at];
  }

  [[nodiscard]] const std::vector<model::PlannedArena>& all() const { return all_; }

 private:
  PlanFields& fields_;
  std::vector<model::PlannedArena> all_;
  std::map<std::pair<Lifetime, std::string>, std::size_t> index_;
  std::set<std::uint64_t> regions_;
};

void read_arena(docs::Value object, Lifetime role, PlanFields& fields, HeliaArenas& arenas) {
  if (!fields.is_object(object)) {
    return;
  }
  model::PlannedArena arena{.role = role, .line = object.position().line};
  arena.memory = memory_in(object, fields);
  const std::string source = source_in(object, fields);
  arena.source_memory = helia_source(arena.memory, source);
  arena.region_id = fields.whole_if_any(object, "region_id");
  arena.used = fields.size_if_any(object, "used");
  arena.total = fields.size_if_any(object, "total_size");
  arena.alignment = fields.alignment_if_any(object, "alignment");
  arena.block_count = fields.whole_if_any(object, "tensor_count");
  if (fields.failed()) {
    return;
  }
  check_kind(object, arena, source, fields);
  check_totals(object, arena, fields);
  arenas.add(object, std::move(arena));
}

HeliaArenas read_arenas(docs::Value lists, PlanFields& fields) {
  HeliaArenas arenas{fields};
  if (!lists || !fields.is_object(lists)) {
    return arenas;
  }
  for (const Lifetime role : kRoles) {
    for (const docs::Value arena : fields.items(lists[model::name_of(role)])) {
      read_arena(arena, role, fields, arenas);
    }
  }
  for (const docs::Value list : lists) {
    if (!model::named<model::Lifetime>(list.key())) {
      fields.warn(Code::kPlanContradiction,
                  list.position(),
                  fmt::format("arenas of the role '{}' are left out",
                              core::printable(list.key(), kLongestShown)),
                  "the roles are scratch, persistent and constant");
    }
  }
  return arenas;
}

template <typename Thing>
const std::string& source_of(const Thing& thing) {
  return thing.source_memory.empty() ? thing.memory : thing.source_memory;
}

void check_arena_of(docs::Value object,
                    const model::PlannedBlock& block,
                    const HeliaArenas& arenas,
                    PlanFields& fields) {
  const model::PlannedArena* const arena = arenas.find(block.role, block.memory);
  const std::string name = core::printable(block.id, kLongestShown);
  if (arena == nullptr) {
    if (fields.wants(core::Severity::kWarning, Code::kPlanContradiction)) {
      fields.warn(Code::kPlanContradiction,
                  object.position(),
                  fmt::format("tensor '{}' is in {}, which is not listed",
                              name,
                              arena_name(block.role, block.memory)),
                  kConvertAgain);
    }
    return;
  }
  if (arena->source_memory != block.source_memory) {
    fields.warn(Code::kPlanContradiction,
                object.position(),
                fmt::format("tensor '{}' comes from '{}', but {} comes from '{}'",
                            name,
                            core::printable(source_of(block), kLongestShown),
                            arena_name(block.role, block.memory),
                            core::printable(source_of(*arena), kLongestShown)),
                "all constants of an arena come from one memory, which is one copy");
  }
}

// Nothing: an error says why.
std::optional<model::PlannedBlock> tensor_in(docs::Value object,
                                             const HeliaArenas& arenas,
                                             PlanFields& fields) {
  if (!fields.is_object(object)) {
    return std::nullopt;
  }
  model::PlannedBlock block{.line = object.position().line};
  block.id = fields.id(object, "id");
  block.name = fields.text_if_any(object, "name");
  block.role = fields.role(object, "role").value_or(Lifetime::kScratch);
  block.memory = memory_in(object, fields);
  block.source_memory = helia_source(block.memory, source_in(object, fields));
  block.offset = fields.size_if_any(object, "offset");
  block.alignment = fields.alignment_if_any(object, "alignment");
  block.size = fields.size(object, "size").value_or(core::Bytes{});
  if (block.id.empty() || !fields.is_new(block.id, object.position())) {
    return std::nullopt;
  }
  if (block.offset) {
    (void)fields.ends_in_plan(*block.offset, block.size, object.position(), "the tensor");
  }
  check_arena_of(object, block, arenas, fields);
  return block;
}

// Whether tensors are missing, as in the published example.
void check_counts(PlanFields& fields, model::PlanReport& report) {
  std::map<std::pair<Lifetime, std::string>, std::uint64_t> listed;
  for (const model::PlannedBlock& block : report.blocks) {
    ++listed[{block.role, block.memory}];
  }
  for (const model::PlannedArena& arena : report.arenas) {
    const std::uint64_t count = listed[{arena.role, arena.memory}];
    const std::string name = arena_name(arena.role, arena.memory);
    const PlanPlace place{arena.line, 0};
    const bool none = count == 0 && arena.used.value_or(core::Bytes{}) > core::Bytes{};
    if (arena.block_count && count != *arena.block_count) {
      const bool are_missing = count < *arena.block_count;
      report.abridged = report.abridged || are_missing;
      fields.warn(
          are_missing ? Code::kPlanAbridged : Code::kPlanContradiction,
          place,
          fmt::format(
              "{} has {}, but lists {}", name, core::plural(*arena.block_count, "tensor"), count),
          kConvertAgain);
    } else if (none) {
      report.abridged = true;
      fields.warn(
          Code::kPlanAbridged,
          place,
          fmt::format("{} uses {} B, but none of its tensors is listed", name, arena.used->count()),
          kConvertAgain);
    }
  }
}

// What is allocated; the tensor's own bytes where nothing was.
core::Bytes allocated_size(docs::Value object, PlanFields& fields) {
  const auto own = fields.size_if_any(object, "nbytes");
  const auto allocated = fields.size_if_any(object, "allocation_size");
  if (!own && !allocated && !fields.failed()) {
    fields.wrong(object, "'allocation_size' is missing");
  }
  if (own && allocated && *own > *allocated) {
    fields.warn(
        Code::kPlanContradiction,
        object["allocation_size"].position(),
        fmt::format("tensor '{}' has {} B, but only {} are allocated",
                    core::printable(object["id"] ? fields.as_id(object["id"]) : "", kLongestShown),
                    own->count(),
                    allocated->count()),
        "what is written behind its end belongs to another tensor");
  }
  return allocated ? *allocated : own.value_or(core::Bytes{});
}

std::optional<Lifetime> role_of_flags(docs::Value object, PlanFields& fields) {
  constexpr auto kFlags = std::to_array<std::pair<const char*, Lifetime>>({
      {"is_constant", Lifetime::kConstant},
      {"is_persistent", Lifetime::kPersistent},
      {"is_scratch", Lifetime::kScratch},
  });
  std::optional<Lifetime> role;
  for (const auto& [key, meaning] : kFlags) {
    if (fields.flag_if_any(object, key).value_or(false) && !role) {
      role = meaning;
    }
  }
  return role;
}

Lifetime role_of(docs::Value object, PlanFields& fields) {
  const auto flagged = role_of_flags(object, fields);
  const auto role = fields.role_if_any(object, "arena_role");
  if (role && flagged && *role != *flagged) {
    fields.warn(Code::kPlanContradiction,
                object["arena_role"].position(),
                fmt::format("a tensor that is {} lies in an arena for what is {}",
                            model::name_of(*flagged),
                            model::name_of(*role)),
                "the arena's role holds");
  }
  return role ? *role : flagged.value_or(Lifetime::kScratch);
}

void read_touch(docs::Value object,
                HeliaTouch::Side side,
                PlanFields& fields,
                HeliaTensors& tensors) {
  if (!fields.is_object(object)) {
    return;
  }
  HeliaTouch touch{.side = side, .place = object.position()};
  touch.id = fields.id(object, "id");
  touch.name = fields.text_if_any(object, "name");
  touch.role = role_of(object, fields);
  touch.memory = fields.memory_if_any(object, "memory");
  touch.source_memory = source_in(object, fields);
  touch.staged = fields.flag_if_any(object, "staged");
  touch.region_id = fields.whole_if_any(object, "arena_region_id");
  touch.offset = fields.size_if_any(object, "offset");
  touch.size = allocated_size(object, fields);
  touch.type = fields.text_if_any(object, "dtype");
  for (const docs::Value dimension : fields.items(object["shape"])) {
    touch.shape.push_back(dimension.is(docs::Kind::kWhole) ? dimension.whole() : 0);
  }
  if (!touch.id.empty()) {
    tensors.take(std::move(touch));
  }
}

void read_operator(docs::Value one,
                   std::int64_t position,
                   PlanFields& fields,
                   HeliaTensors& tensors) {
  using Side = HeliaTouch::Side;
  if (!fields.is_object(one)) {
    return;
  }
  tensors.begin_operator(fields.step_if_any(one, "idx").value_or(position),
                         one["id"] ? fields.as_id(one["id"]) : std::string{},
                         fields.text_if_any(one, "op_type"),
                         one.position());
  constexpr auto kSides = std::to_array<std::pair<const char*, Side>>({
      {"inputs", Side::kInput},
      {"outputs", Side::kOutput},
      {"local_tensors", Side::kLocal},
  });
  for (const auto& [key, side] : kSides) {
    for (const docs::Value tensor : fields.items(one[key])) {
      // An optional input that is not given is null.
      if (tensor) {
        read_touch(tensor, side, fields, tensors);
      }
    }
  }
}

bool has(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

}  // namespace

bool probe_helia_residency(std::string_view head) {
  return core::trim(head.substr(0, 1024)).starts_with('{') && has(head, "\"schema_version\"") &&
         has(head, "\"arenas\"") &&
         (has(head, "\"module_prefix\"") || has(head, "\"tensor_layout_hash\"") ||
          has(head, "\"total_size\"") || has(head, "\"tensors\""));
}

PlanResult read_helia_residency(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report;
  report.lines = document->lines();
  const docs::Value root = document->root();
  if (!fields.is_object(root) || !is_known_schema(root, fields)) {
    return fields.finish(std::move(report), *document);
  }
  report.planner = "heliaAOT";
  report.prefix = fields.text_if_any(root, "module_prefix");
  report.foreign_plan_hash = hash_in(root, "plan_hash", fields, report);
  report.foreign_layout_hash = hash_in(root, "tensor_layout_hash", fields, report);
  // memsize says so of a plan that it wrote in this format.
  report.claimed_envelope_hash = fields.text_if_any(root, "memsize_envelope_hash");
  report.claimed_layout_hash = fields.text_if_any(root, "memsize_layout_hash");
  fields.read_content_hash(*document, "memsize_content_hash", report);
  report.is_replanned = !report.claimed_layout_hash.empty();
  const HeliaArenas arenas = read_arenas(fields.member(root, "arenas"), fields);
  report.arenas = arenas.all();
  for (const docs::Value tensor : fields.items(root["tensors"])) {
    if (auto block = tensor_in(tensor, arenas, fields)) {
      report.blocks.push_back(std::move(*block));
    }
  }
  if (!fields.failed()) {
    check_counts(fields, report);
  }
  return fields.finish(std::move(report), *document);
}

bool probe_helia_manifest(std::string_view head) {
  return core::trim(head.substr(0, 1024)).starts_with('[') && has(head, "\"op_type\"") &&
         (has(head, "\"inputs\"") || has(head, "\"outputs\"") || has(head, "\"local_tensors\""));
}

PlanResult read_helia_manifest(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report{.lines = document->lines(), .planner = "heliaAOT"};
  HeliaTensors tensors{fields};
  const docs::Value root = document->root();
  if (fields.is_array(root)) {
    std::int64_t position = 0;
    for (const docs::Value one : root) {
      read_operator(one, position++, fields, tensors);
    }
  }
  tensors.finish(report);
  return fields.finish(std::move(report), *document);
}

}  // namespace memsize::readers
