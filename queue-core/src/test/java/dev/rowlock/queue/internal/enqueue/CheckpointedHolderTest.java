package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.EnqueueResult;
import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.KeyHolderStartedException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** A job that has saved a checkpoint has started, whoever gave it back: no other payload may meet that checkpoint. */
@PostgresTest(migrated = true)
class CheckpointedHolderTest {

    record Index(String what) {}

    private static final UniqueKey KEY = UniqueKey.of("doc-7");
    private static final UniqueKey ONCE = KEY.onceMore();

    /** How a job comes back without having used up an attempt. */
    enum Back {
        RELEASED_AT_A_SHUTDOWN {
            @Override
            void give(Rooms rooms, ClaimedJob job) {
                new OutcomeStatements(rooms.database(), true).release(List.of(job.claim()));
            }
        },
        SNOOZED {
            @Override
            void give(Rooms rooms, ClaimedJob job) {
                defer(rooms, job, "snooze");
            }
        },
        RESCUED {
            @Override
            void give(Rooms rooms, ClaimedJob job) {
                defer(rooms, job, "crash");
            }
        };

        abstract void give(Rooms rooms, ClaimedJob job);

        private static void defer(Rooms rooms, ClaimedJob job, String reason) {
            new OutcomeStatements(rooms.database(), true)
                    .defer(List.of(new OutcomeStatements.Deferred(
                            job.claim(), Due.after(Duration.ofMinutes(1)), null, reason, null)));
        }
    }

    private final Rooms rooms;
    private final JobOperations jobs;

    CheckpointedHolderTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        jobs = FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), new RecordedWakeups());
    }

    @ParameterizedTest
    @EnumSource(Back.class)
    void aRequestOnceMoreLeavesAJobWithACheckpointAsItIsAndRunsAfterItsEnd(Back back) {
        EnqueueResult first = ask("first", ONCE);
        giveBackWithCheckpoint(back);

        EnqueueResult second = ask("second", ONCE);

        assertThat(second.what()).isEqualTo(Enqueued.ONCE_MORE);
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(payload(first.id())).isEqualTo("first");
        assertThat(payload(second.id())).isEqualTo("second");
    }

    @ParameterizedTest
    @EnumSource(Back.class)
    void aRequestUntilStartedMakesANewJobBesideOneWithACheckpoint(Back back) {
        UniqueKey key = KEY.untilStarted().replacing();
        EnqueueResult first = ask("first", key);
        giveBackWithCheckpoint(back);

        EnqueueResult second = ask("second", key);

        assertThat(second.what()).isEqualTo(Enqueued.CREATED);
        assertThat(payload(first.id())).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource(Back.class)
    void aJobWithACheckpointCannotBeReplaced(Back back) {
        EnqueueResult first = ask("first", KEY.replacing());
        giveBackWithCheckpoint(back);

        assertThatThrownBy(() -> ask("second", KEY.replacing())).isInstanceOf(KeyHolderStartedException.class);

        assertThat(payload(first.id())).isEqualTo("first");
    }

    @ParameterizedTest
    @EnumSource(Back.class)
    void aJobThatCameBackWithoutACheckpointTakesTheNewPayload(Back back) {
        EnqueueResult first = ask("first", ONCE);
        back.give(rooms, claim());

        assertThat(ask("second", ONCE)).isEqualTo(new EnqueueResult(first.id(), Enqueued.REPLACED));
        assertThat(payload(first.id())).isEqualTo("second");
    }

    @Test
    void aRequestThatWaitsForAJobWhichIsClaimedAndComesBackWithACheckpointSeesIt() throws SQLException {
        EnqueueResult first = ask("first", ONCE);
        try (OpenTransaction moving = new OpenTransaction(rooms.database())) {
            Rooms within = new Rooms(moving.database());
            within.execute("CREATE TEMP TABLE back ON COMMIT DROP AS TABLE rowlock.ready");
            within.execute("DELETE FROM rowlock.ready");
            within.execute("INSERT INTO rowlock.checkpoint SELECT id, 1, now(), '{}' FROM back");
            within.execute("INSERT INTO rowlock.ready SELECT * FROM back");
            CompletableFuture<EnqueueResult> second = CompletableFuture.supplyAsync(() -> ask("second", ONCE));
            rooms.awaitBlocked();
            moving.commit();

            assertThat(second.join().what()).isEqualTo(Enqueued.ONCE_MORE);
            assertThat(payload(first.id())).isEqualTo("first");
        }
    }

    private void giveBackWithCheckpoint(Back back) {
        ClaimedJob job = claim();
        new ClaimStatements(rooms.database()).saveCheckpoint(job.claim(), Map.of("page", 1), TestNode.codec());
        back.give(rooms, job);
    }

    private ClaimedJob claim() {
        return rooms.claim(rooms.node(), 1).get(0);
    }

    private EnqueueResult ask(String what, UniqueKey key) {
        return jobs.enqueueUnique(new Index(what), key, o -> o.queue(Rooms.QUEUE));
    }

    private String payload(long id) {
        return rooms.sql("SELECT payload ->> 'what' FROM rowlock.job_details WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }
}
