// What an accelerator used: plain values, whoever printed them.
#pragma once

#include "memsize/core/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::model {

enum class Cacheability { kCacheable, kNonCacheable, kOnChip };
enum class Lifetime { kPersistent, kScratch, kConstant };

[[nodiscard]] std::string_view name_of(Cacheability cacheability);
[[nodiscard]] std::string_view name_of(Lifetime lifetime);
[[nodiscard]] std::optional<Cacheability> cacheability_named(std::string_view name);
[[nodiscard]] std::optional<Lifetime> lifetime_named(std::string_view name);

/// A size as a log printed it. Most logs round, so a printed size stands for a span of true sizes.
struct MeasuredSize {
  /// The printed value, to the nearest byte.
  core::Bytes nearest;
  /// The printed value, rounded up to a whole byte.
  core::Bytes ceiling;
  /// No true size that prints like this is larger; at least 1 B, because nothing allocates nothing.
  core::Bytes upper;
  /// The text where it was in KiB with two decimals ("19.42"), else empty: the size was exact.
  std::string printed_kib;
};

/// A size printed as KiB with two decimals, given in hundredths of a KiB. Half the last digit
/// (5.12 B) is unknown, and TIDL prints through a 32-bit float, which adds half a unit of its last
/// place from 16 MiB upwards (facts: tidl_alg.c prints `(float)size / 1024`).
[[nodiscard]] MeasuredSize measured_kib(std::uint64_t hundredths);
[[nodiscard]] MeasuredSize measured_exactly(core::Bytes size);

/// One allocation.
struct Block {
  std::uint32_t record = 0;
  /// "ddr", "l1d", "l2", "l3": spaces are named by the format's reader.
  std::string space;
  Cacheability cacheability = Cacheability::kCacheable;
  Lifetime lifetime = Lifetime::kPersistent;
  core::Align alignment;
  MeasuredSize size;
  /// The low 32 bits of the address on the core, where the log has one.
  std::optional<std::uint32_t> address_low;
  std::size_t line = 0;
};

/// One model loaded on one core.
struct Instance {
  /// Index into Recording::inputs.
  std::size_t input = 0;
  std::size_t line = 0;
  std::vector<Block> blocks;
};

struct CoreRecording {
  /// As printed, in lower case: "c7x_2". Empty where the log names no core.
  std::string core;
  std::vector<Instance> instances;
};

struct Input {
  /// As the user typed it.
  std::string path;
  /// The reader's name.
  std::string format;
  /// The file under boards/formats that says what the records mean.
  std::string trace_format;
  std::size_t lines = 0;
  std::size_t records = 0;
  /// Lines with text that belong to no table.
  std::size_t other_lines = 0;
};

}  // namespace memsize::model
