package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.record.FailureLog;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.JobHandler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** Code of the application around whole attempts. */
class AttemptInterceptorTest extends NodeTest {

    private final Queue<String> story = new ConcurrentLinkedQueue<>();

    private AttemptInterceptor telling(String name) {
        return (jobs, attempt) -> {
            story.add(name + " before");
            Map<Long, Outcome> outcomes = attempt.make();
            story.add(name + " "
                    + jobs.stream()
                            .map(ClaimedJob::id)
                            .map(id ->
                                    outcomes.containsKey(id) ? outcomes.get(id).label() : "again")
                            .toList());
        };
    }

    private long run(boolean transactional, JobHandler handler) {
        node.listener(Greet.class, handler, listener -> listener.transactional(transactional))
                .start();
        return node.jobs.enqueue(new Greet("Ada"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interceptorsSurroundTheAttemptInTheirOrderAndHearItsOutcome(boolean transactional) {
        node.attemptInterceptor(telling("outer"))
                .attemptInterceptor(telling("inner"))
                .interceptor((job, next) -> {
                    story.add("interceptor");
                    return next.proceed();
                });

        long id = run(transactional, (context, payload) -> null);

        node.awaitState(id, JobState.COMPLETED); // of a transactional one before its attempt has ended
        Awaitility.await().until(() -> story.size() == 5);
        assertThat(story)
                .containsExactly(
                        "outer before", "inner before", "interceptor", "inner [completed]", "outer [completed]");
    }

    @Test
    void eachAttemptIsSurroundedWhateverComesOfIt() {
        node.attemptInterceptor(telling("-"));

        long id = run(false, (context, payload) -> {
            if (story.size() < 2) {
                throw new SnoozeException(Duration.ofMillis(1));
            }
            throw new IllegalStateException("attempt " + context.attempt());
        });

        node.awaitState(id, JobState.DEAD);
        assertThat(story.stream().filter(line -> !line.endsWith("before")))
                .startsWith("- [snoozed]", "- [retried]")
                .endsWith("- [failed]");
    }

    @Test
    void theLineThatTellsOfAFailureIsWrittenWithin() {
        node.attemptInterceptor((jobs, attempt) -> {
            MDC.put("trace", "within");
            attempt.make();
        });
        try (LogLines lines = new LogLines(FailureLog.NAME)) {
            long id = run(false, (context, payload) -> {
                throw new IllegalStateException("no");
            });

            node.awaitState(id, JobState.DEAD);
            assertThat(lines.events())
                    .isNotEmpty()
                    .allSatisfy(line -> assertThat(line.getMDCPropertyMap()).containsEntry("trace", "within"));
        }
    }

    @Test
    void whatAnInterceptorThrowsIsLoggedAndNoMatterOfTheJobs() {
        node.attemptInterceptor((jobs, attempt) -> {
                    throw new IllegalStateException("before");
                })
                .attemptInterceptor((jobs, attempt) -> {
                    attempt.make();
                    throw new StackOverflowError("after");
                })
                .attemptInterceptor((jobs, attempt) -> {})
                .attemptInterceptor((jobs, attempt) -> {
                    attempt.make();
                    attempt.make();
                });
        try (LogLines lines = new LogLines("dev.rowlock.queue.internal.run.Interceptors")) {
            long id = run(false, (context, payload) -> {
                story.add("handler");
                return null;
            });

            node.awaitState(id, JobState.COMPLETED);
            assertThat(story).containsExactly("handler");
            assertThat(lines.lines())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line).startsWith("WARN interceptor"));
        }
    }

    @Test
    void aCallWithAChunkIsSurroundedOnceAndItsHalvesAsTheyAreCalled() {
        node.attemptInterceptor(telling("-"))
                .chunkListener(
                        Greet.class,
                        jobs -> {
                            if (jobs.stream()
                                    .anyMatch(job ->
                                            ((Greet) job.payload()).name().equals("p2"))) {
                                throw new IllegalStateException("p2");
                            }
                            return ChunkResult.ALL_COMPLETED;
                        },
                        listener -> listener.batch(4)
                                .linger(Duration.ofSeconds(10))
                                .noRetryFor(List.of(IllegalStateException.class)));
        node.jobs.enqueueAll(
                IntStream.range(0, 4).mapToObj(i -> new Greet("p" + i)).toList());

        node.start();

        node.awaitCount("done", 3);
        node.awaitCount("dead", 1);
        assertThat(story.stream().filter(line -> !line.endsWith("before")))
                .containsExactly(
                        "- [again, again, again, again]",
                        "- [completed, completed]",
                        "- [again, again]",
                        "- [failed]",
                        "- [completed]");
    }
}
