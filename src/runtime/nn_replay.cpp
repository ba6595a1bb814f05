// A log has descriptors of the runtime's, what a driver says of them, tokens that come and go, and
// requests. A descriptor belongs to the next token or refusal, unless another descriptor stands
// between: then nobody knows which is meant, and the buffer's roles stay unknown. Of a request each
// argument in a known buffer is tried alone, so that a finding is about that buffer.
#include "memsize/runtime/nn_replay.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "target/nn/request.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using core::Code;

constexpr const char* kRefused = "INVALID_ARGUMENT";

// The reference keeps the places of operands and shapes: those of one model, as C has them.
class ReferenceModel {
 public:
  ReferenceModel(const model::NnModel& model, const board::NnFormat& format) {
    const model::NnSubgraph& main = model.main;
    is_known_ = main.operands.is_whole && main.inputs.is_whole && main.outputs.is_whole;
    const auto take = [&](const model::NnNumbers& list, std::vector<ms_nn_operand>& into) {
      for (const std::uint64_t index : list.items) {
        const bool is_there = index < main.operands.items.size();
        is_known_ = is_known_ && is_there;
        if (is_known_) {
          add(main.operands.items[static_cast<std::size_t>(index)], format, into);
        }
      }
    };
    take(main.inputs, inputs_);
    take(main.outputs, outputs_);
  }

  [[nodiscard]] bool is_known() const { return is_known_; }

  [[nodiscard]] ms_nn_model of(const ms_nn_device& device) const {
    return {&device,
            inputs_.data(),
            static_cast<std::uint32_t>(inputs_.size()),
            outputs_.data(),
            static_cast<std::uint32_t>(outputs_.size())};
  }

  static std::optional<ms_nn_shape> shape_of(const model::NnNumbers& numbers) {
    if (!numbers.is_whole || numbers.items.size() > MS_NN_RANK ||
        std::ranges::any_of(numbers.items, [](std::uint64_t number) {
          return number > std::numeric_limits<std::uint32_t>::max();
        })) {
      return std::nullopt;
    }
    ms_nn_shape shape{};
    shape.rank = static_cast<std::uint32_t>(numbers.items.size());
    std::ranges::transform(numbers.items, std::begin(shape.dims), [](std::uint64_t number) {
      return static_cast<std::uint32_t>(number);
    });
    return shape;
  }

 private:
  void add(const model::NnOperand& operand,
           const board::NnFormat& format,
           std::vector<ms_nn_operand>& into) {
    const board::NnType* const type = format.find_type(operand.type);
    const auto shape = shape_of(operand.dimensions);
    is_known_ = is_known_ && type != nullptr && shape && operand.scale && operand.zero_point;
    if (!is_known_) {
      return;
    }
    ms_nn_operand added{};
    added.type = static_cast<std::int32_t>(type->value);
    added.scale = static_cast<float>(*operand.scale);
    added.zero_point = static_cast<std::int32_t>(*operand.zero_point);
    added.shape = *shape;
    if (operand.channel_scales) {
      added.extra = operand.channel_scales->items.data();
      added.extra_size =
          static_cast<std::uint32_t>(operand.channel_scales->items.size() * sizeof(double));
    }
    into.push_back(added);
  }

  std::vector<ms_nn_operand> inputs_;
  std::vector<ms_nn_operand> outputs_;
  bool is_known_ = false;
};

std::string reason_of(ms_nn_test test) {
  switch (test) {
    case MS_NN_NO_MODEL:
      return "it names no model";
    case MS_NN_NO_ROLE:
      return "it has no role";
    case MS_NN_MODEL_INDEX:
      return "a role is of a model that it does not name";
    case MS_NN_IO_INDEX:
      return "a role is an input or output that the model does not have";
    case MS_NN_PROBABILITY:
      return "a role's probability is not above 0 and at most 1";
    case MS_NN_ROLE_TWICE:
      return "a role stands there twice";
    case MS_NN_TYPE:
      return "its roles differ in type";
    case MS_NN_SCALE:
      return "its roles differ in scale";
    case MS_NN_ZERO_POINT:
      return "its roles differ in zero point";
    case MS_NN_EXTRA:
      return "its roles differ in scales of channels";
    case MS_NN_DIMENSIONS:
      return "its dimensions and those of its roles do not agree";
    case MS_NN_SCALAR:
      return "it has dimensions, and its roles are scalars";
    default:
      return "it must be refused";
  }
}

struct Step {
  std::size_t line = 0;
  const model::NnDescriptor* descriptor = nullptr;
  const model::NnAllocation* allocation = nullptr;
  const model::NnTokenEvent* token = nullptr;
  const model::NnRequest* request = nullptr;
  std::size_t number = 0;
};

// A buffer that the log tells of; the reference's, where its descriptor is known.
struct Known {
  ms_nn_buffer* buffer = nullptr;
  const model::NnDescriptor* descriptor = nullptr;
  std::size_t line = 0;
};

// What a log tells, in its order.
std::vector<Step> steps_of(const model::NnLog& log) {
  std::vector<Step> steps;
  for (const model::NnEvents& events : log.events) {
    for (const model::NnDescriptor& descriptor : events.descriptors) {
      if (descriptor.is_whole) {
        steps.push_back({.line = descriptor.line, .descriptor = &descriptor});
      }
    }
    for (const model::NnAllocation& allocation : events.allocations) {
      steps.push_back({.line = allocation.line, .allocation = &allocation});
    }
    for (const model::NnTokenEvent& token : events.tokens) {
      steps.push_back({.line = token.line, .token = &token});
    }
  }
  for (std::size_t i = 0; i < log.requests.size(); ++i) {
    steps.push_back({.line = log.requests[i].line, .request = &log.requests[i], .number = i + 1});
  }
  std::ranges::stable_sort(steps, {}, &Step::line);
  return steps;
}

// The lines that tell of a failure, sorted.
std::vector<std::size_t> failures_of(const model::NnLog& log) {
  std::vector<std::size_t> failures;
  for (const model::NnEvents& events : log.events) {
    failures.insert(failures.end(), events.failures.begin(), events.failures.end());
  }
  std::ranges::sort(failures);
  return failures;
}

// The reference's service and one device, with the model where it is known. One buffer each token
// that comes; bytes are never touched, so that they need not be there.
class Reference {
 public:
  Reference(const model::NnModel* model,
            const board::NnFormat& format,
            const std::vector<Step>& steps)
      : model_(model == nullptr ? model::NnModel{} : *model, format),
        has_model_(model != nullptr && model_.is_known()) {
    std::size_t rows = 0;
    std::size_t roles = 0;
    for (const Step& step : steps) {
      rows += step.token != nullptr ? 1 : 0;
      roles += step.descriptor != nullptr ? step.descriptor->roles.size() : 0;
    }
    buffers_.resize(rows + 1);
    tokens_.resize(rows + 2);
    role_rows_.resize(roles + 1);
    service_.buffers = buffers_.data();
    service_.buffer_count = static_cast<std::uint32_t>(buffers_.size());
    service_.tokens = tokens_.data();
    service_.token_count = static_cast<std::uint32_t>(tokens_.size());
    service_.roles = role_rows_.data();
    service_.role_count = static_cast<std::uint32_t>(role_rows_.size());
    service_.context = &word_;
    service_.take = [](void* context, std::uint64_t) { return context; };
    service_.give = [](void*, void*, std::uint64_t) {};
    ms_nn_init(&service_);
    device_.service = &service_;
    device_.late_bytes = 1;
    prepared_ = model_.of(device_);
  }

  // C has their addresses.
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  // Whether a request has the model's arguments.
  [[nodiscard]] bool is_of_model(const model::NnRequest& request) const {
    return has_model_ && request.inputs.is_whole && request.outputs.is_whole &&
           request.pools.is_whole && request.inputs.items.size() == prepared_.input_count &&
           request.outputs.items.size() == prepared_.output_count;
  }

  // Nothing: the log does not say what the descriptor is about.
  std::optional<ms_nn_status> allocate(const model::NnDescriptor* asked, ms_nn_allocated& made) {
    const bool is_about_model = has_model_ && asked != nullptr && asked->models == 1U;
    const auto shape = is_about_model ? ReferenceModel::shape_of(asked->dimensions) : std::nullopt;
    if (!shape) {
      return std::nullopt;
    }
    std::vector<ms_nn_role> inputs;
    std::vector<ms_nn_role> outputs;
    for (const model::NnBufferRole& role : asked->roles) {
      (role.is_output ? outputs : inputs)
          .push_back({static_cast<std::int32_t>(role.model),
                      static_cast<std::int32_t>(role.index),
                      static_cast<float>(role.probability)});
    }
    const std::array<const ms_nn_model*, 1> models = {&prepared_};
    const ms_nn_desc desc = {*shape,
                             models.data(),
                             1,
                             inputs.data(),
                             static_cast<std::uint32_t>(inputs.size()),
                             outputs.data(),
                             static_cast<std::uint32_t>(outputs.size())};
    return ms_nn_allocate(&device_, &desc, &made);
  }

  // Runs with one argument in a buffer. All others are left out, which is always allowed.
  bool runs_with(const ms_nn_shape& shape,
                 std::size_t index,
                 bool is_output,
                 ms_nn_buffer& buffer) const {
    std::vector<ms_nn_argument> inputs(prepared_.input_count, {.has_no_value = 1});
    std::vector<ms_nn_argument> outputs(prepared_.output_count, {.has_no_value = 1});
    ms_nn_argument& tried = is_output ? outputs[index] : inputs[index];
    tried.has_no_value = 0;
    tried.shape = shape;
    const ms_nn_pool pool = {nullptr, buffer.token};
    const ms_nn_request asked = {
        inputs.data(), prepared_.input_count, outputs.data(), prepared_.output_count, &pool, 1};
    ms_nn_place place{};
    std::vector<ms_nn_span> spans(inputs.size() + outputs.size());
    ms_nn_execution execution{};
    execution.places = &place;
    execution.inputs = spans.data();
    execution.outputs = spans.data() + inputs.size();
    if (ms_nn_begin(&prepared_, &asked, nullptr, &execution) != MS_NN_NONE) {
      return false;
    }
    (void)ms_nn_finish(&execution, MS_NN_NONE, nullptr);
    buffer.is_initialised = 1;
    return true;
  }

 private:
  ReferenceModel model_;
  bool has_model_ = false;
  std::uint64_t word_ = 0;
  std::vector<ms_nn_buffer> buffers_;
  std::vector<ms_nn_token_row> tokens_;
  std::vector<ms_nn_role_row> role_rows_;
  ms_nn_service service_{};
  ms_nn_device device_{};
  ms_nn_model prepared_{};
};

// What was asked for last, and whether anything answered it.
class LastDescriptor {
 public:
  void ask(const model::NnDescriptor& descriptor) {
    is_ambiguous_ = asked_ != nullptr;
    asked_ = &descriptor;
  }

  // What an answer is about; null: nobody knows.
  [[nodiscard]] const model::NnDescriptor* answered() {
    const model::NnDescriptor* const asked = std::exchange(asked_, nullptr);
    return is_ambiguous_ ? nullptr : asked;
  }

 private:
  const model::NnDescriptor* asked_ = nullptr;
  bool is_ambiguous_ = false;
};

// What is said, of each kind no more than a person reads.
class CappedFindings {
 public:
  explicit CappedFindings(core::SharedText path) : path_(std::move(path)) {}

  void say(Code code, std::size_t line, std::string message, std::string hint) {
    constexpr std::size_t kMost = 20;
    if (++said_[code] <= kMost) {
      found_.push_back(core::error(code, std::move(message), {path_, line}, std::move(hint)));
    }
  }

  void note(Code code, std::size_t line, std::string message, std::string hint) {
    found_.push_back(core::note(code, std::move(message), {path_, line}, std::move(hint)));
  }

  [[nodiscard]] core::Diagnostics take() { return std::move(found_); }

 private:
  core::SharedText path_;
  std::map<Code, std::size_t> said_;
  core::Diagnostics found_;
};

std::string roles_of(const model::NnDescriptor& descriptor) {
  std::vector<std::string> names;
  for (const model::NnBufferRole& role : descriptor.roles) {
    names.push_back(fmt::format("{} {}", role.is_output ? "output" : "input", role.index));
  }
  constexpr std::size_t kShown = 6;
  if (names.size() > kShown) {
    names.resize(kShown);
    names.emplace_back("others");
  }
  return core::join(names, ", ");
}

const model::NnArgument& argument_of(const model::NnRequest& request,
                                     std::size_t index,
                                     bool is_output) {
  return (is_output ? request.outputs : request.inputs).items[index];
}

// The token of the pool that an argument lies in; nothing: it lies in none, or in one without.
std::optional<std::int64_t> token_of(const model::NnRequest& request,
                                     const model::NnArgument& argument) {
  const auto& pool = argument.location.pool;
  if (argument.lifetime != "POOL" || !pool || *pool >= request.pools.items.size()) {
    return std::nullopt;
  }
  return request.pools.items[static_cast<std::size_t>(*pool)].token;
}

// Why a request must fail that uses a buffer so.
std::string misuse_of(const model::NnRequest& request,
                      std::size_t number,
                      std::size_t index,
                      bool is_output,
                      const Known& known) {
  const bool has_role =
      std::ranges::any_of(known.descriptor->roles, [&](const model::NnBufferRole& role) {
        return role.is_output == is_output && role.index == static_cast<std::int64_t>(index);
      });
  const std::string why = has_role ? std::string{"with dimensions that its buffer does not have"}
                                   : fmt::format("but it was allocated for {} of this model only",
                                                 roles_of(*known.descriptor));
  return fmt::format("request {} uses token {} as {} {}, {}: {}",
                     number,
                     token_of(request, argument_of(request, index, is_output)).value_or(0),
                     is_output ? "output" : "input",
                     index,
                     why,
                     kRefused);
}

class Replay {
 public:
  Replay(Reference& reference, std::string path) : reference_(reference), found_(path) {}

  core::Diagnostics run(const model::NnLog& log, const std::vector<Step>& steps) {
    const std::vector<std::size_t> failures = failures_of(log);
    for (const Step& step : steps) {
      if (step.descriptor != nullptr) {
        last_.ask(*step.descriptor);
      } else if (step.allocation != nullptr) {
        take_allocation(*step.allocation);
      } else if (step.token != nullptr) {
        take_token(*step.token);
      } else if (reference_.is_of_model(*step.request)) {
        const std::size_t next =
            step.number < log.requests.size() ? log.requests[step.number].line : SIZE_MAX;
        const auto first = std::ranges::upper_bound(failures, step.line);
        take_request(*step.request, step.number, first != failures.end() && *first < next);
      }
    }
    return found_.take();
  }

 private:
  void take_allocation(const model::NnAllocation& allocation) {
    if (allocation.refusal.empty()) {
      return;
    }
    const model::NnDescriptor* const asked = last_.answered();
    ms_nn_allocated made{};
    if (reference_.allocate(asked, made) != MS_NN_NONE) {
      return;
    }
    ms_nn_release(made.buffer);
    if (allocation.refusal.find("validation") != std::string::npos) {
      found_.say(Code::kNnRole,
                 allocation.line,
                 fmt::format("the descriptor of line {} passes every test, and the driver refused "
                             "it as invalid",
                             asked->line),
                 "a driver may refuse what it cannot do, with GENERAL_FAILURE");
    }
  }

  void take_token(const model::NnTokenEvent& event) {
    const auto live = live_.find(event.token);
    if (!event.is_added) {
      if (live != live_.end()) {
        if (live->second.buffer != nullptr) {
          ms_nn_release(live->second.buffer);
        }
        live_.erase(live);
      } else if (core::contains(ended_, event.token)) {
        found_.say(Code::kNnToken,
                   event.line,
                   fmt::format("token {} is given back twice", event.token),
                   "a token ends with its buffer, once");
      }
      ended_.insert(event.token);
      return;
    }
    if (event.token == 0) {
      found_.say(Code::kNnToken,
                 event.line,
                 "a buffer has token 0, which is none",
                 "tokens of buffers are above 0");
    } else if (live != live_.end()) {
      found_.say(Code::kNnToken,
                 event.line,
                 fmt::format("token {} is given out, and the buffer of line {} has it",
                             event.token,
                             live->second.line),
                 "no two buffers of a driver's service have one token at a time");
    }
    live_[event.token] = made_by_reference(event);
  }

  Known made_by_reference(const model::NnTokenEvent& event) {
    const model::NnDescriptor* const asked = last_.answered();
    ms_nn_allocated made{};
    const auto status = reference_.allocate(asked, made);
    if (status == MS_NN_INVALID_ARGUMENT) {
      found_.say(Code::kNnRole,
                 event.line,
                 fmt::format("token {} is for the descriptor of line {}, but {}: {}",
                             event.token,
                             asked->line,
                             reason_of(made.test),
                             kRefused),
                 "a driver must refuse it; the log has its token");
    }
    if (status != MS_NN_NONE) {
      return {.line = event.line};
    }
    // What copies put into it is in no log.
    made.buffer->is_initialised = 1;
    return {made.buffer, asked, event.line};
  }

  void take_request(const model::NnRequest& request, std::size_t number, bool has_failure) {
    // A request takes as long as the model has arguments, each time.
    constexpr std::size_t kMostTried = 32;
    std::size_t tried = 0;
    bool is_wrong = false;
    for (const bool is_output : {false, true}) {
      const std::size_t count = (is_output ? request.outputs : request.inputs).items.size();
      for (std::size_t i = 0; i < count && tried < kMostTried; ++i) {
        const model::NnArgument& argument = argument_of(request, i, is_output);
        const Known* const known = buffer_of(request, argument);
        if (known == nullptr) {
          continue;
        }
        ++tried;
        const auto shape = ReferenceModel::shape_of(argument.dimensions);
        if (shape && !reference_.runs_with(*shape, i, is_output, *known->buffer)) {
          is_wrong = true;
          found_.say(Code::kNnRole,
                     request.line,
                     misuse_of(request, number, i, is_output, *known),
                     has_failure
                         ? "the log has its failure: the driver did right"
                         : "no line of the log says that it failed: a driver must refuse it");
        }
      }
    }
    if (tried != 0 && !is_wrong && has_failure) {
      found_.note(Code::kNnRole,
                  request.line,
                  fmt::format("request {} failed, and its buffers are no reason for that", number),
                  "an input that nothing was copied to fails, too; copies are in no log");
    }
  }

  // Null: it is in none that is known.
  [[nodiscard]] const Known* buffer_of(const model::NnRequest& request,
                                       const model::NnArgument& argument) const {
    const auto token = token_of(request, argument);
    const Known* const known = token ? core::value_in(live_, *token) : nullptr;
    return known == nullptr || known->buffer == nullptr ? nullptr : known;
  }

  Reference& reference_;
  CappedFindings found_;
  LastDescriptor last_;
  std::map<std::int64_t, Known> live_;
  std::set<std::int64_t> ended_;
};

}  // namespace

core::Diagnostics replay_nnapi(const model::NnLog& log,
                               const model::NnModel* model,
                               const board::NnFormat& format,
                               const std::string& path) {
  const std::vector<Step> steps = steps_of(log);
  Reference reference{model, format, steps};
  return Replay{reference, path}.run(log, steps);
}

}  // namespace memsize::runtime
