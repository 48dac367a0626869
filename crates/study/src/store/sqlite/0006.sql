-- What people changed about trials afterwards, numbered within a study. Rows of `trial` stay as they were told; whoever reads a
-- trial applies its history. No entry is ever changed or removed.
CREATE TABLE change (
    study   INTEGER NOT NULL,
    number  INTEGER NOT NULL CHECK (number >= 1),
    trial   INTEGER NOT NULL,
    made_at REAL NOT NULL,
    by      TEXT,
    edit    TEXT NOT NULL CHECK (json_valid(edit)),
    PRIMARY KEY (study, number),
    FOREIGN KEY (study, trial) REFERENCES trial (study, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX changes_of_trials ON change (study, trial, number);
CREATE TRIGGER changes_stay BEFORE UPDATE ON change
BEGIN
    SELECT RAISE(ABORT, 'an entry of the history cannot be changed');
END;
CREATE TRIGGER changes_are_kept BEFORE DELETE ON change
BEGIN
    SELECT RAISE(ABORT, 'an entry of the history cannot be removed');
END;
-- What the history says of trials that do not count, for those who count trials without reading them.
ALTER TABLE trial ADD COLUMN set_aside TEXT CHECK (set_aside IN ('cancelled', 'withdrawn'));
CREATE INDEX cancelled_trials ON trial (study) WHERE set_aside = 'cancelled';
