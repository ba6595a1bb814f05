// Parsers of the files that carry a memory map, one per format. They know the formats' grammars,
// not the templates: what a linker, sysconfig, a C preprocessor or dtc would accept. Places have no
// text: core::add_text() puts it in.
#pragma once

#include "memsize/board/mpu_program.hpp"
#include "memsize/chip/entry.hpp"
#include "memsize/chip/lens.hpp"
#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/verify.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace memsize::emit {

/// Where the value of each property stands, by the property's name in the file; one that is left
/// out is not here.
using Places = std::map<std::string, core::Place, std::less<>>;

/// "[0xA0000000, 0xA0100000)" of what a file says, which may end anywhere.
[[nodiscard]] std::string range_text(std::uint64_t base, std::uint64_t size);

struct WrittenRange {
  std::string name;
  /// What a linker may put there: letters of "RWIX", as they stand; empty: it is not said.
  std::string rights = {};
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  core::Place place;
  /// "ORIGIN" and "LENGTH".
  Places places = {};
};

struct WrittenNode {
  std::string label;
  /// With its unit address; empty for an overlay of a label.
  std::string name;
  std::optional<std::uint64_t> unit_address;
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  /// A cell of its reg does not fit 32 bits.
  bool has_wide_cell = false;
  bool no_map = false;
  /// Its status is neither "okay" nor "ok": Linux passes over it.
  bool is_disabled = false;
  /// Linux uses it too, for what can be moved.
  bool is_reusable = false;
  std::string compatible;
  std::uint64_t alignment = 0;
  core::Place place;
  /// "name" with its unit address, and each property above; "reg" is all that stands between its
  /// first bracket and the last one of that line.
  Places places = {};

  /// Whether Linux leaves all of it alone.
  [[nodiscard]] bool is_reserved() const { return !is_disabled && !is_reusable; }
};

struct WrittenMmuEntry {
  unsigned instance = 0;
  std::string name;
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  std::string attribute;
  core::Place place;
  Places places = {};
  /// What else a file says of it, such as permissions, by the property's name.
  std::map<std::string, std::string> others = {};
};

/// What a core sees through them; a layer is an index.
[[nodiscard]] chip::Lens lens_of(const std::vector<WrittenMmuEntry>& entries);

struct WrittenMacro {
  std::uint64_t value = 0;
  /// Of the name.
  core::Place place;
  core::Place value_place = {};
  /// Something stands behind the number, which is not all of the value then.
  bool is_part = false;
};

/// A MEMORY block in the TI linker's syntax. The comma before LENGTH may be missing. What stands
/// behind the block is passed over.
[[nodiscard]] std::vector<WrittenRange> parse_linker(const MapFile& file,
                                                     const std::string& root,
                                                     core::Diagnostics& errors);

/// `#define NAME (0x...u)`, with the parentheses or without.
[[nodiscard]] std::map<std::string, WrittenMacro> parse_header(const MapFile& file,
                                                               const std::string& root,
                                                               core::Diagnostics& errors);

/// Adds an error for each macro whose number is a part of its value only.
void check_whole(const std::map<std::string, WrittenMacro>& macros, core::Diagnostics& errors);

/// The nodes of reserved memory that have a label. Those are the nodes of a file that is no tree
/// but a list of them; in a tree those in a node `reserved-memory`, in an overlay of one by its
/// label `reserved_memory`, or in an `__overlay__`; there only with a `reg` of four cells: another
/// one is a warning. An overlay `&label { reg = <four cells> }` outside of any node is one too: it
/// changes the node of that label; another `reg` is passed over there, unless the label is that of
/// a node before it: then it is what it would be in that node. What
/// /delete-node/ names behind it, and every other node, is passed over. Four cells may stand in
/// several brackets, each as a number, as an expression of dtc's in parentheses, or as a name that
/// the file itself defines for one. A branch that #if 0 or #if 1 rules out is not read; of any
/// other condition both are, which is a warning unless it guards the whole file. Text between the
/// nodes that is no device tree, such as what is left of a comment that ended early, is a warning,
/// and so is a property or a labelled node without its semicolon.
[[nodiscard]] std::vector<WrittenNode> parse_dts(const MapFile& file,
                                                 const std::string& root,
                                                 core::Diagnostics& errors);

/// The same of a file that changes nodes of reserved memory which stand `elsewhere`, by labels.
[[nodiscard]] std::vector<WrittenNode> parse_dts_beside(const MapFile& file,
                                                        const std::string& root,
                                                        const std::set<std::string>& elsewhere,
                                                        core::Diagnostics& errors);

/// Whether a sysconfig file is a script as a whole, so that it adds each of its modules. A part of
/// one, which somebody puts behind another, may have them there.
enum class Whole { kUnknown, kYes };

/// mmu_armv8 instances in their order. A property that is not set has the default of sysconfig's
/// mmu_armv8.syscfg.js: both addresses and the size are 0, the attribute is MAIR0.
[[nodiscard]] std::vector<WrittenMmuEntry> parse_syscfg(const MapFile& file,
                                                        const std::string& root,
                                                        core::Diagnostics& errors,
                                                        Whole whole = Whole::kUnknown);

struct WrittenMpuRegion {
  chip::MpuRegionFields fields;
  core::Place place;
  /// By the names that the properties or fields have in the file.
  Places places = {};
  /// What sysconfig calls its permissions; empty: not said, so full access.
  std::string permissions = {};
};

/// The same of regions in the order of their numbers.
[[nodiscard]] chip::Lens lens_of(const std::vector<WrittenMpuRegion>& regions);

struct WrittenRatEntry {
  chip::RatEntryFields fields;
  core::Place place;
  Places places = {};
};

struct WrittenMpuSyscfg {
  /// In the order of their instances, which is that of their numbers, from `first` on.
  std::vector<WrittenMpuRegion> regions;
  std::vector<WrittenRatEntry> entries;
};

/// mpu_armv7 and addr_translate instances; a property that is not set has the default of
/// sysconfig's mpu_armv7.syscfg.js or addr_translate.syscfg.js: base 0, 4 GiB, "Cached", execution
/// allowed, no eighth off, TEX 1, C, B, not shareable; and addresses 0, 512 MiB.
[[nodiscard]] WrittenMpuSyscfg parse_mpu_syscfg(const MapFile& file,
                                                const std::string& root,
                                                unsigned first,
                                                core::Diagnostics& errors,
                                                Whole whole = Whole::kUnknown);

struct WrittenMpuSource {
  /// By the table that is defined; null where none is.
  std::shared_ptr<const board::MpuProgram> program;
  std::vector<WrittenMpuRegion> regions;
};

/// What a C file may call by name: NAME_ADDR and NAME_SIZE.
using Constants = std::map<std::string, std::uint64_t>;

/// The regions of the table of one of `programs`, by number. In a table without numbers the first
/// entry is region `first`.
[[nodiscard]] WrittenMpuSource parse_mpu_source(const MapFile& file,
                                                const std::string& root,
                                                const board::MpuPrograms& programs,
                                                const Constants& constants,
                                                unsigned first,
                                                core::Diagnostics& errors);

/// Armv8 translation tables as bytes that begin at physical address `base` (DDI 0487, D8): what a
/// walk of every address finds, pieces that continue each other as one. A descriptor with other
/// permissions than a map has, or a table outside of the file, is an error.
[[nodiscard]] std::vector<WrittenMmuEntry> parse_tables(const MapFile& file,
                                                        const std::string& root,
                                                        std::uint64_t base,
                                                        core::Diagnostics& errors);

/// The numbers of a C array `NAME[SIZE] = { ... }`, with `[INDEX] =` or without; of one with two
/// dimensions one row after the other.
[[nodiscard]] std::vector<std::uint64_t> parse_words(const MapFile& file,
                                                     const std::string& root,
                                                     const std::string& array,
                                                     core::Diagnostics& errors);

/// The rows of memsize_mpu_table: RGNR, DRBAR, DRSR, DRACR (DDI 0406C, B4.1). They have no names.
[[nodiscard]] std::vector<WrittenMpuRegion> parse_mpu_words(const MapFile& file,
                                                            const std::string& root,
                                                            core::Diagnostics& errors);

}  // namespace memsize::emit
