"""What the C7x's MMU drivers do with a list of entries: how many translation tables it takes, and what memory is seen.

Four levels of 512 entries: 512 GiB, 1 GiB, 2 MiB and 4 KiB. Where an entry begins and goes on for a whole block, the
driver writes a block, whose physical address loses what is smaller than the block; elsewhere it goes one level down,
into a table that it takes from a small stock. A block that must be divided becomes a table of smaller blocks.
PDK's driver puts a new block in place of a table, MCU+'s fills the table; what either gives up, it does not get back.
"""

from dataclasses import dataclass, field

from support import MmuEntry

LEVELS = (39, 30, 21, 12)
STOCK = 16


@dataclass
class Table:
    # Index to a table, or to (physical address, attribute) of a block.
    slots: "dict[int, Table | tuple[int, str]]" = field(default_factory=dict)


@dataclass
class Mmu:
    blocks_replace_tables: bool
    root: Table = field(default_factory=Table)
    taken: int = 1

    def map(self, entry: MmuEntry) -> None:
        self.fill(self.root, 0, entry.virtual, entry.physical, entry.size, entry.attribute)

    def fill(self, table: Table, level: int, virtual: int, physical: int, size: int, attribute: str) -> None:
        block = 1 << LEVELS[level]
        while size:
            index = virtual // block % 512
            part = min(size, block - virtual % block)
            slot = table.slots.get(index)
            is_block = level > 0 and part == block and (self.blocks_replace_tables or not isinstance(slot, Table))
            if is_block:
                table.slots[index] = (physical // block * block, attribute)
            else:
                self.fill(self.below(table, index, level), level + 1, virtual, physical, part, attribute)
            virtual, physical, size = virtual + part, physical + part, size - part

    def below(self, table: Table, index: int, level: int) -> Table:
        slot = table.slots.get(index)
        if isinstance(slot, Table):
            return slot
        self.taken += 1
        divided = Table()
        if slot is not None:
            smaller = 1 << LEVELS[level + 1]
            divided.slots = {number: (slot[0] + number * smaller, slot[1]) for number in range(512)}
        table.slots[index] = divided
        return divided

    def physical(self, address: int) -> int | None:
        """Where an address leads."""
        slot: Table | tuple[int, str] | None = self.root
        for level in LEVELS:
            if not isinstance(slot, Table):
                break
            slot, block = slot.slots.get(address // (1 << level) % 512), 1 << level
        return None if slot is None or isinstance(slot, Table) else slot[0] + address % block


def mapped(entries: "list[MmuEntry] | tuple[MmuEntry, ...]", blocks_replace_tables: bool) -> Mmu:
    mmu = Mmu(blocks_replace_tables)
    for entry in entries:
        mmu.map(entry)
    return mmu


def misled(entries: "list[MmuEntry] | tuple[MmuEntry, ...]", mmu: Mmu) -> list[int]:
    """Addresses that lead elsewhere than the entry that has them says: its own, of the last that covers them."""
    found = []
    for number, entry in enumerate(entries):
        ends = {entry.virtual, *range(-(-entry.virtual // (1 << 21)) << 21, entry.virtual + entry.size, 1 << 21)}
        for at in sorted(ends):
            if not any(later.covers(at) for later in entries[number + 1:]):
                if mmu.physical(at) != entry.physical + at - entry.virtual:
                    found.append(at)
    return found
