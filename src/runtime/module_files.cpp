// Steps are those at which something begins or ends, so that any plan has as many as its tensors at
// most. What an application binds lies in its memory at the machine's addresses; where that is full
// or not there, in another one.
#include "module_files.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using board::PartMemory;
using model::Lifetime;

// What the MPU of a Cortex-M can forbid: target/m/mpu.h.
constexpr std::uint64_t kGranule = 32;
// Of the pool's memory for stack, data and whatever else a program has there.
constexpr std::uint64_t kForProgram = 64U << 10U;

struct Steps {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

std::uint64_t rounded(std::uint64_t size) {
  return (size + kGranule - 1) / kGranule * kGranule;
}

std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3;
  }
  return hash;
}

std::string c_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ' ';
    quoted += is_plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return quoted + '"';
}

// C has no arrays of nothing.
std::string row_list(const std::vector<std::uint32_t>& rows) {
  return rows.empty() ? "0" : fmt::format("{}", fmt::join(rows, ","));
}

bool is_cold(const emit::ModuleArena& arena) {
  return arena.role == Lifetime::kConstant && arena.source_memory.empty();
}

// Of each tensor the one whose bytes it has: an alias that is not within its root has its own.
std::vector<std::size_t> roots_within(const std::vector<emit::ModuleTensor>& tensors) {
  std::vector<std::size_t> roots;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const emit::ModuleTensor& tensor = tensors[i];
    const emit::ModuleTensor& root = tensors.at(tensor.root);
    const bool is_within = root.arena == tensor.arena && root.root == tensor.root &&
                           tensor.offset >= root.offset &&
                           tensor.offset + tensor.size <= root.offset + root.size;
    roots.push_back(is_within ? tensor.root : i);
  }
  return roots;
}

Lifetime role_of(const emit::Module& module, const emit::ModuleTensor& tensor) {
  return module.arenas.at(tensor.arena).role;
}

std::optional<model::Interval> live_of(const emit::Module& module,
                                       const emit::ModuleTensor& tensor) {
  return role_of(module, tensor) == Lifetime::kScratch ? tensor.live : std::nullopt;
}

std::int64_t last_of(const model::Interval& live) {
  return std::max(live.upper - 1, live.lower);
}

// When the bytes of each tensor are alive.
struct Lives {
  std::vector<Steps> of;
  std::size_t steps = 1;
  // Roots of which nobody knows with whom they share bytes: each has a step of its own.
  std::set<std::size_t> alone;
};

Lives lives_of(const emit::Module& module, const std::vector<std::size_t>& roots) {
  std::vector<std::int64_t> points;
  for (const emit::ModuleTensor& tensor : module.tensors) {
    if (const auto live = live_of(module, tensor)) {
      points.push_back(live->lower);
      points.push_back(last_of(*live));
    }
  }
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  Lives lives{.of = {}, .steps = std::max<std::size_t>(points.size(), 1), .alone = {}};
  const auto step_at = [&](std::int64_t point) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(points, point) - points.begin());
  };
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    const auto live = live_of(module, module.tensors[i]);
    lives.of.push_back(live ? Steps{step_at(live->lower), step_at(last_of(*live))}
                            : Steps{0, static_cast<std::uint32_t>(lives.steps - 1)});
    if (!live && role_of(module, module.tensors[i]) == Lifetime::kScratch) {
      lives.alone.insert(roots[i]);
    }
  }
  // Bytes live as long as any tensor that has them.
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Steps& root = lives.of[roots[i]];
    root.first = std::min(root.first, lives.of[i].first);
    root.last = std::max(root.last, lives.of[i].last);
  }
  for (const std::size_t root : lives.alone) {
    const auto step = static_cast<std::uint32_t>(lives.steps++);
    lives.of[root] = Steps{step, step};
  }
  for (std::size_t i = 0; i < roots.size(); ++i) {
    lives.of[i] = lives.alone.contains(roots[i]) ? lives.of[roots[i]] : lives.of[i];
  }
  return lives;
}

std::string room(std::size_t arena,
                 const std::string& section,
                 std::string_view kind,
                 std::uint64_t alignment) {
  return fmt::format(".section {0},\"{1}\n.balign {2}\n.global probe_room{3}\nprobe_room{3}:\n",
                     section,
                     kind,
                     alignment,
                     arena);
}

std::uint64_t free_of(const PartMemory& memory, const std::vector<emit::ModuleArena>& arenas) {
  std::uint64_t used = 0;
  for (const emit::ModuleArena& arena : arenas) {
    used += arena.memory == memory.name ? rounded(arena.size.count()) + kGranule : 0;
  }
  return memory.window.count() - std::min(memory.window.count(), used);
}

std::uint64_t needed(const emit::ModuleArena& arena) {
  return rounded(arena.size.count()) + kGranule + arena.alignment.value();
}

// The memory with most room for arenas that lie elsewhere for a while, and the bytes of it that are
// for these.
struct Pool {
  std::string memory;
  std::uint64_t size = 0;
};

Pool pool_of(const emit::Module& module, bool is_wanted) {
  Pool pool;
  std::uint64_t most = 0;
  for (const PartMemory& memory : module.part.memories) {
    const std::uint64_t free = free_of(memory, module.arenas);
    if (memory.writable && emulated_at(module.part, memory) && free >= most) {
      most = free;
      pool.memory = memory.name;
    }
  }
  std::uint64_t wanted = 0;
  for (const emit::ModuleArena& arena : module.arenas) {
    wanted = std::max(wanted, arena.is_own ? needed(arena) : 0);
  }
  const std::uint64_t room = most > 2 * kForProgram ? most - kForProgram : most / 2;
  pool.size = is_wanted ? std::min(wanted, room) : 0;
  return pool;
}

std::string upper_prefix(std::string upper) {
  for (char& c : upper) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return upper;
}

std::string module_header(const emit::Module& module) {
  return fmt::format(
      "#include \"{0}_model.h\"\n#define MODULE {0}\n#define PROBE_ARENAS {1}\n"
      "#define PROBE_PLAN_HASH {2}_PLAN_HASH\n",
      module.prefix,
      std::max<std::size_t>(module.arenas.size(), 1),
      upper_prefix(module.prefix));
}

// Constants of the application's that nothing writes are part of the image.
bool is_read_only(const board::MemorySet& part, const emit::ModuleArena& arena) {
  const auto* memory = core::find_in(part.memories, arena.memory, &PartMemory::name);
  return is_cold(arena) && memory != nullptr && !memory->writable;
}

const PartMemory* emulated(const board::MemorySet& part, const std::string& name) {
  return core::find_where(part.memories, [&](const PartMemory& memory) {
    return memory.name == name && emulated_at(part, memory);
  });
}

std::string constants_section(const PartMemory* memory) {
  if (memory != nullptr) {
    for (const board::PartSection& section : memory->sections) {
      if (section.holds == board::SectionHolds::kConstant && !section.attribute.empty() &&
          (section.toolchain.empty() || section.toolchain == "gcc")) {
        return section.attribute;
      }
    }
  }
  return ".rodata.probe";
}

std::uint64_t room_size(const emit::ModuleArena& arena, bool is_roomy) {
  return is_roomy ? rounded(arena.size.count()) + kGranule : arena.size.count();
}

// Whether what an application binds lies elsewhere, since the machine has no such memory.
bool is_moved(const emit::Module& module, Where where, const emit::ModuleArena& arena) {
  return where == Where::kQemu && !arena.is_own && !is_read_only(module.part, arena) &&
         emulated(module.part, arena.memory) == nullptr;
}

std::string rooms(const emit::Module& module, Where where, bool is_roomy, const Pool& pool) {
  std::string text;
  for (std::size_t i = 0; i < module.arenas.size(); ++i) {
    const emit::ModuleArena& arena = module.arenas[i];
    if (arena.is_own) {
      continue;
    }
    const PartMemory* memory =
        where == Where::kQemu ? emulated(module.part, arena.memory) : nullptr;
    if (is_read_only(module.part, arena)) {
      text += room(i, constants_section(memory), "a\",%progbits", arena.alignment.value()) +
              fmt::format(".incbin \"{}\"\n", blob_file(i));
    } else if (where == Where::kQemu) {
      text +=
          room(i,
               fmt::format(".arena.{}.probe{}", memory == nullptr ? pool.memory : memory->name, i),
               "aw\",%nobits",
               is_roomy ? std::max(kGranule, arena.alignment.value()) : arena.alignment.value()) +
          fmt::format(".space {}\n", room_size(arena, is_roomy));
    }
  }
  const bool has_pool = pool.size != 0;
  text += fmt::format(
      ".section {},\"aw\",%nobits\n.balign 32\n.global probe_pool\nprobe_pool:\n.space {}\n",
      has_pool ? fmt::format(".arena.{}.probe_pool", pool.memory) : ".bss.probe_pool",
      has_pool ? pool.size : 4);
  return text + ".section .note.GNU-stack,\"\",%progbits\n";
}

std::string windows(const board::MemorySet& part, Where where) {
  std::string text = "const struct machine_span machine_windows[] = {\n";
  std::size_t count = 0;
  for (const PartMemory& memory : part.memories) {
    const auto base = emulated_at(part, memory);
    if (where == Where::kQemu && base && !memory.writable && memory.window.count() != 0) {
      const std::uint64_t first = base->value() / kGranule * kGranule;
      text += fmt::format(
          "{{{:#x}, {:#x}}},\n", first, rounded(base->value() + memory.window.count()) - first);
      ++count;
    }
  }
  return text + fmt::format("{}}};\nconst size_t machine_window_count = {};\n",
                            count == 0 ? "{0, 0}" : "",
                            count);
}

std::string arena_row(const emit::Module& module, Where where, bool is_roomy, std::size_t i) {
  const emit::ModuleArena& arena = module.arenas[i];
  const bool is_constant = arena.role == Lifetime::kConstant;
  const bool is_image = is_read_only(module.part, arena);
  const bool has_room = !arena.is_own && (where == Where::kQemu || is_image);
  static constexpr std::string_view kRoles[] = {
      "PROBE_PERSISTENT", "PROBE_SCRATCH", "PROBE_CONSTANT"};
  return fmt::format("{{{},{},{},{},{},{},{:#x}U,\"{}\",{},{},{},{},{}_size,{}_alignment}},\n",
                     kRoles[static_cast<std::size_t>(arena.role)],
                     is_constant && !is_cold(arena) ? 1 : 0,
                     arena.has_source ? 1 : 0,
                     is_image ? 1 : 0,
                     arena.size.count(),
                     arena.alignment.value(),
                     hash_of(arena.bytes),
                     blob_file(i),
                     arena.is_own ? fmt::format("(uint8_t*){}_buffer", arena.name) : "NULL",
                     has_room ? fmt::format("probe_room{}", i) : "NULL",
                     has_room ? room_size(arena, is_roomy) : 0,
                     arena.name,
                     arena.name,
                     arena.name);
}

std::string tensor_row(const emit::ModuleTensor& tensor, std::size_t root, const Steps& life) {
  return fmt::format("{{{},{},{},{},{},{},{}}},\n",
                     c_text(tensor.id),
                     tensor.arena,
                     root,
                     tensor.offset.count(),
                     tensor.size.count(),
                     life.first,
                     life.last);
}

// The power of two that all tensors begin on; more than a few bytes says nothing more.
std::uint64_t stride(const std::vector<emit::ModuleTensor>& tensors) {
  std::uint64_t bits = 16;
  for (const emit::ModuleTensor& tensor : tensors) {
    bits |= tensor.offset.count();
  }
  return bits & (~bits + 1);
}

std::vector<std::uint32_t> rows_that(const std::vector<emit::ModuleTensor>& tensors,
                                     bool emit::ModuleTensor::*is_it) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].*is_it) {
      found.push_back(i);
    }
  }
  return found;
}

std::string list_of(std::string_view name, const std::vector<std::uint32_t>& rows) {
  return fmt::format(
      "const uint32_t probe_{0}s[] = {{{1}}};\nconst size_t probe_{0}_count = {2};\n",
      name,
      row_list(rows),
      rows.size());
}

// In which order tensors are written and read again.
std::string order_lists(const emit::Module& module,
                        const std::vector<std::size_t>& roots,
                        const std::vector<Steps>& life) {
  std::vector<std::uint32_t> writes;
  std::vector<std::uint32_t> reads;
  for (std::uint32_t i = 0; i < module.tensors.size(); ++i) {
    if (role_of(module, module.tensors[i]) != Lifetime::kConstant) {
      reads.push_back(i);
      if (roots[i] == i) {
        writes.push_back(i);
      }
    }
  }
  std::ranges::stable_sort(writes, {}, [&](std::uint32_t row) { return life[row].first; });
  std::ranges::stable_sort(reads, {}, [&](std::uint32_t row) { return life[row].last; });
  return list_of("write", writes) + list_of("read", reads);
}

std::string tables(const emit::Module& module,
                   Where where,
                   bool is_roomy,
                   const std::vector<std::size_t>& roots,
                   const Lives& lives,
                   const Pool& pool) {
  std::string text = "#include \"module_probe.h\"\n" + windows(module.part, where);
  for (std::size_t i = 0; i < module.arenas.size(); ++i) {
    text += fmt::format("extern uint8_t probe_room{}[];\n", i);
  }
  text += "const struct probe_arena probe_arenas[] = {\n";
  for (std::size_t i = 0; i < module.arenas.size(); ++i) {
    text += arena_row(module, where, is_roomy, i);
  }
  text += "};\nconst struct probe_tensor probe_tensors[] = {\n";
  for (std::size_t i = 0; i < module.tensors.size(); ++i) {
    text += tensor_row(module.tensors[i], roots[i], lives.of[i]);
  }
  text += fmt::format(
      "{}}};\nconst size_t probe_arena_count = {};\nconst size_t probe_tensor_count = {};\n"
      "const size_t probe_step_count = {};\nconst size_t probe_pool_size = {};\n"
      "const size_t probe_stride = {};\n",
      module.tensors.empty() ? "{\"\", 0, 0, 0, 0, 0, 0}" : "",
      module.arenas.size(),
      module.tensors.size(),
      lives.steps,
      pool.size,
      stride(module.tensors));
  text += order_lists(module, roots, lives.of);
  text += list_of("input", rows_that(module.tensors, &emit::ModuleTensor::is_input));
  text += list_of("output", rows_that(module.tensors, &emit::ModuleTensor::is_output));
  text += "const M(operator_t) probe_operators[] = {\n";
  for (std::size_t step = 0; step < lives.steps; ++step) {
    text += fmt::format("{{PROBE_ID({}), probe_init, probe_run}},\n", step);
  }
  return text + "};\n";
}

// What is not shown, and why.
std::vector<Untried> untried_of(const emit::Module& module,
                                Where where,
                                const Lives& lives,
                                const Pool& pool) {
  std::vector<Untried> untried;
  if (!lives.alone.empty()) {
    untried.push_back(
        {"",
         "",
         fmt::format("whether {} share bytes with others while they are alive: no report "
                     "says when each needs which of its bytes",
                     core::plural(lives.alone.size(), "tensor"))});
  }
  for (const emit::ModuleArena& arena : module.arenas) {
    if (where == Where::kQemu && arena.is_own && needed(arena) > pool.size) {
      untried.push_back(
          {"", arena.name, "there is no room for it elsewhere, with a guard behind it"});
    }
  }
  for (const emit::ModuleArena& arena : module.arenas) {
    if (is_moved(module, where, arena)) {
      untried.push_back(
          {"",
           arena.name,
           fmt::format("the machine has no {}: it lies in {}", arena.memory, pool.memory)});
    }
  }
  return untried;
}

}  // namespace

std::string blob_file(std::size_t arena) {
  return fmt::format("arena{}.bin", arena);
}

ModuleFiles module_files(const emit::Module& module, Where where, bool is_roomy) {
  const std::vector<std::size_t> roots = roots_within(module.tensors);
  const Lives lives = lives_of(module, roots);
  const Pool pool = pool_of(module, where == Where::kQemu && is_roomy);
  ModuleFiles made{
      .files = {}, .steps = lives.steps, .untried = untried_of(module, where, lives, pool)};
  const auto add = [&](std::string path, std::string content) {
    made.files.push_back({std::move(path), {}, std::move(content)});
  };
  for (std::size_t i = 0; i < module.arenas.size(); ++i) {
    if (module.arenas[i].role == Lifetime::kConstant) {
      add(blob_file(i), module.arenas[i].bytes);
    }
  }
  add("subject.h", module_header(module));
  add("rooms.S", rooms(module, where, is_roomy, pool));
  add("tables.c", tables(module, where, is_roomy, roots, lives, pool));
  return made;
}

}  // namespace memsize::runtime
