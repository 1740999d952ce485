-- Proves that the application's own migrations come first: Rowlock's tables are not there yet.
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = 'rowlock') THEN
        RAISE EXCEPTION 'the tables of Rowlock were made before those of the application';
    END IF;
END
$$;
CREATE TABLE product (id bigint PRIMARY KEY, name text NOT NULL);
