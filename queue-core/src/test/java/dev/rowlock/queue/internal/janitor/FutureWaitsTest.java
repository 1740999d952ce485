package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.due.FutureWaits;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.due.RestartWaits;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** The server's clock was set back by an hour. */
@PostgresTest(freshPerTest = true, migrated = true)
class FutureWaitsTest {

    private static final Duration AN_HOUR = Duration.ofHours(1);

    private final Rooms rooms;
    private final FutureWaits chore;
    private final List<Long> jobs;

    FutureWaitsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        chore = new FutureWaits(new RestartWaits(rooms.database()), Wakeups.NONE);
        jobs = LongStream.range(0, 20)
                .map(i -> rooms.waiting(Due.after(AN_HOUR)))
                .boxed()
                .toList();
        rooms.execute(
                "UPDATE rowlock.waiting SET since = since + interval '1 hour', due_at = due_at + interval '1 hour'");
    }

    @Test
    void oneWaitThatCannotBeginAnewDoesNotHoldUpTheOthers() {
        rooms.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.id IN (%d, %d) THEN RAISE EXCEPTION 'not this one'; END IF;
                    RETURN NEW;
                END $$
                """.formatted(jobs.get(6), jobs.get(19)));
        rooms.execute("CREATE TRIGGER refuse BEFORE UPDATE ON rowlock.waiting FOR EACH ROW EXECUTE FUNCTION refuse()");

        walk();

        assertThat(late()).containsExactly(jobs.get(6), jobs.get(19));
    }

    @Test
    void noJobIsPassedOverForAFailureThatConcernsNoSingleJob() {
        rooms.execute("ALTER TABLE rowlock.waiting RENAME TO gone");
        assertThatThrownBy(chore::runOnce).isInstanceOf(DataAccessException.class);
        rooms.execute("ALTER TABLE rowlock.gone RENAME TO waiting");

        walk();

        assertThat(late()).isEmpty();
    }

    private void walk() {
        Duration rest = Duration.ZERO;
        while (rest.isZero()) {
            rest = chore.runOnce();
        }
    }

    private List<Long> late() {
        return rooms.sql("SELECT id FROM rowlock.waiting WHERE since > statement_timestamp() ORDER BY id")
                .query(Long.class)
                .list();
    }
}
