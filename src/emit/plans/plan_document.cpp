// A plan as data: memsize's own document, heliaAOT's residency report, and a table of lifetimes.
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/describe.hpp"
#include "memsize/plan/diff_plans.hpp"

#include "plan_writers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using model::Lifetime;
using model::PlannedBlock;

Json arena_json(const ArenaView& view) {
  const model::PlannedArena& arena = view.arena;
  Json json;
  docs::Writer write{json};
  write.required("memory", arena.memory);
  write.required("role", arena.role);
  write.optional("source_memory", arena.source_memory);
  write.optional("region_id", arena.region_id);
  write.optional("height_bytes", view.height);
  write.optional("total_bytes", arena.total);
  write.optional("lower_bound_bytes", arena.lower_bound);
  write.optional("capacity_bytes", view.capacity);
  write.optional("alignment", arena.alignment);
  write.optional("proof", arena.proof);
  return json;
}

Json block_json(const PlannedBlock& block) {
  Json json;
  docs::Writer write{json};
  write.required("id", block.id);
  write.optional("name", block.name);
  write.required("memory", block.memory);
  write.required("role", block.role);
  write.optional("source_memory", block.source_memory);
  if (block.live) {
    write.required("lower", block.live->lower);
    write.required("upper", block.live->upper);
  }
  for (const model::Window& window : block.windows) {
    docs::Writer item{json["windows"].push_back({})};
    item.required("lower", window.live.lower);
    item.required("upper", window.live.upper);
    item.required("begin", window.begin);
    item.required("end", window.end);
  }
  write.required("size", block.size);
  write.optional("alignment", block.alignment);
  write.optional("offset", block.offset);
  write.optional("alias_of", block.alias_of);
  write.optional("input", block.is_input);
  write.optional("output", block.is_output);
  write.optional("uses", block.uses);
  return json;
}

Json memory_json(const model::PlannedMemory& memory) {
  Json json;
  docs::Writer write{json};
  write.required("name", memory.name);
  write.optional("capacity_bytes",
                 memory.capacity,
                 memory.capacity >= model::kLargestPlan || !memory.capacity);
  write.optional("used_bytes", memory.used);
  write.optional("base", memory.base);
  write.optional("alignment", memory.alignment);
  write.optional("writable", memory.writable);
  return json;
}

Json layer_json(const model::LayerTime& layer) {
  Json json = {{"name", layer.name}, {"total_cycles", layer.total}};
  // A report has all three or none.
  if (layer.compute != 0 || layer.load != 0 || layer.store != 0) {
    docs::Writer write{json};
    write.required("compute_cycles", layer.compute);
    write.required("load_cycles", layer.load);
    write.required("store_cycles", layer.store);
  }
  return json;
}

// Those of the plan where each arena has one of its own, else by heliaAOT's rule: scratch,
// persistent, constant, each by the memory's name.
std::vector<std::uint64_t> region_ids(const PlanView& view) {
  std::set<std::uint64_t> ids;
  std::vector<std::uint64_t> kept;
  std::vector<std::uint64_t> counted;
  for (const ArenaView& arena : view.arenas) {
    counted.push_back(counted.size());
    if (arena.arena.region_id && ids.insert(*arena.arena.region_id).second) {
      kept.push_back(*arena.arena.region_id);
    }
  }
  return kept.size() == counted.size() ? kept : counted;
}

// What is read where it lies comes from there.
std::string source_of(const std::string& source, const std::string& memory) {
  return core::to_lower(source.empty() ? memory : source);
}

Json residency_arena(const ArenaView& view, std::uint64_t region_id) {
  const model::PlannedArena& arena = view.arena;
  const std::string memory = core::to_lower(arena.memory);
  Json json;
  docs::Writer write{json};
  write.required("region_id", region_id);
  write.required("memory", memory);
  if (arena.role == Lifetime::kConstant) {
    const std::string source = source_of(arena.source_memory, arena.memory);
    write.required("source_memory", source);
    write.required("kind", std::string_view{source == memory ? "cold" : "staged"});
  }
  write.optional("used", view.height);
  write.optional("total_size", reserved(view));
  write.optional("alignment", arena.alignment);
  if (arena.role == Lifetime::kConstant) {
    write.required("tensor_count", view.blocks);
  }
  return json;
}

Json residency_tensor(const PlacedBlock* placed) {
  const PlannedBlock& block = *placed->block;
  return {{"id", block.id},
          {"role", model::name_of(block.role)},
          {"memory", core::to_lower(block.memory)},
          {"source_memory", source_of(block.source_memory, block.memory)},
          {"offset", placed->offset},
          {"size", placed->size}};
}

// As minimalloc has them: "3-6" or "3-6@0:2".
std::string gaps_of(const PlannedBlock& block) {
  std::vector<std::string> gaps;
  if (!block.live || block.windows.empty()) {
    return {};
  }
  std::int64_t next = block.live->lower;
  for (const model::Window& window : block.windows) {
    if (next < window.live.lower) {
      gaps.push_back(fmt::format("{}-{}", next, window.live.lower));
    }
    next = window.live.upper;
    if (window.begin == window.end) {
      gaps.push_back(fmt::format("{}-{}", window.live.lower, next));
    } else if (window.begin.count() != 0 || window.end != block.size) {
      gaps.push_back(fmt::format(
          "{}-{}@{}:{}", window.live.lower, next, window.begin.count(), window.end.count()));
    }
  }
  if (next < block.live->upper) {
    gaps.push_back(fmt::format("{}-{}", next, block.live->upper));
  }
  return core::join(gaps, " ");
}

// A member of a document, as it is written and as its hash has it: by sorted keys, without blanks.
struct Member {
  std::string key;
  std::string written;
  std::string hashed;
};

Member member(std::string key, const Json& value) {
  return {std::move(key), json_line(value), value.sorted()};
}

// One value at a time, and none is kept: a list may have two million.
template <typename Items, typename ToJson>
Member list_member(std::string key, const Items& items, ToJson to_json) {
  Member list{std::move(key), {}, {}};
  for (const auto& item : items) {
    const Json json = to_json(item);
    list.written += list.written.empty() ? "[\n    " : ",\n    ";
    list.written += json_line(json);
    list.hashed += list.hashed.empty() ? '[' : ',';
    list.hashed += json.sorted();
  }
  list.written += list.written.empty() ? "[]" : "\n  ]";
  list.hashed += list.hashed.empty() ? "[]" : "]";
  return list;
}

std::string hash_of(std::vector<Member>& members) {
  std::map<std::string, std::string> sorted;
  std::size_t length = 2;
  for (Member& each : members) {
    std::string& hashed = sorted[each.key] = std::move(each.hashed);
    length += hashed.size() + each.key.size() + 4;
  }
  std::string content;
  content.reserve(length);
  for (auto& [name, hashed] : sorted) {
    content += content.empty() ? '{' : ',';
    content += fmt::format("\"{}\":", name);
    content += std::exchange(hashed, {});
  }
  content += '}';
  return core::short_hash(content);
}

// The document of these members, with what all of them hash to behind the last of its hashes.
std::string sealed(std::vector<Member> members, std::string key) {
  const auto is_hash = [](const Member& each) { return each.key.ends_with("_hash"); };
  const std::string hash = hash_of(members);
  const auto behind = std::find_if(members.rbegin(), members.rend(), is_hash).base();
  members.insert(behind, {std::move(key), Json(hash).compact(), {}});
  std::size_t length = 5;
  for (const Member& each : members) {
    length += each.written.size() + each.key.size() + 7;
  }
  std::string text;
  text.reserve(length);
  for (Member& each : members) {
    text += text.empty() ? "{\n" : ",\n";
    text += fmt::format("  \"{}\": ", each.key);
    text += std::exchange(each.written, {});
  }
  return text + "\n}\n";
}

// RFC 4180; blanks at the ends are quoted too, because many readers cut them off.
std::string csv_field(const std::string& text) {
  const bool blank = !text.empty() && core::trim(text).size() != text.size();
  if (!blank && text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c;
    if (c == '"') {
      quoted += '"';
    }
  }
  return quoted + "\"";
}

}  // namespace

std::string json_line(const Json& value) {
  if (value.empty()) {
    return value.compact();
  }
  std::string line;
  for (const Json& item : value.items()) {
    line += (line.empty() ? "[" : ", ") + json_line(item);
  }
  for (const auto& [key, item] : value.members()) {
    line += (line.empty() ? "{" : ", ") + Json(key).compact() + ": " + json_line(item);
  }
  return line + (value.is_array() ? ']' : '}');
}

std::string json_lines(const std::vector<std::string>& values, std::string_view indent) {
  if (values.empty()) {
    return "[]";
  }
  return fmt::format(
      "[\n{0}  {1}\n{0}]", indent, fmt::join(values, fmt::format(",\n{}  ", indent)));
}

std::string plan_json(const model::PlanReport& plan) {
  std::vector<Member> members = {member("schema", "memsize.plan/1")};
  if (!plan.prefix.empty()) {
    members.push_back(member("prefix", plan.prefix));
  }
  if (!plan.planner.empty()) {
    members.push_back(member("planner", plan.planner));
  }
  const PlanView view = view_of(plan);
  members.push_back(member("envelope_hash", envelope_hash(view)));
  members.push_back(member("layout_hash", plan::layout_hash(plan)));
  if (!plan.memories.empty()) {
    members.push_back(list_member("memories", plan.memories, memory_json));
  }
  members.push_back(list_member("arenas", view.arenas, arena_json));
  members.push_back(list_member("blocks", plan.blocks, block_json));
  if (!plan.layers.empty()) {
    members.push_back(list_member("layers", plan.layers, layer_json));
  }
  return sealed(std::move(members), "content_hash");
}

std::string plan_residency(const model::PlanReport& plan, const std::string& prefix) {
  const PlanView view = view_of(plan);
  const std::vector<std::uint64_t> ids = region_ids(view);
  std::vector<std::string> arenas;
  for (const Lifetime role : {Lifetime::kScratch, Lifetime::kPersistent, Lifetime::kConstant}) {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < view.arenas.size(); ++i) {
      if (view.arenas[i].arena.role == role) {
        lines.push_back(json_line(residency_arena(view.arenas[i], ids[i])));
      }
    }
    arenas.push_back(fmt::format("\"{}\": {}", model::name_of(role), json_lines(lines, "    ")));
  }
  std::vector<const PlacedBlock*> tensors;
  for (const ArenaView& arena : view.arenas) {
    for (const PlacedBlock& placed : arena.placed) {
      tensors.push_back(&placed);
    }
  }
  // How heliaAOT makes plan_hash and tensor_layout_hash is not public, so that nobody but heliaAOT
  // can say that they are true of a plan: none is better than one that might lie.
  std::vector<Member> members;
  members.push_back(member("schema_version", 3));
  members.push_back(member("module_prefix", prefix));
  members.push_back(member("memsize_envelope_hash", envelope_hash(view)));
  members.push_back(member("memsize_layout_hash", plan::layout_hash(plan)));
  const std::string roles = fmt::format("{{\n    {}\n  }}", fmt::join(arenas, ",\n    "));
  members.push_back({"arenas", roles, core::read_json(roles).value_or(Json{}).sorted()});
  members.push_back(list_member("tensors", tensors, residency_tensor));
  return sealed(std::move(members), "memsize_content_hash");
}

std::string plan_csv(const model::PlanReport& plan) {
  // What a table of one arena need not say is left out: minimalloc reads that.
  bool aligned = false;
  bool several = false;
  bool sourced = false;
  bool aliased = false;
  bool gapped = false;
  for (const PlannedBlock& block : plan.blocks) {
    aligned = aligned || block.alignment.has_value();
    several = several || block.role != Lifetime::kScratch || block.memory != "default";
    sourced = sourced || !block.source_memory.empty();
    aliased = aliased || !block.alias_of.empty();
    gapped = gapped || !block.windows.empty();
  }
  std::string text = fmt::format("id,lower,upper,size,offset{}{}{}{}{}\n",
                                 aligned ? ",alignment" : "",
                                 several ? ",memory,role" : "",
                                 sourced ? ",source_memory" : "",
                                 aliased ? ",alias_of" : "",
                                 gapped ? ",gaps" : "");
  for (const PlannedBlock& block : plan.blocks) {
    const std::string live =
        block.live ? fmt::format("{},{}", block.live->lower, block.live->upper) : ",";
    text += fmt::format("{},{},{},", csv_field(block.id), live, block.size.count());
    text += block.offset ? fmt::format("{}", block.offset->count()) : std::string{};
    if (aligned) {
      // Beside others, a block without an alignment is one that may lie anywhere.
      text += fmt::format(",{}", block.alignment.value_or(core::Align{}).value());
    }
    if (several) {
      text += fmt::format(",{},{}", csv_field(block.memory), model::name_of(block.role));
    }
    text += sourced ? "," + csv_field(block.source_memory) : "";
    text += aliased ? "," + csv_field(block.alias_of) : "";
    text += gapped ? "," + gaps_of(block) : "";
    text += '\n';
  }
  return text;
}

}  // namespace memsize::emit
