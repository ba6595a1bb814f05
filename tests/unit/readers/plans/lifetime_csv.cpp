#include "memsize/readers/plan_reader.hpp"

#include "support.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers::lifetime_csv_test {

namespace {

using core::Code;
using model::Lifetime;

model::PlanReport read(const std::string& text) {
  auto report = read_plan(text, "t.csv");
  REQUIRE_MESSAGE(report.has_value(), (report ? "" : test::all_text(report.error())));
  CHECK(report->format == "lifetime-csv");
  return std::move(*report);
}

core::Diagnostics refused(const std::string& text) {
  auto report = read_plan(text, "t.csv", "lifetime-csv");
  REQUIRE_FALSE(report.has_value());
  REQUIRE_FALSE(report.error().empty());
  return std::move(report.error());
}

// The one error of a table with good columns and this row in line 3.
core::Diagnostic of_row(const std::string& row) {
  const auto errors = refused("id,lower,upper,size,offset,alignment\na,0,1,4,0,4\n" + row + "\n");
  CHECK_MESSAGE(errors.size() == 1, test::all_text(errors));
  CHECK(errors.front().place.line == 3);
  return errors.front();
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("lifetime csv: what minimalloc reads and writes") {
  const auto report = read("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4096\n");
  REQUIRE(report.blocks.size() == 2);
  CHECK(report.lines == 3);
  const auto& block = report.blocks[1];
  CHECK(block.id == "b2");
  CHECK(block.memory == "default");
  CHECK(block.role == Lifetime::kScratch);
  CHECK(block.live == model::Interval{3, 9});
  CHECK(block.size == core::Bytes{4096});
  CHECK_FALSE(block.offset.has_value());
  CHECK_FALSE(block.alignment.has_value());
  CHECK(block.line == 3);
  CHECK(report.diagnostics.empty());
}

TEST_CASE("lifetime csv: columns in any order, CRLF, blanks, quotes, no end of line") {
  const auto report = read(
      "\r\nSize , \"upper\",offset,id,alignment,lower,hint\r\n\r\n"
      " 16 ,\t5,0,\"a, \"\"b\"\"\",8,-2,7\r\n32,6,,c d,,0,");
  REQUIRE(report.blocks.size() == 2);
  CHECK(report.blocks[0].id == "a, \"b\"");
  CHECK(report.blocks[0].live == model::Interval{-2, 5});
  CHECK(report.blocks[0].offset == core::Bytes{0});
  CHECK(report.blocks[0].alignment->value() == 8);
  CHECK(report.blocks[0].line == 4);
  CHECK(report.blocks[1].id == "c d");
  CHECK_FALSE(report.blocks[1].offset.has_value());
  CHECK_FALSE(report.blocks[1].alignment.has_value());
  CHECK(report.blocks[1].line == 5);
  CHECK(report.diagnostics.empty());
}

TEST_CASE("lifetime csv: a quoted field may go past its line, and lines are counted behind it") {
  const auto report = read("id,lower,upper,size\n\"a\nb\",0,1,4\nc,0,1,4\n");
  REQUIRE(report.blocks.size() == 2);
  CHECK(report.blocks[0].id == "a\nb");
  CHECK(report.blocks[0].line == 2);
  CHECK(report.blocks[1].line == 4);
  const auto errors = refused("id,lower,upper,size\n\"a\nb\",0,x,4\n");
  CHECK(errors.front().place.line == 3);
  CHECK(errors.front().place.column == 6);
}

TEST_CASE("lifetime csv: the second names that minimalloc has; its 'end' is inside") {
  const auto report = read("buffer_id,start,end,size\n7,2,2,8\n");
  CHECK(report.blocks[0].id == "7");
  CHECK(report.blocks[0].live == model::Interval{2, 3});
  CHECK(read("buffer,begin,upper,size\n7,2,3,8\n").blocks[0].live == model::Interval{2, 3});
}

TEST_CASE("lifetime csv: gaps are steps in which a buffer needs nothing, or some of its bytes") {
  const auto report = read(
      "id,lower,upper,size,gaps\n"
      "a,0,10,4,3-6\n"
      "b,0,10,4,5-10 0-5@0:2\n"
      "c,0,10,4,0-4@0:1 2-6@3:4\n"
      "d,-5,5,4,-5-5\n"
      "e,0,10,4,\n");
  using model::Window;
  using Windows = std::vector<Window>;
  const core::Bytes all{4};
  CHECK(report.blocks[0].windows == Windows{{{0, 3}, {}, all}, {{6, 10}, {}, all}});
  CHECK(report.blocks[1].windows == Windows{{{0, 5}, {}, core::Bytes{2}}});
  CHECK(report.blocks[2].windows == Windows{{{0, 2}, {}, core::Bytes{1}},
                                            {{2, 4}, {}, core::Bytes{1}},
                                            {{2, 4}, core::Bytes{3}, all},
                                            {{4, 6}, core::Bytes{3}, all},
                                            {{6, 10}, {}, all}});
  CHECK(report.blocks[3].windows == Windows{{{-5, 5}, {}, {}}});
  CHECK(report.blocks[4].windows.empty());
  // The last step is inside of gaps, too, where the column says that it is.
  const auto inside = read("id,start,end,size,gaps\na,0,9,4,3-5\n");
  CHECK(inside.blocks[0].windows == report.blocks[0].windows);
}

TEST_CASE("lifetime csv: a gap that cannot be is an error with its place") {
  const auto wrong = [](const std::string& gaps) {
    const auto errors = refused("id,lower,upper,size,gaps\na,2,9,4," + gaps + "\n");
    CHECK_MESSAGE(errors.size() == 1, test::all_text(errors));
    CHECK(errors.front().code == Code::kPlanLifetime);
    return errors.front();
  };
  CHECK(test::contains(wrong("3").message, "is none"));
  CHECK(test::contains(wrong("3-x").message, "is none"));
  CHECK(test::contains(wrong("3-5@1").message, "is none"));
  CHECK(test::contains(wrong("3-5@1:").message, "is none"));
  CHECK(test::contains(wrong("3-3").message, "is not inside of its life"));
  CHECK(test::contains(wrong("1-3").message, "is not inside of its life"));
  CHECK(test::contains(wrong("8-10").message, "is not inside of its life"));
  CHECK(test::contains(wrong("3-5@0:5").message, "is not inside of its 4 B"));
  CHECK(test::contains(wrong("3-5@3:2").message, "is not inside of its 4 B"));
  CHECK(wrong("3-5 4-6@0:1").place.column == 13);
  CHECK(wrong("3-5@0:1 4-6").place.column == 17);
}

TEST_CASE("lifetime csv: memories, roles and what else a plan of memsize says") {
  const auto report = read(
      "id,lower,upper,size,memory,role,source_memory,name,alias_of,input,output,uses\n"
      "w,,,64,DTCM,Constant,MRAM,conv weights,,,,3\n"
      "in,0,2,16,sram,scratch,,,,1,false,\n"
      "flat,1,2,16,sram,scratch,,,in,0,true,\n");
  REQUIRE(report.blocks.size() == 3);
  CHECK(report.blocks[0].memory == "dtcm");
  CHECK(report.blocks[0].source_memory == "mram");
  CHECK(report.blocks[0].role == Lifetime::kConstant);
  CHECK(report.blocks[0].name == "conv weights");
  CHECK(report.blocks[0].uses == 3U);
  CHECK_FALSE(report.blocks[0].live.has_value());
  CHECK(report.blocks[1].is_input);
  CHECK_FALSE(report.blocks[1].is_output);
  CHECK_FALSE(report.blocks[1].uses.has_value());
  CHECK(report.blocks[2].alias_of == "in");
  CHECK(report.blocks[2].is_output);
}

TEST_CASE("lifetime csv: a wrong row is an error with its place") {
  CHECK(of_row("b,5,5,4,0,4").code == Code::kPlanLifetime);
  CHECK(of_row("b,6,5,4,0,4").code == Code::kPlanLifetime);
  CHECK(of_row("b,0,1099511627777,4,0,4").code == Code::kPlanLifetime);
  CHECK(of_row("b,-1099511627777,0,4,0,4").code == Code::kPlanLifetime);
  CHECK(of_row("b,0,99999999999999999999,4,0,4").code == Code::kPlanLifetime);
  CHECK(of_row("b,0,,4,0,4").code == Code::kPlanLifetime);
  CHECK(of_row("b,0,1,-4,0,4").code == Code::kPlanSize);
  CHECK(of_row("b,0,1,4611686018427387905,0,4").code == Code::kPlanSize);
  CHECK(of_row("b,0,1,18446744073709551616,0,4").code == Code::kPlanSize);
  CHECK(of_row("b,0,1,4,-1,4").code == Code::kPlanSize);
  CHECK(of_row("b,0,1,4,4611686018427387901,4").code == Code::kPlanSize);
  CHECK(of_row("b,0,1,4611686018427387904,,4").code == Code::kPlanSize);  // with the row before
  CHECK(of_row("b,0,1,4,0,3").code == Code::kPlanAlignment);
  CHECK(of_row("b,0,1,4,0,0").code == Code::kPlanAlignment);
  CHECK(of_row("b,0,1,4 KiB,0,4").code == Code::kPlanSyntax);
  CHECK(of_row("b,0,1.5,4,0,4").code == Code::kPlanSyntax);
  CHECK(of_row("b,0,1,,0,4").code == Code::kPlanSyntax);
  CHECK(of_row("b,0,1,4").code == Code::kPlanSyntax);
  CHECK(of_row("b,0,1,4,0,4,9").code == Code::kPlanSyntax);
  CHECK(of_row(",0,1,4,0,4").code == Code::kPlanSyntax);
  CHECK(of_row("\"b,0,1,4,0,4").code == Code::kPlanSyntax);
  CHECK(of_row("\"b\" c,0,1,4,0,4").code == Code::kPlanSyntax);
  CHECK(of_row("\xFF,0,1,4,0,4").code == Code::kPlanSyntax);
  const auto duplicate = of_row("a,0,1,4,0,4");
  CHECK(duplicate.code == Code::kPlanDuplicate);
  CHECK(test::contains(duplicate.message, "line 2"));
  const auto size = of_row("b,0,1,x4,0,4");
  CHECK(size.place.column == 7);
  CHECK(size.place.text.str() == "b,0,1,x4,0,4");
  CHECK(test::contains(size.message, "x4"));
}

TEST_CASE("lifetime csv: what is missing is named, with the column that was meant") {
  const auto typo = refused("id,lower,uper,size\na,0,1,4\n");
  const auto* missing = test::find(typo, Code::kPlanSyntax);
  REQUIRE(missing != nullptr);
  CHECK(test::contains(missing->message, "'upper'"));
  CHECK(test::contains(missing->hint, "'uper'"));
  CHECK(plan_reader_of("id,lower,uper,size\na,0,1,4\n") != nullptr);
  CHECK(test::contains(test::all_text(refused("id,lower,size,lower,upper\n1,2,3,4,5\n")),
                       "second column"));
  CHECK(refused("id,lower,upper,size\n").front().code == Code::kPlanSyntax);
}

TEST_CASE("lifetime csv: a column that nobody knows is a warning") {
  const auto report = read("id,lower,upper,size,ofset\na,0,1,4,0\n");
  REQUIRE(report.diagnostics.size() == 1);
  CHECK(report.diagnostics[0].place.column == 21);
  CHECK(test::contains(report.diagnostics[0].hint, "'offset'"));
}

TEST_CASE("lifetime csv: twenty errors are enough") {
  std::string text = "id,lower,upper,size\n";
  for (int i = 0; i < 100000; ++i) {
    text += "a,0,0,-1\n";
  }
  const auto errors = refused(text);
  CHECK(errors.size() >= 20);
  CHECK(errors.size() <= 40);
  std::string same = "id,lower,upper,size\n";
  for (int i = 0; i < 1000; ++i) {
    same += "a,0,1,1\n";
  }
  CHECK(refused(same).size() == 20);
}

TEST_CASE("lifetime csv: duplicates are found among ids with a common beginning") {
  std::string text = "id,lower,upper,size\n";
  for (int i = 0; i < 5000; ++i) {
    text += fmt::format("tensor_{},0,1,1\n", i);
  }
  CHECK(read(text).blocks.size() == 5000);
  const auto errors = refused(text + "tensor_77,0,1,1\n");
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].place.line == 5002);
  CHECK(test::contains(errors[0].message, "line 79"));
}

TEST_CASE("lifetime csv: other tables are not taken for one") {
  CHECK(plan_reader_of("name,size,offset\na,4,0\n") == nullptr);
  CHECK(plan_reader_of("1,2,3,4\n5,6,7,8\n") == nullptr);
  CHECK(plan_reader_of("test,status,cycles,macs_column,macs_per_cycle\n") == nullptr);
}

TEST_SUITE_END();

}  // namespace memsize::readers::lifetime_csv_test
