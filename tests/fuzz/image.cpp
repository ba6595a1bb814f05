// Any bytes as a program, or as a linker's map: errors, or sections and symbols that the judge may
// take.
#include "memsize/board/memories.hpp"
#include "memsize/plan/check_image.hpp"
#include "memsize/readers/image_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using memsize::fuzz::require;

namespace {

memsize::model::PlanReport fuzz_plan() {
  namespace model = memsize::model;
  model::PlanReport plan{.path = "plan.json", .prefix = "wake"};
  plan.foreign_plan_hash = "00112233445566ff";
  for (const char* const memory : {"ram", "flash"}) {
    for (const auto role :
         {model::Lifetime::kScratch, model::Lifetime::kPersistent, model::Lifetime::kConstant}) {
      model::PlannedArena arena{.memory = memory, .role = role};
      arena.used = memsize::core::Bytes{64};
      arena.source_memory = memory == std::string_view{"ram"} ? "flash" : "";
      plan.arenas.push_back(arena);
    }
  }
  return plan;
}

memsize::board::MemorySet fuzz_part() {
  memsize::board::MemorySet part{.name = "part"};
  for (const bool is_ram : {true, false}) {
    memsize::board::PartMemory memory{.name = is_ram ? "ram" : "flash"};
    memory.base = memsize::core::PhysAddr{is_ram ? 0x20000000ULL : 0x10000ULL};
    memory.hardware = memsize::core::Bytes{0x100000};
    memory.window = memsize::core::Bytes{0xF0000};
    memory.writable = memory.is_volatile = is_ram;
    part.memories.push_back(memory);
  }
  return part;
}

}  // namespace

MEMSIZE_FUZZ_TARGET(image) {
  static const memsize::model::PlanReport plan = fuzz_plan();
  static const memsize::board::MemorySet part = fuzz_part();
  const auto image =
      memsize::readers::read_image({reinterpret_cast<const char*>(data), size}, "image");
  if (!image) {
    require(memsize::core::has_errors(image.error()), "a failure has errors");
    return 0;
  }
  std::uint64_t last = 0;
  for (const auto& section : image->sections) {
    require(section.address >= last, "sections are in order");
    require(section.size.count() != 0 && section.address + section.size.count() >= section.address,
            "a section has bytes, before the last address");
    last = section.address;
  }
  for (const auto& symbol : image->symbols) {
    require(!symbol.name.empty(), "a symbol has a name");
  }
  for (const auto& found : memsize::plan::check_image(*image, plan, part).diagnostics) {
    require(!found.message.empty(), "a finding says something");
  }
  return 0;
}
