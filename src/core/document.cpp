// Each diagnostic with its place, its details and its hint; what is not known is no key.
#include "memsize/core/document.hpp"

#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include <utility>

namespace memsize::core {

namespace {

// JSON is UTF-8; a name that is none is told by its escapes.
std::string in_utf8(const std::string& name) {
  return is_utf8(name) ? name : visible_text(name);
}

}  // namespace

Json place_json(const Place& place) {
  Json json = Json::object();
  if (!place.path.empty()) {
    json["path"] = in_utf8(place.path.str());
  }
  if (place.line != 0) {
    json["line"] = place.line;
  }
  if (place.line != 0 && place.column != 0) {
    json["column"] = place.column;
  }
  return json;
}

Json to_json(const Diagnostics& diagnostics, bool is_read_back) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    Json json;
    json["severity"] = severity_name(diagnostic.severity);
    json["code"] = code_name(diagnostic.code);
    json["message"] = diagnostic.message;
    json.update(place_json(diagnostic.place));
    for (const Party& party : is_read_back ? diagnostic.parties : Parties{}) {
      json["about"].push_back(party.kind + " " + in_utf8(party.name));
    }
    json.set_if_any("details", diagnostic.details);
    for (const Related& related : diagnostic.related) {
      Json other = place_json(related.place);
      other["message"] = related.message;
      json["related"].push_back(std::move(other));
    }
    json.set_if_any("hint", diagnostic.hint);
    list.push_back(std::move(json));
  }
  return list;
}

void seal(Json& document) {
  document.erase("content_hash");
  const std::string hash = short_hash(document.sorted());
  document["content_hash"] = hash;
}

std::string document_text(const Json& document) {
  return document.pretty() + "\n";
}

}  // namespace memsize::core
