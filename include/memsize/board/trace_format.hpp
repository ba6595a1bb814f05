// What a vendor's records mean and how its allocators place them: data of the format and of each
// SDK generation (boards/formats), never C++.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/model/block.hpp"

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

struct Generation {
  std::string name;
  std::string title;
  std::uint32_t records = 0;
  std::uint32_t fingerprint_record = 0;
  std::vector<core::Bytes> fingerprint_sizes;
  std::map<std::uint32_t, FixedPart> fixed;
  std::vector<HeapRule> heaps;
  /// Not empty: the rules are an estimate, and this says what of them.
  std::string estimate;

  [[nodiscard]] const HeapRule* find_heap(model::Cacheability cacheability,
                                          model::Lifetime lifetime) const;
};

struct RecordMeaning {
  std::string name;
  std::string what;
};

struct TraceFormat {
  std::string name;
  std::vector<Generation> generations;
  std::map<std::uint32_t, RecordMeaning> records;
  /// What no trace of one run can show; printed beside every suggestion.
  std::vector<std::string> not_covered;
  /// What to know where several models of a core are counted as live together.
  std::vector<std::string> several_models;

  [[nodiscard]] const Generation* find_generation(std::string_view generation) const;
};

/// Loads `<folder>/formats/<name>.toml`.
[[nodiscard]] core::Result<TraceFormat> load_trace_format(core::FileSystem& files,
                                                          const std::string& folder,
                                                          const std::string& name);

}  // namespace memsize::board
