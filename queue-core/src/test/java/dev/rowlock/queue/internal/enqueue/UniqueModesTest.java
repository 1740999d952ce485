package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.schedule.FrozenClock;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** What a request does to the job that holds its key, by a clock of the database that only the test moves. It begins at 10:00. */
@PostgresTest(migrated = true)
abstract class UniqueModesTest {
    record Index(String what) {}

    static final UniqueKey KEY = UniqueKey.of("doc-7");
    static final UniqueKey ONCE = KEY.onceMore();
    static final UniqueKey REPLACING = KEY.replacing();
    static final UniqueKey DEBOUNCED = KEY.postponing(Duration.ofMinutes(30));
    static final Duration DELAY = Duration.ofMinutes(10);
    static final UnaryOperator<JobOptions> MAIL = o -> o.queue(Rooms.QUEUE);
    static final UnaryOperator<JobOptions> LATER = o -> o.queue(Rooms.QUEUE).delay(DELAY);

    final FrozenClock clock;
    final Rooms rooms;
    final RecordedWakeups wakeups = new RecordedWakeups();
    final JobOperations jobs;
    final TransactionTemplate transaction;
    final ReleaseFollowers release;

    UniqueModesTest(TestDatabase test) throws SQLException {
        clock = FrozenClock.in(test);
        rooms = Rooms.emptyIn(test);
        jobs = FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), wakeups);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
        release = new ReleaseFollowers(rooms.database());
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    static UniqueKey named(String value, UniqueKey like) {
        return new UniqueKey(value, like.atLeast(), like.until(), like.onConflict(), like.longestWait());
    }

    static JobRequest request(String what, UniqueKey key) {
        return JobRequest.of(
                new Index(what),
                o -> key == null ? MAIL.apply(o) : MAIL.apply(o).unique(key));
    }

    EnqueueResult ask(String what, UniqueKey key) {
        return ask(what, key, MAIL);
    }

    EnqueueResult ask(String what, UniqueKey key, UnaryOperator<JobOptions> options) {
        return jobs.enqueueUnique(new Index(what), key, options);
    }

    ClaimedJob claim() {
        return rooms.claim(rooms.node(), 1).get(0);
    }

    void retry(ClaimedJob job) {
        new OutcomeStatements(rooms.database(), true)
                .defer(List.of(new OutcomeStatements.Deferred(
                        job.claim(), Due.after(Duration.ofMinutes(1)), null, "retry", Rooms.error("it failed"))));
    }

    void releaseAll() {
        new ReleaseFollowers(rooms.database())
                .giveKeysBack(
                        release.run(ReleaseFollowers.FRONT, 100, List.of()).cancelled());
    }

    int dispatched() {
        return new DispatchDueJobs(rooms.database()).run(100).jobs();
    }

    long live() {
        return rooms.count("waiting") + rooms.count("ready") + rooms.count("running");
    }

    String payload(long id) {
        return rooms.sql("SELECT payload ->> 'what' FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    List<String> stored() {
        return rooms.sql(
                        "SELECT state || ' ' || (payload ->> 'what') || ' ' || due_at FROM rowlock.job_details ORDER BY id")
                .query(String.class)
                .list();
    }

    Instant due(long id) {
        return rooms.sql("SELECT due_at FROM rowlock.waiting WHERE id = ?")
                .param(id)
                .query(OffsetDateTime.class)
                .single()
                .toInstant();
    }

    void assertDue(EnqueueResult job, String time) {
        assertThat(due(job.id())).isEqualTo(Instant.parse("2026-11-22T" + time + "Z"));
    }
}
