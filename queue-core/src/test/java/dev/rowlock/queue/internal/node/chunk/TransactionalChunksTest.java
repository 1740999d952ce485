package dev.rowlock.queue.internal.node.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.spi.ChunkHandler;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chunks whose rows and "done" commit together. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class TransactionalChunksTest extends NodeTest {

    private static final Duration LONG = Duration.ofSeconds(10);

    private final Calls calls = new Calls();

    @BeforeEach
    void makeTable() {
        node.sql.sql("CREATE TABLE effect (name text, job bigint)").update();
    }

    private void runs(int batch, Duration linger, ChunkHandler handler) {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    jobs.forEach(this::write);
                    return handler.handle(jobs);
                },
                listener -> listener.batch(batch).linger(linger).transactional(true));
    }

    private void write(ChunkJob<Object> job) {
        node.sql
                .sql("INSERT INTO effect VALUES (?, ?)")
                .params(Calls.name(job), job.id())
                .update();
    }

    private List<String> effects() {
        return node.sql
                .sql("SELECT name FROM effect ORDER BY name")
                .query(String.class)
                .list();
    }

    @Test
    void allRowsAndAllDoneAreOfOneTransaction() {
        runs(5, LONG, jobs -> ChunkResult.ALL_COMPLETED);
        node.jobs.enqueueAll(Calls.people(5));

        node.start();

        node.awaitCount("done", 5);
        node.awaitEvents("completed", 5);
        assertThat(calls.sizes()).containsExactly(5);
        assertThat(node.sql
                        .sql(
                                "SELECT DISTINCT xmin::text FROM (SELECT xmin FROM effect UNION ALL SELECT xmin FROM rowlock.done) x")
                        .query(String.class)
                        .list())
                .hasSize(1);
    }

    @Test
    void aCallThatThrowsLeavesNothingBehindAndTheOthersAreWrittenOnce() {
        runs(8, LONG, jobs -> {
            if (jobs.stream().anyMatch(job -> Calls.name(job).equals("p005"))) {
                throw new DoNotRetryException("after the rows were written");
            }
            return ChunkResult.ALL_COMPLETED;
        });
        node.jobs.enqueueAll(Calls.people(8));

        node.start();

        node.awaitCount("done", 7);
        node.awaitCount("dead", 1);
        assertThat(effects()).containsExactly("p000", "p001", "p002", "p003", "p004", "p006", "p007");
        assertThat(node.sql
                        .sql("SELECT max(attempt) FROM rowlock.done")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void aRowThatTheDatabaseRefusesIsFoundByHalvesToo() {
        node.sql
                .sql("ALTER TABLE effect ADD CONSTRAINT no_such CHECK (name <> 'p003') ")
                .update();
        runs(4, LONG, jobs -> ChunkResult.ALL_COMPLETED);
        node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 3);
        assertThat(effects()).containsExactly("p000", "p001", "p002");
        node.awaitEvents("retried", 1);
    }

    @Test
    void aConstraintThatIsCheckedAtTheCommitIsFoundByHalvesToo() {
        node.sql.sql("CREATE TABLE known (name text PRIMARY KEY)").update();
        node.sql.sql("INSERT INTO known VALUES ('p000'), ('p001'), ('p003')").update();
        node.sql
                .sql("ALTER TABLE effect ADD FOREIGN KEY (name) REFERENCES known DEFERRABLE INITIALLY DEFERRED")
                .update();
        runs(4, LONG, jobs -> ChunkResult.ALL_COMPLETED);
        node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 3);
        assertThat(effects()).containsExactly("p000", "p001", "p003");
        node.awaitEvents("retried", 1);
    }

    @Test
    void aLostClaimTakesNothingFromTheOthersAndItsRowsRollBack() {
        AtomicInteger times = new AtomicInteger();
        runs(4, LONG, jobs -> {
            if (times.incrementAndGet() == 1) {
                node.others.takeAway(jobs.get(1).context());
            }
            return ChunkResult.ALL_COMPLETED;
        });
        long[] ids = node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 3);
        node.awaitEvent("lost " + ids[1]);
        assertThat(calls.all())
                .containsExactly(List.of("p000", "p001", "p002", "p003"), List.of("p000", "p002", "p003"));
        assertThat(effects()).containsExactly("p000", "p002", "p003");
        assertThat(node.count("running")).isEqualTo(1);
    }

    @Test
    void aHandlerThatLearnsOfALostClaimDoesNotFailTheOthers() {
        AtomicInteger times = new AtomicInteger();
        runs(2, LONG, jobs -> {
            if (times.incrementAndGet() == 1) {
                node.others.takeAway(jobs.get(0).context());
                jobs.get(0).context().progress(1); // throws
            }
            return ChunkResult.ALL_COMPLETED;
        });
        long[] ids = node.jobs.enqueueAll(Calls.people(2));

        node.start();

        node.awaitCount("done", 1);
        node.awaitEvent("lost " + ids[0]);
        assertThat(effects()).containsExactly("p001");
    }

    @Test
    void rowsOfJobsThatTheListenerNamesAsFailedRollBack() {
        runs(4, LONG, jobs -> {
            if (jobs.size() == 4) {
                throw new ChunkFailedException(Map.of(jobs.get(2).id(), new DoNotRetryException("spoilt")));
            }
            return ChunkResult.ALL_COMPLETED;
        });
        node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 3);
        node.awaitCount("dead", 1);
        assertThat(calls.sizes()).containsExactly(4, 3);
        assertThat(effects()).containsExactly("p000", "p001", "p003");
    }

    @Test
    void rowsOfJobsThatAResultDoesNotNameRollBack() {
        runs(3, LONG, jobs -> {
            ChunkResult.Builder result = ChunkResult.builder();
            jobs.stream()
                    .filter(job -> !Calls.name(job).equals("p001"))
                    .forEach(job -> result.completed(job.id(), Calls.name(job)));
            return result.build();
        });
        long[] ids = node.jobs.enqueueAll(Calls.people(3));

        node.start();

        node.awaitCount("done", 2);
        node.awaitEvent("retried " + ids[1]);
        assertThat(effects()).containsExactly("p000", "p002");
        assertThat(node.sql
                        .sql("SELECT result #>> '{}' FROM rowlock.done ORDER BY id")
                        .query(String.class)
                        .list())
                .containsExactly("p000", "p002");
    }

    @Test
    void aTransactionThatIsMarkedForRollbackCompletesNothing() {
        AtomicInteger times = new AtomicInteger();
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    jobs.forEach(this::write);
                    if (times.incrementAndGet() == 1) {
                        node.transactions.executeWithoutResult(inner -> inner.setRollbackOnly());
                    }
                    return ChunkResult.ALL_COMPLETED;
                },
                listener -> listener.batch(2).linger(LONG).transactional(true));
        node.jobs.enqueueAll(Calls.people(2));

        node.start();

        node.awaitCount("done", 2);
        assertThat(calls.sizes()).containsExactly(2, 1, 1);
        assertThat(effects()).containsExactly("p000", "p001");
    }

    @Test
    void aMissingPartitionIsMadeAndCostsNoAttempt() {
        node.sql.sql("""
                DO $$
                DECLARE part regclass;
                BEGIN
                    FOR part IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'rowlock.done'::regclass LOOP
                        EXECUTE 'DROP TABLE ' || part;
                    END LOOP;
                END $$
                """).update();
        runs(3, LONG, jobs -> ChunkResult.ALL_COMPLETED);
        node.jobs.enqueueAll(Calls.people(3));

        node.start();

        node.awaitCount("done", 3);
        assertThat(effects()).containsExactly("p000", "p001", "p002");
        assertThat(node.sql
                        .sql("SELECT max(attempt) FROM rowlock.done")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void jobsThatAreNotKeptAreGoneWithTheCommit() {
        node.retention(new RetentionSettings(Duration.ZERO, null));
        runs(3, LONG, jobs -> ChunkResult.ALL_COMPLETED);
        node.jobs.enqueueAll(Calls.people(3));

        node.start();

        node.awaitEvents("completed", 3);
        assertThat(effects()).hasSize(3);
        assertThat(node.count("running") + node.count("ready") + node.count("done"))
                .isZero();
    }
}
