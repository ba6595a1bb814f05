// The words of a command line: verbs, options, and what they are held against. CLI11 is behind it,
// in one file.
#pragma once

#include "screen.hpp"

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace memsize::cli {

/// An option or an argument of a verb; copies are the same one.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  /// Refuses an empty value, which a script passes when a variable of its own is not set.
  Option filled() const;
  /// Takes the device of standard output as "-": the file behind it would be replaced.
  Option written_to() const;
  Option one_of(const std::vector<std::string>& values) const;
  /// Each time it is given counts.
  Option repeated() const;
  /// A word after its value is an argument.
  Option one_value() const;
  /// "a,b" are two values.
  Option separated_by(char separator) const;
  Option needs(const Option& other) const;
  Option excludes(const Option& other) const;

 private:
  CLI::Option* option_;
};

/// What may be typed: an option or an argument.
struct Word {
  /// "--board", "-o"; of an argument "INPUT".
  std::vector<std::string> names;
  /// What its value is called: "BOARD", "a|b"; empty where it takes none.
  std::string value;
  std::string help;
};

/// A verb, or the program, whose verbs it has; copies are the same one.
class Command {
 public:
  /// Its verbs share the screen.
  Command(CLI::App* app, Screen* screen) : app_(app), screen_(screen) {}

  /// One of its verbs.
  Command verb(const char* name, const char* help) const;
  /// Nothing is done without one of its verbs.
  void needs_verb() const;
  /// The options that its --help shows; the others are under --help-all.
  void main_options(std::initializer_list<const char*> names) const;

  /// What --color, -q and -v of the command line say, once it is parsed.
  [[nodiscard]] const Screen& screen() const { return *screen_; }

  /// Printed below its help.
  void footer(const char* text) const;
  /// "-o,--output" and "--board" are options, "INPUT" an argument.
  Option option(const char* name, std::string& value, const char* help) const;
  Option option(const char* name, std::vector<std::string>& values, const char* help) const;
  Option flag(const char* name, bool& value, const char* help) const;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string help() const;
  [[nodiscard]] std::string footer() const;
  [[nodiscard]] std::vector<Command> verbs() const;
  /// With their dashes: "--board".
  [[nodiscard]] std::vector<std::string> long_options() const;
  [[nodiscard]] std::vector<Word> options() const;
  [[nodiscard]] std::vector<Word> arguments() const;
  /// Whether the command line named it.
  [[nodiscard]] bool is_given() const;

 private:
  void add_terminal_options() const;
  friend class Program;

  CLI::App* app_;
  Screen* screen_;
};

/// What there was to parse; neither: a verb.
struct Parsed {
  /// --help or --version: to be printed instead.
  std::optional<std::string> text;
  /// CLI11's sentence about what is wrong.
  std::optional<std::string> misuse;
};

/// The whole command line. Verbs are added to `command()` before it is parsed.
class Program {
 public:
  /// `version` is what --version prints; `attended` is the screen's.
  Program(const char* help, const char* name, const char* version, bool attended);
  ~Program();

  [[nodiscard]] Command command() const { return Command{app_.get(), screen_.get()}; }

  /// Its help.
  [[nodiscard]] std::string help() const;

  /// The words behind the program's name.
  [[nodiscard]] Parsed parse(const std::vector<std::string>& words);

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<Screen> screen_;
};

}  // namespace memsize::cli
