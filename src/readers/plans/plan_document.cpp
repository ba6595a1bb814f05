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

class DocumentReader : private PlanFields {
 public:
  explicit DocumentReader(const std::string& path) : PlanFields(path) {}

  PlanResult read(const docs::Document& document) {
    const docs::Value root = document.root();
    report_.lines = document.lines();
    report_.has_alignments = true;
    if (!is_object(root) || !has_schema(root)) {
      return finish(std::move(report_), document);
    }
    report_.planner = text_if_any(root, "planner");
    report_.prefix = text_if_any(root, "prefix");
    report_.claimed_envelope_hash = text_if_any(root, "envelope_hash");
    report_.claimed_layout_hash = text_if_any(root, "layout_hash");
    read_content_hash(document, "content_hash", report_);
    report_.is_replanned = true;
    each(root["memories"], &DocumentReader::read_memory);
    each(member(root, "arenas"), &DocumentReader::read_arena);
    each(member(root, "blocks"), &DocumentReader::read_block);
    each(root["layers"], &DocumentReader::read_layer);
    check_aliases();
    return finish(std::move(report_), document);
  }

 private:
  bool has_schema(docs::Value root) {
    const std::string schema = text(root, "schema");
    if (schema == kSchema || failed()) {
      return !failed();
    }
    error(Code::kPlanVersion,
          root["schema"].position(),
          fmt::format("the document has the schema '{}'", core::printable(schema, kLongestShown)),
          schema == kPlansSchema ? "it has several plans, one each model: read them one by one "
                                   "(jq .models[0].plan)"
                                 : fmt::format("this memsize reads {}", kSchema));
    return false;
  }

  void each(docs::Value list, void (DocumentReader::*take)(docs::Value)) {
    for (const docs::Value entry : items(list)) {
      if (is_object(entry)) {
        (this->*take)(entry);
      }
    }
  }

  std::string memory(docs::Value entry) {
    std::string name = text(entry, "memory");
    if (name.empty() && !failed()) {
      wrong(entry["memory"], "a memory has a name", kWriteAgain);
    }
    return name;
  }

  // What is read where it lies has no source.
  std::string source(docs::Value entry, const std::string& own) {
    std::string name = text_if_any(entry, "source_memory");
    return name == own ? std::string{} : name;
  }

  void read_memory(docs::Value entry) {
    model::PlannedMemory known{.name = text(entry, "name"), .line = entry.position().line};
    known.capacity = size_if_any(entry, "capacity_bytes");
    known.used = size_if_any(entry, "used_bytes");
    known.alignment = alignment_if_any(entry, "alignment");
    known.writable = flag_if_any(entry, "writable");
    const std::string base = text_if_any(entry, "base");
    if (!base.empty()) {
      if (const auto address = core::parse_address(base)) {
        known.base = core::PhysAddr{*address};
      } else {
        wrong(entry["base"], "it must be a hexadecimal address", kWriteAgain);
      }
    }
    if (!memories_.insert(known.name).second) {
      return error(
          Code::kPlanDuplicate,
          entry.position(),
          fmt::format("memory '{}' stands here again", core::printable(known.name, kLongestShown)),
          "each memory has one entry");
    }
    report_.memories.push_back(std::move(known));
  }

  void read_arena(docs::Value entry) {
    model::PlannedArena arena{.memory = memory(entry),
                              .role = role(entry, "role").value_or(Lifetime::kScratch)};
    arena.source_memory = source(entry, arena.memory);
    arena.line = entry.position().line;
    arena.region_id = whole_if_any(entry, "region_id");
    arena.used = size_if_any(entry, "height_bytes");
    arena.total = size_if_any(entry, "total_bytes");
    arena.lower_bound = size_if_any(entry, "lower_bound_bytes");
    arena.alignment = alignment_if_any(entry, "alignment");
    arena.proof = text_if_any(entry, "proof");
    if (!arena.proof.empty() && std::ranges::find(kProofs, arena.proof) == kProofs.end()) {
      wrong(entry["proof"],
            fmt::format("'{}' proves nothing", core::printable(arena.proof, kLongestShown)),
            "it is bound, exhausted, best or infeasible");
    }
    if (!arenas_.insert({arena.memory, arena.role}).second) {
      return error(Code::kPlanDuplicate,
                   entry.position(),
                   fmt::format("the {} arena in '{}' stands here again",
                               model::name_of(arena.role),
                               core::printable(arena.memory, kLongestShown)),
                   "one role has one arena in one memory");
    }
    const auto capacity = size_if_any(entry, "capacity_bytes");
    if (capacity && memories_.insert(arena.memory).second) {
      report_.memories.push_back({.name = arena.memory, .capacity = capacity, .line = arena.line});
    }
    report_.arenas.push_back(std::move(arena));
  }

  void read_block(docs::Value entry) {
    model::PlannedBlock block{
        .id = id(entry, "id"), .name = text_if_any(entry, "name"), .memory = memory(entry)};
    block.role = role(entry, "role").value_or(Lifetime::kScratch);
    block.source_memory = source(entry, block.memory);
    block.line = entry.position().line;
    block.size = size(entry, "size").value_or(core::Bytes{});
    block.alignment = alignment_if_any(entry, "alignment");
    block.offset = size_if_any(entry, "offset");
    block.alias_of = entry["alias_of"] ? id(entry, "alias_of") : std::string{};
    block.is_input = flag_if_any(entry, "input").value_or(false);
    block.is_output = flag_if_any(entry, "output").value_or(false);
    block.uses = whole_if_any(entry, "uses");
    if (entry["lower"] || entry["upper"]) {
      const auto first = step(entry, "lower");
      const auto end = step(entry, "upper");
      if (first && end) {
        block.live = lifetime(entry, *first, *end, LastStep::kFirstAfter);
      }
    }
    read_windows(entry["windows"], block);
    if (block.id.empty() || !is_new(block.id, entry.position())) {
      return;
    }
    if (block.offset) {
      ends_in_plan(*block.offset, block.size, entry.position(), "the block");
    }
    total_ += block.size;
    if (total_ > model::kLargestPlan) {
      error(Code::kPlanSize,
            entry.position(),
            "with this block, the sizes add up to more than any memory has",
            "sums of sizes go up to 2^62 B");
    }
    report_.blocks.push_back(std::move(block));
  }

  void read_windows(docs::Value list, model::PlannedBlock& block) {
    if (!list || !is_array(list)) {
      return;
    }
    if (list.size() > model::kMostWindows) {
      return wrong(list, fmt::format("a block has at most {}", model::kMostWindows), kWriteAgain);
    }
    for (const docs::Value entry : list) {
      if (!is_object(entry)) {
        return;
      }
      const auto first = step(entry, "lower");
      const auto end = step(entry, "upper");
      const auto from = size(entry, "begin");
      const auto to = size(entry, "end");
      if (!first || !end || !from || !to) {
        return;
      }
      if (!block.live || *first >= *end || *first < block.live->lower || *end > block.live->upper ||
          *from > *to || *to > block.size) {
        return wrong(
            entry, "a window lies inside the life and the bytes of its block", kWriteAgain);
      }
      block.windows.push_back({{*first, *end}, *from, *to});
    }
    block.windows = model::united(block.windows);
  }

  void read_layer(docs::Value entry) {
    model::LayerTime layer{.name = text(entry, "name"), .line = entry.position().line};
    layer.total = whole(entry, "total_cycles").value_or(0);
    layer.compute = whole_if_any(entry, "compute_cycles").value_or(0);
    layer.load = whole_if_any(entry, "load_cycles").value_or(0);
    layer.store = whole_if_any(entry, "store_cycles").value_or(0);
    report_.layers.push_back(std::move(layer));
  }

  void check_aliases() {
    if (failed()) {
      return;
    }
    const auto roots = model::roots_of(report_.blocks);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      const model::PlannedBlock& block = report_.blocks[i];
      if (roots[i] == nullptr) {
        error(Code::kPlanAlias,
              {block.line, 0},
              fmt::format("'{}' is an alias of '{}', which leads nowhere",
                          core::printable(block.id, kLongestShown),
                          core::printable(block.alias_of, kLongestShown)),
              kWriteAgain);
      }
    }
  }

  model::PlanReport report_;
  std::set<std::string> memories_;
  std::set<std::pair<std::string, Lifetime>> arenas_;
  core::Bytes total_;
};

}  // namespace

bool probe_plan_document(std::string_view head) {
  // Whatever version it is: a newer one is better refused than not known.
  return core::trim(head).starts_with('{') &&
         head.find("\"memsize.plan/") != std::string_view::npos;
}

PlanResult read_plan_document(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  return DocumentReader{path}.read(*document);
}

}  // namespace memsize::readers
