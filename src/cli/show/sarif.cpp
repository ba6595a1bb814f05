// One run with a result for each finding, accepted ones as suppressed, and a rule for each code.
// What could not be looked at is a notification. As in a baseline, a fingerprint has no line: the
// first one is that of the message, the second one that of what a finding is about.
#include "sarif.hpp"

#include "memsize/core/find.hpp"

#include "columns.hpp"
#include "render_diagnostics.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Diagnostic;
using core::Json;

// A reference as RFC 3986 has it: everything but the letters that need no escape, and slashes.
std::string uri_of(const std::string& path) {
  constexpr std::string_view kPlain = "-._~/";
  const std::string plain = plain_path(path);
  std::string out = plain.starts_with('/') ? "file://" : "";
  for (const char c : plain) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (alphanumeric || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// FNV-1a: the same on every machine, which std::hash need not be.
std::string digest_of(const app::FindingKey& key) {
  constexpr std::uint64_t kBasis = 0xCBF29CE484222325;
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t hash = kBasis;
  std::vector<std::string> parts = {key.path, key.code};
  parts.insert(parts.end(), key.about.begin(), key.about.end());
  if (key.about.empty()) {
    parts.push_back(key.message);
  }
  for (const std::string& part : parts) {
    // With the byte behind the text, so that parts do not run into each other.
    for (std::size_t i = 0; i <= part.size(); ++i) {
      hash = (hash ^ static_cast<unsigned char>(part.c_str()[i])) * kPrime;
    }
  }
  return fmt::format("{:016x}", hash);
}

// Nothing for standard input and for what is about no file.
Json location_of(const core::Place& place) {
  Json location = Json::object();
  if (place.path.empty() || place.path.str() == "-") {
    return location;
  }
  Json& physical = location["physicalLocation"];
  physical["artifactLocation"]["uri"] = uri_of(place.path.str());
  if (place.line != 0) {
    physical["region"]["startLine"] = place.line;
    if (const auto columns = columns_of(place); columns) {
      physical["region"]["startColumn"] = columns->first;
      physical["region"]["endColumn"] = columns->end;
    }
  }
  return location;
}

class SarifRun {
 public:
  SarifRun(const app::Acceptance& acceptance, const std::vector<Rule>& rules)
      : acceptance_(acceptance), rules_(rules) {}

  void add(const Diagnostic& found) {
    if (app::could_not_look(found)) {
      notifications_.push_back(notification(found));
      looked_ = looked_ && found.severity != core::Severity::kError;
      return;
    }
    Json item = result(found);
    // Either every result says whether it is suppressed, or none.
    if (acceptance_.is_asked) {
      item["suppressions"] = Json::array();
    }
    results_.push_back(std::move(item));
  }

  void add(const app::Accepted& accepted) {
    Json item = result(accepted.finding);
    Json suppression = {{"kind", "external"}, {"status", "accepted"}};
    suppression.set_if_any("justification", accepted.why);
    item["suppressions"].push_back(std::move(suppression));
    results_.push_back(std::move(item));
  }

  Json finish(core::ExitStatus status, const std::string& version) && {
    Json run;
    run["tool"]["driver"] = {
        {"name", "memsize"}, {"version", version}, {"rules", std::move(used_)}};
    Json invocation = {{"executionSuccessful", looked_}, {"exitCode", static_cast<int>(status)}};
    if (!notifications_.empty()) {
      invocation["toolExecutionNotifications"] = std::move(notifications_);
    }
    run["invocations"].push_back(std::move(invocation));
    run["columnKind"] = "utf16CodeUnits";
    run["results"] = std::move(results_);
    return run;
  }

 private:
  std::size_t index_of(core::Code code) {
    const auto [known, is_new] = indexes_.emplace(code, indexes_.size());
    if (is_new) {
      Json item;
      item["id"] = core::code_name(code);
      const auto* rule = core::find_in(rules_, code, &Rule::code);
      // Code hosts want a help of every rule.
      item["help"]["text"] = "memsize list checks says what is checked, and why";
      if (rule != nullptr) {
        item["shortDescription"]["text"] = rule->rule;
        item["fullDescription"]["text"] = rule->rule;
        item["help"]["text"] = fmt::format("why: {}", rule->why);
      }
      used_.push_back(std::move(item));
    }
    return known->second;
  }

  Json result(const Diagnostic& found) {
    Json item;
    item["ruleId"] = core::code_name(found.code);
    item["ruleIndex"] = index_of(found.code);
    item["level"] = core::severity_name(found.severity);
    item["message"]["text"] = message_text(found, false);
    if (Json location = location_of(found.place); !location.empty()) {
      item["locations"].push_back(std::move(location));
    }
    for (const core::Related& related : found.related) {
      Json other = location_of(related.place);
      other["message"]["text"] = related.message;
      item["relatedLocations"].push_back(std::move(other));
    }
    Json& prints = item["partialFingerprints"];
    prints["memsizeFinding/v1"] = digest_of(older_key_of(found, acceptance_.homes));
    prints["memsizeFinding/v2"] = digest_of(key_of(found, acceptance_.homes));
    return item;
  }

  static Json notification(const Diagnostic& found) {
    Json item;
    item["descriptor"]["id"] = core::code_name(found.code);
    item["level"] = core::severity_name(found.severity);
    item["message"]["text"] = message_text(found, true);
    if (Json location = location_of(found.place); !location.empty()) {
      item["locations"].push_back(std::move(location));
    }
    return item;
  }

  const app::Acceptance& acceptance_;
  const std::vector<Rule>& rules_;
  std::map<core::Code, std::size_t> indexes_;
  Json used_ = Json::array();
  Json results_ = Json::array();
  Json notifications_ = Json::array();
  bool looked_ = true;
};

}  // namespace

Json to_sarif(const core::Diagnostics& found,
              const app::Acceptance& acceptance,
              core::ExitStatus status,
              const std::vector<Rule>& rules,
              const std::string& version) {
  SarifRun run{acceptance, rules};
  for (const Diagnostic& diagnostic : found) {
    run.add(diagnostic);
  }
  for (const app::Accepted& accepted : acceptance.accepted) {
    run.add(accepted);
  }
  Json document;
  document["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  document["version"] = "2.1.0";
  document["runs"].push_back(std::move(run).finish(status, version));
  return document;
}

}  // namespace memsize::cli
