// How the help of a verb looks.
#pragma once

#include <memory>
#include <string>

namespace CLI {
class FormatterBase;
class Option;
}  // namespace CLI

namespace memsize::cli {

/// The group of the options that --help shows where a verb has many.
inline constexpr const char* kMainOption = "main";

/// Of a verb: its arguments, the options that most people need, the names of the others; with
/// --help-all all of them, by what they are about. At most 100 columns.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter();

/// What stands for an option's value, by its name: "BOARD", "KNOB=SIZE".
[[nodiscard]] std::string value_name(const CLI::Option& option);

}  // namespace memsize::cli
