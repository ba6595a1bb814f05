// Ends what was begun: forward, or back.
#pragma once

#include "store.hpp"

#include <map>
#include <string>

namespace memsize::sdk {

/// Makes the pending changes of a journal that is on disk as "applying", as far as that was not
/// done. A file that is neither what it was nor what it is to become stops it.
[[nodiscard]] core::Result<void> make_changes(Store& store, const Journal& journal);

/// After that: writes the journal as "applied".
[[nodiscard]] core::Result<void> write_done(Store& store, const Journal& journal);

/// Both.
[[nodiscard]] core::Result<void> go_forward(Store& store, const Journal& journal);

/// Takes them back, and writes the journal that was there before. A file that has become something
/// else in between stays.
[[nodiscard]] core::Result<void> go_back(Store& store, const Journal& journal);

/// Removes what a change had prepared that has not begun.
[[nodiscard]] core::Result<void> clear_staging(Store& store);

/// Puts all originals back and removes the journal, which is on disk as "reverting". A file that
/// is neither a known one nor what is kept elsewhere stops it.
[[nodiscard]] core::Result<void> put_back(Store& store,
                                          const Journal& journal,
                                          const std::map<std::string, FileState>& kept,
                                          Reverted& reverted);

/// Whether the original can be put back: it is in place, or its copy is good.
[[nodiscard]] bool has_original(const Store& store,
                                const Journal::File& file,
                                const FileState& now);

/// Whether memsize knows these bytes of the file, or its absence.
[[nodiscard]] bool is_known(const Journal::File& file, const FileState& now);

[[nodiscard]] core::Diagnostic no_journal(const Store& store, const std::string& copy);

[[nodiscard]] core::Diagnostic no_backup(const Store& store, const std::string& path);

/// Whether nobody was interrupted and nobody is at work, so that looking needs no lock. False also
/// where the journal is missing beside copies of originals.
[[nodiscard]] core::Result<bool> is_at_rest(const Store& store);

/// As sdk::recover, under the lock.
[[nodiscard]] core::Result<Recovery> recover_locked(Store& store);

}  // namespace memsize::sdk
