// Feeds the mustache engine from a view, value by value as a template asks, and notes each name
// that the view lacks. Escapes for C comments, HTML and Markdown are here.
#include "template.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <kainjow/mustache.hpp>

namespace memsize::emit {

namespace {

using core::Code;
using Data = kainjow::mustache::data;

// Gives the engine those values of a view that the template asks for. The engine's own data copies
// whole lists where it is put together, so here a list holds placeholders: they stand for its
// objects, whose values are looked up in the view when they are used.
class StrictContext : public kainjow::mustache::basic_context<std::string> {
 public:
  explicit StrictContext(const Json& root) { push(add(root)); }

  void push(const Data* data) override {
    const auto object = objects_.find(data);
    stack_.emplace_back(data, object == objects_.end() ? nullptr : object->second);
  }

  void pop() override { stack_.pop_back(); }

  const Data* get(const std::string& name) const override {
    if (name == ".") {
      return stack_.back().first;
    }
    // A section over a truth value or a string opens no scope of its own.
    const auto scope = std::find_if(
        stack_.rbegin(), stack_.rend(), [](const auto& frame) { return frame.second != nullptr; });
    if (scope != stack_.rend()) {
      if (const Json* value = scope->second->find(name); value != nullptr) {
        return add(*value);
      }
    }
    missing_.insert(name);
    return nullptr;
  }

  const Data* get_partial(const std::string& name) const override {
    missing_.insert("> " + name);
    return nullptr;
  }

  [[nodiscard]] const std::set<std::string>& missing() const { return missing_; }

 private:
  // Where the engine keeps the value; it stays there.
  const Data* add(const Json& value) const {
    if (!value.is_array()) {
      const Data& data = data_.emplace_back(leaf(value));
      if (value.is_object()) {
        objects_[&data] = &value;
      }
      return &data;
    }
    Data list{Data::type::list};
    for (const Json& item : value.items()) {
      list.push_back(leaf(item));
    }
    const Data& data = data_.emplace_back(std::move(list));
    std::size_t at = 0;
    for (const Data& item : data.list_value()) {
      if (const Json& object = value.items()[at++]; object.is_object()) {
        objects_[&item] = &object;
      }
    }
    return &data;
  }

  static Data leaf(const Json& value) {
    if (value.is_object()) {
      return Data{true};
    }
    if (const bool* truth = value.boolean()) {
      return Data{*truth};
    }
    return Data{value.text() != nullptr ? *value.text() : value.compact()};
  }

  std::vector<std::pair<const Data*, const Json*>> stack_;
  mutable std::deque<Data> data_;
  mutable std::unordered_map<const Data*, const Json*> objects_;
  mutable std::set<std::string> missing_;
};

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

core::Place place_at(const std::string& path,
                     const std::string& text,
                     std::size_t at,
                     std::size_t length) {
  core::Place place{path};
  if (at <= text.size()) {
    const std::size_t start = text.rfind('\n', at) + 1;
    place.line = 1 + static_cast<std::size_t>(std::count(
                         text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    place.column = at - start + 1;
    place.length = length;
    place.text = text.substr(start, text.find('\n', at) - start);
  }
  return place;
}

// The line of the first use of `name`.
core::Place place_in(const std::string& path, const std::string& text, const std::string& name) {
  return place_at(path, text, text.find(name + "}}"), name.size());
}

// The engine says "Unclosed tag at 8": an offset is made a place.
core::Diagnostic broken_template(const std::string& path,
                                 const std::string& text,
                                 const std::string& problem) {
  const std::size_t at = problem.rfind(" at ");
  const auto offset = at == std::string::npos ? core::Result<std::uint64_t>{UINT64_MAX}
                                              : core::parse_address(problem.substr(at + 4));
  const std::string what = problem.substr(0, at);
  return core::error(Code::kEmitTemplate,
                     fmt::format("the template is broken: {}", what),
                     place_at(path, text, offset ? *offset : UINT64_MAX, 1));
}

// In the first of the folders that has it; where none has, the last is named.
std::string find_part(core::FileSystem& files,
                      const std::vector<std::string>& folders,
                      const std::string& part) {
  std::string path;
  for (const std::string& folder : folders) {
    path = fmt::format("{}/{}", folder, part);
    if (files.exists(path)) {
      break;
    }
  }
  return path;
}

}  // namespace

std::string escape_comment(const std::string& text) {
  return replace_all(replace_all(core::ascii_text(text), "*/", "* /"), "/*", "/ *");
}

std::string escape_html(const std::string& text) {
  return kainjow::mustache::html_escape(text);
}

std::string escape_markdown(const std::string& text) {
  return core::escape_markdown(text);
}

core::Result<std::string> render_page_template(core::FileSystem& files,
                                               const std::vector<std::string>& folders,
                                               const std::string& page,
                                               Json view) {
  for (const auto& [field, part] :
       {std::pair{"style", "page/style.css"}, std::pair{"script", "page/script.js"}}) {
    const auto text = files.read(find_part(files, folders, part), core::kWrittenFile);
    MEMSIZE_TRY(text);
    view[field] = *text;
  }
  return render_template(files, folders, page, view, escape_html);
}

core::Result<std::string> render_template(core::FileSystem& files,
                                          const std::vector<std::string>& folders,
                                          const std::string& name,
                                          const Json& view,
                                          Escape escape) {
  const std::string path = find_part(files, folders, name + "/main.tmpl");
  auto text = files.read(path, core::kWrittenFile);
  MEMSIZE_TRY(text);
  kainjow::mustache::mustache parsed{*text};
  if (!parsed.is_valid()) {
    return core::fail(broken_template(path, *text, parsed.error_message()));
  }
  parsed.set_custom_escape(escape);
  StrictContext context{view};
  std::string rendered = parsed.render(context);
  if (!context.missing().empty()) {
    core::Diagnostics errors;
    for (const std::string& missing : context.missing()) {
      if (missing.starts_with("> ")) {
        errors.push_back(core::error(
            Code::kEmitTemplate,
            fmt::format("the template uses the partial '{}'; partials are not supported",
                        core::printable(missing.substr(2))),
            place_in(path, *text, missing)));
        continue;
      }
      errors.push_back(
          core::error(Code::kEmitTemplate,
                      fmt::format("the template uses '{}', which its view does not have",
                                  core::printable(missing)),
                      place_in(path, *text, missing),
                      "templates/README.md lists what each view has"));
    }
    return tl::make_unexpected(std::move(errors));
  }
  return rendered;
}

}  // namespace memsize::emit
