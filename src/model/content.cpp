// What inputs say, as numbers to compare.
#include "content.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace memsize::model {

namespace {

void hash_in(std::uint64_t& hash, std::string_view text) {
  // FNV-1a, 64 bits.
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  }
  hash = (hash ^ 0xFFU) * kPrime;
}

template <typename Value>
std::string shown(const std::optional<Value>& value) {
  return value ? fmt::format("{}", *value) : std::string{"-"};
}

std::string shown(const std::optional<core::Bytes>& size) {
  return size ? fmt::format("{}", size->count()) : std::string{"-"};
}

std::string shown(const std::optional<PrintedAddress>& address) {
  return address ? fmt::format("{}{}", address->value(), address->is_whole() ? " whole" : "") : "-";
}

std::string shown(const MeasuredSize& size) {
  return fmt::format("{}..{}", size.nearest.count(), size.upper.count());
}

}  // namespace

std::vector<std::uint64_t> contents_of(const Recording& recording, Lines lines) {
  const auto line_of = [&](std::size_t line) { return lines == Lines::kCount ? line : 0; };
  constexpr std::uint64_t kOffsetBasis = 14695981039346656037ULL;
  std::vector<std::uint64_t> hashes;
  for (const Input& input : recording.inputs) {
    hash_in(hashes.emplace_back(kOffsetBasis),
            fmt::format("{} {} {} {} {} {}",
                        input.format,
                        input.trace_format,
                        line_of(input.lines),
                        input.records,
                        input.broken_rows,
                        input.emulated));
  }
  for (const CoreRecording& core : recording.cores) {
    for (const Instance& instance : core.instances) {
      std::uint64_t& hash = hashes.at(instance.input);
      hash_in(hash,
              fmt::format("{} {} {} {} {}",
                          core.core,
                          line_of(instance.line),
                          instance.times,
                          instance.form,
                          shown(instance.priority)));
      for (const ClassTotal& total : instance.totals) {
        hash_in(hash,
                fmt::format("{} {} {} {} {}",
                            total.space,
                            name_of(total.cacheability),
                            total.lifetime ? name_of(*total.lifetime) : std::string_view{},
                            shown(total.size),
                            line_of(total.line)));
      }
      for (const Block& block : instance.blocks) {
        hash_in(hash,
                fmt::format("{} {} {} {} {} {} {} {}",
                            block.record,
                            block.space,
                            name_of(block.cacheability),
                            name_of(block.lifetime),
                            block.alignment.value(),
                            shown(block.size),
                            shown(block.address),
                            line_of(block.line)));
      }
    }
  }
  for (const HeapReport& heap : recording.heaps) {
    hash_in(hashes.at(heap.input),
            fmt::format("{} {} {} {} {} {} {}",
                        heap.core,
                        name_of(heap.source),
                        heap.name,
                        heap.size.count(),
                        heap.address ? fmt::format("{}", heap.address->value()) : std::string{"-"},
                        shown(heap.free),
                        line_of(heap.line)));
  }
  for (const Failure& failure : recording.failures) {
    hash_in(hashes.at(failure.input),
            fmt::format("{} {} {} {} {} {} {} {}",
                        failure.core,
                        name_of(failure.kind),
                        failure.text,
                        shown(failure.record),
                        failure.space,
                        name_of(failure.cacheability),
                        shown(failure.size),
                        line_of(failure.line)));
  }
  for (const RunReport& run : recording.runs) {
    hash_in(hashes.at(run.input),
            fmt::format("{} {} {} {} {} {} {}",
                        run.core,
                        run.executions,
                        shown(run.init_ms),
                        shown(run.execution_ms),
                        shown(run.read_mb),
                        shown(run.written_mb),
                        line_of(run.line)));
  }
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
  // Copies are told apart by all that they say: a document keeps the words, and not what they are
  // about.
  std::set<std::tuple<std::string, std::size_t, std::size_t, core::Code, std::string>> said;
  std::erase_if(recording.diagnostics, [&](const core::Diagnostic& one) {
    const std::string& path = one.place.path.str();
    if (!left_out.contains(path)) {
      return false;
    }
    return !paths.contains(path) ||
           !said.emplace(path, one.place.line, one.place.column, one.code, one.message).second;
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
  drop_inputs(recording.failures, kept);
  drop_inputs(recording.runs, kept);
  drop_diagnostics(recording);
}

}  // namespace memsize::model
