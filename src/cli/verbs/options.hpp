// The words of a command line: verbs, options, and what they are held against. CLI11 is behind it,
// in one file.
#pragma once

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

/// A verb, or the program, whose verbs it has; copies are the same one.
class Command {
 public:
  explicit Command(CLI::App* app) : app_(app) {}

  /// One of its verbs.
  Command verb(const char* name, const char* help) const;
  /// Nothing is done without one of its verbs.
  void needs_verb() const;
  /// Printed below its help.
  void footer(const char* text) const;
  /// "-o,--output" and "--board" are options, "INPUT" an argument.
  Option option(const char* name, std::string& value, const char* help) const;
  Option option(const char* name, std::vector<std::string>& values, const char* help) const;
  Option flag(const char* name, bool& value, const char* help) const;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string help() const;
  [[nodiscard]] std::vector<Command> verbs() const;
  /// With their dashes: "--board".
  [[nodiscard]] std::vector<std::string> long_options() const;
  /// Whether the command line named it.
  [[nodiscard]] bool is_given() const;

 private:
  CLI::App* app_;
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
  /// `version` is what --version prints.
  Program(const char* help, const char* name, const char* version);
  ~Program();

  [[nodiscard]] Command command() const { return Command{app_.get()}; }

  [[nodiscard]] Parsed parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace memsize::cli
