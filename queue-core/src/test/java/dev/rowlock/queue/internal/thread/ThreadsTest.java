package dev.rowlock.queue.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ThreadsTest {

    private static final InheritableThreadLocal<String> WHO = new InheritableThreadLocal<>();

    private record Found(@Nullable String who, ClassLoader loader, int priority) {}

    static Stream<ThreadFactory> factories() {
        AtomicReference<Runnable> endless = new AtomicReference<>();
        EndlessTask loop = new EndlessTask("endless", () -> endless.get().run());
        ThreadFactory ofEndless = task -> {
            endless.set(() -> {
                loop.end();
                task.run();
            });
            return loop.thread();
        };
        Stream<ThreadFactory> platform =
                Stream.of(Threads.daemon("daemon"), Threads.handlers("handlers", false), ofEndless);
        return Stream.concat(
                platform,
                IntStream.range(21, Runtime.version().feature() + 1)
                        .limit(1)
                        .mapToObj(version -> Threads.handlers("virtual", true)));
    }

    /** Such as a web request whose enqueue needs one more thread. */
    @ParameterizedTest
    @MethodSource("factories")
    void aThreadHasNothingOfWhoeverNeedsIt(ThreadFactory factory) throws Exception {
        Thread me = Thread.currentThread();
        ClassLoader mine = me.getContextClassLoader();
        int priority = me.getPriority();
        CompletableFuture<Found> found = new CompletableFuture<>();
        Runnable look = () -> found.complete(new Found(
                WHO.get(),
                Thread.currentThread().getContextClassLoader(),
                Thread.currentThread().getPriority()));
        try (URLClassLoader theirs = new URLClassLoader(new URL[0], mine)) {
            WHO.set("alice");
            me.setPriority(Thread.MIN_PRIORITY);
            me.setContextClassLoader(theirs);
            factory.newThread(look).start();

            assertThat(found.get(1, TimeUnit.MINUTES)).isEqualTo(new Found(null, mine, Thread.NORM_PRIORITY));
        } finally {
            WHO.remove();
            me.setContextClassLoader(mine);
            me.setPriority(priority);
        }
    }
}
