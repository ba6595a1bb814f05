// Sets of addresses: what Linux keeps, what it uses, and what the map and the running tree ask for.
#include "memsize/layout/probe.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::layout {

namespace {

using core::Code;
using core::PhysAddr;
using core::PhysRange;

/// Ranges that neither overlap nor touch, by address.
using AddressSet = std::vector<PhysRange>;

PhysRange between(std::uint64_t begin, std::uint64_t last) {
  return PhysRange::make(PhysAddr{begin}, core::Bytes{last - begin} + core::Bytes{1})
      .value_or(PhysRange{});
}

AddressSet joined(AddressSet ranges) {
  std::erase_if(ranges, [](const PhysRange& range) { return range.empty(); });
  std::ranges::sort(ranges, {}, &PhysRange::base);
  AddressSet set;
  for (const PhysRange& range : ranges) {
    const bool touches = !set.empty() && (set.back().overlaps(range) ||
                                          set.back().last().value() + 1 == range.base().value());
    if (touches) {
      set.back() = between(set.back().base().value(),
                           std::max(set.back().last().value(), range.last().value()));
    } else {
      set.push_back(range);
    }
  }
  return set;
}

// What of a range is in none of the set.
AddressSet without(const PhysRange& range, const AddressSet& set) {
  AddressSet left;
  std::uint64_t at = range.base().value();
  for (const PhysRange& each : set) {
    const PhysRange both = range.intersection(each);
    if (both.empty()) {
      continue;
    }
    if (both.base().value() > at) {
      left.push_back(between(at, both.base().value() - 1));
    }
    if (both.last() == range.last()) {
      return left;
    }
    at = both.last().value() + 1;
  }
  left.push_back(between(at, range.last().value()));
  return left;
}

std::string shown_set(const AddressSet& set) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(set.size(), kMost); ++i) {
    texts.push_back(core::format_range(set[i]));
  }
  return core::join(texts, ", ") + (set.size() > kMost ? ", ..." : "");
}

core::Bytes size_of(const AddressSet& set) {
  core::Bytes sum;
  for (const PhysRange& range : set) {
    sum = sum + range.size();
  }
  return sum;
}

constexpr const char* kBootHint =
    "the board boots another device tree: build emit's dtsi into the one that it loads, and look "
    "at "
    "/sys/firmware/fdt again after the next boot";

core::Place place_in(const model::Probe& probe, std::string_view file) {
  const model::ProbeFile* found = probe.find(file);
  return {probe.path, found == nullptr ? 0 : found->line};
}

core::Diagnostic cannot_look(const model::Probe& probe) {
  const model::ProbeFile* file = probe.find("/proc/iomem");
  const std::string why = probe.is_io_hidden    ? std::string{"each address in it is 0"}
                          : file == nullptr     ? std::string{"the probe did not look at it"}
                          : file->error.empty() ? std::string{"it is empty"}
                                                : core::printable(file->error, 40);
  return core::error(Code::kProbeAccess,
                     fmt::format("/proc/iomem does not say what Linux reserved: {}{}",
                                 why,
                                 probe.uid == 0 ? "" : ", because it was not root who asked"),
                     place_in(probe, "/proc/iomem"),
                     "record it again as root, on the board: sudo memsize-probe -o probe.json");
}

// What of /proc/iomem is called so: at the top, or inside of RAM.
AddressSet io_ranges(const model::Probe& probe, std::string_view name, bool is_top) {
  AddressSet found;
  for (const model::IoRange& each : probe.io_ranges) {
    if (each.name == name && (each.level == 0) == is_top) {
      found.push_back(each.range);
    }
  }
  return joined(std::move(found));
}

void check_reserved(const MemoryMap& map, const model::Probe& probe, core::Diagnostics& told) {
  const AddressSet kept = io_ranges(probe, "reserved", true);
  const AddressSet inner = io_ranges(probe, "reserved", false);
  const AddressSet used = io_ranges(probe, "System RAM", true);
  for (const Carveout& carveout : map.carveouts) {
    if (carveout.range.empty()) {
      continue;
    }
    const AddressSet missing = without(carveout.range, carveout.no_map ? kept : inner);
    if (missing.empty()) {
      continue;
    }
    AddressSet as_ram;
    for (const PhysRange& range : used) {
      as_ram.push_back(carveout.range.intersection(range));
    }
    as_ram = joined(std::move(as_ram));
    const bool is_used = carveout.no_map && !as_ram.empty();
    core::Diagnostic found =
        core::error(Code::kProbeReserved,
                    fmt::format("'{}' {} is not reserved on the board: {} of it {} {}",
                                carveout.node,
                                core::format_range(carveout.range),
                                core::format_size(size_of(is_used ? as_ram : missing)),
                                is_used ? "is RAM to Linux," : "is not kept,",
                                shown_set(is_used ? as_ram : missing)),
                    place_in(probe, "/proc/iomem"),
                    kBootHint);
    found.parties = {{"carve-out", carveout.label}};
    found.related.push_back({carveout.place, fmt::format("'{}' is here", carveout.label), {}});
    told.push_back(std::move(found));
  }
}

// What Linux does not have, and nobody asked for. Neighbours are one range, so that the borders
// come from the map and the tree.
void check_foreign(const MemoryMap& map,
                   const model::Probe& probe,
                   const RunningTree& tree,
                   core::Diagnostics& told) {
  AddressSet known;
  for (const Carveout& carveout : map.carveouts) {
    known.push_back(carveout.range);
  }
  for (const RunningTree::Node& node : tree.reserved) {
    known.push_back(node.range);
  }
  known = joined(std::move(known));
  for (const PhysRange& range : io_ranges(probe, "reserved", true)) {
    for (const PhysRange& left : without(range, known)) {
      const bool is_dram = std::ranges::any_of(
          map.board.banks, [&](const board::Bank& bank) { return bank.range.overlaps(left); });
      if (is_dram) {
        told.push_back(core::warning(
            Code::kProbeForeign,
            fmt::format("{} at {} are reserved on the board, and {} for them",
                        core::format_size(left.size()),
                        core::format_range(left),
                        tree.reserved.empty() ? "the map does not ask"
                                              : "neither the map nor the running device tree asks"),
            place_in(probe, "/proc/iomem"),
            tree.reserved.empty()
                ? "record it again as root: /sys/firmware/fdt says what they are for"
                : "a boot loader or the kernel took them: its messages say for what"));
      }
    }
  }
}

// The core of the map that has a memory of the remote core's for itself.
std::string core_of(const MemoryMap& map, const RunningTree& tree, const std::string& remote) {
  const auto* found = core::find_in(tree.cores, remote, &RunningTree::Remote::name);
  if (found == nullptr) {
    return {};
  }
  for (const PhysRange& memory : found->memory) {
    for (const Region& region : map.regions) {
      const auto range = region.physical();
      if (region.kind == RegionKind::kRegion && region.cores.size() == 1 && range &&
          memory.contains(*range)) {
        return region.cores.front();
      }
    }
  }
  return {};
}

std::string called(const RunningCore& core) {
  return core.core.empty()
             ? fmt::format("'{}'", core::printable(core.said.name, 60))
             : fmt::format("{} ('{}')", core.core, core::printable(core.said.name, 60));
}

void check_state(const model::Probe& probe, const RunningCore& core, core::Diagnostics& told) {
  const std::string& state = core.said.state;
  if (state == "running" || state == "attached") {
    return;
  }
  const std::string file = fmt::format("/sys/class/remoteproc/{}/state", core.said.folder);
  const bool is_crashed = state == "crashed";
  const std::string message =
      is_crashed      ? fmt::format("{} has crashed", called(core))
      : state.empty() ? fmt::format("nothing says whether {} runs", called(core))
                      : fmt::format("{} does not run: it is {}, and its memory stays reserved",
                                    called(core),
                                    core::printable(state, 40));
  const std::string hint =
      is_crashed ? fmt::format(
                       "its trace and dmesg say why: cat "
                       "/sys/kernel/debug/remoteproc/{}/trace0",
                       core::printable(core.said.folder, 40))
                 : fmt::format("its firmware is '{}': dmesg says whether Linux found and loaded it",
                               core::printable(core.said.firmware, 80));
  core::Diagnostic found =
      is_crashed ? core::error(Code::kProbeCore, message, place_in(probe, file), hint)
                 : core::warning(Code::kProbeCore, message, place_in(probe, file), hint);
  found.parties = {{"core", core.core.empty() ? core.said.name : core.core}};
  told.push_back(std::move(found));
}

// Whether its name leads to a file, which the core has then. Where something else loaded it, it has
// none.
void check_loaded_file(const model::Probe& probe, RunningCore& core, core::Diagnostics& told) {
  const std::string& name = core.said.firmware;
  const model::ProbeFile* file = probe.find("/lib/firmware/" + name);
  if (name.empty() || file == nullptr) {
    return;
  }
  core.file = file->links.empty() ? name : file->links.back();
  if (file->error.empty()) {
    return;
  }
  std::vector<std::string> chain = {name};
  for (const std::string& link : file->links) {
    chain.push_back(core::printable(link, 120));
  }
  core::Diagnostic found =
      core::error(Code::kProbeFirmware,
                  fmt::format("the firmware of {} cannot be read: {} ({})",
                              called(core),
                              core::join(chain, " -> "),
                              core::printable(file->error, 40)),
                  {probe.path, file->line},
                  "copy the image that was built for this map there, and set the link");
  found.parties = {{"core", core.core.empty() ? core.said.name : core.core}};
  told.push_back(std::move(found));
}

}  // namespace

const std::vector<core::Rule>& probe_rules() {
  using core::Severity;
  static const std::vector<core::Rule> rules = {
      {Code::kProbeAccess,
       Severity::kError,
       "the probe ran as root, and saw what Linux reserved",
       "Linux: kernel/resource.c (r_show), which shows zeros to everybody else"},
      {Code::kProbeReserved,
       Severity::kError,
       "a running kernel keeps each carve-out: no-map ones apart from its RAM, others within it",
       "Linux: arch/arm64/kernel/setup.c (request_standard_resources)"},
      {Code::kProbeForeign,
       Severity::kWarning,
       "what a running kernel keeps, the map or its device tree asks for",
       "Linux: arch/arm64/kernel/setup.c (request_standard_resources)"},
      {Code::kProbeCore,
       Severity::kWarning,
       "the cores of the map run; one that has crashed is an error",
       "Linux: drivers/remoteproc/remoteproc_sysfs.c (rproc_state_string)"},
      {Code::kProbeFirmware,
       Severity::kError,
       "a core's firmware leads to a file, which is the one that --images names",
       "Linux: drivers/base/firmware_loader; links below /lib/firmware"},
  };
  return rules;
}

ProbeReport check_probe(const MemoryMap& map, const model::Probe& probe, const RunningTree& tree) {
  ProbeReport report;
  if (probe.io_ranges.empty() || probe.is_io_hidden) {
    report.diagnostics.push_back(cannot_look(probe));
  } else {
    check_reserved(map, probe, report.diagnostics);
    check_foreign(map, probe, tree, report.diagnostics);
  }
  for (const model::RemoteCore& remote : probe.remote_cores) {
    RunningCore core{.said = remote, .core = core_of(map, tree, remote.name)};
    // What is no part of the map is not its matter.
    const bool is_ours = tree.cores.empty() || !core.core.empty();
    if (is_ours) {
      check_state(probe, core, report.diagnostics);
      check_loaded_file(probe, core, report.diagnostics);
    }
    report.cores.push_back(std::move(core));
  }
  return report;
}

}  // namespace memsize::layout
