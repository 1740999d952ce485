package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.PayloadException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to a listener's return value, in plain and transactional listeners alike. */
class KeptResultsTest extends NodeTest {

    private long run(boolean transactional, boolean keepResult, JobHandler handler) {
        node.listener(
                        Greet.class,
                        handler,
                        listener -> listener.transactional(transactional).keepResult(keepResult))
                .start();
        return node.jobs.enqueue(new Greet("Ada"));
    }

    private @Nullable String result(long id) {
        return node.search.find(id).orElseThrow().result();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReturnValueIsKeptOnlyWhereTheListenerAsksForIt(boolean transactional) {
        long id = run(transactional, false, (context, payload) -> "by the way");

        node.awaitState(id, JobState.COMPLETED);
        assertThat(result(id)).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReturnValueThatCannotBeSerializedHarmsNobodyWhereItIsNotKept(boolean transactional) {
        long id = run(transactional, false, (context, payload) -> new Object() {
            @SuppressWarnings("unused") // by Jackson, if it were asked
            public String getAnything() {
                throw new IllegalStateException("not to be read");
            }
        });

        node.awaitState(id, JobState.COMPLETED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theResultOfAnExplicitCompletionIsKept(boolean transactional) {
        long id = run(transactional, false, (context, payload) -> {
            if (transactional) {
                context.completeInTransaction("asked for");
            } else {
                node.transactions.executeWithoutResult(status -> context.completeInTransaction("asked for"));
            }
            return "by the way";
        });

        node.awaitState(id, JobState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"asked for\"");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReturnedOutcomeFailsTheJobAtOnceAndSaysWhatToDoInstead(boolean transactional) {
        long id = run(
                transactional,
                false,
                (context, payload) -> new Outcome.Failed(JobError.of("refused", "not this one"), null));

        node.awaitState(id, JobState.DEAD);
        assertThat(node.search.find(id).orElseThrow().errors()).singleElement().satisfies(error -> {
            assertThat(error.type()).isEqualTo(PayloadException.class.getName());
            assertThat(error.message()).contains("GreetListener", DoNotRetryException.class.getSimpleName());
        });
    }

    /** Also where something is around the attempt, which would make it again if it threw. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResultThatFailsWhileItIsWrittenFailsItsAttemptAndIsMadeOnce(boolean intercepted) {
        AtomicInteger calls = new AtomicInteger();
        if (intercepted) {
            node.attemptInterceptor((jobs, attempt) -> attempt.make());
        }
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            calls.incrementAndGet();
                            return new Object() {
                                @SuppressWarnings("unused") // by Jackson
                                public String getAnything() {
                                    throw new AssertionError("as it is to");
                                }
                            };
                        },
                        listener -> listener.keepResult(true))
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(0));

        node.awaitState(id, JobState.DEAD);
        assertThat(calls).hasValue(1);
        assertThat(node.search.find(id).orElseThrow().errors())
                .singleElement()
                .satisfies(error -> assertThat(error.type()).isEqualTo(AssertionError.class.getName()));
    }
}
