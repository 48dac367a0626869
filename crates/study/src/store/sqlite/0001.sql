CREATE TABLE study (
    key  INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
) STRICT;
CREATE TABLE trial (
    study       INTEGER NOT NULL REFERENCES study (key),
    number      INTEGER NOT NULL CHECK (number >= 1),
    state       TEXT NOT NULL CHECK (state IN ('pending', 'complete', 'failed')),
    point       TEXT NOT NULL,
    value       REAL,
    message     TEXT,
    suggestion  TEXT NOT NULL,
    asked_at    REAL NOT NULL,
    finished_at REAL,
    PRIMARY KEY (study, number),
    CHECK ((state = 'complete') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;
