//! ZIP archives, which workbooks are: those of spreadsheets, without encryption and below 4 GB.

use flate2::Crc;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{Read as _, Write as _};

/// The most that one part of a workbook may hold when it is unpacked.
const MOST: u64 = 400 << 20;

const LOCAL: u32 = 0x0403_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const END: u32 = 0x0605_4b50;

/// The parts of an archive, unpacked when they are asked for.
#[derive(Debug)]
pub(crate) struct Archive<'a> {
    bytes: &'a [u8],
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    name: String,
    method: u16,
    is_encrypted: bool,
    crc: u32,
    packed: usize,
    at: usize,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

impl<'a> Archive<'a> {
    /// The archive in these bytes, if they are one.
    pub fn new(bytes: &'a [u8]) -> Option<Self> {
        let last = bytes.len().checked_sub(22)?;
        // A comment of up to 64 KB may come after the end.
        let end = (last.saturating_sub(65_536)..=last).rev().find(|at| u32_at(bytes, *at) == Some(END))?;
        let count = u16_at(bytes, end + 10)?;
        let mut at = u32_at(bytes, end + 16)? as usize;
        let mut parts = Vec::new();
        for _ in 0..count {
            if u32_at(bytes, at)? != CENTRAL {
                return None;
            }
            let length = |field: usize| u16_at(bytes, at + field).map(usize::from);
            let (name, extra, comment) = (length(28)?, length(30)?, length(32)?);
            parts.push(Part {
                name: String::from_utf8_lossy(bytes.get(at + 46..at + 46 + name)?).into_owned(),
                method: u16_at(bytes, at + 10)?,
                is_encrypted: u16_at(bytes, at + 8)? & 1 == 1,
                crc: u32_at(bytes, at + 16)?,
                packed: u32_at(bytes, at + 20)? as usize,
                at: u32_at(bytes, at + 42)? as usize,
            });
            at += 46 + name + extra + comment;
        }
        Some(Self { bytes, parts })
    }

    /// Whether there is a part of this name.
    pub fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.name == name)
    }

    /// The names of all parts.
    #[cfg(test)]
    pub fn names(&self) -> impl Iterator<Item = String> {
        self.parts.iter().map(|part| part.name.clone())
    }

    /// The text of a part; the reason if there is none.
    pub fn text(&self, name: &str) -> Result<String, String> {
        let part = self.parts.iter().find(|part| part.name == name);
        let part = part.ok_or_else(|| format!("the workbook has no part {name}: it is damaged"))?;
        if part.is_encrypted {
            return Err("the workbook is protected by a password: save it without one".into());
        }
        let damaged = || format!("the part {name} of the workbook is damaged");
        let text = self.unpacked(part).ok_or_else(damaged)?;
        if text.len() as u64 >= MOST {
            return Err(format!("the part {name} of the workbook has more than {} MB", MOST >> 20));
        }
        let mut crc = Crc::new();
        crc.update(&text);
        if crc.sum() != part.crc {
            return Err(damaged());
        }
        String::from_utf8(text).map_err(|_| damaged())
    }

    fn unpacked(&self, part: &Part) -> Option<Vec<u8>> {
        if u32_at(self.bytes, part.at)? != LOCAL {
            return None;
        }
        let length = |field: usize| u16_at(self.bytes, part.at + field).map(usize::from);
        let start = part.at + 30 + length(26)? + length(28)?;
        let packed = self.bytes.get(start..start.checked_add(part.packed)?)?;
        let mut text = Vec::new();
        match part.method {
            0 => text.extend_from_slice(packed),
            8 => _ = DeflateDecoder::new(packed).take(MOST).read_to_end(&mut text).ok()?,
            _ => return None,
        }
        Some(text)
    }
}

/// An archive of these parts.
pub(crate) fn packed(parts: &[(&str, String)]) -> std::io::Result<Vec<u8>> {
    let (mut archive, mut directory): (Vec<u8>, Vec<u8>) = Default::default();
    for (name, text) in parts {
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text.as_bytes())?;
        let packed = encoder.finish()?;
        let size = |length: usize| u32::try_from(length).map_err(std::io::Error::other);
        let at = size(archive.len())?;
        // Version 2.0, no flags, deflated, at the first moment that the format knows: the same table gives the same bytes.
        let mut head = Vec::new();
        head.extend([20u16, 0, 8, 0, 0x21].iter().flat_map(|field| field.to_le_bytes()));
        head.extend([crc.sum(), size(packed.len())?, size(text.len())?].iter().flat_map(|field| field.to_le_bytes()));
        head.extend([name.len() as u16, 0].iter().flat_map(|field| field.to_le_bytes()));
        archive.extend(LOCAL.to_le_bytes().iter().chain(&head).chain(name.as_bytes()).chain(&packed));
        directory.extend(CENTRAL.to_le_bytes().iter().chain(&20u16.to_le_bytes()).chain(&head));
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes().iter().chain(name.as_bytes()));
    }
    let (start, length) = (archive.len() as u32, directory.len() as u32);
    archive.extend(directory);
    archive.extend(END.to_le_bytes());
    archive.extend([0, 0, parts.len() as u16, parts.len() as u16].iter().flat_map(|field| field.to_le_bytes()));
    archive.extend([length, start].iter().flat_map(|field| field.to_le_bytes()));
    archive.extend([0; 2]);
    Ok(archive)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn parts_come_back_and_damage_is_noticed() {
        let long = "abc".repeat(1000);
        let bytes = packed(&[("one", "eins".to_owned()), ("two/three", long.clone())]).unwrap();
        let archive = Archive::new(&bytes).unwrap();
        assert_eq!((archive.text("one").unwrap(), archive.text("two/three").unwrap()), ("eins".to_owned(), long));
        assert!(
            archive.text("four").unwrap_err().contains("no part four") && !archive.has("four") && archive.has("one")
        );
        let mut accepted = 0;
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0x55;
            if let Some(archive) = Archive::new(&damaged) {
                accepted += usize::from(archive.text("one").is_ok_and(|text| text != "eins"));
            }
            assert!(Archive::new(&bytes[..at]).is_none());
        }
        assert_eq!(accepted, 0, "no damage changes a text unnoticed");
    }
}
