CREATE TABLE fathom_study (
    key  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
);
CREATE TABLE fathom_trial (
    study       BIGINT NOT NULL REFERENCES fathom_study (key),
    number      BIGINT NOT NULL CHECK (number >= 1),
    state       TEXT NOT NULL CHECK (state IN ('pending', 'complete', 'failed')),
    point       TEXT NOT NULL,
    value       DOUBLE PRECISION,
    message     TEXT,
    suggestion  TEXT NOT NULL,
    owner       TEXT,
    lease       DOUBLE PRECISION,
    asked_at    DOUBLE PRECISION NOT NULL,
    finished_at DOUBLE PRECISION,
    PRIMARY KEY (study, number),
    CHECK ((state = 'complete') = (value IS NOT NULL))
);
CREATE FUNCTION fathom_trials_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR OLD.state <> 'pending' THEN
        RAISE EXCEPTION 'a finished trial cannot be changed, and none be removed';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER fathom_trials_stay BEFORE UPDATE OR DELETE ON fathom_trial
    FOR EACH ROW EXECUTE FUNCTION fathom_trials_stay();
