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
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Nodes that declare recurring jobs, and what comes of that. */
final class DeclaringNodes {

    record Report(String name) {}

    static final JacksonPayloadCodec CODEC = new JacksonPayloadCodec(JsonMapper.shared());
    static final RecurringJob HOURLY =
            RecurringJob.of("hourly", Schedule.every(Duration.ofHours(1)), new Report("sales"));
    static final RecurringJob HALF_HOURLY = HOURLY.schedule(Schedule.every(Duration.ofMinutes(30)));

    final Database database;
    final JdbcClient sql;
    final RecurringJobs recurring;
    final RecordedWakeups wakeups = new RecordedWakeups();
    private long nanos;

    DeclaringNodes(TestDatabase test) {
        Rooms.emptyIn(test);
        database = new Database(test.dataSource(), new Schema("rowlock"));
        sql = JdbcClient.create(test.dataSource());
        recurring = FrontDoors.recurringJobs(database, CODEC, wakeups);
    }

    Node node(long id, RecurringJob... declared) {
        return new Node(id, declared);
    }

    /** Its rows, as a node stores them. */
    Function<RecurringJob, ScheduleRow> rows() {
        return FrontDoors.scheduleRows(database, CODEC);
    }

    /** Of the job {@code hourly}. */
    RecurringJobDetails details() {
        return recurring.find("hourly").orElseThrow();
    }

    /** Of the live jobs, the times of their runs. */
    List<String> runs() {
        return sql.sql("SELECT substr(headers ->> 'scheduled-at', 12, 5) FROM rowlock.ready ORDER BY id")
                .query(String.class)
                .list();
    }

    /** A node that declares these. */
    final class Node {

        private long id;
        final Declarations declarations;
        final Scheduler scheduler;

        private Node(long id, RecurringJob... declared) {
            this.id = id;
            Map<String, ScheduleRow> rows = Arrays.stream(declared)
                    .map(rows())
                    .collect(Collectors.toMap(ScheduleRow::name, Function.identity()));
            this.declarations =
                    new Declarations(database, rows, () -> this.id, new AtomicLong(), () -> nanos, wakeups::attention);
            this.scheduler = new Scheduler(database, wakeups, declarations::names, () -> 0);
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
}
