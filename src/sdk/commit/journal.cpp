// Prints the journal and reads it back, with every path checked: a journal comes with a tree, and
// must lead to no file outside of it. What is damaged is refused as a whole.
#include "journal.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/describe.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/sdk/transaction.hpp"

#include <algorithm>
#include <iterator>
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

std::string damaged_hint() {
  return fmt::format(
      "nothing was changed; to put the originals back by hand, copy what is in "
      "{0}/backup over the tree, then remove {0}",
      kOwnFolder);
}

bool has_only(const std::string& text, std::string_view digits) {
  return text.find_first_not_of(digits) == std::string::npos;
}

// A path below the root.
template <typename Visitor>
void describe_path(Visitor& visit, auto& path) {
  visit.required("path", path);
  const std::string why = why_unsafe(path);
  visit.check(
      "path", why.empty(), fmt::format("'{}' {}", core::printable(path, kShownOfJournal), why));
}

template <typename Visitor>
void describe_mode(Visitor& visit, auto& mode) {
  constexpr std::size_t kMost = 4;
  std::string digits = fmt::format("{:04o}", mode);
  visit.required("mode", digits);
  const bool is_mode = !digits.empty() && digits.size() <= kMost && has_only(digits, "01234567");
  visit.check("mode", is_mode, "it must be up to four octal digits");
  if constexpr (Visitor::kReads) {
    mode = 0;
    for (const char digit : is_mode ? digits : std::string{}) {
      mode = mode * 8 + static_cast<unsigned>(digit - '0');
    }
  }
}

}  // namespace

template <typename Visitor>
void describe(Visitor& visit, docs::Of<FileState> auto& state) {
  if constexpr (Visitor::kReads) {
    Fields& of = visit.fields();
    const Value absent = of.value()["absent"];
    if (absent && (of.value().size() != 1 || !absent.is(Kind::kBoolean) || !absent.boolean())) {
      of.wrong(of.value(), "a file that is absent has nothing else");
    }
    state.exists = !absent;
  }
  if (!state.exists) {
    bool is_absent = true;
    return visit.optional("absent", is_absent, false);
  }
  constexpr std::size_t kDigits = 64;
  visit.required("sha256", state.sha256);
  visit.check("sha256",
              state.sha256.size() == kDigits && has_only(state.sha256, "0123456789abcdef"),
              "it must be 64 hexadecimal digits");
  if constexpr (Visitor::kReads) {
    state.size = visit.fields().number("size_bytes").value_or(0);
  } else {
    visit.required("size_bytes", state.size);
  }
  describe_mode(visit, state.mode);
  visit.optional("mtime_ns", state.mtime_ns);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Journal::Pending> auto& pending) {
  visit.required("from", pending.from);
  visit.required("to", pending.to);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Journal::File> auto& file) {
  describe_path(visit, file.path);
  visit.required("original", file.original);
  visit.optional("applied", file.applied);
  visit.optional("pending", file.pending);
  // Only folders that lead to the file: others are not ours to remove.
  visit.optional("folders", file.folders);
  visit.check("folders",
              std::ranges::all_of(file.folders,
                                  [&](const std::string& folder) {
                                    return !folder.empty() && file.path.starts_with(folder + "/");
                                  }),
              "it must be folders that the path leads through");
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Journal::FolderTime> auto& folder) {
  if constexpr (Visitor::kReads) {
    folder.path = visit.fields().value()["path"].text();
  }
  if (folder.path == ".") {
    visit.required("path", folder.path);
  } else {
    describe_path(visit, folder.path);
  }
  visit.required("original_ns", folder.original_ns);
  visit.optional("applied_ns", folder.applied_ns);
}

template <typename Visitor>
void describe(Visitor& visit, docs::Of<Journal> auto& journal) {
  visit.required("state", journal.state);
  visit.required("description", journal.description);
  visit.required("files", journal.files);
  visit.optional("folder_times", journal.folder_times);
}

namespace {

// What no file of a journal says alone.
void check_files(Fields& top, const Journal& journal) {
  auto file = journal.files.begin();
  for (Fields& of : top.tables("files")) {
    if (file != journal.files.begin() && file->path <= std::prev(file)->path) {
      of.wrong("path", "paths must be sorted, and stand once");
    }
    if (!file->applied && (!file->pending || journal.state == Journal::State::kApplied)) {
      of.wrong(of.value(), "it says of no change");
    }
    ++file;
  }
  if (journal.files.empty()) {
    top.wrong("files", "it must not be empty");
  }
}

core::Result<Journal> read(Value document) {
  core::Diagnostics errors;
  const docs::Voice voice = docs::Voice::of(Code::kSdkJournal, damaged_hint(), kDamaged);
  Fields top{document, {}, errors, voice};
  const docs::Text schema = top.is_table() ? top.required_text("schema") : docs::Text{};
  if (schema.written && schema.text != kSchema) {
    errors.push_back(
        core::error(Code::kSdkJournal,
                    fmt::format("the journal is of another version: '{}'; this memsize reads {}",
                                core::printable(schema.text, kShownOfJournal),
                                kSchema),
                    schema.place,
                    "nothing was changed; use the memsize that changed the tree"));
  }
  Journal journal;
  docs::Reader reader{top};
  if (errors.empty()) {
    describe(reader, journal);
  }
  if (errors.empty()) {
    check_files(top, journal);
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return journal;
}

core::Result<Journal> read_journal(std::string_view text, const std::string& path) {
  auto document = docs::parse_json(text, path, Code::kSdkJournal, damaged_hint());
  if (!document) {
    core::Diagnostic& error = document.error().front();
    error.message = kDamaged + error.message;
    return tl::make_unexpected(std::move(document.error()));
  }
  return read(document->root());
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
  core::Json json = {{"schema", kSchema}};
  docs::Writer writer{json};
  describe(writer, journal);
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
