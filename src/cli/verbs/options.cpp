// CLI11 under words of our own: it takes seconds to compile wherever it is seen.
#include "options.hpp"

#include "help_text.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace memsize::cli {

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::filled() const {
  option_->check(CLI::Validator{
      [](const std::string& value) { return value.empty() ? std::string{"needs a value"} : ""; },
      ""});
  return *this;
}

Option Option::written_to() const {
  option_->transform(CLI::Validator{[](std::string& value) {
                                      constexpr std::array<std::string_view, 3> kDevices = {
                                          "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
                                      if (std::ranges::find(kDevices, value) != kDevices.end()) {
                                        value = "-";
                                      }
                                      return std::string{};
                                    },
                                    ""});
  return filled();
}

Option Option::one_of(const std::vector<std::string>& values) const {
  option_->check(CLI::IsMember(values));
  return *this;
}

Option Option::repeated() const {
  option_->take_all();
  return *this;
}

Option Option::one_value() const {
  option_->allow_extra_args(false);
  return *this;
}

Option Option::separated_by(char separator) const {
  option_->delimiter(separator);
  return *this;
}

Option Option::needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

Command Command::verb(const char* name, const char* help) const {
  const Command added{app_->add_subcommand(name, help), screen_};
  added.add_terminal_options();
  return added;
}

void Command::add_terminal_options() const {
  app_->add_option("--color", screen_->color, "Colour on standard output and error (default: auto)")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  app_->add_flag("-q,--quiet", screen_->quiet, "Only errors, and what was asked for");
  app_->add_flag("-v,--verbose", screen_->verbose, "Every figure");
}

void Command::main_options(std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    app_->get_option(name)->group(kMainOption);
  }
}

void Command::needs_verb() const {
  app_->require_subcommand(1);
}

void Command::footer(const char* text) const {
  app_->footer(text);
}

Option Command::option(const char* name, std::string& value, const char* help) const {
  return Option{app_->add_option(name, value, help)};
}

Option Command::option(const char* name, std::vector<std::string>& values, const char* help) const {
  return Option{app_->add_option(name, values, help)};
}

Option Command::flag(const char* name, bool& value, const char* help) const {
  return Option{app_->add_flag(name, value, help)};
}

std::string Command::name() const {
  return app_->get_name();
}

std::string Command::help() const {
  return app_->get_description();
}

std::string Command::footer() const {
  return app_->get_footer();
}

std::vector<Command> Command::verbs() const {
  std::vector<Command> verbs;
  for (CLI::App* verb : app_->get_subcommands([](CLI::App*) { return true; })) {
    verbs.emplace_back(verb, screen_);
  }
  return verbs;
}

std::vector<std::string> Command::long_options() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : app_->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<Word> Command::options() const {
  std::vector<Word> words;
  for (const CLI::Option* option : app_->get_options()) {
    Word word{{}, value_name(*option), option->get_description()};
    for (const std::string& name : option->get_lnames()) {
      word.names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      word.names.push_back("-" + name);
    }
    if (!word.names.empty()) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::vector<Word> Command::arguments() const {
  std::vector<Word> words;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->get_positional()) {
      words.push_back({{option->get_name(true)}, value_name(*option), option->get_description()});
    }
  }
  return words;
}

bool Command::is_given() const {
  return app_->parsed();
}

Program::Program(const char* help, const char* name, const char* version, bool attended)
    : app_(std::make_unique<CLI::App>(help, name)), screen_(std::make_unique<Screen>()) {
  screen_->attended = attended;
  app_->formatter(help_formatter());
  app_->set_help_flag("-h,--help", "This help");
  app_->set_help_all_flag("--help-all", "Every option");
  app_->set_version_flag("-V,--version", version, "The version");
  command().add_terminal_options();
}

std::string Program::help() const {
  return app_->help();
}

Program::~Program() = default;

Parsed Program::parse(const std::vector<std::string>& words) {
  Parsed parsed;
  try {
    app_->parse(std::vector<std::string>{words.rbegin(), words.rend()});
  } catch (const CLI::ParseError& problem) {
    if (problem.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      std::ostringstream text;
      app_->exit(problem, text, text);
      parsed.text = text.str();
    } else {
      parsed.misuse = problem.what();
    }
  }
  return parsed;
}

}  // namespace memsize::cli
