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

class RequestChecker {
 public:
  RequestChecker(const model::NnRequest& request,
                 std::size_t number,
                 const model::NnModel* model,
                 const NnFormat& format,
                 NnFindings& found)
      : request_(request), number_(number), model_(model), format_(format), found_(found) {}

  void check() {
    for (std::size_t i = 0; i < request_.pools.items.size(); ++i) {
      check_nn_pool(request_.pools.items[i],
                    fmt::format("pool {} of request {}", i, number_),
                    {},
                    false,
                    format_,
                    found_);
    }
    check_count(request_.inputs, false);
    check_count(request_.outputs, true);
    for (std::size_t i = 0; i < request_.inputs.items.size(); ++i) {
      check_argument(i, false);
    }
    for (std::size_t i = 0; i < request_.outputs.items.size(); ++i) {
      check_argument(i, true);
    }
    check_aliases();
    check_buffers();
  }

 private:
  [[nodiscard]] std::string name_of(std::size_t index, bool is_output) const {
    return fmt::format("{} {} of request {}", is_output ? "output" : "input", index, number_);
  }

  void error(Code code,
             const model::NnArgument& argument,
             const std::string& message,
             std::string hint = {}) {
    found_.error(code, argument.line, fmt::format("{}: {}", message, kNnInvalid), std::move(hint));
  }

  // "outputs 0 and 1", "input 0 and output 2".
  static std::string names_of(const Placed& one, const Placed& other) {
    const bool are_outputs = one.is_output && other.is_output;
    return are_outputs ? fmt::format("outputs {} and {}",
                                     std::min(one.index, other.index),
                                     std::max(one.index, other.index))
                       : fmt::format("input {} and output {}",
                                     one.is_output ? other.index : one.index,
                                     one.is_output ? one.index : other.index);
  }

  [[nodiscard]] const model::NnNumbers* wanted_list(bool is_output) const {
    const model::NnNumbers* const list = model_ == nullptr ? nullptr
                                         : is_output       ? &model_->main.outputs
                                                           : &model_->main.inputs;
    return list != nullptr && list->is_whole ? list : nullptr;
  }

  void check_count(const model::NnList<model::NnArgument>& list, bool is_output) {
    const model::NnNumbers* const wanted = wanted_list(is_output);
    if (wanted == nullptr || !list.is_whole || list.items.size() == wanted->items.size()) {
      return;
    }
    found_.error(Code::kNnRequest,
                 request_.line,
                 fmt::format("request {} has {}, and the model {}: {}",
                             number_,
                             core::plural(list.items.size(), is_output ? "output" : "input"),
                             wanted->items.size(),
                             kNnInvalid));
  }

  // The operand that the argument is for; null where the log does not have it.
  [[nodiscard]] const model::NnOperand* operand_of(std::size_t index, bool is_output) const {
    const model::NnNumbers* const wanted = wanted_list(is_output);
    if (wanted == nullptr || index >= wanted->items.size()) {
      return nullptr;
    }
    const auto& operands = model_->main.operands.items;
    const std::uint64_t operand = wanted->items[index];
    return operand < operands.size() ? &operands[static_cast<std::size_t>(operand)] : nullptr;
  }

  void check_argument(std::size_t index, bool is_output) {
    const model::NnArgument& argument =
        is_output ? request_.outputs.items[index] : request_.inputs.items[index];
    const std::string name = name_of(index, is_output);
    const model::NnLocation& at = argument.location;
    if (at.is_negative) {
      error(Code::kNnBounds,
            argument,
            fmt::format("{} has a pool, offset, length or padding below 0", name));
    }
    if (argument.dimensions.has_negative) {
      error(Code::kNnRequest, argument, fmt::format("{} has a dimension below 0", name));
    }
    if (argument.lifetime == "NO_VALUE") {
      const bool has_place = at.pool.value_or(0) != 0 || at.offset.value_or(0) != 0 ||
                             at.length.value_or(0) != 0 || at.padding.value_or(0) != 0;
      if (has_place || !argument.dimensions.items.empty()) {
        error(Code::kNnRequest,
              argument,
              fmt::format("{} has no value, and a place or dimensions", name),
              "what is left out is 0 everywhere");
      }
      return;
    }
    if (argument.lifetime == "POOL") {
      check_place(argument, index, is_output);
    }
    if (const model::NnOperand* const operand = operand_of(index, is_output); operand != nullptr) {
      check_dimensions(argument, *operand, name, is_output);
    }
  }

  void check_place(const model::NnArgument& argument, std::size_t index, bool is_output) {
    const std::string name = name_of(index, is_output);
    const model::NnLocation& at = argument.location;
    if (!at.pool || !at.offset || !at.length) {
      return;
    }
    if (*at.pool >= request_.pools.items.size()) {
      if (request_.pools.is_whole) {
        error(Code::kNnBounds,
              argument,
              fmt::format("{} lies in pool {}, of which there are {}",
                          name,
                          *at.pool,
                          request_.pools.items.size()));
      }
      return;
    }
    const model::NnPool& pool = request_.pools.items[static_cast<std::size_t>(*at.pool)];
    const board::NnMemory* const memory = format_.find_memory(pool.name);
    if (memory != nullptr && memory->is_managed) {
      if (*at.offset != 0 || *at.length != 0 || at.padding.value_or(0) != 0) {
        error(Code::kNnRequest,
              argument,
              fmt::format("{} uses a buffer of the driver's with offset {} and length {}",
                          name,
                          *at.offset,
                          *at.length),
              "such a buffer is used whole: offset, length and padding are 0");
      }
      return;
    }
    const auto length = core::checked_add(*at.length, at.padding.value_or(0));
    const auto end = length ? core::checked_add(*at.offset, *length) : std::nullopt;
    if (pool.size && (!end || *end > *pool.size)) {
      error(Code::kNnBounds,
            argument,
            fmt::format("{} ends at {} in pool {}, which has {}",
                        name,
                        end ? fmt::format("{}", *end) : std::string{"more than 2^64"},
                        *at.pool,
                        core::format_bytes(Bytes{*pool.size})));
    } else if (pool.size.value_or(0) > 0 && *at.length == 0) {
      error(Code::kNnRequest,
            argument,
            fmt::format("{} has length 0 in pool {}, which has {}",
                        name,
                        *at.pool,
                        core::format_bytes(Bytes{*pool.size})));
    }
    if (end && *at.length != 0) {
      placed_.push_back(
          {index, is_output, *at.pool, *at.offset, *at.offset + *at.length, argument.line});
    }
  }

  void check_dimensions(const model::NnArgument& argument,
                        const model::NnOperand& operand,
                        const std::string& name,
                        bool is_output) {
    if (!argument.dimensions.is_whole || argument.dimensions.has_negative ||
        !operand.dimensions.is_whole || operand.dimensions.has_negative) {
      return;
    }
    const auto& given = argument.dimensions.items;
    const auto& known = operand.dimensions.items;
    if (!given.empty() && !known.empty() && given.size() != known.size()) {
      return error(Code::kNnRequest,
                   argument,
                   fmt::format("{} has {} of the model's {}",
                               name,
                               core::plural(given.size(), "dimension"),
                               known.size()));
    }
    for (std::size_t i = 0; i < std::min(given.size(), known.size()); ++i) {
      if (known[i] != 0 && given[i] != known[i] && !(is_output && given[i] == 0)) {
        return error(
            Code::kNnRequest,
            argument,
            fmt::format(
                "{} has {} in dimension {}, and the model {}", name, given[i], i, known[i]));
      }
    }
    if (!is_output && core::contains(given, 0U)) {
      return error(
          Code::kNnRequest, argument, fmt::format("{} has a dimension that is not known", name));
    }
    model::NnNumbers both = argument.dimensions;
    both.items = given.empty() ? known : given;
    const auto bytes = nn_bytes(format_, operand.type, both);
    if (nn_is_too_large(format_, operand.type, both)) {
      return error(Code::kNnLength,
                   argument,
                   fmt::format("{} takes more bytes than the runtime's 32 bits count", name),
                   "divide it into parts");
    }
    if (!is_output && !bytes && format_.find_type(operand.type) != nullptr &&
        !format_.find_type(operand.type)->is_free) {
      return error(Code::kNnRequest,
                   argument,
                   fmt::format("{} has no dimensions, and the model does not know them", name));
    }
    const auto& length = argument.location.length;
    if (bytes && length && *length != 0 && *length != bytes->count() &&
        !format_.find_type(operand.type)->is_free) {
      error(Code::kNnLength,
            argument,
            fmt::format("{} takes {}, but its place has {}",
                        name,
                        core::format_bytes(*bytes),
                        core::format_bytes(Bytes{*length})));
    }
  }

  // An output with an output, or with an input: nobody looks but the documents.
  void check_aliases() {
    std::ranges::sort(placed_, [](const Placed& a, const Placed& b) {
      return std::tie(a.pool, a.begin, a.end, a.is_output, a.index) <
             std::tie(b.pool, b.begin, b.end, b.is_output, b.index);
    });
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      for (std::size_t j = i + 1; j < placed_.size() && placed_[j].pool == placed_[i].pool &&
                                  placed_[j].begin < placed_[i].end;
           ++j) {
        if (!placed_[i].is_output && !placed_[j].is_output) {
          continue;
        }
        const std::uint64_t end = std::min(placed_[i].end, placed_[j].end);
        found_.warn(Code::kNnAlias,
                    placed_[j].line,
                    fmt::format("{} of request {} share {} of pool {} [{}, {}); the documents "
                                "forbid it, the framework does not look",
                                names_of(placed_[i], placed_[j]),
                                number_,
                                core::format_bytes(Bytes{end - placed_[j].begin}),
                                placed_[i].pool,
                                placed_[j].begin,
                                end));
        if (++aliases_ == kMostAliases) {
          return;
        }
      }
    }
  }

  // A buffer of the driver's is an output of a request once, and then nothing else of it.
  void check_buffers() {
    std::vector<bool> is_read(request_.pools.items.size(), false);
    std::vector<bool> is_written(request_.pools.items.size(), false);
    const auto pool_of = [&](const model::NnArgument& argument) -> std::optional<std::size_t> {
      const auto& pool = argument.location.pool;
      if (argument.lifetime != "POOL" || !pool || *pool >= request_.pools.items.size()) {
        return std::nullopt;
      }
      const auto index = static_cast<std::size_t>(*pool);
      const auto* const memory = format_.find_memory(request_.pools.items[index].name);
      return memory != nullptr && memory->is_managed ? std::optional{index} : std::nullopt;
    };
    for (const model::NnArgument& argument : request_.inputs.items) {
      if (const auto pool = pool_of(argument); pool) {
        is_read[*pool] = true;
      }
    }
    for (std::size_t i = 0; i < request_.outputs.items.size(); ++i) {
      const auto pool = pool_of(request_.outputs.items[i]);
      if (!pool) {
        continue;
      }
      if (is_read[*pool] || is_written[*pool]) {
        error(Code::kNnRole,
              request_.outputs.items[i],
              fmt::format("{} is a buffer of the driver's that is {} of it, too",
                          name_of(i, true),
                          is_read[*pool] ? "an input" : "an output"),
              "several inputs may share a buffer, an output has one alone");
      }
      is_written[*pool] = true;
    }
  }

  static constexpr std::size_t kMostAliases = 1000;

  const model::NnRequest& request_;
  std::size_t number_ = 0;
  const model::NnModel* model_;
  const NnFormat& format_;
  NnFindings& found_;
  std::vector<Placed> placed_;
  std::size_t aliases_ = 0;
};

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
  RequestChecker{request, number, model, format, found}.check();
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
