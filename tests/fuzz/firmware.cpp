// Any bytes as the firmware of a board's core: an ELF file, a map of TI's linker, or, behind an
// 'R', the resource table of a program that is right otherwise.
#include "memsize/layout/firmware.hpp"

#include "memsize/board/load.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/layout/memory_map.hpp"
#include "memsize/readers/image_reader.hpp"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <elf.h>

using memsize::fuzz::require;

namespace {

// Of mcu2_0 on the board of fuzz_map().
constexpr std::uint32_t kTable = 0xA2100000;
constexpr std::uint32_t kCode = 0xA2200000;

memsize::layout::MemoryMap fuzz_map() {
  memsize::core::RealFileSystem disk;
  const auto board = memsize::board::load_board(disk, MEMSIZE_SOURCE_DIR "/boards", "j722s-sdk11");
  require(board.has_value(), "the board is there");
  return memsize::layout::resolve(*board, {}).value();
}

template <typename Part>
void append(std::string& bytes, const Part& part) {
  bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
}

std::string program_with(std::string_view table) {
  const std::string names{"\0.text\0.resource_table\0", 23};
  const auto size = static_cast<Elf32_Word>(table.size());
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_ARM;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 1;
  header.e_shoff = sizeof header + sizeof(Elf32_Phdr);
  header.e_shentsize = sizeof(Elf32_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  const Elf32_Off after = header.e_shoff + 4 * sizeof(Elf32_Shdr);
  const auto length = static_cast<Elf32_Word>(names.size());
  std::string bytes;
  append(bytes, header);
  append(bytes, Elf32_Phdr{PT_LOAD, 0, kCode, kCode, 0, 64, PF_R, 4});
  append(bytes, Elf32_Shdr{});
  append(bytes, Elf32_Shdr{1, SHT_NOBITS, SHF_ALLOC, kCode, 0, 64, 0, 0, 4, 0});
  append(bytes, Elf32_Shdr{7, SHT_PROGBITS, SHF_ALLOC, kTable, after + length, size, 0, 0, 4, 0});
  append(bytes, Elf32_Shdr{0, SHT_STRTAB, 0, 0, after, length, 0, 0, 1, 0});
  return bytes + names + std::string{table};
}

}  // namespace

MEMSIZE_FUZZ_TARGET(firmware) {
  static const memsize::layout::MemoryMap map = fuzz_map();
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const bool is_table = text.starts_with('R');
  const auto image = memsize::readers::read_firmware(
      is_table ? program_with(text.substr(1)) : std::string{text}, "firmware");
  if (!image) {
    require(memsize::core::has_errors(image.error()), "a failure has errors");
    require(!is_table, "a program may have any table");
    return 0;
  }
  for (const auto& row : image->regions) {
    require(row.used <= row.length, "no more is used than there is");
  }
  const auto firmware = memsize::layout::check_firmware(map, *image);
  require(!is_table || firmware.core == "mcu2_0", "whose it is does not depend on the table");
  for (const auto& found : firmware.diagnostics) {
    require(!found.message.empty(), "a finding says something");
  }
  for (const auto& use : firmware.regions) {
    require(!image->regions.empty() || use.used() <= use.reserved, "it lies where it is used");
    require(use.used() <= use.need, "what is used is needed");
    require(use.used().count() != 0, "what is listed is used");
  }
  require(memsize::layout::check_apart({&firmware, &firmware}).empty(), "one core is one image");
  return 0;
}
