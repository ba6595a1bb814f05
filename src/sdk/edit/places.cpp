// Leads places in a board that was imported, and so has no file, back to the script: to the first
// party of a finding that the script has.
#include "places.hpp"

#include "memsize/core/cursor.hpp"

#include "check/generated.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <string_view>

namespace memsize::sdk {

namespace {

// Where the script makes what is called so; nowhere where it has no such thing.
core::Place place_of_name(const Variant& variant, std::string_view name) {
  if (const ScriptVariable* variable = find_variable(*variant.script, name)) {
    return place_in_script(variant, variable->assignments.back().name_place);
  }
  const auto& sections = variant.script->sections;
  const auto section =
      std::ranges::find_if(sections, [&](const auto& each) { return each->name == name; });
  return section == sections.end() ? core::Place{}
                                   : place_in_script(variant, (*section)->name_place);
}

core::Place place_of_first(const Variant& variant, const core::Parties& parties) {
  for (const core::Party& each : parties) {
    core::Place place = place_of_name(variant, each.name);
    if (place.line != 0) {
      return place;
    }
  }
  return {variant.script->path};
}

}  // namespace

std::string imported_path(const Variant& variant) {
  return variant.script->path + ".toml";
}

void show_script(const Sources& sources, const Variant& variant, core::Diagnostics& found) {
  const std::string board = imported_path(variant);
  for (core::Diagnostic& each : found) {
    if (each.place.path.str() == board) {
      each.place = place_of_first(variant, each.parties);
    }
    for (core::Related& related : each.related) {
      if (related.place.path.str() == board) {
        related.place = place_of_first(variant, {{"region", related.region}});
      }
    }
  }
  core::add_text(found, variant.script->path, sources.find(variant.script_path)->content);
}

}  // namespace memsize::sdk
