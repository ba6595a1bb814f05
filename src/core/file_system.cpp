// The real disk and the one in memory. replace() writes every file beside its target before it
// renames the first; what was written or made until a failure is removed again.
#include "memsize/core/file_system.hpp"

#include "memsize/core/text.hpp"

#include "posix.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace memsize::core {

namespace {

namespace fs = std::filesystem;

Place at(const std::string& path) {
  return {path};
}

tl::unexpected<Diagnostics> cannot_read(const std::string& path,
                                        const std::string& why,
                                        std::string hint = {}) {
  return fail(error(Code::kFileRead,
                    fmt::format("cannot read '{}': {}", printable(path), why),
                    at(path),
                    std::move(hint))
                  .about({{"file", path}}));
}

tl::unexpected<Diagnostics> cannot_write(const std::string& path, const std::string& why) {
  return fail(error(Code::kFileWrite,
                    fmt::format("cannot write '{}': {}", printable(path), why),
                    at(path),
                    "nothing was changed; choose another folder or make this one writable")
                  .about({{"file", path}}));
}

// The mode of the file that is replaced, so that an executable script stays one.
mode_t mode_of(const std::string& path) {
  struct stat status {};

  if (::stat(path.c_str(), &status) == 0) {
    return status.st_mode & 07777;
  }
  return static_cast<mode_t>(usual_mode());
}

// Notes in `made` what was not there before, outermost first.
bool make_folders(const fs::path& folder, std::vector<fs::path>& made, std::error_code& failure) {
  std::vector<fs::path> missing;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, failure); at = at.parent_path()) {
    missing.push_back(at);
  }
  for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
    if (fs::create_directory(*at, failure)) {
      made.push_back(*at);
    }
    if (failure) {
      return false;
    }
  }
  // What is in the way may be no folder.
  fs::create_directories(folder, failure);
  return !failure;
}

// Writes the file beside its target; gives both names.
Result<std::pair<std::string, std::string>> stage_file(const NewFile& file,
                                                       std::vector<fs::path>& made) {
  std::error_code failure;
  // Through a link the target is replaced, never the link itself.
  const fs::path target = fs::weakly_canonical(file.path, failure);
  if (failure) {
    return cannot_write(file.path, failure.message());
  }
  if (fs::exists(target, failure) && !fs::is_regular_file(target, failure)) {
    return cannot_write(
        file.path,
        fs::is_directory(target, failure) ? "it is a directory" : "it is not a regular file");
  }
  if (target.has_parent_path() && !make_folders(target.parent_path(), made, failure)) {
    return cannot_write(file.path, failure.message());
  }
  std::string temporary = target.string() + ".memsize-XXXXXX";
  Descriptor output{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (output.get() < 0) {
    return cannot_write(file.path, reason(errno));
  }
  const bool written = write_all(output.get(), file.content) &&
                       ::fchmod(output.get(), mode_of(target.string())) == 0 &&
                       ::close(output.release()) == 0;
  if (!written) {
    const int why = errno;
    ::unlink(temporary.c_str());
    return cannot_write(file.path, reason(why));
  }
  return std::pair{temporary, target.string()};
}

class FileStream : public ByteStream {
 public:
  FileStream(int file, std::string path) : file_(file), path_(std::move(path)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), buffer.data(), buffer.size());
      if (got >= 0) {
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) {
        return cannot_read(path_, reason(errno));
      }
    }
  }

 private:
  Descriptor file_;
  std::string path_;
};

// Sorted, of the entries that are wanted.
template <typename Test>
Result<std::vector<std::string>> names_in(const std::string& folder, Test is_wanted) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry{folder, failure}, end; !failure && entry != end;
       entry.increment(failure)) {
    std::error_code broken_link;
    if (is_wanted(*entry, broken_link)) {
      names.push_back(entry->path().filename().string());
    }
  }
  if (failure) {
    return cannot_read(folder, failure.message());
  }
  std::ranges::sort(names);
  return names;
}

// What may have been meant: a name like it in its folder.
std::string meant_instead(const std::string& path) {
  const fs::path missing{path};
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path{"."};
  std::error_code failure;
  if (!fs::is_directory(folder, failure)) {
    return fmt::format("there is no folder '{}'", printable(folder.string()));
  }
  const auto names =
      names_in(folder.string(), [](const auto& /*entry*/, auto& /*failure*/) { return true; });
  return names ? did_you_mean(missing.filename().string(), *names) : std::string{};
}

}  // namespace

Result<std::string> FileSystem::read(const std::string& path, const FileKind& kind) {
  const auto stream = open(path);
  MEMSIZE_TRY(stream);
  // Apart, and not written before: a string that grows by blocks fills them first, and keeps them.
  constexpr std::size_t kBlock = 1U << 16;
  const auto block = std::make_unique_for_overwrite<char[]>(kBlock);
  std::string content;
  while (true) {
    const auto got = (*stream)->read({block.get(), kBlock});
    MEMSIZE_TRY(got);
    if (*got == 0) {
      return content;
    }
    content.append(block.get(), *got);
    if (content.size() > kind.most) {
      return fail(error(Code::kReadLimit,
                        fmt::format("'{}' has more than {}: {} has no more",
                                    printable(path),
                                    format_size(Bytes{kind.most}),
                                    kind.called),
                        at(path)));
    }
  }
}

Result<std::unique_ptr<ByteStream>> RealFileSystem::open(const std::string& path) {
  const bool standard_input = path == "-";
  if (!standard_input && is_directory(path)) {
    return cannot_read(path, "it is a directory, not a file");
  }
  const int file = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    const int why = errno;
    return cannot_read(path, reason(why), why == ENOENT ? meant_instead(path) : std::string{});
  }
  return std::make_unique<FileStream>(file, path);
}

Result<std::uint64_t> RealFileSystem::size(const std::string& path) {
  std::error_code failure;
  const std::uintmax_t bytes = fs::file_size(path, failure);
  if (failure) {
    return cannot_read(path, failure.message());
  }
  return bytes;
}

Result<void> RealFileSystem::replace(const std::vector<NewFile>& files) {
  const HoldSignals hold;

  // Removes what was staged, unless it was renamed away, and the folders made for it.
  struct Stage {
    std::vector<std::pair<std::string, std::string>> files;
    std::vector<fs::path> made;

    ~Stage() {
      for (const auto& [temporary, target] : files) {
        ::unlink(temporary.c_str());
      }
      // A folder that holds something is not removed by this.
      for (auto folder = made.rbegin(); folder != made.rend(); ++folder) {
        ::rmdir(folder->c_str());
      }
    }
  } stage;

  for (const NewFile& file : files) {
    auto staged = stage_file(file, stage.made);
    MEMSIZE_TRY(staged);
    stage.files.push_back(std::move(*staged));
  }
  while (!stage.files.empty()) {
    const auto& [temporary, target] = stage.files.back();
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
      return cannot_write(target, reason(errno));
    }
    stage.files.pop_back();
  }
  return {};
}

bool RealFileSystem::exists(const std::string& path) {
  std::error_code failure;
  return fs::exists(path, failure);
}

bool RealFileSystem::is_directory(const std::string& path) {
  std::error_code failure;
  return fs::is_directory(path, failure);
}

bool RealFileSystem::same_file(const std::string& a, const std::string& b) {
  std::error_code failure;
  return fs::equivalent(a, b, failure);
}

bool RealFileSystem::is_regular_file(const std::string& path) {
  std::error_code failure;
  return fs::is_regular_file(path, failure);
}

Result<std::vector<std::string>> RealFileSystem::list(const std::string& folder) {
  return names_in(folder, [](const fs::directory_entry& entry, std::error_code& broken_link) {
    return entry.is_regular_file(broken_link);
  });
}

Result<std::vector<std::string>> RealFileSystem::list_folders(const std::string& folder) {
  return names_in(folder, [](const fs::directory_entry& entry, std::error_code& broken_link) {
    return entry.is_directory(broken_link);
  });
}

Result<std::vector<std::string>> RealFileSystem::list_tree(const std::string& folder) {
  auto paths = list(folder);
  const auto folders = list_folders(folder);
  if (!paths || !folders) {
    return tl::make_unexpected(paths ? folders.error() : paths.error());
  }
  for (const std::string& below : *folders) {
    const auto names = list(fmt::format("{}/{}", folder, below));
    MEMSIZE_TRY(names);
    for (const std::string& name : *names) {
      paths->push_back(fmt::format("{}/{}", below, name));
    }
  }
  std::sort(paths->begin(), paths->end());
  return paths;
}

Result<std::unique_ptr<ByteStream>> MemFileSystem::open(const std::string& path) {
  const auto found = content.find(path);
  if (found == content.end()) {
    return cannot_read(path, reason(is_directory(path) ? EISDIR : ENOENT));
  }
  return stream_with(found->second);
}

Result<std::uint64_t> MemFileSystem::size(const std::string& path) {
  const auto found = content.find(path);
  if (found == content.end()) {
    return cannot_read(path, reason(is_directory(path) ? EISDIR : ENOENT));
  }
  return found->second.size();
}

Result<void> MemFileSystem::replace(const std::vector<NewFile>& files) {
  for (const NewFile& file : files) {
    if (const auto refused = refuse.find(file.path); refused != refuse.end()) {
      return cannot_write(file.path, refused->second);
    }
  }
  for (const NewFile& file : files) {
    content[file.path] = file.content;
  }
  return {};
}

bool MemFileSystem::exists(const std::string& path) {
  return content.contains(path) || is_directory(path);
}

bool MemFileSystem::is_directory(const std::string& path) {
  const auto next = content.lower_bound(path + "/");
  return next != content.end() && next->first.starts_with(path + "/");
}

bool MemFileSystem::same_file(const std::string& a, const std::string& b) {
  return a == b;
}

bool MemFileSystem::is_regular_file(const std::string& path) {
  return content.contains(path);
}

Result<std::vector<std::string>> MemFileSystem::list(const std::string& folder) {
  std::vector<std::string> names;
  const std::string prefix = folder + "/";
  for (const auto& [path, bytes] : content) {
    if (path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos) {
      names.push_back(path.substr(prefix.size()));
    }
  }
  if (names.empty() && !is_directory(folder)) {
    return cannot_read(folder, reason(ENOENT));
  }
  return names;
}

Result<std::vector<std::string>> MemFileSystem::list_folders(const std::string& folder) {
  std::vector<std::string> names;
  const std::string prefix = folder + "/";
  for (const auto& [path, bytes] : content) {
    const std::size_t end = path.find('/', prefix.size());
    if (path.starts_with(prefix) && end != std::string::npos) {
      const std::string name = path.substr(prefix.size(), end - prefix.size());
      if (names.empty() || names.back() != name) {
        names.push_back(name);
      }
    }
  }
  if (names.empty() && !is_directory(folder)) {
    return cannot_read(folder, reason(ENOENT));
  }
  return names;
}

Result<std::vector<std::string>> MemFileSystem::list_tree(const std::string& folder) {
  std::vector<std::string> paths;
  const std::string prefix = folder + "/";
  for (const auto& [path, bytes] : content) {
    if (path.starts_with(prefix) &&
        std::count(path.begin() + static_cast<std::ptrdiff_t>(prefix.size()), path.end(), '/') <
            2) {
      paths.push_back(path.substr(prefix.size()));
    }
  }
  if (paths.empty()) {
    return cannot_read(folder, reason(ENOENT));
  }
  return paths;
}

}  // namespace memsize::core
