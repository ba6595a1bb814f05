// Looks for what a board says a core must have and no file gives, and for device trees, linker maps
// and tables that nothing makes or uses. What could not be read is told elsewhere.
#include "files.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/sysconfig.hpp"
#include "memsize/sdk/edit_dts.hpp"

#include "script/script.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

constexpr std::size_t kMostDetails = 8;

bool says(const Sources& sources, const std::string& path, const std::string& what) {
  const emit::MapFile* file = sources.find(path);
  return file != nullptr && file->content.find(what) != std::string::npos;
}

bool configures(const Sources& sources,
                const CoreSources& core,
                const char* module,
                const std::string& call) {
  return std::ranges::any_of(
             core.syscfg, [&](const std::string& path) { return says(sources, path, module); }) ||
         (!call.empty() && says(sources, core.main_source, call));
}

// Whether a core has both, so that the tables of this system are not those that are built.
bool has_left_over_tables(const Reading& reading) {
  return std::ranges::any_of(
      reading.cores, [](const CoreReading& core) { return !core.unused_mpu_source.empty(); });
}

bool lacks_mpu(const View& view, const CoreSources& core, const CoreReading& reading) {
  const bool in_sysconfig = configures(view.sources(), core, emit::kMpuModule, "");
  if (!core.mpu_source.empty() && !in_sysconfig) {
    return has_left_over_tables(view.reading());
  }
  const bool has_regions =
      std::ranges::any_of(reading.mpu, [](const auto& each) { return !each.regions.empty(); });
  return !has_regions && !(in_sysconfig && reading.mpu.empty());
}

core::Diagnostic missing(const View& view,
                         const std::string& path,
                         std::string lacks,
                         std::string what,
                         std::string hint) {
  return core::warning(Code::kSdkMissing, std::move(what), view.place_of(path), std::move(hint))
      .about({{"missing", std::move(lacks)}});
}

// A module of sysconfig, and what it sets.
struct Configured {
  std::string module;
  std::string what;
};

// A core is built with one of its sysconfig files: what one of them sets, all of them must.
template <typename Reading, typename Entry>
void check_builds(const View& view,
                  const CoreSources& core,
                  const std::vector<Reading>& readings,
                  std::vector<Entry> Reading::*entries,
                  const Configured& by,
                  core::Diagnostics& found) {
  std::string has;
  std::vector<std::string> lacking;
  for (const std::string& path : core.syscfg) {
    const auto* read = core::find_in(readings, path, &Reading::path);
    const bool is_set = read != nullptr && !(read->*entries).empty();
    has = is_set ? path : has;
    // What could not be read is told already.
    if (!is_set && (read != nullptr || !says(view.sources(), path, by.module))) {
      lacking.push_back(path);
    }
  }
  for (const std::string& path : lacking) {
    if (!has.empty()) {
      found.push_back(
          missing(view,
                  path,
                  by.what,
                  fmt::format("this file of {} has no {}, which {} has", core.name, by.what, has),
                  "what is built with it sees memory as the hardware has it by default"));
    }
  }
}

void check_files_of(const View& view,
                    const CoreSources& core,
                    const CoreReading& reading,
                    bool place_sections,
                    core::Diagnostics& found) {
  const std::string& os = view.variant().os;
  if (place_sections && core.sections.empty()) {
    found.push_back(missing(view,
                            core.name,
                            "sections",
                            fmt::format("no file of {} places its sections, as the other cores' "
                                        "*_linker_{}.cmd do",
                                        core.name,
                                        os),
                            "without it nobody knows which alignments the regions need"));
  }
  check_builds(
      view, core, reading.mmu, &MmuReading::entries, {emit::kMmuModule, "MMU entries"}, found);
  check_builds(
      view, core, reading.mpu, &MpuReading::regions, {emit::kMpuModule, "MPU regions"}, found);
  const layout::MemoryMap* board = view.board();
  if (board == nullptr) {
    return;
  }
  const auto has = [&](const auto& tables) {
    return std::ranges::any_of(tables, [&](const auto& table) { return table.core == core.name; });
  };
  // What could not be read is told already.
  const bool maps =
      std::ranges::any_of(reading.mmu, [](const auto& each) { return !each.entries.empty(); });
  const bool is_unread =
      !reading.has_mmu() && configures(view.sources(), core, emit::kMmuModule, "Mmu_map(");
  if (has(board->mmu) && !maps && !is_unread) {
    found.push_back(
        missing(view,
                core.name,
                "MMU entries",
                fmt::format("no file of {} configures its MMU: neither a sysconfig file for {} nor "
                            "Mmu_map() in main.c",
                            core.name,
                            os),
                "what the core caches is not checked"));
  }
  if (has(board->mpu) && lacks_mpu(view, core, reading)) {
    found.push_back(missing(
        view,
        core.name,
        "MPU regions",
        fmt::format("no file of {} has its MPU regions: neither a sysconfig file for {} nor "
                    "a table in *_mpu_cfg.c",
                    core.name,
                    os),
        "what the core caches is not checked"));
  }
}

// What the board has a file for, and neither the script nor the tree. Of the device tree that may
// be so: then emit writes its nodes beside the list of what is to be built.
void check_named_files(const View& view, core::Diagnostics& found) {
  const layout::MemoryMap* map = view.board();
  const Variant& variant = view.variant();
  if (map == nullptr || variant.script->exports.empty()) {
    return;
  }
  std::vector<std::string> named;
  for (const board::Core& core : map->board.cores) {
    const bool is_mapped = std::ranges::any_of(
        map->regions, [&](const layout::Region& region) { return region.seen_by(core.name); });
    if (is_mapped && !core::contains(variant.cores, core.name, &CoreSources::name)) {
      named.push_back(fmt::format("{}/{}", core.name, map->board.linker_file_of(core.name)));
    }
  }
  if (variant.header.empty()) {
    named.push_back(map->board.header_file);
  }
  for (const std::string& path : named) {
    if (view.sources().find(path) == nullptr) {
      found.push_back(missing(view,
                              path,
                              "file",
                              fmt::format("{} does not make this file, which board '{}' has, and "
                                          "it is not there",
                                          variant.script_path,
                                          map->board.name),
                              "let the script export it again, and run it"));
    }
  }
}

void check_unused(const View& view, const CoreReading& core, core::Diagnostics& found) {
  if (core.unused_mpu_source.empty()) {
    return;
  }
  const std::string by = core.mpu.empty() ? "sysconfig files" : core.mpu.front().path;
  found.push_back(
      core::warning(
          Code::kSdkStale,
          fmt::format("this table is left over: the MPU regions of {} are in {}", core.name, by),
          view.place_of(core.unused_mpu_source),
          "remove it, lest somebody corrects the wrong file")
          .about({{"core", core.name}}));
}

void check_device_tree(const View& view,
                       const std::string& path,
                       const emit::MapFile& file,
                       core::Diagnostics& found) {
  core::Diagnostics unused;
  const auto nodes = emit::parse_dts(file, view.sources().platform.folder, unused);
  if (nodes.empty()) {
    return;
  }
  core::Diagnostic stale = core::warning(Code::kSdkStale,
                                         "no script writes this device tree",
                                         view.place_of(path),
                                         "remove it, lest somebody copies it into a kernel");
  std::set<std::string> told;
  for (const CoreReading& core : view.reading().cores) {
    for (const emit::WrittenRange& range : core.linker) {
      const auto physical = view.physical_of(range.name, range.base, core.name);
      const bool counts = physical && range.size != 0 && view.in_dram(*physical);
      if (counts && told.insert(range.name).second) {
        const std::uint64_t covered = reserved_until(nodes, *physical) - *physical;
        if (covered < range.size) {
          stale.parties.push_back({"region", range.name});
          stale.details.push_back(
              fmt::format("does not reserve {} of '{}'",
                          emit::range_text(*physical + covered, range.size - covered),
                          range.name));
        }
      }
    }
  }
  if (!stale.details.empty()) {
    stale.message = fmt::format("no script writes this device tree, and it does not reserve {}",
                                core::plural(stale.details.size(), "region"));
  }
  if (stale.details.size() > kMostDetails) {
    const std::size_t more = stale.details.size() - kMostDetails;
    stale.details.resize(kMostDetails);
    stale.details.push_back(fmt::format("... {} more", more));
  }
  found.push_back(std::move(stale));
}

void check_device_trees(const View& view, core::Diagnostics& found) {
  std::set<std::string> made;
  for (const Variant& variant : view.sources().variants) {
    made.insert(variant.dts);
  }
  for (const auto& [path, file] : view.sources().files) {
    if (is_device_tree(path) && !made.contains(path)) {
      check_device_tree(view, path, file, found);
    }
  }
}

// Beside a script that could not be evaluated, nobody knows what it would write.
bool has_unread_script(const Sources& sources) {
  return std::ranges::any_of(sources.files, [&](const auto& each) {
    return !os_of_script(each.first).empty() &&
           !core::contains(sources.variants, each.first, &Variant::script_path);
  });
}

// Whose script is gone, the whole of an operating system is looked at no more.
void check_linker_maps(const View& view, core::Diagnostics& found) {
  const Sources& sources = view.sources();
  std::vector<std::string> left;
  for (const auto& each : sources.files) {
    const std::string& path = each.first;
    const bool is_map = path.substr(path.find('/') + 1).starts_with("linker_mem_map");
    const bool is_made = std::ranges::any_of(sources.variants, [&](const Variant& variant) {
      return core::contains(variant.cores, path, &CoreSources::linker);
    });
    if (is_map && !is_made) {
      left.push_back(path);
    }
  }
  if (left.empty() || has_unread_script(sources)) {
    return;
  }
  core::Diagnostic stale = core::warning(
      Code::kSdkStale,
      left.size() == 1
          ? "no script writes this linker map: what it says is held against nothing"
          : fmt::format("no script writes this linker map and {} more: what they say is held "
                        "against nothing",
                        left.size() - 1),
      view.place_of(left.front()),
      "put back the script that wrote it (gen_linker_mem_map*.py), or remove it");
  for (const std::string& path : left) {
    stale.parties.push_back({"file", path});
  }
  for (std::size_t i = 1; i < std::min(left.size(), kMostDetails + 1); ++i) {
    stale.details.push_back(left[i]);
  }
  if (left.size() > kMostDetails + 1) {
    stale.details.push_back(fmt::format("... {} more", left.size() - kMostDetails - 1));
  }
  found.push_back(std::move(stale));
}

}  // namespace

std::uint64_t reserved_until(const std::vector<emit::WrittenNode>& nodes, std::uint64_t address) {
  for (bool grew = true; grew;) {
    grew = false;
    for (const emit::WrittenNode& node : nodes) {
      const std::uint64_t into = address - node.base;
      if (!node.is_reserved() || address < node.base || into >= node.size) {
        continue;
      }
      if (node.size - into > UINT64_MAX - address) {
        return UINT64_MAX;
      }
      address += node.size - into;
      grew = true;
    }
  }
  return address;
}

void check_files(const View& view, core::Diagnostics& found) {
  check_named_files(view, found);
  const auto& all = view.variant().cores;
  const bool place_sections =
      std::ranges::any_of(all, [](const CoreSources& core) { return !core.sections.empty(); });
  for (const CoreSources& core : all) {
    if (const CoreReading* reading = view.reading().find(core.name)) {
      check_files_of(view, core, *reading, place_sections, found);
      check_unused(view, *reading, found);
    }
  }
  // What no variant makes is told with the first.
  if (&view.variant() == &view.sources().variants.front()) {
    check_device_trees(view, found);
    check_linker_maps(view, found);
  }
}

}  // namespace memsize::sdk
