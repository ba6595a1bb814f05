// A log has lines of many processes: each thread's dump of a model comes line by line, and others'
// lines stand between. A record whose line ends before it does goes on in the next line of the same
// source (some drivers print in pieces, and a raw byte may be a line's end), unless that begins
// another; the log's own limit ends it for good.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/nnapi_reader.hpp"

#include "nnapi/events.hpp"
#include "nnapi/logcat.hpp"
#include "nnapi/records.hpp"
#include "plans/plan_formats.hpp"
#include "plans/words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace memsize::readers {

namespace {

using model::NnSkin;
using nnapi::LogLine;

constexpr std::string_view kModelStart = "Model start";

struct WholeRecord {
  std::string_view begins;
  NnSkin skin;
  bool is_model = false;
};

// By what a record of a whole model or request begins with; in Java with a long name before.
constexpr auto kWholeRecords = std::to_array<WholeRecord>({
    {"{.inputs = [", NnSkin::kHidl, false},
    {"{.main = {", NnSkin::kHidl, true},
    {"{.operands = [", NnSkin::kHidl, true},
    {"Model{.main=", NnSkin::kCanonical, true},
    {"Request{.inputs=", NnSkin::kCanonical, false},
    {"Model{main: ", NnSkin::kAidl, true},
    {"Request{inputs: ", NnSkin::kAidl, false},
});

// Lines of HIDL's way to print a model.
constexpr auto kListKeys = std::to_array<std::string_view>(
    {"operands[", "operations[", "inputIndexes[", "outputIndexes[", "extensionNameToPrefix["});
constexpr std::string_view kValues = "operandValues size";
constexpr std::string_view kPools = "pools";
constexpr std::string_view kRelax = "relaxComputationFloat32toFloat16";
constexpr std::string_view kMain = "main.";
constexpr std::string_view kReferenced = "referenced[";

bool is_model_start(std::string_view message) {
  return message == kModelStart ||
         (message.starts_with("V1_") && message.ends_with(kModelStart) && message.size() < 24);
}

bool is_list_line(std::string_view message) {
  if (message.starts_with(kMain)) {
    message.remove_prefix(kMain.size());
  } else if (message.starts_with(kReferenced)) {
    message.remove_prefix(std::min(message.find("].") + 2, message.size()));
  }
  return std::ranges::any_of(kListKeys,
                             [&](std::string_view key) { return message.starts_with(key); });
}

bool is_line_of_model(std::string_view message) {
  return is_model_start(message) || is_list_line(message) || message.starts_with(kValues) ||
         message == kPools || message.starts_with("pools[") || message.starts_with(kRelax);
}

// The whole record that begins first.
std::pair<const WholeRecord*, std::size_t> whole_record_in(std::string_view message) {
  const WholeRecord* first = nullptr;
  std::size_t begin = std::string_view::npos;
  // All of them have one of these, and few other lines.
  if (message.find('[') == std::string_view::npos && message.find('{') == std::string_view::npos) {
    return {first, begin};
  }
  for (const WholeRecord& record : kWholeRecords) {
    if (const std::size_t at = message.find(record.begins); at < begin) {
      first = &record;
      begin = at;
    }
  }
  return {first, begin};
}

bool begins_something(std::string_view message) {
  const std::string_view text = core::trim(message);
  return is_line_of_model(text) || nnapi::is_event(text) || whole_record_in(text).first != nullptr;
}

// Records of a log, in one line or several.
class LogRecords {
 public:
  explicit LogRecords(const std::vector<LogLine>& lines)
      : lines_(lines), taken_(lines.size(), false) {}

  // Where the record ends in the message; its size where that is in another line.
  template <typename Take>
  std::size_t read(
      std::size_t index, std::string_view message, std::size_t begin, NnSkin skin, Take take) {
    const LogLine& line = lines_[index];
    const nnapi::Tree alone{message, begin, skin};
    ends_whole_ = !alone.root().is_cut;
    if (ends_whole_ || line.is_at_limit) {
      is_cut_ = is_cut_ || alone.root().is_cut;
      take(nnapi::Source{alone, skin, line.number});
      return alone.end();
    }
    const std::vector<std::size_t> behind = lines_behind(index);
    std::string joined{message};
    for (const std::size_t next : behind) {
      joined += '\n';
      joined += lines_[next].message;
    }
    const nnapi::Tree together{joined, begin, skin};
    if (behind.empty() || together.root().is_cut) {
      is_cut_ = true;
      take(nnapi::Source{alone, skin, line.number});
      return message.size();
    }
    ends_whole_ = true;
    std::size_t at = message.size();
    for (const std::size_t next : behind) {
      taken_[next] = taken_[next] || at < together.end();
      at += lines_[next].message.size() + 1;
    }
    take(nnapi::Source{together, skin, line.number});
    return message.size();
  }

  // Part of a record that began before.
  [[nodiscard]] bool is_taken(std::size_t index) const { return taken_[index]; }

  // The last one has its end.
  [[nodiscard]] bool ends_whole() const { return ends_whole_; }

  // One has none.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  // What the same source says next, up to where it begins something.
  [[nodiscard]] std::vector<std::size_t> lines_behind(std::size_t index) const {
    constexpr std::size_t kFarthest = 2000;
    constexpr std::size_t kMost = 500;
    std::vector<std::size_t> behind;
    const std::size_t end = std::min(lines_.size(), index + kFarthest);
    for (std::size_t i = index + 1; i < end && behind.size() < kMost; ++i) {
      const LogLine& next = lines_[i];
      if (!next.same_source(lines_[index]) || next.tag == "chatty") {
        continue;
      }
      if (begins_something(next.message)) {
        break;
      }
      behind.push_back(i);
    }
    return behind;
  }

  const std::vector<LogLine>& lines_;
  std::vector<bool> taken_;
  bool ends_whole_ = false;
  bool is_cut_ = false;
};

// "1.3" of "1_3".
std::string dotted_version(std::string_view digits) {
  std::string version{digits};
  std::ranges::replace(version, '_', '.');
  return version;
}

class NnLogReader {
 public:
  explicit NnLogReader(std::string_view text)
      : log_(nnapi::log_lines(text)), records_(log_.lines) {}

  model::NnLog read() {
    result_.has_prefixes = log_.has_prefixes;
    for (std::size_t i = 0; i < log_.lines.size(); ++i) {
      if (!records_.is_taken(i)) {
        take(i);
      }
    }
    result_.lines = log_.lines.empty() ? 0 : log_.lines.back().number;
    result_.is_cut =
        result_.is_cut || records_.is_cut() ||
        (!log_.lines.empty() && log_.lines.back().is_cut &&
         (!result_.models.empty() || !result_.requests.empty()) && !records_.ends_whole());
    return std::move(result_);
  }

 private:
  using SourceKey = std::tuple<std::string_view, std::string_view, std::string_view>;

  static SourceKey key_of(const LogLine& line) { return {line.process, line.thread, line.tag}; }

  void take(std::size_t index) {
    const LogLine& line = log_.lines[index];
    if (line.tag == "chatty") {
      Words words{line.message};
      const auto count = words.skip_to(" identical") ? words.number() : std::nullopt;
      result_.repeated_lines += static_cast<std::size_t>(count.value_or(0));
      return;
    }
    const std::string_view message = core::trim(line.message);
    if (is_line_of_model(message)) {
      take_line_of_model(index, message);
    } else if (nnapi::is_event(message)) {
      (void)nnapi::take_event(line, events_of(line));
      result_.is_cut = result_.is_cut || line.is_cut;
    } else {
      take_whole_records(index);
    }
  }

  model::NnEvents& events_of(const LogLine& line) {
    const auto [known, is_new] = processes_.try_emplace(line.process, result_.events.size());
    if (is_new) {
      result_.events.push_back({.process = std::string{line.process}, .line = line.number});
    }
    return result_.events[known->second];
  }

  // --- a model line by line

  model::NnModel& begin_model(const LogLine& line, std::string version) {
    model::NnModel model;
    model.version = std::move(version);
    model.tag = line.tag;
    model.process = line.process;
    model.line = line.number;
    model.lacks_end = true;
    result_.models.push_back(std::move(model));
    open_[key_of(line)] = result_.models.size() - 1;
    return result_.models.back();
  }

  void take_line_of_model(std::size_t index, std::string_view message) {
    const LogLine& line = log_.lines[index];
    if (is_model_start(message)) {
      const bool has_version = message.starts_with('V');
      // "V1_3"; who prints none knows one alone.
      (void)begin_model(
          line, has_version ? dotted_version(message.substr(1, message.find(':') - 1)) : "1.0");
      return;
    }
    const auto open = open_.find(key_of(line));
    const bool begins = message.starts_with("operands[") || message.starts_with("main.operands[");
    const bool has_them =
        open != open_.end() && result_.models[open->second].main.operands.announced.has_value();
    if (open == open_.end() || (begins && has_them)) {
      // The log begins in the middle of a model.
      if (!begins && !is_list_line(message)) {
        return;
      }
      (void)begin_model(line, message.starts_with(kMain) ? "1.3" : "");
    }
    model::NnModel& model = result_.models[open_[key_of(line)]];
    model.is_cut_by_log = model.is_cut_by_log || line.is_at_limit;
    if (message.starts_with(kValues)) {
      Words words{message.substr(kValues.size())};
      const auto size = words.number();
      if (!line.is_cut && words.rest().empty()) {
        model.values_size = size;
      }
    } else if (message.starts_with("pools[")) {
      read_list(index, kPools.size(), [&](const nnapi::Source& source) {
        model.pools = pools_of(source, &source.tree.root());
        model.lacks_end = !model.values_size;
      });
    } else if (message == kPools && !line.is_cut) {
      model.lacks_end = !model.values_size;
    } else if (is_list_line(message)) {
      take_list(index, message, model);
    }
  }

  void take_list(std::size_t index, std::string_view message, model::NnModel& model) {
    model::NnSubgraph* graph = &model.main;
    std::size_t begin = message.starts_with(kMain) ? kMain.size() : 0;
    if (message.starts_with(kReferenced)) {
      Words words{message.substr(kReferenced.size())};
      const auto number = words.number();
      constexpr std::uint64_t kMostSubgraphs = 10000;
      if (!number || *number > kMostSubgraphs || !words.skip("].")) {
        return;
      }
      if (model.referenced.size() <= *number) {
        model.referenced.resize(static_cast<std::size_t>(*number) + 1);
      }
      graph = &model.referenced[static_cast<std::size_t>(*number)];
      begin = message.size() - words.rest().size();
    }
    const std::string_view key = message.substr(begin, message.find('[', begin) - begin);
    read_list(index, begin + key.size(), [&](const nnapi::Source& source) {
      const nnapi::Value* const list = &source.tree.root();
      if (key == "operands") {
        graph->operands = operands_of(source, list);
      } else if (key == "operations") {
        graph->operations = operations_of(source, list);
      } else if (key == "inputIndexes") {
        graph->inputs = numbers_of(source, list);
      } else if (key == "outputIndexes") {
        graph->outputs = numbers_of(source, list);
      }
    });
  }

  // Of a line that has the list from `begin` on, behind its blanks.
  template <typename Take>
  void read_list(std::size_t index, std::size_t begin, Take take) {
    const std::string_view message = log_.lines[index].message;
    const std::size_t blanks = std::min(message.find_first_not_of(" \t"), message.size());
    (void)records_.read(index, message, blanks + begin, NnSkin::kHidl, take);
  }

  void take_whole_records(std::size_t index) {
    const LogLine& line = log_.lines[index];
    std::string_view message = line.message;
    while (true) {
      const auto found = whole_record_in(message);
      const WholeRecord* const record = found.first;
      const std::size_t begin = found.second;
      if (record == nullptr) {
        return;
      }
      const std::size_t end =
          records_.read(index, message, begin, record->skin, [&](const nnapi::Source& source) {
            if (record->is_model) {
              model::NnModel model = model_of(source);
              model.tag = line.tag;
              model.process = line.process;
              model.is_cut_by_log = line.is_at_limit;
              result_.models.push_back(std::move(model));
            } else {
              model::NnRequest request = request_of(source);
              request.process = line.process;
              result_.requests.push_back(std::move(request));
            }
          });
      message.remove_prefix(std::max(end, begin + 1));
    }
  }

  nnapi::LogLines log_;
  LogRecords records_;
  /// The model that each source is printing, line by line.
  std::map<SourceKey, std::size_t> open_;
  /// Of the events.
  std::map<std::string_view, std::size_t> processes_;
  model::NnLog result_;
};

}  // namespace

bool probe_nnapi(std::string_view text) {
  const auto has = [&](std::string_view words) {
    return text.find(words) != std::string_view::npos;
  };
  constexpr auto kTelling =
      std::to_array<std::string_view>({"Model start\n",
                                       "Model start\r\n",
                                       "operands[",
                                       "setOperandValue for operand",
                                       "setOperandValueFromMemory for operand",
                                       "{.inputs = [",
                                       "ModelBuilder::",
                                       "BufferTracker::add -- new token"});
  return std::ranges::any_of(kTelling, has) ||
         std::ranges::any_of(kWholeRecords,
                             [&](const WholeRecord& record) { return has(record.begins); });
}

model::NnLog read_nnapi(std::string_view text) {
  return NnLogReader{text}.read();
}

PlanResult read_nnapi_plan(std::string_view text, const std::string& path) {
  model::NnLog log = read_nnapi(text);
  const bool has_events = std::ranges::any_of(log.events, [](const model::NnEvents& events) {
    return !events.values.empty() || !events.bindings.empty() || !events.temporaries.empty() ||
           !events.large_pools.empty() || !events.tokens.empty() || !events.descriptors.empty() ||
           !events.allocations.empty();
  });
  if (log.models.empty() && log.requests.empty() && !has_events) {
    return core::fail(core::error(
        core::Code::kReadNoTable,
        "no model, no request and no event of NNAPI is in this log",
        {path},
        "switch them on before the model is built: adb shell setprop debug.nn.vlog all; and let "
        "logcat print its usual form: adb logcat -v threadtime"));
  }
  model::PlanReport report;
  report.lines = log.lines;
  report.missing = "a driver's own buffers are not in a log";
  report.nnapi = std::make_shared<const model::NnLog>(std::move(log));
  return report;
}

}  // namespace memsize::readers
