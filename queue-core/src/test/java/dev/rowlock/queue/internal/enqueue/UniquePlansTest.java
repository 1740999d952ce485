package dev.rowlock.queue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.json.JsonMapper;

/** Full rooms cost a request with a key no more than empty ones. Statistics are from when the tables were empty. */
@PostgresTest(migrated = true)
class UniquePlansTest {

    private static final String[] SCANS = {
        "Seq Scan on waiting",
        "Seq Scan on ready",
        "Seq Scan on running",
        "Seq Scan on unique_key",
        "Seq Scan on checkpoint",
        "Seq Scan on payload"
    };

    record Index(String what) {}

    private final TestDatabase test;
    private final Rooms rooms;

    UniquePlansTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        rooms.execute(
                "ANALYZE rowlock.unique_key, rowlock.ready, rowlock.waiting, rowlock.running, rowlock.payload, rowlock.once_more,"
                        + " rowlock.checkpoint");
        rooms.fill(10_000, rooms.node());
        rooms.execute(
                "INSERT INTO rowlock.checkpoint (job_id, token, saved_at, data) SELECT id, 1, now(), '{}' FROM rowlock.running");
        rooms.execute("INSERT INTO rowlock.unique_key SELECT 'other', id::text, id FROM rowlock.ready");
    }

    @ParameterizedTest
    @EnumSource(Plans.class)
    void everyStatementFindsItsRowsByIndex(Plans plans) throws SQLException {
        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), plans)) {
            JobOperations jobs =
                    FrontDoors.jobs(explained.database(), new JacksonPayloadCodec(JsonMapper.shared()), Wakeups.NONE);
            for (int i = 0; i < 6; i++) {
                jobs.enqueueEach(requests(UniqueKey.of("a").replacing(), 1));
                jobs.enqueueEach(requests(UniqueKey.of("b").onceMore(), 100));
                jobs.enqueueEach(requests(UniqueKey.of("c").postponing(Duration.ofHours(2)), 100));
            }
            new ReleaseFollowers(explained.database()).run(ReleaseFollowers.FRONT, 1_000, List.of());
            new ReleaseFollowers(explained.database()).giveKeysBack(List.of(1L, 2L));

            assertThat(explained.plans())
                    .hasSizeGreaterThan(40)
                    .allSatisfy(plan -> assertThat(plan).doesNotContain(SCANS));
        }
    }

    private static List<JobRequest> requests(UniqueKey key, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> JobRequest.of(
                        new Index("" + i),
                        o -> o.delay(Duration.ofHours(1))
                                .unique(new UniqueKey(
                                        key.value() + i,
                                        key.atLeast(),
                                        key.until(),
                                        key.onConflict(),
                                        key.longestWait()))))
                .toList();
    }
}
