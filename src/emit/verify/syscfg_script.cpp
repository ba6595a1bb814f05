// Takes a script apart statement by statement: creations and settings of instances are handed out,
// statements about anything else passed over. Whatever might reach an instance unseen is refused.
#include "syscfg_script.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace memsize::emit {

namespace {

using core::Code;

constexpr std::size_t kShown = 60;
constexpr const char* kAddModule = "scripting.addModule";

bool is_keyword(std::string_view word) {
  return core::is_one_of(word, "const let var");
}

// These begin a statement that ends with a block, or that has another one in it.
bool has_body(std::string_view word) {
  return core::is_one_of(word,
                         "if else for while do switch try catch finally function class async");
}

// A statement goes on behind these, on another line, too.
bool goes_on(std::string_view word) {
  return core::is_one_of(word,
                         "const let var typeof delete void new in of instanceof case await yield");
}

// What reaches everything, by whatever name, or leaves the script.
bool reaches_all(std::string_view word) {
  return core::is_one_of(word,
                         "eval Function with return throw import require this globalThis global "
                         "window self system process Object Reflect scripting");
}

bool leaves(std::string_view word) {
  return word == "return" || word == "throw";
}

bool begins_name(std::string_view word) {
  return !word.empty() && (std::isalpha(static_cast<unsigned char>(word.front())) != 0 ||
                           word.front() == '_' || word.front() == '$');
}

bool is_quote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

bool is_string(std::string_view word) {
  return word.size() >= 2 && is_quote(word.front()) && word.back() == word.front();
}

// A string that says what stands between its quotes.
bool is_plain_string(std::string_view word) {
  return is_string(word) && word.front() != '`' && word.find('\\') == std::string_view::npos;
}

bool is_value(std::string_view word) {
  const bool is_word = std::isalnum(static_cast<unsigned char>(word.front())) != 0 ||
                       word.front() == '_' || word.front() == '$' || is_string(word);
  return (is_word && !goes_on(word)) || word == ")" || word == "]" || word == "}";
}

int depth_of(std::string_view word) {
  const bool opens = word == "(" || word == "[" || word == "{";
  const bool closes = word == ")" || word == "]" || word == "}";
  return opens ? 1 : closes ? -1 : 0;
}

std::string_view first_of(std::string_view word) {
  return word.substr(0, word.find('.'));
}

}  // namespace

SyscfgScript::SyscfgScript(const MapFile& file,
                           const std::string& root,
                           std::vector<std::string> modules,
                           core::Diagnostics& errors)
    : cursor_(
          file.path_under(root), file.content, Code::kVerifyParse, errors, core::Words::kScript),
      modules_(std::move(modules)),
      errors_(errors) {
  check_bytes(file);
}

void SyscfgScript::read(const Found& found) {
  while (!cursor_.done()) {
    read_statement(found);
  }
  check_whole();
}

// A part of a script has the module somewhere else.
void SyscfgScript::check_whole() {
  for (const auto& [module, place] : early_) {
    is_refused_ = false;
    if (is_script_) {
      refuse(fmt::format("the module '{}' is not added above", module),
             place,
             fmt::format("const {0} = {1}(\"/kernel/dpl/{0}\", {{}}, false);", module, kAddModule));
    }
  }
}

// JavaScript ends a line, and so a comment, where others see none.
void SyscfgScript::check_bytes(const MapFile& file) {
  const std::string& text = file.content;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view{text}.substr(at);
    const bool ends_line = (rest.front() == '\r' && rest.substr(0, 2) != "\r\n") ||
                           rest.starts_with("\xE2\x80\xA8") || rest.starts_with("\xE2\x80\xA9");
    if (ends_line) {
      core::Place place = cursor_.place();
      place.line = static_cast<std::size_t>(std::count(
                       text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
                   1;
      place.column = at - std::min(text.rfind('\n', at) + 1, at) + 1;
      place.length = 1;
      return refuse(
          "JavaScript ends a line here, which other readers do not", place, "end it with '\\n'");
    }
  }
}

std::optional<SyscfgScript::Name> SyscfgScript::name_of(std::string_view word) const {
  // More digits than the number of any instance has.
  constexpr std::size_t kDigits = 3;
  const std::string_view first = first_of(word);
  const std::string property{first.size() == word.size() ? "" : word.substr(first.size() + 1)};
  for (const std::string& module : modules_) {
    const std::string_view digits = first.starts_with(module) ? first.substr(module.size()) : "-";
    const bool is_number =
        std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
    const bool is_instance =
        is_number && !digits.empty() && digits.size() <= kDigits && digits.front() != '0';
    if (digits.empty() || is_instance) {
      unsigned number = 0;
      for (const char c : digits) {
        number = number * 10 + static_cast<unsigned>(c - '0');
      }
      return Name{module, number, property};
    }
  }
  return std::nullopt;
}

// The name of a module or an instance that the word has in it.
std::optional<std::string> SyscfgScript::touched_by(std::string_view word) const {
  if (word.empty() || (is_quote(word.front()) && word.front() != '`')) {
    return std::nullopt;
  }
  for (const std::string& module : modules_) {
    if (word.front() == '`' && word.find(module) != std::string_view::npos) {
      return module;
    }
  }
  while (!word.empty()) {
    const std::string_view first = first_of(word);
    if (name_of(first)) {
      return std::string{first};
    }
    word.remove_prefix(std::min(first.size() + 1, word.size()));
  }
  return std::nullopt;
}

bool SyscfgScript::is_module_path(std::string_view text) const {
  const std::string path = core::unquoted(text);
  const std::string name = path.substr(path.rfind('/') + 1);
  return std::ranges::find(modules_, name) != modules_.end();
}

void SyscfgScript::refuse(std::string message, const core::Place& place, std::string hint) {
  if (!std::exchange(is_refused_, true)) {
    errors_.push_back(core::error(Code::kVerifyParse, std::move(message), place, std::move(hint)));
  }
}

void SyscfgScript::read_statement(const Found& found) {
  is_refused_ = false;
  const std::size_t ahead = is_keyword(cursor_.peek()) ? 1 : 0;
  const core::Place place = cursor_.place(ahead);
  const auto name = name_of(cursor_.peek(ahead));
  const std::string_view behind = cursor_.peek(ahead + 2);
  const bool assigns = cursor_.peek(ahead + 1) == "=" && behind != "=" && behind != ">";
  if (assigns && behind == kAddModule && cursor_.peek(ahead + 3) == "(") {
    if (read_module(name)) {
      return;
    }
  } else if (assigns && name && name->instance != 0 && name->property.empty()) {
    return read_creation(*name, place, found);
  } else if (assigns && name && name->instance != 0 && ahead == 0) {
    return read_setting(*name, place, found);
  } else if (assigns && name && !name->property.empty() && name->property != "addInstance") {
    // Of the module itself.
    cursor_.take();
  } else if (is_bare_word()) {
    refuse(fmt::format("'{}' is no statement", core::printable(cursor_.peek(), kShown)),
           place,
           "take it out: the script ends here");
  }
  pass_over();
}

// A name that nothing is done with: that it is none ends the script, or even its reading.
bool SyscfgScript::is_bare_word() const {
  const auto is_plain = [](std::string_view word) {
    return begins_name(word) && !has_body(word) && !goes_on(word) &&
           !core::is_one_of(word, "break continue debugger import export return throw");
  };
  const std::string_view behind = cursor_.peek(1);
  return is_plain(cursor_.peek()) &&
         (behind.empty() || behind == ";" || is_plain(behind) || is_keyword(behind));
}

// True where the statement was read to its end; else the rest of it is still ahead.
bool SyscfgScript::read_module(const std::optional<Name>& name) {
  const core::Place first = cursor_.place();
  if (is_keyword(cursor_.peek())) {
    cursor_.take();
  }
  const core::Place place = cursor_.place();
  const std::string word = cursor_.take();
  cursor_.take();
  cursor_.take();
  cursor_.take();
  is_script_ = true;
  const std::string path{cursor_.peek()};
  if (!is_plain_string(path) || (cursor_.peek(1) != "," && cursor_.peek(1) != ")")) {
    refuse("which module is added here is not known",
           cursor_.place(),
           fmt::format("write its path as one string: {}(\"/kernel/dpl/...\")", kAddModule));
    return false;
  }
  if (!name && !is_module_path(path)) {
    return false;
  }
  const std::string module = core::unquoted(path).substr(core::unquoted(path).rfind('/') + 1);
  if (module != word) {
    refuse(fmt::format("the module '{}' is called '{}' here: its instances are not found again",
                       core::printable(module, kShown),
                       core::printable(word, kShown)),
           place,
           fmt::format("const {} = {}({}, {{}}, false);",
                       core::printable(module, kShown),
                       kAddModule,
                       core::printable(path, kShown)));
  } else if (!added_.insert(module).second) {
    refuse(fmt::format("the module '{}' is added twice", module), place);
  }
  cursor_.take();
  const bool has_object = cursor_.peek() == "," && cursor_.peek(1) == "{" && cursor_.peek(2) == "}";
  for (std::size_t i = 0; i < (has_object ? 3 : 0); ++i) {
    cursor_.take();
  }
  const bool has_switch = has_object && cursor_.peek() == "," &&
                          (cursor_.peek(1) == "true" || cursor_.peek(1) == "false");
  for (std::size_t i = 0; i < (has_switch ? 2 : 0); ++i) {
    cursor_.take();
  }
  if (cursor_.peek() == ")") {
    cursor_.take();
  }
  end(first);
  return true;
}

void SyscfgScript::read_creation(const Name& name, const core::Place& place, const Found& found) {
  if (!added_.contains(name.module)) {
    early_.try_emplace(name.module, place);
  }
  const core::Place first = cursor_.place();
  if (is_keyword(cursor_.peek())) {
    cursor_.take();
  }
  const std::string word = cursor_.take();
  cursor_.take();
  const bool creates = cursor_.peek() == name.module + ".addInstance" && cursor_.peek(1) == "(" &&
                       cursor_.peek(2) == ")";
  if (!creates) {
    refuse(fmt::format("what '{}' is made of here is not read", word),
           cursor_.place(),
           fmt::format("const {} = {}.addInstance();", word, name.module));
    return pass_over();
  }
  for (std::size_t i = 0; i < 3; ++i) {
    cursor_.take();
  }
  if (first == place) {
    refuse(fmt::format("'{}' is not declared", word),
           place,
           fmt::format("const {} = {}.addInstance();", word, name.module));
  }
  if (!created_.insert(word).second) {
    refuse(fmt::format("'{}' is created twice", word), place);
  }
  found({name.module, name.instance, "", place}, cursor_);
  end(first);
}

void SyscfgScript::read_setting(const Name& name, const core::Place& place, const Found& found) {
  const std::string word = cursor_.take();
  cursor_.take();
  const std::string instance{first_of(word)};
  if (!added_.contains(name.module)) {
    early_.try_emplace(name.module, place);
  } else if (!created_.contains(instance)) {
    refuse(fmt::format("'{}' is set, but not created above", instance),
           place,
           fmt::format("const {} = {}.addInstance();", instance, name.module));
  }
  const core::Place value = cursor_.place();
  const std::size_t known = errors_.size();
  if (cursor_.done() || cursor_.peek() == ";") {
    refuse(fmt::format("'{}' is set to nothing", core::printable(word, kShown)), place);
    return pass_over();
  }
  found({name.module, name.instance, name.property, place}, cursor_);
  is_refused_ = is_refused_ || errors_.size() != known;
  if (!ends()) {
    while (!cursor_.done() && cursor_.peek() != ";" && !cursor_.begins_line()) {
      cursor_.take();
    }
    refuse(fmt::format("'{}' is not set to one number or word here, but to '{}'",
                       core::printable(word, kShown),
                       core::printable(cursor_.words_since(value), kShown)),
           cursor_.place_since(value),
           fmt::format("write the value itself, and a semicolon: {} = ...;",
                       core::printable(word, kShown)));
    pass_over();
  }
}

// Whether the statement ends here; its semicolon is taken.
bool SyscfgScript::ends() {
  const std::string_view next = cursor_.peek();
  if (next == ";") {
    cursor_.take();
    return true;
  }
  return cursor_.done() || (cursor_.begins_line() && begins_name(next) && !goes_on(next)) ||
         (cursor_.begins_line() && is_keyword(next));
}

void SyscfgScript::end(const core::Place& first) {
  if (!ends()) {
    refuse("this statement says more than is read here",
           cursor_.place_since(first),
           "put each statement on a line of its own, and a semicolon behind it");
    pass_over();
  }
}

// A statement that is none about instances, and must not touch any.
void SyscfgScript::pass_over() {
  bool is_block = cursor_.peek() == "{";
  const bool may_return =
      is_keyword(cursor_.peek()) || cursor_.peek() == "function" || cursor_.peek() == "class";
  std::string last;
  int depth = 0;
  while (!cursor_.done()) {
    if (depth == 0 && cursor_.peek() == ";") {
      cursor_.take();
      return;
    }
    is_block = is_block || has_body(cursor_.peek());
    if (depth == 0 && !last.empty() && !is_block && is_value(last) && cursor_.peek() != ";" &&
        ends()) {
      return;
    }
    check_word(may_return);
    last = cursor_.take();
    depth = std::max(depth + depth_of(last), 0);
    if (last == "}" && depth == 0 && is_block) {
      return;
    }
  }
}

// What a function does when it ends is its own.
void SyscfgScript::check_word(bool is_of_function) {
  const std::string_view word = cursor_.peek();
  const auto begins = [&](std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (cursor_.peek(i) != text.substr(i, 1)) {
        return false;
      }
    }
    return true;
  };
  const auto touched = touched_by(word);
  if (touched) {
    refuse(fmt::format("this may change what '{}' says, in a way that is not read",
                       core::printable(*touched, kShown)),
           cursor_.place(),
           fmt::format("write what sysconfig writes, a line each: const {0}1 = {0}.addInstance(); "
                       "{0}1.PROPERTY = VALUE;",
                       name_of(*touched).value_or(Name{*touched, 0, ""}).module));
  } else if (is_string(word) &&
             (is_module_path(word) || (word.front() == '`' && word.find("${") != word.npos))) {
    refuse("what this string is used for is not known", cursor_.place());
  } else if (is_quote(word.front()) && !is_string(word)) {
    refuse("this string does not end", cursor_.place());
  } else if (word == "/" || word == "\\" || word == "#" || begins("<!--") || begins("-->")) {
    refuse(fmt::format("'{}' is not read here: what is behind it may be something else to "
                       "JavaScript",
                       core::printable(word, kShown)),
           cursor_.place());
  } else if (reaches_all(first_of(word)) && !(is_of_function && leaves(word))) {
    refuse(fmt::format("'{}' may change any entry", core::printable(word, kShown)),
           cursor_.place(),
           "write what sysconfig writes: modules, instances and their properties");
  }
}

std::uint64_t script_number(core::Cursor& cursor) {
  // So many bits a number of JavaScript has.
  constexpr std::uint64_t kExact = 1ULL << 53;
  const core::Place place = cursor.place();
  const std::string word{cursor.peek()};
  const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
  const bool is_number =
      !word.empty() && (is_hex || word == "0" || word.front() != '0') &&
      std::all_of(word.begin() + (is_hex ? 2 : 0), word.end(), [&](unsigned char c) {
        return is_hex ? std::isxdigit(c) != 0 : std::isdigit(c) != 0;
      });
  if (!is_number) {
    cursor.take();
    cursor.wrong(fmt::format("a number is expected here, not '{}'", core::printable(word, 40)),
                 place);
    return 0;
  }
  const std::uint64_t value = cursor.number();
  if (value != 0 && (value >> static_cast<unsigned>(std::countr_zero(value))) >= kExact) {
    cursor.wrong(fmt::format("{} is more than a number of JavaScript holds exactly",
                             core::format_hex(value)),
                 place);
  }
  return value;
}

std::string script_string(core::Cursor& cursor) {
  const core::Place place = cursor.place();
  const std::string word = cursor.take();
  if (!is_plain_string(word)) {
    cursor.wrong(fmt::format("a string is expected here, not '{}'", core::printable(word, 40)),
                 place);
  }
  return core::unquoted(word);
}

}  // namespace memsize::emit
