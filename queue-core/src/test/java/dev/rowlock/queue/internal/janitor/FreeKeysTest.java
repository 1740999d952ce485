package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class FreeKeysTest {

    private final Rooms rooms;
    private final Chore chore;

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
        Chore other = chore();

        chore.runOnce();
        other.runOnce();
        assertThat(rooms.count("unique_key")).isEqualTo(1_500);

        rooms.execute("UPDATE rowlock.chore SET due_at = due_at - interval '1 hour'");
        other.runOnce();
        assertThat(rooms.count("unique_key")).isEqualTo(500);
    }

    private Chore chore() {
        return Cleanup.chores(rooms.database(), RetentionSettings.DEFAULT).stream()
                .filter(chore -> chore.name().equals("free unique keys"))
                .findFirst()
                .orElseThrow();
    }

    private void freeKeys(int count) {
        rooms.execute("INSERT INTO rowlock.unique_key SELECT 'send', 'k' || i, -i FROM generate_series(1, %d) i"
                .formatted(count));
    }
}
