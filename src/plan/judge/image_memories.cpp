// What each section of an image takes where, and those that lie where nothing may lie.
#include "image_memories.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "judged_plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using board::MemorySet;
using board::PartMemory;
using core::Code;
using model::ImageSection;

core::Bytes reach_of(const PartMemory& memory) {
  return std::max(memory.window, memory.hardware);
}

core::Diagnostic section_fault(Code code,
                               const model::Image& image,
                               const ImageSection& section,
                               std::string message,
                               std::string hint) {
  return core::error(code, std::move(message), {image.path, section.line}, std::move(hint))
      .about({{"section", core::printable(section.name, 80)}});
}

// "from 0x20000000 to 0x2007C000"
std::string window_text(const PartMemory& memory) {
  return fmt::format("{} to {}",
                     core::format_address(*memory.base),
                     core::format_hex(memory.base->value() + memory.window.count()));
}

void check_window(const model::Image& image,
                  const ImageSection& section,
                  std::uint64_t address,
                  const PartMemory& memory,
                  Faults& found) {
  const core::Bytes begins{address - memory.base->value()};
  if (begins + section.size <= memory.window ||
      !found.wants(core::Severity::kError, Code::kImageWindow)) {
    return;
  }
  found.say(
      section_fault(
          Code::kImageWindow,
          image,
          section,
          fmt::format("{} {} {} beyond the window of {}, which is {}",
                      shown_section(section),
                      address == section.address ? "reaches"
                                                 : "is copied from flash, where its bytes reach",
                      core::format_bytes(begins + section.size - memory.window),
                      memory.name,
                      window_text(memory)),
          fmt::format("put less into {}, or correct the region of the linker script to {} B",
                      memory.name,
                      memory.window.count()))
          .about({{"section", core::printable(section.name, 80)}, {"memory", memory.name}}));
}

// "'.data', '.shared'"
std::string names_of_data(const PartMemory& memory) {
  std::vector<std::string> names;
  for (const board::PartSection& section : memory.sections) {
    if (section.holds == board::SectionHolds::kInitialised && section.toolchain != "armclang") {
      names.push_back(fmt::format("'{}'", section.name));
    }
  }
  return names.empty() ? "none of them is for data" : core::join(names, ", ");
}

// Whether start-up of the part, as far as its sections are known, leaves out what it would copy.
bool is_left_out(const ImageSection& section, const PartMemory& memory) {
  return section.is_stored && section.is_writable && section.load_address != section.address &&
         !memory.sections.empty() &&
         !core::contains(memory.sections, section.name, &board::PartSection::name);
}

// Of what is used, what the section counts as.
core::Bytes& part_of(MemoryUse& use, const ImageSection& section, const PartMemory& memory) {
  if (!section.is_stored) {
    return is_reserved(section) ? use.reserved : use.zeroed;
  }
  return section.is_writable && memory.writable ? use.data : use.constant;
}

bool is_stack(const ImageSection& section) {
  return is_reserved(section) && section.name.find("heap") == std::string_view::npos;
}

bool is_in_memory_that_stays(const ImageSection& section, const MemorySet& part) {
  const PartMemory* const memory = memory_at(part, section.load_address);
  return section.is_stored && memory != nullptr && !memory->is_volatile;
}

}  // namespace

const PartMemory* memory_at(const MemorySet& part, std::uint64_t address) {
  return core::find_where(part.memories, [&](const PartMemory& memory) {
    return memory.base && address >= memory.base->value() &&
           address - memory.base->value() < reach_of(memory).count();
  });
}

const PartMemory* memory_called(const MemorySet& part, std::string_view name) {
  return core::find_in(part.memories, name, &PartMemory::name);
}

bool is_reserved(const ImageSection& section) {
  return !section.is_stored && (section.name.find("heap") != std::string_view::npos ||
                                section.name.find("stack") != std::string_view::npos);
}

std::string shown_section(const ImageSection& section) {
  return fmt::format(
      "'{}' ({})", core::printable(section.name, 80), core::format_hex(section.address));
}

std::vector<MemoryUse> use_of(const model::Image& image, const MemorySet& part) {
  std::vector<MemoryUse> uses;
  for (const PartMemory& memory : part.memories) {
    MemoryUse use{.memory = memory.name, .window = memory.window};
    const MemoryUse unused = use;
    for (const ImageSection& section : image.sections) {
      if (memory_at(part, section.address) == &memory) {
        part_of(use, section, memory) += section.size;
        use.stacks += is_stack(section) ? section.size : core::Bytes{};
      }
      if (section.load_address != section.address &&
          memory_at(part, section.load_address) == &memory) {
        use.copied += section.size;
      }
    }
    if (use != unused) {
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

core::Diagnostics check_sections(const model::Image& image, const MemorySet& part) {
  Faults found{image.path};
  // A debugger may load all of a program into memory that forgets.
  const bool starts_by_itself = std::ranges::any_of(
      image.sections, [&](const auto& section) { return is_in_memory_that_stays(section, part); });
  for (const ImageSection& section : image.sections) {
    const PartMemory* const memory = memory_at(part, section.address);
    if (memory != nullptr) {
      check_window(image, section, section.address, *memory, found);
      if (is_left_out(section, *memory) &&
          found.wants(core::Severity::kWarning, Code::kImageOrphan)) {
        core::Diagnostic left_out = section_fault(
            Code::kImageOrphan,
            image,
            section,
            fmt::format("{} is no section of the linker scripts of part '{}': its start-up does "
                        "not copy {} that lie in flash for it",
                        shown_section(section),
                        core::printable(part.name, 80),
                        core::format_bytes(section.size)),
            fmt::format("name one of its sections: {}", names_of_data(*memory)));
        left_out.severity = core::Severity::kWarning;
        found.say(std::move(left_out));
      }
    } else if (!is_reserved(section) && found.wants(core::Severity::kError, Code::kImageOrphan)) {
      found.say(section_fault(
          Code::kImageOrphan,
          image,
          section,
          fmt::format("{}, {}, lies in no memory of part '{}'",
                      shown_section(section),
                      core::format_bytes(section.size),
                      core::printable(part.name, 80)),
          "no line of the linker script may take it: name it there, or put it into another "
          "section; is it the script of this part?"));
    }
    const PartMemory* const source = memory_at(part, section.load_address);
    if (section.load_address != section.address && source != nullptr) {
      check_window(image, section, section.load_address, *source, found);
    }
    if (section.is_stored && starts_by_itself && memory != nullptr &&
        (source == nullptr || source->is_volatile) &&
        found.wants(core::Severity::kError, Code::kImageLoad)) {
      found.say(section_fault(
          Code::kImageLoad,
          image,
          section,
          fmt::format("{} has {} that nothing keeps without power: they are loaded to {}",
                      shown_section(section),
                      core::format_bytes(section.size),
                      core::format_hex(section.load_address)),
          "load it behind the others in flash (AT> in the linker script), and copy it at start; or "
          "let start-up clear it (NOLOAD)"));
    }
  }
  return found.finish();
}

}  // namespace memsize::plan
