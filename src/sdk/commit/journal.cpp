// Prints the journal and reads it back, with every path checked: a journal comes with a tree, and
// must lead to no file outside of it. What is damaged is refused as a whole.
#include "journal.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/sdk/transaction.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;
using docs::Fields;
using docs::Kind;
using docs::Value;

constexpr const char* kSchema = "memsize.journal/1";
constexpr std::size_t kShownOfJournal = 80;
constexpr const char* kDamaged = "the journal is damaged: ";
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

std::string damaged_hint() {
  return fmt::format(
      "nothing was changed; to put the originals back by hand, copy what is in "
      "{0}/backup over the tree, then remove {0}",
      kOwnFolder);
}

class JournalReader {
 public:
  core::Result<Journal> read(Value document) {
    Fields top{document, {}, errors_, voice_};
    if (top.is_table()) {
      check_schema(top);
    }
    Journal journal;
    if (errors_.empty()) {
      read_members(top, journal);
    }
    if (!errors_.empty()) {
      return tl::make_unexpected(std::move(errors_));
    }
    return journal;
  }

 private:
  void check_schema(Fields& top) {
    const docs::Text schema = top.required_text("schema");
    if (schema.written && schema.text != kSchema) {
      errors_.push_back(
          core::error(Code::kSdkJournal,
                      fmt::format("the journal is of another version: '{}'; this memsize reads {}",
                                  core::printable(schema.text, kShownOfJournal),
                                  kSchema),
                      schema.place,
                      "nothing was changed; use the memsize that changed the tree"));
    }
  }

  void read_members(Fields& top, Journal& journal) {
    const std::string state = top.one_of("state", {"applying", "applied", "reverting"});
    for (const auto each : {Journal::State::kApplying, Journal::State::kReverting}) {
      journal.state = state == name_of(each) ? each : journal.state;
    }
    journal.description = top.required_string("description");
    for (Fields& file : top.required_tables("files")) {
      add_file(file, journal);
    }
    if (errors_.empty() && journal.files.empty()) {
      top.wrong("files", "it must not be empty");
    }
    for (Fields& folder : top.tables("folder_times")) {
      read_folder_time(folder, journal);
    }
  }

  static std::string safe_path(Fields& of) {
    const docs::Text path = of.required_text("path");
    if (const std::string why = why_unsafe(path.text); path.written && !why.empty()) {
      of.wrong("path", fmt::format("'{}' {}", core::printable(path.text, kShownOfJournal), why));
    }
    return path.text;
  }

  static FileState file_state(Fields of) {
    FileState state;
    const Value absent = of.value()["absent"];
    if (absent) {
      if (of.value().size() != 1 || !absent.is(Kind::kBoolean) || !absent.boolean()) {
        of.wrong(of.value(), "a file that is absent has nothing else");
      }
      return state;
    }
    state.exists = true;
    const docs::Text hash = of.required_text("sha256");
    constexpr std::size_t kDigits = 64;
    if (hash.written && (hash.text.size() != kDigits ||
                         hash.text.find_first_not_of("0123456789abcdef") != std::string::npos)) {
      of.wrong("sha256", "it must be 64 hexadecimal digits");
    }
    state.sha256 = hash.text;
    state.size = of.number("size_bytes").value_or(0);
    state.mode = mode(of);
    state.mtime_ns = time(of, "mtime_ns");
    return state;
  }

  static unsigned mode(Fields& of) {
    constexpr std::size_t kMost = 4;
    const docs::Text digits = of.required_text("mode");
    if (digits.written && (digits.text.empty() || digits.text.size() > kMost ||
                           digits.text.find_first_not_of("01234567") != std::string::npos)) {
      of.wrong("mode", "it must be up to four octal digits");
      return 0;
    }
    unsigned mode = 0;
    for (const char digit : digits.text) {
      mode = mode * 8 + static_cast<unsigned>(digit - '0');
    }
    return mode & kPermissions;
  }

  static void add_file(Fields& of, Journal& journal) {
    Journal::File file;
    file.path = safe_path(of);
    if (!journal.files.empty() && file.path <= journal.files.back().path) {
      of.wrong("path", "paths must be sorted, and stand once");
    }
    file.original = file_state(of.table("original"));
    if (of.has("applied")) {
      file.applied = file_state(of.table("applied"));
    }
    if (of.has("pending")) {
      Fields pending = of.table("pending");
      file.pending =
          Journal::Pending{file_state(pending.table("from")), file_state(pending.table("to"))};
    }
    if (!file.applied && (!file.pending || journal.state == Journal::State::kApplied)) {
      of.wrong(of.value(), "it says of no change");
    }
    // Only folders that lead to the file: others are not ours to remove.
    file.folders = of.strings("folders");
    if (std::ranges::any_of(file.folders, [&](const std::string& folder) {
          return folder.empty() || !file.path.starts_with(folder + "/");
        })) {
      of.wrong("folders", "it must be folders that the path leads through");
    }
    journal.files.push_back(std::move(file));
  }

  static std::optional<std::int64_t> time(Fields& of, const char* key) {
    const Value time = of.optional(key, Kind::kWhole);
    return time ? std::optional{time.integer()} : std::nullopt;
  }

  static void read_folder_time(Fields& of, Journal& journal) {
    Journal::FolderTime folder;
    folder.path = of.value()["path"].text() == "." ? "." : safe_path(of);
    if (!of.has("original_ns")) {
      (void)of.required("original_ns", Kind::kWhole);
    }
    folder.original_ns = time(of, "original_ns").value_or(0);
    folder.applied_ns = time(of, "applied_ns");
    journal.folder_times.push_back(std::move(folder));
  }

  docs::Voice voice_ = docs::Voice::of(Code::kSdkJournal, damaged_hint(), kDamaged);
  core::Diagnostics errors_;
};

core::Result<Journal> read_journal(std::string_view text, const std::string& path) {
  auto document = docs::parse_json(text, path, Code::kSdkJournal, damaged_hint());
  if (!document) {
    core::Diagnostic& error = document.error().front();
    error.message = kDamaged + error.message;
    return tl::make_unexpected(std::move(document.error()));
  }
  return JournalReader{}.read(document->root());
}

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
  const bool has_control = std::ranges::any_of(path, [](char c) {
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
  auto journal = read_journal(text, path);
  if (!journal) {
    core::add_text(journal.error(), path, text);
  }
  return journal;
}

}  // namespace memsize::sdk
