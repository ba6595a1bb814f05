// What a log has too much of, of each kind: the first are kept, the others are counted and told.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include <cstddef>
#include <map>
#include <string>

namespace memsize::readers {

class NotKept {
 public:
  /// `what`: of which kind, in the plural.
  void add(const char* what, std::size_t line);

  /// A warning for each kind.
  void tell(const std::string& path, core::Diagnostics& diagnostics) const;

 private:
  struct Lost {
    /// Of the first.
    std::size_t line = 0;
    std::size_t count = 0;
  };

  std::map<std::string, Lost> lost_;
};

}  // namespace memsize::readers
