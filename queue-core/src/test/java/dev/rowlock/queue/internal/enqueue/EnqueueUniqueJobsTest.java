package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs.Placed;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;

@PostgresTest(migrated = true)
@Representative
class EnqueueUniqueJobsTest {

    private static final UniqueKey KEY = UniqueKey.of("order-42");
    private static final Due LATER = Due.after(Duration.ofDays(1));

    private final TestDatabase test;
    private final Rooms rooms;

    EnqueueUniqueJobsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
    }

    // Who holds a key

    @Test
    void aJobHoldsItsKeyInEachRoomWhereItMayStillRun() {
        long id = rooms.unique(List.of(Rooms.job(KEY, LATER))).get(0).id();
        assertHeldBy(id, "waiting");

        rooms.execute("UPDATE rowlock.waiting SET due_at = statement_timestamp()");
        new DispatchDueJobs(rooms.database()).run(10);
        assertHeldBy(id, "ready");

        ClaimedJob first = rooms.claim(rooms.node(), 1).get(0);
        assertHeldBy(id, "running");

        defer(first, "retry", Rooms.error("it failed"));
        assertHeldBy(id, "waiting");

        new DispatchDueJobs(rooms.database()).run(10);
        ClaimedJob second = rooms.claim(rooms.node(), 1).get(0);
        defer(second, "snooze", null);
        assertHeldBy(id, "waiting");

        new DispatchDueJobs(rooms.database()).run(10);
        ClaimedJob third = rooms.claim(rooms.node(), 1).get(0);
        new JobStatements(rooms.database()).requestCancel(id, null);
        assertHeldBy(id, "running");

        new OutcomeStatements(rooms.database(), true).release(List.of(third.claim()));
        assertThat(rooms.unique(KEY).id())
                .as("cancelled when it was given back")
                .isNotEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theKeyOfACompletedJobIsFreeWhetherDoneJobsAreKeptOrNot(boolean kept) {
        long first = rooms.complete(rooms.running(KEY), kept);

        Placed second = rooms.unique(KEY);

        assertThat(second.created()).isTrue();
        assertThat(second.id()).isNotEqualTo(first);
        assertHeldBy(second.id(), "ready");
    }

    @Test
    void theKeyOfACancelledJobIsFree() {
        new JobStatements(rooms.database()).cancelIdle(rooms.unique(KEY).id(), null);

        assertThat(rooms.unique(KEY).created()).isTrue();
    }

    @Test
    void theKeyOfADeadJobIsFreeAndARedriveRunsItBesideTheNewHolder() {
        ClaimedJob dead = rooms.running(KEY);
        rooms.bury(dead.claim());

        Placed second = rooms.unique(KEY);
        boolean redriven = new JobStatements(rooms.database()).redrive(dead.id(), null);

        assertThat(second.created()).isTrue();
        assertThat(redriven).isTrue();
        assertThat(rooms.roomsOf(dead.id())).containsExactly("waiting");
        assertHeldBy(second.id(), "ready");
    }

    @Test
    void aKeyThatIsHeldLongerOutlivesItsJobUntilThatTimeOnTheDatabasesClock() {
        long first = rooms.complete(rooms.running(KEY.atLeast(Duration.ofHours(1))), false);

        assertThat(rooms.unique(KEY)).isEqualTo(new Placed(first, false));
        assertThat(rooms.truth("""
                        SELECT held_until BETWEEN statement_timestamp() + interval '59 min'
                                              AND statement_timestamp() + interval '60 min' FROM rowlock.unique_key
                        """)).isTrue();

        rooms.execute("UPDATE rowlock.unique_key SET held_until = held_until - interval '59 min'");
        assertThat(rooms.unique(KEY)).isEqualTo(new Placed(first, false));

        rooms.execute("UPDATE rowlock.unique_key SET held_until = held_until - interval '1 min'");
        assertThat(rooms.unique(KEY).created()).isTrue();
        assertThat(rooms.truth("SELECT held_until IS NULL FROM rowlock.unique_key"))
                .as("the new holder's time counts now")
                .isTrue();
    }

    @Test
    void aLiveJobHoldsItsKeyBeyondTheTimeThatWasAskedFor() {
        long first = rooms.unique(List.of(Rooms.job(KEY.atLeast(Duration.ofHours(1)), LATER)))
                .get(0)
                .id();
        rooms.execute("UPDATE rowlock.unique_key SET held_until = held_until - interval '2 h'");

        assertThat(rooms.unique(KEY)).isEqualTo(new Placed(first, false));
    }

    @Test
    void typesDoNotShareTheirKeysAndKeysAreComparedByTheirCharacters() {
        List<NewJob> jobs = List.of(
                Rooms.job(KEY, null),
                new NewJob("mail", "print", 0, null, null, null, "{}", null, KEY),
                Rooms.job(UniqueKey.of("ORDER-42"), null),
                Rooms.job(UniqueKey.of("order-42 "), null),
                Rooms.job(UniqueKey.of("\uD83D\uDE00 é\n"), null),
                Rooms.job(UniqueKey.of("k".repeat(255)), null));

        assertThat(rooms.unique(jobs))
                .allSatisfy(placed -> assertThat(placed.created()).isTrue());
        assertThat(rooms.unique(jobs))
                .allSatisfy(placed -> assertThat(placed.created()).isFalse());
        assertThat(rooms.count("ready")).isEqualTo(6);
    }

    // What is written

    @Test
    void jobsOfOneQueueAndPriorityLieSideBySide() {
        rooms.unique(IntStream.range(0, 60)
                .mapToObj(
                        i -> new NewJob("mail", "send", i % 3, null, null, null, "{}", null, UniqueKey.of("key-" + i)))
                .toList());

        assertThat(rooms.lanesOnDisk()).hasSize(60).isSorted();
    }

    @Test
    void aRequestThatFindsItsKeyHeldChangesNothing() {
        rooms.unique(KEY);
        List<?> before = rooms.everything();
        String row = rooms.sql("SELECT ctid || ' ' || xmin || ' ' || xmax FROM rowlock.unique_key")
                .query(String.class)
                .single();

        rooms.unique(KEY.atLeast(Duration.ofHours(1)));

        assertThat(rooms.everything()).isEqualTo(before);
        assertThat(rooms.sql("SELECT ctid || ' ' || xmin || ' ' || xmax FROM rowlock.unique_key")
                        .query(String.class)
                        .single())
                .as("neither written nor locked")
                .isEqualTo(row);
    }

    @Test
    void aKeyThatCannotBeDecidedIsGivenUpAfterSomeLooks() {
        rooms.execute("""
                CREATE OR REPLACE FUNCTION never() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$
                """);
        rooms.execute("CREATE TRIGGER never BEFORE INSERT ON rowlock.unique_key FOR EACH ROW EXECUTE FUNCTION never()");
        try {
            assertThatThrownBy(() -> rooms.unique(List.of(Rooms.job(), Rooms.job(KEY, null))))
                    .isInstanceOf(ConcurrencyFailureException.class)
                    .hasMessageContaining("'order-42'")
                    .hasMessageContaining("10");
            assertThat(rooms.count("ready")).as("all or none").isZero();
        } finally {
            rooms.execute("DROP TRIGGER never ON rowlock.unique_key");
        }
    }

    @Test
    void aRowThatTheDatabaseRefusesTakesNoKey() {
        List<NewJob> jobs = List.of(
                Rooms.job(UniqueKey.of("a"), null),
                new NewJob("mail", "send", 0, null, null, null, "no JSON", null, KEY));

        assertThatThrownBy(() -> rooms.unique(jobs)).isInstanceOf(DataAccessException.class);

        assertThat(rooms.count("ready")).isZero();
        assertThat(rooms.count("unique_key")).isZero();
    }

    // Its plan

    @ParameterizedTest
    @EnumSource(
            value = Plans.class,
            names = {"CUSTOM", "GENERIC"})
    void fullRoomsAreReadThroughTheirIndexesThoughStatisticsSayThatTheyAreEmpty(Plans plans) throws Exception {
        rooms.execute("VACUUM ANALYZE rowlock.unique_key");
        rooms.fill(6_000, rooms.node());
        rooms.execute("INSERT INTO rowlock.unique_key SELECT 'send', 'k' || id, id FROM rowlock.job");
        rooms.believeEmptied("ready", "waiting", "running");

        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), plans)) {
            List<Placed> placed = explained
                    .database()
                    .atomically(connection -> new EnqueueUniqueJobs(new Schema("rowlock"))
                            .run(
                                    connection,
                                    rooms
                                            .sql("SELECT key FROM rowlock.unique_key LIMIT 20")
                                            .query(String.class)
                                            .stream()
                                            .map(key -> Rooms.job(UniqueKey.of(key), null))
                                            .toList()));

            assertThat(placed).noneMatch(Placed::created);
            assertThat(explained.lastPlan())
                    .contains("unique_key_pkey", "ready_pkey", "waiting_pkey", "running_pkey")
                    .doesNotContain("Seq Scan on ready", "Seq Scan on waiting", "Seq Scan on running")
                    .doesNotContain("Seq Scan on unique_key");
        }
    }

    private void assertHeldBy(long id, String room) {
        assertThat(rooms.roomsOf(id)).containsExactly(room);
        assertThat(rooms.unique(KEY)).isEqualTo(new Placed(id, false));
    }

    private void defer(ClaimedJob job, String reason, @Nullable String error) {
        new OutcomeStatements(rooms.database(), true)
                .defer(List.of(
                        new OutcomeStatements.Deferred(job.claim(), Due.after(Duration.ZERO), null, reason, error)));
    }
}
