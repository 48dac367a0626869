//! A sheet as a PDF of one page. A unit of the sheet is 3/4 point, as in browsers. Text is set in Helvetica, which every reader has, in
//! the encoding of Windows; a letter that it lacks is an error.

use crate::colour::Colour;
use crate::error::{Error, Result};
use crate::sheet::{Anchor, Area, Shape, Sheet};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::fmt::Write as _;
use std::io::Write as _;

/// Points for each unit of a sheet.
const SCALE: f64 = 0.75;

/// Control points of a quarter of a circle.
const ROUND: f64 = 0.552_284_75;

/// Opacities are written in so many steps.
const STEPS: usize = 20;

pub fn bytes(sheet: &Sheet) -> Result<Vec<u8>> {
    let mut content = format!("{SCALE} 0 0 {} 0 {} cm 1 j 1 J\n", -SCALE, SCALE * sheet.height);
    for shape in &sheet.shapes {
        draw(shape, &mut content)?;
    }
    let opacities: String =
        (0..=STEPS).map(|i| format!("/O{i} << /ca {} >> ", i as f64 / STEPS as f64)).collect::<Vec<_>>().concat();
    let font = |name: &str| {
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>").into_bytes()
    };
    let stream = deflated(content.as_bytes());
    let mut page = format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", stream.len()).into_bytes();
    page.extend(stream);
    page.extend(b"\nendstream");
    let size = (SCALE * sheet.width, SCALE * sheet.height);
    let objects: Vec<Vec<u8>> = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {} {}] /Contents 4 0 R /Resources << /Font << /F0 5 0 R /F1 6 0 R >> \
             /ExtGState << {opacities}>> >> >>",
            size.0, size.1
        )
        .into_bytes(),
        page,
        font("Helvetica"),
        font("Helvetica-Bold"),
    ];
    Ok(file(&objects))
}

/// Objects as a file: each with its number, then where each begins.
fn file(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut places = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        places.push(file.len());
        file.extend(format!("{} 0 obj\n", i + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    places.iter().for_each(|place| file.extend(format!("{place:010} 00000 n \n").bytes()));
    let end = format!("trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n", objects.len() + 1);
    file.extend(end.bytes());
    file
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("a vector takes all bytes")
}

fn colour(Colour(red, green, blue): Colour) -> String {
    let part = |byte: u8| format!("{:.3}", f64::from(byte) / 255.0);
    format!("{} {} {}", part(red), part(green), part(blue))
}

fn path(points: &[(f64, f64)]) -> String {
    let step = |(i, (x, y)): (usize, &(f64, f64))| format!("{x:.2} {y:.2} {} ", if i == 0 { 'm' } else { 'l' });
    points.iter().enumerate().map(step).collect()
}

fn draw(shape: &Shape, out: &mut String) -> Result<()> {
    let opaque = |opacity: f64| format!("/O{} gs", (opacity * STEPS as f64).round() as usize);
    let line = match shape {
        Shape::Text { x, y, text, size, anchor, bold, upward, colour: of } => {
            let (letters, width) = set(text, *size)?;
            let back = match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5 * width,
                Anchor::End => width,
            };
            // The sheet counts downwards, so letters are turned over.
            let matrix = match upward {
                true => format!("0 -1 -1 0 {x:.2} {:.2}", y + back),
                false => format!("1 0 0 -1 {:.2} {y:.2}", x - back),
            };
            let font = u8::from(*bold);
            format!("BT /F{font} {size} Tf {} rg {matrix} Tm <{letters}> Tj ET", colour(*of))
        }
        Shape::Line { points, colour: of, width, is_dashed } => {
            let dash = if *is_dashed { "[6 4] 0 d" } else { "[] 0 d" };
            format!("{} RG {width} w {dash} {}S", colour(*of), path(points))
        }
        Shape::Polygon { points, fill, opacity, edge } => {
            let (edge, paint) = match edge {
                Some(edge) => (format!("{} RG 1 w [] 0 d ", colour(*edge)), "b"),
                None => (String::new(), "f"),
            };
            format!("q {} {} rg {edge}{}h {paint} Q", opaque(*opacity), colour(*fill), path(points))
        }
        Shape::Circle { x, y, radius: r, fill, opacity, edge } => {
            let k = ROUND * r;
            let mut curve = format!("{:.2} {y:.2} m ", x + r);
            for ((ax, ay), (bx, by), (cx, cy)) in [
                ((*r, k), (k, *r), (0.0, *r)),
                ((-k, *r), (-r, k), (-r, 0.0)),
                ((-r, -k), (-k, -r), (0.0, -r)),
                ((k, -r), (*r, -k), (*r, 0.0)),
            ] {
                let _ = write!(
                    curve,
                    "{:.2} {:.2} {:.2} {:.2} {:.2} {:.2} c ",
                    x + ax,
                    y + ay,
                    x + bx,
                    y + by,
                    x + cx,
                    y + cy
                );
            }
            format!("q {} {} rg {} RG 1 w [] 0 d {curve}b Q", opaque(*opacity), colour(*fill), colour(*edge))
        }
        Shape::Clip(Area { left, top, width, height }) => {
            format!("q {left:.2} {top:.2} {width:.2} {height:.2} re W n")
        }
        Shape::Unclip => "Q".into(),
    };
    out.push_str(&line);
    out.push('\n');
    Ok(())
}

/// A text as hexadecimal bytes of its encoding, and how wide it is.
fn set(text: &str, size: u32) -> Result<(String, f64)> {
    let (mut letters, mut width) = (String::new(), 0.0);
    for letter in text.chars() {
        let byte = encoded(letter).ok_or(Error::Letter { letter })?;
        let _ = write!(letters, "{byte:02x}");
        width += f64::from(advance(letter));
    }
    Ok((letters, width * f64::from(size) / 1000.0))
}

/// A letter in Windows' encoding of Latin letters.
fn encoded(letter: char) -> Option<u8> {
    match letter {
        '\u{20}'..='\u{7e}' | '\u{a0}'..='\u{ff}' => u8::try_from(u32::from(letter)).ok(),
        '€' => Some(0x80),
        '…' => Some(0x85),
        '‘' => Some(0x91),
        '’' => Some(0x92),
        '“' => Some(0x93),
        '”' => Some(0x94),
        '•' => Some(0x95),
        '–' => Some(0x96),
        '—' => Some(0x97),
        // The minus sign has no place of its own.
        '−' => Some(0x96),
        _ => None,
    }
}

/// How wide a letter of Helvetica is, in thousandths of its size; letters with accents are as wide as those without.
fn advance(letter: char) -> u16 {
    match letter {
        'i' | 'j' | 'l' | '\'' => 222,
        ' ' | '!' | ',' | '.' | '/' | ':' | ';' | '\\' | 'I' | '[' | ']' | 'f' | 't' | '|' | '·' => 278,
        '(' | ')' | '-' | 'r' | '`' => 333,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' | 'J' => 500,
        '<' | '=' | '>' | '+' | '~' | '±' | '×' | '÷' => 584,
        'F' | 'T' | 'Z' => 611,
        'A' | 'B' | 'E' | 'K' | 'P' | 'S' | 'V' | 'X' | 'Y' | '&' => 667,
        'C' | 'D' | 'H' | 'N' | 'R' | 'U' | 'w' => 722,
        'G' | 'O' | 'Q' => 778,
        'm' | 'M' => 833,
        '%' => 889,
        'W' => 944,
        '…' | '—' => 1000,
        _ => 556,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_object_begins_where_the_table_says() {
        let mut sheet = Sheet::new(200.0, 100.0);
        sheet.text((10.0, 20.0), "Größe (±1)", 14, Anchor::Middle);
        sheet.circle((50.0, 50.0), 4.0, crate::colour::BLUE, 0.5, crate::colour::WHITE);
        let bytes = bytes(&sheet).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        let find = |what: &str| bytes.windows(what.len()).position(|window| window == what.as_bytes()).unwrap();
        let table = find("xref\n");
        assert!(text.contains(&format!("startxref\n{table}\n")), "{text}");
        for id in 1..=6 {
            let place = find(&format!("{id} 0 obj\n"));
            assert!(text.contains(&format!("{place:010} 00000 n")), "{id}");
        }
    }

    #[test]
    fn letters_without_a_glyph_are_named() {
        let mut sheet = Sheet::new(10.0, 10.0);
        sheet.text((0.0, 0.0), "温度", 10, Anchor::Start);
        assert_eq!(
            bytes(&sheet).unwrap_err().to_string(),
            "the fonts that every PDF reader has lack '温': write SVG or PNG instead"
        );
    }
}
