package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobDetails;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryLaterException;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.job.WaitReason;
import dev.rowlock.queue.spi.JobHandler;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Exceptions in wrappers, exceptions from elsewhere, and exceptions that break their contract. */
class WhatHandlersThrowTest extends NodeTest {

    private JobDetails run(JobHandler handler, JobState state) {
        node.listener(Greet.class, handler).start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        node.awaitState(id, state);
        return node.search.find(id).orElseThrow();
    }

    static Stream<Exception> wrapped() {
        DoNotRetryException never = new DoNotRetryException("never");
        return Stream.of(
                new CompletionException(never),
                new ExecutionException(never),
                new InvocationTargetException(never),
                new UndeclaredThrowableException(never),
                new CompletionException(new ExecutionException(never)));
    }

    @ParameterizedTest
    @MethodSource("wrapped")
    void anExceptionThatForbidsARetryDoesSoFromAFutureToo(Exception thrown) {
        JobDetails job = run(
                (context, payload) -> {
                    throw thrown;
                },
                JobState.DEAD);

        assertThat(job.errors()).hasSize(1);
    }

    @Test
    void aSnoozeInAFutureIsASnooze() {
        JobDetails job = run(
                (context, payload) -> CompletableFuture.supplyAsync(() -> {
                            throw new SnoozeException(Duration.ofDays(1));
                        })
                        .join(),
                JobState.WAITING);

        assertThat(job.waitReason()).isEqualTo(WaitReason.SNOOZE);
        assertThat(job.errors()).isEmpty();
    }

    @Test
    void noRetryForAppliesToTheExceptionOfAFuture() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            throw new ExecutionException(new IOException("gone"));
                        },
                        TestNode.noRetryFor(IOException.class))
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));

        node.awaitState(id, JobState.DEAD);
        assertThat(node.search.find(id).orElseThrow().errors()).hasSize(1);
    }

    @Test
    void aCauseThatTheApplicationChoseDecidesNothing() {
        JobDetails job = run(
                (context, payload) -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException(new DoNotRetryException("of something else"));
                    }
                    return null;
                },
                JobState.COMPLETED);

        assertThat(job.errors()).hasSize(1);
    }

    /** As a remote service may hand it over. */
    @Test
    void deserializedExceptionsKeepTheirTime() {
        JobDetails job = run(
                (context, payload) -> {
                    throw travelled(new SnoozeException(Duration.ofDays(1)));
                },
                JobState.WAITING);

        assertThat(job.waitReason()).isEqualTo(WaitReason.SNOOZE);
        assertThat(travelled(new RetryLaterException("later", Duration.ofDays(2), null))
                        .due()
                        .after())
                .isEqualTo(Duration.ofDays(2));
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E travelled(E exception) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            new ObjectOutputStream(bytes).writeObject(exception);
            return (E) new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anExceptionThatBreaksItsContractFailsItsAttemptAndNothingElse() {
        JobDetails job = run(
                (context, payload) -> {
                    if (context.attempt() == 1) {
                        throw new Hostile();
                    }
                    return null;
                },
                JobState.COMPLETED);

        assertThat(job.errors()).hasSize(1);
        assertThat(job.errors().get(0).type()).isEqualTo(Hostile.class.getName());
    }

    private static final class Hostile extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        public @Nullable String getMessage() {
            Thread.currentThread().interrupt();
            return null;
        }

        @Override
        @SuppressWarnings("NullAway")
        public StackTraceElement[] getStackTrace() {
            return null;
        }

        @Override
        public void printStackTrace(PrintWriter writer) {
            while (true) {
                writer.print("and so on \u0000");
            }
        }

        @Override
        public String toString() {
            throw new IllegalStateException("not this either");
        }
    }

    @Test
    void aCancelledHandlerCleansUpUndisturbed() throws InterruptedException {
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch cleaningUp = new CountDownLatch(1);
        CountDownLatch clean = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
                    started.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException e) {
                        cleaningUp.countDown();
                        clean.await(); // an interrupt would end it
                        return "clean";
                    }
                    return null;
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        started.await();

        node.admin.cancel(id);
        cleaningUp.await();
        node.awaitTwoHeartbeats();
        node.awaitTwoHeartbeats();
        clean.countDown();

        node.awaitState(id, JobState.COMPLETED);
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"clean\"");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aResultThatCannotBeStoredFailsItsJobAtOnce(boolean transactional) {
        node.listener(
                        Greet.class,
                        (context, payload) -> new Object() {
                            @SuppressWarnings("unused")
                            public String getAnything() {
                                throw new IllegalStateException("not to be read");
                            }
                        },
                        transactional ? TestNode::transactional : listener -> listener)
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"));

        node.awaitState(id, JobState.DEAD);
        assertThat(node.search.find(id).orElseThrow().errors()).hasSize(1);
    }
}
