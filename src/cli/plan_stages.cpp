#include "plan_stages.hpp"

#include "memsize/core/byte_stream.hpp"
#include "memsize/core/text.hpp"
#include "memsize/readers/plan_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;

// A plan of ten million blocks is smaller; what is larger is a mistake, or a packed nothing.
constexpr std::size_t kLongestPlan = std::size_t{1} << 30;

core::Result<std::string> read_whole(Session& session, const std::string& path) {
  auto file = session.files.open(path);
  if (!file) {
    return tl::make_unexpected(file.error());
  }
  const auto stream = core::unpacked(std::move(*file), path);
  std::string text;
  std::vector<char> block(std::size_t{1} << 17);
  while (true) {
    const auto size = stream->read(block);
    if (!size) {
      return tl::make_unexpected(size.error());
    }
    if (*size == 0) {
      return text;
    }
    text.append(block.data(), *size);
    if (text.size() > kLongestPlan) {
      core::Place place;
      place.path = path;
      return core::fail(core::error(
          Code::kReadLimit,
          fmt::format("this is longer than {}", core::format_size(core::Bytes{kLongestPlan})),
          place,
          "this is no plan of memory; name the compiler's report"));
    }
  }
}

}  // namespace

core::Result<model::PlanReport> read_plans(Session& session,
                                           const std::vector<std::string>& paths,
                                           const std::string& format) {
  if (std::count(paths.begin(), paths.end(), "-") > 1) {
    return core::fail(core::error(Code::kUsage,
                                  "standard input can be read only once",
                                  {},
                                  "name the other reports by their paths"));
  }
  std::vector<model::PlanReport> reports;
  core::Diagnostics errors;
  const auto keep = [&](const core::Diagnostics& found) {
    errors.insert(errors.end(), found.begin(), found.end());
  };
  for (const std::string& path : paths) {
    const auto text = read_whole(session, path);
    if (!text) {
      keep(text.error());
      continue;
    }
    auto report = readers::read_plan(*text, path, format);
    if (!report) {
      keep(report.error());
      continue;
    }
    reports.push_back(std::move(*report));
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return reports.size() == 1 ? std::move(reports.front()) : model::combine(std::move(reports));
}

}  // namespace memsize::cli
