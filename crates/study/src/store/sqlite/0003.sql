-- Who waits looks for pending trials several times a second.
CREATE INDEX pending_trials ON trial (study, number) WHERE state = 'pending';
