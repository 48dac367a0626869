-- What a trial was told is by name, as JSON. To change a column SQLite needs a new table.
CREATE TABLE trial_by_name (
    study       INTEGER NOT NULL REFERENCES study (key),
    number      INTEGER NOT NULL CHECK (number >= 1),
    state       TEXT NOT NULL CHECK (state IN ('pending', 'complete', 'failed')),
    point       TEXT NOT NULL,
    told        TEXT CHECK (json_valid(told) AND json_type(told) = 'object' AND told <> '{}'),
    message     TEXT,
    suggestion  TEXT NOT NULL,
    owner       TEXT,
    lease       REAL,
    asked_at    REAL NOT NULL,
    finished_at REAL,
    PRIMARY KEY (study, number),
    CHECK ((state = 'complete') = (told IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- fathom_told is ours: SQLite itself does not promise to write every digit of a number.
INSERT INTO trial_by_name
    (study, number, state, point, told, message, suggestion, owner, lease, asked_at, finished_at)
    SELECT study, number, state, point, fathom_told(value), message, suggestion, owner, lease, asked_at, finished_at
    FROM trial;
DROP TABLE trial;
ALTER TABLE trial_by_name RENAME TO trial;
CREATE TRIGGER finished_trials_stay BEFORE UPDATE ON trial WHEN OLD.state <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'a finished trial cannot be changed');
END;
CREATE TRIGGER trials_are_kept BEFORE DELETE ON trial
BEGIN
    SELECT RAISE(ABORT, 'a trial cannot be removed');
END;
CREATE INDEX pending_trials ON trial (study, number) WHERE state = 'pending';
