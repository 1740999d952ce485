package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.schedule.FireSchedules.Fired;
import dev.rowlock.queue.internal.schedule.Schedules.Found;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.schedule.MissedRuns;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobDetails;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Recurring jobs in the table {@code schedule}. */
public final class StoredRecurringJobs implements RecurringJobs {

    private static final int NEXT = 5;

    private final Database database;
    private final AfterCommit afterCommit;
    private final Function<RecurringJob, ScheduleRow> rows;
    private final Schedules schedules;
    private final FireSchedules fire;
    private final Actor actor;

    /** @param rows brings recurring jobs into the form of the table, and refuses what cannot be enqueued */
    public StoredRecurringJobs(Database database, Wakeups wakeups, Function<RecurringJob, ScheduleRow> rows) {
        this(database, new AfterCommit(database, wakeups), rows, Actor.APPLICATION);
    }

    private StoredRecurringJobs(
            Database database, AfterCommit afterCommit, Function<RecurringJob, ScheduleRow> rows, Actor actor) {
        this.database = database;
        this.afterCommit = afterCommit;
        this.rows = rows;
        this.schedules = new Schedules(database);
        this.fire = new FireSchedules(database);
        this.actor = actor;
    }

    @Override
    public RecurringJobs by(String who, @Nullable String why) {
        return new StoredRecurringJobs(database, afterCommit, rows, new Actor(who, why));
    }

    @Override
    public void create(RecurringJob job) {
        ScheduleRow row = rows.apply(job);
        boolean created = changing("create", job.name(), connection -> {
            Instant now = schedules.now(connection);
            return schedules.insert(connection, row, Declarations.first(row, now), null);
        });
        if (!created) {
            throw new IllegalStateException(
                    "there is a recurring job '%s' already: change it, or name another one".formatted(job.name()));
        }
    }

    @Override
    public void change(RecurringJob job) {
        ScheduleRow row = rows.apply(job);
        changing("change", job.name(), connection -> {
            StoredSchedule stored = locked(connection, job.name());
            if (stored == null) {
                throw new IllegalStateException(
                        "there is no recurring job '%s' to change: create it".formatted(job.name()));
            }
            requireOurs(stored, "changed");
            Instant now = schedules.now(connection);
            return schedules.update(connection, stored, row, Declarations.next(row, stored, now), null);
        });
    }

    private static void requireOurs(StoredSchedule stored, String what) {
        if (stored.declaredBy() != null && !stored.retired()) {
            throw new IllegalStateException(
                    "recurring job '%s' is declared by an application, so it is %s in its code: pause it, if it must not run"
                            .formatted(stored.name(), what));
        }
    }

    @Override
    public boolean pause(String name) {
        AtomicBoolean there = new AtomicBoolean();
        changing("pause", name, connection -> {
            there.setPlain(locked(connection, name) != null);
            return schedules.pause(connection, name);
        });
        return there.getPlain();
    }

    @Override
    public boolean resume(String name) {
        AtomicBoolean there = new AtomicBoolean();
        changing("resume", name, connection -> {
            StoredSchedule stored = locked(connection, name);
            there.setPlain(stored != null);
            if (stored == null || !stored.paused()) {
                return false;
            }
            Instant now = schedules.now(connection);
            return schedules.resume(connection, stored, Runs.first(schedule(stored), now));
        });
        return there.getPlain();
    }

    @Override
    public OptionalLong runNow(String name) {
        TransactionStanding standing = database.requireWritable("run a recurring job");
        Fired fired = database.joinedAtomically(standing, database.numbered(connection -> {
            if (locked(connection, name) == null) {
                throw new IllegalArgumentException("there is no recurring job '%s'".formatted(name));
            }
            Instant now = schedules.now(connection);
            Fired made = fire.byHand(connection, name, now).get(0);
            if (made.lastJob() != null) {
                note(connection, "run", name, "as job " + made.lastJob(), 1);
            }
            return made;
        }));
        Long job = fired.lastJob();
        if (job == null) {
            return OptionalLong.empty();
        }
        Wakes wakes = new Wakes();
        if (fired.key() != null) {
            wakes.keys(fired.queue(), fired.key());
        } else {
            wakes.ready(fired.queue(), fired.rank());
        }
        afterCommit.wake(wakes, standing);
        return OptionalLong.of(job);
    }

    @Override
    public boolean delete(String name) {
        return changing("delete", name, connection -> {
            StoredSchedule stored = locked(connection, name);
            if (stored == null) {
                return false;
            }
            requireOurs(stored, "deleted");
            return schedules.delete(connection, name);
        });
    }

    @Override
    public List<RecurringJobDetails> list() {
        Found found = database.joined(schedules::all);
        return found.schedules().stream()
                .map(stored -> details(stored, found.now()))
                .toList();
    }

    @Override
    public Optional<RecurringJobDetails> find(String name) {
        Found found = database.joined(connection -> schedules.named(connection, List.of(name)));
        return found.schedules().stream()
                .map(stored -> details(stored, found.now()))
                .findAny();
    }

    private static RecurringJobDetails details(StoredSchedule stored, Instant now) {
        Schedule schedule = schedule(stored);
        return new Details(
                stored.name(),
                schedule,
                stored.declaredBy() != null,
                stored.type(),
                stored.queue(),
                stored.missed(),
                stored.overlap(),
                stored.jitter(),
                stored.paused(),
                stored.retired(),
                stored.lastAt(),
                stored.lastJob(),
                stored.recentJobs(),
                stored.skipped(),
                stored.paused() || stored.retired() ? List.of() : next(stored, schedule, now));
    }

    /** The first one may have passed: it is put off, or no node is there. */
    private static List<Instant> next(StoredSchedule stored, Schedule schedule, Instant now) {
        List<Instant> times = new ArrayList<>(List.of(stored.nextAt()));
        times.addAll(schedule.next(stored.nextAt().isAfter(now) ? stored.nextAt() : now, NEXT - 1));
        return List.copyOf(times);
    }

    private static Schedule schedule(StoredSchedule stored) {
        try {
            return stored.timing().schedule();
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "recurring job '%s' cannot be read, somebody has changed its row: %s; change it or delete it"
                            .formatted(stored.name(), e.getMessage()),
                    e);
        }
    }

    private @Nullable StoredSchedule locked(Connection connection, String name) throws SQLException {
        return schedules.locked(connection, name).orElse(null);
    }

    /** Where nothing has changed, nobody is told and nothing is noted. */
    private boolean changing(String verb, String name, Database.Call<Boolean> call) {
        TransactionStanding standing = database.requireWritable(verb + " a recurring job");
        boolean changed = database.joinedAtomically(standing, database.numbered(connection -> {
            boolean done = call.on(connection);
            if (done) {
                note(connection, verb, name, null, 0);
            }
            return done;
        }));
        if (changed) {
            afterCommit.attention(standing);
        }
        return changed;
    }

    private void note(Connection connection, String verb, String name, @Nullable String detail, long jobs)
            throws SQLException {
        AuditNote note =
                new AuditNote(actor.who(), actor.why(), verb + " recurring job", "recurring job " + name, detail);
        note.write(connection, database.schema(), jobs);
    }

    private record Details(
            String name,
            Schedule schedule,
            boolean declared,
            String type,
            String queue,
            MissedRuns missed,
            Overlap overlap,
            Duration jitter,
            boolean paused,
            boolean retired,
            @Nullable Instant lastRun,
            @Nullable Long lastJob,
            List<Long> recentJobs,
            long skipped,
            List<Instant> next)
            implements RecurringJobDetails {}
}
