#include "memsize/board/trace_format.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/text.hpp"

#include "table_reader.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

std::optional<std::uint32_t> record_number(const std::string& key) {
  const auto number = core::parse_address(key);
  return number && *number <= 0xFFFF ? std::optional{static_cast<std::uint32_t>(*number)}
                                     : std::nullopt;
}

class FormatReader {
 public:
  core::Result<TraceFormat> read(const TomlValue& file) {
    TableReader top{file, "the format", errors_};
    (void)top.integer("schema");
    (void)top.string("title");
    (void)top.strings("sources");
    format_.name = top.required_string("format");
    format_.not_covered = top.strings("not_covered");
    format_.several_models = top.strings("several_models");
    for (const TomlField& field : top.fields("record")) {
      TableReader reader{field.get(), fmt::format("record {}", field.key), errors_};
      const auto number = record_number(field.key);
      const std::string name = reader.required_string("name");
      const std::string what = reader.required_string("what");
      if (!number) {
        bad_record(field);
      } else {
        format_.records[*number] = {name, what};
      }
      reader.finish();
    }
    for (const TomlField& field : top.fields("generation")) {
      read_generation(field);
    }
    top.finish();
    share_heaps();
    if (format_.generations.empty()) {
      errors_.push_back(
          core::error(Code::kTomlMissingKey, "the format has no generation", file.place));
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return std::move(format_);
  }

 private:
  void bad_record(const TomlField& field) {
    errors_.push_back(core::error(
        Code::kBoardValue, fmt::format("'{}' is not a record number", field.key), field.key_place));
  }

  void read_generation(const TomlField& field) {
    TableReader reader{field.get(), fmt::format("generation '{}'", field.key), errors_};
    Generation generation;
    generation.name = field.key;
    generation.title = reader.required_string("title");
    generation.records = static_cast<std::uint32_t>(reader.integer("records").value_or(0));
    generation.estimate = reader.string("estimate");
    if (const TomlValue* print = reader.required("fingerprint", Kind::kTable); print != nullptr) {
      TableReader fingerprint{*print, "the fingerprint", errors_};
      generation.fingerprint_record =
          static_cast<std::uint32_t>(fingerprint.integer("record").value_or(0));
      for (const std::string& size : fingerprint.strings("sizes")) {
        generation.fingerprint_sizes.push_back(size_of(size, print->place));
      }
      fingerprint.finish();
    }
    for (const TomlField& part : reader.fields("fixed")) {
      const auto number = record_number(part.key);
      if (!number || part.get().kind != Kind::kString) {
        bad_record(part);
        continue;
      }
      const bool whole = part.get().string == "all";
      generation.fixed[*number] = {
          whole, whole ? core::Bytes{} : size_of(part.get().string, part.get().place)};
    }
    for (const TomlValue& heap : reader.items("heap")) {
      read_heap(heap, generation);
    }
    like_.emplace_back(generation.name, reader.string("heaps_like"));
    reader.finish();
    format_.generations.push_back(std::move(generation));
  }

  core::Bytes size_of(const std::string& text, const core::Place& place) {
    const auto value = evaluate(Expression{text, place}, {});
    if (!value) {
      errors_.insert(errors_.end(), value.error().begin(), value.error().end());
      return {};
    }
    return core::Bytes{*value};
  }

  void read_heap(const TomlValue& value, Generation& generation) {
    TableReader reader{value, fmt::format("a heap of generation '{}'", generation.name), errors_};
    HeapRule rule;
    const std::string kind = reader.required_string("kind");
    if (kind != "rtos" && kind != "linear") {
      reader.wrong(Code::kBoardValue,
                   fmt::format("'{}' is not a kind of heap", core::printable(kind)),
                   value.place,
                   "the kinds are: linear, rtos");
    }
    rule.kind = kind == "rtos" ? HeapRule::Kind::kRtos : HeapRule::Kind::kLinear;
    rule.align = reader.align(rule.kind == HeapRule::Kind::kRtos ? "round" : "align");
    rule.header = reader.bytes("header");
    rule.idle = reader.bytes("idle");
    for (const std::string& object : reader.strings("objects")) {
      rule.objects.push_back(size_of(object, value.place));
    }
    for (const std::string& object : reader.strings("transient")) {
      rule.transient.push_back(size_of(object, value.place));
    }
    rule.source = reader.required_string("source");
    for (const std::string& heap_class : reader.strings("classes")) {
      std::istringstream words{heap_class};
      std::string cacheability;
      std::string lifetime;
      words >> cacheability >> lifetime;
      const auto known_cacheability = model::cacheability_named(cacheability);
      const auto known_lifetime = model::lifetime_named(lifetime);
      if (!known_cacheability || !known_lifetime) {
        reader.wrong(
            Code::kBoardValue, fmt::format("'{}' is not a class", heap_class), value.place);
        continue;
      }
      rule.cacheability = *known_cacheability;
      rule.lifetime = *known_lifetime;
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
                                      model::Lifetime lifetime) const {
  const auto found = std::find_if(heaps.begin(), heaps.end(), [&](const HeapRule& heap) {
    return heap.cacheability == cacheability && heap.lifetime == lifetime;
  });
  return found == heaps.end() ? nullptr : &*found;
}

const Generation* TraceFormat::find_generation(std::string_view generation) const {
  const auto found =
      std::find_if(generations.begin(), generations.end(), [&](const Generation& known) {
        return known.name == generation;
      });
  return found == generations.end() ? nullptr : &*found;
}

core::Result<TraceFormat> load_trace_format(core::FileSystem& files,
                                            const std::string& folder,
                                            const std::string& name) {
  const auto file = load_inherited(files, fmt::format("{}/formats/{}.toml", folder, name), folder);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  return FormatReader{}.read(*file);
}

}  // namespace memsize::board
