package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.spring.Scan.Order;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import kotlin.coroutines.Continuation;
import kotlinx.coroutines.CompletableDeferredKt;
import kotlinx.coroutines.Deferred;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.JobKt;
import kotlinx.coroutines.flow.StateFlow;
import kotlinx.coroutines.flow.StateFlowKt;
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
            return CompletableDeferredKt.CompletableDeferred(null);
        }
    }

    static class ReturnsKotlinJob {
        @JobListener
        Job handle(Order order) {
            return JobKt.Job(null);
        }
    }

    static class ReturnsFlow {
        @JobListener
        StateFlow<String> handle(Order order) {
            return StateFlowKt.MutableStateFlow("");
        }
    }

    /** As Java sees {@code suspend fun handle(order: Order): Deferred<String>}. */
    static class SuspendsAndReturnsDeferred {
        @JobListener
        Object handle(Order order, Continuation<? super Deferred<String>> continuation) {
            return "";
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
                ReturnsFlow.class,
                SuspendsAndReturnsDeferred.class
            })
    void aListenerThatReturnsWhatGoesOnIsRefused(Class<?> listener) {
        assertInvalid(listener, "the job would count as done before the work is");
    }
}
