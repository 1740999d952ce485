package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@PostgresTest(freshPerTest = true, migrated = true)
class DoneByQueueTest {

    private static final Duration INTERVAL = Duration.ofMinutes(10);

    private final Rooms rooms;

    DoneByQueueTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        day("2020-01-01");
        day("2020-01-02");
    }

    @Test
    void oneNodeIndexesADayAtATimeAndRestsBetweenThem() {
        Chore one = chore();
        Chore other = chore();

        Duration rest = one.runOnce();

        assertThat(indexes()).isOne();
        assertThat(rest).isPositive().isNotEqualTo(INTERVAL);
        rooms.execute("UPDATE rowlock.chore SET due_at = now() + interval '1 minute' WHERE name = 'index of done'");
        assertThat(other.runOnce()).as("another node has the chore").isEqualTo(INTERVAL);
        assertThat(indexes()).isOne();

        due();
        other.runOnce();
        assertThat(indexes()).isEqualTo(2);
        due();
        assertThat(one.runOnce()).as("nothing is left").isEqualTo(INTERVAL);
    }

    private Chore chore() {
        return Cleanup.chores(rooms.database(), RetentionSettings.DEFAULT).stream()
                .filter(chore -> chore.name().equals("index of done"))
                .findFirst()
                .orElseThrow();
    }

    private void due() {
        rooms.execute(
                "UPDATE rowlock.chore SET taken_at = now() - interval '1 day', due_at = now() - interval '1 hour' WHERE name = 'index of done'");
    }

    private long indexes() {
        return rooms.number("SELECT count(*) FROM pg_class WHERE relname LIKE 'done%by\\_queue'");
    }

    private void day(String day) {
        rooms.execute("""
                CREATE TABLE rowlock.done_%1$s PARTITION OF rowlock.done
                FOR VALUES FROM ('%2$s 00:00+00') TO (timestamptz '%2$s 00:00+00' + interval '24 hours')
                """.formatted(day.replace("-", ""), day));
    }
}
