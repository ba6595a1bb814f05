// Reads an expression of a script as a sum of variables with factors, evaluates such sums, and
// writes them as a board's expressions, with sizes in the units in which people say them.
#include "linear.hpp"

#include "memsize/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace memsize::sdk {

namespace {

// Magnitudes below which products of two numbers stay exact.
constexpr Integer kMost = Integer{1} << 62;

bool is_small(Integer value) {
  return value < kMost && value > -kMost;
}

bool is_small(const Linear& form) {
  bool small = is_small(form.constant);
  for (const auto& [name, factor] : form.terms) {
    small = small && is_small(factor);
  }
  return small;
}

Linear times(Linear form, Integer factor) {
  form.constant *= factor;
  for (auto& [name, each] : form.terms) {
    each *= factor;
  }
  if (factor == 0) {
    form.terms.clear();
  }
  return form;
}

// Python's operators that keep a sum a sum, with Python's precedence: shifts bind least.
class LinearParser {
 public:
  LinearParser(std::string_view text, const Forms& variables)
      : text_(text), variables_(variables) {}

  std::optional<Linear> run() {
    auto form = shift();
    skip_blanks();
    return form && at_ == text_.size() ? form : std::nullopt;
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) != 0)) {
      ++at_;
    }
  }

  bool take(std::string_view sign) {
    skip_blanks();
    if (text_.substr(at_, sign.size()) != sign) {
      return false;
    }
    at_ += sign.size();
    return true;
  }

  std::optional<Linear> shift() {
    auto left = sum();
    while (left && (take("<<") || take(">>"))) {
      const bool up = text_[at_ - 1] == '<';
      const auto right = sum();
      constexpr Integer kWidest = 60;
      if (!right || !right->terms.empty() || right->constant < 0 || right->constant > kWidest ||
          (!up && !left->terms.empty())) {
        return std::nullopt;
      }
      const Integer factor = Integer{1} << static_cast<int>(right->constant);
      left = checked(up ? times(*left, factor)
                        : constant_of(left->constant >> static_cast<int>(right->constant)));
    }
    return left;
  }

  std::optional<Linear> sum() {
    auto left = product();
    while (left) {
      const bool add = take("+");
      if (!add && !take("-")) {
        break;
      }
      const auto right = product();
      if (!right) {
        return std::nullopt;
      }
      left = checked(plus(*left, *right, add ? 1 : -1));
    }
    return left;
  }

  std::optional<Linear> product() {
    auto left = unary();
    while (left) {
      const bool divide = take("//");
      if (!divide && !take("*")) {
        break;
      }
      const auto right = unary();
      left = right ? (divide ? quotient(*left, *right) : multiplied(*left, *right)) : std::nullopt;
    }
    return left;
  }

  static std::optional<Linear> quotient(const Linear& a, const Linear& b) {
    if (!a.terms.empty() || !b.terms.empty() || a.constant < 0 || b.constant <= 0) {
      return std::nullopt;
    }
    return constant_of(a.constant / b.constant);
  }

  static std::optional<Linear> multiplied(const Linear& a, const Linear& b) {
    if (!a.terms.empty() && !b.terms.empty()) {
      return std::nullopt;
    }
    return a.terms.empty() ? checked(times(b, a.constant)) : checked(times(a, b.constant));
  }

  static std::optional<Linear> checked(Linear form) {
    return is_small(form) ? std::optional{std::move(form)} : std::nullopt;
  }

  std::optional<Linear> unary() {
    if (take("-")) {
      const auto form = unary();
      return form ? std::optional{times(*form, -1)} : std::nullopt;
    }
    if (take("+")) {
      return unary();
    }
    if (take("(")) {
      auto form = shift();
      return form && take(")") ? form : std::nullopt;
    }
    return atom();
  }

  std::optional<Linear> atom() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const std::string word{text_.substr(begin, at_ - begin)};
    if (word.empty()) {
      return std::nullopt;
    }
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) {
      const auto number = core::parse_address(word);
      return number ? checked(constant_of(static_cast<Integer>(*number))) : std::nullopt;
    }
    const auto known = variables_.find(word);
    const bool called = at_ < text_.size() && (text_[at_] == '(' || text_[at_] == '.');
    return known == variables_.end() || called ? std::nullopt : std::optional{known->second};
  }

  std::string_view text_;
  const Forms& variables_;
  std::size_t at_ = 0;
};

struct SizeUnit {
  std::int64_t size;
  const char* name;
};

constexpr std::array<SizeUnit, 3> kUnits = {
    SizeUnit{1LL << 30, "GiB"}, SizeUnit{1LL << 20, "MiB"}, SizeUnit{1LL << 10, "KiB"}};

// How many parts a size is written in before its bytes are.
constexpr int kMostParts = 2;

std::string in_units(std::int64_t size) {
  for (const SizeUnit& unit : kUnits) {
    if (size == 0) {
      break;
    }
    // "1536MiB" reads better than "1GiB + 512MiB", "65532KiB" does not.
    constexpr std::int64_t kMostOfAUnit = 9999;
    if (size % unit.size == 0 && size / unit.size <= kMostOfAUnit) {
      return fmt::format("{}{}", size / unit.size, unit.name);
    }
  }
  return fmt::format("{}", size);
}

// What is missing to a whole unit is named where it is that small a part of it.
constexpr std::int64_t kSmallPart = 32;

std::string share_of(std::int64_t size, int parts) {
  for (const SizeUnit& unit : kUnits) {
    const std::int64_t rest = size % unit.size;
    if (rest == 0 || parts == 1) {
      break;
    }
    const std::int64_t missing = unit.size - rest;
    if (missing <= unit.size / (size < unit.size ? kSmallPart : 2)) {
      return fmt::format("{} - {}", in_units(size + missing), in_units(missing));
    }
    if (size > unit.size) {
      return fmt::format("{} + {}", in_units(size - rest), share_of(rest, parts - 1));
    }
  }
  return in_units(size);
}

}  // namespace

Linear constant_of(Integer value) {
  return {.constant = value};
}

Linear name_of(const std::string& name) {
  Linear form;
  form.terms[name] = 1;
  return form;
}

Linear plus(Linear a, const Linear& b, Integer factor) {
  a.constant += factor * b.constant;
  for (const auto& [name, each] : b.terms) {
    Integer& sum = a.terms[name];
    sum += factor * each;
    if (sum == 0) {
      a.terms.erase(name);
    }
  }
  return a;
}

std::string only_name(const Linear& form) {
  const bool one = form.constant == 0 && form.terms.size() == 1 && form.terms.begin()->second == 1;
  return one ? form.terms.begin()->first : std::string{};
}

std::optional<Linear> parse_linear(std::string_view text, const Forms& variables) {
  return LinearParser{text, variables}.run();
}

std::optional<Integer> value_of(const Linear& form, const Numbers& values) {
  Integer sum = form.constant;
  for (const auto& [name, factor] : form.terms) {
    const auto value = values.find(name);
    if (value == values.end()) {
      return std::nullopt;
    }
    sum += factor * value->second;
  }
  return sum;
}

std::string size_text(Integer size) {
  const auto value = static_cast<std::int64_t>(size);
  const std::int64_t kib = kUnits[2].size;
  const std::int64_t mib = kUnits[1].size;
  // "32KiB - 64" says something; "3MiB + 142848" says less than the number.
  const std::int64_t odd = value % kib;
  if (odd != 0 && (value > mib || std::min(odd, kib - odd) > kib / 8)) {
    return fmt::format("{}", value);
  }
  // "960KiB", but "1MiB - 1KiB".
  const bool is_short =
      value <= mib && odd == 0 && (value == mib || mib - value > mib / kSmallPart);
  return is_short || value < kib || value % mib == 0 ? in_units(value)
                                                     : share_of(value, kMostParts);
}

std::string text_of(const Linear& form) {
  std::string plus_text;
  std::string minus_text;
  const auto add = [](std::string& to, const char* sign, const std::string& what) {
    to += to.empty() ? what : fmt::format(" {} {}", sign, what);
  };
  for (const auto& [name, factor] : form.terms) {
    const Integer size = factor < 0 ? -factor : factor;
    const std::string what =
        size == 1 ? name : fmt::format("{} * {}", static_cast<std::int64_t>(size), name);
    add(factor < 0 ? minus_text : plus_text, factor < 0 ? "-" : "+", what);
  }
  if (form.constant > 0 && plus_text.empty()) {
    plus_text = size_text(form.constant);
  } else if (form.constant > 0) {
    // After a sum "a - b" a further part is added as it is: no brackets are needed.
    plus_text += " + " + size_text(form.constant);
  }
  if (form.constant < 0) {
    std::string less = size_text(-form.constant);
    add(minus_text, "-", less.find(' ') == std::string::npos ? less : "(" + less + ")");
  }
  if (plus_text.empty()) {
    plus_text = "0";
  }
  return minus_text.empty() ? plus_text : plus_text + " - " + minus_text;
}

}  // namespace memsize::sdk
