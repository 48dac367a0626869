//! Trials that this process evaluates: they are reserved while it lives, and a little longer. A process that is killed
//! leaves its trials to the next who asks.

use crate::address::Address;
use crate::error::Result;
use crate::owner::owner;
use crate::study::Study;
use crate::trial::Lease;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// How long a trial waits for somebody who has not been heard of.
const LEASE: Duration = Duration::from_secs(20);

/// How often a process says that it lives.
const RENEWAL: Duration = Duration::from_secs(5);

/// How long a trial waits if no other process can see it.
const ALWAYS: Duration = Duration::from_secs(u32::MAX as u64);

/// The trials of one owner, renewed in the background as long as there are any.
#[derive(Debug)]
pub struct Reservations {
    /// The study over a connection of its own; `None` if no other process shares it.
    study: Option<Mutex<Study>>,
    owner: String,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    ids: BTreeSet<u64>,
    is_renewed: bool,
}

impl Reservations {
    /// Reservations in the study called `name` at an address.
    pub fn new(address: &Address, name: &str) -> Result<Arc<Self>> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let is_shared = !address.is_memory();
        let study = is_shared.then(|| Study::open(address, name)).transpose()?;
        let owner = owner(NEXT.fetch_add(1, Ordering::Relaxed));
        Ok(Arc::new(Self { study: study.map(Mutex::new), owner, held: Mutex::default() }))
    }

    /// The owner of the trials.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// A lease that lasts as long as it is renewed.
    pub fn lease(&self) -> Lease {
        let duration = if self.study.is_some() { LEASE } else { ALWAYS };
        Lease { owner: self.owner.clone(), duration }
    }

    /// A lease that has ended: the trial is anybody's.
    pub fn ended(&self) -> Lease {
        Lease { owner: self.owner.clone(), duration: Duration::ZERO }
    }

    /// Renews a trial from now on.
    pub fn hold(self: &Arc<Self>, id: u64) {
        if self.study.is_none() {
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

    /// Renews a trial no more.
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
            let (false, Some(study)) = (ids.is_empty(), &this.study) else { return };
            let mut study = lock(study);
            for id in ids {
                // A store that is away may be back in time; if it is not, somebody else is given the trial.
                let _ = study.renew(id, &this.lease());
            }
        }
    }
}

/// The lock's content, whoever panicked while holding it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
