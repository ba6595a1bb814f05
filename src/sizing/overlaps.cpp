// The sweep: spans sorted by address, those still open as bits, a heap of their ends.
#include "overlaps.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>

namespace memsize::sizing {

namespace {

bool ends_later(const Span& a, const Span& b) {
  return a.end > b.end;
}

}  // namespace

void Relation::relate(std::size_t member, const std::vector<std::uint64_t>& set) {
  std::uint64_t* const row = &bits_[member * words_];
  for (std::size_t word = 0; word < words_; ++word) {
    row[word] |= set[word];
  }
}

Span span_of(const model::Block& block, std::size_t member) {
  const model::PrintedAddress address = block.address.value_or(model::PrintedAddress::low(0));
  const std::uint64_t begin = address.value();
  return {begin,
          begin + std::max<std::uint64_t>(block.size.nearest.count(), 1),
          member,
          address.is_whole()};
}

void sort_spans(std::vector<Span>& spans) {
  const auto is_whole = [](const Span& span) { return span.is_whole; };
  if (!std::ranges::all_of(spans, is_whole)) {
    for (Span& span : spans) {
      const std::uint64_t size = span.end - span.begin;
      span.begin = model::PrintedAddress::low(span.begin).value();
      span.end = span.begin + size;
      span.is_whole = false;
    }
  }
  std::ranges::sort(spans, [](const Span& a, const Span& b) {
    return std::tie(a.begin, a.end, a.member) < std::tie(b.begin, b.end, b.member);
  });
}

void Sweep::close(std::uint64_t until) {
  while (!ends_.empty() && ends_.front().end <= until) {
    const std::size_t member = ends_.front().member;
    if (--counts_[member] == 0) {
      open_[member / 64] &= ~(std::uint64_t{1} << (member % 64));
    }
    std::pop_heap(ends_.begin(), ends_.end(), ends_later);
    ends_.pop_back();
  }
}

void Sweep::run(std::vector<Span>::const_iterator first, std::vector<Span>::const_iterator last) {
  for (; first != last; ++first) {
    close(first->begin);
    if (!ends_.empty()) {
      relation_.relate(first->member, open_);
    }
    if (counts_[first->member]++ == 0) {
      open_[first->member / 64] |= std::uint64_t{1} << (first->member % 64);
    }
    ends_.push_back(*first);
    std::push_heap(ends_.begin(), ends_.end(), ends_later);
  }
  close(std::numeric_limits<std::uint64_t>::max());
}

SharedAddresses::SharedAddresses(const std::vector<model::Instance>& instances,
                                 const std::vector<std::size_t>& models,
                                 model::Cacheability cacheability,
                                 model::Lifetime lifetime)
    : comparable_(models.size()), shared_(models.size()) {
  std::map<std::string_view, std::vector<Span>> spaces;
  for (std::size_t member = 0; member < models.size(); ++member) {
    for (const model::Block& block : instances[models[member]].blocks) {
      if (block.cacheability == cacheability && block.lifetime == lifetime && block.address) {
        spaces[block.space].push_back(span_of(block, member));
      }
    }
  }
  Sweep sweep{shared_, models.size()};
  for (auto& [space, spans] : spaces) {
    sort_spans(spans);
    sweep.run(spans.begin(), spans.end());
    std::vector<std::uint64_t> present(comparable_.words());
    for (const Span& span : spans) {
      present[span.member / 64] |= std::uint64_t{1} << (span.member % 64);
    }
    for (std::size_t member = 0; member < models.size(); ++member) {
      if ((present[member / 64] >> (member % 64) & 1U) != 0) {
        comparable_.relate(member, present);
      }
    }
  }
}

}  // namespace memsize::sizing
