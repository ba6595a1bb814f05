// Reads an image's lines into a Report. A line that is no event, or comes after the verdict, is
// counted as strange, and whoever reads the report takes the run for failed.
#include "memsize/runtime/report.hpp"

#include "memsize/core/json.hpp"
#include "memsize/core/text.hpp"

#include <utility>

namespace memsize::runtime {

namespace {

using core::Json;

// Members of an event: what is missing or of another type makes the line a strange one.
class Members {
 public:
  explicit Members(const Json& event) : event_(event) {}

  std::string text(const char* key) {
    const Json* found = event_.find(key);
    good_ = good_ && found != nullptr && found->text() != nullptr;
    return good_ ? core::printable(*found->text(), 100) : std::string{};
  }

  std::uint64_t number(const char* key) {
    const Json* found = event_.find(key);
    good_ = good_ && found != nullptr && found->whole() != nullptr;
    return good_ ? *found->whole() : 0;
  }

  std::uint64_t address(const char* key) {
    const auto parsed = core::parse_address(text(key));
    good_ = good_ && parsed.has_value();
    return good_ ? *parsed : 0;
  }

  [[nodiscard]] bool has(const char* key) const { return event_.contains(key); }

  [[nodiscard]] bool good() const { return good_; }

 private:
  const Json& event_;
  bool good_ = true;
};

bool read_event(const Json& event, Report& report) {
  Members members{event};
  const std::string kind = members.text("event");
  if (kind == "start") {
    const std::string core = members.text("core");
    const std::uint64_t phase = members.number("phase");
    if (members.good()) {
      report.core = core;
      report.phase = static_cast<unsigned>(phase);
    }
  } else if (kind == "finding") {
    Finding finding{members.text("check"),
                    members.text("region"),
                    members.address("address"),
                    members.address("expected"),
                    members.address("actual")};
    if (members.good()) {
      report.findings.push_back(std::move(finding));
    }
  } else if (kind == "block") {
    PlacedBlock block{members.text("region"),
                      static_cast<std::uint32_t>(members.number("instance")),
                      std::nullopt,
                      members.address("address"),
                      members.number("size")};
    if (members.has("record")) {
      block.record = static_cast<std::uint32_t>(members.number("record"));
    }
    if (members.good()) {
      report.blocks.push_back(std::move(block));
    }
  } else if (kind == "part") {
    Part part{members.text("part"),
              members.number("done"),
              members.number("skipped"),
              members.number("findings")};
    if (members.good()) {
      report.parts.push_back(std::move(part));
    }
  } else if (kind == "fault") {
    const Fault fault{members.address("address"), members.address("status"), members.address("pc")};
    if (members.good()) {
      report.fault = fault;
    }
  } else if (kind == "verdict") {
    const std::uint64_t findings = members.number("findings");
    if (members.good()) {
      report.verdict = findings;
    }
  } else {
    return false;
  }
  return members.good();
}

}  // namespace

Report parse_report(std::string_view text) {
  Report report;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty()) {
      continue;
    }
    const auto event = core::read_json(line);
    // A line behind the verdict, or without its end, is none of the run's.
    if (!event || report.verdict || !read_event(*event, report)) {
      if (report.strange_lines++ == 0) {
        report.strange = core::printable(line, 120);
      }
    }
  }
  return report;
}

}  // namespace memsize::runtime
