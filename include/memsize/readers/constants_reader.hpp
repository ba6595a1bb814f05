// The bytes of a model's constants.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memsize::readers {

/// By tensor id, of a .tflite, as they lie in the text; every tensor of a buffer has its bytes.
/// Errors: those of the model's reader, a text that is no .tflite (emit.data), and bytes that lie
/// outside of it.
[[nodiscard]] core::Result<std::map<std::string, std::string_view>> read_constants(
    std::string_view text, const std::string& path);

/// An array of NumPy's (.npy, versions 1 to 3).
struct NpyArray {
  /// As NumPy writes it: "|i1", "<f4".
  std::string_view type;
  std::vector<std::uint64_t> shape;
  /// As they lie in the text, rows first.
  std::string_view bytes;
};

/// Errors: no such array, one in Fortran's order, of objects, or with the larger byte first.
[[nodiscard]] core::Result<NpyArray> read_npy(std::string_view text, const std::string& path);

}  // namespace memsize::readers
