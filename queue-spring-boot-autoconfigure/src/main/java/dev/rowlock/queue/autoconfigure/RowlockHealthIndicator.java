package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.NodeStatus;
import java.sql.Connection;
import java.sql.SQLException;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the database answers and, where this application runs jobs, its node beats, can write outcomes, and has all its
 * threads; those that cannot go on it names. A node that does not hear notifications is healthy: it polls.
 */
final class RowlockHealthIndicator extends AbstractHealthIndicator {

    private static final int ANSWER_SECONDS = 5;

    private final Rowlock rowlock;
    private final boolean runsJobs;

    RowlockHealthIndicator(Rowlock rowlock, boolean runsJobs) {
        super("the job queue could not be checked");
        this.rowlock = rowlock;
        this.runsJobs = runsJobs;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        lookAtDatabase(health.withDetail("schema", rowlock.schema()));
        if (runsJobs) {
            describe(rowlock.status(), health);
        }
    }

    private void lookAtDatabase(Health.Builder health) {
        try (Connection connection = rowlock.dataSource().getConnection()) {
            boolean answers = connection.isValid(ANSWER_SECONDS);
            health.status(answers ? "UP" : "DOWN").withDetail("database", answers);
        } catch (SQLException e) {
            health.down(e).withDetail("database", false);
        }
    }

    private static void describe(NodeStatus status, Health.Builder health) {
        health.withDetail("state", status.state().name().toLowerCase(java.util.Locale.ROOT));
        if (status.state() == NodeStatus.State.STOPPED) {
            return;
        }
        if (!status.beats() || !status.records() || !status.broken().isEmpty()) {
            health.down();
        }
        health.withDetail("node", status.nodeId())
                .withDetail("beats", status.beats())
                .withDetail("records", status.records())
                .withDetail("notifications", status.hears())
                .withDetail("active", status.active())
                .withDetail("capacity", status.capacity())
                .withDetail("unwritten", status.unwritten())
                .withDetail("setAside", status.setAside());
        if (!status.broken().isEmpty()) {
            health.withDetail("broken", status.broken());
        }
    }
}
