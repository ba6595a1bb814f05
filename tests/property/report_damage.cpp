// One byte of a report is another one: every bundled report, every byte of it, several values each.
// What is read then must be told, or be what the undamaged report says: of every reader's damages,
// fewer than 1 % may change figures without a word.
//
// A table of lifetimes states each number once, and any digits there are a number: whether "1024"
// was "1034" nobody can know. These damages are counted apart: a digit that is another digit, in a
// step, a size, an offset, an alignment, a gap or an id. All others of such a table count, as every
// damage of a report that says its numbers in more than one way.
//
//   report_damage [--values N] [--seed N] [--show] FILE...
//
// A figure is a number, or the name of the memory that it counts in; names of tensors and layers
// are none. Told is what memsize check --strict fails for.
#include "memsize/plan/check_plan.hpp"
#include "memsize/readers/plan_reader.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace {

using memsize::core::Diagnostics;
using memsize::core::Severity;

// What somebody reads of a report.
struct Said {
  std::string figures;
  std::set<std::string> told;
  bool is_read = false;
};

void keep(const Diagnostics& diagnostics, Said& said) {
  for (const auto& diagnostic : diagnostics) {
    if (diagnostic.severity != Severity::kNote) {
      said.told.insert(diagnostic.message);
    }
  }
}

template <typename Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "-";
}

std::string text_of(const std::optional<memsize::core::Bytes>& bytes) {
  return bytes ? fmt::format("{}", bytes->count()) : "-";
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
    keep(plan.error(), said);
    return said;
  }
  said.is_read = true;
  keep(plan->diagnostics, said);
  keep(memsize::plan::check_plan(*plan, nullptr), said);
  said.figures = figures_of(*plan);
  return said;
}

struct Share {
  std::size_t damages = 0;
  std::size_t silent = 0;
};

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
  Damage(std::size_t values, std::uint64_t seed, bool show)
      : values_(values), state_(seed), show_(show) {}

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
    constexpr std::size_t kFewest = 10'000;
    const std::size_t values = std::max(values_, kFewest / text.size());
    Shares& shares = shares_[std::string{reader->name}];
    const bool states_once = reader->name == std::string_view{"lifetime-csv"};
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (std::size_t i = 0; i < values; ++i) {
        std::string damaged = text;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(text[at]) + 1 + next() % 255);
        const Said after = plan_of(damaged);
        const bool told =
            !after.is_read ||
            !std::includes(
                before.told.begin(), before.told.end(), after.told.begin(), after.told.end());
        const bool silent = !told && after.figures != before.figures;
        const bool is_other_digit = states_once && is_digit(text[at]) && is_digit(damaged[at]);
        Share& share = is_other_digit ? shares.digits : shares.others;
        ++share.damages;
        share.silent += static_cast<std::size_t>(silent);
        if (silent && show_ && !is_other_digit) {
          show(path, damaged, at, text[at]);
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
      const bool below = others.silent * 100 < others.damages;
      good = good && below;
      fmt::print("{:<16} {:>7} damages, {:>5} silent: {:.2f} %{}\n",
                 name,
                 others.damages,
                 others.silent,
                 100.0 * static_cast<double>(others.silent) / static_cast<double>(others.damages),
                 below ? "" : "  TOO MANY");
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
  // xorshift64
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 11;
  }

  static void show(const std::string& path, const std::string& text, std::size_t at, char was) {
    const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t end = std::min(text.find('\n', std::max(at, begin)), text.size());
    fmt::print("{}: '{}' was: {}\n", path, was, text.substr(begin, end - begin));
  }

  std::size_t values_;
  std::uint64_t state_;
  bool show_;
  std::map<std::string, Shares> shares_;
};

}  // namespace

int main(int argc, char** argv) {
  std::size_t values = 2;
  std::uint64_t seed = 20;
  bool show = false;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word{argv[i]};
    if (word == "--values" && i + 1 < argc) {
      values = std::stoul(argv[++i]);
    } else if (word == "--seed" && i + 1 < argc) {
      seed = std::stoull(argv[++i]);
    } else if (word == "--show") {
      show = true;
    } else {
      paths.emplace_back(word);
    }
  }
  Damage damage{values, seed, show};
  for (const std::string& path : paths) {
    if (!damage.try_file(path)) {
      fmt::print(stderr, "{}: nothing reads this\n", path);
      return 1;
    }
  }
  return damage.report() && !paths.empty() ? 0 : 1;
}
