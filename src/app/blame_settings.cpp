// A setting that makes a map impossible is blamed for it, with the place in the board as a second
// one.
#include "blame_settings.hpp"

#include <algorithm>
#include <utility>

namespace memsize::app {

namespace {

// A chain moves as a whole with where it begins and with what stands in it.
bool is_moved_by(const board::Chain& chain, const std::string& knob) {
  return chain.physical.text == knob || chain.limit.text == knob ||
         std::any_of(chain.items.begin(), chain.items.end(), [&](const board::Item& item) {
           return item.size.text == knob;
         });
}

bool is_about(const board::Board& board, const core::Diagnostic& error, const std::string& knob) {
  return std::any_of(error.parties.begin(), error.parties.end(), [&](const core::Party& party) {
    return party == core::Party{"knob", knob} ||
           std::any_of(board.chains.begin(), board.chains.end(), [&](const board::Chain& chain) {
             const bool has_it =
                 (party.kind == "chain" && party.name == chain.name) ||
                 (party.kind == "region" &&
                  std::any_of(chain.items.begin(), chain.items.end(), [&](const auto& item) {
                    return item.name == party.name;
                  }));
             return has_it && is_moved_by(chain, knob);
           });
  });
}

// Boards and generator scripts say sizes; of any other file, the mistake is its own.
bool says_sizes(const core::Diagnostic& error) {
  const std::string& path = error.place.path.str();
  return (path.ends_with(".toml") || path.ends_with(".py")) &&
         !core::code_name(error.code).starts_with("sdk.");
}

}  // namespace

void blame_settings(const board::Board& board,
                    const std::vector<std::string>& settings,
                    core::Diagnostics& errors) {
  std::vector<std::string> knobs;
  for (const std::string& setting : settings) {
    knobs.push_back(setting.substr(0, setting.find('=')));
  }
  for (core::Diagnostic& error : errors) {
    const auto named = std::find_if(knobs.begin(), knobs.end(), [&](const std::string& knob) {
      return is_about(board, error, knob);
    });
    const bool is_known = named != knobs.end() || knobs.size() == 1;
    if (error.severity != core::Severity::kError || !is_known || !says_sizes(error)) {
      continue;
    }
    error.option = "--set " + (named != knobs.end() ? *named : knobs.front());
    error.related.insert(error.related.begin(),
                         {std::exchange(error.place, {}), "where the map has it"});
  }
}

}  // namespace memsize::app
