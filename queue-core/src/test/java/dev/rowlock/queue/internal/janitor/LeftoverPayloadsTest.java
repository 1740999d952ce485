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
class LeftoverPayloadsTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final Rooms rooms;
    private final Chore chore;

    LeftoverPayloadsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        chore = chore();
    }

    @Test
    void aRoundRemovesAllLeftoversAStretchAtATimeAndTheNextComesSoon() {
        leftovers(500);

        assertThat(chore.runOnce()).as("a stretch at a time").isLessThan(MINUTE);
        assertThat(rooms.count("payload")).isEqualTo(300);

        chore.runOnce();
        assertThat(chore.runOnce()).as("until the next round").isEqualTo(MINUTE);
        assertThat(rooms.count("payload")).isZero();
        assertThat(minutesToGo()).isEqualTo(1);
    }

    @Test
    void afterARoundThatFoundNothingTheNextOneComesLater() {
        rooms.large(3, 5_000);

        assertThat(chore.runOnce()).isEqualTo(Duration.ofMinutes(10));

        assertThat(rooms.count("payload")).isEqualTo(3);
        assertThat(minutesToGo()).as("for all nodes").isEqualTo(10);
    }

    @Test
    void oneNodeKeepsTheChoreForAWholeRound() {
        leftovers(500);
        Chore other = chore();

        chore.runOnce();
        rooms.execute("UPDATE rowlock.chore SET due_at = statement_timestamp()");
        chore.runOnce();
        other.runOnce();
        assertThat(rooms.count("payload")).isEqualTo(100);

        rooms.execute("UPDATE rowlock.chore SET due_at = due_at - interval '1 hour'");
        other.runOnce();
        assertThat(rooms.count("payload")).as("after its node went away").isZero();
    }

    private Chore chore() {
        return Cleanup.chores(rooms.database(), RetentionSettings.DEFAULT).stream()
                .filter(chore -> chore.name().equals("leftover payloads"))
                .findFirst()
                .orElseThrow();
    }

    private void leftovers(int count) {
        rooms.execute(
                "INSERT INTO rowlock.payload SELECT -i, 6, '\"left\"' FROM generate_series(1, %d) i".formatted(count));
    }

    private long minutesToGo() {
        return rooms.number(
                "SELECT ceil(extract(epoch FROM due_at - clock_timestamp()) / 60)::bigint FROM rowlock.chore");
    }
}
