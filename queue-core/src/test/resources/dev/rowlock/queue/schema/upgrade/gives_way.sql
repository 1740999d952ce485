-- For tests only.
SET LOCAL lock_timeout = '50ms';
ALTER TABLE ${schema}.ready ADD COLUMN colour text;
