// Small pieces of TOML.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::sdk {

/// "# --- Title ---...", with a line end.
[[nodiscard]] std::string heading_text(const std::string& title);

/// In quotes, on one line; what a terminal would act on is escaped.
[[nodiscard]] std::string quoted(std::string_view text);

/// A key: quoted where it is not bare.
[[nodiscard]] std::string key_text(std::string_view key);

/// `["a", "b"]`.
[[nodiscard]] std::string list_text(const std::vector<std::string>& items);

/// A list that is broken into lines where it is long.
[[nodiscard]] std::string long_list_text(const std::vector<std::string>& items);

/// `{ a = "b", c = true }`; a field's value is text of TOML.
class InlineTable {
 public:
  InlineTable& text(const char* key, std::string_view value);
  InlineTable& plain(const char* key, std::string_view value);
  /// Nothing where `value` is empty.
  InlineTable& optional_text(const char* key, std::string_view value);
  /// Where `value` is not what the key means without it.
  InlineTable& flag(const char* key, bool value, bool without);

  /// The other's fields behind these.
  InlineTable& append(const InlineTable& other);

  [[nodiscard]] std::string str() const;

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace memsize::sdk
