// Device trees as tests write them, and the blobs that they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memsize::test {

struct TreeNode {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<TreeNode> nodes;
};

inline std::string cells(const std::vector<std::uint32_t>& numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      bytes += static_cast<char>(number >> shift & 0xFFU);
    }
  }
  return bytes;
}

/// Texts, each with its NUL.
inline std::string texts(const std::vector<std::string>& list) {
  std::string bytes;
  for (const std::string& text : list) {
    bytes += text + std::string(1, '\0');
  }
  return bytes;
}

/// Address and size of two cells each.
inline std::string reg(std::uint64_t base, std::uint64_t size) {
  return cells({static_cast<std::uint32_t>(base >> 32U),
                static_cast<std::uint32_t>(base),
                static_cast<std::uint32_t>(size >> 32U),
                static_cast<std::uint32_t>(size)});
}

inline void add_node(const TreeNode& node, std::string& structure, std::string& strings) {
  const auto pad = [&] { structure.resize((structure.size() + 3) / 4 * 4); };
  structure += cells({1}) + node.name + std::string(1, '\0');
  pad();
  for (const auto& [name, value] : node.properties) {
    structure += cells({3,
                        static_cast<std::uint32_t>(value.size()),
                        static_cast<std::uint32_t>(strings.size())}) +
                 value;
    strings += name + std::string(1, '\0');
    pad();
  }
  for (const TreeNode& child : node.nodes) {
    add_node(child, structure, strings);
  }
  structure += cells({2});
}

/// The blob of version 17: header, one empty row of reservations, nodes, names.
inline std::string blob(const TreeNode& root) {
  std::string structure;
  std::string strings;
  add_node(root, structure, strings);
  structure += cells({9});
  const auto nodes = static_cast<std::uint32_t>(structure.size());
  const auto names = static_cast<std::uint32_t>(strings.size());
  return cells({0xD00DFEED, 56 + nodes + names, 56, 56 + nodes, 40, 17, 16, 0, names, nodes}) +
         std::string(16, '\0') + structure + strings;
}

}  // namespace memsize::test
