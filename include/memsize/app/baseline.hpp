// Findings that a user has accepted, as a file beside the tree: memsize.baseline/1.
//
// A finding is recognised by its code, its message and the path of its file below the tree: not by
// its line, so that edits elsewhere keep a baseline valid, and not by where the tree lies.
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
  std::string message;

  friend auto operator<=>(const FindingKey&, const FindingKey&) = default;
};

/// The names of homes instead of their folders, in the path and in the message.
[[nodiscard]] FindingKey key_of(const core::Diagnostic& finding, const Homes& homes);

/// Whether the error says that something could not be looked at at all: a file that cannot be read,
/// a folder that is no SDK tree, a usage error.
[[nodiscard]] bool could_not_look(const core::Diagnostic& finding);

/// An error or a warning about a file in one of the homes or that is one, which was looked at.
[[nodiscard]] bool can_be_accepted(const core::Diagnostic& finding, const Homes& homes);

struct BaselineEntry {
  FindingKey key;
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
