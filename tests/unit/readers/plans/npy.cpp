// Arrays as NumPy's format describes them (numpy.lib.format), put together here byte by byte.
#include "memsize/readers/constants_reader.hpp"

#include "support.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::readers::npy_test {

namespace {

constexpr const char* kHeader = "{'descr': '|i1', 'fortran_order': False, 'shape': (5,), }";

// The length of the header in 2 bytes, or 4 from version 2 on, the smaller byte first.
std::string npy(const std::string& header, const std::string& data, char version = 1) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  const std::size_t width = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < width; ++i) {
    text += static_cast<char>((header.size() >> (8 * i)) & 0xFF);
  }
  return text + header + data;
}

std::string read(const std::string& text) {
  const auto data = read_npy(text, "w.npy");
  REQUIRE_MESSAGE(data.has_value(), (data ? "" : test::all_text(data.error())));
  return std::string{data->bytes};
}

std::string refused(const std::string& text) {
  const auto data = read_npy(text, "w.npy");
  REQUIRE_FALSE(data.has_value());
  REQUIRE(data.error().size() == 1);
  CHECK(data.error().front().code == core::Code::kEmitData);
  CHECK(data.error().front().place.path == "w.npy");
  CHECK_FALSE(data.error().front().hint.empty());
  return data.error().front().message;
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("npy: the data of versions 1 to 3") {
    const std::string data{"\0\xFF\n{'", 5};
    for (const char version : {'\1', '\2', '\3'}) {
      CHECK(read(npy(kHeader, data, version)) == data);
    }
    // As NumPy pads it, and longer than one byte can say.
    CHECK(read(npy(kHeader + std::string(300, ' ') + "\n", data)) == data);
    CHECK(read(npy(kHeader + std::string(70000, ' ') + "\n", data, 2)) == data);
  }

  TEST_CASE("npy: a header is a dictionary, however it is written") {
    for (const char* header : {"{'shape': (5,), 'fortran_order': False, 'descr': '|i1'}",
                               "{'fortran_order':False,'descr':'<f4','shape':()}",
                               "{  'descr'  :  '<f4'  ,\n 'fortran_order' \t: False }",
                               "{\"descr\": \"|i1\", \"fortran_order\": False, \"shape\": (1, 5)}",
                               "{'descr': '=u2', 'fortran_order': False}",
                               "{'descr': '|V3', 'fortran_order': False}",
                               "{'descr': '|b1', 'fortran_order': False}"}) {
      CAPTURE(header);
      CHECK(read(npy(header, "bytes")) == "bytes");
    }
  }

  TEST_CASE("npy: type and shape as the header has them") {
    const auto shape = [](const std::string& written) {
      const std::string text =
          npy("{'descr': '<f4', 'fortran_order': False, 'shape': " + written + "}",
              std::string(4096, '.'));
      const auto array = read_npy(text, "w.npy");
      REQUIRE(array.has_value());
      CHECK(array->type == "<f4");
      return array->shape;
    };
    CHECK(shape("(1, 16, 8, 8)") == std::vector<std::uint64_t>{1, 16, 8, 8});
    CHECK(shape("(10,)") == std::vector<std::uint64_t>{10});
    CHECK(shape("()").empty());
    CHECK(refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, -2)}", "")) ==
          "the array's header has a 'shape' that is no list of numbers");
    CHECK(test::contains(refused(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1", "")),
                         "no list"));
  }

  TEST_CASE("npy: types whose bytes are not what a model reads") {
    const auto header = [](const std::string& descr) {
      return npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }", "....");
    };
    for (const char* descr : {"'>f4'", "'|O'", "'O'", "\">i2\"", "''", ""}) {
      CAPTURE(descr);
      CHECK(refused(header(descr)) == "the array's type is " + std::string{descr} +
                                          ", whose bytes cannot be taken as they lie");
    }
    // Records: up to the comma is shown.
    CHECK(test::contains(refused(header("[('a', '>i4')]")), "the array's type is [('a', whose"));
    CHECK(test::contains(refused(header("[('a', '<i4'), ('b', '<i4')]")), "cannot be taken"));
  }

  TEST_CASE("npy: what is no array, cut off, or in another order") {
    for (const char* order : {"True", "true", "0", "Falsey", ""}) {
      CAPTURE(order);
      const std::string header = "{'descr': '<f4', 'fortran_order': " + std::string{order} + "}";
      CHECK(refused(npy(header, "....")) ==
            "the array lies in Fortran's order, and models read rows");
    }
    CHECK(refused(npy("{'descr': '<f4', 'shape': ()}", "")) ==
          "the array's header has no 'fortran_order'");
    CHECK(refused(npy("{'fortran_order': False}", "")) == "the array's header has no 'descr'");
    CHECK(refused(npy("{'descr'", "")) == "the array's header has no 'descr'");
    CHECK(refused(npy("", "")) == "the array's header has no 'descr'");
    for (const char version : {'\0', '\4', '\x7F', '\xFF'}) {
      CHECK(refused(npy(kHeader, "", version)) ==
            "this is no array of NumPy's that memsize knows (versions 1 to 3)");
    }
    for (const char* text : {"", "PK\3\4 an archive of arrays", "\x93NUMPZ\1\0\0\0", "\x93NUMPY"}) {
      CHECK(refused(text) == "this is no array of NumPy's");
    }
    // A length that leads out of the file, in each byte of it.
    for (std::size_t at = 8; at < 12; ++at) {
      std::string text = npy(kHeader, "", 2);
      text[at] = '\xFF';
      CHECK(refused(text) == "the array's header is cut off");
    }
  }

  TEST_CASE("npy: fewer bytes than type and shape have are told") {
    const auto header = [](const std::string& descr, const std::string& shape) {
      return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
    };
    CHECK(read(npy(header("<f4", "(3,)"), "twelve bytes")) == "twelve bytes");
    CHECK(read(npy(header("<f4", "(3, 0)"), "")).empty());
    CHECK(refused(npy(header("<f4", "(4,)"), "twelve bytes")) ==
          "the array is cut off: it has 12 B of 16 B");
    CHECK(test::contains(refused(npy(header("<f8", "(4294967296, 4294967296)"), "")), "cut off"));
    // Characters, whose bytes nobody says.
    CHECK(read(npy(header("<U3", "(9,)"), "twelve bytes")) == "twelve bytes");
  }

  TEST_CASE("npy: cut at each length it is refused, or has what its header says") {
    for (const char version : {'\1', '\2', '\3'}) {
      const std::string data = "twelve bytes";
      const std::string whole = npy(kHeader, data, version);
      for (std::size_t size = 0; size < whole.size(); ++size) {
        CAPTURE(size);
        const auto cut = read_npy(std::string_view{whole}.substr(0, size), "w.npy");
        const std::size_t begin = whole.size() - data.size();
        CHECK(cut.has_value() == (size >= begin + 5));
        if (cut && size >= begin) {
          CHECK(cut->bytes == data.substr(0, size - begin));
        }
      }
    }
  }
}

}  // namespace memsize::readers::npy_test
