package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.spring.Scan.Order;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.flow.StateFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener that returns before its work is done stops the start: its jobs would count as done. */
class AsynchronousListenersTest {

    static class ReturnsFuture {
        @JobListener
        CompletableFuture<String> handle(Order order) {
            return new CompletableFuture<>();
        }
    }

    static class ReturnsPublisher {
        @JobListener
        Flow.Publisher<String> handle(Order order) {
            return new SubmissionPublisher<>();
        }
    }

    static class ReturnsSubclass {
        @JobListener
        SubmissionPublisher<String> handle(Order order) {
            return new SubmissionPublisher<>();
        }
    }

    static class ReturnsDeferred {
        @JobListener
        Deferred<String> handle(Order order) {
            return new Deferred<>() {};
        }
    }

    static class ReturnsKotlinJob {
        @JobListener
        Job handle(Order order) {
            return new Job() {};
        }
    }

    static class ReturnsFlow {
        @JobListener
        StateFlow<String> handle(Order order) {
            return new StateFlow<>() {};
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReturnsFuture.class,
                ReturnsPublisher.class,
                ReturnsSubclass.class,
                ReturnsDeferred.class,
                ReturnsKotlinJob.class,
                ReturnsFlow.class
            })
    void aListenerThatReturnsWhatGoesOnIsRefused(Class<?> listener) {
        assertInvalid(listener, "the job would count as done before the work is");
    }

    /** As Java sees {@code suspend fun handle(order: Order)}. */
    static class Suspends {
        @JobListener
        Object handle(Order order, Continuation<? super String> continuation) {
            return "";
        }
    }

    @Test
    void aSuspendFunctionIsRefusedAsWhatItIs() {
        assertInvalid(Suspends.class, "it is a suspend function");
    }
}
