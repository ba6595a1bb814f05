// The options about a trace that several verbs share, and the error where one of them is given
// without a trace.
#include "memsize/core/diagnostic.hpp"

#include "verbs.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

void add_sizing_options(const Command& verb, app::AnalyzeRequest& trace) {
  verb.option("--instances",
              trace.instances,
              "Models of one core are loaded together (default) or apart")
      .one_of({"together", "apart"});
  verb.option("--headroom", trace.headroom, "Margin on what can vary: 10% (default), a size, or 0");
  verb.flag("--one-priority",
            trace.one_priority,
            "All models run at one priority: what each priority needs is counted once a core");
  verb.flag(
      "--tight", trace.tight, "Round to what the hardware can do instead of the vendor's step");
}

void add_need_options(const Command& verb, app::NeedRequest& needs) {
  verb.flag("--whole",
            needs.whole,
            "The whole reservation: what regions need that no trace sizes, and how sure that is");
  verb.option("--idle", needs.idle, "No model runs on this core: its heaps get what it uses idle")
      .filled()
      .one_value();
  verb.option("--keep-size", needs.keep, "This knob keeps its size, whatever --whole says")
      .filled()
      .one_value();
  verb.option("--images", needs.images, "Firmware (ELF): what its code takes, and a margin")
      .filled();
}

void add_trace_options(const Command& verb, app::EmitRequest& request) {
  app::AnalyzeRequest& trace = request.trace;
  verb.option("--core", trace.core, "Only this core of the traces; names lines without a prefix");
  verb.option("--format", trace.format, "Read the traces with this reader");
  add_sizing_options(verb, trace);
  add_need_options(verb, trace.needs);
  verb.flag("--accept-generation",
            request.accept_generation,
            "Use a trace of another SDK generation than the board's");
}

std::optional<core::Diagnostic> lacks_trace(const app::AnalyzeRequest& trace, const char* verb) {
  const std::array options = {std::pair{"--tight", trace.tight},
                              std::pair{"--one-priority", trace.one_priority},
                              std::pair{"--core", !trace.core.empty()},
                              std::pair{"--format", !trace.format.empty()},
                              std::pair{"--instances", !trace.instances.empty()},
                              std::pair{"--headroom", !trace.headroom.empty()}};
  for (const auto& [option, is_given] : options) {
    if (is_given && trace.inputs.empty() && !trace.needs.any()) {
      return core::error(
                 core::Code::kUsage,
                 fmt::format("{} is about a trace: give one with --trace or --sizing", option),
                 {},
                 fmt::format("memsize {} --help shows how", verb))
          .of_option(option);
    }
  }
  return std::nullopt;
}

}  // namespace memsize::cli
