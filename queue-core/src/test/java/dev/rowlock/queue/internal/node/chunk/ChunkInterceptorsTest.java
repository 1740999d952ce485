package dev.rowlock.queue.internal.node.chunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ChunkInterceptor;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What stands around calls with chunks. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class ChunkInterceptorsTest extends ChunkTest {

    private static final class Around implements JobInterceptor, ChunkInterceptor {

        private final Queue<Integer> calls = new ConcurrentLinkedQueue<>();

        @Override
        public @Nullable Object intercept(JobContext job, Invocation next) throws Exception {
            calls.add(-1);
            return next.proceed();
        }

        @Override
        public @Nullable Object intercept(List<JobContext> jobs, Invocation next) throws Exception {
            calls.add(jobs.size());
            return next.proceed();
        }
    }

    @Test
    void aChunkInterceptorWrapsEachCallAlsoWithOneJob() {
        Around around = new Around();
        node.interceptor(around)
                .chunkListener(
                        Greet.class,
                        jobs -> {
                            if (jobs.size() > 1) {
                                throw new IllegalStateException("one by one");
                            }
                            return ChunkResult.ALL_COMPLETED;
                        },
                        listener -> listener.batch(2).linger(LONG));
        node.jobs.enqueueAll(Calls.people(2));

        node.start();

        node.awaitCount("done", 2);
        assertThat(around.calls).containsExactly(2, 1, 1);
    }

    @Test
    void anInterceptorThatKnowsNothingOfChunksStopsTheStart() {
        node.interceptor((job, next) -> next.proceed())
                .chunkListener(Greet.class, jobs -> ChunkResult.ALL_COMPLETED, listener -> listener);

        assertThatThrownBy(node::start)
                .isInstanceOf(InvalidJobListenerException.class)
                .hasMessageContaining("GreetListener runs chunks")
                .hasMessageContaining("implement ChunkInterceptor");
    }

    @Test
    void whatAnInterceptorSwallowsDoesNotCompleteAJobWhoseClaimIsLost() {
        node.sql.sql("CREATE TABLE effect (name text)").update();
        final class Swallowing implements JobInterceptor, ChunkInterceptor {

            @Override
            public @Nullable Object intercept(JobContext job, Invocation next) throws Exception {
                return next.proceed();
            }

            @Override
            public @Nullable Object intercept(List<JobContext> jobs, Invocation next) {
                try {
                    return next.proceed();
                } catch (Exception e) {
                    return null;
                }
            }
        }
        node.interceptor(new Swallowing())
                .chunkListener(
                        Greet.class,
                        jobs -> {
                            calls.note(jobs);
                            jobs.forEach(job -> node.sql
                                    .sql("INSERT INTO effect VALUES (?)")
                                    .param(Calls.name(job))
                                    .update());
                            if (calls.sizes().size() == 1) {
                                node.others.takeAway(jobs.get(0).context());
                            }
                            return ChunkResult.ALL_COMPLETED;
                        },
                        listener -> listener.batch(3).linger(LONG).transactional(true));
        long[] ids = node.jobs.enqueueAll(Calls.people(3));

        node.start();

        node.awaitCount("done", 2);
        node.awaitEvent("lost " + ids[0]);
        assertThat(node.sql
                        .sql("SELECT name FROM effect ORDER BY name")
                        .query(String.class)
                        .list())
                .containsExactly("p001", "p002");
    }
}
