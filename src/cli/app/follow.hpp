// One input that is read while it grows; models are told as they come.
#pragma once

#include "pipeline.hpp"

#include <functional>
#include <string>

namespace memsize::cli {

struct Followed {
  /// Everything that came, or why nothing could be made of it.
  core::Result<model::Recording> recording;
  /// Somebody ended it; else the input itself ended.
  bool interrupted = false;
};

/// Reads until the input ends or a signal comes. `print` gets each model's table, complete with its
/// line ends, when it is complete as far as can be told. Fails where the input cannot be read.
[[nodiscard]] core::Result<Followed> follow(Session& session,
                                            const AnalyzeRequest& request,
                                            const std::function<void(const std::string&)>& print);

}  // namespace memsize::cli
