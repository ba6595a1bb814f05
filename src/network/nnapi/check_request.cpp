// What drivers' validators look at in a request, and what only the documents forbid: an output
// shares bytes with nothing else. A buffer of the driver's counts as one of no bytes, whose offset
// and length must be 0.
#include "memsize/core/find.hpp"

#include "nnapi/findings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

namespace memsize::network {

namespace {

using board::NnFormat;
using core::Bytes;
using core::Code;

struct Placed {
  std::size_t index = 0;
  bool is_output = false;
  std::uint64_t pool = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t line = 0;
};

// An argument of a request, and where what is wrong with it goes.
class CheckedArgument {
 public:
  CheckedArgument(const model::NnRequest& request,
                  std::size_t number,
                  std::size_t index,
                  bool is_output,
                  NnFindings& found)
      : argument_((is_output ? request.outputs : request.inputs).items[index]),
        number_(number),
        index_(index),
        is_output_(is_output),
        found_(found) {}

  const model::NnArgument& operator*() const { return argument_; }

  const model::NnArgument* operator->() const { return &argument_; }

  [[nodiscard]] std::size_t index() const { return index_; }

  [[nodiscard]] bool is_output() const { return is_output_; }

  void error(Code code, std::string_view what, std::string hint = {}) const {
    found_.error(code,
                 argument_.line,
                 fmt::format("{} {} of request {} {}: {}",
                             is_output_ ? "output" : "input",
                             index_,
                             number_,
                             what,
                             kNnInvalid),
                 std::move(hint));
  }

 private:
  const model::NnArgument& argument_;
  std::size_t number_;
  std::size_t index_;
  bool is_output_;
  NnFindings& found_;
};

// "outputs 0 and 1", "input 0 and output 2".
std::string both_names(const Placed& one, const Placed& other) {
  const bool are_outputs = one.is_output && other.is_output;
  return are_outputs ? fmt::format("outputs {} and {}",
                                   std::min(one.index, other.index),
                                   std::max(one.index, other.index))
                     : fmt::format("input {} and output {}",
                                   one.is_output ? other.index : one.index,
                                   one.is_output ? one.index : other.index);
}

// What the model has of them; null where the log does not have it.
const model::NnNumbers* wanted_list(const model::NnModel* model, bool is_output) {
  const model::NnNumbers* const list = model == nullptr ? nullptr
                                       : is_output      ? &model->main.outputs
                                                        : &model->main.inputs;
  return list != nullptr && list->is_whole ? list : nullptr;
}

// The operand that the argument is for; null where the log does not have it.
const model::NnOperand* operand_of(const model::NnModel* model, std::size_t index, bool is_output) {
  const model::NnNumbers* const wanted = wanted_list(model, is_output);
  if (wanted == nullptr || index >= wanted->items.size()) {
    return nullptr;
  }
  const auto& operands = model->main.operands.items;
  const std::uint64_t operand = wanted->items[index];
  return operand < operands.size() ? &operands[static_cast<std::size_t>(operand)] : nullptr;
}

// Where it lies; nothing where that is not in bytes of a pool.
std::optional<Placed> check_place(const CheckedArgument& argument,
                                  const model::NnList<model::NnPool>& pools,
                                  const NnFormat& format) {
  const model::NnLocation& at = argument->location;
  if (!at.pool || !at.offset || !at.length) {
    return std::nullopt;
  }
  if (*at.pool >= pools.items.size()) {
    if (pools.is_whole) {
      argument.error(
          Code::kNnBounds,
          fmt::format("lies in pool {}, of which there are {}", *at.pool, pools.items.size()));
    }
    return std::nullopt;
  }
  const model::NnPool& pool = pools.items[static_cast<std::size_t>(*at.pool)];
  const board::NnMemory* const memory = format.find_memory(pool.name);
  if (memory != nullptr && memory->is_managed) {
    if (*at.offset != 0 || *at.length != 0 || at.padding.value_or(0) != 0) {
      argument.error(
          Code::kNnRequest,
          fmt::format(
              "uses a buffer of the driver's with offset {} and length {}", *at.offset, *at.length),
          "such a buffer is used whole: offset, length and padding are 0");
    }
    return std::nullopt;
  }
  const auto length = core::checked_add(*at.length, at.padding.value_or(0));
  const auto end = length ? core::checked_add(*at.offset, *length) : std::nullopt;
  if (pool.size && (!end || *end > *pool.size)) {
    argument.error(Code::kNnBounds,
                   fmt::format("ends at {} in pool {}, which has {}",
                               end ? fmt::format("{}", *end) : std::string{"more than 2^64"},
                               *at.pool,
                               core::format_bytes(Bytes{*pool.size})));
  } else if (pool.size.value_or(0) > 0 && *at.length == 0) {
    argument.error(Code::kNnRequest,
                   fmt::format("has length 0 in pool {}, which has {}",
                               *at.pool,
                               core::format_bytes(Bytes{*pool.size})));
  }
  if (!end || *at.length == 0) {
    return std::nullopt;
  }
  return Placed{argument.index(),
                argument.is_output(),
                *at.pool,
                *at.offset,
                *at.offset + *at.length,
                argument->line};
}

void check_dimensions(const CheckedArgument& argument,
                      const model::NnOperand& operand,
                      const NnFormat& format) {
  if (!argument->dimensions.is_whole || argument->dimensions.has_negative ||
      !operand.dimensions.is_whole || operand.dimensions.has_negative) {
    return;
  }
  const auto& given = argument->dimensions.items;
  const auto& known = operand.dimensions.items;
  if (!given.empty() && !known.empty() && given.size() != known.size()) {
    return argument.error(
        Code::kNnRequest,
        fmt::format(
            "has {} of the model's {}", core::plural(given.size(), "dimension"), known.size()));
  }
  for (std::size_t i = 0; i < std::min(given.size(), known.size()); ++i) {
    if (known[i] != 0 && given[i] != known[i] && !(argument.is_output() && given[i] == 0)) {
      return argument.error(
          Code::kNnRequest,
          fmt::format("has {} in dimension {}, and the model {}", given[i], i, known[i]));
    }
  }
  if (!argument.is_output() && core::contains(given, 0U)) {
    return argument.error(Code::kNnRequest, "has a dimension that is not known");
  }
  model::NnNumbers both = argument->dimensions;
  both.items = given.empty() ? known : given;
  const auto bytes = nn_bytes(format, operand.type, both);
  if (nn_is_too_large(format, operand.type, both)) {
    return argument.error(Code::kNnLength,
                          "takes more bytes than the runtime's 32 bits count",
                          "divide it into parts");
  }
  if (!argument.is_output() && !bytes && format.find_type(operand.type) != nullptr &&
      !format.find_type(operand.type)->is_free) {
    return argument.error(Code::kNnRequest, "has no dimensions, and the model does not know them");
  }
  const auto& length = argument->location.length;
  if (bytes && length && *length != 0 && *length != bytes->count() &&
      !format.find_type(operand.type)->is_free) {
    argument.error(Code::kNnLength,
                   fmt::format("takes {}, but its place has {}",
                               core::format_bytes(*bytes),
                               core::format_bytes(Bytes{*length})));
  }
}

// Its place as check_place() has it. `operand`: what it is for, null where that is not known.
std::optional<Placed> check_argument(const CheckedArgument& argument,
                                     const model::NnOperand* operand,
                                     const model::NnList<model::NnPool>& pools,
                                     const NnFormat& format) {
  const model::NnLocation& at = argument->location;
  if (at.is_negative) {
    argument.error(Code::kNnBounds, "has a pool, offset, length or padding below 0");
  }
  if (argument->dimensions.has_negative) {
    argument.error(Code::kNnRequest, "has a dimension below 0");
  }
  if (argument->lifetime == "NO_VALUE") {
    const bool has_place = at.pool.value_or(0) != 0 || at.offset.value_or(0) != 0 ||
                           at.length.value_or(0) != 0 || at.padding.value_or(0) != 0;
    if (has_place || !argument->dimensions.items.empty()) {
      argument.error(Code::kNnRequest,
                     "has no value, and a place or dimensions",
                     "what is left out is 0 everywhere");
    }
    return std::nullopt;
  }
  const auto placed =
      argument->lifetime == "POOL" ? check_place(argument, pools, format) : std::nullopt;
  if (operand != nullptr) {
    check_dimensions(argument, *operand, format);
  }
  return placed;
}

// An output with an output, or with an input: nobody looks but the documents.
void check_aliases(std::vector<Placed> placed, std::size_t number, NnFindings& found) {
  constexpr std::size_t kMostAliases = 1000;
  std::size_t aliases = 0;
  std::ranges::sort(placed, [](const Placed& a, const Placed& b) {
    return std::tie(a.pool, a.begin, a.end, a.is_output, a.index) <
           std::tie(b.pool, b.begin, b.end, b.is_output, b.index);
  });
  for (std::size_t i = 0; i < placed.size(); ++i) {
    for (std::size_t j = i + 1;
         j < placed.size() && placed[j].pool == placed[i].pool && placed[j].begin < placed[i].end;
         ++j) {
      if (!placed[i].is_output && !placed[j].is_output) {
        continue;
      }
      const std::uint64_t end = std::min(placed[i].end, placed[j].end);
      found.warn(Code::kNnAlias,
                 placed[j].line,
                 fmt::format("{} of request {} share {} of pool {} [{}, {}); the documents "
                             "forbid it, the framework does not look",
                             both_names(placed[i], placed[j]),
                             number,
                             core::format_bytes(Bytes{end - placed[j].begin}),
                             placed[i].pool,
                             placed[j].begin,
                             end));
      if (++aliases == kMostAliases) {
        return;
      }
    }
  }
}

// A buffer of the driver's is an output of a request once, and then nothing else of it.
void check_driver_buffers(const model::NnRequest& request,
                          std::size_t number,
                          const NnFormat& format,
                          NnFindings& found) {
  std::vector<bool> is_read(request.pools.items.size(), false);
  std::vector<bool> is_written(request.pools.items.size(), false);
  const auto pool_of = [&](const model::NnArgument& argument) -> std::optional<std::size_t> {
    const auto& pool = argument.location.pool;
    if (argument.lifetime != "POOL" || !pool || *pool >= request.pools.items.size()) {
      return std::nullopt;
    }
    const auto index = static_cast<std::size_t>(*pool);
    const auto* const memory = format.find_memory(request.pools.items[index].name);
    return memory != nullptr && memory->is_managed ? std::optional{index} : std::nullopt;
  };
  for (const model::NnArgument& argument : request.inputs.items) {
    if (const auto pool = pool_of(argument); pool) {
      is_read[*pool] = true;
    }
  }
  for (std::size_t i = 0; i < request.outputs.items.size(); ++i) {
    const auto pool = pool_of(request.outputs.items[i]);
    if (!pool) {
      continue;
    }
    if (is_read[*pool] || is_written[*pool]) {
      CheckedArgument{request, number, i, true, found}.error(
          Code::kNnRole,
          fmt::format("is a buffer of the driver's that is {} of it, too",
                      is_read[*pool] ? "an input" : "an output"),
          "several inputs may share a buffer, an output has one alone");
    }
    is_written[*pool] = true;
  }
}

// A request of one line, the events of others: what was given back before that line is no buffer.
void check_tokens(const model::NnLog& log, NnFindings& found) {
  std::vector<const model::NnTokenEvent*> all;
  for (const model::NnEvents& events : log.events) {
    for (const model::NnTokenEvent& event : events.tokens) {
      all.push_back(&event);
    }
  }
  std::ranges::stable_sort(all, {}, [](const auto* event) { return event->line; });
  std::map<std::int64_t, bool> is_live;
  auto next = all.begin();
  for (std::size_t i = 0; i < log.requests.size(); ++i) {
    const model::NnRequest& request = log.requests[i];
    for (; next != all.end() && (*next)->line < request.line; ++next) {
      is_live[(*next)->token] = (*next)->is_added;
    }
    for (const model::NnPool& pool : request.pools.items) {
      const auto known = pool.token ? is_live.find(*pool.token) : is_live.end();
      if (known != is_live.end() && !known->second) {
        found.error(Code::kNnToken,
                    request.line,
                    fmt::format("request {} uses token {}, which was given back: {}",
                                i + 1,
                                *pool.token,
                                kNnInvalid));
      }
    }
  }
}

}  // namespace

void check_nn_pool(const model::NnPool& pool,
                   const std::string& what,
                   std::string_view hal,
                   bool is_of_model,
                   const NnFormat& format,
                   NnFindings& found) {
  const board::NnMemory* const memory = format.find_memory(pool.name);
  if (memory == nullptr) {
    if (pool.name == "<empty memory>") {
      found.error(
          Code::kNnPool, pool.line, fmt::format("{} is empty memory: {}", what, kNnInvalid));
    } else if (!pool.name.empty()) {
      found.error(Code::kNnPool,
                  pool.line,
                  fmt::format("{} is '{}', a memory that no HAL has: {}",
                              what,
                              core::printable(pool.name, 60),
                              kNnFailure),
                  "a driver must find in getSupportedOperations that it cannot decode it");
    }
    return;
  }
  const std::string& name = memory->names.front();
  if (!format.has(hal, memory->since)) {
    found.error(Code::kNnPool,
                pool.line,
                fmt::format("{} is {}, which HAL {} does not have: it came with {}; {}",
                            what,
                            name,
                            core::printable(hal, 12),
                            memory->since,
                            kNnFailure));
  } else if (is_of_model && !memory->is_for_models) {
    found.error(Code::kNnPool,
                pool.line,
                fmt::format("{} is {}, which is for executions only: {}", what, name, kNnFailure),
                "constants lie in ashmem, mmap_fd or hardware_buffer_blob");
  }
  const bool is_bad_token =
      memory->is_managed && (pool.token ? *pool.token <= 0 : pool.name[0] == '<');
  if (is_bad_token) {
    found.error(Code::kNnToken,
                pool.line,
                fmt::format("{} is {}, which no buffer has: {}",
                            what,
                            pool.token ? fmt::format("token {}", *pool.token)
                                       : core::printable(pool.name, 60),
                            kNnInvalid),
                "tokens of buffers are above 0");
  }
}

void check_nn_request(const model::NnRequest& request,
                      std::size_t number,
                      const model::NnModel* model,
                      const NnFormat& format,
                      NnFindings& found) {
  for (std::size_t i = 0; i < request.pools.items.size(); ++i) {
    check_nn_pool(request.pools.items[i],
                  fmt::format("pool {} of request {}", i, number),
                  {},
                  false,
                  format,
                  found);
  }
  for (const bool is_output : {false, true}) {
    const auto& list = is_output ? request.outputs : request.inputs;
    const model::NnNumbers* const wanted = wanted_list(model, is_output);
    if (wanted != nullptr && list.is_whole && list.items.size() != wanted->items.size()) {
      found.error(Code::kNnRequest,
                  request.line,
                  fmt::format("request {} has {}, and the model {}: {}",
                              number,
                              core::plural(list.items.size(), is_output ? "output" : "input"),
                              wanted->items.size(),
                              kNnInvalid));
    }
  }
  std::vector<Placed> all;
  for (const bool is_output : {false, true}) {
    const std::size_t count = (is_output ? request.outputs : request.inputs).items.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto placed = check_argument({request, number, i, is_output, found},
                                         operand_of(model, i, is_output),
                                         request.pools,
                                         format);
      if (placed) {
        all.push_back(*placed);
      }
    }
  }
  check_aliases(std::move(all), number, found);
  check_driver_buffers(request, number, format, found);
}

core::Diagnostics check_nnapi(const model::NnLog& log,
                              const NnFormat& format,
                              const std::string& path) {
  NnFindings found{path};
  const auto distinct = nn_distinct(log);
  for (const NnDistinctModel& each : distinct) {
    check_nn_model(log.models[each.index], format, found);
  }
  const model::NnModel* const only =
      distinct.size() == 1 ? &log.models[distinct.front().index] : nullptr;
  for (std::size_t i = 0; i < log.requests.size(); ++i) {
    check_nn_request(log.requests[i], i + 1, only, format, found);
  }
  check_tokens(log, found);
  return found.take();
}

}  // namespace memsize::network
