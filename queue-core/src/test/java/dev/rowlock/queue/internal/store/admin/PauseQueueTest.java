package dev.rowlock.queue.internal.store.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

@PostgresTest
class PauseQueueTest {

    private final Rooms rooms;
    private final PauseQueue queues;

    PauseQueueTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        queues = new PauseQueue(rooms.database());
    }

    @Test
    void pausedQueuesAreThoseThatWerePausedAndNotResumed() {
        queues.pause("mail");
        queues.pause("print");
        queues.resume("mail");
        queues.resume("never-paused");

        assertThat(queues.paused()).containsExactly("print");
    }

    @Test
    void pausingAgainKeepsTheTimeOfTheFirst() {
        queues.pause("mail");
        rooms.execute("UPDATE rowlock.queue SET paused_at = paused_at - interval '1 hour'");

        queues.pause("mail");

        assertThat(rooms.truth("SELECT paused_at < statement_timestamp() - interval '59 min' FROM rowlock.queue"))
                .isTrue();
    }
}
