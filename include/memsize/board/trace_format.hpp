// What a vendor's records mean and how its allocators place them: data of the format and of each
// SDK generation (boards/formats), never C++.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/model/block.hpp"
#include "memsize/model/log_format.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memsize::board {

/// How one heap of a core places blocks.
struct HeapRule {
  enum class Kind { kLinear, kRtos };

  model::Cacheability cacheability{};
  model::Lifetime lifetime{};
  /// The RTOS layers that have this allocator (a board's `rtos_family`); empty: all.
  std::vector<std::string> families;
  Kind kind = Kind::kLinear;
  /// Linear: where a block may start. RTOS: what a block's size is rounded to.
  core::Align align;
  /// RTOS: bytes before each block.
  core::Bytes header;
  /// In use before any model is loaded.
  core::Bytes idle;
  /// Allocated for each model beside its records.
  std::vector<core::Bytes> objects;
  /// Allocated once, while a model is created, and given back.
  std::vector<core::Bytes> transient;
  std::string source;
};

/// The part of a record that no model changes.
struct FixedPart {
  bool whole = false;
  core::Bytes size;
};

using FixedParts = std::map<std::uint32_t, FixedPart>;

/// What a generation does otherwise on one family of chips.
struct PartRule {
  std::vector<core::Bytes> fingerprint_sizes;
  FixedParts fixed;
};

/// Memory that a generation is known to take, but not how much.
struct UnknownPart {
  model::Cacheability cacheability{};
  model::Lifetime lifetime{};
  std::string what;
};

struct Generation {
  std::string name;
  std::string title;
  /// How many records a complete table has; 0: nobody knows, nor what their numbers mean.
  std::uint32_t records = 0;
  /// Any number of them is complete, and their numbers are those of the format.
  bool is_open = false;
  /// Tables of this form (model::Instance::form) are of this generation; empty: only the
  /// fingerprint tells.
  std::string form;
  std::uint32_t fingerprint_record = 0;
  std::vector<core::Bytes> fingerprint_sizes;
  FixedParts fixed;
  /// By the board's `soc`.
  std::map<std::string, PartRule> parts;
  std::vector<UnknownPart> unknown;
  std::vector<HeapRule> heaps;
  /// Not empty: the rules are an estimate, and this says what of them.
  std::string estimate;

  /// On a board of that RTOS family. Empty: nobody knows, and the rule that stands last counts.
  [[nodiscard]] const HeapRule* find_heap(model::Cacheability cacheability,
                                          model::Lifetime lifetime,
                                          std::string_view family) const;
  /// The fixed parts on a family of chips.
  [[nodiscard]] const FixedParts& fixed_on(std::string_view part) const;
  /// The sizes of the fingerprint's record on a family of chips.
  [[nodiscard]] const std::vector<core::Bytes>& fingerprint_on(std::string_view part) const;
};

/// What tells of which generation an SDK tree is: a file that is there, or a text in it.
struct TreeFact {
  /// Below platform/SOC/rtos.
  std::string file;
  /// Empty: that the file is there tells.
  std::string contains;
  /// On which parts (a platform's name); empty: on all.
  std::vector<std::string> parts;
  /// The generations whose trees have it, and those whose trees have not (empty: that it is not
  /// there tells nothing).
  std::vector<std::string> has;
  std::vector<std::string> lacks;
  std::string source;
};

using model::MemoryClass;

struct RecordMeaning {
  std::string name;
  std::string what;
  /// Where the record goes on parts that tell all classes apart; absent: it depends.
  std::optional<MemoryClass> memory;
};

/// A record that is kept once a priority: further models of the priority need only `rest` of it.
struct ContextRule {
  std::uint32_t record = 0;
  core::Bytes rest;
};

/// What a heap is called in boot lines and statistics.
struct HeapName {
  std::vector<std::string> names;
  MemoryClass memory;
};

/// What a message of the target that contains a text means.
struct MessageMeaning {
  std::string contains;
  std::string means;
};

struct TraceFormat {
  std::string name;
  /// What its lines look like, where no reader is built in.
  std::optional<model::LogFormat> log;
  std::vector<Generation> generations;
  std::map<std::uint32_t, RecordMeaning> records;
  std::optional<ContextRule> context;
  std::vector<HeapName> heap_names;
  std::vector<MessageMeaning> messages;
  /// Forms of tables that print no lifetime: a record's meaning says it.
  std::vector<std::string> forms_without_lifetime;
  /// From here on a printed total is no sum any more; absent: every total is one.
  std::optional<core::Bytes> totals_below;
  /// What no trace of one run can show; printed beside every suggestion.
  std::vector<std::string> not_covered;
  /// What to know where several models of a core are counted as live together.
  std::vector<std::string> several_models;
  std::vector<TreeFact> tree_facts;

  /// "SDK 10.x or SDK 11.01".
  [[nodiscard]] std::string titles_of(const std::vector<std::string>& names) const;
  /// Every RTOS family that a heap's rule names.
  [[nodiscard]] std::vector<std::string> families() const;
  [[nodiscard]] const Generation* find_generation(std::string_view generation) const;
  /// The class of the heap that was printed so, which may be cut to 15 or 16 characters.
  [[nodiscard]] const MemoryClass* find_heap(std::string_view printed) const;
};

/// Loads `<folder>/formats/<name>.toml`, or the file where `name` is a path to one. `read` gets the
/// paths of the files that were read.
[[nodiscard]] core::Result<TraceFormat> load_trace_format(core::FileSystem& files,
                                                          const std::string& folder,
                                                          const std::string& name,
                                                          std::vector<std::string>* read = nullptr);

}  // namespace memsize::board
