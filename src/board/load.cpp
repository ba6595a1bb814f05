// From a name, a part's number or a path to a board's file, and from it to a Board. Only here is it
// known whether the trace format, the generation and the RTOS family that a board names exist.
#include "memsize/board/load.hpp"

#include "memsize/board/memories.hpp"
#include "memsize/board/trace_format.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include "board_reader.hpp"
#include "mpool.hpp"
#include "reader_context.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Kind;
using docs::Value;

constexpr std::string_view kExtension = ".toml";

Value string_at(Value table, std::string_view key) {
  const Value field = table[key];
  return field.text().empty() ? Value{} : field;
}

// What a board names of its trace format must be known there.
core::Diagnostics check_known(Value format,
                              const char* what,
                              Value named,
                              const std::vector<std::string>& known) {
  if (!named || std::ranges::find(known, named.string()) != known.end()) {
    return {};
  }
  return {core::error(Code::kBoardReference,
                      fmt::format("trace format '{}' has no {} '{}'",
                                  format.string(),
                                  what,
                                  core::printable(named.string())),
                      named.place(),
                      fmt::format("it has: {}", core::join(known, ", ")))};
}

// The trace format that a board names, its generation and its RTOS family must exist. A folder
// without any format is no mistake of the board.
core::Diagnostics check_format(core::FileSystem& files, const std::string& folder, Value board) {
  const Value format = string_at(board, "format");
  const auto known = bundled_boards(files, folder + "/formats");
  if (!format || !core::is_identifier(format.string()) || !known || known->empty()) {
    return {};
  }
  if (std::find(known->begin(), known->end(), format.string()) == known->end()) {
    return {
        core::error(Code::kBoardReference,
                    fmt::format("there is no trace format '{}'", core::printable(format.string())),
                    format.place(),
                    core::did_you_mean(format.string(), *known, "the formats are"))};
  }
  const auto loaded = load_trace_format(files, folder, format.string());
  if (!loaded) {
    return loaded.error();
  }
  const std::vector<std::string> generations =
      core::texts_of(loaded->generations, &Generation::name);
  core::Diagnostics found;
  const auto check = [&](const char* what, Value named, const std::vector<std::string>& names) {
    const core::Diagnostics unknown = check_known(format, what, named, names);
    found.insert(found.end(), unknown.begin(), unknown.end());
  };
  check("generation", string_at(board, "generation"), generations);
  check("RTOS family", string_at(board, "rtos_family"), loaded->families());
  for (const Value one : board["generations"]) {
    check("generation", one.is(Kind::kText) ? one : Value{}, generations);
  }
  return found;
}

// Null for sysconfig.
core::Result<std::shared_ptr<const MpuProgram>> program_of(core::FileSystem& files,
                                                           const std::string& folder,
                                                           Value board,
                                                           std::vector<std::string>& read) {
  const Value named = string_at(board["mpu"], "program");
  if (!named || named.string() == kMpuBySysconfig) {
    return nullptr;
  }
  auto known = bundled_boards(files, folder + "/programs").value_or(std::vector<std::string>{});
  if (core::contains(known, named.string())) {
    return load_mpu_program(files, folder, named.string(), &read);
  }
  known.insert(known.begin(), std::string{kMpuBySysconfig});
  return core::fail(
      core::error(Code::kBoardValue,
                  fmt::format("program '{}' of [mpu] is unknown", core::printable(named.string())),
                  named.place(),
                  fmt::format("the MPU is programmed by: {}", core::join(known, ", "))));
}

tl::unexpected<core::Diagnostics> unknown_board(std::string what, std::string hint) {
  return core::fail(
      core::error(Code::kBoardUnknown, std::move(what), {}, std::move(hint)).of_option("--board"));
}

// What a bundled board's own file says that its chip is sold as, without those that it inherits: a
// variant is asked for by its name.
std::vector<std::string> own_part_numbers(core::FileSystem& files, const std::string& path) {
  const auto text = files.read(path, core::kWrittenFile);
  const auto file = text ? docs::parse_toml(*text, path) : tl::make_unexpected(text.error());
  std::vector<std::string> numbers;
  for (const Value number : file ? file->root()["part_numbers"] : Value{}) {
    numbers.push_back(number.string());
  }
  return numbers;
}

std::string parts_in(const std::string& folder) {
  return folder + "/memories";
}

std::vector<std::string> part_names(core::FileSystem& files, const std::string& folder) {
  return bundled_memories(files, parts_in(folder)).value_or(std::vector<std::string>{});
}

// A board's table has its chip, a part's has memories.
bool has_memories(Value file) {
  return file["memory"] && !file["soc"];
}

tl::unexpected<core::Diagnostics> is_a_part(const std::string& name) {
  const std::string word = core::shell_path(name);
  return unknown_board(
      fmt::format("'{}' is a part, whose memories tensors are planned into: it has no map",
                  core::printable(name)),
      fmt::format(
          "'memsize plan MODEL --board {}' plans into it, 'memsize check PLAN --board {}' judges a "
          "plan, and 'memsize emit --plan PLAN --board {}' writes its module; memsize board show "
          "{} "
          "prints it",
          word,
          word,
          word,
          word));
}

// The name of the bundled board that is called `name`, by its own name or a part's number. Where
// there is none, names of parts are proposed too if they would do.
core::Result<std::string> bundled_name(core::FileSystem& files,
                                       const std::string& folder,
                                       const std::string& name,
                                       const std::vector<std::string>& parts = {}) {
  const auto known = bundled_boards(files, folder);
  MEMSIZE_TRY(known);
  if (std::find(known->begin(), known->end(), name) != known->end()) {
    return name;
  }
  std::vector<std::string> names = *known;
  for (const std::string& board : *known) {
    for (std::string& number :
         own_part_numbers(files, fmt::format("{}/{}{}", folder, board, kExtension))) {
      if (core::to_lower(number) == core::to_lower(name)) {
        return board;
      }
      names.push_back(std::move(number));
    }
  }
  names.insert(names.end(), parts.begin(), parts.end());
  std::string hint = core::did_you_mean(name, names);
  return unknown_board(
      fmt::format(
          "there is no board{} '{}'", parts.empty() ? "" : " or part", core::printable(name)),
      hint.empty() ? fmt::format("the boards are: {}{}{}; a path to a .toml file works too",
                                 core::join(*known, ", "),
                                 parts.empty() ? "" : "; the parts are: ",
                                 core::join(parts, ", "))
                   : hint);
}

struct FoundBoard {
  std::string path;
  std::string short_name;
};

core::Result<FoundBoard> find_board(core::FileSystem& files,
                                    const std::string& folder,
                                    const std::string& name) {
  FoundBoard found{name, name};
  std::string& short_name = found.short_name;
  if (is_path(name)) {
    short_name = short_name.substr(short_name.rfind('/') + 1);
    if (short_name.ends_with(kExtension)) {
      short_name.resize(short_name.size() - kExtension.size());
    }
  } else {
    auto bundled = bundled_name(files, folder, name);
    if (!bundled && core::contains(part_names(files, folder), name)) {
      return is_a_part(name);
    }
    MEMSIZE_TRY(bundled);
    short_name = std::move(*bundled);
    found.path = fmt::format("{}/{}{}", folder, short_name, kExtension);
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

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kExtension);
}

core::Result<std::vector<std::string>> bundled_boards(core::FileSystem& files,
                                                      const std::string& folder) {
  auto names = files.list(folder);
  MEMSIZE_TRY(names);
  std::vector<std::string> boards;
  for (const std::string& name : *names) {
    if (name.ends_with(kExtension)) {
      boards.push_back(name.substr(0, name.size() - kExtension.size()));
    }
  }
  std::ranges::sort(boards);
  return boards;
}

core::Result<BoardKind> kind_of_board(core::FileSystem& files,
                                      const std::string& folder,
                                      const std::string& name) {
  if (name.ends_with(kMpoolExtension)) {
    return BoardKind::kPart;
  }
  if (is_path(name)) {
    // What is wrong with the file is told by whoever reads it, as a board's if nobody knows.
    const auto file = load_inherited(files, name, parts_in(folder));
    return file && has_memories(file->root()) ? BoardKind::kPart : BoardKind::kBoard;
  }
  const std::vector<std::string> parts = part_names(files, folder);
  if (core::contains(parts, name)) {
    return BoardKind::kPart;
  }
  MEMSIZE_TRY(bundled_name(files, folder, name, parts));
  return BoardKind::kBoard;
}

core::Result<Board> load_board(core::FileSystem& files,
                               const std::string& folder,
                               const std::string& name) {
  if (name.ends_with(kMpoolExtension)) {
    return is_a_part(name);
  }
  const auto found = find_board(files, folder, name);
  MEMSIZE_TRY(found);
  std::vector<std::string> read;
  auto file = load_inherited(files, found->path, folder, &read);
  if (!file && !files.exists(found->path)) {
    const auto bundled = bundled_boards(files, folder);
    if (bundled && core::contains(*bundled, found->short_name)) {
      file.error().front().hint = fmt::format(
          "the bundled board is called '{}': a name with .toml is a file's", found->short_name);
    }
  }
  if (file ? has_memories(file->root())
           : is_path(name) && kind_of_board(files, folder, name) == BoardKind::kPart) {
    return is_a_part(name);
  }
  MEMSIZE_TRY(file);
  const auto program = program_of(files, folder, file->root(), read);
  auto board = read_board(found->short_name, file->root(), program.value_or(nullptr));
  core::Diagnostics errors = check_format(files, folder, file->root());
  if (!program) {
    errors.insert(errors.end(), program.error().begin(), program.error().end());
  }
  if (!board) {
    errors.insert(errors.end(), board.error().begin(), board.error().end());
  }
  if (!errors.empty()) {
    core::sort_by_place(errors);
    return tl::make_unexpected(std::move(errors));
  }
  board->asked_as = found->path == name ? name : found->short_name;
  board->files = std::move(read);
  return board;
}

struct Shelf::Books {
  // How a file was when it was read.
  struct State {
    std::int64_t mtime_ns = 0;
    std::uint64_t size = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  template <typename T>
  struct Read {
    T value;
    std::vector<std::string> paths;
    std::vector<State> states;
  };

  // By the folder of the boards, and a name.
  template <typename T>
  using ByName = std::map<std::pair<std::string, std::string>, Read<T>>;

  static std::vector<State> states_of(core::FileSystem& files,
                                      const std::vector<std::string>& paths) {
    std::vector<State> states;
    for (const std::string& path : paths) {
      const auto size = files.size(path);
      states.push_back({files.entry(path).mtime_ns, size ? *size : UINT64_MAX});
    }
    return states;
  }

  // `load` says which files it read.
  template <typename T, typename Load>
  core::Result<T> take(ByName<T>& shelf,
                       core::FileSystem& files,
                       const std::pair<std::string, std::string>& key,
                       const Load& load) {
    const std::lock_guard lock{mutex};
    const auto known = shelf.find(key);
    if (known != shelf.end() && known->second.states == states_of(files, known->second.paths)) {
      return known->second.value;
    }
    std::vector<std::string> paths;
    core::Result<T> value = load(paths);
    if (value && !is_path(key.second)) {
      auto states = states_of(files, paths);
      shelf.insert_or_assign(key, Read<T>{*value, std::move(paths), std::move(states)});
    }
    return value;
  }

  std::mutex mutex;
  ByName<Board> boards;
  ByName<TraceFormat> formats;
};

Shelf::Shelf() : books_(std::make_unique<Books>()) {}

Shelf::~Shelf() = default;

core::Result<Board> Shelf::load(core::FileSystem& files,
                                const std::string& folder,
                                const std::string& name) {
  return books_->take(books_->boards, files, {folder, name}, [&](std::vector<std::string>& paths) {
    auto board = load_board(files, folder, name);
    if (board) {
      paths = board->files;
    }
    return board;
  });
}

core::Result<TraceFormat> Shelf::format(core::FileSystem& files,
                                        const std::string& folder,
                                        const std::string& name) {
  return books_->take(books_->formats, files, {folder, name}, [&](std::vector<std::string>& paths) {
    return load_trace_format(files, folder, name, &paths);
  });
}

std::vector<Board> Shelf::of_part(core::FileSystem& files,
                                  const std::string& folder,
                                  const std::string& soc) {
  std::vector<Board> boards;
  const auto names = bundled_boards(files, folder);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    // A board's name begins with its part's.
    if (!(*names)[i].starts_with(soc)) {
      continue;
    }
    auto board = load(files, folder, (*names)[i]);
    if (board && board->soc == soc) {
      boards.push_back(std::move(*board));
    }
  }
  return boards;
}

std::map<std::string, Board> Shelf::newest(core::FileSystem& files,
                                           const std::string& folder,
                                           const std::string& soc) {
  std::map<std::string, Board> newest;
  for (Board& board : of_part(files, folder, soc)) {
    const auto known = newest.find(board.os);
    if (known == newest.end() || known->second.sdk < board.sdk) {
      newest.insert_or_assign(board.os, std::move(board));
    }
  }
  return newest;
}

}  // namespace memsize::board
