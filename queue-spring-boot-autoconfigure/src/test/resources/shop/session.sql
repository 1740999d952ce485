CREATE TABLE session (id text PRIMARY KEY);
