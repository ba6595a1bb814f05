// The verdict first, then what each model needs alone, the heaps of all together, the sets that fit
// and those that do not, and what would help.
#include "report_fit.hpp"

#include "memsize/core/document.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using app::CoreNeed;
using app::Fit;
using app::FitSet;
using app::HeapNeed;
using core::Bytes;
using core::Json;

// Sets of each kind, unless all are wanted.
constexpr std::size_t kShown = 8;

std::string name_of_model(const Fit& fit, std::size_t model) {
  return core::printable(fit.models[model].name, 40);
}

std::string names_of(const Fit& fit, const std::vector<std::size_t>& models) {
  return core::join(
      core::texts_of(models, [&](std::size_t model) { return name_of_model(fit, model); }), ", ");
}

// "a, b", or where each of them runs: "c7x_1: a; c7x_2: b".
std::string where(const Fit& fit, const FitSet& set) {
  if (set.places.empty()) {
    return names_of(fit, set.models);
  }
  std::vector<std::string> parts;
  for (std::size_t place = 0; place < fit.cores.size(); ++place) {
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < set.models.size(); ++i) {
      if (set.places[i] == place) {
        there.push_back(set.models[i]);
      }
    }
    if (!there.empty()) {
      parts.push_back(fmt::format("{}: {}", fit.cores[place].name, names_of(fit, there)));
    }
  }
  return core::join(parts, "; ");
}

// "57 of 64 MiB on c7x_2, 12 of 32 MiB on c7x_1".
std::string against_budgets(const Fit& fit, const FitSet& set) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < fit.cores.size(); ++i) {
    const std::string need = core::format_size(set.cores[i].total());
    const auto& budget = fit.cores[i].budget;
    parts.push_back(fmt::format("{}{} on {}",
                                need,
                                budget ? " of " + core::format_size(*budget) : std::string{},
                                fit.cores[i].name));
  }
  if (fit.budget || fit.cores.size() > 1) {
    parts.push_back(
        fmt::format("{}{} in all",
                    core::format_size(set.total()),
                    fit.budget ? " of " + core::format_size(*fit.budget) : std::string{}));
  }
  return core::join(parts, ", ");
}

std::string verdict(const Fit& fit) {
  const FitSet& all = fit.together;
  const std::string models = core::plural(fit.models.size(), "model");
  if (all.fits) {
    return fmt::format("{} {}: {}, {} left\n",
                       models,
                       fit.models.size() == 1 ? "fits" : "fit together",
                       against_budgets(fit, all),
                       core::format_size(all.left));
  }
  const std::string lack =
      !all.no_room.empty()
          ? std::string{"the board has no room for that"}
          : fmt::format("{} too many{}",
                        core::format_size(all.lacks),
                        fit.proved ? "" : "; there may be a way that was not found");
  return fmt::format("{} {}: {}, {}\n",
                     models,
                     fit.models.size() == 1 ? "does not fit" : "do not fit together",
                     against_budgets(fit, all),
                     lack);
}

std::string model_table(const Fit& fit) {
  Table table{.columns = {{"model"}, {"traced on"}, {"alone", true}, {"largest heap"}, {""}}};
  for (const app::FitModel& model : fit.models) {
    const CoreNeed* own = nullptr;
    for (const CoreNeed& core : model.alone.cores) {
      own = core.heaps.empty() ? own : &core;
    }
    const HeapNeed* largest = own == nullptr ? nullptr : own->largest();
    const bool moved = own != nullptr && !core::contains(model.traced_on, own->core);
    table.rows.push_back(
        {core::printable(model.name, 40),
         model.traced_on.empty() ? "-" : core::printable(core::join(model.traced_on, ", "), 40),
         core::format_size(model.alone.total()),
         largest == nullptr
             ? "-"
             : fmt::format("{} {}", largest->region, core::format_size(largest->need)),
         moved ? "counted for " + own->core : ""});
  }
  return table.text(2);
}

std::string heap_table(const Fit& fit) {
  Table table{
      .columns = {{fit.models.size() == 1 ? "its heaps" : "all together"}, {"need", true}, {""}}};
  for (const CoreNeed& core : fit.together.cores) {
    const HeapNeed* largest = core.largest();
    for (const HeapNeed& heap : core.heaps) {
      table.rows.push_back({heap.region,
                            core::format_size(heap.need),
                            heap.grown.count() != 0
                                ? fmt::format("{} of it for the MMU", core::format_size(heap.grown))
                            : &heap == largest && core.heaps.size() > 1 ? "the largest"
                                                                        : ""});
    }
  }
  table.rows.push_back({"total", core::format_size(fit.together.total()), ""});
  return table.text(2);
}

// The heap that takes most of what binds.
std::string largest_of(const FitSet& set) {
  const HeapNeed* largest = nullptr;
  for (const CoreNeed& core : set.cores) {
    const HeapNeed* own = core.largest();
    const bool counts = set.binds == core.core || set.binds == "all" || set.binds.empty();
    if (own != nullptr && counts && (largest == nullptr || own->need > largest->need)) {
      largest = own;
    }
  }
  return largest == nullptr
             ? std::string{"-"}
             : fmt::format("{} {}", largest->region, core::format_size(largest->need));
}

std::string set_table(const Fit& fit,
                      const std::vector<FitSet>& sets,
                      std::size_t count,
                      const char* title,
                      bool all) {
  if (sets.empty()) {
    return {};
  }
  const bool fits = sets.front().fits;
  Table table{
      .columns = {{title}, {"need", true}, {fits ? "left" : "lacks", true}, {"largest heap"}}};
  const std::size_t shown = all ? sets.size() : std::min(sets.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const FitSet& set = sets[i];
    table.rows.push_back(
        {where(fit, set),
         core::format_size(set.total()),
         !set.no_room.empty() ? "room" : core::format_size(fits ? set.left : set.lacks),
         largest_of(set)});
  }
  std::string out = "\n" + table.text(2);
  if (shown < count) {
    out += fmt::format("  and {} more{}\n", count - shown, all ? "" : ": -v, or --json");
  }
  return out;
}

std::string ways(const Fit& fit) {
  std::string out;
  if (!fit.drop.empty()) {
    out += fmt::format("without one of these the others fit: {}\n", names_of(fit, fit.drop));
  } else if (!fit.together.fits && !fit.maximal.empty() && fit.models.size() > 1) {
    out += fmt::format("{} of {} fit at most{}: {}\n",
                       fit.maximal.front().models.size(),
                       core::plural(fit.models.size(), "model"),
                       fit.complete ? "" : ", as far as was looked",
                       where(fit, fit.maximal.front()));
  }
  if (fit.merged) {
    out += fmt::format("if all of them run at one priority, {} less is needed{}: --one-priority\n",
                       core::format_size(fit.together.total() - fit.merged->total()),
                       fit.merged->fits && !fit.together.fits ? ", and they fit" : "");
  }
  if (!fit.complete) {
    out += fmt::format(
        "best found, not proved: {} sets were looked at, and there may be more of both kinds\n",
        fit.looked_at);
  } else if (fit.assigns && fit.together.fits && !fit.proved) {
    out += "best found, not proved: another way may need less\n";
  }
  return out.empty() ? out : "\n" + out;
}

Json heaps_json(const CoreNeed& core) {
  return Json::array(core.heaps, [](const HeapNeed& heap) {
    Json json = {{"knob", heap.knob}, {"region", heap.region}, {"need_bytes", heap.need.count()}};
    if (heap.grown.count() != 0) {
      json["mmu_bytes"] = heap.grown.count();
    }
    return json;
  });
}

Json set_json(const Fit& fit, const FitSet& set) {
  Json json;
  json["models"] = Json(set.models);
  if (!set.places.empty()) {
    json["on"] =
        core::texts_of(set.places, [&](std::size_t place) { return fit.cores[place].name; });
  }
  json["fits"] = set.fits;
  json["need_bytes"] = set.total().count();
  json[set.lacks.count() == 0 ? "left_bytes" : "lacks_bytes"] =
      (set.lacks.count() == 0 ? set.left : set.lacks).count();
  json.set_if_any("budget_of", set.binds);
  json.set_if_any("no_room", set.no_room);
  json["cores"] = Json::array();
  for (const CoreNeed& core : set.cores) {
    if (core.heaps.empty()) {
      continue;
    }
    Json& item = json["cores"].push_back({});
    item["core"] = core.core;
    item["need_bytes"] = core.total().count();
    item["largest"] = core.largest()->knob;
    item["heaps"] = heaps_json(core);
  }
  return json;
}

Json model_json(const Fit& fit, const app::FitModel& model) {
  Json json;
  json["name"] = model.name;
  json["path"] = model.path;
  json["traced_on"] = model.traced_on;
  json["alone"] = set_json(fit, model.alone);
  json["alone"].erase("models");
  json["alone"].erase("on");
  return json;
}

}  // namespace

std::string fit_text(const Fit& fit, bool all) {
  std::string out = verdict(fit);
  out += fmt::format("board {}: {}; headroom {}{}{}\n",
                     fit.board,
                     fit.board_title,
                     fit.headroom,
                     fit.instances == "apart" ? "; models loaded one at a time" : "",
                     fit.one_priority ? "; all at one priority" : "");
  if (fit.assigns) {
    out += where(fit, fit.together) + "\n";
  }
  out += "\n" + model_table(fit) + "\n" + heap_table(fit);
  if (fit.models.size() > 1 && !fit.together.fits) {
    out += set_table(fit, fit.maximal, fit.maximal_count, "fit together", all);
    out += set_table(fit, fit.misfits, fit.misfit_count, "do not fit", all);
  }
  return out + ways(fit);
}

core::Json fit_document(const Fit& fit) {
  Json json;
  json["schema"] = "memsize.fit/1";
  json["board"] = fit.board;
  json["headroom"] = fit.headroom;
  json["instances"] = fit.instances;
  if (fit.one_priority) {
    json["one_priority"] = true;
  }
  if (fit.tight) {
    json["tight"] = true;
  }
  json["cores"] = Json::array(fit.cores, [](const app::FitCore& core) {
    Json item = {{"core", core.name}};
    if (core.budget) {
      item["budget_bytes"] = core.budget->count();
    }
    return item;
  });
  if (fit.budget) {
    json["budget_bytes"] = fit.budget->count();
  }
  const auto set = [&](const FitSet& one) { return set_json(fit, one); };
  json["models"] =
      Json::array(fit.models, [&](const app::FitModel& model) { return model_json(fit, model); });
  json["together"] = set(fit.together);
  json["proved"] = fit.proved;
  json["maximal"] = Json::array(fit.maximal, set);
  json["misfits"] = Json::array(fit.misfits, set);
  json["maximal_count"] = fit.maximal_count;
  json["misfit_count"] = fit.misfit_count;
  json["complete"] = fit.complete;
  if (!fit.drop.empty()) {
    json["drop"] = Json(fit.drop);
  }
  if (fit.merged) {
    json["at_one_priority"] = set(*fit.merged);
  }
  json["diagnostics"] = core::to_json(fit.diagnostics);
  return json;
}

}  // namespace memsize::cli
