// Finds the reader of each file by its path, and holds ranges of two sides against each other.
#include "memsize/emit/consumers.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/read_map.hpp"

#include "consumers/consumer.hpp"
#include "emitters.hpp"
#include "template.hpp"
#include "verify/page_rows.hpp"
#include "verify/stray.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

constexpr std::string_view kAnyCore = "*/";

// The folder that `*` stands for, or nothing where the path is another one.
std::optional<std::string> core_of_path(std::string_view path, std::string_view pattern) {
  if (pattern.empty() || !pattern.starts_with(kAnyCore)) {
    return path == pattern && !path.empty() ? std::optional{std::string{}} : std::nullopt;
  }
  const std::string_view tail = pattern.substr(kAnyCore.size() - 1);
  if (path.size() <= tail.size() || !path.ends_with(tail)) {
    return std::nullopt;
  }
  const std::string_view folder = path.substr(0, path.size() - tail.size());
  return folder.find('/') == std::string_view::npos ? std::optional{std::string{folder}}
                                                    : std::nullopt;
}

bool has_core(const WrittenMap& map, const std::string& core) {
  return std::ranges::any_of(
      map.regions, [&](const MapRegion& region) { return core::contains(region.cores, core); });
}

// Of a file that cannot be read only the first mistake is told: the others follow from it.
void verify_one(const Emitter& emitter, const WrittenFile& written, core::Diagnostics& found) {
  core::Diagnostics own;
  if (!written.core.empty() && !has_core(written.map, written.core)) {
    own.push_back(disagreement(
        written.place(),
        {{"core", written.core}},
        fmt::format("memory_map.json has no core '{}'", core::printable(written.core, 60))));
  } else {
    emitter.verify(written, own);
  }
  const auto unread = std::ranges::find(own, core::Code::kVerifyParse, &core::Diagnostic::code);
  if (unread != own.end()) {
    own = {std::move(*unread)};
  }
  core::add_text(own, written.file.path_under(written.root), written.file.content);
  std::move(own.begin(), own.end(), std::back_inserter(found));
}

}  // namespace

bool has_verifier(std::string_view path) {
  return path == kPageFile || std::ranges::any_of(all_emitters(), [&](const Emitter& emitter) {
           return emitter.verify != nullptr && core_of_path(path, emitter.file).has_value();
         });
}

VerifyReport verify_files(const std::vector<MapFile>& files,
                          const std::string& root,
                          const board::MpuPrograms& programs) {
  VerifyReport report = verify_map(files, root, programs);
  const MapFile* document = core::find_in(files, std::string{"memory_map.json"}, &MapFile::path);
  core::Diagnostics told;
  const auto map =
      document == nullptr ? std::optional<WrittenMap>{} : read_map_document(*document, root, told);
  if (!map) {
    return report;
  }
  for (const Emitter& emitter : all_emitters()) {
    std::size_t read = 0;
    for (const MapFile& file : files) {
      const auto core = core_of_path(file.path, emitter.file);
      if (emitter.verify != nullptr && core) {
        ++read;
        verify_one(emitter, {file, *core, *map, root}, report.diagnostics);
      }
    }
    if (read != 0) {
      report.read.push_back(core::plural(read, fmt::format("{} file", emitter.name)));
    }
  }
  return report;
}

std::vector<WantedRange> seen_ranges(const WrittenFile& file) {
  std::vector<WantedRange> ranges;
  for (const MapRegion& region : file.map.regions) {
    if (core::contains(region.cores, file.core)) {
      ranges.push_back({region.name, region.address, region.size});
    }
  }
  return ranges;
}

std::vector<WantedRange> bus_ranges(const WrittenFile& file) {
  std::vector<WantedRange> ranges;
  for (const MapRegion& region : file.map.regions) {
    if (region.physical && core::contains(region.cores, file.core)) {
      ranges.push_back({region.name, *region.physical, region.size});
    }
  }
  return ranges;
}

std::vector<WantedRange> labelled_ranges(const WrittenFile& file) {
  std::vector<WantedRange> ranges;
  for (const MapCarveout& carveout : file.map.carveouts) {
    if (!carveout.label.empty()) {
      ranges.push_back({carveout.label, carveout.base, carveout.size});
    }
  }
  return ranges;
}

void hold_ranges(const WrittenFile& file,
                 const std::string& kind,
                 const std::vector<WrittenRange>& written,
                 const std::vector<WantedRange>& wanted,
                 core::Diagnostics& found) {
  std::set<std::string> seen;
  for (const WrittenRange& range : written) {
    const std::string name = core::printable(range.name, 60);
    const auto* own = core::find_in(wanted, range.name, &WantedRange::name);
    if (!seen.insert(range.name).second) {
      found.push_back(
          disagreement(range.place, {{kind, name}}, fmt::format("'{}' stands twice here", name)));
    } else if (own == nullptr) {
      found.push_back(disagreement(range.place,
                                   {{kind, name}},
                                   fmt::format("memory_map.json has no {} '{}' here", kind, name)));
    } else if (own->base != range.base || own->size != range.size) {
      found.push_back(disagreement(range.place,
                                   {{kind, name}},
                                   fmt::format("'{}' is {} here, but {} in memory_map.json",
                                               name,
                                               range_text(range.base, range.size),
                                               range_text(own->base, own->size))));
    }
  }
  for (const WantedRange& range : wanted) {
    if (!seen.contains(range.name)) {
      found.push_back(
          disagreement(file.place(),
                       {{kind, range.name}},
                       fmt::format("{} '{}' of memory_map.json is not here", kind, range.name)));
    }
  }
}

void verify_gnu_ld(const WrittenFile& file, core::Diagnostics& found) {
  const auto regions = parse_linker(file.file, file.root, found);
  if (found.empty() && refuse_stray_words(file.file, file.root, found)) {
    hold_ranges(file, "region", regions, seen_ranges(file), found);
  }
}

std::string escape_line(const std::string& text) {
  std::string line = escape_comment(core::visible_text(text));
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

std::string without_line_comments(std::string text, char mark) {
  bool in_comment = false;
  bool in_quotes = false;
  for (char& c : text) {
    if (c == '\n') {
      in_comment = false;
      in_quotes = false;
    } else if (in_comment || (c == mark && !in_quotes)) {
      in_comment = true;
      c = ' ';
    } else if (c == '"') {
      in_quotes = !in_quotes;
    }
  }
  return text;
}

}  // namespace memsize::emit
