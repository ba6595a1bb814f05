// The words of tables of MPU regions: those that are shipped, and what a file of words may say.
#include "memsize/board/mpu_program.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <algorithm>

#include <doctest/doctest.h>

namespace memsize::board {

namespace {

using core::Code;

const MpuProgram& program(std::string_view name) {
  for (const auto& each : test::mpu_programs()) {
    if (each->name == name) {
      return *each;
    }
  }
  FAIL("no such program");
  return *test::mpu_programs().front();
}

chip::MpuBits bits(unsigned tex, bool cacheable, bool bufferable) {
  return {tex, cacheable, bufferable, false, false};
}

constexpr const char* kText = R"toml(schema = 1
title = "another"
table = "kTable"
template = "none"

[constant]
WARM = 3
COLD = 5

[field]
base = { name = "at" }
size = { name = "size", write = "{n}" }
disabled = { name = "off", shift = 4, write = "0x{x}" }
execute_never = { name = "never" }
shareable = { name = "shared" }

[[kind]]
tex = 5
bufferable = true
says = { how = "WARM" }

[[kind]]
says = { how = "COLD", also = 2 }
)toml";

core::Result<std::shared_ptr<const MpuProgram>> load_program(const std::string& text) {
  core::MemFileSystem files;
  files.content["boards/programs/p.toml"] = text;
  return load_mpu_program(files, "boards", "p");
}

}  // namespace

TEST_SUITE_BEGIN("board");

TEST_CASE("the words of the PDK's table") {
  const MpuProgram& csl = program("csl");
  // csl_arm_r5_mpu.h: 64 KB is 15, since the size is 2 to the power of one more.
  CHECK(csl.constants.at("CSL_ARM_R5_MPU_REGION_SIZE_64KB") == 15);
  CHECK(csl.constants.at("CSL_ARM_R5_MPU_REGION_SIZE_32B") == 4);
  CHECK(csl.constants.at("CSL_ARM_R5_MPU_REGION_SIZE_4GB") == 31);
  CHECK(csl.size.value_of(15) == 0x10000);
  const auto words = csl.words_of({bits(5, false, true), 7, "R", 0xA0000000, 0x10000, 0x81});
  CHECK(words.at("regionId") == "7U");
  CHECK(words.at("baseAddr") == "0xA0000000U");
  CHECK(words.at("size") == "CSL_ARM_R5_MPU_REGION_SIZE_64KB");
  CHECK(words.at("subRegionEnable") == "0x81U");
  CHECK(words.at("exeNeverControl") == "1U");
  CHECK(words.at("cachePolicy") == "CSL_ARM_R5_CACHE_POLICY_WB_WA");
  CHECK(words.at("memAttr") == "0U");
  CHECK(csl.disabled.word_of(0) == "CSL_ARM_R5_MPU_SUB_REGION_ENABLE_ALL");
}

TEST_CASE("the words of SafeRTOS' table") {
  const MpuProgram& safertos = program("safertos");
  CHECK(safertos.disabled.word_of(0x81) ==
        "mpuREGION_1ST_SUB_REGION_DISABLE | mpuREGION_8TH_SUB_REGION_DISABLE");
  CHECK(safertos.constants.at("mpuREGION_8TH_SUB_REGION_DISABLE") == 0x8000);
  CHECK(safertos.disabled.word_of(0) == "mpuREGION_ALL_SUB_REGIONS_ENABLED");
  CHECK(safertos.size.word_of(0x80000000) == "portmpuLARGEST_REGION_SIZE_ACTUAL");
  CHECK(safertos.size.word_of(0x10000) == "0x10000U");
  // The port takes C for B where there is no cache policy.
  const ProgramKind* kind = safertos.find_kind({{"ulcacheable", 0}, {"ulmemAttr", 1}});
  REQUIRE(kind != nullptr);
  CHECK(kind->is(bits(0, true, false)));
  CHECK(program("csl").find_kind({{"cacheable", 0}, {"memAttr", 1}})->is(bits(0, false, true)));
}

TEST_CASE("every kind is found again by its numbers and by its bits") {
  for (const auto& each : test::mpu_programs()) {
    CHECK(each->kinds.size() == 11);
    for (const ProgramKind& kind : each->kinds) {
      std::map<std::string, std::uint64_t> numbers;
      for (const ProgramWord& said : kind.says) {
        numbers[said.field] = said.number;
      }
      CHECK(each->find_kind(numbers) == &kind);
      CHECK(each->find_kind(bits(kind.tex, kind.cacheable, kind.bufferable)) == &kind);
    }
    CHECK(each->find_kind(bits(3, false, false)) == nullptr);
  }
}

TEST_CASE("a file of words") {
  const auto loaded = load_program(kText);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : test::all_text(loaded.error())));
  const MpuProgram& made = **loaded;
  CHECK(made.name == "p");
  CHECK(made.largest == 0x100000000);
  CHECK(made.number.name.empty());
  const auto words = made.words_of({bits(0, false, false), 1, "R", 64, 4096, 0x81});
  CHECK(words == std::map<std::string, std::string>{{"also", "2U"},
                                                    {"at", "64U"},
                                                    {"how", "COLD"},
                                                    {"never", "1U"},
                                                    {"off", "0x810"},
                                                    {"shared", "0U"},
                                                    {"size", "4096"}});
  CHECK(made.kind_fields() == std::map<std::string, std::uint64_t>{{"also", 2}, {"how", 5}});
}

TEST_CASE("a board is made of its program's files as well") {
  const auto board = test::load_text(test::zx9_text() + "\n[mpu]\nprogram = \"csl\"\n");
  REQUIRE_MESSAGE(board.has_value(), (board ? "" : test::all_text(board.error())));
  CHECK(board->mpu.program() == "csl");
  for (const char* file : {"boards/programs/csl.toml", "boards/parts/mpu-pdk-words.toml"}) {
    CHECK(std::ranges::find(board->files, file) != board->files.end());
  }
}

TEST_CASE("what a file of words cannot be") {
  struct Mistake {
    std::string from;
    std::string to;
    Code code;
    std::string message;
  };

  for (const Mistake& mistake : std::vector<Mistake>{
           {"schema = 1", "schema = 2", Code::kBoardValue, "schema = 1"},
           {"\"kTable\"", "\"k-Table\"", Code::kBoardName, "no name of C"},
           {"\"at\"", "\"a t\"", Code::kBoardName, "no name of C"},
           {"shift = 4", "shift = 25", Code::kBoardValue, "from 0 to 24, not 25"},
           {"tex = 5", "tex = 8", Code::kBoardValue, "from 0 to 7, not 8"},
           {"\"WARM\"", "\"HOT\"", Code::kBoardReference, "'HOT' is no constant"},
           {"shift = 4", "bits = [\"A\"]", Code::kBoardValue, "a name for each eighth"},
           {"base =", "tex = { name = \"t\" }\nbase =", Code::kBoardValue, "belong together"},
           {"size = { name = \"size\", write = \"{n}\" }\n",
            "",
            Code::kTomlMissingKey,
            "[field] has no 'size'"},
           {"\"never\"", "\"never\", up = \"x\"", Code::kTomlUnknownKey, "no key 'up'"}}) {
    CAPTURE(mistake.to);
    const auto loaded = load_program(test::with(kText, mistake.from, mistake.to));
    REQUIRE_FALSE(loaded.has_value());
    const core::Diagnostic* found = test::find(loaded.error(), mistake.code);
    REQUIRE_MESSAGE(found != nullptr, test::all_text(loaded.error()));
    CHECK_MESSAGE(test::contains(found->message, mistake.message), found->message);
    CHECK(found->place.path == "boards/programs/p.toml");
  }
}

TEST_SUITE_END();

}  // namespace memsize::board
