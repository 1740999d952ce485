package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class ReachedPlacesTest {

    private final Rooms rooms;
    private final Chore chore;

    ReachedPlacesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        chore = chore();
    }

    @Test
    void oneNodeRemovesOldPlacesOnceAMinute() {
        reached("10 s");
        reached("61 s");
        reached("1 day");
        reached("-1 hour"); // the clock was set back

        chore.runOnce();
        assertThat(rooms.count("reached")).isEqualTo(1);

        reached("61 s");
        chore.runOnce();
        assertThat(rooms.count("reached")).as("not again within the minute").isEqualTo(2);
    }

    private void reached(String ago) {
        rooms.execute("INSERT INTO rowlock.reached VALUES ('mail', clock_timestamp() - interval '%s', now(), 1, 0)"
                .formatted(ago));
    }

    private Chore chore() {
        return Cleanup.chores(rooms.database(), RetentionSettings.DEFAULT).stream()
                .filter(chore -> chore.name().equals("reached places"))
                .findFirst()
                .orElseThrow();
    }
}
