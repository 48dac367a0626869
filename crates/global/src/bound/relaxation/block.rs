//! The observations that are handled at once.

use fathom_gp::lanes::LANES;
use std::hint::black_box;

/// The observations that are handled at once. Blocks have no aliases, so loops over blocks become vector instructions,
/// however many columns they read and write.
pub(super) type Block = [f64; LANES];

/// Keeps the compiler from taking several blocks at once, for which it would gather numbers from all over them.
#[inline(always)]
pub(super) fn one_by_one() {
    black_box(());
}

/// Block `b` of a column, whose length is a multiple of a block's.
#[inline(always)]
pub(super) fn block(column: &[f64], b: usize) -> Block {
    column.as_chunks().0[b]
}

/// Block `b` of a column, to be written.
#[inline(always)]
pub(super) fn block_mut(column: &mut [f64], b: usize) -> &mut Block {
    &mut column.as_chunks_mut().0[b]
}

/// The blocks of a column.
#[inline(always)]
pub(super) fn blocks(column: &[f64], count: usize) -> &[Block] {
    &column.as_chunks().0[..count]
}
