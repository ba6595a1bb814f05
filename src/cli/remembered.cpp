// Questions have a letter each, and all that stat() answers have one together: what stands at a
// path is looked at before it is read, so that who changes it meanwhile is seen the next time.
#include "remembered.hpp"

#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>
#include <sys/stat.h>

namespace memsize::cli {

enum class RememberedFiles::Question : char {
  kLook = 'l',
  kFiles = 'f',
  kFolders = 'd',
  kTree = 't',
  kEntries = 'e',
  kRealPath = 'r',
  kMayWrite = 'w',
  kNewFileMode = 'm',
  kLockHolder = 'h',
};

namespace {

using core::Result;

using Names = std::vector<std::string>;

// A clock of files ticks every few milliseconds, of some file systems every two seconds.
constexpr std::int64_t kTickNs = 2'000'000'000;
// What is printed is for people; what is longer was asked for by --stdout or --json.
constexpr std::size_t kMostText = std::size_t{1} << 20U;
// Of what is kept: the command, how it is painted, the text, problems and annotations. Behind it
// stand a question, a path and an answer, again and again.
constexpr std::size_t kHead = 5;
constexpr std::size_t kQuestionTexts = 3;

std::int64_t ns_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A folder changes with every file in it, which matters to who lists it; that is asked by itself.
std::string identity_of(const struct stat& found) {
  std::string text = fmt::format(
      "{} {} {:o} {} {};", found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_gid);
  if (!S_ISDIR(found.st_mode)) {
    text += fmt::format(
        "{} {} {} {};", found.st_nlink, found.st_size, ns_of(found.st_mtim), ns_of(found.st_ctim));
  }
  return text;
}

// What comes through a pipe comes once, and what the kernel makes up as it is read (/proc, /sys, a
// remote processor's trace in debugfs) has no blocks, and no time that says whether it changed.
bool is_stored(const std::string& path) {
  struct stat found {};

  return path != "-" && ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         found.st_blocks != 0;
}

std::string text_of(const Result<Names>& names) {
  return names ? core::sha256(core::join(*names, std::string(1, '\0'))) : std::string{};
}

// One of 256, so that they cannot grow without end.
std::string file_for(const std::string& command) {
  return "emit-" + core::sha256(command).substr(0, 2);
}

}  // namespace

RememberedFiles::RememberedFiles(core::FileSystem& disk,
                                 std::string command,
                                 const std::string& program)
    : ForwardingFiles(disk),
      command_(std::move(command)),
      began_ns_(std::chrono::duration_cast<std::chrono::nanoseconds>(
                    std::chrono::system_clock::now().time_since_epoch())
                    .count()) {
  note(Question::kLook, program);
}

std::string RememberedFiles::look_at(const std::string& path) {
  struct stat found {};

  std::string text;
  const auto add = [&] {
    text += identity_of(found);
    changed_ns_ =
        S_ISDIR(found.st_mode) ? changed_ns_ : std::max(changed_ns_, ns_of(found.st_ctim));
  };
  if (::lstat(path.c_str(), &found) == 0) {
    add();
    if (S_ISLNK(found.st_mode) && ::stat(path.c_str(), &found) == 0) {
      add();
    }
  }
  return text;
}

std::string RememberedFiles::ask(Question question, const std::string& path) {
  switch (question) {
    case Question::kLook:
      return look_at(path);
    case Question::kFiles:
      return text_of(ForwardingFiles::list(path));
    case Question::kFolders:
      return text_of(ForwardingFiles::list_folders(path));
    case Question::kTree:
      return text_of(ForwardingFiles::list_tree(path));
    case Question::kEntries:
      return text_of(ForwardingFiles::list_entries(path));
    case Question::kRealPath:
      return ForwardingFiles::real_path(path).value_or(std::string{});
    case Question::kMayWrite:
      return ForwardingFiles::may_write(path) ? "yes" : "no";
    case Question::kNewFileMode:
      return fmt::format("{:o}", ForwardingFiles::new_file_mode());
    case Question::kLockHolder:
      return ForwardingFiles::lock_holder(path);
  }
  return "what an older memsize asked";
}

void RememberedFiles::note(Question question, const std::string& path) {
  const auto [known, is_new] = answers_.try_emplace({question, path});
  if (is_new) {
    known->second = ask(question, path);
  }
}

Result<Names> RememberedFiles::noted(Question question,
                                     const std::string& folder,
                                     Result<Names> names) {
  answers_.try_emplace({question, folder}, text_of(names));
  return names;
}

std::optional<Printed> RememberedFiles::recall() {
  const auto kept = core::UserCache{file_for(command_)}.take();
  if (!kept || kept->size() < kHead || (kept->size() - kHead) % kQuestionTexts != 0 ||
      kept->front() != command_ || (*kept)[1].size() != 2) {
    return std::nullopt;
  }
  const std::int64_t changed_ns = changed_ns_;
  for (auto text = kept->begin() + kHead; text != kept->end(); text += kQuestionTexts) {
    if (text[0].size() != 1 || ask(Question{text[0].front()}, text[1]) != text[2]) {
      changed_ns_ = changed_ns;
      return std::nullopt;
    }
  }
  const std::string& paint = (*kept)[1];
  return Printed{.text = (*kept)[2],
                 .paint = Outcome::Paint{paint[0] - '0'},
                 .colour = paint[1] == '1',
                 .problems = (*kept)[3],
                 .annotations = (*kept)[4]};
}

void RememberedFiles::keep(const Printed& printed) {
  if (!can_be_kept_ || printed.status != core::ExitStatus::kDone ||
      changed_ns_ > began_ns_ - kTickNs || printed.text.size() > kMostText) {
    return;
  }
  Names texts = {command_,
                 fmt::format("{}{:d}", static_cast<int>(printed.paint), printed.colour),
                 printed.text,
                 printed.problems,
                 printed.annotations};
  for (const auto& [question, answer] : answers_) {
    texts.emplace_back(1, static_cast<char>(question.first));
    texts.push_back(question.second);
    texts.push_back(answer);
  }
  core::UserCache{file_for(command_)}.keep(texts);
}

Result<std::unique_ptr<core::ByteStream>> RememberedFiles::open(const std::string& path) {
  note(Question::kLook, path);
  can_be_kept_ = can_be_kept_ && is_stored(path);
  return ForwardingFiles::open(path);
}

Result<std::uint64_t> RememberedFiles::size(const std::string& path) {
  note(Question::kLook, path);
  return ForwardingFiles::size(path);
}

bool RememberedFiles::exists(const std::string& path) {
  note(Question::kLook, path);
  return ForwardingFiles::exists(path);
}

bool RememberedFiles::is_directory(const std::string& path) {
  note(Question::kLook, path);
  return ForwardingFiles::is_directory(path);
}

bool RememberedFiles::same_file(const std::string& a, const std::string& b) {
  note(Question::kLook, a);
  note(Question::kLook, b);
  return ForwardingFiles::same_file(a, b);
}

bool RememberedFiles::is_regular_file(const std::string& path) {
  note(Question::kLook, path);
  return ForwardingFiles::is_regular_file(path);
}

core::Entry RememberedFiles::entry(const std::string& path) {
  note(Question::kLook, path);
  return ForwardingFiles::entry(path);
}

core::Attributes RememberedFiles::attributes(const std::string& path) {
  note(Question::kLook, path);
  return ForwardingFiles::attributes(path);
}

Result<Names> RememberedFiles::list(const std::string& folder) {
  return noted(Question::kFiles, folder, ForwardingFiles::list(folder));
}

Result<Names> RememberedFiles::list_folders(const std::string& folder) {
  return noted(Question::kFolders, folder, ForwardingFiles::list_folders(folder));
}

Result<Names> RememberedFiles::list_tree(const std::string& folder) {
  return noted(Question::kTree, folder, ForwardingFiles::list_tree(folder));
}

Result<Names> RememberedFiles::list_entries(const std::string& folder) {
  return noted(Question::kEntries, folder, ForwardingFiles::list_entries(folder));
}

Result<std::string> RememberedFiles::real_path(const std::string& path) {
  note(Question::kRealPath, path);
  return ForwardingFiles::real_path(path);
}

bool RememberedFiles::may_write(const std::string& path) {
  note(Question::kMayWrite, path);
  return ForwardingFiles::may_write(path);
}

unsigned RememberedFiles::new_file_mode() {
  note(Question::kNewFileMode, {});
  return ForwardingFiles::new_file_mode();
}

std::string RememberedFiles::lock_holder(const std::string& path) {
  note(Question::kLockHolder, path);
  return ForwardingFiles::lock_holder(path);
}

Result<void> RememberedFiles::replace(const std::vector<core::NewFile>& files) {
  can_be_kept_ = false;
  return ForwardingFiles::replace(files);
}

Result<void> RememberedFiles::create(const std::string& path,
                                     std::string_view content,
                                     const core::Metadata& metadata) {
  can_be_kept_ = false;
  return ForwardingFiles::create(path, content, metadata);
}

Result<void> RememberedFiles::set_metadata(const std::string& path,
                                           const core::Metadata& metadata) {
  can_be_kept_ = false;
  return ForwardingFiles::set_metadata(path, metadata);
}

Result<void> RememberedFiles::rename(const std::string& from, const std::string& to) {
  can_be_kept_ = false;
  return ForwardingFiles::rename(from, to);
}

Result<void> RememberedFiles::remove(const std::string& path) {
  can_be_kept_ = false;
  return ForwardingFiles::remove(path);
}

Result<void> RememberedFiles::make_folder(const std::string& path) {
  can_be_kept_ = false;
  return ForwardingFiles::make_folder(path);
}

Result<void> RememberedFiles::remove_folder(const std::string& path) {
  can_be_kept_ = false;
  return ForwardingFiles::remove_folder(path);
}

}  // namespace memsize::cli
