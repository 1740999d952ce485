package dev.rowlock.queue.internal.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.cleanup.Leftovers;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class FreeKeysTest {

    private final Rooms rooms;
    private final FreeKeys chore;

    FreeKeysTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        chore = chore();
    }

    @Test
    void aRoundRemovesAllFreeKeysAStretchAtATime() {
        freeKeys(2_500);

        assertThat(chore.runOnce()).as("a stretch at a time").isLessThan(Duration.ofMinutes(1));
        assertThat(rooms.count("unique_key")).isEqualTo(1_500);

        chore.runOnce();
        assertThat(chore.runOnce()).as("until the next round").isGreaterThanOrEqualTo(Duration.ofMinutes(1));
        assertThat(rooms.count("unique_key")).isZero();
    }

    @Test
    void oneNodeAtATimeBeginsARound() {
        freeKeys(2_500);
        FreeKeys other = chore();

        chore.runOnce();
        other.runOnce();
        assertThat(rooms.count("unique_key")).isEqualTo(1_500);

        rooms.execute("UPDATE rowlock.chore SET due_at = due_at - interval '1 hour'");
        other.runOnce();
        assertThat(rooms.count("unique_key")).isEqualTo(500);
    }

    private FreeKeys chore() {
        return new FreeKeys(new TakeChore(rooms.database()), new Leftovers(rooms.database()));
    }

    private void freeKeys(int count) {
        rooms.execute("INSERT INTO rowlock.unique_key SELECT 'send', 'k' || i, -i FROM generate_series(1, %d) i"
                .formatted(count));
    }
}
