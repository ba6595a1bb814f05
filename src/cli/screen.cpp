// Asks the terminal and the environment.
#include "screen.hpp"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace memsize::cli {

namespace {

constexpr std::size_t kUsualWidth = 80;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

}  // namespace

bool Screen::colour(int stream) const {
  if (color != "auto") {
    return color == "always";
  }
  return attended && ::isatty(stream) != 0 && variable("NO_COLOR").empty() &&
         variable("TERM") != "dumb";
}

std::size_t Screen::width() const {
  winsize size{};
  const bool known = attended && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
  return known ? size.ws_col : kUsualWidth;
}

}  // namespace memsize::cli
