// Joins inputs into one recording, gives unnamed lines to the core of --core, and drops what was
// said of others. A row that one print lost is no loss where another print of its table has it.
#include "recordings.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "formats/log_formats.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;
using model::CoreRecording;

bool has_unnamed_table(const model::Recording& recording) {
  return std::ranges::any_of(recording.cores,
                             [](const auto& recorded) { return recorded.core.empty(); });
}

// Gives the name to everything that a core said without one. What the host says is of no core.
void name_core(model::Recording& recording, const std::string& core) {
  const auto unnamed = std::ranges::find_if(
      recording.cores, [](const auto& recorded) { return recorded.core.empty(); });
  const auto named = std::ranges::find_if(
      recording.cores, [&](const auto& recorded) { return recorded.core == core; });
  if (unnamed != recording.cores.end() && named != recording.cores.end()) {
    std::move(
        unnamed->instances.begin(), unnamed->instances.end(), std::back_inserter(named->instances));
    recording.cores.erase(unnamed);
  } else if (unnamed != recording.cores.end()) {
    unnamed->core = core;
  }
  const auto name = [&](auto& items, auto&& is_of_core) {
    for (auto& item : items) {
      if (item.core.empty() && is_of_core(item)) {
        item.core = core;
      }
    }
  };
  const auto always = [](const auto&) { return true; };
  name(recording.heaps, always);
  name(recording.runs, always);
  name(recording.failures,
       [](const model::Failure& failure) { return failure.kind != model::Failure::Kind::kHost; });
}

// The cores that anything in the recording is of, as people are told.
std::set<std::string> cores_in(const model::Recording& recording) {
  std::set<std::string> names;
  const auto add = [&](const auto& items) {
    for (const auto& item : items) {
      names.insert(item.core);
    }
  };
  add(recording.cores);
  add(recording.heaps);
  add(recording.failures);
  add(recording.runs);
  return names;
}

void keep_core(model::Recording& recording, const std::string& core) {
  const auto is_of_other = [&](const auto& item) {
    return item.core != core && !item.core.empty();
  };
  std::erase_if(recording.cores, is_of_other);
  std::erase_if(recording.heaps, is_of_other);
  std::erase_if(recording.failures, is_of_other);
  std::erase_if(recording.runs, is_of_other);
}

// --core names the core of lines that carry no name, and keeps only that core.
core::Result<void> apply_core(model::Recording& recording,
                              const std::string& core,
                              bool with_board) {
  if (core.empty()) {
    if (has_unnamed_table(recording)) {
      recording.diagnostics.push_back(
          core::warning(Code::kReadNoPrefix,
                        "the table's lines do not say which core printed them",
                        {},
                        with_board ? "name it with --core, else its demands size nothing"
                                   : "name it with --core"));
    }
    return {};
  }
  const std::vector<std::string> names =
      core::texts_of(cores_in(recording),
                     [&](const std::string& name) { return name.empty() ? "(no name)" : name; });
  name_core(recording, core);
  if (cores_in(recording).count(core) == 0) {
    return core::fail(
        core::error(Code::kSizingUnknownCore,
                    fmt::format("core '{}' printed no table", core::printable(core, 40)),
                    {},
                    core::did_you_mean(core, names, "tables were printed by")));
  }
  keep_core(recording, core);
  return {};
}

// What can still be told of a row that cannot be read.
struct BrokenRow {
  std::string core;
  std::optional<std::uint32_t> record;
  // As far as it is there; empty where it is not.
  std::string size;
};

// A log's reader keeps the line; what a document says of a row has none.
bool is_broken_row(const core::Diagnostic& diagnostic) {
  return diagnostic.code == Code::kReadBadRecord && !diagnostic.place.text.empty();
}

BrokenRow row_of(const core::Diagnostic& diagnostic) {
  BrokenRow row{std::string{diagnostic.party("core")}, {}, std::string{diagnostic.party("size")}};
  std::uint32_t record = 0;
  const std::string_view digits = diagnostic.party("record");
  const auto [end, failure] = std::from_chars(digits.begin(), digits.end(), record);
  if (failure == std::errc{} && end == digits.end()) {
    row.record = record;
  }
  return row;
}

// The rows of tables that were printed more than once. What a log lost of one print is there in
// another.
class OtherPrints {
 public:
  explicit OtherPrints(const model::Recording& recording) : recording_(recording) {}

  // Whether a print that was read has the row. Each stands for as many as were printed beside it.
  bool has(const BrokenRow& row, std::size_t line) {
    for (const CoreRecording& recorded : recording_.cores) {
      if (recorded.core != row.core) {
        continue;
      }
      for (const model::Instance& instance : recorded.instances) {
        for (const model::Block& block : instance.blocks) {
          if (block.record == row.record && fits(row, block) &&
              is_printed_beside(instance, block, line) && used_[&block] + 1 < 2 * instance.times) {
            ++used_[&block];
            return true;
          }
        }
      }
    }
    return false;
  }

  // Whether a table of the core has a hole where the row may have stood, which is then told.
  [[nodiscard]] bool lack(const BrokenRow& row) const {
    return std::ranges::any_of(recording_.cores, [&](const CoreRecording& recorded) {
      return recorded.core == row.core &&
             std::ranges::any_of(recorded.instances, [&](const model::Instance& instance) {
               return lacks(instance, row);
             });
    });
  }

 private:
  static bool lacks(const model::Instance& instance, const BrokenRow& row) {
    return !core::contains(instance.blocks, row.record, &model::Block::record);
  }

  // A size that was cut is the beginning of the other print's; a garbled one says nothing.
  static bool fits(const BrokenRow& row, const model::Block& block) {
    return row.size.find_first_not_of("0123456789.") != std::string::npos ||
           block.size.printed_kib.starts_with(row.size);
  }

  static bool is_printed_beside(const model::Instance& instance,
                                const model::Block& block,
                                std::size_t line) {
    const bool placed = std::ranges::any_of(
        instance.blocks, [](const model::Block& one) { return one.address.has_value(); });
    // Where a model was loaded, its first print has no addresses, its second one has. What the
    // second one lost is kept from the first.
    const bool in_first = line < block.line && placed;
    const bool in_second = line > block.line && block.line < instance.line;
    return in_first || in_second || instance.times > 1;
  }

  const model::Recording& recording_;
  std::map<const model::Block*, std::size_t> used_;
};

core::Diagnostic lost_table(const std::string& core, std::size_t rows, const core::Place& first) {
  return core::warning(
             Code::kReadBadRecord,
             fmt::format("{}{} in no table that is here: every sum is a lower bound",
                         core.empty() ? std::string{} : core::printable(core, 40) + ": ",
                         rows == 1 ? std::string{"a row that cannot be read stands"}
                                   : fmt::format("{} rows that cannot be read stand", rows)),
             {first.path, first.line},
             "the log was damaged: trace the model again")
      .about({{"core", core}});
}

// Whether it counts broken rows of another core than the one that is asked for.
bool counts_other_rows(const core::Diagnostic& diagnostic, const std::string& core) {
  const std::string_view own = diagnostic.party("core");
  return diagnostic.code == Code::kReadBadRecord && !core.empty() && !own.empty() && own != core;
}

// Leaves out what does not matter: broken rows of other cores than the one that is asked for, and
// those that another print has. Of a table that is lost as a whole, the sizing would not know.
void settle_broken_rows(model::Recording& recording, const std::string& core) {
  struct Lost {
    std::size_t rows = 0;
    core::Place first;
  };

  OtherPrints prints{recording};
  std::map<std::string, Lost> lost;
  std::erase_if(recording.diagnostics, [&](const core::Diagnostic& diagnostic) {
    if (!is_broken_row(diagnostic)) {
      return counts_other_rows(diagnostic, core);
    }
    const BrokenRow row = row_of(diagnostic);
    const bool of_other = !core.empty() && !row.core.empty() && row.core != core;
    if (of_other || prints.has(row, diagnostic.place.line)) {
      return true;
    }
    if (!prints.lack(row) && lost[row.core].rows++ == 0) {
      lost[row.core].first = diagnostic.place;
    }
    return false;
  });
  for (const auto& [name, table] : lost) {
    recording.diagnostics.push_back(lost_table(name, table.rows, table.first));
  }
}

void sort_diagnostics(core::Diagnostics& diagnostics) {
  const auto key = [](const core::Diagnostic& diagnostic) {
    return std::tuple{std::string_view{diagnostic.place.path.str()},
                      diagnostic.place.line,
                      diagnostic.place.column,
                      core::code_name(diagnostic.code),
                      std::string_view{diagnostic.message}};
  };
  std::ranges::stable_sort(diagnostics,
                           [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

}  // namespace

core::Place whole_file(const std::string& path) {
  return {path};
}

core::Result<void> RecordingJoiner::check_kind(const model::Recording& more,
                                               const std::string& path) const {
  const std::string& kind = more.inputs.front().trace_format;
  if (!recording_.inputs.empty() && recording_.inputs.front().trace_format != kind) {
    return core::fail(
        core::error(Code::kReadTableMismatch,
                    fmt::format("'{}' is a {} trace, '{}' one of {}: they cannot be one recording",
                                core::printable(first_path_),
                                recording_.inputs.front().trace_format,
                                core::printable(path),
                                kind),
                    whole_file(path),
                    "analyze them apart")
            .about({{"file", path}}));
  }
  if (!board::is_path(request_.format) &&
      !session_.files.exists(fmt::format("{}/formats/{}.toml", session_.data.boards, kind))) {
    return core::fail(
        core::error(Code::kReadSizingDocument,
                    fmt::format("document.trace_format: there is no trace format '{}'", kind),
                    whole_file(path),
                    "print the document again with: memsize analyze LOG --json"));
  }
  return {};
}

core::Result<void> RecordingJoiner::check_options(const model::Recording& more,
                                                  const std::string& path) const {
  core::Diagnostics errors;
  const auto hold = [&](const char* option,
                        const std::string& asked,
                        const std::string& first,
                        const std::string& own) {
    if (!asked.empty() || first.empty() || own.empty() || first == own) {
      return;
    }
    errors.push_back(core::error(Code::kReadSizingDocument,
                                 fmt::format("'{}' was made with --{} {}, '{}' with {}",
                                             core::printable(path),
                                             option,
                                             core::printable(own, 40),
                                             core::printable(first_document_),
                                             core::printable(first, 40)),
                                 whole_file(path),
                                 fmt::format("say which of them holds for both: --{} {}",
                                             option,
                                             core::printable(first, 40)))
                         .about({{"file", path}}));
  };
  hold("headroom", request_.headroom, recording_.headroom, more.headroom);
  hold("instances", request_.instances, recording_.instances, more.instances);
  const auto priorities = [](const std::optional<bool>& one) {
    return !one ? "" : *one ? "all at one priority" : "each at a priority of its own";
  };
  const std::string first = priorities(recording_.one_priority);
  const std::string own = priorities(more.one_priority);
  if (!request_.one_priority && !first.empty() && !own.empty() && first != own) {
    errors.push_back(
        core::error(Code::kReadSizingDocument,
                    fmt::format("the models of '{}' were counted {}, those of '{}' {}",
                                core::printable(path),
                                own,
                                core::printable(first_document_),
                                first),
                    whole_file(path),
                    "count all of them so: --one-priority; or analyze the logs again without it")
            .about({{"file", path}}));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

core::Result<void> RecordingJoiner::add(model::Recording more, const std::string& path) {
  MEMSIZE_TRY(check_kind(more, path));
  MEMSIZE_TRY(check_options(more, path));
  if (first_path_.empty()) {
    first_path_ = path;
  }
  if (first_document_.empty() && !more.headroom.empty()) {
    first_document_ = path;
  }
  settle_broken_rows(more, request_.core);
  model::append(recording_, std::move(more));
  return {};
}

core::Result<model::Recording> RecordingJoiner::finish() {
  sort_diagnostics(recording_.diagnostics);
  const auto named = apply_core(recording_, request_.core, !request_.board.name.empty());
  MEMSIZE_TRY(named);
  model::sort(recording_);
  model::count_once(recording_);
  return std::move(recording_);
}

}  // namespace memsize::app
