// Puts a request back into words in a fixed order, each quoted for a shell where it must be, so
// that a proposed line can be copied as it stands.
#include "command_line.hpp"

#include "memsize/core/text.hpp"

#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr const char* kAccept = "--accept-generation";

class CommandLine {
 public:
  explicit CommandLine(const std::string& verb) : text_("memsize " + verb) {}

  void word(const std::string& word) { text_ += " " + core::shell_path(word); }

  void option(const char* name, const std::string& value) {
    if (!value.empty()) {
      text_ += fmt::format(" {}", name);
      word(value);
    }
  }

  void flag(const char* name, bool is_set) {
    if (is_set) {
      text_ += fmt::format(" {}", name);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string command_of(const app::EmitRequest& request,
                       const std::string& board,
                       const std::vector<std::string>& further) {
  const app::AnalyzeRequest& trace = request.trace;
  CommandLine line{request.verb};
  const bool is_first = request.verb == app::kAnalyze;
  if (!request.question.empty()) {
    line.word(request.question);
  }
  for (std::size_t i = 0; is_first && i < trace.inputs.size(); ++i) {
    line.word(trace.inputs[i]);
  }
  line.option("--board", board);
  for (std::size_t i = 0; !is_first && i < trace.inputs.size(); ++i) {
    line.option("--trace", trace.inputs[i]);
  }
  line.option("--sdk", request.sdk);
  line.option("--linux", request.linux_tree);
  line.option("--out", request.out);
  line.option("--only", core::join(request.only, ","));
  line.option("--core", trace.core);
  line.option("--format", trace.format);
  line.option("--instances", trace.instances);
  line.option("--headroom", trace.headroom);
  line.option("--dram", request.board.dram);
  line.flag("--tight", trace.tight);
  line.flag("--one-priority", trace.one_priority);
  line.flag("--whole", trace.needs.whole);
  for (const auto& [option, values] : {std::pair{"--idle", &trace.needs.idle},
                                       std::pair{"--keep-size", &trace.needs.keep},
                                       std::pair{"--images", &trace.needs.images}}) {
    for (const std::string& value : *values) {
      line.option(option, value);
    }
  }
  line.flag("--force", request.hand_edits == sdk::HandEdits::kForce);
  line.flag("--keep", request.hand_edits == sdk::HandEdits::kKeep);
  for (const std::string& setting : request.board.set) {
    line.option("--set", setting);
  }
  for (const std::string& setting : further) {
    line.option("--set", setting);
  }
  line.flag(kAccept, request.accept_generation);
  line.flag("--diff", request.diff);
  line.flag("--check", request.check);
  return line.take();
}

}  // namespace memsize::cli
