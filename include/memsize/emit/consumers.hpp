// Reads back every file of a written map: those that refer to each other (verify.hpp), and those of
// emitters that bring a reader of their own.
#pragma once

#include "memsize/emit/verify.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::emit {

/// verify_map(), and each other file that an emitter knows how to read.
[[nodiscard]] VerifyReport verify_files(const std::vector<MapFile>& files,
                                        const std::string& root,
                                        const board::MpuPrograms& programs);

/// Whether an emitter reads the file at this path of a map back.
[[nodiscard]] bool has_verifier(std::string_view path);

}  // namespace memsize::emit
