// An analysis as a document, which is read like a log.
#pragma once

#include "memsize/app/analyze.hpp"
#include "memsize/core/json.hpp"

#include <optional>
#include <string>

namespace memsize::app {

/// memsize.sizing/1: an input of analyze() as a log is.
///
/// Example:
///     app::AnalyzeRequest request;
///     request.inputs = {"samples/j722s-mobilenet/trace.log"};
///     const auto analysis = app::analyze(session, request);
///     MEMSIZE_TRY(analysis);
///     assert(app::sizing_document(*analysis).contains("content_hash"));
[[nodiscard]] core::Json sizing_document(const Analysis& analysis);

/// The keys of a class of memory in documents. Not every total tells the lifetime.
void add_class(core::Json& json,
               const std::string& space,
               model::Cacheability cacheability,
               std::optional<model::Lifetime> lifetime);

/// Of a block, a total or a demand's key.
template <typename Item>
void add_class(core::Json& json, const Item& item) {
  add_class(json, item.space, item.cacheability, item.lifetime);
}

}  // namespace memsize::app
