// A memsize.sizing/1 document read back as a recording, so that sizings of several runs combine as
// if their logs had been read together.
#include "memsize/core/text.hpp"

#include "formats.hpp"

#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::readers {

namespace {

using core::Code;
using nlohmann::json;

constexpr std::uint64_t kMostOf32Bits = std::numeric_limits<std::uint32_t>::max();
constexpr const char* kHint = "print the document again with: memsize analyze LOG --json";

// A value as the user wrote it, cut; nested ones are only named, however deep they are.
std::string shown(const json& value) {
  if (value.is_structured()) {
    return value.is_array() ? "an array" : "an object";
  }
  return core::printable(value.dump(), 40);
}

// What sizing::parse_headroom takes.
bool is_headroom(std::string_view text) {
  constexpr std::uint64_t kMostPercent = 1000;
  text = core::trim(text);
  if (text.ends_with('%')) {
    return core::parse_address(text.substr(0, text.size() - 1)).value_or(kMostPercent + 1) <=
           kMostPercent;
  }
  return core::parse_bytes(text).has_value();
}

// "19.42" as 1942.
std::optional<std::uint64_t> hundredths_of(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  constexpr std::size_t kLongest = 10;  // 4194304.00
  if (text.size() < kDecimals + 2 || text.size() > kLongest ||
      text[text.size() - kDecimals - 1] != '.') {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + kDecimals + 1 == text.size()) {
      continue;
    }
    if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    }
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return value;
}

class DocumentReader {
 public:
  explicit DocumentReader(const std::string& path) : path_(path) {}

  core::Result<model::Recording> read(const json& document) {
    model::Recording recording;
    const auto trace_format = text(document, "trace_format", "document");
    if (trace_format && !core::is_identifier(*trace_format)) {
      wrong("trace_format", "it must be the name of a file under boards/formats");
    }
    read_options(document, recording);
    // The logs behind the document, so that it stands for them.
    const json* inputs = filled_array(document, "inputs");
    for (std::size_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
      recording.inputs.push_back(input((*inputs)[i], fmt::format("inputs[{}]", i)));
      recording.inputs.back().trace_format = trace_format.value_or("");
    }
    inputs_ = recording.inputs.size();
    const json* cores = filled_array(document, "cores");
    for (std::size_t i = 0; cores != nullptr && i < cores->size(); ++i) {
      recording.cores.push_back(core((*cores)[i], fmt::format("cores[{}]", i)));
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return recording;
  }

 private:
  void wrong(const std::string& at, const std::string& what) {
    core::Place place;
    place.path = path_;
    errors_.push_back(core::error(
        Code::kReadSizingDocument, fmt::format("{}: {}", at, what), std::move(place), kHint));
  }

  // False where it is no object, which is then said once.
  bool is_object(const json& value, const std::string& at) {
    if (!value.is_object()) {
      wrong(at, "it must be an object");
    }
    return value.is_object();
  }

  const json* member(const json& object, const char* key, const std::string& at) {
    const auto found = object.find(key);
    if (found == object.end()) {
      wrong(at, fmt::format("'{}' is missing", key));
      return nullptr;
    }
    return &*found;
  }

  const json* array(const json& object, const char* key, const std::string& at) {
    const json* found = member(object, key, at);
    if (found != nullptr && !found->is_array()) {
      wrong(at == "document" ? key : at + "." + key, "it must be an array");
      return nullptr;
    }
    return found;
  }

  const json* filled_array(const json& document, const char* key) {
    const json* found = array(document, key, "document");
    if (found != nullptr && found->empty()) {
      wrong(key, "it must name at least one");
    }
    return found;
  }

  std::optional<std::string> text(const json& object, const char* key, const std::string& at) {
    const json* found = member(object, key, at);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (!found->is_string()) {
      wrong(at + "." + key, "it must be a string");
      return std::nullopt;
    }
    return found->get<std::string>();
  }

  std::optional<std::uint64_t> number(const json& object,
                                      const char* key,
                                      const std::string& at,
                                      std::uint64_t max = kMostOf32Bits) {
    const json* found = member(object, key, at);
    if (found == nullptr) {
      return std::nullopt;
    }
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > max) {
      wrong(at + "." + key,
            fmt::format("it must be a whole number from 0 to {}, not {}", max, shown(*found)));
      return std::nullopt;
    }
    return found->get<std::uint64_t>();
  }

  // The value that `named` knows, or an error that lists `choices`.
  template <typename Value>
  void choose(const json& object,
              const char* key,
              const std::string& at,
              std::optional<Value> (*named)(std::string_view),
              const char* choices,
              Value& value) {
    const auto name = text(object, key, at);
    const auto chosen = name ? named(*name) : std::nullopt;
    if (chosen) {
      value = *chosen;
    } else if (name) {
      wrong(at + "." + key,
            fmt::format("it must be {}, not '{}'", choices, core::printable(*name, 40)));
    }
  }

  void read_options(const json& document, model::Recording& recording) {
    const auto headroom = text(document, "headroom", "document");
    if (headroom && !is_headroom(*headroom)) {
      wrong("document.headroom",
            fmt::format("'{}' is not a headroom", core::printable(*headroom, 40)));
    }
    recording.headroom = headroom.value_or("");
    const auto instances = text(document, "instances", "document");
    if (instances && *instances != "together" && *instances != "apart") {
      wrong("document.instances",
            fmt::format("it must be together or apart, not '{}'", core::printable(*instances, 40)));
    }
    recording.instances = instances.value_or("");
  }

  model::Input input(const json& object, const std::string& at) {
    model::Input input;
    if (!is_object(object, at)) {
      return input;
    }
    input.path = text(object, "path", at).value_or("");
    input.format = text(object, "format", at).value_or("");
    input.lines = number(object, "lines", at).value_or(0);
    input.records = number(object, "records", at).value_or(0);
    return input;
  }

  model::CoreRecording core(const json& object, const std::string& at) {
    model::CoreRecording core;
    if (!is_object(object, at)) {
      return core;
    }
    if (object.contains("core")) {
      core.core = core::printable(text(object, "core", at).value_or(""), 40);
    }
    if (!cores_.insert(core.core).second) {
      wrong(at,
            core.core.empty() ? "the core without a name stands twice"
                              : fmt::format("core '{}' stands twice", core.core));
    }
    const json* instances = array(object, "instances", at);
    for (std::size_t k = 0; instances != nullptr && k < instances->size(); ++k) {
      core.instances.push_back(instance((*instances)[k], fmt::format("{}.instances[{}]", at, k)));
    }
    return core;
  }

  model::Instance instance(const json& object, const std::string& at) {
    model::Instance instance;
    if (!is_object(object, at)) {
      return instance;
    }
    if (object.contains("input")) {
      instance.input = number(object, "input", at, inputs_ == 0 ? 0 : inputs_ - 1).value_or(0);
    }
    instance.line = number(object, "line", at).value_or(0);
    const json* blocks = array(object, "blocks", at);
    std::unordered_set<std::uint32_t> records;
    for (std::size_t i = 0; blocks != nullptr && i < blocks->size(); ++i) {
      const std::string block_at = fmt::format("{}.blocks[{}]", at, i);
      if (!is_object((*blocks)[i], block_at)) {
        continue;
      }
      const auto record = number((*blocks)[i], "record", block_at);
      if (record && !records.insert(static_cast<std::uint32_t>(*record)).second) {
        wrong(block_at + ".record", fmt::format("record {} stands twice in one table", *record));
      }
      instance.blocks.push_back(block((*blocks)[i], block_at));
      instance.blocks.back().record = static_cast<std::uint32_t>(record.value_or(0));
    }
    return instance;
  }

  model::Block block(const json& object, const std::string& at) {
    model::Block block;
    const auto space = text(object, "space", at);
    if (space && !core::is_identifier(*space)) {
      wrong(at + ".space",
            fmt::format("it must be a name such as ddr, not '{}'", core::printable(*space, 40)));
    }
    block.space = space.value_or("");
    block.line = number(object, "line", at).value_or(0);
    choose(object,
           "cacheability",
           at,
           model::cacheability_named,
           "cacheable, non-cacheable or on-chip",
           block.cacheability);
    choose(object,
           "lifetime",
           at,
           model::lifetime_named,
           "persistent, scratch or constant",
           block.lifetime);
    const auto alignment = number(object, "alignment", at);
    const auto align = core::Align::make(alignment.value_or(1));
    if (!align) {
      wrong(at + ".alignment", fmt::format("{} is not a power of two", *alignment));
    }
    block.alignment = align.value_or(core::Align{});
    read_size(object, at, block);
    read_address(object, at, block);
    return block;
  }

  void read_address(const json& object, const std::string& at, model::Block& block) {
    const auto printed = object.contains("address") ? text(object, "address", at) : std::nullopt;
    if (!printed) {
      return;
    }
    const auto address = core::parse_address(*printed);
    if (!address) {
      wrong(at + ".address", "it must be a hexadecimal address");
    } else if ((*address & kMostOf32Bits) != 0) {
      block.address_low = static_cast<std::uint32_t>(*address & kMostOf32Bits);
    }
  }

  // The size with the rounding of its print, where it was printed.
  void read_size(const json& object, const std::string& at, model::Block& block) {
    const bool printed = object.contains("printed_kib");
    const auto text_kib = printed ? text(object, "printed_kib", at) : std::nullopt;
    const auto hundredths = text_kib ? hundredths_of(*text_kib) : std::nullopt;
    const auto restored = hundredths ? model::measured_kib(*hundredths) : model::MeasuredSize{};
    // The largest print is that of 2^32 - 1 B, rounded to 2^32 B by TIDL.
    const std::uint64_t most =
        restored.nearest.count() == kMostOf32Bits + 1 ? restored.nearest.count() : kMostOf32Bits;
    const auto size = number(object, "size_bytes", at, most);
    if (!size) {
      return;
    }
    block.size = model::measured_exactly(core::Bytes{*size});
    if (text_kib && (!hundredths || restored.nearest != block.size.nearest)) {
      wrong(at + ".printed_kib", "it does not agree with size_bytes");
    } else if (text_kib) {
      block.size = restored;
    }
  }

  core::SharedText path_;
  std::size_t inputs_ = 0;
  std::unordered_set<std::string> cores_;
  core::Diagnostics errors_;
};

}  // namespace

bool probe_sizing_document(std::string_view text) {
  return core::trim(text).starts_with('{') &&
         text.find("\"memsize.sizing/") != std::string_view::npos;
}

core::Result<model::Recording> read_sizing_document(std::string_view text,
                                                    const std::string& path) {
  core::Place place;
  place.path = path;
  const json document = json::parse(text, nullptr, false);
  if (document.is_discarded() || !document.is_object()) {
    return core::fail(core::error(Code::kReadSizingDocument,
                                  fmt::format("{} is not valid JSON", shown_name(path)),
                                  place,
                                  kHint));
  }
  const auto found = document.find("schema");
  const std::string schema =
      found != document.end() && found->is_string() ? found->get<std::string>() : std::string{};
  if (schema != "memsize.sizing/1") {
    return core::fail(core::error(
        Code::kReadSizingDocument,
        fmt::format("{} has the schema '{}'", shown_name(path), core::printable(schema, 40)),
        place,
        "this memsize reads memsize.sizing/1"));
  }
  return DocumentReader{path}.read(document);
}

}  // namespace memsize::readers
