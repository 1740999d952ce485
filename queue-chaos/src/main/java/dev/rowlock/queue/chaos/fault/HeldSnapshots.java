package dev.rowlock.queue.chaos.fault;

import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.history.History.Held;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Somebody's transactions that hold back vacuum, one after the other, each through several faults. They are no {@link Fault}: those strike one after the other, and
 * what they do is an excuse for whoever is late. A held snapshot is none, so it excuses nothing. Where a fault ends one, the same begins anew at once.
 * A thread of its own.
 */
public final class HeldSnapshots implements AutoCloseable {

    /** The name of their connections. */
    static final String NAME = "holds a snapshot";

    private static final Duration SHORTEST = Duration.ofSeconds(25);
    private static final Duration LONGEST = Duration.ofSeconds(75);

    /** In between: long enough for vacuum, which comes at most once a minute, to come now and then. */
    private static final Duration PAUSE = Duration.ofSeconds(8);

    private static final Duration EACH_LOOK = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(HeldSnapshots.class);

    private static final String LOOK = """
            SELECT (SELECT max(held.age)::bigint
                      FROM (SELECT greatest(age(backend_xmin), age(backend_xid)) AS age FROM pg_stat_activity
                             WHERE application_name = :name AND state = 'idle in transaction'
                             UNION ALL
                            SELECT age(transaction) FROM pg_prepared_xacts WHERE gid = :gid) AS held) AS transactions,
                   (SELECT coalesce(sum(n_dead_tup), 0) FROM pg_stat_user_tables WHERE schemaname = 'rowlock') AS dead
            """;

    private final Database database;
    private final Random random;
    private final Queue<Held> held = new ConcurrentLinkedQueue<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "held-snapshots");

    public HeldSnapshots(Database database, Random random) {
        this.database = database;
        this.random = random;
    }

    public HeldSnapshots start() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    /** All that have ended. */
    public List<Held> held() {
        return List.copyOf(held);
    }

    /** Ends the one that is held, if there is one. The database must answer. */
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(60_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        List<Holder> deck = new ArrayList<>();
        while (!stops(Duration.ZERO)) {
            if (deck.isEmpty()) {
                Collections.addAll(deck, Holder.values());
                Collections.shuffle(deck, random);
            }
            Holder holder = deck.remove(0);
            long millis = SHORTEST.toMillis()
                    + random.nextInt((int) LONGEST.minus(SHORTEST).toMillis());
            log.info("{} for {} ms", holder, millis);
            hold(holder, Duration.ofMillis(millis));
            stops(PAUSE);
        }
    }

    /** For this time in all, however often others end it. */
    void hold(Holder holder, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - end < 0 && !stops(Duration.ZERO)) {
            try (Connection connection = database.dataSource(NAME).getConnection()) {
                forget();
                long from = System.nanoTime();
                holder.begin(connection);
                if (holder.outlivesItsConnection()) {
                    connection.close();
                }
                watch(holder, from, end);
            } catch (SQLException | DataAccessException e) {
                log.info("{} does not begin, or not end, for now: {}", holder, e.getMessage());
                stops(EACH_LOOK);
            } finally {
                forget();
            }
        }
    }

    /** Until its time is over, or somebody has ended it; counts only for as long as the server has said that it is there. */
    private void watch(Holder holder, long from, long end) {
        long seen = from;
        long transactions = 0;
        long dead = 0;
        boolean cut;
        do {
            Seen now = look();
            Long begun = now == null ? null : now.transactions();
            if (now != null && begun != null) {
                seen = System.nanoTime();
                transactions = Math.max(transactions, begun);
                dead = Math.max(dead, now.dead());
            }
            cut = now != null && begun == null;
        } while (!cut && !stops(EACH_LOOK) && System.nanoTime() - end < 0);
        held.add(new Held(holder.name(), from, seen, cut, transactions, dead));
    }

    /** @param transactions that have begun since; null: nothing is held */
    private record Seen(@Nullable Long transactions, long dead) {}

    /** Null: the database does not answer. */
    private @Nullable Seen look() {
        try {
            return JdbcClient.create(database.dataSource("harness"))
                    .sql(LOOK)
                    .param("name", NAME)
                    .param("gid", Holder.GID)
                    .query((row, n) -> new Seen(row.getObject("transactions", Long.class), row.getLong("dead")))
                    .single();
        } catch (DataAccessException e) {
            return null;
        }
    }

    /** Nothing stays prepared, or nobody could stop the server in good order, nor vacuum anything. */
    private void forget() {
        try {
            if (database.sql()
                            .sql("SELECT count(*) FROM pg_prepared_xacts WHERE gid = ?")
                            .param(Holder.GID)
                            .query(Long.class)
                            .single()
                    > 0) {
                database.sql().sql(Holder.FORGET).update();
            }
        } catch (DataAccessException e) {
            log.info("what is prepared stays for now: {}", e.getMessage());
        }
    }

    /** Whether it is to end; waits so long for that. */
    private boolean stops(Duration within) {
        try {
            return stopped.await(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
