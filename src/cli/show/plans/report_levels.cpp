// One table of all memories: consumers in their order, then the sum against the hardware.
#include "report_levels.hpp"

#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

std::string levels_text(const std::vector<network::Level>& levels) {
  if (levels.empty()) {
    return {};
  }
  Table table{.columns = {{"memory"}, {"what"}, {"bytes", true}, {"knob"}}};
  for (const network::Level& level : levels) {
    std::string memory = core::printable(level.memory, 40);
    for (const network::LevelConsumer& consumer : level.consumers) {
      table.rows.push_back({std::exchange(memory, {}),
                            core::printable(consumer.name, 80),
                            core::format_bytes(consumer.size),
                            consumer.knob.empty() ? "-" : consumer.knob});
    }
    const bool fits = level.used <= level.capacity;
    table.rows.push_back(
        {"",
         fits ? "free" : "too much",
         core::format_bytes(fits ? level.capacity - level.used : level.used - level.capacity),
         fmt::format("of {}", core::format_bytes(level.capacity))});
  }
  std::string text = table.text(2);
  for (const network::Level& level : levels) {
    if (!level.not_counted.empty()) {
      text += fmt::format("  not counted in {}, because nobody said: {}\n",
                          core::printable(level.memory, 40),
                          core::join(level.not_counted, ", "));
    }
  }
  return text;
}

core::Json levels_json(const std::vector<network::Level>& levels) {
  return core::Json::array(levels, [](const network::Level& level) {
    core::Json json = {{"memory", level.memory},
                       {"capacity_bytes", level.capacity.count()},
                       {"used_bytes", level.used.count()}};
    json["consumers"] =
        core::Json::array(level.consumers, [](const network::LevelConsumer& consumer) {
          core::Json item = {{"name", consumer.name}, {"size_bytes", consumer.size.count()}};
          item.set_if_any("knob", consumer.knob);
          return item;
        });
    json.set_if_any("not_counted", level.not_counted);
    return json;
  });
}

}  // namespace memsize::cli
