-- What three roles may do with the tables of Rowlock. Run this as the owner of the tables, once; again does no harm.
--   owner:   made the tables and upgrades them
--   runtime: runs nodes and enqueues jobs; makes and drops the daily partitions of done by functions of the owner's
--   reader:  reads the views job and failure; nothing else, no payloads
BEGIN;

GRANT USAGE ON SCHEMA ${schema} TO ${runtime}, ${reader};

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${runtime};
REVOKE INSERT, UPDATE, DELETE ON ${schema}.schema_history FROM ${runtime};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${schema} TO ${runtime};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO ${runtime};

-- Partitions of days to come, and what later versions bring.
ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${runtime};
ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${schema} GRANT USAGE, SELECT ON SEQUENCES TO ${runtime};
ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA ${schema} GRANT EXECUTE ON FUNCTIONS TO ${runtime};

GRANT SELECT ON ${schema}.job, ${schema}.failure TO ${reader};

COMMIT;
