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
#include "memsize/core/text.hpp"

#include "plan_fields.hpp"

#include <algorithm>
#include <map>
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

bool touch_in_bytes(const model::PlannedBlock& a, const model::PlannedBlock& b) {
  return *a.offset < *b.offset + b.size && *b.offset < *a.offset + a.size;
}

bool touch_in_time(const model::PlannedBlock& a, const model::PlannedBlock& b) {
  return a.live->lower < b.live->upper && b.live->lower < a.live->upper;
}

class InfoReader : private PlanFields {
 public:
  explicit InfoReader(const std::string& path) : PlanFields(path) {}

  PlanResult read(const docs::Document& document) {
    const docs::Value root = document.root();
    report_.lines = document.lines();
    report_.planner = "ST Edge AI";
    if (!is_object(root) || !read_version(root)) {
      return finish(std::move(report_), document);
    }
    read_pools(member(root, "memory_pools"));
    read_buffers(member(root, "buffers"));
    for (const docs::Value graph : root["graphs"]) {
      read_graph(graph);
    }
    if (!failed()) {
      fill_mixed_pools();
      find_same_places();
      for (const auto& [input, output] : in_place_) {
        unite(input, output);
      }
      make_groups();
      finish_blocks();
      check_pools();
      check_footprint(root["memory_footprint"]);
    }
    return finish(std::move(report_), document);
  }

 private:
  // "2.0" and "3.0" have the same members as far as they are read here.
  bool read_version(docs::Value root) {
    const docs::Value version = root["json_schema_version"];
    if (!version.is(docs::Kind::kText) || version.text().starts_with("1.") ||
        version.text().starts_with("2.") || version.text().starts_with("3.")) {
      return true;
    }
    error(Code::kPlanVersion,
          version.position(),
          fmt::format("json_schema_version is {}; this memsize reads 1 to 3", version.shown()),
          "generate the network with an older ST Edge AI, or take a newer memsize");
    return false;
  }

  void read_pools(docs::Value pools) {
    for (const docs::Value entry : items(pools)) {
      if (is_object(entry)) {
        read_pool(entry);
      }
    }
  }

  void read_pool(docs::Value entry) {
    const std::string key = id(entry, "id");
    const std::string printed = text(entry, "name");
    if (key.empty() || printed.empty()) {
      return;
    }
    Pool pool{.place = entry.position()};
    pool.name = memory_name(printed);
    if (!pool_names_.insert({pool.name, key}).second) {
      pool.name += "_" + key;
      pool_names_.insert({pool.name, key});
    }
    pool.used = size_if_any(entry, "used_size_bytes");
    pool.alignment = own_alignment(entry).value_or(core::Align{});
    pool.listed = entry["buffers"].size();
    pool.is_sum = entry["subpools"].size() != 0;
    add_memory(entry, pool);
    if (!pools_.emplace(key, std::move(pool)).second) {
      error(Code::kPlanDuplicate,
            entry.position(),
            fmt::format("pool {} stands here again", core::printable(key, kLongestShown)),
            "each pool needs an id of its own");
    }
  }

  // What is made of other pools is no memory beside them, unless buffers lie in it.
  void add_memory(docs::Value entry, const Pool& pool) {
    model::PlannedMemory memory{.name = pool.name, .line = pool.place.line};
    // -1: as large as it has to be.
    if (!entry["size_bytes"].is(docs::Kind::kNegative)) {
      memory.capacity = size_if_any(entry, "size_bytes");
    }
    memory.used = pool.used;
    if (pool.alignment.value() > 1) {
      memory.alignment = pool.alignment;
    }
    // Not placed yet: "NULL", or the name of the array that it will be.
    if (const docs::Value address = entry["address"]; address.is(docs::Kind::kText)) {
      if (const auto base = core::parse_address(address.text())) {
        memory.base = core::PhysAddr{*base};
      }
    } else if (address.is(docs::Kind::kWhole)) {
      memory.base = core::PhysAddr{address.whole()};
    }
    const std::string rights = text_if_any(entry, "rights");
    if (!rights.empty()) {
      memory.writable = rights.find("WRITE") != std::string::npos;
    }
    if (!pool.is_sum || pool.listed != 0) {
      report_.memories.push_back(std::move(memory));
    }
  }

  // 0 says nothing.
  std::optional<core::Align> own_alignment(docs::Value entry) {
    const docs::Value value = entry["alignment"];
    return value.is(docs::Kind::kWhole) && value.whole() == 0
               ? std::nullopt
               : alignment_if_any(entry, "alignment");
  }

  void read_buffers(docs::Value buffers) {
    for (const docs::Value entry : items(buffers)) {
      if (is_object(entry)) {
        read_buffer(entry);
      }
    }
  }

  void read_buffer(docs::Value entry) {
    model::PlannedBlock block{
        .id = id(entry, "id"), .name = text_if_any(entry, "name"), .line = entry.position().line};
    const std::string pool_id = id(entry, "mpool_id");
    if (block.id.empty() || pool_id.empty() || !is_new(block.id, entry.position())) {
      return;
    }
    const auto found = pools_.find(pool_id);
    if (found == pools_.end()) {
      return error(Code::kPlanMemory,
                   entry["mpool_id"].position(),
                   fmt::format("buffer '{}' lies in pool {}, which is not there",
                               core::printable(block.id, kLongestShown),
                               core::printable(pool_id, kLongestShown)),
                   kMakeAgain);
    }
    block.memory = found->second.name;
    block.size = size(entry, "size_bytes").value_or(core::Bytes{});
    block.offset = size_if_any(entry, "offset_start");
    block.alignment = own_alignment(entry);
    const std::string flags = text_if_any(entry, "flags");
    block.is_input = flags.find("FLAG_INPUTS") != std::string::npos;
    block.is_output = flags.find("FLAG_OUTPUTS") != std::string::npos;
    const bool is_param = flag_if_any(entry, "is_param").value_or(false) ||
                          flags.find("FLAG_CONST") != std::string::npos;
    block.role = is_param                                        ? Lifetime::kConstant
                 : flags.find("FLAG_STATE") != std::string::npos ? Lifetime::kPersistent
                                                                 : Lifetime::kScratch;
    read_epochs(entry["epochs"], block);
    if (block.offset && ends_in_plan(*block.offset, block.size, entry.position(), "the buffer")) {
      const core::Bytes end = *block.offset + block.size;
      core::Bytes& highest = is_param ? found->second.params_end : found->second.activations_end;
      highest = std::max(highest, end);
    }
    (is_param ? found->second.has_params : found->second.has_activations) = true;
    ++found->second.buffers;
    total_ += block.size;
    if (total_ > model::kLargestPlan) {
      error(Code::kPlanSize,
            entry.position(),
            "with this buffer, the sizes add up to more than any memory has",
            "sums of sizes go up to 2^62 B");
    }
    index_.emplace(block.id, blocks_.size());
    pool_of_.push_back(&found->second);
    uses_.push_back(0);
    blocks_.push_back(std::move(block));
  }

  // Constants have epochs, too, which say when somebody reads them: they are there all the time.
  void read_epochs(docs::Value epochs, model::PlannedBlock& block) {
    if (!epochs || block.role != Lifetime::kScratch || !is_object(epochs)) {
      return;
    }
    const auto first = step(epochs, "start");
    const auto last = step(epochs, "end");
    if (first && last) {
      block.live = lifetime(epochs, *first, *last, LastStep::kInside);
      if (block.live) {
        all_epochs_.lower = std::min(all_epochs_.lower, block.live->lower);
        all_epochs_.upper = std::max(all_epochs_.upper, block.live->upper);
      }
    }
  }

  void read_graph(docs::Value graph) {
    mark(graph["inputs"], &model::PlannedBlock::is_input);
    mark(graph["outputs"], &model::PlannedBlock::is_output);
    for (const docs::Value node : graph["nodes"]) {
      read_node(node);
    }
  }

  void mark(docs::Value ids, bool model::PlannedBlock::*flag) {
    for (const docs::Value value : ids) {
      if (const auto at = index_of(value)) {
        blocks_[*at].*flag = true;
      }
    }
  }

  std::optional<std::size_t> index_of(docs::Value value) const {
    if (!value.is(docs::Kind::kWhole) && !value.is(docs::Kind::kText)) {
      return std::nullopt;
    }
    const auto found = index_.find(value.is(docs::Kind::kText) ? std::string{value.text()}
                                                               : fmt::format("{}", value.whole()));
    return found == index_.end() ? std::nullopt : std::optional{found->second};
  }

  // Those that are buffers. Nodes inside of a node name the same again: each use counts once.
  std::vector<std::size_t> buffers_in(docs::Value ids, bool is_inner) {
    std::vector<std::size_t> found;
    for (const docs::Value value : ids) {
      if (const auto at = index_of(value)) {
        uses_[*at] += is_inner ? 1U : 0U;
        found.push_back(*at);
      }
    }
    return found;
  }

  void read_node(docs::Value node) {
    const bool is_inner = node["subgraph_nodes"].size() == 0;
    const auto inputs = buffers_in(node["inputs"], is_inner);
    const auto outputs = buffers_in(node["outputs"], is_inner);
    (void)buffers_in(node["scratchs"], is_inner);
    for (std::size_t o = 0; o < std::min(outputs.size(), kMostInPlace); ++o) {
      for (std::size_t i = 0; i < std::min(inputs.size(), kMostInPlace); ++i) {
        if (shares(inputs[i], outputs[o])) {
          in_place_.emplace_back(inputs[i], outputs[o]);
        }
      }
    }
    for (const docs::Value inner : node["subgraph_nodes"]) {
      read_node(inner);
    }
  }

  [[nodiscard]] bool shares(std::size_t input, std::size_t output) const {
    const model::PlannedBlock& a = blocks_[input];
    const model::PlannedBlock& b = blocks_[output];
    return input != output && a.memory == b.memory && a.offset && b.offset && a.live && b.live &&
           touch_in_bytes(a, b) && touch_in_time(a, b);
  }

  // Where parameters or states lie beside activations, all offsets are from one base: one arena.
  void fill_mixed_pools() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      model::PlannedBlock& block = blocks_[i];
      if (pool_of_[i]->has_activations && block.role != Lifetime::kScratch) {
        block.role = Lifetime::kScratch;
        block.live = all_epochs_.lower < all_epochs_.upper ? all_epochs_ : model::Interval{0, 1};
      }
    }
  }

  // Two names of one tensor: same bytes, same epochs.
  void find_same_places() {
    using Place = std::tuple<std::string, std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;
    std::map<Place, std::size_t> first;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const model::PlannedBlock& block = blocks_[i];
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
        unite(i, found->second);
      }
    }
  }

  void unite(std::size_t a, std::size_t b) {
    const std::size_t first = root_of(a);
    const std::size_t second = root_of(b);
    if (first != second) {
      roots_[std::max(first, second)] = std::min(first, second);
    }
  }

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

  void make_groups() {
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      groups[root_of(i)].push_back(i);
    }
    for (const auto& [first, members] : groups) {
      // Of more, nobody could say what they need when: they are told to share bytes.
      if (members.size() > 1 && members.size() <= model::kMostWindows) {
        make_group(members);
      }
    }
  }

  void make_group(const std::vector<std::size_t>& members) {
    const model::PlannedBlock& first = blocks_[members.front()];
    model::PlannedBlock group;
    group.id = fmt::format("group of {}", first.id);
    group.memory = first.memory;
    group.line = first.line;
    group.live = first.live;
    group.offset = first.offset;
    core::Bytes end;
    for (const std::size_t i : members) {
      const model::PlannedBlock& block = blocks_[i];
      group.live->lower = std::min(group.live->lower, block.live->lower);
      group.live->upper = std::max(group.live->upper, block.live->upper);
      group.offset = std::min(*group.offset, *block.offset);
      end = std::max(end, *block.offset + block.size);
      group.alignment = std::max(group.alignment, block.alignment);
    }
    // With the group, each member is aligned as it is now.
    const core::Align alignment = group.alignment.value_or(core::Align{});
    group.offset = core::Bytes{group.offset->count() & ~(alignment.value() - 1)};
    group.size = end - *group.offset;
    for (const std::size_t i : members) {
      const model::PlannedBlock& block = blocks_[i];
      const core::Bytes begin = *block.offset - *group.offset;
      group.windows.push_back({*block.live, begin, begin + block.size});
    }
    group.windows = model::united(group.windows);
    const auto whole = std::ranges::find_if(members, [&](std::size_t i) {
      return blocks_[i].offset == group.offset && blocks_[i].size == group.size;
    });
    const bool is_plain = whole != members.end() && group.windows.size() == 1 &&
                          group.windows.front() == model::Window{*group.live, {}, group.size};
    const std::string root = is_plain ? blocks_[*whole].id : group.id;
    for (const std::size_t i : members) {
      blocks_[i].alias_of = blocks_[i].id == root ? std::string{} : root;
    }
    if (!is_plain) {
      groups_.push_back(std::move(group));
    }
  }

  void finish_blocks() {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (uses_[i] != 0) {
        blocks_[i].uses = uses_[i];
      }
    }
    report_.blocks = std::move(blocks_);
    for (model::PlannedBlock& group : groups_) {
      // Ids of the report are numbers; one that is not could be anything.
      if (is_new(group.id, {group.line, 0})) {
        report_.blocks.push_back(std::move(group));
      }
    }
    if (report_.blocks.empty()) {
      error(Code::kPlanSyntax, {}, "this report has no buffers", kMakeAgain);
    }
  }

  void check_pools() {
    for (const auto& [key, pool] : pools_) {
      if (pool.listed > pool.buffers && !pool.is_sum) {
        report_.abridged = true;
        warn(Code::kPlanAbridged,
             pool.place,
             fmt::format("{} lists {}, but {} of them are there",
                         shown(pool),
                         core::plural(pool.listed, "buffer"),
                         pool.buffers),
             kMakeAgain);
      }
      const core::Bytes end = std::max(pool.params_end, pool.activations_end);
      if (pool.used && end > *pool.used) {
        warn(Code::kPlanContradiction,
             pool.place,
             fmt::format("{} uses {} B, but its highest buffer ends at {}",
                         shown(pool),
                         pool.used->count(),
                         end.count()),
             kMakeAgain);
      }
      if (pool.buffers == 0) {
        continue;
      }
      model::PlannedArena arena{
          .memory = pool.name,
          .role = pool.has_activations ? Lifetime::kScratch : Lifetime::kConstant,
          .total = pool.used,
          .line = pool.place.line};
      if (pool.alignment.value() > 1) {
        arena.alignment = pool.alignment;
      }
      report_.arenas.push_back(std::move(arena));
    }
  }

  static std::string shown(const Pool& pool) {
    return fmt::format("pool '{}'", core::printable(pool.name, kLongestShown));
  }

  // Sums over pools, as the report's own text has them.
  void check_footprint(docs::Value footprint) {
    if (!footprint || !is_object(footprint)) {
      return;
    }
    core::Bytes params;
    core::Bytes activations;
    for (const auto& [key, pool] : pools_) {
      if (pool.has_params && pool.has_activations) {
        return;
      }
      const core::Bytes end = std::max(pool.params_end, pool.activations_end);
      const core::Bytes used = std::max(end, pool.used.value_or(core::Bytes{}));
      (pool.has_params ? params : activations) += pool.buffers == 0 ? core::Bytes{} : used;
    }
    compare(footprint, "weights", params);
    compare(footprint, "activations", activations);
  }

  void compare(docs::Value footprint, const char* key, core::Bytes sum) {
    const auto said = size_if_any(footprint, key);
    if (said && *said != sum) {
      warn(Code::kPlanContradiction,
           footprint[key].position(),
           fmt::format("memory_footprint says {} B of {}, the pools use {} B",
                       said->count(),
                       key,
                       sum.count()),
           kMakeAgain);
    }
  }

  model::PlanReport report_;
  std::map<std::string, Pool> pools_;
  std::map<std::string, std::string> pool_names_;
  // Of the buffers, in the report's order.
  std::vector<model::PlannedBlock> blocks_;
  std::vector<const Pool*> pool_of_;
  std::vector<std::uint64_t> uses_;
  std::map<std::string, std::size_t> index_;
  std::map<std::size_t, std::size_t> roots_;
  std::vector<std::pair<std::size_t, std::size_t>> in_place_;
  std::vector<model::PlannedBlock> groups_;
  model::Interval all_epochs_{model::kLastStep, -model::kLastStep};
  core::Bytes total_;
};

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
  return InfoReader{path}.read(*document);
}

}  // namespace memsize::readers
