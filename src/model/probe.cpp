// Looks up what a probe has of a path.
#include "memsize/model/probe.hpp"

#include "memsize/core/find.hpp"

namespace memsize::model {

const ProbeFile* Probe::find(std::string_view file) const {
  return core::find_in(files, file, &ProbeFile::path);
}

std::string_view Probe::content(std::string_view file) const {
  const ProbeFile* found = find(file);
  return found == nullptr || !found->content ? std::string_view{} : *found->content;
}

}  // namespace memsize::model
