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
#include "memsize/core/text.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

namespace memsize::board {

namespace {

using core::Code;
using core::TomlField;
using core::TomlValue;
using Kind = core::TomlValue::Kind;

void merge(TomlValue& base, TomlValue over) {
  std::unordered_map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < base.fields.size(); ++i) {
    at.emplace(base.fields[i].key, i);
  }
  for (TomlField& field : over.fields) {
    const auto known = at.find(field.key);
    if (known == at.end()) {
      base.fields.push_back(std::move(field));
      continue;
    }
    TomlField& old = base.fields[known->second];
    if (old.get().kind == Kind::kTable && field.get().kind == Kind::kTable) {
      merge(old.get(), std::move(field.get()));
    } else {
      old = std::move(field);
    }
  }
  base.place = over.place;
}

bool remove_key(TomlValue& table, std::string_view dotted) {
  const std::size_t dot = dotted.find('.');
  const auto found =
      std::find_if(table.fields.begin(), table.fields.end(), [&](const TomlField& field) {
        return field.key == dotted.substr(0, dot);
      });
  if (found == table.fields.end()) {
    return false;
  }
  if (dot == std::string_view::npos) {
    table.fields.erase(found);
    return true;
  }
  return found->get().kind == Kind::kTable && remove_key(found->get(), dotted.substr(dot + 1));
}

// The strings of an array that is taken out of the file before anybody else reads it.
core::Result<std::vector<TomlValue>> take_strings(TomlValue& file, std::string_view key) {
  const auto found = std::find_if(file.fields.begin(),
                                  file.fields.end(),
                                  [&](const TomlField& field) { return field.key == key; });
  if (found == file.fields.end()) {
    return std::vector<TomlValue>{};
  }
  TomlValue list = std::move(found->get());
  file.fields.erase(found);
  const auto not_string = [](const TomlValue& item) { return item.kind != Kind::kString; };
  if (list.kind != Kind::kArray || std::any_of(list.items.begin(), list.items.end(), not_string)) {
    return core::fail(core::error(
        Code::kTomlType, fmt::format("'{}' must be an array of strings", key), list.place));
  }
  return std::move(list.items);
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

  core::Result<TomlValue> load(const std::string& path, const core::Place& asked_by) {
    const std::string file_name = normal(path);
    const std::string shown = core::printable(file_name);
    if (std::find(open_.begin(), open_.end(), file_name) != open_.end()) {
      return core::fail(core::error(Code::kBoardInherit,
                                    fmt::format("'{}' inherits itself", shown),
                                    asked_by,
                                    fmt::format("{} -> {}", core::join(open_, " -> "), shown)));
    }
    const auto [first, is_new] = seen_.emplace(file_name, asked_by);
    if (!is_new) {
      core::Diagnostic twice = core::error(Code::kBoardInherit,
                                           fmt::format("'{}' is inherited twice", shown),
                                           asked_by,
                                           "inherit it in one place only");
      twice.related.push_back({first->second, "it is inherited here first"});
      return core::fail(std::move(twice));
    }
    read_.push_back(path);
    const auto text = files_.read(path, core::kWrittenFile);
    if (!text) {
      return asked_by.path.empty()
                 ? tl::make_unexpected(text.error())
                 : core::fail(
                       core::error(Code::kBoardInherit, text.error().front().message, asked_by));
    }
    auto file = core::parse_toml(*text, path);
    if (!file) {
      return file;
    }
    open_.push_back(file_name);
    auto merged = apply(path, std::move(*file));
    open_.pop_back();
    return merged;
  }

  /// The paths of all files so far.
  [[nodiscard]] const std::vector<std::string>& read() const { return read_; }

 private:
  core::Result<TomlValue> apply(const std::string& path, TomlValue file) {
    auto parents = take_strings(file, "inherit");
    auto removed = take_strings(file, "remove");
    if (!parents || !removed) {
      return tl::make_unexpected(!parents ? parents.error() : removed.error());
    }
    TomlValue merged;
    for (const TomlValue& parent : *parents) {
      auto loaded = load(find(path, parent.string), parent.place);
      if (!loaded) {
        return loaded;
      }
      merge(merged, std::move(*loaded));
    }
    for (const TomlValue& key : *removed) {
      if (!remove_key(merged, key.string)) {
        return core::fail(
            core::error(Code::kBoardInherit,
                        fmt::format("there is no '{}' to remove", core::printable(key.string)),
                        key.place,
                        "'remove' takes dotted keys of the inherited files"));
      }
    }
    merge(merged, std::move(file));
    return merged;
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

core::Result<TomlValue> load_inherited(core::FileSystem& files,
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
