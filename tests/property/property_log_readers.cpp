// Random logs, real ones and the fuzzers' corpus, line by line: what memsize finds in each line
// against what a slow reader with one regular expression a kind of line finds.
//
//   property_log_readers [--count N] [--seed N] [FILE or FOLDER...]
#include "memsize/core/line_scanner.hpp"

#include "random_logs.hpp"
#include "slow_log_reader.hpp"
#include "tidl_facts.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace {

using memsize::readers::Fact;
using memsize::slow::Said;
namespace readers = memsize::readers;
namespace model = memsize::model;
namespace slow = memsize::slow;

// No line of a random log is longer; a real one must not be either.
constexpr std::size_t kLongest = std::size_t{1} << 20;

std::string class_of(const std::string& space, model::Cacheability cacheability) {
  return fmt::format("{} {}", space, model::name_of(cacheability));
}

std::string size_of(const model::MeasuredSize& size) {
  return size.printed_kib.empty() ? fmt::format("{} B", size.nearest.count()) : size.printed_kib;
}

// What memsize says of a log, in the words of the slow reader.
class Fast {
 public:
  void add(const Fact& fact) {
    fact_ = &fact;
    std::visit([&](const auto& value) { take(value); }, fact.value);
  }

  std::vector<Said> said;
  std::set<std::size_t> broken;

 private:
  void say(const std::string& kind, const std::string& what) {
    said.push_back({fact_->line, fact_->core, kind, what});
  }

  void take(const readers::RowFact& row) {
    const model::Block& block = row.block;
    const std::string name = class_of(block.space, block.cacheability);
    if (row.form == "test") {
      return;
    }
    if (row.form == "requests") {
      say("request", fmt::format("{} {} {}", block.record, name, block.size.nearest.count()));
      return;
    }
    std::string what = fmt::format("{} {} {} {} {}",
                                   row.form,
                                   block.record,
                                   name,
                                   model::name_of(block.lifetime),
                                   size_of(block.size));
    if (row.form == "kib-placed") {
      what += fmt::format(" align {}", block.alignment.value());
    }
    if (block.address) {
      what += fmt::format(
          " at {:08x}{}", block.address->value(), block.address->is_whole() ? " whole" : "");
    }
    say("row", what);
  }

  void take(const readers::BrokenRowFact&) { broken.insert(fact_->line); }

  void take(const readers::TotalFact& total) {
    const model::ClassTotal& sum = total.total;
    const std::string life = sum.lifetime ? fmt::format(" {}", model::name_of(*sum.lifetime)) : "";
    say("total",
        fmt::format("{}{} {}", class_of(sum.space, sum.cacheability), life, size_of(sum.size)));
  }

  void take(const readers::InitFact& init) { say("run", fmt::format("init {}", init.ms)); }

  void take(const readers::ExecutionFact& run) {
    say("run",
        fmt::format("execution {} read {} written {}",
                    run.ms,
                    run.read_mb.value_or(-1),
                    run.written_mb.value_or(-1)));
  }

  void take(const model::HeapReport& heap) {
    const std::string where = heap.address
                                  ? fmt::format(" at {:x}", heap.address->value())
                                  : fmt::format(" free {}", heap.free ? heap.free->count() : 0);
    say("heap",
        fmt::format(
            "{} {} {}{}", model::name_of(heap.source), heap.name, heap.size.count(), where));
  }

  void take(const readers::FailureFact& fact) {
    const model::Failure& failure = fact.failure;
    if (failure.kind == model::Failure::Kind::kRecord && failure.record && failure.size) {
      say("failure",
          fmt::format("{} {} {}",
                      *failure.record,
                      class_of(failure.space, failure.cacheability),
                      failure.size->count()));
    }
  }

  // What stands between lines, or is told of no single one.
  void take(const readers::BorderFact&) {}

  void take(const readers::PriorityFact&) {}

  void take(const readers::EmulationFact&) {}

  void take(const readers::HostUseFact&) {}

  const Fact* fact_ = nullptr;
};

class Taker : public memsize::core::LineTaker {
 public:
  explicit Taker(Fast& fast) : finder_("log", [&fast](const Fact& fact) { fast.add(fact); }) {}

  bool take(std::string_view line, std::size_t number) override {
    return finder_.take(line, number);
  }

 private:
  readers::FactFinder finder_;
};

// Reads it as memsize does, in blocks whose borders are anywhere.
Fast fast_read(std::string_view text, slow::RandomLogs& random) {
  Fast fast;
  Taker taker{fast};
  memsize::core::LineScanner scanner{{readers::telling_words(), readers::kLongestWritten, kLongest},
                                     taker};
  const std::uint64_t most = random.below(4) == 0 ? 3 : 4096;
  while (!text.empty()) {
    const std::size_t size = std::min<std::size_t>(1 + random.below(most), text.size());
    (void)scanner.feed(text.substr(0, size));
    text.remove_prefix(size);
  }
  scanner.finish();
  return fast;
}

std::string shown(const Said& said) {
  return fmt::format("line {} '{}' {}: {}", said.line, said.core, said.kind, said.what);
}

// What the two readers do not agree about.
std::vector<std::string> differences(const std::string& text, slow::RandomLogs& random) {
  slow::Log expected = slow::read(text);
  Fast actual = fast_read(text, random);
  std::ranges::sort(expected.said);
  std::ranges::sort(actual.said);
  std::vector<Said> missing;
  std::vector<Said> invented;
  std::set_difference(expected.said.begin(),
                      expected.said.end(),
                      actual.said.begin(),
                      actual.said.end(),
                      std::back_inserter(missing));
  std::set_difference(actual.said.begin(),
                      actual.said.end(),
                      expected.said.begin(),
                      expected.said.end(),
                      std::back_inserter(invented));
  std::vector<std::string> result;
  for (const Said& said : missing) {
    result.push_back("not found: " + shown(said));
  }
  for (const Said& said : invented) {
    result.push_back("invented: " + shown(said));
  }
  for (const std::size_t line : expected.broken) {
    if (!actual.broken.contains(line)) {
      result.push_back(fmt::format("line {}: a broken row is not told", line));
    }
  }
  for (const std::size_t line : actual.broken) {
    const auto is = [line](const std::vector<std::size_t>& lines) {
      return std::ranges::find(lines, line) != lines.end();
    };
    if (!is(expected.broken) && !is(expected.doubtful)) {
      result.push_back(fmt::format("line {}: is called a broken row", line));
    }
  }
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return lines;
}

// The same log with fewer lines, as long as the readers still disagree.
std::string smallest(const std::string& text) {
  std::vector<std::string> lines = lines_of(text);
  const auto together = [](const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts, ""));
  };
  slow::RandomLogs random{1};
  for (std::size_t size = (lines.size() + 1) / 2; size > 0; size /= 2) {
    for (std::size_t at = 0; at < lines.size();) {
      std::vector<std::string> less = lines;
      const std::size_t end = std::min(at + size, less.size());
      less.erase(less.begin() + static_cast<std::ptrdiff_t>(at),
                 less.begin() + static_cast<std::ptrdiff_t>(end));
      if (differences(together(less), random).empty()) {
        at += size;
      } else {
        lines = std::move(less);
      }
    }
  }
  return together(lines);
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      result += "\\n\n    ";
    } else if (byte < 0x20 || byte >= 0x7F) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

struct Options {
  std::uint64_t count = 100'000;
  std::uint64_t seed = 7;
  std::vector<std::string> paths;
};

std::uint64_t number_of(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--count" && i + 1 < arguments.size()) {
      options.count = number_of(arguments[++i]);
    } else if (arguments[i] == "--seed" && i + 1 < arguments.size()) {
      options.seed = number_of(arguments[++i]);
    } else {
      options.paths.push_back(arguments[i]);
    }
  }
  return options;
}

std::vector<std::filesystem::path> files_of(const std::vector<std::string>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path)) {
      for (const auto& entry : std::filesystem::directory_iterator{path}) {
        files.push_back(entry.path());
      }
    } else if (std::filesystem::exists(path)) {
      files.emplace_back(path);
    }
  }
  std::ranges::sort(files);
  return files;
}

class Test {
 public:
  explicit Test(std::uint64_t seed) : seed_(seed), random_(seed) {}

  void check(const std::string& name, const std::string& text) {
    constexpr std::size_t kShown = 10;
    const slow::Log log = slow::read(text);
    said_ += log.said.size();
    broken_ += log.broken.size();
    if (differences(text, random_).empty() || ++failures_ > kShown) {
      return;
    }
    const std::string less = smallest(text);
    slow::RandomLogs random{1};
    fmt::print(
        "{} (seed {}): the readers do not agree about\n    {}\n", name, seed_, escaped(less));
    for (const std::string& difference : differences(less, random)) {
      fmt::print("  {}\n", difference);
    }
  }

  void check_random(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      check(fmt::format("random log {}", i), random_.next());
    }
  }

  [[nodiscard]] int result(std::size_t files, std::uint64_t count) const {
    fmt::print("{} random logs and {} files say {} things and have {} broken rows; {} differ\n",
               count,
               files,
               said_,
               broken_,
               failures_);
    // Logs that say nothing prove nothing.
    return failures_ == 0 && said_ > count ? 0 : 1;
  }

 private:
  std::uint64_t seed_;
  slow::RandomLogs random_;
  std::size_t failures_ = 0;
  std::size_t said_ = 0;
  std::size_t broken_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse({argv + 1, argv + argc});
  Test test{options.seed};
  const auto files = files_of(options.paths);
  for (const auto& path : files) {
    std::ifstream file{path, std::ios::binary};
    test.check(path.filename().string(), {std::istreambuf_iterator<char>{file}, {}});
  }
  test.check_random(options.count);
  return test.result(files.size(), options.count);
}
