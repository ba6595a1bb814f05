// Completion scripts, made from the same description of the command line that parses it.
#include "memsize/core/find.hpp"
#include "memsize/core/text.hpp"

#include "verbs.hpp"

#include <memory>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

struct Words {
  std::string verb;
  std::string description;
  std::vector<std::string> words;
};

std::vector<Words> describe(const Command& program) {
  std::vector<Words> verbs;
  for (const Command& verb : program.verbs()) {
    Words words{verb.name(), verb.help(), {}};
    for (const Command& inner : verb.verbs()) {
      words.words.push_back(inner.name());
    }
    for (std::string& name : verb.long_options()) {
      words.words.push_back(std::move(name));
    }
    verbs.push_back(std::move(words));
  }
  return verbs;
}

std::vector<std::string> names_of(const std::vector<Words>& verbs) {
  return core::texts_of(verbs, &Words::verb);
}

std::string bash(const std::vector<Words>& verbs) {
  std::string cases;
  for (const Words& words : verbs) {
    cases += fmt::format("    {}) words=\"{}\" ;;\n", words.verb, core::join(words.words, " "));
  }
  return fmt::format(
      "_memsize() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\" "
      "words\n"
      "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  local what=\n"
      "  [[ $previous == --board ]] && what=boards\n"
      "  [[ $previous == --board && ${{COMP_WORDS[1]}} == plan ]] && what=parts\n"
      "  [[ ${{COMP_WORDS[1]}} == board && $previous =~ ^(show|check)$ || ${{COMP_WORDS[1]}} =~ "
      "^(check|emit|validate)$ "
      "&& -n $what ]] && what='boards parts'\n"
      "  if [[ -n $what ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$(for each in $what; do memsize list $each 2>/dev/null | awk "
      "'NR > 1 {{ print $1 }}'; done)\" -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${{COMP_WORDS[1]}}\" in\n{}"
      "  esac\n"
      "  if [[ $current == -* || ${{COMP_WORDS[1]}} =~ ^(board|list|completion)$ ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$current\"))\n"
      "  fi\n"
      "}}\n"
      "complete -o filenames -F _memsize memsize\n",
      core::join(names_of(verbs), " "),
      cases);
}

std::string zsh(const std::vector<Words>& verbs) {
  std::string list;
  std::string cases;
  for (const Words& words : verbs) {
    list += fmt::format("    '{}:{}'\n", words.verb, words.description);
    cases += fmt::format("    {}) compadd -- {} ;;\n", words.verb, core::join(words.words, " "));
  }
  return fmt::format(
      "#compdef memsize\n"
      "_memsize() {{\n"
      "  local -a verbs\n"
      "  verbs=(\n{}  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'verb' verbs\n"
      "    return\n"
      "  fi\n"
      "  local -a what\n"
      "  [[ ${{words[CURRENT-1]}} == --board ]] && what=(boards)\n"
      "  [[ ${{words[CURRENT-1]}} == --board && ${{words[2]}} == plan ]] && what=(parts)\n"
      "  [[ ${{words[2]}} == board && ${{words[CURRENT-1]}} == (show|check) || ${{words[2]}} == "
      "(check|emit|validate) "
      "&& $#what -gt 0 ]] && what=(boards parts)\n"
      "  if (( $#what )); then\n"
      "    compadd -- ${{(f)\"$(for each in $what; do memsize list $each 2>/dev/null | awk 'NR > 1 "
      "{{ print $1 }}'; done)\"}}\n"
      "    return\n"
      "  fi\n"
      "  case ${{words[2]}} in\n{}"
      "  esac\n"
      "  _files\n"
      "}}\n"
      "compdef _memsize memsize\n",
      list,
      cases);
}

std::string fish(const std::vector<Words>& verbs) {
  std::string out;
  for (const Words& words : verbs) {
    out += fmt::format("complete -c memsize -n __fish_use_subcommand -a {} -d '{}'\n",
                       words.verb,
                       words.description);
    for (const std::string& word : words.words) {
      const bool option = word.starts_with("--");
      out += fmt::format("complete -c memsize -n '__fish_seen_subcommand_from {}' {} {}\n",
                         words.verb,
                         option ? "-l" : "-a",
                         option ? word.substr(2) : word);
    }
  }
  return out +
         "complete -c memsize -n 'not __fish_seen_subcommand_from plan' -l board -x -a "
         "'(memsize list boards 2>/dev/null | tail -n +2)'\n"
         "complete -c memsize -n '__fish_seen_subcommand_from board; and "
         "__fish_seen_subcommand_from show check' -a '(for each in boards parts; memsize list "
         "$each "
         "2>/dev/null | tail -n +2 | string match -r \"^\\\\S+\"; end)'\n"
         "complete -c memsize -n '__fish_seen_subcommand_from plan check emit validate' -l board "
         "-x -a "
         "'(memsize list parts 2>/dev/null | tail -n +2 | string match -r \"^\\\\S+\")'\n";
}

}  // namespace

Run add_completion(const Command& app) {
  auto shell = std::make_shared<std::string>();
  const Command verb = app.verb("completion", "Completion for a shell, to be sourced by it");
  verb.footer("Example:\n  memsize completion bash > /etc/bash_completion.d/memsize");
  verb.option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  return [shell, app](app::Session&) {
    const std::vector<Words> verbs = describe(app);
    return Outcome{.text = *shell == "bash"  ? bash(verbs)
                           : *shell == "zsh" ? zsh(verbs)
                                             : fish(verbs)};
  };
}

}  // namespace memsize::cli
