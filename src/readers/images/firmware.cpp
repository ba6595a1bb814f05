// Firmware as its core's loader gets it: an ELF file, whatever its segments say, or the map that
// TI's linker wrote beside it.
#include "memsize/core/text.hpp"
#include "memsize/readers/device_tree_reader.hpp"
#include "memsize/readers/image_reader.hpp"

#include "loader_words.hpp"
#include "ti_map.hpp"

#include <cstring>
#include <utility>

#include <elf.h>
#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

template <typename Header, typename Section>
std::string refusal_of(std::string_view file) {
  Header header{};
  std::memcpy(&header, file.data(), sizeof header);
  if (header.e_shoff > file.size() || file.size() - header.e_shoff < sizeof(Section)) {
    return "Image is too small";
  }
  if (header.e_phnum == 0) {
    return "No loadable segments";
  }
  return header.e_phoff > file.size() ? "Firmware size is too small" : "";
}

}  // namespace

// Source: rproc_elf_sanity_check() in drivers/remoteproc/remoteproc_elf_loader.c of Linux.
std::string loader_refusal(std::string_view file) {
  if (file.size() < sizeof(Elf32_Ehdr)) {
    return "Image is too small";
  }
  const auto elf_class = static_cast<unsigned char>(file[EI_CLASS]);
  if (elf_class != ELFCLASS32 && elf_class != ELFCLASS64) {
    return fmt::format("Unsupported class: {}", elf_class);
  }
  if (elf_class == ELFCLASS64 && file.size() < sizeof(Elf64_Ehdr)) {
    return "elf64 header is too small";
  }
  if (file[EI_DATA] != ELFDATA2LSB) {
    return "Unsupported firmware endianness";
  }
  if (!file.starts_with(std::string_view{ELFMAG, SELFMAG})) {
    return "Image is corrupted (bad magic)";
  }
  return elf_class == ELFCLASS32 ? refusal_of<Elf32_Ehdr, Elf32_Shdr>(file)
                                 : refusal_of<Elf64_Ehdr, Elf64_Shdr>(file);
}

core::Result<model::Image> read_firmware(std::string content, const std::string& path) {
  if (!content.starts_with('\x7f')) {
    if (is_ti_map(content)) {
      return read_ti_map(std::move(content), path);
    }
    if (is_gnu_map(content)) {
      return core::fail(
          core::error(Code::kImageSyntax,
                      "this is a map of GNU ld, which does not say how much of each region is used",
                      {path},
                      "name the ELF file that was linked with it"));
    }
    if (is_device_tree(content)) {
      return core::fail(
          core::error(Code::kImageSyntax,
                      "this is a device tree or a boot image, and no core's program",
                      {path},
                      "memsize check --images FILE --board BOARD holds it against a map"));
    }
    return core::fail(core::error(
        Code::kImageSyntax,
        "this is neither an ELF file nor a map of TI's linker",
        {path},
        "name the file that the linker wrote with -o, or its map (--map_file); a .bin or .hex does "
        "not say where it goes"));
  }
  std::string refusal = loader_refusal(content);
  auto image = read_elf_as_it_is(std::move(content), path);
  if (!image) {
    if (!refusal.empty()) {
      image.error().front().message += fmt::format(" (Linux says: {})", refusal);
    }
    return image;
  }
  if (!image->is_linked) {
    return core::fail(object_not_program(path));
  }
  image->refusal = std::move(refusal);
  return image;
}

}  // namespace memsize::readers
