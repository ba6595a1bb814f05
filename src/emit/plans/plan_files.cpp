// The formats of plans by name, and which function or template writes each. A prefix that begins no
// C name is refused whatever the format.
#include "memsize/emit/plan_files.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/emit/plan_tflite.hpp"

#include "plan_writers.hpp"
#include "template.hpp"

#include <fmt/format.h>

namespace memsize::emit {

namespace {

core::Diagnostic unknown_format(std::string_view format) {
  const std::vector<std::string> names = core::texts_of(plan_formats(), &PlanFormat::name);
  return core::error(core::Code::kEmitUnknown,
                     fmt::format("there is no format '{}' of a plan", core::printable(format, 60)),
                     {},
                     core::did_you_mean(format, names, "the formats are"));
}

}  // namespace

const std::vector<PlanFormat>& plan_formats() {
  static const std::vector<PlanFormat> formats = {
      {"json", "all that is known of the plan (memsize.plan/1)"},
      {"residency", "heliaAOT's residency report, schema 3", true},
      {"helia-yaml", "heliaAOT's memory: section, with the fewest rules that give this placement"},
      {"tflite",
       "the model that the plan is of, with its operators in the plan's order and its offsets, for "
       "TensorFlow Lite Micro"},
      {"csv", "id,lower,upper,size,offset, as minimalloc reads and writes it"},
      {"c-header", "a C and C++ header of sizes and offsets, which checks itself", true},
      {"chart", "time and addresses, for a terminal"},
      {"svg", "time and addresses, as a drawing"},
      {"html", "a report for people, with the drawing and a table of the blocks", true},
      {"chrome-trace", "events for chrome://tracing and Perfetto"},
  };
  return formats;
}

core::Result<std::string> plan_file(core::FileSystem& files,
                                    std::string_view format,
                                    const model::PlanReport& plan,
                                    const PlanFileOptions& options) {
  if (!core::is_identifier(options.prefix)) {
    return core::fail(
        core::error(core::Code::kUsage,
                    fmt::format("'{}' begins no C name", core::printable(options.prefix, 60)),
                    {},
                    "use letters, digits and underscores, no digit first"));
  }
  if (format == "json") {
    return plan_json(plan);
  }
  if (format == "residency") {
    return plan_residency(plan, options.prefix);
  }
  if (format == "helia-yaml") {
    return plan_rules_yaml(plan);
  }
  if (format == "tflite") {
    return plan_tflite(options.model, options.path, plan);
  }
  if (format == "csv") {
    return plan_csv(plan);
  }
  if (format == "c-header") {
    return render_template(files,
                           options.templates,
                           "plan-header",
                           plan_header_view(plan, options.prefix),
                           escape_comment);
  }
  if (format == "chart") {
    return plan_chart(plan, options.width);
  }
  if (format == "svg") {
    return plan_svg(plan);
  }
  if (format == "html") {
    return render_page_template(
        files, options.templates, "plan-html", plan_html_view(plan, options.prefix));
  }
  if (format == "chrome-trace") {
    return plan_trace(plan);
  }
  return core::fail(unknown_format(format));
}

}  // namespace memsize::emit
