package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.ServerClock;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

@PostgresTest(freshPerTest = true, migrated = true)
class RetentionTest {

    private static final RetentionSettings NONE = new RetentionSettings(Duration.ZERO, Duration.ofDays(1));
    private static final RetentionSettings WEEK = new RetentionSettings(Duration.ofDays(7), null);

    private final Rooms rooms;

    RetentionTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    @Test
    void theLongestRetentionOfAllNodesOfTheLastTwoDaysWins() {
        partitionOfDaysAgo(rooms, 3);
        deadFor("3 days", 1);
        Retention ofNone = retention(rooms, NONE);
        retention(rooms, WEEK).runOnce();

        again();
        ofNone.runOnce();
        assertThat(agedPartitions(rooms)).isEqualTo(1);
        assertThat(rooms.count("dead")).isEqualTo(1);

        rooms.execute("UPDATE rowlock.retention SET stated_at = stated_at - interval '49 hours'");
        again();
        ofNone.runOnce();
        assertThat(agedPartitions(rooms)).isZero();
        assertThat(rooms.count("dead")).isZero();
    }

    @Test
    void cancelledJobsStayForADayWhereDoneJobsAreNotKept() {
        partitionOfDaysAgo(rooms, 1);
        partitionOfDaysAgo(rooms, 2);

        retention(rooms, NONE).runOnce();

        assertThat(agedPartitions(rooms)).isEqualTo(1);
    }

    @Test
    void aDayThatCannotBeDroppedKeepsNoOtherDayAndNoDeadJob() {
        partitionOfDaysAgo(rooms, 30);
        partitionOfDaysAgo(rooms, 20);
        deadFor("30 days", 1);
        rooms.execute("""
                DO $$
                BEGIN
                    EXECUTE format('CREATE VIEW public.report AS SELECT * FROM rowlock.%I',
                        (SELECT min(relname) FROM pg_class WHERE relname ~ '^done_[0-9]{8}$'));
                END $$
                """);
        Retention retention = retention(rooms, NONE);

        try (LogLines log = new LogLines(Retention.class.getName())) {
            retention.runOnce();
            again();
            retention.runOnce();

            assertThat(agedPartitions(rooms)).isEqualTo(1);
            assertThat(rooms.count("dead")).isZero();
            assertThat(log.lines())
                    .filteredOn(line -> line.startsWith("WARN"))
                    .singleElement()
                    .asString()
                    .contains("cannot drop rowlock.done_");
        }
        rooms.execute("DROP VIEW public.report");
        again();
        retention.runOnce();
        assertThat(agedPartitions(rooms)).isZero();
    }

    @Test
    void deadJobsAreDiscardedEvenIfNoPartitionCanBeLookedFor() {
        deadFor("30 days", 1);
        rooms.execute("ALTER TABLE rowlock.done RENAME TO moved");
        Retention retention = retention(rooms, NONE);

        assertThatThrownBy(retention::runOnce).isInstanceOf(DataAccessException.class);

        assertThat(rooms.count("dead")).isZero();
    }

    @Test
    void aRetentionThatFailsGoesOnFailingAndLooksLikeNoSuccess() {
        rooms.execute("ALTER TABLE rowlock.done RENAME TO moved");
        Retention retention = retention(rooms, NONE);
        assertThatThrownBy(retention::runOnce).isInstanceOf(DataAccessException.class);

        assertThatThrownBy(retention::runOnce).isInstanceOf(DataAccessException.class);

        rooms.execute("ALTER TABLE rowlock.moved RENAME TO done");
        assertThat(retention.runOnce()).isEqualTo(Duration.ofMinutes(10));
    }

    @Test
    void oneNodeDropsPartitionsForAll() {
        Retention ofAnother = retention(rooms, WEEK);
        retention(rooms, WEEK).runOnce();
        partitionOfDaysAgo(rooms, 30);

        ofAnother.runOnce();
        assertThat(agedPartitions(rooms)).isEqualTo(1);

        again();
        ofAnother.runOnce();
        assertThat(agedPartitions(rooms)).isZero();
    }

    @Test
    void manyDeadJobsAreDiscardedInSeveralTurns() {
        deadFor("3 days", 25_000);
        Retention retention = retention(rooms, NONE);

        Duration untilTheRest = retention.runOnce();

        assertThat(rooms.count("dead")).isEqualTo(5_000);
        assertThat(untilTheRest).isEqualTo(Duration.ofSeconds(10));
        again();
        assertThat(retention.runOnce()).isEqualTo(Duration.ofMinutes(10));
        assertThat(rooms.count("dead")).isZero();
    }

    @Test
    void aClockThatIsSetForwardByWeeksDropsNothing() {
        try (ServerClock clock = ServerClock.openOrSkip();
                EmbeddedServer server = EmbeddedServer.start(Map.of(), clock);
                TestDatabase database = server.newDatabase()) {
            Rooms there = Rooms.emptyIn(database);
            Retention retention = retention(there, WEEK);
            Retention ofAnother = retention(there, WEEK);
            partitionOfDaysAgo(there, 1);
            retention.runOnce();

            clock.set(Duration.ofDays(30));
            retention.runOnce();
            ofAnother.runOnce();
            clock.set(Duration.ofDays(30).plusHours(20));
            retention.runOnce();
            ofAnother.runOnce();

            assertThat(agedPartitions(there)).isEqualTo(1);
        }
    }

    @Test
    void aNodeWhoseClockDiffersByADayDropsNothingAndKeepsNoOtherFromIt() {
        partitionOfDaysAgo(rooms, 30);
        deadFor("30 days", 1);

        for (int days : new int[] {-2, 2}) {
            retention(rooms, NONE, Clock.offset(Clock.systemUTC(), Duration.ofDays(days)))
                    .runOnce();
        }
        assertThat(agedPartitions(rooms)).isEqualTo(1);
        assertThat(rooms.count("dead")).isEqualTo(1);

        retention(rooms, NONE, Clock.offset(Clock.systemUTC(), Duration.ofHours(23)))
                .runOnce();
        assertThat(agedPartitions(rooms)).isZero();
        assertThat(rooms.count("dead")).isZero();
    }

    private static Retention retention(Rooms rooms, RetentionSettings settings) {
        return retention(rooms, settings, Clock.systemUTC());
    }

    private static Retention retention(Rooms rooms, RetentionSettings settings, Clock clock) {
        return new Retention(
                settings,
                new TakeChore(rooms.database()),
                new AgreeRetention(rooms.database()),
                new DropDonePartitions(rooms.database()),
                new JobStatements(rooms.database()),
                clock);
    }

    /** The chore is due. */
    private void again() {
        rooms.execute("UPDATE rowlock.chore SET due_at = taken_at");
    }

    private void deadFor(String time, int jobs) {
        rooms.execute("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type)
                SELECT nextval('rowlock.job_id'), statement_timestamp() - interval '%s', statement_timestamp(), 0, 1, 0, 'dead', 'mail', 'send'
                  FROM generate_series(1, %d)
                """.formatted(time, jobs));
    }

    private static void partitionOfDaysAgo(Rooms rooms, int days) {
        rooms.execute("""
                DO $$
                DECLARE day CONSTANT timestamp := date_trunc('day', statement_timestamp() AT TIME ZONE 'UTC') - interval '%d days';
                BEGIN
                    EXECUTE format('CREATE TABLE rowlock.done_%%s PARTITION OF rowlock.done FOR VALUES FROM (%%L) TO (%%L)',
                        to_char(day, 'YYYYMMDD'), day AT TIME ZONE 'UTC', (day + interval '1 day') AT TIME ZONE 'UTC');
                END $$
                """.formatted(days));
    }

    /** Of days before the true one. */
    private static long agedPartitions(Rooms rooms) {
        return rooms.number("""
                SELECT count(*) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                 WHERE i.inhparent = 'rowlock.done'::regclass AND c.relname < 'done_%s'
                """.formatted(java.time.LocalDate.now(java.time.ZoneOffset.UTC)
                .format(java.time.format.DateTimeFormatter.BASIC_ISO_DATE)));
    }
}
