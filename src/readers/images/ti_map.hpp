// The maps of TI's linkers, and how those that read programs tell files apart.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/image.hpp"

#include <string>
#include <string_view>

namespace memsize::readers {

/// Whether it has the table of regions that TI's linkers write, whatever its banner says.
[[nodiscard]] bool is_ti_map(std::string_view content);
[[nodiscard]] bool is_gnu_map(std::string_view content);

/// Errors (image.syntax): rows whose numbers do not agree, each with its line; no row at all.
[[nodiscard]] core::Result<model::Image> read_ti_map(std::string content, const std::string& path);

/// An ELF file whose segments may lie about it.
[[nodiscard]] core::Result<model::Image> read_elf_as_it_is(std::string content,
                                                           const std::string& path);

[[nodiscard]] core::Diagnostic object_not_program(const std::string& path);

}  // namespace memsize::readers
