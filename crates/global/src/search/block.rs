//! Blocks of memory that double when they are full.

/// The fewest entries of a block.
const FEWEST: usize = 4;

/// What an allocator adds to each block, in bytes.
pub const HEADER: usize = 16;

/// How a block grows, in entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Growth {
    from: usize,
    pub to: usize,
}

impl Growth {
    /// The growth of a block with room for `capacity` entries that is to hold `needed`.
    pub fn of(capacity: usize, needed: usize) -> Self {
        let to = if needed <= capacity { capacity } else { needed.max(2 * capacity).max(FEWEST) };
        Self { from: capacity, to }
    }

    /// The entries for which there is memory while the block grows: its old and its new memory exist at once.
    pub fn peak(self) -> u64 {
        if self.to == self.from { self.to as u64 } else { (self.from + self.to) as u64 }
    }
}

/// Makes room for `count` more entries.
pub fn make_room<T>(block: &mut Vec<T>, count: usize) {
    let Growth { to, .. } = Growth::of(block.capacity(), block.len() + count);
    block.reserve_exact(to - block.len());
}

/// The memory of a block, without what its entries own, at its peak while `count` entries are added.
pub fn bytes_while_adding<T>(block: &Vec<T>, count: usize) -> u64 {
    Growth::of(block.capacity(), block.len() + count).peak() * size_of::<T>() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_grows_needs_its_old_and_its_new_memory() {
        assert_eq!(Growth::of(0, 1).peak(), 4);
        assert_eq!(Growth::of(4, 4).peak(), 4);
        assert_eq!(Growth::of(4, 5).peak(), 12);
        assert_eq!(Growth::of(4, 20).peak(), 24);
        let mut block: Vec<u64> = Vec::new();
        for count in 0..100 {
            let peak = bytes_while_adding(&block, 1);
            let before = block.capacity();
            make_room(&mut block, 1);
            let both = if block.capacity() == before { before } else { before + block.capacity() };
            assert_eq!(peak, 8 * both as u64, "{count}");
            block.push(count);
        }
    }
}
