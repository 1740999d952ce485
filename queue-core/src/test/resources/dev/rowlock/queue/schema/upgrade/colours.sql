-- For tests only.
CREATE TABLE ${schema}.colour (name text NOT NULL PRIMARY KEY);
