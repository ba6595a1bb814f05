// Bytes where numbers of any type can be read as they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace memsize::core {

/// A text for readers that look at it in place, such as FlatBuffers'. It is copied only where it
/// begins at an odd address, so it has to outlive this.
class AlignedText {
 public:
  explicit AlignedText(std::string_view text) : text_(text) {
    constexpr std::uintptr_t kLargest = alignof(std::max_align_t);
    if (reinterpret_cast<std::uintptr_t>(text.data()) % kLargest != 0) {
      copy_.resize(text.size() / sizeof(std::max_align_t) + 1);
      std::memcpy(copy_.data(), text.data(), text.size());
    }
  }

  [[nodiscard]] const std::uint8_t* data() const {
    return copy_.empty() ? reinterpret_cast<const std::uint8_t*>(text_.data())
                         : reinterpret_cast<const std::uint8_t*>(copy_.data());
  }

 private:
  std::string_view text_;
  std::vector<std::max_align_t> copy_;
};

}  // namespace memsize::core
