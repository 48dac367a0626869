//! Tables as people have them, and tables that come back.
#![allow(clippy::unwrap_used)]

mod round_trips;
mod spreadsheets;
