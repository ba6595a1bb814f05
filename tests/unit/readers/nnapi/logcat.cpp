// Prefixes of three printers, lines that lack their end, and messages as long as the log keeps.
#include "nnapi/logcat.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::nnapi::logcat_test {

TEST_SUITE_BEGIN("readers");

TEST_CASE("nnapi logcat: three prefixes and none") {
  const LogLines log = log_lines(
      "08-17 21:47:00.123 29423 29430 I Utils   : V1_3::Model start\n"
      "2026-08-17 21:47:00.123 6035-6141/? I/Manager: pools\r\n"
      "2026-08-17 21:47:00.123 19036-19037 tflite                  pid-19036                     "
      "       I  hello\n"
      "bare\n");
  REQUIRE(log.lines.size() == 4);
  CHECK(log.has_prefixes);
  CHECK(log.lines[0].process == "29423");
  CHECK(log.lines[0].thread == "29430");
  CHECK(log.lines[0].tag == "Utils");
  CHECK(log.lines[0].message == "V1_3::Model start");
  CHECK(log.lines[1].process == "6035");
  CHECK(log.lines[1].tag == "Manager");
  CHECK(log.lines[1].message == "pools");
  CHECK(log.lines[2].thread == "19037");
  CHECK(log.lines[2].tag == "tflite");
  CHECK(log.lines[2].message == "hello");
  CHECK(log.lines[3].message == "bare");
  CHECK(log.lines[3].number == 4);
  CHECK_FALSE(log.lines[3].is_cut);
}

TEST_CASE("nnapi logcat: a line within a line, and one without an end") {
  const LogLines log = log_lines(
      "08-17 21:47:00.123     1     1 I a: setOper08-17 21:47:00.124     2     2 I b: pools");
  REQUIRE(log.lines.size() == 2);
  CHECK(log.lines[0].message == "setOper");
  CHECK(log.lines[0].is_cut);
  CHECK(log.lines[1].process == "2");
  CHECK(log.lines[1].message == "pools");
  CHECK(log.lines[1].is_cut);
  CHECK(log.lines[1].number == 1);
}

TEST_CASE("nnapi logcat: 4068 bytes with priority, tag and two zeros are what a log keeps") {
  const auto line_of = [](std::size_t length) {
    return log_lines("08-17 21:47:00.123     1     1 I Utils   : " + std::string(length, 'x') +
                     "\n");
  };
  CHECK_FALSE(line_of(4059).lines[0].is_cut);
  CHECK(line_of(4060).lines[0].is_at_limit);
  CHECK(line_of(4060).lines[0].is_cut);
  // What has no prefix was not cut by a log.
  CHECK_FALSE(log_lines(std::string(5000, 'x') + "\n").lines[0].is_cut);
}

TEST_SUITE_END();

}  // namespace memsize::readers::nnapi::logcat_test
