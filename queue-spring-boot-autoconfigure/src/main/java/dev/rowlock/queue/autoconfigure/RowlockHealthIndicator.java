package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.NodeStatus.State;
import java.sql.Connection;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Where this application runs jobs: up unless its node has neither beaten nor written an outcome for a while, or threads of it cannot go on; those it
 * names. That is known, so no connection is asked for. Elsewhere: up while the database answers. A node that does not hear notifications is healthy:
 * it polls.
 */
final class RowlockHealthIndicator extends AbstractHealthIndicator {

    private static final int ANSWER_SECONDS = 5;

    private final Rowlock rowlock;
    private final boolean runsJobs;
    private final Duration patience;
    private @Nullable FutureTask<Boolean> look; // guarded by this; the last one

    /** @param patience a node may be unable to beat, or to write outcomes, for so long */
    RowlockHealthIndicator(Rowlock rowlock, boolean runsJobs, Duration patience) {
        super("the job queue could not be checked");
        this.rowlock = rowlock;
        this.runsJobs = runsJobs;
        this.patience = patience;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) throws InterruptedException {
        health.up().withDetail("schema", rowlock.schema());
        NodeStatus node = rowlock.status();
        if (runsJobs && node.state() != State.STOPPED) {
            describe(node, health);
            return;
        }
        lookAtDatabase(health);
        if (runsJobs) {
            health.withDetail("state", name(node.state()));
        }
    }

    /** Not on this thread: a pool may let whoever asks wait for as long as it likes. */
    private void lookAtDatabase(Health.Builder health) throws InterruptedException {
        boolean answers = false;
        try {
            answers = look().get(ANSWER_SECONDS, TimeUnit.SECONDS);
            health.status(answers ? "UP" : "DOWN");
        } catch (ExecutionException e) {
            health.down(Objects.requireNonNullElse(e.getCause(), e));
        } catch (TimeoutException e) {
            health.down().withDetail("error", "no connection and answer within %d s".formatted(ANSWER_SECONDS));
        }
        health.withDetail("database", answers);
    }

    /** One at a time, however many ask. */
    private synchronized FutureTask<Boolean> look() {
        FutureTask<Boolean> last = look;
        if (last == null || last.isDone()) {
            last = new FutureTask<>(() -> {
                try (Connection connection = rowlock.dataSource().getConnection()) {
                    return connection.isValid(ANSWER_SECONDS);
                }
            });
            look = last;
            Thread thread = new Thread(null, last, "rowlock-health", 0, false);
            thread.setDaemon(true);
            thread.start();
        }
        return last;
    }

    private void describe(NodeStatus node, Health.Builder health) {
        Duration silent = node.sinceBeat();
        boolean beats = node.beats() || silent != null && silent.compareTo(patience) <= 0;
        if (!beats || node.inVain().compareTo(patience) > 0 || !node.broken().isEmpty()) {
            health.down();
        }
        health.withDetail("database", beats)
                .withDetail("state", name(node.state()))
                .withDetail("node", node.nodeId())
                .withDetail("beats", node.beats())
                .withDetail("records", node.records())
                .withDetail("notifications", node.hears())
                .withDetail("active", node.active())
                .withDetail("capacity", node.capacity())
                .withDetail("unwritten", node.unwritten())
                .withDetail("setAside", node.setAside());
        if (!node.broken().isEmpty()) {
            health.withDetail("broken", node.broken());
        }
    }

    private static String name(State state) {
        return state.name().toLowerCase(Locale.ROOT);
    }
}
