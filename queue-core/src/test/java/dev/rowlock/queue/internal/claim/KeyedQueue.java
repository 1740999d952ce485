package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Keys;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** A queue whose jobs have keys, and a node that claims them. */
@PostgresTest(migrated = true)
abstract class KeyedQueue {

    final TestDatabase database;
    final Rooms rooms;
    final ClaimKeyedJobs claim;
    final long node;

    KeyedQueue(TestDatabase database) {
        this.database = database;
        rooms = Rooms.emptyIn(database);
        claim = new ClaimKeyedJobs(rooms.database(), Duration.ZERO);
        node = rooms.node();
    }

    final void limit(QueueLimit limit) {
        new DeclareLimits(rooms.database()).anew(List.of(limit), List.of(QUEUE));
    }

    static NewJob job(String key, int rank) {
        return new NewJob(QUEUE, "send", rank, null, null, null, "{}", null, key, null);
    }

    static List<NewJob> jobs(String key, int count) {
        return IntStream.range(0, count).mapToObj(i -> job(key, 0)).toList();
    }

    final long[] enqueue(String key, int count) {
        return rooms.large(jobs(key, count));
    }

    final KeyedBatch run(int limit) {
        return run(Look.FIRST, limit);
    }

    final KeyedBatch run(Look look, int limit) {
        return run(look, Keys.WALK, limit);
    }

    final KeyedBatch run(Look look, Keys keys, int limit) {
        return claim.run(QUEUE, look, keys, limit, 0, Which.ALL, node, null);
    }

    /** Where the next claim looks. */
    static Look next(KeyedBatch batch) {
        return batch.next() == null ? Look.FIRST : batch.next();
    }

    /** Of the claimed jobs, in their order; empty: it has none. */
    static List<String> keys(KeyedBatch batch) {
        return batch.batch().jobs().stream()
                .map(job -> job.key() == null ? "" : job.key())
                .sorted()
                .toList();
    }
}
