// What a running board said of its memory: a document of memsize-probe, decoded and not yet judged.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::model {

/// Some bytes of a file, or of memory.
struct ProbePart {
  std::uint64_t at = 0;
  std::string bytes;
};

/// One path of the board. Names and contents are bytes of somebody else's.
struct ProbeFile {
  /// "/proc/iomem".
  std::string path;
  /// What each link says that leads to it, in the order in which they are followed.
  std::vector<std::string> links;
  /// Why there is nothing of it, or not all: "ENOENT"; empty: there is.
  std::string error;
  std::optional<core::Bytes> size;
  /// 64 digits; empty: it was not hashed.
  std::string sha256;
  /// All of it; nothing where only parts, or nothing, were taken.
  std::optional<std::string> content;
  std::vector<ProbePart> parts;
  /// Of a folder, the names in it.
  std::vector<std::string> entries;
  /// Properties of a device tree whose values were left out.
  std::vector<std::string> zeroed;
  /// Where the document has it.
  std::size_t line = 0;
};

/// What one exporter had at one time, such as the pool that cores share: every buffer once.
struct PoolUse {
  std::string exporter;
  std::uint64_t objects = 0;
  core::Bytes bytes;
  core::Bytes largest;
};

/// What was alive at a time. It holds until the next sample: those that were the same as the one
/// before are left out.
struct PoolSample {
  double seconds = 0;
  /// By exporter; one that had nothing is not here.
  std::vector<PoolUse> uses;
  std::size_t line = 0;
};

/// A line of /proc/iomem.
struct IoRange {
  core::PhysRange range;
  /// "System RAM", "reserved".
  std::string name;
  /// 0: it lies in no other.
  unsigned level = 0;
};

/// A core that Linux starts, as /sys/class/remoteproc has it.
struct RemoteCore {
  /// "remoteproc3": another one after the next boot.
  std::string folder;
  /// Its device, which tells it from others: "7e000000.dsp".
  std::string name;
  /// "running", "offline".
  std::string state;
  /// Below /lib/firmware; "unknown" where something else started it.
  std::string firmware;
};

struct Probe {
  /// The document's, as the user typed it.
  std::string path;
  std::string tool;
  /// When it was recorded: "2026-01-31T12:00:00Z"; empty: the board does not know.
  std::string time;
  std::string uname;
  /// "/", or the folder that was looked into.
  std::string root;
  /// 0: it ran as root.
  std::uint64_t uid = 0;
  std::vector<ProbeFile> files;
  std::vector<PoolSample> samples;
  /// What the kernel made of memory; empty where the probe has no such file.
  std::vector<IoRange> io_ranges;
  /// Each address is 0: whoever asked is not root.
  bool is_io_hidden = false;
  /// By name.
  std::vector<RemoteCore> remote_cores;
  /// MemTotal of /proc/meminfo.
  std::optional<core::Bytes> total;
  /// How often was looked, samples that are left out among them.
  std::uint64_t samples_taken = 0;
  double watched_seconds = 0;
  /// Where no sample could be taken, why not.
  std::string samples_error;

  /// Null: the probe did not look there.
  [[nodiscard]] const ProbeFile* find(std::string_view file) const;
  /// Empty where there is no such content.
  [[nodiscard]] std::string_view content(std::string_view file) const;
};

}  // namespace memsize::model
