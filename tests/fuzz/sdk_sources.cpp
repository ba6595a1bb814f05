// Any bytes as one source of an SDK: what is understood, or a diagnostic, never a crash; and every
// place is one of the text.
#include "memsize/core/cursor.hpp"

#include "check.hpp"
#include "csource/firmware.hpp"
#include "formats/claims.hpp"
#include "formats/dpl_config.hpp"
#include "formats/linker_sections.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::core::Diagnostics;
using memsize::core::Place;
using memsize::fuzz::is_visible;
using memsize::fuzz::require;
namespace emit = memsize::emit;
namespace sdk = memsize::sdk;

namespace {

constexpr std::size_t kKinds = 10;

class LinesOfSource {
 public:
  explicit LinesOfSource(const std::string& text) {
    std::size_t begin = 0;
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', begin)) {
      lengths_.push_back(at - begin);
      begin = at + 1;
    }
    lengths_.push_back(text.size() - begin);
  }

  void check(const Place& place) const {
    require(place.path.str() == "out/f", "a place is in the file");
    require(place.line <= lengths_.size(), "a place has a line of the file");
    if (place.line != 0 && place.column != 0) {
      require(place.column + place.length <= lengths_[place.line - 1] + 2,
              "a place ends with its line");
    }
  }

 private:
  std::vector<std::size_t> lengths_;
};

const sdk::Macros& macros() {
  static const sdk::Macros known{{{"A_ADDR", 0xA0000000},
                                  {"A_SIZE", 0x1000},
                                  {"B_ADDR", 0xC0000000},
                                  {"B_PHYS_ADDR", 0x900000000},
                                  {"B_SIZE", 0x20000000}}};
  return known;
}

void read_firmware(std::size_t kind,
                   const emit::MapFile& file,
                   const LinesOfSource& lines,
                   Diagnostics& errors) {
  sdk::BuildFlags flags;
  flags.defined = {"CPU_a"};
  flags.families = {"CPU_"};
  if (kind == 0) {
    for (const auto& call : sdk::parse_mmu_calls({file, "out", macros(), flags}, errors)) {
      lines.check(call.virtual_base.place);
      lines.check(call.size.place);
      require(call.entry.attribute.starts_with("MAIR"), "a call has an attribute");
    }
  } else if (kind == 1) {
    for (const auto& call : sdk::parse_mar_calls({file, "out", macros(), flags}, errors)) {
      lines.check(call.base.place);
    }
  } else if (kind == 2) {
    for (const auto& call : sdk::parse_rat_calls({file, "out", macros(), flags}, errors)) {
      lines.check(call.system.place);
    }
  } else {
    for (const auto& range : sdk::parse_shared_ranges({file, "out", macros(), flags}, errors)) {
      lines.check(range.virtual_base.place);
      lines.check(range.physical.place);
    }
  }
}

void read_dpl(const emit::MapFile& file, const LinesOfSource& lines, Diagnostics& errors) {
  const auto config = sdk::parse_dpl_config({file, "out", macros(), {}}, 0, errors);
  for (const auto& entry : config.mmu) {
    lines.check(entry.place);
    for (const auto& [name, place] : entry.places) {
      lines.check(place);
    }
  }
  for (const auto& region : config.mpu) {
    lines.check(region.place);
    require(region.fields.size >= 32 && region.fields.disabled < 0x100, "a region can be one");
  }
  for (const auto& entry : config.rat) {
    lines.check(entry.place);
    require(entry.fields.size != 0, "a RAT entry has a size");
  }
}

void read(std::size_t kind,
          const emit::MapFile& file,
          const LinesOfSource& lines,
          Diagnostics& errors) {
  if (kind < 4) {
    read_firmware(kind, file, lines, errors);
  } else if (kind == 4) {
    for (const auto& section : sdk::parse_linker_sections(file, "out", errors)) {
      lines.check(section.place);
      require(!section.name.empty(), "a section has a name");
    }
  } else if (kind == 5) {
    const auto claims = sdk::parse_claims(file, "out");
    Diagnostics unused;
    for (const auto& claim : claims) {
      lines.check(claim.place);
      require(claim.place.length == claim.text.size(), "a claim's place is that of its text");
    }
    (void)sdk::wrong_claims(claims, emit::parse_syscfg(file, "out", unused));
    (void)sdk::wrong_claims(claims, emit::parse_mpu_syscfg(file, "out", 0, unused).regions);
  } else if (kind == 6) {
    for (const auto& node : emit::parse_dts(file, "out", errors)) {
      for (const auto& [name, place] : node.places) {
        lines.check(place);
      }
    }
  } else if (kind == 7) {
    for (const auto& range : emit::parse_linker(file, "out", errors)) {
      lines.check(range.place);
    }
  } else if (kind == 8) {
    for (const auto& entry : emit::parse_syscfg(file, "out", errors)) {
      for (const auto& [name, place] : entry.places) {
        lines.check(place);
      }
    }
    // What sysconfig makes is read beside what it makes it of.
    read_dpl(file, lines, errors);
  } else {
    const sdk::CSource source{file, "out", {}, errors};
    require(source.text().size() == file.content.size(), "every character keeps its place");
    sdk::Macros all = macros();
    all.add(source);
    for (const auto& define : source.defines()) {
      lines.check(define.place);
      (void)all.value(define.name);
    }
  }
}

}  // namespace

/// The first byte says what the rest is read as.
MEMSIZE_FUZZ_TARGET(sdk_sources) {
  if (size == 0) {
    return 0;
  }
  const emit::MapFile file{"f", {reinterpret_cast<const char*>(data) + 1, size - 1}};
  const LinesOfSource lines{file.content};
  Diagnostics errors;
  read(data[0] % kKinds, file, lines, errors);
  for (const auto& problem : errors) {
    require(!problem.message.empty() && is_visible(problem.message),
            "a finding has printable text");
    lines.check(problem.place);
  }
  return 0;
}
