// Lists a platform's folders and sorts files to cores and operating systems by their names. Of a
// folder that is no such tree, it says which one it may be.
#include "memsize/sdk/tree.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "script/script.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

constexpr std::string_view kScript = "gen_linker_mem_map";

// Start-up code of all cores; it includes the header of the core that it is compiled for.
constexpr std::string_view kCommonSource = "common/app_init.c";
constexpr std::string_view kConfigHeader = "common/app_cfg_";

// In a core's folder: sysconfig's output, which releases have checked in.
constexpr std::string_view kGenerated = "/generated/ti_dpl_config.c";

// A name of a folder, in a message.
constexpr std::size_t kLongestName = 40;

bool is_wanted(const std::string& path) {
  static constexpr std::array<std::string_view, 8> kEnds = {
      ".cmd", ".syscfg", ".dts", ".dtsi", ".dtso", "_mem_map.h", "_mpu_cfg.c", "main.c"};
  return !os_of_script(path).empty() || path == kCommonSource ||
         (path.starts_with(kConfigHeader) && path.ends_with(".h")) ||
         std::ranges::any_of(kEnds, [&](std::string_view end) { return path.ends_with(end); });
}

bool has_scripts(core::FileSystem& files, const std::string& folder) {
  const auto names = files.list(folder);
  return names && std::any_of(names->begin(), names->end(), [](const std::string& name) {
           return !os_of_script(name).empty();
         });
}

// Newer SDKs have a part's scripts apart from its cores' files, in this folder of platform.
constexpr std::string_view kNewerMaps = "memory_map";

// Of what is none of the trees that are read, which other one it is.
core::Diagnostic no_tree(core::FileSystem& files,
                         const std::string& path,
                         const std::vector<std::string>& roots) {
  core::Place place;
  for (const std::string& root : roots) {
    place.path = fmt::format("{}/{}", root, kNewerMaps);
    std::vector<std::string> socs;
    const auto folders = files.list_folders(place.path.str());
    for (std::size_t i = 0; folders && i < folders->size(); ++i) {
      if (has_scripts(files, fmt::format("{}/{}", place.path.str(), (*folders)[i]))) {
        socs.push_back(core::printable((*folders)[i], kLongestName));
      }
    }
    if (!socs.empty()) {
      return core::error(
          Code::kSdkTree,
          fmt::format("this SDK has its scripts in platform/memory_map/SOC (here: {}), apart from "
                      "the files of its cores: this layout is not read yet, only platform/SOC/rtos",
                      core::join(socs, ", ")),
          place,
          "memsize list boards shows the parts whose files memsize emit --out DIR writes without a "
          "tree, to be put in their places by hand");
    }
  }
  place.path = path;
  return core::error(Code::kSdkTree,
                     "this is not an SDK tree: it has no platform/SOC/rtos with a "
                     "gen_linker_mem_map script",
                     place,
                     "give the folder that holds platform, such as vision_apps");
}

std::vector<Platform> platforms_below(core::FileSystem& files, const std::string& root) {
  std::vector<Platform> platforms;
  const auto socs = files.list_folders(root);
  for (std::size_t i = 0; socs && i < socs->size(); ++i) {
    const std::string folder = fmt::format("{}/{}/rtos", root, (*socs)[i]);
    if (has_scripts(files, folder)) {
      platforms.push_back({(*socs)[i], folder});
    }
  }
  return platforms;
}

core::Diagnostic several_trees(const std::string& path, std::vector<std::string> trees) {
  std::ranges::transform(trees, trees.begin(), core::shell_path);
  return core::error(Code::kSdkTree,
                     fmt::format("this folder holds {} SDK trees", trees.size()),
                     {path},
                     fmt::format("give one of them: {}", core::join(trees, ", ")));
}

class TreeReader {
 public:
  TreeReader(core::FileSystem& disk, Platform platform, board::MpuPrograms programs) : disk_(disk) {
    sources_.platform = std::move(platform);
    sources_.programs = std::move(programs);
  }

  core::Result<Sources> run() {
    const auto paths = disk_.list_tree(sources_.platform.folder);
    MEMSIZE_TRY(paths);
    for (const std::string& path : *paths) {
      if (is_wanted(path)) {
        read(path);
      }
    }
    read_generated();
    std::vector<std::string> scripts;
    for (const auto& [path, file] : sources_.files) {
      if (!os_of_script(path).empty()) {
        scripts.push_back(path);
      }
    }
    // The default's script first.
    std::ranges::sort(scripts, [](const std::string& a, const std::string& b) {
      return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
    });
    for (const std::string& path : scripts) {
      add_variant(path);
    }
    return std::move(sources_);
  }

 private:
  void read(const std::string& path) {
    const std::string full = fmt::format("{}/{}", sources_.platform.folder, path);
    // Not read to find out that it is too large.
    if (const auto size = disk_.size(full); size && *size > core::kMapFile.most) {
      sources_.problems.push_back(
          core::error(Code::kSdkTree,
                      fmt::format("this file has {}: no file of a memory map has more than {}",
                                  core::format_size(core::Bytes{*size}),
                                  core::format_size(core::Bytes{core::kMapFile.most})),
                      {full},
                      "put the SDK's own file back"));
      return;
    }
    auto content = disk_.read(full, core::kMapFile);
    if (!content) {
      sources_.problems.insert(
          sources_.problems.end(), content.error().begin(), content.error().end());
      return;
    }
    sources_.files[path] = {path, std::move(*content)};
  }

  // These are one folder deeper than the tree is listed.
  void read_generated() {
    const auto folders = disk_.list_folders(sources_.platform.folder);
    for (std::size_t i = 0; folders && i < folders->size(); ++i) {
      const std::string path = fmt::format("{}{}", (*folders)[i], kGenerated);
      if (is_there(path)) {
        read(path);
      }
    }
  }

  [[nodiscard]] bool is_there(const std::string& path) const {
    return disk_.is_regular_file(fmt::format("{}/{}", sources_.platform.folder, path));
  }

  void add_variant(const std::string& path) {
    auto script = evaluate_script(fmt::format("{}/{}", sources_.platform.folder, path),
                                  sources_.files.at(path).content);
    if (!script) {
      for (core::Diagnostic& problem : script.error()) {
        sources_.problems.push_back(std::move(problem));
      }
      return;
    }
    Variant variant{.os = os_of_script(path),
                    .script_path = path,
                    .script = std::make_shared<const Script>(std::move(*script))};
    for (const ScriptExport& each : variant.script->exports) {
      if (each.kind == "CHeaderFile") {
        variant.header = path_of(each);
      } else if (each.kind == "DtsFile") {
        variant.dts = path_of(each);
      } else if (each.kind == "LinkerCmdFile") {
        variant.cores.push_back(core_of(path_of(each), variant.os));
      } else if (each.kind == "HtmlMmapTable" && is_there(path_of(each))) {
        read(path_of(each));
      }
    }
    sources_.variants.push_back(std::move(variant));
  }

  [[nodiscard]] CoreSources core_of(const std::string& linker, const std::string& os) const {
    CoreSources core{.linker = linker};
    core.name = linker.substr(0, linker.find('/'));
    if (sources_.files.contains(std::string{kCommonSource})) {
      core.common_source = kCommonSource;
    }
    const std::string header = fmt::format("{}{}.h", kConfigHeader, core.name);
    core.config_header = sources_.files.contains(header) ? header : "";
    const std::string generated = fmt::format("{}{}", core.name, kGenerated);
    core.generated = sources_.files.contains(generated) ? generated : "";
    for (const auto& [path, file] : sources_.files) {
      if (!path.starts_with(core.name + "/")) {
        continue;
      }
      const std::string name = path.substr(core.name.size() + 1);
      const bool is_default = os == kDefaultOs;
      if (name.ends_with(".syscfg") &&
          (name.starts_with(os) || (is_default && name.starts_with("example")))) {
        core.syscfg.push_back(path);
      } else if (name.ends_with("_mpu_cfg.c") && is_for(name, os)) {
        core.mpu_source = path;
      } else if (name == "main.c") {
        core.main_source = path;
      } else if (name.ends_with(fmt::format("_linker_{}.cmd", os))) {
        core.sections = path;
      }
    }
    return core;
  }

  // "SOC_mpu_cfg.c" is the default's, "SOC_safertos_mpu_cfg.c" is not.
  [[nodiscard]] bool is_for(const std::string& name, const std::string& os) const {
    const std::string other = fmt::format("{}_{}_mpu_cfg.c", sources_.platform.soc, os);
    return os == kDefaultOs ? name == sources_.platform.soc + "_mpu_cfg.c" : name == other;
  }

  core::FileSystem& disk_;
  Sources sources_;
};

}  // namespace

std::string os_of_script(const std::string& path) {
  if (!path.starts_with(kScript) || !path.ends_with(".py")) {
    return {};
  }
  const std::string rest =
      path.substr(kScript.size(), path.size() - kScript.size() - std::string_view{".py"}.size());
  return rest.empty() ? std::string{kDefaultOs} : rest.starts_with('_') ? rest.substr(1) : "";
}

std::string path_of(const ScriptExport& exported) {
  return exported.path.starts_with("./") ? exported.path.substr(2) : exported.path;
}

const emit::MapFile* Sources::find(const std::string& path) const {
  return core::value_in(files, path);
}

core::Result<std::vector<Platform>> find_platforms(core::FileSystem& files,
                                                   const std::string& path) {
  std::vector<std::string> roots = {path, path + "/platform"};
  for (const std::string& root : roots) {
    if (auto own = platforms_below(files, root); !own.empty()) {
      return own;
    }
  }
  std::vector<Platform> platforms;
  std::vector<std::string> trees;
  if (const auto folders = files.list_folders(path)) {
    for (const std::string& folder : *folders) {
      const std::string tree = fmt::format("{}/{}", path, folder);
      roots.push_back(tree + "/platform");
      auto found = platforms_below(files, roots.back());
      const bool is_link = std::ranges::any_of(
          trees, [&](const std::string& other) { return files.same_file(tree, other); });
      if (!found.empty() && !is_link) {
        trees.push_back(tree);
        platforms = std::move(found);
      }
    }
  }
  if (trees.size() > 1) {
    return core::fail(several_trees(path, std::move(trees)));
  }
  if (platforms.empty()) {
    return core::fail(no_tree(files, path, roots));
  }
  return platforms;
}

core::Result<std::string> tree_root(core::FileSystem& files, const std::string& path) {
  const auto platforms = find_platforms(files, path);
  MEMSIZE_TRY(platforms);
  // Up from platform/SOC/rtos.
  std::string platform = platforms->front().folder;
  platform.resize(platform.rfind('/'));
  platform.resize(platform.rfind('/'));
  while (platform.size() > 1 && platform.ends_with('/')) {
    platform.pop_back();
  }
  const auto real = files.real_path(platform);
  MEMSIZE_TRY(real);
  const std::size_t end = real->rfind('/');
  const std::string root = end == std::string::npos ? "." : end == 0 ? "/" : real->substr(0, end);
  // As the user typed it, where that is the same folder.
  const std::size_t typed_end = platform.rfind('/');
  const std::string typed = typed_end == std::string::npos ? "."
                            : typed_end == 0               ? "/"
                                                           : platform.substr(0, typed_end);
  return files.same_file(typed, root) ? typed : root;
}

core::Result<Platform> find_platform(core::FileSystem& files,
                                     const std::string& path,
                                     const std::string& soc) {
  const auto platforms = find_platforms(files, path);
  MEMSIZE_TRY(platforms);
  std::vector<std::string> names;
  for (const Platform& platform : *platforms) {
    if (platform.soc == soc) {
      return platform;
    }
    names.push_back(core::printable(platform.soc, kLongestName));
  }
  return core::fail(
      core::error(Code::kSdkTree,
                  fmt::format("this SDK has no '{}'", core::printable(soc, kLongestName)),
                  {path},
                  fmt::format("it has: {}", core::join(names, ", "))));
}

core::Result<const Variant*> find_variant(const Sources& sources, const std::string& os) {
  std::vector<std::string> names;
  for (const Variant& variant : sources.variants) {
    if (variant.os == os) {
      return &variant;
    }
    names.push_back(core::printable(variant.os, kLongestName));
  }
  // The script is there, but wrong.
  const std::string& folder = sources.platform.folder;
  core::Diagnostics own;
  for (const core::Diagnostic& problem : sources.problems) {
    const std::string& path = problem.place.path.str();
    const bool is_script =
        path.starts_with(folder + "/") && os_of_script(path.substr(folder.size() + 1)) == os;
    if (is_script && problem.severity == core::Severity::kError) {
      own.push_back(problem);
    }
  }
  if (!own.empty()) {
    return tl::make_unexpected(std::move(own));
  }
  return core::fail(core::error(
      Code::kSdkTree,
      fmt::format("there is no generator script of '{}' for '{}'",
                  core::printable(sources.platform.soc, kLongestName),
                  core::printable(os, kLongestName)),
      {folder},
      names.empty() ? std::string{"no script of it could be read"}
                    : fmt::format("there are scripts for: {}", core::join(names, ", "))));
}

core::Result<Sources> read_sources(core::FileSystem& files,
                                   const Platform& platform,
                                   const board::MpuPrograms& programs) {
  return TreeReader{files, platform, programs}.run();
}

}  // namespace memsize::sdk
