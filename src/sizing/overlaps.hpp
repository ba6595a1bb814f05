// Which models of one log lie over each other. One sweep over the blocks in the order of their
// addresses finds it for all pairs: a model's row gets, whenever one of its blocks begins, all
// models that have a block there, as bits, 64 at a time.
#pragma once

#include "memsize/model/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memsize::sizing {

/// No log has so many models of one core (the reader stops at half of it). Of more, which only a
/// document made by hand has, nobody asks which lie over which: the rows would take more memory
/// than the models.
inline constexpr std::size_t kMostRelated = 8192;

/// Pairs of members, which are numbers from 0.
class Relation {
 public:
  explicit Relation(std::size_t members) : words_((members + 63) / 64), bits_(members * words_) {}

  [[nodiscard]] bool has(std::size_t a, std::size_t b) const { return bit(a, b) || bit(b, a); }

  /// How many words a set of members has.
  [[nodiscard]] std::size_t words() const { return words_; }

  /// Relates a member to every one of a set.
  void relate(std::size_t member, const std::vector<std::uint64_t>& set);

 private:
  [[nodiscard]] bool bit(std::size_t a, std::size_t b) const {
    return (bits_[a * words_ + b / 64] >> (b % 64) & 1U) != 0;
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

/// The addresses of a block that has some, and whose it is. Blocks without bytes have one.
struct Span {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t member = 0;
  /// They are whole addresses.
  bool is_whole = false;
};

[[nodiscard]] Span span_of(const model::Block& block, std::size_t member);
/// Sorts the spans of one heap by their addresses; where not all are whole, by their low bits.
void sort_spans(std::vector<Span>& spans);

/// Relates the members of which two spans share an address. What it needs meanwhile is kept from
/// heap to heap.
class Sweep {
 public:
  explicit Sweep(Relation& relation, std::size_t members)
      : relation_(relation), open_(relation.words()), counts_(members) {}

  /// The spans of one heap or of a part of it, sorted.
  void run(std::vector<Span>::const_iterator first, std::vector<Span>::const_iterator last);

 private:
  void close(std::uint64_t until);

  Relation& relation_;
  // The members of which a span has begun and not ended, and how many of them.
  std::vector<std::uint64_t> open_;
  std::vector<std::uint32_t> counts_;
  // Spans that are open, the one that ends first on top.
  std::vector<Span> ends_;
};

/// Which models have the same addresses in one class of memory.
class SharedAddresses {
 public:
  /// `models` are the members, by their index in `instances`.
  SharedAddresses(const std::vector<model::Instance>& instances,
                  const std::vector<std::size_t>& models,
                  model::Cacheability cacheability,
                  model::Lifetime lifetime);

  /// Whether two members share any; nothing where one of them has none to compare.
  [[nodiscard]] std::optional<bool> between(std::size_t a, std::size_t b) const {
    return comparable_.has(a, b) ? std::optional{shared_.has(a, b)} : std::nullopt;
  }

 private:
  Relation comparable_;
  Relation shared_;
};

}  // namespace memsize::sizing
