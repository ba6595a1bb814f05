// Names below .memsize, copies with their metadata, folders and their times, locks and syncs. It
// decides nothing: which step comes when is the business of those that call it.
#include "store.hpp"

#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using EntryKind = core::Entry::Kind;

constexpr const char* kLock = "lock";
constexpr const char* kNew = ".new";
// A tree under version control is not to look changed by what memsize keeps there.
constexpr const char* kIgnore = ".gitignore";

const char* name_of(Copy where) {
  switch (where) {
    case Copy::kBackup:
      return "backup";
    case Copy::kStaged:
      return "staged";
    case Copy::kPrevious:
      return "previous";
    case Copy::kKept:
      break;
  }
  return "kept";
}

const char* name_of(Document which) {
  return which == Document::kJournal ? "journal.json" : "staging.json";
}

std::string parent_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

FileState state_of(std::string_view bytes, unsigned mode, std::int64_t mtime_ns) {
  return {true, core::sha256(bytes), bytes.size(), mode, mtime_ns};
}

tl::unexpected<core::Diagnostics> failed(core::Diagnostics errors, const std::string& hint) {
  for (core::Diagnostic& error : errors) {
    if (error.hint.empty()) {
      error.hint = hint;
    }
  }
  return tl::make_unexpected(std::move(errors));
}

Store::Session::~Session() {
  // Moved from: another one holds it.
  if (lock_ != nullptr) {
    lock_.reset();
    const auto left = store_->files_.list_entries(store_->own(""));
    if (left && *left == std::vector<std::string>{kIgnore}) {
      (void)store_->files_.remove(store_->own(kIgnore));
      (void)store_->files_.remove_folder(store_->own(""));
    } else if (left && left->empty()) {
      (void)store_->files_.remove_folder(store_->own(""));
    }
  }
}

core::Result<Store> Store::open(core::FileSystem& files, const std::string& root) {
  auto real = files.real_path(root);
  if (!real) {
    return failed(real.error(), "give the folder of a tree");
  }
  if (files.entry(*real).kind != EntryKind::kFolder) {
    return core::fail(core::error(Code::kFileWrite,
                                  fmt::format("'{}' is no folder", core::printable(root, kShown)),
                                  {root},
                                  "give the folder of a tree"));
  }
  Store store{files, root, std::move(*real)};
  const EntryKind own = files.entry(store.own("")).kind;
  if (own != EntryKind::kNothing && own != EntryKind::kFolder) {
    return core::fail(core::error(Code::kSdkJournal,
                                  "this is no folder, but memsize keeps its journal there",
                                  store.place(kOwnFolder),
                                  "nothing was changed; move it away"));
  }
  return store;
}

std::string Store::own(std::string_view name) const {
  return name.empty() ? fmt::format("{}/{}", root_, kOwnFolder)
                      : fmt::format("{}/{}/{}", root_, kOwnFolder, name);
}

std::string Store::copy(Copy where, const std::string& path) const {
  return own(fmt::format("{}/{}", name_of(where), path));
}

std::string Store::option() const {
  const bool is_sdk = files_.entry(target("platform")).kind != EntryKind::kNothing;
  return fmt::format("{} {}", is_sdk ? "--sdk" : "--linux", core::shell_path(shown_));
}

core::Place Store::place(const std::string& path) const {
  return {fmt::format("{}/{}", shown_, path)};
}

bool Store::exists() const {
  return files_.entry(own("")).kind != EntryKind::kNothing;
}

bool Store::looks_settled() const {
  const auto names = files_.list_entries(own(""));
  const std::set<std::string> settled = {
      name_of(Document::kJournal), name_of(Copy::kBackup), name_of(Copy::kKept), kIgnore};
  return names && std::all_of(names->begin(), names->end(), [&](const std::string& name) {
           return settled.contains(name);
         });
}

core::Result<Store::Session> Store::enter(std::string_view purpose) {
  // The folder may go away between the two steps: whoever leaves removes an empty one.
  constexpr int kAttempts = 10;
  core::Diagnostics errors;
  for (int i = 0; i < kAttempts; ++i) {
    const bool is_new = files_.entry(own("")).kind == EntryKind::kNothing;
    if (is_new) {
      root_time_ = folder_time(".");
      if (auto made = files_.make_folder(own("")); !made) {
        errors = made.error();
        if (files_.entry(own("")).kind == EntryKind::kNothing) {
          return failed(errors, kMendAndRepeat);
        }
        continue;
      }
    }
    auto attempt = files_.lock(own(kLock), purpose);
    if (!attempt) {
      errors = attempt.error();
      if (files_.entry(own("")).kind == EntryKind::kNothing) {
        continue;
      }
      // Removes the folder that was made just for this.
      (void)files_.remove_folder(own(""));
      return failed(errors, kMendAndRepeat);
    }
    if (attempt->lock == nullptr) {
      return core::fail(
          core::error(Code::kSdkLock,
                      fmt::format("another memsize is changing this tree: {}", attempt->holder),
                      place(fmt::format("{}/{}", kOwnFolder, kLock)),
                      "nothing was changed; wait until it is done, or end that process"));
    }
    Session session{*this, std::move(attempt->lock)};
    constexpr unsigned kMode = 0644;
    if (is_new) {
      if (auto made = files_.create(own(kIgnore), "*\n", {kMode, {}, {}, {}}); !made) {
        return failed(made.error(), kMendAndRepeat);
      }
    }
    if (auto synced = files_.sync_folder(root_); !synced) {
      return failed(synced.error(), kMendAndRepeat);
    }
    return session;
  }
  return failed(errors, kMendAndRepeat);
}

core::Result<std::optional<Journal>> Store::read(Document which) const {
  const std::string path = own(name_of(which));
  const EntryKind kind = files_.entry(path).kind;
  if (kind == EntryKind::kNothing) {
    return std::nullopt;
  }
  const std::string shown = fmt::format("{}/{}/{}", shown_, kOwnFolder, name_of(which));
  if (kind != EntryKind::kFile || files_.real_path(path) != path) {
    return core::fail(core::error(Code::kSdkJournal,
                                  "the journal is no regular file, or cannot be looked at",
                                  place(fmt::format("{}/{}", kOwnFolder, name_of(which))),
                                  "nothing was changed; move it away, or let its folder be read"));
  }
  const auto text = files_.read(path);
  if (!text) {
    return failed(text.error(), "nothing was changed; let the file be read");
  }
  auto journal = parse_journal(*text, shown);
  MEMSIZE_TRY(journal);
  return std::move(*journal);
}

core::Result<void> Store::write(Document which, const Journal& journal) {
  constexpr unsigned kMode = 0644;
  const std::string path = own(name_of(which));
  const std::string beside = path + kNew;
  if (files_.entry(beside).kind != EntryKind::kNothing) {
    MEMSIZE_TRY(files_.remove(beside));
  }
  if (auto made = files_.create(beside, print_journal(journal), {kMode, {}, {}, {}}); !made) {
    return made;
  }
  auto renamed = files_.rename(beside, path);
  if (!renamed) {
    (void)files_.remove(beside);
  }
  return renamed;
}

core::Result<void> Store::commit() {
  return files_.rename(own(name_of(Document::kStaging)), own(name_of(Document::kJournal)));
}

core::Result<void> Store::remove(Document which) {
  return files_.remove(own(name_of(which)));
}

core::Diagnostic Store::not_a_file(const std::string& path, EntryKind kind) const {
  const char* what = kind == EntryKind::kFolder ? "a folder"
                     : kind == EntryKind::kLink
                         ? "a link"
                         : "something that is no file, or cannot be looked at,";
  return core::error(Code::kSdkChanged,
                     fmt::format("{} is where memsize changed a file", what),
                     place(path),
                     kind == EntryKind::kOther
                         ? "nothing was changed; move it away, or let its folder be read"
                         : "nothing was changed; move it away");
}

core::Result<FileState> Store::look(const std::string& path) const {
  const std::string full = target(path);
  const core::Entry entry = files_.entry(full);
  if (entry.kind == EntryKind::kNothing) {
    return FileState{};
  }
  if (entry.kind != EntryKind::kFile) {
    return core::fail(not_a_file(path, entry.kind));
  }
  if (const auto real = files_.real_path(full); !real || *real != full) {
    return core::fail(core::error(Code::kSdkChanged,
                                  fmt::format("a link leads here to another place: {}",
                                              core::printable(real.value_or("?"), kShown)),
                                  place(path),
                                  "nothing was changed; put the folder back"));
  }
  const auto bytes = files_.read(full);
  if (!bytes) {
    return failed(bytes.error(), kNothingChanged);
  }
  return state_of(*bytes, entry.mode, entry.mtime_ns);
}

std::optional<std::string> Store::read_as(const std::string& full, const FileState& state) const {
  if (files_.entry(full).kind != EntryKind::kFile || files_.real_path(full) != full) {
    return std::nullopt;
  }
  auto bytes = files_.read(full);
  if (!bytes || !same_bytes(state_of(*bytes, 0, 0), state)) {
    return std::nullopt;
  }
  return std::move(*bytes);
}

bool Store::has_copy(Copy where, const std::string& path, const FileState& state) const {
  return read_as(copy(where, path), state).has_value();
}

std::optional<std::string> Store::read_original(const Journal::File& file) const {
  auto bytes = read_as(copy(Copy::kBackup, file.path), file.original);
  return bytes ? std::move(bytes) : read_as(target(file.path), file.original);
}

core::Result<void> Store::make_copy(Copy where,
                                    const std::string& path,
                                    std::string_view bytes,
                                    const core::Metadata& metadata) {
  const std::string full = copy(where, path);
  MEMSIZE_TRY(make_folders(parent_of(full)));
  return files_.create(full, bytes, metadata);
}

std::string Kept::path() const {
  return fmt::format("{}/{}/{}", kOwnFolder, name_of(Copy::kKept), name);
}

core::Result<Kept> Store::keep(const std::string& path) {
  const auto bytes = files_.read(target(path));
  MEMSIZE_TRY(bytes);
  const core::Entry entry = files_.entry(target(path));
  const FileState state = state_of(*bytes, entry.mode, entry.mtime_ns);
  std::string name = path;
  for (int i = 2; files_.entry(copy(Copy::kKept, name)).kind != EntryKind::kNothing &&
                  !has_copy(Copy::kKept, name, state);
       ++i) {
    name = fmt::format("{}.{}", path, i);
  }
  if (has_copy(Copy::kKept, name, state)) {
    return Kept{name, false};
  }
  const core::Metadata metadata{
      entry.mode, entry.mtime_ns, entry.owner, files_.attributes(target(path))};
  MEMSIZE_TRY(make_copy(Copy::kKept, name, *bytes, metadata));
  return Kept{name, true};
}

core::Result<void> Store::put(Copy where, const std::string& path, const FileState& state) {
  const std::string from = copy(where, path);
  const core::Entry entry = files_.entry(from);
  const bool same_time = !state.mtime_ns || entry.mtime_ns == *state.mtime_ns;
  if (entry.mode != state.mode || !same_time) {
    // A copy that went through another program, such as one that copied the whole tree.
    if (auto set = files_.set_metadata(from, {state.mode, state.mtime_ns, {}, {}}); !set) {
      return set;
    }
  }
  MEMSIZE_TRY(make_folders(parent_of(target(path))));
  return files_.rename(from, target(path));
}

void Store::tell_lost(Copy where, const std::string& path, core::Diagnostics& warnings) const {
  const core::Entry old = files_.entry(target(path));
  const core::Entry made = files_.entry(copy(where, path));
  std::vector<std::string> lost;
  if (made.owner != old.owner) {
    lost.push_back(fmt::format("its owner {}:{}", old.owner.user, old.owner.group));
  }
  const core::Attributes kept = files_.attributes(copy(where, path));
  for (const auto& [name, value] : files_.attributes(target(path))) {
    const auto found = kept.find(name);
    if (found == kept.end() || found->second != value) {
      lost.push_back(fmt::format("'{}'", core::printable(name, kShown)));
    }
  }
  if (!lost.empty()) {
    warnings.push_back(core::warning(
        Code::kSdkNotKept,
        fmt::format("the file that replaces this one lacks {}", core::join(lost, ", ")),
        this->place(path),
        "give it to the new file, if somebody needs it"));
  }
}

core::Result<void> Store::remove_copy(Copy where, const std::string& path) {
  const std::string full = copy(where, path);
  if (files_.entry(full).kind == EntryKind::kNothing) {
    return {};
  }
  const std::string folder = parent_of(full);
  if (files_.real_path(folder) != folder) {
    return core::fail(core::error(Code::kSdkJournal,
                                  "a link leads here to another place",
                                  place(fmt::format("{}/{}", kOwnFolder, name_of(where))),
                                  "nothing was changed; remove the link"));
  }
  return files_.remove(full);
}

void Store::add_files(const std::string& folder,
                      const std::string& prefix,
                      std::vector<std::string>& found) const {
  const auto names = files_.list_entries(folder);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    const std::string full = fmt::format("{}/{}", folder, (*names)[i]);
    if (files_.entry(full).kind == EntryKind::kFolder) {
      add_files(full, prefix + (*names)[i] + "/", found);
    } else {
      found.push_back(prefix + (*names)[i]);
    }
  }
}

std::vector<std::string> Store::copies(Copy where) const {
  std::vector<std::string> found;
  const std::string folder = own(name_of(where));
  if (files_.entry(folder).kind == EntryKind::kFolder) {
    add_files(folder, "", found);
  }
  return found;
}

std::vector<std::string> Store::missing_folders(const std::string& path) const {
  std::vector<std::string> missing;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    if (files_.entry(target(path.substr(0, end))).kind == EntryKind::kNothing) {
      missing.push_back(path.substr(0, end));
    }
  }
  return missing;
}

core::Result<void> Store::make_folders(const std::string& full) {
  for (std::size_t end = root_.size(); end != std::string::npos;) {
    end = full.find('/', end + 1);
    const std::string folder = full.substr(0, end);
    if (folder == root_) {
      break;
    }
    if (files_.entry(folder).kind != EntryKind::kNothing) {
      continue;
    }
    MEMSIZE_TRY(files_.make_folder(folder));
    MEMSIZE_TRY(files_.sync_folder(parent_of(folder)));
  }
  if (files_.real_path(full) != full) {
    const core::Place place{shown_ + full.substr(root_.size())};
    return core::fail(core::error(Code::kFileWrite,
                                  fmt::format("cannot write below '{}': a link, or no folder",
                                              core::printable(place.path.str(), kShown)),
                                  place));
  }
  return {};
}

void Store::remove_folders(const std::vector<std::string>& folders) {
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    const std::string full = target(*folder);
    const auto names = files_.list_entries(full);
    if (names && names->empty() && files_.real_path(full) == full) {
      (void)files_.remove_folder(full);
    }
  }
}

core::Result<void> Store::sync_folders_of(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    folders.insert(parent_of(target(path)));
  }
  for (const std::string& folder : folders) {
    if (files_.entry(folder).kind != EntryKind::kFolder) {
      continue;
    }
    MEMSIZE_TRY(files_.sync_folder(folder));
  }
  return {};
}

std::optional<std::int64_t> Store::folder_time(const std::string& path) const {
  const std::string full = path == "." ? root_ : target(path);
  const core::Entry entry = files_.entry(full);
  return entry.kind == EntryKind::kFolder && files_.real_path(full) == full
             ? std::optional{entry.mtime_ns}
             : std::nullopt;
}

void Store::set_folder_time(const std::string& path, std::int64_t time_ns) {
  const std::string full = path == "." ? root_ : target(path);
  if (const auto now = folder_time(path); now && *now != time_ns) {
    (void)files_.set_metadata(full, {files_.entry(full).mode, time_ns, {}, {}});
  }
}

core::Result<void> Store::sync_tree(const std::string& folder) {
  const auto names = files_.list_entries(folder);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    const std::string full = fmt::format("{}/{}", folder, (*names)[i]);
    if (files_.entry(full).kind == EntryKind::kFolder) {
      MEMSIZE_TRY(sync_tree(full));
    }
  }
  return files_.sync_folder(folder);
}

core::Result<void> Store::sync_copies(Copy where) {
  const std::string folder = own(name_of(where));
  return files_.entry(folder).kind == EntryKind::kFolder ? sync_tree(folder) : core::Result<void>{};
}

core::Result<void> Store::sync_own() {
  return files_.sync_folder(own(""));
}

core::Result<void> Store::remove_tree(const std::string& folder) {
  const EntryKind kind = files_.entry(folder).kind;
  if (kind == EntryKind::kNothing) {
    return {};
  }
  if (kind != EntryKind::kFolder) {
    return files_.remove(folder);
  }
  const auto names = files_.list_entries(folder);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    if (auto removed = remove_tree(fmt::format("{}/{}", folder, (*names)[i])); !removed) {
      return removed;
    }
  }
  return files_.remove_folder(folder);
}

// Not a file is removed, nor a folder with one in it.
void Store::remove_empty(const std::string& folder) {
  if (files_.entry(folder).kind != EntryKind::kFolder) {
    return;
  }
  const auto names = files_.list_entries(folder);
  for (std::size_t i = 0; names && i < names->size(); ++i) {
    remove_empty(fmt::format("{}/{}", folder, (*names)[i]));
  }
  const auto left = files_.list_entries(folder);
  if (left && left->empty()) {
    (void)files_.remove_folder(folder);
  }
}

core::Result<void> Store::clean() {
  const std::array<std::string, 4> passing = {own(name_of(Copy::kStaged)),
                                              own(name_of(Copy::kPrevious)),
                                              own(name_of(Document::kJournal)) + kNew,
                                              own(name_of(Document::kStaging)) + kNew};
  for (const std::string& path : passing) {
    MEMSIZE_TRY(remove_tree(path));
  }
  remove_empty(own(name_of(Copy::kBackup)));
  remove_empty(own(name_of(Copy::kKept)));
  return {};
}

}  // namespace memsize::sdk
