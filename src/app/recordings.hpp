// Recordings of several inputs made into one.
#pragma once

#include "memsize/app/analyze.hpp"

#include <string>

namespace memsize::app {

/// The place of what is about a file and none of its lines.
[[nodiscard]] core::Place whole_file(const std::string& path);

/// Takes recordings one after the other, whatever their order; gives the same one for each order.
class RecordingJoiner {
 public:
  RecordingJoiner(Session& session, const AnalyzeRequest& request)
      : session_(session), request_(request) {}

  /// What was read from `path`. Traces of another format, and documents that were made with other
  /// options than the first one, are refused.
  [[nodiscard]] core::Result<void> add(model::Recording more, const std::string& path);

  /// Everything, with the names and in the order that every later stage relies on.
  [[nodiscard]] core::Result<model::Recording> finish();

 private:
  [[nodiscard]] core::Result<void> check_kind(const model::Recording& more,
                                              const std::string& path) const;
  [[nodiscard]] core::Result<void> check_options(const model::Recording& more,
                                                 const std::string& path) const;

  Session& session_;
  const AnalyzeRequest& request_;
  model::Recording recording_;
  std::string first_path_;
  /// The first document.
  std::string first_document_;
};

}  // namespace memsize::app
