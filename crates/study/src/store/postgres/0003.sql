-- What a trial was told is by name, as JSON. Before PostgreSQL 12 a server writes every digit of a number only if it is asked to.
SET LOCAL extra_float_digits = 3;
ALTER TABLE fathom_trial ALTER COLUMN value TYPE TEXT USING '{"value":' || value::text || '}';
ALTER TABLE fathom_trial RENAME COLUMN value TO told;
ALTER TABLE fathom_trial ADD CONSTRAINT fathom_trial_told CHECK (json_typeof(told::json) = 'object' AND told <> '{}');
