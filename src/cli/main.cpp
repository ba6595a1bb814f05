// The one place that prints and exits.
#include "memsize/core/bug.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"

#include "data_folders.hpp"
#include "interpret.hpp"
#include "memory_end.hpp"
#include "patient_files.hpp"
#include "remembered.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

namespace memsize::cli {

namespace {

// What people see, line by line: a name in a file commands no terminal, whatever format it is in.
std::string for_terminal(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += core::masked_text(text.substr(0, end)) + (end < text.size() ? "\n" : "");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// The colour of a line; nullptr: none.
const char* hue_of(Outcome::Paint paint, std::string_view line, bool first) {
  constexpr const char* kBold = "1";
  constexpr const char* kRed = "31";
  constexpr const char* kGreen = "32";
  constexpr const char* kCyan = "36";
  if (paint == Outcome::Paint::kVerdict) {
    return first ? kBold : nullptr;
  }
  return line.starts_with("---") || line.starts_with("+++") ? kBold
         : line.starts_with("@@")                           ? kCyan
         : line.starts_with('-')                            ? kRed
         : line.starts_with('+')                            ? kGreen
                                                            : nullptr;
}

// After names were made harmless: these are our own.
std::string painted(std::string_view text, Outcome::Paint paint) {
  std::string out;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const char* hue = hue_of(paint, line, first);
    out += hue == nullptr ? std::string{line} : fmt::format("\x1b[{}m{}\x1b[0m", hue, line);
    out += end < text.size() ? "\n" : "";
    text.remove_prefix(std::min(end + 1, text.size()));
    first = false;
  }
  return out;
}

bool write_out(const std::string& bytes, Outcome::Paint paint, bool colour) {
  const bool paints = colour && paint != Outcome::Paint::kPlain;
  std::string text = ::isatty(STDOUT_FILENO) != 0 || paints ? for_terminal(bytes) : bytes;
  text = paints ? painted(text, paint) : text;
  output_begins();
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

int finish(const Printed& what) {
  core::ExitStatus status = what.status;
  const auto print = [&](const std::string& text) {
    if (!text.empty() && !write_out(text, what.paint, what.colour)) {
      std::fputs("memsize: error[file.write]: cannot write to standard output\n", stderr);
      status = core::ExitStatus::kEnvironment;
    }
  };
  print(what.text);
  std::fputs(what.problems.c_str(), stderr);
  print(what.annotations);
  return static_cast<int>(status);
}

Printed done(const std::vector<std::string>& words,
             core::FileSystem& files,
             const app::DataFolders& data) {
  Interpreted is = interpret(words, files, data, std::make_shared<board::Shelf>(), true);
  Printed what = printed(std::move(is.outcome), is.screen);
  if (const auto document = std::exchange(what.document, std::nullopt)) {
    what.text = core::document_text(*document);
  }
  return what;
}

// As before a build, where mostly nothing has changed.
int emit(const std::vector<std::string>& words,
         core::FileSystem& disk,
         const app::DataFolders& data,
         const std::string& program) {
  const Screen screen;
  std::error_code failure;
  std::vector<std::string> command = {
      program,
      data.boards,
      std::filesystem::current_path(failure).string(),
      fmt::format(
          "{} {} {}", screen.width(), screen.colour(STDOUT_FILENO), screen.colour(STDERR_FILENO))};
  command.insert(command.end(), words.begin(), words.end());
  // No path and no word has a zero.
  RememberedFiles files{disk, core::join(command, std::string(1, '\0')), program};
  if (const auto known = files.recall()) {
    return finish(*known);
  }
  const Printed what = done(words, files, data);
  files.keep(what);
  return finish(what);
}

int run(int argc, char** argv) {
  // Without an allocation: what is needed where none succeeds.
  const std::span typed{argv + std::min(argc, 1), argv + argc};
  const auto has = [&](std::string_view word) {
    return std::ranges::find(typed, word) != typed.end();
  };
  const bool json = has("--json");
  prepare_for_memory_end(json ? schema_of(typed.front()) : nullptr, !json && has("--sarif"));
  // A file that grows too large is an error like a full disk, not a reason to die with files half
  // done.
  std::signal(SIGXFSZ, SIG_IGN);
  PatientFiles disk;
  std::error_code failure;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", failure).string();
  const app::DataFolders data = find_data_folders(disk, program);
  const std::vector<std::string> words{typed.begin(), typed.end()};
  const char* const remember = std::getenv("MEMSIZE_REMEMBER");
  const bool remembers = remember == nullptr || std::string_view{remember} != "0";
  return remembers && !words.empty() && words.front() == "emit" ? emit(words, disk, data, program)
                                                                : finish(done(words, disk, data));
}

}  // namespace

}  // namespace memsize::cli

int main(int argc, char** argv) {
  try {
    return memsize::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    memsize::cli::end_without_memory();
  } catch (const std::exception& problem) {
    memsize::core::report_bug(problem.what());
  }
}
