// A memsize.sizing/1 document read back as a recording, so that sizings of several runs combine as
// if their logs had been read together.
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/model/describe.hpp"

#include "formats.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Value;

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

void read_options(Fields& top, model::Recording& recording) {
  const docs::Text headroom = top.required_text("headroom");
  if (headroom.written && !is_headroom(headroom.text)) {
    top.wrong(
        "headroom",
        fmt::format("'{}' is not a headroom", core::printable(headroom.text, docs::kLongestShown)));
  }
  recording.headroom = headroom.text;
  recording.instances = top.one_of("instances", {"together", "apart"});
  recording.one_priority = top.boolean("one_priority", false);
  recording.has_reservation = static_cast<bool>(top.value()["reservation"]);
}

// A core stands once.
void check_cores(Fields& top, const model::Recording& recording) {
  std::unordered_set<std::string_view> names;
  auto core = recording.cores.begin();
  for (const Value item : top.items("cores")) {
    const std::string& name = (core++)->core;
    if (!names.insert(name).second) {
      top.wrong(item,
                name.empty() ? "the core without a name stands twice"
                             : fmt::format("core '{}' stands twice", name));
    }
  }
}

// What sizing says of statistics has no place: readers tell of lines.
std::optional<Code> reader_code(std::string_view name, bool has_line) {
  if (!name.starts_with("read.") &&
      !(has_line && name == core::code_name(Code::kSizingStatistics))) {
    return std::nullopt;
  }
  const auto& codes = core::all_codes();
  const auto known =
      std::ranges::find_if(codes, [&](Code code) { return core::code_name(code) == name; });
  return known == codes.end() ? std::nullopt : std::optional{*known};
}

core::Diagnostic diagnostic(Fields& of, Code code) {
  core::Place place;
  place.path = of.string("path");
  place.line = of.number_if_any("line", docs::kMostExact).value_or(0);
  place.column = of.number_if_any("column", docs::kMostExact).value_or(0);
  core::Diagnostic said = core::warning(code, of.required_string("message"), place);
  if (of.value()["severity"].text() == core::severity_name(core::Severity::kNote)) {
    said.severity = core::Severity::kNote;
  }
  said.hint = of.string("hint");
  said.details = of.strings("details");
  // A kind and a name; older documents do not tell.
  for (const std::string& party : of.strings("about")) {
    const std::size_t blank = std::min(party.find(' '), party.size());
    const std::string name = party.substr(std::min(blank + 1, party.size()));
    said.parties.push_back({party.substr(0, blank), name});
  }
  return said;
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

core::Result<model::Recording> read_recording(Value document) {
  core::Diagnostics errors;
  const docs::Voice voice = docs::Voice::of(Code::kReadSizingDocument, kHint);
  Fields top{document, {}, errors, voice};
  model::Recording recording;
  const docs::Text trace_format = top.required_text("trace_format");
  if (trace_format.written && !core::is_identifier(trace_format.text)) {
    top.wrong("trace_format", "it must be the name of a file under boards/formats");
  }
  read_options(top, recording);
  // The logs behind the document, so that it stands for them.
  docs::Reader{top}.required("inputs", recording.inputs);
  if (document["inputs"].is(Kind::kList) && document["inputs"].size() == 0) {
    top.wrong("inputs", "it must name at least one");
  }
  for (model::Input& input : recording.inputs) {
    input.trace_format = trace_format.text;
  }
  docs::Reader said{top, recording.inputs.empty() ? 0 : recording.inputs.size() - 1};
  said.required("cores", recording.cores);
  if (errors.empty()) {
    check_cores(top, recording);
  }
  // A core that only heaps or failures speak of has no model; they bring it back.
  std::erase_if(recording.cores, [](const auto& recorded) { return recorded.instances.empty(); });
  // What a log says beside its tables.
  said.optional("heaps", recording.heaps);
  said.optional("pools", recording.pools);
  said.optional("failures", recording.failures);
  said.optional("runs", recording.runs);
  read_diagnostics(top, recording);
  const bool empty = recording.cores.empty() && recording.heaps.empty() &&
                     recording.pools.empty() && recording.failures.empty() &&
                     recording.runs.empty();
  if (empty && errors.empty()) {
    top.wrong("cores", "it must name at least one");
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return recording;
}

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
      return core::fail(
          core::error(Code::kReadSizingDocument,
                      fmt::format("{} has the schema '{}'",
                                  shown_name(path_),
                                  core::printable(schema.text(), docs::kLongestShown)),
                      place,
                      "this memsize reads memsize.sizing/1")
              .about({{"file", path_}}));
    }
    if (auto changed = changed_since(*document); changed) {
      return core::fail(std::move(*changed));
    }
    return read_recording(document->root());
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
