// Inheritance of board files.
//
// A variant says only what differs. `inherit` lists files beside it, applied in order; then the
// file's own keys go on top. Tables merge key by key, so a variant can change one field of one
// knob; arrays and plain values are replaced whole, so that the order of a chain stays in one
// place. `remove` lists dotted keys to drop. Merging moves trees of values that know their places:
// an error in an inherited line points into the file that holds the line, never into a merged text
// that nobody wrote.
//
// A file that inherits itself, over any number of steps, is an error that shows the way round; so
// is one that is inherited twice, because it would not be clear which of its keys win.
#include "memsize/board/load.hpp"
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"
#include "memsize/docs/parse.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using docs::Document;
using docs::Kind;
using docs::Value;

// The strings of an array of the file.
core::Result<std::vector<Value>> strings_of(Value list, std::string_view key) {
  const std::vector<Value> items{list.begin(), list.end()};
  const auto not_string = [](Value item) { return !item.is(Kind::kText); };
  if (list && (!list.is(Kind::kList) || std::ranges::any_of(items, not_string))) {
    return core::fail(core::error(
        Code::kTomlType, fmt::format("'{}' must be an array of strings", key), list.place()));
  }
  return items;
}

// Without what is read here and by nobody else.
Document without_own_keys(Document file) {
  for (const char* const key : {"inherit", "remove"}) {
    bool found = false;
    if (file.root()[key]) {
      file = docs::without(file.root(), key, found);
    }
  }
  return file;
}

Document merged(std::vector<Document> layers) {
  if (layers.size() == 1) {
    return std::move(layers.front());
  }
  std::vector<Value> roots;
  std::ranges::transform(layers, std::back_inserter(roots), &Document::root);
  return docs::merged(roots);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string{} : path.substr(0, slash + 1);
}

// One spelling for "./a.toml" and "a.toml".
std::string normal(const std::string& path) {
  return std::filesystem::path{path}.lexically_normal().generic_string();
}

class Loader {
 public:
  Loader(core::FileSystem& files, std::string folder) : files_(files), folder_(std::move(folder)) {}

  core::Result<Document> load(const std::string& path, const core::Place& asked_by) {
    const std::string file_name = normal(path);
    const std::string shown = core::printable(file_name);
    if (std::ranges::find(open_, file_name) != open_.end()) {
      return core::fail(core::error(Code::kBoardInherit,
                                    fmt::format("'{}' inherits itself", shown),
                                    asked_by,
                                    fmt::format("{} -> {}", core::join(open_, " -> "), shown)));
    }
    const auto [first, is_new] = seen_.emplace(file_name, asked_by);
    if (!is_new) {
      return core::fail(core::error(Code::kBoardInherit,
                                    fmt::format("'{}' is inherited twice", shown),
                                    asked_by,
                                    "inherit it in one place only")
                            .beside(first->second, "it is inherited here first"));
    }
    read_.push_back(path);
    const auto text = files_.read(path, core::kWrittenFile);
    if (!text) {
      return asked_by.path.empty()
                 ? tl::make_unexpected(text.error())
                 : core::fail(core::error(
                       Code::kBoardInherit,
                       text.error().front().message,
                       asked_by,
                       core::did_you_mean(path.substr(folder_of(path).size()), names_near(path))));
    }
    auto file = docs::parse_toml(*text, path);
    MEMSIZE_TRY(file);
    open_.push_back(file_name);
    auto merged = apply(path, std::move(*file));
    open_.pop_back();
    return merged;
  }

  /// The paths of all files so far.
  [[nodiscard]] const std::vector<std::string>& read() const { return read_; }

 private:
  core::Result<Document> apply(const std::string& path, Document file) {
    const auto parents = strings_of(file.root()["inherit"], "inherit");
    const auto removed = strings_of(file.root()["remove"], "remove");
    MEMSIZE_TRY(parents);
    MEMSIZE_TRY(removed);
    std::vector<Document> layers;
    for (const Value parent : *parents) {
      auto loaded = load(find(path, parent.string()), parent.place());
      MEMSIZE_TRY(loaded);
      layers.push_back(std::move(*loaded));
    }
    for (const Value key : *removed) {
      bool found = false;
      Document kept = docs::without(merged(std::move(layers)).root(), key.text(), found);
      if (!found) {
        return core::fail(
            core::error(Code::kBoardInherit,
                        fmt::format("there is no '{}' to remove", core::printable(key.text())),
                        key.place(),
                        "'remove' takes dotted keys of the inherited files"));
      }
      layers = {};
      layers.push_back(std::move(kept));
    }
    layers.push_back(without_own_keys(std::move(file)));
    return merged(std::move(layers));
  }

  // What may be inherited instead of `path`, which is not there.
  std::vector<std::string> names_near(const std::string& path) {
    std::vector<std::string> names;
    for (const std::string& folder : {folder_of(path), folder_ + "/"}) {
      const auto found = files_.list(folder.empty() ? "." : folder);
      for (std::size_t i = 0; found && i < found->size(); ++i) {
        const std::string& name = (*found)[i];
        if (name.ends_with(".toml") && !core::contains(open_, normal(folder + name))) {
          names.push_back(name);
        }
      }
    }
    return names;
  }

  // Beside the file that names it, else among the bundled boards.
  std::string find(const std::string& path, const std::string& name) {
    if (name.starts_with('/')) {
      return name;
    }
    const std::string beside = folder_of(path) + name;
    const std::string bundled = folder_ + "/" + name;
    return !files_.exists(beside) && files_.exists(bundled) ? bundled : beside;
  }

  core::FileSystem& files_;
  std::string folder_;
  std::vector<std::string> open_;
  std::vector<std::string> read_;
  // File and where it was inherited.
  std::map<std::string, core::Place> seen_;
};

}  // namespace

core::Result<Document> load_inherited(core::FileSystem& files,
                                      const std::string& path,
                                      const std::string& folder,
                                      std::vector<std::string>* read) {
  Loader loader{files, folder};
  auto merged = loader.load(path, {});
  if (read != nullptr) {
    *read = loader.read();
  }
  return merged;
}

}  // namespace memsize::board
