-- What was proven of a suggestion after it was handed out, as JSON. It comes late, so a finished trial takes it too; all else of
-- a finished trial stays as it is.
ALTER TABLE fathom_trial ADD COLUMN later TEXT CHECK (json_typeof(later::json) = 'object');
DROP TRIGGER fathom_trials_stay ON fathom_trial;
CREATE TRIGGER fathom_trials_stay BEFORE DELETE OR UPDATE OF
    study, number, state, point, told, message, suggestion, owner, lease, asked_at, finished_at, token ON fathom_trial
    FOR EACH ROW EXECUTE FUNCTION fathom_trials_stay();
