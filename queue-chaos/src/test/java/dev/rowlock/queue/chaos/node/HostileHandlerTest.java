package dev.rowlock.queue.chaos.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataIntegrityViolationException;

/** Malicious results and exceptions fail their own job, and no other job of the batch in which they are written. */
@PostgresTest(freshPerTest = true)
class HostileHandlerTest {

    record Odd(int kind) {}

    record Fine(int number) {}

    /** Jackson asks it for its property. */
    public static final class Thrower {
        public String getValue() {
            throw new IllegalStateException("no value");
        }
    }

    /** Even looking at it fails. */
    static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new StackOverflowError("and again");
        }

        @Override
        public String toString() {
            throw new AssertionError("not even that");
        }
    }

    private Bench bench;

    @BeforeEach
    void prepare(TestDatabase database) {
        bench = new Bench(database);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void aResultThatDoesNotSerializeFailsItsJobAndNoNeighbour() {
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        List<Object> results =
                List.of(new Thrower(), itself, nested(5_000), "x".repeat(5 << 20), new Object(), "\ud800", "\u0000");
        bench.listener(Odd.class, (context, payload) -> results.get(number(payload)))
                .listener(Fine.class, (context, payload) -> "fine")
                .start();

        List<Long> fine = new ArrayList<>();
        List<Long> odd = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            fine.addAll(enqueueFine(20));
            odd.add(bench.jobs.enqueue(new Odd(i)));
        }

        odd.forEach(id -> assertThat(bench.end(id)).isIn(JobState.DEAD, JobState.COMPLETED));
        fine.forEach(id -> assertThat(bench.end(id)).isEqualTo(JobState.COMPLETED));
        for (int i : List.of(0, 1, 3)) {
            assertThat(bench.end(odd.get(i))).as("result %d", i).isEqualTo(JobState.DEAD);
        }
    }

    @Test
    void exceptionsOfEveryKindFailTheirJobAndNoNeighbour() {
        List<Throwable> thrown = List.of(
                new Unspeakable(),
                new IllegalStateException("\u0000 \ud800 " + "x".repeat(1 << 20)),
                new OutOfMemoryError("as if"),
                new StackOverflowError(),
                new ThreadDeath(),
                new Throwable((String) null),
                new InterruptedException(),
                chained(3_000));
        bench.listener(Odd.class, (context, payload) -> {
                    throw thrown.get(number(payload));
                })
                .listener(Fine.class, (context, payload) -> "fine")
                .start();

        List<Long> fine = new ArrayList<>();
        List<Long> odd = new ArrayList<>();
        for (int i = 0; i < thrown.size(); i++) {
            odd.add(bench.jobs.enqueue(new Odd(i)));
            fine.addAll(enqueueFine(20));
        }

        for (int i = 0; i < odd.size(); i++) {
            JobDetails job = bench.ended(odd.get(i));
            assertThat(job.state()).as("exception %d", i).isEqualTo(JobState.DEAD);
            assertThat(job.errors()).as("exception %d", i).hasSize(1);
        }
        fine.forEach(id -> assertThat(bench.end(id)).isEqualTo(JobState.COMPLETED));
    }

    @Test
    void aRowThatTheDatabaseRefusesDoesNotFailTheBatchThatItIsIn() {
        // Whatever the reason may be: here a constraint that somebody added refuses one job's outcome.
        bench.sql
                .sql(
                        "ALTER TABLE rowlock.done ADD CONSTRAINT picky CHECK (result IS NULL OR result::text <> '\"odd\"')")
                .update();
        bench.listener(Odd.class, (context, payload) -> "odd")
                .listener(Fine.class, (context, payload) -> "fine")
                .start();

        List<Long> fine = new ArrayList<>(enqueueFine(200));
        long odd = bench.jobs.enqueue(new Odd(0));
        fine.addAll(enqueueFine(200));

        fine.forEach(id -> assertThat(bench.end(id)).isEqualTo(JobState.COMPLETED));
        assertThat(bench.end(odd)).isEqualTo(JobState.DEAD);
    }

    @Test
    void aBadRowFailsTheWholeEnqueueAndItsCallerGetsTheError() {
        bench.sql
                .sql("ALTER TABLE rowlock.ready ADD CONSTRAINT picky CHECK (payload ->> 'number' <> '13')")
                .update();

        org.assertj.core.api.Assertions.assertThatThrownBy(() -> bench.jobs.enqueueAll(
                        IntStream.range(0, 20).mapToObj(Fine::new).toList()))
                .isInstanceOf(DataIntegrityViolationException.class);

        assertThat(bench.sql
                        .sql("SELECT count(*) FROM rowlock.job")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    private List<Long> enqueueFine(int count) {
        long[] ids = bench.jobs.enqueueAll(
                IntStream.range(0, count).mapToObj(Fine::new).toList());
        return java.util.Arrays.stream(ids).boxed().toList();
    }

    private int number(String payload) {
        return ((Odd) bench.codec.decode(payload, Odd.class)).kind();
    }

    private static Object nested(int depth) {
        Object value = List.of();
        for (int i = 0; i < depth; i++) {
            value = List.of(value);
        }
        return value;
    }

    private static Throwable chained(int length) {
        Throwable chain = new RuntimeException("end");
        for (int i = 0; i < length; i++) {
            chain = new RuntimeException("link", chain);
        }
        return chain;
    }
}
