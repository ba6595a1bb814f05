#include "plan_judge.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace memsize::judge {

namespace {

std::uint64_t size_of(const plan::Buffer& buffer) {
  return buffer.size.count();
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
  const std::uint64_t rest = value % multiple;
  return rest == 0 ? value : value + (multiple - rest);
}

bool share_bytes(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) {
  return a < b + b_size && b < a + a_size && a_size != 0 && b_size != 0;
}

// All orders of the buffers that may lie anywhere, each at the lowest place that is left.
class AllOrders {
 public:
  explicit AllOrders(const Buffers& buffers)
      : buffers_(buffers), offsets_(buffers.size()), bound_(most_alive(buffers)) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      if (size_of(buffers[i]) == 0) {
        continue;
      }
      if (buffers[i].offset) {
        offsets_[i] = buffers[i].offset->count();
        placed_.push_back(i);
        bound_ = std::max(bound_, offsets_[i] + size_of(buffers[i]));
      } else {
        free_.push_back(i);
      }
    }
  }

  std::uint64_t least() {
    place(0, bound_of_fixed());
    return best_;
  }

 private:
  [[nodiscard]] std::uint64_t bound_of_fixed() const {
    std::uint64_t top = 0;
    for (const std::size_t i : placed_) {
      top = std::max(top, offsets_[i] + size_of(buffers_[i]));
    }
    return top;
  }

  [[nodiscard]] std::uint64_t lowest_place(std::size_t index) const {
    const plan::Buffer& buffer = buffers_[index];
    std::uint64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const std::size_t other : placed_) {
        if (live_together(buffer, buffers_[other]) &&
            share_bytes(offset, size_of(buffer), offsets_[other], size_of(buffers_[other]))) {
          offset = rounded_up(offsets_[other] + size_of(buffers_[other]), buffer.alignment.value());
          moved = true;
        }
      }
    }
    return offset;
  }

  void place(std::uint64_t least_offset, std::uint64_t top) {
    if (top >= best_ || best_ == bound_) {
      return;
    }
    if (free_.empty()) {
      best_ = top;
      return;
    }
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const std::size_t index = free_[i];
      const std::uint64_t offset = lowest_place(index);
      if (offset < least_offset) {
        continue;
      }
      offsets_[index] = offset;
      placed_.push_back(index);
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      place(offset, std::max(top, offset + size_of(buffers_[index])));
      free_.insert(free_.begin() + static_cast<std::ptrdiff_t>(i), index);
      placed_.pop_back();
    }
  }

  const Buffers& buffers_;
  Offsets offsets_;
  std::vector<std::size_t> placed_;
  std::vector<std::size_t> free_;
  std::uint64_t bound_;
  std::uint64_t best_ = UINT64_MAX;
};

bool fits_from(const Buffers& buffers, Offsets& offsets, std::uint64_t height) {
  const std::size_t index = offsets.size();
  if (index == buffers.size()) {
    return true;
  }
  const plan::Buffer& buffer = buffers[index];
  const std::uint64_t size = size_of(buffer);
  if (size == 0) {
    offsets.push_back(0);
    const bool fits = fits_from(buffers, offsets, height);
    offsets.pop_back();
    return fits;
  }
  const std::uint64_t first = buffer.offset ? buffer.offset->count() : 0;
  for (std::uint64_t offset = first; offset + size <= height; offset += buffer.alignment.value()) {
    bool is_free = true;
    for (std::size_t other = 0; other < index && is_free; ++other) {
      is_free = !collide(buffer, offset, buffers[other], offsets[other]);
    }
    if (is_free) {
      offsets.push_back(offset);
      if (fits_from(buffers, offsets, height)) {
        return true;
      }
      offsets.pop_back();
    }
    if (buffer.offset) {
      break;
    }
  }
  return false;
}

}  // namespace

bool live_together(const plan::Buffer& a, const plan::Buffer& b) {
  return a.lower < b.upper && b.lower < a.upper;
}

bool collide(const plan::Buffer& a,
             std::uint64_t offset_of_a,
             const plan::Buffer& b,
             std::uint64_t offset_of_b) {
  const auto needs_of = [](const plan::Buffer& buffer) {
    using Windows = std::vector<model::Window>;
    return buffer.windows.empty()
               ? Windows{{{buffer.lower, buffer.upper}, core::Bytes{}, buffer.size}}
               : buffer.windows;
  };
  for (const model::Window& of_a : needs_of(a)) {
    for (const model::Window& of_b : needs_of(b)) {
      const bool together = of_a.live.lower < of_b.live.upper && of_b.live.lower < of_a.live.upper;
      if (together && share_bytes(offset_of_a + of_a.begin.count(),
                                  (of_a.end - of_a.begin).count(),
                                  offset_of_b + of_b.begin.count(),
                                  (of_b.end - of_b.begin).count())) {
        return true;
      }
    }
  }
  return false;
}

bool fixed_collide(const Buffers& buffers) {
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const plan::Buffer& a = buffers[i];
      const plan::Buffer& b = buffers[j];
      if (a.offset && b.offset && collide(a, a.offset->count(), b, b.offset->count())) {
        return true;
      }
    }
  }
  return false;
}

std::uint64_t height_of(const Buffers& buffers, const Offsets& offsets) {
  std::uint64_t height = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (size_of(buffers[i]) != 0) {
      height = std::max(height, offsets[i] + size_of(buffers[i]));
    }
  }
  return height;
}

std::string fault_of(const Buffers& buffers, const Offsets& offsets) {
  if (offsets.size() != buffers.size()) {
    return fmt::format("{} offsets of {} buffers", offsets.size(), buffers.size());
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const plan::Buffer& buffer = buffers[i];
    if (buffer.offset) {
      if (offsets[i] != buffer.offset->count()) {
        return fmt::format("b{} is fixed, but lies at {}", i, offsets[i]);
      }
    } else if (offsets[i] % buffer.alignment.value() != 0) {
      return fmt::format("b{} at {} is not aligned", i, offsets[i]);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (collide(buffer, offsets[i], buffers[j], offsets[j])) {
        return fmt::format("b{} at {} and b{} at {} share bytes", j, offsets[j], i, offsets[i]);
      }
    }
  }
  return {};
}

std::optional<std::uint64_t> least_height(const Buffers& buffers) {
  if (fixed_collide(buffers)) {
    return std::nullopt;
  }
  return AllOrders{buffers}.least();
}

bool any_plan(const Buffers& buffers, std::uint64_t height) {
  Offsets offsets;
  return fits_from(buffers, offsets, height);
}

std::optional<std::uint64_t> least_by_trying(const Buffers& buffers) {
  if (fixed_collide(buffers)) {
    return std::nullopt;
  }
  std::uint64_t height = 0;
  while (!any_plan(buffers, height)) {
    ++height;
  }
  return height;
}

std::uint64_t most_alive(const Buffers& buffers) {
  std::uint64_t most = 0;
  for (const plan::Buffer& at : buffers) {
    std::uint64_t alive = 0;
    for (const plan::Buffer& buffer : buffers) {
      if (buffer.lower <= at.lower && at.lower < buffer.upper) {
        alive += size_of(buffer);
      }
    }
    most = std::max(most, alive);
  }
  return most;
}

std::string table_of(const Buffers& buffers) {
  std::string text = "id,lower,upper,size,alignment,offset,windows\n";
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const plan::Buffer& buffer = buffers[i];
    text += fmt::format("b{},{},{},{},{},{},",
                        i,
                        buffer.lower,
                        buffer.upper,
                        size_of(buffer),
                        buffer.alignment.value(),
                        buffer.offset ? fmt::format("{}", buffer.offset->count()) : "");
    for (const model::Window& window : buffer.windows) {
      text += fmt::format("{}-{}@{}:{} ",
                          window.live.lower,
                          window.live.upper,
                          window.begin.count(),
                          window.end.count());
    }
    text += '\n';
  }
  return text;
}

}  // namespace memsize::judge
