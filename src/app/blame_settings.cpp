// A setting that makes a map impossible is blamed for it, with the place in the board as a second
// one.
#include "blame_settings.hpp"

#include <algorithm>
#include <utility>

namespace memsize::app {

namespace {

bool speaks_of(const core::Diagnostic& diagnostic, const std::string& knob) {
  const auto names = [&](const std::string& text) { return text.find(knob) != std::string::npos; };
  return names(diagnostic.message) || names(diagnostic.hint) ||
         std::any_of(diagnostic.details.begin(), diagnostic.details.end(), names);
}

// Boards and generator scripts say sizes; of any other file, the mistake is its own.
bool says_sizes(const core::Diagnostic& error) {
  const std::string& path = error.place.path.str();
  return (path.ends_with(".toml") || path.ends_with(".py")) &&
         !core::code_name(error.code).starts_with("sdk.");
}

}  // namespace

void blame_settings(const std::vector<std::string>& settings, core::Diagnostics& errors) {
  std::vector<std::string> knobs;
  for (const std::string& setting : settings) {
    knobs.push_back(setting.substr(0, setting.find('=')));
  }
  for (core::Diagnostic& error : errors) {
    const auto named = std::find_if(knobs.begin(), knobs.end(), [&](const std::string& knob) {
      return speaks_of(error, knob);
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
