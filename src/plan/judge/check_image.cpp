// Each symbol that a plan's module has, held against where the plan has it. heliaAOT's guide to
// tensor packaging has the names: PREFIX_arena_[persistent_|const_]MEMORY_buffer, and __source
// behind the name of a constant arena for what it is copied from.
#include "memsize/plan/check_image.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "image_memories.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::plan {

namespace {

using board::PartMemory;
using core::Code;
using core::Diagnostic;
using model::Image;
using model::ImageSection;
using model::ImageSymbol;
using model::Lifetime;
using model::PlannedArena;

constexpr unsigned kPartBits = 32;
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kListedNames = 5;

// What a module has in an image for one arena.
struct WantedSymbol {
  const PlannedArena* arena = nullptr;
  std::string memory;
  /// As people would look for it.
  std::string name;
  /// What else it may be called.
  std::vector<std::string> others;
  /// Read only; else the program writes to it.
  bool is_constant = false;
  /// Somebody works in it where it lies; a source is only copied.
  bool is_arena = true;
};

std::string stem_of(const model::PlanReport& plan, const PlannedArena& arena) {
  const char* const role = arena.role == Lifetime::kScratch      ? ""
                           : arena.role == Lifetime::kPersistent ? "persistent_"
                                                                 : "const_";
  return fmt::format("{}_arena_{}{}", plan.prefix, role, arena.memory);
}

// What objcopy calls a file of bytes begins with where the file was.
std::string sidecar_of(const std::string& stem) {
  return stem + "__blob_bin_start";
}

core::Bytes least_of(const PlannedArena& arena) {
  return arena.used ? *arena.used : arena.total.value_or(core::Bytes{});
}

std::vector<WantedSymbol> wanted_of(const model::PlanReport& plan) {
  std::vector<WantedSymbol> wanted;
  for (const PlannedArena& arena : plan.arenas) {
    if (least_of(arena) == core::Bytes{}) {
      continue;
    }
    const std::string stem = stem_of(plan, arena);
    const bool is_constant = arena.role == Lifetime::kConstant;
    const bool is_staged = !arena.source_memory.empty() && arena.source_memory != arena.memory;
    WantedSymbol own{&arena, arena.memory, stem + "_buffer", {stem}, is_constant && !is_staged};
    if (own.is_constant) {
      own.others.insert(own.others.end(), {stem + "__source", sidecar_of(stem)});
    }
    wanted.push_back(std::move(own));
    if (is_constant && is_staged) {
      wanted.push_back(
          {&arena, arena.source_memory, stem + "__source", {sidecar_of(stem)}, true, false});
    }
  }
  return wanted;
}

std::string shown(std::string_view name) {
  return fmt::format("'{}'", core::printable(name, 80));
}

// Compilers put a number or a word behind what is static, from a dot on.
std::string_view base_name(std::string_view name) {
  return name.substr(0, name.find('.'));
}

// A program, and what it was linked for.
struct Linked {
  const Image& image;
  const model::PlanReport& plan;
  const board::MemorySet& part;
  const std::vector<MemoryUse>& uses;

  [[nodiscard]] core::Place place(std::size_t line = 0) const { return {image.path, line}; }
};

// The arenas' symbols by their names, without what compilers put behind them.
class ArenaSymbols {
 public:
  ArenaSymbols(const Image& image, const std::string& prefix) {
    for (const ImageSymbol& symbol : image.symbols) {
      const std::string_view name = base_name(symbol.name);
      if (name.find("_arena_") != std::string_view::npos) {
        // objcopy's names begin with a path.
        const std::size_t own = name.starts_with("_binary_") ? name.find(prefix + "_arena_") : 0;
        symbols_[name.substr(std::min(own, name.size()))].push_back(&symbol);
      }
    }
  }

  /// By address, each once.
  [[nodiscard]] std::vector<const ImageSymbol*> named(const WantedSymbol& wanted) const {
    std::vector<std::string> names = {wanted.name};
    names.insert(names.end(), wanted.others.begin(), wanted.others.end());
    for (const std::string& name : names) {
      if (const auto* const found = core::value_in(symbols_, name)) {
        std::map<std::uint64_t, const ImageSymbol*> places;
        for (const ImageSymbol* const symbol : *found) {
          places.emplace(symbol->address, symbol);
        }
        std::vector<const ImageSymbol*> all;
        all.reserve(places.size());
        for (const auto& [address, symbol] : places) {
          all.push_back(symbol);
        }
        return all;
      }
    }
    return {};
  }

  /// What modules are called that have buffers.
  [[nodiscard]] std::set<std::string> modules() const {
    std::set<std::string> modules;
    for (const auto& [name, symbols] : symbols_) {
      if (name.ends_with("_buffer") && modules.size() < kListedNames) {
        modules.insert(shown(name.substr(0, name.find("_arena_"))));
      }
    }
    return modules;
  }

 private:
  std::map<std::string_view, std::vector<const ImageSymbol*>, std::less<>> symbols_;
};

Diagnostic other_machine(const Image& image, const board::MemorySet& part) {
  return core::error(Code::kImageMachine,
                     fmt::format("this image is for {}{} bit: part '{}' has addresses of {}",
                                 image.machine.empty() ? "" : image.machine + ", ",
                                 image.bits,
                                 core::printable(part.name, 80),
                                 kPartBits),
                     {image.path},
                     "name what is linked for the part, not a build for this machine");
}

Diagnostic no_module(const Image& image,
                     const std::string& prefix,
                     const std::set<std::string>& others) {
  if (image.symbols.empty()) {
    return core::error(Code::kImageModule,
                       "this image has no symbols: where its arenas lie cannot be seen",
                       {image.path},
                       "give the file as it was linked, before strip or objcopy")
        .about({{"module", prefix}});
  }
  return core::error(Code::kImageModule,
                     fmt::format("nothing in this image is called after module {}", shown(prefix)),
                     {image.path},
                     others.empty() ? "is the module linked in, and does the program call it?"
                                    : fmt::format("it has {}: check it with the plan of that one",
                                                  core::join({others.begin(), others.end()}, ", ")))
      .about({{"module", prefix}});
}

Diagnostic no_arenas(const Image& image, const std::string& prefix) {
  return core::note(Code::kImageModule,
                    fmt::format("module {} has no arenas of its own in this image, so that where "
                                "they are bound was not checked",
                                shown(prefix)),
                    {image.path},
                    image.format == "elf"
                        ? "that is what allocate_arenas: false makes; else keep static symbols "
                          "(no strip, no --discard-all)"
                        : "that is what allocate_arenas: false makes; else give the ELF file: a "
                          "map has no static symbols");
}

// --- one symbol

struct Found {
  const WantedSymbol& wanted;
  const ImageSymbol& symbol;
  std::optional<core::Bytes> size;
};

Diagnostic about_arena(Diagnostic said,
                       const model::PlanReport& plan,
                       const WantedSymbol& wanted,
                       const std::string& symbol) {
  Diagnostic whole = std::move(said).about({{"symbol", symbol}, {"memory", wanted.memory}});
  if (wanted.arena->line != 0) {
    whole.related.push_back({{plan.path, wanted.arena->line}, "the plan has it here"});
  }
  return whole;
}

Diagnostic symbol_fault(const Linked& linked,
                        Code code,
                        const Found& found,
                        const std::string& what,
                        std::string hint) {
  return about_arena(core::error(code,
                                 fmt::format("{} {}", shown(found.symbol.name), what),
                                 linked.place(found.symbol.line),
                                 std::move(hint)),
                     linked.plan,
                     found.wanted,
                     core::printable(found.symbol.name, 80));
}

Diagnostic missing_symbol(const Linked& linked, const WantedSymbol& wanted) {
  const bool is_map = linked.image.format == "gnu-map";
  Diagnostic missing = about_arena(
      core::error(Code::kImageMissing,
                  fmt::format("{} is not in the image: it is planned in {}, with {}",
                              shown(wanted.name),
                              wanted.memory,
                              core::format_bytes(least_of(*wanted.arena))),
                  linked.place(),
                  is_map ? "a map has no static symbols, unless each has a section of its own "
                           "(-fdata-sections): give the ELF file"
                         : "was the module generated from this plan? What nobody uses is left "
                           "out by --gc-sections"),
      linked.plan,
      wanted,
      wanted.name);
  // Constants that are read where they lie may be arrays of their own.
  if (wanted.is_constant && wanted.is_arena) {
    missing.severity = core::Severity::kWarning;
  }
  return missing;
}

// "0x20080000, '.sram_bss'"
std::string address_text(const Image& image, const ImageSymbol& symbol) {
  const ImageSection* const section = image.section_at(symbol.address);
  const std::string address = core::format_hex(symbol.address);
  return section == nullptr ? address : fmt::format("{}, {}", address, shown(section->name));
}

// `places`: all of them.
Diagnostic linked_twice(const Linked& linked,
                        const Found& found,
                        const std::vector<const ImageSymbol*>& places) {
  Diagnostic twice = symbol_fault(linked,
                                  Code::kImageDuplicate,
                                  found,
                                  fmt::format("is in the image {} times", places.size()),
                                  "link the module's sources once; a header that defines an arena "
                                  "gives each source that includes it one of its own");
  for (std::size_t i = 0; i < std::min(places.size(), kListedNames); ++i) {
    twice.details.push_back(address_text(linked.image, *places[i]));
  }
  return twice;
}

// Of what objcopy made the end has a name, too.
std::optional<core::Bytes> symbol_size(const Image& image, const ImageSymbol& symbol) {
  constexpr std::string_view kStart = "_start";
  if (!symbol.name.starts_with("_binary_") || !symbol.name.ends_with(kStart)) {
    return symbol.size;
  }
  const std::string end =
      std::string{symbol.name.substr(0, symbol.name.size() - kStart.size())} + "_end";
  const auto* const found = core::find_in(image.symbols, end, &ImageSymbol::name);
  return found == nullptr || found->address < symbol.address
             ? std::nullopt
             : std::optional{core::Bytes{found->address - symbol.address}};
}

// Of the part's scripts for linkers that read GNU's; null: there is none.
const board::PartSection* section_for(const PartMemory& memory,
                                      board::SectionHolds holds,
                                      board::StartUp start_up) {
  return core::find_where(memory.sections, [&](const board::PartSection& section) {
    return section.holds == holds && section.start_up == start_up &&
           (section.toolchain.empty() || section.toolchain == "gcc");
  });
}

std::string way_into(const board::PartSection& section, const WantedSymbol& wanted) {
  return section.attribute.empty()
             ? fmt::format("declare it {} and without a section of its own: '{}' lies in {}",
                           wanted.is_constant ? "const" : "without a value",
                           section.name,
                           wanted.memory)
             : fmt::format("__attribute__((section(\"{}\"))) puts it into '{}', in {}",
                           section.attribute,
                           section.name,
                           wanted.memory);
}

// How a symbol comes to its memory.
std::string way_to(const Linked& linked, const WantedSymbol& wanted) {
  const PartMemory* const planned = memory_called(linked.part, wanted.memory);
  if (planned == nullptr) {
    return fmt::format("part '{}' has no such memory: plan for this part",
                       core::printable(linked.part.name, 80));
  }
  const bool is_used = core::contains(linked.uses, wanted.memory, &MemoryUse::memory);
  if (planned->sections.empty() && planned->by_rule && !is_used) {
    return fmt::format(
        "nothing of the image lies in {0}, which is no region of its linker script: build the "
        "module with allocate_arenas: false, and bind an arena in {0} at run time",
        wanted.memory);
  }
  const auto* const section = section_for(
      *planned,
      wanted.is_constant ? board::SectionHolds::kConstant : board::SectionHolds::kZeroed,
      wanted.is_constant ? board::StartUp::kNone : board::StartUp::kClears);
  if (section != nullptr) {
    return way_into(*section, wanted);
  }
  return fmt::format(
      "put it into a section that the linker script has in {}, by the module's macro for that "
      "memory (PUT_IN_...)",
      wanted.memory);
}

// That it is not in its memory.
std::optional<Diagnostic> misplaced(const Linked& linked,
                                    const Found& found,
                                    const ImageSection* section) {
  const WantedSymbol& wanted = found.wanted;
  const PartMemory* const actual = memory_at(linked.part, found.symbol.address);
  if (actual != nullptr && actual->name == wanted.memory) {
    return std::nullopt;
  }
  const bool is_copied = wanted.is_constant && section != nullptr &&
                         section->load_address != section->address && actual != nullptr;
  if (is_copied) {
    return symbol_fault(
        linked,
        Code::kImageConstant,
        found,
        fmt::format("is constant and planned in {}, but start-up copies it to {} with {}",
                    wanted.memory,
                    actual->name,
                    shown_section(*section)),
        "declare it const, so that it stays where it is loaded and costs its bytes once");
  }
  return symbol_fault(linked,
                      Code::kImageMemory,
                      found,
                      fmt::format("is planned in {}, but lies in {} ({})",
                                  wanted.memory,
                                  actual == nullptr ? "no memory of the part" : actual->name,
                                  address_text(linked.image, found.symbol)),
                      way_to(linked, wanted));
}

std::string way_to_zeros(const board::MemorySet& part, const WantedSymbol& wanted) {
  const PartMemory& memory = *memory_called(part, wanted.memory);
  if (const auto* const cleared =
          section_for(memory, board::SectionHolds::kZeroed, board::StartUp::kClears);
      cleared != nullptr) {
    return way_into(*cleared, wanted);
  }
  return memory.sections.empty()
             ? "put it into a section that start-up clears and the image has no bytes of (NOLOAD)"
             : fmt::format(
                   "the linker script of part '{}' has no section in {} that start-up "
                   "clears; see memsize board show {}",
                   core::printable(part.name, 80),
                   wanted.memory,
                   core::shell_word(core::printable(part.name, 80)));
}

Diagnostic stored_zeros(const Linked& linked, const Found& found, const ImageSection& section) {
  const core::Bytes least = least_of(*found.wanted.arena);
  Diagnostic zeros = symbol_fault(
      linked,
      Code::kImageZeros,
      found,
      fmt::format(
          "lies in {}, which start-up copies from flash: {} of zeros are in the image",
          shown(section.name),
          core::format_bytes(found.symbol.is_bound ? least : found.symbol.size.value_or(least))),
      way_to_zeros(linked.part, found.wanted));
  zeros.severity = core::Severity::kWarning;
  return zeros;
}

// That the section, which is in the right memory, is not for what the symbol is used for.
std::optional<Diagnostic> misused(const Linked& linked,
                                  const Found& found,
                                  const ImageSection& section) {
  const bool can_be_written =
      section.is_writable && memory_at(linked.part, found.symbol.address)->writable;
  const auto fault = [&](const std::string& what, std::string hint) {
    return symbol_fault(linked, Code::kImageConstant, found, what, std::move(hint));
  };
  if (found.wanted.is_constant && !section.is_stored) {
    return fault(
        fmt::format("is constant, but {} has no bytes in the image", shown_section(section)),
        "put it into a read-only section");
  }
  if (found.wanted.is_constant && can_be_written) {
    return fault(fmt::format("is constant, but lies in {}, which is written at start",
                             shown_section(section)),
                 "declare it const, and put it into a read-only section");
  }
  if (!found.wanted.is_constant && !section.is_writable) {
    return fault(fmt::format("is written at run time, but lies in {}, which is read-only",
                             shown_section(section)),
                 "declare it without const: a read-only section in such a memory is not copied at "
                 "start, either");
  }
  return !found.wanted.is_constant && section.is_stored
             ? std::optional{stored_zeros(linked, found, section)}
             : std::nullopt;
}

std::optional<Diagnostic> misaligned(const Linked& linked, const Found& found) {
  const PartMemory* const memory = memory_called(linked.part, found.wanted.memory);
  if (!found.wanted.is_arena || memory == nullptr) {
    return std::nullopt;
  }
  const core::Align needed =
      std::max(found.wanted.arena->alignment.value_or(core::Align{}), memory->arena_alignment);
  if (core::is_aligned(found.symbol.address, needed)) {
    return std::nullopt;
  }
  return symbol_fault(linked,
                      Code::kImageAlignment,
                      found,
                      fmt::format("lies at {}, which is no multiple of {}",
                                  core::format_hex(found.symbol.address),
                                  needed.value()),
                      fmt::format("declare it with alignas({0}), and keep ALIGN({0}) or more in "
                                  "front of it in the linker script",
                                  needed.value()));
}

std::optional<Diagnostic> missized(const Linked& linked, const Found& found) {
  const PlannedArena& arena = *found.wanted.arena;
  const core::Bytes least = least_of(arena);
  const core::Bytes most = core::align_up(std::max(least, arena.total.value_or(least)),
                                          arena.alignment.value_or(core::Align{}));
  if (!found.size || (*found.size >= least && (found.symbol.is_bound || *found.size <= most))) {
    return std::nullopt;
  }
  return symbol_fault(
      linked,
      Code::kImageSize,
      found,
      fmt::format("has {}{}, but {} are planned",
                  found.symbol.is_bound ? "at most " : "",
                  core::format_bytes(*found.size),
                  core::format_bytes(least)),
      "the module was generated from another plan: generate it again, and build with it");
}

void add_to(core::Diagnostics& said, std::optional<Diagnostic> more) {
  if (more) {
    said.push_back(std::move(*more));
  }
}

FoundSymbol judged_symbol(const Linked& linked, const Found& found, core::Diagnostics& said) {
  const ImageSection* const section = linked.image.section_at(found.symbol.address);
  if (auto fault = misplaced(linked, found, section); fault) {
    said.push_back(std::move(*fault));
  } else if (section != nullptr) {
    add_to(said, misused(linked, found, *section));
  }
  add_to(said, misaligned(linked, found));
  add_to(said, missized(linked, found));
  return {core::printable(found.symbol.name, 80),
          found.wanted.memory,
          found.wanted.arena->role,
          found.symbol.address,
          found.size,
          section == nullptr ? "" : core::printable(section->name, 80)};
}

// --- all of them

void say_overlaps(const Linked& linked, const std::vector<Found>& all, core::Diagnostics& said) {
  std::vector<const Found*> by_address;
  by_address.reserve(all.size());
  for (const Found& found : all) {
    by_address.push_back(&found);
  }
  std::ranges::stable_sort(
      by_address, {}, [](const Found* found) { return found->symbol.address; });
  for (std::size_t i = 1; i < by_address.size(); ++i) {
    const Found& below = *by_address[i - 1];
    const Found& above = *by_address[i];
    const std::uint64_t size = below.size.value_or(core::Bytes{}).count();
    if (above.symbol.address - below.symbol.address < size) {
      said.push_back(symbol_fault(
          linked,
          Code::kImageOverlap,
          above,
          fmt::format("lies at {}, in {}, which ends at {}",
                      core::format_hex(above.symbol.address),
                      shown(below.symbol.name),
                      core::format_hex(below.symbol.address + size)),
          "one of the two is placed by hand, or by a section at a fixed address: move it"));
    }
  }
}

std::string hash_macro(const std::string& prefix) {
  std::string macro = prefix + "_PLAN_HASH";
  std::ranges::transform(macro, macro.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return macro;
}

std::optional<std::string> leading_hash(std::string_view text) {
  const std::string_view digits = text.substr(0, kHashDigits);
  const bool is_hash = digits.size() == kHashDigits &&
                       digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
  return is_hash ? std::optional{core::to_lower(digits)} : std::nullopt;
}

// The hash in the variable that is called so, in letters of any case; nothing: there is none.
std::optional<std::string> hash_in_symbol(const Image& image, const std::string& variable) {
  const std::string wanted = core::to_lower(variable);
  for (const ImageSymbol& symbol : image.symbols) {
    const std::string_view name = base_name(symbol.name);
    if (name.size() != wanted.size() || core::to_lower(name) != wanted) {
      continue;
    }
    const ImageSection* const section = image.section_at(symbol.address);
    if (section != nullptr && symbol.address - section->address < section->bytes.size()) {
      return leading_hash(section->bytes.substr(symbol.address - section->address));
    }
  }
  return std::nullopt;
}

// The plan's hash as the image has it; nothing: it cannot be seen.
std::optional<std::string> hash_in_image(const Image& image, const model::PlanReport& plan) {
  if (auto hash = hash_in_symbol(image, plan.prefix + "_plan_hash"); hash) {
    return hash;
  }
  // With -g3 the macro is among the debugger's texts.
  const std::string macro = hash_macro(plan.prefix) + " ";
  const std::string_view content = image.content.str();
  if (const std::size_t at = content.find(macro); at != std::string_view::npos) {
    std::string_view value = content.substr(at + macro.size(), 2 * kHashDigits);
    value.remove_prefix(std::min(value.size(), value.find_first_of("0123456789abcdefABCDEF")));
    value.remove_prefix(value.starts_with("0x") ? 2 : 0);
    return leading_hash(value);
  }
  const bool is_text =
      image.format == "elf" && content.find(plan.foreign_plan_hash) != std::string_view::npos;
  return is_text ? std::optional{plan.foreign_plan_hash} : std::nullopt;
}

Diagnostic other_plan(const Linked& linked, const std::string& hash, const std::string& wanted) {
  return core::error(Code::kImageHash,
                     fmt::format("module {} was generated from plan {}, not from {}",
                                 shown(linked.plan.prefix),
                                 hash,
                                 wanted),
                     linked.place(),
                     "generate it again and build with it, or check it with its own plan")
      .about({{"module", linked.plan.prefix}});
}

Diagnostic unknown_hash(const Linked& linked) {
  const std::string& prefix = linked.plan.prefix;
  const std::string macro = core::printable(hash_macro(prefix), 80);
  const bool is_elf = linked.image.format == "elf";
  return core::note(
      Code::kImageHash,
      fmt::format("whether {} was built from this plan was not checked: no {} can be seen in {}",
                  shown(prefix),
                  macro,
                  is_elf ? "the image" : "a map"),
      linked.place(),
      is_elf ? fmt::format("build with -g3, or keep it: const char {}_plan_hash[] = {};",
                           core::printable(prefix, 80),
                           macro)
             : "give the ELF file");
}

// That the module was, or may have been, made from another plan.
std::optional<Diagnostic> other_hash(const Linked& linked) {
  const model::PlanReport& plan = linked.plan;
  // A module of memsize's own says so: no other has this name.
  const auto own = hash_in_symbol(linked.image, plan.prefix + "_memsize_envelope_hash");
  if (own && !plan.claimed_envelope_hash.empty() && *own != plan.claimed_envelope_hash) {
    return other_plan(linked, *own, plan.claimed_envelope_hash);
  }
  if (own || plan.foreign_plan_hash.empty()) {
    return std::nullopt;
  }
  const auto hash = hash_in_image(linked.image, plan);
  if (!hash) {
    return unknown_hash(linked);
  }
  return *hash != core::to_lower(plan.foreign_plan_hash)
             ? std::optional{other_plan(linked, *hash, plan.foreign_plan_hash)}
             : std::nullopt;
}

void check_module(const Linked& linked, const ArenaSymbols& symbols, ImageReport& report) {
  const std::vector<WantedSymbol> wanted = wanted_of(linked.plan);
  std::vector<const WantedSymbol*> arenas;
  for (const WantedSymbol& each : wanted) {
    if (each.is_arena && !each.is_constant) {
      arenas.push_back(&each);
    }
  }
  // What is bound at run time comes from wherever the program has it.
  const bool has_arenas = std::ranges::any_of(
      arenas, [&](const WantedSymbol* each) { return !symbols.named(*each).empty(); });
  if (!has_arenas && !arenas.empty()) {
    report.diagnostics.push_back(no_arenas(linked.image, linked.plan.prefix));
  }
  std::vector<Found> all;
  for (const WantedSymbol& each : wanted) {
    const auto places = symbols.named(each);
    if (!places.empty()) {
      all.push_back({each, *places.front(), symbol_size(linked.image, *places.front())});
      if (places.size() > 1) {
        report.diagnostics.push_back(linked_twice(linked, all.back(), places));
      }
      report.symbols.push_back(judged_symbol(linked, all.back(), report.diagnostics));
    } else if (has_arenas) {
      report.diagnostics.push_back(missing_symbol(linked, each));
    }
  }
  say_overlaps(linked, all, report.diagnostics);
  add_to(report.diagnostics, other_hash(linked));
}

}  // namespace

ImageReport check_image(const Image& image,
                        const model::PlanReport& plan,
                        const board::MemorySet& part) {
  ImageReport report;
  if (image.bits > kPartBits) {
    report.diagnostics.push_back(other_machine(image, part));
    return report;
  }
  report.memories = use_of(image, part);
  report.diagnostics = check_sections(image, part);
  if (plan.prefix.empty()) {
    report.diagnostics.push_back(
        core::warning(Code::kImageModule,
                      "no arena was looked for: the plan does not say what the names of its "
                      "module begin with",
                      {plan.path},
                      "give the residency report, too: it has module_prefix"));
    return report;
  }
  const ArenaSymbols symbols{image, plan.prefix};
  const std::string head = plan.prefix + "_";
  report.has_module = std::ranges::any_of(
      image.symbols, [&](const ImageSymbol& symbol) { return symbol.name.starts_with(head); });
  if (report.has_module) {
    check_module({image, plan, part, report.memories}, symbols, report);
  } else {
    report.diagnostics.push_back(no_module(image, plan.prefix, symbols.modules()));
  }
  return report;
}

}  // namespace memsize::plan
