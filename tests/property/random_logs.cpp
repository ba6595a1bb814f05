#include "random_logs.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

namespace memsize::slow {

namespace {

constexpr std::uint64_t kRecords = 16;
// What the target prints at once.
constexpr std::size_t kLongestWritten = 1023;

}  // namespace

std::string RandomLogs::any(const std::initializer_list<const char*>& texts) {
  return *(texts.begin() + below(texts.size()));
}

std::string RandomLogs::kib() {
  static constexpr std::array<std::uint64_t, 5> kEnds = {1, 100, 100000, 1000000, 450000000};
  const std::uint64_t hundredths = below(kEnds[below(kEnds.size())]);
  return fmt::format("{}.{:02}", hundredths / 100, hundredths % 100);
}

std::string RandomLogs::space() {
  return any({"L1D", "L2", "L3/MSMC", "DDR Cacheable", "DDR Non-cacheable", "DDR Cacheable"});
}

std::string RandomLogs::lifetime() {
  return any({"Persistent", "Scratch"});
}

std::string RandomLogs::heap() {
  return any({"DDR_LOCAL_MEM",
              "DDR_SHARED_MEM",
              "DDR_SCRATCH_MEM",
              "DDR_NON_CACHE_M",
              "DDR_SCRATCH_NON_CACHE_MEM",
              "DDR_CACHE_WT_ME",
              "L1_MEM",
              "L2_MEM",
              "L3_MEM"});
}

std::string RandomLogs::core() {
  return any({"C7x_1 ", "C7x_2 ", "C7x_2", "C6x_1 ", "MCU2_0", "mcu1_0"});
}

// The printf strings of the SDKs: 9 and newer twice, 8, 7.
std::string RandomLogs::row() {
  const std::uint64_t record = below(chance(95) ? kRecords : 400);
  const std::string where = space();
  switch (below(5)) {
    case 0:
      return fmt::format(
          "{:<12}, {:<12}, {:<12}, {:<8}", record, chance(30) ? "DDR" : where, lifetime(), kib());
    case 1:
      return fmt::format(" {:<10}, {:<10}, {:<10}, {:>8}",
                         record,
                         chance(80) ? "DDR" : where,
                         lifetime(),
                         below(chance(50) ? 200000 : 5000000000));
    default:
      return fmt::format("{:<12}, {:<20}, {:<12}, {:>4}, {:<8}, 0x{:08x}",
                         record,
                         where,
                         lifetime(),
                         chance(95) ? 128 : below(2000),
                         kib(),
                         chance(40) ? 0 : below(std::uint64_t{1} << 32));
  }
}

std::string RandomLogs::total() {
  const std::string where = space();
  switch (below(4)) {
    case 0:
      return fmt::format("{:<10}, {:<8}", where, kib());
    case 1:
      return fmt::format("{:<22} {:>9} KB{}",
                         where + "(" + lifetime() + ")",
                         kib(),
                         chance(30) ? "    \xE2\x86\x90 weights" : "");
    default:
      return fmt::format("{}({}), {:<8}", where, lifetime(), kib());
  }
}

std::string RandomLogs::request() {
  const std::uint64_t record = below(kRecords);
  const std::string code = any({"0", "1", "2", "17", "17", "18"});
  const std::uint64_t size = below(std::uint64_t{1} << 31);
  switch (below(4)) {
    case 0:
      return fmt::format(
          " VX_ZONE_INFO:[tivxAlgiVisionAllocMem:150] Allocating memory record {} @ space = {}, "
          "size = {}, align = 128 ... ",
          record,
          code,
          size);
    case 1:
      return fmt::format(
          " VX_ZONE_INFO:[tivxAlgiVisionAllocMem:171] Allocated memory record {} @ space = {} and "
          "size = {}, addr = 0x{:x} ... ",
          record,
          code,
          size,
          below(std::uint64_t{1} << 33));
    default:
      return fmt::format(
          " VX_ZONE_ERROR:[tivxAlgiVisionAllocMem:184] Failed to Allocate memory record {} @ "
          "space = {} and size = {} !!!",
          record,
          code,
          size);
  }
}

std::string RandomLogs::heap_line() {
  if (chance(10)) {
    // The ends of a table's lines are lost.
    const std::string next = heap_line();
    return next + any({"", " ", "  "}) + heap_line();
  }
  const std::string name = heap();
  // Now and then with a number that cannot be.
  const bool is_true = !chance(5);
  const std::uint64_t size = below(std::uint64_t{1} << 19) * 1024 + (is_true ? 0 : below(1024));
  const std::uint64_t free = size == 0 ? 0 : below(size);
  const std::uint64_t percent = is_true && size != 0 ? free * 100 / size : below(100);
  switch (below(4)) {
    case 0:
      return fmt::format(
          "CPU: {:>6}: HEAP: {:>16}: size = {:>10} B, free = {:>10} B ({:>3} % unused)",
          any({"c7x_1", "c7x_2", "mcu2_0"}),
          name.substr(0, 15),
          size,
          free,
          percent);
    case 1:
      return fmt::format("##CPU: {}", any({"c7x_1", "c7x_2", "mcu2_0"}));
    case 2:
      return fmt::format(
          "{:>16} | {:>10} B | {:>10} B | {:>3} %", name.substr(0, 15), size, free, percent);
    default:
      return fmt::format(
          "MEM: Created heap ({}, id={}, flags=0x{:08x}) @ {:x} of size {} bytes {}!!!",
          name,
          below(9),
          below(5),
          below(std::uint64_t{1} << 22) * 4096 + (is_true ? 0 : below(4096)),
          size,
          chance(30) ? "with alignment: 1024 " : "");
  }
}

std::string RandomLogs::run() {
  if (chance(50)) {
    return fmt::format(
        "# NETWORK_INIT_TIME = {:>8}.{:02} (in ms, c7x @1GHz)  ", below(1000), below(100));
  }
  return fmt::format(
      "# NETWORK_EXECUTION_TIME = {:>8}.{:02} (in ms, c7x @1GHz) with DDR_BANDWIDTH (Read + Write) "
      "= "
      "{}.{:02}, {}.{:02}, {}.{:02} (in Mega Bytes/frame)  ",
      below(1000),
      below(100),
      below(100),
      below(100),
      below(100),
      below(100),
      below(200),
      below(100));
}

std::string RandomLogs::border() {
  return any(
      {"TIDL Memory requiement",
       "MemRecNum , Space     , Attribute ,    SizeinBytes",
       "TIDL Memory size requiement (record wise):",
       "MemRecNum   , Space               , Attribute   , Alignment  , Size(KBytes) , BasePtr",
       "Total memory size requirement (space wise):",
       "Mem Space , Size(KBytes)",
       "--------------------------------------------",
       "TIDL init call from ivision API ",
       "NOTE: Memory requirement in host emulation can be different from the same on EVM",
       "PREEMPTION: Requesting memory of size 128 for targetPriority = 0",
       "HEAP   | Size  | Free | Unused",
       "--------|-------|------|---------"});
}

// Other programs' lines, with numbers where ours have some.
std::string RandomLogs::bait() {
  return any(
      {"",
       "",
       "Freeing memory for user provided Net",
       " Freeing memory for user provided Net\t\t\t\t",
       "APP_MEM: 0: Allocated memory @ 0xffffb7df0000 of size 131072 bytes ",
       "Computing checksum at 0x0000FFFFB492AD40, size = 262136",
       "MEM: Alloc's: 21 alloc's of 29432301 bytes ",
       " 670.158895 s: DDR_SHARED_MEM: Alloc's: 7 alloc's of 6201004 bytes",
       "#    0 . .. T    2224.85  .... ..... ... .... .....",
       "          IPC_RX   |   0. 3 %",
       "[MCU2_0]    242.480492 s:            0 |      839 |        839 |        404 |   0 |",
       " ,  0  0.691726  warplane, military plane ,,  1  0.181373  missile ,",
       "[    4.123456] cma: Reserved 512 MiB at 0x00000000e0000000, 3 , 4",
       "Nov 22 00:51:12 j7 kernel: DDR, L2, 128, 0x10000000",
       "VX_ZONE_ERROR: [ownNodeKernelInit:604] Target kernel, TIVX_CMD_NODE_CREATE failed for "
       "node TIDLNode",
       "MEM: ERROR: Alloc failed with status = 12 !!!",
       "Alg Init for Layer # -    2 out of   32",
       "5, 6, 7, 8, 9, 10"});
}

std::string RandomLogs::message() {
  const std::uint64_t kind = below(100);
  if (kind < 50) {
    return row();
  }
  if (kind < 58) {
    return total();
  }
  if (kind < 65) {
    return request();
  }
  if (kind < 75) {
    return heap_line();
  }
  if (kind < 80) {
    return run();
  }
  return kind < 87 ? border() : bait();
}

std::string RandomLogs::prefix(bool whole) {
  std::string text;
  if (chance(3)) {
    text += any({"\x1b[0m", "\x1b[1;32m", "\x1b[K", "\x1b]0;root@j7-evm: ~\x07"});
  }
  const bool prompt = chance(3);
  if (prompt) {
    text += any({"root@j7-evm:/opt/vision_apps# ", "/opt/vision_apps # ", " Enter Choice: "});
  }
  text += !whole && !prompt && chance(3) ? "" : "[";
  text += core() + "]";
  text += chance(10) ? "\t" : std::string(1 + below(5), ' ');
  return text + fmt::format("{}.{:06} s: ", below(10'000'000), below(1'000'000));
}

// Padding that got lost, or became tabs.
void RandomLogs::squeeze(std::string& text) {
  const bool tab = chance(50);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pads =
        text[i] == ' ' && i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == ',');
    if (!pads) {
      result += text[i];
    } else if (tab && (result.empty() || result.back() != '\t')) {
      result += '\t';
    }
  }
  text = result;
}

void RandomLogs::damage(std::string& line) {
  if (line.empty()) {
    return;
  }
  const std::size_t at = below(line.size());
  // Nothing splits a word.
  const std::size_t blank = std::min(line.find(' ', at), line.size() - 1) + 1;
  switch (below(6)) {
    case 0:
      line.erase(at);
      break;
    case 1:
      line.erase(0, at);
      break;
    case 2:
      line.erase(at, 1 + below(10));
      break;
    case 3:
      line.insert(blank, 1, '\0');
      break;
    case 4:
      line.insert(blank, any({"\x1b[0m", "\x1b[31m"}));
      break;
    default: {
      const auto digit = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(at),
                                      line.end(),
                                      [](char c) { return c >= '0' && c <= '9'; });
      if (digit != line.end()) {
        *digit = chance(70) ? 'S' : 'a';
      }
    }
  }
}

std::string RandomLogs::line(bool prefixed) {
  std::string text = message();
  if (chance(15)) {
    squeeze(text);
  }
  if (prefixed || chance(85)) {
    text.insert(0, prefix(prefixed));
  }
  if (chance(5)) {
    text += any({"\t\t\t\t", " ", "   \t"});
  }
  if (chance(1)) {
    text += ' ' + std::string(kLongestWritten + below(100), 'x');
  }
  // Who wrote what in one line can only be told by whole prefixes.
  if (!prefixed && chance(12)) {
    damage(text);
  }
  return text;
}

std::string RandomLogs::next() {
  const std::string end = chance(20) ? "\r\n" : "\n";
  const bool collapsed = chance(10);
  const std::size_t lines = below(25);
  std::string log;
  bool joined = false;
  for (std::size_t i = 0; i < lines; ++i) {
    // Without a prefix nobody can tell where one of two joined messages ends.
    log += line(joined || collapsed);
    joined = chance(2);
    log += joined ? "" : collapsed && !chance(5) ? " " : end;
  }
  if (chance(20)) {
    log.erase(log.size() - std::min<std::size_t>(log.size(), below(30)));
  }
  return log;
}

}  // namespace memsize::slow
