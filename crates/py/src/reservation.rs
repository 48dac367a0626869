//! Trials that this process evaluates: reserved while it lives, and a little longer. Whoever is killed leaves them to the
//! next who asks.

use crate::errand::lock;
use fathom_study::{Lease, Store};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

/// How long a trial waits for somebody who has not been heard of.
const LEASE: Duration = Duration::from_secs(20);

/// How often somebody who lives says so.
const RENEWAL: Duration = Duration::from_secs(5);

/// Where nobody else can look, a trial waits as long as anybody does.
const ALWAYS: Duration = Duration::from_secs(u32::MAX as u64);

/// The trials of one owner, renewed in the background as long as there are any.
pub struct Reservations {
    store: Mutex<Box<dyn Store>>,
    key: i64,
    owner: String,
    is_shared: bool,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    ids: BTreeSet<u64>,
    is_renewed: bool,
}

impl Reservations {
    /// In the study `key` of a store, which other processes share or not.
    pub fn new(store: Box<dyn Store>, key: i64, owner: String, is_shared: bool) -> Arc<Self> {
        Arc::new(Self { store: Mutex::new(store), key, owner, is_shared, held: Mutex::default() })
    }

    /// Whose they are.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// A lease as long as it is renewed.
    pub fn lease(&self) -> Lease {
        Lease { owner: self.owner.clone(), duration: if self.is_shared { LEASE } else { ALWAYS } }
    }

    /// A lease that has ended: the trial is anybody's.
    pub fn ended(&self) -> Lease {
        Lease { owner: self.owner.clone(), duration: Duration::ZERO }
    }

    /// Renews a trial from now on.
    pub fn hold(self: &Arc<Self>, id: u64) {
        if !self.is_shared {
            return;
        }
        let mut held = lock(&self.held);
        held.ids.insert(id);
        if !held.is_renewed {
            held.is_renewed = true;
            let this = Arc::downgrade(self);
            thread::spawn(move || Self::renew(&this));
        }
    }

    /// No more.
    pub fn release(&self, id: u64) {
        lock(&self.held).ids.remove(&id);
    }

    fn renew(this: &Weak<Self>) {
        loop {
            thread::sleep(RENEWAL);
            let Some(this) = this.upgrade() else { return };
            let ids = {
                let mut held = lock(&this.held);
                held.is_renewed = !held.ids.is_empty();
                held.ids.clone()
            };
            if ids.is_empty() {
                return;
            }
            let mut store = lock(&this.store);
            for id in ids {
                // A store that is away may be back in time; if not, somebody else is given the trial.
                let _ = store.lease(this.key, id, &this.owner, Some(LEASE));
            }
        }
    }
}
