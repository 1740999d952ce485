package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of that which lies on the thread of a web request, say, that enqueues. */
@PostgresTest(migrated = true)
class EnqueuingThreadTest {

    record Greeting(String to) {}

    @JobType(value = "bill", queue = "later")
    record Bill(int amount) {}

    private record Found(@Nullable String who, ClassLoader loader) {}

    private static final InheritableThreadLocal<String> WHO = new InheritableThreadLocal<>();

    private final Rowlocks rowlocks = new Rowlocks();

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    /** The first job of a queue that rests begets its threads. */
    @Test
    void neitherAHandlerNorWhoClaimsInheritsAnythingOfIt(TestDatabase database) throws Exception {
        CompletableFuture<Found> found = new CompletableFuture<>();
        ClassLoader mine = Thread.currentThread().getContextClassLoader();
        Rowlock rowlock = rowlocks.started(quick(database.dataSource())
                .listener(Greeting.class, (greeting, job) -> {})
                .listener(
                        Bill.class,
                        (bill, job) -> found.complete(
                                new Found(WHO.get(), Thread.currentThread().getContextClassLoader()))));

        try (URLClassLoader theirs = new URLClassLoader(new URL[0], mine)) {
            Thread request = new Thread(() -> {
                WHO.set("alice");
                Thread.currentThread().setContextClassLoader(theirs);
                rowlock.jobs().enqueue(new Bill(1));
            });
            request.start();
            request.join();

            assertThat(found.get(1, TimeUnit.MINUTES)).isEqualTo(new Found(null, mine));
            assertThat(Thread.getAllStackTraces().keySet())
                    .filteredOn(thread -> thread.getName().equals("rowlock-fetcher-later"))
                    .singleElement()
                    .satisfies(claiming ->
                            assertThat(claiming.getContextClassLoader()).isSameAs(mine));
        }
    }
}
