// memsize's own document of a plan, memsize.plan/1, read back: what was written comes back as it
// was. Hashes and diagnostics are left out, because whoever has the plan can make them again.
#include "memsize/core/text.hpp"

#include "plan_fields.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Lifetime;

constexpr std::string_view kSchema = "memsize.plan/1";
// What plan --beside prints.
constexpr std::string_view kPlansSchema = "memsize.plans/1";
constexpr auto kProofs =
    std::to_array<std::string_view>({"bound", "exhausted", "best", "infeasible"});
constexpr const char* kWriteAgain = "write the document again with: memsize plan REPORT --json";

bool has_schema(docs::Value root, PlanFields& fields) {
  const std::string schema = fields.text(root, "schema");
  if (schema == kSchema || fields.failed()) {
    return !fields.failed();
  }
  fields.error(
      Code::kPlanVersion,
      root["schema"].position(),
      fmt::format("the document has the schema '{}'", core::printable(schema, kLongestShown)),
      schema == kPlansSchema ? "it has several plans, one each model: read them one by one "
                               "(jq .models[0].plan)"
                             : fmt::format("this memsize reads {}", kSchema));
  return false;
}

std::string named_memory(docs::Value entry, PlanFields& fields) {
  std::string name = fields.text(entry, "memory");
  if (name.empty() && !fields.failed()) {
    fields.wrong(entry["memory"], "a memory has a name", kWriteAgain);
  }
  return name;
}

// What is read where it lies has no source.
std::string other_memory(docs::Value entry, const std::string& own, PlanFields& fields) {
  std::string name = fields.text_if_any(entry, "source_memory");
  return name == own ? std::string{} : name;
}

// `names` has those that are read.
void read_memory(docs::Value entry,
                 std::set<std::string>& names,
                 PlanFields& fields,
                 model::PlanReport& report) {
  model::PlannedMemory known{.name = fields.text(entry, "name"), .line = entry.position().line};
  known.capacity = fields.size_if_any(entry, "capacity_bytes");
  known.used = fields.size_if_any(entry, "used_bytes");
  known.alignment = fields.alignment_if_any(entry, "alignment");
  known.writable = fields.flag_if_any(entry, "writable");
  const std::string base = fields.text_if_any(entry, "base");
  if (!base.empty()) {
    if (const auto address = core::parse_address(base)) {
      known.base = core::PhysAddr{*address};
    } else {
      fields.wrong(entry["base"], "it must be a hexadecimal address", kWriteAgain);
    }
  }
  if (!names.insert(known.name).second) {
    return fields.error(
        Code::kPlanDuplicate,
        entry.position(),
        fmt::format("memory '{}' stands here again", core::printable(known.name, kLongestShown)),
        "each memory has one entry");
  }
  report.memories.push_back(std::move(known));
}

model::PlannedArena document_arena(docs::Value entry, PlanFields& fields) {
  model::PlannedArena arena{.memory = named_memory(entry, fields),
                            .role = fields.role(entry, "role").value_or(Lifetime::kScratch)};
  arena.source_memory = other_memory(entry, arena.memory, fields);
  arena.line = entry.position().line;
  arena.region_id = fields.whole_if_any(entry, "region_id");
  arena.used = fields.size_if_any(entry, "height_bytes");
  arena.total = fields.size_if_any(entry, "total_bytes");
  arena.lower_bound = fields.size_if_any(entry, "lower_bound_bytes");
  arena.alignment = fields.alignment_if_any(entry, "alignment");
  arena.proof = fields.text_if_any(entry, "proof");
  if (!arena.proof.empty() && std::ranges::find(kProofs, arena.proof) == kProofs.end()) {
    fields.wrong(entry["proof"],
                 fmt::format("'{}' proves nothing", core::printable(arena.proof, kLongestShown)),
                 "it is bound, exhausted, best or infeasible");
  }
  return arena;
}

// `memories` has those that are read, which an arena may be the first to name.
void read_document_arenas(docs::Value list,
                          std::set<std::string>& memories,
                          PlanFields& fields,
                          model::PlanReport& report) {
  std::set<std::pair<std::string, Lifetime>> known;
  for (const docs::Value entry : fields.items(list)) {
    if (!fields.is_object(entry)) {
      continue;
    }
    model::PlannedArena arena = document_arena(entry, fields);
    if (!known.insert({arena.memory, arena.role}).second) {
      fields.error(Code::kPlanDuplicate,
                   entry.position(),
                   fmt::format("the {} arena in '{}' stands here again",
                               model::name_of(arena.role),
                               core::printable(arena.memory, kLongestShown)),
                   "one role has one arena in one memory");
      continue;
    }
    const auto capacity = fields.size_if_any(entry, "capacity_bytes");
    if (capacity && memories.insert(arena.memory).second) {
      report.memories.push_back({.name = arena.memory, .capacity = capacity, .line = arena.line});
    }
    report.arenas.push_back(std::move(arena));
  }
}

void read_windows(docs::Value list, model::PlannedBlock& block, PlanFields& fields) {
  if (!list || !fields.is_array(list)) {
    return;
  }
  if (list.size() > model::kMostWindows) {
    return fields.wrong(
        list, fmt::format("a block has at most {}", model::kMostWindows), kWriteAgain);
  }
  for (const docs::Value entry : list) {
    if (!fields.is_object(entry)) {
      return;
    }
    const auto first = fields.step(entry, "lower");
    const auto end = fields.step(entry, "upper");
    const auto from = fields.size(entry, "begin");
    const auto to = fields.size(entry, "end");
    if (!first || !end || !from || !to) {
      return;
    }
    if (!block.live || *first >= *end || *first < block.live->lower || *end > block.live->upper ||
        *from > *to || *to > block.size) {
      return fields.wrong(
          entry, "a window lies inside the life and the bytes of its block", kWriteAgain);
    }
    block.windows.push_back({{*first, *end}, *from, *to});
  }
  block.windows = model::united(block.windows);
}

// Nothing: an error says why.
std::optional<model::PlannedBlock> document_block(docs::Value entry, PlanFields& fields) {
  model::PlannedBlock block{.id = fields.id(entry, "id"),
                            .name = fields.text_if_any(entry, "name"),
                            .memory = named_memory(entry, fields)};
  block.role = fields.role(entry, "role").value_or(Lifetime::kScratch);
  block.source_memory = other_memory(entry, block.memory, fields);
  block.line = entry.position().line;
  block.size = fields.size(entry, "size").value_or(core::Bytes{});
  block.alignment = fields.alignment_if_any(entry, "alignment");
  block.offset = fields.size_if_any(entry, "offset");
  block.alias_of = entry["alias_of"] ? fields.id(entry, "alias_of") : std::string{};
  block.is_input = fields.flag_if_any(entry, "input").value_or(false);
  block.is_output = fields.flag_if_any(entry, "output").value_or(false);
  block.uses = fields.whole_if_any(entry, "uses");
  if (entry["lower"] || entry["upper"]) {
    const auto first = fields.step(entry, "lower");
    const auto end = fields.step(entry, "upper");
    if (first && end) {
      block.live = fields.lifetime(entry, *first, *end, LastStep::kFirstAfter);
    }
  }
  read_windows(entry["windows"], block, fields);
  if (block.id.empty() || !fields.is_new(block.id, entry.position())) {
    return std::nullopt;
  }
  if (block.offset) {
    fields.ends_in_plan(*block.offset, block.size, entry.position(), "the block");
  }
  return block;
}

void read_blocks(docs::Value list, PlanFields& fields, std::vector<model::PlannedBlock>& blocks) {
  core::Bytes total;
  for (const docs::Value entry : fields.items(list)) {
    auto block = fields.is_object(entry) ? document_block(entry, fields) : std::nullopt;
    if (!block) {
      continue;
    }
    total += block->size;
    fields.adds_up(total, entry.position(), "this block");
    blocks.push_back(std::move(*block));
  }
}

model::LayerTime document_layer(docs::Value entry, PlanFields& fields) {
  model::LayerTime layer{.name = fields.text(entry, "name"), .line = entry.position().line};
  layer.total = fields.whole(entry, "total_cycles").value_or(0);
  layer.compute = fields.whole_if_any(entry, "compute_cycles").value_or(0);
  layer.load = fields.whole_if_any(entry, "load_cycles").value_or(0);
  layer.store = fields.whole_if_any(entry, "store_cycles").value_or(0);
  return layer;
}

void check_aliases(const std::vector<model::PlannedBlock>& blocks, PlanFields& fields) {
  const auto roots = model::roots_of(blocks);
  for (std::size_t i = 0; i < roots.size(); ++i) {
    const model::PlannedBlock& block = blocks[i];
    if (roots[i] == nullptr) {
      fields.error(Code::kPlanAlias,
                   {block.line, 0},
                   fmt::format("'{}' is an alias of '{}', which leads nowhere",
                               core::printable(block.id, kLongestShown),
                               core::printable(block.alias_of, kLongestShown)),
                   kWriteAgain);
    }
  }
}

}  // namespace

bool probe_plan_document(std::string_view head) {
  // Whatever version it is: a newer one is better refused than not known.
  return core::trim(head).starts_with('{') &&
         head.find("\"memsize.plan/") != std::string_view::npos;
}

PlanResult read_plan_document(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report;
  report.lines = document->lines();
  report.has_alignments = true;
  const docs::Value root = document->root();
  if (!fields.is_object(root) || !has_schema(root, fields)) {
    return fields.finish(std::move(report), *document);
  }
  report.planner = fields.text_if_any(root, "planner");
  report.prefix = fields.text_if_any(root, "prefix");
  report.claimed_envelope_hash = fields.text_if_any(root, "envelope_hash");
  report.claimed_layout_hash = fields.text_if_any(root, "layout_hash");
  fields.read_content_hash(*document, "content_hash", report);
  report.is_replanned = true;
  std::set<std::string> memories;
  for (const docs::Value entry : fields.items(root["memories"])) {
    if (fields.is_object(entry)) {
      read_memory(entry, memories, fields, report);
    }
  }
  read_document_arenas(fields.member(root, "arenas"), memories, fields, report);
  read_blocks(fields.member(root, "blocks"), fields, report.blocks);
  for (const docs::Value entry : fields.items(root["layers"])) {
    if (fields.is_object(entry)) {
      report.layers.push_back(document_layer(entry, fields));
    }
  }
  if (!fields.failed()) {
    check_aliases(report.blocks, fields);
  }
  return fields.finish(std::move(report), *document);
}

}  // namespace memsize::readers
