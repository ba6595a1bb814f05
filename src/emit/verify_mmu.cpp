#include "verify_mmu.hpp"

#include "memsize/core/text.hpp"
#include "memsize/emit/written.hpp"

#include "document_fields.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

// A piece of address space, and the entry that decides over it.
struct Piece {
  unsigned instance = 0;
  std::uint64_t virtual_base = 0;
  std::uint64_t physical = 0;
  std::uint64_t size = 0;
  std::string attribute;
  std::string entry;
  core::Place place;
};

// The entries laid over each other: the last one that covers an address wins.
std::vector<Piece> paint(const std::vector<WrittenMmuEntry>& entries) {
  std::set<std::uint64_t> edges;
  for (const WrittenMmuEntry& entry : entries) {
    edges.insert(entry.virtual_base);
    // An entry may end at 2^64, where there is no edge.
    if (entry.virtual_base + entry.size > entry.virtual_base) {
      edges.insert(entry.virtual_base + entry.size);
    }
  }
  std::vector<Piece> pieces;
  for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
    const auto winner =
        std::find_if(entries.rbegin(), entries.rend(), [&](const WrittenMmuEntry& entry) {
          return *edge >= entry.virtual_base && *edge - entry.virtual_base < entry.size;
        });
    if (winner == entries.rend()) {
      continue;
    }
    const std::uint64_t into = *edge - winner->virtual_base;
    const auto next = std::next(edge);
    const std::uint64_t size = next == edges.end() ? winner->size - into : *next - *edge;
    const bool continues = !pieces.empty() && pieces.back().instance == winner->instance &&
                           pieces.back().virtual_base + pieces.back().size == *edge;
    if (continues) {
      pieces.back().size += size;
    } else {
      pieces.push_back({winner->instance,
                        *edge,
                        winner->physical + into,
                        size,
                        winner->attribute,
                        winner->name,
                        winner->place});
    }
  }
  return pieces;
}

class MmuVerifier {
 public:
  MmuVerifier(const WrittenMap& map,
              const MmuFiles& files,
              const std::string& root,
              core::Diagnostics& errors)
      : map_(map), files_(files), root_(root), errors_(errors) {}

  void run() {
    std::vector<Piece> from_syscfg;
    std::vector<Piece> from_document;
    const bool has_syscfg = files_.syscfg != nullptr && read_syscfg(from_syscfg);
    const bool has_document = files_.document != nullptr && read_document(from_document);
    if (has_syscfg) {
      check_regions(from_syscfg, *files_.syscfg);
    } else if (has_document) {
      check_regions(from_document, *files_.document);
    }
    if (has_syscfg && has_document && !alike(from_syscfg, from_document)) {
      disagree(place_of(*files_.document),
               fmt::format("it differs from {}/mmu.syscfg", files_.core));
    }
  }

 private:
  [[nodiscard]] core::Place place_of(const MapFile& file) const {
    core::Place place;
    place.path = root_.empty() ? file.path : root_ + "/" + file.path;
    return place;
  }

  void disagree(const core::Place& place, const std::string& what) {
    errors_.push_back(
        core::error(Code::kVerifyDisagree, what, place, "write the map again with: memsize emit"));
  }

  // Only the first mistake of a file is kept, because the others follow from it.
  bool good_since(std::size_t before) {
    if (errors_.size() == before) {
      return true;
    }
    errors_.resize(before + 1);
    return false;
  }

  bool read_syscfg(std::vector<Piece>& pieces) {
    const std::size_t before = errors_.size();
    const auto entries = parse_syscfg(*files_.syscfg, root_, errors_);
    pieces = paint(entries);
    return good_since(before);
  }

  bool read_document(std::vector<Piece>& pieces) {
    const core::Place place = place_of(*files_.document);
    const Document json = Document::parse(files_.document->content, nullptr, false);
    if (json.is_discarded()) {
      errors_.push_back(core::error(Code::kVerifyParse, "this is not valid JSON", place));
      return false;
    }
    const std::size_t before = errors_.size();
    Fields fields{json, "", place, errors_};
    const std::string core = fields.text("core");
    if (core != files_.core && errors_.size() == before) {
      disagree(place,
               fmt::format("it is the map of '{}', in the folder of '{}'", core, files_.core));
      return false;
    }
    for (Fields& range : fields.items("ranges")) {
      Piece piece;
      piece.entry = range.text("entry");
      piece.virtual_base = range.address("virtual");
      piece.physical = range.address("physical");
      piece.size = range.number("size_bytes");
      piece.attribute = fmt::format("MAIR{}", range.number("mair"));
      piece.place = place;
      pieces.push_back(std::move(piece));
    }
    return good_since(before);
  }

  static bool alike(const std::vector<Piece>& a, const std::vector<Piece>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Piece& x, const Piece& y) {
      return x.virtual_base == y.virtual_base && x.physical == y.physical && x.size == y.size &&
             x.attribute == y.attribute && x.entry == y.entry;
    });
  }

  void check_regions(const std::vector<Piece>& pieces, const MapFile& file) {
    for (const MapRegion& region : map_.regions) {
      const bool seen =
          std::find(region.cores.begin(), region.cores.end(), files_.core) != region.cores.end();
      if (seen && region.physical && region.size != 0) {
        check_region(pieces, region, file);
      }
    }
  }

  // From piece to piece until the region's end, or to the first that is wrong.
  void check_region(const std::vector<Piece>& pieces,
                    const MapRegion& region,
                    const MapFile& file) {
    std::uint64_t done = 0;
    while (done < region.size) {
      const std::uint64_t address = region.address + done;
      const auto piece = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& candidate) {
        return address >= candidate.virtual_base &&
               address - candidate.virtual_base < candidate.size;
      });
      if (piece == pieces.end()) {
        disagree(
            place_of(file),
            fmt::format(
                "{} does not map '{}' at {}", files_.core, region.name, core::format_hex(address)));
        return;
      }
      const std::uint64_t into = address - piece->virtual_base;
      if (!leads_home(*piece, region, address, *region.physical + done)) {
        return;
      }
      done += std::min(piece->size - into, region.size - done);
    }
  }

  bool leads_home(const Piece& piece,
                  const MapRegion& region,
                  std::uint64_t address,
                  std::uint64_t physical) {
    const std::uint64_t reached = piece.physical + (address - piece.virtual_base);
    if (reached != physical) {
      disagree(piece.place,
               fmt::format("{} maps '{}' at {} to {}, but it is at {}",
                           files_.core,
                           region.name,
                           core::format_hex(address),
                           core::format_hex(reached),
                           core::format_hex(physical)));
      return false;
    }
    const auto allowed = map_.mair.find(region.cache);
    if (allowed != map_.mair.end() && !allowed->second.contains(piece.attribute)) {
      disagree(piece.place,
               fmt::format("{} maps '{}' with {}, but it must be {}",
                           files_.core,
                           region.name,
                           core::printable(piece.attribute, 20),
                           region.cache));
      return false;
    }
    return true;
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
