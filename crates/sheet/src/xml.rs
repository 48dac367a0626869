//! XML of workbooks: elements, attributes and text, without the prefixes of their names.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// What comes next in a document.
#[derive(Debug)]
pub(crate) enum Piece<'a> {
    /// An element begins.
    Start(Element<'a>),
    /// An element of this name ends.
    End(String),
    /// Text.
    Text(String),
}

/// The beginning of an element.
#[derive(Debug)]
pub(crate) struct Element<'a> {
    start: BytesStart<'a>,
}

impl Element<'_> {
    /// Its name without prefix.
    pub fn name(&self) -> String {
        self.start.local_name().as_ref().to_owned()
    }

    /// The attribute whose name without prefix is `name`.
    pub fn attribute(&self, name: &str) -> Option<String> {
        let attribute =
            self.start.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
        Some(attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).ok()?.into_owned())
    }

    /// The same as a whole number.
    pub fn count(&self, name: &str) -> Option<usize> {
        self.attribute(name)?.trim().parse().ok()
    }
}

/// The pieces of a document, in order; an element without content begins and ends.
pub(crate) fn pieces(text: &str, mut hear: impl FnMut(Piece<'_>) -> Result<(), String>) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().expand_empty_elements = true;
    loop {
        let event = reader.read_event().map_err(|error| format!("the workbook is damaged: {error}"))?;
        match event {
            Event::Start(start) | Event::Empty(start) => hear(Piece::Start(Element { start }))?,
            Event::End(end) => hear(Piece::End(end.local_name().as_ref().to_owned()))?,
            Event::Text(text) => hear(Piece::Text(text.xml10_content().into_owned()))?,
            Event::CData(text) => hear(Piece::Text(text.xml10_content().into_owned()))?,
            Event::GeneralRef(name) => {
                let letter = match name.resolve_char_ref() {
                    Ok(Some(letter)) => Some(letter.to_string()),
                    Ok(None) | Err(_) => {
                        quick_xml::escape::resolve_predefined_entity(&name.xml10_content()).map(str::to_owned)
                    }
                };
                hear(Piece::Text(letter.ok_or("the workbook has an entity that nobody knows")?))?;
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => return Ok(()),
        }
    }
}

/// A text as content or attribute of XML.
pub(crate) fn escaped(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}
