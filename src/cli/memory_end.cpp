// Handlers for the end of memory, for an exception that nothing catches and for a fault after it.
// The message is ready beforehand; a reserve is freed for what unwinds, no destructor follows.
#include "memory_end.hpp"

#include "memsize/core/diagnostic.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include <unistd.h>

namespace memsize::cli {

namespace {

// Enough for destructors, names of files and what an exception takes.
constexpr std::size_t kReserve = std::size_t{1} << 18;

std::atomic<void*> reserve = nullptr;
std::atomic<bool> is_exhausted = false;
std::atomic<bool> has_output = false;
const char* document_schema = nullptr;
bool is_sarif = false;

constexpr const char* kMessage = "memory ended: nothing is left to work with";
constexpr const char* kMoreMemory = "give the process more memory (ulimit -v), or less to read";

// What to_json() and to_sarif() would say. Arguments: the schema or the version, the code, message.
constexpr const char* kJson = R"({
  "schema": "%s",
  "diagnostics": [
    {
      "severity": "error",
      "code": "%s",
      "message": "%s"
    }
  ]
}
)";
constexpr const char* kSarif = R"({
  "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
  "version": "2.1.0",
  "runs": [
    {
      "tool": { "driver": { "name": "memsize", "version": "%s", "rules": [] } },
      "invocations": [
        {
          "executionSuccessful": false,
          "exitCode": 4,
          "toolExecutionNotifications": [
            { "level": "error", "descriptor": { "id": "%s" }, "message": { "text": "%s" } }
          ]
        }
      ],
      "columnKind": "utf16CodeUnits",
      "results": []
    }
  ]
}
)";

void write_all(int file, const char* text) {
  std::size_t left = std::strlen(text);
  while (left != 0) {
    const ssize_t written = ::write(file, text, left);
    if (written <= 0) {
      return;
    }
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

// A library's destructor that follows a pointer which was never set, because memory ended before.
extern "C" void at_fault(int /*signal*/) {
  end_without_memory();
}

// What operator new asks when there is no memory: all that was begun is left, with the reserve.
void at_memory_end() {
  is_exhausted = true;
  (void)std::signal(SIGSEGV, at_fault);
  std::free(reserve.exchange(nullptr));
  throw std::bad_alloc{};
}

// An exception that nothing can catch, from a destructor or a thread.
void at_terminate() {
  if (is_exhausted) {
    end_without_memory();
  }
  std::abort();
}

}  // namespace

void prepare_for_memory_end(const char* schema, bool sarif) {
  document_schema = schema;
  is_sarif = sarif;
  reserve = std::malloc(kReserve);
  std::set_new_handler(at_memory_end);
  std::set_terminate(at_terminate);
}

void output_begins() {
  has_output = true;
}

void end_without_memory() noexcept {
  constexpr std::size_t kLongest = 1024;
  std::array<char, kLongest> text{};
  const char* code = core::code_name(core::Code::kMemoryEnd).data();
  const bool wants_document = is_sarif || document_schema != nullptr;
  if (wants_document && !has_output.exchange(true)) {
    const char* version = MEMSIZE_VERSION;
    const int size =
        is_sarif ? std::snprintf(text.data(), kLongest, kSarif, version, code, kMessage)
                 : std::snprintf(text.data(), kLongest, kJson, document_schema, code, kMessage);
    write_all(STDOUT_FILENO, size > 0 ? text.data() : "");
  }
  std::snprintf(
      text.data(), kLongest, "memsize: error[%s]: %s\n  hint: %s\n", code, kMessage, kMoreMemory);
  write_all(STDERR_FILENO, text.data());
  // No destructors: they might need memory.
  std::_Exit(static_cast<int>(core::ExitStatus::kEnvironment));
}

}  // namespace memsize::cli
