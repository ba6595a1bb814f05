// Reads the functions that convert addresses between a core and the others: chains of range tests,
// each with an offset. A function with anything else that may change an address is an error.
#include "memsize/core/text.hpp"

#include "firmware.hpp"
#include "source_reader.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

class SharedParser : private SourceReader {
 public:
  using SourceReader::SourceReader;

  std::vector<SharedRange> run() {
    while (!cursor_.done()) {
      const std::string word = step();
      const bool to_shared = word == "appTarget2SharedConversion";
      if (depth_ == 0 && (to_shared || word == "appShared2TargetConversion") &&
          cursor_.peek() == "(") {
        direction_ = to_shared ? Direction::kToShared : Direction::kToTarget;
        function();
      }
    }
    return std::move(ranges_);
  }

 private:
  static constexpr unsigned kDeepest = 16;

  // The parameter's name is the last word of `(const uint64_t address)`.
  void function() {
    while (!cursor_.done() && cursor_.peek() != ")" && cursor_.peek() != "{") {
      parameter_ = step();
    }
    step();
    if (cursor_.peek() == "{" && core::is_identifier(parameter_)) {
      (void)block(0);
    }
  }

  // All of `{ ... }`. False after an error: the rest of the function is left alone.
  bool block(unsigned depth) {
    const std::size_t outside = depth_;
    bool good = depth < kDeepest;
    if (!good) {
      cursor_.wrong("the blocks are nested too deeply", cursor_.place());
    }
    step();
    while (good && !cursor_.done() && cursor_.peek() != "}") {
      good = statement(depth);
    }
    while (!cursor_.done() && depth_ > outside) {
      step();
    }
    return good;
  }

  bool statement(unsigned depth) {
    const std::string_view word = cursor_.peek();
    if (word == "if") {
      return test(depth);
    }
    if (word == "{") {
      return block(depth + 1);
    }
    return word == "convertVirt2Phys" || word == "convertPhys2Virt" ? conversion() : plain();
  }

  // A statement that changes no address: there is no arithmetic, and no other control flow.
  bool plain() {
    const core::Place place = cursor_.place();
    while (!cursor_.done()) {
      const std::string word = step();
      if (word == ";") {
        return true;
      }
      if (word == "+" || word == "-" || word == "|" || word == "{" || word == "for" ||
          word == "while" || word == "goto" || word == "switch" || word == "?") {
        break;
      }
    }
    return not_understood(place);
  }

  bool not_understood(const core::Place& place) {
    cursor_.wrong("this conversion of an address is not understood", place);
    return false;
  }

  // `(cast)`, if there is one.
  void skip_cast() {
    if (cursor_.peek() == "(" && core::is_c_type(cursor_.peek(1))) {
      while (!cursor_.done() && step() != ")") {
      }
    }
  }

  // Takes a parenthesis that begins no cast.
  bool opens() {
    const bool yes = cursor_.peek() == "(" && !core::is_c_type(cursor_.peek(1));
    if (yes) {
      step();
    }
    return yes;
  }

  bool closes(bool opened) { return !opened || cursor_.expect(")"); }

  bool address() {
    skip_cast();
    return cursor_.expect(parameter_);
  }

  // `if ((address >= low) && (address < low + size)) { ... } else ...`
  bool test(unsigned depth) {
    if (depth == kDeepest) {
      return not_understood(cursor_.place());
    }
    SharedRange range{.direction = direction_, .place = cursor_.place()};
    range.conditions = source_.conditions(range.place.line);
    step();
    if (!cursor_.expect("(")) {
      return false;
    }
    const bool first = opens();
    if (!address() || !cursor_.expect(">") || !cursor_.expect("=")) {
      return false;
    }
    const auto low = operand();
    if (!low || !closes(first)) {
      return false;
    }
    if (cursor_.peek() == "&") {
      step();
      range.size = upper(*low);
      if (!range.size) {
        return false;
      }
    }
    if (!cursor_.expect(")") || !result(*low, range)) {
      return false;
    }
    ranges_.push_back(std::move(range));
    return otherwise(depth);
  }

  bool otherwise(unsigned depth) {
    if (cursor_.peek() != "else") {
      return true;
    }
    step();
    return cursor_.peek() == "{" || cursor_.peek() == "if" ? statement(depth + 1)
                                                           : not_understood(cursor_.place());
  }

  // `& (address < (low + size))`: the size.
  std::optional<Argument> upper(const Argument& low) {
    if (!cursor_.expect("&")) {
      return std::nullopt;
    }
    const bool outer = opens();
    if (!address() || !cursor_.expect("<")) {
      return std::nullopt;
    }
    const core::Place place = cursor_.place();
    const bool inner = opens();
    const core::Place sum = cursor_.place();
    const auto again = operand();
    if (!again || !cursor_.expect("+")) {
      return std::nullopt;
    }
    auto size = operand();
    if (!size || !fits(cursor_.words_since(sum), place) || !closes(inner) || !closes(outer)) {
      return std::nullopt;
    }
    if (again->value != low.value) {
      cursor_.wrong(fmt::format("the range begins at {}, but ends behind {}",
                                core::format_hex(low.value),
                                core::format_hex(again->value)),
                    place);
      return std::nullopt;
    }
    return size;
  }

  // Whether the sum is what it seems to be in C.
  bool fits(const std::string& sum, const core::Place& place) {
    core::Diagnostics problems;
    core::Cursor cursor{"", sum, core::Code::kVerifyParse, problems, core::Words::kC};
    if (!core::c_expression(cursor, rules_)) {
      cursor_.wrong(problems.front().message, place);
      return false;
    }
    return true;
  }

  // What the block of a test makes of the address.
  bool result(const Argument& low, SharedRange& range) {
    if (cursor_.peek() != "{") {
      return not_understood(cursor_.place());
    }
    step();
    bool good = false;
    if (cursor_.peek() == "if") {
      good = choice(low, range);
    } else {
      good = offset(low, range);
    }
    if (good && cursor_.peek() != "}") {
      good = not_understood(cursor_.place());
    }
    if (good) {
      step();
    }
    return good;
  }

  // `if (a >= b) { offset } else { offset }`: both must say the same.
  bool choice(const Argument& low, SharedRange& range) {
    const core::Place place = cursor_.place();
    step();
    if (!cursor_.expect("(") || !operand() || !cursor_.expect(">") || !cursor_.expect("=") ||
        !operand() || !cursor_.expect(")") || !braced_offset(low, range)) {
      return false;
    }
    SharedRange other = range;
    if (!cursor_.expect("else") || !braced_offset(low, other)) {
      return false;
    }
    if (other.virtual_base.value != range.virtual_base.value ||
        other.physical.value != range.physical.value) {
      cursor_.wrong("the two branches convert to different addresses", place);
      return false;
    }
    return true;
  }

  bool braced_offset(const Argument& low, SharedRange& range) {
    if (cursor_.peek() != "{") {
      return not_understood(cursor_.place());
    }
    step();
    if (!offset(low, range) || !cursor_.expect("}")) {
      return false;
    }
    --depth_;
    return true;
  }

  // `result = address + (to - from);`, `result = address - (from - to);` or `... + offset;`
  bool offset(const Argument& low, SharedRange& range) {
    const core::Place place = cursor_.place();
    if (!core::is_identifier(cursor_.peek())) {
      return not_understood(place);
    }
    step();
    if (!cursor_.expect("=")) {
      return false;
    }
    const bool outer = opens();
    if (!address() || (cursor_.peek() != "+" && cursor_.peek() != "-")) {
      return not_understood(place);
    }
    const bool adds = step() == "+";
    const bool inner = opens();
    auto left = operand();
    std::optional<Argument> right;
    if (left && cursor_.peek() == "-") {
      step();
      right = operand();
      left = right ? left : std::nullopt;
    }
    if (!left || !closes(inner) || !closes(outer) || !cursor_.expect(";")) {
      return false;
    }
    Argument from = low;
    Argument to;
    if (right) {
      from = adds ? *right : *left;
      to = adds ? *left : *right;
    } else {
      to.value = adds ? low.value + left->value : low.value - left->value;
      to.place = left->place;
    }
    if (from.value != low.value) {
      cursor_.wrong(fmt::format("the range begins at {}, but is converted from {}",
                                core::format_hex(low.value),
                                core::format_hex(from.value)),
                    place);
      return false;
    }
    const bool to_shared = direction_ == Direction::kToShared;
    range.virtual_base = to_shared ? low : to;
    range.physical = to_shared ? to : low;
    return true;
  }

  // `convertVirt2Phys(address, virtual, physical, size, &result);`
  bool conversion() {
    SharedRange range{.direction = direction_, .place = cursor_.place()};
    range.conditions = source_.conditions(range.place.line);
    const bool to_shared = step() == "convertVirt2Phys";
    if (to_shared != (direction_ == Direction::kToShared)) {
      cursor_.wrong("this converts into the other direction", range.place);
      return false;
    }
    if (!cursor_.expect("(") || !address() || !cursor_.expect(",")) {
      return false;
    }
    const auto virtual_base = argument();
    const auto physical = virtual_base && cursor_.expect(",") ? argument() : std::nullopt;
    range.size = physical && cursor_.expect(",") ? argument() : std::nullopt;
    if (!range.size || !cursor_.expect(",") || !cursor_.expect("&")) {
      return false;
    }
    step();
    if (!cursor_.expect(")") || !cursor_.expect(";")) {
      return false;
    }
    range.virtual_base = *virtual_base;
    range.physical = *physical;
    ranges_.push_back(std::move(range));
    return true;
  }

  Direction direction_ = Direction::kToShared;
  std::string parameter_;
  std::vector<SharedRange> ranges_;
};

}  // namespace

std::vector<SharedRange> parse_shared_ranges(const FirmwareFile& file, core::Diagnostics& errors) {
  return SharedParser{file, errors}.run();
}

}  // namespace memsize::sdk
