// A memsize.sizing/1 document read back as a recording, so that sizings of several runs combine as
// if their logs had been read together.
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"

#include "formats.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Value;

constexpr std::uint64_t kMostOf32Bits = std::numeric_limits<std::uint32_t>::max();
// Every JSON reader keeps whole numbers up to here.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53U;
constexpr std::size_t kLongestName = 40;
constexpr const char* kHint = "print the document again with: memsize analyze LOG --json";

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
  core::Result<model::Recording> read(Value document) {
    Fields top{document, {}, errors_, voice_};
    model::Recording recording;
    const docs::Text trace_format = top.required_text("trace_format");
    if (trace_format.written && !core::is_identifier(trace_format.text)) {
      top.wrong("trace_format", "it must be the name of a file under boards/formats");
    }
    read_options(top, recording);
    // The logs behind the document, so that it stands for them.
    read_items(top, "inputs", recording.inputs, &SizingReader::input);
    if (document["inputs"].is(Kind::kList) && document["inputs"].size() == 0) {
      top.wrong("inputs", "it must name at least one");
    }
    for (model::Input& input : recording.inputs) {
      input.trace_format = trace_format.text;
    }
    inputs_ = recording.inputs.size();
    read_items(top, "cores", recording.cores, &SizingReader::core);
    // A core that only heaps or failures speak of has no model; they bring it back.
    std::erase_if(recording.cores, [](const auto& recorded) { return recorded.instances.empty(); });
    // What a log says beside its tables.
    read_items_if_any(top, "heaps", recording.heaps, &SizingReader::heap);
    read_items_if_any(top, "failures", recording.failures, &SizingReader::failure);
    read_items_if_any(top, "runs", recording.runs, &SizingReader::run);
    read_diagnostics(top, recording);
    const bool empty = recording.cores.empty() && recording.heaps.empty() &&
                       recording.failures.empty() && recording.runs.empty();
    if (empty && errors_.empty()) {
      top.wrong("cores", "it must name at least one");
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return recording;
  }

 private:
  template <typename Item>
  using ReadItem = Item (SizingReader::*)(Fields&);

  // The items of an array that must be there.
  template <typename Item>
  void read_items(Fields& of, const char* key, std::vector<Item>& items, ReadItem<Item> read_item) {
    if (!of.has(key)) {
      (void)of.required(key, Kind::kList);
    }
    read_items_if_any(of, key, items, read_item);
  }

  // Those of an array that is absent where there are none.
  template <typename Item>
  void read_items_if_any(Fields& of,
                         const char* key,
                         std::vector<Item>& items,
                         ReadItem<Item> read_item) {
    for (const Value item : of.items(key)) {
      Fields fields = of.below(item);
      if (fields.is_table()) {
        items.push_back((this->*read_item)(fields));
      }
    }
  }

  // A time or an amount of traffic, as precise as it was printed.
  static std::optional<double> measure_if_any(Fields& of, const char* key) {
    const Value found = of.value()[key];
    const bool is_whole = found.is(Kind::kWhole);
    if (found && !is_whole && !(found.is(Kind::kReal) && found.real() >= 0)) {
      of.must_be(found, "a number that is not negative");
      return std::nullopt;
    }
    return !found ? std::nullopt
                  : std::optional{is_whole ? static_cast<double>(found.whole()) : found.real()};
  }

  // The value that `named` knows, or an error that lists `choices`.
  template <typename Item>
  static void choose(Fields& of,
                     const char* key,
                     std::optional<Item> (*named)(std::string_view),
                     const char* choices,
                     Item& item) {
    const Value name = of.required(key, Kind::kText);
    const auto chosen = name ? named(name.text()) : std::nullopt;
    if (chosen) {
      item = *chosen;
    } else if (name) {
      of.must_be(name, choices);
    }
  }

  static void read_options(Fields& top, model::Recording& recording) {
    const docs::Text headroom = top.required_text("headroom");
    if (headroom.written && !is_headroom(headroom.text)) {
      top.wrong("headroom",
                fmt::format("'{}' is not a headroom",
                            core::printable(headroom.text, docs::kLongestShown)));
    }
    recording.headroom = headroom.text;
    recording.instances = top.one_of("instances", {"together", "apart"});
    recording.one_priority = top.boolean("one_priority", false);
  }

  model::Input input(Fields& of) {
    model::Input input;
    input.path = of.required_string("path");
    input.format = of.required_string("format");
    input.lines = of.number("lines", kMostExact).value_or(0);
    input.records = of.number("records", kMostExact).value_or(0);
    input.broken_rows = of.number_if_any("broken_rows", kMostExact).value_or(0);
    input.emulated = of.boolean("emulated", false);
    input.copies = of.strings("copies");
    return input;
  }

  static std::string short_name(Fields& of, const char* key) {
    return core::printable(of.string(key), kLongestName);
  }

  // Which input, in which line, and of which core.
  template <typename Item>
  void read_origin(Fields& of, Item& item) {
    item.input = of.number("input", last_input()).value_or(0);
    item.line = of.number("line", kMostExact).value_or(0);
    item.core = short_name(of, "core");
  }

  [[nodiscard]] std::size_t last_input() const { return inputs_ == 0 ? 0 : inputs_ - 1; }

  model::HeapReport heap(Fields& of) {
    model::HeapReport heap;
    read_origin(of, heap);
    choose(of, "source", model::heap_source_named, "boot or statistics", heap.source);
    heap.name = of.required_string("name");
    heap.size = core::Bytes{of.number("size_bytes", kMostExact).value_or(0)};
    if (of.has("address")) {
      heap.address = core::VirtAddr{of.address("address")};
    }
    if (const auto free = of.number_if_any("free_bytes", kMostExact); free) {
      if (*free > heap.size.count()) {
        of.wrong("free_bytes", "no more can be free than the heap has");
      }
      heap.free = core::Bytes{*free};
    }
    return heap;
  }

  model::Failure failure(Fields& of) {
    model::Failure failure;
    read_origin(of, failure);
    choose(of,
           "kind",
           model::failure_kind_named,
           "record, on-chip, limit, host or other",
           failure.kind);
    failure.text = of.required_string("message");
    if (const auto record = of.number_if_any("record", kMostOf32Bits); record) {
      failure.record = static_cast<std::uint32_t>(*record);
    }
    if (of.has("space")) {
      failure.space = space(of);
    }
    if (of.has("cacheability")) {
      read_cacheability(of, failure.cacheability);
    }
    if (const auto size = of.number_if_any("size_bytes", kMostExact); size) {
      failure.size = core::Bytes{*size};
    }
    return failure;
  }

  model::RunReport run(Fields& of) {
    model::RunReport run;
    read_origin(of, run);
    run.init_ms = measure_if_any(of, "init_ms");
    run.executions = of.number_if_any("executions", kMostExact).value_or(0);
    run.execution_ms = measure_if_any(of, "execution_ms");
    run.read_mb = measure_if_any(of, "read_mb");
    run.written_mb = measure_if_any(of, "written_mb");
    return run;
  }

  // What the logs' own readers had to say. Everything else in the document follows from the rest
  // of it, and is said again.
  void read_diagnostics(Fields& top, model::Recording& recording) {
    const Value said = top.value()["diagnostics"];
    for (const Value item : said.is(Kind::kList) ? said : Value{}) {
      Fields of = top.below(item);
      if (!of.is_table() || !of.has("path")) {
        continue;
      }
      if (const auto code = reader_code(of.required_string("code"), of.has("line")); code) {
        recording.diagnostics.push_back(diagnostic(of, *code));
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
    const auto known =
        std::ranges::find_if(codes, [&](Code code) { return core::code_name(code) == name; });
    return known == codes.end() ? std::nullopt : std::optional{*known};
  }

  static core::Diagnostic diagnostic(Fields& of, Code code) {
    core::Place place;
    place.path = of.string("path");
    place.line = of.number_if_any("line", kMostExact).value_or(0);
    place.column = of.number_if_any("column", kMostExact).value_or(0);
    core::Diagnostic said = core::warning(code, of.required_string("message"), place);
    if (of.value()["severity"].text() == core::severity_name(core::Severity::kNote)) {
      said.severity = core::Severity::kNote;
    }
    said.hint = of.string("hint");
    said.details = of.strings("details");
    return said;
  }

  model::CoreRecording core(Fields& of) {
    model::CoreRecording core;
    core.core = short_name(of, "core");
    if (!cores_.insert(core.core).second) {
      of.wrong(of.value(),
               core.core.empty() ? "the core without a name stands twice"
                                 : fmt::format("core '{}' stands twice", core.core));
    }
    read_items(of, "instances", core.instances, &SizingReader::instance);
    return core;
  }

  model::Instance instance(Fields& of) {
    model::Instance instance;
    instance.input = of.number_if_any("input", last_input()).value_or(0);
    instance.line = of.number("line", kMostExact).value_or(0);
    // What is known of a model beside its blocks.
    instance.form = short_name(of, "form");
    if (const auto priority = of.number_if_any("priority", kMostOf32Bits); priority) {
      instance.priority = static_cast<std::uint32_t>(*priority);
    }
    instance.times = of.number_if_any("times", kMostExact).value_or(1);
    if (instance.times == 0) {
      of.wrong("times", "it must be at least 1");
    }
    read_items_if_any(of, "totals", instance.totals, &SizingReader::total);
    records_.clear();
    read_items(of, "blocks", instance.blocks, &SizingReader::block);
    return instance;
  }

  model::ClassTotal total(Fields& of) {
    model::ClassTotal total;
    total.space = space(of);
    total.line = of.number("line", kMostExact).value_or(0);
    read_cacheability(of, total.cacheability);
    if (of.has("lifetime")) {
      read_lifetime(of, total.lifetime.emplace());
    }
    total.size = size(of, kMostExact);
    return total;
  }

  static std::string space(Fields& of) {
    const Value space = of.required("space", Kind::kText);
    if (space && !core::is_identifier(space.text())) {
      of.must_be(space, "a name such as ddr");
    }
    return space.string();
  }

  static void read_cacheability(Fields& of, model::Cacheability& value) {
    choose(of,
           "cacheability",
           model::cacheability_named,
           "cacheable, non-cacheable or on-chip",
           value);
  }

  static void read_lifetime(Fields& of, model::Lifetime& value) {
    choose(of, "lifetime", model::lifetime_named, "persistent, scratch or constant", value);
  }

  model::Block block(Fields& of) {
    model::Block block;
    const auto record = of.number("record", kMostOf32Bits);
    block.record = static_cast<std::uint32_t>(record.value_or(0));
    if (record && !records_.insert(block.record).second) {
      of.wrong("record", fmt::format("record {} stands twice in one table", *record));
    }
    block.space = space(of);
    block.line = of.number("line", kMostExact).value_or(0);
    read_cacheability(of, block.cacheability);
    read_lifetime(of, block.lifetime);
    const auto alignment = of.number("alignment", kMostOf32Bits);
    const auto align = core::Align::make(alignment.value_or(1));
    if (!align) {
      of.wrong("alignment", fmt::format("{} is not a power of two", *alignment));
    }
    block.alignment = align.value_or(core::Align{});
    block.size = size(of, kMostOf32Bits);
    if (of.has("address")) {
      read_address(of, block);
    }
    return block;
  }

  static void read_address(Fields& of, model::Block& block) {
    const std::uint64_t address = of.address("address");
    // Without a width, the upper bits are those of the heap that was known then.
    constexpr std::uint64_t kLow = 32;
    constexpr std::uint64_t kWhole = 64;
    const auto bits = of.number_if_any("address_bits", kWhole).value_or(kLow);
    if (bits != kLow && bits != kWhole) {
      of.wrong("address_bits", fmt::format("it must be 32 or 64, not {}", bits));
    }
    block.address = bits == kWhole ? model::PrintedAddress::whole(address)
                                   : model::PrintedAddress::low(address);
  }

  // The size with the rounding of its print, where it was printed.
  static model::MeasuredSize size(Fields& of, std::uint64_t most) {
    const docs::Text printed = of.text("printed_kib");
    const auto hundredths = printed.written ? printed_hundredths(printed.text) : std::nullopt;
    const auto restored = hundredths ? model::measured_kib(*hundredths) : model::MeasuredSize{};
    // The largest print is that of 2^32 - 1 B, rounded to 2^32 B by TIDL.
    const bool rounded = restored.nearest.count() == most + 1;
    const auto size = of.number("size_bytes", rounded ? most + 1 : most);
    if (!size) {
      return {};
    }
    if (printed.written && (!hundredths || restored.nearest.count() != *size)) {
      of.wrong("printed_kib", "it does not agree with size_bytes");
    } else if (printed.written) {
      return restored;
    }
    return model::measured_exactly(core::Bytes{*size});
  }

  std::size_t inputs_ = 0;
  std::unordered_set<std::string> cores_;
  // Of the table that is being read.
  std::unordered_set<std::uint32_t> records_;
  core::Diagnostics errors_;
  docs::Voice voice_ = docs::Voice::of(Code::kReadSizingDocument, kHint);
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
    const auto document =
        docs::parse_json(text_, path_, Code::kReadSizingDocument, std::string{kHint});
    MEMSIZE_TRY(document);
    const Value schema = document->root()["schema"];
    if (schema.text() != "memsize.sizing/1") {
      return core::fail(core::error(Code::kReadSizingDocument,
                                    fmt::format("{} has the schema '{}'",
                                                shown_name(path_),
                                                core::printable(schema.text(), kLongestName)),
                                    place,
                                    "this memsize reads memsize.sizing/1")
                            .about({{"file", path_}}));
    }
    if (auto changed = changed_since(*document); changed) {
      return core::fail(std::move(*changed));
    }
    return SizingReader{}.read(document->root());
  }

 private:
  // The document says what it hashes to without that key; one without it says nothing.
  static std::optional<core::Diagnostic> changed_since(const docs::Document& document) {
    constexpr std::string_view kKey = "content_hash";
    const Value claimed = document.root()[kKey];
    const std::string hash = claimed ? document.hash_without(kKey) : std::string{};
    if (!claimed || claimed.text() == hash) {
      return std::nullopt;
    }
    return core::error(
        Code::kReadSizingDocument,
        fmt::format("its content_hash is {}, but what it says makes {}: it was changed after "
                    "memsize wrote it",
                    claimed.shown(),
                    hash),
        claimed.place(),
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
