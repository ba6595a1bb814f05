// Small console logs of TIDL, made of a seed: every form of every line, and everything
// that serial lines, shells, web pages and ring buffers do to them.
#pragma once

#include <cstdint>
#include <random>
#include <string>

namespace memsize::slow {

/// The same seed makes the same logs, built by the same compiler.
class RandomLogs {
 public:
  explicit RandomLogs(std::uint64_t seed) : random_(seed) {}

  [[nodiscard]] std::string next();

  /// A number below `end`.
  [[nodiscard]] std::uint64_t below(std::uint64_t end) { return random_() % end; }

 private:
  [[nodiscard]] bool chance(std::uint64_t percent) { return below(100) < percent; }

  [[nodiscard]] std::string any(const std::initializer_list<const char*>& texts);
  [[nodiscard]] std::string kib();
  [[nodiscard]] std::string space();
  [[nodiscard]] std::string lifetime();
  [[nodiscard]] std::string heap();
  [[nodiscard]] std::string core();

  [[nodiscard]] std::string row();
  [[nodiscard]] std::string total();
  [[nodiscard]] std::string request();
  [[nodiscard]] std::string heap_line();
  [[nodiscard]] std::string run();
  [[nodiscard]] std::string border();
  [[nodiscard]] std::string bait();
  [[nodiscard]] std::string message();

  [[nodiscard]] std::string prefix(bool whole);
  [[nodiscard]] std::string line(bool prefixed);
  void squeeze(std::string& text);
  void damage(std::string& line);

  std::mt19937_64 random_;
};

}  // namespace memsize::slow
