//! Pictures of studies.
//!
//! * [`Picture`]: what can be drawn, into a file or as bytes in a [`Format`].
//! * [`report`]: a study on one page of HTML that needs nothing else.
//!
//! A picture is drawn on a sheet of simple shapes, and every format is made from the sheet. Text never depends on fonts of the
//! machine, colours can be told apart with any kind of colour vision, and the same study gives the same picture.
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod axis;
mod colour;
mod convergence;
mod error;
mod format;
mod gap;
mod importance;
mod leave_one_out;
mod map;
mod mark;
mod number;
mod panel;
mod parallel;
mod picture;
mod report;
mod sheet;
mod slices;
mod view;

pub use error::{Error, Result};
pub use format::Format;
pub use picture::Picture;
pub use report::{check_report, report, save_report};
