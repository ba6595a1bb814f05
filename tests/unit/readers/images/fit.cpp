// Parts of a FIT image, in its tree or behind it, without their certificates.
#include "memsize/readers/device_tree_reader.hpp"

#include "support.hpp"
#include "tree_blob.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::readers::fit_test {

namespace {

using test::cells;
using test::texts;
using test::TreeNode;

std::string fit(const TreeNode& part) {
  return test::blob({.nodes = {{.name = "images", .nodes = {part}}, {.name = "configurations"}}});
}

core::Result<model::BootImage> read(const std::string& bytes) {
  const auto tree = read_device_tree(bytes, "tispl.bin", kLargestFit);
  REQUIRE(tree);
  REQUIRE(is_fit(*tree));
  return read_fit(*tree, bytes);
}

model::BootPart one(const std::string& bytes) {
  const auto image = read(bytes);
  REQUIRE(image);
  REQUIRE(image->parts.size() == 1);
  return image->parts.front();
}

std::string said(const std::string& bytes) {
  const auto image = read(bytes);
  REQUIRE(!image);
  CHECK(image.error().front().code == core::Code::kFitSyntax);
  return image.error().front().message;
}

}  // namespace

TEST_CASE("a part's data stands in its node, behind a certificate or not") {
  const model::BootPart bare = one(fit({.name = "spl",
                                        .properties = {{"os", texts({"U-Boot"})},
                                                       {"load", cells({0x80080000})},
                                                       {"compression", texts({"none"})},
                                                       {"data", "0123456789"}}}));
  CHECK(bare.name == "spl");
  CHECK(bare.os == "U-Boot");
  CHECK(bare.load == 0x80080000);
  CHECK(bare.payload == "0123456789");
  CHECK(bare.certificate.count() == 0);
  CHECK(!bare.is_packed);

  // 0x30 0x82 and the length of what follows, 3.
  const std::string data = std::string(
                               "\x30\x82\x00\x03"
                               "abc",
                               7) +
                           "payload";
  const model::BootPart certified = one(fit(
      {.name = "dm",
       .properties = {
           {"load", cells({8, 0x80000000})}, {"compression", texts({"gzip"})}, {"data", data}}}));
  CHECK(certified.payload == "payload");
  CHECK(certified.certificate.count() == 7);
  CHECK(certified.load == 0x880000000);
  CHECK(certified.is_packed);
}

TEST_CASE("a part's data may stand behind the tree") {
  const auto with = [](const std::string& name, std::uint32_t at, std::uint32_t size) {
    return fit({.name = "spl", .properties = {{name, cells({at})}, {"data-size", cells({size})}}});
  };
  std::string bytes = with("data-offset", 4, 3);
  bytes.resize((bytes.size() + 3) / 4 * 4);
  CHECK(one(bytes + "1234abc").payload == "abc");
  CHECK(test::contains(said(bytes + "1234ab"), "behind the file's end"));
  CHECK(one(with("data-position", 0, 4)).payload == cells({0xD00DFEED}));
  CHECK(
      test::contains(said(with("data-position", 0xFFFFFFFF, 0xFFFFFFFF)), "behind the file's end"));
}

TEST_CASE("what a part lies about is told") {
  CHECK(test::contains(said(fit({.name = "spl"})), "'spl' of this FIT image has no data"));
  CHECK(test::contains(said(fit({.name = "spl", .properties = {{"data-size", cells({1})}}})),
                       "has no data"));
  CHECK(test::contains(
      said(fit({.name = "dm", .properties = {{"data", std::string("\x30\x82\x01\x00", 4)}}})),
      "begins with a certificate of 260 B, but has 4 B"));
  CHECK(test::contains(
      said(fit({.name = "dm", .properties = {{"data", "x"}, {"load", cells({1, 2, 3})}}})),
      "has a load address that is none"));
}

}  // namespace memsize::readers::fit_test
