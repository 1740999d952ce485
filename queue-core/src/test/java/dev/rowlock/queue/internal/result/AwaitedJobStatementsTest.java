package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Found;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@PostgresTest(migrated = true)
@Representative
class AwaitedJobStatementsTest {

    private final TestDatabase test;
    private final Rooms rooms;
    private final AwaitedJobStatements find;

    AwaitedJobStatementsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        find = new AwaitedJobStatements(rooms.database());
    }

    @Test
    void onlyThoseThatDoNotLiveAreFound() {
        ClaimedJob done = rooms.running();
        rooms.complete(done, true);
        long dead = rooms.dead();
        long running = rooms.running().id();
        long waiting = rooms.waiting(Due.after(Duration.ofDays(1)));
        long ready = rooms.ready();

        assertThat(find.run(new long[] {done.id(), dead, running, waiting, ready, -1})
                        .ended())
                .extracting(Ended::id, Ended::state)
                .containsExactlyInAnyOrder(
                        org.assertj.core.groups.Tuple.tuple(done.id(), "completed"),
                        org.assertj.core.groups.Tuple.tuple(dead, "dead"),
                        org.assertj.core.groups.Tuple.tuple(-1L, null));
    }

    @Test
    void theyAreAnsweredALimitedNumberAtATime() {
        Found found = find.run(LongStream.range(-100, 0).toArray());

        assertThat(found.ended()).hasSize(AwaitedJobStatements.LIMIT);
        assertThat(found.all()).isFalse();
    }

    @Test
    void aFewLargeResultsAreAnsweredAtATime() {
        List<ClaimedJob> jobs = Stream.generate(rooms::running).limit(20).toList();
        jobs.forEach(job -> rooms.complete(job, true));
        rooms.execute("UPDATE rowlock.done SET result = to_json(repeat('x', 1000000))");
        Set<Long> left = jobs.stream().map(ClaimedJob::id).collect(Collectors.toCollection(TreeSet::new));

        while (!left.isEmpty()) {
            Found found = find.run(left.stream().mapToLong(Long::longValue).toArray());
            found.ended().forEach(ended -> left.remove(ended.id()));

            assertThat(found.ended()).hasSizeBetween(1, 5);
            assertThat(found.all()).isEqualTo(left.isEmpty());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Plans.class,
            names = {"CUSTOM", "GENERIC"})
    void eachJobIsLookedForByItsId(Plans plans) throws Exception {
        rooms.fill(6_000, rooms.node());
        rooms.believeEmptied("ready", "waiting", "running");

        try (ExplainedDatabase explained = new ExplainedDatabase(test, new Schema("rowlock"), plans)) {
            new AwaitedJobStatements(explained.database())
                    .run(LongStream.rangeClosed(1, 50).toArray());

            assertThat(explained.plans())
                    .singleElement()
                    .asString()
                    .contains("ready_pkey", "waiting_pkey", "running_pkey", "dead_pkey")
                    .doesNotContain("Seq Scan");
        }
    }
}
