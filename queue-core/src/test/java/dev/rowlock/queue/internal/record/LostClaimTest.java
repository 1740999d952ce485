package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Promise 2: no statement changes anything under a lost token, and its caller learns of it. */
@PostgresTest(migrated = true)
class LostClaimTest {

    /** Each statement that changes a claimed job. Says whether it found the claim. */
    enum Change {
        COMPLETE((db, claim) -> found(new OutcomeStatements(db, true)
                .finish(List.of(new OutcomeStatements.Finished(claim, JobState.COMPLETED, "1")), true))),
        COMPLETE_AND_FORGET((db, claim) -> found(new OutcomeStatements(db, false)
                .finish(List.of(new OutcomeStatements.Finished(claim, JobState.COMPLETED, "1")), false))),
        END_AS_CANCELLED((db, claim) -> found(new OutcomeStatements(db, true)
                .finish(List.of(new OutcomeStatements.Finished(claim, JobState.CANCELLED, null)), true))),
        COMPLETE_IN_TRANSACTION((db, claim) -> new OutcomeStatements(db, true).finishInTransaction(claim, "1", true)),
        COMPLETE_IN_TRANSACTION_AND_FORGET(
                (db, claim) -> new OutcomeStatements(db, false).finishInTransaction(claim, "1", false)),
        RETRY((db, claim) -> found(new OutcomeStatements(db, true)
                .defer(List.of(new OutcomeStatements.Deferred(
                        claim, Due.after(Duration.ZERO), null, "retry", Rooms.error("it failed"))))
                .held())),
        SNOOZE((db, claim) -> found(new OutcomeStatements(db, true)
                .defer(List.of(new OutcomeStatements.Deferred(claim, Due.after(Duration.ZERO), null, "snooze", null)))
                .held())),
        BURY((db, claim) -> found(new OutcomeStatements(db, true)
                .bury(List.of(new OutcomeStatements.Buried(claim, Rooms.error("it failed"))))
                .held())),
        RELEASE((db, claim) ->
                found(new OutcomeStatements(db, true).release(List.of(claim)).held())),
        EXTEND((db, claim) ->
                new ClaimStatements(db).extend(claim, Duration.ofMinutes(1)).isPresent()),
        PROGRESS((db, claim) -> new ClaimStatements(db).progress(claim, 50, "half")),
        ISOLATE((db, claim) -> new ClaimStatements(db).isolate(claim, List.of()));

        private final BiFunction<Database, Claim, Boolean> statement;

        Change(BiFunction<Database, Claim, Boolean> statement) {
            this.statement = statement;
        }

        private static boolean found(java.util.Set<Long> tokens) {
            return !tokens.isEmpty();
        }
    }

    private final Rooms rooms;

    LostClaimTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
    }

    @ParameterizedTest
    @EnumSource
    void aHeldTokenIsFound(Change change) {
        ClaimedJob job = rooms.running();

        boolean found = change.statement.apply(rooms.database(), job.claim());

        assertThat(found).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void theTokenOfAnEarlierClaimChangesNothing(Change change) {
        ClaimedJob first = rooms.running();
        new OutcomeStatements(rooms.database(), true).release(List.of(first.claim()));
        ClaimedJob second = rooms.claim(rooms.node(), 1).get(0);
        List<Map<String, Object>> before = rooms.everything();

        boolean found = change.statement.apply(rooms.database(), first.claim());

        assertThat(found).isFalse();
        assertThat(second.id()).isEqualTo(first.id());
        assertThat(rooms.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void theTokenOfAnotherJobChangesNothing(Change change) {
        List<ClaimedJob> jobs = rooms.running(2);
        Claim mixed = new Claim(jobs.get(0).id(), jobs.get(1).claim().token());
        List<Map<String, Object>> before = rooms.everything();

        boolean found = change.statement.apply(rooms.database(), mixed);

        assertThat(found).isFalse();
        assertThat(rooms.everything()).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource
    void aTokenIsLostInEveryOtherRoom(Change change) {
        List<Claim> elsewhere = Stream.of(ready(), waiting(), done(), dead()).toList();
        List<Map<String, Object>> before = rooms.everything();

        assertThat(elsewhere)
                .allSatisfy(claim -> assertThat(change.statement.apply(rooms.database(), claim))
                        .isFalse());
        assertThat(rooms.everything()).isEqualTo(before);
    }

    private Claim ready() {
        return moved(Change.RELEASE);
    }

    private Claim waiting() {
        return moved(Change.SNOOZE);
    }

    private Claim done() {
        return moved(Change.COMPLETE);
    }

    private Claim dead() {
        return moved(Change.BURY);
    }

    private Claim moved(Change change) {
        ClaimedJob job = rooms.running();
        assertThat(change.statement.apply(rooms.database(), job.claim())).isTrue();
        return job.claim();
    }
}
