// Calls: of the script's functions, of what Python has, and of the SDK's library.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "eval.hpp"
#include "limits.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

using Kind = ValueKind;

constexpr std::string_view kLibrary = "ti_psdk_rtos_tools";

struct Class {
  std::string_view name;
  LibraryClass kind;
  /// Of an exporter: the file that it writes without being told.
  std::string_view file;
};

constexpr std::array<Class, 6> kClasses = {{
    {"MemSection", LibraryClass::kSection, ""},
    {"MemoryMap", LibraryClass::kMap, ""},
    {"LinkerCmdFile", LibraryClass::kExporter, "linker_mem_map.cmd"},
    {"HtmlMmapTable", LibraryClass::kExporter, "./memory_map.html"},
    {"DtsFile", LibraryClass::kExporter, "app_mem_map.h"},
    {"CHeaderFile", LibraryClass::kHeaderExporter, "app_mem_map.h"},
}};

constexpr std::array<std::pair<std::string_view, Builtin>, 9> kBuiltins = {{
    {"print", Builtin::kPrint},
    {"int", Builtin::kInt},
    {"abs", Builtin::kAbs},
    {"min", Builtin::kMin},
    {"max", Builtin::kMax},
    {"str", Builtin::kStr},
    {"hex", Builtin::kHex},
    {"exit", Builtin::kExit},
    {"quit", Builtin::kExit},
}};

constexpr std::array<std::string_view, 5> kModules = {kLibrary, "math", "os", "sys", "re"};

// What a script may ask of the place where it runs.
constexpr std::array<std::string_view, 6> kOfSystem = {
    "environ", "path", "getenv", "getcwd", "name", "sep"};
constexpr std::array<std::string_view, 7> kOfPython = {
    "argv", "path", "platform", "version", "version_info", "stdout", "stderr"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return core::contains(names, name);
}

Value make_builtin(Builtin builtin, std::string_view name) {
  Value value = make_unknown(Kind::kBuiltin);
  value.index = static_cast<std::size_t>(builtin);
  value.text = std::make_shared<const std::string>(name);
  return value;
}

std::optional<Value> library_member(std::string_view name) {
  for (const Class& known : kClasses) {
    if (known.name == name) {
      Value value = make_unknown(Kind::kClass);
      value.index = static_cast<std::size_t>(known.kind);
      value.text = std::make_shared<const std::string>(name);
      return value;
    }
  }
  // The library imports these modules, and so passes them on.
  if (name == "os" || name == "sys" || name == "re") {
    Value value = make_unknown(Kind::kModule);
    value.text = std::make_shared<const std::string>(name);
    return value;
  }
  return std::nullopt;
}

std::string_view default_file(std::string_view name) {
  const auto* known = core::find_in(kClasses, name, &Class::name);
  return known == nullptr ? std::string_view{} : known->file;
}

}  // namespace

bool is_known_module(std::string_view module) {
  return contains(kModules, module);
}

std::optional<Value> module_member(std::string_view module, std::string_view name) {
  if (module == kLibrary) {
    return library_member(name);
  }
  if (module == "math" && (name == "ceil" || name == "floor")) {
    return make_builtin(name == "ceil" ? Builtin::kCeil : Builtin::kFloor, name);
  }
  if (module == "sys" && name == "exit") {
    return make_builtin(Builtin::kExit, name);
  }
  if ((module == "os" && contains(kOfSystem, name)) ||
      (module == "sys" && contains(kOfPython, name))) {
    return make_unknown(Kind::kEnvironment);
  }
  return std::nullopt;
}

std::vector<std::string_view> exported_names(std::string_view module) {
  std::vector<std::string_view> names;
  if (module == kLibrary) {
    for (const Class& known : kClasses) {
      names.push_back(known.name);
    }
    names.insert(names.end(), {"os", "sys", "re"});
  } else if (module == "math") {
    names = {"ceil", "floor"};
  }
  return names;
}

std::optional<Value> builtin_name(std::string_view name) {
  for (const auto& [known, builtin] : kBuiltins) {
    if (known == name) {
      return make_builtin(builtin, name);
    }
  }
  if (name == "__name__") {
    return make_text("__main__");
  }
  if (name == "__file__") {
    return make_unknown(Kind::kEnvironment);
  }
  return std::nullopt;
}

Value Evaluator::call(const Expr& expr) {
  const Expr& callee = this->expr(expr.operands.front());
  if (callee.kind == ExprKind::kAttribute) {
    const Value object = eval(callee.operands.front());
    if (stopped()) {
      return make_none();
    }
    if (!object.is(Kind::kModule)) {
      return method(expr, object, name_text(callee.name));
    }
  }
  Value function = eval(expr.operands.front());
  if (stopped()) {
    return make_none();
  }
  switch (function.kind) {
    case Kind::kFunction:
      return call_function(expr, tree_.functions[function.index]);
    case Kind::kBuiltin:
      return call_builtin(expr, function);
    case Kind::kClass:
      return call_class(expr, function);
    case Kind::kEnvironment:
      eval_all(expr);
      return function;
    default:
      wrong(fmt::format("a '{}' cannot be called", type_name(function)), callee.span);
      return make_none();
  }
}

void Evaluator::eval_all(const Expr& expr) {
  for (const CallArgument& argument : expr.arguments) {
    (void)eval(argument.value);
  }
}

std::vector<Evaluator::Bound> Evaluator::arguments(
    const Expr& expr,
    std::initializer_list<std::string_view> parameters,
    std::size_t required,
    std::string_view callee) {
  return arguments(expr, std::vector<std::string_view>{parameters}, required, callee);
}

std::vector<Evaluator::Bound> Evaluator::arguments(const Expr& expr,
                                                   const std::vector<std::string_view>& parameters,
                                                   std::size_t required,
                                                   std::string_view callee) {
  std::vector<Bound> bound(parameters.size());
  for (std::size_t i = 0; i < expr.arguments.size() && !stopped(); ++i) {
    const CallArgument& argument = expr.arguments[i];
    std::size_t place = i;
    if (argument.keyword != kNothing) {
      const auto name = std::ranges::find(parameters, name_text(argument.keyword));
      place = static_cast<std::size_t>(name - parameters.begin());
    }
    if (place >= parameters.size() || bound[place].given) {
      wrong(argument.keyword != kNothing
                ? fmt::format("'{}' does not take this argument, or has it twice", callee)
                : fmt::format("'{}' takes at most {}",
                              callee,
                              core::plural(parameters.size(), "argument", "arguments")),
            argument.span);
      break;
    }
    const Reads reads{*this};
    bound[place].given = true;
    bound[place].value = eval(argument.value);
    bound[place].span = argument.span;
    bound[place].uses = reads.list();
  }
  for (std::size_t i = 0; i < parameters.size() && !stopped(); ++i) {
    if (i < required && !bound[i].given) {
      wrong(fmt::format("'{}' is called without its argument '{}'", callee, parameters[i]),
            expr.span);
    }
  }
  return bound;
}

std::string Evaluator::text_of(const Bound& bound, std::string_view what) {
  if (stopped()) {
    return {};
  }
  if (!bound.value.is(Kind::kText)) {
    wrong(fmt::format("{} is a '{}', not a text", what, type_name(bound.value)), bound.span);
    return {};
  }
  step_for_text(bound.value.text->size());
  return *bound.value.text;
}

std::uint64_t Evaluator::unsigned_of(const Bound& bound, std::string_view what) {
  if (stopped()) {
    return 0;
  }
  if (!bound.value.is_integer()) {
    wrong(fmt::format("{} is a '{}', not an integer", what, type_name(bound.value)), bound.span);
    return 0;
  }
  if (bound.value.number < 0 || bound.value.number >> 64 != 0) {
    wrong(fmt::format("{} is {}; it must be from 0 to 2^64 - 1", what, show(bound.value)),
          bound.span);
    return 0;
  }
  return static_cast<std::uint64_t>(bound.value.number);
}

bool Evaluator::flag_of(const Bound& bound) {
  if (stopped()) {
    return false;
  }
  if (bound.value.is(Kind::kEnvironment)) {
    wrong("a flag that depends on the environment", bound.span);
    return false;
  }
  return take(truth(bound.value), bound.span).number != 0;
}

std::optional<std::size_t> Evaluator::object_of(const Bound& bound,
                                                ValueKind kind,
                                                std::string_view what) {
  if (stopped()) {
    return std::nullopt;
  }
  if (!bound.value.is(kind)) {
    wrong(fmt::format("a '{}' where {} is needed", type_name(bound.value), what), bound.span);
    return std::nullopt;
  }
  return bound.value.index;
}

bool Evaluator::may_change(Span span) {
  if (!stopped() && !undecided_.empty()) {
    wrong("a section or map that depends on the environment", span);
  }
  return !stopped();
}

Value Evaluator::method(const Expr& expr, const Value& object, std::string_view name) {
  switch (object.kind) {
    case Kind::kSection:
      return section_method(expr, object.index, name);
    case Kind::kMap:
      return map_method(expr, object.index, name);
    case Kind::kExporter:
      return export_method(expr, object.index, name);
    case Kind::kEnvironment:
      eval_all(expr);
      return object;
    case Kind::kText:
    case Kind::kOpaque:
      eval_all(expr);
      return make_unknown(Kind::kOpaque);
    default:
      wrong(fmt::format(
                "'{}' of a '{}' is not understood", core::printable(name, 60), type_name(object)),
            expr.span);
      return make_none();
  }
}

Value Evaluator::section_method(const Expr& expr, std::size_t index, std::string_view name) {
  const ScriptSection& before = library_.section(index);
  step(before.concat.size());
  step_for_text(before.name.size() + before.comment.size() + before.attributes.size() +
                before.origin_argument.text.size() + before.length_argument.text.size());
  if (name == "concat") {
    const auto bound = arguments(expr, {"memSection"}, 1, name);
    const auto other = object_of(bound.front(), Kind::kSection, "a section");
    if (other && may_change(expr.span) && !library_.concat(index, *other)) {
      wrong("the joined section ends beyond 2^64", expr.span);
    }
    return make_none();
  }
  if (name == "setDtsName") {
    const auto bound = arguments(expr, {"labelName", "nodeName"}, 2, name);
    std::string label = text_of(bound[0], "the label");
    std::string node = text_of(bound[1], "the node");
    if (may_change(expr.span)) {
      ScriptSection& section = library_.change(index);
      section.dts_label = std::move(label);
      section.dts_node = std::move(node);
    }
    return make_none();
  }
  if (!core::is_one_of(name,
                       "setCompatibility setNoMap setOriginTag splitOrigin setAlignment "
                       "setPrintCompatibility")) {
    wrong(fmt::format("'{}' of a 'MemSection' is not understood", core::printable(name, 60)),
          expr.span);
    return make_none();
  }
  const auto bound =
      arguments(expr, {name == "setCompatibility" ? "compatibility" : "value"}, 1, name);
  if (may_change(expr.span)) {
    (void)section_setter(library_.change(index), name, bound.front());
  }
  return make_none();
}

bool Evaluator::section_setter(ScriptSection& section, std::string_view name, const Bound& value) {
  if (name == "setCompatibility") {
    section.compatibility = text_of(value, "the compatibility");
    return !stopped();
  }
  const bool flag = flag_of(value);
  if (name == "setNoMap") {
    section.no_map = flag;
  } else if (name == "setOriginTag") {
    section.origin_tag = flag;
  } else if (name == "splitOrigin") {
    section.split_origin = flag;
  } else if (name == "setAlignment") {
    section.alignment = flag;
  } else {
    section.print_compatibility = flag;
  }
  return !stopped();
}

Value Evaluator::map_method(const Expr& expr, std::size_t map, std::string_view name) {
  if (name == "addMemSection") {
    const auto bound = arguments(expr, {"memSection"}, 1, name);
    const auto section = object_of(bound.front(), Kind::kSection, "a section");
    if (section && may_change(expr.span)) {
      library_.add(map, *section, expr.span);
    }
    return make_none();
  }
  if (name != "checkOverlap") {
    wrong(fmt::format("'{}' of a 'MemoryMap' is not understood", core::printable(name, 60)),
          expr.span);
    return make_none();
  }
  (void)arguments(expr, {}, 0, name);
  const std::size_t size = library_.size(map);
  step(size * size / 8);
  if (stopped()) {
    return make_none();
  }
  const std::size_t before = warnings_.size();
  if (!library_.check_overlap(map, warnings_)) {
    wrong(fmt::format("more than {} overlaps", kMostOverlaps), expr.span);
  }
  return make_boolean(warnings_.size() > before);
}

Value Evaluator::export_method(const Expr& expr, std::size_t index, std::string_view name) {
  const Exporter& exporter = exporters_[index];
  if (name != "export") {
    wrong(fmt::format("'{}' of a '{}' is not understood",
                      core::printable(name, 60),
                      core::printable(exporter.kind, 60)),
          expr.span);
    return make_none();
  }
  (void)arguments(expr, {}, 0, name);
  step(library_.size(exporter.map));
  step_for_text(library_.title(exporter.map).size() + exporter.target.path.size());
  if (stopped()) {
    return make_none();
  }
  ScriptExport written = library_.snapshot(exporter.map);
  written.kind = exporter.kind;
  written.path = exporter.target.path;
  written.path_place = exporter.target.path_place;
  written.physical_base = exporter.target.physical_base;
  written.virtual_base = exporter.target.virtual_base;
  written.conditional = !undecided_.empty() || maybe_ended_;
  written.place = source_.piece(expr.span);
  exports_.push_back(std::move(written));
  return make_none();
}

Value Evaluator::call_function(const Expr& expr, const Function& function) {
  std::vector<std::string_view> names;
  std::size_t required = 0;
  for (const Parameter& parameter : function.parameters) {
    names.push_back(name_text(parameter.name));
    required += parameter.preset == kNothing ? 1 : 0;
  }
  const auto bound = arguments(expr, names, required, name_text(function.name));
  if (stopped()) {
    return make_none();
  }
  if (frames_.size() == kDeepestCalls) {
    wrong(fmt::format("more than {} functions call each other", kDeepestCalls), expr.span);
    return make_none();
  }
  const auto id = static_cast<std::size_t>(&function - tree_.functions.data());
  Frame frame{.function = &function, .call = expr.span};
  for (std::size_t i = 0; i < bound.size(); ++i) {
    frame.locals.emplace_back(function.parameters[i].name,
                              bound[i].given ? bound[i].value : presets_[id][i]);
  }
  const Span caller = statement_;
  frames_.push_back(std::move(frame));
  const Flow flow = block(function.body);
  exiting_ = exiting_ || flow == Flow::kExit;
  if (frames_.back().maybe_returned) {
    leave_undecided();
  }
  Value result = frames_.back().result.value_or(make_none());
  frames_.pop_back();
  statement_ = caller;
  return result;
}

Value Evaluator::call_builtin(const Expr& expr, const Value& callee) {
  const auto builtin = static_cast<Builtin>(callee.index);
  switch (builtin) {
    case Builtin::kPrint:
      eval_all(expr);
      return make_none();
    case Builtin::kMin:
    case Builtin::kMax:
      return extreme(expr, builtin == Builtin::kMax);
    case Builtin::kExit:
      return exit(expr);
    default:
      break;
  }
  const auto bound = arguments(expr, {"x"}, 1, *callee.text);
  if (stopped()) {
    return make_none();
  }
  const Value& value = bound.front().value;
  const Span span = bound.front().span;
  switch (builtin) {
    case Builtin::kCeil:
      return take(to_integer(value, Rounding::kUp), span);
    case Builtin::kFloor:
      return take(to_integer(value, Rounding::kDown), span);
    case Builtin::kInt:
      return take(to_integer(value, Rounding::kToZero), span);
    case Builtin::kAbs:
      return value.is_number() && value.number < 0 ? take(sdk::unary(Op::kMinus, value), span)
                                                   : take(sdk::unary(Op::kPlus, value), span);
    default:
      break;
  }
  if (value.is(Kind::kEnvironment)) {
    return value;
  }
  if (!value.is(Kind::kInteger)) {
    return make_unknown(Kind::kOpaque);
  }
  const bool negative = value.number < 0;
  const auto magnitude = static_cast<Unsigned>(negative ? -value.number : value.number);
  return make_text(builtin == Builtin::kStr
                       ? fmt::format("{}", value.number)
                       : fmt::format("{}0x{:x}", negative ? "-" : "", magnitude));
}

Value Evaluator::extreme(const Expr& expr, bool largest) {
  if (expr.arguments.size() < 2) {
    wrong("the least or largest of fewer than two values is not understood", expr.span);
    return make_none();
  }
  Value best;
  for (const CallArgument& argument : expr.arguments) {
    const Value value = eval(argument.value);
    if (stopped()) {
      return make_none();
    }
    if (argument.keyword != kNothing || !(value.is_integer() || value.is(Kind::kEnvironment))) {
      wrong("the least or largest of something other than integers is not understood",
            argument.span);
      return make_none();
    }
    const bool keeps = best.is(Kind::kEnvironment) ||
                       (!best.is(Kind::kUndefined) && !value.is(Kind::kEnvironment) &&
                        (largest ? value.number <= best.number : value.number >= best.number));
    best = keeps ? best : value;
  }
  return best;
}

// Without an argument, with None or 0: all is well.
Value Evaluator::exit(const Expr& expr) {
  const auto bound = arguments(expr, {"status"}, 0, "exit");
  if (stopped()) {
    return make_none();
  }
  const Value& status = bound.front().value;
  const bool well =
      !bound.front().given || status.is(Kind::kNone) || (status.is_integer() && status.number == 0);
  if (!well && undecided_.empty()) {
    wrong(fmt::format("the script gives up here: exit status {}", show(status)), expr.span);
    return make_none();
  }
  exiting_ = true;
  return make_none();
}

Value Evaluator::call_class(const Expr& expr, const Value& callee) {
  switch (static_cast<LibraryClass>(callee.index)) {
    case LibraryClass::kSection:
      return make_section(expr);
    case LibraryClass::kMap: {
      const auto bound = arguments(expr, {"name"}, 0, "MemoryMap");
      std::string title = bound.front().given ? text_of(bound.front(), "the map's name")
                                              : std::string{"MyMemoryMap"};
      if (!may_change(expr.span)) {
        return make_none();
      }
      Value value = make_unknown(Kind::kMap);
      value.index = library_.make_map(std::move(title), expr.span);
      return value;
    }
    default:
      return make_exporter(expr, callee);
  }
}

Value Evaluator::make_section(const Expr& expr) {
  const auto bound =
      arguments(expr, {"name", "attributes", "origin", "length", "comment"}, 4, "MemSection");
  ScriptSection section;
  section.name = text_of(bound[0], "the section's name");
  section.attributes = text_of(bound[1], "the attributes");
  section.origin = unsigned_of(bound[2], "the origin");
  section.length = unsigned_of(bound[3], "the length");
  section.comment = bound[4].given ? text_of(bound[4], "the comment") : std::string{};
  if (!may_change(expr.span)) {
    return make_none();
  }
  if (library_.sections() == kMostSections) {
    wrong(fmt::format("more than {} sections", kMostSections), expr.span);
    return make_none();
  }
  section.comment = section.comment.empty() ? section.name : section.comment;
  section.dts_label = section.name;
  section.dts_node = section.name;
  section.place = source_.piece(expr.span);
  section.name_place = source_.piece(bound[0].span);
  section.origin_argument = expression_at(bound[2].span, bound[2].uses);
  section.length_argument = expression_at(bound[3].span, bound[3].uses);
  Value value = make_unknown(Kind::kSection);
  value.index = library_.make_section(std::move(section));
  return value;
}

// Up to SDK 8.2, CHeaderFile takes a map and a file's name, and writes no bases.
bool Evaluator::is_header_without_bases(const Expr& expr) const {
  if (expr.arguments.size() != 2) {
    return false;
  }
  const CallArgument& second = expr.arguments.back();
  return second.keyword == kNothing ? tree_.exprs[second.value].kind == ExprKind::kText
                                    : name_text(second.keyword) == "name";
}

Value Evaluator::make_exporter(const Expr& expr, const Value& callee) {
  const bool header = callee.index == static_cast<std::size_t>(LibraryClass::kHeaderExporter);
  const bool local = callee.index == static_cast<std::size_t>(LibraryClass::kLocalExporter);
  const bool with_bases = header && !is_header_without_bases(expr);
  const auto bound =
      with_bases
          ? arguments(
                expr, {"memoryMap", "phys_addr_base", "virt_addr_base", "name"}, 3, *callee.text)
          : arguments(expr, {"memoryMap", "name"}, 1, *callee.text);
  const auto map = object_of(bound.front(), Kind::kMap, "a map");
  if (!map) {
    return make_none();
  }
  Exporter exporter{.kind = *callee.text, .map = *map};
  if (with_bases) {
    exporter.target.physical_base = unsigned_of(bound[1], "the physical base");
    exporter.target.virtual_base = unsigned_of(bound[2], "the virtual base");
  }
  const Bound& path = bound.back();
  if (path.given) {
    exporter.target.path = text_of(path, "the path");
    exporter.target.path_place = source_.piece(path.span);
  } else if (!local) {
    exporter.target.path = default_file(*callee.text);
  }
  if (stopped()) {
    return make_none();
  }
  Value value = make_unknown(Kind::kExporter);
  value.index = exporters_.size();
  exporters_.push_back(std::move(exporter));
  return value;
}

}  // namespace memsize::sdk
