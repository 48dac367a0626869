-- What was proven of a suggestion after it was handed out, as JSON. It comes late, so a finished trial takes it too; all else of
-- a finished trial stays as it is.
ALTER TABLE trial ADD COLUMN later TEXT CHECK (json_valid(later) AND json_type(later) = 'object');
DROP TRIGGER finished_trials_stay;
CREATE TRIGGER finished_trials_stay BEFORE UPDATE OF
    study, number, state, point, told, message, suggestion, owner, lease, asked_at, finished_at
    ON trial WHEN OLD.state <> 'pending'
BEGIN
    SELECT RAISE(ABORT, 'a finished trial cannot be changed');
END;
