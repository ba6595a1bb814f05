// nlohmann's parser reads; what it finds becomes a value of ours.
#include "memsize/core/json.hpp"

#include <map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace memsize::core {

namespace {

// Nobody reads what is nested deeper, and it would take a stack as deep to print and to destroy.
constexpr std::size_t kDeepest = 100;

class JsonBuilder {
 public:
  bool null() { return add({}); }

  bool boolean(bool value) { return add(value); }

  bool number_integer(std::int64_t value) { return add(value); }

  bool number_unsigned(std::uint64_t value) { return add(value); }

  bool number_float(double value, const std::string&) { return add(value); }

  bool string(std::string& value) { return add(std::move(value)); }

  // JSON has none; the parser asks for it.
  bool binary(nlohmann::json::binary_t&) { return false; }

  bool start_object(std::size_t) { return open(Json::object()); }

  bool start_array(std::size_t) { return open(Json::array()); }

  bool key(std::string& value) {
    key_ = std::move(value);
    return true;
  }

  bool end_object() {
    if (too_deep_ == 0) {
      drop_repeated(*open_.back());
    }
    return end_array();
  }

  bool end_array() {
    if (too_deep_ != 0) {
      --too_deep_;
    } else {
      open_.pop_back();
    }
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) {
    return false;
  }

  Json take() { return std::move(root_); }

 private:
  bool add(Json value) {
    if (too_deep_ == 0) {
      place(std::move(value));
    }
    return true;
  }

  bool open(Json value) {
    if (too_deep_ != 0 || open_.size() == kDeepest) {
      ++too_deep_;
    } else {
      open_.push_back(place(std::move(value)));
    }
    return true;
  }

  // What is open has no item behind it, so that it stays where it is.
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      return &open_.back()->push_back(std::move(value));
    }
    return &open_.back()->append(std::move(key_), std::move(value));
  }

  // Looking for each key when its member comes would take the square of their number.
  static void drop_repeated(Json& object) {
    std::map<std::string_view, std::size_t> last;
    const Json::Object& members = object.members();
    for (std::size_t i = 0; i < members.size(); ++i) {
      last[members[i].first] = i;
    }
    if (last.size() == members.size()) {
      return;
    }
    Json kept = Json::object();
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (last.at(members[i].first) == i) {
        kept.append(members[i].first, members[i].second);
      }
    }
    object = std::move(kept);
  }

  Json root_;
  std::vector<Json*> open_;
  // Of what is open, too deep to be kept.
  std::size_t too_deep_ = 0;
  std::string key_;
};

}  // namespace

std::optional<Json> read_json(std::string_view text) {
  JsonBuilder builder;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) {
    return std::nullopt;
  }
  return builder.take();
}

}  // namespace memsize::core
