// What check() looks at: a tree's parts and their generations, a written map, its board, traces
// against its sizes. Each stage adds to the report, but nothing that stands there already.
#include "check_stages.hpp"

#include "memsize/app/analyze.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/emit/consumers.hpp"
#include "memsize/emit/verify_numbers.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/fit.hpp"
#include "memsize/readers/image_reader.hpp"
#include "memsize/sdk/check.hpp"

#include "board_now.hpp"
#include "evidence/boot_files.hpp"
#include "generation_guard.hpp"
#include "out_folder.hpp"
#include "pages/shown_map.hpp"
#include "plans/plan_stages.hpp"
#include "validate_stages.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

void keep(const core::Diagnostics& found, CheckReport& report) {
  report.diagnostics.insert(report.diagnostics.end(), found.begin(), found.end());
}

// What two operating systems share is told once.
void keep_new(const core::Diagnostics& found, CheckReport& report) {
  core::Diagnostics fresh = found;
  std::erase_if(
      fresh, [&](const core::Diagnostic& each) { return core::is_told(report.diagnostics, each); });
  keep(fresh, report);
}

std::string join_socs(const std::vector<sdk::Platform>& platforms) {
  const std::vector<std::string> names = core::texts_of(
      platforms, [&](const sdk::Platform& platform) { return core::printable(platform.soc, 40); });
  return core::join(names, ", ");
}

// The map of a board with its default sizes; nothing without a board.
std::optional<layout::MemoryMap> map_for(const std::map<std::string, board::Board>& boards,
                                         const std::string& os) {
  const auto found = boards.find(os);
  if (found == boards.end()) {
    return std::nullopt;
  }
  auto map = layout::resolve(found->second, {});
  return map ? std::optional{std::move(*map)} : std::nullopt;
}

core::Diagnostic no_such_system(const sdk::Sources& sources, const board::Board& board) {
  const std::vector<std::string> systems =
      core::texts_of(sources.variants,
                     [&](const sdk::Variant& variant) { return core::printable(variant.os, 40); });
  return core::error(
      Code::kSdkTree,
      fmt::format(
          "there is no generator script for '{}', which board '{}' is of", board.os, board.name),
      {sources.platform.folder},
      fmt::format("there are some for: {}", core::join(systems, ", ")));
}

// What of the variant is there.
CheckedVariant files_of(const sdk::Sources& sources, const sdk::Variant& variant) {
  const auto there = [&](const std::string& path) {
    return sources.find(path) == nullptr ? std::string{} : path;
  };
  CheckedVariant checked{.platform = sources.platform,
                         .os = variant.os,
                         .script = variant.script_path,
                         .header = there(variant.header),
                         .dts = there(variant.dts)};
  for (sdk::CoreSources core : variant.cores) {
    core.linker = there(core.linker);
    checked.cores.push_back(std::move(core));
  }
  return checked;
}

// A map's files have some 100 KiB. What is much larger is not read to find that out.
std::optional<core::Diagnostic> too_large(Session& session, const std::string& path) {
  constexpr core::Bytes kLargest{16U << 20U};
  const auto size = session.files.size(path);
  if (!size || *size <= kLargest.count()) {
    return std::nullopt;
  }
  return core::error(Code::kVerifyParse,
                     fmt::format("this file has {}: no file of a map has more than {}",
                                 core::format_size(core::Bytes{*size}),
                                 core::format_size(kLargest)),
                     {path},
                     "write the map again with emit");
}

// Whether memsize wrote the file, for whatever map.
bool is_ours(const emit::MapFile& file) {
  return file.path.find("/mmu_tables_at_") != std::string::npos ||
         file.content.find("Written by memsize from board") != std::string::npos ||
         file.content.find("\"schema\": \"memsize.m") != std::string::npos;
}

// What memsize wrote for another map than the one that has `known`.
core::Diagnostics left_over(const std::vector<emit::MapFile>& files,
                            const std::set<std::string>& known,
                            const std::string& folder,
                            const std::string& board) {
  std::vector<std::string> paths;
  for (const emit::MapFile& file : files) {
    if (!known.contains(file.path) && is_ours(file)) {
      paths.push_back(core::printable(file.path, 200));
    }
  }
  if (paths.empty()) {
    return {};
  }
  core::Diagnostic found =
      core::error(Code::kVerifyDisagree,
                  fmt::format("board '{}' has no such {}: left of another map",
                              board,
                              paths.size() == 1 ? "file" : "files"),
                  {folder},
                  "remove what is left, or write the map into an empty folder");
  found.details = std::move(paths);
  return {std::move(found)};
}

// What the demand lacks; nothing where it fits.
std::optional<core::Diagnostic> misfit(const layout::MemoryMap& map,
                                       const std::string& core,
                                       const sizing::Demand& demand) {
  const core::Bytes has{map.values.at(demand.knob)};
  const core::Bytes needs = std::max(demand.figure(), demand.forecast_figure.value_or(has));
  if (needs <= has) {
    return std::nullopt;
  }
  return core::error(Code::kSizingDoesNotFit,
                     fmt::format("{} needs {} of '{}', which has {}",
                                 core,
                                 core::format_bytes(needs),
                                 demand.region,
                                 core::format_size(has)),
                     {},
                     fmt::format("give it more: --set {}={}",
                                 demand.knob,
                                 core::format_setting(std::max(
                                     *demand.suggested, demand.forecast.value_or(core::Bytes{})))));
}

// What the heap lacks with the headroom; nothing where it fits.
std::optional<core::Diagnostic> tight_heap(const layout::MemoryMap& map,
                                           const std::string& core,
                                           const sizing::Demand& demand) {
  const core::Bytes has{map.values.at(demand.knob)};
  const core::Bytes needs = demand.figure() + demand.headroom;
  if (needs <= has) {
    return std::nullopt;
  }
  return core::error(Code::kSizingDoesNotFit,
                     fmt::format("{} needs {} of '{}' and {} of headroom, {} together; it has {}",
                                 core,
                                 core::format_bytes(demand.figure()),
                                 demand.region,
                                 core::format_bytes(demand.headroom),
                                 core::format_bytes(needs),
                                 core::format_size(has)))
      .about({{"region", demand.region}});
}

// The map with the smallest sizes that hold these demands, as a command; or why there is none.
std::string enlarged(Session& session,
                     const CheckRequest& request,
                     const layout::MemoryMap& map,
                     const std::vector<const sizing::Demand*>& lacking) {
  board::KnobValues values;
  for (const board::Knob& knob : map.board.knobs) {
    values[knob.name] = map.values.at(knob.name);
  }
  for (const sizing::Demand* demand : lacking) {
    const core::Bytes needs = demand->figure() + demand->headroom;
    values[demand->knob] = core::align_up(needs, demand->granule).count();
  }
  if (const auto growth = layout::grow_for_mmu(map.board, values, false)) {
    values = over(std::move(values), growth->values);
  }
  if (const auto larger = layout::resolve(map.board, values); !larger) {
    return fmt::format("the board has no room for more: {}", larger.error().front().message);
  }
  // A tree keeps what is not set; elsewhere a map is made of the board's own sizes.
  const auto plain = layout::resolve(map.board, {});
  const board::Values& before = request.sdk.empty() && plain ? plain->values : map.values;
  std::vector<std::string> settings;
  for (const board::Knob& knob : map.board.knobs) {
    const std::uint64_t value = values.at(knob.name);
    if (value != before.at(knob.name)) {
      settings.push_back(fmt::format(
          "{}={}",
          knob.name,
          knob.is_address ? core::format_hex(value) : core::format_setting(core::Bytes{value})));
    }
  }
  EmitRequest emit{.board = {.name = request.board.name, .dram = request.board.dram},
                   .sdk = request.sdk,
                   .out = request.map};
  return session.propose ? session.propose(emit, emit.board.name, settings)
                         : "--set " + core::join(settings, " --set ");
}

// Every heap must hold what the trace took, and the headroom.
void check_headroom(Session& session,
                    const CheckRequest& request,
                    const layout::MemoryMap& map,
                    const Analysis& analysis,
                    CheckReport& report) {
  std::vector<const sizing::Demand*> lacking;
  core::Diagnostics found;
  for (const sizing::CoreSizing& core : analysis.sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      auto lacks = demand.knob.empty() ? std::nullopt : tight_heap(map, core.core, demand);
      if (lacks) {
        lacking.push_back(&demand);
        found.push_back(std::move(*lacks));
      }
    }
  }
  if (!found.empty()) {
    found.back().hint = enlarged(session, request, map, lacking);
  }
  keep(found, report);
}

}  // namespace

core::Result<TreeScope> scope_of_tree(Session& session, const CheckRequest& request) {
  TreeScope scope;
  if (!request.soc.empty()) {
    auto platform = sdk::find_platform(session.files, request.sdk, request.soc);
    MEMSIZE_TRY(platform);
    scope.platforms.push_back(std::move(*platform));
    return scope;
  }
  auto platforms = sdk::find_platforms(session.files, request.sdk);
  MEMSIZE_TRY(platforms);
  if (request.board.name.empty()) {
    scope.platforms = std::move(*platforms);
    return scope;
  }
  auto board = load_board(session, request.board);
  MEMSIZE_TRY(board);
  auto map = layout::resolve(*board, {});
  MEMSIZE_TRY(map);
  scope.asked = std::move(*map);
  for (const sdk::Platform& platform : *platforms) {
    if (platform.soc == scope.asked->board.soc) {
      scope.platforms.push_back(platform);
    }
  }
  if (scope.platforms.empty()) {
    return core::fail(core::error(Code::kSdkTree,
                                  fmt::format("this SDK has no '{}', which board '{}' is",
                                              scope.asked->board.soc,
                                              scope.asked->board.name),
                                  {request.sdk},
                                  fmt::format("it has: {}", join_socs(*platforms))));
  }
  return scope;
}

void check_generation(Session& session,
                      const CheckRequest& request,
                      const TreeScope& scope,
                      CheckReport& report) {
  if (!scope.asked) {
    return;
  }
  EmitRequest again{.verb = "check"};
  again.board = request.board;
  again.sdk = request.sdk;
  for (const sdk::Platform& platform : scope.platforms) {
    if (auto differs = compare_with_tree(session, again, platform, scope.asked->board.os);
        differs) {
      report.diagnostics.push_back(std::move(*differs));
    }
  }
}

void check_platform(Session& session,
                    const sdk::Platform& platform,
                    const std::optional<layout::MemoryMap>& asked,
                    CheckReport& report,
                    const sdk::OpenTree* known) {
  report.platforms.push_back(platform);
  const auto programs = board::load_mpu_programs(session.files, session.data.boards);
  if (!programs) {
    keep(programs.error(), report);
    return;
  }
  auto read = known != nullptr ? core::Result<sdk::Sources>{}
                               : sdk::read_sources(session.files, platform, *programs);
  if (!read) {
    keep(read.error(), report);
    return;
  }
  const sdk::Sources* sources = known != nullptr ? &known->sources : &*read;
  keep(sources->problems, report);
  const auto bundled =
      asked ? std::map<std::string, board::Board>{}
            : session.shelf->newest(session.files, session.data.boards, platform.soc);
  for (const sdk::Variant& variant : sources->variants) {
    if (asked && asked->board.os != variant.os) {
      continue;
    }
    const auto own = map_for(bundled, variant.os);
    const layout::MemoryMap* map = asked ? &*asked : own ? &*own : nullptr;
    const sdk::OpenVariant* open = known == nullptr ? nullptr : known->find(variant.os);
    const bool is_read =
        open != nullptr && open->first_mpu_region == (map == nullptr ? 0 : map->board.mpu.first);
    const sdk::TreeReport found =
        sdk::check_variant(*sources, variant, map, is_read ? open->reading : nullptr);
    keep_new(found.diagnostics, report);
    report.checked.push_back(fmt::format("{} {} ({})",
                                         core::printable(platform.soc, 40),
                                         core::printable(variant.os, 40),
                                         core::join(found.read, ", ")));
    CheckedVariant checked = files_of(*sources, variant);
    checked.board = map == nullptr ? std::string{} : map->board.name;
    report.variants.push_back(std::move(checked));
  }
  const bool is_there = std::ranges::any_of(sources->variants, [&](const sdk::Variant& variant) {
    return !asked || asked->board.os == variant.os;
  });
  // Where a script failed, that says enough.
  if (asked && !is_there && !core::has_errors(sources->problems)) {
    keep({no_such_system(*sources, asked->board)}, report);
  }
}

core::Result<std::vector<emit::MapFile>> read_map(Session& session, const std::string& folder) {
  const auto paths = session.files.list_tree(folder);
  MEMSIZE_TRY(paths);
  std::vector<emit::MapFile> files;
  for (const std::string& path : *paths) {
    const bool ours = path.ends_with(".cmd") || path.ends_with(".syscfg") ||
                      path.ends_with(".json") || path.ends_with(".h") || path.ends_with(".c") ||
                      path.ends_with(".dtsi") || path.ends_with(".bin") || path.ends_with(".ld") ||
                      emit::has_verifier(path);
    if (!ours) {
      continue;
    }
    const std::string full = fmt::format("{}/{}", folder, path);
    if (auto large = too_large(session, full); large) {
      return core::fail(std::move(*large));
    }
    auto content = session.files.read(full);
    MEMSIZE_TRY(content);
    files.push_back({path, std::move(*content)});
  }
  return files;
}

WrittenMap check_written(Session& session, const std::string& folder, CheckReport& report) {
  WrittenMap written;
  auto files = read_map(session, folder);
  if (!files) {
    keep(files.error(), report);
    return written;
  }
  const auto programs = board::load_mpu_programs(session.files, session.data.boards);
  if (!programs) {
    keep(programs.error(), report);
    return written;
  }
  written.files = std::move(*files);
  const emit::VerifyReport found = emit::verify_files(written.files, folder, *programs);
  keep(found.diagnostics, report);
  written.is_whole = found.missing.empty();
  // What `emit --only` left out is missing on purpose.
  const auto known = paths_written(session, folder);
  for (const std::string& path : found.missing) {
    if (!known || known->contains(path)) {
      keep({core::warning(Code::kVerifyParse,
                          "this file is missing: nothing is held against memory_map.json",
                          {emit::MapFile{path, {}}.path_under(folder)},
                          "give the memsize emit that wrote the map once more")},
           report);
    }
  }
  report.checked.insert(report.checked.end(), found.read.begin(), found.read.end());
  written.board = found.board;
  for (const auto& [knob, value] : found.knobs) {
    written.knobs[knob] = value;
  }
  return written;
}

std::optional<layout::MemoryMap> check_board(Session& session,
                                             const CheckRequest& request,
                                             const WrittenMap& written,
                                             CheckReport& report) {
  const auto board = load_board(session, request.board);
  if (!board) {
    keep(board.error(), report);
    return std::nullopt;
  }
  if (!written.board.empty() && written.board != board->name) {
    keep({core::error(Code::kVerifyDisagree,
                      fmt::format("the map is of board '{}', not of '{}'",
                                  core::printable(written.board, 60),
                                  board->name),
                      {request.map + "/memory_map.json"},
                      "name the board that it was written for with --board")},
         report);
    return std::nullopt;
  }
  const auto settings = parse_settings(*board, request.board.set);
  if (!settings) {
    keep(settings.error(), report);
    return std::nullopt;
  }
  board::KnobValues values = written.knobs;
  for (const auto& [knob, value] : *settings) {
    values[knob] = value;
  }
  auto map = checked_map(*board, values);
  if (!map) {
    keep(map.error(), report);
    return std::nullopt;
  }
  keep(map->remarks, report);
  report.remarks = map->remarks;
  report.checked.push_back(fmt::format("board {}", board->name));
  return std::move(*map);
}

void accept_written(Session& session, const CheckRequest& request, CheckReport& report) {
  if (const auto board = load_board(session, request.board); board) {
    std::erase_if(report.diagnostics, [&](const core::Diagnostic& finding) {
      return layout::is_accepted_by_name(*board, finding);
    });
  }
}

std::string bundled_board_of(Session& session, const WrittenMap& written, CheckReport& report) {
  const auto names = board::bundled_boards(session.files, session.data.boards);
  if (names && std::find(names->begin(), names->end(), written.board) != names->end()) {
    return written.board;
  }
  if (!written.board.empty()) {
    report.remarks.push_back(core::note(
        Code::kVerifyDisagree,
        fmt::format("the files were held against each other only: board '{}' is not bundled",
                    core::printable(written.board, 60)),
        {},
        "name its file with --board, and they are held against it, too"));
  }
  return {};
}

void say_traces_unread(const CheckRequest& request, CheckReport& report) {
  if (request.board.name.empty() && !request.traces.empty()) {
    report.diagnostics.push_back(core::error(Code::kBoardUnknown,
                                             "the traces were held against nothing: the map is of "
                                             "no bundled board",
                                             {request.map},
                                             "name the board's file with --board"));
  }
}

void check_files(Session& session,
                 const CheckRequest& request,
                 const WrittenMap& written,
                 const layout::MemoryMap& map,
                 CheckReport& report) {
  Candidate candidate{.map = map, .baseline = map, .root = request.map};
  candidate.files = written.files;
  // What is missing or cannot be read was told already.
  const bool is_whole =
      written.is_whole &&
      !core::contains(report.diagnostics, Code::kVerifyParse, &core::Diagnostic::code);
  if (is_whole) {
    auto setup = set_up(session, candidate, {});
    core::Diagnostics found = setup ? setup->subject.findings : setup.error();
    name_files(candidate, found);
    keep(found, report);
    if (!found.empty()) {
      return;
    }
  }
  std::set<std::string> known;
  for (const emit::Emitter& emitter : emit::all_emitters()) {
    const auto wanted = emit::render_all({map, map, session.files, session.data.templates},
                                         {std::string{emitter.name}});
    for (std::size_t i = 0; wanted && i < wanted->size(); ++i) {
      const emit::MapFile expected{(*wanted)[i].path, (*wanted)[i].content};
      known.insert(expected.path);
      for (const emit::MapFile& file : written.files) {
        if (file.path == expected.path) {
          keep(emit::verify_numbers(file, expected, request.map, map.board.name), report);
        }
      }
    }
  }
  keep(left_over(written.files, known, request.map, map.board.name), report);
}

void check_budgets(const CheckRequest& request, const layout::MemoryMap& map, CheckReport& report) {
  keep(over_budget(request.budgets, map), report);
  if (const std::string line = budget_line(request.budgets, map); !line.empty()) {
    report.checked.push_back(line);
  }
}

void check_tree_use(Session& session, const CheckRequest& request, CheckReport& report) {
  CheckRequest asked = request;
  EmitRequest tree{.board = request.board, .sdk = request.sdk};
  auto found = name_board_of_tree(session, request.sdk, request.soc, {}, asked.board);
  const auto shown = found ? map_of_tree(session, tree, request.soc, {})
                           : core::Result<ShownMap>{tl::make_unexpected(found.error())};
  if (!shown) {
    keep(shown.error(), report);
    return;
  }
  check_budgets(request, shown->map, report);
  if (!request.traces.empty()) {
    check_demands(session, asked, shown->map, report);
  }
  if (!request.images.empty()) {
    check_firmware(session, request, shown->map, report);
  }
}

void check_firmware(Session& session,
                    const CheckRequest& request,
                    const layout::MemoryMap& map,
                    CheckReport& report) {
  std::map<std::string, std::string> image_of;
  const auto hold = [&](const model::Image& image) {
    layout::FirmwareReport found =
        layout::check_firmware(map, image, {.full_percent = request.fill_percent});
    keep(found.diagnostics, report);
    std::ranges::copy_if(found.diagnostics, std::back_inserter(report.remarks), [](auto& said) {
      return said.severity == core::Severity::kNote;
    });
    const auto [other, is_first] = image_of.emplace(found.core, image.path);
    if (!found.core.empty() && !is_first) {
      keep({core::error(Code::kFirmwareTwice,
                        fmt::format("this is an image of {}, as {} is",
                                    found.core,
                                    core::printable(other->second, 300)),
                        {image.path},
                        "a core runs one of them: check the other one apart")},
           report);
    }
    report.checked.push_back(fmt::format("image {}{}",
                                         core::printable(image.path, 300),
                                         found.core.empty() ? "" : " of " + found.core));
    report.firmware.push_back(
        {image.path, std::string{image.format}, image.machine, image.bits, std::move(found)});
  };
  BootFiles boot{report};
  for (const std::string& path : request.images) {
    auto content = read_image_file(session, path, report.diagnostics);
    if (content && boot.take(*content, path)) {
      continue;
    }
    const auto image = content ? readers::read_firmware(std::move(*content), path)
                               : core::Result<model::Image>{tl::make_unexpected(content.error())};
    if (image) {
      hold(*image);
    } else {
      keep(image.error(), report);
    }
  }
  boot.check(map, hold);
  std::vector<const layout::FirmwareReport*> reports;
  for (const CheckedFirmware& checked : report.firmware) {
    reports.push_back(&checked.found);
  }
  keep(layout::check_apart(reports), report);
}

void check_demands(Session& session,
                   const CheckRequest& request,
                   const layout::MemoryMap& map,
                   CheckReport& report) {
  const bool with_headroom = !request.headroom.empty();
  AnalyzeRequest trace{.inputs = request.traces,
                       .headroom = request.headroom,
                       .board = request.board,
                       .sdk = request.sdk};
  const auto of_tree = take_tree(session, trace);
  if (!of_tree) {
    keep(of_tree.error(), report);
    return;
  }
  keep(*of_tree, report);
  const auto analysis = analyze(session, trace);
  if (!analysis) {
    keep(analysis.error(), report);
    return;
  }
  // What a doubtful trace fits into need not hold its models.
  core::Diagnostics found = analysis->sizing.diagnostics;
  for (core::Diagnostic& diagnostic : found) {
    if (forbids_map(analysis->sizing, diagnostic) &&
        (diagnostic.code != Code::kSizingGeneration || with_headroom)) {
      diagnostic.severity = core::Severity::kError;
    }
  }
  keep(found, report);
  std::size_t demands = 0;
  for (const sizing::CoreSizing& core : analysis->sizing.cores) {
    for (const sizing::Demand& demand : core.demands) {
      if (demand.knob.empty()) {
        continue;
      }
      ++demands;
      if (with_headroom) {
        continue;
      }
      if (auto lacks = misfit(map, core.core, demand); lacks) {
        report.diagnostics.push_back(std::move(*lacks));
      }
    }
  }
  // A trace of another generation, or a doubtful one, proves nothing about the next one.
  if (with_headroom && !core::has_errors(found)) {
    check_headroom(session, request, map, *analysis, report);
  }
  report.checked.push_back(
      core::plural(demands, "demand") +
      (with_headroom
           ? fmt::format(" with {} of headroom", sizing::format_headroom(analysis->sizing.headroom))
           : std::string{}));
}

}  // namespace memsize::app
