// heliaAOT's JSON: the residency report (arenas, and where each tensor lies) and the operator
// manifest (which operator touches which tensor). Source of the fields: heliaAOT's guide to tensor
// packaging, and what AmbiqAI/helia-profiler reads of the manifest. Schema 3 of the residency is
// the only one that is described; older files are read as far as they go, so that every field that
// may have come late is optional. The published example is itself abridged.
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

class ResidencyReader : private PlanFields {
 public:
  explicit ResidencyReader(const std::string& path) : PlanFields(path) {}

  PlanResult read(const docs::Document& document) {
    const docs::Value root = document.root();
    report_.lines = document.lines();
    if (!is_object(root) || !read_version(root)) {
      return finish(std::move(report_), document);
    }
    report_.planner = "heliaAOT";
    report_.prefix = text_if_any(root, "module_prefix");
    read_hash(root, "plan_hash", report_.foreign_plan_hash);
    read_hash(root, "tensor_layout_hash", report_.foreign_layout_hash);
    // memsize says so of a plan that it wrote in this format.
    report_.claimed_envelope_hash = text_if_any(root, "memsize_envelope_hash");
    report_.claimed_layout_hash = text_if_any(root, "memsize_layout_hash");
    read_content_hash(document, "memsize_content_hash", report_);
    report_.is_replanned = !report_.claimed_layout_hash.empty();
    const docs::Value arenas = member(root, "arenas");
    if (arenas && is_object(arenas)) {
      read_arenas(arenas);
    }
    for (const docs::Value tensor : items(root["tensors"])) {
      read_tensor(tensor);
    }
    if (!failed()) {
      check_counts();
    }
    return finish(std::move(report_), document);
  }

 private:
  bool read_version(docs::Value root) {
    const auto version = whole_if_any(root, "schema_version");
    if (version && *version > kNewestSchema) {
      error(
          Code::kPlanVersion,
          root["schema_version"].position(),
          fmt::format("schema_version is {}; this memsize reads up to {}", *version, kNewestSchema),
          "convert the model with a heliaAOT that writes schema 3, or take a newer memsize");
      return false;
    }
    return !failed();
  }

  // Hashes are strings to compare. A text in brackets stands where one should be.
  void read_hash(docs::Value root, const char* key, std::string& hash) {
    hash = text_if_any(root, key);
    const bool whole =
        hash.size() == 16 && std::ranges::all_of(hash, [](char c) {
          return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        });
    if (!hash.empty() && !whole) {
      report_.abridged = true;
      warn(Code::kPlanAbridged,
           root[key].position(),
           fmt::format(
               "{} is '{}', not 16 hexadecimal digits", key, core::printable(hash, kLongestShown)),
           kConvertAgain);
      hash.clear();
    }
  }

  void read_arenas(docs::Value arenas) {
    for (const Lifetime role : kRoles) {
      const docs::Value list = arenas[model::name_of(role)];
      for (const docs::Value arena : items(list)) {
        read_arena(arena, role);
      }
    }
    for (const docs::Value list : arenas) {
      if (!model::named<model::Lifetime>(list.key())) {
        warn(Code::kPlanContradiction,
             list.position(),
             fmt::format("arenas of the role '{}' are left out",
                         core::printable(list.key(), kLongestShown)),
             "the roles are scratch, persistent and constant");
      }
    }
  }

  void read_arena(docs::Value object, Lifetime role) {
    if (!is_object(object)) {
      return;
    }
    model::PlannedArena arena{.role = role, .line = object.position().line};
    arena.memory = member(object, "memory") ? memory_if_any(object, "memory") : std::string{};
    const std::string source =
        object["source_memory"] ? memory_if_any(object, "source_memory") : std::string{};
    arena.source_memory = helia_source(arena.memory, source);
    arena.region_id = whole_if_any(object, "region_id");
    arena.used = size_if_any(object, "used");
    arena.total = size_if_any(object, "total_size");
    arena.alignment = alignment_if_any(object, "alignment");
    arena.block_count = whole_if_any(object, "tensor_count");
    if (failed()) {
      return;
    }
    check_kind(object, arena, source);
    check_totals(object, arena);
    if (is_new_arena(object, arena)) {
      report_.arenas.push_back(std::move(arena));
    }
  }

  void contradict(docs::Value value, const std::string& what, const char* hint) {
    warn(Code::kPlanContradiction, value.position(), what, hint);
  }

  void check_kind(docs::Value object, const model::PlannedArena& arena, const std::string& source) {
    const std::string kind = core::to_lower(text_if_any(object, "kind"));
    const std::string name = arena_name(arena.role, arena.memory);
    if (!kind.empty() && kind != "staged" && kind != "cold") {
      contradict(object["kind"],
                 fmt::format("{} is of the kind '{}'", name, core::printable(kind, kLongestShown)),
                 "the kinds are staged and cold");
    } else if (kind == "staged" && arena.source_memory.empty()) {
      contradict(object["kind"],
                 fmt::format("{} is staged, but {}",
                             name,
                             source.empty() ? "has no source memory" : "comes from that memory"),
                 "staged is what comes from another memory than it lies in");
    } else if (kind == "cold" && !arena.source_memory.empty()) {
      contradict(object["kind"],
                 fmt::format("{} is cold, but comes from '{}'",
                             name,
                             core::printable(arena.source_memory, kLongestShown)),
                 "cold is what is read where it lies");
    }
    if (arena.role != Lifetime::kConstant && !arena.source_memory.empty()) {
      contradict(object["source_memory"],
                 fmt::format("{} has the source memory '{}'",
                             name,
                             core::printable(arena.source_memory, kLongestShown)),
                 "only constants come from somewhere");
    }
  }

  // The total of a scratch arena may be the budget that it was given; the others are exactly
  // filled.
  void check_totals(docs::Value object, const model::PlannedArena& arena) {
    if (!arena.used || !arena.total) {
      return;
    }
    const bool more = *arena.used > *arena.total;
    if (more || (arena.role != Lifetime::kScratch && *arena.used != *arena.total)) {
      contradict(object["used"],
                 fmt::format("{} uses {} of {} B",
                             arena_name(arena.role, arena.memory),
                             arena.used->count(),
                             arena.total->count()),
                 more ? "no arena uses more than it has"
                      : "an arena whose blocks are never reclaimed is as large as what it holds");
    }
  }

  bool is_new_arena(docs::Value object, const model::PlannedArena& arena) {
    if (!arenas_.emplace(std::pair{arena.role, arena.memory}, report_.arenas.size()).second) {
      contradict(object,
                 fmt::format("{} stands here again; the first holds",
                             arena_name(arena.role, arena.memory)),
                 "one role has one arena in one memory");
      return false;
    }
    if (arena.region_id && !regions_.insert(*arena.region_id).second) {
      contradict(object["region_id"],
                 fmt::format("region {} is {} and another one, too",
                             *arena.region_id,
                             arena_name(arena.role, arena.memory)),
                 "each arena has a region of its own");
    }
    return true;
  }

  void read_tensor(docs::Value object) {
    if (!is_object(object)) {
      return;
    }
    model::PlannedBlock block{.line = object.position().line};
    block.id = id(object, "id");
    block.name = text_if_any(object, "name");
    block.role = role(object, "role").value_or(Lifetime::kScratch);
    block.memory = member(object, "memory") ? memory_if_any(object, "memory") : std::string{};
    const std::string source =
        object["source_memory"] ? memory_if_any(object, "source_memory") : std::string{};
    block.source_memory = helia_source(block.memory, source);
    block.offset = size_if_any(object, "offset");
    block.alignment = alignment_if_any(object, "alignment");
    block.size = size(object, "size").value_or(core::Bytes{});
    if (block.id.empty() || !is_new(block.id, object.position())) {
      return;
    }
    if (block.offset) {
      (void)ends_in_plan(*block.offset, block.size, object.position(), "the tensor");
    }
    check_arena_of(object, block);
    report_.blocks.push_back(std::move(block));
  }

  void check_arena_of(docs::Value object, const model::PlannedBlock& block) {
    const auto known = arenas_.find({block.role, block.memory});
    const std::string name = core::printable(block.id, kLongestShown);
    if (known == arenas_.end()) {
      if (wants(core::Severity::kWarning, Code::kPlanContradiction)) {
        contradict(object,
                   fmt::format("tensor '{}' is in {}, which is not listed",
                               name,
                               arena_name(block.role, block.memory)),
                   kConvertAgain);
      }
      return;
    }
    const model::PlannedArena& arena = report_.arenas[known->second];
    if (arena.source_memory != block.source_memory) {
      contradict(object,
                 fmt::format("tensor '{}' comes from '{}', but {} comes from '{}'",
                             name,
                             core::printable(source_of(block), kLongestShown),
                             arena_name(block.role, block.memory),
                             core::printable(source_of(arena), kLongestShown)),
                 "all constants of an arena come from one memory, which is one copy");
    }
  }

  template <typename Thing>
  static const std::string& source_of(const Thing& thing) {
    return thing.source_memory.empty() ? thing.memory : thing.source_memory;
  }

  // Whether tensors are missing, as in the published example.
  void check_counts() {
    std::map<std::pair<Lifetime, std::string>, std::uint64_t> listed;
    for (const model::PlannedBlock& block : report_.blocks) {
      ++listed[{block.role, block.memory}];
    }
    for (const model::PlannedArena& arena : report_.arenas) {
      const std::uint64_t count = listed[{arena.role, arena.memory}];
      const std::string name = arena_name(arena.role, arena.memory);
      const PlanPlace place{arena.line, 0};
      const bool none = count == 0 && arena.used.value_or(core::Bytes{}) > core::Bytes{};
      if (count < arena.block_count.value_or(0)) {
        report_.abridged = true;
        warn(
            Code::kPlanAbridged,
            place,
            fmt::format(
                "{} has {}, but lists {}", name, core::plural(*arena.block_count, "tensor"), count),
            kConvertAgain);
      } else if (arena.block_count && count > *arena.block_count) {
        warn(
            Code::kPlanContradiction,
            place,
            fmt::format(
                "{} has {}, but lists {}", name, core::plural(*arena.block_count, "tensor"), count),
            kConvertAgain);
      } else if (none) {
        report_.abridged = true;
        warn(Code::kPlanAbridged,
             place,
             fmt::format(
                 "{} uses {} B, but none of its tensors is listed", name, arena.used->count()),
             kConvertAgain);
      }
    }
  }

  model::PlanReport report_;
  // Indices of the report's arenas.
  std::map<std::pair<Lifetime, std::string>, std::size_t> arenas_;
  std::set<std::uint64_t> regions_;
};

class ManifestReader : private PlanFields {
 public:
  explicit ManifestReader(const std::string& path) : PlanFields(path) {}

  PlanResult read(const docs::Document& document) {
    model::PlanReport report{.lines = document.lines(), .planner = "heliaAOT"};
    HeliaTensors tensors{*this};
    const docs::Value root = document.root();
    if (is_array(root)) {
      std::int64_t position = 0;
      for (const docs::Value one : root) {
        read_operator(one, position++, tensors);
      }
    }
    tensors.finish(report);
    return finish(std::move(report), document);
  }

 private:
  void read_operator(docs::Value one, std::int64_t position, HeliaTensors& tensors) {
    using Side = HeliaTouch::Side;
    if (!is_object(one)) {
      return;
    }
    tensors.begin_operator(step_if_any(one, "idx").value_or(position),
                           one["id"] ? as_id(one["id"]) : std::string{},
                           text_if_any(one, "op_type"),
                           one.position());
    constexpr auto kSides = std::to_array<std::pair<const char*, Side>>({
        {"inputs", Side::kInput},
        {"outputs", Side::kOutput},
        {"local_tensors", Side::kLocal},
    });
    for (const auto& [key, side] : kSides) {
      const docs::Value list = one[key];
      for (const docs::Value tensor : items(list)) {
        // An optional input that is not given is null.
        if (tensor) {
          read_tensor(tensor, side, tensors);
        }
      }
    }
  }

  void read_tensor(docs::Value object, HeliaTouch::Side side, HeliaTensors& tensors) {
    if (!is_object(object)) {
      return;
    }
    HeliaTouch touch{.side = side, .place = object.position()};
    touch.id = id(object, "id");
    touch.name = text_if_any(object, "name");
    touch.role = role_of(object);
    touch.memory = memory_if_any(object, "memory");
    touch.source_memory =
        object["source_memory"] ? memory_if_any(object, "source_memory") : std::string{};
    touch.staged = flag_if_any(object, "staged");
    touch.region_id = whole_if_any(object, "arena_region_id");
    touch.offset = size_if_any(object, "offset");
    touch.size = size_of(object);
    touch.type = text_if_any(object, "dtype");
    for (const docs::Value dimension : items(object["shape"])) {
      touch.shape.push_back(dimension.is(docs::Kind::kWhole) ? dimension.whole() : 0);
    }
    if (!touch.id.empty()) {
      tensors.take(std::move(touch));
    }
  }

  // What is allocated; the tensor's own bytes where nothing was.
  core::Bytes size_of(docs::Value object) {
    const auto own = size_if_any(object, "nbytes");
    const auto allocated = size_if_any(object, "allocation_size");
    if (!own && !allocated && !failed()) {
      wrong(object, "'allocation_size' is missing");
    }
    if (own && allocated && *own > *allocated) {
      warn(Code::kPlanContradiction,
           object["allocation_size"].position(),
           fmt::format("tensor '{}' has {} B, but only {} are allocated",
                       core::printable(object["id"] ? as_id(object["id"]) : "", kLongestShown),
                       own->count(),
                       allocated->count()),
           "what is written behind its end belongs to another tensor");
    }
    return allocated ? *allocated : own.value_or(core::Bytes{});
  }

  Lifetime role_of(docs::Value object) {
    const auto flagged = role_of_flags(object);
    const auto role = role_if_any(object, "arena_role");
    if (role && flagged && *role != *flagged) {
      warn(Code::kPlanContradiction,
           object["arena_role"].position(),
           fmt::format("a tensor that is {} lies in an arena for what is {}",
                       model::name_of(*flagged),
                       model::name_of(*role)),
           "the arena's role holds");
    }
    return role ? *role : flagged.value_or(Lifetime::kScratch);
  }

  std::optional<Lifetime> role_of_flags(docs::Value object) {
    constexpr auto kFlags = std::to_array<std::pair<const char*, Lifetime>>({
        {"is_constant", Lifetime::kConstant},
        {"is_persistent", Lifetime::kPersistent},
        {"is_scratch", Lifetime::kScratch},
    });
    std::optional<Lifetime> role;
    for (const auto& [key, meaning] : kFlags) {
      if (flag_if_any(object, key).value_or(false) && !role) {
        role = meaning;
      }
    }
    return role;
  }
};

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
  return ResidencyReader{path}.read(*document);
}

bool probe_helia_manifest(std::string_view head) {
  return core::trim(head.substr(0, 1024)).starts_with('[') && has(head, "\"op_type\"") &&
         (has(head, "\"inputs\"") || has(head, "\"outputs\"") || has(head, "\"local_tensors\""));
}

PlanResult read_helia_manifest(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  return ManifestReader{path}.read(*document);
}

}  // namespace memsize::readers
