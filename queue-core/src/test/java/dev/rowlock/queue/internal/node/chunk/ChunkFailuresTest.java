package dev.rowlock.queue.internal.node.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.chunk.ChunkFailedException;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.chunk.JobNotReportedException;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What becomes of the jobs of a call that throws, or that says which of them have failed. */
@Representative
class ChunkFailuresTest extends ChunkTest {

    @Test
    void aCallThatThrowsIsSplitUntilTheCulpritStandsAlone() {
        runs(8, LONG, jobs -> {
            if (jobs.stream().anyMatch(job -> Calls.name(job).equals("p002"))) {
                throw new DoNotRetryException("%d of them".formatted(jobs.size()));
            }
            return ChunkResult.ALL_COMPLETED;
        });
        long[] ids = node.jobs.enqueueAll(Calls.people(8));

        node.start();

        node.awaitCount("done", 7);
        node.awaitCount("dead", 1);
        assertThat(calls.all())
                .containsExactly(
                        List.of("p000", "p001", "p002", "p003", "p004", "p005", "p006", "p007"),
                        List.of("p000", "p001", "p002", "p003"),
                        List.of("p000", "p001"),
                        List.of("p002", "p003"),
                        List.of("p002"),
                        List.of("p003"),
                        List.of("p004", "p005", "p006", "p007"));
        assertThat(errorOf(ids[2])).contains("1 of them");
        assertThat(attempts()).containsOnly(1);
    }

    @Test
    void onlyTheCulpritIsChargedAnAttempt() {
        AtomicInteger tries = new AtomicInteger();
        runs(8, Duration.ofMillis(100), jobs -> {
            if (jobs.stream().anyMatch(job -> Calls.name(job).equals("p005")) && tries.incrementAndGet() <= 4) {
                throw new IllegalStateException("the first time");
            }
            return ChunkResult.ALL_COMPLETED;
        });
        node.jobs.enqueueAll(Calls.people(8));

        node.start();

        node.awaitCount("done", 8);
        assertThat(node.sql
                        .sql("SELECT payload ->> 'name' FROM rowlock.done WHERE attempt = 2")
                        .query(String.class)
                        .list())
                .containsExactly("p005");
        assertThat(attempts()).containsOnly(1, 2);
    }

    @Test
    void allCulpritsFailEachWithItsOwnError() {
        runs(4, LONG, jobs -> {
            throw new DoNotRetryException(
                    String.join(",", jobs.stream().map(Calls::name).toList()));
        });
        long[] ids = node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("dead", 4);
        assertThat(calls.sizes()).containsExactly(4, 2, 1, 1, 2, 1, 1);
        for (int i = 0; i < 4; i++) {
            assertThat(errorOf(ids[i])).contains("\"p00" + i + "\"");
        }
    }

    @Test
    void anExceptionThatNamesTheFailedOnesCompletesTheOthers() {
        runs(4, LONG, jobs -> {
            throw new ChunkFailedException(Map.of(
                    named(jobs, "p001").id(), new DoNotRetryException("spoilt"),
                    named(jobs, "p003").id(), new DoNotRetryException("rotten")));
        });
        long[] ids = node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 2);
        node.awaitCount("dead", 2);
        assertThat(calls.sizes()).containsExactly(4);
        assertThat(errorOf(ids[1])).contains("spoilt");
        assertThat(errorOf(ids[3])).contains("rotten");
    }

    @Test
    void anExceptionThatNamesOtherJobsCompletesNone() {
        runs(2, LONG, jobs -> {
            throw new ChunkFailedException(Map.of(1_000_000L, new DoNotRetryException("whose?")));
        });
        node.jobs.enqueueAll(Calls.people(2));

        node.start();

        node.awaitEvents("retried", 2);
        assertThat(calls.sizes()).startsWith(2, 1, 1);
        assertThat(node.count("done")).isZero();
    }

    @Test
    void aResultSaysWhatBecameOfEachJobAndWhatItDoesNotNameHasFailed() {
        node.chunkListener(
                Greet.class,
                jobs -> {
                    calls.note(jobs);
                    return ChunkResult.builder()
                            .completed(named(jobs, "p000").id(), Map.of("score", 7))
                            .completed(named(jobs, "p001").id())
                            .failed(named(jobs, "p002").id(), new IllegalArgumentException("no such page"))
                            .build();
                },
                listener -> batch(4, LONG)
                        .apply(listener)
                        .noRetryFor(List.of(IllegalArgumentException.class, JobNotReportedException.class)));
        long[] ids = node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 2);
        node.awaitCount("dead", 2);
        assertThat(calls.sizes()).containsExactly(4);
        assertThat(details(ids[0]).result()).contains("7");
        assertThat(details(ids[1]).result()).isNull();
        assertThat(errorOf(ids[2])).contains("no such page");
        assertThat(errorOf(ids[3])).contains("does not name job " + ids[3]);
    }

    @Test
    void aResultThatCannotBeKeptFailsItsJobForGoodAndNoOther() {
        runs(
                2,
                LONG,
                jobs -> ChunkResult.builder()
                        .completed(jobs.get(0).id(), "x".repeat(2 << 20))
                        .completed(jobs.get(1).id(), "short")
                        .build());
        long[] ids = node.jobs.enqueueAll(Calls.people(2));

        node.start();

        node.awaitState(ids[0], JobState.DEAD);
        node.awaitState(ids[1], JobState.COMPLETED);
        assertThat(calls.sizes()).containsExactly(2);
    }

    @Test
    void aResultThatIsNullCompletesNothing() {
        runs(2, LONG, jobs -> null);
        node.jobs.enqueueAll(Calls.people(2));

        node.start();

        node.awaitEvents("retried", 2);
        assertThat(node.count("done")).isZero();
    }

    @Test
    void aPayloadThatCannotBeReadFailsItsJobOnly() {
        runs(3, LONG, WELL);
        long[] ids = node.jobs.enqueueAll(Calls.people(3));
        node.sql
                .sql("UPDATE rowlock.ready SET payload = '[]' WHERE id = ?")
                .param(ids[1])
                .update();

        node.start();

        node.awaitCount("done", 2);
        node.awaitEvent("retried " + ids[1]);
        assertThat(calls.all().get(0)).containsExactly("p000", "p002");
    }

    @Test
    void whoSnoozesSaysItOfAllOfThem() {
        AtomicInteger times = new AtomicInteger();
        runs(4, Duration.ofMillis(200), jobs -> {
            if (times.incrementAndGet() == 1) {
                throw new SnoozeException(Duration.ofMillis(50));
            }
            return ChunkResult.ALL_COMPLETED;
        });
        node.jobs.enqueueAll(Calls.people(4));

        node.start();

        node.awaitCount("done", 4);
        node.awaitEvents("snoozed", 4);
        assertThat(attempts()).containsOnly(1);
    }

    private static ChunkJob<Object> named(List<ChunkJob<Object>> jobs, String name) {
        return jobs.stream()
                .filter(job -> Calls.name(job).equals(name))
                .findFirst()
                .orElseThrow();
    }

    private JobDetails details(long id) {
        return node.search.find(id).orElseThrow();
    }

    private String errorOf(long id) {
        assertThat(details(id).state()).isEqualTo(JobState.DEAD);
        return node.sql
                .sql("SELECT errors::text FROM rowlock.dead WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    private List<Integer> attempts() {
        return node.sql
                .sql("SELECT attempt FROM rowlock.done UNION ALL SELECT attempt FROM rowlock.dead")
                .query(Integer.class)
                .list();
    }
}
