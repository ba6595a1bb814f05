// Parses the files of each core under the names that its build defines, which follow the SDK's
// makefiles (-D with CPU_ and the operating system). Of a file with errors the first is told.
#include "reading.hpp"

#include "memsize/core/find.hpp"
#include "memsize/emit/sysconfig.hpp"
#include "memsize/sdk/view.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace memsize::sdk {

namespace {

using emit::MapFile;

// "-D" names of the SDK's makefiles: CPU_ and the core's folder, and the operating system in
// capitals (concerto's rules and cgt6x_*.mak of vision_apps).
constexpr const char* kCoreFlag = "CPU_";

std::string in_capitals(std::string text) {
  std::ranges::transform(
      text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// What the cores of a variant are read with.
struct Build {
  const Sources& sources;
  const Variant& variant;
  unsigned first_mpu_region = 0;
  /// Of the C header.
  emit::Constants constants = {};
  /// Without all of it, C code says nothing of addresses; what is missing is told elsewhere.
  bool knows_macros = true;

  [[nodiscard]] const std::string& root() const { return sources.platform.folder; }
};

// What a parser made, unless it found an error; of several errors, the first is told.
template <typename Parser>
auto parsed(const Parser& parser, core::Diagnostics& problems)
    -> std::optional<decltype(parser(problems))> {
  core::Diagnostics found;
  std::optional value{parser(found)};
  const auto first = std::ranges::find(found, core::Severity::kError, &core::Diagnostic::severity);
  if (first != found.end()) {
    value.reset();
    found.erase(std::next(first), found.end());
  }
  std::ranges::move(found, std::back_inserter(problems));
  return value;
}

// What is compiled for the core: the operating system of the other variants is not.
BuildFlags flags_of(const Build& build, const std::string& core) {
  BuildFlags flags{.defined = {kCoreFlag + core, in_capitals(build.variant.os)},
                   .families = {kCoreFlag}};
  for (const Variant& other : build.sources.variants) {
    if (other.os != build.variant.os) {
      flags.undefined.insert(in_capitals(other.os));
    }
  }
  return flags;
}

// For any operating system.
bool has_syscfg(const Sources& sources, const std::string& core) {
  return std::ranges::any_of(sources.variants, [&](const Variant& variant) {
    return std::ranges::any_of(variant.cores, [&](const CoreSources& each) {
      return each.name == core && !each.syscfg.empty();
    });
  });
}

bool says(const MapFile& file, std::string_view what) {
  return file.content.find(what) != std::string::npos;
}

void read_syscfg(const Build& build,
                 const MapFile& file,
                 CoreReading& reading,
                 core::Diagnostics& problems) {
  if (says(file, emit::kMmuModule)) {
    const auto parse = [&](auto& errors) { return emit::parse_syscfg(file, build.root(), errors); };
    if (auto entries = parsed(parse, problems)) {
      reading.mmu.push_back({file.path, std::move(*entries)});
    }
  }
  if (says(file, emit::kMpuModule)) {
    const auto parse = [&](auto& errors) {
      return emit::parse_mpu_syscfg(file, build.root(), build.first_mpu_region, errors);
    };
    if (auto written = parsed(parse, problems)) {
      reading.mpu.push_back({file.path, std::move(written->regions)});
      reading.rat.push_back({file.path, std::move(written->entries)});
    }
  }
}

void read_generated(const Build& build,
                    const MapFile& file,
                    CoreReading& reading,
                    core::Diagnostics& problems) {
  auto config = parsed(
      [&](auto& errors) {
        return parse_dpl_config(
            {file, build.root(), Macros{build.constants}, flags_of(build, reading.name)},
            build.first_mpu_region,
            errors);
      },
      problems);
  if (!config) {
    return;
  }
  if (!has_syscfg(build.sources, reading.name)) {
    if (!config->mmu.empty()) {
      reading.mmu.push_back({file.path, config->mmu});
    }
    if (!config->mpu.empty()) {
      reading.mpu.push_back({file.path, config->mpu});
      reading.rat.push_back({file.path, config->rat});
    }
  }
  reading.generated = {file.path, std::move(*config)};
}

void read_mpu_source(const Build& build,
                     const CoreSources& core,
                     const MapFile& file,
                     CoreReading& reading,
                     core::Diagnostics& problems) {
  const bool by_sysconfig =
      !reading.mpu.empty() || std::ranges::any_of(core.syscfg, [&](const std::string& path) {
        return says(*build.sources.find(path), emit::kMpuModule);
      });
  if (by_sysconfig) {
    reading.unused_mpu_source = core.mpu_source;
    return;
  }
  if (!build.knows_macros) {
    return;
  }
  const auto parse = [&](auto& errors) {
    return emit::parse_mpu_source(file,
                                  build.root(),
                                  build.sources.programs,
                                  build.constants,
                                  build.first_mpu_region,
                                  errors);
  };
  if (auto written = parsed(parse, problems)) {
    reading.mpu.push_back({file.path, std::move(written->regions), std::move(written->program)});
  }
}

void read_start_up(const FirmwareFile& source, CoreReading& reading, core::Diagnostics& problems) {
  const MapFile& file = source.file;
  if (reading.mmu.empty() && says(file, "Mmu_map(")) {
    const auto parse = [&](auto& errors) { return parse_mmu_calls(source, errors); };
    if (auto calls = parsed(parse, problems)) {
      MmuReading& mmu = reading.mmu.emplace_back(MmuReading{file.path, {}});
      for (MmuCall& call : *calls) {
        mmu.entries.push_back(std::move(call.entry));
      }
    }
  }
  if (says(file, "_setMar(")) {
    reading.mar_path = file.path;
    const auto parse = [&](auto& errors) { return parse_mar_calls(source, errors); };
    reading.mar = parsed(parse, problems).value_or(std::vector<MarCall>{});
  }
  if (says(file, "SharedConversion(")) {
    reading.shared.path = file.path;
    const auto parse = [&](auto& errors) { return parse_shared_ranges(source, errors); };
    reading.shared.ranges = parsed(parse, problems).value_or(std::vector<SharedRange>{});
  }
}

RatReading read_translations(const FirmwareFile& source, core::Diagnostics& problems) {
  RatReading rat{source.file.path, {}};
  const auto parse = [&](auto& errors) { return parse_rat_calls(source, errors); };
  for (RatCall& call : parsed(parse, problems).value_or(std::vector<RatCall>{})) {
    if (call.is_programmed) {
      rat.entries.push_back(std::move(call.entry));
    }
  }
  return rat;
}

void read_firmware(const Build& build,
                   const CoreSources& core,
                   CoreReading& reading,
                   core::Diagnostics& problems) {
  if (!build.knows_macros) {
    return;
  }
  const BuildFlags flags = flags_of(build, core.name);
  Macros macros{build.constants};
  if (const MapFile* header = build.sources.find(core.config_header)) {
    core::Diagnostics unused;
    macros.add(CSource{*header, build.root(), flags, unused});
  }
  if (const MapFile* start_up = build.sources.find(core.main_source)) {
    read_start_up({*start_up, build.root(), macros, flags}, reading, problems);
  }
  const MapFile* common = build.sources.find(core.common_source);
  if (common == nullptr) {
    return;
  }
  const FirmwareFile source{*common, build.root(), macros, flags};
  reading.arrays = parse_placed_arrays(source);
  if (!reading.mpu.empty() && says(*common, "appMemAddrTranslate")) {
    reading.rat.push_back(read_translations(source, problems));
  }
}

CoreReading read_core(const Build& build, const CoreSources& core, core::Diagnostics& problems) {
  const Sources& sources = build.sources;
  CoreReading reading{.name = core.name};
  if (const MapFile* linker = sources.find(core.linker)) {
    const auto parse = [&](auto& errors) {
      return emit::parse_linker(*linker, build.root(), errors);
    };
    reading.linker = parsed(parse, problems).value_or(std::vector<emit::WrittenRange>{});
  }
  for (const std::string& path : core.syscfg) {
    read_syscfg(build, *sources.find(path), reading, problems);
  }
  if (const MapFile* generated = sources.find(core.generated)) {
    read_generated(build, *generated, reading, problems);
  }
  if (const MapFile* table = sources.find(core.mpu_source)) {
    read_mpu_source(build, core, *table, reading, problems);
  }
  if (const MapFile* sections = sources.find(core.sections)) {
    const auto parse = [&](auto& errors) {
      return parse_linker_sections(*sections, build.root(), errors);
    };
    reading.sections = parsed(parse, problems).value_or(std::vector<OutputSection>{});
  }
  read_firmware(build, core, reading, problems);
  return reading;
}

}  // namespace

const CoreReading* Reading::find(const std::string& core) const {
  return core::find_in(cores, core, &CoreReading::name);
}

std::optional<std::uint64_t> led_to(const CoreReading& core, std::uint64_t address) {
  for (const MmuReading& mmu : core.mmu) {
    for (auto entry = mmu.entries.rbegin(); entry != mmu.entries.rend(); ++entry) {
      const std::uint64_t into = address - entry->virtual_base;
      if (address >= entry->virtual_base && into < entry->size) {
        return entry->physical + into;
      }
    }
  }
  for (const RatReading& rat : core.rat) {
    for (const emit::WrittenRatEntry& entry : rat.entries) {
      const std::uint64_t into = address - entry.fields.local;
      if (address >= entry.fields.local && into < entry.fields.size) {
        return entry.fields.system + into;
      }
    }
  }
  return std::nullopt;
}

std::shared_ptr<const Reading> read_variant(const Sources& sources,
                                            const Variant& variant,
                                            unsigned first_mpu_region) {
  Build build{sources, variant, first_mpu_region};
  Reading reading;
  const MapFile* header = sources.find(variant.header);
  if (header != nullptr) {
    // What a header with a mistake has besides is compared; what it lacks may be the mistake's.
    reading.macros = emit::parse_header(*header, build.root(), reading.problems);
    emit::check_whole(reading.macros, reading.problems);
    std::erase_if(reading.macros, [](const auto& macro) { return macro.second.is_part; });
    reading.knows_macros = reading.problems.empty();
    reading.problems.resize(std::min<std::size_t>(reading.problems.size(), 1));
  }
  if (const MapFile* dts = sources.find(variant.dts)) {
    const auto parse = [&](auto& errors) { return emit::parse_dts(*dts, build.root(), errors); };
    reading.nodes = parsed(parse, reading.problems).value_or(std::vector<emit::WrittenNode>{});
  }
  for (const auto& [name, macro] : reading.macros) {
    build.constants[name] = macro.value;
  }
  build.knows_macros = variant.header.empty() || (header != nullptr && reading.knows_macros);
  for (const CoreSources& core : variant.cores) {
    reading.cores.push_back(read_core(build, core, reading.problems));
  }
  return std::make_shared<const Reading>(std::move(reading));
}

const core::Diagnostics& problems_of(const Reading& reading) {
  return reading.problems;
}

}  // namespace memsize::sdk
