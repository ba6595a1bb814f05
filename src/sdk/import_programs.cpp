#include "import_plan.hpp"

namespace memsize::sdk {

std::string programs_text(Plan& plan) {
  (void)plan;
  return {};
}

}  // namespace memsize::sdk
