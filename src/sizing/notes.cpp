// One function for each thing to be said: models given twice, memory given out again, inputs that
// are copies or from an emulation, heaps without a trace, and what the margin does not cover.
#include "notes.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace memsize::sizing {

namespace {

using board::HeapRule;
using core::Bytes;
using core::Code;
using model::Instance;

// So many groups and pairs of models are named; the rest is a number.
constexpr std::size_t kNamed = 5;

// "a.log, b.log and c.log".
std::string names_of(const std::set<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    if (names.size() == kNamed) {
      names.push_back(fmt::format("{} more", paths.size() - kNamed));
      break;
    }
    names.push_back(core::printable(path));
  }
  const std::string last = std::move(names.back());
  names.pop_back();
  return names.empty() ? last : core::join(names, ", ") + " and " + last;
}

std::string lines_of(const Work& work,
                     const model::CoreRecording& recorded,
                     const std::vector<std::size_t>& group) {
  std::vector<std::string> lines;
  for (const std::size_t member : group) {
    if (lines.size() == kNamed) {
      lines.push_back(fmt::format("{} more", group.size() - kNamed));
      break;
    }
    lines.push_back(fmt::format("{}", recorded.instances[member].line));
  }
  const std::string& path = work.recording.inputs.at(recorded.instances[group.front()].input).path;
  return fmt::format("{}: lines {}", core::printable(path), core::join(lines, ", "));
}

// Two inputs with one table, address for address, that say different things beside it: they may be
// two runs, or parts of one. Of tables without addresses, only where they stand at the same line.
// Empty where there are none.
std::string given_twice(const Work& work, const model::CoreRecording& recorded) {
  using Row = std::tuple<std::uint32_t, std::uint64_t, std::optional<std::uint32_t>>;
  std::map<std::pair<std::size_t, std::vector<Row>>, const Instance*> known;
  const auto place = [&](const Instance& instance) {
    return fmt::format("{} line {}",
                       core::printable(work.recording.inputs.at(instance.input).path),
                       instance.line);
  };
  for (const Instance& instance : recorded.instances) {
    std::vector<Row> rows;
    bool placed = false;
    for (const model::Block& block : instance.blocks) {
      rows.emplace_back(block.record,
                        block.size.nearest.count(),
                        block.address
                            ? std::optional{static_cast<std::uint32_t>(block.address->value())}
                            : std::nullopt);
      placed = placed || block.address.has_value();
    }
    if (rows.empty()) {
      continue;
    }
    const auto [first, is_new] =
        known.emplace(std::pair{placed ? 0 : instance.line, std::move(rows)}, &instance);
    if (!is_new && first->second->input != instance.input) {
      return fmt::format("{} and {} have the same table{}, and count as two models",
                         place(*first->second),
                         place(instance),
                         placed ? " at the same addresses" : "");
    }
  }
  return {};
}

// What the records that models of one priority share would save.
Bytes shared_at_one_priority(const Work& work, const CoreSizing& sized) {
  const auto& context = work.format.context;
  if (!context || work.options.one_priority || !work.options.together ||
      work.generation->records == 0) {
    return {};
  }
  Bytes all;
  Bytes largest;
  for (const Demand& demand : sized.demands) {
    for (const Counted& counted : demand.counted) {
      if (!counted.from_total && counted.block.record == context->record &&
          counted.block.size.nearest > context->rest) {
        const Bytes more = counted.block.size.nearest - context->rest;
        all += more;
        largest = std::max(largest, more);
      }
    }
  }
  return all - largest;
}

class Unloads {
 public:
  Unloads(const Work& work, const model::CoreRecording& recorded)
      : work_(work), recorded_(recorded) {
    for (const HeapRule& rule : work.generation->heaps) {
      const HeapRule* own =
          work.generation->find_heap(rule.cacheability, rule.lifetime, rtos_family_of(work));
      if (own == &rule && rule.lifetime == model::Lifetime::kPersistent) {
        (rule.kind == HeapRule::Kind::kLinear ? linear_ : listed_).push_back(&rule);
      }
    }
  }

  void run() {
    std::map<std::size_t, std::vector<std::size_t>> inputs;
    for (std::size_t i = 0; i < recorded_.instances.size(); ++i) {
      inputs[recorded_.instances[i].input].push_back(i);
    }
    for (auto& [input, models] : inputs) {
      models.resize(std::min(models.size(), kMostRelated));
      if (models.size() > 1 && found_.size() <= kNamed) {
        look_at_input(models);
      }
    }
    report();
  }

 private:
  // Two models of one input, by their position in it.
  struct Pair {
    const Instance& earlier;
    const Instance& later;
    std::size_t a;
    std::size_t b;
  };

  void look_at_input(const std::vector<std::size_t>& models) {
    const auto& instances = recorded_.instances;
    const auto shared_in = [&](const std::vector<const HeapRule*>& rules) {
      std::vector<SharedAddresses> shared;
      for (const HeapRule* rule : rules) {
        shared.emplace_back(instances, models, rule->cacheability, rule->lifetime);
      }
      return shared;
    };
    in_linear_ = shared_in(linear_);
    in_listed_ = shared_in(listed_);
    for (std::size_t later = 0; later < models.size() && found_.size() <= kNamed; ++later) {
      for (std::size_t earlier = 0; earlier < models.size(); ++earlier) {
        if (earlier != later) {
          look_at({instances[models[earlier]], instances[models[later]], earlier, later});
        }
      }
    }
  }

  void look_at(const Pair& pair) {
    const auto& [earlier, later, a, b] = pair;
    for (std::size_t heap = 0; heap < linear_.size(); ++heap) {
      const HeapRule* linear = linear_[heap];
      const auto over = in_linear_[heap].between(a, b);
      if (!over) {
        continue;
      }
      if (*over && earlier.line < later.line && apart_elsewhere(pair)) {
        found_.insert({later.input,
                       later.line,
                       fmt::format("the model of line {} got {} {} memory at the addresses of the "
                                   "one of line {}, but not in the other heap, where that one's "
                                   "memory was not free",
                                   later.line,
                                   model::name_of(linear->cacheability),
                                   model::name_of(linear->lifetime),
                                   earlier.line)});
      } else if (!*over && later.times > earlier.times && apart_elsewhere(pair)) {
        found_.insert({later.input,
                       later.line,
                       fmt::format("the model of line {} was loaded {} times at the same "
                                   "addresses, the one of line {} {}",
                                   later.line,
                                   later.times,
                                   earlier.line,
                                   core::plural(earlier.times, "time"))});
      }
    }
  }

  // In a heap with a free list, memory that was freed is given out again: two models that do not
  // share any there may both have been loaded.
  [[nodiscard]] bool apart_elsewhere(const Pair& pair) const {
    bool apart = false;
    for (const SharedAddresses& listed : in_listed_) {
      const auto over = listed.between(pair.a, pair.b);
      if (over && *over) {
        return false;
      }
      apart = apart || over.has_value();
    }
    return apart;
  }

  void report() const {
    if (found_.empty()) {
      return;
    }
    core::Diagnostic said = core::warning(
        Code::kSizingUnload,
        fmt::format("{}: a model was unloaded while another may still have been loaded: freeing "
                    "one model's memory in a linear heap frees all of that heap, and the next "
                    "model is placed over what is in use",
                    core_name(recorded_.core)),
        work_.place_of(std::get<0>(*found_.begin()), std::get<1>(*found_.begin())),
        "load the models together and keep them; models that must not be loaded together are best "
        "traced each in a log of its own");
    for (const auto& [input, line, text] : found_) {
      if (said.details.size() == kNamed) {
        said.details.emplace_back("and more");
        break;
      }
      said.details.push_back(text);
    }
    work_.say(std::move(said));
  }

  const Work& work_;
  const model::CoreRecording& recorded_;
  std::vector<const HeapRule*> linear_;
  std::vector<const HeapRule*> listed_;
  // For each of these heaps, of one input.
  std::vector<SharedAddresses> in_linear_;
  std::vector<SharedAddresses> in_listed_;
  std::set<std::tuple<std::size_t, std::size_t, std::string>> found_;
};

}  // namespace

void report_instances(const Work& work,
                      const model::CoreRecording& recorded,
                      const LiveModels& live,
                      const CoreSizing& sized) {
  const std::size_t count = recorded.instances.size();
  if (count < 2) {
    return;
  }
  const LiveSet most = live.heaviest(std::vector<std::uint64_t>(count, 1));
  const bool together = work.options.together;
  std::string how = "counted as loaded one at a time: every demand is the maximum";
  if (together && most.instances.size() == count) {
    how = "counted as live together: persistent memory adds, scratch takes the maximum";
  } else if (together) {
    how = fmt::format(
        "some lie at the same addresses and were never live together{}: at most {} "
        "count at a time",
        live.any_perhaps_one() ? ", or may be prints of one model that lost lines" : "",
        most.instances.size());
  }
  core::Diagnostic several =
      core::note(Code::kSizingInstances,
                 fmt::format("{}: {} models, {}", core_name(recorded.core), count, how));
  if (const std::string twice = given_twice(work, recorded); together && !twice.empty()) {
    work.say(core::warning(Code::kSizingInstances,
                           fmt::format("{}: {}", core_name(recorded.core), twice),
                           {},
                           "if that is one run, leave one of them out"));
  }
  if (together) {
    for (const std::vector<std::size_t>& group : live.groups()) {
      if (several.details.size() == kNamed) {
        several.details.push_back(fmt::format("{} more groups of models at the same addresses",
                                              live.groups().size() - kNamed));
        break;
      }
      several.details.push_back((live.any_perhaps_one()
                                     ? "at the same addresses, or perhaps one model: "
                                     : "at the same addresses: ") +
                                lines_of(work, recorded, group));
    }
    if (!most.exact) {
      several.details.emplace_back(
          "so many lie at the same addresses that not every set was tried: what counts is never "
          "less than what was live, and may be more");
    }
    if (most.instances.size() > 1) {
      several.details.insert(several.details.end(),
                             work.format.several_models.begin(),
                             work.format.several_models.end());
    }
    const Bytes saved = shared_at_one_priority(work, sized);
    if (saved > Bytes{}) {
      several.details.push_back(fmt::format("if all of them run at one priority, {} less is needed",
                                            core::format_size(saved)));
      several.hint = "--one-priority counts it so";
    }
  }
  work.say(std::move(several));
}

void report_unload(const Work& work, const model::CoreRecording& recorded) {
  Unloads{work, recorded}.run();
}

void report_emulated(const Work& work) {
  for (std::size_t i = 0; i < work.recording.inputs.size(); ++i) {
    if (work.recording.inputs[i].emulated) {
      work.say(core::warning(
          Code::kSizingEmulated,
          "a host emulation printed this log: sizes and kinds of memory differ from those on the "
          "target",
          work.place_of(i, 0),
          "trace the model on the target"));
    }
  }
}

void report_copies(const Work& work) {
  for (std::size_t i = 0; i < work.recording.inputs.size(); ++i) {
    const model::Input& input = work.recording.inputs[i];
    if (input.copies.empty()) {
      continue;
    }
    std::set<std::string> others{input.copies.begin(), input.copies.end()};
    others.erase(input.path);
    const std::string first = core::printable(input.path);
    const std::size_t times = input.copies.size() + 1;
    const std::string times_given = times == 2 ? "twice" : fmt::format("{} times", times);
    const std::string said =
        others.empty() ? fmt::format("{} is given {}, and counts once", first, times_given)
                       : fmt::format("{} {} the same as {}, and {} once",
                                     names_of(others),
                                     others.size() == 1 ? "says" : "say",
                                     first,
                                     others.size() == 1 ? "counts" : "count");
    work.say(
        core::warning(Code::kSizingInstances,
                      said,
                      work.place_of(i, 0),
                      "models that are loaded together lie at different addresses: to size for "
                      "several of one model, load them together and trace that")
            .about({{"file", input.path}}));
  }
}

void report_untouched(const Work& work) {
  std::map<std::string, std::pair<std::size_t, Bytes>> idle;
  for (const board::Knob& knob : work.view->board->knobs) {
    if (!knob.demand) {
      continue;
    }
    const auto& cores = work.sizing.cores;
    const auto* core = core::find_in(cores, knob.demand->core, &CoreSizing::core);
    const Bytes now{work.view->values.at(knob.name)};
    if (core == nullptr &&
        (work.recording.inputs.empty() || core::contains(work.options.idle, knob.demand->core))) {
      continue;
    }
    if (core == nullptr) {
      idle[knob.demand->core].first += 1;
      idle[knob.demand->core].second += now;
      continue;
    }
    const bool driven = core::contains(core->demands, knob.name, &Demand::knob);
    if (!driven) {
      work.say(core::note(
          Code::kSizingUntraced,
          fmt::format(
              "the trace has nothing for {}: it keeps {}", knob.name, core::format_size(now))));
    }
  }
  for (const auto& [core, heaps] : idle) {
    work.say(core::note(Code::kSizingUntraced,
                        fmt::format("{} was not traced: its {} keep {}",
                                    core,
                                    core::plural(heaps.first, "heap"),
                                    core::format_size(heaps.second)),
                        {},
                        fmt::format("trace a model on it, or, where none runs there, --idle {}, to "
                                    "give them back too",
                                    core)));
  }
}

void report_margin(const Work& work) {
  if (work.format.not_covered.empty()) {
    return;
  }
  const Headroom& headroom = work.options.headroom;
  work.say(core::note(Code::kSizingMargin,
                      headroom.is_percent
                          ? fmt::format("the margin is {} % of what can vary; it does not cover:",
                                        headroom.percent)
                          : fmt::format("the margin is {} a heap; it does not cover:",
                                        core::format_size(headroom.size)))
               .with(work.format.not_covered));
}

}  // namespace memsize::sizing
