// One input that is read while it grows; models are told as they come.
#pragma once

#include "memsize/app/analyze.hpp"

#include <functional>
#include <string>

namespace memsize::app {

/// What is told while the input grows.
struct FollowEvents {
  /// A model that is complete as far as can be told; `again`: more of it came.
  std::function<void(const std::string& core, const model::Instance& model, bool again)> model;
  /// The file was cut or replaced: what follows is read from its beginning.
  std::function<void(const std::string& path)> restarted;
};

struct Followed {
  /// Everything that came, or why nothing could be made of it.
  core::Result<model::Recording> recording;
  /// Somebody ended it; else the input itself ended.
  bool interrupted = false;
};

/// Reads until the input ends or a signal comes. Fails where the input cannot be read.
[[nodiscard]] core::Result<Followed> follow(Session& session,
                                            const AnalyzeRequest& request,
                                            const FollowEvents& events);

}  // namespace memsize::app
