// Where the arrays of a network lie.
#pragma once

#include "memsize/app/session.hpp"

#include <string>

namespace memsize::app {

/// The folder that a file lies in.
[[nodiscard]] std::string folder_beside(const std::string& path);

/// What ARES takes: the third test case, else the first (generate_c_code.py); int8, else fp32.
/// Empty: there is none.
[[nodiscard]] std::string input_array(Session& session, const std::string& folder);

}  // namespace memsize::app
