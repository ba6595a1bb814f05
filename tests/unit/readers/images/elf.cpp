// A program as ELF is read whole, wherever it is cut it is refused, and what is no program is told.
#include "memsize/readers/image_reader.hpp"

#include "support.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include <doctest/doctest.h>
#include <elf.h>

namespace memsize::readers::elf_test {

namespace {

struct Layout {
  std::string names = std::string{"\0.text\0.data\0.bss\0.symtab\0.strtab\0", 34};
  std::string symbols = std::string{"\0main\0wake_arena_dtcm_buffer\0$d\0", 32};
};

template <typename Part>
void append(std::string& bytes, const Part& part) {
  bytes.append(reinterpret_cast<const char*>(&part), sizeof part);
}

Elf32_Shdr section(Elf32_Word name,
                   Elf32_Word type,
                   Elf32_Word flags,
                   Elf32_Addr address,
                   Elf32_Off offset,
                   Elf32_Word size) {
  Elf32_Shdr made{};
  made.sh_name = name;
  made.sh_type = type;
  made.sh_flags = flags;
  made.sh_addr = address;
  made.sh_offset = offset;
  made.sh_size = size;
  return made;
}

Elf32_Sym symbol(Elf32_Word name, Elf32_Addr address, Elf32_Word size, Elf32_Half where) {
  Elf32_Sym made{};
  made.st_name = name;
  made.st_value = address;
  made.st_size = size;
  made.st_info = ELF32_ST_INFO(STB_LOCAL, STT_OBJECT);
  made.st_shndx = where;
  return made;
}

// 8 bytes of code in flash, 4 of data behind it that are copied to RAM, 16 that are cleared.
std::string program() {
  const Layout layout;
  Elf32_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_ARM;
  header.e_entry = 0x10001;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf32_Phdr);
  header.e_phnum = 2;
  header.e_shentsize = sizeof(Elf32_Shdr);
  header.e_shnum = 6;
  header.e_shstrndx = 5;
  const auto code = static_cast<Elf32_Off>(sizeof header + 2 * sizeof(Elf32_Phdr));
  std::string rows;
  append(rows, symbol(0, 0, 0, SHN_UNDEF));
  append(rows, symbol(1, 0x10001, 8, 1));
  append(rows, symbol(6, 0x20000010, 16, 3));
  append(rows, symbol(29, 0x20000000, 0, 2));
  append(rows, symbol(1, 0, 0, SHN_UNDEF));
  const auto symbols_at = static_cast<Elf32_Off>(code + 12);
  const auto texts_at = static_cast<Elf32_Off>(symbols_at + rows.size());
  const auto names_at = static_cast<Elf32_Off>(texts_at + layout.symbols.size());
  header.e_shoff = static_cast<Elf32_Off>(names_at + layout.names.size());
  std::string bytes;
  append(bytes, header);
  append(bytes, Elf32_Phdr{PT_LOAD, code, 0x10000, 0x10000, 8, 8, PF_R | PF_X, 4});
  append(bytes, Elf32_Phdr{PT_LOAD, code + 8, 0x20000000, 0x10008, 4, 32, PF_R | PF_W, 4});
  bytes += "codecodedata" + rows + layout.symbols + layout.names;
  append(bytes, Elf32_Shdr{});
  append(bytes, section(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x10000, code, 8));
  append(bytes, section(7, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x20000000, code + 8, 4));
  append(bytes, section(13, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x20000010, code + 12, 16));
  Elf32_Shdr table =
      section(18, SHT_SYMTAB, 0, 0, symbols_at, static_cast<Elf32_Word>(rows.size()));
  table.sh_link = 5;
  append(bytes, table);
  // One table for all names: those of sections stand behind those of symbols.
  append(bytes,
         section(26,
                 SHT_STRTAB,
                 0,
                 0,
                 texts_at,
                 static_cast<Elf32_Word>(layout.symbols.size() + layout.names.size())));
  return bytes;
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("sections, symbols and load addresses of an ELF file are read") {
  const auto image = read_image(program(), "a.elf");
  REQUIRE_MESSAGE(image, test::all_text(image ? core::Diagnostics{} : image.error()));
  CHECK(image->machine == "Arm");
  CHECK(image->bits == 32);
  CHECK(image->entry == 0x10001);
  REQUIRE(image->sections.size() == 3);
  CHECK(image->sections[0].bytes == "codecode");
  CHECK_FALSE(image->sections[0].is_writable);
  CHECK(image->sections[1].address == 0x20000000);
  CHECK(image->sections[1].load_address == 0x10008);
  CHECK(image->sections[1].is_stored);
  CHECK_FALSE(image->sections[2].is_stored);
  CHECK(image->sections[2].load_address == 0x20000010);
  REQUIRE(image->symbols.size() == 2);
  CHECK(image->symbols[1].name == "wake_arena_dtcm_buffer");
  CHECK(image->symbols[1].size == core::Bytes{16});
  CHECK(image->section_at(0x2000001F) == &image->sections[2]);
  CHECK(image->section_at(0x20000020) == nullptr);
}

TEST_CASE("an ELF file that was cut is refused wherever it was cut") {
  const std::string whole = program();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto image = read_image(whole.substr(0, length), "a.elf");
    REQUIRE_FALSE(image);
    CHECK(image.error().front().code == core::Code::kImageSyntax);
  }
}

TEST_CASE("whatever byte of an ELF file is damaged, it is read or refused") {
  const std::string whole = program();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char bits : {'\x01', '\x80', '\xFF'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bits);
      const auto image = read_elf(damaged, "a.elf");
      CHECK((image || core::has_errors(image.error())));
    }
  }
}

TEST_CASE("what is no program for a linker's addresses is told") {
  const auto says = [](std::string content, const char* words) {
    const auto image = read_image(std::move(content), "x");
    REQUIRE_FALSE(image);
    CHECK(test::contains(image.error().front().message, words));
  };
  std::string changed = program();
  changed[EI_DATA] = ELFDATA2MSB;
  says(changed, "big-endian");
  changed = program();
  changed[16] = ET_REL;
  says(changed, "object");
  says("hello", "neither");
  says("", "neither");
}

TEST_SUITE_END();

}  // namespace memsize::readers::elf_test
