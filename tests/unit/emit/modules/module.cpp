// A plan's module as values and as files, on a part that exists nowhere.
#include "memsize/emit/module.hpp"

#include "memsize/core/file_system.hpp"

#include "support.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::emit::module_test {

namespace {

using board::SectionHolds;
using core::Align;
using core::Bytes;
using core::Code;
using model::Lifetime;
using model::PlannedArena;
using model::PlannedBlock;
using model::PlanReport;

Align align(std::uint64_t bytes) {
  return *Align::make(bytes);
}

board::PartSection section(const char* name, SectionHolds holds) {
  return {.name = name, .holds = holds, .attribute = holds == SectionHolds::kCode ? "" : name};
}

// Two memories that everything may lie in, one that is read only, and one in no linker script.
board::MemorySet small_part() {
  board::MemorySet part{.name = "made-up", .core = "cortex-m4"};
  std::uint64_t base = 0x10000000;
  for (const char* name : {"dtcm", "sram", "mram", "psram"}) {
    part.memories.push_back({.name = name,
                             .hardware = Bytes{1 << 20},
                             .window = Bytes{1 << 20},
                             .base = core::PhysAddr{base},
                             .arena_alignment = align(16)});
    base += 0x10000000;
  }
  for (const std::size_t at : {0U, 1U}) {
    part.memories[at].sections = {section(".zeroed", SectionHolds::kZeroed),
                                  section(".initialised", SectionHolds::kInitialised)};
  }
  part.memories[2].writable = false;
  part.memories[2].sections = {section(".constant", SectionHolds::kConstant)};
  return part;
}

PlannedBlock block(const std::string& id,
                   Lifetime role,
                   const std::string& memory,
                   std::uint64_t offset,
                   std::uint64_t size) {
  return {.id = id, .role = role, .memory = memory, .size = Bytes{size}, .offset = Bytes{offset}};
}

PlannedBlock staged(const std::string& id,
                    const std::string& source,
                    std::uint64_t offset,
                    std::uint64_t size) {
  PlannedBlock made = block(id, Lifetime::kConstant, "dtcm", offset, size);
  made.source_memory = source;
  return made;
}

PlannedArena arena(const std::string& memory, Lifetime role) {
  return {.memory = memory, .role = role};
}

// One block in each of five arenas, in an order that is nobody's.
PlanReport scattered() {
  PlanReport plan{.path = "r.json", .planner = "by hand"};
  plan.blocks = {block("c", Lifetime::kConstant, "mram", 0, 8),
                 block("s", Lifetime::kScratch, "sram", 0, 24),
                 block("p", Lifetime::kPersistent, "dtcm", 0, 4),
                 block("w", Lifetime::kConstant, "dtcm", 0, 12),
                 block("d", Lifetime::kScratch, "dtcm", 0, 40)};
  return plan;
}

core::Result<Module> made(const PlanReport& plan,
                          ModuleOptions options = {},
                          const board::MemorySet& part = small_part()) {
  options.prefix = options.prefix.empty() ? "net" : options.prefix;
  return make_module(plan, part, options);
}

Module module_of(const PlanReport& plan,
                 ModuleOptions options = {},
                 const board::MemorySet& part = small_part()) {
  auto module = made(plan, std::move(options), part);
  REQUIRE_MESSAGE(module.has_value(), (module ? "" : test::all_text(module.error())));
  return std::move(*module);
}

core::Diagnostics errors_of(const PlanReport& plan,
                            ModuleOptions options = {},
                            const board::MemorySet& part = small_part()) {
  const auto module = made(plan, std::move(options), part);
  REQUIRE_FALSE(module.has_value());
  return module.error();
}

std::vector<std::string> arena_names(const Module& module) {
  std::vector<std::string> names;
  for (const ModuleArena& each : module.arenas) {
    names.push_back(each.name);
  }
  return names;
}

// Each tensor with the memory that its region is in.
std::vector<std::string> tensor_places(const Module& module) {
  std::vector<std::string> places;
  for (const ModuleTensor& each : module.tensors) {
    const ModuleArena& in = module.arenas.at(each.arena);
    places.push_back(each.id + ":" + std::string{model::name_of(in.role)} + " " + in.memory);
  }
  return places;
}

const std::vector<std::string> kScatteredPlaces = {
    "c:constant mram", "s:scratch sram", "p:persistent dtcm", "w:constant dtcm", "d:scratch dtcm"};
const std::vector<std::string> kByRole = {"net_arena_dtcm",
                                          "net_arena_sram",
                                          "net_arena_persistent_dtcm",
                                          "net_arena_const_dtcm",
                                          "net_arena_const_mram"};

// The arenas of scattered() with these numbers; a number of 99 is none.
PlanReport numbered(const std::array<std::uint64_t, 5>& ids) {
  PlanReport plan = scattered();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    plan.arenas.push_back(arena(plan.blocks[i].memory, plan.blocks[i].role));
    if (ids[i] != 99) {
      plan.arenas.back().region_id = ids[i];
    }
  }
  return plan;
}

core::Result<std::vector<Artifact>> rendered(const Module& module,
                                             const std::vector<std::string>& only = {}) {
  core::RealFileSystem files;
  return render_module({module, files, {test::source_folder() + "/templates"}}, only);
}

std::string file_of(const Module& module, const std::string& path) {
  const auto artifacts = rendered(module, {"module", "blobs"});
  REQUIRE_MESSAGE(artifacts.has_value(), (artifacts ? "" : test::all_text(artifacts.error())));
  const auto found = std::ranges::find(*artifacts, path, &Artifact::path);
  REQUIRE_MESSAGE(found != artifacts->end(), path);
  return found->content;
}

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("module: regions are scratch, persistent, constant, each by memory") {
    const Module module = module_of(scattered(), {.origin = "r.json"});
    CHECK(arena_names(module) == kByRole);
    CHECK(tensor_places(module) == kScatteredPlaces);
    std::vector<std::uint64_t> sizes;
    for (const ModuleArena& each : module.arenas) {
      sizes.push_back(each.size.count());
      CHECK(each.tensors == 1);
      CHECK(each.is_own);
    }
    CHECK(sizes == std::vector<std::uint64_t>{40, 24, 4, 12, 8});
    CHECK(module.planner == "by hand");
    CHECK(module.origin == "r.json");
    CHECK(module.part.name == "made-up");
    CHECK_FALSE(module.has_data);
  }

  TEST_CASE("module: a plan's own numbers of regions hold where C can count by them") {
    // In the order of the blocks: constant mram, scratch sram, persistent, constant dtcm, scratch.
    const Module module = module_of(numbered({0, 3, 1, 4, 2}));
    CHECK(arena_names(module) == std::vector<std::string>{"net_arena_const_mram",
                                                          "net_arena_persistent_dtcm",
                                                          "net_arena_dtcm",
                                                          "net_arena_sram",
                                                          "net_arena_const_dtcm"});
    CHECK(tensor_places(module) == kScatteredPlaces);
    CHECK(test::contains(file_of(module, "inc/net_model.h"), "net_arena_const_mram = 0,"));
    CHECK(test::contains(file_of(module, "inc/net_model.h"), "net_arena_const_dtcm = 4 "));
    CHECK(test::contains(module.residency, R"({"region_id": 3, "memory": "sram")"));

    // With a gap, twice the same, one without, from 1.
    for (const auto& ids : {std::array<std::uint64_t, 5>{0, 5, 1, 4, 2},
                            {0, 1, 1, 4, 2},
                            {0, 3, 1, 99, 2},
                            {1, 4, 2, 5, 3}}) {
      const Module counted = module_of(numbered(ids));
      CHECK(arena_names(counted) == kByRole);
      CHECK(tensor_places(counted) == kScatteredPlaces);
    }
  }

  TEST_CASE("module: an arena that nothing is in is no region") {
    PlanReport plan = numbered({0, 3, 1, 4, 2});
    plan.arenas.push_back(arena("psram", Lifetime::kScratch));
    plan.arenas.back().region_id = 5;
    plan.arenas.back().total = Bytes{};
    CHECK(module_of(plan).arenas.size() == 5);
    // What is reserved is one, whoever uses it.
    plan.arenas.back().memory = "sram";
    plan.arenas.back().role = Lifetime::kPersistent;
    plan.arenas.back().total = Bytes{100};
    const Module module = module_of(plan);
    REQUIRE(module.arenas.size() == 6);
    CHECK(module.arenas[5].name == "net_arena_persistent_sram");
    CHECK(module.arenas[5].size == Bytes{100});
    CHECK(module.arenas[5].tensors == 0);
  }

  TEST_CASE("module: names in C of memories and tensors that have none") {
    PlanReport plan;
    std::uint64_t offset = 0;
    for (const char* id :
         {"conv/1:0", "conv 1.0", "CONV_1_0", "*/", "\xC3\xA9\"", "__x__", "conv-1-0"}) {
      plan.blocks.push_back(block(id, Lifetime::kScratch, "dtcm", offset, 8));
      offset += 8;
    }
    plan.blocks.push_back(block("y", Lifetime::kScratch, "dtcm_", 0, 8));
    board::MemorySet part = small_part();
    part.memories.push_back(part.memories[0]);
    part.memories.back().name = "dtcm_";
    const Module module = module_of(plan, {.prefix = "My_net"}, part);
    // One underscore for what no identifier has, none at the ends; then numbers.
    CHECK(arena_names(module) ==
          std::vector<std::string>{"My_net_arena_dtcm", "My_net_arena_dtcm_2"});
    std::vector<std::string> names;
    for (const ModuleTensor& each : module.tensors) {
      names.push_back(each.name);
    }
    CHECK(names == std::vector<std::string>{"My_net_tensor_conv_1_0",
                                            "My_net_tensor_conv_1_0_2",
                                            "My_net_tensor_conv_1_0_3",
                                            "My_net_tensor_unnamed",
                                            "My_net_tensor_unnamed_2",
                                            "My_net_tensor_x",
                                            "My_net_tensor_conv_1_0_4",
                                            "My_net_tensor_y"});
    CHECK(module.tensors[4].id == "\xC3\xA9\"");
  }

  TEST_CASE("module: no tensor and no arena takes a name that the header has already") {
    PlanReport plan;
    std::uint64_t offset = 0;
    for (const char* id : {"t", "data", "view", "view_t"}) {
      plan.blocks.push_back(block(id, Lifetime::kScratch, "sizes", offset, 8));
      offset += 8;
    }
    for (const char* memory : {"alignments", "region_t", "x", "x_size", "x_buffer"}) {
      plan.blocks.push_back(block(memory, Lifetime::kScratch, memory, 0, 8));
    }
    board::MemorySet part = small_part();
    for (const char* name : {"sizes", "alignments", "region_t", "x", "x_size", "x_buffer"}) {
      part.memories.push_back(part.memories[0]);
      part.memories.back().name = name;
    }
    const Module module = module_of(plan, {}, part);
    std::set<std::string> taken = {"net_tensor_t",
                                   "net_tensor_data",
                                   "net_tensor_view",
                                   "net_tensor_view_t",
                                   "net_arena_region_t",
                                   "net_arena_sizes",
                                   "net_arena_alignments"};
    for (const ModuleTensor& each : module.tensors) {
      CHECK_MESSAGE(taken.insert(each.name).second, each.name);
    }
    for (const ModuleArena& each : module.arenas) {
      for (const char* ending : {"", "_size", "_alignment", "_buffer"}) {
        CHECK_MESSAGE(taken.insert(each.name + ending).second, each.name, ending);
      }
    }
  }

  TEST_CASE("module: an arena is aligned as itself, its tensors and the part need it") {
    for (const auto& [of_arena, of_tensor, of_part, wanted] :
         {std::array<std::uint64_t, 4>{64, 8, 16, 64},
          {8, 128, 16, 128},
          {8, 4, 32, 32},
          {0, 4, 32, 32},
          {0, 0, 1, 1}}) {
      PlanReport plan;
      plan.blocks = {block("a", Lifetime::kScratch, "dtcm", 0, 8),
                     block("b", Lifetime::kScratch, "dtcm", 8, 8)};
      plan.blocks[1].alignment = Align::make(of_tensor);
      plan.arenas = {arena("dtcm", Lifetime::kScratch)};
      plan.arenas[0].alignment = Align::make(of_arena);
      board::MemorySet part = small_part();
      part.memories[0].arena_alignment = align(of_part);
      CHECK(module_of(plan, {}, part).arenas[0].alignment == align(wanted));
    }
  }

  TEST_CASE("module: what constants are copied from is aligned as both memories need it") {
    PlanReport plan;
    plan.blocks = {staged("w", "mram", 0, 8)};
    plan.blocks[0].alignment = align(32);
    CHECK(module_of(plan).arenas[0].source_alignment == align(32));
    plan.memories = {{.name = "dtcm", .alignment = align(128)},
                     {.name = "mram", .alignment = align(64)}};
    CHECK(module_of(plan).arenas[0].source_alignment == align(64));
    plan.memories[1].alignment = align(4);
    CHECK(module_of(plan).arenas[0].source_alignment == align(32));
    // The file says so, and the arena stays as it is.
    plan.memories[1].alignment = align(64);
    CHECK(module_of(plan).arenas[0].alignment == align(32));
    CHECK(test::contains(file_of(module_of(plan), "src/net_constants.c"), "NET_ALIGNED(64)\n"));
  }

  TEST_CASE("module: constants are read in place or copied") {
    PlanReport plan;
    plan.blocks = {block("cold", Lifetime::kConstant, "mram", 0, 8), staged("hot", "mram", 0, 8)};
    // Where it is and where it comes from are one: it is not copied.
    plan.blocks[0].source_memory = "mram";
    const Module module = module_of(plan);
    const ModuleArena& hot = module.arenas[0];
    const ModuleArena& cold = module.arenas[1];
    CHECK(cold.source_memory.empty());
    CHECK_FALSE(cold.has_source);
    CHECK(hot.source_memory == "mram");
    CHECK(hot.has_source);
    const std::string source = file_of(module, "src/net_constants.c");
    CHECK(test::contains(source, "uint8_t net_arena_const_mram_buffer[net_arena_const_mram_size]"));
    CHECK(
        test::contains(source, "uint8_t net_arena_const_dtcm__source[net_arena_const_dtcm_size]"));
    CHECK(test::contains(
        source,
        "{ net_arena_const_dtcm, net_arena_const_dtcm__source, net_arena_const_dtcm_size }"));
    CHECK_FALSE(test::contains(source, "{ net_arena_const_mram,"));

    // Of memory that no section lies in, or that is written first, the image has no bytes.
    for (const char* memory : {"psram", "sram", "nowhere"}) {
      CAPTURE(memory);
      plan.blocks[1].source_memory = memory;
      const Module without = module_of(plan);
      CHECK(without.arenas[0].source_memory == memory);
      CHECK_FALSE(without.arenas[0].has_source);
      CHECK(test::contains(file_of(without, "src/net_constants.c"),
                           "{ net_arena_const_dtcm, NULL, net_arena_const_dtcm_size }"));
    }
  }

  TEST_CASE("module: arenas of the application") {
    PlanReport plan = scattered();
    plan.blocks.push_back(block("big", Lifetime::kScratch, "psram", 0, 4096));
    const core::Diagnostics errors = errors_of(plan);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].code == Code::kEmitSections);
    CHECK(test::contains(errors[0].message, "'net_arena_psram'"));
    CHECK(test::contains(errors[0].hint, "--external"));

    const Module module = module_of(plan, {.is_external = true});
    CHECK(module.is_external);
    CHECK(std::ranges::none_of(module.arenas, &ModuleArena::is_own));
    CHECK_FALSE(test::contains(file_of(module, "inc/net_model.h"), "_buffer[];"));
    CHECK_FALSE(test::contains(file_of(module, "src/net_constants.c"), "_buffer["));
  }

  TEST_CASE("module: bytes of constants where each lies, zeros between, aliases share") {
    PlanReport plan;
    plan.blocks = {block("a", Lifetime::kConstant, "mram", 4, 3),
                   block("b", Lifetime::kConstant, "mram", 12, 2),
                   block("again", Lifetime::kConstant, "mram", 4, 3),
                   block("s", Lifetime::kScratch, "dtcm", 0, 8)};
    plan.blocks[2].alias_of = "a";
    plan.arenas = {arena("mram", Lifetime::kConstant)};
    plan.arenas[0].total = Bytes{16};
    // Bytes of what the plan does not have, or has no bytes of its own, are nobody's.
    const ConstantBytes data = {{"a", "\x01\xFF\x03"}, {"b", "xy"}, {"s", "scratch!"}, {"c", "?"}};
    const Module module = module_of(plan, {.constants = data});
    CHECK(module.has_data);
    CHECK(module.arenas[0].bytes.empty());
    CHECK(module.arenas[1].bytes == std::string{"\0\0\0\0\x01\xFF\x03\0\0\0\0\0xy\0\0", 16});
    CHECK(module.tensors[2].root == 0);
    CHECK(module.tensors[1].root == 1);
    CHECK(file_of(module, "net_arena_const_mram__blob.bin") == module.arenas[1].bytes);
    CHECK(test::contains(file_of(module, "src/net_constants.c"),
                         "0x00, 0x00, 0x00, 0x00, 0x01, 0xff, 0x03, 0x00, "
                         "0x00, 0x00, 0x00, 0x00, 0x78, 0x79, 0x00, 0x00,"));

    // Nobody gave any: as many zeros, and the file says so.
    const Module zeros = module_of(plan);
    CHECK(zeros.arenas[1].bytes == std::string(16, '\0'));
    CHECK(test::contains(file_of(zeros, "src/net_constants.c"), "zeros (memsize emit --data)"));
  }

  TEST_CASE("module: data that are not the plan's") {
    PlanReport plan;
    plan.path = "r.json";
    for (std::uint64_t i = 0; i < 10; ++i) {
      plan.blocks.push_back(block(std::to_string(i), Lifetime::kConstant, "mram", 4 * i, 4));
    }
    core::Diagnostics errors = errors_of(plan, {.constants = ConstantBytes{{"3", "abc"}}});
    REQUIRE(errors.size() == 2);
    CHECK(errors[0].code == Code::kEmitData);
    CHECK(errors[0].message == "constant '3' has 4 B in the plan and 3 B in the data");
    CHECK(errors[0].place.path == "r.json");
    CHECK(errors[1].code == Code::kEmitData);
    CHECK(errors[1].message ==
          "the data have no bytes of 9 constants: 0, 1, 2, 4, 5, 6, 7, 8 and 1 more");
    plan.blocks.resize(1);
    errors = errors_of(plan, {.constants = ConstantBytes{{"0", "abcde"}}});
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "constant '0' has 4 B in the plan and 5 B in the data");
    errors = errors_of(plan, {.constants = ConstantBytes{}});
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "the data have no bytes of 1 constant: 0");
  }

  TEST_CASE("module: blocks without a place, memories that are not the part's, no blocks") {
    PlanReport plan = scattered();
    plan.blocks[1].offset.reset();
    core::Diagnostics errors = errors_of(plan);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].code == Code::kPlanUnplanned);
    CHECK(errors[0].message == "a tensor has no place in the plan: s");
    for (PlannedBlock& each : plan.blocks) {
      each.offset.reset();
    }
    CHECK(errors_of(plan)[0].message == "5 tensors have no place in the plan: c, s, p, w, d");

    plan = scattered();
    plan.blocks[0].memory = "flash\n";
    errors = errors_of(plan);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].code == Code::kPlanMemory);
    CHECK(errors[0].message == "part 'made-up' has no memory 'flash\\x0A'");
    CHECK(test::contains(errors[0].hint, "--board made-up"));

    for (const PlanReport& empty : {PlanReport{}, [] {
                                      PlanReport arenas;
                                      arenas.arenas = {arena("dtcm", Lifetime::kScratch)};
                                      arenas.arenas[0].total = Bytes{64};
                                      return arenas;
                                    }()}) {
      errors = errors_of(empty);
      REQUIRE(errors.size() == 1);
      CHECK(errors[0].code == Code::kPlanUnplanned);
      CHECK(errors[0].message == "the plan has no tensors");
    }
  }

  TEST_CASE("module: an arena of tensors without bytes has one, because C has no empty arrays") {
    PlanReport plan;
    plan.blocks = {block("nothing", Lifetime::kConstant, "mram", 0, 0)};
    const Module module = module_of(plan, {.constants = ConstantBytes{{"nothing", ""}}});
    CHECK(module.arenas[0].size == Bytes{1});
    CHECK(module.arenas[0].bytes == std::string(1, '\0'));
  }

  TEST_CASE("module: each emitter's files, alone and in order") {
    PlanReport plan = scattered();
    plan.blocks[4].is_input = true;
    board::MemorySet part = small_part();
    part.memories[1].sections.push_back({.name = ".data", .holds = SectionHolds::kInitialised});
    part.memories[1].sections.push_back({.name = ".bss", .holds = SectionHolds::kZeroed});
    part.memories[2].sections.push_back({.name = ".text", .holds = SectionHolds::kCode});
    part.memories[2].sections.push_back({.name = ".text", .holds = SectionHolds::kConstant});
    const Module module = module_of(plan, {}, part);
    const auto all = rendered(module);
    REQUIRE_MESSAGE(all.has_value(), (all ? "" : test::all_text(all.error())));
    std::vector<std::string> paths;
    std::size_t found = 0;
    for (const ModuleEmitter& emitter : all_module_emitters()) {
      const auto alone = rendered(module, {std::string{emitter.name}});
      REQUIRE(alone.has_value());
      CHECK_FALSE(alone->empty());
      for (const Artifact& artifact : *alone) {
        REQUIRE(found < all->size());
        CHECK(artifact.path == (*all)[found].path);
        CHECK(artifact.content == (*all)[found].content);
        CHECK(artifact.emitter == emitter.name);
        CHECK_FALSE(test::contains(artifact.content, "{{"));
        ++found;
      }
    }
    CHECK(found == all->size());
    // In the list's order, whatever the order in which they are asked for.
    const auto two = rendered(module, {"cmake", "blobs"});
    REQUIRE(two.has_value());
    REQUIRE(two->size() == 3);
    CHECK((*two)[0].path == "net_arena_const_dtcm__blob.bin");
    CHECK((*two)[1].path == "net_arena_const_mram__blob.bin");
    CHECK((*two)[2].path == "module.cmake");

    const auto unknown = rendered(module, {"blobs", "blob"});
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().front().code == Code::kEmitUnknown);
    CHECK(unknown.error().front().hint == "did you mean 'blobs'?");
  }

  TEST_CASE("module: a part that does not say where code goes has no linker script") {
    const auto all = rendered(module_of(scattered()), {"part-ld"});
    REQUIRE_FALSE(all.has_value());
    CHECK(all.error().front().code == Code::kEmitSections);
    // Whoever owns the arenas links by a script of their own.
    const auto external = rendered(module_of(scattered(), {.is_external = true}), {"part-ld"});
    REQUIRE(external.has_value());
    CHECK(external->empty());
  }

  TEST_CASE("module: ids are string literals of C, whatever is in them") {
    PlanReport plan;
    const std::string id =
        "a\"b\\c*/d/*e?\?/f\n\xC3\xA9\x01"
        "7{{prefix}}";
    plan.blocks = {block(id, Lifetime::kScratch, "dtcm", 0, 8)};
    board::MemorySet part = small_part();
    const Module module = module_of(plan, {}, part);
    const auto files = rendered(module, {"module"});
    REQUIRE(files.has_value());
    const auto source = std::ranges::find(*files, "src/net_model.c", &Artifact::path);
    REQUIRE(source != files->end());
    const std::size_t begin = source->content.find("{ \"");
    REQUIRE(begin != std::string::npos);
    // Read as a compiler reads it: the first quote that no backslash is before ends it.
    std::string read;
    std::size_t at = begin + 3;
    while (source->content.at(at) != '"') {
      char c = source->content[at++];
      if (c == '\\') {
        c = source->content[at++];
        if (c >= '0' && c <= '7') {
          c = static_cast<char>(std::stoi(source->content.substr(at - 1, 3), nullptr, 8));
          at += 2;
        }
      }
      read += c;
    }
    CHECK(read == id);
    const std::string literal = source->content.substr(begin, at - begin);
    CHECK(std::ranges::all_of(literal, [](char c) { return c >= 0x20 && c < 0x7F; }));
    for (const char* part_of_none : {"*/", "/*", "?\?/"}) {
      CHECK_FALSE(test::contains(literal, part_of_none));
    }
  }
}

}  // namespace memsize::emit::module_test
