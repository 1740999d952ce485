package dev.rowlock.queue.chaos.fault;

import static dev.rowlock.queue.chaos.fault.Arena.PAST_LEASE;
import static dev.rowlock.queue.chaos.fault.Arena.last;

import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.proxy.Cut;
import java.time.Duration;
import java.util.Random;

/** Something that happens to nodes, networks and databases. Returns when it is over. */
public enum Fault {
    KILL_WORKER {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            arena.kill(arena.busiest(worker));
            if (random.nextBoolean()) {
                last(PAST_LEASE); // otherwise its successor is there before anybody noticed
            }
        }
    },
    FREEZE_WORKER {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            Worker busy = arena.busiest(worker);
            busy.freeze();
            last(PAST_LEASE);
            busy.thaw();
        }
    },
    TERMINATE_WORKER {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.terminate();
            worker.awaitExit(Duration.ofSeconds(20));
        }
    },
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
    },
    POOL_STALLS {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().stall();
            last(PAST_LEASE);
            worker.pool().heal();
        }
    },
    LEASE_STALLS {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.direct().stall();
            last(PAST_LEASE);
            worker.direct().heal();
        }
    },
    NETWORK_SLOW {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().delay(Duration.ofMillis(20 + random.nextInt(200)));
            worker.direct().delay(Duration.ofMillis(20 + random.nextInt(200)));
            last(Duration.ofSeconds(3));
            worker.pool().heal();
            worker.direct().heal();
        }
    },
    NETWORK_CUT {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().refuse();
            worker.direct().refuse();
            worker.pool().reset();
            worker.direct().reset();
            last(PAST_LEASE);
            worker.pool().heal();
            worker.direct().heal();
        }
    },
    CONNECTIONS_RESET {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            for (int i = 0; i < 5; i++) {
                worker.pool().reset();
                worker.direct().reset();
                last(Duration.ofMillis(random.nextInt(300)));
            }
        }
    },
    ANSWERS_LOST {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            // The text of a statement travels only until the driver has prepared it: begin with fresh connections.
            worker.pool()
                    .cut(text -> random.nextInt(4) == 0 && text.contains("FROM \"rowlock\".")
                            ? Cut.Verdict.BREAK_BEFORE_ANSWER
                            : Cut.Verdict.PASS);
            for (int i = 0; i < 5; i++) {
                worker.pool().reset();
                last(Duration.ofMillis(600));
            }
            worker.pool().heal();
        }
    },
    HALF_OPEN {
        @Override
        public void strike(Arena arena, Worker worker, Random random) {
            worker.pool().halfOpen();
            worker.direct().halfOpen();
        }
    };

    /** Does it to this worker, or to the database. */
    public abstract void strike(Arena arena, Worker worker, Random random);
}
