// The format's data, and small models to account for and to check.
#pragma once

#include "memsize/board/nnapi_format.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/network/nnapi.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace memsize::network::nnapi_test {

inline const board::NnFormat& format() {
  static const board::NnFormat loaded = [] {
    core::RealFileSystem files;
    return board::load_nnapi_format(files, test::source_folder() + "/boards").value();
  }();
  return loaded;
}

inline model::NnNumbers numbers(std::vector<std::uint64_t> items) {
  return {.items = std::move(items), .is_whole = true};
}

inline model::NnOperand operand(std::string type,
                                std::vector<std::uint64_t> dimensions,
                                std::string lifetime) {
  model::NnOperand made;
  made.type = std::move(type);
  made.dimensions = numbers(std::move(dimensions));
  made.scale = 0;
  made.zero_point = 0;
  made.lifetime = std::move(lifetime);
  made.location = {0, 0, 0, std::nullopt, {}};
  return made;
}

/// Of so many bytes.
inline model::NnOperand constant(std::string lifetime, std::uint64_t offset, std::uint64_t bytes) {
  model::NnOperand made = operand("TENSOR_BOOL8", {bytes}, std::move(lifetime));
  made.location.offset = offset;
  made.location.length = bytes;
  return made;
}

inline model::NnOperand temporary(std::uint64_t bytes) {
  return operand("TENSOR_BOOL8", {bytes}, "TEMPORARY_VARIABLE");
}

inline model::NnModel whole_model() {
  model::NnModel made;
  made.version = "1.3";
  made.main.operands.is_whole = true;
  made.main.operations.is_whole = true;
  made.main.inputs.is_whole = true;
  made.main.outputs.is_whole = true;
  return made;
}

inline model::NnArgument argument(std::uint64_t pool, std::uint64_t offset, std::uint64_t length) {
  return {"POOL", {pool, offset, length, std::nullopt, {}}, numbers({}), 1};
}

}  // namespace memsize::network::nnapi_test
