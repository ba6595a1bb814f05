#include "csource/firmware.hpp"

#include "support.hpp"

#include <string>

#include <doctest/doctest.h>

namespace memsize::sdk::firmware_test {

namespace {

const Macros& macros() {
  static const Macros known{{{"BOX_ADDR", 0xC0000000},
                             {"BOX_PHYS_ADDR", 0x900000000},
                             {"BOX_SIZE", 0x20000000},
                             {"BOX_PHYS_SIZE", 0x20000000},
                             {"LOG_ADDR", 0xA5000000},
                             {"LOG_SIZE", 0x40000},
                             {"BASE_V", 0x100000000},
                             {"BASE_P", 0x880000000},
                             {"HEAP_ADDR", 0x108000000},
                             {"HEAP_SIZE", 0x1000000}}};
  return known;
}

template <typename Parser>
auto parsed(Parser parser,
            const std::string& text,
            core::Diagnostics& errors,
            const BuildFlags& flags = {}) {
  return parser(FirmwareFile{{"main.c", text}, "", macros(), flags}, errors);
}

std::string message(const core::Diagnostics& errors) {
  return errors.empty()
             ? ""
             : std::to_string(errors.front().place.line) + ":" +
                   std::to_string(errors.front().place.column) + " " + errors.front().message;
}

constexpr const char* kFill = R"(#include "map.h"
#define HEAP_VADDR (HEAP_ADDR)
#define HEAP_PADDR (BASE_P + (HEAP_ADDR - BASE_V))
void Mmu_map(int a);
void fill(int is_secure)
{
    Attrs attrs;
    if (is_secure)
        ns = 0;
    else
        ns = 1;
    Mmu_initMapAttrs(&attrs);
    ok = Mmu_map(0x00000000U, 0x00000000U, 0x20000000UL, &attrs, is_secure);
    if (ok == 0) { goto out; }
    attrs.attrIndx = Mmu_AttrIndx_MAIR4;
    ok = Mmu_map(LOG_ADDR, LOG_ADDR, LOG_SIZE /* the log */, &attrs, is_secure);
#if 0
    attrs.attrIndx = Mmu_AttrIndx_MAIR0;
    ok = Mmu_map(NOTHING, NOTHING, NOTHING, &attrs, is_secure);
#endif
    attrs.attrIndx = Mmu_AttrIndx_MAIR7;
    ok = Mmu_map(HEAP_VADDR, HEAP_PADDR,
                 HEAP_SIZE + 0x1000, &attrs, is_secure);
#ifdef WITH_BOX
    ok = Mmu_map((BOX_ADDR), BOX_PHYS_ADDR, BOX_SIZE, &attrs, is_secure);
#endif
out:
    return;
}
)";

constexpr const char* kConvert = R"(#define OFFSET (BASE_P - BASE_V)
static void convertVirt2Phys(uint64_t a, uint64_t v, uint64_t p, uint64_t s, uint64_t *r) { *r = a + p - v; }
uint64_t appTarget2SharedConversion(const uint64_t addr)
{
    uint64_t out = (uint64_t)addr;
    if ( ((uint64_t)addr >= BOX_ADDR) && ((uint64_t)addr < ((uint64_t)BOX_ADDR + BOX_SIZE)) )
    {
        if (BOX_PHYS_ADDR >= BOX_ADDR)
        {
            out = (uint64_t)addr + (BOX_PHYS_ADDR - BOX_ADDR);
        }
        else
        {
            out = addr - ((uint64_t)BOX_ADDR - BOX_PHYS_ADDR);
        }
    }
    else if (addr >= BASE_V)
    {
        out = (addr + OFFSET);
    }
    else
    {
        convertVirt2Phys(addr, (uint64_t) LOG_ADDR, LOG_ADDR,
                         (uint64_t)LOG_SIZE, &out);
    }
    return out;
}
uint64_t appShared2TargetConversion(uint64_t addr);
uint64_t appShared2TargetConversion(uint64_t addr)
{
    uint64_t out;
    if (addr >= BOX_PHYS_ADDR && addr < BOX_PHYS_ADDR + BOX_PHYS_SIZE)
    {
        out = addr - (BOX_PHYS_ADDR - BOX_ADDR);
    }
    else
    {
        out = addr;
    }
    return out;
}
)";

constexpr const char* kTranslate = R"(void init(void)
{
    Prm one;
#if defined(CPU_a) || defined(CPU_b)
    one.size = LOG_SIZE;
#if defined(CPU_a)
    one.baseAddress = LOG_ADDR;
    one.translatedAddress = 0x4F00000000;
#elif defined(CPU_b)
    one.baseAddress = LOG_ADDR + LOG_SIZE;
    one.translatedAddress = 0x4F00040000;
#endif
    status = appMemAddrTranslate(&one);
#endif
    if (BOX_PHYS_ADDR > 0xFFFFFFFF)
    {
        two.size = BOX_SIZE; two.baseAddress = BOX_ADDR; two.translatedAddress = BOX_PHYS_ADDR;
        status = appMemAddrTranslate(&two);
    }
    if (BOX_ADDR > 0xFFFFFFFF)
    {
        two.size = BOX_SIZE; two.baseAddress = BOX_ADDR; two.translatedAddress = BOX_PHYS_ADDR;
        status = appMemAddrTranslate(&two);
    }
}
)";

}  // namespace

TEST_SUITE("sdk") {
  TEST_CASE("the calls that fill a page table") {
    core::Diagnostics errors;
    const auto calls = parsed(parse_mmu_calls, kFill, errors);
    CHECK(message(errors).empty());
    REQUIRE(calls.size() == 4);
    CHECK(calls[0].entry.name == "0x0");
    CHECK(calls[0].entry.attribute == "MAIR0");
    CHECK(calls[0].entry.size == 0x20000000);
    CHECK(calls[0].attribute_place.path.empty());
    CHECK(calls[1].entry.name == "LOG");
    CHECK(calls[1].entry.attribute == "MAIR4");
    CHECK(calls[1].attribute_place.line == 15);
    CHECK(calls[1].size.text == "LOG_SIZE");
    CHECK(calls[1].entry.places.at("size").column == 38);
    CHECK(calls[1].entry.places.at("size").length == 8);
    CHECK(calls[2].entry.instance == 3);
    CHECK(calls[2].entry.name == "HEAP");
    CHECK(calls[2].entry.physical == 0x888000000);
    CHECK(calls[2].entry.attribute == "MAIR7");
    CHECK(calls[2].size.text == "HEAP_SIZE + 0x1000");
    CHECK(calls[2].size.value == 0x1001000);
    CHECK(calls[2].size.place.line == 23);
    CHECK(calls[2].conditions.empty());
    CHECK(calls[3].entry.name == "BOX");
    CHECK(joined(calls[3].conditions) == "defined(WITH_BOX)");

    BuildFlags flags;
    flags.undefined = {"WITH_BOX"};
    CHECK(parsed(parse_mmu_calls, kFill, errors, flags).size() == 3);
    flags = {{"WITH_BOX"}, {}, {}};
    CHECK(parsed(parse_mmu_calls, kFill, errors, flags).back().conditions.empty());
    CHECK(errors.empty());
  }

  TEST_CASE("page-table calls that are not understood are said so") {
    const std::string head = "void f(int s) { T a; Mmu_initMapAttrs(&a);\n";

    struct Case {
      std::string text;
      std::string want;
    };

    for (const Case& one : std::vector<Case>{
             {"Mmu_map(NONE, 0, 0, &a, s);",
              "2:9 'NONE' is the name of nothing that the map's header or the source has"},
             {"if (s) { Mmu_map(0, 0, 0, &a, s); }",
              "2:10 this is conditional at run time, which is not understood"},
             {"if (s) Mmu_map(0, 0, 0, &a, s);",
              "2:8 this is conditional at run time, which is not understood"},
             {"for (;;) Mmu_map(0, 0, 0, &a, s);",
              "2:10 this is conditional at run time, which is not understood"},
             {"ok = ok && Mmu_map(0, 0, 0, &a, s);",
              "2:12 this is conditional at run time, which is not understood"},
             {"Mmu_map(0, 0, 0, &b, s);", "2:1 no attribute is set before this call"},
             {"a.attrIndx = index;", "2:1 'index' is no attribute of Mmu.h"},
             {"a.attrIndx = Mmu_AttrIndx_MAIR8;",
              "2:1 'Mmu_AttrIndx_MAIR8' is no attribute of Mmu.h"},
             {"Mmu_map(BOX_ADDR + BOX_ADDR, 0, 0, &a, s);",
              "2:18 both sides are of 32 bits, where 0x180000000 wraps around"},
             {"\n#ifdef X\na.attrIndx = Mmu_AttrIndx_MAIR4;\n#endif\nMmu_map(0, 0, 0, &a, s);",
              "6:1 the attribute of this call is set where defined(X), the call is not"},
             {"Mmu_map(0, 0", "2:12 ',' is expected here, not 'the end'"}}) {
      CAPTURE(one.text);
      core::Diagnostics errors;
      (void)parsed(parse_mmu_calls, head + one.text + "}", errors);
      if (one.want.find("not 'the end'") == std::string::npos) {
        CHECK(message(errors) == one.want);
      } else {
        CHECK_FALSE(errors.empty());
      }
    }
    core::Diagnostics errors;
    const auto calls = parsed(parse_mmu_calls,
                              head +
                                  "if (Mmu_map(0, 0, 0x1000, &a, s) == 0) { return; }\n}\n"
                                  "void g(void) { Mmu_map(0, 0, 0, &a, 0); }",
                              errors);
    CHECK(calls.size() == 1);
    CHECK(message(errors) == "4:16 no attribute is set before this call");
  }

  TEST_CASE("the calls that switch caches on") {
    core::Diagnostics errors;
    const auto calls = parsed(parse_mar_calls,
                              "void f(void) {\n#ifdef OLD\n"
                              "Cache_setMar((Ptr)LOG_ADDR, LOG_SIZE, Cache_Mar_DISABLE);\n#else\n"
                              "CacheP_setMar((void *)BOX_ADDR, BOX_SIZE, CacheP_Mar_ENABLE);\n"
                              "#endif\n}",
                              errors);
    CHECK(message(errors).empty());
    REQUIRE(calls.size() == 2);
    CHECK_FALSE(calls[0].is_cached);
    CHECK(joined(calls[0].conditions) == "defined(OLD)");
    CHECK(calls[1].is_cached);
    CHECK(calls[1].base.value == 0xC0000000);
    CHECK(calls[1].base.text == "(void *)BOX_ADDR");
    CHECK(joined(calls[1].conditions) == "!(defined(OLD))");
    (void)parsed(parse_mar_calls, "void f(void) { Cache_setMar(1, 2, mode); }", errors);
    CHECK(message(errors) == "1:35 'mode' does not say whether this is cached");
  }

  TEST_CASE("the ranges that cores share") {
    core::Diagnostics errors;
    const auto ranges = parsed(parse_shared_ranges, kConvert, errors);
    CHECK(message(errors).empty());
    REQUIRE(ranges.size() == 4);
    CHECK(ranges[0].virtual_base.text == "BOX_ADDR");
    CHECK(ranges[0].physical.text == "BOX_PHYS_ADDR");
    CHECK(ranges[0].size->text == "BOX_SIZE");
    CHECK(ranges[0].place.line == 6);
    CHECK(ranges[1].physical.text.empty());
    CHECK(ranges[1].physical.value == 0x880000000);
    CHECK_FALSE(ranges[1].size.has_value());
    CHECK(ranges[2].size->text == "(uint64_t)LOG_SIZE");
    CHECK(ranges[3].direction == Direction::kToTarget);
    CHECK(ranges[3].virtual_base.value == 0xC0000000);
    CHECK(ranges[3].physical.value == 0x900000000);
    CHECK(ranges[3].size->text == "BOX_PHYS_SIZE");
  }

  TEST_CASE("conversions that are not understood, or contradict themselves") {
    struct Case {
      std::string body;
      std::string want;
    };

    for (const Case& one : std::vector<Case>{
             {"return a + 5;", "1:48 this conversion of an address is not understood"},
             {"for (;;) { }", "1:48 this conversion of an address is not understood"},
             {"if (a > LOG_ADDR) { r = a; }", "1:56 '=' is expected here, not 'LOG_ADDR'"},
             {"if (a >= LOG_ADDR && a < BOX_ADDR + LOG_SIZE) { r = a; }",
              "1:73 the range begins at 0xA5000000, but ends behind 0xC0000000"},
             {"if (a >= LOG_ADDR) { r = a + (BOX_PHYS_ADDR - BOX_ADDR); }",
              "1:69 the range begins at 0xA5000000, but is converted from 0xC0000000"},
             {"if (a >= BOX_ADDR && a < BOX_ADDR + 0x40000000) { r = a; }",
              "1:73 both sides are of 32 bits, where 0x100000000 wraps around"},
             {"if (a >= 5) { if (1 >= 2) { r = a + (6 - 5); } else { r = a + (7 - 5); } }",
              "1:62 the two branches convert to different addresses"},
             {"convertPhys2Virt(a, 1, 2, 3, &r);", "1:48 this converts into the other direction"},
             {"convertVirt2Phys(b, 1, 2, 3, &r);", "1:65 'a' is expected here, not 'b'"}}) {
      CAPTURE(one.body);
      core::Diagnostics errors;
      (void)parsed(parse_shared_ranges,
                   "uint64_t appTarget2SharedConversion(uint64_t a){" + one.body + "}",
                   errors);
      core::Diagnostics shifted = errors;
      REQUIRE_FALSE(errors.empty());
      shifted.front().place.column -= 1;
      CHECK(message(shifted) == one.want);
    }
  }

  TEST_CASE("the arrays that fill regions") {
    const std::string text = R"(#define HEAP_MEM_SIZE (HEAP_SIZE)
uint8_t g_heap[HEAP_MEM_SIZE]
__attribute__ ((section(".bss:heap")))
__attribute__ ((aligned(4096)))
        ;
static char log_text[2 * LOG_SIZE] __attribute__((aligned(8), section("logs")));
#ifdef WITH_BOX
uint8_t g_box[BOX_SIZE] __attribute__((section(".bss:box")));
#endif
uint8_t g_unknown[NOTHING] __attribute__((section(".bss:unknown")));
uint8_t g_plain[4];
uint32_t g_words[4] __attribute__((section(".bss:words")));
void f(void) { static uint8_t local[4] __attribute__((section(".bss:local"))); }
uint8_t g_open[4] __attribute__((section(")";
    const emit::MapFile file{"app_init.c", text};
    const Macros known = macros();
    const auto arrays = parse_placed_arrays({file, "", known, {}});
    REQUIRE(arrays.size() == 2);
    CHECK(arrays[0].name == "g_heap");
    CHECK(arrays[0].section == ".bss:heap");
    CHECK(arrays[0].region == "HEAP");
    CHECK(arrays[0].size.value == 0x1000000);
    CHECK(arrays[0].size.text == "HEAP_MEM_SIZE");
    CHECK(arrays[0].place.line == 2);
    CHECK(arrays[1].section == "logs");
    CHECK(arrays[1].region.empty());
    // A name that stands for itself comes to an end.
    const std::string loop = "#define A_SIZE (B_SIZE)\n#define B_SIZE A_SIZE\nuint8_t a[A_SIZE];";
    CHECK(parse_placed_arrays({{"loop.c", loop}, "", known, {}}).empty());
  }

  TEST_CASE("the calls that translate addresses") {
    core::Diagnostics errors;
    BuildFlags flags;
    flags.families = {"CPU_"};
    flags.defined = {"CPU_b"};
    const auto calls = parsed(parse_rat_calls, kTranslate, errors, flags);
    CHECK(message(errors).empty());
    REQUIRE(calls.size() == 3);
    CHECK(calls[0].entry.fields.local == 0xA5040000);
    CHECK(calls[0].entry.fields.name == "0xA5040000");
    CHECK(calls[0].entry.fields.system == 0x4F00040000);
    CHECK(calls[0].size.text == "LOG_SIZE");
    CHECK(calls[0].conditions.empty());
    CHECK(calls[1].entry.fields.name == "BOX");
    CHECK(calls[1].is_programmed);
    CHECK(calls[1].entry.places.at("size").line == 17);
    CHECK_FALSE(calls[2].is_programmed);

    const auto open = parsed(parse_rat_calls, kTranslate, errors);
    REQUIRE(open.size() == 4);
    CHECK(joined(open[0].conditions) == "defined(CPU_a) || defined(CPU_b) && defined(CPU_a)");
    CHECK(open[0].entry.fields.name == "LOG");
    CHECK(open[1].conditions.back() == "!(defined(CPU_a)) && defined(CPU_b)");
    CHECK(errors.empty());

    flags.defined = {"CPU_c"};
    CHECK(parsed(parse_rat_calls, kTranslate, errors, flags).size() == 2);
    (void)parsed(parse_rat_calls,
                 "void f(void) { p.size = 1; if (x) { appMemAddrTranslate(&p); } }",
                 errors);
    CHECK(message(errors) == "1:37 this is conditional at run time, which is not understood");
    errors.clear();
    (void)parsed(parse_rat_calls, "void f(void) { p.size = 1; appMemAddrTranslate(&p); }", errors);
    CHECK(message(errors) == "1:28 'baseAddress' is not set before this call");
  }

  TEST_CASE("hostile sources end, with an error where one is due") {
    std::string deep;
    std::string ifs;
    for (int i = 0; i < 20000; ++i) {
      deep += "{";
      ifs += "#if A\n";
    }
    for (const std::string& text :
         {deep,
          ifs,
          "uint64_t appTarget2SharedConversion(uint64_t a)" + deep,
          "uint64_t appTarget2SharedConversion(uint64_t a){" + std::string(20000, '('),
          std::string{"uint64_t appTarget2SharedConversion("},
          std::string{"uint64_t appTarget2SharedConversion(uint64_t a){if(a>=1)"},
          std::string{"void f(){Mmu_map("},
          std::string{"void f(){x.size="},
          std::string{"void f(){if(1>0"},
          std::string{"/* open"},
          std::string{"#define"},
          std::string{"#else"},
          std::string{"#if"}}) {
      CAPTURE(text.substr(0, 60));
      core::Diagnostics errors;
      (void)parsed(parse_mmu_calls, text, errors);
      (void)parsed(parse_mar_calls, text, errors);
      (void)parsed(parse_rat_calls, text, errors);
      (void)parsed(parse_shared_ranges, text, errors);
      CHECK((!errors.empty() || text == deep || text.starts_with("void f(){if") ||
             text.ends_with("(")));
    }
  }
}

}  // namespace memsize::sdk::firmware_test
