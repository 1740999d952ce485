package dev.rowlock.queue.internal.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.dead.DeadJobListeners.Told;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.QueryTimeoutException;

/** Each death is told once, by whichever node finds it, and none from before there was a listener for it. */
@PostgresTest(migrated = true)
class TellOfDeadTest {

    private static final String TYPE = Rooms.job().type();
    private static final List<Told> TOLD =
            List.of(new Told(TYPE, TYPE + ".dead", "told"), new Told("other", "x", "told"));

    private static final String NEWS = "SELECT count(*) FROM rowlock.ready WHERE queue = 'told'";

    private final TestDatabase test;
    private final Rooms rooms;
    private final TellOfDead tell;

    TellOfDeadTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        this.tell = new TellOfDead(rooms.database(), TOLD);
    }

    @BeforeEach
    void begin() {
        rooms.execute("DELETE FROM rowlock.dead_listener");
        tell.noteListeners();
    }

    @AfterEach
    void refuseNothing() {
        rooms.execute("DROP FUNCTION IF EXISTS public.refuse CASCADE");
    }

    @Test
    void twoNodesTellEachDeathOnce() {
        dead(1_000);

        Stream.generate(() -> CompletableFuture.runAsync(() -> {
                    while (!tell.some(50, List.of()).isEmpty()) {}
                }))
                .limit(4)
                .toList()
                .forEach(CompletableFuture::join);

        assertThat(rooms.number(NEWS)).isEqualTo(1_000);
        assertThat(rooms.number(
                        "SELECT count(DISTINCT payload -> 'dead' ->> 'id') FROM rowlock.ready WHERE queue = 'told'"))
                .isEqualTo(1_000);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.dead WHERE NOT told"))
                .isZero();
    }

    @Test
    void aDeathThatIsNotCommittedYetIsToldOnceItIs() throws Exception {
        dead(1);
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            new TellOfDead(other.database(), TOLD).some(10, List.of());
            assertThat(tell.some(10, List.of())).isEmpty();
        } // rolled back

        assertThat(tell.some(10, List.of())).hasSize(1);
        assertThat(tell.some(10, List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"rowlock.discard", "rowlock.redrive"})
    void aJobThatIsGoneBeforeIsNotTold(String how) {
        dead(1);
        rooms.execute("DELETE FROM rowlock.dead -- " + how);

        assertThat(tell.some(10, List.of())).isEmpty();
    }

    @Test
    void deathsFromBeforeTheListenerAreNotTold() {
        dead(3);
        rooms.execute("UPDATE rowlock.dead SET died_at = died_at - interval '2 minutes' WHERE id % 3 > 0");

        tell.noteListeners(); // as each minute
        tell.some(10, List.of());

        assertThat(rooms.number(NEWS)).isEqualTo(1);
    }

    @Test
    void aListenerThatWasGoneForAWeekBeginsAnew() {
        dead(1);
        rooms.execute("UPDATE rowlock.dead SET died_at = died_at - interval '2 minutes'");
        rooms.execute(
                "UPDATE rowlock.dead_listener SET since = since - interval '1 year', seen_at = seen_at - interval '8 days'");

        tell.noteListeners();

        assertThat(tell.some(10, List.of())).isEmpty();
    }

    @Test
    void aListenerThatWasGoneForADayHearsOfIt() {
        dead(1);
        rooms.execute("UPDATE rowlock.dead SET died_at = died_at - interval '2 minutes'");
        rooms.execute(
                "UPDATE rowlock.dead_listener SET since = since - interval '1 year', seen_at = seen_at - interval '1 day'");

        tell.noteListeners();

        assertThat(tell.some(10, List.of())).hasSize(1);
    }

    @Test
    void aClockThatWasAheadHidesNoDeathOnceItIsNotedAgain() {
        dead(1);
        rooms.execute(
                "UPDATE rowlock.dead_listener SET since = since + interval '1 day', seen_at = seen_at + interval '1 day'");
        assertThat(tell.some(10, List.of())).isEmpty();

        tell.noteListeners();

        assertThat(tell.some(10, List.of())).hasSize(1);
    }

    @Test
    void headersWithWhatTextCannotHaveAreTold() {
        dead(1);
        rooms.execute(
                "UPDATE rowlock.dead SET headers = '{\"a\":\"\\u0000\",\"b\":\"\\ud800x\",\"c\":\"\\\\u0000\",\"d\\u0000\":\"\\ud83d\\ude00\"}'");

        assertThat(tell.some(10, List.of())).hasSize(1);

        assertThat(rooms.sql("SELECT headers::text FROM rowlock.ready WHERE queue = 'told'")
                        .query(String.class)
                        .single())
                .isEqualToIgnoringWhitespace(
                        "{\"a\":\"\\ufffd\",\"b\":\"\\ufffdx\",\"c\":\"\\\\u0000\",\"d\ufffd\":\"\\ud83d\\ude00\"}");
    }

    @Test
    void headersOfRowlocksOwnStayBehindExceptTheTitle() {
        dead(1);
        rooms.execute(
                "UPDATE rowlock.dead SET headers = '{\"rowlock-workflow\":\"7\",\"tenant\":\"a \\\"b\\\"\",\"rowlock-alone\":\"\",\"rowlock-title\":\"t\"}'");

        tell.some(10, List.of());

        assertThat(rooms.sql("SELECT headers::text FROM rowlock.ready WHERE queue = 'told'")
                        .query(String.class)
                        .single())
                .isEqualToIgnoringWhitespace("{\"tenant\":\"a \\\"b\\\"\",\"rowlock-title\":\"t\"}");
    }

    @Test
    void aJobThatTheServerRefusesHoldsUpNoOther() {
        List<Long> ids = dead(5);
        rooms.execute(
                "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$");
        rooms.execute(
                "CREATE TRIGGER refuse BEFORE UPDATE ON rowlock.dead FOR EACH ROW WHEN (OLD.id = %d) EXECUTE FUNCTION public.refuse()"
                        .formatted(ids.get(2)));
        DeadFeature feature = new DeadFeature(rooms.database(), Wakeups.NONE, () -> List.of(listener()));
        Chore chore = feature.chores(null).get(0);

        chore.runOnce();
        chore.runOnce();

        assertThat(rooms.number(NEWS)).isZero();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.ready WHERE queue = 'mine'"))
                .isEqualTo(4);
    }

    @Test
    void aBatchThatTakesTooLongIsToldInSmallerOnes() {
        dead(200);
        rooms.execute("""
                CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF (SELECT count(*) FROM changed) > 60 THEN
                        RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
                    END IF;
                    RETURN NULL;
                END $$""");
        rooms.execute(
                "CREATE TRIGGER refuse AFTER UPDATE ON rowlock.dead REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.refuse()");
        DeadFeature feature = new DeadFeature(rooms.database(), Wakeups.NONE, () -> List.of(listener()));
        Chore chore = feature.chores(null).get(0);

        assertThatThrownBy(chore::runOnce).isInstanceOf(QueryTimeoutException.class);
        assertThatThrownBy(chore::runOnce).isInstanceOf(QueryTimeoutException.class);
        chore.runOnce();

        assertThat(rooms.number("SELECT count(*) FROM rowlock.ready WHERE queue = 'mine'"))
                .isEqualTo(50);
    }

    private static ListenerDefinition listener() {
        return ListenerDefinition.of(TYPE, (job, payload) -> null).queue("mine").onDead((job, dead, payload) -> {});
    }

    @ParameterizedTest
    @EnumSource(Plans.class)
    void aLookReadsNothingOfManyDeadJobsThatWereToldOrAreOld(Plans plans) throws Exception {
        dead(2_000);
        rooms.execute("UPDATE rowlock.dead SET told = id % 2 = 0, died_at = died_at - interval '2 minutes'");
        rooms.execute("VACUUM ANALYZE rowlock.dead");
        dead(1);
        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), plans)) {
            Database database = explained.database();

            assertThat(new TellOfDead(database, TOLD).some(200, List.of())).hasSize(1);

            assertThat(explained.lastPlan()).contains("dead_untold").doesNotContain("Seq Scan on dead ");
        }
    }

    private List<Long> dead(int count) {
        return rooms.sql("""
                        INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, type, payload)
                        SELECT nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', 'mail', ?, '{}' FROM generate_series(1, ?)
                        RETURNING id
                        """).params(TYPE, count).query(Long.class).list();
    }
}
