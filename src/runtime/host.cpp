// Each core as a process: memsize-host makes an address space of what it is given.
#include "memsize/core/text.hpp"
#include "memsize/emit/armv8_tables.hpp"
#include "memsize/emit/mpu_words.hpp"

#include "machine.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

constexpr std::uint64_t kPage = 4096;

class HostMachine : public Machine {
 public:
  explicit HostMachine(const MachineInput& input) : input_(input) {}

  core::Result<void> prepare() override {
    if (!has_program(input_.options.host_program)) {
      return core::fail(
          machine_error(fmt::format("'{}' is missing: it is the process that a core runs as",
                                    core::printable(input_.options.host_program)),
                        "it is built and installed with memsize: build the target memsize-host"));
    }
    for (const SubjectCore& core : input_.subject.cores) {
      auto space = make_space(core);
      auto table =
          hidden_text(encode(core, input_.plan.cores[core.number], input_.subject.cores.size()));
      if (!space || !table) {
        return tl::make_unexpected(space ? table.error() : space.error());
      }
      spaces_.push_back(std::move(*space));
      tables_.push_back(std::move(*table));
    }
    return {};
  }

  core::Result<ProcessEnd> run(const SubjectCore& core, unsigned phase) override {
    ProcessSpec spec;
    const Space& space = spaces_[core.number];
    spec.arguments = {input_.options.host_program,
                      space.text.path(),
                      tables_[core.number].path(),
                      fmt::format("{}", phase)};
    spec.descriptors = {space.text.descriptor(), tables_[core.number].descriptor()};
    for (const BoardMemory::Piece& piece : input_.memory.pieces()) {
      spec.descriptors.push_back(input_.memory.file(piece.file).descriptor());
    }
    for (const HiddenFile& local : space.locals) {
      spec.descriptors.push_back(local.descriptor());
    }
    spec.timeout = input_.options.timeout;
    return run_process(spec);
  }

  [[nodiscard]] ImageRanges image_of(const SubjectCore& /*core*/) const override { return {}; }

  [[nodiscard]] std::string_view name() const override { return "memsize-host"; }

 private:
  struct Space {
    HiddenFile text;
    std::vector<HiddenFile> locals;
  };

  static core::Result<HiddenFile> hidden_text(const std::string& text) {
    auto file = HiddenFile::make(text.size());
    if (file && !file->write(0, text)) {
      return core::fail(machine_error("the emulated memory cannot be written"));
    }
    return file;
  }

  // What memsize-host reads: target/host/space.h.
  core::Result<Space> make_space(const SubjectCore& core) {
    Space space;
    std::string text;
    for (const BoardMemory::Piece& piece : input_.memory.pieces()) {
      text += fmt::format("memory {:#x} {:#x} {}\n",
                          piece.range.base().value(),
                          piece.range.size().count(),
                          input_.memory.file(piece.file).descriptor());
    }
    for (const core::VirtRange& range : local_pages(core)) {
      auto file = HiddenFile::make(range.size().count());
      MEMSIZE_TRY(file);
      text += fmt::format(
          "local {:#x} {:#x} {}\n", range.base().value(), range.size().count(), file->descriptor());
      space.locals.push_back(std::move(*file));
    }
    text += unit_of(core);
    auto file = hidden_text(text);
    MEMSIZE_TRY(file);
    space.text = std::move(*file);
    return space;
  }

  // The pages of what only this core sees; neighbours are one.
  static std::vector<core::VirtRange> local_pages(const SubjectCore& core) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pages;
    for (const CoreRegion& region : core.regions) {
      if (!region.physical && !region.range.empty()) {
        pages.emplace_back(region.range.base().value() / kPage,
                           region.range.last().value() / kPage);
      }
    }
    std::ranges::sort(pages);
    std::vector<core::VirtRange> ranges;
    for (std::size_t i = 0; i < pages.size();) {
      const std::uint64_t first = pages[i].first;
      std::uint64_t last = pages[i].second;
      for (++i; i < pages.size() && pages[i].first <= last + 1; ++i) {
        last = std::max(last, pages[i].second);
      }
      if (const auto range = core::VirtRange::make(core::VirtAddr{first * kPage},
                                                   core::Bytes{(last - first + 1) * kPage})) {
        ranges.push_back(*range);
      }
    }
    return ranges;
  }

  [[nodiscard]] std::string unit_of(const SubjectCore& core) const {
    std::string text;
    switch (core.unit) {
      case Unit::kMmu: {
        const CoreTables& tables = input_.tables[core.number];
        text += fmt::format("armv8 {:#x} {:#x}\n", tables.base, tables.bytes.size());
        text += fmt::format("mair {:#x}\n", emit::kMairEl1);
        break;
      }
      case Unit::kMpu:
        for (const emit::MpuWords& words : emit::mpu_words(core.mpu)) {
          text += fmt::format(
              "mpu {} {:#x} {:#x} {:#x}\n", words.number, words.base, words.size, words.access);
        }
        for (const chip::RatEntryFields& entry : core.rat) {
          text += fmt::format("rat {:#x} {:#x} {:#x}\n", entry.local, entry.system, entry.size);
        }
        break;
      case Unit::kNone:
        for (const CoreRegion& region : core.regions) {
          if (region.physical) {
            text += fmt::format("window {:#x} {:#x} {:#x}\n",
                                region.range.base().value(),
                                region.physical->value(),
                                region.range.size().count());
          }
        }
        break;
    }
    return text;
  }

  MachineInput input_;
  std::vector<Space> spaces_;
  std::vector<HiddenFile> tables_;
};

}  // namespace

std::unique_ptr<Machine> make_host_machine(const MachineInput& input) {
  return std::make_unique<HostMachine>(input);
}

}  // namespace memsize::runtime
