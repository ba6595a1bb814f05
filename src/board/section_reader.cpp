// Where a board's cores put the sections of their firmware. A core may stand in several lists: what
// all cores have, what those of its kind have, and what is special about it add up.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "reader_context.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

constexpr std::string_view kCore = "{core}";
constexpr core::Bytes kStack{16 * 1024};

constexpr std::array<std::pair<std::string_view, SectionUse>, 3> kUses = {
    {{"load", SectionUse::kLoaded},
     {"reserve", SectionUse::kReserved},
     {"whole", SectionUse::kWhole}}};

constexpr std::array<std::pair<std::string_view, std::vector<std::string> CoreSections::*>, 4>
    kKinds = {{{"text", &CoreSections::text},
               {"rodata", &CoreSections::rodata},
               {"data", &CoreSections::data},
               {"bss", &CoreSections::bss}}};

// What a linker script calls the section: there a colon ends a name.
std::string with_dots(std::string name) {
  std::ranges::replace(name, ':', '.');
  return name;
}

// The regions of each core's linker map by the names that lists of sections use, in which "{core}"
// stands for the core.
class CoreRegions {
 public:
  explicit CoreRegions(const Board& board) : board_(board) {}

  // Vendors write a core's name in several cases.
  std::optional<std::string> find(const std::string& core, const std::string& name) {
    const std::string wanted = substituted(core, name);
    const std::vector<std::string>& regions = of(core);
    if (core::contains(regions, wanted)) {
      return wanted;
    }
    const auto alike = std::ranges::find_if(regions, [&](const std::string& region) {
      return name.find(kCore) != std::string::npos &&
             core::to_lower(region) == core::to_lower(wanted);
    });
    return alike == regions.end() ? std::nullopt : std::optional{*alike};
  }

  core::Diagnostic no_region(const std::string& core,
                             const std::string& name,
                             const core::Place& place) {
    const std::string wanted = substituted(core, name);
    return core::error(
        Code::kBoardReference,
        fmt::format("core '{}' has no region '{}'", core, core::printable(wanted, 60)),
        place,
        core::did_you_mean(wanted, of(core)));
  }

 private:
  // Every name that the core's linker map has.
  const std::vector<std::string>& of(const std::string& core) {
    const auto [known, is_new] = by_core_.try_emplace(core);
    std::vector<std::string>& regions = known->second;
    if (!is_new) {
      return regions;
    }
    const auto add = [&](const std::string& name, const std::vector<std::string>& cores) {
      if (core::contains(cores, core)) {
        regions.push_back(name);
      }
    };
    for (const Chain& chain : board_.chains) {
      for (const Item& item : chain.items) {
        if (!item.is_gap) {
          add(item.name, item.cores);
        }
      }
    }
    for (const Alias& alias : board_.aliases) {
      add(alias.name, alias.cores);
    }
    for (const View& view : board_.views) {
      for (const Alias& alias : view.aliases) {
        add(alias.name, alias.cores);
      }
    }
    return regions;
  }

  [[nodiscard]] std::string substituted(const std::string& core, std::string name) const {
    const Core* known = board_.find_core(core);
    const std::string& word =
        known == nullptr || known->region_word.empty() ? core : known->region_word;
    for (std::size_t at = name.find(kCore); at != std::string::npos; at = name.find(kCore, at)) {
      name.replace(at, kCore.size(), word);
      at += word.size();
    }
    return name;
  }

  const Board& board_;
  std::map<std::string, std::vector<std::string>> by_core_;
};

// Where each thing that may be said once was said.
class FirstPlaces {
 public:
  explicit FirstPlaces(core::Diagnostics& errors) : errors_(errors) {}

  /// Whether `key` is new; an error where it is not.
  bool once(const std::string& key, const core::Place& place, const std::string& message) {
    const auto [first, is_new] = places_.try_emplace(key, place);
    if (!is_new) {
      errors_.push_back(
          core::error(Code::kBoardValue, message, place, "take it out of one of the lists")
              .beside(first->second, "the first one is here"));
    }
    return is_new;
  }

  [[nodiscard]] bool contains(const std::string& key) const { return places_.contains(key); }

 private:
  core::Diagnostics& errors_;
  std::map<std::string, core::Place> places_;
};

std::set<std::string> known_cores(const Board& board, const std::vector<std::string>& cores) {
  std::set<std::string> found;
  for (const std::string& core : cores) {
    if (board.find_core(core) != nullptr) {
      found.insert(core);
    }
  }
  return found;
}

std::map<std::string, core::Align> read_aligns(Fields& reader, Value field) {
  std::map<std::string, core::Align> aligns;
  const Value table = reader.optional("align", Kind::kTable);
  if (!table) {
    return aligns;
  }
  Fields values{table, fmt::format("'align' of {}", named("section list", field)), reader.errors()};
  for (const Value line : table) {
    const bool is_placed = std::ranges::any_of(kUses, [&](const auto& use) {
      const Value lines = field[use.first];
      return lines && lines.is(Kind::kTable) && !lines[line.key()].is(Kind::kAbsent);
    });
    if (!is_placed) {
      values.wrong(Code::kBoardReference,
                   fmt::format("{} does not place section '{}'",
                               named("section list", field),
                               core::printable(line.name(), 60)),
                   line.key_place());
    }
    aligns[line.name()] = align(values, line.key());
  }
  return aligns;
}

// One, or several in an array.
std::optional<std::vector<std::string>> read_regions(Value line, core::Diagnostics& errors) {
  std::vector<std::string> regions;
  const std::vector<Value> items = line.is(Kind::kList)
                                       ? std::vector<Value>{line.begin(), line.end()}
                                       : std::vector<Value>{line};
  for (const Value item : items) {
    if (!item.is(Kind::kText)) {
      errors.push_back(
          core::error(Code::kTomlType,
                      fmt::format("section '{}' goes to a region or to one of an array of "
                                  "regions, not to {}",
                                  core::printable(line.name(), 60),
                                  docs::kind_name(item.kind())),
                      item.place()));
      return std::nullopt;
    }
    regions.push_back(item.string());
  }
  return regions;
}

class SectionsReader {
 public:
  explicit SectionsReader(ReaderContext& context)
      : context_(context),
        knows_regions_(context.errors().empty()),
        regions_(context.board()),
        codes_(context.errors()),
        stacks_(context.errors()),
        sections_(context.errors()) {}

  void read(Value field) {
    Fields reader{field, named("section list", field), context_.errors()};
    if (!reader.is_table()) {
      return;
    }
    const std::set<std::string> cores =
        known_cores(context_.board(), context_.read_cores(reader, field));
    for (const std::string& core : cores) {
      of(core, field.key_place());
    }
    read_code(reader, cores);
    const core::Align entry = align(reader, "entry_align");
    for (const std::string& core : cores) {
      CoreSections& sections = of(core, field.key_place());
      sections.entry_align = std::max(sections.entry_align, entry);
    }
    for (const auto& [key, kind] : kKinds) {
      for (const Text& name : reader.texts(key)) {
        for (const std::string& core : cores_without(cores, name.text, name.place)) {
          (of(core, name.place).*kind).push_back(name.text);
        }
      }
    }
    const std::map<std::string, core::Align> aligns = read_aligns(reader, field);
    for (const auto& [key, use] : kUses) {
      for (const Value line : reader.fields(key)) {
        const auto align = aligns.find(line.name());
        place(line, use, align == aligns.end() ? core::Align{} : align->second, cores);
      }
    }
    reader.finish();
  }

  // Sections without code are no program.
  void finish() {
    for (CoreSections& sections : context_.board().sections) {
      if (!codes_.contains(sections.core)) {
        context_.errors().push_back(
            core::error(Code::kTomlMissingKey,
                        fmt::format("no section list of core '{}' has 'code'", sections.core),
                        sections.place,
                        "name the region of its code and data"));
      }
    }
  }

 private:
  CoreSections& of(const std::string& core, const core::Place& place) {
    std::vector<CoreSections>& all = context_.board().sections;
    if (auto* found = core::find_in(all, core, &CoreSections::core)) {
      return *found;
    }
    all.push_back({.core = core, .stack = kStack, .place = place});
    return all.back();
  }

  void read_code(Fields& reader, const std::set<std::string>& cores) {
    const Text code = reader.text("code");
    const Value stack = reader.optional("stack", Kind::kText);
    const core::Bytes size = bytes(reader, "stack", kStack);
    for (const std::string& core : cores) {
      if (code.written) {
        codes_.once(core, code.place, fmt::format("the code of core '{}' has two regions", core));
        if (const auto region = regions_.find(core, code.text); region) {
          of(core, code.place).region = *region;
        } else if (knows_regions_) {
          context_.errors().push_back(regions_.no_region(core, code.text, code.place));
        }
      }
      if (stack) {
        stacks_.once(
            core, stack.place(), fmt::format("the stack of core '{}' has two sizes", core));
        of(core, stack.place()).stack = size;
      }
    }
  }

  // The cores that no line before has given a section of this name.
  std::vector<std::string> cores_without(const std::set<std::string>& cores,
                                         const std::string& name,
                                         const core::Place& place) {
    std::vector<std::string> left;
    if (!is_section_name(name)) {
      context_.errors().push_back(
          core::error(Code::kBoardName,
                      fmt::format("'{}' is not the name of a section", core::printable(name, 60)),
                      place,
                      std::string{kSectionNameHint}));
      return left;
    }
    for (const std::string& core : cores) {
      if (sections_.once(core + "/" + with_dots(name),
                         place,
                         fmt::format("section '{}' of core '{}' stands here twice", name, core))) {
        left.push_back(core);
      }
    }
    return left;
  }

  // A line is a section and a region that its cores must have, or several of which each core uses
  // the first that it has, if any.
  void place(Value line, SectionUse use, core::Align align, const std::set<std::string>& cores) {
    const auto regions = read_regions(line, context_.errors());
    if (!regions) {
      return;
    }
    std::set<std::string> having;
    std::map<std::string, std::string> found;
    for (const std::string& core : cores) {
      for (const std::string& region : *regions) {
        if (const auto name = regions_.find(core, region); name && having.insert(core).second) {
          found[core] = *name;
        }
      }
      if (!having.contains(core) && !line.is(Kind::kList) && knows_regions_) {
        context_.errors().push_back(regions_.no_region(core, line.string(), line.place()));
      }
    }
    for (const std::string& core : cores_without(having, line.name(), line.key_place())) {
      of(core, line.key_place()).placed.push_back({line.name(), found[core], use, align});
    }
  }

  ReaderContext& context_;
  // Mistakes in the tables before may be why a region is not there.
  bool knows_regions_;
  CoreRegions regions_;
  FirstPlaces codes_;
  FirstPlaces stacks_;
  // By core and section, with dots.
  FirstPlaces sections_;
};

}  // namespace

void read_sections(ReaderContext& context, Value lists) {
  SectionsReader reader{context};
  for (const Value list : lists) {
    reader.read(list);
  }
  reader.finish();
}

}  // namespace memsize::board
