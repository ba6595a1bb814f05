// When and where a probe was recorded, and a table of its cores.
#include "report_probe.hpp"

#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;

constexpr std::size_t kLongest = 60;

Json running_json(const layout::RunningCore& core) {
  Json json = {{"name", core.said.name}};
  json.set_if_any("core", core.core);
  json.set_if_any("state", core.said.state);
  json.set_if_any("firmware", core.said.firmware);
  json.set_if_any("file", core.file);
  return json;
}

}  // namespace

std::string probe_text(const std::optional<app::CheckedProbe>& probe) {
  if (!probe) {
    return {};
  }
  std::string text =
      fmt::format("{}: recorded {}",
                  core::printable(probe->path, 300),
                  probe->time.empty() ? "at an unknown time" : core::printable(probe->time, 40));
  if (!probe->uname.empty()) {
    text += fmt::format(", {}", core::printable(probe->uname, 100));
  }
  if (probe->total) {
    text += fmt::format(", MemTotal {}", core::format_size(*probe->total));
  }
  text += "\n";
  Table table{.columns = {{"remote core"}, {"core"}, {"state"}, {"firmware"}, {"file"}}};
  for (const layout::RunningCore& core : probe->cores) {
    table.rows.push_back({core::printable(core.said.name, kLongest),
                          core.core,
                          core::printable(core.said.state, kLongest),
                          core::printable(core.said.firmware, kLongest),
                          core::printable(core.file, kLongest)});
  }
  return text + (table.rows.empty() ? std::string{} : table.text(2));
}

Json probe_json(const app::CheckedProbe& probe) {
  Json json = {{"path", probe.path}};
  json.set_if_any("time", probe.time);
  json.set_if_any("uname", probe.uname);
  if (probe.total) {
    json["total_bytes"] = probe.total->count();
  }
  json["samples"] = probe.samples;
  json["cores"] = Json::array(probe.cores, running_json);
  return json;
}

}  // namespace memsize::cli
