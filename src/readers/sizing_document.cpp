// A memsize.sizing/1 document read back as a recording, so that sizings of several runs combine as
// if their logs had been read together.
#include "memsize/core/json_keys.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include "formats.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::readers {

namespace {

using core::Code;
using nlohmann::json;

constexpr std::uint64_t kMostOf32Bits = std::numeric_limits<std::uint32_t>::max();
// Every JSON reader keeps whole numbers up to here.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53U;
constexpr const char* kHint = "print the document again with: memsize analyze LOG --json";

// A value as the user wrote it, cut; nested ones are only named, however deep they are.
std::string json_shown(const json& value) {
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
std::optional<std::uint64_t> printed_hundredths(std::string_view text) {
  constexpr std::size_t kDecimals = 2;
  constexpr std::size_t kLongest = 16;  // 2^53 B
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

class SizingReader {
 public:
  explicit SizingReader(const std::string& path) : path_(path) {}

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
    read_items(document, "cores", recording.cores, &SizingReader::core);
    // A core that only heaps or failures speak of has no model; they bring it back.
    std::erase_if(recording.cores, [](const auto& recorded) { return recorded.instances.empty(); });
    read_said(document, recording);
    read_diagnostics(document, recording);
    const bool empty = recording.cores.empty() && recording.heaps.empty() &&
                       recording.failures.empty() && recording.runs.empty();
    if (empty && errors_.empty()) {
      wrong("cores", "it must name at least one");
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

  // The items of an array that must be there.
  template <typename Item>
  void read_items(const json& document,
                  const char* key,
                  std::vector<Item>& items,
                  Item (SizingReader::*read_item)(const json&, const std::string&)) {
    const json* found = array(document, key, "document");
    for (std::size_t i = 0; found != nullptr && i < found->size(); ++i) {
      items.push_back((this->*read_item)((*found)[i], fmt::format("{}[{}]", key, i)));
    }
  }

  // Those of an array that is absent where there are none.
  template <typename Item>
  void read_items_if_any(const json& document,
                         const char* key,
                         std::vector<Item>& items,
                         Item (SizingReader::*read_item)(const json&, const std::string&)) {
    if (document.contains(key)) {
      read_items(document, key, items, read_item);
    }
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

  std::vector<std::string> strings_if_any(const json& object,
                                          const char* key,
                                          const std::string& at) {
    std::vector<std::string> strings;
    const json* found = object.contains(key) ? array(object, key, at) : nullptr;
    for (std::size_t i = 0; found != nullptr && i < found->size(); ++i) {
      if ((*found)[i].is_string()) {
        strings.push_back((*found)[i].get<std::string>());
      } else {
        wrong(fmt::format("{}.{}[{}]", at, key, i), "it must be a string");
      }
    }
    return strings;
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
            fmt::format("it must be a whole number from 0 to {}, not {}", max, json_shown(*found)));
      return std::nullopt;
    }
    return found->get<std::uint64_t>();
  }

  std::optional<std::uint64_t> number_if_any(const json& object,
                                             const char* key,
                                             const std::string& at,
                                             std::uint64_t max) {
    return object.contains(key) ? number(object, key, at, max) : std::nullopt;
  }

  bool flag_if_any(const json& object, const char* key, const std::string& at) {
    const auto found = object.find(key);
    if (found == object.end()) {
      return false;
    }
    if (!found->is_boolean()) {
      wrong(at + "." + key, fmt::format("it must be true or false, not {}", json_shown(*found)));
      return false;
    }
    return found->get<bool>();
  }

  // A time or an amount of traffic, as precise as it was printed.
  std::optional<double> measure_if_any(const json& object, const char* key, const std::string& at) {
    const auto found = object.find(key);
    if (found == object.end()) {
      return std::nullopt;
    }
    if (!found->is_number() || found->get<double>() < 0) {
      wrong(at + "." + key,
            fmt::format("it must be a number that is not negative, not {}", json_shown(*found)));
      return std::nullopt;
    }
    return found->get<double>();
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
    recording.one_priority = flag_if_any(document, "one_priority", "document");
  }

  model::Input input(const json& object, const std::string& at) {
    model::Input input;
    if (!is_object(object, at)) {
      return input;
    }
    input.path = text(object, "path", at).value_or("");
    input.format = text(object, "format", at).value_or("");
    input.lines = number(object, "lines", at, kMostExact).value_or(0);
    input.records = number(object, "records", at, kMostExact).value_or(0);
    input.broken_rows = number_if_any(object, "broken_rows", at, kMostExact).value_or(0);
    input.emulated = flag_if_any(object, "emulated", at);
    input.copies = strings_if_any(object, "copies", at);
    return input;
  }

  // Which input, in which line, and of which core.
  template <typename Item>
  void read_origin(const json& object, const std::string& at, Item& item) {
    item.input = number(object, "input", at, inputs_ == 0 ? 0 : inputs_ - 1).value_or(0);
    item.line = number(object, "line", at, kMostExact).value_or(0);
    if (object.contains("core")) {
      item.core = core::printable(text(object, "core", at).value_or(""), 40);
    }
  }

  // What a log says beside its tables.
  void read_said(const json& document, model::Recording& recording) {
    read_items_if_any(document, "heaps", recording.heaps, &SizingReader::heap);
    read_items_if_any(document, "failures", recording.failures, &SizingReader::failure);
    read_items_if_any(document, "runs", recording.runs, &SizingReader::run);
  }

  model::HeapReport heap(const json& object, const std::string& at) {
    model::HeapReport heap;
    if (!is_object(object, at)) {
      return heap;
    }
    read_origin(object, at, heap);
    choose(object, "source", at, model::heap_source_named, "boot or statistics", heap.source);
    heap.name = text(object, "name", at).value_or("");
    heap.size = core::Bytes{number(object, "size_bytes", at, kMostExact).value_or(0)};
    if (object.contains("address")) {
      const auto address = core::parse_address(text(object, "address", at).value_or(""));
      if (!address) {
        wrong(at + ".address", "it must be a hexadecimal address");
      }
      heap.address = core::VirtAddr{address.value_or(0)};
    }
    if (const auto free = number_if_any(object, "free_bytes", at, kMostExact); free) {
      if (*free > heap.size.count()) {
        wrong(at + ".free_bytes", "no more can be free than the heap has");
      }
      heap.free = core::Bytes{*free};
    }
    return heap;
  }

  model::Failure failure(const json& object, const std::string& at) {
    model::Failure failure;
    if (!is_object(object, at)) {
      return failure;
    }
    read_origin(object, at, failure);
    choose(object,
           "kind",
           at,
           model::failure_kind_named,
           "record, on-chip, limit, host or other",
           failure.kind);
    failure.text = text(object, "message", at).value_or("");
    if (const auto record = number_if_any(object, "record", at, kMostOf32Bits); record) {
      failure.record = static_cast<std::uint32_t>(*record);
    }
    if (object.contains("space")) {
      failure.space = space(object, at);
    }
    if (object.contains("cacheability")) {
      read_cacheability(object, at, failure.cacheability);
    }
    if (const auto size = number_if_any(object, "size_bytes", at, kMostExact); size) {
      failure.size = core::Bytes{*size};
    }
    return failure;
  }

  model::RunReport run(const json& object, const std::string& at) {
    model::RunReport run;
    if (!is_object(object, at)) {
      return run;
    }
    read_origin(object, at, run);
    run.init_ms = measure_if_any(object, "init_ms", at);
    run.executions = number_if_any(object, "executions", at, kMostExact).value_or(0);
    run.execution_ms = measure_if_any(object, "execution_ms", at);
    run.read_mb = measure_if_any(object, "read_mb", at);
    run.written_mb = measure_if_any(object, "written_mb", at);
    return run;
  }

  // What the logs' own readers had to say. Everything else in the document follows from the rest
  // of it, and is said again.
  void read_diagnostics(const json& document, model::Recording& recording) {
    const auto found = document.find("diagnostics");
    if (found == document.end() || !found->is_array()) {
      return;
    }
    for (std::size_t i = 0; i < found->size(); ++i) {
      const json& object = (*found)[i];
      const std::string at = fmt::format("diagnostics[{}]", i);
      if (!is_object(object, at) || !object.contains("path")) {
        continue;
      }
      const auto code = reader_code(text(object, "code", at).value_or(""), object.contains("line"));
      if (code) {
        recording.diagnostics.push_back(diagnostic(object, at, *code));
      }
    }
  }

  // What sizing says of statistics has no place: readers tell of lines.
  static std::optional<Code> reader_code(std::string_view name, bool has_line) {
    if (!name.starts_with("read.") &&
        !(has_line && name == core::code_name(Code::kSizingStatistics))) {
      return std::nullopt;
    }
    const auto& codes = core::all_codes();
    const auto known = std::find_if(
        codes.begin(), codes.end(), [&](Code code) { return core::code_name(code) == name; });
    return known == codes.end() ? std::nullopt : std::optional{*known};
  }

  core::Diagnostic diagnostic(const json& object, const std::string& at, Code code) {
    core::Place place;
    place.path = text(object, "path", at).value_or("");
    place.line = number_if_any(object, "line", at, kMostExact).value_or(0);
    place.column = number_if_any(object, "column", at, kMostExact).value_or(0);
    core::Diagnostic said = core::warning(code, text(object, "message", at).value_or(""), place);
    const auto severity = object.find("severity");
    if (severity != object.end() && *severity == core::severity_name(core::Severity::kNote)) {
      said.severity = core::Severity::kNote;
    }
    if (object.contains("hint")) {
      said.hint = text(object, "hint", at).value_or("");
    }
    said.details = strings_if_any(object, "details", at);
    return said;
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
    instance.line = number(object, "line", at, kMostExact).value_or(0);
    read_instance_facts(object, at, instance);
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

  // What is known of a model beside its blocks.
  void read_instance_facts(const json& object, const std::string& at, model::Instance& instance) {
    if (object.contains("form")) {
      instance.form = core::printable(text(object, "form", at).value_or(""), 40);
    }
    if (const auto priority = number_if_any(object, "priority", at, kMostOf32Bits); priority) {
      instance.priority = static_cast<std::uint32_t>(*priority);
    }
    instance.times = number_if_any(object, "times", at, kMostExact).value_or(1);
    if (instance.times == 0) {
      wrong(at + ".times", "it must be at least 1");
    }
    const json* totals = object.contains("totals") ? array(object, "totals", at) : nullptr;
    for (std::size_t i = 0; totals != nullptr && i < totals->size(); ++i) {
      const std::string total_at = fmt::format("{}.totals[{}]", at, i);
      if (is_object((*totals)[i], total_at)) {
        instance.totals.push_back(total((*totals)[i], total_at));
      }
    }
  }

  model::ClassTotal total(const json& object, const std::string& at) {
    model::ClassTotal total;
    total.space = space(object, at);
    total.line = number(object, "line", at, kMostExact).value_or(0);
    read_cacheability(object, at, total.cacheability);
    if (object.contains("lifetime")) {
      read_lifetime(object, at, total.lifetime.emplace());
    }
    total.size = size(object, at, kMostExact);
    return total;
  }

  std::string space(const json& object, const std::string& at) {
    const auto space = text(object, "space", at);
    if (space && !core::is_identifier(*space)) {
      wrong(at + ".space",
            fmt::format("it must be a name such as ddr, not '{}'", core::printable(*space, 40)));
    }
    return space.value_or("");
  }

  void read_cacheability(const json& object, const std::string& at, model::Cacheability& value) {
    choose(object,
           "cacheability",
           at,
           model::cacheability_named,
           "cacheable, non-cacheable or on-chip",
           value);
  }

  void read_lifetime(const json& object, const std::string& at, model::Lifetime& value) {
    choose(object, "lifetime", at, model::lifetime_named, "persistent, scratch or constant", value);
  }

  model::Block block(const json& object, const std::string& at) {
    model::Block block;
    block.space = space(object, at);
    block.line = number(object, "line", at, kMostExact).value_or(0);
    read_cacheability(object, at, block.cacheability);
    read_lifetime(object, at, block.lifetime);
    const auto alignment = number(object, "alignment", at);
    const auto align = core::Align::make(alignment.value_or(1));
    if (!align) {
      wrong(at + ".alignment", fmt::format("{} is not a power of two", *alignment));
    }
    block.alignment = align.value_or(core::Align{});
    block.size = size(object, at, kMostOf32Bits);
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
      return;
    }
    // Without a width, the upper bits are those of the heap that was known then.
    constexpr std::uint64_t kLow = 32;
    constexpr std::uint64_t kWhole = 64;
    const auto bits = number_if_any(object, "address_bits", at, kWhole).value_or(kLow);
    if (bits != kLow && bits != kWhole) {
      wrong(at + ".address_bits", fmt::format("it must be 32 or 64, not {}", bits));
    }
    block.address = bits == kWhole ? model::PrintedAddress::whole(*address)
                                   : model::PrintedAddress::low(*address);
  }

  // The size with the rounding of its print, where it was printed.
  model::MeasuredSize size(const json& object, const std::string& at, std::uint64_t most) {
    const bool printed = object.contains("printed_kib");
    const auto text_kib = printed ? text(object, "printed_kib", at) : std::nullopt;
    const auto hundredths = text_kib ? printed_hundredths(*text_kib) : std::nullopt;
    const auto restored = hundredths ? model::measured_kib(*hundredths) : model::MeasuredSize{};
    // The largest print is that of 2^32 - 1 B, rounded to 2^32 B by TIDL.
    const bool rounded = restored.nearest.count() == most + 1;
    const auto size = number(object, "size_bytes", at, rounded ? most + 1 : most);
    if (!size) {
      return {};
    }
    if (text_kib && (!hundredths || restored.nearest.count() != *size)) {
      wrong(at + ".printed_kib", "it does not agree with size_bytes");
    } else if (text_kib) {
      return restored;
    }
    return model::measured_exactly(core::Bytes{*size});
  }

  core::SharedText path_;
  std::size_t inputs_ = 0;
  std::unordered_set<std::string> cores_;
  core::Diagnostics errors_;
};

// A document is read as a whole: what it says cannot be told before its end.
class Document : public Reading {
 public:
  explicit Document(std::string path) : path_(std::move(path)) {}

  void take(std::string_view block) override {
    too_long_ = too_long_ || text_.size() + block.size() > kLongest;
    if (!too_long_) {
      text_.append(block);
    }
  }

  [[nodiscard]] bool wants_more() const override { return !too_long_; }

  void pause() override {}

  core::Result<model::Recording> finish() override {
    core::Place place;
    place.path = path_;
    if (too_long_) {
      return core::fail(core::error(Code::kReadSizingDocument,
                                    fmt::format("{} is larger than {}",
                                                shown_name(path_),
                                                core::format_size(core::Bytes{kLongest})),
                                    place,
                                    "give the logs themselves")
                            .about({{"file", path_}}));
    }
    json document = json::parse(text_, nullptr, false);
    if (document.is_discarded() || !document.is_object()) {
      return core::fail(core::error(Code::kReadSizingDocument,
                                    fmt::format("{} is not valid JSON", shown_name(path_)),
                                    place,
                                    kHint)
                            .about({{"file", path_}}));
    }
    const auto found = document.find("schema");
    const std::string schema =
        found != document.end() && found->is_string() ? found->get<std::string>() : std::string{};
    if (schema != "memsize.sizing/1") {
      return core::fail(
          core::error(
              Code::kReadSizingDocument,
              fmt::format("{} has the schema '{}'", shown_name(path_), core::printable(schema, 40)),
              place,
              "this memsize reads memsize.sizing/1")
              .about({{"file", path_}}));
    }
    if (const auto twice = core::repeated_key(text_)) {
      place.line = twice->line;
      place.column = twice->column;
      return core::fail(
          core::error(Code::kReadSizingDocument,
                      fmt::format("an object has '{}' twice", core::printable(twice->key, 40)),
                      place,
                      kHint));
    }
    if (auto changed = changed_since(document, place); changed) {
      return core::fail(std::move(*changed));
    }
    return SizingReader{path_}.read(document);
  }

 private:
  // The document says what it hashes to, by sorted keys, without blanks and without that key; one
  // without it says nothing.
  static std::optional<core::Diagnostic> changed_since(json& document, const core::Place& place) {
    const auto found = document.find("content_hash");
    if (found == document.end()) {
      return std::nullopt;
    }
    const json claimed = *found;
    document.erase(found);
    const std::string content = document.dump(-1, ' ', false, json::error_handler_t::replace);
    const std::string hash = core::short_hash(content);
    if (claimed == hash) {
      return std::nullopt;
    }
    return core::error(
        Code::kReadSizingDocument,
        fmt::format("its content_hash is {}, but what it says makes {}: it was changed after "
                    "memsize wrote it",
                    json_shown(claimed),
                    hash),
        place,
        std::string{kHint} + ", or leave out the content_hash of what you changed on purpose");
  }

  // As much as a thousand cores with a thousand models each would fill.
  static constexpr std::size_t kLongest = std::size_t{1} << 30U;

  std::string path_;
  std::string text_;
  bool too_long_ = false;
};

}  // namespace

bool probe_sizing_document(std::string_view head) {
  // Another document of memsize is no log either: it quotes what logs say.
  return core::trim(head).starts_with('{') && head.find("\"memsize.") != std::string_view::npos;
}

std::unique_ptr<Reading> open_sizing_document(const std::string& path, OnModel) {
  return std::make_unique<Document>(path);
}

}  // namespace memsize::readers
