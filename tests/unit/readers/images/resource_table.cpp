// A resource table byte by byte, and what Linux says where it is wrong.
#include "images/resource_table.hpp"

#include "support.hpp"

#include <cstdint>
#include <initializer_list>
#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::resource_table_test {

namespace {

using model::ResourceTable;

std::string words(std::initializer_list<std::uint32_t> values) {
  std::string bytes;
  for (const std::uint32_t value : values) {
    for (int i = 0; i < 4; ++i) {
      bytes.push_back(static_cast<char>(value >> (8 * i)));
    }
  }
  return bytes;
}

const std::string kVdev =
    words({3, 7, 0, 1, 0, 0, 0x200, ~0U, 4096, 256, 1, 0, ~0U, 4096, 256, 2, 0});
const std::string kTrace =
    words({2, 0xA2100400, 0x80000, 0}) + std::string{"trace:r5f0"} + std::string(22, '\0');

std::string with_word(const std::string& bytes, std::size_t index, std::uint32_t value) {
  return bytes.substr(0, 4 * index) + words({value}) + bytes.substr(4 * index + 4);
}

// The entries behind a head that is right.
std::string table(const std::string& entries, std::initializer_list<std::uint32_t> offsets) {
  return words({1, static_cast<std::uint32_t>(offsets.size()), 0, 0}) + words(offsets) + entries;
}

std::string complaint(const std::string& bytes, bool is_fatal = true) {
  const ResourceTable read = read_resource_table(bytes);
  REQUIRE(read.complaints.size() == 1);
  CHECK(read.complaints[0].is_fatal == is_fatal);
  return read.complaints[0].words;
}

}  // namespace

TEST_SUITE_BEGIN("readers");

TEST_CASE("a resource table has a device with vrings, and a trace") {
  const ResourceTable read = read_resource_table(table(kVdev + kTrace, {24, 92}));
  CHECK(read.complaints.empty());
  CHECK(read.size == core::Bytes{140});
  REQUIRE(read.entries.size() == 2);
  CHECK(read.entries[0].id == 7);
  REQUIRE(read.entries[0].vrings.size() == 2);
  CHECK(read.entries[0].vrings[1].device_address == model::kAnyAddress);
  CHECK(read.entries[0].vrings[1].buffers == 256);
  CHECK(read.entries[1].name == "trace:r5f0");
  CHECK(read.entries[1].device_address == 0xA2100400);
  CHECK(read.entries[1].size == core::Bytes{0x80000});
}

TEST_CASE("Linux' words for tables that it does not take") {
  const std::string good = table(kVdev + kTrace, {24, 92});
  CHECK(complaint(good.substr(0, 15)) == "header-less resource table");
  CHECK(complaint(words({2}) + good.substr(4)) == "unsupported fw ver: 2");
  CHECK(complaint(words({~0U}) + good.substr(4)) == "unsupported fw ver: -1");
  CHECK(complaint(words({1, 2, 0, 9}) + good.substr(16)) == "non zero reserved bytes");
  CHECK(complaint(words({1, 32, 0, 0}) + good.substr(16)) == "resource table incomplete");
  CHECK(complaint(words({1, ~0U, 0, 0}) + good.substr(16)) == "resource table incomplete");
  CHECK(complaint(good.substr(0, 92)) == "rsc table is truncated");
  CHECK(complaint(good.substr(0, 139)) == "trace rsc is truncated");
  CHECK(complaint(table(kVdev.substr(0, 67), {20})) == "vdev rsc is truncated");
  CHECK(complaint(table(kVdev, {~0U})) == "rsc table is truncated");
  CHECK(complaint(table(with_word(kVdev, 6, 0x300) + words({0, 0, 0, 0, 0}), {20})) ==
        "too many vrings: 3");
  CHECK(complaint(table(with_word(kVdev, 6, 0x10200), {20})) ==
        "vdev rsc has non zero reserved bytes");
  CHECK(complaint(table(with_word(kVdev, 9, 0), {20})) == "invalid qsz (0) or alignment (4096)");
  CHECK(complaint(table(words({0, 1, 2, 3, 4, 5}) + std::string(32, 'x'), {20})) ==
        "carveout rsc has non zero reserved bytes");
  CHECK(complaint(table(words({1, 1, 2, 3, 4, 0}), {20})) == "devmem rsc is truncated");
}

TEST_CASE("Linux goes on behind an entry that it does not know") {
  CHECK(complaint(table(words({0x10002}), {20}), false) == "unsupported resource 65538");
  CHECK(complaint(table(words({128}), {20}), false) == "unsupported vendor resource 128");
  CHECK(complaint(table(words({512}), {20}), false) == "unsupported vendor resource 512");
  CHECK(complaint(table(words({513}), {20}), false) == "unsupported resource 513");
  const ResourceTable read = read_resource_table(table(words({130}) + kTrace, {24, 28}));
  CHECK(read.entries.size() == 2);
}

TEST_CASE("a table may be one entry a thousand times, and no more") {
  std::string many = words({1, 1000, 0, 0});
  for (int i = 0; i < 1000; ++i) {
    many += words({16 + 4000});
  }
  CHECK(read_resource_table(many + kVdev).entries.size() == 1000);
  std::string more = words({1, 2000, 0, 0}) + std::string(8000, '\0');
  CHECK(test::contains(complaint(more), "2000 entries"));
}

TEST_SUITE_END();

}  // namespace memsize::readers::resource_table_test
