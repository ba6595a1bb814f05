// A type describes itself once, and is read, written and compared by that:
//
//   template <typename Visitor>
//   void describe(Visitor& visit, docs::Of<Heap> auto& heap) {
//     visit.required("name", heap.name);
//     visit.optional("free_bytes", heap.free);
//   }
//
// Members follow in the order in which they are written. What kind of value a member is, and how
// large it may be, its type says. A visitor has `kReads`, and the functions that Reader has.
#pragma once

#include "memsize/core/address.hpp"
#include "memsize/core/json.hpp"
#include "memsize/core/names.hpp"
#include "memsize/docs/fields.hpp"

#include <algorithm>
#include <concepts>
#include <unordered_set>

namespace memsize::docs {

/// Every JSON reader keeps whole numbers up to here.
inline constexpr std::uint64_t kMostExact = std::uint64_t{1} << 53U;

/// What a member is beside its value.
enum class Role {
  kValue,
  /// Where it stood: counts only where lines make a difference.
  kLine,
  /// What it is called, or what else makes no difference between contents.
  kLabel,
  /// Position in another list; a label, too.
  kIndex,
  /// A name of somebody else's, which is cut where it is long.
  kName,
  /// A word that is no text.
  kIdentifier,
  /// No other item of its list has it.
  kUnique,
};

struct Key {
  // NOLINTNEXTLINE(google-explicit-constructor): most keys are no more than their name.
  constexpr Key(const char* key, Role means = Role::kValue) : name(key), role(means) {}

  std::string_view name;
  Role role;
};

/// The type, which may be constant.
template <typename Type, typename Described>
concept Of = std::same_as<std::remove_const_t<Type>, Described>;

/// Reads members from a table. One that is optional, and not there, stays as it is.
class Reader {
 public:
  static constexpr bool kReads = true;

  /// What a Role::kIndex counts is up to `last`.
  explicit Reader(Fields fields, std::uint64_t last = 0)
      : fields_(std::move(fields)), last_(last) {}

  [[nodiscard]] Fields& fields() { return fields_; }

  template <typename Member>
  void required(Key key, Member& member) {
    if (!visit(key, member)) {
      fields_.missing(key.name);
    }
  }

  /// A writer leaves it out where it is nothing, or where that is said.
  template <typename Member>
  void optional(Key key, Member& member, bool /*is_left_out*/ = false) {
    (void)visit(key, member);
  }

  /// What else must be true of the member that was visited last.
  void check(Key key, bool is_good, std::string_view message) {
    if (is_taken_ && !is_good) {
      fields_.wrong(key.name, std::string{message});
    }
  }

 private:
  // Whether it is there.
  template <typename Member>
  bool visit(Key key, Member& member) {
    const std::size_t before = fields_.errors().size();
    const Value value = fields_.value()[key.name];
    if (value) {
      take(key, value, member);
    }
    is_taken_ = value && fields_.errors().size() == before;
    return static_cast<bool>(value);
  }

  void take(Key key, Value value, bool& flag);
  void take(Key key, Value value, double& measure);
  void take(Key key, Value value, std::int64_t& number);
  void take(Key key, Value value, std::string& text);
  void take(Key key, Value value, core::Bytes& size);
  void take(Key key, Value value, core::Align& align);
  void take(Key key, Value value, core::VirtAddr& address);
  void take(Key key, Value value, std::vector<std::string>& texts);

  template <std::unsigned_integral Number>
  void take(Key key, Value value, Number& number) {
    const std::uint64_t most =
        key.role == Role::kIndex ? last_ : std::numeric_limits<Number>::max();
    number = static_cast<Number>(whole(key, value, most).value_or(number));
  }

  template <core::Named Word>
  void take(Key /*key*/, Value value, Word& word) {
    if (const auto known = core::named<Word>(value.text()); known) {
      word = *known;
    } else {
      const auto names = names_of(word);
      (void)fields_.as_one_of(value, {names.begin(), names.end()});
    }
  }

  template <typename Member>
  void take(Key key, Value value, std::optional<Member>& member) {
    take(key, value, member.emplace());
  }

  template <typename Item>
  void take(Key key, Value /*value*/, std::vector<Item>& items) {
    std::unordered_set<std::uint64_t> seen;
    for (const Value each : fields_.items(key.name)) {
      if (Reader item{fields_.below(each), last_}; item.fields_.is_table()) {
        item.seen_ = &seen;
        describe(item, items.emplace_back());
      }
    }
  }

  template <typename Part>
  void take(Key /*key*/, Value value, Part& part) {
    if (Reader reader{fields_.below(value), last_}; reader.fields_.is_table()) {
      describe(reader, part);
    }
  }

  std::optional<std::uint64_t> whole(Key key, Value value, std::uint64_t most);

  Fields fields_;
  std::uint64_t last_ = 0;
  bool is_taken_ = false;
  // What is unique in the list.
  std::unordered_set<std::uint64_t>* seen_ = nullptr;
};

/// Whether a member says nothing by itself.
template <typename Member>
[[nodiscard]] bool is_nothing(const Member& member) {
  if constexpr (requires { member.has_value(); }) {
    return !member.has_value();
  } else if constexpr (requires { member.empty(); }) {
    return member.empty();
  } else {
    return member == Member{};
  }
}

/// Appends members to an object.
class Writer {
 public:
  static constexpr bool kReads = false;

  explicit Writer(core::Json& json) : json_(json) {}

  template <typename Member>
  void required(Key key, const Member& member) {
    json_.append(std::string{key.name}, json_of(member));
  }

  template <typename Member>
  void optional(Key key, const Member& member, bool is_left_out) {
    if (!is_left_out) {
      required(key, member);
    }
  }

  template <typename Member>
  void optional(Key key, const Member& member) {
    optional(key, member, is_nothing(member));
  }

  void check(Key /*key*/, bool /*is_good*/, std::string_view /*message*/) {}

  template <typename Member>
  [[nodiscard]] static core::Json json_of(const Member& member) {
    if constexpr (requires { member.has_value(); }) {
      return json_of(*member);
    } else if constexpr (core::Named<Member>) {
      return core::name_of(member);
    } else if constexpr (std::convertible_to<Member, core::Json>) {
      return member;
    } else if constexpr (requires { member.count(); }) {
      return member.count();
    } else if constexpr (std::same_as<Member, core::Align>) {
      return member.value();
    } else if constexpr (requires { member.value(); }) {
      return hex(member.value());
    } else if constexpr (requires { member.begin(); }) {
      core::Json list = core::Json::array();
      for (const auto& item : member) {
        list.push_back(json_of(item));
      }
      return list;
    } else {
      core::Json json = core::Json::object();
      Writer writer{json};
      describe(writer, member);
      return json;
    }
  }

 private:
  [[nodiscard]] static std::string hex(std::uint64_t address);

  core::Json& json_;
};

}  // namespace memsize::docs
