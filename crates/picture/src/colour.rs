//! Colours that people with any kind of colour vision can tell apart.

use kuva::plot::ColorMap;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

// Okabe and Ito's colours, and greys.
pub const BLACK: Colour = Colour(0x1a, 0x1a, 0x1a);
pub const GREY: Colour = Colour(0x66, 0x66, 0x66);
pub const PALE: Colour = Colour(0xe4, 0xe4, 0xe4);
pub const WHITE: Colour = Colour(0xff, 0xff, 0xff);
pub const ORANGE: Colour = Colour(0xd5, 0x5e, 0x00);
pub const BLUE: Colour = Colour(0x00, 0x72, 0xb2);
pub const SKY: Colour = Colour(0x56, 0xb4, 0xe9);

/// The colour a part `t` of the way from good values, which are dark, to bad ones, which are light.
pub fn of_value(t: f64) -> Colour {
    let (red, green, blue) = ColorMap::Viridis.map_rgb(0.95 * t.clamp(0.0, 1.0)).unwrap_or((0, 0, 0));
    Colour(red, green, blue)
}

/// The shade of a trial a part `t` of the way from the first, which is white, to the latest.
pub fn of_order(t: f64) -> Colour {
    let mix =
        |from: u8, to: u8| (f64::from(from) + t.clamp(0.0, 1.0) * (f64::from(to) - f64::from(from))).round() as u8;
    Colour(mix(WHITE.0, ORANGE.0), mix(WHITE.1, ORANGE.1), mix(WHITE.2, ORANGE.2))
}
