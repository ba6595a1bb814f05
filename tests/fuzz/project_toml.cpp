// Any bytes as a project file: errors with their place, or a project whose values stand in the text
// and whose use of them is remembered.
#include "memsize/app/project.hpp"

#include "check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using memsize::fuzz::require;

namespace {

void check_project_errors(const memsize::core::Diagnostics& errors) {
  require(memsize::core::has_errors(errors), "a failure has errors");
  for (const auto& problem : errors) {
    require(!problem.message.empty(), "a finding has a message");
    require(problem.place.path == "sub/memsize.toml" && problem.place.line != 0,
            "a finding has a place");
    require(problem.place.column <= problem.place.text.str().size() + 1, "a place is in its line");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(project_toml) {
  const std::string text{reinterpret_cast<const char*>(data), size};
  const auto project = memsize::app::parse_project(text, "sub/memsize.toml");
  if (!project) {
    check_project_errors(project.error());
    return 0;
  }
  memsize::app::Defaults defaults{*project};
  memsize::app::BoardRequest board;
  defaults.fill(board);
  require(board.name.empty() || project->board, "a board comes from the project");
  require(!board.name.empty() || board.set.empty(), "sizes wait for a board");
  for (const std::string& setting : board.set) {
    require(setting.find('=') != std::string::npos, "a setting has a size");
  }
  std::vector<std::string> traces;
  std::string sizing;
  defaults.fill_inputs(traces, sizing);
  require(traces.empty() || sizing.empty(), "traces and a sizing document exclude each other");
  memsize::app::Target target;
  defaults.fill(target);
  require(target.out.empty() || target.sdk.empty(), "a folder and an SDK exclude each other");
  for (const std::string* path : {&sizing, &target.out, &target.sdk, &target.linux_tree}) {
    require(path->empty() || path->front() == '/' || path->starts_with("sub/"),
            "a path is beside the file");
  }
  memsize::core::Diagnostics problems;
  for (const std::string& trace : traces) {
    memsize::core::Place place;
    place.path = trace;
    problems.push_back(memsize::core::error(memsize::core::Code::kReadNoTable, "x", place));
  }
  defaults.say_where(problems);
  require(std::ranges::all_of(problems,
                              [](const auto& problem) {
                                return !problem.related.empty() || problem.place.line != 0;
                              }),
          "what is wrong with a trace leads to the project");
  return 0;
}
