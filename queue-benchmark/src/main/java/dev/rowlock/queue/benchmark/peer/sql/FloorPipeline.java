package dev.rowlock.queue.benchmark.peer.sql;

import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Sql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that claims and calls the probe, and one that completes, on a connection each. */
final class FloorPipeline implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(FloorPipeline.class);

    /** As in the measurements of Rowlock's design. */
    private static final int BATCH = 200;

    /** Where nothing is ready, it looks again after this time. */
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final Key FRONT =
            new Key(Short.MIN_VALUE, OffsetDateTime.of(2000, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC), 0);

    /** Where a job stands in its queue. */
    private record Key(int rank, OffsetDateTime readyAt, long id) implements Comparable<Key> {

        private static final Comparator<Key> ORDER =
                Comparator.comparingInt(Key::rank).thenComparing(Key::readyAt).thenComparingLong(Key::id);

        @Override
        public int compareTo(Key other) {
            return ORDER.compare(this, other);
        }
    }

    private record Claims(long[] ids, long[] tokens) {}

    private final DataSource dataSource;
    private final boolean keepsDone;
    private final Probe probe;
    private final BlockingQueue<Claims> claimed = new ArrayBlockingQueue<>(2);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopping;
    private Key last = FRONT; // claimer's thread only

    FloorPipeline(DataSource dataSource, boolean keepsDone, Probe probe) {
        this.dataSource = dataSource;
        this.keepsDone = keepsDone;
        this.probe = probe;
    }

    void start() {
        threads.add(new Thread(() -> run(this::claim), "floor-claimer"));
        threads.add(new Thread(() -> run(this::complete), "floor-completer"));
        threads.forEach(Thread::start);
    }

    private void run(Sql.Call<Void> loop) {
        try {
            Sql.with(dataSource, connection -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute(FloorSql.PLAN);
                }
                return loop.on(connection);
            });
        } catch (RuntimeException e) {
            LOG.error("the floor has stopped", e);
        }
    }

    private Void claim(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FloorSql.CLAIM)) {
            while (!stopping) {
                statement.setString(1, "default");
                statement.setInt(2, last.rank);
                statement.setObject(3, last.readyAt);
                statement.setLong(4, last.id);
                statement.setInt(5, BATCH);
                int count = handOver(statement);
                if (count < BATCH) {
                    last = FRONT; // what landed before the cursor
                }
                if (count == 0) {
                    LockSupport.parkNanos(REST_NANOS);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    private int handOver(PreparedStatement statement) throws SQLException, InterruptedException {
        List<long[]> claims = new ArrayList<>(BATCH);
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                Key key = new Key(rows.getInt(3), rows.getObject(4, OffsetDateTime.class), rows.getLong(1));
                if (key.compareTo(last) > 0) {
                    last = key;
                }
                claims.add(new long[] {rows.getLong(1), rows.getLong(2)});
                probe.ran(Job.seq(rows.getString(7)));
            }
        }
        if (!claims.isEmpty()) {
            claimed.put(new Claims(
                    claims.stream().mapToLong(c -> c[0]).toArray(),
                    claims.stream().mapToLong(c -> c[1]).toArray()));
        }
        return claims.size();
    }

    private Void complete(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(keepsDone ? FloorSql.KEEP : FloorSql.FORGET)) {
            while (!stopping || !claimed.isEmpty()) {
                Claims claims = claimed.poll(10, TimeUnit.MILLISECONDS);
                if (claims != null) {
                    statement.setObject(1, claims.ids);
                    statement.setObject(2, claims.tokens);
                    statement.executeQuery().close();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return null;
    }

    @Override
    public void close() {
        stopping = true;
        for (Thread thread : threads) {
            try {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
