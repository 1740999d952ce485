package dev.rowlock.queue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Times are moved in the row rather than waited for. */
@PostgresTest
class TakeChoreTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final Rooms rooms;
    private final TakeChore chore;

    TakeChoreTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        chore = new TakeChore(rooms.database());
    }

    @Test
    void aChoreIsTakenOnceInAnInterval() {
        assertThat(chore.run("sweep", HOUR)).isTrue();
        assertThat(chore.run("sweep", HOUR)).isFalse();
        assertThat(chore.run("count", HOUR)).isTrue();

        clockMovesBy("1 hour 1 second");

        assertThat(chore.run("sweep", HOUR)).isTrue();
        assertThat(chore.run("sweep", HOUR)).isFalse();
    }

    @Test
    void aChoreThatWasTakenBeforeTheClockWasSetBackIsDue() {
        chore.run("sweep", HOUR);

        clockMovesBy("-1 minute");

        assertThat(chore.run("sweep", HOUR)).isTrue();
        assertThat(chore.run("sweep", HOUR)).isFalse();
    }

    @Test
    void aChoreThatIsKeptIsNotDueBefore() {
        chore.run("sweep", Duration.ofMinutes(1));

        chore.keep("sweep", HOUR);

        clockMovesBy("59 minutes");
        assertThat(chore.run("sweep", HOUR)).isFalse();
    }

    @Test
    void aChoreThatIsGivenBackIsDue() {
        chore.run("sweep", HOUR);

        chore.giveBack("sweep");

        assertThat(chore.run("sweep", HOUR)).isTrue();
    }

    @Test
    void whoHadToWaitForAnotherOneThatTookItDoesNotTakeItToo() throws Exception {
        chore.run("sweep", HOUR);
        clockMovesBy("2 hours");

        boolean theirs;
        CompletableFuture<Boolean> ours;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            other.database().alone(connection -> {
                try (var statement = connection.createStatement()) {
                    return statement.execute("SELECT FROM rowlock.chore FOR UPDATE");
                }
            });
            ours = CompletableFuture.supplyAsync(() -> chore.run("sweep", HOUR));
            rooms.awaitBlocked();
            theirs = new TakeChore(other.database()).run("sweep", HOUR); // after ours began
            other.commit();
        }

        assertThat(theirs).isTrue();
        assertThat(ours.get()).isFalse();
    }

    /** As if so much time had passed, or the clock had been set. */
    private void clockMovesBy(String interval) {
        rooms.execute(
                "UPDATE rowlock.chore SET taken_at = taken_at - interval '%1$s', due_at = due_at - interval '%1$s'"
                        .formatted(interval));
    }
}
