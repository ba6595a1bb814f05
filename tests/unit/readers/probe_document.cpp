// Documents of memsize-probe: bytes and names decoded, what is wrong with its place, facts of the
// kernel's files, the ring of texts, images of parts.
#include "memsize/core/file_system.hpp"
#include "memsize/readers/probe_reader.hpp"

#include "support.hpp"

#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/format.h>

namespace memsize::readers {

namespace {

using core::Bytes;

std::string document(std::string_view files, std::string_view rest = R"("samples":[])") {
  return fmt::format(
      R"({{"schema":"memsize.probe/1","root":"/","uid":0,"files":[{}],{}}})", files, rest);
}

model::Probe good(const std::string& text) {
  auto probe = read_probe(text, "p.json");
  REQUIRE(probe);
  return std::move(*probe);
}

std::string message(const std::string& text) {
  const auto probe = read_probe(text, "p.json");
  REQUIRE_FALSE(probe);
  CHECK(probe.error().front().code == core::Code::kProbeSyntax);
  return probe.error().front().message;
}

}  // namespace

TEST_SUITE("readers") {
  TEST_CASE("probe: contents and names are bytes again") {
    // RFC 4648, 10.
    for (const auto& [digits, bytes] : {std::pair{"", ""},
                                        {"Zg==", "f"},
                                        {"Zm8=", "fo"},
                                        {"Zm9v", "foo"},
                                        {"Zm9vYmFy", "foobar"}}) {
      const auto probe = good(document(fmt::format(R"({{"path":"/a","base64":"{}"}})", digits)));
      CHECK(probe.content("/a") == bytes);
    }
    const auto probe = good(document(R"({"path":"/\u00e9\u00ffx","link":["\u0080"],"text":"t"})"));
    CHECK(probe.files.front().path == "/\xE9\xFFx");
    CHECK(probe.files.front().links.front() == "\x80");
    CHECK(probe.find("/b") == nullptr);
  }

  TEST_CASE("probe: what is wrong is told") {
    CHECK(message("{}") == "it has no schema");
    CHECK(message(R"({"schema":"memsize.probe/2"})") == "its schema is 'memsize.probe/2'");
    CHECK(message(document(R"({"path":"/a","base64":"Zg="})")).find("it must be base64") !=
          std::string::npos);
    CHECK(message(document(R"({"path":"/a","base64":"Z*=="})")).find("files[0].base64") !=
          std::string::npos);
    CHECK(message(document(R"({"path":"/proc/iomem","text":"1-0 : x\n"})"))
              .find("line 1 of its /proc/iomem") != std::string::npos);
    CHECK(message(document("", R"("samples":[{"t":1,"dmabuf":[]},{"t":0.5,"dmabuf":[]}])"))
              .find("before") != std::string::npos);
    CHECK(message(document("", R"("samples":[{"t":1,"dmabuf":[["a",1,1,2]]}])")).find("largest") !=
          std::string::npos);
  }

  TEST_CASE("probe: the kernel's files") {
    const auto probe = good(document(
        R"({"path":"/proc/iomem","text":"80000000-9e77ffff : System RAM\n  80210000-8185ffff : Kernel code\n880000000-89fffffff : reserved\n"},)"
        R"({"path":"/proc/meminfo","text":"MemFree: 1 kB\nMemTotal:        6793224 kB\n"},)"
        R"({"path":"/sys/class/remoteproc/remoteproc1/name","text":"b.dsp\n"},{"path":"/sys/class/remoteproc/remoteproc1/state","text":"running\n"},)"
        R"({"path":"/sys/class/remoteproc/remoteproc0/name","text":"c.dsp\n"})"));
    REQUIRE(probe.io_ranges.size() == 3);
    CHECK(probe.io_ranges[1].level == 1);
    CHECK(probe.io_ranges[1].name == "Kernel code");
    CHECK(probe.io_ranges[2].range.size() == Bytes{512U << 20U});
    CHECK_FALSE(probe.is_io_hidden);
    CHECK(probe.total == Bytes{6793224ULL * 1024});
    REQUIRE(probe.remote_cores.size() == 2);
    CHECK(probe.remote_cores[0].folder == "remoteproc1");
    CHECK(probe.remote_cores[0].state == "running");
  }

  TEST_CASE("probe: samples") {
    const auto probe =
        good(document("",
                      R"("samples":[{"t":0.1,"dmabuf":[["pool",3,1572864,786432]]}],)"
                      R"("watch":{"seconds":2.5,"taken":25})"));
    REQUIRE(probe.samples.size() == 1);
    CHECK(probe.samples[0].seconds == doctest::Approx(0.1));
    CHECK(probe.samples[0].uses[0].exporter == "pool");
    CHECK(probe.samples[0].uses[0].objects == 3);
    CHECK(probe.samples[0].uses[0].bytes == Bytes{1572864});
    CHECK(probe.samples[0].uses[0].largest == Bytes{786432});
    CHECK(probe.samples_taken == 25);
  }

  TEST_CASE("probe: an image of its parts") {
    model::ProbeFile file{.size = Bytes{10}, .parts = {{4, "ab"}, {8, "cd"}}};
    CHECK(sparse_image(file) == std::string{"ab\0\0cd", 6});
    // What lies outside is left out.
    file.parts.push_back({9, "zz"});
    file.parts.push_back({UINT64_MAX, "z"});
    CHECK(sparse_image(file) == std::string{"ab\0\0cd", 6});
    file.size = Bytes{1ULL << 40U};
    CHECK_FALSE(sparse_image(file));
    CHECK_FALSE(sparse_image(model::ProbeFile{.size = Bytes{10}}));
  }

  TEST_CASE("probe: the ring of texts") {
    std::string entry(16384, '\0');
    const auto put = [&](std::size_t at, std::string_view bytes) {
      entry.replace(at, bytes.size(), bytes);
    };
    put(8, "\x31\x72\x35\x01");
    put(16, "C7x_1");
    put(4, std::string_view{"\x08\0\0\0", 4});
    put(32, std::string_view{"one\n\0two", 8});
    model::Probe probe;
    probe.files.push_back({.path = "/dev/mem", .parts = {{0, entry}}});
    CHECK(probe_log(probe) == "[C7x_1 ] one\n[C7x_1 ] two\n");
    // The lap before stands in front; memory that nobody wrote is no text.
    put(16000, "old\n");
    probe.files[0].parts[0].bytes = entry;
    CHECK(probe_log(probe) == "[C7x_1 ] old\n[C7x_1 ] one\n[C7x_1 ] two\n");
    put(16000, "\xFF");
    probe.files[0].parts[0].bytes = entry;
    CHECK(probe_log(probe) == "[C7x_1 ] one\n[C7x_1 ] two\n");
    put(8, std::string_view{"\0\0\0\0", 4});
    probe.files[0].parts[0].bytes = entry;
    CHECK(probe_log(probe).empty());
  }
}

}  // namespace memsize::readers
