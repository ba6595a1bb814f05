// Gives records the fixed parts and heaps the rules of the board's generation, and counts again.
// What changes is told step by step; what is left over is how the allocator places blocks.
#include "forecast.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "generation.hpp"
#include "headroom.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::FixedPart;
using board::Generation;
using board::HeapRule;
using core::Bytes;
using core::Code;
using model::Block;

std::int64_t difference(Bytes then, Bytes now) {
  return then >= now ? static_cast<std::int64_t>((then - now).count())
                     : -static_cast<std::int64_t>((now - then).count());
}

const FixedPart* part_of(const board::FixedParts& fixed, const Block& block) {
  const auto found = fixed.find(block.record);
  return found == fixed.end() || found->second.whole ? nullptr : &found->second;
}

class Forecaster {
 public:
  Forecaster(const Work& work, const std::vector<BlockList>& lists, bool pad_last, Demand& demand)
      : work_(work),
        lists_(lists),
        pad_last_(pad_last),
        demand_(demand),
        now_(rule_of(work, *work.generation, demand.key)),
        then_(rule_of(work, *work.forecast, demand.key)) {}

  void run() {
    std::vector<std::vector<Block>> changed;
    for (const BlockList& blocks : lists_) {
      changed.emplace_back();
      for (const Block* block : blocks) {
        changed.back().push_back(resized(*block));
      }
    }
    const std::vector<BlockList> lists = pointers(changed);
    Bytes fixed;
    for (const BlockList& blocks : lists) {
      for (const Block* block : blocks) {
        fixed += fixed_part(*work_.forecast_fixed, *block);
      }
    }
    explain(lists);
    const board::Knob& knob = *knob_of(work_, demand_.key);
    const Bytes bound = bound_of(then_, lists, pad_last_);
    demand_.forecast_figure = bound;
    // In the vendor's steps even where the suggestion is tight: nobody has traced it.
    demand_.forecast = core::align_up(
        std::max(
            {bound + headroom_for(work_.options.headroom, bound - fixed), knob.minimum, Bytes{1}}),
        knob.granule);
    demand_.reasons.push_back({"forecast",
                               *demand_.forecast,
                               fmt::format("the same records under {}", work_.forecast->title)});
  }

 private:
  static std::vector<BlockList> pointers(const std::vector<std::vector<Block>>& blocks) {
    std::vector<BlockList> lists;
    for (const std::vector<Block>& list : blocks) {
      lists.emplace_back();
      for (const Block& block : list) {
        lists.back().push_back(&block);
      }
    }
    return lists;
  }

  // A record whose fixed part differs has the board's fixed part instead.
  Block resized(const Block& block) {
    Block changed = block;
    const FixedPart* now = part_of(*work_.fixed, block);
    const FixedPart* then = part_of(*work_.forecast_fixed, block);
    if (now == nullptr || then == nullptr || now->size == then->size) {
      return changed;
    }
    for (Bytes* size : {&changed.size.nearest, &changed.size.ceiling, &changed.size.upper}) {
      *size = *size - now->size + then->size;
    }
    resized_[block.record] = {*now, *then};
    return changed;
  }

  // Step by step: first the records, then the models' own objects, and what is left is how the
  // allocator places blocks.
  void explain(const std::vector<BlockList>& changed) {
    Bytes current = bound_of(now_, lists_, pad_last_);
    for (const auto& [record, parts] : resized_) {
      std::int64_t more = 0;
      for (std::size_t i = 0; i < lists_.size(); ++i) {
        for (std::size_t j = 0; j < lists_[i].size(); ++j) {
          if (lists_[i][j]->record == record) {
            more += difference(changed[i][j]->size.nearest, lists_[i][j]->size.nearest);
          }
        }
      }
      add(fmt::format("{} has {} there that no model changes, {} in the trace",
                      record_name(work_, record),
                      core::format_size(parts.second.size),
                      core::format_size(parts.first.size)),
          more);
    }
    const Bytes objects_now = model_objects(now_);
    const Bytes objects_then = model_objects(then_);
    if (objects_now != objects_then) {
      add(fmt::format("a model's own objects take {} there, {} in the trace",
                      core::format_bytes(objects_then),
                      core::format_bytes(objects_now)),
          difference(objects_then, objects_now) * static_cast<std::int64_t>(lists_.size()));
    }
    std::int64_t told = 0;
    for (const ForecastStep& step : demand_.forecast_steps) {
      told += step.bytes.value_or(0);
    }
    const std::int64_t rest = difference(bound_of(then_, changed, pad_last_), current) - told;
    if (rest != 0) {
      add(now_.align == then_.align
              ? std::string{"blocks are placed otherwise"}
              : fmt::format("blocks are rounded up to {} there, to {} in the trace",
                            core::format_bytes(Bytes{then_.align.value()}),
                            core::format_bytes(Bytes{now_.align.value()})),
          rest);
    }
    for (const board::UnknownPart& part : work_.forecast->unknown) {
      if (part.cacheability == demand_.key.cacheability && part.lifetime == demand_.key.lifetime &&
          !is_unknown_here(part)) {
        demand_.forecast_steps.push_back(
            {fmt::format("{} also has {}, of unknown size", work_.forecast->title, part.what),
             std::nullopt});
      }
    }
  }

  [[nodiscard]] bool is_unknown_here(const board::UnknownPart& part) const {
    const auto& unknown = work_.generation->unknown;
    return core::contains(unknown, part.what, &board::UnknownPart::what);
  }

  void add(std::string what, std::int64_t bytes) {
    if (bytes != 0) {
      demand_.forecast_steps.push_back({std::move(what), bytes});
    }
  }

  const Work& work_;
  const std::vector<BlockList>& lists_;
  bool pad_last_;
  Demand& demand_;
  HeapRule now_;
  HeapRule then_;
  std::map<std::uint32_t, std::pair<FixedPart, FixedPart>> resized_;
};

std::string signed_bytes(std::int64_t bytes) {
  const auto magnitude = Bytes{static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes)};
  return fmt::format("{}{}", bytes < 0 ? "-" : "+", core::format_bytes(magnitude));
}

}  // namespace

void forecast(const Work& work,
              const std::vector<BlockList>& lists,
              bool pad_last,
              Demand& demand) {
  Forecaster{work, lists, pad_last, demand}.run();
}

void report_forecast(const Work& work) {
  core::Diagnostic differs = core::warning(
      Code::kSizingGeneration,
      fmt::format("the trace is of {}, but {} is of {}: a map sized from it may not "
                  "load a model there",
                  work.sizing.generation_title,
                  work.view->board->of_tree ? std::string{"the SDK tree"}
                                            : fmt::format("board '{}'", work.view->board->name),
                  work.format.titles_of(work.view->board->possible_generations())));
  std::vector<std::string> settings;
  for (const CoreSizing& core : work.sizing.cores) {
    for (const Demand& demand : core.demands) {
      if (!demand.forecast || !demand.suggested) {
        continue;
      }
      const std::string name = fmt::format("{} {}", core.core, class_name(demand.key));
      if (*demand.forecast != *demand.suggested) {
        differs.details.push_back(fmt::format("forecast: {} needs {} there, not {}",
                                              name,
                                              core::format_size(*demand.forecast),
                                              core::format_size(*demand.suggested)));
        settings.push_back(
            fmt::format("--set {}={}", demand.knob, core::format_setting(*demand.forecast)));
      }
      for (const ForecastStep& step : demand.forecast_steps) {
        differs.details.push_back(
            step.bytes
                ? fmt::format("forecast: {}: {}: {}", name, step.what, signed_bytes(*step.bytes))
                : fmt::format("forecast: {}: {}", name, step.what));
      }
    }
  }
  differs.hint =
      fmt::format("trace the model under {}; to take the forecast: {}",
                  work.forecast->title,
                  settings.empty() ? std::string{"nothing changes"} : core::join(settings, " "));
  work.say(std::move(differs));
}

}  // namespace memsize::sizing
