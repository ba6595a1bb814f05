// Takes the telling lines of a log and says each fact with its core: rows, sums, heaps, failures,
// times. A cut line is joined with what follows; what only looks like a fact is told as damaged.
#include "tidl_facts.hpp"

#include "memsize/core/text.hpp"

#include "plans/words.hpp"
#include "tidl_rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Bytes;
using core::Code;
using model::Failure;
using model::HeapReport;

constexpr std::string_view kDigits = "0123456789";
// Heaps are sized in KiB (app_init.c): most sizes with a wrong digit are those of no heap.
constexpr std::uint64_t kHeapStep = 1024;
constexpr std::string_view kCreated = "MEM: Created heap (";

// A table of numbers alone ends with a line of words; where that was lost, so many lines later.
constexpr std::size_t kNumberLines = 64;
// The rest of a cut line follows at once, but other cores may come between.
constexpr std::size_t kRestLines = 64;
// Cores whose lines may be cut at once: more names are damaged ones.
constexpr std::size_t kMostCut = 64;
constexpr std::size_t kShownText = 200;
constexpr std::size_t kShownEntry = 80;
// What a document holds exactly, whoever reads it (RFC 8259, section 6), and far more than any part
// has.
constexpr std::uint64_t kLargestSize = std::uint64_t{1} << 53U;

// The SDK's names of heaps; other words that stand where a name should are none.
bool is_heap_name(std::string_view name) {
  constexpr std::size_t kLongest = 40;
  return name.size() <= kLongest && core::is_identifier(name);
}

std::string core_named(std::string_view name) {
  constexpr std::size_t kLongest = 40;
  return core::printable(core::to_lower(name), kLongest);
}

// All of the words of a line but one or two.
template <std::size_t Count>
bool holds_most_of(const std::array<std::string_view, Count>& words, std::string_view text) {
  const auto there = std::ranges::count_if(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
  return static_cast<std::size_t>(there) + 2 >= Count;
}

// A line of a heap that was made, whichever of its words is damaged.
bool looks_like_created(std::string_view text) {
  return holds_most_of<5>({"heap (", "flags=0x", ") @ ", " of size ", " bytes !!!"}, text);
}

// "MEM: Created heap (DDR_LOCAL_MEM, id=0, flags=0x00000004) @ 110400000 of size 10485760 bytes",
// from the name on. A blank where a number should begin was its first digit; heaps begin with a
// page.
std::optional<HeapReport> parse_created(Words& words) {
  constexpr std::uint64_t kPage = 4096;
  HeapReport heap;
  const auto name = words.word(",");
  if (!name || !is_heap_name(*name) || !words.skip_to(") @") || !words.skip_exactly(" ") ||
      !words.at_digit()) {
    return std::nullopt;
  }
  heap.name = *name;
  const auto address = words.hex();
  if (!address || *address % kPage != 0 || !words.skip_exactly(" of size ") || !words.at_digit()) {
    return std::nullopt;
  }
  const auto size = words.number();
  if (!size || *size > kLargestSize || *size % kHeapStep != 0 || !words.skip_exactly(" bytes")) {
    return std::nullopt;
  }
  heap.address = core::VirtAddr{*address};
  heap.size = Bytes{*size};
  return heap;
}

std::optional<HeapReport> heap_in_use(std::string_view name,
                                      std::optional<std::uint64_t> size,
                                      std::optional<std::uint64_t> free) {
  if (!size || !free || *size > kLargestSize || *size % kHeapStep != 0 || *free > *size ||
      !is_heap_name(name)) {
    return std::nullopt;
  }
  return HeapReport{.source = HeapReport::Source::kStatistics,
                    .name = std::string{name},
                    .size = Bytes{*size},
                    .free = Bytes{*free}};
}

// Whether free is that part of the size. The percentage overflows in old SDKs, which count it in 32
// bits. Lines that were cut before it say nothing of it.
bool agrees(std::optional<std::uint64_t> percent, const HeapReport& heap) {
  const std::uint64_t size = heap.size.count();
  const std::uint64_t part = heap.free->count() * 100;
  return !percent || size == 0 || *percent == part / size ||
         *percent == static_cast<std::uint32_t>(part) / size;
}

// "DDR_LOCAL_MEM: size =   67108864 B, free =   61611264 B ( 91 % unused)".
std::optional<HeapReport> parse_statistics(Words& words) {
  const auto name = words.word(":");
  if (!name || !words.skip(":") || !words.skip("size =")) {
    return std::nullopt;
  }
  const auto size = words.number();
  if (!size || !words.skip("B") || !words.skip(",") || !words.skip("free =")) {
    return std::nullopt;
  }
  const auto free = words.number();
  auto heap = words.skip("B") ? heap_in_use(*name, size, free) : std::nullopt;
  const auto percent = words.skip("(") ? words.number() : std::nullopt;
  return heap && agrees(percent, *heap) ? heap : std::nullopt;
}

// A line of statistics, whichever of its words is damaged.
bool looks_like_statistics(std::string_view text) {
  return holds_most_of<6>({"CPU:", " HEAP:", ": size =", " B, free =", " B (", " % unused)"}, text);
}

// TIOVX says of each record that it is asked for, and that it was given, whichever word is damaged.
bool looks_like_request(std::string_view text) {
  return holds_most_of<5>(
      {"tivxAlgiVisionAllocMem:", " memory record ", " @ space = ", "size = ", " ... "}, text);
}

// Many tables look so: these are of heaps.
bool is_name_in_table(std::string_view name) {
  return name.starts_with("DDR") || name.find("_MEM") != std::string_view::npos;
}

// "   DDR_LOCAL_MEM |   67108864 B |   61611264 B |  91 %", from the first bar on.
std::optional<HeapReport> parse_cells(std::string_view name, Words& words) {
  if (!is_name_in_table(name)) {
    return std::nullopt;
  }
  const auto size = words.skip("|") ? words.number() : std::nullopt;
  if (!size || !words.skip("B") || !words.skip("|")) {
    return std::nullopt;
  }
  const auto free = words.number();
  auto heap = words.skip("B") && words.skip("|") ? heap_in_use(name, size, free) : std::nullopt;
  return heap && agrees(words.number(), *heap) ? heap : std::nullopt;
}

// "|   67108864 B |   61611264 B |", whatever became of the digits.
bool looks_like_cells(std::string_view text) {
  for (int cell = 0; cell < 2; ++cell) {
    text.remove_prefix(1);
    const std::size_t bar = text.find('|');
    const std::string_view size = core::trim(text.substr(0, bar));
    if (bar == std::string_view::npos || !size.ends_with(" B") ||
        size.find_first_of(kDigits) == std::string_view::npos) {
      return false;
    }
    text.remove_prefix(bar);
  }
  return true;
}

// A row of such a table, whichever of its letters is damaged: of the name, three bars, two sizes
// and a percentage one may be missing, or a bar with the size before it. Other tables have less of
// it.
bool resembles_cells(std::string_view text) {
  constexpr std::size_t kMost = 7;
  const auto count = [&](std::string_view word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      ++found;
    }
    return found;
  };
  const bool named = is_name_in_table(core::trim(text.substr(0, text.find('|'))));
  return std::min<std::size_t>(count("|"), 3) + std::min<std::size_t>(count(" B |"), 2) +
             std::min<std::size_t>(count(" %"), 1) + (named ? 1U : 0U) + 2 >=
         kMost;
}

// "MEM: Alloc's: 21 alloc's of 29432301 bytes", of newer SDKs "DDR_SHARED_MEM: Alloc's: ...".
std::optional<HostUseFact> parse_host_use(std::string_view text) {
  Words words{text};
  if (!words.skip_to("MEM: Alloc's:")) {
    return std::nullopt;
  }
  const auto allocations = words.number();
  const auto bytes = words.skip("alloc's of") ? words.number() : std::nullopt;
  if (!allocations || !bytes || *bytes > kLargestSize || !words.skip("bytes")) {
    return std::nullopt;
  }
  return HostUseFact{0, *allocations, Bytes{*bytes}};
}

std::string_view last_word(std::string_view text) {
  text = core::trim(text);
  return text.substr(text.find_last_of(kBlank) + 1);
}

struct Complaint {
  std::string_view words;
  Failure::Kind kind;
};

// What TIDL, TIOVX and the SDK's utilities print where something cannot be allocated or created.
// The first that a text holds counts.
constexpr std::array<Complaint, 22> kComplaints = {{
    {"Failed to Allocate memory record", Failure::Kind::kOther},
    {"MEM: heap mem size insufficient", Failure::Kind::kOther},
    {"Not able to allocate", Failure::Kind::kOnChip},
    {"Intermediate output memory", Failure::Kind::kLimit},
    {"Parameter memory", Failure::Kind::kLimit},
    {"Number of priority level exceeeds", Failure::Kind::kLimit},
    {"exceeds the limit of", Failure::Kind::kLimit},
    {"MEM: ERROR: Alloc failed", Failure::Kind::kHost},
    {"Shared mem ptr allocation failed", Failure::Kind::kHost},
    {"Could not allocate tensor memory", Failure::Kind::kHost},
    {"TIDL_RT_OVX: ERROR: Unable to allocate", Failure::Kind::kHost},
    {"Unable to allocate intermediate output shared memory", Failure::Kind::kHost},
    {"Calling ialg.algAlloc failed", Failure::Kind::kOther},
    {"Calling ialg.algInit failed", Failure::Kind::kOther},
    {"tivxAlgiVisionAllocMem Failed", Failure::Kind::kOther},
    {"tivxAlgiVisionCreate returned NULL", Failure::Kind::kOther},
    {"fails to allocate memory in MSMC", Failure::Kind::kOther},
    {"Expected version - 0x", Failure::Kind::kOther},
    {"TIVX_CMD_NODE_CREATE failed", Failure::Kind::kOther},
    {"Verify OpenVX graph failed", Failure::Kind::kOther},
    {"TX channels for CPU", Failure::Kind::kOther},
    {"does not match size of sTIDL_IOBufDesc_t", Failure::Kind::kOther},
}};

// "Failed to Allocate memory record 5 @ space = 17 and size = 170281740 !!!", of the stand-alone
// test "Could not Allocate memory for memtab 5 of size 170281740 in 17".
constexpr std::string_view kRefused = "Failed to Allocate memory record ";
constexpr std::string_view kRefusedMemtab = "Could not Allocate memory for memtab ";

std::optional<Failure> parse_refused_record(std::string_view text) {
  Words words{text};
  Failure failure{.kind = Failure::Kind::kRecord};
  std::optional<std::uint64_t> record;
  std::optional<std::uint64_t> size;
  std::optional<std::uint64_t> space;
  if (words.skip_to(kRefused)) {
    record = words.number();
    if (!words.skip("@ space =")) {
      return std::nullopt;
    }
    space = words.number();
    size = words.skip("and size =") ? words.number() : std::nullopt;
    // A number that was cut is a smaller one.
    size = words.skip("!!!") && space ? size : std::nullopt;
  } else if (words.skip_to(kRefusedMemtab)) {
    record = words.number();
    size = words.skip("of size") ? words.number() : std::nullopt;
    space = words.skip("in") ? words.number() : std::nullopt;
    size = space ? size : std::nullopt;
  }
  constexpr std::uint64_t kLargestRecord = 255;
  if (!record || *record > kLargestRecord) {
    return std::nullopt;
  }
  failure.record = static_cast<std::uint32_t>(*record);
  if (size && *size <= kLargestSize) {
    failure.size = Bytes{*size};
  }
  if (space) {
    (void)space_of(*space, failure.space, failure.cacheability);
  }
  return failure;
}

std::optional<FailureFact> parse_failure(std::string_view text) {
  auto refused = parse_refused_record(text);
  const auto complaint = std::ranges::find_if(kComplaints, [&](const Complaint& known) {
    // What is said of a limit is said elsewhere too, but not that it is exceeded.
    return text.find(known.words) != std::string_view::npos &&
           (known.kind != Failure::Kind::kLimit || text.find("exceed") != std::string_view::npos);
  });
  if (!refused && complaint == kComplaints.end()) {
    return std::nullopt;
  }
  Failure failure;
  failure.kind = complaint == kComplaints.end() ? Failure::Kind::kRecord : complaint->kind;
  if (refused) {
    failure = std::move(*refused);
  }
  failure.text = core::printable(core::trim(text), kShownText);
  const std::string_view words = complaint != kComplaints.end()                  ? complaint->words
                                 : text.find(kRefused) != std::string_view::npos ? kRefused
                                                                                 : kRefusedMemtab;
  return FailureFact{std::move(failure), std::string{core::trim(text.substr(text.find(words)))}};
}

// "# NETWORK_EXECUTION_TIME = 3.25 (in ms, c7x @1GHz) with DDR_BANDWIDTH (Read + Write) =
// 0.71, 7.32".
std::optional<FactValue> parse_run(std::string_view text) {
  Words words{text};
  if (words.skip_to("# NETWORK_INIT_TIME =")) {
    const auto ms = words.decimal();
    return ms && words.skip("(in ms") ? std::optional<FactValue>{InitFact{*ms}} : std::nullopt;
  }
  if (!words.skip_to("# NETWORK_EXECUTION_TIME =")) {
    return std::nullopt;
  }
  const auto ms = words.decimal();
  if (!ms || !words.skip("(in ms")) {
    return std::nullopt;
  }
  ExecutionFact run{.ms = *ms};
  if (words.skip_to("DDR_BANDWIDTH (Read + Write) =")) {
    run.read_mb = words.decimal();
    run.written_mb = words.skip(",") ? words.decimal() : std::nullopt;
    if (!run.read_mb || !run.written_mb || !words.skip(",")) {
      run.read_mb.reset();
      run.written_mb.reset();
    }
  }
  return run;
}

// An emulation on a host prints time stamps such as "0.17s:", without a blank, and it alone runs
// the reference flow.
bool is_emulation(std::string_view text) {
  if (text.find("TIDL in PC emulation mode") != std::string_view::npos ||
      text.find("REF_ONLY FLOW") != std::string_view::npos) {
    return true;
  }
  const std::size_t zone = text.find("VX_ZONE_");
  if (zone == std::string_view::npos) {
    return false;
  }
  const std::string_view before = core::trim(text.substr(0, zone));
  return before.ends_with("s:") && before.size() > 3 &&
         before.substr(0, before.size() - 2).find_first_not_of("0123456789.") ==
             std::string_view::npos;
}

// The blank behind the time stamp is the stamp's.
std::string_view own_text(const Piece& piece) {
  return piece.text.substr(piece.text.starts_with(' ') ? 1 : 0);
}

// The core of a prefix whose time was damaged, so that it is none: "[C7x_1 ]     9x.005240 s: 6".
std::string core_before(std::string_view number) {
  const std::size_t close = std::min(number.rfind(']'), number.size());
  // npos + 1 is 0: pasted logs lose the first character.
  const std::size_t open = number.rfind('[', close) + 1;
  return close == number.size() ? std::string{}
                                : core::to_lower(core::trim(number.substr(open, close - open)));
}

std::string_view field_of(std::string_view row, std::size_t number) {
  for (; number != 0; --number) {
    const std::size_t comma = row.find(',');
    row = comma == std::string_view::npos ? std::string_view{} : row.substr(comma + 1);
  }
  return core::trim(row.substr(0, row.find(',')));
}

}  // namespace

const std::vector<std::string>& telling_words() {
  static const std::vector<std::string> words = [] {
    // One word each: escapes and NULs may stand between words. Capitals, because the scanner is
    // fast where noise has no word's rarest bytes.
    std::vector<std::string> all = {
        "Persist",   // rows and sums
        "Scratch",   // rows and sums
        "DDR",       // rows cut before their attribute; heaps
        "L3/",       //
        "L1D",       //
        "L2,",       // sums of a space
        "L2 ",       //
        "L2\t",      //
        "MEM",       // heaps
        "HEAP:",     //
        "CPU:",      //
        " B |",      //
        "TIDL",      // titles; what stands between the prints of a table; emulation
        "Total",     // the title of sums
        "SineInMB",  // the title of a table of numbers
        "Alloc",     // requests; failures
        "PREEMPT",   // priorities
        "VX_ZONE_",  // emulation
        "REF_ONLY",  //
        "NETWORK_",  // times
    };
    for (const Complaint& complaint : kComplaints) {
      all.emplace_back(complaint.words);
    }
    return all;
  }();
  return words;
}

FactFinder::FactFinder(std::string path, Visitor visitor)
    : path_(std::move(path)), visitor_(std::move(visitor)) {}

void FactFinder::say(const std::string& core, FactValue value) {
  visitor_({core, line_, std::move(value)});
}

bool FactFinder::take(std::string_view line, std::size_t number) {
  whole_ = line;
  line_ = number;
  if (numbers_ == 0 && waits_ == 0 && take_known_row(line)) {
    return false;
  }
  const std::string_view text = clean_line(line, cleaned_) ? std::string_view{cleaned_} : line;
  const std::vector<Piece> pieces = split_line(text);
  one_piece_ = pieces.size() == 1;
  for (const Piece& piece : pieces) {
    take_piece(piece);
  }
  numbers_ -= numbers_ == 0 ? 0U : 1U;
  waits_ -= waits_ == 0 ? 0U : 1U;
  if (waits_ == 0) {
    cut_.clear();
  }
  return numbers_ != 0 || waits_ != 0;
}

bool FactFinder::take_known_row(std::string_view line) {
  const std::size_t close = line.find(']');
  if (close == std::string_view::npos) {
    return false;
  }
  const std::string_view prefix = line.substr(0, close + 1);
  const auto core =
      std::ranges::find_if(prefixes_, [&](const auto& known) { return known.first == prefix; });
  if (core == prefixes_.end()) {
    return false;
  }
  const std::string_view rest = line.substr(close + 1);
  const std::size_t stamp = stamp_length(rest);
  const Row* const row = stamp == 0 ? nullptr : rows_.find(rest.substr(stamp));
  if (row == nullptr) {
    return false;
  }
  RowFact fact{row->form, row->block};
  fact.block.line = line_;
  say(core->second, std::move(fact));
  return true;
}

// A line is known again by its prefix and its text alone, so that nothing else may have decided
// what it says: it was not cleaned, and its prefix was the first and only one.
void FactFinder::remember_row(const Piece& piece, const Row& row) {
  constexpr std::size_t kMostPrefixes = 16;
  const std::size_t close = whole_.find(']');
  const auto begin = static_cast<std::size_t>(piece.text.data() - whole_.data());
  if (!one_piece_ || piece.core.empty() || close == std::string_view::npos ||
      begin > whole_.size() || begin + piece.text.size() != whole_.size() ||
      close + 1 + stamp_length(whole_.substr(close + 1)) != begin) {
    return;
  }
  rows_.put(piece.text, row);
  const std::string_view prefix = whole_.substr(0, close + 1);
  const bool known =
      std::ranges::any_of(prefixes_, [&](const auto& other) { return other.first == prefix; });
  if (!known && prefixes_.size() < kMostPrefixes) {
    prefixes_.emplace_back(prefix, piece.core);
  }
}

bool FactFinder::join(const Piece& piece) {
  const auto cut = cut_.find(piece.core);
  if (cut == cut_.end()) {
    return false;
  }
  // A row is the end of what was cut: it begins with digits behind a blank, or with the text.
  const std::string joined = cut->second + std::string{own_text(piece)};
  const std::size_t seam = cut->second.size();
  cut_.erase(cut);
  constexpr std::size_t kLongestRow = 128;
  for (std::size_t from = seam - std::min(seam, kLongestRow); from < seam; ++from) {
    const bool starts = kDigits.find(joined[from]) != std::string_view::npos &&
                        (from == 0 || kBlank.find(joined[from - 1]) != std::string_view::npos);
    const std::string_view text = std::string_view{joined}.substr(from);
    const auto row =
        starts && looks_like_row(text) ? parse_row(text) : tl::make_unexpected(RowProblem{});
    if (row) {
      RowFact fact{row->form, row->block};
      fact.block.line = line_;
      say(piece.core, std::move(fact));
      return true;
    }
  }
  return false;
}

void FactFinder::take_piece(const Piece& piece) {
  const std::string_view text = piece.text;
  if (!cut_.empty() && join(piece)) {
    return;
  }
  if (own_text(piece).size() == kLongestWritten || piece.written == kLongestWritten) {
    if (cut_.size() < kMostCut || cut_.contains(piece.core)) {
      cut_[piece.core] = text;
      waits_ = kRestLines;
    }
    take_words(piece);
    return;
  }
  if (looks_like_row(text)) {
    if (auto row = parse_row(text)) {
      remember_row(piece, *row);
      RowFact fact{row->form, std::move(row->block)};
      fact.block.line = line_;
      say(piece.core, std::move(fact));
    } else {
      take_broken(piece, Code::kReadBadRecord, row.error());
    }
    return;
  }
  if (numbers_ != 0) {
    if (auto row = parse_test_row(text); row) {
      numbers_ = kNumberLines;
      row->block.line = line_;
      say(piece.core, RowFact{row->form, std::move(row->block)});
      return;
    }
    if (looks_like_test_row(text)) {
      take_broken_row(piece, "this row of the table");
      return;
    }
  }
  if (resembles_row(text)) {
    take_broken_row(piece, "the number of this record, or what stands before it,");
  }
  if (auto row = parse_request(text); row) {
    row->block.line = line_;
    say(piece.core, RowFact{row->form, std::move(row->block)});
    return;
  }
  if (auto total = parse_total(text); total) {
    total->line = line_;
    say(piece.core, TotalFact{std::move(*total)});
    return;
  }
  if (looks_like_total(text)) {
    take_broken_total(piece);
  }
  take_words(piece);
}

void FactFinder::take_broken(const Piece& piece, Code code, const RowProblem& problem) {
  core::Place place{path_, line_};
  // The line is shown escaped, and the column is that of the shown line. What had to be cleaned, or
  // is escaped itself, is pointed at by the message alone.
  constexpr std::size_t kAll = std::string_view::npos;
  place.text = core::printable(whole_, kAll);
  const char* begin = whole_.data();
  const bool inside =
      problem.field.data() >= begin && problem.field.data() <= begin + whole_.size();
  if (inside && core::printable(problem.field, kAll).size() == problem.field.size()) {
    const auto before = static_cast<std::size_t>(problem.field.data() - begin);
    place.column = core::printable(whole_.substr(0, before), kAll).size() + 1;
    place.length = std::max<std::size_t>(problem.field.size(), 1);
  }
  // What is left of a row may be enough to find it in another print of the table.
  constexpr std::size_t kSize = 4;
  const std::string_view number = core::trim(piece.text.substr(0, piece.text.find(',')));
  say(piece.core,
      BrokenRowFact{
          core::warning(code, problem.message, std::move(place), problem.hint)
              .about({{"core", piece.core.empty() ? core_before(number) : piece.core},
                      {"record", std::string{number.substr(number.find_last_of(kBlank) + 1)}},
                      {"size", std::string{field_of(piece.text, kSize)}}})});
}

// From the word before the first comma on: what stands before it may be a damaged prefix.
void FactFinder::take_broken_row(const Piece& piece, std::string_view what) {
  const std::string_view number = core::trim(piece.text.substr(0, piece.text.find(',')));
  const std::size_t blank = number.find_last_of(kBlank) + 1;
  const auto begin = static_cast<std::size_t>(number.data() - piece.text.data()) + blank;
  take_broken(piece,
              Code::kReadBadRecord,
              {core::trim(piece.text.substr(begin)),
               fmt::format("{} cannot be read", what),
               "the line was cut, joined with another or damaged"});
}

void FactFinder::take_broken_total(const Piece& piece) {
  const std::string_view shown = core::trim(piece.text);
  take_broken(
      piece,
      Code::kReadTableMismatch,
      {shown,
       fmt::format("the sum of a table cannot be read: '{}'", core::printable(shown, kShownEntry)),
       "the line was cut or damaged: what it proves of the rows above is not known"});
}

void FactFinder::take_broken_heap(const Piece& piece,
                                  std::string_view entry,
                                  HeapReport::Source source) {
  const bool is_boot = source == HeapReport::Source::kBoot;
  const std::string_view shown = core::trim(entry);
  take_broken(piece,
              Code::kSizingStatistics,
              {shown,
               fmt::format("{} cannot be read: '{}'",
                           is_boot ? "the line of a heap at boot" : "the statistics of a heap",
                           core::printable(shown, kShownEntry)),
               is_boot ? "the line was cut or damaged (a heap begins with a page of 4 KiB, and is "
                         "sized in KiB): where it lies is not known"
                       : "the line was cut or damaged: what this heap had in use is not known"});
}

void FactFinder::take_created(const Piece& piece) {
  // Line ends may be lost: any number of them.
  Words created{piece.text};
  bool any = false;
  while (created.skip_to(kCreated)) {
    any = true;
    const std::string_view entry = created.rest();
    if (auto heap = parse_created(created); heap) {
      heap->line = line_;
      heap->core = piece.core;
      say(piece.core, std::move(*heap));
    } else {
      take_broken_heap(piece, entry.substr(0, entry.find(kCreated)), HeapReport::Source::kBoot);
    }
  }
  if (!any && looks_like_created(piece.text)) {
    take_broken_heap(piece, piece.text, HeapReport::Source::kBoot);
  }
}

void FactFinder::take_words(const Piece& piece) {
  const std::string_view text = piece.text;
  const auto holds = [&](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  };
  if (is_emulation(text)) {
    say(piece.core, EmulationFact{});
  }
  if (holds("SizeinBytes") && holds("SineInMB")) {
    numbers_ = kNumberLines + 1;
    say(piece.core, BorderFact{true});
  } else if (holds("TIDL") && holds("requiement")) {
    say(piece.core, BorderFact{true});
  } else if (holds("Total memory size") || holds("TIDL init call") ||
             holds("Total External Memory")) {
    numbers_ = 0;
    say(piece.core, BorderFact{false});
  }
  take_heaps(piece);
  if (auto use = parse_host_use(text); use) {
    use->line = line_;
    say(piece.core, *use);
  }
  if (holds("PREEMPTION: Requesting memory")) {
    Words words{text};
    const auto priority = words.skip_to("targetPriority =") ? words.number() : std::nullopt;
    constexpr std::uint64_t kLowestPriority = 7;  // tidlrt.md: 0 is the highest
    if (priority && *priority <= kLowestPriority) {
      say(piece.core, PriorityFact{static_cast<std::uint32_t>(*priority)});
    }
  }
  if (auto run = parse_run(text); run) {
    say(piece.core, std::move(*run));
  } else if (auto failure = parse_failure(text); failure) {
    failure->failure.line = line_;
    failure->failure.core = piece.core;
    say(piece.core, std::move(*failure));
  } else if (looks_like_request(text) && !parse_request(text)) {
    const std::string_view shown = core::trim(text);
    take_broken(piece,
                Code::kReadTableMismatch,
                {shown,
                 fmt::format("what TIOVX said of a record cannot be read: '{}'",
                             core::printable(shown, kShownEntry)),
                 "the line was cut or damaged: another line may have what it said"});
  }
}

void FactFinder::take_heaps(const Piece& piece) {
  const auto keep = [&](HeapReport heap, const std::string& core) {
    heap.line = line_;
    heap.core = core;
    say(core, std::move(heap));
  };
  take_created(piece);
  bool any = false;
  Words statistics{piece.text};
  while (statistics.skip_to("CPU:")) {
    Words entry = statistics;
    const auto core = entry.word(":");
    if (core && !core->empty() && entry.skip(":") && entry.skip("HEAP:")) {
      any = true;
      const std::string_view text = entry.rest();
      // Two words are what is left of two lines.
      const bool is_name = core->find_first_of(kBlank) == std::string_view::npos;
      if (auto heap = is_name ? parse_statistics(entry) : std::nullopt; heap) {
        keep(std::move(*heap), core_named(*core));
        statistics = entry;
      } else {
        take_broken_heap(piece, text.substr(0, text.find("CPU:")), HeapReport::Source::kStatistics);
      }
    }
  }
  if (!any && looks_like_statistics(piece.text)) {
    take_broken_heap(piece, piece.text, HeapReport::Source::kStatistics);
  }
  // Headings "##CPU: c7x_1" and the rows of the tables below them.
  std::string_view rest = piece.text;
  bool any_cells = false;
  while (!rest.empty()) {
    constexpr std::string_view kHeading = "##CPU:";
    const std::size_t bar = rest.find('|');
    if (const std::size_t heading = rest.find(kHeading); heading < bar) {
      rest.remove_prefix(heading + kHeading.size());
      rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
      const std::string_view name = rest.substr(0, rest.find_first_of(kBlank));
      if (!name.empty() && (headings_.size() < kMostCut || headings_.contains(piece.core))) {
        headings_[piece.core] = core_named(name);
      }
      rest.remove_prefix(name.size());
      continue;
    }
    if (bar == std::string_view::npos) {
      break;
    }
    Words cells{rest.substr(bar)};
    const std::string_view name = last_word(rest.substr(0, bar));
    auto heap = parse_cells(name, cells);
    any_cells = any_cells || heap;
    if (!heap && is_name_in_table(name) && looks_like_cells(rest.substr(bar))) {
      const auto begin = static_cast<std::size_t>(name.data() - piece.text.data());
      const std::string_view entry = piece.text.substr(begin);
      any_cells = true;
      take_broken_heap(
          piece, entry.substr(0, entry.find("##CPU:")), HeapReport::Source::kStatistics);
    }
    rest = heap ? cells.rest() : rest.substr(bar + 1);
    if (heap) {
      const auto heading = headings_.find(piece.core);
      keep(std::move(*heap), heading == headings_.end() ? piece.core : heading->second);
    }
  }
  if (!any_cells && resembles_cells(piece.text)) {
    take_broken_heap(piece, piece.text, HeapReport::Source::kStatistics);
  }
}

}  // namespace memsize::readers
