#![allow(clippy::unwrap_used)]

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_and_replaced_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.proof");
    write(&path, b"one").unwrap();
    write(&path, b"two").unwrap();
    assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"two".to_vec(), vec!["a.proof".to_owned()]));
    assert!(matches!(create_new(&path, b"three"), Err(Error::Exists { .. })));
    create_new(&folder.path().join("b.toml"), b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(names(folder.path()), ["a.proof", "b.toml"]);
}

#[test]
fn folders_are_not_made_and_paths_without_a_file_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let missing = write(&folder.path().join("no/such/a"), b"").unwrap_err();
    assert!(missing.to_string().contains("does not exist; make it first"), "{missing}");
    fs::write(folder.path().join("file"), "").unwrap();
    assert!(matches!(write(&folder.path().join("file/a"), b""), Err(Error::NoFolder { .. } | Error::Io { .. })));
    for end in ["..", "a/..", "sub/", "/"] {
        assert!(write(&folder.path().join(end), b"").is_err(), "{end}");
    }
    assert!(matches!(write(Path::new(""), b""), Err(Error::NoFile { .. })));
    assert_eq!(names(folder.path()), ["file"]);
}

#[test]
#[cfg(unix)]
fn links_folders_and_pipes_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("victim"), "precious").unwrap();
    fs::create_dir(at("folder")).unwrap();
    std::os::unix::fs::symlink(at("victim"), at("link")).unwrap();
    std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("pipe")).status();
    let before = names(folder.path());
    for name in ["link", "dangling", "folder", "pipe"] {
        if name == "pipe" && !made.as_ref().is_ok_and(std::process::ExitStatus::success) {
            continue;
        }
        let write_error = write(&at(name), b"x").unwrap_err();
        assert!(matches!(write_error, Error::NotRegular { .. }), "{name}: {write_error}");
        assert!(matches!(create_new(&at(name), b"x"), Err(Error::NotRegular { .. })), "{name}");
        assert!(check_destination(&at(name)).is_err(), "{name}");
    }
    assert_eq!((fs::read_to_string(at("victim")).unwrap().as_str(), names(folder.path())), ("precious", before));
    assert!(matches!(write(Path::new("/dev/null"), b"x"), Err(Error::NotRegular { .. })));
}

/// An earlier version opened PATH.part and followed a link there.
#[test]
#[cfg(unix)]
fn a_link_at_the_name_of_a_draft_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let (victim, path) = (folder.path().join("victim"), folder.path().join("a.proof"));
    fs::write(&victim, "precious").unwrap();
    std::os::unix::fs::symlink(&victim, folder.path().join("a.proof.part")).unwrap();
    write(&path, b"proof").unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    assert_eq!(fs::read(&path).unwrap(), b"proof");
}

#[test]
#[cfg(unix)]
fn permissions_are_those_of_the_replaced_file_or_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let (path, plain) = (folder.path().join("a"), folder.path().join("plain"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    fs::write(&plain, "").unwrap();
    write(&path, b"x").unwrap();
    assert_eq!(mode(&path), mode(&plain));
    fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
    write(&path, b"y").unwrap();
    assert_eq!(mode(&path) & 0o777, 0o640);
}

#[test]
fn names_that_leave_the_folder_or_deceive_are_refused() {
    let long = "x".repeat(256);
    let bad = [
        "",
        ".",
        "..",
        "../victim",
        "a/b",
        "a\\b",
        "/etc/passwd",
        "C:\\x",
        "a\nb",
        "a\u{1b}[2J",
        "a\u{202e}b",
        "a\0b",
        "con",
        "NUL.proof",
        "com1.txt",
        "LPT9",
        "a.",
        "a ",
        "\u{85}",
        &long,
    ];
    for name in bad {
        assert!(matches!(check_name(name), Err(Error::BadName { .. })), "{name:?}");
        assert!(inside(Path::new("folder"), name).is_err());
    }
    for name in
        ["a", "prior_d2.proof", "..proof", "Größe é 東.proof", "concert.proof", "com.proof", "a b", &long[..255]]
    {
        assert_eq!(inside(Path::new("folder"), name).unwrap(), Path::new("folder").join(name));
    }
    assert!(
        !check_name("a\u{1b}[2J").unwrap_err().to_string().contains('\u{1b}'),
        "the error must not do what it warns of"
    );
}
