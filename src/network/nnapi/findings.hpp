// Gathers what is wrong with a log: of one code the first twenty, then how many more there are.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/core/text.hpp"

#include "nnapi/operands.hpp"

#include <map>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace memsize::network {

/// What a HAL returns for what it must refuse.
inline constexpr const char* kNnInvalid = "INVALID_ARGUMENT";
inline constexpr const char* kNnFailure = "GENERAL_FAILURE";

class NnFindings {
 public:
  explicit NnFindings(std::string path) : path_(std::move(path)) {}

  void error(core::Code code, std::size_t line, std::string message, std::string hint = {}) {
    keep(core::error(code, std::move(message), {path_, line}, std::move(hint)));
  }

  void warn(core::Code code, std::size_t line, std::string message, std::string hint = {}) {
    keep(core::warning(code, std::move(message), {path_, line}, std::move(hint)));
  }

  void note(core::Code code, std::size_t line, std::string message, std::string hint = {}) {
    keep(core::note(code, std::move(message), {path_, line}, std::move(hint)));
  }

  [[nodiscard]] core::Diagnostics take() {
    for (const auto& [code, count] : counts_) {
      if (count > kMost) {
        found_.push_back(core::error(code,
                                     fmt::format("{} more like these", count - kMost),
                                     {path_},
                                     "mend the first ones"));
      }
    }
    core::sort_by_place(found_);
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kMost = 20;

  void keep(core::Diagnostic diagnostic) {
    std::size_t& count = counts_[diagnostic.code];
    count += diagnostic.severity == core::Severity::kError ? 1U : 0U;
    std::size_t& all = all_[{diagnostic.code, diagnostic.severity}];
    if (++all <= kMost) {
      found_.push_back(std::move(diagnostic));
    }
  }

  core::SharedText path_;
  core::Diagnostics found_;
  std::map<core::Code, std::size_t> counts_;
  std::map<std::pair<core::Code, core::Severity>, std::size_t> all_;
};

void check_nn_model(const model::NnModel& model, const board::NnFormat& format, NnFindings& found);

/// `model`: the only one of the log, whose request it then is; null where there are several.
void check_nn_request(const model::NnRequest& request,
                      std::size_t number,
                      const model::NnModel* model,
                      const board::NnFormat& format,
                      NnFindings& found);

/// Whether a kind of memory is one that the HAL has, and that may be used so.
void check_nn_pool(const model::NnPool& pool,
                   const std::string& what,
                   std::string_view hal,
                   bool is_of_model,
                   const board::NnFormat& format,
                   NnFindings& found);

}  // namespace memsize::network
