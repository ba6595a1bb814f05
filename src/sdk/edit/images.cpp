// Whose images changed files go into: a file in a core's folder is that core's, a macro of the
// header belongs to the cores that see its region, and anything else that is built is everybody's.
#include "memsize/core/diagnostic.hpp"
#include "memsize/core/find.hpp"
#include "memsize/emit/written.hpp"
#include "memsize/sdk/edit_dts.hpp"
#include "memsize/sdk/edit_tree.hpp"

#include <set>

namespace memsize::sdk {

namespace {

using layout::MemoryMap;

constexpr const char* kHeader = "_mem_map.h";

// What describes the map, or makes the other files: nothing is built of it.
bool is_built(const std::string& path) {
  return !path.ends_with(".html") && os_of_script(path).empty();
}

std::set<std::string> changed_macros(const FileEdit& file) {
  core::Diagnostics unused;
  const auto before = emit::parse_header({file.path, file.before}, "", unused);
  const auto after = emit::parse_header({file.path, file.after}, "", unused);
  std::set<std::string> changed;
  for (const auto& [from, to] : {std::pair{&before, &after}, std::pair{&after, &before}}) {
    for (const auto& [name, macro] : *from) {
      const auto other = to->find(name);
      if (other == to->end() || other->second.value != macro.value) {
        changed.insert(name);
      }
    }
  }
  return changed;
}

class Images {
 public:
  Images(const MemoryMap& before, const MemoryMap& after) : before_(before), after_(after) {}

  void add(const FileEdit& file) {
    const std::string folder = file.path.substr(0, file.path.find('/'));
    if (is_device_tree(file.path)) {
      affected_.device_tree = true;
    } else if (file.path.ends_with(kHeader)) {
      for (const std::string& macro : changed_macros(file)) {
        add_macro(macro);
      }
    } else if (is_core(folder)) {
      cores_.insert(folder);
    } else if (is_built(file.path)) {
      add_all();
    }
  }

  emit::Affected affected() {
    for (const board::Core& core : after_.board.cores) {
      if (cores_.contains(core.name)) {
        affected_.cores.push_back(core.name);
      }
    }
    return std::move(affected_);
  }

 private:
  [[nodiscard]] bool is_core(const std::string& name) const {
    const auto& cores = after_.board.cores;
    return core::contains(cores, name, &board::Core::name);
  }

  void add_all() {
    for (const board::Core& core : after_.board.cores) {
      cores_.insert(core.name);
    }
  }

  // Of the region with the longest name that the macro begins with: the cores that see it. What
  // the macro of no region is for is not known.
  void add_macro(const std::string& macro) {
    std::size_t longest = 0;
    std::set<std::string> seeing;
    for (const MemoryMap* map : {&before_, &after_}) {
      for (const layout::Region& region : map->regions) {
        const bool is_named = macro.starts_with(region.name + "_") &&
                              region.kind != layout::RegionKind::kPhysicalName;
        if (!is_named || region.name.size() < longest) {
          continue;
        }
        if (region.name.size() > longest) {
          longest = region.name.size();
          seeing.clear();
        }
        for (const board::Core& core : map->board.cores) {
          if (region.seen_by(core.name)) {
            seeing.insert(core.name);
          }
        }
      }
    }
    if (seeing.empty()) {
      return add_all();
    }
    cores_.insert(seeing.begin(), seeing.end());
  }

  const MemoryMap& before_;
  const MemoryMap& after_;
  std::set<std::string> cores_;
  emit::Affected affected_;
};

}  // namespace

emit::Affected affected_by_files(const std::vector<FileEdit>& files,
                                 const MemoryMap& before,
                                 const MemoryMap& after) {
  Images images{before, after};
  for (const FileEdit& file : files) {
    images.add(file);
  }
  return images.affected();
}

}  // namespace memsize::sdk
