// A table for each device tree: every reserved node, its place, and whose it is; and which cores'
// nodes were not looked at. A table for each boot image: its parts and where they are loaded.
#include "report_boot.hpp"

#include "memsize/core/find.hpp"
#include "memsize/core/names.hpp"
#include "memsize/core/text.hpp"

#include "show/table.hpp"

#include <fmt/format.h>

namespace memsize::cli {

namespace {

using core::Json;
using layout::ReservedBy;

std::string joined_paths(const std::vector<std::string>& paths) {
  return core::join(
      core::texts_of(paths, [](const std::string& path) { return core::printable(path, 300); }),
      " + ");
}

std::string whose(const layout::ReservedRow& row) {
  switch (row.by) {
    case ReservedBy::kMap:
      return row.carveout;
    case ReservedBy::kReusable:
      return "reusable: not lost";
    case ReservedBy::kOther:
      break;
  }
  return "not of the map";
}

// Cores of which the tree or the board has no node.
std::string unseen_cores(const layout::DeviceTreeReport& found) {
  std::vector<std::string> nameless;
  std::vector<std::string> absent;
  for (const layout::CoreNode& core : found.cores) {
    if (core.device.empty()) {
      nameless.push_back(core.core);
    } else if (core.path.empty()) {
      absent.push_back(core.core);
    }
  }
  std::string text;
  if (!nameless.empty()) {
    text += fmt::format("  not looked at: nodes of {}, which the board has no name for\n",
                        core::join(nameless, ", "));
  }
  if (!absent.empty()) {
    text += fmt::format("  not looked at: nodes of {}, which this tree does not have\n",
                        core::join(absent, ", "));
  }
  return text;
}

Json row_json(const layout::ReservedRow& row) {
  Json json = {{"node", row.node}};
  if (row.range) {
    json["base"] = core::format_address(row.range->base());
  }
  json["size_bytes"] = row.size.count();
  json["by"] = core::name_of(row.by);
  json.set_if_any("carveout", row.carveout);
  return json;
}

Json core_json(const layout::CoreNode& core) {
  Json json = {{"core", core.core}};
  json.set_if_any("device", core.device);
  json.set_if_any("node", core.path);
  return json;
}

Json part_json(const layout::BootRow& row) {
  Json json = {{"name", row.name}};
  json.set_if_any("kind", row.kind);
  if (row.load) {
    json["load"] = core::format_hex(*row.load);
  }
  json["size_bytes"] = row.size.count();
  json["certificate_bytes"] = row.certificate.count();
  json["program"] = row.is_program;
  return json;
}

}  // namespace

std::string trees_text(const std::vector<app::CheckedTree>& trees) {
  std::string text;
  for (const app::CheckedTree& checked : trees) {
    text += fmt::format("{}: reserved memory\n", joined_paths(checked.paths));
    Table table{.columns = {{"node"}, {"base", true}, {"size", true}, {"whose"}}};
    for (const layout::ReservedRow& row : checked.found.rows) {
      table.rows.push_back({core::printable(row.node, 60),
                            row.range ? core::format_address(row.range->base()) : std::string{"-"},
                            core::format_size(row.size),
                            whose(row)});
    }
    text += table.rows.empty() ? std::string{} : table.text(2);
    text += unseen_cores(checked.found);
  }
  return text;
}

core::Json::Array trees_json(const std::vector<app::CheckedTree>& trees) {
  core::Json::Array items;
  for (const app::CheckedTree& checked : trees) {
    items.push_back({{"paths", checked.paths},
                     {"reserved", Json::array(checked.found.rows, row_json)},
                     {"cores", Json::array(checked.found.cores, core_json)}});
  }
  return items;
}

std::string boot_images_text(const std::vector<app::CheckedBootImage>& images) {
  std::string text;
  for (const app::CheckedBootImage& checked : images) {
    text += fmt::format("{}: boot image\n", core::printable(checked.path, 300));
    Table table{.columns = {{"part"}, {"what"}, {"loaded to", true}, {"size", true}, {""}}};
    for (const layout::BootRow& row : checked.found.rows) {
      const std::string signed_by =
          row.certificate == core::Bytes{}
              ? std::string{}
              : fmt::format("behind a certificate of {}", core::format_bytes(row.certificate));
      table.rows.push_back({core::printable(row.name, 60),
                            core::printable(row.kind, 60),
                            row.load ? core::format_hex(*row.load) : std::string{"-"},
                            core::format_size(row.size),
                            signed_by});
    }
    text += table.rows.empty() ? std::string{} : table.text(2);
  }
  return text;
}

core::Json::Array boot_images_json(const std::vector<app::CheckedBootImage>& images) {
  core::Json::Array items;
  for (const app::CheckedBootImage& checked : images) {
    items.push_back(
        {{"path", checked.path}, {"parts", Json::array(checked.found.rows, part_json)}});
  }
  return items;
}

}  // namespace memsize::cli
