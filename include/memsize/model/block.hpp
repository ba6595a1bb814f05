// What an accelerator used: plain values, whoever printed them.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/names.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::model {

enum class Cacheability { kCacheable, kNonCacheable, kOnChip };
enum class Lifetime { kPersistent, kScratch, kConstant };

using core::name_of;
using core::named;

constexpr auto names_of(Cacheability /*all*/) {
  return std::to_array<std::string_view>({"cacheable", "non-cacheable", "on-chip"});
}

constexpr auto names_of(Lifetime /*all*/) {
  return std::to_array<std::string_view>({"persistent", "scratch", "constant"});
}

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

/// Where a block begins on its core, as far as a log prints it: all of the address, or its low 32
/// bits. No heap is larger than 4 GiB, so that low bits tell a place in a heap whose base is known.
class PrintedAddress {
 public:
  [[nodiscard]] static constexpr PrintedAddress whole(std::uint64_t address) {
    return {address, true};
  }

  [[nodiscard]] static constexpr PrintedAddress low(std::uint64_t address) {
    return {static_cast<std::uint32_t>(address), false};
  }

  /// Of a low one the upper bits are 0.
  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

  [[nodiscard]] constexpr bool is_whole() const { return is_whole_; }

  /// How far behind `base` it is, as far as both are known. Addresses wrap around: one before the
  /// base is very far behind it.
  [[nodiscard]] constexpr core::Bytes offset_from(PrintedAddress base) const {
    const std::uint64_t distance = value_ - base.value_;
    return core::Bytes{is_whole_ && base.is_whole_ ? distance
                                                   : static_cast<std::uint32_t>(distance)};
  }

  [[nodiscard]] constexpr core::Bytes offset_from(core::VirtAddr base) const {
    return offset_from(whole(base.value()));
  }

  /// The same, for people, of whom a low one is as far behind `base` as it can be known to be.
  [[nodiscard]] constexpr PrintedAddress shown_above(core::VirtAddr base) const {
    return {base.value() + offset_from(base).count(), is_whole_};
  }

  /// Both may be the same address.
  [[nodiscard]] constexpr bool agrees_with(PrintedAddress other) const {
    return offset_from(other) == core::Bytes{};
  }

  friend constexpr bool operator==(PrintedAddress, PrintedAddress) = default;

 private:
  constexpr PrintedAddress(std::uint64_t value, bool is_whole)
      : value_(value), is_whole_(is_whole) {}

  std::uint64_t value_ = 0;
  bool is_whole_ = false;
};

/// One allocation.
struct Block {
  std::uint32_t record = 0;
  /// "ddr", "l1d", "l2", "l3": spaces are named by the format's reader.
  std::string space;
  Cacheability cacheability = Cacheability::kCacheable;
  Lifetime lifetime = Lifetime::kPersistent;
  core::Align alignment;
  MeasuredSize size;
  /// On the core, where the log has one.
  std::optional<PrintedAddress> address;
  std::size_t line = 0;
};

/// The sum of one class of memory as a log printed it below a table.
struct ClassTotal {
  std::string space;
  Cacheability cacheability = Cacheability::kCacheable;
  /// Empty: the log adds up all of the space.
  std::optional<Lifetime> lifetime;
  MeasuredSize size;
  std::size_t line = 0;
};

/// One model loaded on one core. Where only the totals of its table are known, it has no blocks.
struct Instance {
  /// Index into Recording::inputs.
  std::size_t input = 0;
  /// Where its table begins; of two prints, the later one.
  std::size_t line = 0;
  /// How its rows were printed ("bytes", "kib", ...): a vendor's generations print differently.
  /// Empty where the reader knows one form only.
  std::string form;
  /// Sorted by record.
  std::vector<Block> blocks;
  /// What the log itself says the blocks add up to.
  std::vector<ClassTotal> totals;
  /// The priority that the model was created with, where the log has it.
  std::optional<std::uint32_t> priority;
  /// How often the log has this very table: same rows, same addresses. It was loaded again.
  std::size_t times = 1;
};

struct CoreRecording {
  /// As printed, in lower case: "c7x_2". Empty where the log names no core.
  std::string core;
  std::vector<Instance> instances;
};

/// What a log says of a heap beside any table: when it was made, or how full it is.
struct HeapReport {
  enum class Source { kBoot, kStatistics };

  std::size_t input = 0;
  std::size_t line = 0;
  /// As CoreRecording::core.
  std::string core;
  Source source = Source::kBoot;
  /// As printed; statistics cut long names.
  std::string name;
  core::Bytes size;
  /// Boot: where it begins, as the core sees it.
  std::optional<core::VirtAddr> address;
  /// Statistics: bytes that are free now, or that were never in use.
  std::optional<core::Bytes> free;
  /// How often the log prints it; what stands here is of the print with the least free.
  std::uint64_t samples = 1;
};

/// A pool of the host's that cores share, over a time: what samples of live buffers saw.
struct PoolReport {
  std::size_t input = 0;
  /// Of the sample with the most bytes.
  std::size_t line = 0;
  /// As Linux calls whoever gives buffers out: "carveout_" and the node of the device tree.
  std::string name;
  /// How often was looked.
  std::uint64_t samples = 1;
  core::Bytes most;
  /// The largest single buffer of all samples.
  core::Bytes largest;
};

/// Something that went wrong on the target.
struct Failure {
  /// kRecord: a heap had no room for a record. kOnChip: a core's own on-chip allocator is full.
  /// kLimit: a limit that no heap's size changes. kHost: memory of the host. kOther: an error that
  /// is no lack of memory, or does not say of what.
  enum class Kind { kRecord, kOnChip, kLimit, kHost, kOther };

  std::size_t input = 0;
  std::size_t line = 0;
  std::string core;
  Kind kind = Kind::kOther;
  /// What the log says, printable.
  std::string text;
  /// kRecord: which, in which space, and its size. The space says no lifetime.
  std::optional<std::uint32_t> record;
  std::string space;
  Cacheability cacheability = Cacheability::kCacheable;
  std::optional<core::Bytes> size;
};

/// What a run took. Megabytes are of 10^6 bytes; they count the whole chip's traffic.
struct RunReport {
  std::size_t input = 0;
  std::size_t line = 0;
  std::string core;
  std::optional<double> init_ms;
  /// How often it was executed; the times and traffic are those of the slowest.
  std::size_t executions = 0;
  std::optional<double> execution_ms;
  std::optional<double> read_mb;
  std::optional<double> written_mb;
};

constexpr auto names_of(HeapReport::Source /*all*/) {
  return std::to_array<std::string_view>({"boot", "statistics"});
}

constexpr auto names_of(Failure::Kind /*all*/) {
  return std::to_array<std::string_view>({"record", "on-chip", "limit", "host", "other"});
}

struct Input {
  /// As the user typed it.
  std::string path;
  /// The reader's name.
  std::string format;
  /// The file under boards/formats that says what the records mean.
  std::string trace_format;
  std::size_t lines = 0;
  std::size_t records = 0;
  /// Rows that were no rows any more, and are missing.
  std::size_t broken_rows = 0;
  /// Printed by an emulation on a host, whose sizes are not the target's.
  bool emulated = false;
  /// Other inputs that say the same, and are left out: their paths, sorted. The same path again
  /// where it was given again.
  std::vector<std::string> copies;
};

}  // namespace memsize::model
