package dev.rowlock.queue.test.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenDatabasesTest {

    private final OpenDatabases open = new OpenDatabases();

    @Test
    void waitsForTheLastToBeClosed() throws Exception {
        open.add("a");
        open.add("b");
        CompletableFuture<Set<String>> left = CompletableFuture.supplyAsync(() -> await(Duration.ofMinutes(1)));

        open.remove("a");
        assertThat(left).isNotDone();
        open.remove("b");

        assertThat(left.get(30, TimeUnit.SECONDS)).isEmpty();
    }

    @Test
    void namesDatabasesThatNobodyClosesInTime() {
        open.add("forgotten");

        assertThat(await(Duration.ofMillis(1))).containsExactly("forgotten");
    }

    private Set<String> await(Duration limit) {
        try {
            return open.awaitNone(limit);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
