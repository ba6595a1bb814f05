// ST Edge AI's network_c_info.json: memory pools, buffers with their place and epochs, and the
// graph that uses them.
//
// An epoch's end is inside the lifetime: it is that of the last node that reads the buffer. Both
// readings leave real plans without other conflicts than those below, but with the end outside, no
// two buffers of hundreds that would only touch in time share a byte, and inputs would be dead
// while the first node reads them.
//
// Nodes work in place. Many outputs begin somewhat before their input, because each row is read
// before its bytes are written. So buffers that nodes connect and that share bytes in some epoch
// are a group: they keep their distances, and need in each epoch what those of them need that are
// alive. Where that is one buffer's bytes all the time, the others are its aliases; else all are
// aliases of a block that is made for the group, with a window for each part of its life.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "plan_fields.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Lifetime;

// No operator works in place on more buffers; longer lists are lists of something else.
constexpr std::size_t kMostInPlace = 64;
constexpr const char* kMakeAgain = "generate the network again, and give the whole c_info.json";

struct Pool {
  std::string name;
  std::optional<core::Bytes> used;
  core::Align alignment;
  PlanPlace place;
  /// How many buffers it lists.
  std::size_t listed = 0;
  /// Others that it is made of.
  bool is_sum = false;
  // Of the buffers in it.
  std::size_t buffers = 0;
  bool has_params = false;
  bool has_activations = false;
  core::Bytes params_end;
  core::Bytes activations_end;
};

/// By the report's ids.
using Pools = std::map<std::string, Pool>;

std::string shown_pool(const Pool& pool) {
  return fmt::format("pool '{}'", core::printable(pool.name, kLongestShown));
}

bool touch_in_bytes(const model::PlannedBlock& a, const model::PlannedBlock& b) {
  return *a.offset < *b.offset + b.size && *b.offset < *a.offset + a.size;
}

bool touch_in_time(const model::PlannedBlock& a, const model::PlannedBlock& b) {
  return a.live->lower < b.live->upper && b.live->lower < a.live->upper;
}

bool share_bytes(const model::PlannedBlock& a, const model::PlannedBlock& b) {
  return a.memory == b.memory && a.offset && b.offset && a.live && b.live && touch_in_bytes(a, b) &&
         touch_in_time(a, b);
}

// "2.0" and "3.0" have the same members as far as they are read here.
bool is_known_version(docs::Value root, PlanFields& fields) {
  const docs::Value version = root["json_schema_version"];
  if (!version.is(docs::Kind::kText) || version.text().starts_with("1.") ||
      version.text().starts_with("2.") || version.text().starts_with("3.")) {
    return true;
  }
  fields.error(Code::kPlanVersion,
               version.position(),
               fmt::format("json_schema_version is {}; this memsize reads 1 to 3", version.shown()),
               "generate the network with an older ST Edge AI, or take a newer memsize");
  return false;
}

// 0 says nothing.
std::optional<core::Align> own_alignment(docs::Value entry, PlanFields& fields) {
  const docs::Value value = entry["alignment"];
  return value.is(docs::Kind::kWhole) && value.whole() == 0
             ? std::nullopt
             : fields.alignment_if_any(entry, "alignment");
}

// What its elements need; nothing: nobody says, or they are no whole bytes.
std::optional<core::Align> element_alignment(docs::Value entry, PlanFields& fields) {
  constexpr std::uint64_t kByte = 8;
  const auto bits = fields.whole_if_any(entry, "nbits");
  return bits && *bits % kByte == 0 ? core::Align::make(*bits / kByte) : std::nullopt;
}

std::optional<core::Align> if_above_one(core::Align alignment) {
  return alignment.value() > 1 ? std::optional{alignment} : std::nullopt;
}

model::PlannedMemory memory_of(docs::Value entry, const Pool& pool, PlanFields& fields) {
  model::PlannedMemory memory{.name = pool.name, .line = pool.place.line};
  // -1: as large as it has to be.
  if (!entry["size_bytes"].is(docs::Kind::kNegative)) {
    memory.capacity = fields.size_if_any(entry, "size_bytes");
  }
  memory.used = pool.used;
  memory.alignment = if_above_one(pool.alignment);
  // Not placed yet: "NULL", or the name of the array that it will be.
  if (const docs::Value address = entry["address"]; address.is(docs::Kind::kText)) {
    if (const auto base = core::parse_address(address.text())) {
      memory.base = core::PhysAddr{*base};
    }
  } else if (address.is(docs::Kind::kWhole)) {
    memory.base = core::PhysAddr{address.whole()};
  }
  const std::string rights = fields.text_if_any(entry, "rights");
  if (!rights.empty()) {
    memory.writable = rights.find("WRITE") != std::string::npos;
  }
  return memory;
}

Pools read_pools(docs::Value list,
                 PlanFields& fields,
                 std::vector<model::PlannedMemory>& memories) {
  Pools pools;
  std::set<std::string> names;
  for (const docs::Value entry : fields.items(list)) {
    const bool is_object = fields.is_object(entry);
    const std::string key = is_object ? fields.id(entry, "id") : std::string{};
    const std::string printed = is_object ? fields.text(entry, "name") : std::string{};
    if (key.empty() || printed.empty()) {
      continue;
    }
    Pool pool{.name = memory_name(printed), .place = entry.position()};
    if (!names.insert(pool.name).second) {
      pool.name += "_" + key;
      names.insert(pool.name);
    }
    pool.used = fields.size_if_any(entry, "used_size_bytes");
    pool.alignment = own_alignment(entry, fields).value_or(core::Align{});
    pool.listed = entry["buffers"].size();
    pool.is_sum = entry["subpools"].size() != 0;
    model::PlannedMemory memory = memory_of(entry, pool, fields);
    // What is made of other pools is no memory beside them, unless buffers lie in it.
    if (!pool.is_sum || pool.listed != 0) {
      memories.push_back(std::move(memory));
    }
    if (!pools.emplace(key, std::move(pool)).second) {
      fields.error(Code::kPlanDuplicate,
                   entry.position(),
                   fmt::format("pool {} stands here again", core::printable(key, kLongestShown)),
                   "each pool needs an id of its own");
    }
  }
  return pools;
}

struct PooledBuffer {
  model::PlannedBlock block;
  const Pool* pool = nullptr;
  std::uint64_t uses = 0;
};

/// The buffers in the report's order, and by their ids.
class PooledBuffers {
 public:
  [[nodiscard]] std::vector<PooledBuffer>& all() { return all_; }

  [[nodiscard]] const model::PlannedBlock& block(std::size_t at) const { return all_[at].block; }

  void add(PooledBuffer buffer) {
    index_.emplace(buffer.block.id, all_.size());
    all_.push_back(std::move(buffer));
  }

  /// Those of a list that are buffers.
  [[nodiscard]] std::vector<std::size_t> named(docs::Value ids) const {
    std::vector<std::size_t> found;
    for (const docs::Value id : ids) {
      if (!id.is(docs::Kind::kWhole) && !id.is(docs::Kind::kText)) {
        continue;
      }
      const auto at = index_.find(id.is(docs::Kind::kText) ? std::string{id.text()}
                                                           : fmt::format("{}", id.whole()));
      if (at != index_.end()) {
        found.push_back(at->second);
      }
    }
    return found;
  }

 private:
  std::vector<PooledBuffer> all_;
  std::map<std::string, std::size_t> index_;
};

// Constants have epochs, too, which say when somebody reads them: they are there all the time.
std::optional<model::Interval> epochs_of(docs::Value epochs, Lifetime role, PlanFields& fields) {
  if (!epochs || role != Lifetime::kScratch || !fields.is_object(epochs)) {
    return std::nullopt;
  }
  const auto first = fields.step(epochs, "start");
  const auto last = fields.step(epochs, "end");
  return first && last ? fields.lifetime(epochs, *first, *last, LastStep::kInside) : std::nullopt;
}

// Nothing: an error says why. Its pool counts it.
std::optional<PooledBuffer> buffer_of(docs::Value entry, Pools& pools, PlanFields& fields) {
  model::PlannedBlock block{.id = fields.id(entry, "id"),
                            .name = fields.text_if_any(entry, "name"),
                            .line = entry.position().line};
  const std::string pool_id = fields.id(entry, "mpool_id");
  if (block.id.empty() || pool_id.empty() || !fields.is_new(block.id, entry.position())) {
    return std::nullopt;
  }
  Pool* const pool = core::value_in(pools, pool_id);
  if (pool == nullptr) {
    fields.error(Code::kPlanMemory,
                 entry["mpool_id"].position(),
                 fmt::format("buffer '{}' lies in pool {}, which is not there",
                             core::printable(block.id, kLongestShown),
                             core::printable(pool_id, kLongestShown)),
                 kMakeAgain);
    return std::nullopt;
  }
  block.memory = pool->name;
  block.size = fields.size(entry, "size_bytes").value_or(core::Bytes{});
  block.offset = fields.size_if_any(entry, "offset_start");
  block.alignment = own_alignment(entry, fields);
  const std::string flags = fields.text_if_any(entry, "flags");
  const auto has_flag = [&](const char* flag) { return flags.find(flag) != std::string::npos; };
  block.is_input = has_flag("FLAG_INPUTS");
  block.is_output = has_flag("FLAG_OUTPUTS");
  const bool is_param =
      fields.flag_if_any(entry, "is_param").value_or(false) || has_flag("FLAG_CONST");
  block.role = is_param                 ? Lifetime::kConstant
               : has_flag("FLAG_STATE") ? Lifetime::kPersistent
                                        : Lifetime::kScratch;
  block.live = epochs_of(entry["epochs"], block.role, fields);
  if (block.offset &&
      fields.ends_in_plan(*block.offset, block.size, entry.position(), "the buffer")) {
    core::Bytes& highest = is_param ? pool->params_end : pool->activations_end;
    highest = std::max(highest, *block.offset + block.size);
  }
  (is_param ? pool->has_params : pool->has_activations) = true;
  ++pool->buffers;
  return PooledBuffer{.block = std::move(block), .pool = pool};
}

// `says_alignments`: of a buffer, more than 1. For the NPU all have 1, and lie at multiples of 16.
PooledBuffers read_buffers(docs::Value list,
                           Pools& pools,
                           PlanFields& fields,
                           bool& says_alignments) {
  PooledBuffers buffers;
  core::Bytes total;
  for (const docs::Value entry : fields.items(list)) {
    auto buffer = fields.is_object(entry) ? buffer_of(entry, pools, fields) : std::nullopt;
    if (!buffer) {
      continue;
    }
    total += buffer->block.size;
    fields.adds_up(total, entry.position(), "this buffer");
    std::optional<core::Align>& alignment = buffer->block.alignment;
    says_alignments = says_alignments || alignment > core::Align{};
    alignment = std::max(alignment, element_alignment(entry, fields));
    buffers.add(std::move(*buffer));
  }
  return buffers;
}

/// Which buffers keep their distances: groups, of which each begins alone.
class DistanceGroups {
 public:
  void unite(std::size_t a, std::size_t b) {
    const std::size_t first = root_of(a);
    const std::size_t second = root_of(b);
    if (first != second) {
      roots_[std::max(first, second)] = std::min(first, second);
    }
  }

  /// Of the first `count` buffers, by the first of each group.
  [[nodiscard]] std::map<std::size_t, std::vector<std::size_t>> groups(std::size_t count) {
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < count; ++i) {
      groups[root_of(i)].push_back(i);
    }
    return groups;
  }

 private:
  // Shortens the way for the next who asks.
  std::size_t root_of(std::size_t block) {
    std::size_t root = block;
    for (auto next = roots_.find(root); next != roots_.end(); next = roots_.find(root)) {
      root = next->second;
    }
    while (block != root) {
      block = std::exchange(roots_[block], root);
    }
    return root;
  }

  std::map<std::size_t, std::size_t> roots_;
};

// Nodes inside of a node name the same buffers again: each use counts once.
void read_node(docs::Value node, PooledBuffers& buffers, DistanceGroups& groups) {
  const auto inputs = buffers.named(node["inputs"]);
  const auto outputs = buffers.named(node["outputs"]);
  if (node["subgraph_nodes"].size() == 0) {
    for (const auto& used : {inputs, outputs, buffers.named(node["scratchs"])}) {
      for (const std::size_t at : used) {
        ++buffers.all()[at].uses;
      }
    }
  }
  for (std::size_t o = 0; o < std::min(outputs.size(), kMostInPlace); ++o) {
    for (std::size_t i = 0; i < std::min(inputs.size(), kMostInPlace); ++i) {
      if (share_bytes(buffers.block(inputs[i]), buffers.block(outputs[o]))) {
        groups.unite(inputs[i], outputs[o]);
      }
    }
  }
  for (const docs::Value inner : node["subgraph_nodes"]) {
    read_node(inner, buffers, groups);
  }
}

void read_graph(docs::Value graph, PooledBuffers& buffers, DistanceGroups& groups) {
  for (const std::size_t at : buffers.named(graph["inputs"])) {
    buffers.all()[at].block.is_input = true;
  }
  for (const std::size_t at : buffers.named(graph["outputs"])) {
    buffers.all()[at].block.is_output = true;
  }
  for (const docs::Value node : graph["nodes"]) {
    read_node(node, buffers, groups);
  }
}

// Where parameters or states lie beside activations, all offsets are from one base: one arena.
void fill_mixed_pools(std::vector<PooledBuffer>& buffers) {
  model::Interval all{model::kLastStep, -model::kLastStep};
  for (const auto& [block, pool, uses] : buffers) {
    if (block.live) {
      all.lower = std::min(all.lower, block.live->lower);
      all.upper = std::max(all.upper, block.live->upper);
    }
  }
  for (auto& [block, pool, uses] : buffers) {
    if (pool->has_activations && block.role != Lifetime::kScratch) {
      block.role = Lifetime::kScratch;
      block.live = all.lower < all.upper ? all : model::Interval{0, 1};
    }
  }
}

// Two names of one tensor: same bytes, same epochs.
void unite_same_places(const std::vector<PooledBuffer>& buffers, DistanceGroups& groups) {
  using Place = std::tuple<std::string, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;
  std::map<Place, std::size_t> first;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const model::PlannedBlock& block = buffers[i].block;
    if (!block.live || !block.offset || block.size.count() == 0) {
      continue;
    }
    const auto [found, fresh] = first.emplace(Place{block.memory,
                                                    block.offset->count(),
                                                    block.size.count(),
                                                    block.live->lower,
                                                    block.live->upper},
                                              i);
    if (!fresh) {
      groups.unite(i, found->second);
    }
  }
}

// With its windows: what it needs when.
model::PlannedBlock group_of(const std::vector<model::PlannedBlock*>& members) {
  const model::PlannedBlock& first = *members.front();
  model::PlannedBlock group;
  group.id = fmt::format("group of {}", first.id);
  group.memory = first.memory;
  group.line = first.line;
  group.live = first.live;
  group.offset = first.offset;
  core::Bytes end;
  for (const model::PlannedBlock* const block : members) {
    group.live->lower = std::min(group.live->lower, block->live->lower);
    group.live->upper = std::max(group.live->upper, block->live->upper);
    group.offset = std::min(*group.offset, *block->offset);
    end = std::max(end, *block->offset + block->size);
    group.alignment = std::max(group.alignment, block->alignment);
  }
  // With the group, each member is aligned as it is now.
  const core::Align alignment = group.alignment.value_or(core::Align{});
  group.offset = core::Bytes{group.offset->count() & ~(alignment.value() - 1)};
  group.size = end - *group.offset;
  for (const model::PlannedBlock* const block : members) {
    const core::Bytes begin = *block->offset - *group.offset;
    group.windows.push_back({*block->live, begin, begin + block->size});
  }
  group.windows = model::united(group.windows);
  return group;
}

// The blocks that are made for groups. Members become aliases of them, or of the one that is all of
// its group.
std::vector<model::PlannedBlock> made_groups(std::vector<PooledBuffer>& buffers,
                                             DistanceGroups& distances) {
  std::vector<model::PlannedBlock> made;
  for (const auto& [first, numbers] : distances.groups(buffers.size())) {
    // Of more, nobody could say what they need when: they are told to share bytes.
    if (numbers.size() == 1 || numbers.size() > model::kMostWindows) {
      continue;
    }
    std::vector<model::PlannedBlock*> members;
    for (const std::size_t i : numbers) {
      members.push_back(&buffers[i].block);
    }
    model::PlannedBlock group = group_of(members);
    const auto whole = std::ranges::find_if(members, [&](const model::PlannedBlock* block) {
      return block->offset == group.offset && block->size == group.size;
    });
    const bool is_plain = whole != members.end() && group.windows.size() == 1 &&
                          group.windows.front() == model::Window{*group.live, {}, group.size};
    const std::string root = is_plain ? (*whole)->id : group.id;
    for (model::PlannedBlock* const block : members) {
      block->alias_of = block->id == root ? std::string{} : root;
    }
    if (!is_plain) {
      made.push_back(std::move(group));
    }
  }
  return made;
}

void check_pool(const Pool& pool, PlanFields& fields, model::PlanReport& report) {
  if (pool.listed > pool.buffers && !pool.is_sum) {
    report.abridged = true;
    fields.warn(Code::kPlanAbridged,
                pool.place,
                fmt::format("{} lists {}, but {} of them are there",
                            shown_pool(pool),
                            core::plural(pool.listed, "buffer"),
                            pool.buffers),
                kMakeAgain);
  }
  const core::Bytes end = std::max(pool.params_end, pool.activations_end);
  if (pool.used && end > *pool.used) {
    fields.warn(Code::kPlanContradiction,
                pool.place,
                fmt::format("{} uses {} B, but its highest buffer ends at {}",
                            shown_pool(pool),
                            pool.used->count(),
                            end.count()),
                kMakeAgain);
  }
  if (pool.buffers != 0) {
    report.arenas.push_back(
        {.memory = pool.name,
         .role = pool.has_activations ? Lifetime::kScratch : Lifetime::kConstant,
         .total = pool.used,
         .alignment = if_above_one(pool.alignment),
         .line = pool.place.line});
  }
}

void check_sum(docs::Value footprint, const char* key, core::Bytes sum, PlanFields& fields) {
  const auto said = fields.size_if_any(footprint, key);
  if (said && *said != sum) {
    fields.warn(Code::kPlanContradiction,
                footprint[key].position(),
                fmt::format("memory_footprint says {} B of {}, the pools use {} B",
                            said->count(),
                            key,
                            sum.count()),
                kMakeAgain);
  }
}

// Sums over pools, as the report's own text has them.
void check_footprint(docs::Value footprint, const Pools& pools, PlanFields& fields) {
  if (!footprint || !fields.is_object(footprint)) {
    return;
  }
  core::Bytes params;
  core::Bytes activations;
  for (const auto& [key, pool] : pools) {
    if (pool.has_params && pool.has_activations) {
      return;
    }
    const core::Bytes end = std::max(pool.params_end, pool.activations_end);
    const core::Bytes used = std::max(end, pool.used.value_or(core::Bytes{}));
    (pool.has_params ? params : activations) += pool.buffers == 0 ? core::Bytes{} : used;
  }
  check_sum(footprint, "weights", params, fields);
  check_sum(footprint, "activations", activations, fields);
}

void add_blocks(std::vector<PooledBuffer>& buffers,
                std::vector<model::PlannedBlock> groups,
                PlanFields& fields,
                std::vector<model::PlannedBlock>& blocks) {
  for (auto& [block, pool, uses] : buffers) {
    if (uses != 0) {
      block.uses = uses;
    }
    blocks.push_back(std::move(block));
  }
  for (model::PlannedBlock& group : groups) {
    // Ids of the report are numbers; one that is not could be anything.
    if (fields.is_new(group.id, {group.line, 0})) {
      blocks.push_back(std::move(group));
    }
  }
  if (blocks.empty()) {
    fields.error(Code::kPlanSyntax, {}, "this report has no buffers", kMakeAgain);
  }
}

}  // namespace

bool probe_st_edge_ai(std::string_view head) {
  // Keys are sorted: the buffers come first, and what says whose report it is may be far behind.
  const auto has = [&](std::string_view word) { return head.find(word) != std::string_view::npos; };
  return core::trim(head).starts_with('{') &&
         ((has("\"mpool_id\"") && has("\"epochs\"")) ||
          (has("\"memory_pools\"") && has("\"used_size_bytes\"")));
}

PlanResult read_st_edge_ai(std::string_view text, const std::string& path) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report;
  report.lines = document->lines();
  report.planner = "ST Edge AI";
  const docs::Value root = document->root();
  if (!fields.is_object(root) || !is_known_version(root, fields)) {
    return fields.finish(std::move(report), *document);
  }
  Pools pools = read_pools(fields.member(root, "memory_pools"), fields, report.memories);
  bool says_alignments = false;
  PooledBuffers buffers =
      read_buffers(fields.member(root, "buffers"), pools, fields, says_alignments);
  report.aligns_elements = !says_alignments;
  DistanceGroups distances;
  for (const docs::Value graph : root["graphs"]) {
    read_graph(graph, buffers, distances);
  }
  if (fields.failed()) {
    return fields.finish(std::move(report), *document);
  }
  fill_mixed_pools(buffers.all());
  unite_same_places(buffers.all(), distances);
  add_blocks(buffers.all(), made_groups(buffers.all(), distances), fields, report.blocks);
  for (const auto& [key, pool] : pools) {
    check_pool(pool, fields, report);
  }
  check_footprint(root["memory_footprint"], pools, fields);
  return fields.finish(std::move(report), *document);
}

}  // namespace memsize::readers
