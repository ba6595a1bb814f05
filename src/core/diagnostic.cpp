// The rows of diag_codes.def as a table, and what follows from it: names, exit statuses, and which
// status wins where several errors came together.
#include "memsize/core/diagnostic.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::core {

namespace {

struct CodeRow {
  Code code;
  std::string_view name;
  ExitStatus status;
};

constexpr std::array kRows = {
#define MEMSIZE_DIAG_CODE(id, name, status) CodeRow{Code::id, name, ExitStatus::status},
#include "memsize/core/diag_codes.def"
#undef MEMSIZE_DIAG_CODE
};

Diagnostic make(Severity severity, Code code, std::string message, Place place, std::string hint) {
  return {.severity = severity,
          .code = code,
          .message = std::move(message),
          .place = std::move(place),
          .hint = std::move(hint)};
}

// The order in which statuses win when several errors came together: what the user has to mend
// first comes last.
int gravity(ExitStatus status) {
  switch (status) {
    case ExitStatus::kDone:
      return 0;
    case ExitStatus::kDoesNotFit:
      return 1;
    case ExitStatus::kInput:
      return 2;
    case ExitStatus::kEnvironment:
      return 3;
    case ExitStatus::kUsage:
      return 4;
    case ExitStatus::kInterrupted:
      return 5;
    case ExitStatus::kBug:
      return 6;
  }
  return 6;
}

}  // namespace

const std::string& SharedText::str() const {
  static const std::string nothing;
  return text_ == nullptr ? nothing : *text_;
}

Related region_at(Place place, std::string region, std::string_view says) {
  std::string message = fmt::format("'{}' {}", region, says);
  return {std::move(place), std::move(message), std::move(region)};
}

Diagnostic Diagnostic::about(Parties more) && {
  std::move(more.begin(), more.end(), std::back_inserter(parties));
  return std::move(*this);
}

Diagnostic Diagnostic::with(std::vector<std::string> facts) && {
  details = std::move(facts);
  return std::move(*this);
}

Diagnostic Diagnostic::beside(Place other, std::string says) && {
  related.push_back({std::move(other), std::move(says)});
  return std::move(*this);
}

Diagnostic Diagnostic::of_option(std::string typed) && {
  option = std::move(typed);
  return std::move(*this);
}

std::string_view Diagnostic::party(std::string_view kind) const {
  const auto* found = core::find_in(parties, kind, &Party::kind);
  return found == nullptr ? std::string_view{} : found->name;
}

std::string_view code_name(Code code) {
  return kRows.at(static_cast<std::size_t>(code)).name;
}

ExitStatus code_status(Code code) {
  return kRows.at(static_cast<std::size_t>(code)).status;
}

const std::vector<Code>& all_codes() {
  static const std::vector<Code> codes = [] {
    std::vector<Code> list;
    list.reserve(kRows.size());
    for (const CodeRow& row : kRows) {
      list.push_back(row.code);
    }
    return list;
  }();
  return codes;
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

Diagnostic error(Code code, std::string message, Place place, std::string hint) {
  return make(Severity::kError, code, std::move(message), std::move(place), std::move(hint));
}

Diagnostic warning(Code code, std::string message, Place place, std::string hint) {
  return make(Severity::kWarning, code, std::move(message), std::move(place), std::move(hint));
}

Diagnostic note(Code code, std::string message, Place place, std::string hint) {
  return make(Severity::kNote, code, std::move(message), std::move(place), std::move(hint));
}

tl::unexpected<Diagnostics> fail(Diagnostic diagnostic) {
  Diagnostics list;
  list.push_back(std::move(diagnostic));
  return tl::make_unexpected(std::move(list));
}

bool is_told(const Diagnostics& diagnostics, const Diagnostic& diagnostic) {
  const auto key = [](const Diagnostic& each) {
    return std::tie(each.code, each.place.path, each.place.line, each.place.column, each.parties);
  };
  return (diagnostic.place.line != 0 || !diagnostic.parties.empty()) &&
         std::ranges::any_of(diagnostics,
                             [&](const Diagnostic& each) { return key(each) == key(diagnostic); });
}

bool has_errors(const Diagnostics& diagnostics) {
  return core::contains(diagnostics, Severity::kError, &Diagnostic::severity);
}

ExitStatus exit_status(const Diagnostics& diagnostics) {
  ExitStatus worst = ExitStatus::kDone;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kError) {
      continue;
    }
    const ExitStatus own = code_status(diagnostic.code);
    // What is wrong in a file was not typed on the command line, unless the file is instead of it.
    const bool in_file = diagnostic.place.line != 0 && diagnostic.option.empty();
    const ExitStatus status = own == ExitStatus::kUsage && in_file ? ExitStatus::kInput : own;
    if (gravity(status) > gravity(worst)) {
      worst = status;
    }
  }
  return worst;
}

void sort_by_place(Diagnostics& diagnostics) {
  std::ranges::stable_sort(diagnostics, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.place.path, a.place.line, a.place.column) <
           std::tie(b.place.path, b.place.line, b.place.column);
  });
}

}  // namespace memsize::core
