// ModelBuilder says where each value goes: setOperandValue and then what became of it, in the same
// thread. ExecutionBuilder says which memory an argument is, ExecutionPlan what lies between the
// parts of a model that several devices run. BufferTracker is in a driver.
#include "nnapi/events.hpp"

#include "memsize/core/text.hpp"

#include "plans/words.hpp"

#include <algorithm>
#include <string>

namespace memsize::readers::nnapi {

namespace {

using model::NnValue;
using Taker = bool (*)(Words words, const LogLine& line, model::NnEvents& events);

bool take_value(Words words, const LogLine& line, model::NnEvents& events) {
  const auto operand = words.number();
  const bool has_size = operand && words.skip("size");
  const auto size = words.number();
  if (!has_size || !size) {
    return false;
  }
  events.values.push_back({*operand,
                           NnValue::Kind::kUnknown,
                           *size,
                           std::nullopt,
                           std::string{line.thread},
                           line.number});
  return true;
}

bool take_value_of_memory(Words words, const LogLine& line, model::NnEvents& events) {
  const auto operand = words.number();
  const bool has_offset = operand && words.skip("offset");
  const auto offset = words.number();
  const bool has_size = has_offset && offset && words.skip("size");
  const auto size = words.number();
  if (!has_size || !size) {
    return false;
  }
  events.values.push_back({*operand,
                           NnValue::Kind::kFromMemory,
                           *size,
                           *offset,
                           std::string{line.thread},
                           line.number});
  return true;
}

// Of the thread's value before it, if nothing was said of that yet: else its own line is missing.
NnValue* value_without_place(model::NnEvents& events, std::string_view thread) {
  constexpr std::size_t kFarthest = 64;
  const std::size_t first = events.values.size() - std::min(events.values.size(), kFarthest);
  for (std::size_t i = events.values.size(); i > first; --i) {
    NnValue& value = events.values[i - 1];
    if (value.thread == thread) {
      return value.kind == NnValue::Kind::kUnknown ? &value : nullptr;
    }
  }
  return nullptr;
}

bool take_copied(Words words, const LogLine& line, model::NnEvents& events) {
  const auto offset = words.number();
  NnValue* const value = value_without_place(events, line.thread);
  if (offset && value != nullptr) {
    value->kind = NnValue::Kind::kCopied;
    value->offset = *offset;
  }
  return offset.has_value();
}

bool take_large(Words, const LogLine& line, model::NnEvents& events) {
  if (NnValue* const value = value_without_place(events, line.thread); value != nullptr) {
    value->kind = NnValue::Kind::kLarge;
  }
  return true;
}

// "copyLargeValuesToSharedMemory has 3 values."
bool take_large_count(Words words, const LogLine& line, model::NnEvents& events) {
  const auto count = words.number();
  if (count) {
    events.large_pools.push_back({.values = *count, .line = line.number});
  }
  return count.has_value();
}

bool take_large_pool(Words words, const LogLine& line, model::NnEvents& events) {
  const auto size = words.number();
  const bool has_index = size && words.skip("at index");
  const auto index = words.number();
  if (!has_index || !index) {
    return false;
  }
  events.large_pools.push_back({.size = *size, .index = *index, .line = line.number});
  return true;
}

// " dim(1, 224, 224, 3)", which older runtimes do not print.
std::optional<model::NnNumbers> dimensions_behind(Words& words) {
  if (!words.skip_to("dim(")) {
    return std::nullopt;
  }
  model::NnNumbers found{.is_whole = true};
  while (!words.skip(")")) {
    const auto number = words.number();
    if (!number || (!words.skip(",") && !words.rest().starts_with(')'))) {
      return std::nullopt;
    }
    found.items.push_back(*number);
  }
  return found;
}

bool take_binding(Words words, const LogLine& line, model::NnEvents& events, bool is_output) {
  model::NnBinding binding{.is_output = is_output, .line = line.number};
  const auto index = words.number();
  if (!index || !words.skip("] =")) {
    return false;
  }
  binding.index = *index;
  if (words.skip("MEMORY(pool=")) {
    binding.kind = "MEMORY";
    binding.pool = words.number();
    if (words.skip(", off=")) {
      binding.offset = words.number();
    }
    binding.dimensions = dimensions_behind(words);
  } else if (words.skip("POINTER(")) {
    binding.kind = "POINTER";
    binding.dimensions = dimensions_behind(words);
  } else {
    for (const char* const kind : {"HAS_NO_VALUE", "UNSPECIFIED"}) {
      binding.kind = words.skip(kind) ? kind : binding.kind;
    }
  }
  if (binding.kind.empty()) {
    return false;
  }
  events.bindings.push_back(std::move(binding));
  return true;
}

bool take_input(Words words, const LogLine& line, model::NnEvents& events) {
  return take_binding(words, line, events, false);
}

bool take_output(Words words, const LogLine& line, model::NnEvents& events) {
  return take_binding(words, line, events, true);
}

// "(0, 12) offset = 64 paddedLength = 128".
bool take_laid_out(Words words, const LogLine& line, model::NnEvents& events, bool is_constant) {
  model::NnTemporary temporary{.is_constant = is_constant, .line = line.number};
  const auto number = [&](std::string_view before, std::uint64_t& value) {
    const auto found = words.skip(before) ? words.number() : std::nullopt;
    value = found.value_or(0);
    return found.has_value();
  };
  const bool is_whole = number("(", temporary.model) && number(",", temporary.operand) &&
                        words.skip(")") && number("offset =", temporary.offset) &&
                        number("paddedLength =", temporary.padded_length);
  if (is_whole) {
    events.temporaries.push_back(temporary);
  }
  return is_whole;
}

bool take_temporary(Words words, const LogLine& line, model::NnEvents& events) {
  return take_laid_out(words, line, events, false);
}

bool take_boundary(Words words, const LogLine& line, model::NnEvents& events) {
  return take_laid_out(words, line, events, true);
}

// "(0, 12), stepIndex = 1, offset = 0, dimensions = [1, 2], paddedLength = 64, alignment = 64, ..".
bool take_dynamic(Words words, const LogLine& line, model::NnEvents& events) {
  model::NnTemporary temporary{.is_dynamic = true, .line = line.number};
  const auto model = words.skip("(") ? words.number() : std::nullopt;
  const auto operand = model && words.skip(",") ? words.number() : std::nullopt;
  const auto offset = operand && words.skip_to(" offset =") ? words.number() : std::nullopt;
  const auto length = offset && words.skip_to(" paddedLength =") ? words.number() : std::nullopt;
  if (!length) {
    return false;
  }
  temporary.model = *model;
  temporary.operand = *operand;
  temporary.offset = *offset;
  temporary.padded_length = *length;
  events.temporaries.push_back(temporary);
  return true;
}

bool take_token(Words words, const LogLine& line, model::NnEvents& events, bool is_added) {
  const auto token = words.number();
  if (!token || *token > INT64_MAX) {
    return false;
  }
  events.tokens.push_back({is_added, static_cast<std::int64_t>(*token), line.number});
  return true;
}

bool take_added(Words words, const LogLine& line, model::NnEvents& events) {
  return take_token(words, line, events, true);
}

bool take_freed(Words words, const LogLine& line, model::NnEvents& events) {
  return take_token(words, line, events, false);
}

// "SIMPLE for qti-dsp".
bool take_device(Words words, const LogLine&, model::NnEvents& events) {
  const std::string_view name = core::trim(words.rest());
  events.device = name.empty() ? events.device : std::string{name};
  return !name.empty();
}

// "0 = qti-dsp".
bool take_best_device(Words words, const LogLine& line, model::NnEvents& events) {
  return words.skip_to(" = ") && take_device(words, line, events);
}

bool take_failure(Words, const LogLine& line, model::NnEvents& events) {
  events.failures.push_back(line.number);
  return true;
}

// The descriptor that is being printed; null: its first line is missing.
model::NnDescriptor* open_descriptor(model::NnEvents& events) {
  const bool has_one = !events.descriptors.empty() && !events.descriptors.back().is_whole;
  return has_one ? &events.descriptors.back() : nullptr;
}

bool take_descriptor(Words, const LogLine& line, model::NnEvents& events) {
  events.descriptors.push_back({.line = line.number});
  return true;
}

// "[1, 32, 32, 8]", "[4]{1, 32, 32, 8}".
model::NnNumbers numbers_behind(Words& words) {
  model::NnNumbers found;
  if (!words.skip("[")) {
    return found;
  }
  char end = ']';
  Words counted = words;
  if (const auto count = counted.number(); count && counted.skip("]{")) {
    found.announced = *count;
    words = counted;
    end = '}';
  }
  while (!words.rest().starts_with(end)) {
    const auto number = words.number();
    if (!number) {
      return found;
    }
    found.items.push_back(*number);
    (void)words.skip(",");
  }
  (void)words.skip(std::string_view{&end, 1});
  found.is_whole = !found.announced || *found.announced == found.items.size();
  return found;
}

bool take_dimensions(Words words, const LogLine&, model::NnEvents& events) {
  model::NnDescriptor* const open = open_descriptor(events);
  if (open != nullptr) {
    open->dimensions = numbers_behind(words);
  }
  return open != nullptr;
}

std::optional<std::uint64_t> count_behind(Words& words) {
  const auto count = words.number();
  return count && words.skip("]:") ? count : std::nullopt;
}

bool take_models(Words words, const LogLine&, model::NnEvents& events) {
  if (model::NnDescriptor* const open = open_descriptor(events); open != nullptr) {
    open->models = count_behind(words);
  }
  return true;
}

bool take_input_roles(Words words, const LogLine&, model::NnEvents& events) {
  if (model::NnDescriptor* const open = open_descriptor(events); open != nullptr) {
    open->inputs = count_behind(words);
  }
  return true;
}

bool take_output_roles(Words words, const LogLine&, model::NnEvents& events) {
  if (model::NnDescriptor* const open = open_descriptor(events); open != nullptr) {
    open->outputs = count_behind(words);
  }
  return true;
}

bool skip_sign(Words& words) {
  return words.skip("=") || words.skip(":");
}

// "{.modelIndex = 0, .ioIndex = 2, .frequency = 0.500000}", "BufferRole{.modelIndex=0, ..}".
bool take_role(Words words, const LogLine&, model::NnEvents& events) {
  model::NnDescriptor* const open = open_descriptor(events);
  if (open == nullptr) {
    return true;
  }
  const auto number_behind = [&](std::string_view name) {
    return words.skip_to(name) && skip_sign(words) ? words.number() : std::nullopt;
  };
  const auto model = skip_sign(words) ? words.number() : std::nullopt;
  const auto index = model ? number_behind("ioIndex") : std::nullopt;
  const bool has_probability = index && index &&
                               (words.skip_to("frequency") || words.skip_to("probability")) &&
                               skip_sign(words);
  const auto probability = has_probability ? words.decimal() : std::nullopt;
  constexpr std::uint64_t kLargest = INT32_MAX;
  if (probability && *model <= kLargest && *index <= kLargest) {
    open->roles.push_back({open->outputs.has_value(),
                           static_cast<std::int64_t>(*model),
                           static_cast<std::int64_t>(*index),
                           *probability});
  }
  return true;
}

bool take_descriptor_end(Words, const LogLine&, model::NnEvents& events) {
  if (model::NnDescriptor* const open = open_descriptor(events); open != nullptr) {
    open->is_whole = open->models && open->inputs && open->outputs && open->dimensions.is_whole &&
                     open->roles.size() == *open->inputs + *open->outputs;
    if (!open->is_whole) {
      events.descriptors.pop_back();
    }
  }
  return true;
}

// "SampleDriver::allocate -- type = TENSOR_FLOAT32, dimensions = [4]{1, 32, 32, 8}, size = 32768";
// what else stands behind the dashes is why it was refused.
bool take_allocation(Words words, const LogLine& line, model::NnEvents& events) {
  model::NnAllocation allocation{.line = line.number};
  if (!words.skip("type =")) {
    allocation.refusal = core::trim(words.rest());
    events.allocations.push_back(std::move(allocation));
    return true;
  }
  const std::string_view rest = core::trim(words.rest());
  allocation.type = rest.substr(0, rest.find(','));
  if (words.skip_to("dimensions =")) {
    allocation.dimensions = numbers_behind(words);
  }
  if (words.skip_to("size =")) {
    allocation.size = words.number();
  }
  events.allocations.push_back(std::move(allocation));
  return true;
}

struct Event {
  std::string_view begins;
  Taker take;
};

constexpr Event kEvents[] = {
    {"setOperandValue for operand", take_value},
    {"setOperandValueFromMemory for operand", take_value_of_memory},
    {"Copied small value to offset", take_copied},
    {"Saving large value", take_large},
    {"copyLargeValuesToSharedMemory has", take_large_count},
    {"Allocated large value pool of size", take_large_pool},
    {"input[", take_input},
    {"output[", take_output},
    {"temp: operand", take_temporary},
    {"temp (boundary constant): operand", take_boundary},
    {"DynamicTemporaries: sourceOperandIndex =", take_dynamic},
    {"BufferTracker::add -- new token =", take_added},
    {"BufferTracker::free -- release token =", take_freed},
    {"MemoryDescriptor start", take_descriptor},
    {"Dimensions:", take_dimensions},
    {"Prepared models [", take_models},
    {"Input roles [", take_input_roles},
    {"Output roles [", take_output_roles},
    {"{.modelIndex", take_role},
    {"BufferRole{.modelIndex", take_role},
    {"BufferRole{modelIndex", take_role},
    {"MemoryDescriptor end", take_descriptor_end},
    {"SampleDriver::allocate --", take_allocation},
    {"SIMPLE for ", take_device},
    {"ModelBuilder::partitionTheWork: only one best device:", take_best_device},
    {"**Execution failed**", take_failure},
};

const Event* event_of(std::string_view message) {
  const auto* const found = std::ranges::find_if(
      kEvents, [&](const Event& event) { return message.starts_with(event.begins); });
  return found == std::end(kEvents) ? nullptr : found;
}

}  // namespace

bool is_event(std::string_view message) {
  return event_of(core::trim(message)) != nullptr;
}

bool take_event(const LogLine& line, model::NnEvents& events) {
  const std::string_view message = core::trim(line.message);
  const Event* const event = line.is_cut ? nullptr : event_of(message);
  if (event == nullptr) {
    return false;
  }
  Words words{message};
  (void)words.skip_exactly(event->begins);
  return event->take(words, line, events);
}

}  // namespace memsize::readers::nnapi
