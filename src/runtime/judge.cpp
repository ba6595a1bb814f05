// Turns findings of images into sentences, one for each kind and region, and leaves out what
// another finding explains. Then memory is looked at from outside of the cores, Linux's included.
#include "judge.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "target/map_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

using core::Code;

constexpr std::uint64_t kWord = 8;

std::string kinds_text(std::uint64_t kinds) {
  std::vector<std::string> names;
  if ((kinds & MAP_NON_CACHED) != 0) {
    names.emplace_back("non-cached");
  }
  if ((kinds & MAP_WRITE_THROUGH) != 0) {
    names.emplace_back("write-through");
  }
  if ((kinds & MAP_WRITE_BACK) != 0) {
    names.emplace_back("cached");
  }
  return names.empty() ? "unknown" : core::join(names, " or ");
}

// How arena_bind() answers: target/arena.h.
std::string arena_text(std::uint64_t code) {
  switch (code) {
    case 1:
      return "there is no such region";
    case 2:
      return "there is no memory for it";
    case 3:
      return "its memory is too small";
    case 4:
      return "its memory is off its alignment";
    default:
      return fmt::format("it cannot be bound ({})", code);
  }
}

struct Check {
  Code code;
  // {address}, {expected}, {actual} in the words of the check.
  std::string_view sentence;
  std::string_view hint;
};

std::string hex(std::uint64_t value) {
  return core::format_hex(value);
}

constexpr std::string_view kProgram =
    "what programs this core does not follow the map: write both again with memsize emit";

// What each check of target/report.h means.
const std::map<std::string, Check, std::less<>>& checks() {
  static const std::map<std::string, Check, std::less<>> all = {
      {"start",
       {Code::kValidateTranslation,
        "what programs it does not let it execute its own vectors or code",
        kProgram}},
      {"table", {Code::kValidateMap, "its map table is broken at {address}", ""}},
      {"image", {Code::kValidateMap, "the image lies at {address}, outside of its regions", ""}},
      {"region",
       {Code::kValidateMap,
        "it is empty, or begins at {actual}, no multiple of {expected}",
        "what begins the region must be aligned as the board says"}},
      {"overlap",
       {Code::kValidateMap,
        "it begins at {actual}, and shares addresses with the region at {expected}",
        "two regions of one core must not share an address"}},
      {"mpu",
       {Code::kValidateMap,
        "MPU region {actual_number} of {expected_size} begins at {address}, no multiple of its "
        "size: the hardware ignores it",
        kProgram}},
      {"translate",
       {Code::kValidateTranslation, "{address} leads to {actual}, not to {expected}", kProgram}},
      {"unmapped", {Code::kValidateTranslation, "nothing is mapped at {address}", kProgram}},
      {"fault", {Code::kValidateTranslation, "an access to {address} faults", kProgram}},
      {"attribute",
       {Code::kValidateCache,
        "{address} is {actual_kinds}, but must be {expected_kinds}",
        kProgram}},
      {"guard",
       {Code::kValidateGuard,
        "{address}, outside of everything that the core may reach, does not fault",
        kProgram}},
      {"read-only", {Code::kValidateGuard, "{address} can be written", kProgram}},
      {"execute", {Code::kValidateGuard, "{address} can be executed, but must not", kProgram}},
      {"write",
       {Code::kValidateMemory,
        "what is written to {address} is not read there",
        "is there memory on the bus?"}},
      {"kept",
       {Code::kValidateMemory,
        "what the core wrote to {address} was overwritten by others",
        "another region or another core's map leads to the same bytes"}},
      {"peer",
       {Code::kValidateMemory,
        "{address} does not show what another core wrote there",
        "the two cores' maps lead to different bytes"}},
      {"arena", {Code::kValidateHeap, "the heap cannot be made at {address}: {actual_answer}", ""}},
      {"heap",
       {Code::kValidateHeap,
        "a block of {actual_bytes} does not fit: {expected_bytes} are free",
        "give the region more, or size it with: memsize analyze LOG --board BOARD"}},
      {"block",
       {Code::kValidateHeap,
        "a live block's bytes at {address} were overwritten",
        "two live blocks share memory"}},
  };
  return all;
}

std::string sentence_of(const Check& check, const Finding& f) {
  using core::Bytes;
  return fmt::format(fmt::runtime(check.sentence),
                     fmt::arg("address", core::format_hex(f.address)),
                     fmt::arg("expected", core::format_hex(f.expected)),
                     fmt::arg("expected_size", core::format_size(Bytes{f.expected})),
                     fmt::arg("expected_bytes", core::format_bytes(Bytes{f.expected})),
                     fmt::arg("expected_kinds", kinds_text(f.expected)),
                     fmt::arg("actual", core::format_hex(f.actual)),
                     fmt::arg("actual_number", f.actual),
                     fmt::arg("actual_bytes", core::format_bytes(Bytes{f.actual})),
                     fmt::arg("actual_kinds", kinds_text(f.actual)),
                     fmt::arg("actual_answer", arena_text(f.actual)));
}

// Whether a core came as far as to write where it may.
bool has_claimed(const CoreReports& reports) {
  const std::vector<Part>& parts = reports.first.parts;
  return core::contains(parts, "points", &Part::name);
}

class ReportJudge {
 public:
  explicit ReportJudge(const JudgeInput& input) : input_(input) {}

  core::Diagnostics run() {
    for (const SubjectCore& core : input_.subject.cores) {
      const CoreReports& reports = input_.reports[core.number];
      for (const Report* report : {&reports.first, &reports.second}) {
        for (const Finding& finding : report->findings) {
          if (!explained(core, finding)) {
            add(core, finding);
          }
        }
        if (report->fault) {
          add(core, {"fault", "", report->fault->address, 0, report->fault->status});
        }
      }
    }
    core::Diagnostics found;
    for (const Told& told : told_) {
      found.push_back(sentence(told));
    }
    return found;
  }

 private:
  struct Told {
    const SubjectCore* core = nullptr;
    /// The first of its kind, and where all of them are.
    Finding finding;
    std::set<std::uint64_t> addresses;
  };

  void add(const SubjectCore& core, Finding finding) {
    if (const CoreRegion* region = region_of(core, finding.region);
        finding.check == "guard" && region != nullptr && !is_beside(*region, finding.address)) {
      finding.region.clear();  // an entry's own end, far from any region
    }
    const auto known = std::ranges::find_if(told_, [&](const Told& told) {
      return told.core == &core && told.finding.check == finding.check &&
             told.finding.region == finding.region;
    });
    if (known != told_.end()) {
      known->addresses.insert(finding.address);
    } else {
      told_.push_back({&core, finding, {finding.address}});
    }
  }

  static const CoreRegion* region_of(const SubjectCore& core, const std::string& name) {
    return core::find_in(core.regions, name, &CoreRegion::name);
  }

  static bool is_beside(const CoreRegion& region, std::uint64_t address) {
    const std::uint64_t begin = region.range.base().value();
    const std::uint64_t end = begin + region.range.size().count();
    return (address < begin && begin - address <= 2 * kWord) ||
           (address >= end && address - end < 2 * kWord);
  }

  // A heap's blocks may lie over the word by which others know its owner.
  [[nodiscard]] bool explained(const SubjectCore& core, const Finding& finding) const {
    if (finding.check != "peer") {
      return false;
    }
    for (const map_point& point : input_.plan.cores[core.number].points) {
      if (point.kind != MAP_PEER || point.virtual_base != finding.address) {
        continue;
      }
      const SubjectCore& writer = input_.subject.cores[point.writer];
      if (!has_claimed(input_.reports[point.writer])) {
        return true;  // what is wrong with the writer is told of itself
      }
      for (const PlacedBlock& block : input_.reports[point.writer].first.blocks) {
        const CoreRegion* region = writer.region_at(block.address);
        if (region == nullptr || !region->physical || block.size < kWord) {
          continue;
        }
        const std::uint64_t first =
            region->physical->value() + (block.address - region->range.base().value());
        for (const std::uint64_t edge : {first, first + block.size - kWord}) {
          if (edge < point.physical + kWord && point.physical < edge + kWord) {
            return true;
          }
        }
      }
    }
    return false;
  }

  [[nodiscard]] core::Diagnostic sentence(const Told& told) const {
    const auto known = checks().find(told.finding.check);
    const Code code = known == checks().end() ? Code::kValidateMap : known->second.code;
    std::string text = known == checks().end() ? fmt::format("'{}' at {}",
                                                             core::printable(told.finding.check),
                                                             hex(told.finding.address))
                                               : sentence_of(known->second, told.finding);
    if (told.addresses.size() > 1) {
      text += fmt::format(", and {} more", core::plural(told.addresses.size() - 1, "place"));
    }
    const std::string where = told.finding.region.empty()
                                  ? told.core->name
                                  : fmt::format("{}, {}", told.core->name, told.finding.region);
    const core::Place place{told.core->program_path};
    const bool by_program = known != checks().end() && known->second.hint == kProgram;
    return core::error(code,
                       fmt::format("{}: {}", where, text),
                       by_program ? place : core::Place{},
                       known == checks().end() ? "" : std::string{known->second.hint});
  }

  const JudgeInput& input_;
  std::vector<Told> told_;
};

class MemoryJudge {
 public:
  MemoryJudge(const JudgeInput& input, std::uint64_t& looked) : input_(input), looked_(looked) {}

  core::Diagnostics run() {
    for (const SubjectCore& core : input_.subject.cores) {
      if (has_claimed(input_.reports[core.number])) {
        look_at(core);
      }
    }
    look_at_linux();
    return std::move(found_);
  }

 private:
  void look_at(const SubjectCore& core) {
    const CorePlan& plan = input_.plan.cores[core.number];
    const ImageRanges image = input_.machine.image_of(core);
    const std::set<std::uint64_t> edges = block_words(core);
    std::map<std::uint32_t, std::size_t> wrong;
    std::map<std::uint32_t, std::uint64_t> first;
    for (const map_point& point : plan.points) {
      const core::PhysAddr physical{point.physical};
      const bool mine =
          point.kind == MAP_ACCESS && (plan.regions[point.region].flags & MAP_HAS_PHYSICAL) != 0 &&
          !edges.contains(point.physical / kWord) && !kept_off(plan, point.virtual_base) &&
          std::ranges::none_of(
              image, [&](const core::PhysRange& range) { return range.contains(physical); });
      const auto word = core::PhysRange::make(physical, core::Bytes{kWord});
      if (!mine || !word || !input_.memory.holds(*word)) {
        continue;
      }
      ++looked_;
      const auto number = static_cast<std::uint32_t>(core.number);
      if (input_.memory.read_word(point.physical) !=
          map_pattern(point.physical, number, point.region)) {
        if (wrong[point.region]++ == 0) {
          first[point.region] = point.physical;
        }
      }
    }
    for (const auto& [region, times] : wrong) {
      found_.push_back(core::error(
          Code::kValidateMemory,
          fmt::format(
              "{}, {}: seen from outside, {} does not hold what the core wrote{}",
              core.name,
              core.regions[region].name,
              hex(first[region]),
              times > 1 ? fmt::format(", and {} more", core::plural(times - 1, "place")) : ""),
          {},
          "another core's map leads there, or this core's leads elsewhere"));
    }
  }

  // The words that the replay's blocks begin and end with.
  [[nodiscard]] std::set<std::uint64_t> block_words(const SubjectCore& core) const {
    std::set<std::uint64_t> words;
    for (const PlacedBlock& block : input_.reports[core.number].first.blocks) {
      const CoreRegion* region = core.region_at(block.address);
      if (region == nullptr || !region->physical || block.size == 0) {
        continue;
      }
      const std::uint64_t begin =
          region->physical->value() + (block.address - region->range.base().value());
      const std::uint64_t end = begin + block.size;
      const std::uint64_t edge = std::min(block.size, kWord);
      for (const std::uint64_t at : {begin, begin + edge - 1, end - edge, end - 1}) {
        words.insert(at / kWord);
      }
    }
    return words;
  }

  static bool kept_off(const CorePlan& plan, std::uint64_t address) {
    return std::ranges::any_of(plan.keeps, [&](const map_keep& keep) {
      return address + kWord > keep.virtual_base && address < keep.virtual_base + keep.size;
    });
  }

  // One line for each of Linux's ranges that was touched.
  void look_at_linux() {
    std::map<std::uint64_t, std::pair<std::size_t, const Paint*>> wrong;
    for (const Paint& paint : input_.plan.linux_paint) {
      ++looked_;
      if (input_.memory.read_word(paint.physical) != paint.value) {
        auto& entry = wrong[paint.range.base().value()];
        if (entry.first++ == 0) {
          entry.second = &paint;
        }
      }
    }
    for (const auto& [base, entry] : wrong) {
      found_.push_back(core::error(
          Code::kValidateMemory,
          fmt::format("{} was overwritten: no node of the device tree reserves [{}, {}), so it is "
                      "Linux's{}",
                      hex(entry.second->physical),
                      hex(base),
                      hex(base + entry.second->range.size().count()),
                      owner_of(entry.second->physical)),
          {},
          "a carve-out has a hole, or a core's map leads out of it"));
    }
  }

  // " (DDR of NAME)": whose region it is, too.
  [[nodiscard]] std::string owner_of(std::uint64_t physical) const {
    for (const SubjectCore& core : input_.subject.cores) {
      for (const CoreRegion& region : core.regions) {
        const auto range = region.on_bus();
        if (range && range->contains(core::PhysAddr{physical})) {
          return fmt::format("; {} has it as {}", core.name, region.name);
        }
      }
    }
    return {};
  }

  const JudgeInput& input_;
  std::uint64_t& looked_;
  core::Diagnostics found_;
};

}  // namespace

core::Diagnostics judge_reports(const JudgeInput& input) {
  return ReportJudge{input}.run();
}

core::Diagnostics judge_memory(const JudgeInput& input, std::uint64_t& looked) {
  return MemoryJudge{input, looked}.run();
}

}  // namespace memsize::runtime
