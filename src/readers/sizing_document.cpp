// A memsize.sizing/1 document read back as a recording, so that sizings of several runs combine as
// if their logs had been read together.
#include "memsize/core/text.hpp"

#include "formats.hpp"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::readers {

namespace {

using core::Code;
using nlohmann::json;

class DocumentReader {
 public:
  explicit DocumentReader(std::string path) : path_(std::move(path)) {}

  core::Result<model::Recording> read(const json& document) {
    model::Recording recording;
    const std::string trace_format = text(document, "trace_format", "document");
    if (!core::is_identifier(trace_format)) {
      wrong("trace_format", "it must be the name of a file under boards/formats");
    }
    recording.headroom = text(document, "headroom", "document");
    recording.instances = text(document, "instances", "document");
    // The logs behind the document, so that it stands for them.
    const json* inputs = array(document, "inputs", "");
    for (std::size_t i = 0; inputs != nullptr && i < inputs->size(); ++i) {
      recording.inputs.push_back(input((*inputs)[i], fmt::format("inputs[{}]", i)));
      recording.inputs.back().trace_format = trace_format;
    }
    inputs_ = recording.inputs.size();
    if (inputs_ == 0) {
      wrong("inputs", "it must name at least one");
    }
    const json* cores = array(document, "cores", "");
    for (std::size_t i = 0; cores != nullptr && i < cores->size(); ++i) {
      const std::string at = fmt::format("cores[{}]", i);
      model::CoreRecording core;
      const bool named = (*cores)[i].is_object() && (*cores)[i].contains("core");
      core.core = named ? text((*cores)[i], "core", at) : std::string{};
      const json* instances = array((*cores)[i], "instances", at);
      for (std::size_t k = 0; instances != nullptr && k < instances->size(); ++k) {
        core.instances.push_back(instance((*instances)[k], fmt::format("{}.instances[{}]", at, k)));
      }
      recording.cores.push_back(std::move(core));
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
    errors_.push_back(core::error(Code::kReadSizingDocument,
                                  fmt::format("{}: {}", at, what),
                                  place,
                                  "print the document again with: memsize analyze LOG --json"));
  }

  const json* member(const json& object, const char* key, const std::string& at) {
    if (!object.is_object() || !object.contains(key)) {
      wrong(at.empty() ? "document" : at, fmt::format("'{}' is missing", key));
      return nullptr;
    }
    return &object.at(key);
  }

  const json* array(const json& object, const char* key, const std::string& at) {
    const json* found = member(object, key, at);
    if (found != nullptr && !found->is_array()) {
      wrong(at.empty() ? key : at + "." + key, "it must be an array");
      return nullptr;
    }
    return found;
  }

  std::string text(const json& object, const char* key, const std::string& at) {
    const json* found = member(object, key, at);
    if (found != nullptr && !found->is_string()) {
      wrong(at + "." + key, "it must be a string");
      return {};
    }
    return found == nullptr ? std::string{} : found->get<std::string>();
  }

  std::uint64_t number(const json& object,
                       const char* key,
                       const std::string& at,
                       std::uint64_t max) {
    const json* found = member(object, key, at);
    if (found == nullptr) {
      return 0;
    }
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > max) {
      wrong(at + "." + key, fmt::format("it must be a whole number from 0 to {}", max));
      return 0;
    }
    return found->get<std::uint64_t>();
  }

  model::Input input(const json& object, const std::string& at) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    model::Input input;
    input.path = text(object, "path", at);
    input.format = text(object, "format", at);
    input.lines = number(object, "lines", at, kMost);
    input.records = number(object, "records", at, kMost);
    return input;
  }

  model::Instance instance(const json& object, const std::string& at) {
    model::Instance instance;
    if (object.contains("input")) {
      instance.input = number(object, "input", at, inputs_ == 0 ? 0 : inputs_ - 1);
    }
    instance.line = number(object, "line", at, std::numeric_limits<std::uint32_t>::max());
    const json* blocks = array(object, "blocks", at);
    for (std::size_t i = 0; blocks != nullptr && i < blocks->size(); ++i) {
      instance.blocks.push_back(block((*blocks)[i], fmt::format("{}.blocks[{}]", at, i)));
    }
    return instance;
  }

  model::Block block(const json& object, const std::string& at) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    model::Block block;
    block.record = static_cast<std::uint32_t>(number(object, "record", at, kMost));
    block.space = text(object, "space", at);
    block.line = number(object, "line", at, kMost);
    const auto cacheability = model::cacheability_named(text(object, "cacheability", at));
    const auto lifetime = model::lifetime_named(text(object, "lifetime", at));
    const auto align = core::Align::make(number(object, "alignment", at, kMost));
    if (!cacheability || !lifetime || !align) {
      wrong(at, "its cacheability, lifetime or alignment is not a known value");
      return block;
    }
    block.cacheability = *cacheability;
    block.lifetime = *lifetime;
    block.alignment = *align;
    const std::uint64_t size = number(object, "size_bytes", at, kMost);
    block.size = model::measured_exactly(core::Bytes{size});
    if (object.contains("printed_kib")) {
      restore_rounding(object, at, block);
    }
    if (object.contains("address")) {
      const auto address = core::parse_address(text(object, "address", at));
      if (!address) {
        wrong(at + ".address", "it must be a hexadecimal address");
      } else {
        block.address_low = static_cast<std::uint32_t>(*address & kMost);
      }
    }
    return block;
  }

  void restore_rounding(const json& object, const std::string& at, model::Block& block) {
    std::string digits = text(object, "printed_kib", at);
    std::erase(digits, '.');
    const auto hundredths = core::parse_address(digits);
    const bool decimal = digits.find_first_not_of("0123456789") == std::string::npos;
    const auto restored = hundredths && decimal && *hundredths < (1ULL << 40)
                              ? model::measured_kib(*hundredths)
                              : model::MeasuredSize{};
    if (restored.nearest != block.size.nearest) {
      wrong(at + ".printed_kib", "it does not agree with size_bytes");
      return;
    }
    block.size = restored;
  }

  std::string path_;
  std::size_t inputs_ = 0;
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
                                  fmt::format("'{}' is not valid JSON", core::printable(path)),
                                  place,
                                  "print the document again with: memsize analyze LOG --json"));
  }
  const std::string schema = document.value("schema", json{}).is_string()
                                 ? document.at("schema").get<std::string>()
                                 : std::string{};
  if (schema != "memsize.sizing/1") {
    return core::fail(core::error(
        Code::kReadSizingDocument,
        fmt::format("'{}' has the schema '{}'", core::printable(path), core::printable(schema, 40)),
        place,
        "this memsize reads memsize.sizing/1"));
  }
  return DocumentReader{path}.read(document);
}

}  // namespace memsize::readers
