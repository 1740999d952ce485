-- What one node has measured of the database for all nodes, which export it as meters.
SET LOCAL lock_timeout = '50ms';

CREATE TABLE ${schema}.figure (
    name        text             COLLATE "C" NOT NULL,
    detail      text             COLLATE "C" NOT NULL,
    value       double precision NOT NULL,
    measured_at timestamptz      NOT NULL,
    PRIMARY KEY (name, detail)
);

COMMENT ON TABLE ${schema}.figure IS 'The last measurement of the database: what holds back vacuum, dead rows, sizes.';
COMMENT ON COLUMN ${schema}.figure.name IS 'What was measured; the meter rowlock.database.<name> exports it.';
COMMENT ON COLUMN ${schema}.figure.detail IS 'Of which table, or by which holder; empty: there is only one.';
COMMENT ON COLUMN ${schema}.figure.value IS 'In the unit of the meter.';
COMMENT ON COLUMN ${schema}.figure.measured_at IS 'When.';
