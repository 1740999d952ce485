package dev.rowlock.queue.internal.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.claim.RemoveReached;
import dev.rowlock.queue.internal.store.node.TakeChore;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class ReachedPlacesTest {

    private final Rooms rooms;
    private final ReachedPlaces chore;

    ReachedPlacesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        chore = new ReachedPlaces(new TakeChore(rooms.database()), new RemoveReached(rooms.database()));
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
}
