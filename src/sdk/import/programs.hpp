// What the cores program, as tables of a board file.
#pragma once

#include "plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memsize::sdk {

/// A region where a core sees it.
struct SeenRegion {
  const PlanRegion* region = nullptr;
  std::uint64_t base = 0;

  [[nodiscard]] std::uint64_t end() const { return base + region->size; }
};

/// All regions on the bus, also those that are not in the core's linker map, by address.
[[nodiscard]] std::vector<SeenRegion> seen_by(const Plan& plan, const std::string& core);

/// What an entry over that range is there for.
struct Coverage {
  std::vector<std::string> names;
  /// The regions are all of the range, and nothing lies over its ends.
  bool exact = false;
  /// Some region is in it or over its ends.
  bool touches = false;
};

[[nodiscard]] Coverage coverage_of(const std::vector<SeenRegion>& seen,
                                   std::uint64_t base,
                                   std::uint64_t physical,
                                   std::uint64_t size);

/// "CORE/main.c" of "c7x_1/main.c" and its like in other cores' folders.
[[nodiscard]] std::string files_text(const std::vector<std::string>& paths);

/// The carve-out that is these regions, else they themselves.
[[nodiscard]] std::vector<std::string> shortest(const Plan& plan,
                                                const std::vector<std::string>& names);

/// A key or a name that a board may have: other characters become '_'.
[[nodiscard]] std::string as_identifier(std::string_view name);

/// What the files that the board inherits say under that dotted key; null where they say nothing.
[[nodiscard]] docs::Value given(const Plan& plan, std::string_view dotted);

/// One inline table a key; keys of equal content are one.
class NamedTables {
 public:
  /// Gives the key: `wanted`, or one with `otherwise` behind it where that is taken by another
  /// content.
  std::string add(const std::string& wanted,
                  const std::string& content,
                  const std::string& otherwise);

  /// The key is taken by another content.
  [[nodiscard]] bool has_other(const std::string& key, const std::string& content) const;

  [[nodiscard]] std::string text() const;

  [[nodiscard]] bool empty() const { return rows_.empty(); }

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

[[nodiscard]] std::string mmu_text(Plan& plan);
[[nodiscard]] std::string mpu_text(Plan& plan);
[[nodiscard]] std::string rat_text(Plan& plan);

}  // namespace memsize::sdk
