package dev.rowlock.queue.internal.store.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

@PostgresTest(freshPerTest = true, migrated = true)
class CountRunningJobsTest {

    private final Rooms rooms;
    private final CountRunningJobs count;

    CountRunningJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        count = new CountRunningJobs(rooms.database());
    }

    @Test
    void jobsThatRunAlreadyCountAgainstANewLimitOfTheirQueue() {
        rooms.running(3);
        assertThat(count.run()).isZero();
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, max_running) VALUES ('mail', 2)");

        assertThat(count.run()).isEqualTo(3);

        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE gate = ''"))
                .isEqualTo(3);
        assertThat(count.run()).isZero();
    }

    @Test
    void anOldLimitHasCountedThemAll() {
        rooms.running(1);
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running, changed_at) VALUES ('mail', 2, now() - interval '2 hours')");

        assertThat(count.run()).isZero();
    }
}
