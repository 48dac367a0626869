//! The network between workers and server: a proxy that delays, cuts and swallows.
//!
//! The worst it does is to let a request through and not its answer: the asker cannot know whether the request was served.

use super::random::Random;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How the network behaves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Weather {
    Calm,
    /// Every message is late by up to so many milliseconds, and connections break with this chance a message.
    Rough {
        late: u64,
        chance: f64,
    },
}

#[derive(Debug)]
struct Shared {
    upstream: u16,
    weather: Mutex<Weather>,
    is_over: AtomicBool,
    cuts: AtomicU64,
    connections: AtomicU64,
    seed: u64,
}

#[derive(Debug)]
pub struct Network {
    port: u16,
    shared: Arc<Shared>,
}

/// What happens to a message.
enum Fate {
    Passes,
    /// All of the message is lost, and the connection with it.
    Lost,
    /// A part arrives, then the connection is cut.
    Part,
    /// The message arrives; the answer is lost, and the connection with it.
    Unanswered,
    /// Nothing happens for so long, then the connection is cut.
    Stalls(Duration),
}

impl Network {
    /// A way to `upstream` on this machine.
    pub fn new(upstream: u16, seed: u64) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("there is a free port");
        let port = listener.local_addr().expect("a listener has an address").port();
        listener.set_nonblocking(true).expect("a listener need not block");
        let shared = Arc::new(Shared {
            upstream,
            weather: Mutex::new(Weather::Calm),
            is_over: AtomicBool::new(false),
            cuts: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            seed,
        });
        let here = Arc::clone(&shared);
        std::thread::spawn(move || {
            while !here.is_over.load(Ordering::Relaxed) {
                match listener.accept() {
                    Ok((client, _)) => connect(&here, &client),
                    Err(_) => std::thread::sleep(Duration::from_millis(2)),
                }
            }
        });
        Self { port, shared }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn set(&self, weather: Weather) {
        *self.shared.weather.lock().unwrap_or_else(PoisonError::into_inner) = weather;
    }

    /// Connections broken so far.
    pub fn cuts(&self) -> u64 {
        self.shared.cuts.load(Ordering::Relaxed)
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
    }
}

fn connect(shared: &Arc<Shared>, client: &TcpStream) {
    let number = shared.connections.fetch_add(1, Ordering::Relaxed);
    // If the server is down, the client's connection is closed, as it would be without the proxy.
    let Ok(server) = TcpStream::connect(("127.0.0.1", shared.upstream)) else { return };
    for stream in [client, &server] {
        let _ = stream.set_nonblocking(false);
        let _ = stream.set_nodelay(true);
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
    }
    let is_unanswered = Arc::new(AtomicBool::new(false));
    for is_request in [true, false] {
        let (Ok(client), Ok(server)) = (client.try_clone(), server.try_clone()) else { return };
        let (from, to) = if is_request { (client, server) } else { (server, client) };
        let random = Random::new(shared.seed, &format!("connection {number} {is_request}"));
        let pump =
            Pump { shared: Arc::clone(shared), from, to, is_request, is_unanswered: is_unanswered.clone(), random };
        std::thread::spawn(move || pump.run());
    }
}

/// One direction of one connection.
struct Pump {
    shared: Arc<Shared>,
    from: TcpStream,
    to: TcpStream,
    is_request: bool,
    is_unanswered: Arc<AtomicBool>,
    random: Random,
}

impl Pump {
    fn run(mut self) {
        let mut buffer = vec![0; 1 << 16];
        while !self.shared.is_over.load(Ordering::Relaxed) {
            let size = match self.from.read(&mut buffer) {
                Ok(0) => break,
                Ok(size) => size,
                Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => continue,
                Err(_) => break,
            };
            if !self.pass(&buffer[..size]) {
                self.shared.cuts.fetch_add(1, Ordering::Relaxed);
                break;
            }
        }
        let _ = self.from.shutdown(Shutdown::Both);
        let _ = self.to.shutdown(Shutdown::Both);
    }

    /// Whether the connection is still whole.
    fn pass(&mut self, message: &[u8]) -> bool {
        if !self.is_request && self.is_unanswered.load(Ordering::Relaxed) {
            return false;
        }
        match self.fate() {
            Fate::Passes => self.to.write_all(message).is_ok(),
            Fate::Lost => false,
            Fate::Part => {
                let part = self.random.below(message.len() as u64) as usize;
                let _ = self.to.write_all(&message[..part]);
                false
            }
            Fate::Unanswered => {
                self.is_unanswered.store(true, Ordering::Relaxed);
                self.to.write_all(message).is_ok()
            }
            Fate::Stalls(time) => {
                std::thread::sleep(time);
                false
            }
        }
    }

    fn fate(&mut self) -> Fate {
        let weather = *self.shared.weather.lock().unwrap_or_else(PoisonError::into_inner);
        let Weather::Rough { late, chance } = weather else { return Fate::Passes };
        std::thread::sleep(Duration::from_millis(self.random.below(late + 1)));
        if !self.random.chance(chance) {
            return Fate::Passes;
        }
        match self.random.below(6) {
            0 => Fate::Lost,
            1 => Fate::Part,
            2 => Fate::Stalls(self.random.duration(0.1, 3.0)),
            _ if self.is_request => Fate::Unanswered,
            _ => Fate::Part,
        }
    }
}
