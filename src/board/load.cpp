#include "memsize/board/load.hpp"

#include "memsize/board/accepted.hpp"
#include "memsize/board/trace_format.hpp"
#include "memsize/core/text.hpp"

#include "board_reader.hpp"
#include "reader_context.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

constexpr std::string_view kExtension = ".toml";

const TomlValue* string_at(const TomlValue& table, std::string_view key) {
  const TomlField* field = table.find(key);
  return field != nullptr && field->get().kind == Kind::kString && !field->get().string.empty()
             ? &field->get()
             : nullptr;
}

// The trace format and the generation that a board names must exist. A folder without any format
// is no mistake of the board.
core::Diagnostics check_format(core::FileSystem& files,
                               const std::string& folder,
                               const TomlValue& board) {
  const TomlValue* format = string_at(board, "format");
  const auto known = bundled_boards(files, folder + "/formats");
  if (format == nullptr || !core::is_identifier(format->string) || !known || known->empty()) {
    return {};
  }
  if (std::find(known->begin(), known->end(), format->string) == known->end()) {
    std::string hint = core::did_you_mean(format->string, *known);
    return {core::error(
        Code::kBoardReference,
        fmt::format("there is no trace format '{}'", core::printable(format->string)),
        format->place,
        hint.empty() ? fmt::format("the formats are: {}", core::join(*known, ", ")) : hint)};
  }
  const TomlValue* generation = string_at(board, "generation");
  const auto loaded = load_trace_format(files, folder, format->string);
  if (!loaded) {
    return loaded.error();
  }
  if (generation == nullptr || loaded->find_generation(generation->string) != nullptr) {
    return {};
  }
  std::vector<std::string> names;
  for (const Generation& one : loaded->generations) {
    names.push_back(one.name);
  }
  return {core::error(Code::kBoardReference,
                      fmt::format("trace format '{}' has no generation '{}'",
                                  format->string,
                                  core::printable(generation->string)),
                      generation->place,
                      fmt::format("its generations are: {}", core::join(names, ", ")))};
}

tl::unexpected<core::Diagnostics> unknown_board(std::string what, std::string hint) {
  core::Diagnostic unknown = core::error(Code::kBoardUnknown, std::move(what), {}, std::move(hint));
  unknown.option = "--board";
  return core::fail(std::move(unknown));
}

// The path of the bundled board `name`.
core::Result<std::string> bundled_path(core::FileSystem& files,
                                       const std::string& folder,
                                       const std::string& name) {
  const auto known = bundled_boards(files, folder);
  if (!known) {
    return tl::make_unexpected(known.error());
  }
  if (std::find(known->begin(), known->end(), name) == known->end()) {
    std::string hint = core::did_you_mean(name, *known);
    return unknown_board(fmt::format("there is no board '{}'", core::printable(name)),
                         hint.empty()
                             ? fmt::format("the boards are: {}; a path to a .toml file works too",
                                           core::join(*known, ", "))
                             : hint);
  }
  return fmt::format("{}/{}{}", folder, name, kExtension);
}

}  // namespace

core::Result<std::vector<std::string>> bundled_boards(core::FileSystem& files,
                                                      const std::string& folder) {
  auto names = files.list(folder);
  if (!names) {
    return names;
  }
  std::vector<std::string> boards;
  for (const std::string& name : *names) {
    if (name.ends_with(kExtension)) {
      boards.push_back(name.substr(0, name.size() - kExtension.size()));
    }
  }
  std::sort(boards.begin(), boards.end());
  return boards;
}

namespace {

struct FoundBoard {
  std::string path;
  std::string short_name;
};

core::Result<FoundBoard> find_board(core::FileSystem& files,
                                    const std::string& folder,
                                    const std::string& name) {
  FoundBoard found{name, name};
  std::string& short_name = found.short_name;
  if (name.find('/') != std::string::npos || name.ends_with(kExtension)) {
    short_name = short_name.substr(short_name.rfind('/') + 1);
    if (short_name.ends_with(kExtension)) {
      short_name.resize(short_name.size() - kExtension.size());
    }
  } else {
    auto bundled = bundled_path(files, folder, name);
    if (!bundled) {
      return tl::make_unexpected(bundled.error());
    }
    found.path = std::move(*bundled);
  }
  if (!is_file_name(short_name)) {
    return unknown_board(fmt::format("'{}' is not a board's name", core::printable(name)),
                         name.ends_with(kExtension)
                             ? "rename the file: letters, digits, '_', '-' and '.' only"
                             : "");
  }
  return found;
}

}  // namespace

core::Result<Board> load_board(core::FileSystem& files,
                               const std::string& folder,
                               const std::string& name) {
  const auto found = find_board(files, folder, name);
  if (!found) {
    return tl::make_unexpected(found.error());
  }
  std::vector<std::string> read;
  const auto file = load_inherited(files, found->path, folder, &read);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  auto board = read_board(found->short_name, *file);
  core::Diagnostics errors = check_format(files, folder, *file);
  if (!board) {
    errors.insert(errors.end(), board.error().begin(), board.error().end());
  }
  if (!errors.empty()) {
    core::sort_by_place(errors);
    return tl::make_unexpected(std::move(errors));
  }
  board->asked_as = name;
  board->files = std::move(read);
  return board;
}

core::Result<Accepted> load_accepted(core::FileSystem& files,
                                     const std::string& folder,
                                     const std::string& name) {
  const auto found = find_board(files, folder, name);
  const auto file = found ? load_inherited(files, found->path, folder)
                          : core::Result<core::TomlValue>{tl::make_unexpected(found.error())};
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  core::Diagnostics errors;
  TableReader top{*file, "the board", errors};
  Accepted accepted = read_accepted(top, errors);
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return accepted;
}

std::map<std::string, Board> newest_boards(core::FileSystem& files,
                                           const std::string& folder,
                                           const std::string& soc) {
  std::map<std::string, Board> newest;
  const auto names = bundled_boards(files, folder);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    // A board's name begins with its part's.
    if (!(*names)[i].starts_with(soc)) {
      continue;
    }
    auto board = load_board(files, folder, (*names)[i]);
    if (!board || board->soc != soc) {
      continue;
    }
    const auto known = newest.find(board->os);
    if (known == newest.end() || known->second.sdk < board->sdk) {
      newest.insert_or_assign(board->os, std::move(*board));
    }
  }
  return newest;
}

}  // namespace memsize::board
