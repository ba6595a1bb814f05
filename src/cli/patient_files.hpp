// The disk of a command line, which waits for a named pipe that nobody writes to, as any program
// does, but says so: in a build, waiting looks like hanging.
#pragma once

#include "memsize/core/file_system.hpp"

namespace memsize::cli {

class PatientFiles : public core::RealFileSystem {
 public:
  /// Tells on standard error what it waits for, after a second.
  [[nodiscard]] core::Result<std::unique_ptr<core::ByteStream>> open(
      const std::string& path) override;
};

}  // namespace memsize::cli
