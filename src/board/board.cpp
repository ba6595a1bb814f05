// Looks things up in a board, fills its banks with another amount of DRAM, and evaluates constants
// and knobs in the order of the file, each with the rules that its value alone can break.
#include "memsize/board/board.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;

core::Diagnostic unknown_knob(const Board& board, const std::string& name) {
  const std::vector<std::string> names = core::texts_of(board.knobs, &Knob::name);
  std::string hint = core::did_you_mean(name, names);
  core::Diagnostic unknown = core::error(
      Code::kKnobUnknown,
      fmt::format("board '{}' has no knob '{}'", board.name, core::printable(name)),
      {},
      hint.empty()
          ? fmt::format("memsize board show {} lists them",
                        core::shell_path(board.asked_as.empty() ? board.name : board.asked_as))
          : hint);
  unknown.parties = {{"knob", name}};
  unknown.option = "--set " + name;
  return unknown;
}

// The multiples of the hard granule on both sides of `value`, as --set takes them.
std::string nearest(const Knob& knob, std::uint64_t value) {
  const auto shown = [&](std::uint64_t multiple) {
    return knob.is_address ? core::format_hex(multiple)
                           : core::format_setting(core::Bytes{multiple});
  };
  std::vector<std::string> multiples;
  const std::uint64_t down = value - value % knob.hard_granule.value();
  if (down != 0 || knob.is_address) {
    multiples.push_back(shown(down));
  }
  if (const auto up = core::align_up(value, knob.hard_granule); up) {
    multiples.push_back(shown(*up));
  }
  return fmt::format(
      "the nearest {} {}", multiples.size() == 1 ? "is" : "are", core::join(multiples, " and "));
}

// The rules that a single value can break.
// A default below its minimum is a named check's to report, as a property of the board.
core::Diagnostics check_value(const Knob& knob,
                              std::uint64_t value,
                              bool is_set,
                              const core::Place& place) {
  core::Diagnostics found;
  const auto broken = [&](const std::string& what, std::string hint) {
    found.push_back(
        core::error(Code::kKnobRule, what, place, std::move(hint)).about({{"knob", knob.name}}));
    found.back().option = is_set ? "--set " + knob.name : "";
  };
  if (!core::is_aligned(value, knob.hard_granule)) {
    broken(fmt::format(
               "{} = {} is not a multiple of {}",
               knob.name,
               knob.is_address ? core::format_hex(value) : core::format_bytes(core::Bytes{value}),
               core::format_size(core::Bytes{knob.hard_granule.value()})),
           nearest(knob, value));
  } else if (!knob.is_address && value == 0) {
    broken(fmt::format("{} = 0: the firmware does not link with an empty area", knob.name),
           fmt::format("the least is {}",
                       core::format_setting(core::Bytes{knob.hard_granule.value()})));
  } else if (!knob.is_address && is_set && value < knob.minimum.count()) {
    broken(fmt::format("{} = {} is below its minimum of {}{}{}",
                       knob.name,
                       core::format_size(core::Bytes{value}),
                       core::format_size(knob.minimum),
                       knob.minimum_why.empty() ? "" : ": ",
                       knob.minimum_why),
           fmt::format("give at least {}",
                       core::format_setting(core::align_up(knob.minimum, knob.hard_granule))));
  }
  return found;
}

tl::unexpected<core::Diagnostics> wrong_dram(std::string what, std::string hint) {
  return core::fail(
      core::error(Code::kTextSize, std::move(what), {}, std::move(hint)).of_option("--dram"));
}

}  // namespace

const Knob* Board::find_knob(std::string_view knob) const {
  return core::find_in(knobs, knob, &Knob::name);
}

const Core* Board::find_core(std::string_view core) const {
  return core::find_in(cores, core, &Core::name);
}

std::vector<std::string> Board::possible_generations() const {
  return generation.empty() ? generations : std::vector{generation};
}

const MpuAttribute* Mpu::find_attribute(std::string_view attribute) const {
  return core::find_in(attributes, attribute, &MpuAttribute::name);
}

const CoreSections* Board::find_sections(std::string_view core) const {
  return core::find_in(sections, core, &CoreSections::core);
}

const Chain* Board::find_chain(std::string_view chain) const {
  return core::find_in(chains, chain, &Chain::name);
}

const Chain* Board::root_of(std::string_view chain) const {
  const Chain* found = find_chain(chain);
  return found == nullptr || found->after.empty() ? found : root_of(found->after);
}

const std::string& Board::linker_file_of(std::string_view core) const {
  const Core* found = find_core(core);
  return found == nullptr || found->linker_file.empty() ? linker_file : found->linker_file;
}

core::Result<void> set_dram(Board& board, core::Bytes size) {
  constexpr core::Bytes kLeast = core::kMiB;
  if (board.banks.empty()) {
    return wrong_dram(fmt::format("--dram: board '{}' names no DRAM bank to fill", board.name),
                      "name its banks in the board file");
  }
  if (size < kLeast) {
    return wrong_dram(
        fmt::format("--dram {}: no board has less than 1 MiB", core::format_setting(size)),
        "give the size of all DRAM chips together, such as 4GiB");
  }
  std::vector<Bank> banks;
  core::Bytes rest = size;
  for (const Bank& bank : board.banks) {
    const bool last = &bank == &board.banks.back();
    const core::Bytes own = last ? rest : std::min(rest, bank.range.size());
    const auto range = core::PhysRange::make(bank.range.base(), own);
    if (!range) {
      return wrong_dram(fmt::format("--dram {}: that much does not fit the addresses from {} on",
                                    core::format_setting(size),
                                    core::format_address(bank.range.base())),
                        "give the size of all DRAM chips together, such as 4GiB");
    }
    if (own.count() != 0) {
      banks.push_back({bank.name, *range, bank.place});
    }
    rest = rest - own;
  }
  board.banks = std::move(banks);
  return {};
}

core::Result<Values> evaluate_knobs(const Board& board, const KnobValues& set) {
  Values values;
  NamesWithoutValue missing;
  core::Diagnostics errors;
  for (const auto& [name, expression] : board.constants) {
    missing.later.insert(name);
  }
  for (const Knob& knob : board.knobs) {
    missing.later.insert(knob.name);
  }
  const auto keep = [&](const std::string& name, const core::Result<std::uint64_t>& value) {
    missing.later.erase(name);
    if (value) {
      values[name] = *value;
    } else {
      missing.broken.insert(name);
      std::ranges::copy(value.error(), std::back_inserter(errors));
    }
  };
  for (const auto& [name, expression] : board.constants) {
    keep(name, evaluate(expression, values, missing));
  }
  for (const Knob& knob : board.knobs) {
    const auto given = set.find(knob.name);
    keep(knob.name,
         given != set.end() ? core::Result<std::uint64_t>{given->second}
                            : evaluate(knob.default_value, values, missing));
    const auto value = values.find(knob.name);
    if (value != values.end()) {
      const core::Place place = given != set.end() ? core::Place{} : knob.default_value.place;
      const core::Diagnostics broken = check_value(knob, value->second, given != set.end(), place);
      std::ranges::copy(broken, std::back_inserter(errors));
    }
  }
  for (const auto& [name, value] : set) {
    if (board.find_knob(name) == nullptr) {
      errors.push_back(unknown_knob(board, name));
    }
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return values;
}

}  // namespace memsize::board
