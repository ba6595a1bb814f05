// Every mistake of an image is found, and none where there is none.
#include "memsize/plan/check_image.hpp"

#include "support.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::plan::check_image_test {

namespace {

using core::Bytes;
using core::Code;
using model::Lifetime;

model::PlannedArena planned(Lifetime role,
                            const std::string& memory,
                            std::uint64_t used,
                            const std::string& source = {}) {
  model::PlannedArena arena{.memory = memory, .role = role, .source_memory = source};
  arena.used = Bytes{used};
  arena.total = Bytes{used};
  arena.alignment = core::Align::make(16);
  return arena;
}

model::PlanReport plan() {
  model::PlanReport report{.path = "plan.json", .prefix = "wake"};
  report.foreign_plan_hash = "00112233445566ff";
  report.arenas = {planned(Lifetime::kScratch, "ram", 256),
                   planned(Lifetime::kConstant, "ram", 64, "flash"),
                   planned(Lifetime::kConstant, "flash", 32)};
  return report;
}

board::PartMemory memory(const char* name, std::uint64_t base, std::uint64_t size, bool writable) {
  board::PartMemory made{.name = name};
  made.base = core::PhysAddr{base};
  made.hardware = Bytes{size};
  made.window = Bytes{size - 0x1000};
  made.writable = writable;
  made.is_volatile = writable;
  return made;
}

board::MemorySet part() {
  board::MemorySet set{.name = "p"};
  set.memories = {memory("ram", 0x20000000, 0x10000, true),
                  memory("flash", 0x10000, 0x10000, false)};
  set.memories.push_back(memory("far", 0x60000000, 0x10000, true));
  set.memories.back().by_rule = true;
  return set;
}

// What the plan wants, and a heap that fills the window.
model::Image image() {
  model::Image made{.path = "a.elf", .format = "elf", .machine = "Arm", .bits = 32};
  made.is_linked = true;
  made.content = "00112233445566ff";
  made.sections = {
      {".text", 0x10000, 0x10000, Bytes{0x100}, false, true},
      {".data", 0x20000000, 0x10100, Bytes{0x10}, true, true},
      {".bss", 0x20000010, 0x20000010, Bytes{0x150}, true, false},
      {".heap", 0x20000160, 0x20000160, Bytes{0xF000 - 0x160}, true, false},
  };
  made.symbols = {{"wake_arena_ram_buffer", 0x20000010, Bytes{256}},
                  {"wake_arena_const_ram_buffer.lto_priv.0", 0x20000110, Bytes{64}},
                  {"wake_arena_const_ram__source", 0x10040, Bytes{64}},
                  {"wake_arena_const_flash_buffer", 0x10080, Bytes{32}}};
  return made;
}

using Change = std::function<void(model::Image&, model::PlanReport&)>;

ImageReport judged(const Change& change) {
  model::Image changed = image();
  model::PlanReport report = plan();
  change(changed, report);
  return check_image(changed, report, part());
}

// The one finding, "code: message".
void finds(Code code, const char* words, const Change& change) {
  const ImageReport found = judged(change);
  CAPTURE(test::all_text(found.diagnostics));
  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].code == code);
  CHECK(test::contains(found.diagnostics[0].message + found.diagnostics[0].hint, words));
}

}  // namespace

TEST_SUITE_BEGIN("plan");

TEST_CASE("an image that has what is planned is right, and its bytes are charged once") {
  const ImageReport found = judged([](auto&, auto&) {});
  CHECK(test::all_text(found.diagnostics).empty());
  CHECK(found.symbols.size() == 4);
  REQUIRE(found.memories.size() == 2);
  MemoryUse ram{.memory = "ram", .zeroed = Bytes{0x150}, .data = Bytes{0x10}};
  ram.reserved = Bytes{0xF000 - 0x160};
  ram.window = Bytes{0xF000};
  CHECK(found.memories[0] == ram);
  CHECK(found.memories[1].copied == Bytes{0x10});
  CHECK(found.memories[1].constant == Bytes{0x100});
}

TEST_CASE("an arena that lies in another memory") {
  finds(Code::kImageMemory, "planned in ram, but lies in flash", [](auto& image, auto&) {
    image.symbols[0].address = 0x100A0;
  });
}

TEST_CASE("an arena that no linker script has room for is to be bound") {
  finds(Code::kImageMemory, "allocate_arenas: false", [](auto& image, auto& plan) {
    plan.arenas.push_back(planned(Lifetime::kScratch, "far", 16));
    image.symbols.push_back({"wake_arena_far_buffer", 0x20000150, Bytes{16}});
  });
}

TEST_CASE("size, alignment, doubles and overlaps of an image's arenas") {
  finds(Code::kImageSize, "256 B are planned", [](auto& image, auto&) {
    image.symbols[0].size = Bytes{240};
  });
  finds(Code::kImageSize, "has 288 B", [](auto& image, auto&) {
    image.symbols[3].size = Bytes{288};
  });
  finds(Code::kImageAlignment, "no multiple of 16", [](auto& image, auto&) {
    image.symbols[1].address += 8;
  });
  finds(Code::kImageDuplicate, "2 times", [](auto& image, auto&) {
    image.symbols.push_back({"wake_arena_ram_buffer", 0x20000150, Bytes{256}});
  });
  finds(Code::kImageOverlap, "0x20000110", [](auto& image, auto&) {
    image.symbols[1].address -= 16;
  });
  finds(Code::kImageMissing, "64 B", [](auto& image, auto&) {
    image.symbols.erase(image.symbols.begin() + 2);
  });
}

TEST_CASE("sections of an image that are of the wrong kind or lie outside") {
  finds(Code::kImageConstant, "start-up copies it", [](auto& image, auto&) {
    image.sections[3].size = Bytes{0xF000 - 0x160 - 0x40};
    image.sections[1].address = 0x2000EFC0;
    image.sections[1].size = Bytes{0x40};
    image.symbols[3].address = 0x2000EFC0;
  });
  finds(Code::kImageConstant, "read-only", [](auto& image, auto&) {
    image.sections[2].is_writable = false;
    image.symbols.erase(image.symbols.begin() + 1);
    image.symbols.push_back({"wake_arena_const_ram_buffer", 0x20000160, Bytes{64}});
  });
  finds(Code::kImageOrphan, "in no memory", [](auto& image, auto&) {
    image.sections.push_back({".far", 0x90000000, 0x90000000, Bytes{16}, true, false});
  });
  finds(Code::kImageWindow, "16 B beyond", [](auto& image, auto&) {
    image.sections[3].size += Bytes{16};
  });
  finds(Code::kImageLoad, "nothing keeps", [](auto& image, auto&) {
    image.sections[1].load_address = image.sections[1].address;
  });
  const ImageReport zeros = judged([](auto& image, auto&) {
    image.sections[2].is_stored = true;
    image.sections[2].load_address = 0x10200;
  });
  CHECK(test::count(zeros.diagnostics, Code::kImageZeros) == 2);
  CHECK(zeros.diagnostics.size() == 2);
}

TEST_CASE("the module's name and the plan's hash") {
  finds(Code::kImageModule, "no symbols", [](auto& image, auto&) { image.symbols.clear(); });
  finds(Code::kImageModule, "'wake'", [](auto&, auto& plan) { plan.prefix = "nap"; });
  finds(Code::kImageModule, "module_prefix", [](auto&, auto& plan) { plan.prefix.clear(); });
  finds(Code::kImageModule, "allocate_arenas", [](auto& image, auto&) {
    image.symbols = {{"wake_model_run", 0x10001, Bytes{8}}};
  });
  finds(Code::kImageHash, "WAKE_PLAN_HASH", [](auto& image, auto&) { image.content = {}; });
  finds(Code::kImageHash, "0000000000000000", [](auto& image, auto&) {
    image.symbols.push_back({"wake_plan_hash", 0x10000, Bytes{17}});
    image.sections[0].bytes = "0000000000000000";
  });
  finds(Code::kImageMachine, "64 bit", [](auto& image, auto&) { image.bits = 64; });
}

TEST_SUITE_END();

}  // namespace memsize::plan::check_image_test
