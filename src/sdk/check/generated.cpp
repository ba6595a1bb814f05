// Compares each file that a script exports with what the script makes now, as one finding a file,
// and adds the regions that the script itself would put over each other.
#include "generated.hpp"

#include "memsize/core/address.hpp"
#include "memsize/core/text.hpp"

#include "formats/compare_generated.hpp"
#include "script/script.hpp"
#include "tree/differences.hpp"
#include "tree/reading.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

// Those of a file that the script exports.
class ScriptDifferences {
 public:
  ScriptDifferences(const Variant& variant, core::Place file)
      : variant_(variant),
        differences_({variant.script_path,
                      "the file was edited by hand, or the script was not run after its last "
                      "change: make them agree before either is changed again",
                      "the script makes it here"},
                     std::move(file)) {}

  void add(const GeneratedDifference& difference) {
    differences_.add(
        difference.name,
        difference.what,
        difference.here,
        difference.there.line == 0 ? core::Place{} : place_in_script(variant_, difference.there));
  }

  void add(const GeneratedDifferences& differences) {
    for (const GeneratedDifference& each : differences) {
      add(each);
    }
  }

  [[nodiscard]] bool none() const { return differences_.count() == 0; }

  void report(core::Diagnostics& found) const { differences_.report(found); }

 private:
  const Variant& variant_;
  Differences differences_;
};

class GeneratedChecker {
 public:
  GeneratedChecker(const Sources& sources,
                   const Variant& variant,
                   const Reading& reading,
                   core::Diagnostics& found)
      : sources_(sources), variant_(variant), reading_(reading), found_(found) {}

  void run() {
    std::set<std::string> done;
    for (const ScriptExport& each : variant_.script->exports) {
      const std::string path = path_of(each);
      if (path.empty() || !done.insert(path).second) {
        continue;
      }
      if (each.kind == "LinkerCmdFile") {
        check_linker(each, path);
        check_sizes(each, path);
      } else if (each.kind == "CHeaderFile") {
        check_header(each, path);
        check_sizes(each, path);
      } else if (each.kind == "DtsFile") {
        check_dts(each, path);
      } else if (each.kind == "HtmlMmapTable") {
        check_html(each, path);
      }
    }
  }

 private:
  [[nodiscard]] core::Place place_of(const std::string& path) const {
    return {fmt::format("{}/{}", sources_.platform.folder, path)};
  }

  // Whether it is there.
  bool is_there(const ScriptExport& each, const std::string& path) {
    const bool there = sources_.find(path) != nullptr;
    if (!there) {
      found_.push_back(
          core::warning(
              Code::kSdkMissing,
              fmt::format("{} makes this file, but it is not there", variant_.script_path),
              place_of(path),
              "run the script")
              .about({{"file", variant_.script_path}})
              .beside(place_in_script(variant_, each.place), "the script writes it here"));
    }
    return there;
  }

  void check_linker(const ScriptExport& each, const std::string& path) {
    const CoreReading* core = reading_.find(path.substr(0, path.find('/')));
    if (!is_there(each, path) || core == nullptr || core->linker.empty()) {
      return;
    }
    ScriptDifferences differences{variant_, place_of(path)};
    differences.add(compare_linker(each, core->linker));
    if (!differences.none()) {
      add_overlaps(each, differences);
    }
    differences.report(found_);
  }

  // What a hand edit may have put right: the script would write it again.
  static void add_overlaps(const ScriptExport& each, ScriptDifferences& differences) {
    for (const auto& [before, section] : overlapping(each)) {
      differences.add({section->name,
                       fmt::format("the script puts '{}' {} over '{}' {}",
                                   section->name,
                                   emit::range_text(section->origin, section->length),
                                   before->name,
                                   emit::range_text(before->origin, before->length)),
                       {},
                       section->place});
    }
  }

  void check_header(const ScriptExport& each, const std::string& path) {
    if (!is_there(each, path) || reading_.macros.empty() || !reading_.knows_macros) {
      return;
    }
    ScriptDifferences differences{variant_, place_of(path)};
    differences.add(compare_header(each, reading_.macros));
    differences.report(found_);
  }

  // People believe what stands above a number.
  void check_sizes(const ScriptExport& each, const std::string& path) {
    const emit::MapFile* file = sources_.find(path);
    const auto wrong = file == nullptr ? std::vector<WrongClaim>{}
                                       : wrong_sizes(each, *file, place_of(path).path.str());
    if (!wrong.empty()) {
      found_.push_back(wrong_claims_news(wrong));
    }
  }

  void check_dts(const ScriptExport& each, const std::string& path) {
    // Of a file that cannot be read that is told.
    const bool is_read = std::ranges::none_of(reading_.problems, [&](const auto& each) {
      return each.severity == core::Severity::kError && each.place.path == place_of(path).path;
    });
    if (!is_there(each, path) || !is_read) {
      return;
    }
    ScriptDifferences differences{variant_, place_of(path)};
    differences.add(compare_dts(each, reading_.nodes));
    differences.report(found_);
    check_cells(each);
  }

  // Nothing is built from a page: one that is not there misses nobody, and another page, such as
  // emit's own map, may stand in its place.
  void check_html(const ScriptExport& each, const std::string& path) {
    const emit::MapFile* file = sources_.find(path);
    if (file == nullptr) {
      return;
    }
    core::Diagnostics problems;
    const auto rows = parse_html_rows({place_of(path).path.str(), file->content}, problems);
    if (rows.empty()) {
      return;
    }
    if (!problems.empty()) {
      found_.push_back(std::move(problems.front()));
      return;
    }
    ScriptDifferences differences{variant_, place_of(path)};
    differences.add(compare_html(each, rows));
    if (differences.none()) {
      differences.add(compare_html_sizes(each, rows));
    }
    differences.report(found_);
  }

  // The library writes the high word of a length as 0x00, and the length as one cell.
  void check_cells(const ScriptExport& each) {
    for (const ScriptMapEntry& entry : each.entries) {
      if (entry.section->length > UINT32_MAX) {
        found_.push_back(
            core::warning(
                Code::kDtsCells,
                fmt::format(
                    "'{}' has {}, of which the SDK's library writes the length as one cell, {}",
                    entry.section->name,
                    core::format_size(core::Bytes{entry.section->length}),
                    core::format_hex(entry.section->length)),
                place_in_script(variant_, entry.section->place),
                "correct the node by hand after each run: a cell holds 32 bits")
                .about({{"region", entry.section->name}}));
      }
    }
  }

  const Sources& sources_;
  const Variant& variant_;
  const Reading& reading_;
  core::Diagnostics& found_;
};

}  // namespace

core::Place place_in_script(const Variant& variant, const ScriptPiece& piece) {
  return {variant.script->path, piece.line, piece.column, piece.length};
}

void check_generated(const Sources& sources,
                     const Variant& variant,
                     const Reading& reading,
                     core::Diagnostics& found) {
  GeneratedChecker{sources, variant, reading, found}.run();
}

}  // namespace memsize::sdk
