// Takes constants for a stale script from one that agrees with the files they both write, and keeps
// those that bring it nearer to its files: others differ on purpose. Of a script that contradicts
// itself, places are taken from the files.
#include "agree.hpp"

#include "memsize/core/find.hpp"

#include "formats/compare_generated.hpp"
#include "formats/edit_generated.hpp"
#include "script/edit_script.hpp"
#include "script/script.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class Agreement {
 public:
  Agreement(core::FileSystem& files, const OpenTree& tree) : files_(files), tree_(tree) {}

  std::map<std::string, std::string> run() {
    for (const OpenVariant& variant : tree_.variants) {
      for (const ScriptExport& each : variant.variant->script->exports) {
        ++writers_[path_of(each)];
      }
    }
    std::map<std::string, std::string> texts;
    for (const OpenVariant& stale : tree_.variants) {
      const Script& script = *stale.variant->script;
      if (count_differences(script, Which::kShared) == 0) {
        continue;
      }
      for (const OpenVariant& model : tree_.variants) {
        if (count_differences(*model.variant->script, Which::kShared) != 0) {
          continue;
        }
        Values values = needed(*stale.variant, values_of(stale, model));
        add_bases(*stale.variant, *model.variant, values);
        const auto count = count_with(*stale.variant, values);
        if (count && *count < count_differences(script, Which::kAll)) {
          const Variant& variant = *stale.variant;
          const std::string& text = tree_.sources.find(variant.script_path)->content;
          texts[variant.script_path] =
              *set_constants(variant.script->path, text, variant.script.get(), values);
          break;
        }
      }
    }
    return texts;
  }

 private:
  using Values = std::map<std::string, Integer>;

  enum class Which { kShared, kAll };

  // Of constants that the model has otherwise.
  static Values values_of(const OpenVariant& stale, const OpenVariant& model) {
    Values values;
    for (const board::Knob& knob : model.board.knobs) {
      const Integer* number = number_of(*stale.variant->script, knob.name);
      const auto value = model.map.values.find(knob.name);
      if (number != nullptr && value != model.map.values.end() &&
          *number != static_cast<Integer>(value->second)) {
        values[knob.name] = value->second;
      }
    }
    return values;
  }

  // Without those that are the script's own on purpose: its files have them.
  Values needed(const Variant& variant, Values values) {
    auto count = count_with(variant, values);
    const Values all = values;
    for (const auto& [name, value] : all) {
      Values fewer = values;
      fewer.erase(name);
      const auto without = count_with(variant, fewer);
      if (without && (!count || *without < *count)) {
        values = std::move(fewer);
        count = without;
      }
    }
    return values;
  }

  // Bases that the model gives, and the stale script computes from what stands before them.
  void add_bases(const Variant& variant, const Variant& model, Values& values) {
    const auto script = with(variant, values);
    auto count = count_with(variant, values);
    for (std::size_t i = 0; script && i < script->sections.size(); ++i) {
      const std::string& name = script->sections[i]->origin_argument.text;
      const Integer* own = number_of(*script, name);
      const Integer* wanted = number_of(*model.script, name);
      if (own == nullptr || wanted == nullptr || *own == *wanted) {
        continue;
      }
      Values more = values;
      more[name] = *wanted;
      const auto then = count_with(variant, more);
      if (then && (!count || *then < *count)) {
        values = std::move(more);
        count = then;
      }
    }
  }

  [[nodiscard]] std::optional<Script> with(const Variant& variant, const Values& values) const {
    return script_with(variant.script->path,
                       tree_.sources.find(variant.script_path)->content,
                       variant.script.get(),
                       values);
  }

  std::optional<std::size_t> count_with(const Variant& variant, const Values& values) {
    const auto script = with(variant, values);
    return script ? std::optional{count_differences(*script, Which::kAll)} : std::nullopt;
  }

  // Of what the script writes, over all files or over those that others write, too.
  std::size_t count_differences(const Script& script, Which which) {
    std::size_t count = 0;
    for (const ScriptExport& each : script.exports) {
      const std::string path = path_of(each);
      const bool counts = (which == Which::kAll || writers_[path] > 1) && is_regenerated(each);
      const std::string* content = counts ? find(path) : nullptr;
      if (content == nullptr) {
        continue;
      }
      const auto made = regenerate(each, each, {path, *content});
      count += made ? made->hand_edits.size() : 0;
    }
    return count;
  }

  const std::string* find(const std::string& path) {
    if (const emit::MapFile* file = tree_.sources.find(path)) {
      return &file->content;
    }
    const std::string full = fmt::format("{}/{}", tree_.sources.platform.folder, path);
    if (!others_.contains(path) && files_.is_regular_file(full)) {
      auto content = files_.read(full, core::kMapFile);
      others_[path] = content ? std::move(*content) : std::string{};
    }
    return core::value_in(others_, path);
  }

  core::FileSystem& files_;
  const OpenTree& tree_;
  std::map<std::string, std::string> others_;
  /// How many scripts write a file.
  std::map<std::string, std::size_t> writers_;
};

bool is_tangled(const ScriptExport& exported) {
  return exported.kind == "LinkerCmdFile" && !overlapping(exported).empty();
}

// Where the linker maps have regions that the script puts over each other, by the variables that
// say where these begin.
std::map<std::string, Integer> places_by_hand(const OpenVariant& open) {
  std::map<std::string, Integer> places;
  const Script& script = *open.variant->script;
  for (const ScriptExport& each : script.exports) {
    const std::string path = path_of(each);
    const CoreReading* core = open.reading->find(path.substr(0, path.find('/')));
    if (core == nullptr || !is_tangled(each)) {
      continue;
    }
    for (const auto& [before, over] : overlapping(each)) {
      for (const ScriptSection* section : {before, over}) {
        const auto* written = core::find_in(core->linker, section->name, &emit::WrittenRange::name);
        const std::string& variable = section->origin_argument.text;
        if (written != nullptr && written->base != section->origin &&
            number_of(script, variable) != nullptr) {
          places[variable] = written->base;
        }
      }
    }
  }
  return places;
}

}  // namespace

std::map<std::string, std::string> agree_scripts(core::FileSystem& files, const OpenTree& tree) {
  // One script agrees with itself.
  return tree.variants.size() < 2 ? std::map<std::string, std::string>{}
                                  : Agreement{files, tree}.run();
}

std::map<std::string, std::string> untangle_scripts(const OpenTree& tree) {
  std::map<std::string, std::string> texts;
  for (const OpenVariant& open : tree.variants) {
    const Variant& variant = *open.variant;
    const std::string& path = variant.script->path;
    const std::string& text = tree.sources.find(variant.script_path)->content;
    const std::map<std::string, Integer> places = places_by_hand(open);
    const auto script = script_with(path, text, variant.script.get(), places);
    if (!places.empty() && script && std::ranges::none_of(script->exports, is_tangled)) {
      texts[variant.script_path] = *set_constants(path, text, variant.script.get(), places);
    }
  }
  return texts;
}

}  // namespace memsize::sdk
