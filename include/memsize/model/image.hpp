// A linked program as its file has it: what lies where, and what of it is stored. Names are views
// of the file's content, which the image keeps.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/model/resource_table.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::model {

/// An output section that takes memory on the target.
struct ImageSection {
  std::string_view name;
  std::uint64_t address = 0;
  /// Where its bytes are until start-up copies them; its address where nothing is copied.
  std::uint64_t load_address = 0;
  core::Bytes size;
  bool is_writable = false;
  /// The image has its bytes; else start-up clears it, or nobody writes it before the program does.
  bool is_stored = false;
  /// Its bytes; empty where there are none, or where the file only speaks of them.
  std::string_view bytes = {};
  /// Where the file has it; 0: nowhere in particular.
  std::size_t line = 0;
  /// The multiple on which a linker puts it, wherever the rest moves; 0: the file does not say.
  std::uint64_t alignment = 0;

  [[nodiscard]] bool contains(std::uint64_t at) const {
    return at >= address && at - address < size.count();
  }
};

struct ImageSymbol {
  std::string_view name;
  std::uint64_t address = 0;
  /// Nothing: nobody says. Where `is_bound`, it is at most so large.
  std::optional<core::Bytes> size;
  bool is_bound = false;
  std::size_t line = 0;
};

/// A part that is loaded: `stored` bytes at `offset` of the file, of `size` in memory.
struct ImageSegment {
  std::uint64_t address = 0;
  std::uint64_t load_address = 0;
  std::uint64_t offset = 0;
  std::uint64_t stored = 0;
  std::uint64_t size = 0;
  std::uint64_t alignment = 1;
};

/// A row of a linker's map that says how much of a region is used, with all padding.
struct ImageRegion {
  std::string_view name;
  std::uint64_t origin = 0;
  core::Bytes length;
  core::Bytes used;
  std::size_t line = 0;
};

struct Image {
  /// As the user typed it.
  std::string path;
  /// "elf", "gnu-map", "ti-map".
  std::string_view format;
  /// "Arm"; empty: the file does not say.
  std::string machine;
  /// 32 or 64; 0: the file does not say.
  unsigned bits = 0;
  /// Whether addresses are those of the target: else it is an object, for a linker.
  bool is_linked = false;
  std::uint64_t entry = 0;
  core::SharedText content;
  /// By address.
  std::vector<ImageSection> sections;
  /// In the file's order.
  std::vector<ImageSymbol> symbols;
  /// As the file has them: with read_firmware() they may reach behind its end.
  std::vector<ImageSegment> segments;
  /// Of a map; then there are no sections.
  std::vector<ImageRegion> regions;
  /// What a map calls the program.
  std::string_view output;
  /// What Linux' remoteproc says of the file instead of loading it, in its own words.
  std::string refusal;
  /// Nothing where no section is called so.
  std::optional<ResourceTable> resources;

  /// Null: none lies there.
  [[nodiscard]] const ImageSection* section_at(std::uint64_t address) const;
};

}  // namespace memsize::model
