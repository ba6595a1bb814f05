// Each core on QEMU's empty machine: nothing but a core and memory from address 0 on.
#include "memsize/core/text.hpp"
#include "memsize/emit/armv8_tables.hpp"
#include "memsize/emit/mpu_words.hpp"

#include "image.hpp"
#include "machine.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace memsize::runtime {

namespace {

// A 32-bit core sees no more.
constexpr std::uint64_t kSpace32 = 1ULL << 32U;

std::string_view emulator_of(Unit unit) {
  return unit == Unit::kMmu ? "qemu-system-aarch64" : "qemu-system-arm";
}

// The words of a map table as C.
std::string words_of(const std::string& table) {
  std::string text = "const uint64_t memsize_map_words[] = {\n";
  for (std::size_t at = 0; at < table.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, table.data() + at, std::min(sizeof word, table.size() - at));
    text += fmt::format("{:#x},{}", word, at / sizeof word % 8 == 7 ? "\n" : "");
  }
  return text + "};\n";
}

struct ImagePart {
  std::uint64_t physical = 0;
  std::string bytes;
  std::uint64_t size = 0;
};

// What only one core sees, between its runs.
struct OwnMemory {
  std::uint64_t base = 0;
  std::string bytes;
};

// What a core starts with: its image, and what only it sees.
struct LoadedCore {
  std::uint64_t entry = 0;
  std::vector<ImagePart> parts;
  std::vector<OwnMemory> locals;
};

// Where an address of the core's lies on the bus, as the map says; memory of its own is there
// at its own addresses.
std::optional<std::uint64_t> physical_of(const SubjectCore& core, std::uint64_t address) {
  const CoreRegion* region = core.region_at(address);
  if (region == nullptr) {
    return std::nullopt;
  }
  return region->physical ? region->physical->value() + (address - region->range.base().value())
                          : address;
}

// The first lines of the C file that an image is told its core by: target/a64/boot.h, r5f/boot.h.
std::string boot_of(const SubjectCore& core, const CoreTables& tables) {
  if (core.unit == Unit::kMmu) {
    return fmt::format(
        "#include \"boot.h\"\n"
        "const struct memsize_boot memsize_boot = {{.table = {:#x}, .mair = {:#x}, .tcr = "
        "{:#x}}};\n",
        tables.base,
        emit::kMairEl1,
        emit::kTcrEl1);
  }
  std::string regions;
  const std::vector<emit::MpuWords> all = emit::mpu_words(core.mpu);
  for (const emit::MpuWords& words : all) {
    regions += fmt::format("{{.number = {}, .base = {:#x}, .size = {:#x}, .access = {:#x}}},\n",
                           words.number,
                           words.base,
                           words.size,
                           words.access);
  }
  std::string windows;
  std::size_t count = 0;
  for (const chip::RatEntryFields& entry : core.rat) {
    if (entry.local != entry.system && entry.size != 0) {
      windows += fmt::format(
          "{{.base = {:#x}, .last = {:#x}}},\n", entry.local, entry.local + (entry.size - 1));
      ++count;
    }
  }
  return fmt::format(
      "#include \"boot.h\"\n"
      "const struct memsize_boot memsize_boot = {{.region_count = {}, .window_count = {},\n"
      ".regions = {{{}}},\n.windows = {{{}}}}};\n",
      all.size(),
      count,
      regions,
      windows);
}

core::Result<LoadedCore> load_core(const SubjectCore& core,
                                   const MachineInput& input,
                                   ImageBuilder& builder) {
  const auto script = input.scripts.find(core.name);
  if (script == input.scripts.end()) {
    return core::fail(machine_error(fmt::format("{} has no linker script", core.name)));
  }
  const std::string data =
      boot_of(core, input.tables[core.number]) +
      words_of(encode(core, input.plan.cores[core.number], input.subject.cores.size()));
  const auto image = builder.build(core, data, script->second);
  MEMSIZE_TRY(image);
  LoadedCore loaded;
  const auto entry = physical_of(core, image->entry);
  for (const Segment& segment : image->segments) {
    const auto physical = physical_of(core, segment.virtual_base);
    if (!physical || !entry) {
      return core::fail(
          core::error(core::Code::kValidateMap,
                      fmt::format("{}: its image would lie at {}, where its map has no region",
                                  core.name,
                                  core::format_hex(segment.virtual_base))));
    }
    loaded.parts.push_back({*physical, segment.bytes, segment.size});
  }
  loaded.entry = entry.value_or(0);
  // Before the MPU is on, an Armv7-R core executes nothing above (DDI 0406C, B5.2).
  constexpr std::uint64_t kExecutable = 0x80000000;
  if (core.unit == Unit::kMpu && loaded.entry >= kExecutable) {
    return core::fail(machine_error(
        fmt::format("{}: its image would start at {}, where no Cortex-R5F can before its MPU is on",
                    core.name,
                    core::format_hex(loaded.entry)),
        "place its start code in a tightly coupled memory: [sections.NAME] of the board"));
  }
  // What only one core sees is kept here between its runs: some KiB on any chip.
  constexpr core::Bytes kMostLocal{64U << 20U};
  for (const CoreRegion& region : core.regions) {
    if (!region.physical && region.range.size() > kMostLocal) {
      return core::fail(
          core::error(core::Code::kValidateMap,
                      fmt::format("{}, {}: {} that no other core sees are more than can be kept",
                                  core.name,
                                  region.name,
                                  core::format_size(region.range.size()))));
    }
    if (!region.physical) {
      loaded.locals.push_back(
          {region.range.base().value(), std::string(region.range.size().count(), '\0')});
    }
  }
  return loaded;
}

std::vector<std::string> emulator_command(Unit unit,
                                          std::uint64_t entry,
                                          const BoardMemory& memory,
                                          unsigned phase) {
  const std::uint64_t bytes = unit == Unit::kMmu ? memory.size() : kSpace32;
  const std::string size = fmt::format("{}M", bytes / core::kMiB.count());
  std::vector<std::string> words = {
      std::string{emulator_of(unit)},
      "-machine",
      "none,memory-backend=board",
      "-cpu",
      unit == Unit::kMmu ? "cortex-a53" : "cortex-r5f",
      "-m",
      size,
      "-object",
      fmt::format("memory-backend-file,id=board,size={},mem-path={},share=on,prealloc=off,"
                  "reserve=off",
                  size,
                  memory.file(0).path()),
      "-device",
      fmt::format("loader,addr={:#x},cpu-num=0", entry)};
  const std::vector<std::string> more =
      report_words(fmt::format("arg=memsize,arg=phase={}", phase));
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class QemuMachine : public Machine {
 public:
  explicit QemuMachine(const MachineInput& input) : input_(input), builder_(input.options) {}

  core::Result<void> prepare() override {
    std::set<Unit> units;
    for (const SubjectCore& core : input_.subject.cores) {
      if (runs(core, Where::kQemu)) {
        units.insert(core.unit);
      }
    }
    for (const Unit unit : units) {
      if (!has_program(std::string{emulator_of(unit)})) {
        return core::fail(
            machine_error(fmt::format("'{}' is not in PATH", emulator_of(unit)),
                          "apt-get install --no-install-recommends qemu-system-arm, or try --on "
                          "host, which needs no emulator"));
      }
      MEMSIZE_TRY(builder_.find_tools(unit));
    }
    for (const SubjectCore& core : input_.subject.cores) {
      LoadedCore loaded;
      if (runs(core, Where::kQemu)) {
        auto made = load_core(core, input_, builder_);
        MEMSIZE_TRY(made);
        loaded = std::move(*made);
      }
      loaded_.push_back(std::move(loaded));
    }
    return {};
  }

  core::Result<ProcessEnd> run(const SubjectCore& core, unsigned phase) override {
    LoadedCore& loaded = loaded_[core.number];
    // What only this core sees lies where others have theirs: each finds what it left.
    for (const OwnMemory& local : loaded.locals) {
      if (!file().write(local.base, local.bytes)) {
        return core::fail(machine_error("the emulated memory cannot be written"));
      }
    }
    for (const ImagePart& part : loaded.parts) {
      if (!file().write(part.physical, part.bytes)) {
        return core::fail(machine_error("the emulated memory cannot be written"));
      }
    }
    ProcessEnd end = run_process(
        ProcessSpec{.arguments = emulator_command(core.unit, loaded.entry, input_.memory, phase),
                    .descriptors = {file().descriptor()},
                    .timeout = input_.options.timeout});
    for (OwnMemory& local : loaded.locals) {
      local.bytes = file().read(local.base, local.bytes.size());
    }
    return end;
  }

  [[nodiscard]] ImageRanges image_of(const SubjectCore& core) const override {
    ImageRanges ranges;
    for (const ImagePart& part : loaded_[core.number].parts) {
      if (const auto range =
              core::PhysRange::make(core::PhysAddr{part.physical}, core::Bytes{part.size})) {
        ranges.push_back(*range);
      }
    }
    return ranges;
  }

  [[nodiscard]] std::string_view name() const override { return "QEMU"; }

 private:
  [[nodiscard]] const HiddenFile& file() const { return input_.memory.file(0); }

  MachineInput input_;
  ImageBuilder builder_;
  std::vector<LoadedCore> loaded_;
};

}  // namespace

std::vector<std::string> report_words(const std::string& arguments) {
  return {"-nic",
          "none",
          "-display",
          "none",
          "-serial",
          "none",
          "-monitor",
          "none",
          "-chardev",
          "stdio,id=report",
          "-semihosting-config",
          "enable=on,target=native,chardev=report," + arguments};
}

std::unique_ptr<Machine> make_qemu_machine(const MachineInput& input) {
  return std::make_unique<QemuMachine>(input);
}

}  // namespace memsize::runtime
