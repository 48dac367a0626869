-- By its token an adder whose connection broke knows whether the trials are there.
ALTER TABLE fathom_trial ADD COLUMN token TEXT;
-- Who waits looks for pending trials several times a second.
CREATE INDEX fathom_pending_trials ON fathom_trial (study, number) WHERE state = 'pending';
