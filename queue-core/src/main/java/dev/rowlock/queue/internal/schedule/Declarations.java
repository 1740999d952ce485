package dev.rowlock.queue.internal.schedule;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.db.BatchSplitter;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.schedule.Schedules.Found;
import dev.rowlock.queue.internal.schedule.StoredSchedule.Declarer;
import dev.rowlock.queue.internal.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Stores and confirms the recurring jobs that this application declares, and retires those that no node has confirmed for an hour. */
final class Declarations implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Declarations.class);

    private static final Duration INTERVAL = Duration.ofMinutes(1);
    private static final Duration CONFIRMED_FOR = Duration.ofMinutes(5);
    private static final Duration UNDECLARED_FOR = Duration.ofHours(1);

    /** Whoever declares it may have been away as long as this node, or the server's clock was set: then it is confirmed by now. */
    private static final Duration WATCHED_FOR = Duration.ofMinutes(5);

    /** Until the node has its id, by which the others know whether it is there. */
    private static final Duration UNTIL_REGISTERED = Duration.ofMillis(20);

    /** While somebody else changes a row that is to be written. */
    private static final Duration UNTIL_UNLOCKED = Duration.ofSeconds(1);

    private final Database database;
    private final Schedules schedules;
    private final Map<String, ScheduleRow> rows;
    private final LongSupplier nodeId;
    private final AtomicLong process;
    private final LongSupplier nanos;
    private final Runnable changed;
    private final Set<String> written = new HashSet<>(); // names whose rows are there, as somebody declares them
    private final Set<String> told = new HashSet<>(); // names of which somebody was told what is wrong
    private final Map<String, Long> undeclaredSince = new HashMap<>(); // as this node has seen it; monotonic

    /**
     * @param rows what is declared, by name
     * @param nodeId 0 while the node has no lease
     * @param process the first id that a node of this process had; 0: none had one yet
     * @param nanos the monotonic clock
     * @param changed called after something was written
     */
    Declarations(
            Database database,
            Map<String, ScheduleRow> rows,
            LongSupplier nodeId,
            AtomicLong process,
            LongSupplier nanos,
            Runnable changed) {
        this.database = database;
        this.schedules = new Schedules(database);
        this.rows = new TreeMap<>(rows);
        this.nodeId = nodeId;
        this.process = process;
        this.nanos = nanos;
        this.changed = changed;
    }

    /** What this node may enqueue: not before it has written what has changed since the last version. */
    Collection<String> names() {
        return Set.copyOf(written);
    }

    @Override
    public String name() {
        return "declared recurring jobs";
    }

    @Override
    public Duration runOnce() {
        long id = nodeId.getAsLong();
        if (id == 0) {
            return UNTIL_REGISTERED;
        }
        process.compareAndSet(0, id);
        boolean all = rows.isEmpty() || declareAll(new Declarer(id, process.get()));
        schedules.confirm(written, CONFIRMED_FOR);
        retire();
        return all ? INTERVAL : UNTIL_UNLOCKED;
    }

    /** Returns whether all rows are as they should be. */
    private boolean declareAll(Declarer own) {
        Found found = database.alone(connection -> schedules.named(connection, rows.keySet()));
        Map<String, StoredSchedule> stored =
                found.schedules().stream().collect(Collectors.toMap(StoredSchedule::name, Function.identity()));
        boolean all = true;
        boolean some = false;
        for (ScheduleRow row : rows.values()) {
            StoredSchedule there = stored.get(row.name());
            if (there != null && there.declaredBy() == null) {
                tell(row.name());
            } else if (there != null && isDeclared(there, own)) {
                written.add(row.name());
            } else {
                boolean done = write(row, own);
                some |= done;
                all &= done;
            }
        }
        if (some) {
            changed.run();
        }
        return all;
    }

    /** By a node that is there and was started after this one, or by this one. */
    private static boolean isDeclared(StoredSchedule stored, Declarer own) {
        return !stored.retired()
                && stored.declaredBy() != null
                && stored.declaredBy().process() >= own.process()
                && stored.declarerAlive();
    }

    /** Returns whether it was possible: somebody's transaction may have locked the row. */
    private boolean write(ScheduleRow row, Declarer own) {
        try {
            database.atomically(connection -> {
                Schedules.waitBriefly(connection);
                Instant now = schedules.now(connection);
                StoredSchedule stored = schedules.locked(connection, row.name()).orElse(null);
                if (stored == null) {
                    return schedules.insert(connection, row, first(row, now), own);
                }
                return stored.declaredBy() != null
                        && !isDeclared(stored, own)
                        && schedules.update(connection, stored, row, next(row, stored, now), own);
            });
            written.add(row.name());
            return true;
        } catch (DataAccessException e) {
            if (Schedules.isLocked(e)) {
                log.debug("recurring job '{}' is locked by another transaction; will retry", row.name(), e);
                return false;
            }
            if (!BatchSplitter.isOfARow(e)) {
                throw e;
            }
            if (told.add(row.name())) {
                log.error("declaring recurring job '{}' failed: the database rejects it", row.name(), e);
            }
            return true; // it must not keep the others
        }
    }

    private void retire() {
        long now = nanos.getAsLong();
        Set<String> undeclared = schedules.undeclared(UNDECLARED_FOR);
        undeclaredSince.keySet().retainAll(undeclared);
        undeclared.forEach(name -> undeclaredSince.putIfAbsent(name, now));
        List<String> gone = undeclaredSince.entrySet().stream()
                .filter(since -> now - since.getValue() >= WATCHED_FOR.toNanos())
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        if (!gone.isEmpty() && schedules.retire(gone, UNDECLARED_FOR) > 0) {
            log.info(
                    "retired recurring jobs that no node has declared for {}: {}",
                    DurationText.of(UNDECLARED_FOR),
                    gone);
        }
    }

    private void tell(String name) {
        if (told.add(name)) {
            log.error(
                    "recurring job '{}', which this application declares, was made at run time under the same name, and stays as it is: give one of them another name, or delete that one",
                    name);
        }
    }

    /** A run that is due stays due, unless the schedule is another one. */
    static Instant next(ScheduleRow row, StoredSchedule stored, Instant now) {
        return stored.timing().equals(row.timing()) ? stored.nextAt() : first(row, now);
    }

    static Instant first(ScheduleRow row, Instant now) {
        return Runs.first(row.recurring().schedule(), now);
    }
}
