package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.spi.Wakeups;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/** Chores for recurring jobs on each node. */
public final class ScheduleFeature implements Feature {

    private final Database database;
    private final Wakeups wakeups;
    private final Map<String, ScheduleRow> declared = new TreeMap<>();
    private final AtomicLong process = new AtomicLong(); // outlasts a stop of the node

    /**
     * @param declared what this application declares
     * @param rows brings it into the form of the table
     * @throws IllegalArgumentException if two have the same name, or the jobs of one cannot be enqueued
     */
    public ScheduleFeature(
            Database database,
            Wakeups wakeups,
            Collection<RecurringJob> declared,
            Function<RecurringJob, ScheduleRow> rows) {
        this.database = database;
        this.wakeups = wakeups;
        for (RecurringJob job : declared) {
            if (this.declared.putIfAbsent(job.name(), row(job, rows)) != null) {
                throw new IllegalArgumentException(
                        "two recurring jobs have the name '%s': give one of them another name".formatted(job.name()));
            }
        }
    }

    private static ScheduleRow row(RecurringJob job, Function<RecurringJob, ScheduleRow> rows) {
        try {
            return rows.apply(job);
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "recurring job '%s' cannot work: %s".formatted(job.name(), e.getMessage()), e);
        }
    }

    @Override
    public String name() {
        return "scheduler";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        Declarations declarations =
                new Declarations(database, declared, node::nodeId, process, System::nanoTime, wakeups::attention);
        Scheduler scheduler = new Scheduler(
                database,
                wakeups,
                declarations::names,
                () -> node.hearing() ? node.place().number() : 0);
        return List.of(declarations, scheduler);
    }
}
