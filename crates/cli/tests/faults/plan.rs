//! Rounds of the campaign: which faults, how many, on which store.

/// Where a study is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }
}

/// A fault beside the work; all faults of a round happen at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// Somebody locks the store so often, for a tenth of a second up to so many seconds.
    Storms { count: u64, longest: f64 },
    /// Somebody locks the store once, for so many seconds.
    LongStorm { seconds: f64 },
    /// The server is stopped and started so often.
    Restarts { count: u64 },
    /// The disk is filled and emptied so often.
    FullDisks { count: u64 },
    /// The network delays and cuts so often, for some seconds each.
    RoughNetwork { spells: u64 },
}

/// One study and what happens to it.
#[derive(Debug, Clone)]
pub struct Plan {
    pub kind: Kind,
    pub name: String,
    pub faults: Vec<Fault>,
    /// `kill -9`s, at the least.
    pub kills: u64,
    /// After how many seconds a process is killed, from and to.
    pub life: (f64, f64),
    /// Processes of `fathom run` at a time.
    pub seats: usize,
    /// Trials at which they stop by themselves.
    pub most: u64,
    /// Whether clocks are an hour apart.
    pub clocks: bool,
    /// Whether somebody asks and tells by hand.
    pub by_hand: bool,
    /// The lease of a trial, in seconds.
    pub lease: f64,
    /// How long an evaluation takes, in milliseconds from and to.
    pub pause: (u64, u64),
    /// The study's strategy.
    pub strategy: &'static str,
}

/// Points of the initial design cost next to nothing.
const DESIGN: &str = "initial = 20000";
const CERTIFIED: &str = "initial = 6\ngap = 0.05\nnode_limit = 20000";

impl Plan {
    fn new(kind: Kind, name: &str) -> Self {
        Self {
            kind,
            name: format!("{}::{name}", kind.name()),
            faults: Vec::new(),
            kills: 0,
            life: (0.003, 0.6),
            seats: 4,
            most: 1_000_000,
            clocks: false,
            by_hand: true,
            lease: 4.0,
            pause: (0, 20),
            strategy: DESIGN,
        }
    }

    fn kills(kind: Kind, kills: u64) -> Self {
        Self { kills, ..Self::new(kind, "kills") }
    }

    fn clocks(kind: Kind, most: u64) -> Self {
        // Evaluations take longer than a lease, so that the lease has to be renewed in time.
        let alone =
            Self { clocks: true, seats: 3, most, by_hand: false, pause: (3500, 4500), ..Self::new(kind, "clocks") };
        Self { lease: 3.0, ..alone }
    }

    fn clocks_and_kills(kind: Kind, kills: u64) -> Self {
        Self { clocks: true, kills, ..Self::new(kind, "clocks-kills") }
    }

    fn with(kind: Kind, name: &str, faults: &[Fault], kills: u64) -> Self {
        let slow = Self { seats: 3, life: (0.05, 20.0), pause: (0, 200), lease: 5.0, ..Self::new(kind, name) };
        Self { faults: faults.to_vec(), kills, ..slow }
    }

    fn certified(kind: Kind, kills: u64, most: u64) -> Self {
        let faults = vec![Fault::Storms { count: 3, longest: 1.0 }];
        let plan = Self { kills, most, faults, strategy: CERTIFIED, by_hand: false, ..Self::new(kind, "certified") };
        Self { seats: 2, life: (0.005, 1.5), ..plan }
    }

    /// Whether the store can always be reached, so that no command has an excuse.
    pub fn is_reachable(&self) -> bool {
        self.faults.is_empty()
    }

    pub fn fills_disks(&self) -> bool {
        self.faults.iter().any(|fault| matches!(fault, Fault::FullDisks { .. }))
    }
}

/// The short run: some minutes of both stores at once, every kind of fault, and a lock that outlasts every patience of a store.
pub fn small(kind: Kind) -> Vec<Plan> {
    let storms = [Fault::Storms { count: 4, longest: 2.0 }, Fault::LongStorm { seconds: 34.0 }];
    let mut plans = vec![Plan::kills(kind, 40), Plan::clocks(kind, 6), Plan::clocks_and_kills(kind, 8)];
    match kind {
        Kind::Sqlite => {
            // Nobody is killed: all have to outlast the lock.
            plans.push(Plan::with(kind, "storms", &storms, 0));
            plans.push(Plan::with(kind, "disks", &[Fault::FullDisks { count: 3 }], 2));
        }
        Kind::Postgres => {
            plans.push(Plan::with(kind, "storms", &[Fault::Storms { count: 4, longest: 4.0 }], 4));
            plans.push(Plan::with(kind, "restarts", &[Fault::Restarts { count: 3 }], 2));
            plans.push(Plan::with(kind, "network", &[Fault::RoughNetwork { spells: 2 }], 2));
            plans.push(Plan::with(kind, "disks", &[Fault::FullDisks { count: 2 }], 2));
        }
    }
    plans.push(Plan::certified(kind, 3, 14));
    plans
}

/// The committed run: on each store 500 kills and 100 storms of up to a minute, 20 full disks, 20 restarts.
pub fn full(kind: Kind) -> Vec<Plan> {
    let mut plans = Vec::new();
    for round in 0..8 {
        plans.push(Plan::kills(kind, 55));
        // In every other round nobody is killed: all have to outlast the storms.
        let kills = if round % 2 == 0 { 0 } else { 5 };
        plans.push(Plan::with(kind, "storms", &[Fault::Storms { count: 10, longest: 60.0 }], kills));
    }
    for _ in 0..3 {
        plans.push(Plan::clocks(kind, 12));
        plans.push(Plan::clocks_and_kills(kind, 20));
        plans.push(Plan::certified(kind, 6, 25));
    }
    for _ in 0..4 {
        plans.push(Plan::with(kind, "disks", &[Fault::FullDisks { count: 4 }], 3));
    }
    let (storms, disks) = (Fault::Storms { count: 10, longest: 10.0 }, Fault::FullDisks { count: 2 });
    match kind {
        Kind::Sqlite => {
            for _ in 0..2 {
                plans.push(Plan::with(kind, "everything", &[storms, disks], 10));
            }
        }
        Kind::Postgres => {
            let (restarts, network) = (Fault::Restarts { count: 3 }, Fault::RoughNetwork { spells: 4 });
            for _ in 0..4 {
                plans.push(Plan::with(kind, "restarts", &[Fault::Restarts { count: 4 }], 3));
                plans.push(Plan::with(kind, "network", &[network], 3));
            }
            for _ in 0..2 {
                plans.push(Plan::with(kind, "everything", &[storms, disks, restarts, network], 10));
            }
        }
    }
    plans
}
