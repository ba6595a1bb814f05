// The formats that registry.cpp lists.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/recording.hpp"

#include <string>
#include <string_view>

namespace memsize::readers {

/// An input's name in a sentence: "'trace.log'", or "standard input" for "-".
std::string shown_name(const std::string& path);

bool probe_tidl_table(std::string_view text);
core::Result<model::Recording> read_tidl_table(std::string_view text, const std::string& path);

bool probe_sizing_document(std::string_view text);
core::Result<model::Recording> read_sizing_document(std::string_view text, const std::string& path);

}  // namespace memsize::readers
