// A verdict, how many of each kind changed, and a row for each.
#include "compare_report.hpp"

#include "memsize/core/text.hpp"

#include "table.hpp"

#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using app::ChangedItem;
using app::Comparison;
using core::Bytes;

constexpr std::size_t kLongestName = 60;

std::string shown(const std::string& name) {
  return core::printable(name, kLongestName);
}

std::string verdict_of(const Comparison& comparison) {
  const Bytes before = comparison.total_before;
  const Bytes after = comparison.total_after;
  const bool is_map = comparison.kind == app::CompareKind::kMap;
  const bool less = after < before;
  if (before == after) {
    return is_map ? fmt::format("Linux keeps what it has: {} reserved", core::format_size(after))
                  : fmt::format("as much is needed as before: {}", core::format_size(after));
  }
  const std::string by = core::format_size(less ? before - after : after - before);
  const std::string what = !is_map ? by + (less ? " less" : " more")
                           : less  ? by + " go back to Linux"
                                   : "Linux loses " + by;
  return fmt::format("{}: {}{}, {} before",
                     what,
                     core::format_size(after),
                     is_map ? " reserved" : "",
                     core::format_size(before));
}

// "4 regions, 2 carve-outs changed; 143 as they were".
std::string counts_of(const Comparison& comparison) {
  std::vector<std::string> kinds;
  std::map<std::string, std::size_t> counts;
  for (const ChangedItem& item : comparison.items) {
    if (counts[item.kind]++ == 0) {
      kinds.push_back(item.kind);
    }
  }
  std::vector<std::string> parts;
  for (const std::string& kind : kinds) {
    const std::string many =
        kind.ends_with("y") ? kind.substr(0, kind.size() - 1) + "ies" : kind + "s";
    parts.push_back(core::plural(counts[kind], kind, many));
  }
  return parts.empty()
             ? std::string{"nothing changed"}
             : fmt::format(
                   "{} changed; {} as they were", core::join(parts, ", "), comparison.unchanged);
}

std::string size_of(const std::optional<Bytes>& size) {
  return size ? core::format_size(*size) : "-";
}

std::string also(const ChangedItem& item) {
  if (!item.size_before || !item.size_after) {
    return item.size_before ? "gone" : "new";
  }
  std::vector<std::string> parts;
  for (const app::ChangedValue& value : item.values) {
    parts.push_back(fmt::format("{} {} -> {}",
                                value.what,
                                value.before.empty() ? "-" : shown(value.before),
                                value.after.empty() ? "-" : shown(value.after)));
  }
  return core::join(parts, ", ");
}

}  // namespace

std::string comparison_text(const Comparison& comparison, bool markdown) {
  Table table{
      .columns = {{"what"}, {"core"}, {"name"}, {"before", true}, {"after", true}, {"besides"}}};
  for (const ChangedItem& item : comparison.items) {
    table.rows.push_back({item.kind,
                          item.core.empty() ? "-" : shown(item.core),
                          shown(item.name),
                          size_of(item.size_before),
                          size_of(item.size_after),
                          also(item)});
  }
  const std::string verdict = verdict_of(comparison);
  const std::string rows =
      table.rows.empty() ? std::string{} : "\n" + (markdown ? table.markdown() : table.text(0));
  return markdown ? fmt::format("**{}**\n\n{}.\n{}", verdict, counts_of(comparison), rows)
                  : fmt::format("{}\n{}\n{}", verdict, counts_of(comparison), rows);
}

core::Json comparison_document(const Comparison& comparison,
                               const app::CompareRequest& request,
                               bool ok) {
  core::Json json;
  json["schema"] = "memsize.diff/1";
  json["ok"] = ok;
  json["kind"] = app::name_of(comparison.kind);
  json["change"] = app::name_of(comparison.change);
  json["old"] = {{"path", core::printable(request.before, std::string::npos)}};
  json["new"] = {{"path", core::printable(request.after, std::string::npos)}};
  json["old"]["total_bytes"] = comparison.total_before.count();
  json["new"]["total_bytes"] = comparison.total_after.count();
  json["growth_bytes"] = comparison.growth();
  json["items"] = core::Json::array(comparison.items, [](const ChangedItem& item) {
    core::Json row = {{"kind", item.kind}, {"name", core::printable(item.name, std::string::npos)}};
    row.set_if_any("core", item.core);
    row.set_if_any("before_bytes", item.size_before, &Bytes::count);
    row.set_if_any("after_bytes", item.size_after, &Bytes::count);
    if (!item.values.empty()) {
      row["changed"] = core::Json::array(item.values, [](const app::ChangedValue& value) {
        core::Json one = core::Json::object();
        one["what"] = value.what;
        one.set_if_any("before", value.before);
        one.set_if_any("after", value.after);
        return one;
      });
    }
    return row;
  });
  json["unchanged"] = core::Json::object();
  json["unchanged"]["items"] = comparison.unchanged;
  return json;
}

}  // namespace memsize::cli
