//! Files of LibreOffice in German and American settings (tests/sheets), with the mistakes people make: read right, or refused with the
//! right reason.

use fathom_sheet::{Decimal, Options, Role, Separator, Table};
use fathom_study::{Definition, Outcome, Space};
use std::path::Path;

fn space() -> Space {
    let study = "goal = 'maximise'\n[parameters]\ntemperature = { type = 'float', low = 20, high = 120 }\n\
                 hours = { type = 'float', low = 1, high = 24 }\ncatalyst = { type = 'float', low = 0.01, high = 10, scale = 'log' }\n\
                 solvent = { type = 'categorical', choices = ['DMF', 'THF', 'toluene'] }\n";
    Definition::parse(study).unwrap().space
}

fn pairs(names: &[(&str, &str)]) -> Vec<(String, String)> {
    names.iter().map(|(name, header)| ((*name).to_owned(), (*header).to_owned())).collect()
}

/// What a German says of their table: one option for each header.
fn german() -> Options {
    let columns =
        [("temperature", "Temperatur"), ("hours", "Zeit"), ("catalyst", "Katalysator"), ("solvent", "Lösungsmittel")];
    Options { value: Some("Ausbeute (%)".into()), columns: pairs(&columns), ..Options::default() }
}

fn read(file: &str, options: &Options) -> Result<Table, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sheets").join(file);
    Table::read(&path, &space(), options).map_err(|error| error.to_string())
}

/// A row as text: its point and what was told.
fn rows(table: &Table) -> Vec<String> {
    let row = |row: &fathom_sheet::Row| {
        let point: Vec<String> = row.experiment.point.values().map(ToString::to_string).collect();
        let told = row.experiment.outcome.as_ref().and_then(Outcome::objective);
        format!("{}: {} = {}", row.place, point.join(" "), told.map_or("?".into(), |value| value.to_string()))
    };
    table.rows.iter().map(row).collect()
}

fn left_out(table: &Table) -> Vec<String> {
    table.left_out.iter().map(ToString::to_string).collect()
}

#[test]
fn the_same_table_is_read_the_same_from_every_file() {
    for (file, manner, options) in [
        ("german.csv", "CSV, separated by semicolons, decimal commas", german()),
        ("german-1252.csv", "CSV, separated by semicolons, in Windows-1252, decimal commas", german()),
        ("english.csv", "CSV, separated by commas, decimal points", Options::default()),
        ("tabs-utf16.txt", "CSV, separated by tabs, in UTF-16, decimal points", Options::default()),
    ] {
        let table = read(file, &options).unwrap();
        assert_eq!(table.manner(), manner);
        assert_eq!(
            rows(&table),
            ["line 2: 46.2 13.1 2.7 DMF = 17.5", "line 5: 90 10 3 toluene = 61.25", "line 6: 35.5 4 0.125 DMF = 12.4"],
            "{file}"
        );
        assert_eq!((left_out(&table), table.remarks), (vec!["line 3: no value".to_owned()], Vec::new()));
    }
    for (file, manner, options) in [
        ("german-title.xlsx", "XLSX, sheet `Tabelle1`", german()),
        ("english.ods", "ODS, sheet `Sheet1`", Options::default()),
    ] {
        let table = read(file, &options).unwrap();
        assert_eq!(table.manner(), manner);
        let found: Vec<String> = rows(&table).iter().map(|row| row.split_once(": ").unwrap().1.to_owned()).collect();
        assert_eq!(found, ["46.2 13.1 2.7 DMF = 17.5", "90 10 3 toluene = 61.25", "35.5 4 0.125 DMF = 12.4"], "{file}");
    }
}

#[test]
fn columns_are_understood_and_what_stands_above_them_is_named() {
    let table = read("german-title.xlsx", &german()).unwrap();
    assert_eq!(table.remarks, ["row 1 (`Versuchsreihe 17 — Ausbeute`) stands above the headers and is passed over"]);
    assert_eq!(left_out(&table), ["row 5: no value"]);
    let columns: Vec<(&str, &str, String)> = table
        .columns
        .iter()
        .map(|column| (column.letters.as_str(), column.header.as_str(), column.role.to_string()))
        .collect();
    assert_eq!(columns[0], ("A", "Temperatur (°C)", "parameter temperature".to_owned()));
    assert_eq!(columns[4], ("E", "Ausbeute (%)", "the value".to_owned()));
    assert_eq!(columns[5], ("F", "Bemerkung", "ignored".to_owned()));
    assert_eq!(table.columns[3].role, Role::Parameter("solvent".into()));
}

#[test]
fn numbers_are_read_as_they_are_shown() {
    let values = |file: &str, options: &Options| -> Vec<f64> {
        let table = read(file, options).unwrap();
        table.rows.iter().filter_map(|row| row.experiment.outcome.as_ref()?.objective()).collect()
    };
    let plain = Options::default();
    assert_eq!(values("thousands.csv", &plain), [1234.5, 12345.6]);
    assert_eq!(values("thousands-german.csv", &plain), [1234.5, 12345.6]);
    assert_eq!(values("numbers-as-text.xlsx", &german()), [17.5, 61.25]);
    for file in ["percent.csv", "percent.xlsx", "percent.ods"] {
        assert_eq!(values(file, &plain), [17.5, 7.0], "{file}");
        assert_eq!(read(file, &plain).unwrap().remarks, ["`Value` has percent signs: 17.5 % is read as 17.5"]);
    }
    for file in ["formulas.xlsx", "formulas.ods"] {
        assert_eq!(values(file, &plain), [17.5, 35.0], "{file}");
        assert_eq!(left_out(&read(file, &plain).unwrap()), ["row 3: no value"]);
    }
    let units = read("units.csv", &plain).unwrap();
    assert_eq!(left_out(&units), ["line 2: a row of units", "line 4: no value"]);
    assert_eq!(units.rows.len(), 3);
}

#[test]
fn what_cannot_be_read_is_refused_with_the_reason_and_the_way_out() {
    let plain = Options::default();
    let refused = |file: &str, options: &Options| read(file, options).unwrap_err();
    let date =
        "2026-05-01 is a date: a spreadsheet makes one of 1.5 or 1/5; format the column as numbers and type it again";
    for file in ["date.xlsx", "date.ods"] {
        assert_eq!(refused(file, &plain), format!("cell B2 (`Hours`): {date}"));
    }
    assert_eq!(refused("date-german.csv", &plain), "line 2, column `Hours`: `1. Mai` is no number");
    for file in ["merged.xlsx", "merged.ods"] {
        let reason = "the cells D2 to D3 are merged, and only the first of them has a content: split them";
        assert_eq!(refused(file, &plain), reason);
    }
    assert_eq!(
        refused("percent-mixed.xlsx", &plain),
        "cell E2 (`Value`): `17.5 %` has a percent sign, and `61.25` in row 3 has none: write all of them in the same way"
    );
    assert_eq!(
        refused("ambiguous.txt", &plain),
        "line 2, column `Value`: `17.250` may be 17.25 or 17250: say --decimal point or --decimal comma"
    );
    let said = Options { decimal: Some(Decimal::Point), ..Options::default() };
    assert_eq!(rows(&read("ambiguous.txt", &said).unwrap()), ["line 2: 46 13 2 DMF = 17.25"]);
    assert_eq!(
        refused("two-sheets.xlsx", &plain),
        "several sheets may be the table: say --sheet NAME; there are `January`, `February`, `Notes`"
    );
    let sheet = |name: &str| Options { sheet: Some(name.into()), ..Options::default() };
    assert_eq!(rows(&read("two-sheets.xlsx", &sheet("February")).unwrap()), ["row 2: 90 10 3 toluene = 61.25"]);
    assert!(
        refused("two-sheets.xlsx", &sheet("March"))
            .starts_with("there is no sheet `March`: say --sheet NAME; there are `January`")
    );
    assert_eq!(
        refused("english.csv", &sheet("Sheet1")),
        "--sheet says nothing about this file: it is no workbook, and has no sheets"
    );
    assert_eq!(
        refused("two-temperatures.csv", &plain),
        "both `Temperature (°C)` and `Temperature (K)` may be temperature: say --column temperature=COLUMN"
    );
    let celsius = Options { columns: pairs(&[("temperature", "Temperature (°C)")]), ..Options::default() };
    assert_eq!(rows(&read("two-temperatures.csv", &celsius).unwrap()), ["line 2: 46.2 13.1 2.7 DMF = 17.5"]);
    let commas = refused("commas-twice.csv", &german());
    assert!(
        commas.contains(
            "line 2: 9 cells under 5 headers: if these are decimal commas, save the file with semicolons or tabs between its columns"
        ),
        "{commas}"
    );
    assert_eq!(
        refused("german.csv", &plain),
        "there is no column `temperature`, `hours`, `catalyst`, `solvent`, `value`: say --column temperature=COLUMN --column hours=COLUMN \
         --column catalyst=COLUMN --column solvent=COLUMN --value COLUMN; the columns are `Temperatur (°C)`, `Zeit [h]`, \
         `Katalysator (%)`, `Lösungsmittel`, `Ausbeute (%)`, `Bemerkung`"
    );
    let wrong = Options { separator: Some(Separator::Tab), ..german() };
    assert!(refused("german.csv", &wrong).contains("(--separator says what stands between columns)"));
    let typo = Options { columns: pairs(&[("temprature", "Temperatur")]), ..german() };
    assert!(
        refused("german.csv", &typo)
            .starts_with("--column: there is no parameter `temprature`; there are `temperature`")
    );
}

/// The reason for which a text is refused.
fn refused(text: &str) -> String {
    Table::of(text.as_bytes(), &space(), &Options::default()).unwrap_err().to_string()
}

#[test]
fn mistakes_of_texts_are_all_named_at_once() {
    let head = "temperature;hours;catalyst;solvent;value\n";
    assert_eq!(
        refused(&format!("{head}46,2;1.5;1;DMF;3\n")),
        "some numbers have a decimal point (line 2, column `hours`: `1.5`) and others a decimal comma (line 2, column `temperature`: \
         `46,2`): correct them, or say --decimal point or --decimal comma if one of them is meant otherwise"
    );
    let many = refused(&format!("{head}150;5;1;DMF;3\n50;5;1;water;3\n50;5;1;DMF;broken\n50;5;1;DMF;inf\n"));
    let expected = [
        "4 mistakes, and nothing was added:",
        "line 2: parameter `temperature` cannot be 150: it ranges over [20, 120]",
        "line 3: parameter `solvent` cannot be water: it must be one of DMF, THF, toluene",
        "line 4, column `value`: `broken` is no number; leave the cell empty if there is no result; `failed` in a column `state` says that it failed",
    ];
    assert_eq!(many.lines().take(4).collect::<Vec<_>>(), expected);
    assert_eq!(refused(""), "the file is empty");
    assert_eq!(refused("\n \n,\n"), "the file is empty");
}

#[test]
fn states_say_what_became_of_rows_and_words_for_nothing_are_left_out() {
    let text = "temperature,hours,catalyst,solvent,value,State,message\n50,5,1,DMF,,failed,\"burst, all of it\"\n51,5,1,DMF,n/a,pending,\n\
                52,5,1,DMF,-,,\n53,5,1,DMF,#N/A,complete,\n,5,1,DMF,3,,\n54,5,1,n.d.,3,,\n,,,,,,\n# a comment,,,,,,\n55,5,1,thf,4,Complete,\n";
    let table = Table::of(text.as_bytes(), &space(), &Options::default()).unwrap();
    let outcomes: Vec<Option<Outcome>> = table.rows.iter().map(|row| row.experiment.outcome.clone()).collect();
    assert_eq!(outcomes, [Some(Outcome::Failed("burst, all of it".into())), None, Some(Outcome::of(4.0).unwrap())]);
    assert_eq!(
        left_out(&table),
        ["line 4: no value", "line 5: no value", "line 6: no temperature", "line 7: no solvent", "line 9: no value"]
    );
    let both = "temperature,hours,catalyst,solvent,value,state\n50,5,1,DMF,3,failed\n50,5,1,DMF,,done\n";
    let both = refused(both);
    assert!(
        both.contains("line 2: the state is failed, but there is the value 3: write complete, or take the value out"),
        "{both}"
    );
    assert!(
        both.contains("`done` is none of complete, failed and pending (--ignore \"state\" passes the column over)"),
        "{both}"
    );
    let options = Options { ignored: vec!["state".into()], ..Options::default() };
    let ignored =
        Table::of(b"temperature,hours,catalyst,solvent,value,state\n50,5,1,DMF,3,solid\n", &space(), &options).unwrap();
    assert_eq!(ignored.rows.len(), 1);
}
