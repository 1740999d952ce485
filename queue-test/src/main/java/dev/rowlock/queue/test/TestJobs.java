package dev.rowlock.queue.test;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.ManualNode;
import dev.rowlock.queue.spi.ManualNode.Attempt;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.assertj.core.api.AssertProvider;

/**
 * The jobs of a test: runs them, moves time on for them, and says what there is, as in {@code assertThat(jobs).hasEnqueued(…)} with AssertJ's own
 * {@code assertThat}. A bean in tests with {@link RowlockTest} or {@link AutoConfigureRowlock}. For the test's thread.
 *
 * <p>It speaks of jobs that were enqueued since the test method began, before-methods included; {@link #drain()}, {@link #advance} and {@link
 * #awaitIdle()} are about all jobs of the database. So give test runs that go on side by side a database each.
 */
public final class TestJobs implements AssertProvider<TestJobsAssert> {

    private static final int MOST = 1_000;

    /** How many of the last attempts an endless drain names. */
    private static final int NAMED = 100;

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(20);

    private final Rowlock rowlock;
    private final PayloadCodec codec;
    private final TestTransaction transaction;
    private final TestJobRows rows;
    private long before; // the last job from before the test

    TestJobs(Rowlock rowlock, PayloadCodec codec, TestTransaction transaction) {
        this.rowlock = rowlock;
        this.codec = codec;
        this.transaction = transaction;
        this.rows = new TestJobRows(rowlock);
    }

    /** A test method begins. */
    void begin() {
        before = rows.last();
    }

    /** The jobs that were enqueued since the test method began, in their order, wherever they are now. */
    public List<TestJob> all() {
        return rows.after(before);
    }

    /**
     * Runs all that is due and has a listener here, one job after the other on this thread, until nothing is: also what these jobs enqueue, and
     * steps of workflows that become free. Waiting for later is no reason to run: see {@link #advance}. Claims, payloads, interceptors, retry
     * policies, checkpoints, results, limits, rates, pauses and unique keys are those of production; admission policies and bulk actions are left
     * out, and a listener of chunks is called with one job at a time.
     *
     * <p><b>In a transaction</b> (of {@link RowlockTest}, or a {@code @Transactional} test) everything is part of that transaction and is never
     * committed. Each attempt stands behind a savepoint: where it fails, what the listener wrote is rolled back to there, or to its last
     * checkpoint, and the failure is recorded. Other threads, other connections and {@code REQUIRES_NEW} see none of it. Persistence contexts of JPA are
     * flushed before and after each attempt, and cleared after one that fails. What fires after a commit does not fire.
     *
     * <p><b>Without a transaction</b> each job commits as in production.
     *
     * @throws IllegalStateException if there are more than 1,000 attempts, or if Rowlock runs jobs by itself
     */
    public DrainResult drain() {
        return drain(MOST);
    }

    /** The same with another bound. */
    public DrainResult drain(int most) {
        List<Attempt> attempts = new ArrayList<>();
        return transaction.surviving(() -> {
            try (ManualNode node = rowlock.manualNode()) {
                for (Optional<Attempt> next = run(node); next.isPresent(); next = run(node)) {
                    attempts.add(next.get());
                    if (attempts.size() > most) {
                        throw new IllegalStateException(endless(attempts, most));
                    }
                }
            }
            return new DrainResult(attempts);
        });
    }

    private Optional<Attempt> run(ManualNode node) {
        transaction.flush();
        Optional<Attempt> attempt = node.runNext();
        attempt.ifPresent(this::settlePersistenceContexts);
        return attempt;
    }

    private void settlePersistenceContexts(Attempt attempt) {
        if (!DrainResult.completed(attempt)) {
            transaction.clear();
            return;
        }
        try {
            transaction.flush();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "what %s left in a persistence context cannot be written; in production its transaction would fail"
                            .formatted(attempt.job()),
                    e);
        }
    }

    private static String endless(List<Attempt> attempts, int most) {
        List<Attempt> last = attempts.subList(Math.max(0, attempts.size() - NAMED), attempts.size());
        return "drain() made %d attempts and more jobs are due; of the last %d, these kept coming: %s. If that is what the test is about, give drain a higher bound"
                .formatted(
                        most,
                        last.size(),
                        last.stream()
                                .collect(Collectors.groupingBy(
                                        attempt -> attempt.job().type(), Collectors.counting()))
                                .entrySet()
                                .stream()
                                .sorted(Map.Entry.<String, Long>comparingByValue()
                                        .reversed())
                                .map(type -> type.getKey() + " (" + type.getValue() + ")")
                                .collect(Collectors.joining(", ")));
    }

    /**
     * Moves time on for jobs: all that waits for a time becomes due so much sooner, by moving it in the database, in the test's transaction if
     * there is one. So delays, retries and snoozes come due, recurring jobs have their runs, limits by rate and unique keys that hold for a time
     * become free, and jobs are that much older. The clocks of database and JVM stay as they are. Nothing runs by it: call {@link #drain()}.
     *
     * <p>It is as if nothing had run for that time. A recurring job therefore has the runs that its missed-runs rule says, by default one; its next
     * run is reckoned from the real time again. To have each run, move on to it, drain, and move on again.
     *
     * @throws IllegalStateException if Rowlock runs jobs by itself
     */
    public void advance(Duration time) {
        transaction.flush();
        try (ManualNode node = rowlock.manualNode()) {
            node.advance(time);
        }
    }

    /** As {@link #awaitIdle(Duration)} for 30 seconds. */
    public void awaitIdle() {
        awaitIdle(LONGEST);
    }

    /**
     * Waits in {@link AutoConfigureRowlock.Mode#BACKGROUND} until no job is ready, runs, or is due within two seconds, and no workflow goes on. Jobs
     * that wait for later than that, and dead ones, do not count.
     *
     * @throws AssertionError if that takes longer than this; names what is still there
     * @throws IllegalStateException in a transaction, of which nobody else sees the jobs
     */
    public void awaitIdle(Duration longest) {
        if (transaction.active()) {
            throw new IllegalStateException(
                    "awaitIdle() in a transaction: its jobs run once it has committed. Run this test without one, as @Transactional(propagation = NOT_SUPPORTED)");
        }
        long end = System.nanoTime() + longest.toNanos();
        List<String> busy = rows.busy();
        while (!busy.isEmpty()) {
            if (end - System.nanoTime() <= 0) {
                throw new AssertionError(
                        busy.stream().collect(Collectors.joining("\n  ", "not idle after " + longest + ":\n  ", "")));
            }
            LockSupport.parkNanos(LOOK.toNanos());
            busy = rows.busy();
        }
    }

    /** For AssertJ's {@code assertThat(jobs)}. */
    @Override
    public TestJobsAssert assertThat() {
        return new TestJobsAssert(this, codec);
    }

    @Override
    public String toString() {
        return all().stream().map(TestJob::toString).collect(Collectors.joining("\n  ", "the test's jobs\n  ", ""));
    }
}
