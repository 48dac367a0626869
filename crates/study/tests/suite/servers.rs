//! PostgreSQL when connections break, servers are stopped and people listen. These tests need `FATHOM_POSTGRES`
//! (tests/with-postgres).

use crate::conformance::{definition, fresh};
use crate::migrations::on_a_fresh_database;
use fathom_study::{Error, Lease, Outcome, Study, connect};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Ends every connection to the database but one's own.
const END_ALL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[test]
fn an_open_study_goes_on_after_its_connections_were_ended() {
    on_a_fresh_database(|url, direct| {
        let mut study = Study::create(url, definition("ended")).unwrap();
        let lease = Lease { owner: "me".into(), duration: Duration::from_secs(60) };
        for i in 1..=4 {
            direct.batch_execute(END_ALL).unwrap();
            let trial = study.ask_leased(&lease, 99).unwrap().unwrap();
            assert_eq!(trial.id, i);
            direct.batch_execute(END_ALL).unwrap();
            assert!(study.renew(trial.id, &lease).unwrap());
            direct.batch_execute(END_ALL).unwrap();
            study.tell(trial.id, 0.5).unwrap();
            direct.batch_execute(END_ALL).unwrap();
            assert_eq!(study.trials().unwrap().len(), i as usize);
        }
    });
}

/// A way to the server that cuts the connection instead of handing on an answer which holds `tag`, `times` times.
struct Cutter {
    url: String,
    tag: Arc<Mutex<Vec<u8>>>,
    times: Arc<AtomicUsize>,
}

impl Cutter {
    fn new(url: &str) -> Self {
        let (before, rest) = url.split_once('@').unwrap();
        let (server, database) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (tag, times) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (server, their_tag, their_times) = (server.to_owned(), Arc::clone(&tag), Arc::clone(&times));
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (Ok(client), Ok(server)) = (client, TcpStream::connect(&server)) else { return };
                let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
                let (tag, times) = (Arc::clone(&their_tag), Arc::clone(&their_times));
                std::thread::spawn(move || pump(server, client, &tag, &times));
            }
        });
        // An encrypted connection cannot be looked into.
        Self { url: format!("{before}@127.0.0.1:{port}/{database}?sslmode=disable"), tag, times }
    }

    fn cut(&self, tag: &str, times: usize) {
        *self.tag.lock().unwrap() = tag.into();
        self.times.store(times, Ordering::SeqCst);
    }
}

fn pump(mut server: TcpStream, mut client: TcpStream, tag: &Mutex<Vec<u8>>, times: &AtomicUsize) {
    let mut bytes = [0; 65536];
    while let Ok(count @ 1..) = server.read(&mut bytes) {
        let tag = tag.lock().unwrap().clone();
        let is_met = !tag.is_empty() && bytes[..count].windows(tag.len()).any(|window| window == tag);
        if is_met && times.load(Ordering::SeqCst) > 0 {
            times.fetch_sub(1, Ordering::SeqCst);
            let _ = (server.shutdown(std::net::Shutdown::Both), client.shutdown(std::net::Shutdown::Both));
            return;
        }
        if client.write_all(&bytes[..count]).is_err() {
            return;
        }
    }
}

#[test]
fn what_happened_though_its_answer_was_lost_is_not_done_twice() {
    on_a_fresh_database(|url, direct| {
        let way = Cutter::new(url);
        way.cut("INSERT 0 1", 1);
        let mut study = Study::create(&way.url, definition("cut")).unwrap();
        assert_eq!(way.times.load(Ordering::SeqCst), 0, "an answer was cut off");
        way.cut("INSERT 0 1", 2);
        assert_eq!(study.ask(1).unwrap()[0].id, 1);
        assert_eq!(way.times.load(Ordering::SeqCst), 1, "the answer to adding was cut off, and it was recognised");
        way.cut("UPDATE 1", 1);
        study.tell(1, 0.25).unwrap();
        assert_eq!(way.times.load(Ordering::SeqCst), 0);
        way.cut("INSERT 0 2", 1);
        let point = study.trials().unwrap()[0].point.clone();
        let rows = [(point.clone(), Outcome::of(1.0).unwrap()), (point, Outcome::of(2.0).unwrap())];
        assert_eq!(study.import(&rows).unwrap().added, 2);
        assert_eq!(way.times.load(Ordering::SeqCst), 0);
        assert_eq!(direct.number("SELECT count(*) FROM fathom_trial"), 3, "nothing is there twice");
        assert_eq!(direct.number("SELECT count(*) FROM fathom_trial WHERE state = 'pending'"), 0);
    });
}

#[test]
fn a_lock_that_somebody_holds_does_not_hold_others_for_ever_and_is_told_apart() {
    on_a_fresh_database(|url, direct| {
        let mut study = Study::create(url, definition("locked")).unwrap();
        study.ask(1).unwrap();
        direct.batch_execute("BEGIN; SELECT * FROM fathom_trial FOR UPDATE").unwrap();
        let error = study.tell(1, 1.0).unwrap_err();
        assert!(error.is_temporary(), "{error}");
        direct.batch_execute("ROLLBACK").unwrap();
        study.tell(1, 1.0).unwrap();
    });
}

#[test]
fn a_server_that_is_away_is_reported_at_once_and_without_a_password() {
    for url in ["postgres://ann:SECRET@127.0.0.1:1/db", "postgres://127.0.0.1:1/db?user=ann&password=SECRET"] {
        let error = connect(url).unwrap_err();
        assert!(error.is_temporary(), "{error}");
        for text in [error.to_string(), format!("{error:?}"), format!("{error:#?}")] {
            assert!(!text.contains("SECRET") && text.contains("127.0.0.1"), "{text}");
        }
    }
    for url in
        ["postgres://ann:SEC/RET@h/db?x", "postgres://h/db?password=a&SECRET=1", "postgres://h/db?sslmode=SECRET"]
    {
        let error = connect(url).unwrap_err();
        assert!(matches!(error, Error::BadAddress { .. }), "{error}");
        assert!(!format!("{error} {error:?}").replace("sslmode=SECRET", "").contains("SECRET"), "{error}");
    }
}

#[test]
fn passwords_are_asked_for_and_not_shown_by_the_server_either() {
    on_a_fresh_database(|url, direct| {
        let role = fresh("role").replace('-', "_");
        direct
            .batch_execute(&format!("CREATE ROLE {role} LOGIN PASSWORD 'SECRET'; GRANT ALL ON SCHEMA public TO {role}"))
            .unwrap();
        let (_, place) = url.split_once('@').unwrap();
        let mut study = Study::create(&format!("postgres://{role}:SECRET@{place}"), definition("private")).unwrap();
        assert_eq!(study.address().to_string(), format!("postgres://{role}@{place}"));
        assert!(!format!("{study:?}").contains("SECRET"));
        let missing = Study::open(study.address(), "nobody");
        assert!(missing.is_err_and(|error| !error.to_string().contains("SECRET")));
        study.ask(1).unwrap();
        drop(study);
        direct.batch_execute(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).unwrap();
    });
}

#[test]
fn connections_are_encrypted_as_sslmode_says() {
    let (Ok(url), Ok(root)) = (std::env::var("FATHOM_POSTGRES"), std::env::var("FATHOM_POSTGRES_ROOT")) else {
        eprintln!("skipped: FATHOM_POSTGRES_ROOT is not set");
        return;
    };
    let stranger = std::env::var("FATHOM_POSTGRES_STRANGER").unwrap();
    let says = |options: &str| match connect(&format!("{url}?{options}")) {
        Ok(mut store) => {
            store.examine().unwrap().iter().map(|remark| remark.text.clone()).collect::<Vec<_>>().join("; ")
        }
        Err(error) => format!("refused: {error}"),
    };
    assert!(says("sslmode=disable").contains("is not encrypted"));
    for options in ["", "sslmode=prefer", "sslmode=require"] {
        assert!(says(options).contains("is encrypted"), "{options}: {}", says(options));
    }
    let (trusted, untrusted) = (format!("sslrootcert={root}"), format!("sslrootcert={stranger}"));
    assert!(says(&format!("sslmode=verify-ca&{trusted}")).contains("is encrypted"));
    // The certificate belongs to database.test.
    assert!(says(&format!("sslmode=verify-full&{trusted}")).starts_with("refused"));
    let (user, place) = url.split_once('@').unwrap();
    let (host, database) = place.split_once('/').unwrap();
    let port = host.split_once(':').unwrap().1;
    let named = format!("{user}@database.test:{port}/{database}?hostaddr=127.0.0.1&sslmode=verify-full&{trusted}");
    connect(&named).unwrap();
    for mode in ["require", "verify-ca", "verify-full"] {
        assert!(says(&format!("sslmode={mode}&{untrusted}")).starts_with("refused"), "{mode}");
    }
    let missing = says("sslmode=verify-full");
    assert!(missing.contains("sslrootcert=FILE"), "{missing}");
    assert!(says("sslmode=verify-ca&sslrootcert=/no/such/file").contains("/no/such/file"));
    assert!(says("sslmode=nonsense").contains("verify-full"));
}
