// What a generated file has otherwise than what makes it: one finding for the file.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <string>
#include <vector>

namespace memsize::sdk {

/// What makes a file.
struct Maker {
  /// As messages call it.
  std::string name;
  std::string hint;
  /// What a place in it is told with.
  std::string note;
};

class Differences {
 public:
  Differences(Maker maker, core::Place file);

  /// `name` is what differs, whatever its numbers are. `here` is in the file, `there` in what makes
  /// it. Without a line, the former is the file as a whole; without a path, the latter is left out.
  void add(std::string name,
           const std::string& what,
           const core::Place& here,
           const core::Place& there);

  [[nodiscard]] std::size_t count() const { return lines_.size(); }

  /// Error sdk.generated with the first one and both its places, and up to eight more as details;
  /// nothing where there is none.
  void report(core::Diagnostics& found) const;

 private:
  Maker maker_;
  core::Place file_;
  core::Place first_;
  core::Place there_;
  core::Parties differing_;
  std::vector<std::string> lines_;
};

}  // namespace memsize::sdk
