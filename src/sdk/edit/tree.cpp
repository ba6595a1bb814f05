// Opens a tree: each operating system's map is imported as a board, loaded, resolved and compared
// with the script. Where scripts do not agree, they are edited in memory, and it is opened again.
#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/overlay.hpp"
#include "memsize/sdk/edit_tree.hpp"
#include "memsize/sdk/import.hpp"
#include "memsize/sdk/view.hpp"

#include "agree.hpp"
#include "check/generated.hpp"
#include "places.hpp"
#include "script/script.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class Opener {
 public:
  Opener(core::FileSystem& files,
         const std::string& folder,
         const board::MpuPrograms& programs,
         const ModelBoards& models,
         const std::string& os,
         std::optional<core::Bytes> dram)
      : files_(files),
        folder_(folder),
        programs_(programs),
        models_(models),
        os_(os),
        dram_(dram) {}

  [[nodiscard]] const board::MpuPrograms& programs() const { return programs_; }

  core::Result<OpenVariant> open(const Sources& sources, const Variant& variant) {
    // What another operating system's board says of the part is better than nothing.
    const auto own = models_.find(variant.os);
    const auto model = own == models_.end() ? models_.find(os_) : own;
    const bool known = model != models_.end();
    OpenVariant open{.variant = &variant, .first_mpu_region = known ? model->second.mpu.first : 0};
    open.reading = read_variant(sources, variant, open.first_mpu_region);
    auto import =
        import_board(sources,
                     variant,
                     *open.reading,
                     known ? make_import_model(files_, folder_, sources.platform, model->second)
                           : make_import_parts(files_, folder_, *open.reading));
    MEMSIZE_TRY(import);
    const std::string path = imported_path(variant);
    core::Overlay with_board{files_};
    with_board.lay(path, std::move(import->text));
    auto board = board::load_board(with_board, folder_, path);
    const auto populated = board && dram_ ? board::set_dram(*board, *dram_) : core::Result<void>{};
    if (!board || !populated) {
      return failed(sources, variant, board ? populated.error() : board.error());
    }
    board->title = known ? model->second.title : board->title;
    std::erase_if(board->rebuild, [](const board::RebuildStep& step) { return step.by_hand; });
    board->name = known ? model->second.name : sources.platform.soc;
    board->asked_as = known ? model->second.asked_as : board->name;
    board->of_tree = true;
    auto map = layout::resolve(*board, {});
    if (!map) {
      return failed(sources, variant, map.error());
    }
    // Of what a board cannot say, it only warns: the tree keeps it.
    core::Diagnostics differences = compare_import(variant, *map);
    if (core::has_errors(differences)) {
      return failed(sources, variant, std::move(differences));
    }
    open.board = std::move(*board);
    open.map = std::move(*map);
    return open;
  }

 private:
  static tl::unexpected<core::Diagnostics> failed(const Sources& sources,
                                                  const Variant& variant,
                                                  core::Diagnostics found) {
    show_script(sources, variant, found);
    return tl::make_unexpected(std::move(found));
  }

  core::FileSystem& files_;
  const std::string& folder_;
  const board::MpuPrograms& programs_;
  const ModelBoards& models_;
  const std::string& os_;
  std::optional<core::Bytes> dram_;
};

core::Result<OpenTree> open(std::shared_ptr<core::Overlay> files,
                            const Platform& platform,
                            const std::string& os,
                            bool all,
                            Opener& opener) {
  auto sources = read_sources(*files, platform, opener.programs());
  MEMSIZE_TRY(sources);
  OpenTree tree{.os = os, .sources = std::move(*sources), .files = std::move(files)};
  MEMSIZE_TRY(find_variant(tree.sources, os));
  for (const Variant& variant : tree.sources.variants) {
    if (!all && variant.os != os) {
      continue;
    }
    auto opened = opener.open(tree.sources, variant);
    if (opened) {
      tree.variants.push_back(std::move(*opened));
    } else if (variant.os == os) {
      return tl::make_unexpected(opened.error());
    } else {
      core::Diagnostic problem = opened.error().front();
      problem.severity = core::Severity::kWarning;
      tree.problems.push_back(std::move(problem));
    }
  }
  return tree;
}

}  // namespace

const OpenVariant* OpenTree::find(const std::string& name) const {
  return core::find_where(variants,
                          [&](const OpenVariant& each) { return each.variant->os == name; });
}

bool changes_anything(const OpenTree& tree, const board::KnobValues& values) {
  const board::Values& now = tree.find(tree.os)->map.values;
  return std::ranges::any_of(values, [&](const auto& value) {
    const auto same = now.find(value.first);
    return same == now.end() || same->second != value.second;
  });
}

core::Place assigned_again(const OpenTree& tree, const std::string& name) {
  const Variant& asked = *tree.find(tree.os)->variant;
  const ScriptVariable* variable = find_variable(*asked.script, name);
  return variable == nullptr || !variable->assigned_again()
             ? core::Place{}
             : place_in_script(asked, variable->assignments.back().name_place);
}

void show_script(const OpenTree& tree, core::Diagnostics& found) {
  for (const OpenVariant& variant : tree.variants) {
    show_script(tree.sources, *variant.variant, found);
  }
}

core::Result<OpenTree> open_tree(core::FileSystem& files,
                                 const Platform& platform,
                                 const std::string& os,
                                 const std::string& folder,
                                 const ModelBoards& models,
                                 const OpenOptions& options) {
  const auto programs = board::load_mpu_programs(files, folder);
  MEMSIZE_TRY(programs);
  Opener opener{files, folder, *programs, models, os, options.dram};
  auto tree = open(std::make_shared<core::Overlay>(files), platform, os, options.all, opener);
  if (tree) {
    tree->is_populated = options.dram.has_value();
  }
  auto texts =
      tree && options.all ? agree_scripts(files, *tree) : std::map<std::string, std::string>{};
  if (tree && options.untangles) {
    texts.merge(untangle_scripts(*tree));
  }
  if (texts.empty()) {
    return tree;
  }
  auto agreed = std::make_shared<core::Overlay>(files);
  std::map<std::string, std::string> stale;
  for (const auto& [path, text] : texts) {
    stale[path] = tree->sources.find(path)->content;
    agreed->lay(fmt::format("{}/{}", platform.folder, path), text);
  }
  auto again = open(std::move(agreed), platform, os, options.all, opener);
  if (again) {
    again->is_populated = tree->is_populated;
    again->stale_scripts = std::move(stale);
  }
  return again;
}

}  // namespace memsize::sdk
