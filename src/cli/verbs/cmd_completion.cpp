// memsize completion: a shell's script, which asks memsize itself what may stand at the end of a
// command line; and the answer. So every shell knows the same verbs, options and values.
#include "memsize/app/log_format.hpp"
#include "memsize/board/load.hpp"
#include "memsize/board/memories.hpp"
#include "memsize/core/find.hpp"
#include "memsize/emit/artifact.hpp"
#include "memsize/plan/named_planners.hpp"
#include "memsize/readers/plan_reader.hpp"
#include "memsize/readers/reader.hpp"
#include "memsize/sdk/tree.hpp"

#include "verbs.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace memsize::cli {

namespace {

// The words are given as they stand, the last one up to the cursor.
constexpr std::string_view kBash = R"(_memsize() {
  local line current="${COMP_WORDS[COMP_CWORD]#=}"
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      :dirs) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
      :nospace) compopt -o nospace ;;
      *) COMPREPLY+=("$line") ;;
    esac
  done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _memsize memsize
)";

constexpr std::string_view kZsh = R"(#compdef memsize
_memsize() {
  local line suffix=' ' option=''
  local -a found
  if [[ $words[CURRENT] == --*=* ]]; then
    option="${words[CURRENT]%%=*}="
    compset -P "$option"
  fi
  for line in "${(@f)$($words[1] __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      :files) _files; return ;;
      :dirs) _files -/; return ;;
      :nospace) suffix='' ;;
      ?*) found+=("${line#$option}") ;;
    esac
  done
  compadd -S "$suffix" -- $found
}
# Of fpath, zsh takes this file as the function's body and calls it for the first completion.
if [[ $funcstack[1] == _memsize ]]; then
  _memsize "$@"
else
  compdef _memsize memsize
fi
)";

constexpr std::string_view kFish = R"(function __memsize_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l option (string match -r -- '^--[^=]*=' (commandline -ct))
  set -l value (string replace -- "$option" '' (commandline -ct))
  for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path $value | string replace -r '^' -- "$option"
      case :dirs
        __fish_complete_directories $value | string replace -r '^' -- "$option"
      case :nospace
      case '*'
        echo $line
    end
  end
end
complete -c memsize -f -a '(__memsize_complete)'
)";

using Words = std::vector<std::string>;

Words split(std::string_view text, char separator) {
  Words parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

struct Typed {
  Words words;
  /// What stands before the last one in the same word of the shell: "--board=".
  std::string begins;
};

// "--board=j722s", which bash gives as three words and others as one, is an option and its value.
Typed apart(const Words& words) {
  Typed typed;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const bool is_option = word.starts_with("--");
    const bool is_last = &word == &words.back();
    typed.begins.clear();
    if (is_option && equals != std::string::npos) {
      typed.words.push_back(word.substr(0, equals));
      typed.words.push_back(word.substr(equals + 1));
      typed.begins = word.substr(0, equals + 1);
    } else if (word != "=" || typed.words.empty() || !typed.words.back().starts_with("--")) {
      typed.words.push_back(word);
    } else if (is_last) {
      typed.words.emplace_back();
    }
  }
  return typed;
}

// What is no word for the shell itself, such as ":files", stays.
Words beginning(const std::string& prefix, Words words) {
  for (std::string& word : words) {
    if (!word.starts_with(':')) {
      word.insert(0, prefix);
    }
  }
  return words;
}

/// What the last word may be.
class Completer {
 public:
  Completer(app::Session& session, Command program, const Words& words)
      : session_(session), at_(program), words_(words) {}

  Words run() {
    const std::string current = words_.empty() ? std::string{} : words_.back();
    std::size_t next = 0;
    // The innermost verb.
    for (bool deeper = true; deeper && next + 1 < words_.size();) {
      deeper = false;
      for (const Command& verb : at_.verbs()) {
        if (verb.name() == words_[next]) {
          path_ += (path_.empty() ? "" : " ") + verb.name();
          at_ = verb;
          ++next;
          deeper = true;
          break;
        }
      }
    }
    const std::string before = words_.size() > next + 1 ? words_[words_.size() - 2] : std::string{};
    if (const Word* takes = taking_value(before); takes != nullptr) {
      // Of a list, the last one.
      const std::size_t last = takes->value.ends_with(",...") ? current.rfind(',') + 1 : 0;
      return beginning(current.substr(0, last), starting(values(*takes), current.substr(last)));
    }
    if (current.starts_with('-')) {
      return starting(at_.long_options(), current);
    }
    Words verbs = core::texts_of(at_.verbs(), &Command::name);
    if (path_.empty()) {
      verbs.emplace_back("help");
    }
    if (!verbs.empty() &&
        (path_.empty() ? next + 1 >= words_.size() || words_.front() == "help" : true)) {
      return starting(verbs, current);
    }
    const std::vector<Word> arguments = at_.arguments();
    return arguments.empty() ? Words{} : starting(values(arguments.front()), current);
  }

 private:
  const Word* taking_value(const std::string& name) {
    options_ = at_.options();
    const Word* option = core::find_where(
        options_, [&](const Word& one) { return core::contains(one.names, name); });
    return option == nullptr || option->value.empty() ? nullptr : option;
  }

  // The value of an option that was typed; empty where it was not.
  [[nodiscard]] std::string typed(std::string_view option) const {
    for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
      if (words_[i] == option) {
        return words_[i + 1];
      }
    }
    return {};
  }

  [[nodiscard]] std::optional<board::Board> board() const {
    const std::string name = typed("--board");
    auto loaded = name.empty() ? core::Result<board::Board>{core::fail({})}
                               : load_board(session_, {.name = name});
    return loaded ? std::optional{std::move(*loaded)} : std::nullopt;
  }

  template <typename Items>
  static void add(Words& words, const Items& items) {
    for (const auto& item : items) {
      words.emplace_back(item.name);
    }
  }

  [[nodiscard]] Words boards() const {
    const bool of_parts = path_ == "plan";
    const bool of_both =
        core::contains(Words{"emit", "check", "validate", "board show", "board check"}, path_);
    Words words;
    if (!of_parts) {
      words = board::bundled_boards(session_.files, session_.data.boards).value_or(Words{});
    }
    if (of_parts || of_both) {
      const Words parts =
          board::bundled_memories(session_.files, session_.data.boards + "/memories")
              .value_or(Words{});
      words.insert(words.end(), parts.begin(), parts.end());
    }
    return words;
  }

  [[nodiscard]] Words knobs() const {
    Words words = {":nospace"};
    if (const auto map = board()) {
      for (const board::Knob& knob : map->knobs) {
        words.push_back(knob.name + "=");
      }
    }
    return words;
  }

  [[nodiscard]] Words regions() const {
    Words words;
    const auto map = board();
    const auto resolved =
        map ? layout::resolve(*map, {}) : core::Result<layout::MemoryMap>{core::fail({})};
    if (resolved) {
      add(words, resolved->regions);
    }
    return words;
  }

  [[nodiscard]] Words emitters() const {
    Words words;
    add(words, emit::all_emitters());
    return words;
  }

  [[nodiscard]] Words readers() const {
    Words words;
    if (path_ == "plan") {
      add(words, readers::all_plan_readers());
      return words;
    }
    add(words, readers::all_readers());
    for (const auto& format : app::bundled_formats(session_)) {
      words.push_back(format->format().name);
    }
    return words;
  }

  [[nodiscard]] Words socs() const {
    const auto platforms = sdk::find_platforms(session_.files, typed("--sdk"));
    return platforms ? core::texts_of(*platforms, &sdk::Platform::soc) : Words{};
  }

  [[nodiscard]] Words cores() const {
    Words words;
    if (const auto map = board()) {
      add(words, map->cores);
    }
    return words;
  }

  [[nodiscard]] Words values(const Word& of) const {
    const std::string& what = of.value;
    const bool is_planner = core::contains(of.names, std::string{"--planner"});
    if (is_planner) {
      Words words;
      add(words, plan::named_planners());
      return words;
    }
    if (what == "BOARD" || core::contains(of.names, std::string{"BOARD"})) {
      return boards();
    }
    if (core::contains(of.names, std::string{"NAME|ADDRESS"})) {
      return regions();
    }
    using Maker = Words (Completer::*)() const;
    constexpr std::array<std::pair<std::string_view, Maker>, 5> kMakers = {{
        {"KNOB=SIZE", &Completer::knobs},
        {"EMITTER,...", &Completer::emitters},
        {"READER", &Completer::readers},
        {"SOC", &Completer::socs},
        {"CORE", &Completer::cores},
    }};
    for (const auto& [value, maker] : kMakers) {
      if (what == value) {
        return (this->*maker)();
      }
    }
    // "together|apart": what is in capitals stands for something else.
    Words few = split(what, '|');
    std::erase_if(few, [](const std::string& word) {
      return std::ranges::any_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
    });
    return !few.empty() ? few : what == "DIR" ? Words{":dirs"} : Words{":files"};
  }

  static Words starting(Words words, std::string_view prefix) {
    std::erase_if(words, [&](const std::string& word) {
      return !word.starts_with(':') && !word.starts_with(prefix);
    });
    return words;
  }

  app::Session& session_;
  Command at_;
  const Words& words_;
  std::string path_;
  std::vector<Word> options_;
};

}  // namespace

std::string complete(app::Session& session,
                     const Command& program,
                     const std::vector<std::string>& words) {
  std::string out;
  const Typed typed = apart(words);
  const Words found = Completer{session, program, typed.words}.run();
  for (const std::string& word : beginning(typed.begins, found)) {
    out += word + "\n";
  }
  return out;
}

Run add_completion(const Command& app) {
  auto shell = std::make_shared<std::string>();
  const Command verb = app.verb("completion", "Completion for a shell, to be sourced by it");
  verb.footer(
      "Examples:\n"
      "  memsize completion bash > /etc/bash_completion.d/memsize\n"
      "  memsize completion zsh > \"${fpath[1]}/_memsize\"\n"
      "  memsize completion fish > ~/.config/fish/completions/memsize.fish");
  verb.option("SHELL", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  return [shell](app::Session&) {
    return Outcome{.text = std::string{*shell == "bash" ? kBash : *shell == "zsh" ? kZsh : kFish}};
  };
}

}  // namespace memsize::cli
