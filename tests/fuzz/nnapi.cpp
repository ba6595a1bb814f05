// Any bytes as a log of Android's neural networks, in each of its dialects: what it says is read,
// accounted for, made a plan, held against the rules and replayed; no number may come of nowhere.
#include "memsize/network/nnapi.hpp"

#include "memsize/board/nnapi_format.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/readers/nnapi_reader.hpp"
#include "memsize/runtime/nn_replay.hpp"

#include "check.hpp"
#include "plan_check.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace {

using memsize::fuzz::require;

const memsize::board::NnFormat& nn_format() {
  static const memsize::board::NnFormat format = [] {
    memsize::core::RealFileSystem files;
    auto loaded = memsize::board::load_nnapi_format(files, MEMSIZE_SOURCE_DIR "/boards");
    require(loaded.has_value(), "the format's data are readable");
    return std::move(*loaded);
  }();
  return format;
}

void nn_check_account(const memsize::network::NnAccount& account) {
  for (const auto& model : account.models) {
    for (const auto& pool : model.pools) {
      require(pool.covered <= pool.bytes && pool.covered <= pool.end, "a pool covers what it has");
    }
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(nnapi) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  (void)memsize::readers::probe_nnapi(text);
  const auto log =
      std::make_shared<const memsize::model::NnLog>(memsize::readers::read_nnapi(text));
  nn_check_account(memsize::network::nn_account(*log, nn_format()));
  (void)memsize::network::check_nnapi(*log, nn_format(), "log");
  const auto distinct = memsize::network::nn_distinct(*log);
  (void)memsize::runtime::replay_nnapi(
      *log, distinct.empty() ? nullptr : &log->models[distinct.front().index], nn_format(), "log");
  memsize::model::PlanReport report;
  report.nnapi = log;
  memsize::network::complete_nnapi(nn_format(), report);
  memsize::fuzz::require_plan(report);
  return 0;
}
