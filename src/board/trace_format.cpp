// From a file in boards/formats to meanings of records and rules of heaps, by generation. A part's
// own sizes come before those of most parts, and names that a log cut short are still found.
#include "memsize/board/trace_format.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "field_values.hpp"
#include "log_format.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

std::optional<std::uint32_t> record_number(const std::string& key) {
  const auto number = core::parse_address(key);
  return number && *number <= kLargestRecord ? std::optional{static_cast<std::uint32_t>(*number)}
                                             : std::nullopt;
}

class FormatReader {
 public:
  core::Result<TraceFormat> read(Value file) {
    Fields top{file, "the format", errors_};
    (void)top.integer("schema");
    const std::string title = top.string("title");
    (void)top.strings("sources");
    format_.name = top.required_string("format");
    format_.not_covered = top.strings("not_covered");
    format_.several_models = top.strings("several_models");
    format_.forms_without_lifetime = top.strings("forms_without_lifetime");
    read_totals(top);
    for (const Value field : top.fields("record")) {
      read_record(field);
    }
    if (const Value context = top.optional("context", Kind::kTable)) {
      read_context(context);
    }
    for (const Value heap : top.items("heap_name")) {
      read_heap_name(heap);
    }
    for (const Value message : top.items("message")) {
      Fields reader{message, "a message", errors_};
      std::string contains = reader.required_string("contains");
      format_.messages.push_back({std::move(contains), reader.required_string("means")});
      reader.finish();
    }
    for (const Value field : top.fields("generation")) {
      read_generation(field);
    }
    for (const Value fact : top.items("tree")) {
      read_tree_fact(fact);
    }
    if (const Value log = top.optional("log", Kind::kTable)) {
      read_log(log, title);
    }
    top.finish();
    share_heaps();
    if (format_.generations.empty()) {
      errors_.push_back(
          core::error(Code::kTomlMissingKey, "the format has no generation", file.place()));
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(format_);
  }

 private:
  // A format that says no more has one generation, which its tables' form tells.
  void read_log(Value log, const std::string& title) {
    format_.log = read_log_format(log, format_, title, errors_);
    const std::uint32_t complete = format_.log->complete;
    if (!core::is_identifier(format_.name)) {
      errors_.push_back(
          core::error(Code::kBoardName,
                      fmt::format("'{}' is no name of a format", core::printable(format_.name, 60)),
                      log.place(),
                      "letters, digits and '_', no digit first"));
    }
    if (format_.generations.empty()) {
      Generation only{.name = format_.name,
                      .title = title,
                      .records = complete,
                      .is_open = complete == 0,
                      .form = format_.name};
      format_.generations.push_back(std::move(only));
    }
  }

  void bad_record(Value field) {
    errors_.push_back(core::error(Code::kBoardValue,
                                  fmt::format("'{}' is not a record number", field.name()),
                                  field.key_place()));
  }

  void read_record(Value field) {
    Fields reader{field, fmt::format("record {}", field.name()), errors_};
    const auto number = record_number(field.name());
    RecordMeaning meaning{
        .name = reader.required_string("name"),
        .what = reader.required_string("what"),
        .memory = read_class(reader, "class", reader.string("space", kMainMemory))};
    if (!number) {
      bad_record(field);
    } else {
      format_.records[*number] = std::move(meaning);
    }
    reader.finish();
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

  static void bad_class(Fields& reader, const std::string& text, const core::Place& place) {
    reader.wrong(
        Code::kBoardValue, fmt::format("'{}' is not a class", core::printable(text)), place);
  }

  void read_context(Value value) {
    Fields reader{value, "the context", errors_};
    (void)reader.required("record", Kind::kWhole);
    const std::uint32_t record = number_up_to(reader, "record", kLargestRecord);
    format_.context = ContextRule{record, bytes(reader, "rest")};
    reader.finish();
  }

  void read_totals(Fields& top) {
    const Text below = top.text("totals_below");
    if (below.written) {
      format_.totals_below = size_of(below.text, below.place);
    }
  }

  void read_heap_name(Value value) {
    Fields reader{value, "a heap's names", errors_};
    HeapName heap{.names = reader.strings("names")};
    const std::string space = reader.string("space", kMainMemory);
    if (const auto memory = read_class(reader, "class", space); memory) {
      heap.memory = *memory;
    }
    format_.heap_names.push_back(std::move(heap));
    reader.finish();
  }

  FixedParts read_fixed(Fields& reader) {
    FixedParts fixed;
    for (const Value part : reader.fields("fixed")) {
      const auto number = record_number(part.name());
      if (!number || !part.is(Kind::kText)) {
        bad_record(part);
        continue;
      }
      const bool whole = part.string() == "all";
      fixed[*number] = {whole, whole ? core::Bytes{} : size_of(part.string(), part.place())};
    }
    return fixed;
  }

  std::vector<core::Bytes> read_sizes(Fields& reader) {
    std::vector<core::Bytes> sizes;
    for (const Text& size : reader.texts("sizes")) {
      sizes.push_back(size_of(size.text, size.place));
    }
    return sizes;
  }

  void read_part(Value field, Generation& generation) {
    Fields reader{field, fmt::format("part '{}'", field.name()), errors_};
    PartRule rule{.fingerprint_sizes = read_sizes(reader), .fixed = read_fixed(reader)};
    generation.parts[field.name()] = std::move(rule);
    reader.finish();
  }

  void read_unknown(Value value, Generation& generation) {
    Fields reader{value, "an unknown part", errors_};
    (void)reader.required_string("class");
    const auto memory = read_class(reader, "class", kMainMemory);
    const std::string what = reader.required_string("what");
    if (memory) {
      generation.unknown.push_back({memory->cacheability, memory->lifetime, what});
    }
    reader.finish();
  }

  void read_generation(Value field) {
    Fields reader{field, fmt::format("generation '{}'", field.name()), errors_};
    Generation generation{.name = field.name(),
                          .title = reader.required_string("title"),
                          .records = number_up_to(reader, "records", kLargestRecord + 1),
                          .estimate = reader.string("estimate")};
    generation.form = reader.string("form");
    // A form of its own tells a generation as well.
    const Value print = generation.form.empty() ? reader.required("fingerprint", Kind::kTable)
                                                : reader.optional("fingerprint", Kind::kTable);
    if (print) {
      Fields fingerprint{print, "the fingerprint", errors_};
      generation.fingerprint_record = number_up_to(fingerprint, "record", kLargestRecord);
      generation.fingerprint_sizes = read_sizes(fingerprint);
      fingerprint.finish();
    }
    generation.fixed = read_fixed(reader);
    for (const Value part : reader.fields("part")) {
      read_part(part, generation);
    }
    for (const Value unknown : reader.items("unknown")) {
      read_unknown(unknown, generation);
    }
    for (const Value heap : reader.items("heap")) {
      read_heap(heap, generation);
    }
    like_.emplace_back(generation.name, reader.string("heaps_like"));
    reader.finish();
    format_.generations.push_back(std::move(generation));
  }

  void read_tree_fact(Value value) {
    Fields reader{value, "what tells a tree's generation", errors_};
    TreeFact fact{.file = reader.required_string("file"),
                  .contains = reader.string("contains"),
                  .parts = reader.strings("parts")};
    (void)reader.required("has", Kind::kList);
    fact.has = read_generation_names(reader, "has");
    fact.lacks = read_generation_names(reader, "lacks");
    fact.source = reader.required_string("source");
    reader.finish();
    format_.tree_facts.push_back(std::move(fact));
  }

  std::vector<std::string> read_generation_names(Fields& reader, const char* key) {
    std::vector<std::string> names;
    for (const Text& name : reader.texts(key)) {
      if (format_.find_generation(name.text) == nullptr) {
        reader.wrong(Code::kBoardReference,
                     fmt::format("there is no generation '{}'", core::printable(name.text)),
                     name.place);
      }
      names.push_back(name.text);
    }
    return names;
  }

  core::Bytes size_of(const std::string& text, const core::Place& place) {
    const auto value = evaluate(Expression{text, place}, {});
    if (!value) {
      errors_.insert(errors_.end(), value.error().begin(), value.error().end());
      return {};
    }
    return core::Bytes{*value};
  }

  void read_heap(Value value, Generation& generation) {
    Fields reader{value, fmt::format("a heap of generation '{}'", generation.name), errors_};
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
      rule.objects.push_back(size_of(object, value.place()));
    }
    for (const std::string& object : reader.strings("transient")) {
      rule.transient.push_back(size_of(object, value.place()));
    }
    rule.source = reader.required_string("source");
    for (const std::string& heap_class : reader.strings("classes")) {
      const auto memory = class_of(heap_class, kMainMemory);
      if (!memory) {
        bad_class(reader, heap_class, value.place());
        continue;
      }
      rule.cacheability = memory->cacheability;
      rule.lifetime = memory->lifetime;
      generation.heaps.push_back(rule);
    }
    reader.finish();
  }

  // A generation may use the heaps of one that stands further down.
  void share_heaps() {
    for (const auto& [name, like] : like_) {
      if (like.empty()) {
        continue;
      }
      const Generation* other = format_.find_generation(like);
      if (other == nullptr) {
        errors_.push_back(
            core::error(Code::kBoardReference, fmt::format("there is no generation '{}'", like)));
      }
      for (Generation& generation : format_.generations) {
        if (other != nullptr && generation.name == name) {
          generation.heaps = other->heaps;
        }
      }
    }
  }

  TraceFormat format_;
  core::Diagnostics errors_;
  // Generation and the one whose heaps it has, or nothing.
  std::vector<std::pair<std::string, std::string>> like_;
};

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
  return FormatReader{}.read(file->root());
}

}  // namespace memsize::board
