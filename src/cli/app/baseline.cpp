// Reads the file with the place of every entry, so that one that is fixed can be shown where it
// stands, and writes it sorted. An entry counts as fixed only where nothing hid findings.
#include "baseline.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/json_keys.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::cli {

namespace {

using core::Code;
using nlohmann::json;

constexpr const char* kBaselineSchema = "memsize.baseline/1";
constexpr const char* kHint = "write it again with --write-baseline";

// Whether a path may go on with the letter.
bool in_path(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '/';
}

// Every mention of the folder, which may end there or go on with a slash, becomes the name.
std::string at_home(std::string text, const Home& home) {
  std::size_t at = text.find(home.folder);
  while (at != std::string::npos && !home.folder.empty()) {
    std::size_t end = at + home.folder.size();
    const bool begins = at == 0 || !in_path(text[at - 1]);
    const bool ends = end == text.size() || text[end] == '/' || !in_path(text[end]);
    if (!begins || !ends) {
      at = text.find(home.folder, end);
      continue;
    }
    if (home.name.empty() && end < text.size() && text[end] == '/') {
      ++end;
    }
    text.replace(at, end - at, home.name);
    at = text.find(home.folder, at + home.name.size());
  }
  return text;
}

// A document holds UTF-8 only.
std::string at_homes(std::string text, const Homes& homes) {
  for (const Home& home : homes) {
    text = at_home(std::move(text), home);
  }
  return core::printable(text, std::string::npos);
}

// Of a JSON text, a byte at a time, counting where it is.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* taken) : at_(at), taken_(taken) {}

  reference operator*() const { return *at_; }

  CountingIterator& operator++() {
    ++at_;
    ++*taken_;
    return *this;
  }

  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* at_;
  std::size_t* taken_;
};

class BaselineReader {
 public:
  BaselineReader(const std::string& path, const std::string& text) : path_(path), text_(text) {}

  core::Result<Baseline> run() {
    json document;
    try {
      std::size_t taken = 0;
      document = json::parse(CountingIterator{text_.data(), &taken},
                             CountingIterator{text_.data() + text_.size(), &taken},
                             [&](int depth, json::parse_event_t event, const json& parsed) {
                               note_places(depth, event, parsed, taken);
                               return true;
                             });
    } catch (const json::parse_error& problem) {
      wrong(place_of(problem.byte), "this is no JSON from here on");
      return finish({});
    }
    if (const auto twice = core::repeated_key(text_)) {
      core::Place place;
      place.path = path_;
      place.line = twice->line;
      place.column = twice->column;
      wrong(place, fmt::format("an object has '{}' twice", core::printable(twice->key, 40)));
    } else if (!document.is_object()) {
      wrong(place_of(1), "this is no object of JSON");
    } else if (document.value("schema", json{}) != kBaselineSchema) {
      wrong(schema_,
            fmt::format("this is no baseline: its 'schema' must be \"{}\"", kBaselineSchema));
    } else if (const auto findings = document.find("findings");
               findings == document.end() || !findings->is_array()) {
      wrong(findings_, "'findings' must be an array");
    } else {
      return finish(read(*findings));
    }
    return finish({});
  }

 private:
  void note_places(int depth, json::parse_event_t event, const json& parsed, std::size_t taken) {
    constexpr int kOfItems = 2;
    if (depth == 1 && event == json::parse_event_t::key) {
      key_ = parsed.get<std::string>();
      // Keys that matter here have no escapes, so that the quotes are where they seem to be.
      const std::size_t quoted = key_.size() + 2;
      core::Place place = place_of(taken < quoted ? taken : taken - quoted + 1);
      place.length = quoted;
      if (key_ == "schema") {
        schema_ = place;
      } else if (key_ == "findings") {
        findings_ = place;
        items_.clear();
      }
    }
    const bool begins = event == json::parse_event_t::object_start ||
                        event == json::parse_event_t::array_start ||
                        event == json::parse_event_t::value;
    if (depth == kOfItems && begins && key_ == "findings") {
      items_.push_back(place_of(taken));
      if (event == json::parse_event_t::value) {
        // This is where the value ends.
        items_.back().column = 0;
      }
    }
  }

  std::vector<BaselineEntry> read(const json& findings) {
    std::vector<BaselineEntry> entries;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const core::Place place = i < items_.size() ? items_[i] : findings_;
      const json& item = findings[i];
      BaselineEntry entry;
      entry.place = place;
      const bool good = item.is_object() && text_of(item, "code", true, place, entry.key.code) &&
                        text_of(item, "path", true, place, entry.key.path) &&
                        text_of(item, "message", true, place, entry.message) &&
                        text_of(item, "why", false, place, entry.why) &&
                        read_about(item, place, entry);
      if (!item.is_object()) {
        wrong(place, "a finding is an object with 'code', 'path' and 'message'");
      }
      if (good) {
        entries.push_back(std::move(entry));
      }
    }
    return entries;
  }

  bool read_about(const json& item, const core::Place& place, BaselineEntry& entry) {
    const auto found = item.find("about");
    if (found == item.end()) {
      entry.key.message = entry.message;
      return true;
    }
    if (!found->is_array() || found->empty() ||
        !std::all_of(
            found->begin(), found->end(), [](const json& one) { return one.is_string(); })) {
      wrong(place, "'about' of this finding must be an array of strings");
      return false;
    }
    entry.key.about = found->get<std::vector<std::string>>();
    return true;
  }

  bool text_of(const json& item,
               const char* key,
               bool is_required,
               const core::Place& place,
               std::string& text) {
    const auto found = item.find(key);
    if (found == item.end() && !is_required) {
      return true;
    }
    if (found == item.end() || !found->is_string()) {
      wrong(place,
            found == item.end() ? fmt::format("this finding has no '{}'", key)
                                : fmt::format("'{}' of this finding must be a string", key));
      return false;
    }
    text = found->get<std::string>();
    return true;
  }

  // The byte counts from 1.
  [[nodiscard]] core::Place place_of(std::size_t byte) const {
    const std::string_view before =
        std::string_view{text_}.substr(0, std::min(byte == 0 ? 0 : byte - 1, text_.size()));
    core::Place place;
    place.path = path_;
    place.line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t line_end = before.rfind('\n');
    place.column = before.size() - (line_end == std::string_view::npos ? 0 : line_end + 1) + 1;
    place.length = 1;
    return place;
  }

  void wrong(core::Place place, const std::string& what) {
    if (place.path.empty()) {
      place.path = path_;
    }
    errors_.push_back(core::error(Code::kCheckBaseline, what, std::move(place), kHint));
  }

  core::Result<Baseline> finish(std::vector<BaselineEntry> entries) {
    if (errors_.empty()) {
      return Baseline{std::move(entries)};
    }
    core::add_text(errors_, path_, text_);
    return tl::make_unexpected(std::move(errors_));
  }

  const std::string& path_;
  const std::string& text_;
  /// The key of the document that is being parsed.
  std::string key_;
  core::Place schema_;
  core::Place findings_;
  /// Where the findings begin.
  std::vector<core::Place> items_;
  core::Diagnostics errors_;
};

std::map<FindingKey, std::string> reasons_of(const Baseline& baseline) {
  std::map<FindingKey, std::string> reasons;
  for (const BaselineEntry& entry : baseline.entries) {
    reasons[entry.key] = entry.why;
  }
  return reasons;
}

// Whether something was not read, in which other findings may be.
bool hides_findings(const core::Diagnostic& found) {
  return could_not_look(found) || found.code == Code::kSdkMissing ||
         (found.severity == core::Severity::kError &&
          (found.code == Code::kSdkScript || found.code == Code::kSdkName ||
           found.code == Code::kVerifyParse));
}

bool is_below(const std::string& path, const Homes& homes) {
  return std::any_of(homes.begin(), homes.end(), [&](const Home& home) {
    return home.name.empty() || path == home.name || path.starts_with(home.name + "/");
  });
}

}  // namespace

FindingKey key_of(const core::Diagnostic& finding, const Homes& homes) {
  FindingKey key = older_key_of(finding, homes);
  for (const core::Party& party : finding.parties) {
    key.about.push_back(at_homes(fmt::format("{} {}", party.kind, party.name), homes));
  }
  if (!key.about.empty()) {
    key.message.clear();
  }
  return key;
}

FindingKey older_key_of(const core::Diagnostic& finding, const Homes& homes) {
  FindingKey key{finding.place.path.str(),
                 std::string{core::code_name(finding.code)},
                 {},
                 at_homes(finding.message, homes)};
  for (const Home& home : homes) {
    if (key.path == home.folder) {
      key.path = home.name;
      break;
    }
    if (key.path.starts_with(home.folder + "/")) {
      const std::string rest = key.path.substr(home.folder.size() + 1);
      key.path = home.name.empty() ? rest : fmt::format("{}/{}", home.name, rest);
      break;
    }
  }
  key.path = core::printable(key.path, std::string::npos);
  return key;
}

bool could_not_look(const core::Diagnostic& finding) {
  const core::ExitStatus status = core::exit_status({finding});
  return status == core::ExitStatus::kUsage || status == core::ExitStatus::kEnvironment ||
         (finding.severity == core::Severity::kError &&
          (finding.code == Code::kFileRead || finding.code == Code::kFileGzip ||
           finding.code == Code::kCheckBaseline));
}

bool can_be_accepted(const core::Diagnostic& finding, const Homes& homes) {
  return finding.severity != core::Severity::kNote && !could_not_look(finding) &&
         std::any_of(homes.begin(), homes.end(), [&](const Home& home) {
           const std::string& path = finding.place.path.str();
           return path == home.folder || path.starts_with(home.folder + "/");
         });
}

core::Result<Baseline> parse_baseline(const std::string& path, const std::string& text) {
  return BaselineReader{path, text}.run();
}

std::string format_baseline(const core::Diagnostics& findings,
                            const Homes& homes,
                            const Baseline& before) {
  const auto reasons = reasons_of(before);
  std::map<FindingKey, core::Json> items;
  for (const core::Diagnostic& finding : findings) {
    const FindingKey key = key_of(finding, homes);
    if (!can_be_accepted(finding, homes) || items.contains(key)) {
      continue;
    }
    const FindingKey older = older_key_of(finding, homes);
    core::Json& item = items[key];
    item = {{"path", key.path}, {"code", key.code}};
    if (!key.about.empty()) {
      item["about"] = key.about;
    }
    item["message"] = older.message;
    const auto why = reasons.contains(key) ? reasons.find(key) : reasons.find(older);
    if (why != reasons.end() && !why->second.empty()) {
      item["why"] = why->second;
    }
  }
  core::Json document = {{"schema", kBaselineSchema}, {"findings", core::Json::array()}};
  for (auto& [key, item] : items) {
    document["findings"].push_back(std::move(item));
  }
  return document.pretty() + "\n";
}

void accept(const Baseline& baseline,
            bool whole,
            core::Diagnostics& findings,
            Acceptance& acceptance) {
  const auto reasons = reasons_of(baseline);
  std::set<FindingKey> matched;
  core::Diagnostics open;
  for (core::Diagnostic& finding : findings) {
    const auto own = reasons.find(key_of(finding, acceptance.homes));
    const auto known =
        own != reasons.end() ? own : reasons.find(older_key_of(finding, acceptance.homes));
    if (known == reasons.end() || !can_be_accepted(finding, acceptance.homes)) {
      open.push_back(std::move(finding));
      continue;
    }
    matched.insert(known->first);
    acceptance.accepted.push_back({std::move(finding), known->second});
  }
  const bool sure = whole && std::none_of(open.begin(), open.end(), hides_findings);
  for (const BaselineEntry& entry : baseline.entries) {
    if (sure && !matched.contains(entry.key) && is_below(entry.key.path, acceptance.homes)) {
      open.push_back(core::note(Code::kCheckBaseline,
                                fmt::format("fixed: {} in {}: {}",
                                            core::printable(entry.key.code, 40),
                                            core::printable(entry.key.path, 200),
                                            core::printable(entry.message, 200)),
                                entry.place,
                                "remove it from the baseline"));
    }
  }
  findings = std::move(open);
}

}  // namespace memsize::cli
