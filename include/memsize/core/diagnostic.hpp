// What memsize has to say about an input: data, not text. Only the command line renders it.
#pragma once

#include <compare>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace memsize::core {

/// What an error means for the process' exit status (the command line's contract).
enum class ExitStatus {
  kDone = 0,
  kInput = 1,
  kUsage = 2,
  kDoesNotFit = 3,
  kEnvironment = 4,
  kBug = 70,
  kInterrupted = 130,
};

/// Every code that memsize can report, listed once in diag_codes.def.
enum class Code {
#define MEMSIZE_DIAG_CODE(id, name, status) id,
#include "memsize/core/diag_codes.def"
#undef MEMSIZE_DIAG_CODE
};

[[nodiscard]] std::string_view code_name(Code code);
[[nodiscard]] ExitStatus code_status(Code code);
/// All codes in the order of diag_codes.def.
[[nodiscard]] const std::vector<Code>& all_codes();

enum class Severity { kNote, kWarning, kError };

[[nodiscard]] std::string_view severity_name(Severity severity);

/// A string that many places share, such as a path or a line: a copy costs no allocation.
class SharedText {
 public:
  SharedText() = default;

  // Implicit on purpose: a place is filled from plain strings.
  // NOLINTNEXTLINE(google-explicit-constructor)
  SharedText(std::string text)
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}

  // NOLINTNEXTLINE(google-explicit-constructor)
  SharedText(const char* text) : SharedText(std::string{text}) {}

  [[nodiscard]] const std::string& str() const;

  [[nodiscard]] bool empty() const { return text_ == nullptr; }

  friend bool operator==(const SharedText& a, const SharedText& b) { return a.str() == b.str(); }

  friend bool operator<(const SharedText& a, const SharedText& b) { return a.str() < b.str(); }

 private:
  std::shared_ptr<const std::string> text_;
};

/// A piece of text in a file. Line and column count from 1; 0 means "the whole file" or "the whole
/// line". `text` is the line itself, kept so that a caret can be drawn without the file.
struct Place {
  SharedText path = {};
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t length = 0;
  SharedText text = {};

  friend bool operator==(const Place&, const Place&) = default;
};

/// What a finding is about, as its input calls it: {"region", "HEAP_1"}, {"core", "c7x_1"}.
struct Party {
  std::string kind;
  std::string name;

  friend auto operator<=>(const Party&, const Party&) = default;
};

using Parties = std::vector<Party>;

struct Related {
  Place place;
  std::string message;
  /// The region that stands there; empty where it is none.
  std::string region = {};
};

/// "'HEAP_1' is here", or what else is said of the region.
[[nodiscard]] Related region_at(Place place, std::string region, std::string_view says = "is here");

struct Diagnostic {
  Severity severity = Severity::kError;
  Code code{};
  std::string message;
  Place place;
  /// What it is about, in the order of the message. With code and place they tell findings apart:
  /// a message may be worded in another way, and its numbers change.
  Parties parties;
  /// Facts without a place, one a line: the parties of a conflict, the holes of a window.
  std::vector<std::string> details;
  std::vector<Related> related;
  /// What would work.
  std::string hint;
  /// The option whose value it is about, as it is typed: "--dram", "--set KNOB". Empty where it is
  /// about none. Who knows that the value stood in a file can say where.
  std::string option;

  /// The same with more parties, with facts, with another place that has to do with it, with the
  /// option that it is about.
  [[nodiscard]] Diagnostic about(Parties more) &&;
  [[nodiscard]] Diagnostic with(std::vector<std::string> facts) &&;
  [[nodiscard]] Diagnostic beside(Place other, std::string says) &&;
  [[nodiscard]] Diagnostic of_option(std::string typed) &&;
  /// The name of its first party of the kind; empty where it has none.
  [[nodiscard]] std::string_view party(std::string_view kind) const;
};

using Diagnostics = std::vector<Diagnostic>;

/// A value, or the reasons why there is none. A Result may carry only errors; warnings travel
/// beside values, in the structures that own them.
template <typename T>
using Result = tl::expected<T, Diagnostics>;

/// Gives the errors of a result to the caller, if it has any.
#define MEMSIZE_TRY(result)                                 \
  if (const auto& memsize_tried = (result); !memsize_tried) \
  return tl::make_unexpected(memsize_tried.error())

[[nodiscard]] Diagnostic error(Code code,
                               std::string message,
                               Place place = {},
                               std::string hint = {});
[[nodiscard]] Diagnostic warning(Code code,
                                 std::string message,
                                 Place place = {},
                                 std::string hint = {});
[[nodiscard]] Diagnostic note(Code code,
                              std::string message,
                              Place place = {},
                              std::string hint = {});

/// A single error as the failure of a Result.
[[nodiscard]] tl::unexpected<Diagnostics> fail(Diagnostic diagnostic);

/// Whether it was said already: code, place and parties are those of one of the list. What has
/// neither a line nor a party is taken for another thing each time.
[[nodiscard]] bool is_told(const Diagnostics& diagnostics, const Diagnostic& diagnostic);

[[nodiscard]] bool has_errors(const Diagnostics& diagnostics);

/// The status a process that ends with these diagnostics exits with: that of the gravest error.
[[nodiscard]] ExitStatus exit_status(const Diagnostics& diagnostics);

/// Sorted by path, line and column; the order of equal places is kept.
void sort_by_place(Diagnostics& diagnostics);

}  // namespace memsize::core
