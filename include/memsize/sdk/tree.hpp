// An SDK tree as it is on disk: which parts it has memory maps for, in which files, and what those
// files say.
//
// A part's files are in platform/SOC/rtos: the generator scripts (gen_linker_mem_map.py, and
// gen_linker_mem_map_OS.py beside it), what they write, and in a folder for each core what follows
// from it: sysconfig files and what sysconfig made of them, C tables of MPU regions, the start-up
// code.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/emit/written.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace memsize::sdk {

struct Script;
struct ScriptExport;

/// What an SDK's scripts and files are for where their names do not say it.
inline constexpr std::string_view kDefaultOs = "freertos";

/// platform/SOC/rtos of a tree.
struct Platform {
  std::string soc;
  /// As the user may type it.
  std::string folder;
};

/// The parts of the tree at `path`, which is the folder that holds platform/, platform itself, or a
/// folder around one tree; sorted by name. Error sdk.tree where there is none, or several.
[[nodiscard]] core::Result<std::vector<Platform>> find_platforms(core::FileSystem& files,
                                                                 const std::string& path);

/// The folder that holds platform/, for a path as find_platforms() takes it: always the same one,
/// as the user may type it where that is no link. What memsize keeps of a tree is below it.
[[nodiscard]] core::Result<std::string> tree_root(core::FileSystem& files, const std::string& path);

/// The part `soc` of that tree. Error sdk.tree, also where the tree has others; it names them.
[[nodiscard]] core::Result<Platform> find_platform(core::FileSystem& files,
                                                   const std::string& path,
                                                   const std::string& soc);

/// What a core's folder has for one operating system.
struct CoreSources {
  std::string name;
  /// Below the platform's folder, as all paths here. Empty: the tree has none.
  std::string linker;
  /// For this operating system; several where a core is built in variants.
  std::vector<std::string> syscfg;
  /// What sysconfig made of one of them, for whichever operating system it ran last.
  std::string generated;
  std::string mpu_source;
  /// The linker command file that places the sections.
  std::string sections;
  /// The start-up code; a core of which a syscfg file configures the MMU does not map there.
  std::string main_source;
  /// What all cores share of it, and the core's own macros for that.
  std::string common_source;
  std::string config_header;
};

/// One script and what belongs to it.
struct Variant {
  /// "freertos", or what stands behind gen_linker_mem_map_ in the script's name.
  std::string os;
  std::string script_path;
  /// What it came to.
  std::shared_ptr<const Script> script;
  std::vector<CoreSources> cores;
  std::string header;
  std::string dts;
};

struct Sources {
  Platform platform;
  std::vector<Variant> variants;
  /// By their path below the platform's folder.
  std::map<std::string, emit::MapFile> files;
  /// What may program the MPU of a core, but for sysconfig.
  board::MpuPrograms programs;
  /// What could not be read or evaluated; a variant whose script failed is not there.
  core::Diagnostics problems;

  /// Null where there is none.
  [[nodiscard]] const emit::MapFile* find(const std::string& path) const;
};

/// The operating system that a generator script of that name is for; empty for any other file.
[[nodiscard]] std::string os_of_script(const std::string& path);

/// The file that an export writes, below the platform's folder; empty where that is not known.
[[nodiscard]] std::string path_of(const ScriptExport& exported);

/// Reads the platform. An error only where it has no script at all.
[[nodiscard]] core::Result<Sources> read_sources(core::FileSystem& files,
                                                 const Platform& platform,
                                                 const board::MpuPrograms& programs);

/// The variant for an operating system. The errors are those of its script, else sdk.tree, which
/// names the systems that there are. The sources must outlive it.
[[nodiscard]] core::Result<const Variant*> find_variant(const Sources& sources,
                                                        const std::string& os);

}  // namespace memsize::sdk
