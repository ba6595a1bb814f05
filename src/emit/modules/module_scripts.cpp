// Linker scripts: a whole one of the part for GNU ld and lld, and fragments that put arenas into
// sections of their own beside the scripts that people have.
//
//   - What the image has no bytes of is NOLOAD, and says where it is loaded: both linkers would
//     otherwise keep the distance of the section before, whose bytes lie in flash, and QEMU's
//     loader clears that place.
//   - The first pattern that matches a section wins, so that named sections come before those of
//     compilers.
//   - A machine begins at its vectors, which lie at 0 on those that emulate parts.
#include "memsize/core/text.hpp"

#include "modules/module_emitters.hpp"
#include "modules/module_sections.hpp"
#include "plans/c_names.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using board::PartMemory;
using board::PartSection;
using board::SectionHolds;
using board::StartUp;

constexpr std::uint64_t kVectorBytes = 1024;  // 16 + 240 of 4 bytes (Armv7-M B1.5.3)
constexpr std::uint64_t kStackBytes = 8192;   // of a test's; an application's script has its own
constexpr const char* kVectorsMemory = "VECTORS";

// Where compilers' own sections go.
struct Homes {
  const PartMemory* code = nullptr;
  const PartMemory* constants = nullptr;
  const PartMemory* data = nullptr;
  const PartMemory* bss = nullptr;
};

std::string hex(std::uint64_t value) {
  return fmt::format("0x{:08X}", value);
}

std::string patterns_of(const std::string& name) {
  return fmt::format("{0} {0}.*", name);
}

bool is_default(const PartSection& row, SectionHolds holds) {
  return row.holds == holds && row.attribute.empty() &&
         (row.toolchain.empty() || row.toolchain == kGcc);
}

const PartMemory* home_of(const std::vector<const PartMemory*>& memories, SectionHolds holds) {
  for (const PartMemory* memory : memories) {
    if (std::ranges::any_of(memory->sections,
                            [&](const PartSection& row) { return is_default(row, holds); })) {
      return memory;
    }
  }
  return nullptr;
}

class ScriptView {
 public:
  ScriptView(const Module& module, bool is_emulated) : module_(module), is_emulated_(is_emulated) {
    for (const PartMemory& memory : module.part.memories) {
      if (base_of(memory)) {
        memories_.push_back(&memory);
      }
    }
    homes_.code = home_of(memories_, SectionHolds::kCode);
    homes_.constants = home_of(memories_, SectionHolds::kConstant);
    homes_.data = home_of(memories_, SectionHolds::kInitialised);
    homes_.bss = home_of(memories_, SectionHolds::kZeroed);
  }

  [[nodiscard]] bool is_whole() const {
    return homes_.code != nullptr && homes_.constants != nullptr && homes_.data != nullptr &&
           homes_.bss != nullptr;
  }

  Json make() {
    Json view = module_head(module_);
    view["machine"] =
        is_emulated_ ? fmt::format(" as QEMU's {} has it", module_.part.machine) : std::string{};
    view["code"] = name_of_memory(*homes_.code);
    view["constants"] = name_of_memory(*homes_.constants);
    view["data"] = name_of_memory(*homes_.data);
    view["bss"] = name_of_memory(*homes_.bss);
    view["is_emulated"] = is_emulated_;
    view["stack_in"] = name_of_memory(is_emulated_ ? roomiest() : *homes_.bss);
    view["stack"] = fmt::format("{}", kStackBytes);
    view["constants_apart"] = homes_.constants != homes_.code;
    view["constants_here"] = homes_.constants == homes_.code;
    for (const char* list : {"memories", "placed", "copied", "cleared", "reserved", "arenas"}) {
      view[list] = Json::array();
    }
    add_memories(view);
    for (const PartMemory* memory : memories_) {
      add_sections(view, *memory);
      if (memory->writable) {
        view["arenas"].push_back({{"output", ".arena." + memory->name},
                                  {"patterns", patterns_of(".arena." + memory->name)},
                                  {"memory", name_of_memory(*memory)}});
      }
    }
    return view;
  }

 private:
  [[nodiscard]] std::optional<core::PhysAddr> base_of(const PartMemory& memory) const {
    return is_emulated_ ? emulated_at(module_.part, memory) : memory.base;
  }

  [[nodiscard]] std::string name_of_memory(const PartMemory& memory) const {
    return upper_case(memory.name);
  }

  // Of those that can be written, the one with most bytes besides arenas.
  [[nodiscard]] const PartMemory& roomiest() const {
    const PartMemory* best = homes_.bss;
    std::uint64_t most = 0;
    for (const PartMemory* memory : memories_) {
      std::uint64_t used = 0;
      for (const ModuleArena& arena : module_.arenas) {
        used += arena.memory == memory->name ? arena.size.count() : 0;
      }
      const std::uint64_t room = memory->window.count() - std::min(memory->window.count(), used);
      if (memory->writable && room > most) {
        most = room;
        best = memory;
      }
    }
    return *best;
  }

  void add_memories(Json& view) {
    std::string vectors = name_of_memory(*homes_.code);
    bool has_zero = false;
    for (const PartMemory* memory : memories_) {
      const std::string name = name_of_memory(*memory);
      const std::uint64_t base = base_of(*memory)->value();
      if (base == 0) {
        has_zero = true;
        vectors = is_emulated_ ? name : vectors;
      }
      view["memories"].push_back({{"name", name},
                                  {"access", memory->writable ? "rwx" : "rx"},
                                  {"origin", hex(base)},
                                  {"length", hex(memory->window.count())},
                                  {"size", core::format_size(memory->window)}});
    }
    if (is_emulated_ && !has_zero) {
      vectors = kVectorsMemory;
      view["memories"].push_back({{"name", kVectorsMemory},
                                  {"access", "rx"},
                                  {"origin", hex(0)},
                                  {"length", hex(kVectorBytes)},
                                  {"size", core::format_size(core::Bytes{kVectorBytes})}});
    }
    view["vectors"] = vectors;
  }

  // One output section for each name and what start-up does to it.
  void add_sections(Json& view, const PartMemory& memory) {
    std::map<std::string, std::set<std::string>> seen;
    for (const PartSection& row : memory.sections) {
      const bool is_gcc = row.toolchain.empty() || row.toolchain == kGcc;
      if (!is_gcc || row.attribute.empty() || !seen["inputs"].insert(row.attribute).second) {
        continue;
      }
      const std::string kind = row.holds == SectionHolds::kZeroed
                                   ? (row.start_up == StartUp::kNone ? "reserved" : "cleared")
                               : row.start_up == StartUp::kCopies ? "copied"
                                                                  : "placed";
      const bool is_new = seen["outputs"].insert(row.name).second;
      view[kind].push_back({{"output", is_new ? row.name : row.attribute},
                            {"patterns", patterns_of(row.attribute)},
                            {"memory", name_of_memory(memory)},
                            {"code", name_of_memory(*homes_.code)}});
    }
  }

  const Module& module_;
  bool is_emulated_;
  std::vector<const PartMemory*> memories_;
  Homes homes_;
};

core::Diagnostic no_sections(const Module& module) {
  return core::error(
      core::Code::kEmitSections,
      fmt::format("part '{}' does not say where a compiler's code and data go", module.part.name),
      module.part.files.empty() ? core::Place{} : core::Place{module.part.files.front()},
      "its board file needs sections (boards/README.md); --only leaves linker.ld out");
}

// Arenas of the module by memory, once each.
std::vector<const PartMemory*> memories_with_arenas(const Module& module) {
  std::vector<const PartMemory*> memories;
  for (const PartMemory& memory : module.part.memories) {
    const bool has_arena = std::ranges::any_of(module.arenas, [&](const ModuleArena& arena) {
      return arena.memory == memory.name && holds_of(arena, memory) == SectionHolds::kZeroed;
    });
    if (has_arena) {
      memories.push_back(&memory);
    }
  }
  return memories;
}

core::Align largest_alignment(const Module& module, const PartMemory& memory) {
  core::Align largest = memory.arena_alignment;
  for (const ModuleArena& arena : module.arenas) {
    if (arena.memory == memory.name) {
      largest = std::max(largest, arena.alignment);
    }
  }
  return largest;
}

// In Zephyr, what is in the part's own scripts and has no region by name is RAM.
std::string zephyr_region(const PartMemory& memory) {
  return memory.zephyr_region.empty() && !memory.region.empty() ? "RAMABLE_REGION"
                                                                : memory.zephyr_region;
}

template <typename Region>
Json fragment_view(const Module& module, Region region) {
  Json view = module_head(module);
  view["arenas"] = Json::array();
  view["others"] = Json::array();
  bool has_heap = false;
  for (const PartMemory& memory : module.part.memories) {
    has_heap = has_heap || std::ranges::any_of(memory.sections, [](const PartSection& row) {
                 return row.holds == SectionHolds::kReserved && row.name == ".heap";
               });
  }
  // A heap takes all that is left.
  view["where"] = has_heap ? "declared, before .heap" : "declared";
  for (const PartMemory* memory : memories_with_arenas(module)) {
    const std::string name = std::invoke(region, *memory);
    view[name.empty() ? "others" : "arenas"].push_back(
        {{"output", ".arena." + memory->name},
         {"patterns", patterns_of(".arena." + memory->name)},
         {"alignment", fmt::format("{}", largest_alignment(module, *memory).value())},
         {"name", memory->name},
         {"region", name}});
  }
  return view;
}

Json scatter_view(const Module& module, const PartMemory& code) {
  Json view = module_head(module);
  view["code"] = upper_case(code.name);
  view["origin_address"] = hex(code.base->value());
  view["length"] = hex(code.window.count());
  view["memories"] = Json::array();
  const auto inputs = [&](const PartMemory& memory) {
    Json list = Json::array();
    for (const PartSection& row : memory.sections) {
      const bool is_armclang = row.toolchain.empty() || row.toolchain == kArmclang;
      if (is_armclang && !row.attribute.empty() && row.holds != SectionHolds::kReserved) {
        list.push_back({{"pattern", row.attribute}});
      }
    }
    return list;
  };
  for (const PartMemory& memory : module.part.memories) {
    if (!memory.base || &memory == &code || memory.sections.empty()) {
      continue;
    }
    const bool is_home = std::ranges::any_of(memory.sections, [](const PartSection& row) {
      return row.holds == SectionHolds::kZeroed && row.attribute.empty() &&
             (row.toolchain.empty() || row.toolchain == kArmclang);
    });
    view["memories"].push_back({{"name", upper_case(memory.name)},
                                {"lower", memory.name},
                                {"base", hex(memory.base->value())},
                                {"length", hex(memory.window.count())},
                                {"inputs", inputs(memory)},
                                {"writable", memory.writable},
                                {"is_home", is_home}});
  }
  return view;
}

}  // namespace

core::Result<std::string> part_script(const ModuleInput& input, bool is_emulated) {
  ScriptView script{input.module, is_emulated};
  if (!script.is_whole()) {
    return core::fail(no_sections(input.module));
  }
  return render_template(
      input.files, input.template_folders, "module-ld", script.make(), escape_comment);
}

core::Result<std::vector<Artifact>> render_part_script(const ModuleInput& input) {
  // Whoever owns every arena has a script, too.
  if (input.module.is_external && !ScriptView{input.module, false}.is_whole()) {
    return std::vector<Artifact>{};
  }
  auto script = part_script(input, false);
  MEMSIZE_TRY(script);
  return std::vector<Artifact>{{"linker.ld", {}, std::move(*script)}};
}

core::Result<std::vector<Artifact>> render_module_sections(const ModuleInput& input) {
  std::vector<Artifact> artifacts;
  MEMSIZE_TRY(add_file(artifacts,
                       input,
                       input.module.prefix + "_sections.ld",
                       "module-sections",
                       fragment_view(input.module, &PartMemory::region)));
  return artifacts;
}

core::Result<std::vector<Artifact>> render_zephyr_sections(const ModuleInput& input) {
  std::vector<Artifact> artifacts;
  MEMSIZE_TRY(add_file(artifacts,
                       input,
                       fmt::format("zephyr/{}_sections.ld", input.module.prefix),
                       "module-zephyr",
                       fragment_view(input.module, zephyr_region)));
  return artifacts;
}

core::Result<std::vector<Artifact>> render_scatter(const ModuleInput& input) {
  const board::MemorySet& part = input.module.part;
  const auto code = std::ranges::find_if(part.memories, [](const PartMemory& memory) {
    return memory.base && std::ranges::any_of(memory.sections, [](const PartSection& row) {
             return row.holds == SectionHolds::kCode && row.attribute.empty() &&
                    (row.toolchain.empty() || row.toolchain == kArmclang);
           });
  });
  std::vector<Artifact> artifacts;
  if (code != part.memories.end()) {
    MEMSIZE_TRY(add_file(artifacts,
                         input,
                         input.module.prefix + ".sct",
                         "module-scatter",
                         scatter_view(input.module, *code)));
  }
  return artifacts;
}

}  // namespace memsize::emit
