// One byte of a report is another one: every bundled report, every byte of it, several values each.
// What is read then must be told, or be what the undamaged report says: of every reader's damages,
// fewer than 1 % may change figures without a word.
//
// A table of lifetimes states each number once, and any digits there are a number: whether "1024"
// was "1034" nobody can know. These damages are counted apart: a digit that is another digit, in a
// step, a size, an offset, an alignment, a gap or an id. All others of such a table count, as every
// damage of a report that says its numbers in more than one way.
//
//   report_damage [--values N] [--least N] [--seed N] [--show] FILE...
//
// A figure is a number, or the name of the memory that it counts in; names of tensors and layers
// are none. Told is what memsize check --strict fails for.
#include "memsize/plan/check_plan.hpp"
#include "memsize/readers/plan_reader.hpp"

#include "damage.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace {

using memsize::test::DamageOptions;
using memsize::test::OtherBytes;
using memsize::test::Said;
using memsize::test::Share;
using memsize::test::text_of;

template <typename Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

std::string text_of(const std::optional<memsize::core::Align>& alignment) {
  return alignment ? fmt::format("{}", alignment->value()) : "-";
}

std::string figures_of(const memsize::model::PlanReport& plan) {
  std::string text;
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < plan.blocks.size(); ++i) {
    index.emplace(plan.blocks[i].id, i);
  }
  for (const auto& block : plan.blocks) {
    const auto owner = index.find(block.alias_of);
    text +=
        fmt::format("block {} {} {} {} {} {} {} {}\n",
                    block.memory,
                    memsize::model::name_of(block.role),
                    block.source_memory,
                    block.live ? fmt::format("{}-{}", block.live->lower, block.live->upper) : "-",
                    block.size.count(),
                    text_of(block.alignment),
                    text_of(block.offset),
                    owner == index.end() ? block.alias_of : fmt::format("{}", owner->second));
  }
  for (const auto& arena : plan.arenas) {
    text += fmt::format("arena {} {} {} {} {} {} {} {} {}\n",
                        arena.memory,
                        memsize::model::name_of(arena.role),
                        arena.source_memory,
                        text_of(arena.region_id),
                        text_of(arena.used),
                        text_of(arena.total),
                        text_of(arena.alignment),
                        text_of(arena.block_count),
                        text_of(arena.lower_bound));
  }
  for (const auto& memory : plan.memories) {
    text += fmt::format("memory {} {} {} {} {}\n",
                        memory.name,
                        text_of(memory.capacity),
                        text_of(memory.used),
                        memory.base ? memory.base->value() : 0,
                        text_of(memory.alignment));
  }
  for (const auto& layer : plan.layers) {
    text += fmt::format("layer {} {} {} {}\n", layer.total, layer.compute, layer.load, layer.store);
  }
  return text;
}

Said plan_of(const std::string& text) {
  Said said;
  const auto plan = memsize::readers::read_plan(text, "report");
  if (!plan) {
    said.keep(plan.error());
    return said;
  }
  said.is_read = true;
  said.keep(plan->diagnostics);
  said.keep(memsize::plan::check_plan(*plan, nullptr));
  said.figures = figures_of(*plan);
  return said;
}

// What a reader reads: what can be told, and digits that are others where numbers are stated once.
struct Shares {
  Share others;
  Share digits;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Damage {
 public:
  explicit Damage(const DamageOptions& options) : options_(options), bytes_(options.seed) {}

  // False: nothing reads the file as it is.
  bool try_file(const std::string& path) {
    std::ifstream in{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    const auto* reader = memsize::readers::plan_reader_of(text);
    const Said before = plan_of(text);
    if (reader == nullptr || !before.is_read) {
      return false;
    }
    // A short report's share is no matter of luck either.
    const std::size_t values = std::max(options_.values, options_.least / text.size());
    Shares& shares = shares_[std::string{reader->name}];
    const bool states_once = reader->name == std::string_view{"lifetime-csv"};
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (std::size_t i = 0; i < values; ++i) {
        const std::string damaged = bytes_.damaged(text, at);
        const Said after = plan_of(damaged);
        const bool silent = after.is_read && after.differs_silently(before);
        const bool is_other_digit = states_once && is_digit(text[at]) && is_digit(damaged[at]);
        (is_other_digit ? shares.digits : shares.others).count(silent);
        if (silent && options_.show && !is_other_digit) {
          memsize::test::show(path, damaged, at, text[at]);
        }
      }
    }
    return true;
  }

  // Whether each reader is below the limit.
  [[nodiscard]] bool report() const {
    bool good = true;
    for (const auto& [name, shares] : shares_) {
      const auto& [others, digits] = shares;
      good = others.report(name) && good;
      if (digits.damages != 0) {
        fmt::print("{:<16} {:>7} digits that are others, and stated once: {} silent\n",
                   "",
                   digits.damages,
                   digits.silent);
      }
    }
    return good;
  }

 private:
  const DamageOptions& options_;
  OtherBytes bytes_;
  std::map<std::string, Shares> shares_;
};

}  // namespace

int main(int argc, char** argv) {
  const DamageOptions options{argc, argv};
  Damage damage{options};
  for (const std::string& path : options.paths) {
    if (!damage.try_file(path)) {
      fmt::print(stderr, "{}: nothing reads this\n", path);
      return 1;
    }
  }
  return damage.report() && !options.paths.empty() ? 0 : 1;
}
