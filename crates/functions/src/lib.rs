//! exp, ln, ln(1 + x) and erfc, each within one float of the true value.
//!
//! If v is the result, the true value is at least `v.next_down()` and at most `v.next_up()`; an enclosure needs no more. The
//! functions work on whole numbers of 64 and 128 bits with a fixed point, so that
//!
//! * the same bits come out on every processor and from every compiler: nothing depends on FMA, on vector lanes, on a C
//!   compiler or on a library of the system;
//! * errors are counted: a step cuts off less than one unit of its last place, and each module adds up these losses.
//!
//! Before the last rounding the relative error ε of each function is at most 2⁻⁵⁶. That suffices: rounding to nearest moves a
//! number by at most half the distance to the next float, this distance is at least 2⁻⁵³ of the number, and 2⁻⁵⁴ + 2⁻⁵⁶ < 2⁻⁵³.
//! Below the normal floats the distance is fixed and ε is far less than half of it, even though rounding happens twice there.

mod erfc;
mod exp;
mod fixed;
mod ln;

pub use erfc::erfc;
pub use exp::exp;
pub use ln::{ln, ln_1p};
