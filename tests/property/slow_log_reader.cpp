#include "slow_log_reader.hpp"

#include <cctype>
#include <map>

#include <fmt/format.h>
#include <re2/re2.h>

namespace memsize::slow {

namespace {

// Bytes, not UTF-8: a log may hold anything.
const RE2::Options kBytes = [] {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}();

RE2 pattern(const std::string& text) {
  return RE2{text, kBytes};
}

constexpr const char* kSpace = "(L1D|L2|L3/MSMC|DDR Cacheable|DDR Non-cacheable|DDR)";
constexpr const char* kLifetime = "(Persistent|Scratch)";

// ESC [ ... letter, ESC ] ... BEL, and NULs: a terminal's, not the target's.
const RE2 kNotPrinted =
    pattern("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b|\\x00");

// "[C7x_2 ]     52.423106 s:", of which the '[' of a line's first may be lost.
const RE2 kPrefix = pattern(R"(^(.*?)\[\s*([^\[\]\s][^\[\]]*?)\s*\]\s*\d[\d.]*\s+s:)");
const RE2 kPrefixCut = pattern(R"(^\s*([^\s\[\],]{1,40})\s*\]\s*\d[\d.]*\s+s:)");

// A host's, or what is left of a prefix.
const RE2 kStamp = pattern(R"(^\s*\d[\d.]*\s+s:)");

// SDK 9 and newer; 8; 7 and the first of 8.
const RE2 kPlaced =
    pattern(fmt::format(R"(^\s*(\d+)\s*,\s*{}\s*,\s*{}\s*,\s*(\d+)\s*,\s*(\d+\.\d\d)\s*,)"
                        R"(\s*0[xX]([0-9a-fA-F]{{8}})\s*$)",
                        kSpace,
                        kLifetime));
const RE2 kKib =
    pattern(fmt::format(R"(^\s*(\d+)\s*,\s*{}\s*,\s*{}\s*,\s*(\d+\.\d\d)\s*$)", kSpace, kLifetime));
const RE2 kBytesRow =
    pattern(fmt::format(R"(^\s*(\d+)\s*,\s*{}\s*,\s*{}\s*,\s*(\d+)\s*$)", kSpace, kLifetime));
const RE2 kSurelyRow =
    pattern(fmt::format(R"(^\s*\d{{1,9}}\s*,\s*{}\s*,\s*{}\s*(?:,|$))", kSpace, kLifetime));
const RE2 kMaybeRow = pattern(R"(\d\s*,|,\s*(?:Persistent|Scratch)|L1D|L2|L3|DDR)");

const RE2 kTotal =
    pattern(fmt::format(R"(^\s*{}\s*\({}\)\s*,?\s*(\d+\.\d\d)(?:\s.*)?$)", kSpace, kLifetime));
const RE2 kTotalOfSpace = pattern(fmt::format(R"(^\s*{}\s*,\s*(\d+\.\d\d)(?:\s.*)?$)", kSpace));

// A number counts only with what follows it: half a number is a wrong one.
const RE2 kRequest =
    pattern(R"(Allocating memory record\s+(\d+)\s*@ space = \s*(\d+)[\s,]+size = \s*(\d+)\s*,.*?)"
            R"(align = [ \t]*(\d+))");
const RE2 kGranted =
    pattern(R"(Allocated memory record\s+(\d+)\s*@ space = \s*(\d+)\s+and size = \s*(\d+)\s*,)");
const RE2 kFailed = pattern(
    R"(Failed to Allocate memory record\s+(\d+)\s*@ space =\s*(\d+)\s*and size =\s*(\d+)\s*!!!)");

const RE2 kMemtab =
    pattern(R"(Could not Allocate memory for memtab\s+(\d+)\s*of size\s*(\d+)\s*in\s*(\d+))");

const RE2 kBoot = pattern(
    R"(MEM: Created heap \(([A-Za-z_]\w*),[^)]*\) @[ \t]([0-9a-fA-F]+)[ \t]of[ \t]size[ \t](\d+)[ \t]bytes)");
const RE2 kBootHead = pattern(R"(MEM: Created heap \()");
// Some of the words of a line of a heap, a sum or a record: such a line may be called damaged.
const RE2 kSomeWords = pattern(
    R"(heap \(|flags=0x|size =|% unused|of size|CPU:|HEAP|\||memory record|@ space =|\((?:Persistent|Scratch)|(?:Persistent|Scratch)\))");
const RE2 kStatistics = pattern(
    R"(CPU:\s*(\w+)\s*:\s*HEAP:\s*([A-Za-z_]\w*)\s*:\s*size =\s*(\d+)\s*B\s*,\s*free =\s*(\d+)\s*B(?:\s*\(\s*(\d+))?)");
// However broken.
const RE2 kStatisticsHead = pattern(R"(CPU:\s*\w+\s*:\s*HEAP:)");
const RE2 kMaybeStatistics = pattern(R"(HEAP:|\|)");
const RE2 kHeapTable = pattern(
    R"(##CPU:[ \t]*([^ \t]+)|(?:^|[ \t|])((?:DDR|(?:[A-Za-z_]\w*)?_MEM)\w*)\s*\|\s*(\d+)\s*B\s*\|\s*(\d+)\s*B\s*\|(?:\s*(\d+))?)");

const RE2 kInit = pattern(R"(# NETWORK_INIT_TIME =\s*(\d*\.?\d*)\s*\(in ms)");
const RE2 kExecution = pattern(R"(# NETWORK_EXECUTION_TIME =\s*(\d*\.?\d*)\s*\(in ms)");
const RE2 kTraffic =
    pattern(R"(DDR_BANDWIDTH \(Read \+ Write\) =\s*(\d*\.?\d*)\s*,\s*(\d*\.?\d*)\s*,)");

// The space's code in TIDL's ialg.h.
const std::map<std::string, std::string> kCodes = {{"0", "l1d on-chip"},
                                                   {"1", "l2 on-chip"},
                                                   {"2", "l3 on-chip"},
                                                   {"17", "ddr cacheable"},
                                                   {"18", "ddr non-cacheable"}};
const std::map<std::string, std::string> kSpaces = {{"L1D", "l1d on-chip"},
                                                    {"L2", "l2 on-chip"},
                                                    {"L3/MSMC", "l3 on-chip"},
                                                    {"DDR", "ddr cacheable"},
                                                    {"DDR Cacheable", "ddr cacheable"},
                                                    {"DDR Non-cacheable", "ddr non-cacheable"}};

std::string lower(std::string text) {
  for (char& letter : text) {
    letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

// A number of at most `most`, without leading zeros.
std::optional<std::uint64_t> number(const std::string& digits, std::uint64_t most) {
  std::uint64_t value = 0;
  return RE2::FullMatch(digits, R"((\d+))", &value) && value <= most ? std::optional{value}
                                                                     : std::nullopt;
}

bool is_power_of_two(std::uint64_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

constexpr std::uint64_t kMostOf32Bits = 0xFFFFFFFFU;
// What a document can hold exactly.
constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53U;
constexpr std::uint64_t kLargestRecord = 255;
constexpr std::uint64_t kLargestAlignment = 1U << 20;
// A number behind an on-chip space is a size only where it can be no alignment.
constexpr std::uint64_t kLargestUsualAlignment = 4096;

// "02755.40" as "2755.40"; empty where a record cannot be so large.
std::string kib(const std::string& printed) {
  constexpr std::uint64_t kMostHundredths = (std::uint64_t{1} << 32) / 1024 * 100;
  std::string digits = printed;
  digits.erase(digits.size() - 3, 1);
  const auto hundredths = number(digits, kMostHundredths);
  return hundredths ? fmt::format("{}.{:02}", *hundredths / 100, *hundredths % 100) : "";
}

class Reader {
 public:
  Log read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take_line(std::string{text.substr(0, end)});
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(log_);
  }

 private:
  void take_line(std::string line) {
    ++line_;
    if (line.ends_with('\r')) {
      line.pop_back();
    }
    RE2::GlobalReplace(&line, kNotPrinted, "");
    re2::StringPiece rest = line;
    std::string core;
    std::string before;
    std::string next;
    if (RE2::Consume(&rest, kPrefixCut, &core)) {
      core = lower(core);
    } else {
      RE2::Consume(&rest, kStamp);
    }
    while (RE2::Consume(&rest, kPrefix, &before, &next)) {
      take_piece(core, before);
      core = lower(next);
    }
    take_piece(core, rest.as_string());
  }

  void take_piece(const std::string& core, const std::string& text) {
    core_ = core;
    if (take_row(text)) {
      return;
    }
    take_total(text);
    take_requests(text);
    take_heaps(text);
    take_runs(text);
  }

  void say(const std::string& kind, const std::string& what) { said(core_, kind, what); }

  void said(const std::string& core, const std::string& kind, const std::string& what) {
    log_.said.push_back({line_, core, kind, what});
  }

  // Whether it is a row, whole or broken.
  bool take_row(const std::string& text) {
    std::string record;
    std::string space;
    std::string life;
    std::string alignment;
    std::string size;
    std::string base;
    if (RE2::PartialMatch(text, kPlaced, &record, &space, &life, &alignment, &size, &base)) {
      return placed_row(record, space, life, alignment, size, base);
    }
    if (RE2::PartialMatch(text, kKib, &record, &space, &life, &size) && !kib(size).empty() &&
        number(record, kLargestRecord)) {
      return row("kib", record, space, life, kib(size));
    }
    if (RE2::PartialMatch(text, kBytesRow, &record, &space, &life, &size)) {
      const auto bytes = number(size, kMostOf32Bits);
      const bool ours =
          space == "DDR" || (!space.starts_with("DDR") && bytes > kLargestUsualAlignment);
      if (ours && bytes && number(record, kLargestRecord)) {
        return row("bytes", record, space, life, fmt::format("{} B", *bytes));
      }
    }
    if (RE2::PartialMatch(text, kSurelyRow)) {
      log_.broken.push_back(line_);
      return true;
    }
    if (RE2::PartialMatch(text, kMaybeRow)) {
      log_.doubtful.push_back(line_);
    }
    return false;
  }

  bool placed_row(const std::string& record,
                  const std::string& space,
                  const std::string& life,
                  const std::string& alignment,
                  const std::string& size,
                  const std::string& base) {
    const auto align = number(alignment, kLargestAlignment);
    const bool power = align && *align != 0 && (*align & (*align - 1)) == 0;
    if (!power || kib(size).empty() || !number(record, kLargestRecord) || space == "DDR") {
      log_.broken.push_back(line_);
      return true;
    }
    return row("kib-placed",
               record,
               space,
               life,
               fmt::format("{} align {} at {}", kib(size), *align, lower(base)));
  }

  bool row(const std::string& form,
           const std::string& record,
           const std::string& space,
           const std::string& life,
           const std::string& rest) {
    say("row",
        fmt::format("{} {} {} {} {}",
                    form,
                    *number(record, kLargestRecord),
                    kSpaces.at(space),
                    lower(life),
                    rest));
    return true;
  }

  void take_total(const std::string& text) {
    std::string space;
    std::string life;
    std::string size;
    if (RE2::PartialMatch(text, kTotal, &space, &life, &size) && !kib(size).empty()) {
      say("total", fmt::format("{} {} {}", kSpaces.at(space), lower(life), kib(size)));
    } else if (RE2::PartialMatch(text, kTotalOfSpace, &space, &size) && !kib(size).empty()) {
      say("total", fmt::format("{} {}", kSpaces.at(space), kib(size)));
    }
  }

  void take_requests(const std::string& text) {
    std::string record;
    std::string space;
    std::string size;
    std::string align;
    const auto known = [&] {
      return kCodes.contains(space) && number(record, kLargestRecord) &&
             number(size, kMostOf32Bits);
    };
    const bool refused = RE2::PartialMatch(text, kFailed, &record, &space, &size) ||
                         RE2::PartialMatch(text, kMemtab, &record, &size, &space);
    if (refused && known()) {
      say("failure",
          fmt::format("{} {} {}",
                      *number(record, kLargestRecord),
                      kCodes.at(space),
                      *number(size, kMostOf32Bits)));
    } else if (RE2::PartialMatch(text, kRequest, &record, &space, &size, &align) && known() &&
               is_power_of_two(number(align, kMostExact).value_or(0))) {
      say("request",
          fmt::format("{} {} {}",
                      *number(record, kLargestRecord),
                      kCodes.at(space),
                      *number(size, kMostOf32Bits)));
    } else if (RE2::PartialMatch(text, kGranted, &record, &space, &size) && known()) {
      say("request",
          fmt::format("{} {} {}",
                      *number(record, kLargestRecord),
                      kCodes.at(space),
                      *number(size, kMostOf32Bits)));
    }
  }

  void take_heaps(const std::string& text) {
    std::string name;
    std::string cpu;
    std::string base;
    std::string size;
    std::string free;
    std::string percent;
    std::size_t heads = 0;
    re2::StringPiece rest = text;
    while (RE2::FindAndConsume(&rest, kBootHead)) {
      ++heads;
    }
    rest = text;
    while (RE2::FindAndConsume(&rest, kBoot, &name, &base, &size)) {
      const auto bytes = number(size, kMostExact);
      const bool at_page =
          base.size() < 3 ? base.find_first_not_of('0') == base.npos : base.ends_with("000");
      if (bytes && *bytes % 1024 == 0 && base.size() <= 16 && at_page) {
        base.erase(0, std::min(base.find_first_not_of('0'), base.size() - 1));
        say("heap", fmt::format("boot {} {} at {}", name, *bytes, lower(base)));
        --heads;
      }
    }
    if (RE2::PartialMatch(text, kSomeWords)) {
      log_.doubtful.push_back(line_);
    }
    rest = text;
    while (RE2::FindAndConsume(&rest, kStatisticsHead)) {
      ++heads;
    }
    rest = text;
    while (RE2::FindAndConsume(&rest, kStatistics, &cpu, &name, &size, &free, &percent)) {
      heads -= statistics(lower(cpu), name, size, free, percent) ? 1U : 0U;
    }
    if (heads != 0) {
      log_.broken.push_back(line_);
    } else if (RE2::PartialMatch(text, kMaybeStatistics)) {
      log_.doubtful.push_back(line_);
    }
    rest = text;
    while (RE2::FindAndConsume(&rest, kHeapTable, &cpu, &name, &size, &free, &percent)) {
      if (name.empty()) {
        headings_[core_] = lower(cpu);
      } else {
        const auto heading = headings_.find(core_);
        statistics(heading == headings_.end() ? core_ : heading->second, name, size, free, percent);
      }
    }
  }

  // Whether they can be.
  bool statistics(const std::string& cpu,
                  const std::string& name,
                  const std::string& size,
                  const std::string& free,
                  const std::string& percent) {
    const auto all = number(size, kMostExact);
    const auto unused = number(free, kMostExact);
    if (!all || !unused || *unused > *all || *all % 1024 != 0) {
      return false;
    }
    // Old SDKs multiply 32 bits.
    const auto told = number(percent, kMostExact);
    if (told && *all != 0 && *told != *unused * 100 / *all &&
        *told != (*unused * 100 & 0xFFFFFFFF) / *all) {
      return false;
    }
    said(cpu, "heap", fmt::format("statistics {} {} free {}", name, *all, *unused));
    return true;
  }

  void take_runs(const std::string& text) {
    double ms = 0;
    double read = -1;
    double written = -1;
    if (RE2::PartialMatch(text, kInit, &ms)) {
      say("run", fmt::format("init {}", ms));
    }
    if (RE2::PartialMatch(text, kExecution, &ms)) {
      // All of it or nothing: half a number is a wrong one.
      if (!RE2::PartialMatch(text, kTraffic, &read, &written)) {
        read = written = -1;
      }
      say("run", fmt::format("execution {} read {} written {}", ms, read, written));
    }
  }

  Log log_;
  std::size_t line_ = 0;
  std::string core_;
  /// The core that Markdown tables below are about.
  // Whose heaps the tables below are of, by who prints them.
  std::map<std::string, std::string> headings_;
};

}  // namespace

Log read(std::string_view text) {
  return Reader{}.read(text);
}

}  // namespace memsize::slow
