package dev.rowlock.queue.dashboard.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.dashboard.api.call.Problem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What viewers share, while the database answers and while it does not. */
class BrieflyTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final ExecutorService viewers = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        threads.add(thread);
        return thread;
    });
    private final CountDownLatch away = new CountDownLatch(1);
    private final AtomicInteger reads = new AtomicInteger();

    @AfterEach
    void close() {
        away.countDown();
        viewers.shutdownNow();
    }

    @Test
    void viewersShareAnAnswerUntilItIsOld() {
        Briefly<String, Integer> old = new Briefly<>(LONG, (value, took) -> Duration.ZERO);
        Briefly<String, Integer> fresh = new Briefly<>(LONG, (value, took) -> LONG);

        assertThat(Stream.generate(() -> fresh.get("a", reads::incrementAndGet)).limit(3))
                .containsExactly(1, 1, 1);
        assertThat(fresh.get("b", reads::incrementAndGet)).isEqualTo(2);
        assertThat(fresh.anew("a", reads::incrementAndGet)).isEqualTo(3);
        assertThat(fresh.get("a", reads::incrementAndGet)).isEqualTo(3);
        assertThat(Stream.generate(() -> old.get("a", reads::incrementAndGet)).limit(2))
                .containsExactly(4, 5);
    }

    /** One after the other, each would wait for the database as long as the first one. */
    @Test
    void whoWaitsForAnAnswerThatFailsFailsWithIt() throws Exception {
        Briefly<String, Integer> shared = new Briefly<>(LONG, (value, took) -> LONG);
        CountDownLatch asking = new CountDownLatch(1);
        Supplier<Integer> failing = () -> {
            reads.incrementAndGet();
            asking.countDown();
            return failed();
        };
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> shared.get("", failing), viewers);
        asking.await();
        List<CompletableFuture<Integer>> others = Stream.generate(
                        () -> CompletableFuture.supplyAsync(() -> shared.get("", failing), viewers))
                .limit(20)
                .toList();
        await("all wait")
                .atMost(LONG)
                .until(() -> threads.size() == 21 && threads.stream().allMatch(BrieflyTest::waits));

        away.countDown();

        assertThat(Stream.concat(Stream.of(first), others.stream()))
                .allSatisfy(one -> assertThatThrownBy(one::join).hasRootCauseMessage("the database is away"));
        assertThat(reads).hasValue(1);
        await().atMost(LONG).ignoreExceptions().until(() -> shared.get("", () -> 7) == 7);
    }

    private static boolean waits(Thread thread) {
        return Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState());
    }

    private Integer failed() {
        try {
            away.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw new IllegalStateException("the database is away");
    }

    @Test
    void nobodyWaitsForLongForAnAnswerThatSomebodyElseReads() throws Exception {
        Briefly<String, Integer> shared = new Briefly<>(Duration.ofMillis(1), (value, took) -> LONG);
        CountDownLatch asking = new CountDownLatch(1);
        CompletableFuture<Integer> first = CompletableFuture.supplyAsync(
                () -> shared.get("", () -> {
                    asking.countDown();
                    return failed();
                }),
                viewers);
        asking.await();

        assertThatThrownBy(() -> shared.get("", reads::incrementAndGet))
                .isInstanceOf(Problem.class)
                .hasMessageContaining("try again soon");

        assertThat(first).isNotDone();
        assertThat(reads).hasValue(0);
    }
}
