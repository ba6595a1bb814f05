// Reads who owns each line of a script, and carries a plan of instances out by lines, with comments
// and blank lines. The result must say the same but for what was planned.
#include "instances.hpp"

#include "memsize/core/text.hpp"

#include "formats/edit_style.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using core::Code;

// Owners of lines: other code, what is set in the instance N, and from kCreation on its creation.
constexpr long kShared = -1;
constexpr long kCreation = 1000;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_declaration(std::string_view word) {
  return word == "const" || word == "let" || word == "var";
}

int depth_of(std::string_view word) {
  const bool opens = word == "(" || word == "[" || word == "{";
  const bool closes = word == ")" || word == "]" || word == "}";
  return opens ? 1 : closes ? -1 : 0;
}

long owner_of(const Setting& setting) {
  return static_cast<long>(setting.instance) + (setting.property.empty() ? kCreation : 0);
}

core::Diagnostic refusal(std::string message, const core::Place& place, std::string hint = {}) {
  return core::error(Code::kVerifyParse, std::move(message), place, std::move(hint));
}

constexpr const char* kOwnLine = "put each statement on a line of its own";

// A setting's line, as a pattern for another one.
std::string like(const core::TextEdits& text,
                 const Setting& pattern,
                 const std::string& head,
                 std::string_view value) {
  const std::string_view line = text.line(pattern.place.line);
  const std::size_t indent = std::min(line.find_first_not_of(" \t"), line.size());
  const std::size_t equals = line.find('=', pattern.place.column);
  const bool is_first = pattern.place.column == indent + 1;
  if (!is_first || equals == std::string_view::npos) {
    return fmt::format("{}{} = {};", line.substr(0, indent), head, value);
  }
  const bool is_tight = line[equals - 1] != ' ';
  const bool is_tight_behind = line.substr(equals + 1, 1) != " ";
  std::string begin{line.substr(0, indent)};
  begin += head;
  begin.resize(std::max(begin.size() + (is_tight ? 0 : 1), is_tight ? 0 : equals), ' ');
  return fmt::format("{}={}{};", begin, is_tight_behind ? "" : " ", value);
}

bool is_blank(const InstanceScript& script, const core::TextEdits& text, std::size_t line) {
  return script.is_free(line) && core::trim(text.line(line)).empty();
}

// Where the comment begins that stands directly above a line; the line where none does.
std::size_t comment_above(const InstanceScript& script,
                          const core::TextEdits& text,
                          std::size_t line) {
  std::size_t top = line;
  for (std::size_t above = line; above-- > 1 && script.is_free(above);) {
    const std::string_view words = core::trim(text.line(above));
    if (words.empty()) {
      break;
    }
    top = words.starts_with("/*") || words.starts_with("//") ? above : top;
  }
  return top;
}

// Of two blank lines that would come together, one goes, too.
void add_blanks(const InstanceScript& script,
                const core::TextEdits& text,
                std::set<std::size_t>& removed) {
  const std::set<std::size_t> lines = removed;
  for (const std::size_t line : lines) {
    std::size_t before = line - 1;
    while (before > 0 && removed.contains(before)) {
      --before;
    }
    const bool opens = before == 0 || is_blank(script, text, before);
    if (lines.contains(line + 1) || !opens) {
      continue;
    }
    if (line == text.lines() && before != 0) {
      removed.insert(before);
    } else if (line < text.lines() && is_blank(script, text, line + 1)) {
      removed.insert(line + 1);
    }
  }
}

// The last setting in an instance that stays.
const Setting* last_kept(const InstanceScript& script, const std::map<unsigned, unsigned>& kept) {
  const Setting* last = nullptr;
  for (const Setting& setting : script.settings()) {
    const bool counts = !setting.property.empty() && kept.contains(setting.instance);
    last = counts ? &setting : last;
  }
  return last;
}

// Whether a blank line stands before what is set in that instance.
bool is_spaced_from(const InstanceScript& script,
                    const core::TextEdits& text,
                    const Setting& setting) {
  std::size_t line = setting.place.line;
  for (const Setting& other : script.settings()) {
    if (other.instance == setting.instance && !other.property.empty()) {
      line = std::min(line, other.place.line);
    }
  }
  while (line > 1 && script.is_free(line - 1) && !is_blank(script, text, line - 1)) {
    --line;
  }
  return line > 1 && is_blank(script, text, line - 1);
}

// Carries a plan out.
class InstanceEditor {
 public:
  InstanceEditor(const InstanceScript& script, const InstancePlan& plan)
      : script_(script), plan_(plan), edits_(script.text()) {
    for (const InstancePlan::Wanted& wanted : plan.wanted) {
      declared_.insert(wanted.number);
      if (wanted.from) {
        numbers_.emplace(*wanted.from, wanted.number);
      }
    }
  }

  core::Result<std::string> run() {
    remove();
    renumber();
    declare();
    add();
    if (core::has_errors(errors_)) {
      return tl::unexpected{std::move(errors_)};
    }
    return edits_.apply();
  }

 private:
  // Instances that are not wanted, and the creations of numbers that are not.
  void remove() {
    for (const Setting& setting : script_.settings()) {
      const bool stays = setting.property.empty() ? declared_.contains(setting.instance)
                                                  : numbers_.contains(setting.instance);
      if (stays) {
        continue;
      }
      if (!script_.is_alone(setting)) {
        errors_.push_back(refusal(fmt::format("'{}{}' cannot be removed: its line has more on it",
                                              script_.module(),
                                              setting.instance),
                                  setting.place,
                                  kOwnLine));
        continue;
      }
      const std::size_t first = setting.property.empty()
                                    ? setting.place.line
                                    : comment_above(script_, edits_, setting.place.line);
      for (std::size_t line = first; line <= setting.last_line; ++line) {
        removed_.insert(line);
      }
    }
    if (!core::has_errors(errors_)) {
      add_blanks(script_, edits_, removed_);
      for (const std::size_t line : removed_) {
        edits_.remove_lines(line, line);
      }
    }
  }

  void renumber() {
    for (const InstanceScript::Mention& mention : script_.mentions()) {
      if (removed_.contains(mention.digits.line)) {
        continue;
      }
      const auto number = numbers_.find(mention.instance);
      if (number == numbers_.end()) {
        if (!mention.is_setting) {
          errors_.push_back(refusal(
              fmt::format(
                  "'{}{}' cannot be removed: it is used here", script_.module(), mention.instance),
              mention.digits));
        }
      } else if (number->second != mention.instance) {
        edits_.replace(mention.digits, fmt::format("{}", number->second));
      }
    }
  }

  // Creations are in the order of the numbers; each new one stands behind the one before it.
  void declare() {
    std::size_t anchor = 0;
    const Setting* pattern = nullptr;
    for (const InstancePlan::Wanted& wanted : plan_.wanted) {
      if (const Setting* known = script_.find(wanted.number, "")) {
        pattern = known;
        anchor = known->last_line;
        if (!script_.is_alone(*known)) {
          anchor = 0;
        }
        continue;
      }
      if (std::ranges::count(script_.numbers(), wanted.number) != 0) {
        continue;  // It is used without being created here.
      }
      if (pattern == nullptr) {
        anchor = script_.module_line().value_or(0);
      }
      if (anchor == 0) {
        errors_.push_back(refusal(
            fmt::format("there is no place here to create '{}{}'", script_.module(), wanted.number),
            pattern == nullptr ? core::Place{script_.path()} : pattern->place,
            pattern == nullptr ? fmt::format("add the module to the script first: const {} = "
                                             "scripting.addModule(...)",
                                             script_.module())
                               : kOwnLine));
        return;
      }
      const std::string value = script_.module() + ".addInstance()";
      const std::string head = fmt::format("const {}{}", script_.module(), wanted.number);
      edits_.insert_after_line(anchor,
                               pattern == nullptr ? fmt::format("{} = {};", head, value)
                                                  : like(edits_, *pattern, head, value));
    }
  }

  // What is set in a new instance stands behind that of the one before it.
  void add() {
    const Setting* anchor = last_kept(script_, numbers_);
    for (const InstancePlan::Wanted& wanted : plan_.wanted) {
      if (wanted.from) {
        const Setting* last = script_.last_of(*wanted.from);
        anchor = last == nullptr || last->property.empty() ? anchor : last;
        continue;
      }
      const std::string head = fmt::format("{}{}.$name", script_.module(), wanted.number);
      const std::string value = fmt::format("\"{}\"", wanted.name);
      if (anchor == nullptr) {
        add_first(fmt::format("{} = {};", head, value));
      } else if (!script_.is_alone(*anchor)) {
        errors_.push_back(refusal(
            "nothing can be put behind this line: it has more on it", anchor->place, kOwnLine));
      } else {
        const bool is_spaced = is_spaced_from(script_, edits_, *anchor);
        edits_.insert_after_line(anchor->last_line,
                                 (is_spaced ? "\n" : "") + like(edits_, *anchor, head, value));
      }
    }
  }

  // Where nothing is set in any instance: behind everything that is added to the script.
  void add_first(const std::string& line) {
    std::size_t last = script_.import_line();
    for (const Setting& setting : script_.settings()) {
      last = std::max(last, setting.last_line);
    }
    if (last != 0) {
      edits_.insert_after_line(last, "\n" + line);
    }
  }

  const InstanceScript& script_;
  const InstancePlan& plan_;
  core::TextEdits edits_;
  core::Diagnostics errors_;
  // The numbers that are to be created, and what becomes of the instances that stay.
  std::set<unsigned> declared_;
  std::map<unsigned, unsigned> numbers_;
  std::set<std::size_t> removed_;
};

// The script with the planned instances. Those that are new have nothing but a $name yet.
core::Result<std::string> with_instances(const InstanceScript& script, const InstancePlan& plan) {
  if (!plan.changes(script)) {
    return script.text();
  }
  const std::string created = script.module() + ".addInstance ( )";
  for (const Setting& setting : script.settings()) {
    if (setting.property.empty() && setting.value != created) {
      return core::fail(refusal(fmt::format("'{}{}' is not created by {}.addInstance() alone here",
                                            script.module(),
                                            setting.instance,
                                            script.module()),
                                setting.place));
    }
  }
  return InstanceEditor{script, plan}.run();
}

// Empty if `after` says the same as `before` but for the planned instances and the properties
// named; else what differs.
core::Diagnostics hold_rest(const InstanceScript& before,
                            const InstanceScript& after,
                            const InstancePlan& plan,
                            const std::vector<std::string_view>& edited) {
  core::Diagnostics found;
  const core::Place whole{before.path()};
  const auto differs = [&](const std::string& what) {
    found.push_back(core::error(
        Code::kVerifyDisagree, fmt::format("the change would also change {}", what), whole));
  };
  if (before.others() != after.others()) {
    differs(fmt::format("what the file says beside '{}'", before.module()));
  }
  std::map<unsigned, unsigned> numbers;
  std::vector<unsigned> order;
  for (const InstancePlan::Wanted& wanted : plan.wanted) {
    order.push_back(wanted.number);
    if (wanted.from) {
      numbers.emplace(*wanted.from, wanted.number);
    }
  }
  if (order != after.numbers()) {
    differs(fmt::format("the order of the instances of '{}'", before.module()));
  }
  for (const Setting& setting : before.settings()) {
    const bool is_edited =
        setting.property.empty() || std::ranges::find(edited, setting.property) != edited.end();
    const auto number = numbers.find(setting.instance);
    if (is_edited || number == numbers.end()) {
      continue;
    }
    const Setting* now = after.find(number->second, setting.property);
    const Setting* last = before.find(setting.instance, setting.property);
    if (now == nullptr || now->value != last->value) {
      differs(fmt::format("'{}{}.{}'", before.module(), setting.instance, setting.property));
    }
  }
  return found;
}

}  // namespace

InstanceScript::InstanceScript(const emit::MapFile& file,
                               const std::string& root,
                               std::string module)
    : text_(&file.content), path_(file.path_under(root)), module_(std::move(module)) {
  core::Diagnostics unused;
  core::Cursor cursor{path_, file.content, Code::kVerifyParse, unused, core::Words::kScript};
  while (!cursor.done()) {
    const std::size_t ahead = is_declaration(cursor.peek()) ? 1 : 0;
    if (number_of(cursor.peek(ahead)) && cursor.peek(ahead + 1) == "=" &&
        cursor.peek(ahead + 2) != "=") {
      read_setting(cursor);
    } else {
      read_other(cursor);
    }
  }
}

void InstanceScript::read_other(core::Cursor& cursor) {
  const core::Place place = cursor.place();
  const std::string word = cursor.take();
  if (const auto number = number_of(word)) {
    mention(*number, place, word, false);
  }
  in_module_ = in_module_ || (word == module_ && cursor.peek() == "=" && !module_line_);
  if (in_module_) {
    module_line_ = place.line;
    in_module_ = word != ";";
  }
  in_import_ = in_import_ || word.ends_with(".addModule") || word.ends_with(".addInstance");
  if (in_import_) {
    import_line_ = place.line;
    in_import_ = word != ";";
  }
  others_.push_back(word);
  note_line(place.line, kShared);
}

// A statement goes up to its semicolon, or to its line's end where brackets are closed.
void InstanceScript::read_setting(core::Cursor& cursor) {
  Setting setting{.place = cursor.place()};
  std::size_t words = 0;
  std::vector<std::size_t> lines = {setting.place.line};
  if (is_declaration(cursor.peek())) {
    cursor.take();
  }
  const core::Place head = cursor.place();
  const std::string word = cursor.take();
  const std::size_t dot = std::min(word.find('.'), word.size());
  setting.instance = *number_of(word);
  setting.property = word.substr(std::min(dot + 1, word.size()));
  lines.push_back(head.line);
  if (!setting.property.empty()) {
    mention(setting.instance, head, word, true);
  }
  lines.push_back(cursor.place().line);
  cursor.take();
  core::Place place = cursor.place();
  setting.value_place = place;
  int depth = 0;
  while (!cursor.done() && cursor.peek() != ";" &&
         (words == 0 || depth > 0 || cursor.place().line == lines.back())) {
    place = cursor.place();
    const std::string part = cursor.take();
    if (const auto number = number_of(part)) {
      mention(*number, place, part, false);
    }
    depth += depth_of(part);
    setting.value += (words++ == 0 ? "" : " ") + part;
    lines.push_back(place.line);
  }
  if (!cursor.done() && cursor.peek() == ";") {
    lines.push_back(cursor.place().line);
    cursor.take();
  }
  if (words != 1) {
    setting.value_place.reset();
  }
  setting.last_line = lines.back();
  for (const std::size_t line : lines) {
    note_line(line, owner_of(setting));
  }
  if (std::ranges::find(numbers_, setting.instance) == numbers_.end()) {
    numbers_.push_back(setting.instance);
  }
  settings_.push_back(std::move(setting));
}

// Of a word that names an instance, or something in it.
std::optional<unsigned> InstanceScript::number_of(std::string_view word) const {
  // More digits than the number of any instance has.
  constexpr std::size_t kDigits = 3;
  if (!word.starts_with(module_)) {
    return std::nullopt;
  }
  const std::string_view rest = word.substr(module_.size());
  const std::string_view digits = rest.substr(0, rest.find('.'));
  if (digits.empty() || digits.size() > kDigits || digits.front() == '0' ||
      !std::ranges::all_of(digits, is_digit)) {
    return std::nullopt;
  }
  unsigned number = 0;
  for (const char c : digits) {
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number;
}

void InstanceScript::mention(unsigned instance,
                             const core::Place& place,
                             std::string_view word,
                             bool is_setting) {
  core::Place digits = place;
  digits.column += module_.size();
  digits.length = std::min(word.find('.'), word.size()) - module_.size();
  mentions_.push_back({instance, digits, is_setting});
}

void InstanceScript::note_line(std::size_t line, long owner) {
  const auto [known, fresh] = owners_.emplace(line, owner);
  if (!fresh && known->second != owner) {
    known->second = kShared;
  }
}

const Setting* InstanceScript::find(unsigned instance, std::string_view property) const {
  const auto found = std::find_if(settings_.rbegin(), settings_.rend(), [&](const Setting& one) {
    return one.instance == instance && one.property == property;
  });
  return found == settings_.rend() ? nullptr : &*found;
}

std::vector<std::string> InstanceScript::values(std::string_view property) const {
  std::vector<std::string> values;
  for (const Setting& setting : settings_) {
    if (setting.property == property) {
      values.push_back(setting.value);
    }
  }
  return values;
}

bool InstanceScript::is_alone(const Setting& setting) const {
  for (std::size_t line = setting.place.line; line <= setting.last_line; ++line) {
    const auto owner = owners_.find(line);
    if (owner != owners_.end() && owner->second != owner_of(setting)) {
      return false;
    }
  }
  return true;
}

bool InstanceScript::is_free(std::size_t line) const {
  return !owners_.contains(line);
}

const Setting* InstanceScript::last_of(unsigned instance) const {
  const Setting* last = nullptr;
  for (const Setting& setting : settings_) {
    const bool counts = setting.instance == instance &&
                        (last == nullptr || !setting.property.empty() || last->property.empty());
    last = counts ? &setting : last;
  }
  return last;
}

bool InstancePlan::changes(const InstanceScript& script) const {
  bool same = wanted.size() == script.numbers().size();
  for (const Wanted& one : wanted) {
    same = same && one.from == one.number;
  }
  return !same;
}

PropertyEdits::PropertyEdits(const InstanceScript& script)
    : script_(script), edits_(script.text()) {}

void PropertyEdits::number(unsigned instance,
                           std::string_view property,
                           std::uint64_t value,
                           bool is_hex) {
  const Setting* known = script_.find(instance, property);
  std::string old = known == nullptr ? "0" : known->value;
  if (is_hex && old == "0") {
    old = "0x";
  }
  set(instance, property, restyled(old, value, script_.values(property)));
}

void PropertyEdits::text(unsigned instance, std::string_view property, std::string_view value) {
  const Setting* known = script_.find(instance, property);
  set(instance, property, requoted(known == nullptr ? "" : known->value, value));
}

void PropertyEdits::word(unsigned instance, std::string_view property, std::string_view value) {
  set(instance, property, std::string{value});
}

void PropertyEdits::replace(const core::Place& place, std::string text) {
  edits_.replace(place, std::move(text));
}

void PropertyEdits::set(unsigned instance, std::string_view property, std::string value) {
  const std::string name = fmt::format("{}{}.{}", script_.module(), instance, property);
  if (const Setting* known = script_.find(instance, property)) {
    if (!known->value_place || known->value_place->line == 0) {
      errors_.push_back(refusal(
          fmt::format("'{}' cannot be changed: its value is not one number or string", name),
          known->place,
          fmt::format("write {} here", core::printable(value, 60))));
      return;
    }
    edits_.replace(*known->value_place, std::move(value));
    return;
  }
  const Setting* last = script_.last_of(instance);
  if (last == nullptr || last->property.empty() || !script_.is_alone(*last)) {
    errors_.push_back(
        refusal(fmt::format("there is no line here behind which '{}' can be set", name),
                last == nullptr ? core::Place{} : last->place,
                kOwnLine));
    return;
  }
  edits_.insert_after_line(last->last_line, like(edits_, *last, name, value));
}

core::Result<std::string> PropertyEdits::apply() const {
  if (core::has_errors(errors_)) {
    return tl::unexpected{errors_};
  }
  return edits_.apply();
}

core::Result<std::string> edit_instances(
    const emit::MapFile& file,
    const std::string& root,
    const std::string& module,
    const InstancePlan& plan,
    const std::vector<std::string_view>& edited,
    const std::function<void(const emit::MapFile&, PropertyEdits&)>& fill) {
  const auto failed = [&](core::Diagnostics errors, const std::string& text) {
    core::add_text(errors, file.path_under(root), text);
    return tl::unexpected{std::move(errors)};
  };
  const InstanceScript before{file, root, module};
  auto planned = with_instances(before, plan);
  if (!planned) {
    return failed(planned.error(), file.content);
  }
  const emit::MapFile structured{file.path, std::move(*planned)};
  const InstanceScript script{structured, root, module};
  PropertyEdits edits{script};
  fill(structured, edits);
  auto filled = edits.apply();
  if (!filled) {
    return failed(filled.error(), structured.content);
  }
  const emit::MapFile result{file.path, std::move(*filled)};
  const InstanceScript after{result, root, module};
  auto differences = hold_rest(before, after, plan, edited);
  if (!differences.empty()) {
    return failed(std::move(differences), file.content);
  }
  return result.content;
}

}  // namespace memsize::sdk
