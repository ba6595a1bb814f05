// Loads formats by name or path, compiles what they say of lines, and keeps the bundled ones.
#include "log_formats.hpp"

#include "memsize/app/log_format.hpp"
#include "memsize/board/load.hpp"
#include "memsize/board/trace_format.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/core/unpacked.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

using core::Code;

struct LogFormats {
  std::once_flag read;
  readers::PatternReaders bundled;
};

std::shared_ptr<LogFormats> no_log_formats() {
  return std::make_shared<LogFormats>();
}

namespace {

core::Result<std::shared_ptr<const readers::PatternReader>> compiled(Session& session,
                                                                     const std::string& name) {
  const auto names = board::bundled_boards(session.files, session.data.boards + "/formats");
  if (!board::is_path(name) && names && !core::contains(*names, name)) {
    return core::fail(core::error(Code::kReadUnknownFormat,
                                  fmt::format("there is no format '{}'", core::printable(name, 60)),
                                  {},
                                  core::did_you_mean(name, *names, "the formats are")));
  }
  const auto format = session.shelf->format(session.files, session.data.boards, name);
  MEMSIZE_TRY(format);
  if (!format->log) {
    return core::fail(
        core::error(Code::kReadUnknownFormat,
                    fmt::format("format '{}' does not say what its lines look like",
                                core::printable(name, 200)),
                    {},
                    "its reader is built in; a format with a table [log] is read by patterns"));
  }
  return readers::PatternReader::make(*format->log);
}

}  // namespace

readers::PatternReaders bundled_formats(Session& session) {
  std::call_once(session.formats->read, [&] {
    const auto names = board::bundled_boards(session.files, session.data.boards + "/formats");
    for (const std::string& name : names.value_or(std::vector<std::string>{})) {
      if (auto reader = compiled(session, name); reader) {
        session.formats->bundled.push_back(std::move(*reader));
      }
    }
  });
  return session.formats->bundled;
}

core::Result<ReadWith> read_with(Session& session, const std::string& format) {
  if (!board::is_path(format)) {
    return ReadWith{format, [&session] { return bundled_formats(session); }};
  }
  auto reader = compiled(session, format);
  MEMSIZE_TRY(reader);
  const std::string name = (*reader)->format().name;
  return ReadWith{name, [only = std::move(*reader)] { return readers::PatternReaders{only}; }};
}

core::Result<FormatCheck> check_format(Session& session,
                                       const std::string& format,
                                       const std::vector<std::string>& logs) {
  const auto reader = compiled(session, format);
  MEMSIZE_TRY(reader);
  FormatCheck check{(*reader)->format().name, (*reader)->format().title, {}, {}};
  for (const std::string& path : logs) {
    auto stream = session.files.open(path);
    MEMSIZE_TRY(stream);
    const auto text = core::unpacked(std::move(*stream), path);
    CheckedLog& log = check.logs.emplace_back();
    log.path = path;
    const auto reading = (*reader)->open(path, {}, &log.account);
    constexpr std::size_t kBlock = 65536;
    std::vector<char> block(kBlock);
    while (reading->wants_more()) {
      const auto size = text->read(block);
      MEMSIZE_TRY(size);
      if (*size == 0) {
        break;
      }
      reading->take({block.data(), *size});
    }
    auto recording = reading->finish();
    log.diagnostics = recording ? std::move(recording->diagnostics) : std::move(recording.error());
    check.diagnostics.insert(
        check.diagnostics.end(), log.diagnostics.begin(), log.diagnostics.end());
  }
  return check;
}

}  // namespace memsize::app
