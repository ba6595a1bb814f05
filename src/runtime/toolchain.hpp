// Compilers and linkers of this machine, and what programs of each kind are compiled of.
#pragma once

#include "memsize/core/diagnostic.hpp"
#include "memsize/runtime/run.hpp"

#include <string>
#include <vector>

namespace memsize::runtime {

using Words = std::vector<std::string>;

inline void extend(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// What programs of one kind have in common. No libc and no floating point but a module's own:
/// target/hal.h.
struct Isa {
  /// As clang has it; empty: this machine's own.
  std::string triple;
  std::string gcc;
  Words flags;
  /// Folders of the runtime with headers, besides the one that holds them.
  Words folders;
  /// Below the runtime's folder: "r5f/start.S".
  Words sources;
  /// Of one compiler only.
  Words clang_flags = {};
  Words gcc_flags = {};
};

/// Of cores that map tables are made for.
[[nodiscard]] Isa isa_of(Unit unit);
/// Of a Cortex-M as compilers call it: "cortex-m55".
[[nodiscard]] Isa isa_of_core(const std::string& core);
/// Of a module's test application on this machine.
[[nodiscard]] Isa isa_of_host();
/// Of a network's program on a cluster: harts of RV32, or threads.
[[nodiscard]] Isa isa_of_cluster(bool is_host);

/// The compiler and linker that the options name, for one kind of program.
class Compiler {
 public:
  Compiler(const RunOptions& options, Isa isa) : options_(options), isa_(std::move(isa)) {}

  /// Whether they are in PATH.
  [[nodiscard]] core::Result<void> find_tools() const;

  /// What compiles: the program and its words, with the standard of C that is given.
  [[nodiscard]] Words words(const std::string& standard = "c11") const;
  /// Behind words(): what links, `script` by name; empty: as this machine links.
  [[nodiscard]] Words link_words(const std::string& script) const;

  /// Object files of the runtime's own sources, in `folder`.
  [[nodiscard]] core::Result<Words> compile_runtime(const std::string& folder) const;

  /// Runs one of them in a folder; what it says is the machine's fault.
  [[nodiscard]] core::Result<void> call(Words command,
                                        const std::string& folder,
                                        const std::string& what) const;
  /// The same for what others wrote: what it says first; empty: it was content.
  [[nodiscard]] core::Result<std::string> attempt(Words command, const std::string& folder) const;

 private:
  const RunOptions& options_;
  Isa isa_;
};

}  // namespace memsize::runtime
