package dev.rowlock.queue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.schedule.ScheduleRow;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** What applications declare, in several versions and on several nodes. The database's clock begins at 10:00. */
@PostgresTest
class DeclarationsTest {

    record Report(String name) {}

    private static final JacksonPayloadCodec CODEC = new JacksonPayloadCodec(JsonMapper.shared());
    private static final RecurringJob HOURLY =
            RecurringJob.of("hourly", Schedule.every(Duration.ofHours(1)), new Report("sales"));
    private static final RecurringJob HALF_HOURLY = HOURLY.schedule(Schedule.every(Duration.ofMinutes(30)));

    private static FrozenClock clock;

    private final TestDatabase test;
    private final Database database;
    private final JdbcClient sql;
    private final RecurringJobs recurring;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private long nanos;

    DeclarationsTest(TestDatabase test) throws SQLException {
        clock = clock != null ? clock : new FrozenClock(test);
        this.test = test;
        Rooms.emptyIn(test);
        database = new Database(test.dataSource(), new Schema("rowlock"));
        sql = JdbcClient.create(test.dataSource());
        recurring = FrontDoors.recurringJobs(database, CODEC, wakeups);
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    /** A node that declares these. */
    private final class Node {

        private long id;
        private final Declarations declarations;
        private final Scheduler scheduler;

        Node(long id, RecurringJob... declared) {
            this.id = id;
            Map<String, ScheduleRow> rows = Arrays.stream(declared)
                    .map(FrontDoors.scheduleRows(database, CODEC))
                    .collect(Collectors.toMap(ScheduleRow::name, Function.identity()));
            this.declarations =
                    new Declarations(database, rows, () -> this.id, new AtomicLong(), () -> nanos, wakeups::attention);
            this.scheduler = new Scheduler(new ScheduleStatements(database), wakeups, declarations::names, () -> 0);
            register();
        }

        private void register() {
            sql.sql("INSERT INTO rowlock.node (id, name, queues, started_at, heartbeat_at, beats, lease_millis)"
                            + " VALUES (?, 'test', '{}', now(), now(), 1, 1000)")
                    .param(id)
                    .update();
        }

        /** It lost its lease, and has another id now. */
        void registerAnew(long newId) {
            leave();
            id = newId;
            register();
        }

        Node look() {
            declarations.runOnce();
            scheduler.runOnce();
            return this;
        }

        /** Looks twice, as far apart as it takes to believe that nobody declares something. */
        void watch() {
            look();
            nanos += Duration.ofMinutes(5).toNanos();
            look();
        }

        void leave() {
            sql.sql("DELETE FROM rowlock.node WHERE id = ?").param(id).update();
        }
    }

    @Test
    void whatIsDeclaredComesAtItsTime() {
        Node node = new Node(1, HOURLY).look();

        clock.set("2026-11-22T11:00:00Z");
        node.look();

        assertThat(runs()).containsExactly("11:00");
        assertThat(details().declared()).isTrue();
    }

    @Test
    void aRestartChangesNothing() {
        Node first = new Node(1, HOURLY).look();
        clock.set("2026-11-22T11:30:00Z");
        first.leave();

        new Node(2, HOURLY).look();

        assertThat(runs()).as("the run that was missed meanwhile").containsExactly("11:00");
    }

    @Test
    void aNodeThatLostItsLeaseDoesNotCountAsStartedAnew() {
        Node old = new Node(1, HOURLY).look();
        new Node(2, HALF_HOURLY).look();

        old.registerAnew(3);
        old.look();

        assertThat(details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void theVersionThatStartedLastDecidesAlsoAfterItLostItsLease() {
        Node old = new Node(1, HOURLY).look();
        Node fresh = new Node(2, HALF_HOURLY).look();

        fresh.registerAnew(3);
        old.look();
        fresh.look();
        old.look();

        assertThat(details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void theVersionThatStartedLastDecides() {
        Node old = new Node(1, HOURLY).look();
        Node fresh = new Node(2, HALF_HOURLY).look();

        old.look();
        fresh.look();

        assertThat(details().schedule()).isEqualTo(HALF_HOURLY.schedule());
        assertThat(details().next().get(0)).isEqualTo(Instant.parse("2026-11-22T10:30:00Z"));
        clock.set("2026-11-22T10:30:00Z");
        old.look();
        assertThat(runs()).as("as the row says, whoever looks").containsExactly("10:30");
    }

    @Test
    void aNewVersionDecidesOnceTheOldOneThatStartedLaterHasLeft() {
        Node fresh = new Node(1, HALF_HOURLY).look();
        Node oldAfterACrash = new Node(2, HOURLY).look();
        fresh.look();
        assertThat(details().schedule()).isEqualTo(HOURLY.schedule());

        oldAfterACrash.leave();
        fresh.look();

        assertThat(details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void theNewestLivingVersionDecidesWhoeverWroteIt() {
        Node old = new Node(1, HOURLY).look();
        Node fresh = new Node(2, HALF_HOURLY).look();
        Node alsoFresh = new Node(3, HALF_HOURLY).look();

        alsoFresh.leave();
        old.look();
        fresh.look();
        old.look();

        assertThat(details().schedule()).isEqualTo(HALF_HOURLY.schedule());
    }

    @Test
    void nothingIsEnqueuedBeforeANewVersionIsWritten() {
        new Node(1, HOURLY).look().leave();
        clock.set("2026-11-22T11:00:30Z");
        Node fresh = new Node(2, HOURLY.payload(new Report("stock")));

        fresh.scheduler.runOnce();
        assertThat(runs()).isEmpty();
        fresh.look();

        assertThat(runs()).containsExactly("11:00");
    }

    @Test
    void aRunThatIsDueStaysDueWhereOnlyThePayloadChanges() {
        new Node(1, HOURLY).look().leave();
        clock.set("2026-11-22T11:00:30Z");

        new Node(2, HOURLY.payload(new Report("stock"))).look();

        assertThat(runs()).containsExactly("11:00");
        assertThat(sql.sql("SELECT payload ->> 'name' FROM rowlock.ready")
                        .query(String.class)
                        .single())
                .isEqualTo("stock");
    }

    @Test
    void withoutItsCodeNothingIsEnqueued() {
        new Node(1, HOURLY).look().leave();
        clock.set("2026-11-22T11:00:00Z");

        new Node(2).look();

        assertThat(runs()).isEmpty();
        assertThat(details().retired()).isFalse();
    }

    @Test
    void whatNobodyDeclaresForAnHourIsRetired() {
        new Node(1, HOURLY).look().leave();
        Node other = new Node(2);
        clock.set("2026-11-22T11:00:00Z");
        other.watch();
        assertThat(details().retired()).isFalse();

        clock.set("2026-11-22T11:00:00.001Z");
        other.look();
        assertThat(details().retired())
                .as("whoever declares it may be about to say so")
                .isFalse();
        other.watch();

        assertThat(details().retired()).isTrue();
        assertThat(details().next()).isEmpty();
        assertThat(sql.sql("SELECT count(fire_at) FROM rowlock.schedule")
                        .query(int.class)
                        .single())
                .as("it does not stand in front of the index")
                .isZero();
    }

    @Test
    void aClockThatStepsRetiresNothingThatIsDeclared() {
        Node node = new Node(1, HOURLY).look();
        Node other = new Node(2);
        clock.set("2026-12-24T11:00:00Z");
        other.look();

        node.declarations.runOnce();
        other.watch();

        assertThat(details().retired()).isFalse();
    }

    @Test
    void aNodeThatHoldsARowHoldsUpNoOtherDeclarations() {
        RecurringJob other = RecurringJob.of("other", HOURLY.schedule(), new Report("stock"));
        new Node(1, HOURLY).look();

        new TransactionTemplate(new DataSourceTransactionManager(test.dataSource())).executeWithoutResult(status -> {
            recurring.pause("hourly");
            Duration rest = CompletableFuture.supplyAsync(() -> new Node(2, HALF_HOURLY, other).declarations.runOnce())
                    .join();
            assertThat(rest).isLessThanOrEqualTo(Duration.ofSeconds(1));
        });

        assertThat(recurring.find("other")).isPresent();
        assertThat(details().schedule()).isEqualTo(HOURLY.schedule());
    }

    @Test
    void whatSomebodyDeclaresIsNotRetired() {
        Node node = new Node(1, HOURLY).look();
        Node other = new Node(2);
        for (int minutes = 0; minutes < 180; minutes += 10) {
            clock.advance(Duration.ofMinutes(10));
            node.declarations.runOnce();
            other.look();
        }

        assertThat(details().retired()).isFalse();
    }

    @Test
    void whatIsRetiredComesBackWithItsCodeAndItsMissedRun() {
        new Node(1, HOURLY).look().leave();
        clock.set("2026-11-22T13:10:00Z");
        new Node(2).watch();
        assertThat(details().retired()).isTrue();

        Node back = new Node(3, HOURLY).look();

        assertThat(details().retired()).isFalse();
        assertThat(runs()).containsExactly("13:00");
        clock.set("2026-11-22T14:00:00Z");
        sql.sql("DELETE FROM rowlock.ready").update();
        back.look();
        assertThat(runs()).containsExactly("14:00");
    }

    @Test
    void aRetiredOneMayBeDeleted() {
        new Node(1, HOURLY).look().leave();
        assertThatThrownBy(() -> recurring.delete("hourly"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("declared by an application");
        clock.set("2026-11-22T13:10:00Z");
        new Node(2).watch();

        assertThat(recurring.delete("hourly")).isTrue();
        assertThat(recurring.list()).isEmpty();
    }

    @Test
    void aPauseOutlastsRestartsAndRetirement() {
        new Node(1, HOURLY).look().leave();
        recurring.pause("hourly");
        clock.set("2026-11-22T13:10:00Z");
        new Node(2).watch();

        new Node(3, HOURLY).look();
        clock.set("2026-11-22T14:00:00Z");
        new Node(4, HALF_HOURLY).look();

        assertThat(details().paused()).isTrue();
        assertThat(runs()).isEmpty();
    }

    @Test
    void whatWasMadeAtRunTimeIsNotReplacedByADeclaration() {
        recurring.create(HOURLY);

        new Node(1, HALF_HOURLY).look();

        assertThat(details().declared()).isFalse();
        assertThat(details().schedule()).isEqualTo(HOURLY.schedule());
    }

    @Test
    void aNodeDeclaresNothingBeforeItHasItsLease() {
        Declarations early = new Declarations(
                database,
                Map.of("hourly", FrontDoors.scheduleRows(database, CODEC).apply(HOURLY)),
                () -> 0,
                new AtomicLong(),
                () -> nanos,
                wakeups::attention);

        assertThat(early.runOnce()).isLessThan(Duration.ofMillis(100));
        assertThat(recurring.list()).isEmpty();
    }

    @Test
    void nodesAreToldOfWhatIsNew() {
        Node node = new Node(1, HOURLY).look();
        assertThat(wakeups.heard()).containsExactly("attention");

        node.look();

        assertThat(wakeups.heard()).as("nothing is new").containsExactly("attention");
    }

    // Bad input

    @Test
    void oneThatTheServerRefusesKeepsNoOthers() {
        RecurringJob after = RecurringJob.of("zebra", HOURLY.schedule(), new Report("stock"));
        sql.sql("ALTER TABLE rowlock.schedule ADD CONSTRAINT no_sales CHECK (payload ->> 'name' <> 'sales')")
                .update();
        try {
            new Node(1, HOURLY, after).look();
        } finally {
            sql.sql("ALTER TABLE rowlock.schedule DROP CONSTRAINT no_sales").update();
        }

        assertThat(recurring.list()).extracting(RecurringJobDetails::name).containsExactly("zebra");
    }

    @Test
    void twoOfOneNameAreRefused() {
        assertThatThrownBy(() -> new Scheduling(
                        database, wakeups, List.of(HOURLY, HALF_HOURLY), FrontDoors.scheduleRows(database, CODEC)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("two recurring jobs have the name 'hourly'");
    }

    @Test
    void aPayloadThatCannotBeEnqueuedIsRefused() {
        assertThatThrownBy(() -> new Scheduling(
                        database,
                        wakeups,
                        List.of(HOURLY.payload(new Report("x".repeat(2 << 20)))),
                        FrontDoors.scheduleRows(database, CODEC)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("recurring job 'hourly'");
    }

    private RecurringJobDetails details() {
        return recurring.find("hourly").orElseThrow();
    }

    /** Of the live jobs, the times of their runs. */
    private List<String> runs() {
        return sql.sql("SELECT substr(headers ->> 'scheduled-at', 12, 5) FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
    }
}
