// From a file in boards/formats to meanings of records and rules of heaps, by generation. A part's
// own sizes come before those of most parts, and names that a log cut short are still found.
#include "memsize/board/trace_format.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "field_values.hpp"
#include "log_format.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

// The generation whose heaps one has.
constexpr const char* kHeapsLike = "heaps_like";

std::optional<std::uint32_t> record_number(const std::string& key) {
  const auto number = core::parse_address(key);
  return number && *number <= kLargestRecord ? std::optional{static_cast<std::uint32_t>(*number)}
                                             : std::nullopt;
}

void bad_record(Value field, core::Diagnostics& errors) {
  errors.push_back(core::error(Code::kBoardValue,
                               fmt::format("'{}' is not a record number", field.name()),
                               field.key_place()));
}

void bad_class(Fields& reader, const std::string& text, const core::Place& place) {
  reader.wrong(Code::kBoardValue, fmt::format("'{}' is not a class", core::printable(text)), place);
}

std::optional<MemoryClass> read_class(Fields& reader, const char* key, const std::string& space) {
  const Text text = reader.text(key);
  if (!text.written) {
    return std::nullopt;
  }
  auto memory = class_of(text.text, space);
  if (!memory) {
    bad_class(reader, text.text, text.place);
  }
  return memory;
}

core::Bytes size_of(const std::string& text, const core::Place& place, core::Diagnostics& errors) {
  const auto value = evaluate(Expression{text, place}, {});
  if (!value) {
    errors.insert(errors.end(), value.error().begin(), value.error().end());
    return {};
  }
  return core::Bytes{*value};
}

std::vector<core::Bytes> read_sizes(Fields& reader) {
  std::vector<core::Bytes> sizes;
  for (const Text& size : reader.texts("sizes")) {
    sizes.push_back(size_of(size.text, size.place, reader.errors()));
  }
  return sizes;
}

FixedParts read_fixed(Fields& reader) {
  FixedParts fixed;
  for (const Value part : reader.fields("fixed")) {
    const auto number = record_number(part.name());
    if (!number || !part.is(Kind::kText)) {
      bad_record(part, reader.errors());
      continue;
    }
    const bool whole = part.string() == "all";
    fixed[*number] = {
        whole, whole ? core::Bytes{} : size_of(part.string(), part.place(), reader.errors())};
  }
  return fixed;
}

void read_record(Value field,
                 std::map<std::uint32_t, RecordMeaning>& records,
                 core::Diagnostics& errors) {
  Fields reader{field, fmt::format("record {}", field.name()), errors};
  const auto number = record_number(field.name());
  RecordMeaning meaning{.name = reader.required_string("name"),
                        .what = reader.required_string("what"),
                        .memory = read_class(reader, "class", reader.string("space", kMainMemory))};
  if (!number) {
    bad_record(field, errors);
  } else {
    records[*number] = std::move(meaning);
  }
  reader.finish();
}

ContextRule read_context(Value value, core::Diagnostics& errors) {
  Fields reader{value, "the context", errors};
  (void)reader.required("record", Kind::kWhole);
  const std::uint32_t record = number_up_to(reader, "record", kLargestRecord);
  const ContextRule rule{record, bytes(reader, "rest")};
  reader.finish();
  return rule;
}

HeapName read_heap_name(Value value, core::Diagnostics& errors) {
  Fields reader{value, "a heap's names", errors};
  HeapName heap{.names = reader.strings("names")};
  const std::string space = reader.string("space", kMainMemory);
  if (const auto memory = read_class(reader, "class", space); memory) {
    heap.memory = *memory;
  }
  reader.finish();
  return heap;
}

MessageMeaning read_message(Value value, core::Diagnostics& errors) {
  Fields reader{value, "a message", errors};
  MessageMeaning message{.contains = reader.required_string("contains"),
                         .means = reader.required_string("means")};
  reader.finish();
  return message;
}

PartRule read_part(Value field, core::Diagnostics& errors) {
  Fields reader{field, fmt::format("part '{}'", field.name()), errors};
  PartRule rule{.fingerprint_sizes = read_sizes(reader), .fixed = read_fixed(reader)};
  reader.finish();
  return rule;
}

std::optional<UnknownPart> read_unknown(Value value, core::Diagnostics& errors) {
  Fields reader{value, "an unknown part", errors};
  (void)reader.required_string("class");
  const auto memory = read_class(reader, "class", kMainMemory);
  const std::string what = reader.required_string("what");
  reader.finish();
  return memory ? std::optional{UnknownPart{memory->cacheability, memory->lifetime, what}}
                : std::nullopt;
}

// The rule stands for each of its classes.
std::vector<HeapRule> read_heap_rules(Value value,
                                      const std::string& generation,
                                      core::Diagnostics& errors) {
  Fields reader{value, fmt::format("a heap of generation '{}'", generation), errors};
  HeapRule rule;
  const std::string kind = reader.required_string("kind");
  if (kind != "rtos" && kind != "linear") {
    reader.wrong(Code::kBoardValue,
                 fmt::format("'{}' is not a kind of heap", core::printable(kind)),
                 value.place(),
                 "the kinds are: linear, rtos");
  }
  rule.kind = kind == "rtos" ? HeapRule::Kind::kRtos : HeapRule::Kind::kLinear;
  rule.align = align(reader, rule.kind == HeapRule::Kind::kRtos ? "round" : "align");
  rule.families = reader.strings("families");
  rule.header = bytes(reader, "header");
  rule.idle = bytes(reader, "idle");
  for (const std::string& object : reader.strings("objects")) {
    rule.objects.push_back(size_of(object, value.place(), errors));
  }
  for (const std::string& object : reader.strings("transient")) {
    rule.transient.push_back(size_of(object, value.place(), errors));
  }
  rule.source = reader.required_string("source");
  std::vector<HeapRule> rules;
  for (const std::string& heap_class : reader.strings("classes")) {
    const auto memory = class_of(heap_class, kMainMemory);
    if (!memory) {
      bad_class(reader, heap_class, value.place());
      continue;
    }
    rule.cacheability = memory->cacheability;
    rule.lifetime = memory->lifetime;
    rules.push_back(rule);
  }
  reader.finish();
  return rules;
}

Generation read_generation(Value field, core::Diagnostics& errors) {
  Fields reader{field, fmt::format("generation '{}'", field.name()), errors};
  Generation generation{.name = field.name(),
                        .title = reader.required_string("title"),
                        .records = number_up_to(reader, "records", kLargestRecord + 1),
                        .estimate = reader.string("estimate")};
  generation.form = reader.string("form");
  // A form of its own tells a generation as well.
  const Value print = generation.form.empty() ? reader.required("fingerprint", Kind::kTable)
                                              : reader.optional("fingerprint", Kind::kTable);
  if (print) {
    Fields fingerprint{print, "the fingerprint", errors};
    generation.fingerprint_record = number_up_to(fingerprint, "record", kLargestRecord);
    generation.fingerprint_sizes = read_sizes(fingerprint);
    fingerprint.finish();
  }
  generation.fixed = read_fixed(reader);
  for (const Value part : reader.fields("part")) {
    generation.parts[part.name()] = read_part(part, errors);
  }
  for (const Value unknown : reader.items("unknown")) {
    if (const auto part = read_unknown(unknown, errors); part) {
      generation.unknown.push_back(*part);
    }
  }
  for (const Value heap : reader.items("heap")) {
    std::ranges::move(read_heap_rules(heap, generation.name, errors),
                      std::back_inserter(generation.heaps));
  }
  (void)reader.string(kHeapsLike);
  reader.finish();
  return generation;
}

std::vector<std::string> read_generation_names(Fields& reader,
                                               const char* key,
                                               const TraceFormat& format) {
  std::vector<std::string> names;
  for (const Text& name : reader.texts(key)) {
    if (format.find_generation(name.text) == nullptr) {
      reader.wrong(Code::kBoardReference,
                   fmt::format("there is no generation '{}'", core::printable(name.text)),
                   name.place);
    }
    names.push_back(name.text);
  }
  return names;
}

TreeFact read_tree_fact(Value value, const TraceFormat& format, core::Diagnostics& errors) {
  Fields reader{value, "what tells a tree's generation", errors};
  TreeFact fact{.file = reader.required_string("file"),
                .contains = reader.string("contains"),
                .parts = reader.strings("parts")};
  (void)reader.required("has", Kind::kList);
  fact.has = read_generation_names(reader, "has", format);
  fact.lacks = read_generation_names(reader, "lacks", format);
  fact.source = reader.required_string("source");
  reader.finish();
  return fact;
}

// Of a format that says no more: its tables' form tells it.
Generation only_generation(const TraceFormat& format, const std::string& title) {
  const std::uint32_t complete = format.log->complete;
  return {.name = format.name,
          .title = title,
          .records = complete,
          .is_open = complete == 0,
          .form = format.name};
}

void read_log(Value log, const std::string& title, TraceFormat& format, core::Diagnostics& errors) {
  format.log = read_log_format(log, format, title, errors);
  if (!core::is_identifier(format.name)) {
    errors.push_back(
        core::error(Code::kBoardName,
                    fmt::format("'{}' is no name of a format", core::printable(format.name, 60)),
                    log.place(),
                    "letters, digits and '_', no digit first"));
  }
  if (format.generations.empty()) {
    format.generations.push_back(only_generation(format, title));
  }
}

// A generation may use the heaps of one that stands further down.
void share_heaps(Value generations, TraceFormat& format, core::Diagnostics& errors) {
  for (const Value field : generations) {
    const std::string like = field[kHeapsLike].string();
    if (like.empty()) {
      continue;
    }
    const Generation* other = format.find_generation(like);
    if (other == nullptr) {
      errors.push_back(
          core::error(Code::kBoardReference, fmt::format("there is no generation '{}'", like)));
      continue;
    }
    core::find_in(format.generations, field.key(), &Generation::name)->heaps = other->heaps;
  }
}

core::Result<TraceFormat> read_format(Value file) {
  core::Diagnostics errors;
  TraceFormat format;
  Fields top{file, "the format", errors};
  (void)top.integer("schema");
  const std::string title = top.string("title");
  (void)top.strings("sources");
  format.name = top.required_string("format");
  format.not_covered = top.strings("not_covered");
  format.several_models = top.strings("several_models");
  format.forms_without_lifetime = top.strings("forms_without_lifetime");
  if (const Text below = top.text("totals_below"); below.written) {
    format.totals_below = size_of(below.text, below.place, errors);
  }
  for (const Value field : top.fields("record")) {
    read_record(field, format.records, errors);
  }
  if (const Value context = top.optional("context", Kind::kTable)) {
    format.context = read_context(context, errors);
  }
  for (const Value heap : top.items("heap_name")) {
    format.heap_names.push_back(read_heap_name(heap, errors));
  }
  for (const Value message : top.items("message")) {
    format.messages.push_back(read_message(message, errors));
  }
  const Value generations = top.fields("generation");
  for (const Value field : generations) {
    format.generations.push_back(read_generation(field, errors));
  }
  for (const Value fact : top.items("tree")) {
    format.tree_facts.push_back(read_tree_fact(fact, format, errors));
  }
  if (const Value log = top.optional("log", Kind::kTable)) {
    read_log(log, title, format, errors);
  }
  top.finish();
  share_heaps(generations, format, errors);
  if (format.generations.empty()) {
    errors.push_back(
        core::error(Code::kTomlMissingKey, "the format has no generation", file.place()));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return format;
}

}  // namespace

const HeapRule* Generation::find_heap(model::Cacheability cacheability,
                                      model::Lifetime lifetime,
                                      std::string_view family) const {
  const auto found = std::find_if(heaps.rbegin(), heaps.rend(), [&](const HeapRule& heap) {
    return heap.cacheability == cacheability && heap.lifetime == lifetime &&
           (family.empty() || heap.families.empty() || core::contains(heap.families, family));
  });
  return found == heaps.rend() ? nullptr : &*found;
}

const FixedParts& Generation::fixed_on(std::string_view part) const {
  const auto own = parts.find(std::string{part});
  return own == parts.end() ? fixed : own->second.fixed;
}

const std::vector<core::Bytes>& Generation::fingerprint_on(std::string_view part) const {
  const auto own = parts.find(std::string{part});
  return own == parts.end() ? fingerprint_sizes : own->second.fingerprint_sizes;
}

std::string TraceFormat::titles_of(const std::vector<std::string>& names) const {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Generation* known = find_generation(names[i]);
    text += fmt::format("{}{}",
                        i == 0                  ? ""
                        : i + 1 == names.size() ? " or "
                                                : ", ",
                        known == nullptr ? names[i] : known->title);
  }
  return text;
}

std::vector<std::string> TraceFormat::families() const {
  std::vector<std::string> names;
  for (const Generation& generation : generations) {
    for (const HeapRule& heap : generation.heaps) {
      names.insert(names.end(), heap.families.begin(), heap.families.end());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

const MemoryClass* TraceFormat::find_heap(std::string_view printed) const {
  // Statistics cut names to 15 characters, boot lines of some cores to 16.
  constexpr std::size_t kCut = 15;
  for (const HeapName& heap : heap_names) {
    for (const std::string& known : heap.names) {
      if (known == printed || (printed.size() >= kCut && known.starts_with(printed))) {
        // Without a class it is no heap of a model's records.
        return heap.memory.space.empty() ? nullptr : &heap.memory;
      }
    }
  }
  return nullptr;
}

const Generation* TraceFormat::find_generation(std::string_view generation) const {
  return core::find_in(generations, generation, &Generation::name);
}

core::Result<TraceFormat> load_trace_format(core::FileSystem& files,
                                            const std::string& folder,
                                            const std::string& name,
                                            std::vector<std::string>* read) {
  if (name.empty()) {
    return core::fail(core::error(Code::kBoardReference,
                                  "the board does not say in which format its logs are",
                                  {},
                                  fmt::format("set 'format' in its file; there are: {}",
                                              core::join(bundled_boards(files, folder + "/formats")
                                                             .value_or(std::vector<std::string>{}),
                                                         ", "))));
  }
  const auto file = load_inherited(
      files, is_path(name) ? name : fmt::format("{}/formats/{}.toml", folder, name), folder, read);
  MEMSIZE_TRY(file);
  return read_format(file->root());
}

}  // namespace memsize::board
