package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs.Placed;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.DropDonePartitions;
import dev.rowlock.queue.internal.janitor.Leftovers;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.janitor.RescueJobs;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.internal.operate.BulkActionStatements;
import dev.rowlock.queue.internal.operate.DoBulkBatch;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Moves jobs about at random, through every statement there is, with claims that are held and claims that are lost. */
public final class RandomWalk {

    private static final int MAX_CRASHES = 3;

    private final Rooms rooms;
    private final Database db;
    private final Random random;
    private final List<Runnable> moves = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private final List<Long> nodes = new ArrayList<>();
    private long enqueued;
    private long lastToken;

    public RandomWalk(Rooms rooms, long seed) {
        this.rooms = rooms;
        this.db = rooms.database();
        this.random = new Random(seed);
        moves.addAll(List.of(this::enqueueReady, this::enqueueWaiting, this::dispatch, this::claim, this::claim));
        moves.addAll(List.of(this::enqueueLarge, this::removeLeftoverPayloads, this::removeLeftoverPayloads));
        moves.addAll(List.of(this::enqueueUnique, this::removeFreeKeys));
        moves.addAll(List.of(this::complete, this::complete, this::defer, this::bury, this::release));
        moves.addAll(List.of(this::rescue, this::takeOverdue, this::releaseStranded, this::touch));
        moves.addAll(List.of(this::cancel, this::cancel, this::redrive, this::discard));
    }

    /** With retention. One walk at a time: it makes jobs old by hand, in all partitions at once. */
    public RandomWalk withRetention() {
        moves.add(this::dropDone);
        return this;
    }

    /** How many jobs this walk has brought in. */
    public long enqueued() {
        return enqueued;
    }

    public void step() {
        moves.get(random.nextInt(moves.size())).run();
    }

    private void enqueueReady() {
        long[] added =
                rooms.ready(Collections.nCopies(1 + random.nextInt(5), Rooms.job(Rooms.QUEUE, random.nextInt(3) - 1)));
        remember(added);
    }

    private void enqueueWaiting() {
        Due due = Due.after(random.nextBoolean() ? Duration.ZERO : Duration.ofHours(1));
        remember(rooms.waiting(Collections.nCopies(1 + random.nextInt(5), Rooms.job(due))));
    }

    private void enqueueLarge() {
        remember(rooms.large(List.of(Rooms.large(NewJob.LARGE + 1), Rooms.job(), Rooms.large(NewJob.LARGE + 1))));
    }

    private void removeLeftoverPayloads() {
        new Leftovers(db).payloads(Leftovers.FIRST_ID, 1_000);
    }

    /** Keys that are few, so that most are held, by jobs in all rooms. */
    private void enqueueUnique() {
        List<NewJob> jobs = IntStream.rangeClosed(0, random.nextInt(5))
                .mapToObj(i -> Rooms.job(
                        UniqueKey.of("k" + random.nextInt(8)), random.nextBoolean() ? Due.after(Duration.ZERO) : null))
                .toList();
        remember(rooms.unique(jobs).stream()
                .filter(Placed::created)
                .mapToLong(Placed::id)
                .toArray());
    }

    private void removeFreeKeys() {
        new Leftovers(db).freeKeys(Leftovers.FIRST_KEY, 100);
    }

    private void remember(long[] added) {
        enqueued += added.length;
        for (long id : added) {
            ids.add(id);
        }
    }

    private void dispatch() {
        new DispatchDueJobs(db).run(1 + random.nextInt(10));
    }

    private void claim() {
        if (nodes.size() < 3) {
            nodes.add(rooms.node());
        }
        Batch batch = new ClaimReadyJobs(db).run(Rooms.QUEUE, QueueRange.ALL, 1 + random.nextInt(5), pick(nodes), null);
        for (ClaimedJob job : batch.jobs()) {
            claims.add(job.claim());
        }
        for (ClaimedJob job : batch.jobs()) {
            if (job.claim().token() <= lastToken) {
                throw new AssertionError("%s follows a claim under token %d".formatted(job, lastToken));
            }
        }
        lastToken = batch.jobs().stream()
                .mapToLong(job -> job.claim().token())
                .max()
                .orElse(lastToken);
    }

    private void complete() {
        JobState state = random.nextInt(4) == 0 ? JobState.CANCELLED : JobState.COMPLETED;
        if (random.nextBoolean()) {
            some(claims).forEach(claim -> new OutcomeStatements(db, true).finishInTransaction(claim, "{}", true));
        } else {
            new OutcomeStatements(db, true)
                    .finish(
                            some(claims).stream()
                                    .map(claim -> new OutcomeStatements.Finished(claim, state, null))
                                    .toList(),
                            true);
        }
    }

    private void defer() {
        String error = random.nextBoolean() ? Rooms.error("it failed") : null;
        Duration byAge = random.nextBoolean() ? Duration.ofMillis(5) : null;
        new OutcomeStatements(db, true)
                .defer(some(claims).stream()
                        .map(claim ->
                                new OutcomeStatements.Deferred(claim, Due.after(Duration.ZERO), byAge, "retry", error))
                        .toList());
    }

    private void bury() {
        new OutcomeStatements(db, true)
                .bury(some(claims).stream()
                        .map(claim -> new OutcomeStatements.Buried(claim, Rooms.error("it failed")))
                        .toList());
    }

    private void release() {
        new OutcomeStatements(db, true).release(some(claims));
    }

    private void rescue() {
        if (!nodes.isEmpty()) {
            rooms.declareDead(nodes.remove(random.nextInt(nodes.size())));
        }
        new RescueJobs(db).run(MAX_CRASHES, RescueJobs.LIMIT);
    }

    private void takeOverdue() {
        new OverdueStatements(db)
                .take(
                        some(claims).stream()
                                .map(claim -> new OverdueClaim(claim, random.nextBoolean()))
                                .toList(),
                        random.nextInt(3),
                        Duration.ZERO);
    }

    private void releaseStranded() {
        if (!nodes.isEmpty()) {
            new ReleaseStrandedJobs(db).run(pick(nodes), Long.MAX_VALUE, new long[0], ReleaseStrandedJobs.LIMIT);
        }
    }

    private void touch() {
        some(claims).forEach(claim -> {
            new ClaimStatements(db).progress(claim, random.nextInt(101), "on the way");
            new ClaimStatements(db).isolate(claim, List.of());
        });
    }

    private void cancel() {
        some(ids).forEach(id -> {
            if (random.nextBoolean()) {
                new JobStatements(db).cancelIdle(id, null);
            } else {
                new JobStatements(db).requestCancel(id, null);
            }
        });
    }

    private void redrive() {
        JobStatements dead = new JobStatements(db);
        if (random.nextBoolean()) {
            some(ids).forEach(id -> dead.redrive(id, null));
        } else {
            bulk(BulkAction.Kind.REDRIVE, 1 + random.nextInt(3));
        }
    }

    /** A batch of the oldest bulk action that is not finished. */
    private void bulk(BulkAction.Kind kind, int jobs) {
        new BulkActionStatements(db)
                .create(
                        TransactionStanding.OUTSIDE,
                        kind,
                        JobFilter.where().queue(Rooms.QUEUE),
                        null,
                        Actor.APPLICATION);
        new DoBulkBatch(db, jobs).run();
    }

    private void discard() {
        JobStatements dead = new JobStatements(db);
        switch (random.nextInt(6)) {
            case 0 -> some(ids).forEach(id -> dead.discard(id, null));
            case 1 -> bulk(BulkAction.Kind.DISCARD, 1);
            case 2 -> dead.discardOlderThan(Duration.ZERO, 1);
            default -> {} // leave something for the redrive
        }
    }

    /** Lets some done jobs be from long ago, and retention come. */
    private void dropDone() {
        if (random.nextInt(3) == 0) {
            rooms.execute(
                    "CREATE TABLE IF NOT EXISTS rowlock.done_20200101 PARTITION OF rowlock.done FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')");
            rooms.execute("UPDATE rowlock.done SET finished_at = '2020-01-01 12:00+00' WHERE id % 3 = 0");
            new DropDonePartitions(db).run(Duration.ofDays(7));
        }
    }

    private <T> List<T> some(List<T> all) {
        List<T> some = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0 && !all.isEmpty(); i--) {
            // The latest are the likeliest to be still there.
            T one = all.get(all.size() - 1 - (int) (random.nextDouble() * random.nextDouble() * all.size()));
            if (!some.contains(one)) {
                some.add(one);
            }
        }
        return some;
    }

    private <T> T pick(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }
}
