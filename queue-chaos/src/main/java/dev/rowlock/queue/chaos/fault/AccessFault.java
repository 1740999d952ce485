package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import java.time.Duration;
import java.util.Random;

/** Something that happens to how applications reach the database. */
enum AccessFault implements Fault {
    /** As where passwords rotate: connections stay, the next ones need the new one. */
    PASSWORD_CHANGED {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().changePassword("secret-" + random.nextInt(1_000_000));
            last(Duration.ofMillis(random.nextInt(1_000)));
            disconnect(arena);
            last(PAST_LEASE);
        }
    },
    /** Somebody sets another default for the whole database. */
    ISOLATION_CHANGED {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database()
                    .sql()
                    .sql("ALTER DATABASE postgres SET default_transaction_isolation = '%s'"
                            .formatted(random.nextBoolean() ? "serializable" : "repeatable read"))
                    .update();
            disconnect(arena);
            last(PAST_LEASE);
            arena.database()
                    .sql()
                    .sql("ALTER DATABASE postgres RESET default_transaction_isolation")
                    .update();
            disconnect(arena);
        }
    };

    @Override
    public boolean silences() {
        return false;
    }

    private static void disconnect(Arena arena) {
        arena.database().sql().sql("""
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE backend_type = 'client backend' AND application_name <> 'harness'
                    """).query().listOfRows();
    }
}
