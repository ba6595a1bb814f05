// Each symbol that a plan's module has, held against where the plan has it. heliaAOT's guide to
// tensor packaging has the names: PREFIX_arena_[persistent_|const_]MEMORY_buffer, and __source
// behind the name of a constant arena for what it is copied from.
#include "memsize/plan/check_image.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "image_memories.hpp"

#include <algorithm>
#include <list>
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

class ImageJudge {
 public:
  ImageJudge(const Image& image, const model::PlanReport& plan, const board::MemorySet& part)
      : image_(image), plan_(plan), part_(part) {}

  ImageReport run() {
    if (image_.bits > kPartBits) {
      say(core::error(Code::kImageMachine,
                      fmt::format("this image is for {}{} bit: part '{}' has addresses of {}",
                                  image_.machine.empty() ? "" : image_.machine + ", ",
                                  image_.bits,
                                  core::printable(part_.name, 80),
                                  kPartBits),
                      place(),
                      "name what is linked for the part, not a build for this machine"));
      return std::move(report_);
    }
    report_.memories = use_of(image_, part_);
    report_.diagnostics = check_sections(image_, part_);
    index_symbols();
    if (find_module()) {
      for (const WantedSymbol& wanted : wanted_of(plan_)) {
        look_for(wanted);
      }
      check_overlaps();
      check_hash();
    }
    return std::move(report_);
  }

 private:
  [[nodiscard]] core::Place place(std::size_t line = 0) const { return {image_.path, line}; }

  void say(Diagnostic diagnostic) { report_.diagnostics.push_back(std::move(diagnostic)); }

  void index_symbols() {
    for (const ImageSymbol& symbol : image_.symbols) {
      const std::string_view name = base_name(symbol.name);
      if (name.find("_arena_") != std::string_view::npos) {
        // objcopy's names begin with a path.
        const std::size_t own =
            name.starts_with("_binary_") ? name.find(plan_.prefix + "_arena_") : 0;
        symbols_[name.substr(std::min(own, name.size()))].push_back(&symbol);
      }
    }
  }

  // Whether there is anything to hold the plan against.
  bool find_module() {
    if (plan_.prefix.empty()) {
      say(core::warning(Code::kImageModule,
                        "no arena was looked for: the plan does not say what the names of its "
                        "module begin with",
                        {plan_.path},
                        "give the residency report, too: it has module_prefix"));
      return false;
    }
    const std::string head = plan_.prefix + "_";
    report_.has_module = std::ranges::any_of(
        image_.symbols, [&](const ImageSymbol& symbol) { return symbol.name.starts_with(head); });
    const std::vector<WantedSymbol> wanted = wanted_of(plan_);
    has_arenas_ = std::ranges::any_of(wanted, [&](const WantedSymbol& each) {
      return (each.is_arena && !each.is_constant) && !named(each).empty();
    });
    if (!report_.has_module) {
      say_no_module();
      return false;
    }
    const bool needs_arenas = std::ranges::any_of(
        wanted, [](const WantedSymbol& each) { return each.is_arena && !each.is_constant; });
    if (!has_arenas_ && needs_arenas) {
      say(core::note(Code::kImageModule,
                     fmt::format("module {} has no arenas of its own in this image, so that where "
                                 "they are bound was not checked",
                                 shown(plan_.prefix)),
                     place(),
                     image_.format == "elf"
                         ? "that is what allocate_arenas: false makes; else keep static symbols "
                           "(no strip, no --discard-all)"
                         : "that is what allocate_arenas: false makes; else give the ELF file: a "
                           "map has no static symbols"));
    }
    return true;
  }

  void say_no_module() {
    if (image_.symbols.empty()) {
      say(core::error(Code::kImageModule,
                      "this image has no symbols: where its arenas lie cannot be seen",
                      place(),
                      "give the file as it was linked, before strip or objcopy")
              .about({{"module", plan_.prefix}}));
      return;
    }
    std::set<std::string> others;
    for (const auto& [name, symbols] : symbols_) {
      if (name.ends_with("_buffer") && others.size() < kListedNames) {
        others.insert(shown(name.substr(0, name.find("_arena_"))));
      }
    }
    Diagnostic missing =
        core::error(
            Code::kImageModule,
            fmt::format("nothing in this image is called after module {}", shown(plan_.prefix)),
            place(),
            others.empty() ? "is the module linked in, and does the program call it?"
                           : fmt::format("it has {}: check it with the plan of that one",
                                         core::join({others.begin(), others.end()}, ", ")))
            .about({{"module", plan_.prefix}});
    say(std::move(missing));
  }

  // By address, each once.
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

  [[nodiscard]] Diagnostic fault(Code code,
                                 const WantedSymbol& wanted,
                                 const ImageSymbol& symbol,
                                 const std::string& what,
                                 std::string hint) const {
    return about_arena(core::error(code,
                                   fmt::format("{} {}", shown(symbol.name), what),
                                   place(symbol.line),
                                   std::move(hint)),
                       wanted,
                       core::printable(symbol.name, 80));
  }

  [[nodiscard]] Diagnostic about_arena(Diagnostic said,
                                       const WantedSymbol& wanted,
                                       const std::string& symbol) const {
    Diagnostic whole = std::move(said).about({{"symbol", symbol}, {"memory", wanted.memory}});
    if (wanted.arena->line != 0) {
      whole.related.push_back({{plan_.path, wanted.arena->line}, "the plan has it here"});
    }
    return whole;
  }

  void look_for(const WantedSymbol& wanted) {
    const auto found = named(wanted);
    if (found.empty()) {
      // What is bound at run time comes from wherever the program has it.
      if (has_arenas_) {
        say_missing(wanted);
      }
      return;
    }
    if (found.size() > 1) {
      Diagnostic twice = fault(Code::kImageDuplicate,
                               wanted,
                               *found.front(),
                               fmt::format("is in the image {} times", found.size()),
                               "link the module's sources once; a header that defines an arena "
                               "gives each source that includes it one of its own");
      for (std::size_t i = 0; i < std::min(found.size(), kListedNames); ++i) {
        twice.details.push_back(where(*found[i]));
      }
      say(std::move(twice));
    }
    judge(wanted, *found.front());
  }

  void say_missing(const WantedSymbol& wanted) {
    const bool is_map = image_.format == "gnu-map";
    Diagnostic missing = about_arena(
        core::error(Code::kImageMissing,
                    fmt::format("{} is not in the image: it is planned in {}, with {}",
                                shown(wanted.name),
                                wanted.memory,
                                core::format_bytes(least_of(*wanted.arena))),
                    place(),
                    is_map ? "a map has no static symbols, unless each has a section of its own "
                             "(-fdata-sections): give the ELF file"
                           : "was the module generated from this plan? What nobody uses is left "
                             "out by --gc-sections"),
        wanted,
        wanted.name);
    // Constants that are read where they lie may be arrays of their own.
    if (wanted.is_constant && wanted.is_arena) {
      missing.severity = core::Severity::kWarning;
    }
    say(std::move(missing));
  }

  // "0x20080000, '.sram_bss'"
  [[nodiscard]] std::string where(const ImageSymbol& symbol) const {
    const ImageSection* const section = image_.section_at(symbol.address);
    const std::string address = core::format_hex(symbol.address);
    return section == nullptr ? address : fmt::format("{}, {}", address, shown(section->name));
  }

  void judge(const WantedSymbol& wanted, const ImageSymbol& symbol) {
    const ImageSection* const section = image_.section_at(symbol.address);
    const std::optional<core::Bytes> size = size_of(symbol);
    report_.symbols.push_back({core::printable(symbol.name, 80),
                               wanted.memory,
                               wanted.arena->role,
                               symbol.address,
                               size,
                               section == nullptr ? "" : core::printable(section->name, 80)});
    found_.push_back({&wanted_.emplace_back(wanted), &symbol, size.value_or(core::Bytes{})});
    if (check_place(wanted, symbol, section) && section != nullptr) {
      check_kind(wanted, symbol, *section);
    }
    check_alignment(wanted, symbol);
    if (size) {
      check_size(wanted, symbol, *size);
    }
  }

  // Of what objcopy made the end has a name, too.
  [[nodiscard]] std::optional<core::Bytes> size_of(const ImageSymbol& symbol) const {
    constexpr std::string_view kStart = "_start";
    if (!symbol.name.starts_with("_binary_") || !symbol.name.ends_with(kStart)) {
      return symbol.size;
    }
    const std::string end =
        std::string{symbol.name.substr(0, symbol.name.size() - kStart.size())} + "_end";
    const auto* const found = core::find_in(image_.symbols, end, &ImageSymbol::name);
    return found == nullptr || found->address < symbol.address
               ? std::nullopt
               : std::optional{core::Bytes{found->address - symbol.address}};
  }

  // Whether it is in its memory.
  bool check_place(const WantedSymbol& wanted,
                   const ImageSymbol& symbol,
                   const ImageSection* section) {
    const PartMemory* const actual = memory_at(part_, symbol.address);
    if (actual != nullptr && actual->name == wanted.memory) {
      return true;
    }
    const bool is_copied = wanted.is_constant && section != nullptr &&
                           section->load_address != section->address && actual != nullptr;
    if (is_copied) {
      say(fault(Code::kImageConstant,
                wanted,
                symbol,
                fmt::format("is constant and planned in {}, but start-up copies it to {} with {}",
                            wanted.memory,
                            actual->name,
                            shown_section(*section)),
                "declare it const, so that it stays where it is loaded and costs its bytes once"));
      return false;
    }
    say(fault(Code::kImageMemory,
              wanted,
              symbol,
              fmt::format("is planned in {}, but lies in {} ({})",
                          wanted.memory,
                          actual == nullptr ? "no memory of the part" : actual->name,
                          where(symbol)),
              way_to(wanted)));
    return false;
  }

  // How a symbol comes to that memory.
  [[nodiscard]] std::string way_to(const WantedSymbol& wanted) const {
    const PartMemory* const planned = memory_called(part_, wanted.memory);
    if (planned == nullptr) {
      return fmt::format("part '{}' has no such memory: plan for this part",
                         core::printable(part_.name, 80));
    }
    const bool is_used = core::contains(report_.memories, wanted.memory, &MemoryUse::memory);
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

  // Of the part's scripts for linkers that read GNU's; null: there is none.
  static const board::PartSection* section_for(const PartMemory& memory,
                                               board::SectionHolds holds,
                                               board::StartUp start_up) {
    return core::find_where(memory.sections, [&](const board::PartSection& section) {
      return section.holds == holds && section.start_up == start_up &&
             (section.toolchain.empty() || section.toolchain == "gcc");
    });
  }

  static std::string way_into(const board::PartSection& section, const WantedSymbol& wanted) {
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

  // Whether the section is for what the symbol is used for.
  void check_kind(const WantedSymbol& wanted,
                  const ImageSymbol& symbol,
                  const ImageSection& section) {
    const PartMemory& memory = *memory_at(part_, symbol.address);
    const bool can_be_written = section.is_writable && memory.writable;
    if (wanted.is_constant && !section.is_stored) {
      say(fault(
          Code::kImageConstant,
          wanted,
          symbol,
          fmt::format("is constant, but {} has no bytes in the image", shown_section(section)),
          "put it into a read-only section"));
    } else if (wanted.is_constant && can_be_written) {
      say(fault(Code::kImageConstant,
                wanted,
                symbol,
                fmt::format("is constant, but lies in {}, which is written at start",
                            shown_section(section)),
                "declare it const, and put it into a read-only section"));
    } else if (!wanted.is_constant && !section.is_writable) {
      say(fault(Code::kImageConstant,
                wanted,
                symbol,
                fmt::format("is written at run time, but lies in {}, which is read-only",
                            shown_section(section)),
                "declare it without const: a read-only section in such a memory is not copied at "
                "start, either"));
    } else if (!wanted.is_constant && section.is_stored) {
      say_zeros(wanted, symbol, section);
    }
  }

  void say_zeros(const WantedSymbol& wanted,
                 const ImageSymbol& symbol,
                 const ImageSection& section) {
    Diagnostic zeros =
        fault(Code::kImageZeros,
              wanted,
              symbol,
              fmt::format("lies in {}, which start-up copies from flash: {} of zeros are in the "
                          "image",
                          shown(section.name),
                          core::format_bytes(symbol.is_bound
                                                 ? least_of(*wanted.arena)
                                                 : symbol.size.value_or(least_of(*wanted.arena)))),
              way_to_zeros(wanted));
    zeros.severity = core::Severity::kWarning;
    say(std::move(zeros));
  }

  [[nodiscard]] std::string way_to_zeros(const WantedSymbol& wanted) const {
    const PartMemory& memory = *memory_called(part_, wanted.memory);
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
                     core::printable(part_.name, 80),
                     wanted.memory,
                     core::shell_word(core::printable(part_.name, 80)));
  }

  void check_alignment(const WantedSymbol& wanted, const ImageSymbol& symbol) {
    const PartMemory* const memory = memory_called(part_, wanted.memory);
    if (!wanted.is_arena || memory == nullptr) {
      return;
    }
    const core::Align needed =
        std::max(wanted.arena->alignment.value_or(core::Align{}), memory->arena_alignment);
    if (!core::is_aligned(symbol.address, needed)) {
      say(fault(Code::kImageAlignment,
                wanted,
                symbol,
                fmt::format("lies at {}, which is no multiple of {}",
                            core::format_hex(symbol.address),
                            needed.value()),
                fmt::format("declare it with alignas({0}), and keep ALIGN({0}) or more in front of "
                            "it in the linker script",
                            needed.value())));
    }
  }

  void check_size(const WantedSymbol& wanted, const ImageSymbol& symbol, core::Bytes size) {
    const core::Bytes least = least_of(*wanted.arena);
    const core::Bytes most = core::align_up(std::max(least, wanted.arena->total.value_or(least)),
                                            wanted.arena->alignment.value_or(core::Align{}));
    if (size >= least && (symbol.is_bound || size <= most)) {
      return;
    }
    say(fault(Code::kImageSize,
              wanted,
              symbol,
              fmt::format("has {}{}, but {} are planned",
                          symbol.is_bound ? "at most " : "",
                          core::format_bytes(size),
                          core::format_bytes(least)),
              "the module was generated from another plan: generate it again, and build with it"));
  }

  void check_overlaps() {
    std::ranges::stable_sort(found_, {}, [](const Found& found) { return found.symbol->address; });
    for (std::size_t i = 1; i < found_.size(); ++i) {
      const Found& below = found_[i - 1];
      const Found& above = found_[i];
      if (above.symbol->address - below.symbol->address < below.size.count()) {
        say(fault(Code::kImageOverlap,
                  *above.wanted,
                  *above.symbol,
                  fmt::format("lies at {}, in {}, which ends at {}",
                              core::format_hex(above.symbol->address),
                              shown(below.symbol->name),
                              core::format_hex(below.symbol->address + below.size.count())),
                  "one of the two is placed by hand, or by a section at a fixed address: move it"));
      }
    }
  }

  [[nodiscard]] std::string hash_macro() const {
    std::string macro = plan_.prefix + "_PLAN_HASH";
    std::ranges::transform(macro, macro.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return macro;
  }

  // The hash in the variable that is called so, in letters of any case; nothing: there is none.
  [[nodiscard]] std::optional<std::string> hash_in_symbol(const std::string& variable) const {
    const std::string wanted = core::to_lower(plan_.prefix + variable);
    for (const ImageSymbol& symbol : image_.symbols) {
      const std::string_view name = base_name(symbol.name);
      if (name.size() != wanted.size() || core::to_lower(name) != wanted) {
        continue;
      }
      const ImageSection* const section = image_.section_at(symbol.address);
      if (section != nullptr && symbol.address - section->address < section->bytes.size()) {
        return hash_of(section->bytes.substr(symbol.address - section->address));
      }
    }
    return std::nullopt;
  }

  // The plan's hash as the image has it; nothing: it cannot be seen.
  [[nodiscard]] std::optional<std::string> hash_in_image() const {
    if (auto hash = hash_in_symbol("_plan_hash"); hash) {
      return hash;
    }
    // With -g3 the macro is among the debugger's texts.
    const std::string macro = hash_macro() + " ";
    const std::string_view content = image_.content.str();
    if (const std::size_t at = content.find(macro); at != std::string_view::npos) {
      std::string_view value = content.substr(at + macro.size(), 2 * kHashDigits);
      value.remove_prefix(std::min(value.size(), value.find_first_of("0123456789abcdefABCDEF")));
      value.remove_prefix(value.starts_with("0x") ? 2 : 0);
      return hash_of(value);
    }
    const bool is_text =
        image_.format == "elf" && content.find(plan_.foreign_plan_hash) != std::string_view::npos;
    return is_text ? std::optional{plan_.foreign_plan_hash} : std::nullopt;
  }

  static std::optional<std::string> hash_of(std::string_view text) {
    const std::string_view digits = text.substr(0, kHashDigits);
    const bool is_hash = digits.size() == kHashDigits &&
                         digits.find_first_not_of("0123456789abcdefABCDEF") == digits.npos;
    return is_hash ? std::optional{core::to_lower(digits)} : std::nullopt;
  }

  void say_other_plan(const std::string& hash, const std::string& wanted) {
    say(core::error(Code::kImageHash,
                    fmt::format("module {} was generated from plan {}, not from {}",
                                shown(plan_.prefix),
                                hash,
                                wanted),
                    place(),
                    "generate it again and build with it, or check it with its own plan")
            .about({{"module", plan_.prefix}}));
  }

  void check_hash() {
    // A module of memsize's own says so: no other has this name.
    const auto own = hash_in_symbol("_memsize_envelope_hash");
    if (own && !plan_.claimed_envelope_hash.empty() && *own != plan_.claimed_envelope_hash) {
      say_other_plan(*own, plan_.claimed_envelope_hash);
    }
    if (own || plan_.foreign_plan_hash.empty()) {
      return;
    }
    const auto hash = hash_in_image();
    if (!hash) {
      say(core::note(
          Code::kImageHash,
          fmt::format("whether {} was built from this plan was not checked: no {} can "
                      "be seen in {}",
                      shown(plan_.prefix),
                      core::printable(hash_macro(), 80),
                      image_.format == "elf" ? "the image" : "a map"),
          place(),
          image_.format == "elf"
              ? fmt::format("build with -g3, or keep it: const char {}_plan_hash[] = {};",
                            core::printable(plan_.prefix, 80),
                            core::printable(hash_macro(), 80))
              : "give the ELF file"));
    } else if (*hash != core::to_lower(plan_.foreign_plan_hash)) {
      say_other_plan(*hash, plan_.foreign_plan_hash);
    }
  }

  struct Found {
    const WantedSymbol* wanted = nullptr;
    const ImageSymbol* symbol = nullptr;
    core::Bytes size;
  };

  const Image& image_;
  const model::PlanReport& plan_;
  const board::MemorySet& part_;
  ImageReport report_;
  /// Of arenas, by their names without what compilers put behind them.
  std::map<std::string_view, std::vector<const ImageSymbol*>, std::less<>> symbols_;
  bool has_arenas_ = false;
  std::list<WantedSymbol> wanted_;
  std::vector<Found> found_;
};

}  // namespace

ImageReport check_image(const Image& image,
                        const model::PlanReport& plan,
                        const board::MemorySet& part) {
  return ImageJudge{image, plan, part}.run();
}

}  // namespace memsize::plan
