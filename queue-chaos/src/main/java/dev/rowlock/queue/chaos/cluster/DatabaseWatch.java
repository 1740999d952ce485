package dev.rowlock.queue.chaos.cluster;

import dev.rowlock.queue.chaos.history.History.Pulse;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** Asks the database something small, several times a second, and notes when it answered quickly. */
public final class DatabaseWatch implements AutoCloseable {

    private static final Duration INTERVAL = Duration.ofMillis(250);

    private static final long QUICK = Duration.ofMillis(300).toNanos();

    /** Processes that want to run, for each processor: a run by itself has about two. */
    private static final double MOST_LOAD = 6;

    private final DataSource source;
    private final Queue<Pulse> pulses = new ConcurrentLinkedQueue<>();
    private final CountDownLatch stopped = new CountDownLatch(1);

    public DatabaseWatch(Database database) {
        this.source = database.dataSource("harness");
        Thread thread = new Thread(this::run, "database-watch");
        thread.setDaemon(true);
        thread.start();
    }

    public List<Pulse> pulses() {
        return List.copyOf(pulses);
    }

    @Override
    public void close() {
        stopped.countDown();
    }

    private void run() {
        try {
            while (!stopped.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                try (Connection connection = source.getConnection();
                        Statement statement = connection.createStatement()) {
                    watch(statement);
                } catch (SQLException e) {
                    // It does not answer: there is no pulse to note.
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Then everything takes its time, and nobody can say who kept whom waiting. */
    private static boolean overloaded() {
        OperatingSystemMXBean machine = ManagementFactory.getOperatingSystemMXBean();
        return machine.getSystemLoadAverage() > MOST_LOAD * machine.getAvailableProcessors();
    }

    private void watch(Statement statement) throws SQLException, InterruptedException {
        while (!stopped.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
            long asked = System.nanoTime();
            statement.execute("SELECT count(*) FROM rowlock.node");
            long answered = System.nanoTime();
            if (answered - asked < QUICK && !overloaded()) {
                pulses.add(new Pulse(Pulse.DATABASE, answered));
            }
        }
    }
}
