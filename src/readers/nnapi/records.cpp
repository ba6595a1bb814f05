// The three printers call the fields of a record alike; what differs is how memories are told, and
// what a skin does not have. Of a list the records that are whole are kept, and nothing of the one
// in which the text was cut: it may lack what counts.
#include "nnapi/records.hpp"

#include <charconv>
#include <string>
#include <system_error>

namespace memsize::readers::nnapi {

namespace {

using model::NnList;
using model::NnSkin;

template <typename Item, typename Make>
NnList<Item> list_of(const Source& source, const Value* list, Make make) {
  NnList<Item> made;
  if (list == nullptr || list->kind != Value::Kind::kList) {
    return made;
  }
  made.announced = list->announced;
  made.is_whole = !list->is_cut && !list->has_more;
  for (const std::size_t item : list->items) {
    const Value& value = source.tree.at(item);
    std::optional<Item> one = value.is_cut ? std::nullopt : make(value);
    if (!one) {
      // What stands behind it would have another's number.
      made.is_whole = false;
      break;
    }
    made.items.push_back(std::move(*one));
  }
  return made;
}

std::string text_of(const Value* value) {
  return std::string{word_of(value)};
}

model::NnLocation location_of(const Source& source, const Value* value) {
  if (value == nullptr) {
    return {};
  }
  model::NnLocation location;
  const auto number = [&](std::string_view name) {
    const Value* const word = source.tree.field(*value, name);
    location.is_negative = location.is_negative || signed_of(word).value_or(0) < 0;
    return unsigned_of(word);
  };
  location.pool = number("poolIndex");
  location.offset = number("offset");
  location.length = number("length");
  location.padding = number("padding");
  location.pointer = text_of(source.tree.field(*value, "pointer"));
  return location;
}

// "{.channelQuant = {.scales = .., .channelDim = 0}}", "OperandExtraParams{channelQuant: ..}",
// "Operand::ExtraParams{Operand::SymmPerChannelQuantParams{..}}".
void read_extra(const Source& source, const Value* extra, model::NnOperand& operand) {
  const Value* found = extra == nullptr || extra->kind != Value::Kind::kRecord
                           ? nullptr
                           : source.tree.field(*extra, "channelQuant");
  if (found == nullptr && extra != nullptr && extra->kind == Value::Kind::kRecord) {
    found = source.tree.first_item(*extra);
  }
  const Value* const scales = found == nullptr ? nullptr : source.tree.field(*found, "scales");
  if (scales == nullptr) {
    return;
  }
  operand.channel_scales =
      list_of<double>(source, scales, [](const Value& value) { return decimal_of(&value); });
  operand.channel_dimension = unsigned_of(source.tree.field(*found, "channelDim"));
}

std::optional<model::NnOperand> operand_of(const Source& source, const Value& value) {
  if (value.kind != Value::Kind::kRecord) {
    return std::nullopt;
  }
  const auto field = [&](std::string_view name) { return source.tree.field(value, name); };
  model::NnOperand operand;
  operand.type = text_of(field("type"));
  operand.dimensions = numbers_of(source, field("dimensions"));
  operand.consumers = unsigned_of(field("numberOfConsumers"));
  operand.scale = decimal_of(field("scale"));
  operand.zero_point = signed_of(field("zeroPoint"));
  operand.lifetime = text_of(field("lifetime"));
  operand.location = location_of(source, field("location"));
  read_extra(source, field("extraParams"), operand);
  operand.line = source.line;
  return operand;
}

std::optional<model::NnOperation> operation_of(const Source& source, const Value& value) {
  if (value.kind != Value::Kind::kRecord) {
    return std::nullopt;
  }
  const auto field = [&](std::string_view name) { return source.tree.field(value, name); };
  return model::NnOperation{text_of(field("type")),
                            numbers_of(source, field("inputs")),
                            numbers_of(source, field("outputs")),
                            source.line};
}

// "Memory{.handle=Ashmem{..}}" is about the Ashmem, "Memory{ashmem: Ashmem{..}}" too, as
// "{.hidlMemory = memory {..}}" and "RequestMemoryPool{pool: Memory{..}}" are about the memory.
const Value& inner_memory(const Source& source, const Value& value) {
  const Value* found = &value;
  for (bool goes_on = true; goes_on && found->kind == Value::Kind::kRecord;) {
    goes_on = false;
    for (const char* const name :
         {"hidlMemory", "pool", "handle", "ashmem", "mappableFile", "hardwareBuffer"}) {
      const Value* const inside = source.tree.field(*found, name);
      // A handle that is a number, or of a hardware buffer, is none of a memory.
      const bool is_memory =
          inside != nullptr && !inside->text.starts_with("NativeHandle") &&
          (inside->kind == Value::Kind::kRecord || inside->text.starts_with("<"));
      if (is_memory && !found->text.starts_with("Unknown")) {
        found = inside;
        goes_on = true;
        break;
      }
    }
    if (!goes_on && found->fields.empty() && !found->items.empty()) {
      found = source.tree.first_item(*found);
      goes_on = true;
    }
  }
  return *found;
}

std::optional<model::NnPool> pool_of(const Source& source, const Value& value) {
  const Value& memory = inner_memory(source, value);
  const auto field = [&](std::string_view name) { return source.tree.field(memory, name); };
  model::NnPool pool;
  pool.line = source.line;
  for (const char* const name : {"token", "MemoryDomainToken"}) {
    if (const Value* const token = field(name); token != nullptr) {
      pool.name = "token";
      pool.token = signed_of(token);
      return pool;
    }
  }
  const Value* const description = field("description");
  pool.name = std::string{memory.text};
  if (const Value* const name = field("name"); name != nullptr) {
    pool.name = text_of(name);
  } else if (description != nullptr) {
    // The same buffer with another format is another kind of memory.
    pool.name += " " + text_of(source.tree.field(*description, "format"));
  }
  pool.size = unsigned_of(field(field("size") == nullptr ? "length" : "size"));
  pool.offset = unsigned_of(field("offset"));
  return pool;
}

// "[N]{..}" has a count, "Model::OperandValues{<12bytes>}" says it.
std::optional<std::uint64_t> bytes_of(const Source& source, const Value* value) {
  if (value == nullptr || value->is_cut || value->has_more) {
    return std::nullopt;
  }
  if (value->kind == Value::Kind::kList) {
    return value->announced;
  }
  constexpr std::string_view kEnd = "bytes>";
  const std::string_view word = word_of(source.tree.first_item(*value));
  if (!word.starts_with('<') || !word.ends_with(kEnd)) {
    return std::nullopt;
  }
  std::uint64_t count = 0;
  const char* const end = word.data() + word.size() - kEnd.size();
  const auto [stop, failure] = std::from_chars(word.data() + 1, end, count);
  return failure == std::errc{} && stop == end ? std::optional{count} : std::nullopt;
}

model::NnSubgraph subgraph_of(const Source& source, const Value* value) {
  if (value == nullptr) {
    return {};
  }
  const auto field = [&](std::string_view name) { return source.tree.field(*value, name); };
  return {operands_of(source, field("operands")),
          operations_of(source, field("operations")),
          numbers_of(source, field("inputIndexes")),
          numbers_of(source, field("outputIndexes"))};
}

std::optional<model::NnArgument> argument_of(const Source& source, const Value& value) {
  if (value.kind != Value::Kind::kRecord) {
    return std::nullopt;
  }
  const auto field = [&](std::string_view name) { return source.tree.field(value, name); };
  model::NnArgument argument;
  if (const auto has_none = flag_of(field("hasNoValue")); has_none) {
    argument.lifetime = *has_none ? "NO_VALUE" : "POOL";
  } else {
    argument.lifetime = text_of(field("lifetime"));
  }
  argument.location = location_of(source, field("location"));
  argument.dimensions = numbers_of(source, field("dimensions"));
  argument.line = source.line;
  return argument;
}

// HIDL prints no version with a whole model, but what each added.
std::string version_of(const Source& source, const model::NnModel& model) {
  const Value& root = source.tree.root();
  const auto has = [&](std::string_view name) { return source.tree.field(root, name) != nullptr; };
  if (source.skin != NnSkin::kHidl || !model.main.operands.is_whole) {
    return {};
  }
  return has("main")                               ? "1.3"
         : has("extensionNameToPrefix")            ? "1.2"
         : has("relaxComputationFloat32toFloat16") ? "1.1"
         : root.is_cut                             ? ""
                                                   : "1.0";
}

}  // namespace

model::NnNumbers numbers_of(const Source& source, const Value* list) {
  model::NnNumbers made;
  if (list == nullptr || list->kind != Value::Kind::kList) {
    return made;
  }
  made.announced = list->announced;
  made.is_whole = !list->is_cut && !list->has_more;
  for (const std::size_t item : list->items) {
    const Value& value = source.tree.at(item);
    const auto number = value.is_cut ? std::nullopt : unsigned_of(&value);
    const bool is_negative = !number && !value.is_cut && signed_of(&value).value_or(0) < 0;
    made.has_negative = made.has_negative || is_negative;
    if (number) {
      made.items.push_back(*number);
    } else if (!is_negative) {
      made.is_whole = false;
      break;
    }
  }
  return made;
}

NnList<model::NnOperand> operands_of(const Source& source, const Value* list) {
  return list_of<model::NnOperand>(
      source, list, [&](const Value& value) { return operand_of(source, value); });
}

NnList<model::NnOperation> operations_of(const Source& source, const Value* list) {
  return list_of<model::NnOperation>(
      source, list, [&](const Value& value) { return operation_of(source, value); });
}

NnList<model::NnPool> pools_of(const Source& source, const Value* list) {
  return list_of<model::NnPool>(
      source, list, [&](const Value& value) { return pool_of(source, value); });
}

model::NnModel model_of(const Source& source) {
  const Value& root = source.tree.root();
  const auto field = [&](std::string_view name) { return source.tree.field(root, name); };
  model::NnModel model;
  model.skin = source.skin;
  model.line = source.line;
  const Value* const main = field("main");
  model.main = subgraph_of(source, main == nullptr ? &root : main);
  if (const Value* const list = field("referenced"); list != nullptr) {
    for (const std::size_t item : list->items) {
      model.referenced.push_back(subgraph_of(source, &source.tree.at(item)));
    }
  }
  model.values_size = bytes_of(source, field("operandValues"));
  if (const Value* const pools = field("pools"); pools != nullptr) {
    model.pools = pools_of(source, pools);
  }
  model.version = version_of(source, model);
  return model;
}

model::NnRequest request_of(const Source& source) {
  const Value& root = source.tree.root();
  const auto arguments = [&](std::string_view name) {
    return list_of<model::NnArgument>(
        source, source.tree.field(root, name), [&](const Value& value) {
          return argument_of(source, value);
        });
  };
  model::NnRequest request;
  request.skin = source.skin;
  request.inputs = arguments("inputs");
  request.outputs = arguments("outputs");
  request.pools = pools_of(source, source.tree.field(root, "pools"));
  request.line = source.line;
  return request;
}

}  // namespace memsize::readers::nnapi
