package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A look at many queues at once. */
@PostgresTest(migrated = true)
class FindReadyQueuesTest {

    private static final Duration NEVER_SLOW = Duration.ofHours(1);
    private static final int BACKLOG = 20_000;
    private static final Pattern PAGES = Pattern.compile("Buffers: shared hit=(\\d+)");

    private final TestDatabase test;
    private final Rooms rooms;

    FindReadyQueuesTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @Test
    void onlyQueuesWithReadyJobsAreFound() {
        rooms.ready(3);

        List<String> found =
                new FindReadyQueues(rooms.database()).among(List.of("a", Rooms.QUEUE, "b", "unheard of"), NEVER_SLOW);

        assertThat(found).containsExactly(Rooms.QUEUE);
    }

    @Test
    void queuesWhereTheLookTookTooLongAreNamed() {
        List<String> found = new FindReadyQueues(rooms.database()).among(List.of("a", "b"), Duration.ofMillis(-1));

        assertThat(found).containsExactly("a", "b");
    }

    /** Statistics from when the table was empty. */
    @ParameterizedTest
    @EnumSource(Plans.class)
    void theLookReadsOneIndexRowForEachQueueHoweverManyJobsAreReady(Plans plans) throws SQLException {
        rooms.execute("ANALYZE rowlock.ready");
        rooms.ready(BACKLOG);
        List<String> queues = Stream.concat(
                        Stream.of(Rooms.QUEUE), IntStream.range(0, 100).mapToObj(i -> "queue" + i))
                .toList();

        try (ExplainedDatabase explained =
                new ExplainedDatabase(test, rooms.database().schema(), plans)) {
            FindReadyQueues look = new FindReadyQueues(explained.database());
            for (int i = 0; i < 7; i++) {
                assertThat(look.among(queues, NEVER_SLOW)).containsExactly(Rooms.QUEUE);
            }

            assertThat(explained.lastPlan()).contains("ready_in_order").doesNotContain("Seq Scan", "Sort");
            assertThat(PAGES.matcher(explained.lastPlan()).results().mapToInt(hit -> Integer.parseInt(hit.group(1))))
                    .isNotEmpty()
                    .allMatch(pages -> pages <= 5 * queues.size());
        }
    }
}
