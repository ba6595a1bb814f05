// One render function for each emitter: which template with which view becomes which files. Also
// which cores a change affects, compared with another map, and so what must be rebuilt.
#include "emitters.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/armv8_tables.hpp"
#include "memsize/emit/page.hpp"

#include "rendered.hpp"
#include "view.hpp"
#include "view_ld.hpp"
#include "view_mpu.hpp"
#include "view_tables.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using layout::MemoryMap;

std::string document(const Json& json) {
  // Names are ASCII by the time they get here; a stray byte is replaced, never thrown over.
  return json.pretty() + "\n";
}

// What a core's linker map and its MMU see of a region.
using Seen = std::tuple<std::string_view, std::uint64_t, std::uint64_t, std::uint64_t>;

std::vector<Seen> seen_by(const MemoryMap& map, const std::string& core) {
  std::vector<Seen> seen;
  for (const layout::Region& region : map.regions) {
    if (region.seen_by(core)) {
      seen.emplace_back(region.name,
                        printed_address(region),
                        region.physical_base ? region.physical_base->value() : 0,
                        region.size.count());
    }
  }
  return seen;
}

// Whether two tables, where there are any, have rows that are the same.
template <typename Table, typename Row>
bool same_rows(const Table* a,
               const Table* b,
               std::vector<Row> Table::*rows,
               bool (*same)(const Row&, const Row&)) {
  return a == nullptr || b == nullptr ? a == b : std::ranges::equal(a->*rows, b->*rows, same);
}

bool same_entry(const layout::MmuRange& x, const layout::MmuRange& y) {
  return x.entry == y.entry && x.virtual_range == y.virtual_range && x.physical == y.physical &&
         x.mair == y.mair;
}

bool same_region(const layout::MpuRegion& x, const layout::MpuRegion& y) {
  return x.number == y.number && x.name == y.name && x.range == y.range &&
         x.disabled == y.disabled && x.attribute == y.attribute;
}

bool same_translation(const layout::RatRange& x, const layout::RatRange& y) {
  return x.name == y.name && x.local == y.local && x.system == y.system && x.size == y.size;
}

// Whether MMU, MPU and RAT of a core are programmed alike.
bool same_hardware(const MemoryMap& map, const MemoryMap& other, const std::string& core) {
  return same_rows(
             map.find_mmu(core), other.find_mmu(core), &layout::MmuTable::ranges, same_entry) &&
         same_rows(
             find_mpu(map, core), find_mpu(other, core), &layout::MpuTable::regions, same_region) &&
         same_rows(find_rat(map, core),
                   find_rat(other, core),
                   &layout::RatTable::ranges,
                   same_translation);
}

std::string reservations(const MemoryMap& map) {
  std::string text;
  for (const layout::Carveout& carveout : map.carveouts) {
    text += fmt::format(
        "{} {} {}\n", carveout.label, carveout.range.base().value(), carveout.range.size().count());
  }
  return text;
}

}  // namespace

std::string describe_balance(const MemoryMap& map, const MemoryMap& baseline) {
  const core::Bytes before = baseline.reserved();
  const core::Bytes after = map.reserved();
  const std::string state = fmt::format(
      "{} stay reserved, of {} before", core::format_size(after), core::format_size(before));
  return after == before
             ? fmt::format("Linux keeps what it has: {} stay reserved", core::format_size(after))
         : after < before
             ? fmt::format("{} go back to Linux: {}", core::format_size(before - after), state)
             : fmt::format("Linux loses {}: {} are reserved, {} before",
                           core::format_size(after - before),
                           core::format_size(after),
                           core::format_size(before));
}

std::vector<std::string> changed_cores(const MemoryMap& map, const MemoryMap& baseline) {
  std::vector<std::string> cores;
  for (const board::Core& core : map.board.cores) {
    if (seen_by(map, core.name) != seen_by(baseline, core.name) ||
        !same_hardware(map, baseline, core.name)) {
      cores.push_back(core.name);
    }
  }
  return cores;
}

Affected affected_by(const MemoryMap& map, const MemoryMap& baseline) {
  return {changed_cores(map, baseline), reservations(map) != reservations(baseline)};
}

Affected affected_by(const MemoryMap& map, const Affected& one, const Affected& other) {
  const auto has = [](const Affected& affected, const std::string& core) {
    return std::ranges::find(affected.cores, core) != affected.cores.end();
  };
  Affected both{.device_tree = one.device_tree || other.device_tree};
  for (const board::Core& core : map.board.cores) {
    if (has(one, core.name) || has(other, core.name)) {
      both.cores.push_back(core.name);
    }
  }
  return both;
}

std::vector<board::RebuildStep> rebuild_steps(const MemoryMap& map, const Affected& affected) {
  const std::vector<std::string>& cores = affected.cores;
  std::vector<board::RebuildStep> steps;
  for (const board::RebuildStep& step : map.board.rebuild) {
    const bool needed = step.when == "always"  ? affected.device_tree || !cores.empty()
                        : step.when == "linux" ? affected.device_tree
                                               : std::ranges::find(cores, step.when) != cores.end();
    if (needed) {
      steps.push_back(step);
    }
  }
  return steps;
}

core::Result<std::vector<Artifact>> render_linker(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  for (const board::Core& core : input.map.board.cores) {
    MEMSIZE_TRY(
        add_rendered(artifacts,
                     input,
                     fmt::format("{}/{}", core.name, input.map.board.linker_file_of(core.name)),
                     "linker",
                     linker_view(input.map, core.name)));
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_syscfg(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  if (!input.map.board.mmu.in_sysconfig) {
    return artifacts;
  }
  for (const layout::MmuTable& table : input.map.mmu) {
    MEMSIZE_TRY(add_rendered(
        artifacts, input, table.core + "/mmu.syscfg", "syscfg", syscfg_view(input.map, table)));
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_mpu(const EmitInput& input) {
  const board::MpuProgram* program = input.map.board.mpu.table.get();
  std::vector<Artifact> artifacts;
  for (const board::Core& core : input.map.board.cores) {
    const layout::MpuTable* mpu = find_mpu(input.map, core.name);
    const layout::RatTable* rat =
        input.map.board.rat.in_sysconfig ? find_rat(input.map, core.name) : nullptr;
    rat = rat == nullptr || rat->ranges.empty() ? nullptr : rat;
    const layout::MpuTable* for_sysconfig = program == nullptr ? mpu : nullptr;
    if (for_sysconfig != nullptr || rat != nullptr) {
      MEMSIZE_TRY(add_rendered(artifacts,
                               input,
                               core.name + "/mpu.syscfg",
                               "mpu-syscfg",
                               mpu_syscfg_view(input.map, core.name, for_sysconfig, rat)));
    }
    if (program != nullptr && mpu != nullptr) {
      MEMSIZE_TRY(add_rendered(artifacts,
                               input,
                               core.name + "/mpu_cfg.c",
                               program->template_name,
                               mpu_source_view(input.map, *mpu)));
    }
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_mmu_json(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  for (const layout::MmuTable& table : input.map.mmu) {
    artifacts.push_back({table.core + "/mmu_map.json", {}, document(mmu_document(table))});
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_header(const EmitInput& input) {
  return render_one(input, input.map.board.header_file, "header", header_view(input.map));
}

core::Result<std::vector<Artifact>> render_dts(const EmitInput& input) {
  return render_one(input, input.map.board.dts_file, "dts", dts_view(input.map));
}

core::Result<std::vector<Artifact>> render_html(const EmitInput& input) {
  auto page = render_page(input);
  MEMSIZE_TRY(page);
  return std::vector<Artifact>{{"system_memory_map.html", {}, std::move(*page)}};
}

core::Result<std::vector<Artifact>> render_svg(const EmitInput& input) {
  return std::vector<Artifact>{{"system_memory_map.svg", {}, strips_picture(input)}};
}

core::Result<std::vector<Artifact>> render_map_json(const EmitInput& input) {
  return std::vector<Artifact>{{"memory_map.json", {}, document(map_document(input.map))}};
}

core::Result<std::vector<Artifact>> render_mmu_tables(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  core::Diagnostics errors;
  for (const layout::MmuTable& entries : input.map.mmu) {
    auto tables = tables_of(input.map, entries.core);
    if (!tables) {
      errors.insert(errors.end(), tables.error().begin(), tables.error().end());
      continue;
    }
    MEMSIZE_TRY(add_rendered(artifacts,
                             input,
                             entries.core + "/mmu_tables.c",
                             "mmu-tables",
                             mmu_tables_view(input.map, entries.core, *tables)));
    artifacts.push_back(
        {fmt::format("{}/mmu_tables_at_{}.bin", entries.core, core::format_address(tables->base)),
         {},
         std::move(tables->bytes)});
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_mpu_tables(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  for (const layout::MpuTable& table : input.map.mpu) {
    MEMSIZE_TRY(add_rendered(artifacts,
                             input,
                             table.core + "/mpu_table.c",
                             "mpu-table",
                             mpu_table_view(input.map, table)));
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_rebuild(const EmitInput& input) {
  return render_one(input, "REBUILD.md", "rebuild", rebuild_view(input), escape_markdown);
}

core::Result<std::vector<Artifact>> render_gnu_ld(const EmitInput& input) {
  std::vector<Artifact> artifacts;
  core::Diagnostics errors;
  for (const board::Core& core : input.map.board.cores) {
    const board::CoreSections* sections = input.map.board.find_sections(core.name);
    if (sections == nullptr) {
      errors.push_back(no_sections(input.map.board, core));
      continue;
    }
    MEMSIZE_TRY(add_rendered(
        artifacts, input, core.name + "/linker.ld", "gnu-ld", gnu_ld_view(input.map, *sections)));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return artifacts;
}

}  // namespace memsize::emit
