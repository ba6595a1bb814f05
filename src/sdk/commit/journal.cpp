// Prints the journal and reads it back, with every path checked: a journal comes with a tree, and
// must lead to no file outside of it. What is damaged is refused as a whole.
#include "journal.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/json_keys.hpp"
#include "memsize/core/text.hpp"
#include "memsize/sdk/transaction.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::sdk {

namespace {

using core::Code;
using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "memsize.journal/1";
constexpr std::size_t kShownOfJournal = 80;
constexpr unsigned kPermissions = 07777;

std::string_view name_of(Journal::State state) {
  switch (state) {
    case Journal::State::kApplying:
      return "applying";
    case Journal::State::kReverting:
      return "reverting";
    case Journal::State::kApplied:
      break;
  }
  return "applied";
}

core::Json json_of(const FileState& state) {
  if (!state.exists) {
    return {{"absent", true}};
  }
  core::Json json = {{"sha256", state.sha256},
                     {"size_bytes", state.size},
                     {"mode", fmt::format("{:04o}", state.mode)}};
  if (state.mtime_ns) {
    json["mtime_ns"] = *state.mtime_ns;
  }
  return json;
}

core::Json json_of(const Journal::File& file) {
  core::Json json = {{"path", file.path}, {"original", json_of(file.original)}};
  if (file.applied) {
    json["applied"] = json_of(*file.applied);
  }
  if (file.pending) {
    json["pending"] = {{"from", json_of(file.pending->from)}, {"to", json_of(file.pending->to)}};
  }
  if (!file.folders.empty()) {
    json["folders"] = file.folders;
  }
  return json;
}

core::Diagnostic damaged(const std::string& path, const std::string& what) {
  core::Place place;
  place.path = path;
  return core::error(
      Code::kSdkJournal,
      "the journal is damaged: " + what,
      place,
      fmt::format("nothing was changed; to put the originals back by hand, copy what is in "
                  "{0}/backup over the tree, then remove {0}",
                  kOwnFolder));
}

// The byte at which the parser gave up, as a place.
core::Place place_of(const std::string& path, std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte == 0 ? 0 : byte - 1, text.size()));
  core::Place place;
  place.path = path;
  place.line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::size_t line_start = before.rfind('\n');
  place.column = before.size() - (line_start == std::string_view::npos ? 0 : line_start + 1) + 1;
  place.length = 1;
  return place;
}

class JournalReader {
 public:
  JournalReader(std::string path, std::string_view source)
      : path_(std::move(path)), source_(source) {}

  core::Result<Journal> read(const Json& json) {
    Journal journal;
    const std::string schema = text(json, "schema", "");
    if (errors_.empty() && schema != kSchema) {
      core::Diagnostic error = damaged(path_, {});
      error.message = fmt::format("the journal is of another version: '{}'; this memsize reads {}",
                                  core::printable(schema, kShownOfJournal),
                                  kSchema);
      error.hint = "nothing was changed; use the memsize that changed the tree";
      point_at(schema, error);
      errors_.push_back(std::move(error));
    }
    if (!errors_.empty()) {
      return refused();
    }
    journal.state = state(json);
    journal.description = text(json, "description", "");
    const Json* files = member(json, "files", "");
    if (files != nullptr && (!files->is_array() || files->empty())) {
      wrong("files", "it must be an array that is not empty");
    } else if (files != nullptr) {
      for (std::size_t i = 0; i < files->size(); ++i) {
        add_file((*files)[i], fmt::format("files[{}]", i), journal);
      }
    }
    if (json.contains("folder_times")) {
      read_folder_times(json["folder_times"], journal);
    }
    if (!errors_.empty()) {
      return refused();
    }
    return journal;
  }

 private:
  tl::unexpected<core::Diagnostics> refused() {
    core::add_text(errors_, path_, source_);
    return tl::make_unexpected(std::move(errors_));
  }

  // Where the text stands first, in quotes. One that is written with other escapes is not found.
  void point_at(const std::string& value, core::Diagnostic& error) const {
    const std::string quoted = Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
    const std::size_t at = source_.find(quoted);
    if (at != std::string_view::npos) {
      error.place = place_of(path_, source_, at + 1);
      error.place.length = quoted.size();
    }
  }

  void wrong(const std::string& at, const std::string& what) {
    errors_.push_back(damaged(path_, at.empty() ? what : fmt::format("{}: {}", at, what)));
  }

  static std::string below(const std::string& at, const char* key) {
    return at.empty() ? key : fmt::format("{}.{}", at, key);
  }

  const Json* member(const Json& json, const char* key, const std::string& at) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (found == json.end()) {
      wrong(at, fmt::format("'{}' is missing", key));
      return nullptr;
    }
    return &*found;
  }

  std::string text(const Json& json, const char* key, const std::string& at) {
    const Json* found = member(json, key, at);
    if (found != nullptr && !found->is_string()) {
      wrong(below(at, key), "it must be a string");
      return {};
    }
    return found == nullptr ? std::string{} : found->get<std::string>();
  }

  Journal::State state(const Json& json) {
    const std::string name = text(json, "state", "");
    for (const auto state :
         {Journal::State::kApplying, Journal::State::kApplied, Journal::State::kReverting}) {
      if (name == name_of(state)) {
        return state;
      }
    }
    if (errors_.empty()) {
      wrong("state",
            fmt::format("it must be applying, applied or reverting, not '{}'",
                        core::printable(name, kShownOfJournal)));
    }
    return Journal::State::kApplied;
  }

  std::string safe_path(std::string path, const std::string& at) {
    if (const std::string why = why_unsafe(path); !why.empty()) {
      wrong(at, fmt::format("'{}' {}", core::printable(path, kShownOfJournal), why));
      point_at(path, errors_.back());
    }
    return path;
  }

  FileState file_state(const Json& json, const std::string& at) {
    FileState state;
    if (json.is_object() && json.contains("absent")) {
      if (json.size() != 1 || json["absent"] != true) {
        wrong(at, "a file that is absent has nothing else");
      }
      return state;
    }
    state.exists = true;
    state.sha256 = text(json, "sha256", at);
    constexpr std::size_t kDigits = 64;
    if (state.sha256.size() != kDigits ||
        state.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
      wrong(below(at, "sha256"), "it must be 64 hexadecimal digits");
    }
    const Json* size = member(json, "size_bytes", at);
    if (size != nullptr && !size->is_number_unsigned()) {
      wrong(below(at, "size_bytes"), "it must be a whole number");
    } else if (size != nullptr) {
      state.size = size->get<std::uint64_t>();
    }
    state.mode = mode(text(json, "mode", at), below(at, "mode"));
    state.mtime_ns = time(json, "mtime_ns", at);
    return state;
  }

  unsigned mode(const std::string& digits, const std::string& at) {
    constexpr std::size_t kMost = 4;
    if (digits.empty() || digits.size() > kMost ||
        digits.find_first_not_of("01234567") != std::string::npos) {
      wrong(at, "it must be up to four octal digits");
      return 0;
    }
    unsigned mode = 0;
    for (const char digit : digits) {
      mode = mode * 8 + static_cast<unsigned>(digit - '0');
    }
    return mode & kPermissions;
  }

  void add_file(const Json& json, const std::string& at, Journal& journal) {
    Journal::File file;
    file.path = safe_path(text(json, "path", at), below(at, "path"));
    if (!journal.files.empty() && file.path <= journal.files.back().path) {
      wrong(below(at, "path"), "paths must be sorted, and stand once");
    }
    if (const Json* original = member(json, "original", at)) {
      file.original = file_state(*original, below(at, "original"));
    }
    if (json.is_object() && json.contains("applied")) {
      file.applied = file_state(json["applied"], below(at, "applied"));
    }
    if (json.is_object() && json.contains("pending")) {
      const std::string inner = below(at, "pending");
      const Json* from = member(json["pending"], "from", inner);
      const Json* to = member(json["pending"], "to", inner);
      if (from != nullptr && to != nullptr) {
        file.pending = Journal::Pending{file_state(*from, below(inner, "from")),
                                        file_state(*to, below(inner, "to"))};
      }
    }
    if (!file.applied && (!file.pending || journal.state == Journal::State::kApplied)) {
      wrong(at, "it says of no change");
    }
    if (json.is_object() && json.contains("folders")) {
      read_folders(json["folders"], below(at, "folders"), file);
    }
    journal.files.push_back(std::move(file));
  }

  // Only folders that lead to the file: others are not ours to remove.
  void read_folders(const Json& json, const std::string& at, Journal::File& file) {
    if (!json.is_array()) {
      wrong(at, "it must be an array");
      return;
    }
    for (const Json& item : json) {
      const std::string folder = item.is_string() ? item.get<std::string>() : std::string{};
      if (folder.empty() || !file.path.starts_with(folder + "/")) {
        wrong(at, "it must be folders that the path leads through");
        return;
      }
      file.folders.push_back(folder);
    }
  }

  std::optional<std::int64_t> time(const Json& json, const char* key, const std::string& at) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (found == json.end()) {
      return std::nullopt;
    }
    if (!found->is_number_integer()) {
      wrong(below(at, key), "it must be a whole number");
      return std::nullopt;
    }
    return found->get<std::int64_t>();
  }

  void read_folder_times(const Json& json, Journal& journal) {
    if (!json.is_array()) {
      wrong("folder_times", "it must be an array");
      return;
    }
    for (std::size_t i = 0; i < json.size(); ++i) {
      const std::string at = fmt::format("folder_times[{}]", i);
      Journal::FolderTime folder;
      folder.path = text(json[i], "path", at);
      if (folder.path != ".") {
        folder.path = safe_path(folder.path, below(at, "path"));
      }
      const auto original = time(json[i], "original_ns", at);
      if (!original) {
        wrong(at, "'original_ns' is missing");
      }
      folder.original_ns = original.value_or(0);
      folder.applied_ns = time(json[i], "applied_ns", at);
      journal.folder_times.push_back(std::move(folder));
    }
  }

  std::string path_;
  std::string_view source_;
  core::Diagnostics errors_;
};

}  // namespace

bool same_bytes(const FileState& a, const FileState& b) {
  return a.exists == b.exists && a.size == b.size && a.sha256 == b.sha256;
}

const Journal::File* Journal::find(std::string_view path) const {
  const auto found = std::lower_bound(
      files.begin(), files.end(), path, [](const File& file, std::string_view name) {
        return file.path < name;
      });
  return found == files.end() || found->path != path ? nullptr : &*found;
}

Journal::File& Journal::file(const std::string& path) {
  const auto at = std::lower_bound(
      files.begin(), files.end(), path, [](const File& file, const std::string& name) {
        return file.path < name;
      });
  if (at != files.end() && at->path == path) {
    return *at;
  }
  File added;
  added.path = path;
  return *files.insert(at, std::move(added));
}

std::string why_unsafe(std::string_view path) {
  if (path.empty()) {
    return "is no path";
  }
  if (path.starts_with('/')) {
    return "is absolute";
  }
  const bool has_control = std::any_of(path.begin(), path.end(), [](char c) {
    constexpr char kDelete = 0x7F;
    return (c >= 0 && c < ' ') || c == kDelete;
  });
  if (!core::is_utf8(path) || has_control) {
    return "has characters that no path of an SDK has";
  }
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") {
      return "has an empty part, or one of dots";
    }
    if (part == kOwnFolder) {
      return fmt::format("leads into a {} folder", kOwnFolder);
    }
    at = end + 1;
  }
  return {};
}

std::string print_journal(const Journal& journal) {
  core::Json json = {{"schema", kSchema},
                     {"state", name_of(journal.state)},
                     {"description", journal.description},
                     {"files", core::Json::array()}};
  for (const Journal::File& file : journal.files) {
    json["files"].push_back(json_of(file));
  }
  for (const Journal::FolderTime& folder : journal.folder_times) {
    core::Json item = {{"path", folder.path}, {"original_ns", folder.original_ns}};
    if (folder.applied_ns) {
      item["applied_ns"] = *folder.applied_ns;
    }
    json["folder_times"].push_back(std::move(item));
  }
  return json.pretty() + "\n";
}

core::Result<Journal> parse_journal(std::string_view text, const std::string& path) {
  Json json;
  std::size_t gave_up_at = 0;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& problem) {
    gave_up_at = problem.byte;
    json = Json::value_t::discarded;
  } catch (const Json::exception&) {
    // A number that no type holds.
    json = Json::value_t::discarded;
  }
  if (json.is_discarded()) {
    core::Diagnostics errors = {damaged(path, "it is not valid JSON")};
    errors.front().place = place_of(path, text, gave_up_at);
    core::add_text(errors, path, text);
    return tl::make_unexpected(std::move(errors));
  }
  if (!json.is_object()) {
    return core::fail(damaged(path, "it is no object"));
  }
  if (const auto twice = core::repeated_key(text)) {
    core::Diagnostics errors = {
        damaged(path, fmt::format("an object has '{}' twice", core::printable(twice->key, 40)))};
    errors.front().place.path = path;
    errors.front().place.line = twice->line;
    errors.front().place.column = twice->column;
    core::add_text(errors, path, text);
    return tl::make_unexpected(std::move(errors));
  }
  return JournalReader{path, text}.read(json);
}

}  // namespace memsize::sdk
