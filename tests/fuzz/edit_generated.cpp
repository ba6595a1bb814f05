// Any bytes as a file that a generator script wrote: an error, or a file that says what the edited
// script makes, and that is left alone from then on. The first byte says of which kind it is.
#include "formats/edit_generated.hpp"

#include "check.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sdk = memsize::sdk;
using memsize::fuzz::require;

namespace {

constexpr std::array<std::string_view, 4> kExporters = {"LinkerCmdFile(m, './f')",
                                                        "CHeaderFile(m, b, a, './f')",
                                                        "DtsFile(m, './f')",
                                                        "HtmlMmapTable(m, './f')"};

// In the edited script B goes in front of A, C comes, D goes.
sdk::ScriptExport make_export(std::string_view exporter, bool edited) {
  std::string text = "from ti_psdk_rtos_tools import *\n";
  text += edited ? "a = 0x2000\nb = 0x1000\n" : "a = 0x1000\nb = 0x2000\n";
  text +=
      "m = MemoryMap('m')\n"
      "m.addMemSection(MemSection('A', 'RW', a, 0x1000, 'a'))\n"
      "m.addMemSection(MemSection('B', '', b, 0x800, 'b'))\n";
  text += edited ? "m.addMemSection(MemSection('C', '', 0x1800, 0x400, 'c'))\n"
                 : "m.addMemSection(MemSection('D', '', 0x5000, 0x400, 'd'))\n";
  text += exporter;
  text += ".export()\n";
  const auto script = sdk::evaluate_script("gen.py", text);
  require(script.has_value() && script->exports.size() == 1, "the script is good");
  return script->exports.front();
}

struct Exports {
  sdk::ScriptExport before;
  sdk::ScriptExport after;
};

const Exports& exports_of(std::size_t kind) {
  static const std::vector<Exports> all = [] {
    std::vector<Exports> list;
    for (const std::string_view exporter : kExporters) {
      list.push_back({make_export(exporter, false), make_export(exporter, true)});
    }
    return list;
  }();
  return all[kind];
}

void check(const sdk::ScriptExport& before,
           const sdk::ScriptExport& after,
           const std::string& content,
           sdk::HandEdits choice) {
  const auto made = sdk::regenerate(before, after, {"f", content}, choice);
  if (!made) {
    require(!made.error().empty(), "a failure has an error");
    return;
  }
  if (!made->hand_edits.empty() && choice == sdk::HandEdits::kKeep) {
    require(made->content == content, "what was edited by hand stays");
    return;
  }
  const bool same = &before == &after && made->hand_edits.empty();
  require(!same || made->content == content, "nothing changes by itself");
  for (const auto one : {sdk::HandEdits::kKeep, sdk::HandEdits::kForce}) {
    const auto again = sdk::regenerate(after, after, {"f", made->content}, one);
    require(again.has_value() && again->hand_edits.empty(), "what was made is what is to be made");
    require(again->content == made->content, "nothing is edited twice");
  }
}

}  // namespace

MEMSIZE_FUZZ_TARGET(edit_generated) {
  if (size == 0) {
    return 0;
  }
  const std::string content{reinterpret_cast<const char*>(data) + 1, size - 1};
  const auto& [before, after] = exports_of(data[0] % kExporters.size());
  for (const auto choice : {sdk::HandEdits::kKeep, sdk::HandEdits::kForce}) {
    check(before, after, content, choice);
    check(after, before, content, choice);
    check(before, before, content, choice);
  }
  return 0;
}
