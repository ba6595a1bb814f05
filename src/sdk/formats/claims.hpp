// What comments beside the entries of an MMU, MPU or RAT say about them, in sysconfig's files and
// in tables of C, and beside those of files that a script writes. Nobody compiles comments: they
// say what once was true.
//
// The forms that SDKs have: "Region start: 0xA5000000", "Region end: 0xA7C40000" (the last address
// or the one behind it) and "Attribute is MAIR4." in the comment before an entry; "32 KB", "size is
// 2GB" or "ulRegionSize 64KB" behind or before the value itself; "Region 5 configuration" before an
// entry. KB, MB and GB are powers of two there. A size among other words ("descriptors, 2 MB") is
// only mentioned: it may be of a part, or of something else.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/emit/written.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memsize::sdk {

enum class Stated { kStart, kEnd, kSize, kAttribute, kNumber, kMention };

struct Claim {
  Stated what = Stated::kStart;
  /// Bytes of a size or mention; the digit of an attribute MAIR0..7; the number of a region.
  std::uint64_t value = 0;
  /// As written, "0xA5000000", "32 KB" or "MAIR4", and where: what a correction replaces.
  std::string text;
  core::Place place;
  /// The word that the comment stands behind, if one is on its line, else the first behind it:
  /// "mmu_armv81.$name", "mpu_armv77.size", ".ulRegionSize" or "{".
  std::string beside;
  std::size_t beside_line = 0;
};

/// Every claim of a file's comments, in their order. Never an error: a comment that says nothing of
/// this kind is no claim.
[[nodiscard]] std::vector<Claim> parse_claims(const emit::MapFile& file, const std::string& root);

/// A claim that is not true, and what is.
struct WrongClaim {
  Claim claim;
  /// The text that belongs there, in the form of the claim's.
  std::string right;
  /// The entry's.
  std::string name;
};

/// Holds claims against the entries of the same file. The end may be the last address or the one
/// behind it; which of both is right is kept where the claim has one of these forms for another
/// entry of the file, else it is the last address.
[[nodiscard]] std::vector<WrongClaim> wrong_claims(
    const std::vector<Claim>& claims, const std::vector<emit::WrittenMmuEntry>& entries);

/// Sizes beside `size` properties and the fields of C's tables, numbers before their regions, and
/// starts and ends before sysconfig's: of what they show, or of the whole region.
[[nodiscard]] std::vector<WrongClaim> wrong_claims(
    const std::vector<Claim>& claims, const std::vector<emit::WrittenMpuRegion>& regions);

/// Mentions before a region of a table of the size that it had, `old_size`, and has no more.
[[nodiscard]] std::vector<WrongClaim> old_mentions(const std::vector<Claim>& claims,
                                                   const emit::WrittenMpuRegion& region,
                                                   std::uint64_t old_size);

/// One warning for all of a file, of which there is at least one.
[[nodiscard]] core::Diagnostic wrong_claims_news(const std::vector<WrongClaim>& wrong);

}  // namespace memsize::sdk
