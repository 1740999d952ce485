package dev.rowlock.queue.internal.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

@PostgresTest(freshPerTest = true, migrated = true)
class CountRunningJobsTest {

    private final Rooms rooms;
    private final LimitStatements limits;

    CountRunningJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        limits = new LimitStatements(rooms.database());
    }

    @Test
    void jobsThatRunAlreadyCountAgainstANewLimitOfTheirQueue() {
        rooms.running(3);
        assertThat(limits.countRunning()).isZero();
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, max_running) VALUES ('mail', 2)");

        assertThat(limits.countRunning()).isEqualTo(3);

        assertThat(rooms.number("SELECT count(*) FROM rowlock.running WHERE gate = ''"))
                .isEqualTo(3);
        assertThat(limits.countRunning()).isZero();
    }

    /** Its claims count them. */
    @Test
    void jobsOfAQueueWhoseLockSomebodyHasAreLeftAlone() throws SQLException {
        rooms.running(3);
        rooms.execute("UPDATE rowlock.running SET queue = 'other' WHERE id = (SELECT min(id) FROM rowlock.running)");
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, max_running_per_key) VALUES ('mail', 2), ('other', 2)");

        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            JdbcClient.create(claiming.database().dataSource())
                    .sql("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))")
                    .param(LimitStatements.lock(rooms.database().schema(), "mail"))
                    .query()
                    .listOfRows();
            assertThat(limits.countRunning()).isOne();
        }

        assertThat(limits.countRunning()).isEqualTo(2);
    }

    @Test
    void anOldLimitHasCountedThemAll() {
        rooms.running(1);
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, max_running, changed_at) VALUES ('mail', 2, now() - interval '2 hours')");

        assertThat(limits.countRunning()).isZero();
    }
}
