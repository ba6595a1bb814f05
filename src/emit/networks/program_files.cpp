// The files of a program: ARES' tree (inc, src, src/net, bin, Makefile).
#include "memsize/core/text.hpp"

#include "networks/network_emitters.hpp"
#include "template.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

// As ARES has them in network_data.h: the sum of all bytes.
std::uint32_t checksum_of(const std::string& bytes) {
  std::uint32_t sum = 0;
  for (const char byte : bytes) {
    sum += static_cast<unsigned char>(byte);
  }
  return sum;
}

Json file_row(const ProgramFile& file) {
  return {{"name", file.name},
          {"MACRO", file.macro},
          {"memory", file.memory},
          {"offset", fmt::format("{}", file.offset)},
          {"size", fmt::format("{}", file.bytes.size())},
          {"checksum", fmt::format("0x{:08X}", checksum_of(file.bytes))}};
}

Json lines_of(const std::vector<std::string>& lines) {
  Json rows = Json::array();
  for (const std::string& line : lines) {
    rows.push_back({{"text", line}});
  }
  return rows;
}

// In a C string and in a comment.
std::string plain(const std::string& name) {
  std::string text = core::ascii_text(core::printable(name, 100));
  std::ranges::replace_if(
      text, [](char c) { return c == '"' || c == '\\' || c == '%' || c == '*' || c == '?'; }, '_');
  return text;
}

Json program_view(const NetworkProgram& program) {
  Json view;
  view["name"] = plain(program.name);
  view["workers"] = fmt::format("{}", program.workers);
  view["longest"] = fmt::format("{}", program.budget.dma_longest.count());
  view["open"] = fmt::format("{}", program.budget.dma_open);
  view["l1"] = fmt::format("{}", program.l1.count());
  view["l2"] = fmt::format("{}", program.l2.count());
  view["l2_constants"] = fmt::format("{}", program.l2_constants.count());
  view["l3"] = fmt::format("{}", program.l3.count());
  view["l3_constants"] = fmt::format("{}", program.l3_constants.count());
  view["stack"] = fmt::format("{}", program.stack.count());
  view["steps"] = Json::array();
  for (std::size_t i = 0; i < program.steps.size(); ++i) {
    const ProgramStep& step = program.steps[i];
    view["steps"].push_back({{"number", fmt::format("{}", i)},
                             {"name", plain(step.name)},
                             {"fields", lines_of(step.fields)},
                             {"reads", !step.operands.empty()},
                             {"operands", lines_of(step.operands)}});
  }
  view["files"] = Json::array();
  for (const ProgramFile& file : program.files) {
    view["files"].push_back(file_row(file));
  }
  view["goldens"] = Json::array();
  for (const NetworkProgram::Golden& golden : program.goldens) {
    Json row = file_row(golden.file);
    row["step"] = fmt::format("{}", golden.step);
    view["goldens"].push_back(std::move(row));
  }
  view["num_steps"] = fmt::format("{}", program.steps.size());
  view["num_files"] = fmt::format("{}", program.files.size());
  view["num_goldens"] = fmt::format("{}", program.goldens.size());
  view["no_goldens"] = program.goldens.empty();
  view["sources"] = Json::array();
  for (const std::string& source : program.sources) {
    view["sources"].push_back({{"name", source}});
  }
  return view;
}

}  // namespace

core::Result<std::vector<Artifact>> render_tables(const NetworkInput& input) {
  std::vector<Artifact> artifacts;
  const Json view = program_view(*input.program);
  for (const auto& [path, name] : {std::pair{"inc/net_config.h", "network-config"},
                                   std::pair{"inc/network_data.h", "network-data"},
                                   std::pair{"src/network.c", "network-tables"},
                                   std::pair{"Makefile", "network-makefile"}}) {
    auto content = render_template(input.files, input.template_folders, name, view, escape_comment);
    MEMSIZE_TRY(content);
    artifacts.push_back({path, {}, std::move(*content)});
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_runtime(const NetworkInput& input) {
  std::vector<std::pair<std::string, std::string>> paths = {{"src/main.c", "main.c"}};
  for (const char* const header : {"net.h", "net_round.h", "network.h"}) {
    paths.emplace_back(fmt::format("inc/{}", header), header);
  }
  for (const std::string& source : input.program->sources) {
    paths.emplace_back("src/net/" + source, source);
  }
  std::vector<Artifact> artifacts;
  for (const auto& [path, name] : paths) {
    auto content = input.files.read(fmt::format("{}/net/{}", input.runtime_folder, name));
    MEMSIZE_TRY(content);
    artifacts.push_back({path, {}, std::move(*content)});
  }
  return artifacts;
}

core::Result<std::vector<Artifact>> render_binaries(const NetworkInput& input) {
  std::vector<Artifact> artifacts;
  for (const ProgramFile& file : input.program->files) {
    artifacts.push_back({"bin/" + file.name, {}, file.bytes});
  }
  for (const NetworkProgram::Golden& golden : input.program->goldens) {
    artifacts.push_back({"bin/" + golden.file.name, {}, golden.file.bytes});
  }
  return artifacts;
}

}  // namespace memsize::emit
