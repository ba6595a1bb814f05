#include "verify_mmu.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/emit/read_map.hpp"
#include "memsize/emit/written.hpp"

#include "mmu_pieces.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

class MmuVerifier {
 public:
  MmuVerifier(const WrittenMap& map,
              const MmuFiles& files,
              const std::string& root,
              core::Diagnostics& errors)
      : map_(map), files_(files), root_(root), errors_(errors) {}

  void run() {
    std::vector<WrittenMmuEntry> from_syscfg;
    std::vector<WrittenMmuEntry> from_document;
    const bool has_syscfg = files_.syscfg != nullptr && read_syscfg(from_syscfg);
    const bool has_document = files_.document != nullptr && read_document(from_document);
    if (has_syscfg || has_document) {
      const core::Place place = place_of(has_syscfg ? *files_.syscfg : *files_.document);
      hold_mmu(map_.core_of(files_.core, place),
               map_.mair,
               has_syscfg ? from_syscfg : from_document,
               errors_);
    }
    if (has_syscfg && has_document && !alike(paint(from_syscfg), paint(from_document))) {
      disagree(place_of(*files_.document),
               fmt::format("it differs from {}/mmu.syscfg", files_.core));
    }
  }

 private:
  [[nodiscard]] core::Place place_of(const MapFile& file) const {
    core::Place place;
    place.path = file.path_under(root_);
    return place;
  }

  void disagree(const core::Place& place, const std::string& what) {
    errors_.push_back(core::error(Code::kVerifyDisagree, what, place, std::string{kWriteAgain}));
  }

  // Only the first mistake of a file is kept, because the others follow from it.
  bool good_since(std::size_t before) {
    if (errors_.size() == before) {
      return true;
    }
    errors_.resize(before + 1);
    return false;
  }

  bool read_syscfg(std::vector<WrittenMmuEntry>& entries) {
    const std::size_t before = errors_.size();
    entries = parse_syscfg(*files_.syscfg, root_, errors_);
    return good_since(before);
  }

  bool read_document(std::vector<WrittenMmuEntry>& entries) {
    const std::size_t before = errors_.size();
    entries = read_mmu_document(*files_.document, files_.core, root_, errors_);
    return good_since(before);
  }

  static bool alike(const std::vector<MmuPiece>& a, const std::vector<MmuPiece>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const MmuPiece& x, const MmuPiece& y) {
          return x.virtual_base == y.virtual_base && x.physical == y.physical && x.size == y.size &&
                 x.attribute == y.attribute && x.entry == y.entry;
        });
  }

  const WrittenMap& map_;
  const MmuFiles& files_;
  const std::string& root_;
  core::Diagnostics& errors_;
};

}  // namespace

void verify_mmu(const WrittenMap& map,
                const MmuFiles& files,
                const std::string& root,
                core::Diagnostics& errors) {
  MmuVerifier{map, files, root, errors}.run();
}

}  // namespace memsize::emit
