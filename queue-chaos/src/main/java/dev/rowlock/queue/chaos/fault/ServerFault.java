package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import java.time.Duration;
import java.util.Random;

/** Something that happens to the database server. */
enum ServerFault implements Fault {
    DATABASE_BLINKS {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().server().stopImmediately();
            arena.database().server().startAgain();
        }
    },
    DATABASE_AWAY {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().server().stopImmediately();
            last(PAST_LEASE);
            arena.database().server().startAgain();
        }
    },
    DATABASE_READ_ONLY {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            setting(arena, "ALTER SYSTEM SET default_transaction_read_only = on");
            last(PAST_LEASE);
            setting(arena, "ALTER SYSTEM RESET default_transaction_read_only");
        }

        private void setting(Arena arena, String statement) {
            arena.database().sql().sql(statement).update();
            arena.database().sql().sql("SELECT pg_reload_conf()").query().singleRow();
        }
    },
    /** Of the queue's tables; nothing happens where the machine allows no such disk. */
    DISK_FULL {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.database().disk().ifPresent(disk -> {
                disk.fill();
                if (random.nextBoolean()) {
                    // Its jobs cannot be moved before there is room: this kill is none to take the time of.
                    arena.busiest(worker).kill();
                }
                last(PAST_LEASE);
                disk.free();
            });
        }
    },
    BACKENDS_TERMINATED {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            for (int i = 0; i < 20; i++) {
                arena.database().sql().sql("""
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                             WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND application_name <> 'harness'
                             ORDER BY state = 'active' DESC, random() LIMIT 2
                            """).query().listOfRows();
                last(Duration.ofMillis(random.nextInt(200)));
            }
        }
    };
}
