// Bytes by lifetime and by pool. Two constants may share a range, and ranges need not be in the
// order of operands: a pool is counted by what any of them covers.
#include "nnapi/operands.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memsize::network {

namespace {

using board::NnFormat;
using board::NnRole;
using core::Bytes;

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

void count_ranges(std::vector<Range> ranges, NnPoolUse& use) {
  std::ranges::sort(ranges, {}, &Range::begin);
  std::uint64_t end = 0;
  for (const Range& range : ranges) {
    use.bytes += Bytes{range.end - range.begin};
    const std::uint64_t from = std::max(range.begin, end);
    use.covered += Bytes{range.end} - Bytes{from};
    end = std::max(end, range.end);
  }
  use.count = ranges.size();
  use.end = Bytes{end};
}

// Nothing: it is not known whole.
std::optional<Range> range_of(const model::NnLocation& location) {
  if (!location.offset || !location.length) {
    return std::nullopt;
  }
  const auto end = core::checked_add(*location.offset, *location.length);
  return end ? std::optional{Range{*location.offset, *end}} : std::nullopt;
}

void add_bytes(NnRoleUse& use, const std::optional<Bytes>& bytes) {
  ++use.count;
  use.bytes += bytes.value_or(Bytes{});
  use.unknown += bytes ? 0U : 1U;
}

std::optional<Bytes> bytes_if(const std::optional<std::uint64_t>& number) {
  return number ? std::optional{Bytes{*number}} : std::nullopt;
}

class ModelCounter {
 public:
  ModelCounter(const NnFormat& format, const model::NnModel& model)
      : format_(format), model_(model) {}

  NnModelUse count() {
    const model::NnSubgraph& main = model_.main;
    use_.hal = nn_hal(model_);
    use_.line = model_.line;
    use_.operands = main.operands.items.size();
    use_.announced_operands = main.operands.announced;
    use_.operations = main.operations.items.size();
    use_.announced_operations = main.operations.announced;
    use_.subgraphs = model_.referenced.size();
    use_.is_whole = nn_is_whole(model_);
    use_.values_size = bytes_if(model_.values_size);
    use_.has_operands = true;
    for (const model::NnSubgraph* graph : nn_graphs(model_)) {
      use_.operand_bytes.emplace_back();
      count_graph(*graph, graph == &main);
      use_.has_operands = use_.has_operands && graph->operands.is_whole;
    }
    if (!copied_.empty() || use_.values_size) {
      use_.values = NnPoolUse{.size = use_.values_size, .off_rule = off_rule_[kValues]};
      count_ranges(copied_, *use_.values);
    }
    count_pools();
    return std::move(use_);
  }

 private:
  static constexpr std::uint64_t kValues = UINT64_MAX;

  void count_graph(const model::NnSubgraph& graph, bool is_main) {
    const auto uses = nn_uses(graph);
    for (std::size_t i = 0; i < graph.operands.items.size(); ++i) {
      const model::NnOperand& operand = graph.operands.items[i];
      const auto role = nn_role(format_, operand);
      const auto bytes = nn_bytes(format_, operand.type, operand.dimensions);
      use_.operand_bytes.back().push_back(bytes);
      if (role == NnRole::kTemporary) {
        add_bytes(use_.temporaries, bytes);
        lay_out(graph, uses[i], bytes);
      } else if ((role == NnRole::kInput || role == NnRole::kOutput) && is_main) {
        add_bytes(role == NnRole::kInput ? use_.inputs : use_.outputs, bytes);
      } else if (role == NnRole::kCopy) {
        add_constant(operand.location, kValues, copied_);
      } else if (role == NnRole::kPool && operand.location.pool) {
        add_constant(operand.location, *operand.location.pool, pools_[*operand.location.pool]);
      }
    }
  }

  void add_constant(const model::NnLocation& location,
                    std::uint64_t pool,
                    std::vector<Range>& ranges) {
    const auto range = range_of(location);
    if (!range) {
      return;
    }
    const std::uint64_t alignment = nn_alignment(range->end - range->begin);
    off_rule_[pool] += range->begin % alignment == 0 ? 0U : 1U;
    ranges.push_back(*range);
  }

  // Its number in the graph's list of operations is all that a WHILE is known by here.
  void lay_out(const model::NnSubgraph& graph,
               const NnUses& uses,
               const std::optional<Bytes>& bytes) {
    if (!bytes) {
      return;
    }
    const bool loops =
        uses.first_write && graph.operations.items[*uses.first_write].type == "WHILE";
    const core::Align padding =
        model_.skin == model::NnSkin::kHidl ? format_.padding_of_hidl : format_.padding_of_aidl;
    for (int copies = loops ? 2 : 1; copies > 0; --copies) {
      use_.laid_out_by_runtime = core::align_up(use_.laid_out_by_runtime, format_.alignment) +
                                 core::align_up(*bytes, padding);
    }
  }

  void count_pools() {
    const std::size_t printed = model_.pools ? model_.pools->items.size() : 0;
    for (std::size_t i = 0; i < printed; ++i) {
      (void)pools_[i];
    }
    for (auto& [index, ranges] : pools_) {
      NnPoolUse use{.index = index, .off_rule = off_rule_[index]};
      if (index < printed) {
        const model::NnPool& pool = model_.pools->items[static_cast<std::size_t>(index)];
        const board::NnMemory* const memory = format_.find_memory(pool.name);
        use.name = memory == nullptr ? pool.name : memory->names.front();
        use.size = bytes_if(pool.size);
      }
      count_ranges(std::move(ranges), use);
      use_.pools.push_back(std::move(use));
    }
  }

  const NnFormat& format_;
  const model::NnModel& model_;
  NnModelUse use_;
  std::vector<Range> copied_;
  std::map<std::uint64_t, std::vector<Range>> pools_;
  std::map<std::uint64_t, std::size_t> off_rule_;
};

// A request's pools, each of which is a memory of its own.
class RequestCounter {
 public:
  RequestCounter(const model::NnRequest& request, const NnFormat& format)
      : request_(request),
        format_(format),
        padding_(request.skin == model::NnSkin::kHidl ? format.padding_of_hidl
                                                      : format.padding_of_aidl) {}

  NnRequestUse count() {
    use_.line = request_.line;
    use_.is_whole =
        request_.inputs.is_whole && request_.outputs.is_whole && request_.pools.is_whole;
    for (const auto* list : {&request_.inputs, &request_.outputs}) {
      for (std::size_t i = 0; i < list->items.size(); ++i) {
        add(list->items[i], i, list == &request_.outputs);
      }
    }
    for (std::size_t i = 0; i < request_.pools.items.size(); ++i) {
      (void)pools_[i];
    }
    for (auto& [index, pool] : pools_) {
      NnPoolUse use{.index = index};
      if (index < request_.pools.items.size()) {
        const model::NnPool& printed = request_.pools.items[static_cast<std::size_t>(index)];
        const board::NnMemory* const memory = format_.find_memory(printed.name);
        use.name = memory == nullptr ? printed.name : memory->names.front();
        use.size = bytes_if(printed.size);
      }
      count_ranges(std::move(pool.ranges), use);
      use_.pools.push_back(std::move(use));
      use_.preferred_extra += pool.laid_out - pool.taken;
    }
    return std::move(use_);
  }

 private:
  struct Pool {
    std::vector<Range> ranges;
    Bytes laid_out;
    Bytes taken;
  };

  void add(const model::NnArgument& argument, std::size_t index, bool is_output) {
    const model::NnLocation& location = argument.location;
    const bool is_in_pool = argument.lifetime == "POOL";
    use_.arguments.push_back({is_output,
                              index,
                              argument.lifetime,
                              is_in_pool ? location.pool : std::nullopt,
                              is_in_pool ? bytes_if(location.offset) : std::nullopt,
                              bytes_if(location.length),
                              bytes_if(location.padding),
                              argument.dimensions.items});
    const auto range = range_of(location);
    if (!is_in_pool || !range || !location.pool) {
      return;
    }
    Pool& pool = pools_[*location.pool];
    pool.ranges.push_back(*range);
    if (range->end == range->begin) {
      // Of a driver's buffer, or a picture's: all of it.
      return;
    }
    const Bytes length{range->end - range->begin};
    const Bytes padded = length + Bytes{location.padding.value_or(0)};
    const bool is_preferred = core::is_aligned(range->begin, format_.alignment) &&
                              padded >= core::align_up(length, padding_);
    use_.not_preferred += is_preferred ? 0U : 1U;
    pool.laid_out =
        core::align_up(pool.laid_out, format_.alignment) + core::align_up(length, padding_);
    pool.taken += length;
  }

  const model::NnRequest& request_;
  const NnFormat& format_;
  core::Align padding_;
  NnRequestUse use_;
  std::map<std::uint64_t, Pool> pools_;
};

// Large values of one model, in the order of their calls, each at a multiple of 1, 2 or 4; their
// pool is made when the model is finished, and is as large as they are.
class LargeValues {
 public:
  LargeValues(NnEventUse& use, bool is_doubtful) : use_(use), is_doubtful_(is_doubtful) {}

  void add(std::size_t value) {
    const auto& size = use_.values[value].size;
    const auto end = size ? core::checked_add(*size, end_ + nn_alignment(*size)) : std::nullopt;
    is_known_ = is_known_ && end;
    if (is_known_) {
      const std::uint64_t alignment = nn_alignment(*size);
      const std::uint64_t begin = (end_ + alignment - 1) / alignment * alignment;
      offsets_.emplace_back(value, begin);
      end_ = begin + *size;
    }
    ++count_;
  }

  // Of what the log says when it is made.
  void finish(const std::optional<std::uint64_t>& size, const std::optional<std::uint64_t>& count) {
    const bool is_refuted = (size && *size != end_) || (count && *count != count_);
    use_.lacks_values = use_.lacks_values || is_refuted || !is_known_;
    if (is_known_ && !is_refuted && (size || count || !is_doubtful_)) {
      for (const auto& [value, offset] : offsets_) {
        use_.values[value].offset = offset;
      }
    }
    offsets_.clear();
    end_ = 0;
    count_ = 0;
    is_known_ = true;
  }

  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  NnEventUse& use_;
  bool is_doubtful_ = false;
  std::vector<std::pair<std::size_t, std::uint64_t>> offsets_;
  std::uint64_t end_ = 0;
  std::uint64_t count_ = 0;
  bool is_known_ = true;
};

void count_values(const model::NnEvents& events, bool is_doubtful, NnEventUse& use) {
  using Kind = model::NnValue::Kind;
  use.values = events.values;
  LargeValues large{use, is_doubtful};
  auto pool = events.large_pools.begin();
  const auto finish_before = [&](std::size_t line) {
    std::optional<std::uint64_t> size;
    std::optional<std::uint64_t> count;
    for (; pool != events.large_pools.end() && pool->line < line; ++pool) {
      count = pool->values ? pool->values : count;
      size = pool->size ? pool->size : size;
    }
    if (!large.empty() && (size || count || line == SIZE_MAX)) {
      large.finish(size, count);
    }
  };
  for (std::size_t i = 0; i < use.values.size(); ++i) {
    const model::NnValue& value = use.values[i];
    finish_before(value.line);
    if (value.kind == Kind::kLarge) {
      large.add(i);
    }
    if (value.kind == Kind::kCopied && value.offset && value.size) {
      if (const auto end = core::checked_add(*value.offset, *value.size)) {
        use.copied_end = std::max(use.copied_end.value_or(Bytes{}), Bytes{*end});
      }
    }
    if (value.kind != Kind::kUnknown) {
      add_bytes(value.kind == Kind::kCopied  ? use.copied
                : value.kind == Kind::kLarge ? use.large
                                             : use.from_memory,
                bytes_if(value.size));
    }
  }
  finish_before(SIZE_MAX);
}

NnEventUse count_events(const model::NnEvents& events, bool is_doubtful) {
  NnEventUse use{
      .process = events.process, .device = events.device, .failed = events.failures.size()};
  count_values(events, is_doubtful, use);
  for (const model::NnLargePool& pool : events.large_pools) {
    if (pool.size) {
      use.large_pool = use.large_pool.value_or(Bytes{}) + Bytes{*pool.size};
      ++use.large_pools;
    }
  }
  std::map<std::pair<bool, std::uint64_t>, std::size_t> places;
  for (const model::NnBinding& binding : events.bindings) {
    NnArgumentUse argument{binding.is_output,
                           binding.index,
                           binding.kind,
                           binding.pool,
                           bytes_if(binding.offset),
                           std::nullopt,
                           std::nullopt,
                           binding.dimensions.value_or(model::NnNumbers{}).items};
    const auto [known, is_new] =
        places.try_emplace({argument.is_output, argument.index}, use.arguments.size());
    if (is_new) {
      use.arguments.push_back(std::move(argument));
    } else {
      use.arguments[known->second] = std::move(argument);
    }
  }
  for (const model::NnTemporary& temporary : events.temporaries) {
    const Bytes end = Bytes{temporary.offset} + Bytes{temporary.padded_length};
    use.between_devices = std::max(use.between_devices.value_or(Bytes{}), end);
  }
  return use;
}

model::NnModel without_places(model::NnModel model) {
  const auto clear = [](model::NnSubgraph& graph) {
    for (model::NnOperand& operand : graph.operands.items) {
      operand.line = 0;
    }
    for (model::NnOperation& operation : graph.operations.items) {
      operation.line = 0;
    }
  };
  clear(model.main);
  std::ranges::for_each(model.referenced, clear);
  return model;
}

bool same_model(const model::NnModel& a, const model::NnModel& b) {
  return a.main.operands.items.size() == b.main.operands.items.size() &&
         a.main.operations.items.size() == b.main.operations.items.size() && a.skin == b.skin &&
         a.values_size == b.values_size && without_places(a).main == without_places(b).main &&
         without_places(a).referenced == without_places(b).referenced;
}

}  // namespace

std::vector<NnDistinctModel> nn_distinct(const model::NnLog& log) {
  // Compared with the last few alone: who prints a model twice does so at once.
  constexpr std::size_t kCompared = 8;
  std::vector<NnDistinctModel> distinct;
  for (std::size_t i = 0; i < log.models.size(); ++i) {
    const std::size_t first = distinct.size() - std::min(distinct.size(), kCompared);
    const auto known = std::find_if(
        distinct.begin() + static_cast<std::ptrdiff_t>(first),
        distinct.end(),
        [&](const auto& each) { return same_model(log.models[each.index], log.models[i]); });
    if (known == distinct.end()) {
      distinct.push_back({i, 1});
    } else {
      ++known->times;
    }
  }
  return distinct;
}

bool nn_lacks_values(const model::NnLog& log) {
  return std::ranges::any_of(log.events, [](const model::NnEvents& events) {
    NnEventUse use;
    count_values(events, true, use);
    return use.lacks_values;
  });
}

NnAccount nn_account(const model::NnLog& log, const NnFormat& format) {
  NnAccount account;
  for (const NnDistinctModel& each : nn_distinct(log)) {
    account.models.push_back(ModelCounter{format, log.models[each.index]}.count());
    account.models.back().index = each.index;
    account.models.back().times = each.times;
  }
  for (const model::NnRequest& request : log.requests) {
    account.requests.push_back(RequestCounter{request, format}.count());
  }
  for (const model::NnEvents& events : log.events) {
    account.events.push_back(count_events(events, log.repeated_lines != 0 || log.is_cut));
  }
  return account;
}

std::vector<model::PlannedArena> nn_arenas(const NnAccount& account) {
  std::vector<model::PlannedArena> arenas;
  for (std::size_t i = 0; i < account.models.size(); ++i) {
    const NnModelUse& model = account.models[i];
    const std::string prefix = i == 0 ? std::string{} : fmt::format("model {}, ", i + 1);
    const auto add = [&](std::string_view name, model::Lifetime role) -> model::PlannedArena& {
      model::PlannedArena& arena = arenas.emplace_back();
      arena.memory = fmt::format("{}{}", prefix, name);
      arena.role = role;
      return arena;
    };
    const auto add_pool = [&](std::string_view name, const NnPoolUse& pool) {
      model::PlannedArena& arena = add(name, model::Lifetime::kConstant);
      arena.total = pool.size;
      arena.used = pool.end;
    };
    const auto add_role = [&](std::string_view name, const NnRoleUse& use) {
      if (use.count != 0) {
        model::PlannedArena& arena = add(name, model::Lifetime::kScratch);
        arena.used = use.unknown == 0 ? std::optional{use.bytes} : std::nullopt;
      }
    };
    if (model.values) {
      add_pool("operandValues", *model.values);
    }
    for (const NnPoolUse& pool : model.pools) {
      add_pool(fmt::format("pool {}", *pool.index), pool);
    }
    add_role("inputs", model.inputs);
    add_role("outputs", model.outputs);
  }
  return arenas;
}

}  // namespace memsize::network
