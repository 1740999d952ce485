package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** A scheduler, by a clock of the database that only the test moves. It begins at 10:00. */
@PostgresTest(migrated = true)
abstract class SchedulingTest {

    record Report(String name) {}

    static final Duration HOUR = Duration.ofHours(1);

    final TestDatabase test;
    final FrozenClock clock;
    final Database database;
    final JdbcClient sql;
    final RecordedWakeups wakeups = new RecordedWakeups();
    final RecurringJobs recurring;
    final Scheduler scheduler;

    SchedulingTest(TestDatabase test) throws SQLException {
        this.test = test;
        clock = FrozenClock.in(test);
        Rooms.emptyIn(test);
        database = new Database(test.dataSource(), new Schema("rowlock"));
        sql = JdbcClient.create(test.dataSource());
        recurring = FrontDoors.recurringJobs(database, new JacksonPayloadCodec(JsonMapper.shared()), wakeups);
        scheduler = scheduler();
    }

    Scheduler scheduler() {
        return new Scheduler(database, wakeups, Set::of, () -> 0);
    }

    @BeforeEach
    void begin() {
        clock.set("2026-11-22T10:00:00Z");
    }

    static RecurringJob hourly() {
        return RecurringJob.of("hourly", Schedule.every(HOUR), new Report("sales"));
    }

    /** The runs that have come, by their times; their jobs end. */
    List<String> runsAt(String time) {
        List<String> runs = runsAtKeeping(time);
        endAll();
        return runs;
    }

    List<String> runsAtKeeping(String time) {
        clock.set("2026-11-22T" + time + "Z");
        scheduler.runOnce();
        return runs();
    }

    /** Of the live jobs, the times of their runs. */
    List<String> runs() {
        return sql.sql("SELECT substr(headers ->> 'scheduled-at', 12, 5) FROM rowlock.job_details"
                        + " WHERE state IN ('waiting', 'ready', 'running') ORDER BY id")
                .query(String.class)
                .list();
    }

    void endAll() {
        for (String room : List.of("waiting", "ready", "running")) {
            sql.sql("DELETE FROM rowlock." + room).update();
        }
    }

    RecurringJobDetails details() {
        return recurring.find("hourly").orElseThrow();
    }
}
