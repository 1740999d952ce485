package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.dashboard.api.call.Problem;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Answers that all viewers share for some time, so that a page that reads itself again costs the same for one viewer and for a
 * hundred. One of those who ask at the same time reads; the others wait for its answer, or its failure, and not for long: a
 * database that does not answer must not take all threads of the web server. Thread-safe.
 */
final class Briefly<K, V> {

    private static final int MOST = 1_000;

    /** Whoever asks right behind a failure gets the same one. */
    private static final Duration FAILURE_KEPT = Duration.ofSeconds(1);

    private final Duration patience;
    private final BiFunction<V, Duration, Duration> kept;
    private final Map<K, Answer<V>> answers = new HashMap<>(); // guarded by this

    /**
     * @param patience how long to wait for an answer that somebody else reads
     * @param kept for how long an answer is kept, by how long reading it took
     */
    Briefly(Duration patience, BiFunction<V, Duration, Duration> kept) {
        this.patience = patience;
        this.kept = kept;
    }

    private static final class Answer<V> {

        final CompletableFuture<V> value = new CompletableFuture<>();
        volatile long untilNanos; // by whoever reads, before the value

        boolean beingRead() {
            return !value.isDone();
        }

        boolean fresh() {
            return System.nanoTime() - untilNanos < 0;
        }
    }

    V get(K key, Supplier<V> read) {
        return get(key, read, true);
    }

    /** The answer that is being read, or a new one. */
    V anew(K key, Supplier<V> read) {
        return get(key, read, false);
    }

    private V get(K key, Supplier<V> read, boolean old) {
        Answer<V> mine = new Answer<>();
        Answer<V> others = others(key, mine, old);
        if (others != null) {
            return await(others);
        }
        read(mine, read);
        return await(mine);
    }

    private synchronized @Nullable Answer<V> others(K key, Answer<V> mine, boolean old) {
        Answer<V> there = answers.get(key);
        if (there != null && (there.beingRead() || old && there.fresh())) {
            return there;
        }
        if (answers.size() >= MOST) {
            answers.clear();
        }
        answers.put(key, mine);
        return null;
    }

    private void read(Answer<V> answer, Supplier<V> read) {
        long begun = System.nanoTime();
        try {
            V value = read.get();
            long now = System.nanoTime();
            answer.untilNanos =
                    now + kept.apply(value, Duration.ofNanos(now - begun)).toNanos();
            answer.value.complete(value);
        } catch (Throwable e) { // whatever it is, others wait for it
            answer.untilNanos = System.nanoTime() + FAILURE_KEPT.toNanos();
            answer.value.completeExceptionally(e);
        }
    }

    private V await(Answer<V> answer) {
        try {
            return answer.value.get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new CompletionException(e.getCause());
        } catch (TimeoutException e) {
            throw new Problem(
                    503,
                    "somebody else has asked for this, and the database has not answered for %d s: try again soon"
                            .formatted(patience.toSeconds()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Problem(503, "the application stops");
        }
    }
}
