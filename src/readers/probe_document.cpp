// memsize.probe/1 as model::Probe: names and contents decoded, nothing of them believed.
#include "memsize/core/base64.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/readers/probe_reader.hpp"

#include "formats.hpp"
#include "probe_facts.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Value;

constexpr std::size_t kLongestProbe = std::size_t{64} << 20U;
constexpr const char* kProbeHint = "record it again, on the board: memsize-probe -o probe.json";
constexpr std::string_view kProbeSchema = "memsize.probe/1";
// No firmware is nearly as large.
constexpr std::uint64_t kLargestSparse = std::uint64_t{1} << 26U;

// A name's bytes: characters below U+0100 stand for one each.
std::string name_bytes(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if ((lead == 0xC2 || lead == 0xC3) && i + 1 < text.size()) {
      const auto low = static_cast<unsigned char>(text[++i]);
      bytes.push_back(static_cast<char>((lead == 0xC3 ? 0xC0U : 0x80U) | (low & 0x3FU)));
    } else {
      bytes.push_back(text[i]);
    }
  }
  return bytes;
}

class ProbeDocument {
 public:
  explicit ProbeDocument(Value root) : top_{root, {}, errors_, voice_} {}

  core::Result<model::Probe> read(const std::string& path) {
    probe_.path = path;
    probe_.tool = top_.string("tool");
    probe_.time = top_.string("time");
    probe_.uname = top_.string("uname");
    probe_.root = name_bytes(top_.string("root", "/"));
    probe_.uid = top_.number_if_any("uid").value_or(0);
    for (Fields& file : top_.required_tables("files")) {
      probe_.files.push_back(read_file(file));
    }
    for (Fields& sample : top_.tables("samples")) {
      probe_.samples.push_back(read_sample(sample));
    }
    read_watch();
    read_probe_facts(probe_, errors_);
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(probe_);
  }

 private:
  std::vector<std::string> names(Fields& of, std::string_view key) {
    std::vector<std::string> all = of.strings(key);
    std::ranges::transform(all, all.begin(), name_bytes);
    return all;
  }

  std::string bytes(Fields& of) {
    auto decoded = core::from_base64(of.value()["base64"].text());
    if (!decoded) {
      of.wrong("base64", "it must be base64");
    }
    return std::move(decoded).value_or("");
  }

  model::ProbeFile read_file(Fields& of) {
    model::ProbeFile file{.path = name_bytes(of.required_string("path")),
                          .links = names(of, "link"),
                          .error = of.string("error"),
                          .sha256 = of.string("sha256"),
                          .entries = names(of, "entries"),
                          .zeroed = of.strings("zeroed"),
                          .line = of.place().line};
    if (const auto size = of.number_if_any("size"); size) {
      file.size = core::Bytes{*size};
    }
    if (of.optional("text", Kind::kText)) {
      file.content = of.string("text");
    } else if (of.optional("base64", Kind::kText)) {
      file.content = bytes(of);
    }
    for (Fields& part : of.tables("parts")) {
      const auto at = part.number("at");
      (void)part.required("base64", Kind::kText);
      file.parts.push_back({at.value_or(0), bytes(part)});
    }
    return file;
  }

  model::PoolSample read_sample(Fields& of) {
    model::PoolSample sample{.seconds = seconds(of, "t"), .line = of.place().line};
    for (const Value row : of.items("dmabuf")) {
      if (!row.is(Kind::kList) || row.size() != 4) {
        of.must_be(row, "a name and three numbers");
        continue;
      }
      auto cell = row.begin();
      const auto next = [&] { return of.as_number(*cell++).value_or(0); };
      model::PoolUse use{.exporter = name_bytes(of.as_text(*cell++).text)};
      use.objects = next();
      use.bytes = core::Bytes{next()};
      use.largest = core::Bytes{next()};
      if (use.largest > use.bytes || (use.objects == 0 && use.bytes != core::Bytes{})) {
        of.wrong(row, "the largest buffer has more than all of them");
      }
      sample.uses.push_back(std::move(use));
    }
    if (!probe_.samples.empty() && sample.seconds < probe_.samples.back().seconds) {
      of.wrong("t", "it is before the sample before it");
    }
    return sample;
  }

  double seconds(Fields& of, std::string_view key) {
    const Value value = of.value()[key];
    const double time = value.is(Kind::kWhole)  ? static_cast<double>(value.whole())
                        : value.is(Kind::kReal) ? value.real()
                                                : -1;
    if (!(time >= 0 && time < 1e9)) {
      of.wrong(value ? value : of.value(), fmt::format("{} must be a time in seconds", key));
      return 0;
    }
    return time;
  }

  void read_watch() {
    const Value watch = top_.fields("watch");
    if (!watch) {
      probe_.samples_taken = probe_.samples.size();
      return;
    }
    Fields of = top_.below(watch);
    probe_.samples_taken = of.number("taken").value_or(0);
    probe_.watched_seconds = seconds(of, "seconds");
    probe_.samples_error = of.string("error");
    if (errors_.empty() && probe_.samples_taken < probe_.samples.size()) {
      of.wrong("taken", "there are more samples");
    }
  }

  docs::Voice voice_ = docs::Voice::of(Code::kProbeSyntax, kProbeHint);
  core::Diagnostics errors_;
  Fields top_;
  model::Probe probe_;
};

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

// Memory that nobody wrote to may hold anything.
bool is_printed(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char byte) {
    return byte == '\0' || byte == '\n' || byte == '\r' || byte == '\t' || byte == '\x1B' ||
           (byte >= ' ' && byte <= '~');
  });
}

// What an entry of the ring has, from its start on or, where it went around, its last lap. Each
// text has a NUL behind it, and the core's name is put before each line.
void append_ring(std::string_view entry, std::string& log) {
  constexpr std::size_t kHead = 32;
  constexpr std::size_t kEntry = 16384;
  constexpr std::uint32_t kMagic = 0x01357231;
  if (entry.size() != kEntry || word_at(entry, 8) != kMagic) {
    return;
  }
  const std::string_view name = entry.substr(16, 16);
  const std::string core{name.substr(0, name.find('\0'))};
  const std::string_view memory = entry.substr(kHead);
  const std::size_t end = std::min<std::size_t>(word_at(entry, 4), memory.size());
  // Behind the end lies what was there before the last lap, if there was one.
  std::string text{is_printed(memory.substr(end)) ? memory.substr(end) : ""};
  text += memory.substr(0, end);
  std::erase(text, '\0');
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = std::min(text.find('\n', at), text.size());
    log += fmt::format("[{:<6}] {}\n", core::printable(core, 15), text.substr(at, stop - at));
    at = stop + 1;
  }
}

// What is a log, though nobody says so: the trace of a core, and what was taken along.
bool is_of_log(const model::ProbeFile& file) {
  const auto is_below = [&](std::string_view folder) { return file.path.starts_with(folder); };
  if (is_below("/sys/kernel/debug/remoteproc/")) {
    return file.path.ends_with("/trace0");
  }
  return file.path != "/proc/iomem" && file.path != "/proc/meminfo" && !is_below("/sys/") &&
         !is_below("/proc/device-tree/") && !is_below("/dev/") && !is_below("/lib/firmware");
}

constexpr const char* kNothingHint =
    "record it on the board while the model is loaded, with memsize-probe --log; analyze --whole "
    "sizes the pool by samples; memsize check --probe FILE --board BOARD holds everything else "
    "against a map";

// The log that is in a document, read by the reader of logs.
class ProbeReading : public Reading {
 public:
  ProbeReading(std::string path, OnModel on_model)
      : path_(std::move(path)), on_model_(std::move(on_model)) {}

  void take(std::string_view block) override {
    // One byte more than there may be is told by the document's reader.
    text_.append(block.substr(0, std::min(block.size(), kLongestProbe + 1 - text_.size())));
  }

  [[nodiscard]] bool wants_more() const override { return text_.size() <= kLongestProbe; }

  void pause() override {}

  core::Result<model::Recording> finish() override {
    const auto probe = read_probe(text_, path_);
    MEMSIZE_TRY(probe);
    const std::string log = probe_log(*probe);
    const auto reading = open_tidl_log(path_, std::move(on_model_));
    reading->take(log);
    auto recording = reading->finish();
    std::vector<model::PoolReport> pools = probe_pools(*probe);
    if (!recording && pools.empty()) {
      return core::fail(nothing_in(*probe));
    }
    if (!recording) {
      recording = model::Recording{};
      recording->inputs.push_back(
          {.path = path_, .format = {}, .trace_format = "tidl", .copies = {}});
      recording->diagnostics.push_back(nothing_in(*probe));
      recording->diagnostics.back().severity = core::Severity::kWarning;
    }
    recording->pools = std::move(pools);
    // Lines are those of the log, and not of the document.
    for (core::Diagnostic& diagnostic : recording->diagnostics) {
      if (diagnostic.place.line != 0) {
        diagnostic.place.path = path_ + ":log";
      }
    }
    for (model::Input& input : recording->inputs) {
      input.format = "memsize-probe";
    }
    return recording;
  }

 private:
  [[nodiscard]] core::Diagnostic nothing_in(const model::Probe& probe) const {
    core::Diagnostic nothing =
        core::error(Code::kReadNoTable,
                    fmt::format("nothing in {} says how much memory is used", shown_name(path_)),
                    {path_},
                    kNothingHint)
            .about({{"file", path_}});
    if (const auto has = describe_probe(probe); !has.empty()) {
      nothing.details.push_back(fmt::format("it has {}", core::join(has, ", ")));
    }
    return nothing;
  }

  std::string path_;
  OnModel on_model_;
  std::string text_;
};

}  // namespace

std::unique_ptr<Reading> open_probe_document(const std::string& path, OnModel on_model) {
  return std::make_unique<ProbeReading>(path, std::move(on_model));
}

bool is_probe_document(std::string_view head) {
  const std::string_view begin = head.substr(0, 4096);
  return core::trim(begin).starts_with('{') && begin.find("\"memsize.probe/") != std::string::npos;
}

core::Result<model::Probe> read_probe(std::string_view text, const std::string& path) {
  if (text.size() > kLongestProbe) {
    return core::fail(core::error(Code::kProbeSyntax,
                                  fmt::format("this document has {}: no probe writes more than {}",
                                              core::format_size(core::Bytes{text.size()}),
                                              core::format_size(core::Bytes{kLongestProbe})),
                                  {path},
                                  kProbeHint));
  }
  const auto document = docs::parse_json(text, path, Code::kProbeSyntax, kProbeHint);
  MEMSIZE_TRY(document);
  const Value schema = document->root()["schema"];
  if (schema.text() != kProbeSchema) {
    return core::fail(core::error(
        Code::kProbeSyntax,
        schema ? fmt::format("its schema is {}", schema.shown()) : std::string{"it has no schema"},
        schema ? schema.place() : core::Place{path},
        fmt::format("this memsize reads {}", kProbeSchema)));
  }
  return ProbeDocument{document->root()}.read(path);
}

std::optional<std::string> sparse_image(const model::ProbeFile& file) {
  if (file.parts.empty() || !file.size || file.size->count() > kLargestSparse) {
    return std::nullopt;
  }
  const std::uint64_t size = file.size->count();
  const std::uint64_t base = std::ranges::min_element(file.parts, {}, &model::ProbePart::at)->at;
  if (base >= size) {
    return std::nullopt;
  }
  std::string image(size - base, '\0');
  for (const model::ProbePart& part : file.parts) {
    const std::uint64_t at = part.at - base;
    if (at <= image.size() && part.bytes.size() <= image.size() - at) {
      std::ranges::copy(part.bytes, image.begin() + static_cast<std::ptrdiff_t>(at));
    }
  }
  return image;
}

std::string probe_log(const model::Probe& probe) {
  std::string log;
  for (const model::ProbeFile& file : probe.files) {
    if (file.path == "/dev/mem") {
      for (const model::ProbePart& part : file.parts) {
        append_ring(part.bytes, log);
      }
    } else if (is_of_log(file) && file.content) {
      log += *file.content;
      if (!log.empty() && log.back() != '\n') {
        log += '\n';
      }
    }
  }
  return log;
}

std::vector<std::string> describe_probe(const model::Probe& probe) {
  std::vector<std::string> all;
  const auto count = [&](std::string_view one, auto is_it) {
    if (const auto number = std::ranges::count_if(probe.files, is_it); number != 0) {
      all.push_back(core::plural(static_cast<std::uint64_t>(number), one));
    }
  };
  const auto has = [&](const char* path) { return !probe.content(path).empty(); };
  if (has("/sys/firmware/fdt")) {
    all.emplace_back("the running device tree");
  }
  if (has("/proc/iomem")) {
    all.emplace_back("the kernel's map of memory");
  }
  count("remote core", [](const model::ProbeFile& file) {
    return file.path.starts_with("/sys/class/remoteproc/") && file.path.ends_with("/state");
  });
  count("firmware file", [](const model::ProbeFile& file) {
    return file.path.starts_with("/lib/firmware/") && !file.sha256.empty();
  });
  if (probe.samples_taken != 0) {
    all.push_back(core::plural(probe.samples_taken, "sample") + " of DMA buffers");
  }
  return all;
}

}  // namespace memsize::readers
