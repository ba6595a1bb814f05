// What the parts of a recording are called in documents, and what of them counts for what a log
// says.
#pragma once

#include "memsize/docs/describe.hpp"
#include "memsize/model/recording.hpp"

namespace memsize::model {

/// Takes "size_bytes" with the rounding of its print, where it was printed.
[[nodiscard]] MeasuredSize read_size(docs::Fields& of, std::uint64_t most);
[[nodiscard]] std::optional<PrintedAddress> read_address(docs::Fields& of);

using docs::Role;

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Input> auto& input) {
  visit.required({"path", Role::kLabel}, input.path);
  visit.required("format", input.format);
  visit.required({"lines", Role::kLine}, input.lines);
  visit.required("records", input.records);
  visit.optional("broken_rows", input.broken_rows);
  visit.optional("emulated", input.emulated);
  visit.optional({"copies", Role::kLabel}, input.copies);
}

template <typename Visitor>
void describe_size(Visitor& visit, auto& size, std::uint64_t most) {
  if constexpr (Visitor::kReads) {
    size = read_size(visit.fields(), most);
  } else {
    visit.required("size_bytes", size.nearest);
    visit.optional("printed_kib", size.printed_kib);
  }
}

template <typename Visitor>
void describe_address(Visitor& visit, auto& address) {
  if constexpr (Visitor::kReads) {
    address = read_address(visit.fields());
  } else {
    std::optional<core::VirtAddr> value;
    if (address) {
      value = core::VirtAddr{address->value()};
    }
    visit.optional("address_bits", address && address->is_whole() ? 64U : 0U);
    visit.optional("address", value);
  }
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Block> auto& block) {
  visit.required({"record", Role::kUnique}, block.record);
  visit.required({"space", Role::kIdentifier}, block.space);
  visit.required("cacheability", block.cacheability);
  visit.required("lifetime", block.lifetime);
  visit.required("alignment", block.alignment);
  describe_size(visit, block.size, UINT32_MAX);
  describe_address(visit, block.address);
  visit.required({"line", Role::kLine}, block.line);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<ClassTotal> auto& total) {
  visit.required({"space", Role::kIdentifier}, total.space);
  visit.required("cacheability", total.cacheability);
  visit.optional("lifetime", total.lifetime);
  describe_size(visit, total.size, docs::kMostExact);
  visit.required({"line", Role::kLine}, total.line);
}

/// Where its table is.
template <typename Visitor>
void describe_place(Visitor& visit, docs::Of<Instance> auto& instance) {
  // Older documents are of one input.
  visit.optional({"input", Role::kIndex}, instance.input, false);
  visit.required({"line", Role::kLine}, instance.line);
}

/// What is known of the model.
template <typename Visitor>
void describe_model(Visitor& visit, docs::Of<Instance> auto& instance) {
  visit.optional({"form", Role::kName}, instance.form);
  visit.optional("priority", instance.priority);
  visit.optional("times", instance.times, instance.times == 1);
  visit.check("times", instance.times != 0, "it must be at least 1");
  visit.optional("totals", instance.totals);
  visit.required("blocks", instance.blocks);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Instance> auto& instance) {
  describe_place(visit, instance);
  describe_model(visit, instance);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<CoreRecording> auto& core) {
  visit.optional({"core", Role::kName}, core.core);
  visit.required("instances", core.instances);
}

/// Which input, in which line, and of which core.
template <typename Visitor>
void describe_origin(Visitor& visit, auto& item) {
  visit.required({"input", Role::kIndex}, item.input);
  visit.required({"line", Role::kLine}, item.line);
  visit.optional({"core", Role::kName}, item.core);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<HeapReport> auto& heap) {
  describe_origin(visit, heap);
  visit.required("source", heap.source);
  visit.required("name", heap.name);
  visit.required("size_bytes", heap.size);
  visit.optional("address", heap.address);
  visit.optional("free_bytes", heap.free);
  visit.check("free_bytes", heap.free <= heap.size, "no more can be free than the heap has");
  visit.optional("samples", heap.samples, heap.samples == 1);
  visit.check("samples", heap.samples != 0, "it must be at least 1");
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<PoolReport> auto& pool) {
  visit.required({"input", Role::kIndex}, pool.input);
  visit.required({"line", Role::kLine}, pool.line);
  visit.required({"name", Role::kName}, pool.name);
  visit.required("samples", pool.samples);
  visit.required("most_bytes", pool.most);
  visit.required("largest_bytes", pool.largest);
  visit.check("largest_bytes", pool.largest <= pool.most, "no buffer is larger than all together");
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Failure> auto& failure) {
  describe_origin(visit, failure);
  visit.required("kind", failure.kind);
  visit.required("message", failure.text);
  visit.optional("record", failure.record);
  visit.optional({"space", Role::kIdentifier}, failure.space);
  visit.optional("cacheability", failure.cacheability, failure.space.empty());
  visit.optional("size_bytes", failure.size);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<RunReport> auto& run) {
  describe_origin(visit, run);
  visit.optional("init_ms", run.init_ms);
  visit.optional("executions", run.executions);
  visit.optional("execution_ms", run.execution_ms);
  visit.optional("read_mb", run.read_mb);
  visit.optional("written_mb", run.written_mb);
}

}  // namespace memsize::model
