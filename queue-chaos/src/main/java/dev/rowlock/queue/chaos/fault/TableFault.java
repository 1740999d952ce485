package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Something that happens to the tables, with the right of whoever owns them. */
enum TableFault implements Fault {
    /** All of done, or all of it that is still to come: what nobody prepared, or somebody archived too early. */
    PARTITIONS_GONE {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            String first = random.nextBoolean() ? "" : "done_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD') || '";
            patiently(arena, KEEP_ASIDE.formatted(first));
            last(PAST_LEASE);
        }
    },
    /** Of one type of job, in done: from now on, with one reason or another, until it is lifted the next time, or before the drain. */
    ROWS_REFUSED {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            String reason = REASONS.get(random.nextInt(REASONS.size()));
            patiently(arena, """
                    DROP TRIGGER IF EXISTS refuse ON rowlock.done;
                    CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        RAISE EXCEPTION 'refused, as somebody''s trigger may' USING ERRCODE = '%s';
                    END $$""".formatted(reason));
            if (random.nextInt(3) > 0) {
                patiently(arena, trigger("done"));
            }
            last(PAST_LEASE);
        }
    },
    /** Of one type of job, in each room that an attempt can lead to: for some seconds nothing can be written down. */
    ROWS_REFUSED_EVERYWHERE {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            List<String> rooms = List.of("done", "waiting", "dead");
            for (String room : rooms) {
                patiently(
                        arena,
                        "ALTER TABLE rowlock.%s ADD CONSTRAINT cursed CHECK (type <> 'cursed') NOT VALID"
                                .formatted(room));
            }
            last(PAST_LEASE);
            for (String room : rooms) {
                String lift = "ALTER TABLE rowlock.%s DROP CONSTRAINT IF EXISTS cursed".formatted(room);
                for (int i = 0; i < 10 && !patiently(arena, lift); i++) {
                    log.info("the rows of {} are still refused", room);
                }
            }
        }
    };

    /** What is in them has happened: the checker wants to see it. */
    private static final String KEEP_ASIDE = """
            DO $$
            DECLARE
                partition text;
                kept text;
            BEGIN
                FOR partition IN
                    SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid
                     WHERE inhparent = 'rowlock.done'::regclass AND relname > '%s' ORDER BY relname
                LOOP
                    kept := 'kept_' || nextval('audit_seq');
                    EXECUTE format('ALTER TABLE rowlock.done DETACH PARTITION rowlock.%%I', partition);
                    EXECUTE format('ALTER TABLE rowlock.%%I SET SCHEMA public', partition);
                    EXECUTE format('ALTER INDEX IF EXISTS public.%%I RENAME TO %%I', partition || '_pkey', kept || '_pkey');
                    EXECUTE format('ALTER TABLE public.%%I RENAME TO %%I', partition, kept);
                END LOOP;
            END $$""";

    /** Raised by hand; of a value; of a check, as by a missing partition; of another row; not allowed; not possible. */
    private static final List<String> REASONS = List.of("P0001", "22P02", "23514", "23505", "42501", "0A000");

    private static final Logger log = LoggerFactory.getLogger(TableFault.class);

    @Override
    public boolean silences() {
        return false;
    }

    /** Lets the server take all rows again: what it refuses for ever, no node can write down. */
    static void lift(Arena arena) {
        for (int i = 0; i < 10 && !patiently(arena, "DROP TRIGGER IF EXISTS refuse ON rowlock.done"); i++) {
            log.info("rows are still refused");
        }
    }

    private static String trigger(String room) {
        return "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.%s FOR EACH ROW WHEN (NEW.type = 'cursed') EXECUTE FUNCTION refuse()"
                .formatted(room);
    }

    /** Gives way to who is at work, several times; false if it did not get its turn at all, or the database is away. */
    private static boolean patiently(Arena arena, String statements) {
        for (int attempt = 1; attempt <= 5; attempt++) {
            long asked = System.nanoTime();
            try {
                once(arena, statements, attempt < 5 ? "500ms" : "10s");
                return true;
            } catch (DataAccessException | SQLException e) {
                Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
                log.info("not yet: {}", cause.getMessage());
                if (cause instanceof SocketTimeoutException) {
                    // The server's own timeouts would have ended a wait for a lock.
                    arena.restart(asked);
                }
            }
        }
        return false;
    }

    /** On a connection of its own, since another fault may still be breaking those that there are. */
    private static void once(Arena arena, String statements, String lockTimeout) throws SQLException {
        SingleConnectionDataSource connection = new SingleConnectionDataSource(
                arena.database().dataSource("harness").getConnection(), true);
        try {
            JdbcClient one = JdbcClient.create(connection);
            one.sql("SELECT set_config('lock_timeout', ?, false)")
                    .param(lockTimeout)
                    .query()
                    .singleValue();
            one.sql(statements).update();
        } finally {
            connection.destroy();
        }
    }
}
