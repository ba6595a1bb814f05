// ARES's JSON: checkpoints of its four stages, the planner's dump beside the last one, and the
// report of memory levels. Only post_memory_plan carries a plan. For earlier stages, and for the
// report, lifetimes follow from what each layer reads and writes, by the rule of ARES's own
// planner: from the layer that writes a buffer first to the last that uses it, both inside. A
// buffer that no layer writes lives all the time, which is said, and the input from the first layer
// on. A buffer has two names, one for people and one of C ("layer1.0.conv1_out",
// "layer1_0_conv1_out"): lists go by the first, layers by the second.
//
// The network's output is alive at its last layer only. That is what ARES plans, so that it is
// reported as it is; whoever checks the plan can say that nobody can read it afterwards.
#include "memsize/core/text.hpp"

#include "plan_fields.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::Lifetime;

constexpr std::string_view kInput = "input_quant";
constexpr const char* kRunAgain =
    "run ARES again with ARES_CHECKPOINT_DIR set, and give the whole file";

std::string shown(std::string_view name) {
  return fmt::format("'{}'", core::printable(name, kLongestShown));
}

// Bytes of one element; 1 for what is not listed, as ARES has it.
std::uint64_t element_size(std::string_view type) {
  if (type == "int32_t" || type == "uint32_t" || type == "float" || type == "fp32") {
    return 4;
  }
  return type == "int16_t" || type == "uint16_t" ? 2 : 1;
}

// "blocks_3_mlp" uses the pool "block_mlp_out_pool": one buffer for the same role in all blocks of
// a transformer, and one for both norms of each.
std::string pool_of(std::string_view name) {
  constexpr std::string_view kBlocks = "blocks_";
  if (!name.starts_with(kBlocks)) {
    return {};
  }
  name.remove_prefix(kBlocks.size());
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  if (digits == 0 || !name.substr(digits).starts_with('_')) {
    return {};
  }
  std::string_view role = name.substr(digits + 1);
  if (role.ends_with("_out")) {
    role.remove_suffix(4);
  }
  const bool is_norm = role == "norm1" || role == "norm2";
  return fmt::format("block_{}_out_pool", is_norm ? "norm" : role);
}

/// Buffers under their names, in the order in which the text has them, and who uses them when.
class AresBuffers {
 public:
  struct Buffer {
    model::PlannedBlock block;
    std::optional<std::int64_t> written;
    std::optional<std::int64_t> used;
    std::uint64_t uses = 0;
    bool is_pool = false;
    /// Its lifetime is the planner's.
    bool is_planned = false;
    PlanPlace place;
  };

  explicit AresBuffers(PlanFields& fields) : fields_(fields) {}

  /// By either name.
  Buffer* find(const std::string& name) {
    for (const auto* index : {&index_, &c_index_}) {
      if (const auto found = index->find(name); found != index->end()) {
        return &all_[found->second];
      }
    }
    return nullptr;
  }

  /// A buffer that nobody has named yet; `c_name` may be empty.
  Buffer& add(const std::string& name, const std::string& c_name, PlanPlace place) {
    index_.emplace(name, all_.size());
    if (!c_name.empty()) {
      c_index_.emplace(c_name, all_.size());
    }
    Buffer& made = all_.emplace_back();
    made.block.id = name;
    made.block.memory = "l2";
    made.block.line = place.line;
    made.place = place;
    return made;
  }

  void write(docs::Value name, std::int64_t step) {
    if (Buffer* const buffer = named(name)) {
      buffer->written = std::min(buffer->written.value_or(step), step);
      ++buffer->uses;
      last_written_ = buffer->block.id;
    } else if (name && !unknown_) {
      unknown_ = name;
    }
  }

  /// Of a layer's own, which is no output of the network.
  void write_slab(docs::Value name, std::int64_t step) {
    if (Buffer* const buffer = named(name)) {
      buffer->written = std::min(buffer->written.value_or(step), step);
      ++buffer->uses;
    }
  }

  void read(docs::Value name, std::int64_t step) {
    if (Buffer* const buffer = named(name)) {
      buffer->used = std::max(buffer->used.value_or(step), step);
      ++buffer->uses;
    }
  }

  [[nodiscard]] std::vector<Buffer>& all() { return all_; }

  /// The buffer that the last layer writes.
  [[nodiscard]] const std::string& last_written() const { return last_written_; }

  /// What each buffer's layers say of its lifetime, where nothing else does. `layers` is how many
  /// there are.
  void derive_lifetimes(std::int64_t layers) {
    std::vector<const Buffer*> unwritten;
    bool are_derived = false;
    for (Buffer& buffer : all_) {
      if (layers != 0 && !buffer.is_pool && !buffer.block.live &&
          buffer.block.role == Lifetime::kScratch) {
        are_derived = true;
        buffer.block.live = derived(buffer, layers);
        if (!buffer.written && buffer.block.id != kInput) {
          unwritten.push_back(&buffer);
        }
      }
    }
    if (are_derived) {
      say_unknown(unwritten);
    }
    // A pool is in use from the first of its blocks to the last: what another buffer writes there
    // between two of them is overwritten.
    for (Buffer& buffer : all_) {
      Buffer* const pool = buffer.block.alias_of.empty() ? nullptr : find(buffer.block.alias_of);
      if (pool == nullptr || !buffer.block.live || pool->is_planned) {
        continue;
      }
      auto& live = pool->block.live;
      live = live ? model::Interval{std::min(live->lower, buffer.block.live->lower),
                                    std::max(live->upper, buffer.block.live->upper)}
                  : *buffer.block.live;
    }
  }

  /// Buffers of blocks lie in their pools.
  void find_pools() {
    for (Buffer& buffer : all_) {
      std::string name = buffer.block.id;
      std::ranges::replace(name, '.', '_');
      const std::string pool = pool_of(name);
      const Buffer* const found = pool.empty() ? nullptr : find(pool);
      if (found != nullptr && !buffer.block.offset && buffer.block.memory == found->block.memory) {
        buffer.block.alias_of = pool;
      }
    }
  }

  /// Into the report, with a check of what sizes come to.
  void finish(model::PlanReport& report) {
    core::Bytes total;
    for (Buffer& buffer : all_) {
      buffer.block.is_input = buffer.block.is_input || buffer.block.id == kInput;
      buffer.block.is_output = buffer.block.is_output || buffer.block.id == last_written_;
      if (buffer.uses != 0) {
        buffer.block.uses = buffer.uses;
      }
      total += buffer.block.size;
      if (buffer.block.offset) {
        fields_.ends_in_plan(
            *buffer.block.offset, buffer.block.size, buffer.place, shown(buffer.block.id));
      }
      report.blocks.push_back(std::move(buffer.block));
    }
    fields_.adds_up(total, {}, "all buffers");
  }

 private:
  // Lifetimes follow from layers, and layers name buffers: what does not fit together is told.
  void say_unknown(const std::vector<const Buffer*>& unwritten) {
    if (unknown_) {
      fields_.warn(
          Code::kPlanLifetime,
          unknown_.position(),
          fmt::format(
              "{} writes {}, which is no buffer of the list", unknown_.path(), unknown_.shown()),
          "when it is alive nobody knows, nor what it is called elsewhere");
    }
    if (!unwritten.empty()) {
      fields_.warn(
          Code::kPlanLifetime,
          unwritten.front()->place,
          fmt::format("no layer writes {}{}: taken to be alive all the time",
                      shown(unwritten.front()->block.id),
                      unwritten.size() == 1 ? std::string{}
                                            : fmt::format(" and {} more", unwritten.size() - 1)),
          "layers name buffers by 'name' or 'c_name'; ARES itself reserves what it finds nowhere "
          "for the whole run");
    }
  }

  // Only of buffers that are listed: a layer names its weights in the same way. Those of blocks are
  // in no list, but their pools are.
  Buffer* named(docs::Value name) {
    if (!name.is(docs::Kind::kText)) {
      return nullptr;
    }
    const std::string id{name.text()};
    Buffer* const listed = find(id);
    const Buffer* const pool = listed == nullptr ? find(pool_of(id)) : nullptr;
    if (pool == nullptr || pool->is_planned) {
      return listed;
    }
    const std::string alias = pool->block.id;
    const core::Bytes size = pool->block.size;
    Buffer& made = add(id, {}, name.position());
    made.block.alias_of = alias;
    made.block.size = size;
    return &made;
  }

  static model::Interval derived(const Buffer& buffer, std::int64_t layers) {
    const bool is_input = buffer.block.id == kInput;
    if (!is_input && !buffer.written) {
      return {0, layers + 1};
    }
    const std::int64_t first = is_input ? 0 : *buffer.written;
    const std::int64_t last = std::max(buffer.used.value_or(first), first);
    return {first, last + 1};
  }

  PlanFields& fields_;
  std::vector<Buffer> all_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, std::size_t> c_index_;
  // What a layer writes and nobody lists; the first.
  docs::Value unknown_;
  std::string last_written_;
};

// {"name", "ctype", "numel", ...} of a checkpoint or of the report of levels.
AresBuffers::Buffer* read_buffer(docs::Value entry, AresBuffers& buffers, PlanFields& fields) {
  if (!fields.is_object(entry)) {
    return nullptr;
  }
  const std::string name = fields.id(entry, "name");
  if (name.empty() || !fields.is_new(name, entry.position())) {
    return nullptr;
  }
  const std::string type = fields.text_if_any(entry, "ctype");
  const auto count = fields.whole_if_any(entry, "numel");
  auto& buffer = buffers.add(name, fields.text_if_any(entry, "c_name"), entry.position());
  if (count) {
    const auto bytes = core::checked_mul(*count, element_size(type));
    buffer.block.size = fields.size(bytes.value_or(UINT64_MAX), entry.position(), shown(name))
                            .value_or(core::Bytes{});
  }
  buffer.is_pool = fields.flag_if_any(entry, "is_pool").value_or(false);
  if (fields.flag_if_any(entry, "use_l3_fallback").value_or(false)) {
    buffer.block.memory = "l3";
  }
  const std::string role = fields.text_if_any(entry, "streaming_role");
  buffer.block.is_input = role == "input";
  buffer.block.is_output = role == "output";
  if (role == "weight") {
    buffer.block.role = Lifetime::kConstant;
  }
  return &buffer;
}

bool is_known_checkpoint(docs::Value root, PlanFields& fields) {
  const std::string version =
      root["schema_version"].is(docs::Kind::kText) ? fields.text(root, "schema_version") : "1";
  if (version == "1" || version.starts_with("1.")) {
    return true;
  }
  fields.error(Code::kPlanVersion,
               root["schema_version"].position(),
               fmt::format("schema_version is {}; this memsize reads 1.x", shown(version)),
               "run an ARES that writes schema 1, or take a newer memsize");
  return false;
}

void read_ares_buffers(docs::Value list, bool are_pools, AresBuffers& buffers, PlanFields& fields) {
  for (const docs::Value entry : fields.items(list)) {
    // A pool may stand in both lists.
    const docs::Value name = entry["name"];
    if (are_pools && name.is(docs::Kind::kText) &&
        buffers.find(std::string{name.text()}) != nullptr) {
      continue;
    }
    if (AresBuffers::Buffer* buffer = read_buffer(entry, buffers, fields)) {
      buffer->is_pool = buffer->is_pool || are_pools;
      buffer->block.offset = fields.size_if_any(entry, "offset");
    }
  }
}

void read_lifetimes(docs::Value lifetimes, AresBuffers& buffers, PlanFields& fields) {
  for (const docs::Value entry : fields.members(lifetimes)) {
    if (!fields.is_object(entry)) {
      continue;
    }
    if (entry.key().empty()) {
      fields.wrong(entry, "a buffer needs a name", kRunAgain);
      continue;
    }
    const std::string name{entry.key()};
    auto* const known = buffers.find(name);
    auto& buffer = known != nullptr ? *known : buffers.add(name, {}, entry.position());
    auto& block = buffer.block;
    buffer.is_planned = true;
    const auto first = fields.step(entry, "start");
    const auto last = fields.step(entry, "end");
    const auto planned = fields.size(entry, "size");
    if (!first || !last || !planned) {
      continue;
    }
    block.live = fields.lifetime(entry, *first, *last, LastStep::kInside);
    if (block.size.count() != 0 && block.size != *planned) {
      fields.warn(Code::kPlanContradiction,
                  entry.position(),
                  fmt::format("{} has {} B, and is planned with {} B",
                              shown(block.id),
                              block.size.count(),
                              planned->count()),
                  "what the planner gives it counts; run ARES again");
    }
    block.size = *planned;
  }
}

// A buffer may say itself where it is, too.
void place_buffer(AresBuffers::Buffer& buffer,
                  core::Bytes offset,
                  docs::Value entry,
                  PlanFields& fields) {
  auto& own = buffer.block.offset;
  if (own && *own != offset) {
    fields.warn(Code::kPlanContradiction,
                entry.position(),
                fmt::format("{} is planned at {}, its own entry says {}",
                            shown(buffer.block.id),
                            offset.count(),
                            own->count()),
                "what the planner says counts; run ARES again");
  }
  own = offset;
}

void read_offsets(docs::Value offsets, AresBuffers& buffers, PlanFields& fields) {
  for (const docs::Value entry : fields.members(offsets)) {
    const auto offset = fields.as_size(entry);
    AresBuffers::Buffer* const buffer = buffers.find(std::string{entry.key()});
    if (offset && buffer == nullptr) {
      fields.warn(Code::kPlanContradiction,
                  entry.position(),
                  fmt::format("{} has an offset, but is no buffer", shown(entry.key())),
                  kRunAgain);
    } else if (offset) {
      place_buffer(*buffer, *offset, entry, fields);
    }
  }
}

// A pair of names, or whatever else it is written as.
std::string names_in(docs::Value value) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> words;
  for (const docs::Value each : value) {
    if (each.is(docs::Kind::kText) && words.size() < kMost) {
      words.push_back(shown(each.text()));
    }
  }
  return words.empty() ? value.shown() : core::join(words, ", ");
}

void read_conflicts(docs::Value conflicts, PlanFields& fields) {
  for (const docs::Value conflict : fields.items(conflicts)) {
    if (!fields.wants(core::Severity::kWarning, Code::kPlanContradiction)) {
      return;
    }
    fields.warn(Code::kPlanContradiction,
                conflict.position(),
                fmt::format("ARES itself left a conflict: {}", names_in(conflict)),
                "two buffers share bytes while both are alive: plan again with memsize plan");
  }
}

// What it computes, and how it is cut: every whole number of the layer and of its tiles.
model::Operator layer_operator(docs::Value layer, PlanFields& fields) {
  model::Operator op;
  op.id = fields.text_if_any(layer, "name");
  op.kind = fields.text_if_any(layer, "op");
  op.line = layer.position().line;
  const auto add = [&](const std::string& prefix, docs::Value table) {
    for (const docs::Value value : table) {
      if (value.is(docs::Kind::kWhole) && value.whole() <= model::kLargestPlan.count()) {
        op.attributes.emplace_back(prefix + value.name(), static_cast<std::int64_t>(value.whole()));
      } else if (value.is(docs::Kind::kBoolean)) {
        op.attributes.emplace_back(prefix + value.name(), value.boolean() ? 1 : 0);
      }
    }
  };
  add({}, layer);
  add("tile_config.",
      layer["tile_config"].is(docs::Kind::kTable) ? layer["tile_config"] : docs::Value{});
  for (const char* const word : {"weight_residency", "memory_tier"}) {
    if (layer[word].is(docs::Kind::kText)) {
      op.words.emplace_back(word, layer[word].string());
    }
  }
  return op;
}

// How many layers there are.
std::int64_t read_layer_specs(docs::Value layers,
                              AresBuffers& buffers,
                              PlanFields& fields,
                              std::vector<model::Operator>& operators) {
  std::int64_t step = 0;
  for (const docs::Value layer : fields.items(layers)) {
    if (!fields.is_object(layer)) {
      continue;
    }
    constexpr auto kInputs = std::to_array<const char*>(
        {"input_buffer", "input1_buffer", "input2_buffer", "q_buffer", "k_buffer", "v_buffer"});
    for (const char* const key : kInputs) {
      buffers.read(layer[key], step);
    }
    for (const docs::Value input : layer["input_buffers"]) {
      buffers.read(input, step);
    }
    // What works in place reads it first.
    buffers.read(layer["buffer"], step);
    buffers.write(layer["buffer"], step);
    buffers.write(layer["output_buffer"], step);
    for (const docs::Value value : layer) {
      if (value.key().ends_with("_slab_buffer")) {
        buffers.write_slab(value, step);
      }
    }
    operators.push_back(layer_operator(layer, fields));
    ++step;
  }
  return step;
}

void read_state(docs::Value state, bool is_dump, PlanFields& fields, model::PlanReport& report) {
  AresBuffers buffers{fields};
  report.planner = fields.text_if_any(state, is_dump ? "policy" : "planner_policy");
  for (const char* const list : {"activation_buffers", "shared_activation_pool"}) {
    read_ares_buffers(
        state[list], std::string_view{list} == "shared_activation_pool", buffers, fields);
  }
  read_lifetimes(state[is_dump ? "lifetimes" : "planner_lifetimes"], buffers, fields);
  read_offsets(state[is_dump ? "offsets" : "planner_offsets"], buffers, fields);
  read_conflicts(state[is_dump ? "unresolved_conflicts" : "planner_unresolved_conflicts"], fields);
  if (const auto total =
          fields.size_if_any(state, is_dump ? "peak_arena_bytes" : "l2_arena_size")) {
    report.arenas.push_back(
        {.memory = "l2",
         .total = total,
         .line = state[is_dump ? "peak_arena_bytes" : "l2_arena_size"].position().line});
  }
  buffers.find_pools();
  buffers.derive_lifetimes(
      read_layer_specs(state["layer_specs"], buffers, fields, report.network.operators));
  buffers.finish(report);
  if (report.blocks.empty() && !fields.failed()) {
    fields.error(Code::kPlanSyntax,
                 {},
                 "this checkpoint has no buffers",
                 "ARES lists them in post_memory_plan.json alone; or give network_info.json");
  }
}

void read_checkpoint(docs::Value root, PlanFields& fields, model::PlanReport& report) {
  if (!is_known_checkpoint(root, fields)) {
    return;
  }
  // The planner's dump has the same facts under shorter names, and no buffers.
  const bool is_dump = !root["state"] && root["lifetimes"];
  const docs::Value state = is_dump ? root : fields.member(root, "state");
  if (state && fields.is_object(state)) {
    read_state(state, is_dump, fields, report);
  }
  const bool planned =
      root["stage"].is(docs::Kind::kText) && root["stage"].text() == "post_memory_plan";
  if (planned && !state["planner_offsets"] && !fields.failed()) {
    report.abridged = true;
    fields.warn(Code::kPlanAbridged,
                root["stage"].position(),
                "the memory plan's checkpoint has no offsets",
                kRunAgain);
  }
}

// Levels with or without sizes, as a list or under their names.
void read_hierarchy(docs::Value hierarchy,
                    PlanFields& fields,
                    std::vector<model::PlannedMemory>& memories) {
  const docs::Value levels = hierarchy["levels"] ? hierarchy["levels"] : hierarchy;
  for (const docs::Value level : levels) {
    if (!level.is(docs::Kind::kTable)) {
      continue;
    }
    model::PlannedMemory memory;
    const docs::Value name = level["name"];
    memory.name = memory_name(name.is(docs::Kind::kText) ? name.text() : level.key());
    memory.line = level.position().line;
    for (const char* const key : {"capacity_bytes", "size_bytes", "capacity", "size"}) {
      if (!memory.capacity && level[key].is(docs::Kind::kWhole)) {
        memory.capacity = fields.size_if_any(level, key);
      }
    }
    memories.push_back(std::move(memory));
  }
}

// What a buffer requires comes before what it would like.
void read_level(docs::Value entry, AresBuffers& buffers, PlanFields& fields) {
  AresBuffers::Buffer* const buffer = read_buffer(entry, buffers, fields);
  if (buffer == nullptr || buffer->block.memory == "l3") {
    return;
  }
  for (const char* const key : {"preferred_level", "required_level"}) {
    const std::string level = fields.text_if_any(entry, key);
    if (!level.empty()) {
      buffer->block.memory = memory_name(level);
    }
  }
}

// How many layers there are.
std::int64_t read_layers(docs::Value layers, AresBuffers& buffers, PlanFields& fields) {
  std::int64_t step = 0;
  for (const docs::Value layer : fields.items(layers)) {
    if (!fields.is_object(layer)) {
      continue;
    }
    for (const docs::Value input : layer["inputs"]) {
      buffers.read(input, step);
    }
    for (const docs::Value scratch : layer["scratch"]) {
      buffers.write(scratch, step);
    }
    for (const docs::Value output : layer["outputs"]) {
      buffers.write(output, step);
    }
    ++step;
  }
  return step;
}

void read_levels(docs::Value root, PlanFields& fields, model::PlanReport& report) {
  read_hierarchy(root["memory_hierarchy"], fields, report.memories);
  AresBuffers buffers{fields};
  for (const docs::Value entry : fields.items(fields.member(root, "buffers"))) {
    read_level(entry, buffers, fields);
  }
  buffers.find_pools();
  buffers.derive_lifetimes(read_layers(root["layers"], buffers, fields));
  buffers.finish(report);
  if (report.blocks.empty() && !fields.failed()) {
    fields.error(Code::kPlanSyntax, {}, "this report has no buffers", kRunAgain);
  }
}

PlanResult read_document(std::string_view text,
                         const std::string& path,
                         void (*read)(docs::Value, PlanFields&, model::PlanReport&)) {
  const auto document = docs::parse_json(text, path, Code::kPlanSyntax);
  MEMSIZE_TRY(document);
  PlanFields fields{path};
  model::PlanReport report;
  report.lines = document->lines();
  if (fields.is_object(document->root())) {
    read(document->root(), fields, report);
  }
  return fields.finish(std::move(report), *document);
}

bool says(std::string_view head, std::string_view word) {
  return head.find(word) != std::string_view::npos;
}

}  // namespace

bool probe_ares_checkpoint(std::string_view head) {
  if (!core::trim(head).starts_with('{')) {
    return false;
  }
  constexpr auto kStages = std::to_array<std::string_view>(
      {"\"pre_fusion\"", "\"post_fusion\"", "\"post_tiling\"", "\"post_memory_plan\""});
  const bool is_checkpoint =
      says(head, "\"stage\"") &&
      std::ranges::any_of(kStages, [&](auto stage) { return says(head, stage); });
  return is_checkpoint || says(head, "\"planner_lifetimes\"") ||
         (says(head, "\"peak_arena_bytes\"") && says(head, "\"policy\""));
}

PlanResult read_ares_checkpoint(std::string_view text, const std::string& path) {
  return read_document(text, path, read_checkpoint);
}

bool probe_ares_levels(std::string_view head) {
  return core::trim(head).starts_with('{') && says(head, "\"phase\"") && says(head, "memory_level");
}

PlanResult read_ares_levels(std::string_view text, const std::string& path) {
  return read_document(text, path, read_levels);
}

}  // namespace memsize::readers
