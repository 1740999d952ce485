package dev.rowlock.queue.internal.worker;

import dev.rowlock.queue.internal.store.BuryJobs;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.DeferJobs;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.FindLockedClaims;
import dev.rowlock.queue.internal.store.FinishJobs;
import dev.rowlock.queue.internal.store.ReleaseJobs;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a batch of outcomes, one statement per kind. A row that the database refuses for what it contains must not
 * fail its neighbours: the batch is split until the row stands alone, and its job fails with that error. Nor must a row hold
 * them up that somebody else has locked.
 */
final class OutcomeWriter {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** So that two batches lock rows in the same order. */
    private static final Comparator<Recorder.Entry> BY_ID =
            Comparator.comparingLong(entry -> entry.execution().job().id());

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    /**
     * What came of a batch.
     *
     * @param refused their claims were lost
     * @param blocked somebody else has locked their rows: to be tried again, but apart
     * @param failed to be tried again, because the database could not be reached or would not write at all
     * @param failure why; null if nothing failed
     */
    record Written(
            List<Recorder.Entry> recorded,
            List<Recorder.Entry> refused,
            List<Recorder.Entry> blocked,
            List<Recorder.Entry> failed,
            @Nullable RuntimeException failure) {}

    private final FinishJobs finish;
    private final DeferJobs defer;
    private final BuryJobs bury;
    private final ReleaseJobs release;
    private final FindLockedClaims findLocked;
    private final Wakeups wakeups;

    /** @param keepsDone whether completed jobs go to done, or away */
    OutcomeWriter(Database database, boolean keepsDone, Wakeups wakeups) {
        this.finish = new FinishJobs(database, keepsDone);
        this.defer = new DeferJobs(database);
        this.bury = new BuryJobs(database);
        this.release = new ReleaseJobs(database);
        this.findLocked = new FindLockedClaims(database);
        this.wakeups = wakeups;
    }

    Written write(List<Recorder.Entry> batch) {
        Map<Kind, List<Recorder.Entry>> byKind = new EnumMap<>(Kind.class);
        for (Recorder.Entry entry : batch) {
            byKind.computeIfAbsent(Kind.of(entry.outcome()), kind -> new ArrayList<>(batch.size()))
                    .add(entry);
        }
        Batch result = new Batch();
        byKind.forEach((kind, entries) -> {
            entries.sort(BY_ID);
            switch (kind) {
                case FINISH -> result.write(entries, some -> finish.run(map(some, OutcomeWriter::finished)));
                case DEFER -> result.write(entries, this::defer);
                case BURY -> result.write(entries, some -> bury.run(map(some, OutcomeWriter::buried)));
                case RELEASE -> result.write(entries, this::release);
                case NOTHING -> result.recorded.addAll(entries);
            }
        });
        return new Written(result.recorded, result.refused, result.blocked, result.failed, result.failure);
    }

    private Set<Long> defer(List<Recorder.Entry> entries) {
        List<DeferJobs.Deferred> deferred = map(entries, OutcomeWriter::deferred);
        Set<Long> tokens = defer.run(deferred);
        // For an instant, only the dispatcher can say how far away it is.
        deferred.stream()
                .map(job ->
                        job.due().after() == null ? Duration.ZERO : job.due().after())
                .min(Comparator.naturalOrder())
                .ifPresent(wakeups::jobsWaiting);
        return tokens;
    }

    private Set<Long> release(List<Recorder.Entry> entries) {
        Set<Long> tokens =
                release.run(map(entries, entry -> entry.execution().job().claim()));
        entries.stream()
                .collect(Collectors.groupingBy(entry -> entry.execution().job().queue(), Collectors.counting()))
                .forEach((queue, jobs) -> wakeups.jobsReady(queue, 0, jobs));
        return tokens;
    }

    private static FinishJobs.Finished finished(Recorder.Entry entry) {
        return entry.outcome() instanceof Outcome.Completed completed
                ? new FinishJobs.Finished(claim(entry), JobState.COMPLETED, completed.resultJson())
                : new FinishJobs.Finished(claim(entry), JobState.CANCELLED, null);
    }

    private static DeferJobs.Deferred deferred(Recorder.Entry entry) {
        if (entry.outcome() instanceof Outcome.Retry retry) {
            return new DeferJobs.Deferred(claim(entry), retry.due(), null, "retry", json(retry.error()));
        }
        if (entry.outcome() instanceof Outcome.UnknownType unknown) {
            return new DeferJobs.Deferred(
                    claim(entry), Due.after(unknown.shortest()), unknown.longest(), "unknown-type", null);
        }
        if (entry.outcome() instanceof Outcome.SetAside aside) {
            return new DeferJobs.Deferred(claim(entry), aside.due(), null, "crash", null);
        }
        return new DeferJobs.Deferred(claim(entry), ((Outcome.Snoozed) entry.outcome()).due(), null, "snooze", null);
    }

    private static BuryJobs.Buried buried(Recorder.Entry entry) {
        return new BuryJobs.Buried(claim(entry), json(((Outcome.Failed) entry.outcome()).error()));
    }

    private static String json(JobError error) {
        ObjectNode node = JSON.createObjectNode();
        node.put("type", error.type()).put("message", error.message()).put("trace", error.trace());
        return node.toString();
    }

    private static Claim claim(Recorder.Entry entry) {
        return entry.execution().job().claim();
    }

    private static <T> List<T> map(List<Recorder.Entry> entries, Function<Recorder.Entry, T> row) {
        return entries.stream().map(row).toList();
    }

    /** Which statement writes an outcome. */
    private enum Kind {
        FINISH,
        DEFER,
        BURY,
        RELEASE,
        NOTHING;

        static Kind of(Outcome outcome) {
            if (outcome instanceof Outcome.Completed || outcome instanceof Outcome.Cancelled) {
                return FINISH;
            }
            if (outcome instanceof Outcome.Failed) {
                return BURY;
            }
            if (outcome instanceof Outcome.Released) {
                return RELEASE;
            }
            return outcome instanceof Outcome.AlreadyCompleted ? NOTHING : DEFER;
        }
    }

    /** Gathers what came of each entry. */
    private final class Batch {

        final List<Recorder.Entry> recorded = new ArrayList<>();
        final List<Recorder.Entry> refused = new ArrayList<>();
        final List<Recorder.Entry> blocked = new ArrayList<>();
        final List<Recorder.Entry> failed = new ArrayList<>();

        @Nullable
        RuntimeException failure;

        void write(List<Recorder.Entry> entries, Function<List<Recorder.Entry>, Set<Long>> statement) {
            if (entries.isEmpty()) {
                return;
            }
            try {
                sort(entries, statement.apply(entries));
            } catch (RuntimeException e) {
                if (LOCK_NOT_AVAILABLE.equals(sqlState(e))) {
                    writeUnlocked(entries, statement, e);
                } else if (EnsureDonePartitions.missing(e) || !refusedForContent(e)) {
                    failure = e;
                    failed.addAll(entries);
                } else if (entries.size() > 1) {
                    write(entries.subList(0, entries.size() / 2), statement);
                    write(entries.subList(entries.size() / 2, entries.size()), statement);
                } else {
                    bury(entries.get(0), e);
                }
            }
        }

        private void sort(List<Recorder.Entry> entries, Set<Long> tokens) {
            if (tokens.size() == entries.size()) {
                recorded.addAll(entries);
                return;
            }
            entries.forEach(entry -> (tokens.contains(claim(entry).token()) ? recorded : refused).add(entry));
        }

        private void writeUnlocked(
                List<Recorder.Entry> entries, Function<List<Recorder.Entry>, Set<Long>> statement, RuntimeException e) {
            Set<Long> locked;
            try {
                locked = findLocked.run(map(entries, OutcomeWriter::claim));
            } catch (RuntimeException again) {
                again.addSuppressed(e);
                failure = again;
                failed.addAll(entries);
                return;
            }
            if (locked.isEmpty()) { // free by now, or it was no row that could not be locked
                failure = e;
                failed.addAll(entries);
                return;
            }
            List<Recorder.Entry> free = new ArrayList<>();
            entries.forEach(entry -> (locked.contains(claim(entry).token()) ? blocked : free).add(entry));
            write(free, statement);
        }

        private void bury(Recorder.Entry entry, RuntimeException refusal) {
            Outcome instead = new Outcome.Failed(JobError.of(
                    "not-recorded",
                    "the database refuses the outcome '%s': %s"
                            .formatted(entry.outcome().label(), sqlState(refusal))));
            Recorder.Entry failedEntry = new Recorder.Entry(entry.execution(), instead, entry.took());
            if (entry.outcome() instanceof Outcome.Failed) {
                failure = refusal; // not even that: keep trying, somebody must look at the schema
                failed.add(entry);
                return;
            }
            write(List.of(failedEntry), entries -> bury.run(map(entries, OutcomeWriter::buried)));
        }
    }

    /** SQLSTATE classes 22 (data exception), 23 (constraint) and 54 (a limit of the server). */
    private static boolean refusedForContent(RuntimeException e) {
        String state = sqlState(e);
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("54");
    }

    private static String sqlState(RuntimeException e) {
        Throwable cause = e instanceof DataAccessException access ? access.getMostSpecificCause() : e;
        return cause instanceof SQLException sql && sql.getSQLState() != null ? sql.getSQLState() : "";
    }
}
