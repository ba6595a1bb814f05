// Sorts by the first eight bytes of the ids, as numbers beside each other in memory; whole ids are
// compared only where these are equal. Ids that stand twice come out with it.
#include "memsize/model/id_order.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace memsize::model {

namespace {

// Most ids are decided by their first eight bytes, which lie beside each other here.
struct Key {
  std::uint64_t head = 0;
  std::size_t block = 0;
};

std::uint64_t head_of(const std::string& id) {
  std::uint64_t head = 0;
  for (std::size_t byte = 0; byte < sizeof(head); ++byte) {
    const unsigned char c = byte < id.size() ? static_cast<unsigned char>(id[byte]) : 0;
    head = head << 8U | c;
  }
  return head;
}

}  // namespace

IdOrder order_by_id(const std::vector<PlannedBlock>& blocks) {
  std::vector<Key> keys(blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    keys[i] = {head_of(blocks[i].id), i};
  }
  std::ranges::sort(keys, [&blocks](const Key& a, const Key& b) {
    if (a.head != b.head) {
      return a.head < b.head;
    }
    const int order = blocks[a.block].id.compare(blocks[b.block].id);
    return order != 0 ? order < 0 : a.block < b.block;
  });
  IdOrder order;
  order.blocks.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    order.blocks.push_back(keys[i].block);
    if (i > 0 && keys[i].head == keys[i - 1].head &&
        blocks[keys[i].block].id == blocks[keys[i - 1].block].id) {
      order.repeated.emplace_back(keys[i].block, keys[i - 1].block);
    }
  }
  std::ranges::sort(order.repeated);
  return order;
}

}  // namespace memsize::model
