#include "memsize/core/sha256.hpp"
#include "memsize/readers/reader.hpp"

#include "support.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace memsize::readers::sizing_document_test {

namespace {

using core::Code;
using nlohmann::json;

// A document as analyze writes it, by hand.
json good() {
  return json::parse(R"({
    "schema": "memsize.sizing/1",
    "trace_format": "tidl",
    "headroom": "5%",
    "instances": "apart",
    "inputs": [ { "path": "a.log", "format": "tidl-log", "lines": 30, "records": 2 } ],
    "cores": [ { "core": "c7x_2", "complete": true,
      "instances": [ { "index": 0, "line": 7, "complete": true, "blocks": [
        { "record": 5, "space": "ddr", "cacheability": "cacheable", "lifetime": "persistent",
          "alignment": 128, "size_bytes": 2821540, "printed_kib": "2755.41",
          "address": "0x11043e180", "line": 11 },
        { "record": 6, "space": "ddr", "cacheability": "non-cacheable", "lifetime": "scratch",
          "alignment": 64, "size_bytes": 4096, "line": 12 }
      ] } ],
      "demands": [] } ],
    "diagnostics": []
  })");
}

// The same, with the hash that analyze writes.
json hashed() {
  json document = good();
  document["content_hash"] = core::sha256(document.dump()).substr(0, 16);
  return document;
}

json& block(json& document) {
  return document["cores"][0]["instances"][0]["blocks"][0];
}

// The messages of the errors that the document is refused with.
std::string refused(const json& document) {
  const auto recording = read_text(document.dump(), "s.json");
  REQUIRE_FALSE(recording.has_value());
  std::string text;
  for (const core::Diagnostic& problem : recording.error()) {
    CHECK(problem.code == Code::kReadSizingDocument);
    CHECK(problem.place.path == "s.json");
    text += problem.message + "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("a sizing document is read back as the recording it was made from") {
    const auto recording = read_text(good().dump(), "s.json");
    REQUIRE(recording.has_value());
    CHECK(recording->headroom == "5%");
    CHECK(recording->instances == "apart");
    REQUIRE(recording->inputs.size() == 1);
    // The document stands for the log behind it.
    CHECK(recording->inputs[0].path == "a.log");
    CHECK(recording->inputs[0].format == "tidl-log");
    CHECK(recording->inputs[0].lines == 30);
    CHECK(recording->inputs[0].trace_format == "tidl");
    CHECK(recording->inputs[0].records == 2);
    REQUIRE(recording->cores.size() == 1);
    CHECK(recording->cores[0].core == "c7x_2");
    const model::Instance& instance = recording->cores[0].instances.at(0);
    CHECK(instance.line == 7);
    REQUIRE(instance.blocks.size() == 2);
    CHECK(instance.blocks[0].record == 5);
    CHECK(instance.blocks[0].cacheability == model::Cacheability::kCacheable);
    CHECK(instance.blocks[0].lifetime == model::Lifetime::kPersistent);
    CHECK(instance.blocks[0].alignment.value() == 128);
    CHECK(instance.blocks[0].line == 11);
    CHECK(instance.blocks[0].address == model::PrintedAddress::low(0x1043e180));
    // The rounding of the print is back: 2821539.84 + 5.12 B.
    CHECK(instance.blocks[0].size.upper.count() == 2821545);
    CHECK(instance.blocks[0].size.printed_kib == "2755.41");
    // Without it the size was exact.
    CHECK(instance.blocks[1].size.upper.count() == 4096);
    CHECK_FALSE(instance.blocks[1].address.has_value());
  }

  TEST_CASE("whatever of a document is changed, its hash tells") {
    const json document = hashed();
    REQUIRE(read_text(document.dump(2), "s.json").has_value());
    std::size_t leaves = 0;
    const json flat = document.flatten();
    for (const auto& [pointer, leaf] : flat.items()) {
      json changed = document;
      json& value = changed[json::json_pointer{pointer}];
      if (value.is_structured()) {
        continue;
      }
      value = value.is_string()    ? json(value.get<std::string>() + "1")
              : value.is_boolean() ? json(!value.get<bool>())
                                   : json(value.get<std::uint64_t>() + 1);
      ++leaves;
      const auto& shown_pointer = pointer;
      CHECK_MESSAGE(!read_text(changed.dump(2), "s.json").has_value(), shown_pointer);
    }
    CHECK(leaves == 30);
    // Who changes something on purpose leaves it out.
    json edited = document;
    edited.erase("content_hash");
    block(edited)["line"] = 12;
    CHECK(read_text(edited.dump(), "s.json").has_value());
  }

  TEST_CASE("what a finding is about is read back, where the document tells") {
    json document = good();
    const json finding = {{"severity", "warning"},
                          {"code", "read.bad-record"},
                          {"message", "damaged"},
                          {"path", "a.log"},
                          {"line", 3}};
    json told = finding;
    told["about"] = {"core c7x_2", "size 27 55", "record "};
    document["diagnostics"] = {told, finding};
    const auto recording = read_text(document.dump(), "s.json");
    REQUIRE(recording.has_value());
    REQUIRE(recording->diagnostics.size() == 2);
    CHECK(recording->diagnostics[0].parties ==
          core::Parties{{"core", "c7x_2"}, {"size", "27 55"}, {"record", ""}});
    CHECK(recording->diagnostics[1].parties.empty());
    told["about"] = "c7x_2";
    document["diagnostics"] = json::array({told});
    CHECK(refused(document) == "diagnostics[0].about: it must be an array, not 'c7x_2'\n");
  }

  TEST_CASE("a key that stands twice is refused with its place") {
    const auto recording =
        read_text(test::with(good().dump(2), R"("line": 7)", R"("line": 7, "line": 8)"), "s.json");
    REQUIRE_FALSE(recording.has_value());
    CHECK(recording.error().front().message ==
          "'s.json' is not valid JSON: an object has 'line' twice");
    CHECK(recording.error().front().place.line > 1);
  }

  TEST_CASE("every missing or mistyped member is named with its path") {
    for (const char* key : {"trace_format", "headroom", "instances", "inputs", "cores"}) {
      CAPTURE(key);
      json document = good();
      document.erase(key);
      CHECK(test::contains(refused(document), key));
      document = good();
      document[key] = 5;
      CHECK(test::contains(refused(document), key));
    }
    for (const char* key :
         {"record", "space", "cacheability", "lifetime", "alignment", "size_bytes", "line"}) {
      CAPTURE(key);
      json document = good();
      block(document).erase(key);
      CHECK(test::contains(refused(document), "cores[0].instances[0].blocks[0]"));
      document = good();
      block(document)[key] = json::array();
      CHECK(test::contains(refused(document), "cores[0].instances[0].blocks[0]"));
    }
    json document = good();
    document["cores"][0].erase("instances");
    CHECK(test::contains(refused(document), "cores[0]"));
    document = good();
    document["cores"][0]["instances"][0].erase("blocks");
    CHECK(test::contains(refused(document), "cores[0].instances[0]"));
    document = good();
    document["cores"][0] = 7;
    CHECK(test::contains(refused(document), "cores[0]"));
    for (const char* key : {"heaps", "failures", "runs"}) {
      document = good();
      document[key] = {{"a", json::object()}};
      CHECK(refused(document) == fmt::format("{}: it must be an array, not an object\n", key));
    }
  }

  TEST_CASE("values outside their range are refused") {
    const auto with = [](const char* key, const json& value) {
      json document = good();
      block(document)[key] = value;
      return document;
    };
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, json>>{
             {"record", -1},
             {"record", 4294967296},
             {"record", 1.5},
             {"size_bytes", -1},
             {"size_bytes", 1e30},
             {"alignment", 0},
             {"alignment", 3},
             {"cacheability", "sometimes"},
             {"lifetime", "eternal"},
             {"address", "nowhere"},
             {"address", 17},
             {"printed_kib", "2755.42"},
             {"printed_kib", "many"},
             {"printed_kib", ""},
             {"printed_kib", "99999999999999999999999.00"},
             {"printed_kib", 5}}) {
      const auto& shown_key = key;
      CAPTURE(shown_key);
      const std::string shown_value = value.dump();
      CAPTURE(shown_value);
      CHECK_FALSE(refused(with(key, value)).empty());
    }
  }

  TEST_CASE("a printed size of nothing must be a number too") {
    json document = good();
    block(document)["size_bytes"] = 0;
    block(document)["printed_kib"] = "0.00";
    const auto nothing = read_text(document.dump(), "s.json");
    REQUIRE(nothing.has_value());
    // 0.00 stands for up to 5.12 B.
    CHECK(nothing->cores[0].instances[0].blocks[0].size.upper.count() == 6);
    block(document)["printed_kib"] = "many";
    CHECK_FALSE(read_text(document.dump(), "s.json").has_value());
  }

  TEST_CASE("the largest size that a table can print is read back") {
    // A size of 2^32 - 1 B goes through a 32-bit float and prints as 4194304.00 KiB: 2^32 B.
    const auto table =
        read_text("0, DDR Cacheable, Persistent, 128, 4194304.00, 0x10000000\n", "log");
    REQUIRE(table.has_value());
    const auto nearest = table->cores.at(0).instances.at(0).blocks.at(0).size.nearest.count();
    CHECK(nearest == 4294967296U);
    json document = good();
    block(document)["size_bytes"] = nearest;
    block(document)["printed_kib"] = "4194304.00";
    CHECK(read_text(document.dump(), "s.json").has_value());
  }

  TEST_CASE("an instance belongs to one of the document's inputs") {
    json document = good();
    document["inputs"].push_back(document["inputs"][0]);
    document["inputs"][1]["path"] = "b.log";
    document["cores"][0]["instances"][0]["input"] = 1;
    const auto recording = read_text(document.dump(), "s.json");
    REQUIRE(recording.has_value());
    CHECK(recording->inputs.at(1).path == "b.log");
    CHECK(recording->cores[0].instances.at(0).input == 1);
    document["cores"][0]["instances"][0]["input"] = 2;
    CHECK(test::contains(refused(document), "cores[0].instances[0]"));
    document["inputs"] = json::array();
    CHECK(test::contains(refused(document), "inputs"));
  }

  TEST_CASE("the name of a trace format cannot be a path") {
    for (const char* name : {"../../etc/passwd", "", "a/b", "a.b", "a b"}) {
      CAPTURE(name);
      json document = good();
      document["trace_format"] = name;
      CHECK(test::contains(refused(document), "trace_format"));
    }
  }

  TEST_CASE("another schema and broken JSON are told apart") {
    const auto other = read_text(R"({"schema": "memsize.sizing/2"})", "s.json");
    REQUIRE_FALSE(other.has_value());
    CHECK(test::contains(other.error().front().message, "memsize.sizing/2"));
    CHECK(test::contains(other.error().front().hint, "memsize.sizing/1"));
    const std::string whole = good().dump();
    for (const std::size_t cut : {whole.size() - 1, whole.size() / 2, std::size_t{40}}) {
      const auto broken = read_text(whole.substr(0, cut), "s.json", "memsize-sizing");
      REQUIRE_FALSE(broken.has_value());
      CHECK(test::contains(broken.error().front().message, "JSON"));
    }
    for (const std::string_view text : {"[]", "7", "null", "\"memsize.sizing/1\"", "{}", ""}) {
      CAPTURE(std::string{text});
      CHECK_FALSE(read_text(text, "s.json", "memsize-sizing").has_value());
    }
  }

  TEST_CASE("a document without cores says nothing and is refused") {
    json document = good();
    document["cores"] = json::array();
    CHECK_FALSE(read_text(document.dump(), "s.json").has_value());
  }
}

}  // namespace memsize::readers::sizing_document_test
