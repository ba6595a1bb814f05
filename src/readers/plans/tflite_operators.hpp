// What a single operator of a .tflite says of itself.
#pragma once

#include "memsize/model/network.hpp"

#include "tflite_generated.h"

#include <cstddef>
#include <string>

namespace memsize::readers {

using TfliteCodes = flatbuffers::Vector<flatbuffers::Offset<tflite::OperatorCode>>;

/// Of BuiltinOperator; one that is none where the model does not say. `codes` may be null.
[[nodiscard]] std::size_t tflite_number(const TfliteCodes* codes, const tflite::Operator& each);

/// "CONV_2D", or a custom operator's own name; empty: the model does not say.
[[nodiscard]] std::string tflite_kind(const TfliteCodes* codes, const tflite::Operator& each);

/// Strides, filters and the like; their names are the format's.
void add_tflite_attributes(const tflite::Operator& each, model::Operator& added);

}  // namespace memsize::readers
