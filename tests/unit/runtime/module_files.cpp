// What a module's test application is told: steps, whose bytes a tensor has, and room for arenas.
#include "module_files.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

namespace memsize::runtime::module_files_test {

namespace {

using model::Lifetime;

core::Align align(std::uint64_t bytes) {
  return *core::Align::make(bytes);
}

board::PartMemory memory(const char* name, std::uint64_t base, std::uint64_t size, bool writable) {
  board::PartMemory made;
  made.name = name;
  made.base = core::PhysAddr{base};
  made.window = core::Bytes{size};
  made.writable = writable;
  return made;
}

// Four tensors in 64 B of scratch, and two arenas more.
emit::Module small_module() {
  emit::Module module;
  module.prefix = "wake";
  module.part.machine = "board";
  module.part.memories = {memory("ram", 0x20000000, 4096, true),
                          memory("rom", 0xC010, 1000, false)};
  module.arenas = {{.name = "wake_arena_ram",
                    .role = Lifetime::kScratch,
                    .memory = "ram",
                    .size = core::Bytes{64},
                    .alignment = align(16)},
                   {.name = "wake_arena_persistent_ram",
                    .role = Lifetime::kPersistent,
                    .memory = "ram",
                    .size = core::Bytes{8},
                    .alignment = align(16)},
                   {.name = "wake_arena_const_rom",
                    .role = Lifetime::kConstant,
                    .memory = "rom",
                    .size = core::Bytes{4},
                    .alignment = align(16),
                    .bytes = "abcd"}};
  const auto tensor = [&](const char* id, std::size_t offset, std::size_t size, auto live) {
    module.tensors.push_back({.id = id,
                              .offset = core::Bytes{offset},
                              .size = core::Bytes{size},
                              .live = live,
                              .root = module.tensors.size()});
  };
  tensor("a", 0, 32, std::optional{model::Interval{-5, 1}});
  tensor("b", 32, 32, std::optional{model::Interval{0, 1'000'000}});
  tensor("c", 0, 16, std::optional{model::Interval{0, 8}});
  tensor("d", 0, 8, std::optional<model::Interval>{});
  module.tensors[2].root = 0;
  module.tensors[3].arena = 1;
  module.tensors.push_back({.id = "w\"\n", .arena = 2, .size = core::Bytes{4}, .root = 4});
  return module;
}

std::string file(const ModuleFiles& made, const std::string& name) {
  const auto found = std::ranges::find(made.files, name, &emit::Artifact::path);
  return found == made.files.end() ? "none" : found->content;
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a module's test has a step for each border of a life, and one at least") {
  emit::Module module = small_module();
  const ModuleFiles made = module_files(module, Where::kHost, true);
  // -5, 0, 7 and 999 999.
  CHECK(made.steps == 4);
  CHECK(holds(file(made, "tables.c"), "{PROBE_ID(3), probe_init, probe_run},\n};"));
  module.tensors.clear();
  CHECK(module_files(module, Where::kHost, true).steps == 1);
}

TEST_CASE("the bytes of a tensor live as long as its last alias, which reads them") {
  const std::string tables = file(module_files(small_module(), Where::kHost, true), "tables.c");
  CHECK(holds(tables, "{\"a\",0,0,0,32,0,2},\n{\"b\",0,1,32,32,1,3},\n{\"c\",0,0,0,16,1,2},\n"));
  CHECK(holds(tables, "{\"d\",1,3,0,8,0,3},\n{\"w\\042\\012\",2,4,0,4,0,3},\n"));
  CHECK(holds(tables, "probe_writes[] = {0,3,1};"));
  CHECK(holds(tables, "probe_reads[] = {0,2,1,3};"));
}

TEST_CASE("an alias that is not within its root has bytes of its own") {
  emit::Module module = small_module();
  module.tensors[2].offset = core::Bytes{24};
  const std::string tables = file(module_files(module, Where::kHost, true), "tables.c");
  CHECK(holds(tables, "{\"c\",0,2,24,16,1,2},\n"));
  CHECK(holds(tables, "probe_writes[] = {0,3,1,2};"));
}

TEST_CASE("a tensor whose life nobody knows has a step of its own") {
  emit::Module module = small_module();
  module.tensors[1].live.reset();
  const ModuleFiles made = module_files(module, Where::kHost, true);
  CHECK(made.steps == 4);
  CHECK(holds(file(made, "tables.c"), "{\"b\",0,1,32,32,3,3},\n"));
  CHECK(made.untried.size() == 1);
}

TEST_CASE("what a module has buffers for can lie in a pool for a while, where there is room") {
  emit::Module module = small_module();
  ModuleFiles made = module_files(module, Where::kQemu, true);
  CHECK(holds(file(made, "rooms.S"), ".section .arena.ram.probe_pool,\"aw\",%nobits"));
  CHECK(holds(file(made, "tables.c"), "probe_pool_size = 112;"));
  // Whole granules of an MPU.
  CHECK(holds(file(made, "tables.c"), "{0xc000, 0x400},\n"));
  CHECK(made.untried.empty());
  made = module_files(module, Where::kQemu, false);
  CHECK(holds(file(made, "tables.c"), "probe_pool_size = 0;"));
  CHECK(made.untried.size() == 3);
  CHECK(module_files(module, Where::kHost, false).untried.empty());
}

TEST_CASE("an application's arenas have room in their memory, constants in the image") {
  emit::Module module = small_module();
  for (emit::ModuleArena& arena : module.arenas) {
    arena.is_own = false;
  }
  ModuleFiles made = module_files(module, Where::kQemu, true);
  std::string rooms = file(made, "rooms.S");
  CHECK(holds(rooms, ".section .arena.ram.probe0,\"aw\",%nobits\n.balign 32\n"));
  CHECK(holds(rooms, "probe_room0:\n.space 96\n"));
  CHECK(holds(rooms, "probe_room2:\n.incbin \"arena2.bin\"\n"));
  CHECK(file(made, "arena2.bin") == "abcd");
  rooms = file(module_files(module, Where::kQemu, false), "rooms.S");
  CHECK(holds(rooms, ".balign 16\n.global probe_room0\nprobe_room0:\n.space 64\n"));
  // On this machine it takes what memory it needs.
  CHECK_FALSE(holds(file(module_files(module, Where::kHost, true), "rooms.S"), "probe_room0"));
  module.arenas[0].memory = "elsewhere";
  made = module_files(module, Where::kQemu, true);
  REQUIRE(made.untried.size() == 1);
  CHECK(made.untried.front().region == "wake_arena_ram");
  CHECK(holds(file(made, "rooms.S"), ".section .arena.ram.probe0"));
}

}  // namespace memsize::runtime::module_files_test
