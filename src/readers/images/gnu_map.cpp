// The map that GNU ld writes: regions, then each output section with what it is made of. It says
// neither whether a section may be written nor whether its bytes are stored; the region's
// attributes, the load address and the names of the parts do.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/image_reader.hpp"

#include "ti_map.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;
using model::ImageSection;
using model::ImageSymbol;

constexpr std::string_view kRegionsHead = "Memory Configuration";
constexpr std::string_view kSectionsHead = "Linker script and memory map";
constexpr std::string_view kEnd = "Cross Reference Table";
constexpr std::string_view kMachine = "OUTPUT(";
// Where lines end as on Windows, too.
constexpr std::string_view kBlanks = " \t\r";

// No script has more; each section is looked for in all of them.
constexpr std::size_t kMostRegions = 1024;

struct MapRegion {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  bool is_writable = false;
};

std::optional<std::uint64_t> hex(std::string_view text) {
  std::uint64_t value = 0;
  if (!text.starts_with("0x") || text.size() < 3) {
    return std::nullopt;
  }
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + 2, end, value, 16);
  return error == std::errc{} && at == end ? std::optional{value} : std::nullopt;
}

// The next word of the line; empty at its end.
std::string_view next_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) {
    line = {};
    return {};
  }
  line.remove_prefix(begin);
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(word.size());
  return word;
}

// What takes no memory has addresses too.
bool is_for_debuggers(std::string_view name) {
  return name.starts_with(".debug") || name.starts_with(".comment") || name.starts_with(".stab") ||
         name.starts_with(".note.GNU") || name.ends_with(".attributes");
}

// A part that compilers give no bytes.
bool is_cleared(std::string_view part) {
  return part == "COMMON" || part == ".bss" || part.starts_with(".bss.") ||
         part.starts_with(".noinit");
}

// Compilers give bytes to parts of other names; scripts take them away again (NOLOAD).
bool is_without_bytes(std::string_view output) {
  constexpr auto kNames = std::to_array<std::string_view>({"bss", "noinit", "stack", "heap"});
  return std::ranges::any_of(
      kNames, [&](auto name) { return output.find(name) != std::string_view::npos; });
}

// Half-open.
using AddressRange = std::pair<std::uint64_t, std::uint64_t>;

std::optional<MapRegion> region_of(std::string_view line) {
  (void)next_word(line);
  const auto base = hex(next_word(line));
  const auto size = hex(next_word(line));
  const std::string_view attributes = next_word(line);
  if (!base || !size || attributes.empty()) {
    return std::nullopt;
  }
  return MapRegion{*base, *size, attributes.find('w') != std::string_view::npos};
}

// "OUTPUT(a.elf elf32-littlearm)"
void read_machine(std::string_view line, model::Image& image) {
  const std::size_t at = line.find(" elf");
  const std::string_view format = at == std::string_view::npos ? "" : line.substr(at + 1);
  image.bits = format.starts_with("elf32") ? 32 : format.starts_with("elf64") ? 64 : 0;
  constexpr auto kMachines = std::to_array<std::pair<std::string_view, const char*>>(
      {{"arm", "Arm"}, {"aarch64", "AArch64"}, {"riscv", "RISC-V"}, {"x86-64", "x86-64"}});
  for (const auto& [word, name] : kMachines) {
    if (format.find(word) != std::string_view::npos) {
      image.machine = name;
    }
  }
}

// What nobody wrote beside the section: whether it may be written, and whether its bytes are
// stored. `has_contents`: one of its parts has bytes.
ImageSection with_flags(ImageSection section,
                        bool has_contents,
                        const std::vector<MapRegion>& regions) {
  const MapRegion* const region = core::find_where(regions, [&](const MapRegion& each) {
    return section.address >= each.base && section.address - each.base < each.size;
  });
  const bool is_code = section.name.find("text") != std::string_view::npos;
  section.is_writable = region != nullptr ? region->is_writable && !is_code
                                          : !is_code && !section.name.starts_with(".rodata");
  // Where one region is loaded behind another, what start-up clears has a load address, too.
  section.is_stored = !section.is_writable || (has_contents && !is_without_bytes(section.name));
  section.load_address = section.is_stored ? section.load_address : section.address;
  return section;
}

// What has no size of its own reaches to the next symbol, or to the end of its part, at most.
void bound_symbols(std::vector<AddressRange> parts, std::vector<ImageSymbol>& symbols) {
  std::ranges::sort(parts);
  std::vector<std::uint64_t> starts;
  std::map<std::pair<std::uint64_t, std::string_view>, bool> has_size;
  for (const ImageSymbol& symbol : symbols) {
    starts.push_back(symbol.address);
    has_size[{symbol.address, symbol.name}] |= symbol.size.has_value();
  }
  std::ranges::sort(starts);
  for (ImageSymbol& symbol : symbols) {
    const auto part = std::ranges::upper_bound(parts, symbol.address, {}, &AddressRange::first);
    if (symbol.size || part == parts.begin() || std::prev(part)->second <= symbol.address) {
      continue;
    }
    const auto next = std::ranges::upper_bound(starts, symbol.address);
    const std::uint64_t end =
        next == starts.end() ? std::prev(part)->second : std::min(*next, std::prev(part)->second);
    symbol.size = core::Bytes{end - symbol.address};
    symbol.is_bound = true;
  }
  // What has a section of its own stands there once more as a symbol.
  std::erase_if(symbols, [&](const ImageSymbol& symbol) {
    return symbol.is_bound && has_size[{symbol.address, symbol.name}];
  });
}

class GnuMapReader {
 public:
  GnuMapReader(std::string content, const std::string& path) {
    image_.path = path;
    image_.format = "gnu-map";
    image_.is_linked = true;
    image_.content = core::SharedText{std::move(content)};
  }

  core::Result<model::Image> read() {
    std::string_view rest = image_.content.str();
    while (!rest.empty() && !is_at_end_) {
      ++line_;
      const std::size_t length = std::min(rest.find('\n'), rest.size());
      read_line(rest.substr(0, length));
      rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    if (wrong_) {
      return core::fail(std::move(*wrong_));
    }
    if (part_ != Part::kSections) {
      return core::fail(core::error(Code::kImageSyntax,
                                    fmt::format("this map ends before its '{}'", kSectionsHead),
                                    {image_.path},
                                    "link again with -Wl,-Map=FILE, and give the whole file"));
    }
    finish_section();
    bound_symbols(std::move(parts_), image_.symbols);
    std::ranges::stable_sort(image_.sections, {}, &ImageSection::address);
    return std::move(image_);
  }

 private:
  enum class Part { kHead, kRegions, kSections };

  // Of one output section, until the next begins.
  struct Open {
    ImageSection section;
    /// One of its parts has bytes.
    bool has_contents = false;
  };

  void read_line(std::string_view line) {
    if (line.starts_with(kRegionsHead) || line.starts_with(kSectionsHead)) {
      part_ = line.starts_with(kRegionsHead) ? Part::kRegions : Part::kSections;
    } else if (part_ == Part::kRegions) {
      if (const auto region = region_of(line); region && regions_.size() < kMostRegions) {
        regions_.push_back(*region);
      }
    } else if (part_ == Part::kSections) {
      is_at_end_ = line.starts_with(kEnd);
      read_section_line(line);
    }
  }

  void read_section_line(std::string_view line) {
    if (line.starts_with(kMachine)) {
      read_machine(line, image_);
    }
    const std::size_t indent = line.find_first_not_of(' ');
    if (line.find_first_not_of(kBlanks) == std::string_view::npos || is_at_end_) {
      return;
    }
    if (indent > 1) {
      read_continued(line);
      return;
    }
    pending_ = next_word(line);
    pending_is_output_ = indent == 0;
    pending_line_ = line_;
    if (const std::string_view address = next_word(line); !address.empty()) {
      begin(address, line);
    } else if (pending_.front() == '*') {
      pending_ = {};
    }
  }

  // A symbol, or what belongs to a name that was too long for its line.
  void read_continued(std::string_view line) {
    const std::string_view address = next_word(line);
    if (!pending_.empty()) {
      begin(address, line);
      return;
    }
    const std::string_view name = next_word(line);
    // Assignments have more words.
    if (const auto at = hex(address); at && next_word(line).empty() && !name.empty() &&
                                      (core::is_identifier(name) || name.starts_with('_'))) {
      image_.symbols.push_back({.name = name, .address = *at, .line = line_});
    }
  }

  void begin(std::string_view address, std::string_view line) {
    const std::string_view name = std::exchange(pending_, {});
    const auto at = hex(address);
    const auto size = hex(next_word(line));
    if (!at || !size || name.front() == '*') {
      return;
    }
    if (!core::checked_add(*at, *size)) {
      say_wrong(name);
      return;
    }
    if (pending_is_output_) {
      finish_section();
      begin_section(name, *at, core::Bytes{*size}, line);
    } else {
      add_part(name, *at, core::Bytes{*size});
    }
  }

  void begin_section(std::string_view name,
                     std::uint64_t at,
                     core::Bytes size,
                     std::string_view line) {
    open_.section = {.name = name, .address = at, .load_address = at, .size = size};
    open_.section.line = pending_line_;
    if (next_word(line) == "load" && next_word(line) == "address") {
      const auto load = hex(next_word(line));
      if (!load || !core::checked_add(*load, size.count())) {
        say_wrong(name);
        return;
      }
      open_.section.load_address = *load;
    }
  }

  void say_wrong(std::string_view name) {
    if (!wrong_) {
      wrong_ = core::error(
          Code::kImageSyntax,
          fmt::format("'{}' would end behind the last address", core::printable(name, 80)),
          {image_.path, line_},
          "link again with -Wl,-Map=FILE, and give the file as it is");
    }
  }

  // ".bss.x" of an object that has a section for each variable is 'x', also where it is static.
  void add_part(std::string_view name, std::uint64_t at, core::Bytes size) {
    if (size == core::Bytes{} || is_for_debuggers(open_.section.name)) {
      return;
    }
    open_.has_contents = open_.has_contents || !is_cleared(name);
    parts_.emplace_back(at, at + size.count());
    const std::size_t dot = name.rfind('.');
    if (dot != 0 && dot != std::string_view::npos && core::is_identifier(name.substr(dot + 1))) {
      image_.symbols.push_back({name.substr(dot + 1), at, size, false, pending_line_});
    }
  }

  void finish_section() {
    if (open_.section.size != core::Bytes{} && !is_for_debuggers(open_.section.name)) {
      image_.sections.push_back(with_flags(open_.section, open_.has_contents, regions_));
    }
    open_ = {};
  }

  model::Image image_;
  std::vector<MapRegion> regions_;
  Part part_ = Part::kHead;
  bool is_at_end_ = false;
  std::size_t line_ = 0;
  /// A name whose address is on the next line.
  std::string_view pending_;
  bool pending_is_output_ = false;
  std::size_t pending_line_ = 0;
  Open open_;
  std::vector<AddressRange> parts_;
  std::optional<core::Diagnostic> wrong_;
};

}  // namespace

core::Result<model::Image> read_gnu_map(std::string content, const std::string& path) {
  return GnuMapReader{std::move(content), path}.read();
}

bool is_gnu_map(std::string_view content) {
  return content.find(kRegionsHead) != std::string::npos ||
         content.find(kSectionsHead) != std::string::npos;
}

core::Diagnostic object_not_program(const std::string& path) {
  return core::error(Code::kImageSyntax,
                     "this ELF file is an object: nothing in it has its address yet",
                     {path},
                     "name the program that it is linked into");
}

core::Result<model::Image> read_image(std::string content, const std::string& path) {
  const std::string_view head = std::string_view{content}.substr(0, 4);
  const bool is_map = is_gnu_map(content);
  if (!head.starts_with("\x7f") && !is_map) {
    return core::fail(core::error(
        Code::kImageSyntax,
        "this is neither an ELF file nor a map of GNU ld",
        {path},
        "name the file that the linker wrote with -o; a .bin or .hex has no names, and maps of "
        "other linkers are not read"));
  }
  auto image = is_map && !head.starts_with("\x7f") ? read_gnu_map(std::move(content), path)
                                                   : read_elf(std::move(content), path);
  if (image && !image->is_linked) {
    return core::fail(object_not_program(path));
  }
  return image;
}

}  // namespace memsize::readers
