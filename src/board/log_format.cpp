// What a log's lines look like, read value by value; the readers compile the patterns.
#include "log_format.hpp"

#include "memsize/core/text.hpp"

#include "field_values.hpp"

#include <sstream>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;
using model::LogPattern;

class LogReader {
 public:
  LogReader(const TraceFormat& format, core::Diagnostics& errors)
      : format_(format), errors_(errors) {}

  model::LogFormat read(Value value, const std::string& title) {
    Fields top{value, "the log", errors_};
    log_.name = format_.name;
    log_.title = title;
    log_.core = top.string("core");
    log_.begins = pattern_if_any(top, "begins");
    log_.ends = pattern_if_any(top, "ends");
    for (const auto& [number, meaning] : format_.records) {
      log_.names[meaning.name] = {number, meaning.memory};
    }
    for (const Value unit : top.fields("units")) {
      log_.units[unit.name()] = size_of(unit);
    }
    constexpr std::uint32_t kMostComplete = 4096;
    log_.complete = number_up_to(top, "complete", kMostComplete);
    (void)top.required("row", Kind::kList);
    for (const Value row : top.items("row")) {
      read_row(row);
    }
    for (const Value total : top.items("total")) {
      read_total(total);
    }
    for (const Text& text : top.texts("ignore")) {
      log_.ignored.push_back({text.text, text.place});
    }
    for (const Text& text : top.texts("failures")) {
      log_.failures.push_back({text.text, text.place});
    }
    top.finish();
    return std::move(log_);
  }

 private:
  static std::optional<LogPattern> pattern_if_any(Fields& of, const char* key) {
    const Text text = of.text(key);
    return text.written ? std::optional{LogPattern{text.text, text.place}} : std::nullopt;
  }

  static LogPattern pattern_of(Fields& of) {
    const Text text = of.required_text("pattern");
    return {text.text, text.place};
  }

  // "1KiB".
  core::Bytes size_of(Value value) {
    const auto size = core::parse_bytes(value.string(), value.place());
    if (!size || size->count() == 0) {
      errors_.push_back(core::error(Code::kBoardValue,
                                    "a unit is a size in bytes",
                                    value.place(),
                                    "write \"1KiB\" or \"1\""));
      return core::Bytes{1};
    }
    return *size;
  }

  core::Bytes unit_of(Fields& of) {
    const Value unit = of.optional("unit", Kind::kText);
    return unit ? size_of(unit) : core::Bytes{1};
  }

  std::optional<MemoryClass> memory_of(Value value, const std::string& space) {
    auto memory = class_of(value.string(), space);
    if (!memory) {
      errors_.push_back(
          core::error(Code::kBoardValue,
                      fmt::format("'{}' is not a class", core::printable(value.string())),
                      value.place(),
                      "write \"cacheable persistent\", \"non-cacheable scratch\", ..."));
    }
    return memory;
  }

  void read_row(Value value) {
    Fields row{value, "a row", errors_};
    model::LogRow read{.pattern = pattern_of(row), .unit = unit_of(row)};
    const std::string space = row.string("space", kMainMemory);
    if (const Value text = row.optional("class", Kind::kText)) {
      read.memory = memory_of(text, space);
    }
    for (const Value kind : row.fields("kinds")) {
      if (const auto memory = memory_of(kind, space); memory) {
        read.kinds[kind.name()] = *memory;
      }
    }
    if (row.optional("record", Kind::kWhole)) {
      read.record = number_up_to(row, "record", kLargestRecord);
      const auto meaning = format_.records.find(*read.record);
      if (!read.memory && meaning != format_.records.end()) {
        read.memory = meaning->second.memory;
      }
    }
    row.finish();
    log_.rows.push_back(std::move(read));
  }

  // "cacheable" is of both lifetimes.
  void read_total(Value value) {
    Fields total{value, "a total", errors_};
    model::LogTotal read{.pattern = pattern_of(total),
                         .space = total.string("space", kMainMemory),
                         .unit = unit_of(total)};
    const Text words = total.required_text("class");
    const auto both = model::named<model::Cacheability>(words.text);
    const auto one = class_of(words.text, read.space);
    if (words.written && !both && !one) {
      total.wrong(Code::kBoardValue,
                  fmt::format("'{}' is not a class", core::printable(words.text)),
                  words.place);
    }
    read.cacheability = both ? *both : one ? one->cacheability : read.cacheability;
    if (one) {
      read.lifetime = one->lifetime;
    }
    total.finish();
    log_.totals.push_back(std::move(read));
  }

  const TraceFormat& format_;
  core::Diagnostics& errors_;
  model::LogFormat log_;
};

}  // namespace

std::optional<MemoryClass> class_of(const std::string& words_text, const std::string& space) {
  std::istringstream words{words_text};
  std::string cacheability;
  std::string lifetime;
  words >> cacheability >> lifetime;
  const auto known_cacheability = model::named<model::Cacheability>(cacheability);
  const auto known_lifetime = model::named<model::Lifetime>(lifetime);
  if (!known_cacheability || !known_lifetime) {
    return std::nullopt;
  }
  return MemoryClass{space, *known_cacheability, *known_lifetime};
}

model::LogFormat read_log_format(Value log,
                                 const TraceFormat& format,
                                 const std::string& title,
                                 core::Diagnostics& errors) {
  return LogReader{format, errors}.read(log, title);
}

}  // namespace memsize::board
