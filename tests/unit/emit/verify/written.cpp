// The parsers of written files against texts of our own: what an SDK's files have that ours do not.
#include "memsize/emit/written.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::emit::written_test {

namespace {

// "line:column+length".
std::string at(const core::Place& place) {
  return std::to_string(place.line) + ":" + std::to_string(place.column) + "+" +
         std::to_string(place.length);
}

std::vector<WrittenNode> nodes_of(const std::string& text, core::Diagnostics& errors) {
  return parse_dts({"f.dts", text}, "", errors);
}

std::string labels(const std::vector<WrittenNode>& nodes) {
  std::string all;
  for (const WrittenNode& node : nodes) {
    all += node.label + " ";
  }
  return all;
}

constexpr const char* kTree = R"(#include <dt-bindings/a.h>
#include "b.dtsi"
/dts-v1/;
#define PIN(x) { x }
/ {
	model = "a { tree } of; ours";
	aliases { serial = &{/bus/uart@0}; };
	memory@80000000 { device_type = "memory"; reg = <0x00 0x80000000 0x00 0x80000000>; };
	reserved_memory: reserved-memory {
		#address-cells = <2>;
		ranges;
		first_region: second_label: pool@a0000000 {
			compatible = "shared-dma-pool", "x";
			reg = <0x00 0xa0000000 0x08 0x00100000>;
			alignment = <0x0 0x1000>;
			no-map;
		};
		gone: pool@b0000000 { reg = <0 0xb0000000 0 0x1000>; };
		named: gone@b1000000 { reg = <0 0xb1000000 0 0x1000>; };
		linux,cma { reusable; size = <0x0 0x1000>; };
		two: two@0 { reg = <0 0 0 0x1000>, <0 0x2000 0 0x1000>; };
		/delete-node/ &gone;
		/delete-node/ gone@b1000000;
	};
	bus: bus@0 {
		ti,odd-name@4 { reg = <4>; };
		eeprom: eeprom@50 { reg = <0x50>; mux = <&{/bus}>; };
		wide: wide@0 { reg = <0x00 0x0 0x00 0x1000>; };
	};
};
&first_region { status = "disabled"; };
&eeprom { reg = <0x51>; };
&moved_region { reg = <0x00 0xa1000000 0x00 0x2000>; };
&reserved_memory { late: late@c0000000 { reg = <0 0xc0000000 0 0x1000>; }; };
&{/reserved-memory} { later: later@d0000000 { reg = <0 0xd0000000 0 0x1000>; }; };
)";

}  // namespace

TEST_SUITE("emit") {
  TEST_CASE("a whole device tree: only reserved memory counts") {
    core::Diagnostics errors;
    const auto nodes = nodes_of(kTree, errors);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].severity == core::Severity::kWarning);
    CHECK(errors[0].message == "'two' is passed over: its 'reg' is not one range of four numbers");
    CHECK(labels(nodes) == "first_region moved_region late later ");
    const WrittenNode& first = nodes.front();
    CHECK(first.name == "pool@a0000000");
    CHECK(first.unit_address == 0xA0000000);
    CHECK(first.base == 0xA0000000);
    CHECK(first.size == 0x800100000);
    CHECK(first.compatible == "shared-dma-pool");
    CHECK(first.alignment == 0x1000);
    CHECK(first.no_map);
    CHECK(at(first.place) == "12:3+12");
    CHECK(at(first.places.at("name")) == "12:31+13");
    CHECK(at(first.places.at("reg")) == "14:11+31");
    CHECK(at(first.places.at("alignment")) == "15:17+10");
    CHECK_FALSE(nodes.back().no_map);
  }

  TEST_CASE("an overlay with fragments") {
    core::Diagnostics errors;
    const auto nodes = nodes_of(
        "/dts-v1/;\n/plugin/;\n/ { fragment@0 { target-path = \"/reserved-memory\"; __overlay__ { "
        "pool: pool@80000000 { reg = <0 0x80000000 0 0x1000>; deep: deep { reg = <0 0 0 1>; }; "
        "}; }; }; };",
        errors);
    CHECK(errors.empty());
    CHECK(labels(nodes) == "pool ");
  }

  TEST_CASE("an overlay of a label is read as that node is, and passed over where it is any") {
    const std::string reg = "reg = <POOL 0x80000000 0 0x1000>;";
    const std::string tree = "/ { reserved-memory { pool: p@80000000 { reg = <0 1 0 1>; }; }; };\n";
    core::Diagnostics errors;
    CHECK(labels(nodes_of(tree + "&other { " + reg + " };", errors)) == "pool ");
    CHECK(errors.empty());
    CHECK(labels(nodes_of(tree + "&pool { " + reg + " };", errors)) == "pool ");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].severity == core::Severity::kWarning);
    CHECK(at(errors[0].place) == "2:2+4");
    // In a file that is a list of nodes it is an error, as in the node.
    errors.clear();
    nodes_of("pool: p@80000000 { reg = <0 1 0 1>; };\n&pool { " + reg + " };", errors);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].severity == core::Severity::kError);
    CHECK(at(errors[0].place) == "2:16+4");
    // The node may stand in another file.
    errors.clear();
    CHECK(parse_dts_beside({"f.dts", "&pool { " + reg + " };"}, "", {"pool"}, errors).empty());
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].severity == core::Severity::kWarning);
  }

  TEST_CASE("a list of nodes behind a comment that ended early") {
    core::Diagnostics errors;
    const auto nodes = nodes_of(
        "/* copy this to linux*/arch/arm64/dts\n * then do the following:\n * make; sync */\n"
        "one: one@1000 { reg = <0 0x1000 0 0x1000>; };\n"
        "two: two { reg = <0 0x2000 0 0x1000>; };\n",
        errors);
    CHECK(labels(nodes) == "one two ");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].severity == core::Severity::kWarning);
    CHECK(errors[0].message == "'arch' is no part of a device tree");
    CHECK(at(errors[0].place) == "1:24+4");
  }

  TEST_CASE("what Linux does with a node: status, reusable and no-map, with their places") {
    core::Diagnostics errors;
    const auto nodes = nodes_of(
        "a: a { reg = <0 0x1000 0 0x1000>; status = \"disabled\"; };\n"
        "b: b { reg = <0 0x2000 0 0x1000>; status = \"okay\"; };\n"
        "c: c { reg = <0 0x3000 0 0x1000>; status = \"ok\"; reusable; };\n"
        "d: d { reg = <0 0x4000 0 0x1000>; status; no-map; };\n",
        errors);
    CHECK(errors.empty());
    REQUIRE(nodes.size() == 4);
    CHECK(nodes[0].is_disabled);
    CHECK(at(nodes[0].places.at("status")) == "1:35+6");
    CHECK(nodes[1].is_reserved());
    CHECK_FALSE(nodes[2].is_disabled);
    CHECK(nodes[2].is_reusable);
    CHECK_FALSE(nodes[2].is_reserved());
    CHECK(nodes[3].is_disabled);
    CHECK(at(nodes[3].places.at("no-map")) == "4:43+6");
  }

  TEST_CASE("cells in several groups, on several lines and as expressions") {
    for (const char* const cells : {"<0x08 0x80000000>, <0x00 0x20000000>",
                                    "<8>, <0x80000000>, <0>, <0x20000000>",
                                    "<0x08 0x80000000\n 0x00 0x20000000>",
                                    "<0x08 (1 << 31) 0 (512 * 1024 * 1024)>",
                                    "<(4+4) (0x80001000-0x1000) /* none */ (0) (0x20000000)>",
                                    "<010 (~0x7fffffff) (!1 || 0) (0x40000000 / 2 % 0x30000000)>",
                                    "<(2 > 1 ? 8 : 9) (-0x80000000) (1 & 2) (0x80000000 >> 2)>",
                                    "<HIGH LOW 0 (LOW / (HIGH >> 1))>"}) {
      CAPTURE(cells);
      core::Diagnostics errors;
      const auto nodes =
          nodes_of(std::string{"#define HIGH 8\n#define MB(x) x\n#define LOW ((HIGH / 4) << 30)\n"
                               "a: a { reg = "} +
                       cells + "; no-map; };",
                   errors);
      CHECK(errors.empty());
      REQUIRE(nodes.size() == 1);
      CHECK(nodes[0].base == 0x880000000);
      CHECK(nodes[0].size == 0x20000000);
      CHECK(nodes[0].no_map);
    }
    for (const char* const cells : {"<0 0x1000 0 (1024 * SIZE)>",
                                    "<0 0x1000 0 (1024 * 4>",
                                    "<0 0x1000 0 (1024 / 0)>",
                                    "<0 0x1000 0 1024-1>",
                                    "<0 0x1000 0 (4 = 4)>",
                                    "<0 0x1000 0 (uint32_t)4>",
                                    "<0 0x1000 0 (1 < < 4)>",
                                    "<0 0x1000 0 0x1000>, <0 0x3000 0 0x1000>",
                                    "<0 0x1000 0>"}) {
      CAPTURE(cells);
      core::Diagnostics errors;
      const std::string node = std::string{"a: a { reg = "} + cells + "; no-map; };";
      (void)nodes_of(node, errors);
      CHECK(core::has_errors(errors));
      // In another node than reserved memory it is nothing that matters.
      errors.clear();
      CHECK(labels(nodes_of("&x { reg = <5>; };\n/ { " + node + " };", errors)).empty());
      CHECK(errors.empty());
    }
  }

  TEST_CASE("a name in a cell is what the file defines last and surely, else an error") {
    const std::string node = "a: a { reg = <0 BASE 0 0x1000>; };\n";
    for (const auto& [before, base] : std::vector<std::pair<std::string, std::uint64_t>>{
             {"#define BASE 0x2000\n", 0x2000},
             {"# define BASE (0x2000 + 4) /* or so */\n", 0x2004},
             {"#define BASE OTHER\n#define OTHER 0x3000\n", 0x3000},
             {"#define BASE 1\n#undef BASE\n#define BASE 0x4000\n", 0x4000},
             {"#if 1\n#define BASE 0x5000\n#else\n#define BASE 0x6000\n#endif\n", 0x5000}}) {
      const std::string& text = before;
      CAPTURE(text);
      core::Diagnostics errors;
      const auto nodes = nodes_of(text + node, errors);
      CHECK(errors.empty());
      REQUIRE(nodes.size() == 1);
      CHECK(nodes[0].base == base);
    }
    for (const char* const before : {"#include \"base.h\"\n",
                                     "#define BASE BASE\n",
                                     "#define BASE TWO TWO\n#define TWO BASE BASE\n",
                                     "#define BASE\n",
                                     "#define BASE 4 + 4\n",
                                     "#define BASE (4) + (4)\n",
                                     "#define BASE(x) x\n",
                                     "#define BASE 1\n#undef BASE\n"}) {
      CAPTURE(before);
      core::Diagnostics errors;
      (void)nodes_of(before + node, errors);
      REQUIRE(errors.size() >= 1);
      CHECK(errors[0].message.starts_with("this cell has no value: "));
    }
    core::Diagnostics errors;
    (void)nodes_of("#ifdef X\n#define BASE 1\n#endif\n" + node, errors);
    CHECK(core::has_errors(errors));
  }

  TEST_CASE("of a condition that is a number only the branch that holds is read") {
    const auto node = [](const std::string& label) {
      return label + ": " + label + " { reg = <0 0x1000 0 0x1000>; };\n";
    };
    const std::string rest = "#else\n" + node("b") + "#endif\n" + node("c");
    for (const auto& each : {std::pair{"#if 0\n" + node("a") + rest, "b c "},
                             {"# if (0) // no\n" + node("a") + rest, "b c "},
                             {"#if 1\n" + node("a") + rest, "a c "},
                             {"#if 0\n#if 1\n#endif\n#elif 1\n" + node("a") + rest, "a c "},
                             {"#if 0\n#elif 0\n" + node("a") + rest, "b c "},
                             {"#if 1\n#if 0\n" + node("a") + "#endif\n" + rest, "c "}}) {
      CAPTURE(each.first);
      core::Diagnostics errors;
      CHECK(labels(nodes_of(each.first, errors)) == each.second);
      REQUIRE(errors.size() >= 1);
      CHECK(errors[0].message.find("are not there: the condition does not hold") !=
            std::string::npos);
    }
    core::Diagnostics errors;
    CHECK(labels(nodes_of("#ifndef G\n#define G\n" + node("a") + "#endif\n", errors)) == "a ");
    CHECK(errors.empty());
    CHECK(labels(nodes_of("#ifdef X\n" + node("a") + rest, errors)) == "a b c ");
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].severity == core::Severity::kWarning);
    CHECK(at(errors[0].place) == "1:1+6");
    errors.clear();
    CHECK(nodes_of("#if 0\n" + node("a"), errors).empty());
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].message == "this condition has no #endif");
  }

  TEST_CASE("hostile device trees end in an error, never in a crash") {
    std::string deep;
    for (int i = 0; i < 100000; ++i) {
      deep += "a { ";
    }
    for (const std::string& text : {deep,
                                    std::string{"a: b {"},
                                    std::string{"a: b { reg = <"},
                                    std::string{"a: b { reg = <1 2 3>; };"},
                                    std::string{"a: b { alignment = <"},
                                    std::string{"/ { x = \"open"},
                                    std::string{"&a"},
                                    std::string{"&{/a"},
                                    std::string{"/delete-node/ &"},
                                    std::string{"}}}}"}}) {
      CAPTURE(text.substr(0, 40));
      core::Diagnostics errors;
      (void)nodes_of(text, errors);
      CHECK((!errors.empty() || text.starts_with("/del")));
    }
  }

  TEST_CASE("a MEMORY block without the comma before LENGTH, with places") {
    core::Diagnostics errors;
    const auto ranges = parse_linker(
        {"l.cmd", "MEMORY\n{\n A (RWX) : ORIGIN = 0x1000 LENGTH = 0x20\n}\n"}, "", errors);
    CHECK(errors.empty());
    REQUIRE(ranges.size() == 1);
    CHECK(ranges[0].size == 0x20);
    CHECK(at(ranges[0].places.at("ORIGIN")) == "3:21+6");
    CHECK(at(ranges[0].places.at("LENGTH")) == "3:37+4");
  }

  TEST_CASE("a header's values have places") {
    core::Diagnostics errors;
    const auto macros = parse_header({"h.h", "#define A_ADDR (0x1000u)\n"}, "", errors);
    CHECK(at(macros.at("A_ADDR").value_place) == "1:17+7");
    const auto odd = parse_header(
        {"h.h", "# define B_ADDR \\\n  (0x10u) // base\n#define B_SIZE 16 /* bytes */"},
        "",
        errors);
    CHECK(errors.empty());
    CHECK(at(odd.at("B_ADDR").value_place) == "2:4+5");
    CHECK(odd.at("B_SIZE").value == 16);
  }

  TEST_CASE("a name that a condition gives two values has none") {
    const std::string guard = "#ifndef MAP_H\n#define MAP_H\n";
    for (const auto& [own, is_open] : std::vector<std::pair<std::string, bool>>{
             {guard + "#define A (1u)\n#define A (2u)\n#endif\n", false},
             {"#ifdef X\n#define A (1u)\n# else\n#define A (2u)\n#endif\n", true},
             {"#define A (1u)\n#if X\n#define A (2u)\n#endif\n", true}}) {
      const std::string& text = own;
      CAPTURE(text);
      core::Diagnostics errors;
      const auto macros = parse_header({"h.h", text}, "", errors);
      REQUIRE(errors.size() == 1);
      CHECK(test::contains(errors[0].message, "by a condition") == is_open);
      CHECK(errors[0].related.size() == 1);
      CHECK(macros.contains("A") != is_open);
    }
  }

  TEST_CASE("of a linker map's expression no part is taken for its value") {
    for (const char* const value : {"0x1000 + 0x20", "4K", "4K * 2", "(0x20)", "0x20 << 1"}) {
      CAPTURE(value);
      core::Diagnostics errors;
      (void)parse_linker(
          {"l.cmd", fmt::format("MEMORY {{ A : ORIGIN = {}, LENGTH = 0x20 }}", value)}, "", errors);
      REQUIRE_FALSE(errors.empty());
      CHECK(test::contains(errors[0].hint, "one number"));
    }
  }

  TEST_CASE("of a header's expression no part is taken for its value") {
    for (const char* const value :
         {"64*1024", "(0x10u) + 4", "(0x10u + 4)", "(64u * 1024u)", "16 << 2", "((16) + 4)"}) {
      CAPTURE(value);
      core::Diagnostics errors;
      const auto macros =
          parse_header({"h.h", fmt::format("#define A_SIZE {}\n", value)}, "", errors);
      check_whole(macros, errors);
      CHECK_FALSE(errors.empty());
    }
  }

  TEST_CASE("sysconfig's MMU: what is left out has the tool's default") {
    core::Diagnostics errors;
    const auto entries =
        parse_syscfg({"f.syscfg",
                      "const mmu_armv81 = mmu_armv8.addInstance();\n"
                      "const mmu_armv82 = mmu_armv8.addInstance();\n"
                      "mmu_armv82.size = 0x40000000;\nmmu_armv82.$name = \"REG\";\n"
                      "mmu_armv82.privExecute = false;\n"},
                     "",
                     errors);
    CHECK(errors.empty());
    REQUIRE(entries.size() == 2);
    CHECK(entries[0].name.empty());
    CHECK(entries[1].name == "REG");
    CHECK(entries[1].virtual_base == 0);
    CHECK(entries[1].physical == 0);
    CHECK(entries[1].size == 0x40000000);
    CHECK(entries[1].attribute == "MAIR0");
    CHECK(at(entries[1].place) == "3:1+15");
    CHECK(at(entries[1].places.at("size")) == "3:19+10");
    CHECK_FALSE(entries[1].places.contains("vAddr"));
  }

  TEST_CASE("sysconfig's scripts: what may touch an entry in another way is refused") {
    const std::string head =
        "const mmu_armv8 = scripting.addModule(\"/kernel/dpl/mmu_armv8\", {}, false);\n"
        "const mmu_armv81 = mmu_armv8.addInstance();\n"
        "mmu_armv81.$name = 'A'; mmu_armv81.size = 0x1000\n";
    const auto errors_of = [&](const std::string& more) {
      core::Diagnostics errors;
      const auto entries = parse_syscfg({"f.syscfg", head + more}, "", errors);
      CHECK(entries.size() >= 1);
      return errors.size();
    };
    for (const char* good : {"",
                             "mmu_armv81.size = 8192;",
                             "log.enable = true\nlog.other[\"mmu\"] = [\"a\", 1 * 2];",
                             "if (x) { log.a = 1; }\nmmu_armv81.vAddr = 0;",
                             "function f() { return 1; }\nmmu_armv81.vAddr = 0;",
                             "/* mmu_armv81.size = 1; */ // mmu_armv81 .size = 1;"}) {
      CAPTURE(good);
      CHECK(errors_of(good) == 0);
    }
    for (const char* bad : {"mmu_armv81[\"size\"] = 1;",
                            "mmu_armv81 .size = 1;",
                            "mmu_armv81.size = 64 * 1024;",
                            "mmu_armv81.size = 010;",
                            "mmu_armv81.size = 1\n* 2;",
                            "mmu_armv81.size += 1;",
                            "const a = mmu_armv81;",
                            "const a = mmu_armv8.addInstance();",
                            "if (x)\nmmu_armv81.size = 1;",
                            "a: for (;;)\nmmu_armv81.size = 1;",
                            "`${mmu_armv81.size = 1}`;",
                            "// a\rmmu_armv81.size = 1;",
                            "/'/; mmu_armv81.size = 1; //'",
                            "eval(x);",
                            "if (x) { return; }",
                            "mmu_armv82.size = 1;",
                            "const x = scripting.addModule(y);",
                            "const x = scripting.addModule(\"/kernel/dpl/mmu_armv8\");"}) {
      CAPTURE(bad);
      CHECK(errors_of(bad) == 1);
    }
  }

  TEST_CASE("sysconfig's MPU and RAT, and C's tables: the places of values") {
    core::Diagnostics errors;
    const auto written = parse_mpu_syscfg({"f.syscfg",
                                           "mpu_armv71.baseAddr = 0xA0000000;\n"
                                           "addr_translate1.systemAddr = 0x900000000;\n"},
                                          "",
                                          0,
                                          errors);
    CHECK(at(written.regions.at(0).places.at("baseAddr")) == "1:23+10");
    CHECK(at(written.entries.at(0).places.at("systemAddr")) == "2:30+11");
    const auto source = parse_mpu_source(
        {"f.c",
         "T gCslR5MpuCfg[] = {\n{ .enable = 1U, .size = 20U,\n.baseAddr = (A_ADDR) + 0U } };"},
        "",
        test::mpu_programs(),
        {{"A_ADDR", 0x1000}},
        0,
        errors);
    CHECK(errors.empty());
    CHECK(at(source.regions.at(0).places.at("baseAddr")) == "3:13+13");
    CHECK(at(source.regions.at(0).places.at("size")) == "2:25+3");
  }
}

}  // namespace memsize::emit::written_test
