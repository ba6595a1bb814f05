// Offsets of a flatbuffer lead forward and count from where they stand: what is there may be moved
// as a whole, and only something before it can lead to it. So a new root, with longer lists of
// buffers and metadata, is put before the old file. Where memsize did that before, the model behind
// its root is taken, or each plan would make the file longer.
#include "memsize/emit/plan_tflite.hpp"

#include "memsize/core/aligned.hpp"
#include "memsize/core/text.hpp"

#include "tflite_generated.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;
using model::Lifetime;
using model::PlannedBlock;
namespace tflite = readers::tflite;

/// memory_management.md: the form's version, which the interpreter passes over.
constexpr std::uint32_t kVersion = 1;
/// Of what a schema's table Model has: version, operator_codes, subgraphs, description, buffers,
/// metadata_buffer, metadata, signature_defs.
constexpr std::size_t kFields = 8;
constexpr std::size_t kBuffersField = 4;
constexpr std::size_t kMetadataField = 6;
constexpr std::size_t kOffsetBytes = 4;
constexpr std::size_t kHalf = 2;
/// FlatBuffers' tables of fields begin with their own length and that of the table.
constexpr std::size_t kHead = 2;

core::Diagnostic wrong(Code code, const std::string& path, std::string what, std::string hint) {
  return core::error(code, std::move(what), {path}, std::move(hint));
}

/// Bytes in their final order, from the beginning of the file.
class Front {
 public:
  [[nodiscard]] std::size_t at() const { return bytes_.size(); }

  void pad_to(std::size_t alignment, std::size_t behind = 0) {
    while ((bytes_.size() + behind) % alignment != 0) {
      bytes_ += '\0';
    }
  }

  void half(std::size_t value) { number(value, kHalf); }

  void word(std::size_t value) { number(value, kOffsetBytes); }

  void text(std::string_view value) { bytes_ += value; }

  /// A word that is filled in later.
  [[nodiscard]] std::size_t hole() {
    word(0);
    return at() - kOffsetBytes;
  }

  void fill(std::size_t hole, std::size_t target) {
    for (std::size_t i = 0; i < kOffsetBytes; ++i) {
      bytes_[hole + i] = static_cast<char>(((target - hole) >> (8 * i)) & 0xFFU);
    }
  }

  /// A word that leads to a place in the old file, which comes behind all that is here.
  void lead_to_old(std::size_t place) { old_.emplace_back(hole(), place); }

  /// The old file goes right behind it.
  [[nodiscard]] std::string take() {
    pad_to(kTfliteSlot);
    for (const auto& [hole, place] : old_) {
      fill(hole, at() + place);
    }
    return std::move(bytes_);
  }

 private:
  void number(std::size_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      bytes_ += static_cast<char>((value >> (8 * i)) & 0xFFU);
    }
  }

  std::string bytes_;
  // Holes, and where in the old file they lead.
  std::vector<std::pair<std::size_t, std::size_t>> old_;
};

// The model as it is.
class OldModel {
 public:
  explicit OldModel(std::string_view text) : text_(text), aligned_(text), file_(aligned_.data()) {}

  [[nodiscard]] bool is_one() const {
    flatbuffers::Verifier verifier{file_, text_.size()};
    return tflite::VerifyModelBuffer(verifier);
  }

  [[nodiscard]] const tflite::Model& model() const { return *tflite::GetModel(file_); }

  [[nodiscard]] const flatbuffers::Table& root() const {
    return *reinterpret_cast<const flatbuffers::Table*>(&model());
  }

  template <typename Table>
  [[nodiscard]] std::size_t place(const Table* table) const {
    return static_cast<std::size_t>(reinterpret_cast<const std::uint8_t*>(table) - file_);
  }

  [[nodiscard]] std::string_view text() const { return text_; }

 private:
  std::string_view text_;
  core::AlignedText aligned_;
  const std::uint8_t* file_ = nullptr;
};

// In KiB: constants are in that memory, too, and each arena begins aligned.
std::uint64_t room_for_all(const model::PlanReport& plan) {
  constexpr std::uint64_t kKib = 1024;
  std::uint64_t all = 0;
  for (const model::PlannedArena& arena : plan.arenas) {
    all += arena.used.value_or(core::Bytes{}).count() +
           arena.alignment.value_or(core::Align{}).value();
  }
  return (all + kKib - 1) / kKib;
}

std::optional<core::Diagnostic> refused(const OldModel& old,
                                        const model::PlanReport& plan,
                                        const std::string& path) {
  const tflite::Model& model = old.model();
  const auto fields = flatbuffers::ReadScalar<std::uint16_t>(old.root().GetVTable());
  if (fields > kHalf * (kHead + kFields)) {
    return wrong(
        Code::kEmitData,
        path,
        "the model has more lists than version 3 of the schema had when memsize learned it",
        "give its compiler the order of operators instead: --json has it");
  }
  if (model.buffers() == nullptr || model.buffers()->size() == 0) {
    return wrong(Code::kEmitData,
                 path,
                 "the model has no buffers, not even the empty one that comes first",
                 "convert it again");
  }
  const bool is_behind = std::ranges::any_of(
      *model.buffers(), [](const tflite::Buffer* each) { return each->offset() > 1; });
  if (is_behind) {
    return wrong(Code::kEmitData,
                 path,
                 "the model has bytes behind its flatbuffer, which cannot be moved",
                 "only models of more than 2 GiB need that: convert it again");
  }
  std::set<std::string> arenas;
  for (const PlannedBlock& block : plan.blocks) {
    if (block.role == Lifetime::kScratch) {
      arenas.insert(block.memory);
    }
  }
  if (arenas.size() > 1) {
    return wrong(Code::kEmitData,
                 path,
                 fmt::format("TensorFlow Lite Micro has one arena, and scratch lies in {} memories",
                             arenas.size()),
                 fmt::format("plan all of it into one: --memory sram={}KiB", room_for_all(plan)));
  }
  return std::nullopt;
}

core::Diagnostic other_model(const std::string& path) {
  return wrong(Code::kPlanOrder,
               path,
               "the plan is not of this model alone",
               "name the .tflite as the only report");
}

// Of each tensor of each subgraph; -1: the interpreter's own affair.
core::Result<std::vector<std::int32_t>> planned_offsets(const tflite::Model& model,
                                                        const model::PlanReport& plan,
                                                        const std::string& path) {
  std::map<std::string, const PlannedBlock*> blocks;
  for (const PlannedBlock& block : plan.blocks) {
    if (block.role == Lifetime::kScratch) {
      blocks[block.id] = &block;
    }
  }
  std::vector<std::int32_t> offsets;
  std::size_t used = 0;
  for (std::size_t graph = 0; graph < model.subgraphs()->size(); ++graph) {
    const auto* const tensors = model.subgraphs()->Get(static_cast<unsigned>(graph))->tensors();
    for (std::size_t i = 0; tensors != nullptr && i < tensors->size(); ++i) {
      const auto block = blocks.find(model::tflite_id(graph, i));
      offsets.push_back(-1);
      if (block == blocks.end()) {
        continue;
      }
      const std::uint64_t offset = block->second->offset.value_or(core::Bytes{1}).count();
      if (offset % kTfliteSlot != 0 || offset > std::numeric_limits<std::int32_t>::max()) {
        return core::fail(wrong(
            Code::kPlanAlignment,
            path,
            fmt::format("tensor {} lies at {}, and TensorFlow Lite Micro's arena has slots of {} B",
                        block->first,
                        offset,
                        kTfliteSlot),
            "plan it without --keep, --fix or --planner"));
      }
      offsets.back() = static_cast<std::int32_t>(offset);
      ++used;
    }
  }
  if (used != blocks.size()) {
    return core::fail(other_model(path));
  }
  return offsets;
}

// The file, with its operators where the plan has them.
core::Result<std::string> in_order(const OldModel& old,
                                   const model::PlanReport& plan,
                                   const std::string& path) {
  const auto& operators = *old.model().subgraphs()->Get(0)->operators();
  std::vector<std::size_t> order;
  for (const model::Operator& each : plan.network.operators) {
    if (each.caller.empty()) {
      const auto number = core::parse_address(each.id);
      if (!number || *number >= operators.size()) {
        return core::fail(other_model(path));
      }
      order.push_back(static_cast<std::size_t>(*number));
    }
  }
  if (order.size() != operators.size()) {
    return core::fail(other_model(path));
  }
  std::string body{old.text()};
  const std::size_t begin = old.place(&operators) + kOffsetBytes;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t here = begin + kOffsetBytes * i;
    const std::size_t there = old.place(operators.Get(static_cast<unsigned>(order[i])));
    if (there <= here) {
      return core::fail(wrong(Code::kEmitData,
                              path,
                              "the model's lists overlap: its operators cannot be moved",
                              "convert the model again"));
    }
    for (std::size_t k = 0; k < kOffsetBytes; ++k) {
      body[here + k] = static_cast<char>(((there - here) >> (8 * k)) & 0xFFU);
    }
  }
  return body;
}

flatbuffers::voffset_t field_offset(std::size_t number) {
  return static_cast<flatbuffers::voffset_t>(kHalf * (kHead + number));
}

// The items that are not left out, and the place of one more.
template <typename List>
std::size_t add_list(Front& out,
                     const OldModel& old,
                     const List& list,
                     const std::vector<std::size_t>& left_out) {
  out.word(list.size() - left_out.size() + 1);
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (std::ranges::find(left_out, i) == left_out.end()) {
      out.lead_to_old(old.place(list.Get(static_cast<unsigned>(i))));
    }
  }
  return out.hole();
}

// Without the plan that somebody made before.
std::size_t add_metadata(Front& out, const OldModel& old) {
  const auto* const metadata = old.model().metadata();
  if (metadata == nullptr) {
    out.word(1);
    return out.hole();
  }
  std::vector<std::size_t> before;
  for (std::size_t i = 0; i < metadata->size(); ++i) {
    const auto* const name = metadata->Get(static_cast<unsigned>(i))->name();
    if (name != nullptr && name->string_view() == model::kTflitePlan) {
      before.push_back(i);
    }
  }
  return add_list(out, old, *metadata, before);
}

void add_plan(Front& out,
              const tflite::Model& model,
              std::size_t to_metadata,
              std::size_t to_buffer,
              const std::vector<std::int32_t>& offsets) {
  // Metadata: name, buffer.
  constexpr std::size_t kMetadataFields = 2;
  const std::size_t metadata_fields = out.at();
  out.half(kHalf * (kHead + kMetadataFields));
  out.half(kOffsetBytes * (1 + kMetadataFields));
  out.half(kOffsetBytes);
  out.half(2 * kOffsetBytes);
  out.fill(to_metadata, out.at());
  out.word(out.at() - metadata_fields);
  const std::size_t to_name = out.hole();
  out.word(model.buffers()->size());
  out.fill(to_name, out.at());
  out.word(model::kTflitePlan.size());
  out.text(model::kTflitePlan);
  out.text(std::string_view{"\0", 1});
  out.pad_to(kOffsetBytes);
  // Buffer: data.
  const std::size_t buffer_fields = out.at();
  out.half(kHalf * (kHead + 1));
  out.half(2 * kOffsetBytes);
  out.half(kOffsetBytes);
  out.pad_to(kOffsetBytes);
  out.fill(to_buffer, out.at());
  out.word(out.at() - buffer_fields);
  const std::size_t to_data = out.hole();
  out.pad_to(kTfliteSlot, kOffsetBytes);
  out.fill(to_data, out.at());
  out.word(kOffsetBytes * (model::kTflitePlanHead + offsets.size()));
  out.word(kVersion);
  out.word(model.subgraphs()->size());
  out.word(offsets.size());
  for (const std::int32_t offset : offsets) {
    out.word(static_cast<std::uint32_t>(offset));
  }
}

std::string front_of(const OldModel& old, const std::vector<std::int32_t>& offsets) {
  const tflite::Model& model = old.model();
  const flatbuffers::Table& root = old.root();
  Front out;
  const std::size_t to_root = out.hole();
  out.text(tflite::ModelIdentifier());
  const std::size_t fields = out.at();
  out.half(kHalf * (kHead + kFields));
  out.half(kOffsetBytes * (1 + kFields));
  for (std::size_t i = 0; i < kFields; ++i) {
    const bool is_new = i == kBuffersField || i == kMetadataField;
    const bool is_there = is_new || root.GetOptionalFieldOffset(field_offset(i)) != 0;
    out.half(is_there ? kOffsetBytes * (1 + i) : 0);
  }
  out.fill(to_root, out.at());
  out.word(out.at() - fields);
  out.word(model.version());
  std::map<std::size_t, std::size_t> lists;
  for (std::size_t i = 1; i < kFields; ++i) {
    if (i == kBuffersField || i == kMetadataField) {
      lists[i] = out.hole();
    } else if (root.GetOptionalFieldOffset(field_offset(i)) != 0) {
      out.lead_to_old(old.place(root.GetPointer<const std::uint8_t*>(field_offset(i))));
    } else {
      out.word(0);
    }
  }
  out.fill(lists[kBuffersField], out.at());
  const std::size_t to_buffer = add_list(out, old, *model.buffers(), {});
  out.fill(lists[kMetadataField], out.at());
  const std::size_t to_metadata = add_metadata(out, old);
  add_plan(out, model, to_metadata, to_buffer, offsets);
  return out.take();
}

// The length of what front_of() wrote before a model; 0: this one does not begin so.
std::size_t front_in(const OldModel& whole) {
  const auto* const buffers = whole.model().buffers();
  // Its plan's buffer is the last, and the last of it.
  const auto* const plan = buffers->Get(buffers->size() - 1)->data();
  constexpr std::size_t kBegin = kOffsetBytes * model::kTflitePlanHead;
  if (plan == nullptr || plan->size() < kBegin) {
    return 0;
  }
  std::vector<std::int32_t> offsets;
  for (std::size_t at = kBegin; at + kOffsetBytes <= plan->size(); at += kOffsetBytes) {
    offsets.push_back(flatbuffers::ReadScalar<std::int32_t>(plan->data() + at));
  }
  std::size_t end = whole.place(plan->data()) + plan->size();
  end += (kTfliteSlot - end % kTfliteSlot) % kTfliteSlot;
  if (end >= whole.text().size()) {
    return 0;
  }
  const OldModel behind{whole.text().substr(end)};
  const bool is_one = behind.is_one() && behind.model().buffers() != nullptr &&
                      behind.model().subgraphs() != nullptr;
  return is_one && whole.text().starts_with(front_of(behind, offsets)) ? end : 0;
}

}  // namespace

core::Result<std::string> plan_tflite(std::string_view model,
                                      const std::string& path,
                                      const model::PlanReport& plan) {
  const OldModel old{model};
  if (!old.is_one()) {
    return core::fail(wrong(Code::kEmitData,
                            path,
                            "this is no model of TensorFlow Lite, which a plan could be put into",
                            "name the .tflite"));
  }
  if (auto error = refused(old, plan, path); error) {
    return core::fail(std::move(*error));
  }
  const OldModel bare{model.substr(front_in(old))};
  const auto offsets = planned_offsets(bare.model(), plan, path);
  MEMSIZE_TRY(offsets);
  const auto body = in_order(bare, plan, path);
  MEMSIZE_TRY(body);
  return front_of(bare, *offsets) + *body;
}

}  // namespace memsize::emit
