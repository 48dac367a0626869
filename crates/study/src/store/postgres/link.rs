//! A connection that is made again when it is lost.

use super::tls::{self, Encryption};
use crate::address::Address;
use crate::error::{Error, Result, is_of_connection};
use crate::store::PATIENCE;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::{Client, Config, NoTls};

/// How long a connection may take, if the address does not say so.
const CONNECTING: Duration = Duration::from_secs(10);

/// How long the server may work on a statement, and how long it may wait for a lock meanwhile.
const STATEMENT: Duration = Duration::from_secs(60);
const LOCK: Duration = Duration::from_secs(20);

/// How long an answer may take, over the wire too.
const ANSWER: Duration = Duration::from_secs(90);

/// The pauses between attempts to connect again: the first, which doubles, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// How a statement ends.
type Answer<T> = std::result::Result<T, tokio_postgres::Error>;

/// The way to the server.
pub(super) struct Link {
    address: Address,
    config: Config,
    encryption: Encryption,
    line: Option<Line>,
    /// How long to wait for a server that went away.
    pub patience: Duration,
}

/// A connection. Its other half lives in the runtime and moves while somebody waits for an answer.
struct Line {
    client: Client,
    runtime: Runtime,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Link {
    /// A link that is connected.
    pub fn new(address: &Address) -> Result<Self> {
        let (config, encryption) = tls::read(address)?;
        let mut link = Self { address: address.clone(), config, encryption, line: None, patience: PATIENCE };
        link.connect()?;
        Ok(link)
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// What `act` answers. If the connection is lost, `act` is done again on a new one, and told so: the earlier attempt may
    /// have happened or not.
    #[expect(clippy::needless_pass_by_value, reason = "closures are written where they are used")]
    pub fn with<T>(&mut self, act: impl AsyncFn(&Client, bool) -> Answer<T>) -> Result<T> {
        let (since, mut pause, mut is_repeated) = (Instant::now(), FIRST_PAUSE, false);
        loop {
            match self.attempt(&act, is_repeated) {
                Err(error) if is_lost(&error) => {
                    self.hang_up();
                    if since.elapsed() + pause > self.patience {
                        return Err(error);
                    }
                    is_repeated = true;
                    std::thread::sleep(pause);
                    pause = (2 * pause).min(LONGEST_PAUSE);
                }
                answer => return answer,
            }
        }
    }

    fn attempt<T>(&mut self, act: &impl AsyncFn(&Client, bool) -> Answer<T>, is_repeated: bool) -> Result<T> {
        if self.line.is_none() {
            self.connect()?;
        }
        let store = self.address.clone();
        let Some(line) = &self.line else { return Err(Error::Silent { store, within: CONNECTING }) };
        let answer = line.runtime.block_on(async { timeout(ANSWER, act(&line.client, is_repeated)).await });
        match answer {
            Ok(answer) => answer.map_err(|source| Error::Postgres { store, source }),
            Err(_) => Err(Error::Silent { store, within: ANSWER }),
        }
    }

    fn connect(&mut self) -> Result<()> {
        let broken = |source: std::io::Error| Error::BadAddress {
            address: self.address.clone(),
            reason: format!("this machine has no room for a connection: {source}"),
        };
        let runtime = Builder::new_current_thread().enable_all().build().map_err(broken)?;
        let patience = self.config.get_connect_timeout().copied().unwrap_or(CONNECTING);
        let connecting = async {
            let client = match &self.encryption {
                Encryption::None => {
                    let (client, connection) = self.config.connect(NoTls).await?;
                    tokio::spawn(async move { drop(connection.await) });
                    client
                }
                Encryption::Tls(tls) => {
                    let (client, connection) = self.config.connect(tls.clone()).await?;
                    tokio::spawn(async move { drop(connection.await) });
                    client
                }
            };
            // A server that is stopped in the middle must not hold locks either.
            let limits = format!(
                "SET statement_timeout = {}; SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}",
                STATEMENT.as_millis(),
                LOCK.as_millis(),
                STATEMENT.as_millis()
            );
            client.batch_execute(&limits).await?;
            Ok::<_, tokio_postgres::Error>(client)
        };
        let store = self.address.clone();
        // Each host has its own time; all of them together have twice as much.
        let client = match runtime.block_on(async { timeout(2 * patience, connecting).await }) {
            Ok(client) => client.map_err(|source| Error::Postgres { store, source })?,
            Err(_) => return Err(Error::Silent { store, within: 2 * patience }),
        };
        self.line = Some(Line { client, runtime });
        Ok(())
    }

    fn hang_up(&mut self) {
        if let Some(Line { client, runtime }) = self.line.take() {
            drop(client);
            runtime.shutdown_background();
        }
    }
}

/// Whether the connection is gone, so that only a new one helps.
fn is_lost(error: &Error) -> bool {
    let Error::Postgres { source, .. } = error else { return matches!(error, Error::Silent { .. }) };
    match source.code() {
        // 57P01 to 57P03: the server ends, has crashed, or is not ready yet.
        Some(code) => code.code().starts_with("08") || code.code().starts_with("57P"),
        None => is_of_connection(source),
    }
}
