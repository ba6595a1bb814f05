// The readers of plans, for plan_registry.cpp.
#pragma once

#include "memsize/readers/plan_reader.hpp"

namespace memsize::readers {

using PlanResult = core::Result<model::PlanReport>;

// helia.cpp
bool probe_helia_residency(std::string_view head);
PlanResult read_helia_residency(std::string_view text, const std::string& path);
bool probe_helia_manifest(std::string_view head);
PlanResult read_helia_manifest(std::string_view text, const std::string& path);
bool probe_helia_layers(std::string_view head);
PlanResult read_helia_layers(std::string_view text, const std::string& path);
bool probe_helia_log(std::string_view head);
PlanResult read_helia_log(std::string_view text, const std::string& path);

// ares.cpp
bool probe_ares_checkpoint(std::string_view head);
PlanResult read_ares_checkpoint(std::string_view text, const std::string& path);
bool probe_ares_levels(std::string_view head);
PlanResult read_ares_levels(std::string_view text, const std::string& path);
bool probe_ares_log(std::string_view head);
PlanResult read_ares_log(std::string_view text, const std::string& path);

// ares_network.cpp
bool probe_ares_network(std::string_view head);
PlanResult read_ares_network(std::string_view text, const std::string& path);

// lifetime_csv.cpp
bool probe_lifetime_csv(std::string_view head);
PlanResult read_lifetime_csv(std::string_view text, const std::string& path);

// st_edge_ai.cpp
bool probe_st_edge_ai(std::string_view head);
PlanResult read_st_edge_ai(std::string_view text, const std::string& path);

// vela.cpp
bool probe_vela(std::string_view head);
PlanResult read_vela(std::string_view text, const std::string& path);

// tflm.cpp
bool probe_tflm(std::string_view head);
PlanResult read_tflm(std::string_view text, const std::string& path);

// autotiler.cpp
bool probe_autotiler(std::string_view head);
PlanResult read_autotiler(std::string_view text, const std::string& path);

// tflite.cpp
bool probe_tflite(std::string_view head);
PlanResult read_tflite(std::string_view text, const std::string& path);

// eon.cpp
bool probe_eon(std::string_view head);
PlanResult read_eon(std::string_view text, const std::string& path);

// executorch.cpp
bool probe_executorch(std::string_view head);
PlanResult read_executorch(std::string_view text, const std::string& path);

// plan_document.cpp
bool probe_plan_document(std::string_view head);
PlanResult read_plan_document(std::string_view text, const std::string& path);

/// In nnapi/; its report has no blocks yet, because what a type takes is data that no reader has.
[[nodiscard]] PlanResult read_nnapi_plan(std::string_view text, const std::string& path);

}  // namespace memsize::readers
