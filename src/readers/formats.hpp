// The formats that registry.cpp lists.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/recording.hpp"
#include "memsize/readers/reader.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace memsize::readers {

/// An input's name in a sentence: "'trace.log'", or "standard input" for "-".
std::string shown_name(const std::string& path);

/// A text of so many lines that says nothing; how to make one that does.
core::Diagnostic no_table(const std::string& path, std::size_t lines);

/// Any text: what is no document may be a log.
bool probe_tidl_log(std::string_view head);
/// Whether it begins with what nothing else prints.
bool is_surely_tidl_log(std::string_view head);
std::unique_ptr<Reading> open_tidl_log(const std::string& path, OnModel on_model);

bool probe_sizing_document(std::string_view head);
std::unique_ptr<Reading> open_sizing_document(const std::string& path, OnModel on_model);

std::unique_ptr<Reading> open_probe_document(const std::string& path, OnModel on_model);

}  // namespace memsize::readers
