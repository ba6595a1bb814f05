// What single lines of a console log say of TIDL's memory; tables are put together elsewhere.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/model/block.hpp"

#include "console_line.hpp"
#include "row_cache.hpp"
#include "tidl_rows.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace memsize::readers {

/// A record's row, in the form in which it was printed (model::Instance::form).
struct RowFact {
  std::string_view form;
  model::Block block;
};

/// A row of a table or of statistics that was cut, joined or changed on its way: what of it cannot
/// be.
struct BrokenRowFact {
  core::Diagnostic problem;
};

/// A line of the sums below a table.
struct TotalFact {
  model::ClassTotal total;
};

/// Where one table ends: its title, the title of its sums, or the call that prints it again.
struct BorderFact {
  /// A table follows.
  bool title = false;
};

/// The priority of the model whose table follows.
struct PriorityFact {
  std::uint32_t priority = 0;
};

/// Something only an emulation on a host prints.
struct EmulationFact {};

/// What the host has allocated of the memory that it shares with the cores.
struct HostUseFact {
  std::size_t line = 0;
  std::uint64_t allocations = 0;
  core::Bytes bytes;
};

struct InitFact {
  double ms = 0;
};

struct ExecutionFact {
  double ms = 0;
  std::optional<double> read_mb;
  std::optional<double> written_mb;
};

struct FailureFact {
  model::Failure failure;
  /// The complaint itself, without what a logger put before it: a time, a process.
  std::string complaint;
};

using FactValue = std::variant<RowFact,
                               BrokenRowFact,
                               TotalFact,
                               BorderFact,
                               PriorityFact,
                               EmulationFact,
                               HostUseFact,
                               InitFact,
                               ExecutionFact,
                               model::HeapReport,
                               FailureFact>;

struct Fact {
  /// Who printed it. Statistics of a heap carry the core that they are about.
  std::string core;
  std::size_t line = 0;
  FactValue value;
};

/// What a line must hold to say anything, unless an earlier one opened a table without words.
[[nodiscard]] const std::vector<std::string>& telling_words();

/// As long as this a line may have been cut in two by the target, which prints 1023 characters at
/// once (console_io.c: strings of 1024 bytes), behind its time stamp or with it.
inline constexpr std::size_t kLongestWritten = 1023;

class FactFinder {
 public:
  using Visitor = std::function<void(Fact)>;

  /// `path` is for the places of problems.
  FactFinder(std::string path, Visitor visitor);

  /// Whether the next line is wanted whatever it holds.
  [[nodiscard]] bool take(std::string_view line, std::size_t number);

 private:
  /// A core's line that says what one of its lines said before: models are loaded again and again.
  bool take_known_row(std::string_view line);
  void remember_row(const Piece& piece, const Row& row);
  void take_piece(const Piece& piece);
  void take_broken(const Piece& piece, core::Code code, const RowProblem& problem);
  void take_broken_row(const Piece& piece, std::string_view what);
  void take_broken_total(const Piece& piece);
  void take_broken_heap(const Piece& piece,
                        std::string_view entry,
                        model::HeapReport::Source source);
  void take_created(const Piece& piece);
  void take_words(const Piece& piece);
  void take_heaps(const Piece& piece);
  /// Goes on with what a core's line before left unfinished. Whether it did.
  bool join(const Piece& piece);
  void say(const std::string& core, FactValue value);

  std::string path_;
  Visitor visitor_;
  /// "[C7x_2 ]" and the core that it names.
  std::vector<std::pair<std::string, std::string>> prefixes_;
  /// Rows by their texts, behind the prefix.
  RowCache rows_;
  std::string cleaned_;
  std::size_t line_ = 0;
  std::string_view whole_;
  /// Nothing else stands in the line.
  bool one_piece_ = false;
  /// The core that the table of heaps below is about, where a heading named it, by who prints.
  std::map<std::string, std::string> headings_;
  /// Lines that may still hold rows of a table whose rows are numbers alone; 0: none is open.
  std::size_t numbers_ = 0;
  /// Cut lines by core, and how many lines may still come before their rest.
  std::map<std::string, std::string> cut_;
  std::size_t waits_ = 0;
};

}  // namespace memsize::readers
