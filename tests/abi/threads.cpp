// Many threads ask one session and sessions of their own at once; each gets the answer that one
// thread alone gets. ThreadSanitizer and AddressSanitizer watch.
#include "memsize/memsize.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 8;

std::string bytes_of(const std::string& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{file}, {}};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : std::string(1, c);
  }
  return out + "\"";
}

std::string answer_to(memsize_session* session, const std::string& request) {
  char* answer = memsize_run(session, request.data(), request.size());
  std::string text = answer == nullptr ? "no memory" : answer;
  memsize_free(answer);
  return text;
}

// What an engineer asks for, most of it of one board.
std::vector<std::string> requests() {
  const std::string source = MEMSIZE_SOURCE_DIR;
  const std::string log = quoted(bytes_of(source + "/samples/j722s-mobilenet/trace.log"));
  const std::string plan = quoted(bytes_of(source + "/samples/plans/vww_mobilenet.csv"));
  const std::string files = R"(, "files": {"run.log": )" + log + R"(, "plan.csv": )" + plan + "}}";
  std::vector<std::string> all;
  for (const char* words :
       {R"("analyze", "run.log", "--json")",
        R"("analyze", "run.log", "--board", "j722s-sdk11", "--json")",
        R"("emit", "--board", "j722s-sdk11", "--trace", "run.log", "--out", "map", "--json")",
        R"("emit", "--board", "j784s4", "--out", "map", "--json")",
        R"("report", "--board", "j722s-sdk11", "--trace", "run.log", "-o", "page.html")",
        R"("why", "0xA0000000", "--board", "j722s-sdk11", "--json")",
        R"("check", "--board", "j721e", "--json")",
        R"("plan", "plan.csv", "--json")",
        R"("plan", "plan.csv", "--board", "apollo510", "--json")",
        R"("list", "boards", "--json")",
        R"("analyze", "nothing.log", "--json")",
        R"("analyze", "--help")",
        R"("nothing")"}) {
    all.push_back(std::string{R"({"words": [)"} + words + "]" + files);
  }
  all.emplace_back("no request");
  return all;
}

}  // namespace

int main() {
  const std::vector<std::string> all = requests();
  std::vector<std::string> wanted;
  memsize_session* alone = memsize_open(MEMSIZE_SOURCE_DIR);
  for (const std::string& request : all) {
    wanted.push_back(answer_to(alone, request));
  }
  memsize_close(alone);

  // Half of them share a session that has read nothing yet.
  memsize_session* shared = memsize_open(MEMSIZE_SOURCE_DIR);
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      memsize_session* session = i % 2 == 0 ? shared : memsize_open(MEMSIZE_SOURCE_DIR);
      for (std::size_t j = 0; j < all.size(); ++j) {
        const std::size_t which = (j + static_cast<std::size_t>(i)) % all.size();
        if (answer_to(session, all[which]) != wanted[which]) {
          ++wrong[static_cast<std::size_t>(i)];
        }
      }
      if (session != shared) {
        memsize_close(session);
      }
    });
  }
  int problems = 0;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    problems += wrong[i];
  }
  memsize_close(shared);
  std::printf(
      "threads: %zu requests on %d threads, %d other answers\n", all.size(), kThreads, problems);
  for (const std::string& answer : wanted) {
    if (answer.find("\"schema\": \"memsize.answer/1\"") == std::string::npos) {
      std::printf("no answer: %s\n", answer.c_str());
      ++problems;
    }
  }
  return problems == 0 ? 0 : 1;
}
