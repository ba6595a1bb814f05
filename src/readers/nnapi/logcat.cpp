// logcat prints a prefix, whose three forms (with a zone, microseconds and users or not) are those
// of the tool and of two ages of Android Studio. A line of a log may lack its end, so that another
// line begins within: there it is taken apart. logd keeps about four kilobytes of a message, tag
// and priority included.
#include "nnapi/logcat.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>

namespace memsize::readers::nnapi {

namespace {

// LOGGER_ENTRY_MAX_PAYLOAD: one byte of priority, the tag, two zeros, and the message.
constexpr std::size_t kPayload = 4068;
constexpr std::size_t kBesideTag = 3;

bool is_digit_of_log(char c) {
  return c >= '0' && c <= '9';
}

// Whether the text begins as `form` has it: 9 is a digit, all else is itself.
bool begins_like(std::string_view text, std::string_view form) {
  return text.size() >= form.size() &&
         std::equal(form.begin(), form.end(), text.begin(), [](char want, char is) {
           return want == '9' ? is_digit_of_log(is) : want == is;
         });
}

constexpr std::string_view kDay = "99-99 ";
constexpr std::string_view kYear = "9999-";
constexpr std::string_view kTime = "99:99:99.999";

/// Takes a prefix piece by piece.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  bool form(std::string_view form) {
    const bool is_so = begins_like(rest_, form);
    rest_.remove_prefix(is_so ? form.size() : 0);
    return is_so;
  }

  bool blanks() {
    const std::size_t count = std::min(rest_.find_first_not_of(' '), rest_.size());
    rest_.remove_prefix(count);
    return count != 0;
  }

  std::string_view digits() {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit_of_log(rest_[count])) {
      ++count;
    }
    return take(count);
  }

  std::string_view word() { return take(std::min(rest_.find(' '), rest_.size())); }

  bool letter() {
    const bool is_letter = !rest_.empty() && std::string_view{"VDIWEFAS"}.find(rest_.front()) !=
                                                 std::string_view::npos;
    rest_.remove_prefix(is_letter ? 1 : 0);
    return is_letter;
  }

  // Up to ": ", or to a colon that ends the line; nothing where there is none.
  std::optional<std::string_view> tag() {
    constexpr std::size_t kLongestTag = 200;
    const std::string_view near = rest_.substr(0, kLongestTag);
    std::size_t at = near.find(": ");
    const bool ends_line =
        at == std::string_view::npos && near.size() == rest_.size() && near.ends_with(':');
    at = ends_line ? near.size() - 1 : at;
    if (at == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view found = core::trim(take(at));
    rest_.remove_prefix(std::min<std::size_t>(2, rest_.size()));
    return found;
  }

  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view take(std::size_t count) {
    const std::string_view found = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return found;
  }

  std::string_view rest_;
};

// "29423 29423 I Utils   : msg".
std::optional<LogLine> of_logcat(Pieces pieces) {
  LogLine line;
  pieces.blanks();
  line.process = pieces.digits();
  const bool first = !line.process.empty() && pieces.blanks();
  line.thread = pieces.digits();
  if (!first || line.thread.empty() || !pieces.blanks() || !pieces.letter() || !pieces.blanks()) {
    return std::nullopt;
  }
  const auto tag = pieces.tag();
  if (!tag) {
    return std::nullopt;
  }
  line.tag = *tag;
  line.message = pieces.rest();
  return line;
}

// "6035-6141/? I/Manager: msg", "19036-19036 tflite   pid-19036   I  msg".
std::optional<LogLine> of_studio(Pieces pieces) {
  LogLine line;
  line.process = pieces.digits();
  if (line.process.empty() || !pieces.form("-")) {
    return std::nullopt;
  }
  line.thread = pieces.digits();
  if (line.thread.empty()) {
    return std::nullopt;
  }
  if (pieces.form("/")) {
    (void)pieces.word();
    if (!pieces.blanks() || !pieces.letter() || !pieces.form("/")) {
      return std::nullopt;
    }
    const auto tag = pieces.tag();
    line.tag = tag.value_or(std::string_view{});
    line.message = pieces.rest();
    return tag ? std::optional{line} : std::nullopt;
  }
  pieces.blanks();
  line.tag = pieces.word();
  pieces.blanks();
  (void)pieces.word();
  if (!pieces.blanks() || !pieces.letter()) {
    return std::nullopt;
  }
  // Two blanks; a message may begin with more.
  (void)(pieces.form("  ") || pieces.form(" "));
  line.message = pieces.rest();
  return line;
}

// "+0200".
void skip_zone(Pieces& pieces) {
  if ((pieces.form("+") || pieces.form("-")) && pieces.form("9999")) {
    (void)pieces.blanks();
  }
}

std::optional<LogLine> with_prefix(std::string_view text) {
  Pieces pieces{text};
  (void)pieces.form(kYear);
  if (!pieces.form(kDay) || !pieces.form(kTime)) {
    return std::nullopt;
  }
  // Micro- and nanoseconds.
  (void)pieces.digits();
  if (!pieces.blanks()) {
    return std::nullopt;
  }
  skip_zone(pieces);
  if (const auto line = of_logcat(pieces)) {
    return line;
  }
  // Whose process it is may stand before its number.
  Pieces behind = pieces;
  (void)behind.word();
  if (const auto line = behind.blanks() ? of_logcat(behind) : std::nullopt) {
    return line;
  }
  return of_studio(pieces);
}

// Where another line of the log begins within the text, behind its first byte.
std::size_t next_prefix(std::string_view text) {
  for (std::size_t at = text.find(':', 1); at != std::string_view::npos;
       at = text.find(':', at + 1)) {
    constexpr std::size_t kHours = 2;
    const std::size_t before = kDay.size() + kHours;
    if (at <= before || !begins_like(text.substr(at - kHours), kTime)) {
      continue;
    }
    std::size_t begin = at - before;
    if (begin > kYear.size() && begins_like(text.substr(begin - kYear.size()), kYear)) {
      begin -= kYear.size();
    }
    if (with_prefix(text.substr(begin))) {
      return begin;
    }
  }
  return std::string_view::npos;
}

void add_line(std::string_view text, std::size_t number, bool has_end, LogLines& log) {
  while (true) {
    const auto found = with_prefix(text);
    log.has_prefixes = log.has_prefixes || found.has_value();
    LogLine line = found.value_or(LogLine{.message = text});
    line.number = number;
    const std::size_t inner = found ? next_prefix(line.message) : std::string_view::npos;
    if (inner == std::string_view::npos) {
      line.is_at_limit = found && line.message.size() + line.tag.size() + kBesideTag >= kPayload;
      line.is_cut = !has_end || line.is_at_limit;
      log.lines.push_back(line);
      return;
    }
    text = line.message.substr(inner);
    line.message = line.message.substr(0, inner);
    line.is_cut = true;
    log.lines.push_back(line);
  }
}

}  // namespace

LogLines log_lines(std::string_view text) {
  LogLines log;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const bool has_end = end != std::string_view::npos;
    std::string_view line = text.substr(at, has_end ? end - at : std::string_view::npos);
    if (has_end && line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    add_line(line, ++number, has_end, log);
    at = has_end ? end + 1 : text.size();
  }
  return log;
}

}  // namespace memsize::readers::nnapi
