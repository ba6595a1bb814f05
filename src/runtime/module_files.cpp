// Steps are those at which something begins or ends, so that any plan has as many as its tensors at
// most. What an application binds lies in its memory at the machine's addresses; where that is full
// or not there, in another one.
#include "module_files.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
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

class Writer {
 public:
  Writer(const emit::Module& module, Where where, bool is_roomy)
      : module_(module), where_(where), is_roomy_(is_roomy) {
    find_roots();
    find_steps();
    find_pool();
  }

  ModuleFiles write() {
    for (std::size_t i = 0; i < module_.arenas.size(); ++i) {
      if (module_.arenas[i].role == Lifetime::kConstant) {
        add(blob_file(i), module_.arenas[i].bytes);
      }
    }
    add("subject.h", header());
    add("rooms.S", rooms());
    add("tables.c", tables());
    made_.steps = steps_;
    return std::move(made_);
  }

 private:
  void add(std::string path, std::string content) {
    made_.files.push_back({std::move(path), {}, std::move(content)});
  }

  void cannot_try(const std::string& arena, std::string why) {
    made_.untried.push_back({"", arena, std::move(why)});
  }

  // An alias that is not within its root has bytes of its own.
  void find_roots() {
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      const emit::ModuleTensor& tensor = module_.tensors[i];
      const emit::ModuleTensor& root = module_.tensors.at(tensor.root);
      const bool is_within = root.arena == tensor.arena && root.root == tensor.root &&
                             tensor.offset >= root.offset &&
                             tensor.offset + tensor.size <= root.offset + root.size;
      roots_.push_back(is_within ? tensor.root : i);
    }
  }

  [[nodiscard]] const emit::ModuleArena& arena_of(std::size_t tensor) const {
    return module_.arenas.at(module_.tensors[tensor].arena);
  }

  [[nodiscard]] std::optional<model::Interval> live_of(std::size_t tensor) const {
    return arena_of(tensor).role == Lifetime::kScratch ? module_.tensors[tensor].live
                                                       : std::nullopt;
  }

  static std::int64_t last_of(const model::Interval& live) {
    return std::max(live.upper - 1, live.lower);
  }

  void find_steps() {
    std::vector<std::int64_t> points;
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      if (const auto live = live_of(i)) {
        points.push_back(live->lower);
        points.push_back(last_of(*live));
      }
    }
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    steps_ = std::max<std::size_t>(points.size(), 1);
    const auto step_at = [&](std::int64_t point) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(points, point) - points.begin());
    };
    std::set<std::size_t> alone;
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      const auto live = live_of(i);
      life_.push_back(live ? Steps{step_at(live->lower), step_at(last_of(*live))}
                           : Steps{0, static_cast<std::uint32_t>(steps_ - 1)});
      if (!live && arena_of(i).role == Lifetime::kScratch) {
        alone.insert(roots_[i]);
      }
    }
    // Bytes live as long as any tensor that has them.
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      Steps& root = life_[roots_[i]];
      root.first = std::min(root.first, life_[i].first);
      root.last = std::max(root.last, life_[i].last);
    }
    // Of those nobody knows with whom they share bytes.
    for (const std::size_t root : alone) {
      life_[root] = Steps{static_cast<std::uint32_t>(steps_), static_cast<std::uint32_t>(steps_)};
      ++steps_;
    }
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      life_[i] = alone.contains(roots_[i]) ? life_[roots_[i]] : life_[i];
    }
    if (!alone.empty()) {
      cannot_try({},
                 fmt::format("whether {} share bytes with others while they are alive: no report "
                             "says when each needs which of its bytes",
                             core::plural(alone.size(), "tensor")));
    }
  }

  [[nodiscard]] const PartMemory* emulated(const std::string& name) const {
    for (const PartMemory& memory : module_.part.memories) {
      if (memory.name == name && emulated_at(module_.part, memory)) {
        return &memory;
      }
    }
    return nullptr;
  }

  [[nodiscard]] std::uint64_t free_of(const PartMemory& memory) const {
    std::uint64_t used = 0;
    for (const emit::ModuleArena& arena : module_.arenas) {
      used += arena.memory == memory.name ? rounded(arena.size.count()) + kGranule : 0;
    }
    return memory.window.count() - std::min(memory.window.count(), used);
  }

  // The memory with most room for arenas that lie elsewhere for a while.
  void find_pool() {
    std::uint64_t most = 0;
    for (const PartMemory& memory : module_.part.memories) {
      if (memory.writable && emulated_at(module_.part, memory) && free_of(memory) >= most) {
        most = free_of(memory);
        pool_memory_ = memory.name;
      }
    }
    std::uint64_t wanted = 0;
    for (const emit::ModuleArena& arena : module_.arenas) {
      wanted = std::max(wanted, arena.is_own ? needed(arena) : 0);
    }
    const std::uint64_t room = most > 2 * kForProgram ? most - kForProgram : most / 2;
    pool_ = where_ == Where::kQemu && is_roomy_ ? std::min(wanted, room) : 0;
    for (const emit::ModuleArena& arena : module_.arenas) {
      if (where_ == Where::kQemu && arena.is_own && needed(arena) > pool_) {
        cannot_try(arena.name, "there is no room for it elsewhere, with a guard behind it");
      }
    }
  }

  static std::uint64_t needed(const emit::ModuleArena& arena) {
    return rounded(arena.size.count()) + kGranule + arena.alignment.value();
  }

  [[nodiscard]] std::string header() const {
    const std::string upper = upper_prefix();
    return fmt::format(
        "#include \"{0}_model.h\"\n#define MODULE {0}\n#define PROBE_ARENAS {1}\n"
        "#define PROBE_PLAN_HASH {2}_PLAN_HASH\n",
        module_.prefix,
        std::max<std::size_t>(module_.arenas.size(), 1),
        upper);
  }

  [[nodiscard]] std::string upper_prefix() const {
    std::string upper = module_.prefix;
    for (char& c : upper) {
      c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    return upper;
  }

  // Constants of the application's that nothing writes are part of the image.
  [[nodiscard]] bool is_read_only(const emit::ModuleArena& arena) const {
    const auto memory = std::ranges::find(module_.part.memories, arena.memory, &PartMemory::name);
    return is_cold(arena) && memory != module_.part.memories.end() && !memory->writable;
  }

  [[nodiscard]] std::string constants_section(const std::string& name) const {
    const PartMemory* memory = where_ == Where::kQemu ? emulated(name) : nullptr;
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

  std::string rooms() {
    std::string text;
    for (std::size_t i = 0; i < module_.arenas.size(); ++i) {
      const emit::ModuleArena& arena = module_.arenas[i];
      if (arena.is_own) {
        continue;
      }
      if (is_read_only(arena)) {
        text += room(i, constants_section(arena.memory), "a\",%progbits", arena.alignment.value()) +
                fmt::format(".incbin \"{}\"\n", blob_file(i));
      } else if (where_ == Where::kQemu) {
        const bool is_there = emulated(arena.memory) != nullptr;
        if (!is_there) {
          cannot_try(
              arena.name,
              fmt::format("the machine has no {}: it lies in {}", arena.memory, pool_memory_));
        }
        text += room(i,
                     fmt::format(".arena.{}.probe{}", is_there ? arena.memory : pool_memory_, i),
                     "aw\",%nobits",
                     is_roomy_ ? std::max(kGranule, arena.alignment.value())
                               : arena.alignment.value()) +
                fmt::format(".space {}\n", room_size(arena));
      }
    }
    const bool has_pool = pool_ != 0;
    text += fmt::format(
        ".section {},\"aw\",%nobits\n.balign 32\n.global probe_pool\nprobe_pool:\n.space {}\n",
        has_pool ? fmt::format(".arena.{}.probe_pool", pool_memory_) : ".bss.probe_pool",
        has_pool ? pool_ : 4);
    return text + ".section .note.GNU-stack,\"\",%progbits\n";
  }

  [[nodiscard]] std::uint64_t room_size(const emit::ModuleArena& arena) const {
    return is_roomy_ ? rounded(arena.size.count()) + kGranule : arena.size.count();
  }

  static std::string room(std::size_t arena,
                          const std::string& section,
                          std::string_view kind,
                          std::uint64_t alignment) {
    return fmt::format(".section {0},\"{1}\n.balign {2}\n.global probe_room{3}\nprobe_room{3}:\n",
                       section,
                       kind,
                       alignment,
                       arena);
  }

  [[nodiscard]] std::string arena_row(std::size_t i) const {
    const emit::ModuleArena& arena = module_.arenas[i];
    const bool is_constant = arena.role == Lifetime::kConstant;
    const bool has_room = !arena.is_own && (where_ == Where::kQemu || is_read_only(arena));
    static constexpr std::string_view kRoles[] = {
        "PROBE_PERSISTENT", "PROBE_SCRATCH", "PROBE_CONSTANT"};
    return fmt::format("{{{},{},{},{},{},{},{:#x}U,\"{}\",{},{},{},{},{}_size,{}_alignment}},\n",
                       kRoles[static_cast<std::size_t>(arena.role)],
                       is_constant && !is_cold(arena) ? 1 : 0,
                       arena.has_source ? 1 : 0,
                       is_read_only(arena) ? 1 : 0,
                       arena.size.count(),
                       arena.alignment.value(),
                       hash_of(arena.bytes),
                       blob_file(i),
                       arena.is_own ? fmt::format("(uint8_t*){}_buffer", arena.name) : "NULL",
                       has_room ? fmt::format("probe_room{}", i) : "NULL",
                       has_room ? room_size(arena) : 0,
                       arena.name,
                       arena.name,
                       arena.name);
  }

  [[nodiscard]] std::string tensor_row(std::size_t i) const {
    const emit::ModuleTensor& tensor = module_.tensors[i];
    return fmt::format("{{{},{},{},{},{},{},{}}},\n",
                       c_text(tensor.id),
                       tensor.arena,
                       roots_[i],
                       tensor.offset.count(),
                       tensor.size.count(),
                       life_[i].first,
                       life_[i].last);
  }

  [[nodiscard]] std::vector<std::uint32_t> rows(bool emit::ModuleTensor::*is_it) const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      if (module_.tensors[i].*is_it) {
        found.push_back(static_cast<std::uint32_t>(i));
      }
    }
    return found;
  }

  static void add_list(std::string& text,
                       std::string_view name,
                       const std::vector<std::uint32_t>& rows) {
    text +=
        fmt::format("const uint32_t probe_{0}s[] = {{{1}}};\nconst size_t probe_{0}_count = {2};\n",
                    name,
                    row_list(rows),
                    rows.size());
  }

  [[nodiscard]] std::string windows() const {
    std::string text = "const struct machine_span machine_windows[] = {\n";
    std::size_t count = 0;
    for (const PartMemory& memory : module_.part.memories) {
      const auto base = emulated_at(module_.part, memory);
      if (where_ == Where::kQemu && base && !memory.writable && memory.window.count() != 0) {
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

  // The power of two that all tensors begin on; more than a few bytes says nothing more.
  [[nodiscard]] std::uint64_t stride() const {
    std::uint64_t bits = 16;
    for (const emit::ModuleTensor& tensor : module_.tensors) {
      bits |= tensor.offset.count();
    }
    return bits & (~bits + 1);
  }

  [[nodiscard]] std::string tables() const {
    std::string text = "#include \"module_probe.h\"\n" + windows();
    for (std::size_t i = 0; i < module_.arenas.size(); ++i) {
      text += fmt::format("extern uint8_t probe_room{}[];\n", i);
    }
    text += "const struct probe_arena probe_arenas[] = {\n";
    for (std::size_t i = 0; i < module_.arenas.size(); ++i) {
      text += arena_row(i);
    }
    text += "};\nconst struct probe_tensor probe_tensors[] = {\n";
    for (std::size_t i = 0; i < module_.tensors.size(); ++i) {
      text += tensor_row(i);
    }
    text += fmt::format(
        "{}}};\nconst size_t probe_arena_count = {};\nconst size_t probe_tensor_count = {};\n"
        "const size_t probe_step_count = {};\nconst size_t probe_pool_size = {};\n"
        "const size_t probe_stride = {};\n",
        module_.tensors.empty() ? "{\"\", 0, 0, 0, 0, 0, 0}" : "",
        module_.arenas.size(),
        module_.tensors.size(),
        steps_,
        pool_,
        stride());
    std::vector<std::uint32_t> writes;
    std::vector<std::uint32_t> reads;
    for (std::uint32_t i = 0; i < module_.tensors.size(); ++i) {
      if (arena_of(i).role != Lifetime::kConstant) {
        reads.push_back(i);
        if (roots_[i] == i) {
          writes.push_back(i);
        }
      }
    }
    std::ranges::stable_sort(writes, {}, [&](std::uint32_t row) { return life_[row].first; });
    std::ranges::stable_sort(reads, {}, [&](std::uint32_t row) { return life_[row].last; });
    add_list(text, "write", writes);
    add_list(text, "read", reads);
    add_list(text, "input", rows(&emit::ModuleTensor::is_input));
    add_list(text, "output", rows(&emit::ModuleTensor::is_output));
    text += "const M(operator_t) probe_operators[] = {\n";
    for (std::size_t step = 0; step < steps_; ++step) {
      text += fmt::format("{{PROBE_ID({}), probe_init, probe_run}},\n", step);
    }
    return text + "};\n";
  }

  const emit::Module& module_;
  Where where_;
  bool is_roomy_;
  ModuleFiles made_;
  std::vector<std::size_t> roots_;
  std::vector<Steps> life_;
  std::size_t steps_ = 1;
  std::string pool_memory_;
  std::uint64_t pool_ = 0;
};

}  // namespace

std::string blob_file(std::size_t arena) {
  return fmt::format("arena{}.bin", arena);
}

ModuleFiles module_files(const emit::Module& module, Where where, bool is_roomy) {
  return Writer{module, where, is_roomy}.write();
}

}  // namespace memsize::runtime
