-- For tests only.
INSERT INTO ${schema}.colour VALUES ('red');
