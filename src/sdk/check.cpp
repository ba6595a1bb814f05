#include "memsize/sdk/check.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/reach.hpp"
#include "memsize/sdk/claims.hpp"
#include "memsize/sdk/firmware.hpp"
#include "memsize/sdk/linker_sections.hpp"

#include "check_generated.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using emit::MapFile;
using layout::Region;

class VariantChecker {
 public:
  VariantChecker(const Sources& sources, const Variant& variant, const layout::MemoryMap* board)
      : sources_(sources), variant_(variant), board_(board) {}

  TreeReport run() {
    generated_ = read_generated(sources_, variant_, report_.diagnostics);
    for (const auto& [name, macro] : generated_.macros) {
      macros_[name] = macro.value;
    }
    check_header();
    check_overlaps();
    check_reserved();
    for (const CoreSources& core : variant_.cores) {
      check_core(core);
    }
    count(generated_.linkers.size(), "linker map");
    count(generated_.macros.size(), "macro");
    count(generated_.nodes.size(), "device-tree node");
    count(mmus_, "MMU table");
    count(mpus_, "MPU configuration");
    return std::move(report_);
  }

 private:
  void count(std::size_t number, const char* what) {
    if (number != 0) {
      report_.read.push_back(core::plural(number, what));
    }
  }

  [[nodiscard]] core::Place place_of(const std::string& path) const {
    core::Place place;
    place.path = fmt::format("{}/{}", sources_.platform.folder, path);
    return place;
  }

  [[nodiscard]] std::optional<std::uint64_t> macro(const std::string& name) const {
    const auto found = macros_.find(name);
    return found == macros_.end() ? std::nullopt : std::optional{found->second};
  }

  // The C code takes its addresses from the header, the linker from its maps.
  void check_header() {
    if (generated_.macros.empty()) {
      return;
    }
    std::set<std::string> told;
    for (const auto& [core, ranges] : generated_.linkers) {
      for (const emit::WrittenRange& range : ranges) {
        const auto address = generated_.macros.find(range.name + "_ADDR");
        const auto size = generated_.macros.find(range.name + "_SIZE");
        if (address == generated_.macros.end() || size == generated_.macros.end() ||
            (address->second.value == range.base && size->second.value == range.size) ||
            !told.insert(range.name).second) {
          continue;
        }
        core::Diagnostic both =
            core::error(Code::kSdkDisagree,
                        fmt::format("the linker puts '{}' at {}, but the C code of {} has it at {}",
                                    range.name,
                                    emit::range_text(range.base, range.size),
                                    core,
                                    emit::range_text(address->second.value, size->second.value)),
                        range.place,
                        "run the script again, so that both follow it");
        both.related.push_back({address->second.place, "the C header says so here"});
        report_.diagnostics.push_back(std::move(both));
      }
    }
  }

  struct Owned {
    std::string name;
    std::uint64_t base = 0;
    std::uint64_t size = 0;
    core::Place place;
  };

  void check_overlaps() {
    std::vector<Owned> on_bus;
    std::set<std::string> names;
    for (const auto& [core, ranges] : generated_.linkers) {
      std::vector<Owned> seen;
      for (const emit::WrittenRange& range : ranges) {
        seen.push_back({range.name, range.base, range.size, range.place});
        const Region* known = board_region(range.name, core);
        const auto physical = physical_of(range.name, range.base, core);
        const bool is_owner = known != nullptr && known->of.empty();
        if (physical && is_owner && in_dram(*physical) && names.insert(range.name).second) {
          on_bus.push_back({range.name, *physical, range.size, range.place});
        }
      }
      check_overlaps(std::move(seen), Code::kLayoutVirtualOverlap, core + " sees ");
    }
    check_overlaps(std::move(on_bus), Code::kLayoutOverlap, "");
  }

  void check_overlaps(std::vector<Owned> list, Code code, const std::string& who) {
    std::stable_sort(
        list.begin(), list.end(), [](const Owned& a, const Owned& b) { return a.base < b.base; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < list.size(); ++i) {
      const Owned& before = list[last];
      const std::uint64_t into = list[i].base - before.base;
      if (before.size > into && list[i].size != 0) {
        core::Diagnostic both = core::error(
            code,
            fmt::format("{}'{}' {} over '{}' {}, by {}",
                        who,
                        list[i].name,
                        emit::range_text(list[i].base, list[i].size),
                        before.name,
                        emit::range_text(before.base, before.size),
                        core::format_size(core::Bytes{std::min(before.size - into, list[i].size)})),
            list[i].place,
            "move one of them in the script");
        both.related.push_back({before.place, fmt::format("'{}' is here", before.name)});
        report_.diagnostics.push_back(std::move(both));
      }
      last = before.base + before.size > list[i].base + list[i].size ? last : i;
    }
  }

  // Linux takes for itself what no node reserves.
  void check_reserved() {
    if (generated_.nodes.empty() || board_ == nullptr) {
      return;
    }
    std::set<std::string> told;
    for (const auto& [core, ranges] : generated_.linkers) {
      for (const emit::WrittenRange& range : ranges) {
        const auto physical = physical_of(range.name, range.base, core);
        if (!physical || range.size == 0 || !in_dram(*physical) ||
            !told.insert(range.name).second) {
          continue;
        }
        const std::uint64_t reserved = reserved_until(*physical);
        if (reserved - *physical >= range.size) {
          continue;
        }
        core::Diagnostic hole = core::error(
            Code::kSdkReserved,
            fmt::format("no node reserves {} of '{}', which {} uses: Linux will use it too",
                        emit::range_text(reserved, range.size - (reserved - *physical)),
                        range.name,
                        core),
            range.place,
            "let a node of the device tree cover it");
        hole.related.push_back({place_of(variant_.dts), "the nodes are here"});
        report_.diagnostics.push_back(std::move(hole));
      }
    }
  }

  [[nodiscard]] bool in_dram(std::uint64_t address) const {
    if (board_ == nullptr) {
      return false;
    }
    const auto& banks = board_->board.banks;
    return std::any_of(banks.begin(), banks.end(), [&](const board::Bank& bank) {
      return bank.range.base().value() <= address && address <= bank.range.last().value();
    });
  }

  // The first byte from `address` on that no node reserves.
  [[nodiscard]] std::uint64_t reserved_until(std::uint64_t address) const {
    for (bool grew = true; grew;) {
      grew = false;
      for (const emit::WrittenNode& node : generated_.nodes) {
        const std::uint64_t into = address - node.base;
        if (address < node.base || into >= node.size) {
          continue;
        }
        if (node.size - into > UINT64_MAX - address) {
          return UINT64_MAX;
        }
        address += node.size - into;
        grew = true;
      }
    }
    return address;
  }

  // What the board calls by that name for the core; any core's where it has none of its own.
  [[nodiscard]] const Region* board_region(const std::string& name, const std::string& core) const {
    const Region* any = nullptr;
    for (std::size_t i = 0; board_ != nullptr && i < board_->regions.size(); ++i) {
      const Region& region = board_->regions[i];
      if (region.name == name && region.seen_by(core)) {
        return &region;
      }
      any = any == nullptr && region.name == name ? &region : any;
    }
    return any;
  }

  // Where a region of a linker map is on the bus: as NAME_PHYS of the header says, or of the region
  // that it is another name for; else where the core sees it, if that is how the board has it.
  [[nodiscard]] std::optional<std::uint64_t> physical_of(const std::string& name,
                                                         std::uint64_t address,
                                                         const std::string& core) const {
    const Region* known = board_region(name, core);
    for (const std::string& owner : {name, known == nullptr ? std::string{} : known->of}) {
      if (const auto physical = macro(owner + "_PHYS_ADDR"); !owner.empty() && physical) {
        return physical;
      }
    }
    if (known == nullptr || !known->physical_base || !known->virtual_base) {
      return std::nullopt;
    }
    const std::uint64_t there = known->physical_base->value();
    const std::uint64_t seen = known->virtual_base->value();
    return there == seen     ? std::optional{address}
           : address == seen ? std::optional{there}
                             : std::nullopt;
  }

  [[nodiscard]] emit::Core reach_of(const CoreSources& core, const std::string& file) const {
    emit::Core reach;
    reach.name = core.name;
    reach.file = place_of(file);
    reach.hint =
        fmt::format("correct the entry, or put in what memsize writes: memsize emit --board {}",
                    board_ == nullptr                ? "BOARD"
                    : board_->board.asked_as.empty() ? board_->board.name
                                                     : board_->board.asked_as);
    const auto linker = generated_.linkers.find(core.name);
    if (linker == generated_.linkers.end()) {
      return reach;
    }
    for (const emit::WrittenRange& range : linker->second) {
      emit::Reach each;
      each.name = range.name;
      each.address = range.base;
      each.size = range.size;
      each.physical = physical_of(range.name, range.base, core.name);
      each.place = range.place;
      if (const Region* known = board_region(range.name, core.name); known != nullptr) {
        each.cache = board::name_of(known->cache);
      }
      reach.regions.push_back(std::move(each));
    }
    return reach;
  }

  void check_core(const CoreSources& core) {
    bool mmu_by_sysconfig = false;
    mpu_by_sysconfig_.clear();
    for (const std::string& path : core.syscfg) {
      const MapFile& file = *sources_.find(path);
      if (file.content.find("mmu_armv8") != std::string::npos) {
        mmu_by_sysconfig = true;
        const std::size_t before = report_.diagnostics.size();
        const auto entries =
            emit::parse_syscfg(file, sources_.platform.folder, report_.diagnostics);
        hold_mmu(core, path, entries, before);
      }
      if (file.content.find("mpu_armv7") != std::string::npos) {
        mpu_by_sysconfig_ = path;
        check_mpu_syscfg(core, path, file);
      }
    }
    if (!core.mpu_source.empty()) {
      check_mpu_source(core);
    }
    if (!core.sections.empty()) {
      check_sections(core);
    }
    const bool has_mmu =
        board_ != nullptr &&
        std::any_of(board_->mmu.begin(), board_->mmu.end(), [&](const layout::MmuTable& table) {
          return table.core == core.name;
        });
    if (!mmu_by_sysconfig && has_mmu && !core.main_source.empty()) {
      check_main(core);
    }
  }

  // Whether parsing added no error; of several, only the first is kept.
  bool good_since(std::size_t before) {
    auto& all = report_.diagnostics;
    const auto first = std::find_if(
        all.begin() + static_cast<std::ptrdiff_t>(before), all.end(), [](const auto& each) {
          return each.severity == core::Severity::kError;
        });
    if (first == all.end()) {
      return true;
    }
    all.erase(std::next(first), all.end());
    return false;
  }

  void hold_mmu(const CoreSources& core,
                const std::string& path,
                const std::vector<emit::WrittenMmuEntry>& entries,
                std::size_t before) {
    if (!good_since(before)) {
      return;
    }
    ++mmus_;
    emit::MairKinds kinds;
    if (board_ != nullptr) {
      const board::Mmu& mmu = board_->board.mmu;
      for (const auto& [kind, mairs] :
           {std::pair{board::Cache::kNonCached, &mmu.mair_non_cached},
            std::pair{board::Cache::kWriteThrough, &mmu.mair_write_through},
            std::pair{board::Cache::kCached, &mmu.mair_cached}}) {
        for (const unsigned mair : *mairs) {
          kinds[std::string{board::name_of(kind)}].insert(fmt::format("MAIR{}", mair));
        }
      }
    }
    const emit::Core reach = reach_of(core, path);
    emit::hold_mmu(reach, kinds, entries, report_.diagnostics);
    check_named_entries(reach, entries);
    check_comments(path, entries);
  }

  // Whether the board has an entry as large at that address, for a reason that it says.
  [[nodiscard]] bool board_maps(const std::string& core, const emit::WrittenMmuEntry& entry) const {
    for (std::size_t i = 0; board_ != nullptr && i < board_->mmu.size(); ++i) {
      const auto& ranges = board_->mmu[i].ranges;
      if (board_->mmu[i].core == core &&
          std::any_of(ranges.begin(), ranges.end(), [&](const layout::MmuRange& range) {
            return range.virtual_range.base().value() == entry.virtual_base &&
                   range.virtual_range.size().count() >= entry.size;
          })) {
        return true;
      }
    }
    return false;
  }

  // An entry with the name of a region is there for it alone.
  void check_named_entries(const emit::Core& core,
                           const std::vector<emit::WrittenMmuEntry>& entries) {
    for (const emit::WrittenMmuEntry& entry : entries) {
      for (const emit::Reach& region : core.regions) {
        if (region.name != entry.name || region.address != entry.virtual_base ||
            entry.size <= region.size || board_maps(core.name, entry)) {
          continue;
        }
        core::Diagnostic wrong =
            core::error(Code::kMmuExcess,
                        fmt::format("MMU entry '{}' of {} maps {}, but '{}' has {}",
                                    entry.name,
                                    core.name,
                                    core::format_size(core::Bytes{entry.size}),
                                    region.name,
                                    core::format_size(core::Bytes{region.size})),
                        entry.place,
                        core.hint);
        wrong.related.push_back({region.place, fmt::format("'{}' is here", region.name)});
        report_.diagnostics.push_back(std::move(wrong));
      }
    }
  }

  void check_main(const CoreSources& core) {
    const MapFile& file = *sources_.find(core.main_source);
    const std::size_t before = report_.diagnostics.size();
    const auto calls = parse_mmu_calls(
        file, sources_.platform.folder, Macros{macros_}, BuildFlags{}, report_.diagnostics);
    std::vector<emit::WrittenMmuEntry> entries;
    entries.reserve(calls.size());
    for (const MmuCall& call : calls) {
      entries.push_back(call.entry);
    }
    hold_mmu(core, core.main_source, entries, before);
  }

  [[nodiscard]] emit::MpuNumbers numbers() const {
    return board_ == nullptr ? emit::MpuNumbers{}
                             : emit::MpuNumbers{board_->board.mpu.first, board_->board.mpu.last};
  }

  void check_mpu_syscfg(const CoreSources& core, const std::string& path, const MapFile& file) {
    const std::size_t before = report_.diagnostics.size();
    const auto written = emit::parse_mpu_syscfg(
        file, sources_.platform.folder, numbers().first, report_.diagnostics);
    if (!good_since(before)) {
      return;
    }
    emit::Core reach = reach_of(core, path);
    hold_rat(reach, written.entries);
    hold_mpu(core, std::move(reach), written.regions);
    check_comments(path, written.regions);
  }

  void check_mpu_source(const CoreSources& core) {
    if (!mpu_by_sysconfig_.empty()) {
      report_.diagnostics.push_back(
          core::warning(Code::kSdkStale,
                        fmt::format("this table is left over: the MPU regions of {} are in {}",
                                    core.name,
                                    mpu_by_sysconfig_),
                        place_of(core.mpu_source),
                        "remove it, lest somebody corrects the wrong file"));
      return;
    }
    const std::size_t before = report_.diagnostics.size();
    const auto written = emit::parse_mpu_source(
        *sources_.find(core.mpu_source), sources_.platform.folder, macros_, report_.diagnostics);
    if (good_since(before)) {
      hold_mpu(core, reach_of(core, core.mpu_source), written.regions);
      check_comments(core.mpu_source, written.regions);
    }
  }

  // Of a file with comments that are not true, one warning.
  template <typename Entry>
  void check_comments(const std::string& path, const std::vector<Entry>& entries) {
    const MapFile& file = *sources_.find(path);
    const auto wrong = wrong_claims(parse_claims(file, sources_.platform.folder), entries);
    if (wrong.empty()) {
      return;
    }
    constexpr std::size_t kMost = 8;
    const auto line_of = [](const WrongClaim& each) {
      return fmt::format("{} of '{}' is {}",
                         core::printable(each.claim.text, 40),
                         core::printable(each.name, 60),
                         each.right);
    };
    core::Diagnostic warning =
        core::warning(Code::kSdkComment,
                      fmt::format("{} not true: {}{}",
                                  wrong.size() == 1 ? "a comment is"
                                                    : fmt::format("{} comments are", wrong.size()),
                                  line_of(wrong.front()),
                                  wrong.size() == 1 ? "" : ", and others"),
                      wrong.front().claim.place,
                      "correct the comments: the next engineer believes them");
    for (std::size_t i = 1; i < std::min(wrong.size(), kMost + 1); ++i) {
      warning.details.push_back(
          fmt::format("line {}: {}", wrong[i].claim.place.line, line_of(wrong[i])));
    }
    if (wrong.size() > kMost + 1) {
      warning.details.push_back(fmt::format("... {} more", wrong.size() - kMost - 1));
    }
    report_.diagnostics.push_back(std::move(warning));
  }

  // A section that wants a larger alignment than its region has wastes the bytes before it, or does
  // not fit.
  void check_sections(const CoreSources& core) {
    const auto linker = generated_.linkers.find(core.name);
    const std::size_t before = report_.diagnostics.size();
    const auto sections = parse_linker_sections(
        *sources_.find(core.sections), sources_.platform.folder, report_.diagnostics);
    if (!good_since(before) || linker == generated_.linkers.end()) {
      return;
    }
    for (const emit::WrittenRange& range : linker->second) {
      const OutputSection* section = most_aligned(sections, range.name);
      if (section == nullptr || section->alignment->value == 0 ||
          range.base % section->alignment->value == 0) {
        continue;
      }
      const std::uint64_t lost = section->alignment->value - range.base % section->alignment->value;
      if (lost < range.size) {
        continue;
      }
      core::Diagnostic wrong =
          core::error(Code::kLayoutSection,
                      fmt::format("'{}' of {} wants a multiple of {} in '{}', but {} has none",
                                  core::printable(section->name, 60),
                                  core.name,
                                  core::format_size(core::Bytes{section->alignment->value}),
                                  range.name,
                                  emit::range_text(range.base, range.size)),
                      section->place,
                      "move the region in the script, or lower the alignment");
      wrong.related.push_back({range.place, fmt::format("'{}' is here", range.name)});
      report_.diagnostics.push_back(std::move(wrong));
    }
  }

  void hold_mpu(const CoreSources& core,
                emit::Core reach,
                const std::vector<emit::WrittenMpuRegion>& regions) {
    ++mpus_;
    add_areas(core, reach);
    emit::hold_mpu(reach, numbers(), regions, report_.diagnostics);
  }

  void hold_rat(const emit::Core& reach, const std::vector<emit::WrittenRatEntry>& entries) {
    emit::hold_rat(reach, entries, report_.diagnostics);
  }

  // What the board says that the core must not cache, beside what its linker map has.
  void add_areas(const CoreSources& core, emit::Core& reach) const {
    for (std::size_t i = 0; board_ != nullptr && i < board_->mpu.size(); ++i) {
      const layout::MpuTable& table = board_->mpu[i];
      for (std::size_t j = 0; table.core == core.name && j < table.areas.size(); ++j) {
        const layout::MpuArea& area = table.areas[j];
        const board::MpuAttribute* attribute = board_->board.mpu.find_attribute(area.attribute);
        const emit::WrittenRange* range = find_range(area.region, core.name);
        if (attribute == nullptr || range == nullptr) {
          continue;
        }
        emit::MpuRegionFields fields;
        fields.tex = attribute->tex;
        fields.cacheable = attribute->cacheable;
        fields.bufferable = attribute->bufferable;
        emit::Reach each;
        each.name = area.region;
        each.address = range->base;
        each.size = range->size;
        each.cache = emit::kind_of(fields);
        each.place = range->place;
        reach.regions.push_back(std::move(each));
      }
    }
  }

  // The core's own range of that name, else any core's.
  [[nodiscard]] const emit::WrittenRange* find_range(const std::string& name,
                                                     const std::string& core) const {
    const emit::WrittenRange* found = nullptr;
    for (const auto& [owner, ranges] : generated_.linkers) {
      for (const emit::WrittenRange& range : ranges) {
        if (range.name == name && (found == nullptr || owner == core)) {
          found = &range;
        }
      }
    }
    return found;
  }

  const Sources& sources_;
  const Variant& variant_;
  const layout::MemoryMap* board_;
  Generated generated_;
  emit::Constants macros_;
  /// The file of the core at hand that configures its MPU; empty: none.
  std::string mpu_by_sysconfig_;
  std::size_t mmus_ = 0;
  std::size_t mpus_ = 0;
  TreeReport report_;
};

}  // namespace

const std::vector<TreeRule>& tree_rules() {
  static const std::vector<TreeRule> rules = {
      {Code::kSdkScript,
       core::Severity::kError,
       "a generator script is in the subset of Python that such scripts need",
       "memsize evaluates it without running it"},
      {Code::kSdkName,
       core::Severity::kError,
       "a generator script uses no name that is not defined",
       "two shipped SafeRTOS scripts end with a NameError"},
      {Code::kSdkGenerated,
       core::Severity::kError,
       "a generated file is what its script makes",
       "shipped linker maps, headers and device trees were edited by hand"},
      {Code::kSdkMissing,
       core::Severity::kWarning,
       "every file that a script writes is there",
       "a part of the tree was not copied"},
      {Code::kSdkDisagree,
       core::Severity::kError,
       "linker maps and C header have one address and one size for a region",
       "the linker follows one of them, the C code the other"},
      {Code::kSdkReserved,
       core::Severity::kError,
       "a node of the device tree reserves all that the cores use",
       "Linux takes for itself what no node reserves"},
      {Code::kSdkComment,
       core::Severity::kWarning,
       "addresses and sizes in comments are those of the entry beside them",
       "an entry of 16 MiB was shipped with the comment 32 MB, which nobody doubted"},
      {Code::kSdkStale,
       core::Severity::kWarning,
       "a core's MPU regions stand in one file",
       "tables of C were left beside the sysconfig files that replaced them"},
  };
  return rules;
}

TreeReport check_variant(const Sources& sources,
                         const Variant& variant,
                         const layout::MemoryMap* board) {
  TreeReport report = VariantChecker{sources, variant, board}.run();
  for (const auto& [path, file] : sources.files) {
    core::add_text(report.diagnostics, file.path_under(sources.platform.folder), file.content);
  }
  return report;
}

}  // namespace memsize::sdk
