// What the tests that damage one byte of a text have in common.
#pragma once

#include "memsize/core/bytes.hpp"
#include "memsize/core/diagnostic.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace memsize::test {

/// What somebody reads of a text: figures, and what is told beside them.
struct Said {
  std::string figures;
  std::set<std::string> told;
  bool is_read = false;

  void keep(const core::Diagnostics& diagnostics) {
    for (const auto& diagnostic : diagnostics) {
      if (diagnostic.severity != core::Severity::kNote) {
        told.insert(diagnostic.message);
      }
    }
  }

  /// Other figures, and nothing told that was not told before.
  [[nodiscard]] bool differs_silently(const Said& before) const {
    return figures != before.figures &&
           std::includes(before.told.begin(), before.told.end(), told.begin(), told.end());
  }
};

inline std::string text_of(const std::optional<core::Bytes>& bytes) {
  return bytes ? fmt::format("{}", bytes->count()) : "-";
}

struct Share {
  std::size_t damages = 0;
  std::size_t silent = 0;

  void count(bool is_silent) {
    ++damages;
    silent += static_cast<std::size_t>(is_silent);
  }

  /// Prints it; false where 1 % or more is silent.
  [[nodiscard]] bool report(const std::string& name) const {
    const bool below = silent * 100 < damages;
    fmt::print("{:<16} {:>7} damages, {:>5} silent: {:.2f} %{}\n",
               name,
               damages,
               silent,
               100.0 * static_cast<double>(silent) / static_cast<double>(damages),
               below ? "" : "  TOO MANY");
    return below;
  }
};

/// Other values of a byte: xorshift64.
class OtherBytes {
 public:
  explicit OtherBytes(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::string damaged(std::string text, std::size_t at) {
    text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) + 1 + next() % 255);
    return text;
  }

 private:
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ >> 11;
  }

  std::uint64_t state_;
};

/// The line of a damage.
inline void show(const std::string& path, const std::string& text, std::size_t at, char was) {
  const std::size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const std::size_t end = std::min(text.find('\n', std::max(at, begin)), text.size());
  fmt::print("{}: '{}' was: {}\n", path, was, text.substr(begin, end - begin));
}

/// [--boards DIR] [--values N] [--least N] [--seed N] [--show] FILE...
struct DamageOptions {
  std::string boards;
  std::size_t values = 2;
  /// Of each file: its bytes take more values where they are few.
  std::size_t least = 10'000;
  std::uint64_t seed = 20;
  bool show = false;
  std::vector<std::string> paths;

  DamageOptions(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string_view word{argv[i]};
      if (word == "--boards" && i + 1 < argc) {
        boards = argv[++i];
      } else if (word == "--values" && i + 1 < argc) {
        values = std::stoul(argv[++i]);
      } else if (word == "--least" && i + 1 < argc) {
        least = std::stoul(argv[++i]);
      } else if (word == "--seed" && i + 1 < argc) {
        seed = std::stoull(argv[++i]);
      } else if (word == "--show") {
        show = true;
      } else {
        paths.emplace_back(word);
      }
    }
  }
};

}  // namespace memsize::test
