// The bytes of a model's constants.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <map>
#include <string>
#include <string_view>

namespace memsize::readers {

/// By tensor id, of a .tflite, as they lie in the text; every tensor of a buffer has its bytes.
/// Errors: those of the model's reader, a text that is no .tflite (emit.data), and bytes that lie
/// outside of it.
[[nodiscard]] core::Result<std::map<std::string, std::string_view>> read_constants(
    std::string_view text, const std::string& path);

/// The data of a NumPy array (.npy, versions 1 to 3) as they lie in the text. Errors: no such
/// array, one in Fortran's order, of objects, or with the larger byte first.
[[nodiscard]] core::Result<std::string_view> read_npy(std::string_view text,
                                                      const std::string& path);

}  // namespace memsize::readers
