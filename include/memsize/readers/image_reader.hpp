// Linked programs: ELF files, and the maps that GNU ld and TI's linkers write beside them. One
// reader of ELF for everybody.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/image.hpp"

#include <string>

namespace memsize::readers {

/// An ELF file of 32 or 64 bits, little endian, linked or not. Errors (image.syntax): what is no
/// such file, or is cut short.
[[nodiscard]] core::Result<model::Image> read_elf(std::string content, const std::string& path);

/// A map as GNU ld prints it (-Wl,-Map=FILE). It has no types and few sizes: what lies in memory
/// that may be written, and is loaded from nowhere else, has no bytes; static symbols are seen
/// where each has a section of its own (-fdata-sections).
[[nodiscard]] core::Result<model::Image> read_gnu_map(std::string content, const std::string& path);

/// Firmware of a remote core: an ELF file as read_elf() takes it, but with segments that lie about
/// the file, because its loader is to say that; or the map that TI's linker wrote (--map_file).
[[nodiscard]] core::Result<model::Image> read_firmware(std::string content,
                                                       const std::string& path);

/// An ELF file or GNU ld's map, whichever the content is; a program that is linked.
[[nodiscard]] core::Result<model::Image> read_image(std::string content, const std::string& path);

}  // namespace memsize::readers
