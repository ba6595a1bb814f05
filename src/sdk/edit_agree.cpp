#include "edit_agree.hpp"

#include "memsize/sdk/edit_generated.hpp"
#include "memsize/sdk/edit_script.hpp"

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
      for (const ScriptExport& each : variant.variant->script.exports) {
        ++writers_[path_of(each)];
      }
    }
    std::map<std::string, std::string> texts;
    for (const OpenVariant& stale : tree_.variants) {
      const std::size_t now = count_differences(stale.variant->script);
      for (const OpenVariant& model : tree_.variants) {
        if (now == 0 || count_differences(model.variant->script) != 0) {
          continue;
        }
        auto text = edited(stale, model);
        const auto script = text ? evaluate_script(stale.variant->script.path, *text)
                                 : core::Result<Script>{tl::make_unexpected(core::Diagnostics{})};
        if (script && count_differences(*script) < now) {
          texts[stale.variant->script_path] = std::move(*text);
          break;
        }
      }
    }
    return texts;
  }

 private:
  // With every constant of the model that a user may set.
  std::optional<std::string> edited(const OpenVariant& stale, const OpenVariant& model) const {
    const Variant& variant = *stale.variant;
    std::map<std::string, Integer> values;
    for (const board::Knob& knob : model.board.knobs) {
      const ScriptVariable* own = find_variable(variant.script, knob.name);
      const auto value = model.map.values.find(knob.name);
      const auto* number = own == nullptr ? nullptr : std::get_if<Integer>(&own->value());
      if (number != nullptr && value != model.map.values.end() &&
          *number != static_cast<Integer>(value->second)) {
        values[knob.name] = value->second;
      }
    }
    if (values.empty()) {
      return std::nullopt;
    }
    auto text = set_constants(variant.script.path,
                              tree_.sources.find(variant.script_path)->content,
                              &variant.script,
                              values);
    return text ? std::optional{std::move(*text)} : std::nullopt;
  }

  // Of what the script writes, over the files that others write, too.
  std::size_t count_differences(const Script& script) {
    std::size_t count = 0;
    for (const ScriptExport& each : script.exports) {
      const std::string path = path_of(each);
      const bool is_shared = writers_[path] > 1 && is_regenerated(each);
      const std::string* content = is_shared ? find(path) : nullptr;
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
      auto content = files_.read(full);
      others_[path] = content ? std::move(*content) : std::string{};
    }
    const auto found = others_.find(path);
    return found == others_.end() ? nullptr : &found->second;
  }

  core::FileSystem& files_;
  const OpenTree& tree_;
  std::map<std::string, std::string> others_;
  /// How many scripts write a file.
  std::map<std::string, std::size_t> writers_;
};

}  // namespace

std::map<std::string, std::string> agree_scripts(core::FileSystem& files, const OpenTree& tree) {
  // One script agrees with itself.
  return tree.variants.size() < 2 ? std::map<std::string, std::string>{}
                                  : Agreement{files, tree}.run();
}

}  // namespace memsize::sdk
