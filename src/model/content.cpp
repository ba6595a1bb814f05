// What inputs say, as numbers to compare.
#include "content.hpp"

#include "memsize/model/describe.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace memsize::model {

namespace {

// Takes in every member that counts; a visitor as docs/describe.hpp has it.
class Hasher {
 public:
  static constexpr bool kReads = false;

  Hasher(std::uint64_t& hash, Lines lines) : hash_(hash), lines_(lines) {}

  template <typename Member>
  void required(docs::Key key, const Member& member) {
    if (key.role != Role::kLabel && key.role != Role::kIndex &&
        (key.role != Role::kLine || lines_ == Lines::kCount)) {
      add(member);
    }
  }

  template <typename Member>
  void optional(docs::Key key, const Member& member, bool /*is_left_out*/ = false) {
    required(key, member);
  }

  void check(docs::Key /*key*/, bool /*is_good*/, std::string_view /*message*/) {}

 private:
  template <typename Member>
  void add(const Member& member) {
    if constexpr (requires { member.has_value(); }) {
      mix(member.has_value() ? 1 : 0);
      if (member) {
        add(*member);
      }
    } else if constexpr (requires { member.begin(); }) {
      mix(member.size());
      for (const auto& item : member) {
        add(item);
      }
    } else if constexpr (requires { member.count(); }) {
      mix(member.count());
    } else if constexpr (requires { member.value(); }) {
      mix(member.value());
    } else if constexpr (std::is_floating_point_v<Member>) {
      mix(std::bit_cast<std::uint64_t>(member));
    } else if constexpr (std::is_class_v<Member>) {
      describe(*this, member);
    } else {
      mix(static_cast<std::uint64_t>(member));
    }
  }

  void mix(std::uint64_t value) {
    constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
    hash_ = (hash_ ^ value) * kOdd;
    hash_ ^= hash_ >> 32U;
  }

  std::uint64_t& hash_;
  Lines lines_;
};

}  // namespace

std::vector<std::uint64_t> contents_of(const Recording& recording, Lines lines) {
  std::vector<std::uint64_t> hashes(recording.inputs.size(), 1);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    Hasher hasher{hashes[i], lines};
    hasher.required("trace_format", recording.inputs[i].trace_format);
    describe(hasher, recording.inputs[i]);
  }
  const auto add = [&](const auto& items, const std::string& what) {
    for (const auto& item : items) {
      Hasher hasher{hashes.at(item.input), lines};
      hasher.required("", what);
      describe(hasher, item);
    }
  };
  for (const CoreRecording& core : recording.cores) {
    add(core.instances, core.core);
  }
  add(recording.heaps, "heap");
  add(recording.pools, "pool");
  add(recording.failures, "failure");
  add(recording.runs, "run");
  return hashes;
}

namespace {

bool is_placed(const Instance& instance) {
  return std::ranges::any_of(instance.blocks,
                             [](const Block& block) { return block.address.has_value(); });
}

template <typename Item>
void drop_inputs(std::vector<Item>& items, const std::vector<std::optional<std::size_t>>& kept) {
  std::erase_if(items, [&](const Item& item) { return !kept.at(item.input); });
  for (Item& item : items) {
    item.input = *kept.at(item.input);
  }
}

// What was said of the lines of an input that is left out stands at those of the input that is
// kept.
void drop_diagnostics(Recording& recording) {
  std::set<std::string> paths;
  std::set<std::string> left_out;
  for (const Input& input : recording.inputs) {
    paths.insert(input.path);
    left_out.insert(input.copies.begin(), input.copies.end());
  }

  // An older document keeps the words, and not what they are about.
  struct Said {
    std::string message;
    core::Parties parties;
  };

  std::map<std::tuple<std::string, std::size_t, std::size_t, core::Code>, std::vector<Said>> said;
  std::erase_if(recording.diagnostics, [&](const core::Diagnostic& one) {
    const std::string& path = one.place.path.str();
    if (!left_out.contains(path)) {
      return false;
    }
    std::vector<Said>& before = said[{path, one.place.line, one.place.column, one.code}];
    const bool is_told = std::ranges::any_of(before, [&](const Said& each) {
      return one.parties.empty() || each.parties.empty() ? one.message == each.message
                                                         : one.parties == each.parties;
    });
    before.push_back({one.message, one.parties});
    return !paths.contains(path) || is_told;
  });
}

}  // namespace

std::vector<std::optional<std::uint64_t>> sayings_of(const Recording& recording) {
  const std::size_t count = recording.inputs.size();
  std::vector<bool> speaks(count);
  std::vector<bool> placed(count);
  std::vector<bool> unplaced(count);
  for (const CoreRecording& core : recording.cores) {
    for (const Instance& instance : core.instances) {
      speaks.at(instance.input) = true;
      (is_placed(instance) ? placed : unplaced).at(instance.input) = true;
    }
  }
  const auto hear = [&](const auto& items) {
    for (const auto& item : items) {
      speaks.at(item.input) = true;
    }
  };
  hear(recording.heaps);
  hear(recording.pools);
  hear(recording.failures);
  hear(recording.runs);
  const std::vector<std::uint64_t> with_lines = contents_of(recording, Lines::kCount);
  const std::vector<std::uint64_t> without_lines = contents_of(recording, Lines::kIgnore);
  std::vector<std::optional<std::uint64_t>> sayings(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (speaks[i]) {
      sayings[i] = placed[i] && !unplaced[i] ? without_lines[i] : with_lines[i];
    }
  }
  return sayings;
}

void count_once(Recording& recording) {
  const std::vector<std::optional<std::uint64_t>> sayings = sayings_of(recording);
  std::map<std::uint64_t, std::size_t> first_with;
  std::vector<std::optional<std::size_t>> kept(sayings.size());
  std::vector<Input> inputs;
  for (std::size_t i = 0; i < sayings.size(); ++i) {
    Input& input = recording.inputs[i];
    const auto known = sayings[i] ? first_with.find(*sayings[i]) : first_with.end();
    if (known == first_with.end()) {
      kept[i] = inputs.size();
      if (sayings[i]) {
        first_with.emplace(*sayings[i], inputs.size());
      }
      inputs.push_back(std::move(input));
      continue;
    }
    std::vector<std::string>& copies = inputs[known->second].copies;
    copies.push_back(std::move(input.path));
    std::move(input.copies.begin(), input.copies.end(), std::back_inserter(copies));
    std::ranges::sort(copies);
  }
  recording.inputs = std::move(inputs);
  for (CoreRecording& core : recording.cores) {
    drop_inputs(core.instances, kept);
  }
  drop_inputs(recording.heaps, kept);
  drop_inputs(recording.pools, kept);
  drop_inputs(recording.failures, kept);
  drop_inputs(recording.runs, kept);
  drop_diagnostics(recording);
}

}  // namespace memsize::model
