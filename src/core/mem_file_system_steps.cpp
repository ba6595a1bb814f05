// The single steps of a disk in memory.
#include "memsize/core/file_system.hpp"
#include "memsize/core/text.hpp"

#include "posix.hpp"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace memsize::core {

namespace {

constexpr unsigned kUsualMode = 0644;
constexpr unsigned kWritable = 0222;

tl::unexpected<Diagnostics> memory_refused(std::string_view verb,
                                           const std::string& path,
                                           const std::string& why) {
  return fail(error(
      Code::kFileWrite, fmt::format("cannot {} '{}': {}", verb, printable(path), why), {path}));
}

std::string normal(const std::string& path) {
  std::string text = std::filesystem::path{path}.lexically_normal().generic_string();
  if (text.size() > 1 && text.ends_with('/')) {
    text.pop_back();
  }
  return text;
}

class MemLock : public FileLock {
 public:
  MemLock(MemFileSystem& files, std::string path) : files_(files), path_(std::move(path)) {}

  MemLock(const MemLock&) = delete;
  MemLock& operator=(const MemLock&) = delete;

  ~MemLock() override {
    files_.locks.erase(path_);
    files_.content.erase(path_);
  }

 private:
  MemFileSystem& files_;
  std::string path_;
};

}  // namespace

Entry MemFileSystem::entry(const std::string& path) {
  Entry entry;
  if (links.contains(path)) {
    entry.kind = Entry::Kind::kLink;
  } else if (content.contains(path)) {
    entry.kind = Entry::Kind::kFile;
    entry.mode = modes.contains(path) ? modes.at(path) : kUsualMode;
    entry.mtime_ns = mtimes.contains(path) ? mtimes.at(path) : 0;
  } else if (is_directory(path) || folders.contains(path)) {
    entry.kind = Entry::Kind::kFolder;
  }
  for (const auto& [folder, device] : devices) {
    if (path == folder || path.starts_with(folder + "/")) {
      entry.device = device;
    }
  }
  return entry;
}

Attributes MemFileSystem::attributes(const std::string& path) {
  const auto found = attributes_of.find(path);
  return found == attributes_of.end() ? Attributes{} : found->second;
}

Result<std::vector<std::string>> MemFileSystem::list_entries(const std::string& folder) {
  if (entry(folder).kind != Entry::Kind::kFolder) {
    return memory_refused("list", folder, reason(ENOTDIR));
  }
  std::set<std::string> names;
  const std::string prefix = folder + "/";
  const auto add = [&](const std::string& path) {
    if (path.starts_with(prefix)) {
      names.insert(path.substr(prefix.size(), path.find('/', prefix.size()) - prefix.size()));
    }
  };
  for (const auto& [path, bytes] : content) {
    add(path);
  }
  for (const auto& [path, target] : links) {
    add(path);
  }
  for (const std::string& path : folders) {
    add(path);
  }
  return std::vector<std::string>{names.begin(), names.end()};
}

Result<std::string> MemFileSystem::real_path(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::string at = normal(path);
  for (int followed = 0; followed < kMostLinks; ++followed) {
    bool again = false;
    for (std::size_t end = at.find('/', 1); !again; end = at.find('/', end + 1)) {
      const std::string front = at.substr(0, end);
      if (const auto link = links.find(front); link != links.end()) {
        const std::string rest = end == std::string::npos ? "" : at.substr(end);
        const std::string base = link->second.starts_with('/')
                                     ? link->second
                                     : front.substr(0, front.rfind('/') + 1) + link->second;
        at = normal(base + rest);
        again = true;
      }
      if (end == std::string::npos) {
        break;
      }
    }
    if (!again) {
      return entry(at).kind == Entry::Kind::kNothing
                 ? memory_refused("resolve", path, reason(ENOENT))
                 : Result<std::string>{at};
    }
  }
  return memory_refused("resolve", path, reason(ELOOP));
}

bool MemFileSystem::may_write(const std::string& path) {
  return !refuse.contains(path) && (!modes.contains(path) || (modes.at(path) & kWritable) != 0);
}

unsigned MemFileSystem::new_file_mode() {
  return kUsualMode;
}

Result<void> MemFileSystem::create(const std::string& path,
                                   std::string_view bytes,
                                   const Metadata& metadata) {
  if (const auto refused = refuse.find(path); refused != refuse.end()) {
    return memory_refused("create", path, refused->second);
  }
  if (entry(path).kind != Entry::Kind::kNothing) {
    return memory_refused("create", path, reason(EEXIST));
  }
  if (entry(path.substr(0, path.rfind('/'))).kind != Entry::Kind::kFolder) {
    return memory_refused("create", path, reason(ENOENT));
  }
  content[path] = bytes;
  return set_metadata(path, metadata);
}

Result<void> MemFileSystem::set_metadata(const std::string& path, const Metadata& metadata) {
  ++steps;
  modes[path] = metadata.mode;
  if (metadata.attributes) {
    attributes_of[path] = *metadata.attributes;
  }
  // Every step is later than the one before.
  mtimes[path] = metadata.mtime_ns.value_or(static_cast<std::int64_t>(steps));
  return {};
}

Result<void> MemFileSystem::rename(const std::string& from, const std::string& to) {
  if (const auto refused = refuse.find(to); refused != refuse.end()) {
    return memory_refused("write", to, refused->second);
  }
  const auto found = content.find(from);
  if (found == content.end()) {
    return memory_refused("write", to, reason(ENOENT));
  }
  ++steps;
  const std::string parent = from.substr(0, from.rfind('/'));
  std::string bytes = std::move(found->second);
  content.erase(found);
  content[to] = std::move(bytes);
  modes[to] = modes.contains(from) ? modes.at(from) : kUsualMode;
  mtimes[to] = mtimes.contains(from) ? mtimes.at(from) : 0;
  attributes_of[to] = attributes(from);
  modes.erase(from);
  mtimes.erase(from);
  attributes_of.erase(from);
  folders.insert(parent);
  return {};
}

Result<void> MemFileSystem::remove(const std::string& path) {
  if (const auto refused = refuse.find(path); refused != refuse.end()) {
    return memory_refused("remove", path, refused->second);
  }
  if (content.erase(path) + links.erase(path) == 0) {
    return memory_refused("remove", path, reason(ENOENT));
  }
  ++steps;
  modes.erase(path);
  mtimes.erase(path);
  attributes_of.erase(path);
  folders.insert(path.substr(0, path.rfind('/')));
  return {};
}

Result<void> MemFileSystem::make_folder(const std::string& path) {
  if (const auto refused = refuse.find(path); refused != refuse.end()) {
    return memory_refused("make folder", path, refused->second);
  }
  if (entry(path).kind != Entry::Kind::kNothing) {
    return memory_refused("make folder", path, reason(EEXIST));
  }
  ++steps;
  folders.insert(path);
  return {};
}

Result<void> MemFileSystem::remove_folder(const std::string& path) {
  const auto names = list_entries(path);
  if (!names || !names->empty()) {
    return memory_refused("remove folder", path, reason(ENOTEMPTY));
  }
  ++steps;
  folders.erase(path);
  folders.insert(path.substr(0, path.rfind('/')));
  return {};
}

Result<void> MemFileSystem::sync_folder(const std::string& path) {
  return entry(path).kind == Entry::Kind::kFolder
             ? Result<void>{}
             : memory_refused("write folder", path, reason(ENOENT));
}

Result<LockAttempt> MemFileSystem::lock(const std::string& path, std::string_view purpose) {
  if (const auto held = locks.find(path); held != locks.end()) {
    return LockAttempt{nullptr, held->second};
  }
  locks[path] = purpose;
  content[path] = purpose;
  return LockAttempt{std::make_unique<MemLock>(*this, path), {}};
}

std::string MemFileSystem::lock_holder(const std::string& path) {
  const auto held = locks.find(path);
  return held == locks.end() ? std::string{} : held->second;
}

}  // namespace memsize::core
