// Reads the file with the place of every entry, so that one that is fixed can be shown where it
// stands, and writes it sorted. An entry counts as fixed only where nothing hid findings.
#include "memsize/app/baseline.hpp"

#include "memsize/core/cursor.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::app {

namespace {

using core::Code;

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

// A document holds UTF-8 only, and older ones have escapes for letters outside of ASCII.
std::string at_homes(std::string text, const Homes& homes) {
  for (const Home& home : homes) {
    text = at_home(std::move(text), home);
  }
  return core::ascii_text(core::visible_text(text));
}

core::Result<Baseline> read_baseline(const std::string& path, const std::string& text) {
  const auto document = docs::parse_json(text, path, Code::kCheckBaseline, kHint);
  MEMSIZE_TRY(document);
  core::Diagnostics errors;
  docs::Voice voice = docs::Voice::of(Code::kCheckBaseline, kHint);
  voice.one_missing = true;
  docs::Fields top{document->root(), "this baseline", errors, voice};
  const docs::Value schema = document->root()["schema"];
  if (schema.text() != kBaselineSchema) {
    errors = {core::error(
        Code::kCheckBaseline,
        fmt::format("this is no baseline: its 'schema' must be \"{}\"", kBaselineSchema),
        schema ? schema.key_place() : top.place(),
        kHint)};
    return tl::make_unexpected(std::move(errors));
  }
  Baseline baseline;
  for (const docs::Value item : top.required("findings", docs::Kind::kList)) {
    if (!item.is(docs::Kind::kTable)) {
      top.wrong(Code::kCheckBaseline,
                "a finding is an object with 'code', 'path' and 'message'",
                item.place());
      continue;
    }
    docs::Fields finding{item, "this finding", errors, voice};
    BaselineEntry entry;
    entry.place = item.place();
    entry.key = {finding.required_string("path"), finding.required_string("code"), {}, {}};
    entry.message = finding.required_string("message");
    if (const docs::Value about = item["about"]; about) {
      entry.key.about = finding.strings("about");
      if (about.is(docs::Kind::kList) && about.begin() == about.end()) {
        finding.must_be(about, "an array of at least one string");
      }
    } else {
      entry.key.message = entry.message;
    }
    entry.why = finding.string("why");
    baseline.entries.push_back(std::move(entry));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return baseline;
}

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
  return std::ranges::any_of(homes, [&](const Home& home) {
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
  key.path = core::ascii_text(core::visible_text(key.path));
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
         std::ranges::any_of(homes, [&](const Home& home) {
           const std::string& path = finding.place.path.str();
           return path == home.folder || path.starts_with(home.folder + "/");
         });
}

core::Result<Baseline> parse_baseline(const std::string& path, const std::string& text) {
  auto baseline = read_baseline(path, text);
  if (!baseline) {
    core::add_text(baseline.error(), path, text);
  }
  return baseline;
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
  const bool sure = whole && std::ranges::none_of(open, hides_findings);
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

}  // namespace memsize::app
