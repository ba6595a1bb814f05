// Compares the folder with what is to be written. A file that is not as memsize wrote it last, or
// is of another board's map, is not lost without --force.
//
// .memsize/written.json in there has the hash of every file as memsize wrote it. Without it, as in
// a fresh clone, a file that names memsize is memsize's.
#include "memsize/app/map.hpp"
#include "memsize/app/module.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/read_map.hpp"

#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using core::Json;

constexpr const char* kWrittenSchema = "memsize.written/1";
constexpr const char* kMap = "memory_map.json";
constexpr const char* kWritten = ".memsize/written.json";
constexpr const char* kIgnore = ".memsize/.gitignore";

// By path below the folder, the hash of what memsize wrote there last.
using Hashes = std::map<std::string, std::string>;

core::Diagnostic refusal(const std::string& path, std::string what, std::string hint) {
  return core::error(Code::kEmitStale, std::move(what), {path}, std::move(hint));
}

std::optional<std::string> text_of(Session& session, const std::string& path) {
  if (!session.files.is_regular_file(path)) {
    return std::nullopt;
  }
  auto text = session.files.read(path);
  return text ? std::optional{std::move(*text)} : std::nullopt;
}

// The board of the map that stands in the folder; nothing where none does that can be read.
std::optional<std::string> board_in(Session& session, const std::string& out) {
  const auto text = text_of(session, fmt::format("{}/{}", out, kMap));
  core::Diagnostics unread;
  const auto map = text ? emit::read_map_document({kMap, *text}, out, unread) : std::nullopt;
  return map ? std::optional{map->board} : std::nullopt;
}

Hashes read_hashes(Session& session, const std::string& out) {
  Hashes hashes;
  const auto text = text_of(session, fmt::format("{}/{}", out, kWritten));
  const auto json = text ? core::read_json(*text) : std::nullopt;
  const Json* schema = json ? json->find("schema") : nullptr;
  const Json* files = json ? json->find("files") : nullptr;
  if (files != nullptr && schema != nullptr && schema->text() != nullptr &&
      *schema->text() == kWrittenSchema) {
    for (const auto& [path, hash] : files->members()) {
      hashes[path] = hash.text() != nullptr ? *hash.text() : std::string{};
    }
  }
  return hashes;
}

bool is_as_written(const Hashes& hashes, const std::string& path, const std::string& content) {
  const auto hash = hashes.find(path);
  return hash == hashes.end() ? content.find("memsize") != std::string::npos
                              : hash->second == core::sha256(content);
}

using Artifacts = std::vector<emit::Artifact>;

// Files that are about to be replaced, and are not as memsize wrote them.
core::Diagnostics would_lose(const Hashes& hashes,
                             const Artifacts& artifacts,
                             const std::vector<OnDisk>& files) {
  core::Diagnostics lost;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string& path = artifacts[i].path;
    // Bytes that are no text name nobody.
    const bool can_tell = hashes.contains(path) || !path.ends_with(".bin");
    if (files[i].exists && !files[i].same && can_tell &&
        !is_as_written(hashes, path, files[i].content)) {
      lost.push_back(refusal(files[i].path,
                             hashes.contains(path) ? "somebody changed this file after memsize did"
                                                   : "memsize did not write this file",
                             "see what would be lost with --diff; --force replaces it"));
    }
  }
  return lost;
}

// The artifacts that differ, and what remembers them; nothing where all are the same.
std::vector<core::NewFile> files_to_write(Session& session,
                                          const std::string& out,
                                          const Artifacts& artifacts,
                                          const std::vector<OnDisk>& files) {
  std::vector<core::NewFile> changed;
  Hashes hashes = read_hashes(session, out);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const emit::Artifact& artifact = artifacts[i];
    hashes[artifact.path] = core::sha256(artifact.content);
    if (!files[i].same) {
      changed.push_back({files[i].path, artifact.content});
    }
  }
  if (changed.empty()) {
    return changed;
  }
  Json json = {{"schema", kWrittenSchema}, {"files", Json::object()}};
  for (const auto& [path, hash] : hashes) {
    json["files"][path] = hash;
  }
  changed.push_back({fmt::format("{}/{}", out, kWritten), json.pretty() + "\n"});
  const std::string ignore = fmt::format("{}/{}", out, kIgnore);
  if (!session.files.exists(ignore)) {
    changed.push_back({ignore, "*\n"});
  }
  return changed;
}

core::Diagnostic taken(const std::string& out, const std::string& whose, const std::string& what) {
  return refusal(out,
                 fmt::format("this folder has {}", whose),
                 fmt::format("name another folder with --out; --force writes into this one, and "
                             "leaves what only the other {} has",
                             what));
}

// Nothing: no map of another board is in the folder.
std::optional<core::Diagnostic> other_map(Session& session,
                                          const std::string& out,
                                          const std::string& board) {
  const auto found = board_in(session, out);
  return found && *found != board
             ? std::optional{taken(
                   out,
                   fmt::format(
                       "the map of board '{}', not of '{}'", core::printable(*found, 60), board),
                   "map")}
             : std::nullopt;
}

// Its header tells a module: no two have all files apart.
std::optional<core::Diagnostic> other_module(const Hashes& hashes,
                                             const std::string& out,
                                             const std::string& prefix) {
  constexpr std::string_view kBegin = "inc/";
  constexpr std::string_view kEnd = "_model.h";
  for (const auto& [path, hash] : hashes) {
    if (path.starts_with(kBegin) && path.ends_with(kEnd) &&
        path != fmt::format("{}{}{}", kBegin, prefix, kEnd)) {
      const std::string name =
          path.substr(kBegin.size(), path.size() - kBegin.size() - kEnd.size());
      return taken(
          out, fmt::format("module '{}', not '{}'", core::printable(name, 60), prefix), "module");
    }
  }
  return std::nullopt;
}

core::Result<std::vector<OnDisk>> write_files(Session& session,
                                              const std::string& out,
                                              const Artifacts& artifacts,
                                              std::optional<core::Diagnostic> other,
                                              bool force) {
  std::vector<OnDisk> files = compare(session, out, artifacts);
  if (!force) {
    core::Diagnostics lost = other ? core::Diagnostics{std::move(*other)}
                                   : would_lose(read_hashes(session, out), artifacts, files);
    if (!lost.empty()) {
      return tl::make_unexpected(std::move(lost));
    }
  }
  MEMSIZE_TRY(session.files.replace(files_to_write(session, out, artifacts, files)));
  return files;
}

}  // namespace

std::vector<OnDisk> compare(Session& session, const std::string& out, const Artifacts& artifacts) {
  std::vector<OnDisk> files;
  for (const emit::Artifact& artifact : artifacts) {
    OnDisk file{.path = out + "/" + artifact.path};
    file.in_the_way = session.files.exists(file.path) && !session.files.is_regular_file(file.path);
    if (auto content = text_of(session, file.path); content) {
      file.exists = true;
      file.content = std::move(*content);
      file.same = file.content == artifact.content;
    }
    files.push_back(std::move(file));
  }
  return files;
}

core::Result<std::vector<OnDisk>> write_map(Session& session,
                                            const std::string& out,
                                            const Emission& emission,
                                            bool force) {
  return write_files(
      session, out, emission.artifacts, other_map(session, out, emission.map.board.name), force);
}

core::Result<std::vector<OnDisk>> write_module(Session& session,
                                               const std::string& out,
                                               const ModuleEmission& emission,
                                               bool force) {
  return write_files(session,
                     out,
                     emission.artifacts,
                     other_module(read_hashes(session, out), out, emission.module.prefix),
                     force);
}

}  // namespace memsize::app
