// A console log of the real board, held against the map that its firmware was built with: whether
// every record lies in its heap's region, what is left there, what went wrong, and what runs took
// before and after.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/names.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/model/recording.hpp"
#include "memsize/sizing/sizing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::runtime {

/// A map that a core's firmware may still be built with.
struct OtherMap {
  /// As a message calls it: "the board's default map".
  std::string name;
  const layout::MemoryMap* map = nullptr;
};

/// What is held against a map.
struct BoardLog {
  const model::Recording& recording;
  const board::TraceFormat& format;
  /// size_recording() of the same recording, with the map's board and sizes.
  const sizing::Sizing& sizing;
  /// What the map was made of; nullptr where nobody knows.
  const model::Recording* before = nullptr;
};

/// A record of the log.
struct HeldRecord {
  /// kNoAddress: the log does not say where it lies. kNoRegion: the board has no heap of its class,
  /// or no such core.
  enum class Where { kInside, kOutside, kNoAddress, kNoRegion };

  std::size_t input = 0;
  std::size_t line = 0;
  std::string core;
  std::uint32_t record = 0;
  /// As printed; its true size may differ by half the last digit.
  core::Bytes size;
  Where where = Where::kNoAddress;
  /// As printed.
  std::optional<model::PrintedAddress> printed;
  /// The whole address, where it was printed, and kInside, where the region's base has its upper
  /// half.
  std::optional<core::VirtAddr> address;
  /// Of its class on its core; empty: kNoRegion.
  std::string region;
  /// kOutside: the region in which it begins; empty: none that the core sees.
  std::string found_in;
};

using core::name_of;

constexpr auto names_of(HeldRecord::Where /*all*/) {
  return std::to_array<std::string_view>({"inside", "outside", "no-address", "no-region"});
}

/// The memory of a class on a core that the log speaks of.
struct HeldRegion {
  /// What `used` was taken from: the records' addresses, or the heap's statistics.
  enum class Source { kAddresses, kStatistics };

  board::DemandKey key;
  std::string region;
  /// Empty: no size of the map is its size, as on the chip.
  std::string knob;
  core::VirtRange range;
  /// Of its class in the log, and of these the ones that lie inside.
  std::size_t records = 0;
  std::size_t inside = 0;
  /// The largest of its class.
  std::optional<std::uint32_t> largest_record;
  core::Bytes largest;
  /// The most in use at one time: to the end of the highest record, or what statistics do not call
  /// free. Nothing where the log tells neither.
  std::optional<core::Bytes> used;
  Source source = Source::kAddresses;

  /// Nothing where `used` is unknown; 0 where it is more than the region has.
  [[nodiscard]] std::optional<core::Bytes> left() const;
  /// Of the region's size, rounded down.
  [[nodiscard]] std::optional<unsigned> left_percent() const;
};

constexpr auto names_of(HeldRegion::Source /*all*/) {
  return std::to_array<std::string_view>({"addresses", "statistics"});
}

/// The n-th run of a core before and after. A log that has fewer runs lacks the last ones.
struct RunPair {
  std::string core;
  /// From 1.
  std::size_t number = 0;
  std::optional<model::RunReport> before;
  std::optional<model::RunReport> after;
};

struct BoardLogReport {
  std::vector<model::Input> inputs;
  /// Of the SDK that printed the log, and its title; empty where it cannot be told.
  std::string generation;
  std::string generation_title;
  bool generation_differs = false;
  /// In the order of cores, models and records.
  std::vector<HeldRecord> records;
  /// Of the cores that the log speaks of, in the map's order.
  std::vector<HeldRegion> regions;
  std::vector<RunPair> times;
  /// What is wrong, and notes. Errors of codes log.* and trace.* say that the map does not hold on
  /// this board as it is.
  core::Diagnostics findings;

  [[nodiscard]] std::size_t count(HeldRecord::Where where) const;
};

/// Holds a log against the map that its firmware should have. `others` explain what does not fit:
/// a core whose heaps are all where one of them has these runs firmware of that map. Cores whose
/// heaps differ from theirs, and cores that `before` has models on, should be in the log.
[[nodiscard]] BoardLogReport hold_log(const layout::MemoryMap& map,
                                      const BoardLog& log,
                                      const std::vector<OtherMap>& others);

}  // namespace memsize::runtime
