// Any bytes as a request to the shared library: an answer that is a document with a status, and the
// same one again.
#include "memsize/core/diagnostic.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/memsize.h"

#include "check.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

using memsize::fuzz::require;

MEMSIZE_FUZZ_TARGET(abi_request) {
  // It is never closed: targets end with their process.
  static memsize_session* const session = memsize_open(MEMSIZE_SOURCE_DIR);
  const std::string request{reinterpret_cast<const char*>(data), size};
  // Disks are for those who ask for theirs.
  if (request.find("disk") != std::string::npos || request.find("\\u") != std::string::npos) {
    return 0;
  }
  const auto answer = [&] {
    char* text = memsize_run(session, request.data(), request.size());
    require(text != nullptr, "there is an answer");
    std::string copy = text;
    memsize_free(text);
    return copy;
  };
  const std::string first = answer();
  const auto document = memsize::docs::parse_json(first, "answer", memsize::core::Code::kUsage);
  require(document.has_value(), "an answer is JSON");
  require(document->root()["status"].whole() != 70, "no request finds a bug");
  require(answer() == first, "the same request has the same answer");
  return 0;
}
