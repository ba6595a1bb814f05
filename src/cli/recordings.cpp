#include "recordings.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;
using model::CoreRecording;

core::Place whole_file(const std::string& path) {
  core::Place place;
  place.path = path;
  return place;
}

bool has_unnamed_table(const model::Recording& recording) {
  return std::any_of(recording.cores.begin(), recording.cores.end(), [](const auto& recorded) {
    return recorded.core.empty();
  });
}

// Gives the name to everything that a core said without one. What the host says is of no core.
void name_core(model::Recording& recording, const std::string& core) {
  const auto unnamed = std::find_if(recording.cores.begin(),
                                    recording.cores.end(),
                                    [](const auto& recorded) { return recorded.core.empty(); });
  const auto named = std::find_if(recording.cores.begin(),
                                  recording.cores.end(),
                                  [&](const auto& recorded) { return recorded.core == core; });
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
  std::vector<std::string> names;
  for (const std::string& name : cores_in(recording)) {
    names.push_back(name.empty() ? "(no name)" : name);
  }
  name_core(recording, core);
  if (cores_in(recording).count(core) == 0) {
    const std::string hint = core::did_you_mean(core, names);
    return core::fail(core::error(
        Code::kSizingUnknownCore,
        fmt::format("core '{}' printed no table", core::printable(core, 40)),
        {},
        hint.empty() ? fmt::format("tables were printed by: {}", core::join(names, ", ")) : hint));
  }
  keep_core(recording, core);
  return {};
}

void sort_diagnostics(core::Diagnostics& diagnostics) {
  const auto key = [](const core::Diagnostic& diagnostic) {
    return std::tuple{std::string_view{diagnostic.place.path.str()},
                      diagnostic.place.line,
                      diagnostic.place.column,
                      core::code_name(diagnostic.code),
                      std::string_view{diagnostic.message}};
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [&](const auto& a, const auto& b) {
    return key(a) < key(b);
  });
}

}  // namespace

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
                    "analyze them apart"));
  }
  if (!session_.files.exists(fmt::format("{}/formats/{}.toml", session_.data.boards, kind))) {
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
    errors.push_back(core::error(
        Code::kReadSizingDocument,
        fmt::format("'{}' was made with --{} {}, '{}' with {}",
                    core::printable(path),
                    option,
                    core::printable(own, 40),
                    core::printable(first_document_),
                    core::printable(first, 40)),
        whole_file(path),
        fmt::format(
            "say which of them holds for both: --{} {}", option, core::printable(first, 40))));
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
                    "count all of them so: --one-priority; or analyze the logs again without it"));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return {};
}

core::Result<void> RecordingJoiner::add(model::Recording more, const std::string& path) {
  if (auto kind = check_kind(more, path); !kind) {
    return kind;
  }
  if (auto options = check_options(more, path); !options) {
    return options;
  }
  if (first_path_.empty()) {
    first_path_ = path;
  }
  if (first_document_.empty() && !more.headroom.empty()) {
    first_document_ = path;
  }
  model::append(recording_, std::move(more));
  return {};
}

core::Result<model::Recording> RecordingJoiner::finish() {
  sort_diagnostics(recording_.diagnostics);
  const auto named = apply_core(recording_, request_.core, !request_.board.name.empty());
  if (!named) {
    return tl::make_unexpected(named.error());
  }
  model::sort(recording_);
  return std::move(recording_);
}

}  // namespace memsize::cli
