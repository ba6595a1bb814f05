// A setting that makes a map impossible is blamed for it, with the place in the board as a second
// one.
#include "blame_settings.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/grow.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

// Whether the knob moves the chain as far as the region, or sizes what stands there.
bool moves(const board::Board& board,
           const board::Chain& chain,
           std::string_view region,
           const std::string& knob) {
  const auto end = std::ranges::find_if(
      chain.items, [&](const board::Item& item) { return item.name == region; });
  const auto behind = end == chain.items.end() ? end : std::next(end);
  const board::Chain* before = chain.after.empty() ? nullptr : board.find_chain(chain.after);
  return chain.physical.text == knob || chain.limit.text == knob ||
         std::any_of(chain.items.begin(),
                     behind,
                     [&](const board::Item& item) { return item.size.text == knob; }) ||
         (before != nullptr && moves(board, *before, {}, knob));
}

bool names(const core::Diagnostic& error, const std::string& knob) {
  return std::ranges::find(error.parties, core::Party{"knob", knob}) != error.parties.end();
}

bool concerns(const board::Board& board, const core::Diagnostic& error, const std::string& knob) {
  return std::ranges::any_of(board.chains, [&](const board::Chain& chain) {
    return std::ranges::any_of(error.parties, [&](const core::Party& party) {
      const bool stands_in = std::ranges::any_of(chain.items, [&](auto& item) {
        return party == core::Party{"region", item.name};
      });
      return (stands_in || party == core::Party{"chain", chain.name}) &&
             moves(board, chain, party.name, knob);
    });
  });
}

// Boards and generator scripts say sizes; of any other file, the mistake is its own.
bool says_sizes(const core::Diagnostic& error) {
  const std::string& path = error.place.path.str();
  return (path.ends_with(".toml") || path.ends_with(".py")) &&
         !core::code_name(error.code).starts_with("sdk.");
}

core::Result<layout::MemoryMap> legal_map(const board::Board& board, const board::KnobValues& set) {
  auto map = layout::resolve(board, set);
  if (map && core::has_errors(layout::check_and_accept(*map))) {
    return core::fail({});
  }
  return map;
}

// Whether what the chain's window leaves is what the whole map leaves: the chain may push others.
bool fits_as_told(const layout::MemoryMap& map, board::KnobValues set, const board::Knob& knob) {
  for (const layout::Window& window : map.windows) {
    const board::Chain* chain = map.board.find_chain(window.chain);
    if (chain != nullptr &&
        core::contains(
            core::texts_of(chain->items, [](const board::Item& item) { return item.size.text; }),
            knob.name)) {
      const std::uint64_t most = map.values.at(knob.name) + window.free.count();
      set[knob.name] = most - most % knob.hard_granule.value();
      return legal_map(map.board, set).has_value();
    }
  }
  return false;
}

void say_what_fits(const board::Board& board,
                   board::KnobValues set,
                   const std::string& name,
                   core::Diagnostic& error) {
  const board::Knob* knob = board.find_knob(name);
  const bool is_window = error.code == core::Code::kLayoutWindow;
  if ((!is_window && !error.hint.empty()) || knob == nullptr || knob->is_address) {
    return;
  }
  set.erase(name);
  const auto map = legal_map(board, set);
  if (!map || (is_window && names(error, name) && fits_as_told(*map, set, *knob))) {
    return;
  }
  const std::uint64_t now = map->values.at(name);
  const layout::Region* region = map->find_by_knob(name);
  if (region == nullptr || !is_window) {
    error.hint = fmt::format(
        "{}, which {} has without --set, fits", core::format_setting(core::Bytes{now}), name);
    return;
  }
  const std::uint64_t most =
      layout::grow(*map, set, {.knob = name}).largest.value_or(region->size.count());
  error.hint = fmt::format("the largest {} that fits is {}",
                           name,
                           core::format_setting(core::Bytes{now + most - region->size.count()}));
}

}  // namespace

void blame_settings(const board::Board& board,
                    const board::KnobValues& set,
                    const std::vector<std::string>& settings,
                    core::Diagnostics& errors) {
  const std::vector<std::string> knobs = core::texts_of(
      settings, [&](const std::string& setting) { return setting.substr(0, setting.find('=')); });
  for (core::Diagnostic& error : errors) {
    const auto first = [&](auto&& is_it) { return std::ranges::find_if(knobs, is_it); };
    auto named = first([&](const std::string& knob) { return names(error, knob); });
    if (named == knobs.end()) {
      named = first([&](const std::string& knob) { return concerns(board, error, knob); });
    }
    const bool is_known = named != knobs.end() || knobs.size() == 1;
    if (error.severity != core::Severity::kError || !is_known || !says_sizes(error)) {
      continue;
    }
    const std::string& blamed = named != knobs.end() ? *named : knobs.front();
    say_what_fits(board, set, blamed, error);
    error.option = "--set " + blamed;
    error.related.insert(error.related.begin(),
                         {std::exchange(error.place, {}), "where the map has it"});
  }
}

}  // namespace memsize::app
