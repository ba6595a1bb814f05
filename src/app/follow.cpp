// Feeds a reader as bytes come, tells each model once it is whole or the log is quiet, and again if
// more of it comes. A file that begins anew goes on as the same console.
#include "memsize/app/follow.hpp"

#include "memsize/core/followed_file.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/reader.hpp"

#include "formats/log_formats.hpp"
#include "recordings.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using Event = core::FollowedFile::Event;

// A table whose rows have not come for so long is told as it is.
constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::size_t kReadAtOnce = 65536;

// Tells each model once, and again where more of it came.
class Teller {
 public:
  explicit Teller(const FollowEvents& events) : events_(events) {}

  void tell(const std::string& core, const model::Instance& instance, std::size_t first_line) {
    const std::size_t amount = instance.blocks.size() + instance.totals.size();
    const auto [known, first] = told_.try_emplace({core, first_line}, 0);
    if (amount > known->second) {
      known->second = amount;
      events_.model(core, instance, !first);
    }
  }

 private:
  const FollowEvents& events_;
  // How much of each model, by its core and the line of its first print.
  std::map<std::pair<std::string, std::size_t>, std::size_t> told_;
};

core::Diagnostic packed(const std::string& path) {
  const std::string shown = core::printable(path);
  return core::error(core::Code::kFileGzip,
                     fmt::format("'{}' is gzip-compressed: it cannot be followed", shown),
                     whole_file(path),
                     "analyze it without --follow, or unpack it on the way: gzip -dc FILE | "
                     "memsize analyze - --follow")
      .about({{"file", path}});
}

class Follower {
 public:
  Follower(const AnalyzeRequest& request, ReadWith with, const FollowEvents& events)
      : with_(std::move(with)), path_(request.inputs.front()), events_(events), teller_(events) {}

  // Everything up to the end; whether a signal was the end.
  core::Result<bool> run() {
    auto file = core::FollowedFile::open(path_);
    MEMSIZE_TRY(file);
    MEMSIZE_TRY(begin());
    std::vector<char> buffer(kReadAtOnce);
    while (true) {
      const auto news = (*file)->wait(buffer, kPatience);
      MEMSIZE_TRY(news);
      if (news->event == Event::kEnd || news->event == Event::kInterrupted) {
        return news->event == Event::kInterrupted;
      }
      MEMSIZE_TRY(take(*news, buffer));
    }
  }

  core::Result<model::Recording> finish() {
    auto recording = reading_->finish();
    if (recording) {
      std::move(restarts_.begin(), restarts_.end(), std::back_inserter(recording->diagnostics));
    }
    return recording;
  }

 private:
  core::Result<void> begin() {
    auto reading = readers::begin_reading(
        path_,
        with_.format,
        [this](const std::string& core, const model::Instance& instance, std::size_t first_line) {
          teller_.tell(core, instance, first_line);
        },
        with_.patterns);
    MEMSIZE_TRY(reading);
    reading_ = std::move(*reading);
    begins_ = true;
    return {};
  }

  core::Result<void> take(const core::FollowedFile::News& news, const std::vector<char>& buffer) {
    if (news.event == Event::kRestarted) {
      go_on();
      return {};
    }
    if (news.event == Event::kSilence) {
      reading_->pause();
      return {};
    }
    constexpr std::string_view kGzip = "\x1F\x8B";
    const std::string_view block{buffer.data(), news.size};
    if (std::exchange(begins_, false) && block.starts_with(kGzip)) {
      return core::fail(packed(path_));
    }
    reading_->take(block);
    lines_ += static_cast<std::size_t>(std::ranges::count(block, '\n'));
    at_line_begin_ = block.ends_with('\n');
    return {};
  }

  // A file that is rotated or written anew goes on with what the console prints.
  void go_on() {
    restarts_.push_back(
        core::warning(
            core::Code::kFileRead,
            fmt::format(
                "'{}' was cut or replaced behind line {}: from there on lines are not those of "
                "the file, but counted on",
                core::printable(path_),
                lines_),
            whole_file(path_))
            .about({{"file", path_}}));
    events_.restarted(path_);
    if (!at_line_begin_) {
      reading_->take("\n");
      ++lines_;
      at_line_begin_ = true;
    }
  }

  ReadWith with_;
  std::string path_;
  const FollowEvents& events_;
  Teller teller_;
  core::Diagnostics restarts_;
  std::unique_ptr<readers::Reading> reading_;
  bool begins_ = true;
  std::size_t lines_ = 0;
  bool at_line_begin_ = true;
};

}  // namespace

core::Result<Followed> follow(Session& session,
                              const AnalyzeRequest& request,
                              const FollowEvents& events) {
  auto with = read_with(session, request.format);
  MEMSIZE_TRY(with);
  Follower follower{request, std::move(*with), events};
  core::Result<bool> interrupted = false;
  {
    const core::InterruptWatch watch;
    interrupted = follower.run();
  }
  MEMSIZE_TRY(interrupted);
  Followed followed{follower.finish(), *interrupted};
  if (followed.recording) {
    RecordingJoiner joiner{session, request};
    const auto added = joiner.add(std::move(*followed.recording), request.inputs.front());
    followed.recording = added ? joiner.finish() : tl::make_unexpected(added.error());
  }
  return followed;
}

}  // namespace memsize::app
