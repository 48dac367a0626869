//! From bytes to text. Spreadsheets write UTF-8 with or without a mark at the beginning, UTF-16, and on Windows the code page 1252.

/// How a text was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, either end first.
    Utf16,
    /// The code page of western Windows.
    Windows1252,
}

impl Encoding {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16 => "UTF-16",
            Self::Windows1252 => "Windows-1252",
        }
    }
}

/// What Windows-1252 has from 0x80 to 0x9f; it leaves five places free.
const HIGH: [Option<char>; 32] = [
    Some('€'),
    None,
    Some('‚'),
    Some('ƒ'),
    Some('„'),
    Some('…'),
    Some('†'),
    Some('‡'),
    Some('ˆ'),
    Some('‰'),
    Some('Š'),
    Some('‹'),
    Some('Œ'),
    None,
    Some('Ž'),
    None,
    None,
    Some('‘'),
    Some('’'),
    Some('“'),
    Some('”'),
    Some('•'),
    Some('–'),
    Some('—'),
    Some('˜'),
    Some('™'),
    Some('š'),
    Some('›'),
    Some('œ'),
    None,
    Some('ž'),
    Some('Ÿ'),
];

/// The text, and how it was written; the reason if it is no text.
pub(crate) fn decoded(bytes: &[u8]) -> Result<(String, Encoding), String> {
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes);
    }
    // Letters of Latin alphabets have a zero in one of their two bytes.
    let zeros = |parity: usize| bytes.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
    match (zeros(0), zeros(1)) {
        (0, odd) if odd > bytes.len() / 4 => return utf16(bytes, u16::from_le_bytes),
        (even, 0) if even > bytes.len() / 4 => return utf16(bytes, u16::from_be_bytes),
        (..) => {}
    }
    let unmarked = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Ok(text) = std::str::from_utf8(unmarked) {
        return Ok((text.to_owned(), Encoding::Utf8));
    }
    if bytes.contains(&0) {
        return Err("it is neither text nor a workbook: there are zeros in it".into());
    }
    let letter = |byte: &u8| match byte {
        0x80..=0x9f => HIGH[usize::from(byte - 0x80)],
        byte => Some(char::from(*byte)),
    };
    let text: Option<String> = bytes.iter().map(letter).collect();
    match text {
        Some(text) => Ok((text, Encoding::Windows1252)),
        None => Err("it is neither UTF-8, UTF-16 nor Windows-1252: save it as CSV in UTF-8".into()),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<(String, Encoding), String> {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    match (text, bytes.len() % 2) {
        (Ok(text), 0) => Ok((text, Encoding::Utf16)),
        (Ok(_) | Err(_), _) => Err("it begins like UTF-16 and is damaged: save it as CSV in UTF-8".into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn every_way_to_write_a_text_gives_the_same_text() {
        let text = "Ausbeute (%);T (°C)\r\n12,4;–";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        let windows: Vec<u8> = text.chars().map(|c| if c == '–' { 0x96 } else { c as u8 }).collect();
        for (bytes, encoding) in [
            (text.as_bytes().to_vec(), Encoding::Utf8),
            (marked(b"\xef\xbb\xbf", text.as_bytes()), Encoding::Utf8),
            (marked(b"\xff\xfe", &little), Encoding::Utf16),
            (marked(b"\xfe\xff", &big), Encoding::Utf16),
            (windows, Encoding::Windows1252),
        ] {
            assert_eq!(decoded(&bytes), Ok((text.to_owned(), encoding)));
        }
        let plain: Vec<u8> = "a,b\n1,2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decoded(&plain).unwrap().1, Encoding::Utf16, "without a mark, too");
        assert!(decoded(&[0x41, 0x81, 0xff]).unwrap_err().contains("save it as CSV in UTF-8"));
        assert!(decoded(b"\xff\xfea").is_err() && decoded(&[0xff, 0, 0, 0]).is_err());
    }
}
