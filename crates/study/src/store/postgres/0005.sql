-- What people changed about trials afterwards, numbered within a study. Rows of fathom_trial stay as they were told; whoever reads a
-- trial applies its history. No entry is ever changed or removed. By its token an adder whose connection broke knows whether the
-- entry is there.
CREATE TABLE fathom_change (
    study   BIGINT NOT NULL,
    number  BIGINT NOT NULL CHECK (number >= 1),
    trial   BIGINT NOT NULL,
    made_at DOUBLE PRECISION NOT NULL,
    by      TEXT,
    edit    TEXT NOT NULL CHECK (edit::json IS NOT NULL),
    token   TEXT NOT NULL,
    PRIMARY KEY (study, number),
    FOREIGN KEY (study, trial) REFERENCES fathom_trial (study, number)
);
CREATE INDEX fathom_changes_of_trials ON fathom_change (study, trial, number);
CREATE FUNCTION fathom_changes_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'an entry of the history cannot be changed or removed';
END $$;
CREATE TRIGGER fathom_changes_stay BEFORE UPDATE OR DELETE ON fathom_change
    FOR EACH ROW EXECUTE FUNCTION fathom_changes_stay();
-- What the history says of trials that do not count, for those who count trials without reading them.
ALTER TABLE fathom_trial ADD COLUMN set_aside TEXT CHECK (set_aside IN ('cancelled', 'withdrawn'));
CREATE INDEX fathom_cancelled_trials ON fathom_trial (study) WHERE set_aside = 'cancelled';
