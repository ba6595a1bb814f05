// Whether a tree that is read stays as it is meanwhile. Who reads takes no lock: a tree may be
// read-only, and a check beside a build must not stop it.
#pragma once

#include "memsize/app/session.hpp"

#include <string>
#include <vector>

namespace memsize::app {

class TreeWatch {
 public:
  /// The trees' roots, as transaction.hpp has them; none: nothing is watched.
  TreeWatch(Session& session, std::vector<std::string> roots);

  /// Error sdk.lock: another run is changing one of them; sdk.changed: one that was interrupted
  /// left it neither as it was nor as it is to be.
  [[nodiscard]] core::Result<void> at_rest() const;

  /// Error sdk.lock: another run changes one of them, or changed it since the watch began. What was
  /// read is then of two maps.
  [[nodiscard]] core::Result<void> undisturbed() const;

 private:
  [[nodiscard]] std::vector<std::string> marks() const;
  [[nodiscard]] core::Result<void> not_busy() const;

  Session& session_;
  std::vector<std::string> roots_;
  std::vector<std::string> before_;
};

/// Whether a journal that cannot be read is all that is wrong: who only reads needs none.
[[nodiscard]] bool could_not_tell(const core::Diagnostics& errors);

/// The root of the tree that `sdk` is in; none where there is none, which whoever reads it says.
[[nodiscard]] std::vector<std::string> watched_roots(Session& session, const std::string& sdk);

}  // namespace memsize::app
