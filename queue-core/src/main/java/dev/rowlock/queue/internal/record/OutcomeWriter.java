package dev.rowlock.queue.internal.record;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.internal.record.OutcomeStatements.Buried;
import dev.rowlock.queue.internal.record.OutcomeStatements.Deferred;
import dev.rowlock.queue.internal.record.OutcomeStatements.Finished;
import dev.rowlock.queue.internal.record.OutcomeStatements.Moved;
import dev.rowlock.queue.internal.record.Recorder.HeldJob;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobError;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Writes a batch of outcomes, one statement per kind. An outcome that cannot be written must not fail its neighbours: the
 * batch is split until it stands alone, and its job is buried with a plain error. Nor must a row hold them up that somebody
 * else has locked. Never throws.
 */
public final class OutcomeWriter {

    /**
     * What came of a batch.
     *
     * @param recorded with the outcomes that were recorded, which need not be those that were to be
     * @param refused their claims were lost
     * @param blocked somebody else has locked their rows: to be tried again, but apart
     * @param unwritable not even an error in their place could be written: to be tried again, but apart
     * @param failed to be tried again, because nothing could be written
     * @param failure why the last of them failed or is unwritable; null if none is
     */
    record Written(
            List<PendingOutcome> recorded,
            List<PendingOutcome> refused,
            List<PendingOutcome> blocked,
            List<PendingOutcome> unwritable,
            List<PendingOutcome> failed,
            @Nullable Throwable failure) {}

    private static final Logger log = LoggerFactory.getLogger(OutcomeWriter.class);

    private final Database database;
    private final boolean keepsDone;
    private final OutcomeStatements statements;
    private final ErrorHistory errors;
    private final Wakeups wakeups;
    private final Kinds kinds = new Kinds();
    private final Statement finish = entries -> finish(entries, true);
    private final Statement forget = entries -> finish(entries, false);
    private final Statement defer = this::defer;
    private final Statement bury = this::bury;
    private final Statement release = this::release;
    private final Statement nothing = entries -> new Moved(
            entries.stream().map(entry -> entry.claim().token()).collect(Collectors.toSet()), Set.of(), Map.of());

    /** @param keepsDone whether all completed jobs go to done */
    public OutcomeWriter(Database database, boolean keepsDone, Wakeups wakeups) {
        this.database = database;
        this.keepsDone = keepsDone;
        this.statements = new OutcomeStatements(database, keepsDone);
        this.errors = new ErrorHistory(database.encryption());
        this.wakeups = wakeups;
    }

    /** One that waits less long for the database's answers, which is to say until it has failed. */
    OutcomeWriter impatient() {
        return new OutcomeWriter(database.impatient(), keepsDone, wakeups);
    }

    /** Who has failed after so long was not refused, but left without an answer. */
    Duration answerWithin() {
        return database.answerWithin();
    }

    /**
     * Writes the outcome of one job on the calling thread.
     *
     * @return the outcome that was recorded: not the same if the job was to be cancelled, or this one cannot be written
     * @throws IllegalStateException if the claim was lost, or nothing could be written
     */
    public Outcome writeNow(HeldJob held, Outcome outcome) {
        Written written = write(List.of(new PendingOutcome(held, outcome, Duration.ZERO)));
        if (written.recorded().isEmpty()) {
            throw new IllegalStateException(
                    "the outcome '%s' of %s could not be recorded".formatted(outcome.label(), held.job()),
                    written.failure());
        }
        return written.recorded().get(0).outcome();
    }

    Written write(List<PendingOutcome> batch) {
        Map<Statement, List<PendingOutcome>> byStatement = new LinkedHashMap<>();
        for (PendingOutcome entry : batch) {
            byStatement
                    .computeIfAbsent(statement(entry), added -> new ArrayList<>(batch.size()))
                    .add(entry);
        }
        Batch result = new Batch();
        byStatement.forEach((statement, entries) -> result.write(entries, statement));
        result.tellStandingFromRefused();
        return result.written();
    }

    /** The tokens of those whose rows somebody else has locked at this moment. Waits for nobody. */
    Set<Long> locked(List<PendingOutcome> entries) {
        return statements.locked(map(entries, PendingOutcome::claim));
    }

    /** Whether an ordinary outcome with a result of so many characters can be written now; 0: without one. */
    boolean writable(int resultLength) {
        return statements.writable(resultLength);
    }

    /** An error of which nothing comes from the application. */
    static Outcome notRecorded(Outcome outcome, @Nullable Throwable refusal) {
        return new Outcome.Failed(JobError.of(
                "not-recorded", "the outcome '%s' cannot be written: %s".formatted(outcome.label(), reason(refusal))));
    }

    private static String reason(@Nullable Throwable refusal) {
        if (refusal == null) {
            return "nobody knows why";
        }
        String state = WriteFailure.sqlState(refusal);
        return state.isEmpty() ? refusal.getClass().getName() : "SQLSTATE " + state;
    }

    private Statement statement(PendingOutcome entry) {
        Statement statement = entry.outcome().match(kinds);
        String result = entry.outcome() instanceof Outcome.Completed completed ? completed.resultJson() : null;
        return statement == finish && !statements.keeps(entry.job(), result) ? forget : statement;
    }

    private Moved finish(List<PendingOutcome> entries, boolean keeps) {
        return new Moved(statements.finish(map(entries, OutcomeWriter::finished), keeps), Set.of(), Map.of());
    }

    private Moved bury(List<PendingOutcome> entries) {
        return statements.bury(map(entries, this::buried));
    }

    private Moved defer(List<PendingOutcome> entries) {
        List<Deferred> deferred = map(entries, this::deferred);
        // For an instant, only the dispatcher can say how far away it is.
        Duration first = deferred.stream()
                .map(job -> fromNow(job.due()))
                .min(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        long begun = System.nanoTime();
        Moved moved = statements.defer(deferred);
        Duration left = first.minusNanos(System.nanoTime() - begun);
        wakeups.jobsWaiting(left.isNegative() ? Duration.ZERO : left);
        return moved;
    }

    private static Duration fromNow(Due due) {
        Duration after = due.after();
        return after == null ? Duration.ZERO : after;
    }

    private Moved release(List<PendingOutcome> entries) {
        Moved moved = statements.release(map(entries, PendingOutcome::claim));
        entries.stream()
                .filter(entry -> moved.ranks().containsKey(entry.claim().token()))
                .collect(Collectors.groupingBy(
                        entry -> entry.job().queue(),
                        Collectors.summarizingInt(
                                entry -> moved.ranks().get(entry.claim().token()))))
                .forEach((queue, ranks) -> wakeups.jobsBack(queue, ranks.getMin(), ranks.getCount()));
        entries.stream()
                .map(PendingOutcome::job)
                .filter(job -> job.key() != null || job.counted())
                .map(ClaimedJob::queue)
                .distinct()
                .forEach(wakeups::keysReady);
        return moved;
    }

    // Outcomes as the rows of the statements that write them

    private static <T> List<T> map(List<PendingOutcome> entries, Function<PendingOutcome, T> row) {
        return entries.stream().map(row).toList();
    }

    private static Finished finished(PendingOutcome entry) {
        return entry.outcome() instanceof Outcome.Completed completed
                ? new Finished(entry.claim(), JobState.COMPLETED, completed.resultJson())
                : new Finished(entry.claim(), JobState.CANCELLED, null);
    }

    private Deferred deferred(PendingOutcome entry) {
        Outcome.Deferred outcome = (Outcome.Deferred) entry.outcome();
        JobError error = outcome.error();
        return new Deferred(
                entry.claim(),
                outcome.due(),
                outcome.longest(),
                outcome.reason(entry.job().crashes()),
                error == null ? null : errors.encode(entry.claim().jobId(), error));
    }

    private Buried buried(PendingOutcome entry) {
        return new Buried(
                entry.claim(), errors.encode(entry.claim().jobId(), ((Outcome.Failed) entry.outcome()).error()));
    }

    /** Writes outcomes of one kind. */
    @FunctionalInterface
    private interface Statement {
        Moved write(List<PendingOutcome> entries);
    }

    private final class Kinds implements Outcome.Cases<Statement> {

        @Override
        public Statement ended(Outcome.Ended outcome) {
            return finish;
        }

        @Override
        public Statement failed(Outcome.Failed outcome) {
            return bury;
        }

        @Override
        public Statement deferred(Outcome.Deferred outcome) {
            return defer;
        }

        @Override
        public Statement released(Outcome.Released outcome) {
            return release;
        }

        @Override
        public Statement alreadyCompleted(Outcome.AlreadyCompleted outcome) {
            return nothing;
        }
    }

    /** Gathers what came of each entry. */
    private final class Batch {

        final List<PendingOutcome> recorded = new ArrayList<>();
        final List<PendingOutcome> refused = new ArrayList<>();
        final List<PendingOutcome> blocked = new ArrayList<>();
        final List<PendingOutcome> unwritable = new ArrayList<>();
        final List<PendingOutcome> failed = new ArrayList<>();

        @Nullable
        Throwable failure;

        Written written() {
            return new Written(recorded, refused, blocked, unwritable, failed, failure);
        }

        void write(List<PendingOutcome> entries, Statement statement) {
            if (entries.isEmpty()) {
                return;
            }
            Moved found;
            try {
                found = statement.write(entries);
            } catch (RuntimeException | Error e) {
                writeWithout(e, entries, statement);
                return;
            }
            sort(entries, found);
        }

        private void writeWithout(Throwable e, List<PendingOutcome> entries, Statement statement) {
            switch (WriteFailure.of(e)) {
                case FOR_NOW -> fail(entries, e);
                case LOCKED -> writeUnlocked(entries, statement, e);
                case OF_AN_ENTRY -> {
                    if (entries.size() > 1) {
                        write(entries.subList(0, entries.size() / 2), statement);
                        write(entries.subList(entries.size() / 2, entries.size()), statement);
                    } else {
                        buryInstead(entries.get(0), e);
                    }
                }
            }
        }

        private void sort(List<PendingOutcome> entries, Moved found) {
            if (found.held().size() == entries.size() && found.cancelled().isEmpty()) {
                recorded.addAll(entries);
                return;
            }
            for (PendingOutcome entry : entries) {
                long token = entry.claim().token();
                if (found.cancelled().contains(token)) {
                    recorded.add(entry.as(new Outcome.Cancelled()));
                } else if (found.held().contains(token)) {
                    recorded.add(entry);
                } else {
                    refused.add(entry);
                }
            }
        }

        /**
         * The claim of a refused outcome was lost; or an earlier try, or a transactional listener's commit, was committed and only its answer got
         * lost. What stands in done is certain; all else counts as refused, so that observers hear of no outcome that is not.
         */
        void tellStandingFromRefused() {
            if (refused.isEmpty()) {
                return;
            }
            Map<Long, JobState> ended;
            try {
                ended = statements.ended(map(refused, PendingOutcome::job));
            } catch (RuntimeException e) {
                log.debug("what became of {} outcomes cannot be told", refused.size(), e);
                return;
            }
            for (PendingOutcome entry : refused) {
                JobState state = ended.get(entry.claim().token());
                if (state != null) {
                    recorded.add(entry.as(standing(entry.outcome(), state)));
                }
            }
            refused.removeIf(entry -> ended.containsKey(entry.claim().token()));
        }

        private static Outcome standing(Outcome tried, JobState state) {
            if (state == JobState.CANCELLED) {
                return new Outcome.Cancelled();
            }
            // Otherwise a transactional listener whose commit succeeded, though it was told that it did not.
            return tried instanceof Outcome.Completed ? tried : new Outcome.AlreadyCompleted();
        }

        private void fail(List<PendingOutcome> entries, Throwable e) {
            failure = e;
            failed.addAll(entries);
        }

        private void writeUnlocked(List<PendingOutcome> entries, Statement statement, Throwable e) {
            Set<Long> locked;
            try {
                locked = locked(entries);
            } catch (RuntimeException | Error again) {
                again.addSuppressed(e);
                fail(entries, again);
                return;
            }
            if (locked.isEmpty()) { // free by now, or it was no row that could not be locked
                fail(entries, e);
                return;
            }
            List<PendingOutcome> free = new ArrayList<>();
            entries.forEach(entry -> (locked.contains(entry.claim().token()) ? blocked : free).add(entry));
            write(free, statement);
        }

        private void buryInstead(PendingOutcome entry, Throwable refusal) {
            List<PendingOutcome> plain = List.of(entry.as(notRecorded(entry.outcome(), refusal)));
            try {
                sort(plain, statements.buryAll(map(plain, OutcomeWriter.this::buried)));
            } catch (RuntimeException | Error e) {
                e.addSuppressed(refusal);
                failure = e;
                switch (WriteFailure.of(e)) {
                    case FOR_NOW -> failed.add(entry);
                    case LOCKED -> blocked.add(entry);
                    case OF_AN_ENTRY -> unwritable.add(entry);
                }
            }
        }
    }

    /** What a failure to write outcomes says. */
    enum WriteFailure {
        /** Somebody else has locked one of the rows. */
        LOCKED,

        /** One of the outcomes, or its job's row, cannot be written as it is. */
        OF_AN_ENTRY,

        /** Nothing can be written now, or so it seems: the connection, the server, its memory or disk, privileges, the tables. */
        FOR_NOW;

        private static final String LOCK_NOT_AVAILABLE = "55P03";

        /**
         * SQLSTATE classes by which the server refuses a value or a row: data exceptions, constraints, check options, limits, and
         * what triggers and functions raise.
         */
        private static final Set<String> REFUSALS = Set.of("21", "22", "23", "27", "38", "39", "44", "54", "P0");

        static WriteFailure of(Throwable thrown) {
            String state = sqlState(thrown);
            if (LOCK_NOT_AVAILABLE.equals(state)) {
                return LOCKED;
            }
            if (thrown instanceof DataAccessException access) {
                boolean refused = state.length() == 5 && REFUSALS.contains(state.substring(0, 2));
                return refused && !EnsureDonePartitions.missing(access) ? OF_AN_ENTRY : FOR_NOW;
            }
            // Not said by the database, but by a pool, a proxy or the machine: it proves nothing against an outcome.
            return FOR_NOW;
        }

        /** Whether the connection, the server's stop, or want of disk or memory is to blame for certain, or no server has said anything. */
        static boolean ofTheServer(Throwable thrown) {
            String state = sqlState(thrown);
            return state.isEmpty() || state.startsWith("08") || state.startsWith("53") || state.startsWith("57P");
        }

        /** Empty if there is none. */
        static String sqlState(Throwable thrown) {
            Throwable cause = thrown instanceof DataAccessException access ? access.getMostSpecificCause() : thrown;
            return cause instanceof SQLException sql && sql.getSQLState() != null ? sql.getSQLState() : "";
        }
    }
}
