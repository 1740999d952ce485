package dev.rowlock.queue.internal.chore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The tests move the times in the row instead of waiting. */
@PostgresTest(migrated = true)
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
    void aChoreThatIsKeptIsNotDueBeforeItsTime() {
        chore.run("sweep", Duration.ofMinutes(1));

        chore.keep("sweep", HOUR);

        clockMovesBy("59 minutes");
        assertThat(chore.run("sweep", HOUR)).isFalse();
    }

    @Test
    void aChoreThatFailsIsDue() {
        chore.run("sweep", HOUR);

        assertThatThrownBy(() -> chore.orGiveBack("sweep", () -> {
                    throw new IllegalStateException("planted");
                }))
                .hasMessage("planted");

        assertThat(chore.run("sweep", HOUR)).isTrue();
        assertThat(chore.orGiveBack("sweep", () -> "swept")).isEqualTo("swept");
        assertThat(chore.run("sweep", HOUR)).isFalse();
    }

    @Test
    void aNodeThatWaitedWhileAnotherTookTheChoreDoesNotTakeItToo() throws Exception {
        chore.run("sweep", HOUR);
        clockMovesBy("2 hours");

        CompletableFuture<Boolean> ours;
        try (Connection other = rooms.database().dataSource().getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM rowlock.chore FOR UPDATE");
            ours = CompletableFuture.supplyAsync(() -> chore.run("sweep", HOUR));
            rooms.awaitBlocked();
            statement.execute(
                    "UPDATE rowlock.chore SET taken_at = clock_timestamp(), due_at = clock_timestamp() + interval '1 hour'");
            other.commit(); // taken after ours began
            other.setAutoCommit(true);
        }

        assertThat(ours.get()).isFalse();
    }

    /** As if so much time had passed, or the clock had been set. */
    private void clockMovesBy(String interval) {
        rooms.execute(
                "UPDATE rowlock.chore SET taken_at = taken_at - interval '%1$s', due_at = due_at - interval '%1$s'"
                        .formatted(interval));
    }
}
