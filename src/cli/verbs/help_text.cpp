// Help in groups, for people: what an option takes and does, without the parser's own words.
#include "help_text.hpp"

#include "memsize/core/find.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace memsize::cli {

namespace {

constexpr std::size_t kHelpWidth = 100;
constexpr std::size_t kColumn = 27;

/// An option of any verb: what its value is called, and what it is about.
struct Known {
  std::string_view name;
  std::string_view value;
  std::string_view about;
};

constexpr std::string_view kMap = "The map";
constexpr std::string_view kTrace = "How traces become sizes";
constexpr std::string_view kTree = "An SDK tree";
constexpr std::string_view kPlan = "A plan";
constexpr std::string_view kOutput = "Output";
constexpr std::string_view kTerminal = "Terminal";

constexpr std::array kKnown = {
    Known{"board", "BOARD", kMap},
    Known{"dram", "SIZE", kMap},
    Known{"set", "KNOB=SIZE", kMap},
    Known{"map", "DIR", kMap},
    Known{"baseline", "PATH", kMap},
    Known{"project", "FILE", kMap},
    Known{"no-project", "", kMap},
    Known{"trace", "LOG", kTrace},
    Known{"sizing", "FILE", kTrace},
    Known{"core", "CORE", kTrace},
    Known{"budget", "[CORE=]SIZE", ""},
    Known{"format", "READER", kTrace},
    Known{"instances", "", kTrace},
    Known{"headroom", "10%|SIZE", kTrace},
    Known{"one-priority", "", kTrace},
    Known{"tight", "", kTrace},
    Known{"whole", "", kTrace},
    Known{"idle", "CORE", kTrace},
    Known{"keep-size", "KNOB", kTrace},
    Known{"accept-generation", "", kTrace},
    Known{"sdk", "DIR", kTree},
    Known{"linux", "DIR", kTree},
    Known{"soc", "SOC", kTree},
    Known{"os", "OS", kTree},
    Known{"keep", "", kTree},
    Known{"plan", "FILE", kPlan},
    Known{"data", "PATH", kPlan},
    Known{"rules", "FILE", kPlan},
    Known{"stage", "auto|none|MEM=SIZE", kPlan},
    Known{"profile", "FILE", kPlan},
    Known{"prefix", "NAME", kPlan},
    Known{"tiles", "ares|best", kPlan},
    Known{"created", "WHEN", kPlan},
    Known{"external", "NAME,...", kPlan},
    Known{"out", "DIR", kOutput},
    Known{"only", "EMITTER,...", kOutput},
    Known{"templates", "DIR", kOutput},
    Known{"json", "", kOutput},
    Known{"csv", "", kOutput},
    Known{"markdown", "", kOutput},
    Known{"sarif", "", kOutput},
    Known{"annotations", "", kOutput},
    Known{"output", "FILE", kOutput},
    Known{"write-baseline", "FILE", kOutput},
    Known{"log", "LOG", ""},
    Known{"images", "FILE", ""},
    Known{"probe", "FILE", ""},
    Known{"fill", "PERCENT", ""},
    Known{"timeout", "TIME", ""},
    Known{"time-limit", "TIME", ""},
    Known{"capacity", "SIZE", ""},
    Known{"with", "FILE", ""},
    Known{"sweep", "KNOB=A..B:xN", ""},
    Known{"planner", "NAME", ""},
    Known{"steps", "COUNT", ""},
    Known{"as", "FORM", ""},
    Known{"like", "BOARD", ""},
    Known{"color", "", kTerminal},
    Known{"quiet", "", kTerminal},
    Known{"verbose", "", kTerminal},
    Known{"help", "", kTerminal},
    Known{"help-all", "", kTerminal},
};

const Known* known(const CLI::Option& option) {
  const std::vector<std::string>& names = option.get_lnames();
  return names.empty() ? nullptr
                       : core::find_in(kKnown, std::string_view{names.front()}, &Known::name);
}

// "-o, --output FILE", "--set KNOB=SIZE ...", "INPUT ...".
std::string spelled(const CLI::Option& option) {
  std::vector<std::string> names;
  if (option.get_positional()) {
    names.push_back(option.get_name(true));
  }
  for (const std::string& name : option.get_snames()) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.get_lnames()) {
    names.push_back("--" + name);
  }
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  const std::string value = option.get_positional() ? std::string{} : value_name(option);
  text += value.empty() ? "" : " " + value;
  const bool repeats = option.get_expected_max() > 1 && option.get_delimiter() == '\0';
  return repeats ? text + " ..." : text;
}

std::string row(const std::string& what, const std::string& text) {
  std::string out = "  " + what;
  if (out.size() + 2 > kColumn) {
    out += "\n" + std::string(kColumn, ' ');
  } else {
    out += std::string(kColumn - out.size(), ' ');
  }
  std::size_t column = kColumn;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column + (end - at) > kHelpWidth && column > kColumn) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(kColumn, ' ');
      column = kColumn;
    }
    out += text.substr(at, end - at) + " ";
    column += end - at + 1;
    at = end + 1;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out + "\n";
}

class HelpText : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app,
                        std::string /*name*/,
                        CLI::AppFormatMode mode) const override {
    std::string out = app->get_description() + "\n\n" + usage(app) + "\n";
    std::vector<const CLI::Option*> options;
    std::string arguments;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) {
        arguments += row(spelled(*option), option->get_description());
      } else if (!option->get_lnames().empty()) {
        options.push_back(option);
      }
    }
    out += arguments.empty() ? arguments : "\n" + arguments;
    out += verbs(app);
    out += mode == CLI::AppFormatMode::All ? all(options) : main(options);
    const std::string footer = app->get_footer();
    return out + (footer.empty() ? footer : "\n" + footer + "\n");
  }

 private:
  static std::string usage(const CLI::App* app) {
    std::string words = app->get_name();
    for (const CLI::App* at = app->get_parent(); at != nullptr; at = at->get_parent()) {
      words = at->get_name() + " " + words;
    }
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) {
        const std::string name =
            option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
        words += option->get_required() ? " " + name : " [" + name + "]";
      }
    }
    return fmt::format(
        "Usage: {} {}", words, app->get_subcommands({}).empty() ? "[OPTIONS]" : "VERB [OPTIONS]");
  }

  static std::string verbs(const CLI::App* app) {
    std::string out;
    for (const CLI::App* verb : app->get_subcommands({})) {
      out += row(verb->get_name(), verb->get_description());
    }
    return out.empty() ? out : "\nVerbs:\n" + out;
  }

  static bool is_of_terminal(const CLI::Option* option) {
    const Known* of = known(*option);
    return of != nullptr && of->about == kTerminal;
  }

  // The main options; where none are named, all but those of the terminal.
  static std::string main(const std::vector<const CLI::Option*>& options) {
    const bool chosen = std::ranges::any_of(
        options, [](const auto* one) { return one->get_group() == kMainOption; });
    std::string out;
    std::vector<std::string> others;
    for (const CLI::Option* option : options) {
      if (chosen ? option->get_group() == kMainOption : !is_of_terminal(option)) {
        out += row(spelled(*option), option->get_description());
      } else if (!is_of_terminal(option)) {
        others.push_back("--" + option->get_lnames().front());
      }
    }
    out = out.empty() ? out : "\nOptions:\n" + out;
    return out + (others.empty()
                      ? std::string{}
                      : "\n" + row("--help-all", fmt::format("shows {}", fmt::join(others, " "))));
  }

  static std::string all(const std::vector<const CLI::Option*>& options) {
    std::string out;
    for (const std::string_view about :
         {std::string_view{}, kMap, kTrace, kTree, kPlan, kOutput, kTerminal}) {
      std::string group;
      for (const CLI::Option* option : options) {
        const Known* of = known(*option);
        if ((of == nullptr ? std::string_view{} : of->about) == about) {
          group += row(spelled(*option), option->get_description());
        }
      }
      if (!group.empty()) {
        out += fmt::format("\n{}:\n{}", about.empty() ? "Options" : about, group);
      }
    }
    return out;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpText>();
}

std::string value_name(const CLI::Option& option) {
  if (option.get_expected_max() == 0 || option.get_type_size_max() == 0) {
    return {};
  }
  const Known* of = known(option);
  // What is one of a few says them.
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  if (open != std::string::npos) {
    std::string values = type.substr(open + 1, type.rfind('}') - open - 1);
    std::ranges::replace(values, ',', '|');
    return values;
  }
  return of == nullptr || of->value.empty() ? std::string{"VALUE"} : std::string{of->value};
}

}  // namespace memsize::cli
