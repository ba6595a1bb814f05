// What a log of Android's neural networks says: models, requests and events, in its own words. What
// the text does not say, or has only in part, is absent; a number is never made up.
#pragma once

#include "memsize/core/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memsize::model {

/// The printers whose text is alike: HIDL's toString, the runtime's operator<<, AIDL's toString.
enum class NnSkin { kHidl, kCanonical, kAidl };

/// Items of a list that was printed, and whether all of them were.
template <typename Item>
struct NnList {
  std::vector<Item> items;
  /// How many the text says there are; printers of two skins say nothing.
  std::optional<std::uint64_t> announced;
  /// The text has the list's own end, and no "and so on" before it.
  bool is_whole = false;
  /// Of numbers: one was below 0, and is not among the items.
  bool has_negative = false;

  friend bool operator==(const NnList&, const NnList&) = default;
};

using NnNumbers = NnList<std::uint64_t>;

struct NnLocation {
  std::optional<std::uint64_t> pool;
  std::optional<std::uint64_t> offset;
  std::optional<std::uint64_t> length;
  /// Nothing, too, where a skin has none.
  std::optional<std::uint64_t> padding;
  /// "<constant non-null pointer>"; empty: the skin has none.
  std::string pointer;
  /// One of the numbers was below 0, and is absent.
  bool is_negative = false;

  friend bool operator==(const NnLocation&, const NnLocation&) = default;
};

struct NnOperand {
  /// As printed: a name, or a number where the printer knows none.
  std::string type;
  NnNumbers dimensions;
  std::optional<std::uint64_t> consumers;
  std::optional<double> scale;
  std::optional<std::int64_t> zero_point;
  /// As printed.
  std::string lifetime;
  NnLocation location;
  /// Of each channel, where it has scales of its own.
  std::optional<NnList<double>> channel_scales;
  std::optional<std::uint64_t> channel_dimension;
  std::size_t line = 0;

  friend bool operator==(const NnOperand&, const NnOperand&) = default;
};

struct NnOperation {
  std::string type;
  NnNumbers inputs;
  NnNumbers outputs;
  std::size_t line = 0;

  friend bool operator==(const NnOperation&, const NnOperation&) = default;
};

struct NnSubgraph {
  NnList<NnOperand> operands;
  NnList<NnOperation> operations;
  NnNumbers inputs;
  NnNumbers outputs;

  friend bool operator==(const NnSubgraph&, const NnSubgraph&) = default;
};

/// A pool of memory, as the name or type by which it is handed over.
struct NnPool {
  /// "ashmem", "mmap_fd", "hardware_buffer_blob", "hardware_buffer" or another name; "token";
  /// "buffer"; empty: "<empty memory>".
  std::string name;
  /// Nothing: the printer has none of it, as of hardware buffers.
  std::optional<std::uint64_t> size;
  /// Of a file.
  std::optional<std::uint64_t> offset;
  /// Of a buffer of the driver's; nothing: "<invalid MemoryDomainToken>".
  std::optional<std::int64_t> token;
  std::size_t line = 0;

  friend bool operator==(const NnPool&, const NnPool&) = default;
};

struct NnModel {
  NnSkin skin = NnSkin::kHidl;
  /// "1.3"; empty: the text does not say.
  std::string version;
  NnSubgraph main;
  std::vector<NnSubgraph> referenced;
  std::optional<std::uint64_t> values_size;
  /// Nothing: not printed, as on release builds.
  std::optional<NnList<NnPool>> pools;
  /// Who printed it: the log's tag; empty: bare text.
  std::string tag;
  std::string process;
  /// A line of it was as long as the log keeps.
  bool is_cut_by_log = false;
  /// Printed line by line, and the lines of operandValues and pools are not both there.
  bool lacks_end = false;
  std::size_t line = 0;
};

struct NnArgument {
  /// "POOL", "NO_VALUE", "POINTER"; what says it as a flag has the first two, too.
  std::string lifetime;
  NnLocation location;
  NnNumbers dimensions;
  std::size_t line = 0;
};

struct NnRequest {
  NnSkin skin = NnSkin::kHidl;
  NnList<NnArgument> inputs;
  NnList<NnArgument> outputs;
  NnList<NnPool> pools;
  std::string process;
  std::size_t line = 0;
};

/// What the runtime says while an application builds a model: where a value went.
struct NnValue {
  enum class Kind { kCopied, kLarge, kFromMemory, kUnknown };

  std::uint64_t operand = 0;
  Kind kind = Kind::kUnknown;
  std::optional<std::uint64_t> size;
  /// Of a copy within operandValues, of a client's memory within that.
  std::optional<std::uint64_t> offset;
  std::string thread;
  std::size_t line = 0;
};

/// An argument as the runtime hands it over: "input[0] = MEMORY(pool=0, off=0)".
struct NnBinding {
  bool is_output = false;
  std::uint64_t index = 0;
  /// "MEMORY", "POINTER", "HAS_NO_VALUE", "UNSPECIFIED".
  std::string kind;
  std::optional<std::uint64_t> pool;
  std::optional<std::uint64_t> offset;
  std::optional<NnNumbers> dimensions;
  std::size_t line = 0;
};

/// Bytes that the runtime laid out itself, between the parts of a model that was cut.
struct NnTemporary {
  std::uint64_t model = 0;
  std::uint64_t operand = 0;
  std::uint64_t offset = 0;
  std::uint64_t padded_length = 0;
  bool is_constant = false;
  bool is_dynamic = false;
  std::size_t line = 0;

  friend bool operator==(const NnTemporary&, const NnTemporary&) = default;
};

/// The pool that the runtime makes of large values.
struct NnLargePool {
  /// Nothing, both: only how many values it has is said.
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> index;
  std::optional<std::uint64_t> values;
  std::size_t line = 0;
};

/// What a buffer of the driver's is for: an input or output of a prepared model of a list.
struct NnBufferRole {
  bool is_output = false;
  std::int64_t model = 0;
  std::int64_t index = 0;
  double probability = 0;
};

/// What the runtime asks a driver to allocate.
struct NnDescriptor {
  NnNumbers dimensions;
  std::vector<NnBufferRole> roles;
  std::optional<std::uint64_t> models;
  std::optional<std::uint64_t> inputs;
  std::optional<std::uint64_t> outputs;
  /// It was printed to its end, and nothing of it is missing.
  bool is_whole = false;
  std::size_t line = 0;
};

/// What a driver says of it.
struct NnAllocation {
  std::string type;
  NnNumbers dimensions;
  std::optional<std::uint64_t> size;
  /// Its words; empty: it was not refused.
  std::string refusal;
  std::size_t line = 0;
};

/// A buffer of the driver's comes or goes.
struct NnTokenEvent {
  bool is_added = false;
  std::int64_t token = 0;
  std::size_t line = 0;
};

/// One process' events, in the log's order.
struct NnEvents {
  std::string process;
  std::vector<NnValue> values;
  std::vector<NnLargePool> large_pools;
  std::vector<NnBinding> bindings;
  std::vector<NnTemporary> temporaries;
  std::vector<NnTokenEvent> tokens;
  std::vector<NnDescriptor> descriptors;
  std::vector<NnAllocation> allocations;
  /// "qti-dsp", as the runtime chose it; the last one.
  std::string device;
  /// Lines that say that an execution failed.
  std::vector<std::size_t> failures;
  std::size_t line = 0;
};

struct NnLog {
  /// In the order of their first lines; a model that is printed twice stands here twice.
  std::vector<NnModel> models;
  std::vector<NnRequest> requests;
  std::vector<NnEvents> events;
  /// Where a whole record ends at the end of the text, or a line at what a log keeps of one.
  bool is_cut = false;
  /// Lines of the log that stand for others ("identical 129 lines").
  std::size_t repeated_lines = 0;
  bool has_prefixes = false;
  std::size_t lines = 0;
};

}  // namespace memsize::model
