package dev.rowlock.queue.internal.lease;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Numbering;
import dev.rowlock.queue.internal.db.OwnTransactions;
import dev.rowlock.queue.internal.db.ReadyJobs;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.ClockWatch;
import dev.rowlock.queue.internal.thread.Failing;
import dev.rowlock.queue.internal.thread.Signal;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.support.JdbcUtils;

/**
 * Keeps this node's row alive: registers, beats, registers anew after another node has declared it dead. One thread,
 * one connection of its own.
 */
public final class NodeLease implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(NodeLease.class);

    /** A server's clock that is off by less was not set, it is only being corrected, or the answer was long on its way. */
    private static final Duration STEP = Duration.ofSeconds(2);

    /** Tomorrow's partition is there before midnight; a chore makes further ones. */
    private static final int DAYS_AHEAD = 1;

    /** What the rest of the node must hear. Called on the lease's thread. */
    public interface Listener {

        /**
         * What keeps the node from doing its work, in words; null: nothing. A node that cannot write down what came of its jobs
         * must not keep them from others: it does not beat.
         */
        @Nullable
        String unable();

        /** The node was declared dead: everything that it held belongs to others. */
        void lost();

        /**
         * A heartbeat was answered.
         *
         * @param nextExpiry when the first of the other nodes' leases runs out unless it is renewed; null without others
         */
        void heard(BeatNode.Answer answer, @Nullable Duration nextExpiry);

        /** What the heartbeat answered has been heard, and the node may claim under this id. */
        void mayClaim(long nodeId);

        /** The tokens of the claims whose jobs the node cannot let go, though it stops. */
        long[] heldTokens();
    }

    private final LeaseSettings settings;
    private final Duration
            answerWithin; // a statement or a connection that hangs must be noticed well before the lease runs out
    private final NodeRow.Work work;
    private final DataSource direct;
    private final Listener listener;
    private final Wakeups wakeups;
    private final EnsureDonePartitions partitions;
    private final Numbering numbering;
    private final NodeRow nodeRow;
    private final BeatNode beat;
    private final ReleaseStrandedJobs release;
    private final OwnTransactions transactions = new OwnTransactions();
    private final OtherNodes others;
    private final ClockWatch clock = new ClockWatch();
    private final Signal signal = new Signal();

    private long row; // lease's thread only; the id of the node's row, 0: it has none
    private volatile long nodeId; // the same, once what its first heartbeat says has been heard, such as what is paused
    private final Failing failures = new Failing();
    private volatile long answeredSince = System.nanoTime(); // unless it is failing
    private volatile long answeredAt; // monotonic; 0: never
    private volatile boolean stopping;
    private @Nullable Connection connection; // lease's thread only

    public NodeLease(
            LeaseSettings settings,
            NodeRow.Work work,
            DataSource direct,
            Database database,
            Listener listener,
            Wakeups wakeups) {
        Schema schema = database.schema();
        this.settings = settings;
        this.answerWithin = settings.lease().dividedBy(4);
        this.work = work;
        this.direct = direct;
        this.listener = listener;
        this.wakeups = wakeups;
        this.partitions = new EnsureDonePartitions(database);
        this.numbering = database.numbering();
        this.nodeRow = new NodeRow(schema);
        this.beat = new BeatNode(schema);
        this.release = new ReleaseStrandedJobs(database);
        this.others = new OtherNodes(settings.heartbeat());
    }

    /** This node's id; 0 while it has none, or may not claim yet. */
    public long nodeId() {
        return nodeId;
    }

    /** Whether the last heartbeat failed. */
    public boolean failing() {
        return failures.now();
    }

    /** How long ago a heartbeat was last answered; null: none has been. */
    @Nullable
    public Duration sinceBeat() {
        long at = answeredAt;
        return at == 0 ? null : Duration.ofNanos(System.nanoTime() - at);
    }

    /** Whether all heartbeats of so long were answered. */
    public boolean answeredFor(Duration time) {
        return !failures.now() && System.nanoTime() - answeredSince >= time.toNanos();
    }

    /** The other nodes that have not beaten for their whole lease, while this one has. */
    public List<BeatNode.Heartbeat> silentNodes() {
        return others.silent(System.nanoTime());
    }

    /** When the first of the other nodes' leases runs out unless it is renewed; null without others. */
    @Nullable
    public Duration nextExpiry() {
        return others.nextExpiry(System.nanoTime());
    }

    /** Beats after this time at the latest: there is something to hear. */
    public void attention(Duration pause) {
        if (pause.isZero()) {
            signal.raise();
        } else {
            signal.raiseIn(pause);
        }
    }

    /** Lets the thread remove the row and end. */
    public void stop() {
        stopping = true;
        signal.raise();
    }

    @Override
    public void run() {
        while (!stopping) {
            Duration rest;
            long begun = System.nanoTime();
            try {
                runOnce();
                noteRecovery();
                rest = restAfter(Duration.ofNanos(System.nanoTime() - begun));
            } catch (SQLException | RuntimeException | Error e) {
                noteFailure(e);
                rest = retryWait();
            }
            Thread.interrupted(); // left behind by somebody's code: it would cut each rest short
            try {
                signal.await(rest);
            } catch (InterruptedException e) {
                log.debug("interrupted; checking for the stop", e);
            }
        }
        leave();
    }

    /** Registers if the node has no row, beats otherwise. */
    public void runOnce() throws SQLException {
        String unable = listener.unable();
        if (unable != null) {
            throw new IllegalStateException(
                    "this node does not beat, so that others take its jobs: %s".formatted(unable));
        }
        boolean isNew = row == 0;
        if (isNew) {
            // Each by itself: numbers that were skipped, and days that were made, stay so if what follows fails.
            briefly(connection(), this::checkNumbers);
            briefly(connection(), this::makeDays);
            row = briefly(connection(), this::register);
            others.begin();
            log.info(
                    "node {} ('{}') registered, lease {}, heartbeat {}",
                    row,
                    settings.nodeName(),
                    DurationText.of(settings.lease()),
                    DurationText.of(settings.heartbeat()));
        }
        BeatNode.Answer answer = briefly(connection(), this::beat);
        tellOfStep(clock.steppedBy(answer.now(), System.nanoTime()));
        if (answer.alive()) {
            listener.heard(answer, others.looked(System.nanoTime(), answer.others()));
            nodeId = row;
            listener.mayClaim(row);
            if (isNew && longerThanOwn(answer.others())) {
                wakeups.attention(); // they do not know yet how often they must look after this node
            }
            return;
        }
        log.warn(
                "node {} ('{}') was declared dead by another node, and its jobs were taken: interrupting its handlers and registering anew",
                row,
                settings.nodeName());
        row = 0;
        nodeId = 0;
        listener.lost();
        signal.raise();
    }

    private boolean checkNumbers(Connection own) throws SQLException {
        numbering.checkNow(own);
        return true;
    }

    /** Before anything can be claimed whose outcome needs one. */
    private boolean makeDays(Connection own) throws SQLException {
        partitions.run(own, DAYS_AHEAD);
        return true;
    }

    private long register(Connection own) throws SQLException {
        numbering.checkNow(own);
        return nodeRow.register(own, settings.nodeName(), work, settings.lease());
    }

    private BeatNode.Answer beat(Connection own) throws SQLException {
        numbering.checkNow(own); // each time: a pooler may have put another server behind the connection
        return beat.run(own, row);
    }

    private boolean longerThanOwn(List<BeatNode.Heartbeat> heartbeats) {
        return heartbeats.stream().anyMatch(other -> other.lease().compareTo(settings.lease()) > 0);
    }

    /** For whoever wonders why jobs are early or late. Whatever it matters to looks at the clock by itself. */
    private static void tellOfStep(Duration step) {
        if (step.abs().compareTo(STEP) > 0) {
            log.warn(
                    "the database's clock moved by {} against this process's: it was set, another server took over, or this machine slept. No lease and no deadline depends on it; due times do",
                    DurationText.of(step));
        }
    }

    private Connection connection() throws SQLException {
        if (connection == null) {
            // Known at once, so that it is closed if it cannot be configured.
            connection = direct.getConnection();
            connection.setAutoCommit(true);
            connection.setNetworkTimeout(
                    Runnable::run, (int) TimeLimit.patience(answerWithin).toMillis());
        }
        return connection;
    }

    private <T> T briefly(Connection open, Database.Call<T> call) throws SQLException {
        return transactions.several(open, answerWithin, call);
    }

    private void noteFailure(Throwable e) {
        close();
        if (failures.failed()) {
            log.warn(
                    "node {} ('{}'): heartbeat failed; will retry, and the node keeps its jobs until another node declares it dead",
                    row,
                    settings.nodeName(),
                    e);
        }
    }

    private void noteRecovery() {
        answeredAt = System.nanoTime();
        if (failures.now()) {
            answeredSince = System.nanoTime();
            failures.worked();
            log.info("node {} ('{}'): heartbeat works again", row, settings.nodeName());
        }
    }

    /** A beat that takes long must not make the next one late: then this node could not watch the others. */
    private Duration restAfter(Duration took) {
        Duration interval = others.untilNextLook();
        Duration rest = interval.minus(took);
        Duration shortest = interval.dividedBy(5);
        return rest.compareTo(shortest) > 0 ? rest : shortest;
    }

    private Duration retryWait() {
        Duration quick = settings.heartbeat().dividedBy(5);
        return Signal.jittered(quick.compareTo(Duration.ofMillis(50)) < 0 ? Duration.ofMillis(50) : quick);
    }

    private void leave() {
        try {
            if (row != 0) {
                twice(this::giveBackStranded, "could not give back what it claimed without knowing it");
                twice(this::removeRow, "could not remove its row; it expires by itself");
            }
        } finally {
            row = 0;
            nodeId = 0;
            close();
        }
    }

    /** A connection that was cut shows it only when it is used; the next one may be sound. */
    private void twice(LastStep step, String otherwise) {
        try {
            step.run();
        } catch (SQLException e) {
            close();
            try {
                step.run();
            } catch (SQLException again) {
                close();
                again.addSuppressed(e);
                log.warn("node {} {}", row, otherwise, again);
            }
        }
    }

    @FunctionalInterface
    private interface LastStep {
        void run() throws SQLException;
    }

    /** Claims whose answers were lost lately: once the row is gone, they would look like those of a crash. */
    private void giveBackStranded() throws SQLException {
        List<ReadyJobs> released;
        do {
            released = briefly(connection(), c -> release.all(c, row, listener.heldTokens()));
            released.forEach(jobs -> jobs.wakeBack(wakeups));
        } while (!released.isEmpty());
    }

    private void removeRow() throws SQLException {
        briefly(connection(), c -> {
            nodeRow.remove(c, row);
            return row;
        });
    }

    private void close() {
        JdbcUtils.closeConnection(connection);
        connection = null;
    }
}
