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

template <typename Class>
class ElfReader {
 public:
  /// `as_it_is`: a segment may lie about the file.
  ElfReader(std::string content, const std::string& path, bool as_it_is) : as_it_is_(as_it_is) {
    image_.path = path;
    image_.format = "elf";
    image_.bits = Class::kBits;
    image_.content = core::SharedText{std::move(content)};
    content_ = image_.content.str();
  }

  core::Result<model::Image> read() {
    typename Class::Header header{};
    if (!copy(0, header)) {
      return cut("its header");
    }
    image_.machine = machine_name(header.e_machine);
    image_.entry = header.e_entry;
    image_.is_linked = header.e_type == ET_EXEC || header.e_type == ET_DYN;
    if (header.e_phnum > kMostSegments) {
      return wrong(fmt::format("this ELF file has {} segments, which no linker makes",
                               std::size_t{header.e_phnum}));
    }
    if (!table(header.e_phoff, header.e_phnum, header.e_phentsize, segments_)) {
      return cut("the table of segments");
    }
    // Where 16 bits are not enough, the first section has the numbers.
    Section first{};
    if (header.e_shoff != 0 && !copy(header.e_shoff, first)) {
      return cut("the table of sections");
    }
    const std::uint64_t count = header.e_shnum == 0 ? first.sh_size : header.e_shnum;
    if (count > kMostSections) {
      return wrong(fmt::format("this ELF file has {} sections, which no linker makes", count));
    }
    if (!table(header.e_shoff, count, header.e_shentsize, sections_)) {
      return cut("the table of sections");
    }
    MEMSIZE_TRY(read_segments());
    MEMSIZE_TRY(read_sections(header.e_shstrndx == SHN_XINDEX ? first.sh_link : header.e_shstrndx));
    MEMSIZE_TRY(read_symbols());
    return std::move(image_);
  }

 private:
  using Section = typename Class::Section;

  [[nodiscard]] tl::unexpected<core::Diagnostics> wrong(std::string what) const {
    return core::fail(core::error(Code::kImageSyntax,
                                  std::move(what),
                                  {image_.path},
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

  // Empty where the table has no such name.
  static std::string_view name_in(std::string_view names, std::size_t at) {
    const std::string_view rest = at < names.size() ? names.substr(at, kLongestSymbol) : "";
    return rest.substr(0, std::min(rest.find('\0'), rest.size()));
  }

  core::Result<void> read_segments() {
    for (const auto& part : segments_) {
      if (part.p_type != PT_LOAD || part.p_memsz == 0) {
        continue;
      }
      if (!as_it_is_ && (!bytes_at(part.p_offset, part.p_filesz) || part.p_filesz > part.p_memsz)) {
        return cut(fmt::format("the segment at {}", core::format_hex(part.p_vaddr)));
      }
      image_.segments.push_back(
          {part.p_vaddr, part.p_paddr, part.p_offset, part.p_filesz, part.p_memsz, part.p_align});
    }
    return {};
  }

  // Then its loader says so.
  [[nodiscard]] bool is_any_segment_cut() const {
    return std::ranges::any_of(image_.segments, [&](const model::ImageSegment& segment) {
      return !bytes_at(segment.offset, segment.stored);
    });
  }

  // Where a loader puts the bytes.
  [[nodiscard]] std::uint64_t load_address(const Section& section) const {
    for (const model::ImageSegment& part : image_.segments) {
      if (section.sh_offset >= part.offset && section.sh_offset - part.offset < part.stored &&
          section.sh_addr - part.address == section.sh_offset - part.offset) {
        return part.load_address + (section.sh_addr - part.address);
      }
    }
    return section.sh_addr;
  }

  core::Result<void> read_sections(std::size_t names_index) {
    std::string_view names;
    if (names_index != SHN_UNDEF && !sections_.empty()) {
      const Section* const table =
          names_index < sections_.size() ? &sections_[names_index] : nullptr;
      const auto found =
          table == nullptr ? std::nullopt : bytes_at(table->sh_offset, table->sh_size);
      if (!found) {
        return cut("the names of its sections");
      }
      names = *found;
    }
    for (const Section& section : sections_) {
      if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) {
        continue;
      }
      const std::string_view name = name_in(names, section.sh_name);
      const bool is_stored = section.sh_type != SHT_NOBITS;
      auto bytes = is_stored ? bytes_at(section.sh_offset, section.sh_size)
                             : std::optional{std::string_view{}};
      const bool is_cut = !bytes.has_value();
      if (is_cut && as_it_is_ && (name == kResourceTable || is_any_segment_cut())) {
        bytes = "";
      }
      const std::uint64_t load = is_stored ? load_address(section) : section.sh_addr;
      if (!bytes) {
        return cut(fmt::format("section '{}'", core::printable(name, 80)));
      }
      if (!core::checked_add(section.sh_addr, section.sh_size) ||
          !core::checked_add(load, section.sh_size)) {
        return wrong(fmt::format("section '{}' would end behind the last address",
                                 core::printable(name, 80)));
      }
      image_.sections.push_back({.name = name,
                                 .address = section.sh_addr,
                                 .load_address = load,
                                 .size = core::Bytes{section.sh_size},
                                 .is_writable = (section.sh_flags & SHF_WRITE) != 0,
                                 .is_stored = is_stored,
                                 .bytes = *bytes,
                                 .alignment = section.sh_addralign});
      // Linux takes the first that is called so.
      if (name == kResourceTable && !image_.resources) {
        image_.resources = is_cut ? cut_resource_table() : read_resource_table(*bytes);
        image_.resources->address = section.sh_addr;
      }
    }
    std::ranges::stable_sort(image_.sections, {}, &model::ImageSection::address);
    return {};
  }

  core::Result<void> read_symbols() {
    for (const Section& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) {
        continue;
      }
      const auto rows = bytes_at(section.sh_offset, section.sh_size);
      const Section* const table =
          section.sh_link < sections_.size() ? &sections_[section.sh_link] : nullptr;
      const auto names =
          table == nullptr ? std::nullopt : bytes_at(table->sh_offset, table->sh_size);
      if (!rows || !names) {
        return cut("the table of symbols");
      }
      const std::size_t count = rows->size() / sizeof(typename Class::Symbol);
      for (std::size_t i = 0; i < count; ++i) {
        typename Class::Symbol row{};
        std::memcpy(&row, rows->data() + i * sizeof row, sizeof row);
        add_symbol(row, name_in(*names, row.st_name));
      }
    }
    return {};
  }

  void add_symbol(const typename Class::Symbol& row, std::string_view name) {
    const unsigned type = row.st_info & 0xFU;
    // Arm's assemblers mark code and data with names in dollars.
    if (row.st_shndx == SHN_UNDEF || type > STT_FUNC || name.empty() || name.front() == '$' ||
        name.size() == kLongestSymbol) {
      return;
    }
    image_.symbols.push_back(
        {.name = name,
         .address = row.st_value,
         .size = row.st_size == 0 ? std::nullopt : std::optional{core::Bytes{row.st_size}}});
  }

  bool as_it_is_;
  model::Image image_;
  std::string_view content_;
  std::vector<typename Class::Segment> segments_;
  std::vector<Section> sections_;
};

core::Result<model::Image> read_elf_of(std::string content,
                                       const std::string& path,
                                       bool as_it_is) {
  const std::string_view head = content;
  if (head.size() > EI_DATA && head.starts_with(std::string_view{ELFMAG, SELFMAG}) &&
      head[EI_DATA] == ELFDATA2LSB) {
    if (head[EI_CLASS] == ELFCLASS32) {
      return ElfReader<Elf32>{std::move(content), path, as_it_is}.read();
    }
    if (head[EI_CLASS] == ELFCLASS64) {
      return ElfReader<Elf64>{std::move(content), path, as_it_is}.read();
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
