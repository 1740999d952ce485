package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Keys in order go on without their failed jobs once somebody skips them; on two nodes that poll each ten minutes. */
@PostgresTest(migrated = true)
class SkippedFailuresTest {

    record Book(int number, String act) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<Integer> done = new CopyOnWriteArrayList<>();
    private final Set<Integer> repaired = ConcurrentHashMap.newKeySet();
    private final TestDatabase database;
    private final TransactionTemplate transaction;
    private final Rowlock operator;

    SkippedFailuresTest(TestDatabase database) {
        Rooms.emptyIn(database);
        this.database = database;
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
        operator = node();
        operator.limits().set(QueueLimit.of("default").inOrder(AfterFailure.HOLD));
    }

    private Rowlock node() {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(4)
                        .withFetch(new FetchSettings(Duration.ofMinutes(10), Duration.ofMillis(250), 100)))
                .listener(Book.class, (book, job) -> book(book)));
    }

    private void book(Book book) {
        if (!repaired.contains(book.number())) {
            switch (book.act()) {
                case "fails" -> throw new DoNotRetryException("no such account");
                case "snoozes" -> throw new SnoozeException(Duration.ofHours(1));
                default -> {}
            }
        }
        done.add(book.number());
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void theKeyGoesOnAtOnceAndTheFailedJobStays() {
        long failed = enqueue(0, "fails");
        long next = enqueue(1, "completes");
        start();
        await().until(() -> state(failed) == JobState.DEAD);
        assertThat(kinds(next)).contains(Kind.KEY_HELD);

        assertThat(operator.limits().by("ann", "known error").skip("default", "a"))
                .isEqualTo(1);

        await().until(() -> done.equals(List.of(1)));
        JobDetails job = operator.search().find(failed).orElseThrow();
        assertThat(job.state()).isEqualTo(JobState.DEAD);
        assertThat(job.payload()).contains("fails");
        assertThat(job.errors()).singleElement().asString().contains("no such account");
        assertThat(operator.search().explain(failed).orElseThrow().reasons())
                .singleElement()
                .asString()
                .contains("no such account; it was skipped, and does not hold up its key.");
        assertThat(operator.admin().audit(null, 10))
                .filteredOn(line -> line.action().equals("skip"))
                .singleElement()
                .satisfies(line -> {
                    assertThat(line.who()).isEqualTo("ann");
                    assertThat(line.why()).isEqualTo("known error");
                    assertThat(line.subject()).isEqualTo("queue default");
                    assertThat(line.detail()).isEqualTo("key a");
                    assertThat(line.jobs()).isEqualTo(1);
                });
    }

    /** Before the commit, so that no node has begun the next job. */
    @Test
    void nothingNamesASkippedJobAsWhatHoldsUpItsKey() {
        long failed = enqueue(0, "fails");
        long next = enqueue(1, "completes");
        start();
        await().until(() -> state(failed) == JobState.DEAD);
        assertThat(operator.limits().blockedKeys("default", 10))
                .extracting(BlockedKey::jobId)
                .containsExactly(failed);
        assertThat(kinds(next)).contains(Kind.KEY_HELD);

        transaction.executeWithoutResult(status -> {
            operator.limits().skip("default", "a");

            assertThat(operator.limits().blockedKeys("default", 10)).isEmpty();
            assertThat(kinds(next)).containsExactly(Kind.NEXT);
        });
    }

    @Test
    void aSkippedJobThatIsRedrivenRunsAndHoldsUpItsKeyAgainWhenItDies() {
        long failed = enqueue(0, "fails");
        start();
        await().until(() -> state(failed) == JobState.DEAD);
        operator.limits().skip("default", "a");
        enqueue(1, "completes");
        await().until(() -> done.equals(List.of(1)));

        operator.admin().redrive(failed);
        await().until(() -> operator.limits().blockedKeys("default", 10).size() == 1 && state(failed) == JobState.DEAD);
        long next = enqueue(2, "completes");
        assertThat(kinds(next)).contains(Kind.KEY_HELD);
        repaired.add(0);
        operator.admin().redrive(failed);

        await().until(() -> done.equals(List.of(1, 0, 2)));
    }

    @Test
    void aJobThatDiesLaterHoldsUpTheKeyAgain() {
        long first = enqueue(0, "fails");
        long second = enqueue(1, "fails");
        enqueue(2, "completes");
        start();
        await().until(() -> state(first) == JobState.DEAD);

        operator.limits().skip("default", "a");
        await().until(() -> state(second) == JobState.DEAD);

        assertThat(operator.limits().blockedKeys("default", 10))
                .extracting(BlockedKey::jobId)
                .containsExactly(second);
        assertThat(operator.limits().skip("default", "a")).isEqualTo(1);
        await().until(() -> done.equals(List.of(2)));
    }

    @Test
    void theKeyStaysHeldWhereTheCallersTransactionRollsBackAndGoesOnAtItsCommit() {
        long failed = enqueue(0, "fails");
        enqueue(1, "completes");
        start();
        await().until(() -> state(failed) == JobState.DEAD);

        transaction.executeWithoutResult(status -> {
            assertThat(operator.limits().skip("default", "a")).isEqualTo(1);
            status.setRollbackOnly();
        });

        assertThat(operator.limits().blockedKeys("default", 10)).hasSize(1);
        assertThat(operator.admin().audit(null, 10))
                .extracting(AuditEntry::action)
                .doesNotContain("skip");
        transaction.executeWithoutResult(status -> operator.limits().skip("default", "a"));
        await().until(() -> done.equals(List.of(1)));
    }

    @Test
    void aJobThatWaitsForItsNextAttemptIsNotSkipped() {
        long snoozes = enqueue(0, "snoozes");
        enqueue(1, "completes");
        start();
        await().until(() -> state(snoozes) == JobState.WAITING);

        assertThat(operator.limits().skip("default", "a")).isZero();

        assertThat(operator.limits().blockedKeys("default", 10))
                .extracting(BlockedKey::jobId)
                .containsExactly(snoozes);
    }

    @Test
    void aKeyThatNoKeyCanBeIsRefused() {
        assertThatThrownBy(() -> operator.limits().skip("default", "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> operator.limits().skip("no queue", "a")).isInstanceOf(IllegalArgumentException.class);
    }

    private void start() {
        node().start();
        node().start();
    }

    private JobState state(long id) {
        return operator.search().find(id).orElseThrow().state();
    }

    private List<Kind> kinds(long id) {
        return operator.search().explain(id).orElseThrow().reasons().stream()
                .map(reason -> reason.kind())
                .toList();
    }

    private long enqueue(int number, String act) {
        return operator.jobs().enqueue(new Book(number, act), o -> o.key("a"));
    }
}
