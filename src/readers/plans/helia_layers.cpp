// heliaAOT's table of memory by layers: one row for each tensor of each operator. Source of the
// columns: the files that AmbiqAI/helia-profiler writes and reads beside the operator manifest.
#include "memsize/core/text.hpp"

#include "helia_tensors.hpp"
#include "quoted_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

enum LayerColumn : std::size_t {
  kLayer,
  kLayerId,
  kOperator,
  kSide,
  kId,
  kName,
  kKind,
  kMemory,
  kSource,
  kStaged,
  kRole,
  kRegion,
  kOffset,
  kSize,
  kLayerColumns,
};

constexpr std::array<std::string_view, kLayerColumns> kNames = {"layer_idx",
                                                                "layer_id",
                                                                "op_type",
                                                                "tensor_role",
                                                                "tensor_id",
                                                                "tensor_name",
                                                                "tensor_kind",
                                                                "memory",
                                                                "source_memory",
                                                                "staged",
                                                                "arena_role",
                                                                "arena_region_id",
                                                                "offset",
                                                                "size"};

class LayersReader {
 public:
  explicit LayersReader(const std::string& path) : problems_(path), tensors_(problems_) {}

  PlanResult read(std::string_view text) {
    model::PlanReport report{.planner = "heliaAOT"};
    QuotedRows rows{text};
    if (rows.next() && read_header(rows)) {
      while (rows.next()) {
        read_row(rows);
      }
    }
    tensors_.finish(report);
    return problems_.finish(std::move(report));
  }

 private:
  using Side = HeliaTouch::Side;

  void wrong(const std::string& what, const char* hint = "") {
    problems_.error(Code::kPlanSyntax, place_, what, hint);
  }

  bool read_header(const QuotedRows& rows) {
    place_.line = rows.line();
    where_.fill(kAbsent);
    std::vector<std::string> unknown;
    const auto& fields = rows.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const auto name = std::ranges::find(kNames, core::to_lower(core::trim(fields[i])));
      if (name == kNames.end()) {
        unknown.push_back(core::to_lower(core::trim(fields[i])));
        continue;
      }
      std::size_t& where = where_.at(static_cast<std::size_t>(name - kNames.begin()));
      if (where != kAbsent) {
        wrong(fmt::format("the column '{}' stands twice", *name));
        return false;
      }
      where = i;
    }
    count_ = fields.size();
    for (const LayerColumn column : {kLayer, kSide, kId, kSize}) {
      if (where_.at(column) == kAbsent) {
        wrong(fmt::format("the column '{}' is missing", kNames.at(column)),
              "the first line names the columns");
      }
    }
    for (std::size_t column = 0; column < kLayerColumns; ++column) {
      const auto like = std::ranges::find_if(
          unknown, [&](const auto& name) { return core::one_byte_off(name, kNames.at(column)); });
      if (where_.at(column) == kAbsent && like != unknown.end()) {
        wrong(fmt::format("there is no column '{}', but one '{}'",
                          kNames.at(column),
                          core::printable(*like, kLongestShown)),
              "the first line names the columns");
      }
    }
    return !problems_.failed();
  }

  // Empty where the row does not say.
  [[nodiscard]] std::string_view field(LayerColumn column) const {
    const std::size_t where = where_.at(column);
    const std::string_view text =
        where == kAbsent ? std::string_view{} : core::trim((*fields_)[where]);
    return text == "None" ? std::string_view{} : text;
  }

  void read_row(const QuotedRows& rows) {
    place_.line = rows.line();
    fields_ = &rows.fields();
    if (rows.unclosed()) {
      return wrong("a quoted field does not end", "the file was cut off: write it again");
    }
    if (fields_->size() != count_) {
      return wrong(
          fmt::format(
              "the row has {}, the first line {}", core::plural(fields_->size(), "field"), count_),
          "a field with a comma in it stands in quotes");
    }
    const auto layer = number(kLayer);
    const auto size = bytes(kSize);
    const auto side = side_of(field(kSide));
    HeliaTouch touch{.id = std::string{field(kId)}};
    if (touch.id.empty()) {
      wrong("tensor_id is empty");
    }
    if (!layer || !size || !side || touch.id.empty()) {
      return;
    }
    // More than any step, which is then said.
    constexpr auto kBeyond = static_cast<std::uint64_t>(model::kLastStep) + 1;
    const auto step = static_cast<std::int64_t>(std::min(*layer, kBeyond));
    if (!layer_ || *layer_ != step) {
      tensors_.begin_operator(step, std::string{field(kLayerId)}, field(kOperator), place_);
      layer_ = step;
    }
    touch.side = *side;
    touch.size = *size;
    touch.place = place_;
    fill(touch);
    tensors_.take(std::move(touch));
  }

  void fill(HeliaTouch& touch) {
    touch.name = field(kName);
    touch.memory = memory_name(field(kMemory));
    touch.source_memory = core::to_lower(field(kSource));
    touch.role = role();
    if (!field(kRegion).empty()) {
      touch.region_id = number(kRegion);
    }
    if (!field(kOffset).empty()) {
      touch.offset = bytes(kOffset);
    }
    const std::string staged = core::to_lower(field(kStaged));
    if (staged == "true" || staged == "false") {
      touch.staged = staged == "true";
    } else if (!staged.empty()) {
      wrong(fmt::format("staged must be True or False, not '{}'",
                        core::printable(staged, kLongestShown)));
    }
  }

  std::optional<std::uint64_t> number(LayerColumn column) {
    const auto value = whole_number(field(column));
    if (!value) {
      wrong(fmt::format("{} must be a whole number from 0, not '{}'",
                        kNames.at(column),
                        core::printable(field(column), kLongestShown)));
    }
    return value;
  }

  std::optional<core::Bytes> bytes(LayerColumn column) {
    const auto value = number(column);
    return value ? problems_.size(*value, place_, kNames.at(column)) : std::nullopt;
  }

  std::optional<Side> side_of(std::string_view text) {
    const std::string side = core::to_lower(text);
    if (side == "input" || side == "output" || side == "local") {
      return side == "input" ? Side::kInput : side == "output" ? Side::kOutput : Side::kLocal;
    }
    wrong(fmt::format("tensor_role must be input, output or local, not '{}'",
                      core::printable(text, kLongestShown)));
    return std::nullopt;
  }

  // The arena's role; where the tensor has none, its kind may say so.
  model::Lifetime role() {
    const std::string_view text = field(kRole);
    const auto role = role_named(text.empty() ? field(kKind) : text);
    if (!role && !text.empty()) {
      wrong(fmt::format("arena_role must be scratch, persistent or constant, not '{}'",
                        core::printable(text, kLongestShown)));
    }
    return role.value_or(model::Lifetime::kScratch);
  }

  static constexpr std::size_t kAbsent = SIZE_MAX;

  PlanProblems problems_;
  HeliaTensors tensors_;
  PlanPlace place_;
  // Where each column stands.
  std::array<std::size_t, kLayerColumns> where_{};
  std::size_t count_ = 0;
  const std::vector<std::string>* fields_ = nullptr;
  std::optional<std::int64_t> layer_;
};

}  // namespace

bool probe_helia_layers(std::string_view head) {
  const std::string first = core::to_lower(head.substr(0, head.find('\n')));
  return first.find("layer_idx") != std::string::npos &&
         first.find("tensor_id") != std::string::npos && first.find(',') != std::string::npos;
}

PlanResult read_helia_layers(std::string_view text, const std::string& path) {
  return LayersReader{path}.read(text);
}

}  // namespace memsize::readers
