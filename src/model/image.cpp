// Which section has an address.
#include "memsize/model/image.hpp"

#include "memsize/core/find.hpp"

namespace memsize::model {

const ImageSection* Image::section_at(std::uint64_t address) const {
  return core::find_where(sections,
                          [&](const ImageSection& section) { return section.contains(address); });
}

}  // namespace memsize::model
