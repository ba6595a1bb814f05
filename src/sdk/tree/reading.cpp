// Parses the files of each core under the names that its build defines, which follow the SDK's
// makefiles (-D with CPU_ and the operating system). Of a file with errors the first is told.
#include "reading.hpp"

#include "memsize/core/find.hpp"
#include "memsize/emit/sysconfig.hpp"
#include "memsize/sdk/view.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
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

class VariantReader {
 public:
  VariantReader(const Sources& sources, const Variant& variant, unsigned first_mpu_region)
      : sources_(sources),
        variant_(variant),
        root_(sources.platform.folder),
        first_mpu_region_(first_mpu_region) {}

  Reading run() {
    if (const MapFile* header = sources_.find(variant_.header)) {
      parse([&](auto& errors) { return emit::parse_header(*header, root_, errors); },
            reading_.macros);
    }
    if (const MapFile* dts = sources_.find(variant_.dts)) {
      parse([&](auto& errors) { return emit::parse_dts(*dts, root_, errors); }, reading_.nodes);
    }
    for (const auto& [name, macro] : reading_.macros) {
      constants_[name] = macro.value;
    }
    // Without it, C code says nothing of addresses; that it is missing is told elsewhere.
    knows_macros_ = variant_.header.empty() || sources_.find(variant_.header) != nullptr;
    for (const CoreSources& core : variant_.cores) {
      read_core(core);
    }
    return std::move(reading_);
  }

 private:
  // Keeps what a parser made, unless it found an error; of several errors, the first is told.
  template <typename Parser, typename Value>
  bool parse(const Parser& parser, Value& into) {
    core::Diagnostics found;
    Value value = parser(found);
    const auto first = std::ranges::find_if(
        found, [](const auto& each) { return each.severity == core::Severity::kError; });
    const bool good = first == found.end();
    if (good) {
      into = std::move(value);
    } else {
      found.erase(std::next(first), found.end());
    }
    std::move(found.begin(), found.end(), std::back_inserter(reading_.problems));
    return good;
  }

  void read_core(const CoreSources& core) {
    CoreReading reading{.name = core.name};
    if (const MapFile* linker = sources_.find(core.linker)) {
      parse([&](auto& errors) { return emit::parse_linker(*linker, root_, errors); },
            reading.linker);
    }
    for (const std::string& path : core.syscfg) {
      read_syscfg(*sources_.find(path), reading);
    }
    read_generated(core, reading);
    read_mpu_source(core, reading);
    if (const MapFile* sections = sources_.find(core.sections)) {
      parse([&](auto& errors) { return parse_linker_sections(*sections, root_, errors); },
            reading.sections);
    }
    read_firmware(core, reading);
    reading_.cores.push_back(std::move(reading));
  }

  void read_syscfg(const MapFile& file, CoreReading& reading) {
    if (file.content.find(emit::kMmuModule) != std::string::npos) {
      MmuReading mmu{file.path, {}};
      if (parse([&](auto& errors) { return emit::parse_syscfg(file, root_, errors); },
                mmu.entries)) {
        reading.mmu.push_back(std::move(mmu));
      }
    }
    if (file.content.find(emit::kMpuModule) != std::string::npos) {
      emit::WrittenMpuSyscfg written;
      if (parse(
              [&](auto& errors) {
                return emit::parse_mpu_syscfg(file, root_, first_mpu_region_, errors);
              },
              written)) {
        reading.mpu.push_back({file.path, std::move(written.regions)});
        reading.rat.push_back({file.path, std::move(written.entries)});
      }
    }
  }

  void read_generated(const CoreSources& core, CoreReading& reading) {
    const MapFile* file = sources_.find(core.generated);
    DplConfig config;
    if (file == nullptr || !parse(
                               [&](auto& errors) {
                                 return parse_dpl_config(
                                     {*file, root_, Macros{constants_}, flags_of(core.name)},
                                     first_mpu_region_,
                                     errors);
                               },
                               config)) {
      return;
    }
    if (!has_syscfg(core.name)) {
      if (!config.mmu.empty()) {
        reading.mmu.push_back({file->path, config.mmu});
      }
      if (!config.mpu.empty()) {
        reading.mpu.push_back({file->path, config.mpu});
        reading.rat.push_back({file->path, config.rat});
      }
    }
    reading.generated = {file->path, std::move(config)};
  }

  // For any operating system.
  [[nodiscard]] bool has_syscfg(const std::string& core) const {
    return std::ranges::any_of(sources_.variants, [&](const Variant& variant) {
      return std::ranges::any_of(variant.cores, [&](const CoreSources& each) {
        return each.name == core && !each.syscfg.empty();
      });
    });
  }

  void read_mpu_source(const CoreSources& core, CoreReading& reading) {
    const MapFile* file = sources_.find(core.mpu_source);
    if (file == nullptr) {
      return;
    }
    const bool by_sysconfig =
        !reading.mpu.empty() || std::ranges::any_of(core.syscfg, [&](const std::string& path) {
          return sources_.find(path)->content.find(emit::kMpuModule) != std::string::npos;
        });
    if (by_sysconfig) {
      reading.unused_mpu_source = core.mpu_source;
      return;
    }
    emit::WrittenMpuSource written;
    if (knows_macros_ &&
        parse(
            [&](auto& errors) {
              return emit::parse_mpu_source(
                  *file, root_, sources_.programs, constants_, first_mpu_region_, errors);
            },
            written)) {
      reading.mpu.push_back({file->path, std::move(written.regions), std::move(written.program)});
    }
  }

  // What is compiled for the core: the operating system of the other variants is not.
  [[nodiscard]] BuildFlags flags_of(const std::string& core) const {
    BuildFlags flags{.defined = {kCoreFlag + core, in_capitals(variant_.os)},
                     .families = {kCoreFlag}};
    for (const Variant& other : sources_.variants) {
      if (other.os != variant_.os) {
        flags.undefined.insert(in_capitals(other.os));
      }
    }
    return flags;
  }

  void read_firmware(const CoreSources& core, CoreReading& reading) {
    if (!knows_macros_) {
      return;
    }
    const MapFile* start_up = sources_.find(core.main_source);
    const MapFile* common = sources_.find(core.common_source);
    const BuildFlags flags = flags_of(core.name);
    Macros macros{constants_};
    if (const MapFile* header = sources_.find(core.config_header)) {
      core::Diagnostics unused;
      macros.add(CSource{*header, root_, flags, unused});
    }
    if (start_up != nullptr) {
      read_start_up(*start_up, macros, flags, reading);
    }
    const bool translates = !reading.mpu.empty() && common != nullptr &&
                            common->content.find("appMemAddrTranslate") != std::string::npos;
    if (translates) {
      std::vector<RatCall> calls;
      parse(
          [&](auto& errors) {
            return parse_rat_calls({*common, root_, macros, flags}, errors);
          },
          calls);
      RatReading rat{common->path, {}};
      for (RatCall& call : calls) {
        if (call.is_programmed) {
          rat.entries.push_back(std::move(call.entry));
        }
      }
      reading.rat.push_back(std::move(rat));
    }
  }

  void read_start_up(const MapFile& file,
                     const Macros& macros,
                     const BuildFlags& flags,
                     CoreReading& reading) {
    const auto says = [&](const char* what) {
      return file.content.find(what) != std::string::npos;
    };
    if (reading.mmu.empty() && says("Mmu_map(")) {
      std::vector<MmuCall> calls;
      if (parse(
              [&](auto& errors) {
                return parse_mmu_calls({file, root_, macros, flags}, errors);
              },
              calls)) {
        MmuReading mmu{file.path, {}};
        for (MmuCall& call : calls) {
          mmu.entries.push_back(std::move(call.entry));
        }
        reading.mmu.push_back(std::move(mmu));
      }
    }
    if (says("_setMar(")) {
      reading.mar_path = file.path;
      parse(
          [&](auto& errors) {
            return parse_mar_calls({file, root_, macros, flags}, errors);
          },
          reading.mar);
    }
    if (says("SharedConversion(")) {
      reading.shared.path = file.path;
      parse(
          [&](auto& errors) {
            return parse_shared_ranges({file, root_, macros, flags}, errors);
          },
          reading.shared.ranges);
    }
  }

  const Sources& sources_;
  const Variant& variant_;
  const std::string& root_;
  unsigned first_mpu_region_;
  emit::Constants constants_;
  bool knows_macros_ = true;
  Reading reading_;
};

}  // namespace

const CoreReading* Reading::find(const std::string& core) const {
  return core::find_in(cores, core, &CoreReading::name);
}

std::shared_ptr<const Reading> read_variant(const Sources& sources,
                                            const Variant& variant,
                                            unsigned first_mpu_region) {
  return std::make_shared<const Reading>(VariantReader{sources, variant, first_mpu_region}.run());
}

const core::Diagnostics& problems_of(const Reading& reading) {
  return reading.problems;
}

}  // namespace memsize::sdk
