// ST's files of pools: as people write them, as the compiler prints them, and what is wrong.
#include "memsize/board/load.hpp"
#include "memsize/board/memories.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::board::mpool_test {

namespace {

using core::Code;

std::string pool(const std::string& name,
                 const std::string& rights,
                 const std::string& speed,
                 const std::string& offset,
                 const std::string& size,
                 const std::string& more = {},
                 const std::string& mode = "USEMODE_ABSOLUTE") {
  return R"({"fname": "F", "name": ")" + name +
         R"(", "fformat": "FORMAT_RAW", "prop": {"rights": ")" + rights + R"(", )" + speed + more +
         R"(}, "offset": )" + offset + R"(, "size": )" + size + R"(, "mode": ")" + mode + R"("})";
}

std::string in_bytes(const std::string& value, const std::string& magnitude = "BYTES") {
  return R"({"value": ")" + value + R"(", "magnitude": ")" + magnitude + R"("})";
}

std::string file(const std::string& pools) {
  return R"({"memory": {"mem_file_prefix": "atonbuf", "mempools": [)" + pools + "]}}";
}

const std::string kFast = R"("byteWidth": 8, "freqRatio": 1.25)";
const std::string kSlow = R"("byteWidth": 1, "freqRatio": 6)";

core::Result<MemorySet> load(const std::string& text) {
  core::MemFileSystem files;
  files.content["x/n6.mpool"] = text;
  return load_memories(files, "boards/memories", "x/n6.mpool");
}

void check_refused(const std::string& text, Code code, const std::string& words) {
  const auto part = load(text);
  REQUIRE_FALSE(part.has_value());
  CAPTURE(test::all_text(part.error()));
  CHECK(part.error().front().code == code);
  CHECK(part.error().front().place.path == "x/n6.mpool");
  CHECK(part.error().front().place.line == 1);
  CHECK(test::all_text(part.error()).find(words) != std::string::npos);
}

}  // namespace

TEST_SUITE("board") {
  TEST_CASE("mpool: pools with room are memories, the cheapest first") {
    const auto part = load(file(
        pool("octoFlash", "ACC_READ", kSlow, in_bytes("0x70000000"), in_bytes("4", "MBYTES")) +
        "," + pool("flexMEM", "ACC_WRITE", kFast, in_bytes("0x34000000"), in_bytes("0", "KBYTES")) +
        "," +
        pool("npuRAM3", "ACC_WRITE", kFast, in_bytes("0x34200000"), in_bytes("448", "KBYTES"))));
    REQUIRE_MESSAGE(part.has_value(), (part ? "" : test::all_text(part.error())));
    CHECK(part->name == "n6");
    REQUIRE(part->memories.size() == 2);
    const PartMemory& near = part->memories.front();
    CHECK(near.name == "npuram3");
    CHECK(near.base == core::PhysAddr{0x34200000});
    CHECK(near.window == core::Bytes{448U << 10U});
    CHECK(near.cost == 1);
    CHECK(near.writable);
    CHECK(near.is_volatile);
    const PartMemory& far = part->memories.back();
    CHECK(far.name == "octoflash");
    CHECK(far.window == core::Bytes{4U << 20U});
    // 6 cycles a byte, against 1.25 for 8.
    CHECK(far.cost == 38);
    CHECK_FALSE(far.writable);
    CHECK_FALSE(far.is_volatile);
  }

  TEST_CASE("mpool: the compiler's own copy, with preferred RAM and a pool of a file") {
    const auto part = load(file(pool("npuRAM6",
                                     "ACC_WRITE",
                                     kFast,
                                     in_bytes("855360", "KBYTES"),
                                     in_bytes("448", "KBYTES"),
                                     R"(, "constantsPreferred": false)") +
                                "," +
                                pool("hyperRAM",
                                     "ACC_WRITE",
                                     R"("byteWidth": 2, "freqRatio": 5.0)",
                                     in_bytes("0x90000000"),
                                     R"({"value": 16, "magnitude": "MBYTES"})",
                                     R"(, "constantsPreferred": true)") +
                                "," +
                                pool("ec params pool",
                                     "ACC_READ",
                                     kSlow,
                                     in_bytes("0"),
                                     in_bytes("9223372036854775776"),
                                     R"(, "constantsPreferred": false)",
                                     "USEMODE_RELATIVE")));
    REQUIRE_MESSAGE(part.has_value(), (part ? "" : test::all_text(part.error())));
    REQUIRE(part->memories.size() == 2);
    CHECK(part->memories.front().base == core::PhysAddr{0x34350000});
    CHECK(part->memories.front().is_volatile);
    CHECK(part->memories.back().is_volatile);
    CHECK(part->memories.back().cost == 16);
  }

  TEST_CASE("mpool: what is slower comes later, and last what nobody knows") {
    const auto at = [](int number) { return in_bytes(std::to_string(number * 0x1000)); };
    const auto size = in_bytes("4", "KBYTES");
    const auto part = load(
        file(pool("unknown", "ACC_WRITE", R"("byteWidth": 8)", at(0), size) + "," +
             pool("slow", "ACC_WRITE", R"("byteWidth": 1, "freqRatio": 1.4)", at(1), size) + "," +
             pool("text", "ACC_WRITE", R"("byteWidth": "2", "freqRatio": "16.0")", at(2), size) +
             "," + pool("fast", "ACC_WRITE", R"("byteWidth": 1, "freqRatio": 1)", at(3), size)));
    REQUIRE_MESSAGE(part.has_value(), (part ? "" : test::all_text(part.error())));
    std::vector<std::pair<std::string, std::uint32_t>> found;
    for (const PartMemory& memory : part->memories) {
      found.emplace_back(memory.name, memory.cost);
    }
    CHECK(found == std::vector<std::pair<std::string, std::uint32_t>>{
                       {"fast", 1}, {"slow", 2}, {"text", 8}, {"unknown", 1000}});
  }

  TEST_CASE("mpool: what is wrong is told at its place") {
    const auto one = [](const std::string& offset, const std::string& size) {
      return pool("a", "ACC_WRITE", kFast, offset, size);
    };
    check_refused("{", Code::kBoardValue, "n6.mpool");
    check_refused("[]", Code::kBoardValue, "memory");
    check_refused("null", Code::kBoardValue, "memory");
    check_refused(R"({"memory": []})", Code::kBoardValue, "must be a table");
    check_refused(file("{}, 1"), Code::kBoardValue, "pool 2 is no object");
    check_refused(R"({"memory": {}})", Code::kBoardValue, "mempools");
    check_refused(file(""), Code::kBoardValue, "no pool has any room");
    check_refused(
        file(one(in_bytes("0"), in_bytes("4", "KB"))), Code::kBoardValue, "no number of bytes");
    check_refused(file(one(in_bytes("x"), in_bytes("4"))), Code::kBoardValue, "no number of bytes");
    check_refused(file(one(in_bytes("0"), in_bytes("0x400000000000", "MBYTES"))),
                  Code::kBoardValue,
                  "no number");
    check_refused(
        file(one(in_bytes("0xFFFFFFFFFFFFFFF0"), in_bytes("32"))), Code::kBoardValue, "2^64");
    check_refused(
        file(pool("a", "ACC_ANY", kFast, in_bytes("0"), in_bytes("4"))), Code::kBoardValue, "ACC_");
    check_refused(file(pool("no name", "ACC_READ", kFast, in_bytes("0"), in_bytes("4"))),
                  Code::kBoardName,
                  "not a memory's name");
    check_refused(
        file(one(in_bytes("0"), in_bytes("4")) + "," + one(in_bytes("16"), in_bytes("4"))),
        Code::kBoardName,
        "as the one of line 1 is");
    const auto apart = load(file(one(in_bytes("0"), in_bytes("64")) + "," +
                                 pool("b", "ACC_WRITE", kFast, in_bytes("32"), in_bytes("64"))));
    REQUIRE_FALSE(apart.has_value());
    CHECK(test::all_text(apart.error()).find("'b'") != std::string::npos);
  }

  TEST_CASE("mpool: is a part, and a file that is not there is said to be missing") {
    core::MemFileSystem files;
    CHECK(kind_of_board(files, "boards", "n6.mpool") == BoardKind::kPart);
    const auto part = load_memories(files, "boards/memories", "n6.mpool");
    REQUIRE_FALSE(part.has_value());
    CHECK(part.error().front().code == Code::kFileRead);
  }
}

}  // namespace memsize::board::mpool_test
