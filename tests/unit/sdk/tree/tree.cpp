#include "memsize/sdk/tree.hpp"

#include "mpu_programs.hpp"
#include "support.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace memsize::sdk::tree_test {

namespace {

using core::Code;

constexpr const char* kScript =
    "from ti_psdk_rtos_tools import *\n"
    "code = MemSection('CODE', 'RWIX', 0xA0000000, 0x100000, 'code')\n"
    "m = MemoryMap('m')\n"
    "m.addMemSection(code)\n"
    "LinkerCmdFile(m, './r5/linker_mem_map.cmd').export()\n"
    "CHeaderFile(m, 0, 0, './app_mem_map.h').export()\n"
    "DtsFile(m, './k3-zx9-rtos-memory-map.dtsi').export()\n";

void make_tree(core::MemFileSystem& files, const std::string& folder) {
  const std::string rtos = folder + "/platform/zx9/rtos/";
  files.content[rtos + "gen_linker_mem_map.py"] = kScript;
  files.content[rtos + "gen_linker_mem_map_safertos.py"] = kScript;
  files.content[rtos + "gen_dts_file.py"] = "import os\n";
  files.content[rtos + "r5/freertos.syscfg"] = "";
  files.content[rtos + "r5/freertos_ecu.syscfg"] = "";
  files.content[rtos + "r5/safertos.syscfg"] = "";
  files.content[rtos + "r5/example.syscfg"] = "";
  files.content[rtos + "r5/zx9_mpu_cfg.c"] = "";
  files.content[rtos + "r5/zx9_safertos_mpu_cfg.c"] = "";
  files.content[rtos + "r5/zx9_linker_freertos.cmd"] = "";
  files.content[rtos + "r5/main.c"] = "";
  files.content[folder + "/platform/other/readme.txt"] = "";
}

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("a tree is found from its folder, from platform, and from around it") {
    core::MemFileSystem files;
    make_tree(files, "home/vision");
    for (const std::string path : {"home/vision", "home/vision/platform", "home"}) {
      CAPTURE(path);
      const auto platforms = find_platforms(files, path);
      REQUIRE(platforms.has_value());
      REQUIRE(platforms->size() == 1);
      CHECK(platforms->front().soc == "zx9");
      CHECK(platforms->front().folder == "home/vision/platform/zx9/rtos");
    }
    for (const std::string path : {"home/vision/platform/zx9/rtos/r5", "nowhere"}) {
      CAPTURE(path);
      const auto none = find_platforms(files, path);
      REQUIRE_FALSE(none.has_value());
      CHECK(none.error().front().code == Code::kSdkTree);
    }
  }

  TEST_CASE("a folder around two trees is neither of them") {
    core::MemFileSystem files;
    make_tree(files, "home/bak");
    make_tree(files, "home/vision");
    const auto none = find_platforms(files, "home");
    REQUIRE_FALSE(none.has_value());
    CHECK(none.error().front().message == "this folder holds 2 SDK trees");
    CHECK(none.error().front().hint == "give one of them: home/bak, home/vision");
    CHECK(find_platforms(files, "home/vision").has_value());
  }

  TEST_CASE("each script is a variant with the files of its operating system") {
    core::MemFileSystem files;
    make_tree(files, "sdk");
    const auto sources =
        read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
    REQUIRE(sources.has_value());
    CHECK_MESSAGE(sources->problems.empty(), test::all_text(sources->problems));
    REQUIRE(sources->variants.size() == 2);
    const Variant& first = sources->variants[0];
    CHECK(first.os == "freertos");
    CHECK(first.header == "app_mem_map.h");
    CHECK(first.dts == "k3-zx9-rtos-memory-map.dtsi");
    REQUIRE(first.cores.size() == 1);
    CHECK(first.cores[0].name == "r5");
    CHECK(first.cores[0].syscfg == std::vector<std::string>{"r5/example.syscfg",
                                                            "r5/freertos.syscfg",
                                                            "r5/freertos_ecu.syscfg"});
    CHECK(first.cores[0].mpu_source == "r5/zx9_mpu_cfg.c");
    CHECK(first.cores[0].sections == "r5/zx9_linker_freertos.cmd");
    CHECK(first.cores[0].main_source == "r5/main.c");
    const Variant& second = sources->variants[1];
    CHECK(second.os == "safertos");
    CHECK(second.cores[0].syscfg == std::vector<std::string>{"r5/safertos.syscfg"});
    CHECK(second.cores[0].mpu_source == "r5/zx9_safertos_mpu_cfg.c");
    CHECK(second.cores[0].sections.empty());
    CHECK(sources->find("gen_dts_file.py") == nullptr);
  }

  TEST_CASE("a script that fails leaves the other variant, and a file too large is not read") {
    core::MemFileSystem files;
    make_tree(files, "sdk");
    files.content["sdk/platform/zx9/rtos/gen_linker_mem_map_safertos.py"] = "a = b\n";
    files.content["sdk/platform/zx9/rtos/r5/huge.syscfg"] = std::string(5U << 20U, ' ');
    const auto sources =
        read_sources(files, {"zx9", "sdk/platform/zx9/rtos"}, test::mpu_programs());
    REQUIRE(sources.has_value());
    CHECK(sources->variants.size() == 1);
    CHECK(sources->problems.size() == 2);
    CHECK(test::find(sources->problems, Code::kSdkName) != nullptr);
    const core::Diagnostic* large = test::find(sources->problems, Code::kSdkTree);
    REQUIRE(large != nullptr);
    CHECK(test::contains(large->message, "5 MiB"));
    CHECK(sources->find("r5/huge.syscfg") == nullptr);
  }
}

}  // namespace memsize::sdk::tree_test
