// ELF files. Whoever wrote one may have lied: each offset is held against the file's length before
// anything is read there, and names are looked for no further than any name goes.
#include "memsize/core/text.hpp"
#include "memsize/readers/image_reader.hpp"

#include "resource_table.hpp"
#include "ti_map.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

// No symbol that anybody asks for is longer, and a table could name one text a million times.
constexpr std::size_t kLongestSymbol = 1024;
// No linker makes more; each section is looked for in all of them.
constexpr std::size_t kMostSegments = 512;
// Of more than that a debugger's file may be; no program that is loaded is.
constexpr std::uint64_t kMostSections = std::uint64_t{1} << 22;
constexpr std::string_view kResourceTable = ".resource_table";

struct Elf32 {
  using Header = Elf32_Ehdr;
  using Segment = Elf32_Phdr;
  using Section = Elf32_Shdr;
  using Symbol = Elf32_Sym;
  static constexpr unsigned kBits = 32;
};

struct Elf64 {
  using Header = Elf64_Ehdr;
  using Segment = Elf64_Phdr;
  using Section = Elf64_Shdr;
  using Symbol = Elf64_Sym;
  static constexpr unsigned kBits = 64;
};

std::string machine_name(unsigned machine) {
  constexpr auto kNames = std::to_array<std::pair<unsigned, const char*>>({{EM_ARM, "Arm"},
                                                                           {EM_AARCH64, "AArch64"},
                                                                           {EM_RISCV, "RISC-V"},
                                                                           {EM_XTENSA, "Xtensa"},
                                                                           {EM_386, "x86"},
                                                                           {EM_X86_64, "x86-64"}});
  const auto* const found = std::ranges::find(kNames, machine, [](auto row) { return row.first; });
  return found == kNames.end() ? fmt::format("machine {}", machine) : found->second;
}

// The bytes of a file; what is wrong with them is told with its path.
class ElfBytes {
 public:
  ElfBytes(std::string_view content, const std::string& path) : content_(content), path_(path) {}

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(std::string what) const {
    return core::fail(core::error(Code::kImageSyntax,
                                  std::move(what),
                                  {path_},
                                  "link it again, or copy it again, whole and as binary"));
  }

  [[nodiscard]] tl::unexpected<core::Diagnostics> cut(std::string_view what) const {
    return wrong(fmt::format("this ELF file has {}: {} would be behind its end",
                             core::format_bytes(core::Bytes{content_.size()}),
                             what));
  }

  template <typename Part>
  bool copy(std::uint64_t offset, Part& part) const {
    if (offset > content_.size() || content_.size() - offset < sizeof part) {
      return false;
    }
    std::memcpy(&part, content_.data() + offset, sizeof part);
    return true;
  }

  template <typename Part>
  bool table(std::uint64_t offset,
             std::size_t count,
             std::size_t step,
             std::vector<Part>& parts) const {
    if (count != 0 && step < sizeof(Part)) {
      return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Part part{};
      // A few million times 16 bits; an offset near 2^64 is behind every end.
      const auto at = core::checked_add(offset, i * step);
      if (!at || !copy(*at, part)) {
        return false;
      }
      parts.push_back(part);
    }
    return true;
  }

  [[nodiscard]] std::optional<std::string_view> bytes_at(std::uint64_t offset,
                                                         std::uint64_t size) const {
    if (offset > content_.size() || content_.size() - offset < size) {
      return std::nullopt;
    }
    return content_.substr(offset, size);
  }

 private:
  std::string_view content_;
  const std::string& path_;
};

template <typename Class>
struct ElfTables {
  typename Class::Header header = {};
  std::vector<typename Class::Segment> segments;
  std::vector<typename Class::Section> sections;
  // Which section has the names of all.
  std::size_t names = 0;
};

template <typename Class>
core::Result<ElfTables<Class>> elf_tables(const ElfBytes& bytes) {
  ElfTables<Class> tables;
  const auto& header = tables.header;
  if (!bytes.copy(0, tables.header)) {
    return bytes.cut("its header");
  }
  if (header.e_phnum > kMostSegments) {
    return bytes.wrong(fmt::format("this ELF file has {} segments, which no linker makes",
                                   std::size_t{header.e_phnum}));
  }
  if (!bytes.table(header.e_phoff, header.e_phnum, header.e_phentsize, tables.segments)) {
    return bytes.cut("the table of segments");
  }
  // Where 16 bits are not enough, the first section has the numbers.
  typename Class::Section first{};
  if (header.e_shoff != 0 && !bytes.copy(header.e_shoff, first)) {
    return bytes.cut("the table of sections");
  }
  const std::uint64_t count = header.e_shnum == 0 ? first.sh_size : header.e_shnum;
  if (count > kMostSections) {
    return bytes.wrong(fmt::format("this ELF file has {} sections, which no linker makes", count));
  }
  if (!bytes.table(header.e_shoff, count, header.e_shentsize, tables.sections)) {
    return bytes.cut("the table of sections");
  }
  tables.names = header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx;
  return tables;
}

// Empty where the table has no such name.
std::string_view elf_name(std::string_view names, std::size_t at) {
  const std::string_view rest = at < names.size() ? names.substr(at, kLongestSymbol) : "";
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

// `as_it_is`: one may lie about the file.
template <typename Segment>
core::Result<std::vector<model::ImageSegment>> loaded_segments(const ElfBytes& bytes,
                                                               const std::vector<Segment>& parts,
                                                               bool as_it_is) {
  std::vector<model::ImageSegment> segments;
  for (const auto& part : parts) {
    if (part.p_type != PT_LOAD || part.p_memsz == 0) {
      continue;
    }
    if (!as_it_is &&
        (!bytes.bytes_at(part.p_offset, part.p_filesz) || part.p_filesz > part.p_memsz)) {
      return bytes.cut(fmt::format("the segment at {}", core::format_hex(part.p_vaddr)));
    }
    segments.push_back(
        {part.p_vaddr, part.p_paddr, part.p_offset, part.p_filesz, part.p_memsz, part.p_align});
  }
  return segments;
}

// Then its loader says so.
bool is_any_segment_cut(const ElfBytes& bytes, const std::vector<model::ImageSegment>& segments) {
  return std::ranges::any_of(segments, [&](const model::ImageSegment& segment) {
    return !bytes.bytes_at(segment.offset, segment.stored);
  });
}

// Where a loader puts the bytes.
template <typename Section>
std::uint64_t load_address(const Section& section,
                           const std::vector<model::ImageSegment>& segments) {
  for (const model::ImageSegment& part : segments) {
    if (section.sh_offset >= part.offset && section.sh_offset - part.offset < part.stored &&
        section.sh_addr - part.address == section.sh_offset - part.offset) {
      return part.load_address + (section.sh_addr - part.address);
    }
  }
  return section.sh_addr;
}

// What the section holds; nothing where that is not in the file.
template <typename Section>
std::optional<std::string_view> text_of(const ElfBytes& bytes,
                                        const std::vector<Section>& sections,
                                        std::size_t index) {
  return index < sections.size()
             ? bytes.bytes_at(sections[index].sh_offset, sections[index].sh_size)
             : std::nullopt;
}

// Nothing where they are not in the file.
template <typename Class>
std::optional<std::string_view> names_of_sections(const ElfBytes& file,
                                                  const ElfTables<Class>& tables) {
  return tables.names == SHN_UNDEF || tables.sections.empty()
             ? std::optional{std::string_view{}}
             : text_of(file, tables.sections, tables.names);
}

// Sections that are loaded, and the table of resources among them.
template <typename Class>
core::Result<void> read_sections(const ElfBytes& file,
                                 const ElfTables<Class>& tables,
                                 bool as_it_is,
                                 model::Image& image) {
  const auto names = names_of_sections(file, tables);
  if (!names) {
    return file.cut("the names of its sections");
  }
  for (const auto& section : tables.sections) {
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) {
      continue;
    }
    const std::string_view name = elf_name(*names, section.sh_name);
    const bool is_stored = section.sh_type != SHT_NOBITS;
    auto bytes = is_stored ? file.bytes_at(section.sh_offset, section.sh_size)
                           : std::optional{std::string_view{}};
    const bool is_cut = !bytes.has_value();
    if (is_cut && as_it_is &&
        (name == kResourceTable || is_any_segment_cut(file, image.segments))) {
      bytes = "";
    }
    const std::uint64_t load = is_stored ? load_address(section, image.segments) : section.sh_addr;
    if (!bytes) {
      return file.cut(fmt::format("section '{}'", core::printable(name, 80)));
    }
    if (!core::checked_add(section.sh_addr, section.sh_size) ||
        !core::checked_add(load, section.sh_size)) {
      return file.wrong(
          fmt::format("section '{}' would end behind the last address", core::printable(name, 80)));
    }
    image.sections.push_back({.name = name,
                              .address = section.sh_addr,
                              .load_address = load,
                              .size = core::Bytes{section.sh_size},
                              .is_writable = (section.sh_flags & SHF_WRITE) != 0,
                              .is_stored = is_stored,
                              .bytes = *bytes,
                              .alignment = section.sh_addralign});
    // Linux takes the first that is called so.
    if (name == kResourceTable && !image.resources) {
      image.resources = is_cut ? cut_resource_table() : read_resource_table(*bytes);
      image.resources->address = section.sh_addr;
    }
  }
  std::ranges::stable_sort(image.sections, {}, &model::ImageSection::address);
  return {};
}

template <typename Class>
core::Result<std::vector<model::ImageSymbol>> symbols_of(
    const ElfBytes& bytes, const std::vector<typename Class::Section>& sections) {
  using Symbol = typename Class::Symbol;
  std::vector<model::ImageSymbol> symbols;
  for (const auto& section : sections) {
    if (section.sh_type != SHT_SYMTAB) {
      continue;
    }
    const auto rows = bytes.bytes_at(section.sh_offset, section.sh_size);
    const auto names = text_of(bytes, sections, section.sh_link);
    if (!rows || !names) {
      return bytes.cut("the table of symbols");
    }
    for (std::size_t i = 0; i < rows->size() / sizeof(Symbol); ++i) {
      Symbol row{};
      std::memcpy(&row, rows->data() + i * sizeof row, sizeof row);
      const std::string_view name = elf_name(*names, row.st_name);
      const unsigned type = row.st_info & 0xFU;
      // Arm's assemblers mark code and data with names in dollars.
      if (row.st_shndx == SHN_UNDEF || type > STT_FUNC || name.empty() || name.front() == '$' ||
          name.size() == kLongestSymbol) {
        continue;
      }
      symbols.push_back(
          {.name = name,
           .address = row.st_value,
           .size = row.st_size == 0 ? std::nullopt : std::optional{core::Bytes{row.st_size}}});
    }
  }
  return symbols;
}

template <typename Class>
core::Result<model::Image> read_class(std::string content, const std::string& path, bool as_it_is) {
  model::Image image{.path = path, .format = "elf"};
  image.bits = Class::kBits;
  image.content = core::SharedText{std::move(content)};
  const ElfBytes bytes{image.content.str(), path};
  const auto tables = elf_tables<Class>(bytes);
  MEMSIZE_TRY(tables);
  image.machine = machine_name(tables->header.e_machine);
  image.entry = tables->header.e_entry;
  image.is_linked = tables->header.e_type == ET_EXEC || tables->header.e_type == ET_DYN;
  auto segments = loaded_segments(bytes, tables->segments, as_it_is);
  MEMSIZE_TRY(segments);
  image.segments = std::move(*segments);
  MEMSIZE_TRY(read_sections(bytes, *tables, as_it_is, image));
  auto symbols = symbols_of<Class>(bytes, tables->sections);
  MEMSIZE_TRY(symbols);
  image.symbols = std::move(*symbols);
  return image;
}

core::Result<model::Image> read_elf_of(std::string content,
                                       const std::string& path,
                                       bool as_it_is) {
  const std::string_view head = content;
  if (head.size() > EI_DATA && head.starts_with(std::string_view{ELFMAG, SELFMAG}) &&
      head[EI_DATA] == ELFDATA2LSB) {
    if (head[EI_CLASS] == ELFCLASS32) {
      return read_class<Elf32>(std::move(content), path, as_it_is);
    }
    if (head[EI_CLASS] == ELFCLASS64) {
      return read_class<Elf64>(std::move(content), path, as_it_is);
    }
  }
  const bool is_big = head.starts_with(std::string_view{ELFMAG, SELFMAG}) &&
                      head.size() > EI_DATA && head[EI_DATA] == ELFDATA2MSB;
  return core::fail(core::error(Code::kImageSyntax,
                                is_big ? "this ELF file is for a big-endian machine"
                                       : "this is no ELF file, or its first bytes are damaged",
                                {path},
                                is_big ? "parts with memories of their own are little-endian"
                                       : "name the file that the linker wrote with -o"));
}

}  // namespace

core::Result<model::Image> read_elf(std::string content, const std::string& path) {
  return read_elf_of(std::move(content), path, false);
}

core::Result<model::Image> read_elf_as_it_is(std::string content, const std::string& path) {
  return read_elf_of(std::move(content), path, true);
}

}  // namespace memsize::readers
