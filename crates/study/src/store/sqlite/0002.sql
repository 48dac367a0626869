-- Who evaluates a trial, and until when it is theirs.
ALTER TABLE trial ADD COLUMN owner TEXT;
ALTER TABLE trial ADD COLUMN lease REAL;
-- A finished trial stays as it is, and none is ever removed.
CREATE TRIGGER finished_trials_stay BEFORE UPDATE ON trial WHEN OLD.state <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'a finished trial cannot be changed');
END;
CREATE TRIGGER trials_are_kept BEFORE DELETE ON trial
BEGIN
    SELECT RAISE(ABORT, 'a trial cannot be removed');
END;
