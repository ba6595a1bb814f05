// What a script may ask for. The largest real one has 100 kB, 1500 statements and 200 sections; a
// hostile one ends with an error that names the limit, in about a second.
#pragma once

#include <cstddef>

namespace memsize::sdk {

/// Bytes of the file; also keeps offsets small.
constexpr std::size_t kMostBytes = std::size_t{4} << 20;

/// Statements, and operands and operators: each takes some hundred bytes.
constexpr std::size_t kMostStatements = 100'000;
constexpr std::size_t kMostOperands = 500'000;

/// Brackets, blocks, operators before an operand, calls behind calls: each is a level of recursion.
constexpr int kDeepest = 64;

/// Functions that call functions: each is several levels of recursion.
constexpr std::size_t kDeepestCalls = 32;

/// Statements, operands, and comparisons of sections: functions that call others twice make many
/// of them from few lines.
constexpr std::size_t kMostSteps = 3'000'000;

/// Magnitudes stay below 2^100, so that every single operation fits into 128 bits.
constexpr int kMostBits = 100;

/// Python divides integers exactly below 2^53, as a double; above, it rounds.
constexpr int kExactBits = 53;

/// Bytes of one text: twice a text, twice, twice...
constexpr std::size_t kLongestText = std::size_t{1} << 16;

/// Bytes of all texts that were joined.
constexpr std::size_t kMostText = std::size_t{1} << 24;

/// Sections of a script.
constexpr std::size_t kMostSections = 10'000;

/// Overlaps that are reported.
constexpr std::size_t kMostOverlaps = 1'000;

}  // namespace memsize::sdk
