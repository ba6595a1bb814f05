// What the checks ask: where a region is on the bus, by the header's macros before the board; how
// it must be cached, by the board before the script's comments.
#include "memsize/sdk/view.hpp"

#include "memsize/core/text.hpp"

#include "reading.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

using layout::Region;

namespace {

// "MUST be non-cached or cache-coherent", "must not be cached" and the like.
bool says_non_cached(const std::string& comment) {
  const std::string text = core::to_lower(comment);
  return text.find("must be non-cache") != std::string::npos ||
         text.find("must be non cache") != std::string::npos ||
         text.find("must be uncached") != std::string::npos ||
         text.find("must not be cache") != std::string::npos;
}

}  // namespace

bool is_led_to(const board::Rat& rat, const std::string& region) {
  return std::ranges::any_of(rat.entries, [&](const board::RatEntry& entry) {
    return std::ranges::find(entry.covers, region) != entry.covers.end();
  });
}

View::View(const Sources& sources,
           const Variant& variant,
           const Reading& reading,
           const layout::MemoryMap* board)
    : sources_(&sources), variant_(&variant), reading_(&reading), board_(board) {}

core::Place View::place_of(const std::string& path) const {
  return {fmt::format("{}/{}", sources_->platform.folder, path)};
}

std::optional<std::uint64_t> View::macro(const std::string& name) const {
  const auto found = reading_->macros.find(name);
  return found == reading_->macros.end() ? std::nullopt : std::optional{found->second.value};
}

const Region* View::board_region(const std::string& name, const std::string& core) const {
  const Region* any = nullptr;
  for (std::size_t i = 0; board_ != nullptr && i < board_->regions.size(); ++i) {
    const Region& region = board_->regions[i];
    if (region.name == name && region.seen_by(core)) {
      return &region;
    }
    any = any == nullptr && region.name == name ? &region : any;
  }
  return any;
}

std::optional<std::uint64_t> View::physical_of(const std::string& name,
                                               std::uint64_t address,
                                               const std::string& core) const {
  const Region* known = board_region(name, core);
  for (const std::string& owner : {name, known == nullptr ? std::string{} : known->of}) {
    if (const auto physical = macro(owner + "_PHYS_ADDR"); !owner.empty() && physical) {
      return physical;
    }
  }
  if (known == nullptr) {
    // Somebody's own: what programs the core leads there, or nothing does.
    const CoreReading* reader = reading_->find(core);
    const std::uint64_t there =
        (reader == nullptr ? std::nullopt : led_to(*reader, address)).value_or(address);
    return in_dram(there) ? std::optional{there} : std::nullopt;
  }
  if (!known->physical_base || !known->virtual_base) {
    return std::nullopt;
  }
  const std::uint64_t there = known->physical_base->value();
  const std::uint64_t seen = known->virtual_base->value();
  return there == seen     ? std::optional{address}
         : address == seen ? std::optional{there}
                           : std::nullopt;
}

bool View::in_dram(std::uint64_t physical) const {
  if (board_ == nullptr) {
    return false;
  }
  const auto& banks = board_->board.banks;
  return std::ranges::any_of(banks, [&](const board::Bank& bank) {
    return bank.range.base().value() <= physical && physical <= bank.range.last().value();
  });
}

emit::Core View::reach_of(const CoreReading& core, const std::string& file) const {
  emit::Core reach{.name = core.name,
                   .file = place_of(file),
                   .hint = fmt::format(
                       "correct the entry, or put in what memsize writes: memsize emit --board {}",
                       board_ == nullptr ? "BOARD"
                                         : core::shell_path(board_->board.asked_as.empty()
                                                                ? board_->board.name
                                                                : board_->board.asked_as))};
  for (const emit::WrittenRange& range : core.linker) {
    emit::Reach each{.name = range.name, .address = range.base, .size = range.size};
    each.physical = physical_of(range.name, range.base, core.name);
    each.place = range.place;
    if (const Region* known = board_region(range.name, core.name); known != nullptr) {
      each.cache = known->cache;
    } else {
      each.cache = is_said_non_cached(range.name) ? chip::Cache::kNonCached : each.cache;
      // Wherever it is, an MMU has to map it.
      if (!each.physical && core.has_mmu()) {
        each.physical = led_to(core, range.base).value_or(range.base);
      }
    }
    reach.regions.push_back(std::move(each));
  }
  return reach;
}

bool View::is_said_non_cached(const std::string& name) const {
  const auto& sections = variant_->script->sections;
  return std::ranges::any_of(sections, [&](const ScriptSectionPointer& section) {
    return section->name == name && says_non_cached(section->comment);
  });
}

chip::MairKinds View::mair_kinds() const {
  return board_ == nullptr ? chip::MairKinds{} : board_->board.mmu.mair;
}

}  // namespace memsize::sdk
