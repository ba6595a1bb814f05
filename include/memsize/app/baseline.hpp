// Findings that a user has accepted, as a file beside the tree: memsize.baseline/1.
//
// A finding is recognised by its code, the path of its file below the tree and what it is about:
// not by its line, so that edits elsewhere keep a baseline valid, not by where the tree lies, and
// not by its words and numbers. An older baseline has the message instead, and accepts by it.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <compare>
#include <string>
#include <vector>

namespace memsize::app {

/// A folder or a file as the user typed it, and what it is called wherever it lies; empty: nothing.
struct Home {
  std::string folder;
  std::string name;
};

using Homes = std::vector<Home>;

struct FindingKey {
  std::string path;
  std::string code;
  /// "region HEAP_1".
  std::vector<std::string> about;
  /// Only where it names no party.
  std::string message;

  friend auto operator<=>(const FindingKey&, const FindingKey&) = default;
};

/// By what it is about. The names of homes stand instead of their folders.
[[nodiscard]] FindingKey key_of(const core::Diagnostic& finding, const Homes& homes);
/// By its message, as in baselines that were written before findings said what they are about.
[[nodiscard]] FindingKey older_key_of(const core::Diagnostic& finding, const Homes& homes);

/// Whether the error says that something could not be looked at at all: a file that cannot be read,
/// a folder that is no SDK tree, a usage error.
[[nodiscard]] bool could_not_look(const core::Diagnostic& finding);

/// An error or a warning about a file in one of the homes or that is one, which was looked at.
[[nodiscard]] bool can_be_accepted(const core::Diagnostic& finding, const Homes& homes);

struct BaselineEntry {
  FindingKey key;
  /// For people.
  std::string message;
  /// The user's own words; empty: none.
  std::string why;
  core::Place place;
};

struct Baseline {
  std::vector<BaselineEntry> entries;
};

/// Error check.baseline, with its place, where the text is no such document.
[[nodiscard]] core::Result<Baseline> parse_baseline(const std::string& path,
                                                    const std::string& text);

/// The document, sorted. What `before` says of why is kept.
[[nodiscard]] std::string format_baseline(const core::Diagnostics& findings,
                                          const Homes& homes,
                                          const Baseline& before);

struct Accepted {
  core::Diagnostic finding;
  std::string why;
};

/// How findings are recognised, and those that a baseline accepts.
struct Acceptance {
  Homes homes;
  /// Whether there is a baseline; it may accept nothing.
  bool is_asked = false;
  std::vector<Accepted> accepted;
};

/// Moves what the baseline accepts from `findings` to `acceptance`; then adds a note for each entry
/// below a home that matches nothing, if all of the homes was looked at (`whole`) and no other
/// finding hides more.
void accept(const Baseline& baseline,
            bool whole,
            core::Diagnostics& findings,
            Acceptance& acceptance);

}  // namespace memsize::app
