// memsize board: lists boards, shows the map of one in tables, and checks it. Every window is shown
// with placed, kept and free bytes, which add up.
#include "memsize/app/board.hpp"
#include "memsize/board/accepted.hpp"
#include "memsize/board/load.hpp"
#include "memsize/core/text.hpp"
#include "memsize/layout/check.hpp"
#include "memsize/layout/fit.hpp"

#include "board_import.hpp"
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

Outcome list(app::Session& session, const BoardOptions& options) {
  const auto names = board::bundled_boards(session.files, session.data.boards);
  if (!names) {
    return failed(names.error(), kBoardSchema, options.json);
  }
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kBoardSchema;
  outcome.document["boards"] = Json::array();
  Table table{.columns = {{"board"}, {"SDK"}, {"title"}}};
  for (const std::string& name : *names) {
    const auto board = board::load_board(session.files, session.data.boards, name);
    if (!board) {
      outcome.diagnostics.insert(
          outcome.diagnostics.end(), board.error().begin(), board.error().end());
      continue;
    }
    table.rows.push_back({name, board->sdk, board->title});
    outcome.document["boards"].push_back(
        {{"name", name}, {"sdk", board->sdk}, {"title", board->title}});
  }
  outcome.text = table.text(0);
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

Outcome show(app::Session& session, const BoardOptions& options) {
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kBoardSchema;
  outcome.document["boards"] = Json::array();
  for (const std::string& name : options.boards) {
    const auto board = board::load_board(session.files, session.data.boards, name);
    if (!board) {
      return failed(board.error(), kBoardSchema, options.json);
    }
    const auto map = layout::resolve(*board, {});
    if (!map) {
      return failed(map.error(), kBoardSchema, options.json);
    }
    outcome.text += fmt::format("{}: {}\n", board->name, board->title);
    if (!board->provisional.empty()) {
      outcome.text += fmt::format("  provisional: {}\n", board->provisional);
    }
    for (const std::string& source : board->sources) {
      outcome.text += fmt::format("  from {}\n", source);
    }
    for (const board::Bank& bank : board->banks) {
      outcome.text += fmt::format("  DRAM {} {}, {}\n",
                                  bank.name,
                                  core::format_range(bank.range),
                                  core::format_size(bank.range.size()));
    }
    const auto accepted = board::load_accepted(session.files, session.data.boards, name);
    for (std::size_t i = 0; accepted && i < accepted->size(); ++i) {
      const board::AcceptedDefect& defect = (*accepted)[i];
      outcome.text +=
          fmt::format("  accepts {}, because {}: {}\n", defect.code, defect.why, defect.message);
    }
    outcome.text += "\n" + region_table(*map).text(0);
    outcome.text += "\n" + carveout_table(*map).text(0);
    outcome.text += fmt::format("{} are kept from Linux\n\n", core::format_size(map->reserved()));
    outcome.text += window_table(*map).text(0);
    if (!map->mmu.empty()) {
      outcome.text += "\n" + mmu_table(*map).text(0);
    }
    for (const Table& table : {mpu_table(*map), rat_table(*map)}) {
      if (!table.rows.empty()) {
        outcome.text += "\n" + table.text(0);
      }
    }
    outcome.text += "\n" + knob_table(*map).text(0);
    Json knobs = Json::object();
    for (const board::Knob& knob : board->knobs) {
      const std::uint64_t value = map->values.at(knob.name);
      knobs[knob.name] = knob.is_address ? Json(fmt::format("0x{:x}", value)) : Json(value);
    }
    outcome.document["boards"].push_back({{"name", board->name},
                                          {"title", board->title},
                                          {"sdk", board->sdk},
                                          {"regions", map->regions.size()},
                                          {"reserved_bytes", map->reserved().count()},
                                          {"knobs", knobs}});
  }
  return outcome;
}

Outcome check(app::Session& session, const BoardOptions& options) {
  std::vector<std::string> names = options.boards;
  if (names.empty()) {
    const auto known = board::bundled_boards(session.files, session.data.boards);
    if (!known) {
      return failed(known.error(), kBoardSchema, options.json);
    }
    names = *known;
  }
  Outcome outcome{.json = options.json};
  outcome.document["schema"] = kBoardSchema;
  outcome.document["boards"] = Json::array();
  for (const std::string& name : names) {
    const auto board = board::load_board(session.files, session.data.boards, name);
    core::Result<layout::MemoryMap> map =
        board ? app::checked_map(session.files, session.data.boards, *board, {})
              : core::Result<layout::MemoryMap>{tl::make_unexpected(board.error())};
    const bool good = map.has_value();
    const core::Diagnostics& said = good ? map->remarks : map.error();
    outcome.diagnostics.insert(outcome.diagnostics.end(), said.begin(), said.end());
    if (good) {
      outcome.text +=
          fmt::format("{}: {} passed\n", name, core::plural(layout::all_checks().size(), "check")) +
          describe_notes(map->remarks);
    }
    outcome.document["boards"].push_back({{"name", name}, {"ok", good}});
  }
  outcome.status = core::exit_status(outcome.diagnostics);
  return outcome;
}

}  // namespace

Run add_board(const Command& app) {
  auto options = std::make_shared<BoardOptions>();
  const Command verb = app.verb("board", "The boards that memsize knows");
  verb.needs_verb();
  verb.footer(
      "Examples:\n"
      "  memsize board list\n"
      "  memsize board show j722s\n"
      "  memsize board check my-board.toml\n"
      "  memsize board import --sdk ~/ti/vision_apps --soc j722s -o my-board.toml");
  const Command list_verb = verb.verb("list", "All bundled boards");
  const Command show_verb = verb.verb("show", "Regions, carve-outs and knobs of a board");
  const Command check_verb = verb.verb("check", "Run every check on boards (default: all)");
  show_verb.option("BOARD", options->boards, "A bundled board, or a path to a .toml file")
      .required();
  check_verb.option("BOARD", options->boards, "Bundled boards, or paths to .toml files");
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
