// Each diagnostic with its place, its details and its hint; what is not known is no key.
#include "memsize/core/document.hpp"

#include "memsize/core/sha256.hpp"
#include "memsize/core/text.hpp"

#include <utility>

namespace memsize::core {

Json place_json(const Place& place) {
  Json json = Json::object();
  if (!place.path.empty()) {
    // JSON is UTF-8; a name that is none is told by its escapes.
    const std::string& path = place.path.str();
    json["path"] = is_utf8(path) ? path : visible_text(path);
  }
  if (place.line != 0) {
    json["line"] = place.line;
  }
  if (place.line != 0 && place.column != 0) {
    json["column"] = place.column;
  }
  return json;
}

Json to_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& diagnostic : diagnostics) {
    Json json;
    json["severity"] = severity_name(diagnostic.severity);
    json["code"] = code_name(diagnostic.code);
    json["message"] = diagnostic.message;
    json.update(place_json(diagnostic.place));
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
