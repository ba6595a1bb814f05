// memsize board: lists boards and parts, shows the map of one or its memories in tables, and checks
// them. Every window is shown with placed, kept and free bytes, which add up.
#include "memsize/app/board.hpp"
#include "memsize/board/load.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/fit.hpp"

#include "board_import.hpp"
#include "show/part_report.hpp"
#include "show/render_diagnostics.hpp"
#include "show/table.hpp"
#include "verbs.hpp"

#include <bit>
#include <memory>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kBoardSchema = "memsize.board/1";

struct BoardOptions {
  std::string verb;
  std::vector<std::string> boards;
  bool json = false;
  ImportOptions import;
};

std::string parts_folder(const app::Session& session) {
  return session.data.boards + "/memories";
}

void keep(Outcome& outcome, const core::Diagnostics& found) {
  outcome.diagnostics.insert(outcome.diagnostics.end(), found.begin(), found.end());
}

Table list_boards(app::Session& session, const std::vector<std::string>& names, Outcome& outcome) {
  Table table{.columns = {{"board"}, {"SDK"}, {"title"}}};
  for (const std::string& name : names) {
    const auto board = board::load_board(session.files, session.data.boards, name);
    if (!board) {
      keep(outcome, board.error());
      continue;
    }
    table.rows.push_back({name, board->sdk, board->title});
    outcome.document["boards"].push_back(
        {{"name", name}, {"sdk", board->sdk}, {"title", board->title}});
  }
  return table;
}

Table list_parts(app::Session& session, const std::vector<std::string>& names, Outcome& outcome) {
  Table table{.columns = {{"part"}, {"core"}, {"title"}}};
  for (const std::string& name : names) {
    const auto part = board::load_memories(session.files, parts_folder(session), name);
    if (!part) {
      keep(outcome, part.error());
      continue;
    }
    table.rows.push_back({name, part->core.empty() ? "-" : part->core, part->title});
    Json item{{"name", name}, {"title", part->title}};
    if (!part->core.empty()) {
      item["core"] = part->core;
    }
    outcome.document["parts"].push_back(std::move(item));
  }
  return table;
}

Outcome list(app::Session& session, const BoardOptions& options) {
  const auto boards = board::bundled_boards(session.files, session.data.boards);
  if (!boards) {
    return failed(boards.error(), kBoardSchema, options.json);
  }
  const auto parts = board::bundled_memories(session.files, parts_folder(session));
  if (!parts) {
    return failed(parts.error(), kBoardSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kBoardSchema;
  outcome.document["boards"] = Json::array();
  outcome.text = list_boards(session, *boards, outcome).text(0);
  outcome.text += "\n" + list_parts(session, *parts, outcome).text(0);
  outcome.status = core::exit_status(outcome.diagnostics);
  return outcome;
}

Table knob_table(const layout::MemoryMap& map) {
  Table table{.columns = {{"knob"}, {"default", true}, {"granule", true}, {"sized by"}}};
  for (const board::Knob& knob : map.board.knobs) {
    const std::uint64_t value = map.values.at(knob.name);
    std::string driver;
    if (knob.demand) {
      driver = fmt::format("{} {} {} {}",
                           knob.demand->core,
                           knob.demand->space,
                           model::name_of(knob.demand->cacheability),
                           model::name_of(knob.demand->lifetime));
    }
    table.rows.push_back(
        {knob.name,
         knob.is_address ? core::format_hex(value) : core::format_size(core::Bytes{value}),
         knob.is_address ? std::string{"-"} : core::format_size(core::Bytes{knob.granule.value()}),
         driver});
  }
  return table;
}

Table region_table(const layout::MemoryMap& map) {
  Table table;
  table.columns = {
      {"address", true}, {"physical", true}, {"size", true}, {"region"}, {"cores"}, {"what"}};
  for (const layout::Region& region : map.regions) {
    if (region.kind == layout::RegionKind::kPhysicalName) {
      continue;
    }
    table.rows.push_back({core::format_address(*region.virtual_base),
                          region.physical_base ? core::format_address(*region.physical_base) : "-",
                          core::format_size(region.size),
                          region.name,
                          region.cores.size() == map.board.cores.size()
                              ? std::string{"all"}
                              : core::join(region.cores, " "),
                          region.note});
  }
  return table;
}

Table carveout_table(const layout::MemoryMap& map) {
  Table table{.columns = {{"physical", true}, {"size", true}, {"carve-out"}}};
  for (const layout::Carveout& carveout : map.carveouts) {
    table.rows.push_back({core::format_address(carveout.range.base()),
                          core::format_size(carveout.range.size()),
                          carveout.label});
  }
  return table;
}

// What each core's MMU takes of what its driver has.
Table mmu_table(const layout::MemoryMap& map) {
  Table table{.columns = {{"MMU of"}, {"entries", true}, {"translation tables", true}}};
  const layout::TableCounts counts = layout::table_counts(map);
  const board::Mmu& mmu = map.board.mmu;
  const auto of = [](std::size_t used, std::uint64_t most) {
    return most == 0 ? fmt::format("{}", used) : fmt::format("{} of {}", used, most);
  };
  for (std::size_t i = 0; i < map.mmu.size(); ++i) {
    table.rows.push_back({map.mmu[i].core,
                          of(map.mmu[i].ranges.size(), mmu.max_entries),
                          counts.empty() ? "-" : of(counts[i].second, mmu.tables)});
  }
  return table;
}

// The regions that follow from the map; the fixed ones are the board file's to read.
Table mpu_table(const layout::MemoryMap& map) {
  Table table;
  table.columns = {{"core"},
                   {"MPU region", true},
                   {"from", true},
                   {"size", true},
                   {"without", true},
                   {"attribute"},
                   {"for"}};
  const unsigned limit = map.board.mpu.last - map.board.mpu.first + 1;
  for (const layout::MpuTable& each : map.mpu) {
    for (const layout::MpuRegion& region : each.regions) {
      if (!region.is_fixed) {
        table.rows.push_back(
            {each.core,
             fmt::format("{} of {}", region.number - map.board.mpu.first + 1, limit),
             core::format_address(region.range.base()),
             core::format_size(region.range.size()),
             region.disabled == 0
                 ? std::string{"-"}
                 : fmt::format("{} of 8", std::popcount(static_cast<unsigned>(region.disabled))),
             region.attribute,
             core::join(region.covers, " ")});
      }
    }
  }
  return table;
}

Table rat_table(const layout::MemoryMap& map) {
  Table table;
  table.columns = {{"core"}, {"RAT entry"}, {"from", true}, {"to", true}, {"size", true}, {"for"}};
  for (const layout::RatTable& each : map.rat) {
    for (const layout::RatRange& range : each.ranges) {
      table.rows.push_back({each.core,
                            range.name,
                            core::format_address(range.local),
                            core::format_address(range.system),
                            core::format_size(range.size),
                            core::join(range.covers, " ")});
    }
  }
  return table;
}

// Placed, kept and free bytes of every window: the account closes, for each of them.
Table window_table(const layout::MemoryMap& map) {
  Table table;
  table.columns = {
      {"window"}, {"from", true}, {"size", true}, {"placed", true}, {"kept", true}, {"free", true}};
  for (const layout::Window& window : map.windows) {
    table.rows.push_back({window.chain,
                          core::format_address(window.range.base()),
                          core::format_size(window.range.size()),
                          core::format_size(window.placed),
                          core::format_size(window.padding),
                          core::format_size(window.free)});
  }
  return table;
}

std::string board_text(const board::Board& board, const layout::MemoryMap& map) {
  std::string text = fmt::format("{}: {}\n", board.name, board.title);
  if (!board.provisional.empty()) {
    text += fmt::format("  provisional: {}\n", board.provisional);
  }
  for (const std::string& source : board.sources) {
    text += fmt::format("  from {}\n", source);
  }
  for (const board::Bank& bank : board.banks) {
    text += fmt::format("  DRAM {} {}, {}\n",
                        bank.name,
                        core::format_range(bank.range),
                        core::format_size(bank.range.size()));
  }
  for (const board::AcceptedDefect& defect : board.accepted) {
    text += fmt::format("  accepts {}, because {}: {}\n", defect.code, defect.why, defect.message);
  }
  text += "\n" + region_table(map).text(0);
  text += "\n" + carveout_table(map).text(0);
  text += fmt::format("{} are kept from Linux\n\n", core::format_size(map.reserved()));
  text += window_table(map).text(0);
  if (!map.mmu.empty()) {
    text += "\n" + mmu_table(map).text(0);
  }
  for (const Table& table : {mpu_table(map), rat_table(map)}) {
    if (!table.rows.empty()) {
      text += "\n" + table.text(0);
    }
  }
  return text + "\n" + knob_table(map).text(0);
}

Json board_document(const board::Board& board, const layout::MemoryMap& map) {
  Json knobs = Json::object();
  for (const board::Knob& knob : board.knobs) {
    const std::uint64_t value = map.values.at(knob.name);
    knobs[knob.name] = knob.is_address ? Json(fmt::format("0x{:x}", value)) : Json(value);
  }
  return {{"name", board.name},
          {"title", board.title},
          {"sdk", board.sdk},
          {"regions", map.regions.size()},
          {"reserved_bytes", map.reserved().count()},
          {"knobs", knobs}};
}

core::Result<void> show_one(app::Session& session, const std::string& name, Outcome& outcome) {
  const auto kind = board::kind_of_board(session.files, session.data.boards, name);
  MEMSIZE_TRY(kind);
  if (*kind == board::BoardKind::kPart) {
    const auto part = board::load_memories(session.files, parts_folder(session), name);
    MEMSIZE_TRY(part);
    outcome.text += part_text(*part);
    outcome.document["parts"].push_back(part_document(*part));
    return {};
  }
  const auto board = board::load_board(session.files, session.data.boards, name);
  MEMSIZE_TRY(board);
  const auto map = layout::resolve(*board, {});
  MEMSIZE_TRY(map);
  outcome.text += board_text(*board, *map);
  outcome.document["boards"].push_back(board_document(*board, *map));
  return {};
}

Outcome show(app::Session& session, const BoardOptions& options) {
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kBoardSchema;
  outcome.document["boards"] = Json::array();
  for (const std::string& name : options.boards) {
    if (const auto shown = show_one(session, name, outcome); !shown) {
      return failed(shown.error(), kBoardSchema, options.json);
    }
  }
  return outcome;
}

// Every board, then every part.
core::Result<std::vector<std::string>> all_names(app::Session& session) {
  auto names = board::bundled_boards(session.files, session.data.boards);
  const auto parts = board::bundled_memories(session.files, parts_folder(session));
  MEMSIZE_TRY(names);
  MEMSIZE_TRY(parts);
  names->insert(names->end(), parts->begin(), parts->end());
  return names;
}

void check_board(app::Session& session, const std::string& name, Outcome& outcome) {
  const auto board = board::load_board(session.files, session.data.boards, name);
  core::Result<layout::MemoryMap> map =
      board ? app::checked_map(*board, {})
            : core::Result<layout::MemoryMap>{tl::make_unexpected(board.error())};
  const bool good = map.has_value();
  keep(outcome, good ? map->remarks : map.error());
  if (good) {
    outcome.text +=
        fmt::format("{}: {} passed\n", name, core::plural(layout::all_checks().size(), "check")) +
        describe_notes(map->remarks);
  }
  outcome.document["boards"].push_back({{"name", name}, {"ok", good}});
}

// A part is read only if its memories, sections and machine are in order.
void check_part(app::Session& session, const std::string& name, Outcome& outcome) {
  const auto part = board::load_memories(session.files, parts_folder(session), name);
  if (part) {
    outcome.text += part_passed(*part);
  } else {
    keep(outcome, part.error());
  }
  outcome.document["parts"].push_back({{"name", name}, {"ok", part.has_value()}});
}

Outcome check(app::Session& session, const BoardOptions& options) {
  const auto names = options.boards.empty()
                         ? all_names(session)
                         : core::Result<std::vector<std::string>>{options.boards};
  if (!names) {
    return failed(names.error(), kBoardSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kBoardSchema;
  outcome.document["boards"] = Json::array();
  for (const std::string& name : *names) {
    const auto kind = board::kind_of_board(session.files, session.data.boards, name);
    if (!kind) {
      keep(outcome, kind.error());
      outcome.document["boards"].push_back({{"name", name}, {"ok", false}});
    } else if (*kind == board::BoardKind::kPart) {
      check_part(session, name, outcome);
    } else {
      check_board(session, name, outcome);
    }
  }
  outcome.status = core::exit_status(outcome.diagnostics);
  return outcome;
}

}  // namespace

Run add_board(const Command& app) {
  auto options = std::make_shared<BoardOptions>();
  const Command verb = app.verb("board", "The boards and parts that memsize knows");
  verb.needs_verb();
  verb.footer(
      "Examples:\n"
      "  memsize board list\n"
      "  memsize board show j722s\n"
      "  memsize board show apollo510        # a part: its memories, and what lies in each\n"
      "  memsize board check my-board.toml\n"
      "  memsize board import --sdk ~/ti/vision_apps --soc j722s -o my-board.toml");
  const Command list_verb = verb.verb("list", "All bundled boards and parts");
  const Command show_verb =
      verb.verb("show", "Regions, carve-outs and knobs of a board, memories of a part");
  const Command check_verb =
      verb.verb("check", "Run every check on boards and parts (default: all)");
  show_verb.option("BOARD", options->boards, "A bundled board or part, or a path to a .toml file")
      .required();
  check_verb.option("BOARD", options->boards, "Bundled boards and parts, or paths to .toml files");
  for (const Command& sub : {list_verb, show_verb, check_verb}) {
    add_json_flag(sub, options->json);
  }
  const Command import_verb = add_board_import(verb, options->import);
  return [options, list_verb, show_verb, import_verb](app::Session& session) {
    return list_verb.is_given()     ? list(session, *options)
           : show_verb.is_given()   ? show(session, *options)
           : import_verb.is_given() ? import_board(session, options->import)
                                    : check(session, *options);
  };
}

}  // namespace memsize::cli
