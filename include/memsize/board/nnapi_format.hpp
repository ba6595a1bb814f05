// What types, lifetimes and memories of NNAPI are called and take: data
// (boards/networks/nnapi.toml).
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::board {

enum class NnScale { kZero, kPositive, kNotNegative };

struct NnType {
  std::string name;
  std::uint64_t value = 0;
  /// Of an element; nothing: unknown.
  std::optional<std::uint64_t> bytes;
  bool is_scalar = false;
  bool is_subgraph = false;
  NnScale scale = NnScale::kZero;
  std::int64_t least_zero_point = 0;
  std::int64_t largest_zero_point = 0;
  bool is_per_channel = false;
  /// Its length may be another than that of its elements.
  bool is_free = false;
  /// The first HAL that has it.
  std::string since;
};

/// Who gives an operand its bytes.
enum class NnRole {
  kTemporary,
  kInput,
  kOutput,
  kCopy,
  kPool,
  kNone,
  kSubgraph,
  kPointer,
};

struct NnLifetime {
  /// The first is its name, the others what other printers call it.
  std::vector<std::string> names;
  std::uint64_t value = 0;
  NnRole role = NnRole::kTemporary;
  std::string since;
};

struct NnMemory {
  std::vector<std::string> names;
  std::string begins;
  std::string since;
  /// Who prints it says how large it is.
  bool has_size = true;
  /// Constants of a model may lie in it.
  bool is_for_models = true;
  /// A driver's own, known by a token.
  bool is_managed = false;
};

struct NnFormat {
  std::vector<std::string> hals;
  core::Bytes copied;
  core::Align alignment;
  core::Align least_alignment;
  core::Align padding_of_hidl;
  core::Align padding_of_aidl;
  std::uint64_t extensions_from = 0;
  std::vector<NnType> types;
  std::vector<NnLifetime> lifetimes;
  std::vector<NnMemory> memories;

  /// By name, or by number as printers print what they have no name for; null: unknown.
  [[nodiscard]] const NnType* find_type(std::string_view printed) const;
  [[nodiscard]] const NnLifetime* find_lifetime(std::string_view printed) const;
  [[nodiscard]] const NnMemory* find_memory(std::string_view printed) const;
  /// A vendor's own.
  [[nodiscard]] bool is_extension(std::string_view printed) const;
  /// Whether what is there since one HAL is in another; in a HAL that nobody knows everything is.
  [[nodiscard]] bool has(std::string_view hal, std::string_view since) const;
};

/// Loads `<folder>/networks/nnapi.toml`.
[[nodiscard]] core::Result<NnFormat> load_nnapi_format(core::FileSystem& files,
                                                       const std::string& folder);

}  // namespace memsize::board
