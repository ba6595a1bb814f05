// Gives constants of a generator script other values, in the script's own way of writing them.
#pragma once

#include "memsize/core/diagnostic.hpp"

#include "script.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace memsize::sdk {

/// The script with other values of these variables: of each, the expression of the assignment that
/// counts (the last one) is replaced, and nothing else. One that has its value already stays.
///
/// What stands there decides how a value is written:
///  - a number stays a number, in its base and width: 0x02000000 becomes 0x01800000;
///  - `64*MB` keeps its unit and its blanks, else takes a smaller unit of the script's
///    (`65282*KB`), else hexadecimal;
///  - a sum such as `64*MB - other` keeps all but one product, or its first number, if that comes
///    out whole;
///  - anything else becomes a plain value: an address in hexadecimal, a size in the largest unit
///    up to 1 MiB that divides it. What is computed from a hexadecimal number, and has no unit
///    itself, is an address.
///
/// `script` is what evaluate_script() made of this text; null where that failed. Then top-level
/// statements that cannot be run are passed over, and the rest is edited like any other script.
///
/// The result has been evaluated: each variable has its value, and apart from them only what is
/// computed from them is different; statements that could be run still can. Errors, all of them
/// with a place where there is one:
///  - sdk.name: a name that the script does not have;
///  - sdk.script: not a number, an assignment such as `+=`, in a function or to several names, or
///    one that depends on the environment; a script that is not understood; what the edited script
///    does not accept, such as an assertion of its own.
[[nodiscard]] core::Result<std::string> set_constants(const std::string& path,
                                                      std::string_view text,
                                                      const Script* script,
                                                      const std::map<std::string, Integer>& values);

/// What evaluate_script() makes of the text that set_constants() gives, without doing either twice;
/// nothing where a statement had to be passed over.
[[nodiscard]] std::optional<Script> script_with(const std::string& path,
                                                std::string_view text,
                                                const Script* script,
                                                const std::map<std::string, Integer>& values);

}  // namespace memsize::sdk
