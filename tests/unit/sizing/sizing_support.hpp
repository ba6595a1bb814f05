// Recordings, formats and boards for the tests of sizing.
#pragma once

#include "memsize/board/trace_format.hpp"
#include "memsize/model/recording.hpp"
#include "memsize/sizing/sizing.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memsize::test {

/// boards/formats/tidl.toml of the tree.
[[nodiscard]] const board::TraceFormat& tidl_format();

/// The 16 records of the application note's table (SDAA177, figure of the log), as printed: record,
/// class, KB, low address word.
[[nodiscard]] model::Instance appnote_instance(bool with_addresses);

[[nodiscard]] model::Recording recording_of(const std::string& core,
                                            std::vector<model::Instance> instances);

/// The board "zx9" with the sizes and addresses of its map.
struct ViewOfZx9 {
  board::Board board;
  sizing::BoardView view;

  ViewOfZx9();
};

[[nodiscard]] const sizing::Demand* demand_of(const sizing::CoreSizing& core,
                                              model::Cacheability cacheability,
                                              model::Lifetime lifetime);

}  // namespace memsize::test
