// Compares the folder with what is to be written. A file that is not as memsize wrote it last, or
// is of another board's map, is not lost without --force.
//
// .memsize/written.json in there has the hash of every file as memsize wrote it. Without it, as in
// a fresh clone, a file that names memsize is memsize's.
#include "out_folder.hpp"

#include "memsize/app/map.hpp"
#include "memsize/app/module.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/read_map.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
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
constexpr const char* kLock = ".memsize/lock";

// What the folder belongs to, if that is something else.
using OtherContent = std::function<std::optional<core::Diagnostic>()>;

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
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].same) {
      changed.push_back({files[i].path, artifacts[i].content});
    }
  }
  if (changed.empty()) {
    return changed;
  }
  Hashes hashes = read_hashes(session, out);
  for (const emit::Artifact& artifact : artifacts) {
    hashes[artifact.path] = core::sha256(artifact.content);
  }
  Json json = {{"schema", kWrittenSchema}, {"files", Json::object()}};
  for (const auto& [path, hash] : hashes) {
    json["files"][path] = hash;
  }
  changed.push_back({fmt::format("{}/{}", out, kWritten), json.pretty() + "\n"});
  return changed;
}

core::Diagnostic taken(const std::string& out, const std::string& whose, const std::string& what) {
  return refusal(out,
                 fmt::format("this folder has {}", whose),
                 fmt::format("name another folder with --out; --force writes into this one, and "
                             "leaves what only the other {} has",
                             what));
}

// Nothing: no map of another board is in the folder. The one that is about to be written is not
// read to tell.
std::optional<core::Diagnostic> other_map(Session& session,
                                          const std::string& out,
                                          const Emission& emission) {
  const std::string& board = emission.map.board.name;
  const auto text = text_of(session, fmt::format("{}/{}", out, kMap));
  const auto own = std::ranges::find(emission.artifacts, kMap, &emit::Artifact::path);
  if (!text || (own != emission.artifacts.end() && own->content == *text)) {
    return std::nullopt;
  }
  core::Diagnostics unread;
  const auto found = emit::read_map_document({kMap, *text}, out, unread);
  return found && found->board != board
             ? std::optional{taken(out,
                                   fmt::format("the map of board '{}', not of '{}'",
                                               core::printable(found->board, 60),
                                               board),
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

// Whoever writes into the folder does so alone: of two at once, each would replace a part of the
// other's. Builds run several, so the second waits. Null where nothing can be locked, as on some
// network disks: what may be written there is written all the same.
core::Result<std::unique_ptr<core::FileLock>> enter(Session& session, const std::string& out) {
  constexpr std::chrono::milliseconds kStep{20};
  constexpr int kSteps = 1500;
  const std::string path = fmt::format("{}/{}", out, kLock);
  std::string holder;
  for (int i = 0; i < kSteps; ++i) {
    auto attempt = session.files.lock(path, "emit --out");
    if (!attempt) {
      return nullptr;
    }
    if (attempt->lock) {
      return std::move(attempt->lock);
    }
    holder = std::move(attempt->holder);
    std::this_thread::sleep_for(kStep);
  }
  return core::fail(
      core::error(Code::kSdkLock,
                  fmt::format("another memsize is writing into this folder: {}", holder),
                  {path},
                  "wait until it is done, or end that process, and repeat the command"));
}

core::Result<std::vector<OnDisk>> write_files(Session& session,
                                              const std::string& out,
                                              const Artifacts& artifacts,
                                              const OtherContent& other,
                                              bool force) {
  const auto would_refuse = [&](const std::vector<OnDisk>& files) {
    if (force) {
      return core::Diagnostics{};
    }
    auto taken_by = other();
    return taken_by ? core::Diagnostics{std::move(*taken_by)}
                    : would_lose(read_hashes(session, out), artifacts, files);
  };
  const std::vector<OnDisk> files = compare(session, out, artifacts);
  core::Diagnostics refused = would_refuse(files);
  if (refused.empty() && files_to_write(session, out, artifacts, files).empty()) {
    return files;
  }
  // Before the first time there is no folder to lock: who began meanwhile, too, waits below.
  const std::string ignore = fmt::format("{}/{}", out, kIgnore);
  const bool is_first = !session.files.exists(ignore);
  if (is_first) {
    if (!refused.empty()) {
      return tl::make_unexpected(std::move(refused));
    }
    std::vector<core::NewFile> changed = files_to_write(session, out, artifacts, files);
    changed.push_back({ignore, "*\n"});
    MEMSIZE_TRY(session.files.replace(changed));
  }
  const auto alone = enter(session, out);
  MEMSIZE_TRY(alone);
  std::vector<OnDisk> now = compare(session, out, artifacts);
  if (!is_first) {
    if (refused = would_refuse(now); !refused.empty()) {
      return tl::make_unexpected(std::move(refused));
    }
  }
  MEMSIZE_TRY(session.files.replace(files_to_write(session, out, artifacts, now)));
  return is_first ? files : now;
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

std::optional<std::set<std::string>> paths_written(Session& session, const std::string& folder) {
  const Hashes hashes = read_hashes(session, folder);
  if (hashes.empty()) {
    return std::nullopt;
  }
  std::set<std::string> paths;
  for (const auto& [path, hash] : hashes) {
    paths.insert(path);
  }
  return paths;
}

std::string written_module(Session& session, const std::string& folder) {
  if (session.files.exists(fmt::format("{}/{}", folder, kMap))) {
    return {};
  }
  const auto names = session.files.list(folder).value_or(std::vector<std::string>{});
  const auto* const report = core::find_where(
      names, [](const std::string& name) { return name.ends_with("_residency.json"); });
  return report == nullptr ? std::string{} : fmt::format("{}/{}", folder, *report);
}

std::vector<std::string> left_over(Session& session,
                                   const std::string& out,
                                   const ModuleRequest& request,
                                   const ModuleEmission& emission) {
  std::vector<std::string> left;
  if (!emission.schedule || !request.only.empty()) {
    return left;
  }
  for (const auto& [path, hash] : read_hashes(session, out)) {
    if (!core::contains(emission.artifacts, path, &emit::Artifact::path) &&
        session.files.is_regular_file(fmt::format("{}/{}", out, path))) {
      left.push_back(path);
    }
  }
  return left;
}

core::Result<std::vector<OnDisk>> write_map(Session& session,
                                            const std::string& out,
                                            const Emission& emission,
                                            bool force) {
  const auto other = [&] { return other_map(session, out, emission); };
  return write_files(session, out, emission.artifacts, other, force);
}

core::Result<std::vector<OnDisk>> write_module(Session& session,
                                               const std::string& out,
                                               const ModuleEmission& emission,
                                               bool force) {
  const auto other = [&] {
    return other_module(read_hashes(session, out), out, emission.module.prefix);
  };
  return write_files(session, out, emission.artifacts, other, force);
}

}  // namespace memsize::app
