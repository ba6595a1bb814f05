// Reads a core's entries from its script, its document and its translation tables, lays each over
// the map, and compares them piece by piece. The C source of the tables must have their bytes.
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
    if (files_.tables != nullptr) {
      check_tables(has_document ? &from_document : nullptr);
    }
  }

 private:
  [[nodiscard]] core::Place place_of(const MapFile& file) const { return {file.path_under(root_)}; }

  void disagree(const core::Place& place, const std::string& what) {
    errors_.push_back(disagreement(place, {}, what));
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
    entries = parse_syscfg(*files_.syscfg, root_, errors_, Whole::kYes);
    return good_since(before);
  }

  bool read_document(std::vector<WrittenMmuEntry>& entries) {
    const std::size_t before = errors_.size();
    entries = read_mmu_document(*files_.document, files_.core, root_, errors_);
    return good_since(before);
  }

  // What the hardware finds in the tables is what the entries say.
  void check_tables(const std::vector<WrittenMmuEntry>* entries) {
    const core::Place place = place_of(*files_.tables);
    const std::string& path = files_.tables->path;
    const std::size_t from = path.rfind("_0x") + 1;
    const auto base = core::parse_address(path.substr(from, path.rfind('.') - from), place);
    const std::size_t before = errors_.size();
    if (!base) {
      errors_.push_back(core::error(Code::kVerifyParse, "its name has no address", place));
      return;
    }
    const auto found = parse_tables(*files_.tables, root_, *base, errors_);
    if (!good_since(before)) {
      return;
    }
    hold_mmu(map_.core_of(files_.core, place), map_.mair, found, errors_);
    if (entries != nullptr && !same_memory(paint(found), paint(*entries))) {
      disagree(place, fmt::format("it differs from {}/mmu_map.json", files_.core));
    }
    if (files_.tables_source != nullptr) {
      check_source();
    }
  }

  void check_source() {
    constexpr std::size_t kBytes = 8;
    const std::size_t before = errors_.size();
    std::string bytes;
    for (const std::uint64_t word :
         parse_words(*files_.tables_source, root_, "memsize_mmu_tables", errors_)) {
      for (std::size_t i = 0; i < kBytes; ++i) {
        bytes += static_cast<char>(word >> 8 * i & 0xFFU);
      }
    }
    if (good_since(before) && bytes != files_.tables->content) {
      disagree(place_of(*files_.tables_source),
               fmt::format("it differs from {}", files_.tables->path));
    }
  }

  // Whoever says so: entries that continue each other are one.
  static bool same_memory(const std::vector<MmuPiece>& a, const std::vector<MmuPiece>& b) {
    const auto joined = [](const std::vector<MmuPiece>& pieces) {
      std::vector<MmuPiece> list;
      for (const MmuPiece& piece : pieces) {
        if (!list.empty() && list.back().attribute == piece.attribute &&
            list.back().virtual_base + list.back().size == piece.virtual_base &&
            list.back().physical + list.back().size == piece.physical) {
          list.back().size += piece.size;
          continue;
        }
        list.push_back(piece);
        list.back().entry.clear();
      }
      return list;
    };
    return alike(joined(a), joined(b));
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
