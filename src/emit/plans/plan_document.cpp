// A plan as data: memsize's own document, heliaAOT's residency report, and a table of lifetimes.
#include "memsize/core/find.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
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

std::string arena_member(const ArenaView& view) {
  const model::PlannedArena& arena = view.arena;
  JsonLine line;
  line.text("memory", arena.memory).text("role", model::name_of(arena.role));
  if (!arena.source_memory.empty()) {
    line.text("source_memory", arena.source_memory);
  }
  if (arena.region_id) {
    line.number("region_id", *arena.region_id);
  }
  if (view.height) {
    line.number("height_bytes", *view.height);
  }
  if (arena.total) {
    line.number("total_bytes", arena.total->count());
  }
  if (arena.lower_bound) {
    line.number("lower_bound_bytes", arena.lower_bound->count());
  }
  if (view.capacity) {
    line.number("capacity_bytes", *view.capacity);
  }
  if (arena.alignment) {
    line.number("alignment", arena.alignment->value());
  }
  if (!arena.proof.empty()) {
    line.text("proof", arena.proof);
  }
  return line.str();
}

std::string block_member(const PlannedBlock& block) {
  JsonLine line;
  line.text("id", block.id);
  if (!block.name.empty()) {
    line.text("name", block.name);
  }
  line.text("memory", block.memory).text("role", model::name_of(block.role));
  if (!block.source_memory.empty()) {
    line.text("source_memory", block.source_memory);
  }
  if (block.live) {
    line.number("lower", block.live->lower).number("upper", block.live->upper);
  }
  if (!block.windows.empty()) {
    const std::vector<std::string> windows =
        core::texts_of(block.windows, [&](const model::Window& window) {
          return JsonLine{}
              .number("lower", window.live.lower)
              .number("upper", window.live.upper)
              .number("begin", window.begin.count())
              .number("end", window.end.count())
              .str();
        });
    line.json("windows", fmt::format("[{}]", fmt::join(windows, ", ")));
  }
  line.number("size", block.size.count());
  if (block.alignment) {
    line.number("alignment", block.alignment->value());
  }
  if (block.offset) {
    line.number("offset", block.offset->count());
  }
  if (!block.alias_of.empty()) {
    line.text("alias_of", block.alias_of);
  }
  if (block.is_input) {
    line.flag("input", true);
  }
  if (block.is_output) {
    line.flag("output", true);
  }
  if (block.uses) {
    line.number("uses", *block.uses);
  }
  return line.str();
}

std::string memory_member(const model::PlannedMemory& memory) {
  JsonLine line;
  line.text("name", memory.name);
  if (memory.capacity && *memory.capacity < model::kLargestPlan) {
    line.number("capacity_bytes", memory.capacity->count());
  }
  if (memory.used) {
    line.number("used_bytes", memory.used->count());
  }
  if (memory.base) {
    line.text("base", fmt::format("0x{:x}", memory.base->value()));
  }
  if (memory.alignment) {
    line.number("alignment", memory.alignment->value());
  }
  if (memory.writable) {
    line.flag("writable", *memory.writable);
  }
  return line.str();
}

std::string layer_member(const model::LayerTime& layer) {
  JsonLine line;
  line.text("name", layer.name).number("total_cycles", layer.total);
  // A report has all three or none.
  if (layer.compute != 0 || layer.load != 0 || layer.store != 0) {
    line.number("compute_cycles", layer.compute)
        .number("load_cycles", layer.load)
        .number("store_cycles", layer.store);
  }
  return line.str();
}

template <typename Items, typename Member>
std::vector<std::string> members_of(const Items& items, Member member) {
  return core::texts_of(items, [&](const auto& item) { return member(item); });
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

std::string residency_arena(const ArenaView& view, std::uint64_t region_id) {
  const model::PlannedArena& arena = view.arena;
  JsonLine line;
  line.number("region_id", region_id).text("memory", core::to_lower(arena.memory));
  if (arena.role == Lifetime::kConstant) {
    const std::string source = source_of(arena.source_memory, arena.memory);
    line.text("source_memory", source)
        .text("kind", source == core::to_lower(arena.memory) ? "cold" : "staged");
  }
  if (view.height) {
    line.number("used", *view.height);
  }
  if (const auto total = reserved(view); total) {
    line.number("total_size", *total);
  }
  if (arena.alignment) {
    line.number("alignment", arena.alignment->value());
  }
  if (arena.role == Lifetime::kConstant) {
    line.number("tensor_count", static_cast<std::uint64_t>(view.blocks));
  }
  return line.str();
}

std::string residency_tensor(const PlacedBlock& placed) {
  const PlannedBlock& block = *placed.block;
  return JsonLine{}
      .text("id", block.id)
      .text("role", model::name_of(block.role))
      .text("memory", core::to_lower(block.memory))
      .text("source_memory", source_of(block.source_memory, block.memory))
      .number("offset", placed.offset)
      .number("size", placed.size)
      .str();
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

std::string without_blanks(const std::string& value) {
  return core::read_json(value).value_or(core::Json{}).sorted();
}

Member member(std::string key, std::string value) {
  std::string hashed = without_blanks(value);
  return {std::move(key), std::move(value), std::move(hashed)};
}

// One value at a time, and none is kept for longer than it is needed: a list may have two million.
Member list_member(std::string key, std::vector<std::string> values) {
  Member list{std::move(key), json_lines(values, "  "), {}};
  list.hashed.reserve(list.written.size());
  for (std::string& value : values) {
    list.hashed += list.hashed.empty() ? '[' : ',';
    list.hashed += without_blanks(std::exchange(value, {}));
  }
  list.hashed += values.empty() ? "[]" : "]";
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
  members.insert(behind, {std::move(key), json_string(hash), {}});
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

JsonLine& JsonLine::json(std::string_view key, std::string_view value) {
  members_ += members_.empty() ? "" : ", ";
  members_ += fmt::format("\"{}\": {}", key, value);
  return *this;
}

JsonLine& JsonLine::text(std::string_view key, std::string_view value) {
  return json(key, json_string(value));
}

JsonLine& JsonLine::number(std::string_view key, std::uint64_t value) {
  return json(key, fmt::format("{}", value));
}

JsonLine& JsonLine::number(std::string_view key, std::int64_t value) {
  return json(key, fmt::format("{}", value));
}

JsonLine& JsonLine::flag(std::string_view key, bool value) {
  return json(key, value ? "true" : "false");
}

std::string json_string(std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  return plain ? fmt::format("\"{}\"", text) : core::Json(text).compact();
}

std::string json_lines(const std::vector<std::string>& values, std::string_view indent) {
  if (values.empty()) {
    return "[]";
  }
  return fmt::format(
      "[\n{0}  {1}\n{0}]", indent, fmt::join(values, fmt::format(",\n{}  ", indent)));
}

std::string plan_json(const model::PlanReport& plan) {
  std::vector<Member> members = {member("schema", json_string("memsize.plan/1"))};
  if (!plan.prefix.empty()) {
    members.push_back(member("prefix", json_string(plan.prefix)));
  }
  if (!plan.planner.empty()) {
    members.push_back(member("planner", json_string(plan.planner)));
  }
  const PlanView view = view_of(plan);
  members.push_back(member("envelope_hash", json_string(envelope_hash(view))));
  members.push_back(member("layout_hash", json_string(plan::layout_hash(plan))));
  if (!plan.memories.empty()) {
    members.push_back(list_member("memories", members_of(plan.memories, memory_member)));
  }
  members.push_back(list_member("arenas", members_of(view.arenas, arena_member)));
  members.push_back(list_member("blocks", members_of(plan.blocks, block_member)));
  if (!plan.layers.empty()) {
    members.push_back(list_member("layers", members_of(plan.layers, layer_member)));
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
        lines.push_back(residency_arena(view.arenas[i], ids[i]));
      }
    }
    arenas.push_back(fmt::format("\"{}\": {}", model::name_of(role), json_lines(lines, "    ")));
  }
  std::vector<std::string> tensors;
  for (const ArenaView& arena : view.arenas) {
    for (const PlacedBlock& placed : arena.placed) {
      tensors.push_back(residency_tensor(placed));
    }
  }
  // How heliaAOT makes plan_hash and tensor_layout_hash is not public, so that nobody but heliaAOT
  // can say that they are true of a plan: none is better than one that might lie.
  std::vector<Member> members;
  members.push_back(member("schema_version", "3"));
  members.push_back(member("module_prefix", json_string(prefix)));
  members.push_back(member("memsize_envelope_hash", json_string(envelope_hash(view))));
  members.push_back(member("memsize_layout_hash", json_string(plan::layout_hash(plan))));
  members.push_back(
      member("arenas", fmt::format("{{\n    {}\n  }}", fmt::join(arenas, ",\n    "))));
  members.push_back(list_member("tensors", std::move(tensors)));
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
