// Which rows that follow each other are one print of a table, and which of its zeros are addresses.
#pragma once

#include "memsize/model/block.hpp"

#include <vector>

namespace memsize::readers {

/// The prints that the rows of `table` are of, in their order; their numbers rise. The print of an
/// allocation has base 0 in every row, and then no address; that of an initialisation has 0 where a
/// heap begins at a multiple of 4 GiB. Where lines between them were lost, the end of the one and
/// the beginning of the other stand in one table. The sums are those of the last.
[[nodiscard]] std::vector<model::Instance> prints_of(model::Instance table);

}  // namespace memsize::readers
