// The shared library's door: a request's words and files go to the interpreter, what it leaves
// becomes an answer. Nothing is thrown through it.
#include "memsize/core/base64.hpp"
#include "memsize/core/bug.hpp"
#include "memsize/core/document.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/fields.hpp"
#include "memsize/docs/parse.hpp"
#include "memsize/memsize.h"

#include "data_folders.hpp"
#include "interpret.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Code;
using core::Diagnostics;
using docs::Fields;
using docs::Kind;
using docs::Value;

using Files = std::map<std::string, std::string>;

struct Request {
  std::vector<std::string> words;
  Files files;
  bool disk = false;
};

constexpr const char* kRequest = "memsize.request/1";
constexpr const char* kAnswer = "memsize.answer/1";

// A text, or {"base64": ...} for bytes that are none.
std::string bytes_of(Fields& files, Value file) {
  if (!file.is(Kind::kTable)) {
    return files.as_text(file).text;
  }
  Fields coded = files.below(file);
  const docs::Text text = coded.required_text("base64");
  auto bytes = core::from_base64(text.text);
  if (!bytes) {
    coded.wrong("base64", "it is no base64");
  }
  return std::move(bytes).value_or(std::string{});
}

void read_files(Fields& top, Request& request) {
  Fields files = top.below(top.fields("files"));
  for (const Value file : files.value()) {
    std::string name{file.key()};
    if (name.empty() || name.ends_with('/')) {
      files.wrong(file, "it is no path of a file");
    } else {
      request.files[std::move(name)] = bytes_of(files, file);
    }
  }
}

void check_words(Fields& top, const Request& request) {
  if (request.words.empty()) {
    top.wrong("words", "there are none");
  } else if (request.words.front().starts_with("__")) {
    top.wrong("words", "a verb begins with a letter");
  }
  if (request.disk && !request.files.empty()) {
    top.wrong("disk", "with the disk, files are on it: a request has \"disk\" or \"files\"");
  }
}

core::Result<Request> read_request(std::string_view text) {
  const auto document = docs::parse_json(text, "request", Code::kUsage);
  MEMSIZE_TRY(document);
  Diagnostics errors;
  Request request;
  const docs::Voice voice = docs::Voice::of(
      Code::kUsage, R"(a request is {"words": ["analyze", "run.log"], "files": {"run.log": ...}})");
  Fields top{document->root(), "the request", errors, voice};
  if (top.is_table()) {
    if (const docs::Text schema = top.text("schema", kRequest); schema.text != kRequest) {
      top.wrong("schema", fmt::format("it must be '{}'", kRequest));
    }
    top.required("words", Kind::kList);
    request.words = top.strings("words");
    request.disk = top.boolean("disk", false);
    read_files(top, request);
    if (errors.empty()) {
      check_words(top, request);
    }
    top.finish();
  }
  if (!errors.empty()) {
    return tl::make_unexpected(std::move(errors));
  }
  return request;
}

Json file_json(const std::string& bytes) {
  if (core::is_utf8(bytes)) {
    return bytes;
  }
  Json coded;
  coded["base64"] = core::to_base64(bytes);
  return coded;
}

// What is other than before; files that are gone are null.
Json changed(const Files& before, const Files& after) {
  std::vector<Json::Member> members;
  for (const auto& [path, bytes] : after) {
    const auto known = before.find(path);
    if (known == before.end() || known->second != bytes) {
      members.emplace_back(path, file_json(bytes));
    }
  }
  for (const auto& [path, bytes] : before) {
    if (!after.contains(path)) {
      members.emplace_back(path, Json{});
    }
  }
  std::ranges::sort(members, {}, &Json::Member::first);
  Json files = Json::object();
  for (auto& [path, file] : members) {
    files[path] = std::move(file);
  }
  return files;
}

Json answer_of(Interpreted done) {
  Json answer;
  answer["schema"] = kAnswer;
  answer["version"] = MEMSIZE_VERSION;
  Printed what = printed(std::move(done.outcome), done.screen);
  answer["status"] = static_cast<int>(what.status);
  if (what.document) {
    answer["document"] = std::move(*what.document);
  } else {
    answer["text"] = std::move(what.text);
  }
  answer["problems"] = std::move(what.problems);
  return answer;
}

Json wrong_request(Diagnostics errors) {
  Outcome outcome = failed(std::move(errors), schema_of({}), true);
  outcome.status = core::ExitStatus::kUsage;
  return answer_of({std::move(outcome), Screen{.attended = false}});
}

Json bug_answer(const char* what) {
  Json answer;
  answer["schema"] = kAnswer;
  answer["version"] = MEMSIZE_VERSION;
  answer["status"] = static_cast<int>(core::ExitStatus::kBug);
  answer["text"] = "";
  answer["problems"] = fmt::format("memsize: bug: {}\nPlease report it with the request.\n", what);
  return answer;
}

// Everything below the folders of boards and templates, by path.
void take_all(core::FileSystem& disk, const std::string& folder, Files& files) {
  for (const std::string& name : disk.list(folder).value_or(std::vector<std::string>{})) {
    const std::string path = folder + "/" + name;
    if (auto bytes = disk.read(path); bytes) {
      files[path] = std::move(*bytes);
    }
  }
  for (const std::string& name : disk.list_folders(folder).value_or(std::vector<std::string>{})) {
    take_all(disk, folder + "/" + name, files);
  }
}

// Of the shared library, or of the program that this is linked into.
std::string own_path() {
  Dl_info info{};
  // An address of ours is asked for.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  const bool known = ::dladdr(reinterpret_cast<const void*>(&memsize_abi), &info) != 0;
  std::error_code failure;
  return std::filesystem::canonical(known ? info.dli_fname : "/proc/self/exe", failure).string();
}

char* copy_of(const std::string& text) {
  // A caller in C frees it through memsize_free().
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) {
    std::memcpy(copy, text.c_str(), text.size() + 1);
  }
  return copy;
}

}  // namespace

// What the header's memsize_session is.
class AbiSession {
 public:
  explicit AbiSession(const char* data)
      : data_(data != nullptr ? app::data_folders(disk_, data)
                              : find_data_folders(disk_, own_path())) {}

  Json run(std::string_view text) {
    auto request = read_request(text);
    if (!request) {
      return wrong_request(std::move(request.error()));
    }
    if (request->disk) {
      return answer_of(interpret(std::move(request->words), disk_, data_, on_disk_, false));
    }
    core::MemFileSystem files;
    files.content = bundled();
    for (auto& [path, bytes] : request->files) {
      files.content[path] = std::move(bytes);
    }
    const Files before = files.content;
    Json answer = answer_of(interpret(std::move(request->words), files, data_, sealed_, false));
    answer["files"] = changed(before, files.content);
    return answer;
  }

 private:
  const Files& bundled() {
    std::call_once(read_, [this] {
      take_all(disk_, data_.boards, bundled_);
      for (const std::string& folder : data_.templates) {
        take_all(disk_, folder, bundled_);
      }
    });
    return bundled_;
  }

  core::RealFileSystem disk_;
  app::DataFolders data_;
  // Boards as they are on the disk, and as they were when the session first needed them.
  std::shared_ptr<board::Shelf> on_disk_ = std::make_shared<board::Shelf>();
  std::shared_ptr<board::Shelf> sealed_ = std::make_shared<board::Shelf>();
  std::once_flag read_;
  Files bundled_;
};

}  // namespace memsize::cli

struct memsize_session {
  memsize::cli::AbiSession session;
};

int memsize_abi(void) {
  return MEMSIZE_ABI;
}

const char* memsize_version(void) {
  return MEMSIZE_VERSION;
}

memsize_session* memsize_open(const char* data) {
  memsize::core::throw_bugs();
  try {
    return new memsize_session{memsize::cli::AbiSession{data}};
  } catch (const std::exception&) {
    return nullptr;
  }
}

void memsize_close(memsize_session* session) {
  delete session;
}

char* memsize_run(memsize_session* session, const char* request, size_t size) {
  namespace cli = memsize::cli;
  try {
    const std::string_view text{request, size == MEMSIZE_TERMINATED ? std::strlen(request) : size};
    return cli::copy_of(memsize::core::document_text(session->session.run(text)));
  } catch (const std::bad_alloc&) {
    return nullptr;
  } catch (const std::exception& problem) {
    try {
      return cli::copy_of(memsize::core::document_text(cli::bug_answer(problem.what())));
    } catch (const std::exception&) {
      return nullptr;
    }
  }
}

void memsize_free(char* answer) {
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
  std::free(answer);
}
