// The readers of plans in the order in which they are asked: what says its own name comes before
// what is known by its columns. Then what is wrong with a text that none of them takes.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/nnapi_reader.hpp"

#include "formats.hpp"
#include "plan_formats.hpp"
#include "plan_problems.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Code;

core::Place whole_report(const std::string& path) {
  return {path};
}

core::Diagnostic unknown_plan_format(const std::string& format) {
  const std::vector<std::string> names = core::texts_of(all_plan_readers(), &PlanReader::name);
  return core::error(Code::kReadUnknownFormat,
                     fmt::format("there is no reader of plans '{}'", core::printable(format)),
                     {},
                     core::did_you_mean(format, names, "the readers of plans are"));
}

constexpr std::string_view kWhatPlansAre =
    "a plan is what a compiler says about memory: heliaAOT's residency JSON, an ARES checkpoint, "
    "ST Edge AI's c_info.json, a CSV of lifetimes and others; memsize list readers names them all";

std::size_t lines_of(std::string_view text) {
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return ends + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

}  // namespace

const std::vector<PlanReader>& all_plan_readers() {
  // The first whose probe accepts a text reads it: what says its own name stands before what is
  // known by its columns only.
  static const std::vector<PlanReader> readers = {
      {"memsize-plan",
       "a memsize.plan/1 document, as plan --json prints it",
       probe_plan_document,
       read_plan_document},
      {"helia-residency",
       "heliaAOT's residency JSON: arenas, and where each tensor lies",
       probe_helia_residency,
       read_helia_residency},
      {"helia-manifest",
       "heliaAOT's operator manifest: which operator uses which tensor, and so what is alive when",
       probe_helia_manifest,
       read_helia_manifest},
      {"helia-layers",
       "heliaAOT's table of memory by layers",
       probe_helia_layers,
       read_helia_layers},
      {"helia-log",
       "what heliaAOT prints with --verbose 2: arenas, without their tensors",
       probe_helia_log,
       read_helia_log},
      {"ares-checkpoint",
       "an ARES checkpoint: post_fusion, post_tiling, post_memory_level, post_memory_plan",
       probe_ares_checkpoint,
       read_ares_checkpoint},
      {"ares-levels",
       "ARES's report of memory levels: what lies in L1, L2 and L3",
       probe_ares_levels,
       read_ares_levels},
      {"ares-network",
       "ARES' network_info.json: the layers of a quantised network, not planned yet",
       probe_ares_network,
       read_ares_network},
      {"ares-log",
       "what a program made by ARES prints: arenas and cycles of each layer",
       probe_ares_log,
       read_ares_log},
      {"st-edge-ai",
       "ST Edge AI's network_c_info.json: pools, buffers and when they are alive",
       probe_st_edge_ai,
       read_st_edge_ai},
      {"vela",
       "what Vela prints with --verbose-allocation: tensors, their addresses and times",
       probe_vela,
       read_vela},
      {"tflm",
       "what TensorFlow Lite Micro prints: its memory plan and its recording allocator's totals",
       probe_tflm,
       read_tflm},
      {"tflite",
       "a TensorFlow Lite model: its tensors and the order of its operators, and a plan that is in "
       "it",
       probe_tflite,
       read_tflite},
      {"eon",
       "the C++ that Edge Impulse's EON, tflite_micro_compiler and XMOS' compiler make of a model: "
       "tensors with their places, and nodes",
       probe_eon,
       read_eon},
      {"executorch",
       "ExecuTorch's memory trace (generate_memory_trace): which tensor is alive when, and where "
       "it "
       "lies",
       probe_executorch,
       read_executorch},
      {"autotiler",
       "what GAP's AutoTiler reports: memory by level, and cycles",
       probe_autotiler,
       read_autotiler},
      {"nnapi-log",
       "a log of Android's neural networks (NNAPI): models, requests and the runtime's events",
       probe_nnapi,
       read_nnapi_plan,
       true},
      {"lifetime-csv",
       "a CSV with id, lower, upper and size, with or without alignment and offset, as minimalloc "
       "reads and writes it",
       probe_lifetime_csv,
       read_lifetime_csv},
  };
  return readers;
}

const PlanReader* plan_reader_of(std::string_view text) {
  const std::string_view head = core::without_byte_order_mark(text).substr(0, kPlanHead);
  const auto& readers = all_plan_readers();
  if (const auto* found =
          core::find_where(readers, [&](const PlanReader& reader) { return reader.probe(head); })) {
    return found;
  }
  return core::find_where(readers, [&](const PlanReader& reader) {
    return reader.begins_anywhere && reader.probe(text);
  });
}

core::Result<model::PlanReport> read_plan(std::string_view text,
                                          const std::string& path,
                                          const std::string& format) {
  const auto& readers = all_plan_readers();
  const auto* named = core::find_in(readers, format, &PlanReader::name);
  if (!format.empty() && named == nullptr) {
    return core::fail(unknown_plan_format(format));
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return core::fail(
        core::error(Code::kReadNoTable,
                    fmt::format("{} is UTF-16 text, not UTF-8 or ASCII", shown_name(path)),
                    whole_report(path),
                    "convert it: iconv -f UTF-16 -t UTF-8"));
  }
  const std::string_view content = core::without_byte_order_mark(text);
  if (core::trim(content).empty()) {
    return core::fail(core::error(Code::kReadEmpty,
                                  fmt::format("{} is empty", shown_name(path)),
                                  whole_report(path),
                                  std::string{kWhatPlansAre}));
  }
  const PlanReader* const reader = format.empty() ? plan_reader_of(content) : &*named;
  if (reader == nullptr) {
    return core::fail(core::error(Code::kReadNoTable,
                                  fmt::format("nothing in {} is a plan of memory ({} read)",
                                              shown_name(path),
                                              core::plural(lines_of(content), "line")),
                                  whole_report(path),
                                  std::string{kWhatPlansAre}));
  }
  auto report = reader->read(content, path);
  if (report && report->blocks.size() > kMostPlanBlocks) {
    PlanProblems problems{path};
    problems.too_many({});
    return problems.finish({});
  }
  if (report) {
    report->path = path;
    report->format = reader->name;
    report->lines = report->lines == 0 ? lines_of(content) : report->lines;
  }
  return report;
}

}  // namespace memsize::readers
