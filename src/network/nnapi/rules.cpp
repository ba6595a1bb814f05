// The rules that logs of NNAPI are checked by, one row each.
#include "memsize/network/nnapi.hpp"

namespace memsize::network {

const std::vector<core::Rule>& nnapi_rules() {
  using core::Code;
  using core::Severity;
  static constexpr std::string_view kValidator =
      "drivers' validators (AOSP: common/types, Validation.cpp, ValidateHal.cpp)";
  static constexpr std::string_view kDocuments = "the HAL's documents; no validator looks";
  static const std::vector<core::Rule> rules = {
      {Code::kNnBounds,
       Severity::kError,
       "constants end in operandValues or their pool, arguments in theirs; sums are of 64 bits",
       kValidator},
      {Code::kNnLength,
       Severity::kError,
       "a place has the bytes that type and dimensions take, in 32 bits; what is no constant has "
       "none",
       kValidator},
      {Code::kNnOrder, Severity::kError, "an operand is written before it is read", kValidator},
      {Code::kNnWriter,
       Severity::kError,
       "one operation writes each temporary and output, and nothing else is written",
       kValidator},
      {Code::kNnConsumers,
       Severity::kError,
       "numberOfConsumers is how often operations read an operand (HIDL)",
       "CPU drivers free a temporary after so many reads"},
      {Code::kNnLists,
       Severity::kError,
       "inputs and outputs are the operands of that lifetime, each once; operations name operands",
       kValidator},
      {Code::kNnQuantisation,
       Severity::kError,
       "scale, zero point and scales of channels are such as the type has",
       kValidator},
      {Code::kNnHal,
       Severity::kError,
       "types and lifetimes are such as the HAL has; a graph is one by both, and none by one alone",
       "boards/networks/nnapi.toml"},
      {Code::kNnPool,
       Severity::kError,
       "a pool's memory is one that the HAL has, and constants lie in none that only runs may use",
       "a driver must find in getSupportedOperations that it cannot decode a handle"},
      {Code::kNnRequest,
       Severity::kError,
       "a request has the model's arguments, with dimensions that agree; a buffer is used whole",
       kValidator},
      {Code::kNnAlias,
       Severity::kWarning,
       "an output shares no byte with another output or an input",
       kDocuments},
      {Code::kNnRole,
       Severity::kError,
       "a driver's buffer is used in the roles and shapes that it was allocated for, an output's "
       "as "
       "nothing else; what allocate() must refuse has no token, and the other way round",
       "memory domains (HAL 1.3), replayed in the reference (libmemsize_nn)"},
      {Code::kNnToken,
       Severity::kError,
       "tokens of requests are above 0 and of buffers that are there; no two of these have one",
       "memory domains (HAL 1.3)"},
      {Code::kNnAlignment,
       Severity::kNote,
       "what is copied lies at multiples of 1, 2 or 4 by its length",
       "the runtime's own rule; models of others pack values, and are valid"},
  };
  return rules;
}

}  // namespace memsize::network
