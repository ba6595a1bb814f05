// The page of man(1): every verb with every option and its examples, in roff.
#include "memsize/core/text.hpp"

#include "verbs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

// Text is text: no request, no escape, no hyphen where a minus is typed.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '\\' ? std::string{"\\e"} : c == '-' ? std::string{"\\-"} : std::string(1, c);
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string item(const Word& word) {
  const std::string value =
      word.value.empty() ? std::string{} : " \\fI" + roff(word.value) + "\\fR";
  return fmt::format(
      ".TP\n\\fB{}\\fR{}\n{}\n", roff(core::join(word.names, ", ")), value, roff(word.help));
}

std::string lines(std::string_view text) {
  std::string out = ".PP\n.nf\n";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += roff(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + ".fi\n";
}

// A verb, and behind it those that it has.
void add(const Command& verb, const std::string& before, std::string& out) {
  const std::string name = before + " " + verb.name();
  std::string usage = name;
  for (const Word& argument : verb.arguments()) {
    usage += " " + argument.names.front();
  }
  out += fmt::format(
      ".SS {}\n.B {}\n[OPTIONS]\n.PP\n{}.\n", roff(name), roff(usage), roff(verb.help()));
  const std::vector<Command> inner = verb.verbs();
  for (const Word& argument : verb.arguments()) {
    out += item({argument.names, {}, argument.help});
  }
  for (const Word& option : verb.options()) {
    out += inner.empty() ? item(option) : std::string{};
  }
  out += verb.footer().empty() ? std::string{} : lines(verb.footer());
  for (const Command& each : inner) {
    add(each, name, out);
  }
}

}  // namespace

std::string manual(const Command& program) {
  std::string out = fmt::format(
      ".TH MEMSIZE 1 \"\" \"memsize {0}\" \"User Commands\"\n.SH NAME\nmemsize \\- memory maps "
      "that fit what an "
      "accelerator used\n.SH SYNOPSIS\n.B memsize\n.I VERB\n[OPTIONS]\n.SH DESCRIPTION\n{1}.\n"
      "It reads the memory tables that accelerators print or that compilers plan, sizes every heap "
      "by the board's rules, "
      "lays the memory map out again, writes or edits every file that depends on it, checks that "
      "all of it agrees, and "
      "runs it on emulated cores.\n.SH VERBS\n",
      MEMSIZE_VERSION,
      roff(program.help()));
  for (const Command& verb : program.verbs()) {
    add(verb, "memsize", out);
  }
  out += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] :
       {std::pair{"0", "done"},
        std::pair{"1", "an input is wrong, or a check failed"},
        std::pair{"2", "usage"},
        std::pair{"3", "it does not fit"},
        std::pair{"4", "environment: what cannot be written, a tool that is missing"},
        std::pair{"70", "a bug in memsize"},
        std::pair{"130", "interrupted"}}) {
    out += fmt::format(".TP\n.B {}\n{}\n", status, roff(meaning));
  }
  return out +
         ".SH FILES\n.TP\n.I memsize.toml\nin the working directory: what is not typed\n"
         ".SH ENVIRONMENT\n.TP\n.B MEMSIZE_DATA\nwhere boards and templates are\n.TP\n.B "
         "NO_COLOR\nno colour by itself\n";
}

}  // namespace memsize::cli
