package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.ClusterStatements;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** The chores that keep tables small and measure them, as a node runs them. */
@PostgresTest(freshPerTest = true, migrated = true)
class CleanupTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    private final Rooms rooms;

    CleanupTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
    }

    private Chore chore(String name) {
        return Cleanup.chores(rooms.database(), RetentionSettings.DEFAULT).stream()
                .filter(chore -> chore.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    // Walks through tables

    @Test
    void aRoundRemovesAllLeftoversAStretchAtATimeAndTheNextComesSoon() {
        leftovers(500);
        Chore chore = chore("leftover payloads");

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

        assertThat(chore("leftover payloads").runOnce()).isEqualTo(TEN_MINUTES);

        assertThat(rooms.count("payload")).isEqualTo(3);
        assertThat(minutesToGo()).as("for all nodes").isEqualTo(10);
    }

    @Test
    void oneNodeKeepsTheChoreForAWholeRound() {
        leftovers(500);
        Chore one = chore("leftover payloads");
        Chore other = chore("leftover payloads");

        one.runOnce();
        rooms.execute("UPDATE rowlock.chore SET due_at = statement_timestamp()");
        one.runOnce();
        other.runOnce();
        assertThat(rooms.count("payload")).isEqualTo(100);

        rooms.execute("UPDATE rowlock.chore SET due_at = due_at - interval '1 hour'");
        other.runOnce();
        assertThat(rooms.count("payload")).as("after its node went away").isZero();
    }

    private void leftovers(int count) {
        rooms.execute(
                "INSERT INTO rowlock.payload SELECT -i, 6, '\"left\"' FROM generate_series(1, %d) i".formatted(count));
    }

    private long minutesToGo() {
        return rooms.number(
                "SELECT ceil(extract(epoch FROM due_at - clock_timestamp()) / 60)::bigint FROM rowlock.chore");
    }

    @Test
    void freeKeysAreRemoved() {
        rooms.execute("INSERT INTO rowlock.unique_key VALUES ('send', 'k', -1, NULL)");

        chore("free unique keys").runOnce();

        assertThat(rooms.count("unique_key")).isZero();
    }

    // What one node does for all

    @Test
    void oneNodeRemovesOldPlacesOnceAMinute() {
        Chore chore = chore("reached places");
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

    @Test
    void oneNodeIndexesADayAtATimeAndRestsBetweenThem() {
        day("2020-01-01");
        day("2020-01-02");
        Chore one = chore("index of done");
        Chore other = chore("index of done");

        Duration rest = one.runOnce();

        assertThat(indexes()).isOne();
        assertThat(rest).isPositive().isNotEqualTo(TEN_MINUTES);
        rooms.execute("UPDATE rowlock.chore SET due_at = now() + interval '1 minute' WHERE name = 'index of done'");
        assertThat(other.runOnce()).as("another node has the chore").isEqualTo(TEN_MINUTES);
        assertThat(indexes()).isOne();

        due();
        other.runOnce();
        assertThat(indexes()).isEqualTo(2);
        due();
        assertThat(one.runOnce()).as("nothing is left").isEqualTo(TEN_MINUTES);
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

    // Measurements

    @Test
    void aLockedTableHoldsUpNoMeasurementAndFiguresAreYoungOnceItIsFree() throws SQLException {
        rooms.ready();
        Chore measurement = chore("depth");
        try (OpenTransaction somebody = new OpenTransaction(rooms.database())) {
            somebody.database().alone(connection -> {
                try (Statement statement = connection.createStatement()) {
                    return statement.execute(rooms.database().sql("LOCK TABLE rowlock.ready IN ACCESS EXCLUSIVE MODE"));
                }
            });

            assertThatThrownBy(measurement::runOnce)
                    .isInstanceOf(DataAccessException.class)
                    .hasMessageContaining("lock timeout");
        }

        Duration rest = measurement.runOnce();

        assertThat(new ClusterStatements(rooms.database()).depths()).hasSize(1);
        assertThat(rest).isLessThanOrEqualTo(MINUTE);
    }
}
