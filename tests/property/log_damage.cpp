// One byte of a log is another one: every line of the logs that says how much memory is used, every
// byte of it, several values each. What is read and sized then must be told, or be what the
// undamaged log says: of all damages of one kind of line, fewer than 1 % may change figures without
// a word.
//
//   log_damage --boards DIR [--values N] [--seed N] [--show] FILE...
//
// A figure is a size, an address of a heap or a record that counts, or what memory it counts in.
// Told is a warning or an error of the reader or of the sizing.
#include "memsize/board/trace_format.hpp"
#include "memsize/core/file_system.hpp"
#include "memsize/readers/reader.hpp"
#include "memsize/sizing/sizing.hpp"

#include "damage.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace {

using memsize::test::DamageOptions;
using memsize::test::OtherBytes;
using memsize::test::Said;
using memsize::test::Share;
using memsize::test::text_of;

std::string figures_of(const memsize::sizing::Sizing& sizing) {
  std::string text;
  for (const auto& core : sizing.cores) {
    text += fmt::format("core {}\n", core.core);
    for (const auto& demand : core.demands) {
      text += fmt::format("demand {} {} {} {} {} {} {} {}\n",
                          demand.key.space,
                          memsize::model::name_of(demand.key.cacheability),
                          memsize::model::name_of(demand.key.lifetime),
                          demand.requested.count(),
                          demand.bound.count(),
                          text_of(demand.extent),
                          text_of(demand.statistics),
                          text_of(demand.failed));
    }
    for (const auto& demand : core.onchip) {
      text += fmt::format("onchip {} {}\n", demand.space, demand.requested.count());
    }
  }
  return text;
}

std::string figures_of(const std::vector<memsize::model::HeapReport>& heaps) {
  std::string text;
  for (const auto& heap : heaps) {
    text += fmt::format("heap {} {} {} {} {:x} {}\n",
                        heap.core,
                        memsize::model::name_of(heap.source),
                        heap.name,
                        heap.size.count(),
                        heap.address ? heap.address->value() : 0,
                        text_of(heap.free));
  }
  return text;
}

// By what the line says before it is damaged; empty: nothing of memory.
std::string_view kind_of(std::string_view line) {
  const auto holds = [&](std::string_view word) { return line.find(word) != line.npos; };
  if (holds("Created heap")) {
    return "boot";
  }
  if (holds("HEAP:") || holds(" B |")) {
    return "statistics";
  }
  if (holds("memory record ")) {
    return holds("Failed") ? "failure" : "requests";
  }
  if (holds("(Persistent)") || holds("(Scratch)")) {
    return "sums";
  }
  if (holds("Persistent") || holds("Scratch")) {
    return holds("0x00000000") ? "alloc table" : holds(", 0x") ? "init table" : "old table";
  }
  // Numbers alone, as the stand-alone test prints them.
  if (line.find_first_not_of("0123456789, .xabcdef\n") == line.npos && holds(" 0x")) {
    return "test table";
  }
  return {};
}

// What of a line is damaged: all of it, or, where many lines have become one, its heaps at boot.
std::vector<std::string_view> parts_of(std::string_view line) {
  constexpr std::size_t kOneThing = 300;
  constexpr std::size_t kPrefix = 60;
  constexpr std::string_view kEnd = "!!!";
  if (line.size() < kOneThing) {
    return kind_of(line).empty() ? std::vector<std::string_view>{} : std::vector{line};
  }
  std::vector<std::string_view> parts;
  std::size_t at = line.find("MEM: Created heap");
  while (at != line.npos) {
    const std::size_t end = std::min(line.find(kEnd, at), line.size() - kEnd.size()) + kEnd.size();
    const std::size_t open = line.rfind('[', at);
    const std::size_t begin = open == line.npos || at - open > kPrefix ? at : open;
    parts.push_back(line.substr(begin, end - begin));
    at = line.find("MEM: Created heap", end);
  }
  return parts;
}

class Damage {
 public:
  Damage(const memsize::board::TraceFormat& format, const DamageOptions& options)
      : format_(format), options_(options) {}

  // Nothing, where nothing of memory is in the file.
  void try_file(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const Said before = log_of(text);
    if (before.figures.empty()) {
      return;
    }
    // The same damages, whatever other files there are.
    OtherBytes bytes{options_.seed};
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
      for (const auto& part : parts_of(std::string_view{text}.substr(begin, end - begin))) {
        const auto at = static_cast<std::size_t>(part.data() - text.data());
        for (std::size_t i = 0; i < part.size(); ++i) {
          try_byte(path, text, at + i, before, bytes, shares_[std::string{kind_of(part)}]);
        }
      }
      begin = end;
    }
  }

  // Whether each kind of line is below the limit.
  [[nodiscard]] bool report() const {
    bool good = !shares_.empty();
    for (const auto& [name, share] : shares_) {
      good = share.report(name) && good;
    }
    return good;
  }

 private:
  [[nodiscard]] Said log_of(const std::string& text) const {
    Said said;
    const auto recording = memsize::readers::read_text(text, "log", "tidl-log");
    if (!recording) {
      said.keep(recording.error());
      return said;
    }
    for (const auto& core : recording->cores) {
      // Which the program says where it joins recordings.
      if (core.core.empty()) {
        said.told.insert("a core without a name");
      }
    }
    const auto sizing = memsize::sizing::size_recording(*recording, format_, nullptr, {});
    said.keep(sizing.diagnostics);
    said.figures = figures_of(sizing) + figures_of(recording->heaps);
    return said;
  }

  void try_byte(const std::string& path,
                const std::string& text,
                std::size_t at,
                const Said& before,
                OtherBytes& bytes,
                Share& share) {
    for (std::size_t i = 0; i < options_.values; ++i) {
      const std::string damaged = bytes.damaged(text, at);
      const bool silent = log_of(damaged).differs_silently(before);
      share.count(silent);
      if (silent && options_.show) {
        memsize::test::show(path, damaged, at, text[at]);
      }
    }
  }

  const memsize::board::TraceFormat& format_;
  const DamageOptions& options_;
  std::map<std::string, Share> shares_;
};

}  // namespace

int main(int argc, char** argv) {
  const DamageOptions options{argc, argv};
  memsize::core::RealFileSystem files;
  const auto format = memsize::board::load_trace_format(files, options.boards, "tidl");
  if (!format) {
    fmt::print(stderr, "{}: no formats there\n", options.boards);
    return 1;
  }
  Damage damage{*format, options};
  for (const std::string& path : options.paths) {
    damage.try_file(path);
  }
  return damage.report() ? 0 : 1;
}
