package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.JobInterceptor;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Code of the application around handlers. */
class JobInterceptorTest extends NodeTest {

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private final Queue<String> story = new ConcurrentLinkedQueue<>();

    private long run(boolean transactional, JobHandler handler) {
        node.listener(Greet.class, handler, listener -> listener.transactional(transactional))
                .start();
        return node.jobs.enqueue(new Greet("Ada"), o -> o.header("tenant", "blue"));
    }

    private void awaitResult(long id, String json) {
        node.awaitState(id, JobState.COMPLETED);
        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo(json);
    }

    private static JobInterceptor telling(String name, Queue<String> story) {
        return (job, next) -> {
            story.add(name + " before");
            Object result = next.proceed();
            story.add(name + " after");
            return result;
        };
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interceptorsWrapEachOtherAndTheHandlerInTheirOrder(boolean transactional) {
        node.interceptor(telling("outer", story)).interceptor(telling("inner", story));

        long id = run(transactional, (context, payload) -> {
            story.add("handler");
            return "yes";
        });

        awaitResult(id, "\"yes\"");
        assertThat(story).containsExactly("outer before", "inner before", "handler", "inner after", "outer after");
    }

    @Test
    void aTenantIsChosenBeforeTheTransactionBegins() {
        node.interceptor((job, next) -> {
            story.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
            TENANT.set(job.headers().get("tenant"));
            try {
                return next.proceed();
            } finally {
                TENANT.remove();
            }
        });

        long id = run(true, (context, payload) -> {
            story.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
            return TENANT.get();
        });

        awaitResult(id, "\"blue\"");
        assertThat(story).containsExactly("in a transaction: false", "in a transaction: true");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReporterSeesTheExceptionItselfAfterTheRollback(boolean transactional) {
        Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
        IOException failure = new IOException("no route");
        node.interceptor((job, next) -> {
            try {
                return next.proceed();
            } catch (Exception e) {
                story.add("in a transaction: " + TransactionSynchronizationManager.isActualTransactionActive());
                reported.add(e);
                throw e;
            }
        });

        long id = run(transactional, (context, payload) -> {
            throw failure;
        });

        node.awaitState(id, JobState.DEAD);
        assertThat(reported).hasSize(4).containsOnly(failure);
        assertThat(story).containsOnly("in a transaction: false");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anExceptionOfAnInterceptorCountsAsIfTheHandlerHadThrownIt(boolean transactional) {
        node.interceptor((job, next) -> {
            if (job.headers().containsKey("tenant")) {
                throw new DoNotRetryException("no such tenant");
            }
            throw new SnoozeException("closed", Duration.ofDays(1));
        });

        long dead = run(transactional, (context, payload) -> story.add("handler"));
        long snoozed = node.jobs.enqueue(new Greet("Bob"));

        node.awaitState(dead, JobState.DEAD);
        node.awaitState(snoozed, JobState.WAITING);
        assertThat(story).isEmpty();
        assertThat(node.search.find(dead).orElseThrow().errors()).hasSize(1);
        assertThat(node.search.find(snoozed).orElseThrow().attempt()).isZero();
    }

    @Test
    void aDatabaseFailureBeforeTheHandlerCostsNoAttempt() {
        AtomicInteger calls = new AtomicInteger();
        node.interceptor((job, next) -> {
            if (calls.incrementAndGet() == 1) {
                throw new CannotAcquireLockException("tenants are being moved");
            }
            return next.proceed();
        });

        long id = run(false, (context, payload) -> context.attempt());

        awaitResult(id, "1");
        assertThat(node.search.find(id).orElseThrow().errors()).isEmpty();
    }

    @Test
    void anExceptionAfterTheCommitChangesNothing() {
        node.interceptor((job, next) -> {
            next.proceed();
            throw new IllegalStateException("too late");
        });
        List<String> told;
        long id;
        try (LogLines log = new LogLines("dev.rowlock.queue.internal.run.Call")) {
            id = run(true, (context, payload) -> "done");
            awaitResult(id, "\"done\"");
            node.awaitEvent("completed " + id);
            told = log.lines();
        }

        assertThat(told).singleElement().asString().contains("it stays completed");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterceptorThatDoesNotProceedCompletesTheJobInItsPlace(boolean transactional) {
        node.interceptor((job, next) -> "skipped");

        long id = run(transactional, (context, payload) -> story.add("handler"));

        awaitResult(id, "\"skipped\"");
        assertThat(story).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterceptorThatSwallowsExceptionsCompletesNoJobThatAStopKeptFromBeginning(boolean transactional)
            throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        node.drain(Duration.ofMillis(100)).interceptor((job, next) -> {
            try {
                waiting.countDown();
                new CountDownLatch(1).await(); // for a permit, say, until the stop interrupts that
            } catch (InterruptedException e) {
                story.add("interrupted");
            }
            try {
                return next.proceed();
            } catch (RuntimeException e) {
                return "reported";
            }
        });
        long id = run(transactional, (context, payload) -> story.add("handler"));
        waiting.await();

        node.stop();

        assertThat(story).containsExactly("interrupted");
        assertThat(node.search.find(id).orElseThrow().state()).isEqualTo(JobState.READY);
    }

    @Test
    void noInterceptorProceedsTwice() {
        node.interceptor((job, next) -> {
            next.proceed();
            return next.proceed();
        });

        long id = run(false, (context, payload) -> story.add("handler " + context.attempt()));

        node.awaitState(id, JobState.DEAD);
        assertThat(story).containsExactly("handler 1", "handler 2", "handler 3", "handler 4");
        assertThat(node.search.find(id).orElseThrow().errors().get(0).message()).contains("proceeds twice");
    }

    @Test
    void aThrowableThatIsNoExceptionPassesThroughAsItIs() {
        node.interceptor(telling("outer", story));

        long id = run(false, (context, payload) -> {
            throw new Throwable("neither exception nor error");
        });

        node.awaitState(id, JobState.DEAD);
        assertThat(node.search.find(id).orElseThrow().errors().get(0).type()).isEqualTo(Throwable.class.getName());
    }
}
