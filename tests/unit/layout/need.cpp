// The least sizes that a map can have: against trying every choice there is, and where nothing
// helps.
#include "memsize/layout/need.hpp"

#include "memsize/layout/check.hpp"
#include "memsize/layout/memory_map.hpp"

#include "support.hpp"

#include <cstdint>
#include <string>

#include <doctest/doctest.h>

namespace memsize::layout::need_test {

namespace {

constexpr std::uint64_t kMiB = 1048576;

board::Board real_board(const std::string& name) {
  core::RealFileSystem files;
  return board::load_board(files, test::source_folder() + "/boards", name).value();
}

bool is_legal(const board::Board& board, const board::KnobValues& values) {
  const auto map = resolve(board, values);
  return map && !core::has_errors(check_and_accept(*map));
}

}  // namespace

TEST_CASE("what every check passes stays as it is wanted") {
  const board::Board board = real_board("j722s-sdk11");
  const board::KnobValues wanted = {{"ipc_vring_mem_size", 5 * kMiB},
                                    {"tiovx_log_rt_mem_size", 1 * kMiB},
                                    {"tiovx_obj_desc_mem_size", 2 * kMiB}};
  CHECK(least_legal(board, {}, wanted) == wanted);
}

TEST_CASE("of a core's code whose neighbour stands on a multiple of 4 MiB, the least is found") {
  const board::Board board = real_board("j722s");
  const std::uint64_t odd = 64 * kMiB - 6 * kMiB - 16 * 1024;
  for (const std::uint64_t want : {odd - 37 * kMiB, odd - 36 * kMiB, odd - 33 * kMiB, odd - kMiB}) {
    const auto found = least_legal(board, {}, {{"c7x_1_ddr_size", want}});
    REQUIRE(found);
    // Every size that is no larger, in steps that reach all of them, fails.
    std::uint64_t least = want;
    while (!is_legal(board, {{"c7x_1_ddr_size", least}})) {
      least += 16 * 1024;
    }
    CHECK(found->at("c7x_1_ddr_size") == least);
  }
}

TEST_CASE("two sizes that need each other are mended one after the other") {
  const board::Board board = real_board("j722s");
  const std::uint64_t odd = 64 * kMiB - 6 * kMiB - 16 * 1024;
  const board::KnobValues wanted = {{"c7x_1_ddr_size", odd - 37 * kMiB},
                                    {"c7x_2_ddr_size", odd - 37 * kMiB}};
  const auto found = least_legal(board, {}, wanted);
  REQUIRE(found);
  CHECK(is_legal(board, *found));
  for (const auto& [knob, size] : *found) {
    CHECK(size >= wanted.at(knob));
    CHECK(size <= odd);
    board::KnobValues less = *found;
    less[knob] = size - kMiB;
    CHECK((size == wanted.at(knob) || !is_legal(board, less)));
  }
}

TEST_CASE("nothing moves to where Linux keeps memory for somebody else") {
  // Behind the first R5F's code are 16 MiB of the base device tree's, and then the second R5F's.
  const board::Board board = real_board("j722s");
  const auto found = least_legal(board, {}, {{"mcu1_0_ddr_size", 6 * kMiB}});
  REQUIRE(found);
  CHECK(found->at("mcu1_0_ddr_size") == 14 * kMiB);
}

TEST_CASE("nothing where what is fixed already fails") {
  const board::Board board = real_board("j722s");
  // The second C7x's memory would begin beside a multiple of 4 MiB.
  const board::KnobValues fixed = {{"c7x_1_ddr_size", 57 * kMiB}};
  REQUIRE_FALSE(is_legal(board, fixed));
  CHECK_FALSE(least_legal(board, fixed, {{"mcu2_0_ddr_size", 7 * kMiB}}));
}

}  // namespace memsize::layout::need_test
