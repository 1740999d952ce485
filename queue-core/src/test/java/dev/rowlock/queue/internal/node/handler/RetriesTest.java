package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Failure;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.RetryStrategy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.JobHandler;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** When failed jobs run again: by their listener's strategy, or their own policy. */
class RetriesTest extends NodeTest {

    private static final JobHandler BROKEN = (context, payload) -> {
        throw new IOException("broken");
    };

    private JobDetails details(long id) {
        return node.search.find(id).orElseThrow();
    }

    private long hoursUntilDue(long id) {
        return node.sql
                .sql("SELECT round(date_part('epoch', due_at - statement_timestamp()) / 3600)::bigint"
                        + " FROM rowlock.waiting WHERE id = ?")
                .param(id)
                .query(Long.class)
                .single();
    }

    @Test
    void aJobsOwnPolicyReplacesItsListenersPolicy() {
        node.listener(Greet.class, BROKEN, listener -> listener.retry(RetryPolicy.never()))
                .start();

        long id = node.jobs.enqueue(
                new Greet("Ada"),
                o -> o.retry(RetryPolicy.intervals(Duration.ZERO, Duration.ofHours(6)))
                        .header("trace", "a-1"));
        node.awaitEvent("retried " + id);
        node.awaitState(id, JobState.WAITING);

        assertThat(details(id).attempt()).isEqualTo(2);
        assertThat(details(id).errors()).hasSize(2);
        assertThat(hoursUntilDue(id)).isEqualTo(6);
        assertThat(details(id).headers()).isEqualTo(Map.of("trace", "a-1"));
    }

    @Test
    void aJobsOwnPolicyIsReadAsItWasWritten() {
        RetryPolicy policy = RetryPolicy.intervals(Duration.ofSeconds(1), Duration.ofSeconds(7))
                .maxRetries(4)
                .jitter(0.5)
                .giveUpAfter(Duration.ofDays(3));

        assertThat(dev.rowlock.queue.internal.db.Headers.retry(
                        dev.rowlock.queue.internal.db.Headers.encode(JobOptions.NONE.retry(policy), null)))
                .isEqualTo(policy);
    }

    @Test
    void rulesByExceptionApplyToExceptionsOfFuturesToo() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            throw new CompletionException(new IOException("broken"));
                        },
                        listener -> listener.retry(
                                TestNode.QUICK.on(IOException.class, RetryPolicy.fixed(Duration.ofHours(3)))))
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.WAITING);

        assertThat(hoursUntilDue(id)).isEqualTo(3);
    }

    @Test
    void aCustomStrategySeesTheFailureAndDecides() {
        RetryStrategy mine = failure -> failure.attempt() == 1
                        && failure.find(IOException.class).isPresent()
                        && failure.age().toDays() == 0
                ? Optional.of(Due.after(Duration.ZERO))
                : Optional.empty();
        node.listener(Greet.class, BROKEN, listener -> listener.retry(mine)).start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.DEAD);

        assertThat(details(id).attempt()).isEqualTo(2);
    }

    @Test
    void theFallbackDecidesIfAStrategyFails() {
        RetryStrategy broken = new RetryStrategy() {
            @Override
            public Optional<Due> next(Failure failure) {
                throw new IllegalStateException("the strategy itself");
            }

            @Override
            public RetryPolicy fallback() {
                return RetryPolicy.fixed(Duration.ofHours(2));
            }
        };
        node.listener(Greet.class, BROKEN, listener -> listener.retry(broken)).start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.WAITING);

        assertThat(hoursUntilDue(id)).isEqualTo(2);
        assertThat(details(id).errors())
                .singleElement()
                .satisfies(error -> assertThat(error.message()).isEqualTo("broken"));
    }

    @ParameterizedTest
    @MethodSource
    void thePolicyWithoutItsRulesDecidesIfTheStrategyOfARuleFails(RetryStrategy broken) {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofHours(2)).on(IOException.class, broken);
        node.listener(Greet.class, BROKEN, listener -> listener.retry(policy)).start();

        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, JobState.WAITING);

        assertThat(hoursUntilDue(id)).isEqualTo(2);
        assertThat(details(id).attempt()).isEqualTo(1);
        assertThat(details(id).errors())
                .singleElement()
                .satisfies(error -> assertThat(error.message()).isEqualTo("broken"));
    }

    @SuppressWarnings("NullAway") // that is what the application does
    static List<RetryStrategy> thePolicyWithoutItsRulesDecidesIfTheStrategyOfARuleFails() {
        return List.of(
                failure -> {
                    throw new IllegalStateException("the strategy itself");
                },
                failure -> null);
    }

    @Test
    void aJobsOwnWaitsAreNotLongerThanTheLongestOfItsPolicy() {
        RetryPolicy policy = RetryPolicy.exponential(Duration.ofMinutes(59), 2, Duration.ofHours(1))
                .jitter(1);

        RetryPolicy read = Objects.requireNonNull(dev.rowlock.queue.internal.db.Headers.retry(
                dev.rowlock.queue.internal.db.Headers.encode(JobOptions.NONE.retry(policy), null)));

        assertThat(Stream.generate(() -> read.backoff(9, new Random())).limit(100))
                .allSatisfy(wait -> assertThat(wait).isLessThanOrEqualTo(Duration.ofHours(1)));
    }

    @Test
    void theListenersPolicyAppliesIfThisVersionCannotReadTheJobsOwn() {
        node.listener(Greet.class, BROKEN, listener -> listener.retry(RetryPolicy.fixed(Duration.ofHours(2))));
        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.retry(TestNode.QUICK));
        node.sql
                .sql("UPDATE rowlock.ready SET headers = '{\"rowlock-retry\": \"{\\\"of\\\": \\\"tomorrow\\\"}\"}'")
                .update();

        node.start();
        node.awaitState(id, JobState.WAITING);

        assertThat(hoursUntilDue(id)).isEqualTo(2);
    }

    @Test
    void aJobIsGivenUpByItsAgeSinceItWasEnqueued() {
        node.listener(
                        Greet.class,
                        BROKEN,
                        listener -> listener.retry(
                                RetryPolicy.fixed(Duration.ofMinutes(1)).giveUpAfter(Duration.ofHours(1))))
                .start();

        long old = enqueuedAnHourAgo();

        node.awaitState(old, JobState.DEAD);
        assertThat(details(old).attempt()).isEqualTo(1);
    }

    @Test
    void aJobIsGivenUpIfItsHandlerNamesATimeAfterTheLast() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            throw new RetryLaterException("busy", Duration.ofHours(2));
                        },
                        listener -> listener.retry(TestNode.QUICK.giveUpAfter(Duration.ofHours(1))))
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));

        node.awaitState(id, JobState.DEAD);
    }

    @Test
    void snoozingEndsWhenTheTimeToGiveUpIsOver() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            throw new SnoozeException("the carrier is closed", Duration.ofMinutes(1));
                        },
                        listener -> listener.retry(TestNode.QUICK.giveUpAfter(Duration.ofHours(1))))
                .start();

        long young = node.jobs.enqueue(new Greet("Ada"));
        long old = enqueuedAnHourAgo();

        node.awaitState(old, JobState.DEAD);
        node.awaitState(young, JobState.WAITING);
        assertThat(details(old).errors())
                .singleElement()
                .satisfies(error -> assertThat(error.message()).isEqualTo("the carrier is closed"));
        assertThat(details(young).attempt()).isZero();
    }

    private long enqueuedAnHourAgo() {
        return node.transactions.execute(status -> {
            long id = node.jobs.enqueue(new Greet("Ada"));
            node.sql
                    .sql("UPDATE rowlock.ready SET enqueued_at = enqueued_at - interval '1 h' WHERE id = ?")
                    .param(id)
                    .update();
            return id;
        });
    }
}
