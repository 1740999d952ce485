package dev.rowlock.queue;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.enqueue.EnqueueInterceptors;
import dev.rowlock.queue.internal.enqueue.EnqueueJobs;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs;
import dev.rowlock.queue.internal.enqueue.EnqueueUniqueJobs.Placed;
import dev.rowlock.queue.internal.enqueue.InterceptedCall;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.enqueue.UniqueRequests;
import dev.rowlock.queue.internal.enqueue.UniqueRequests.Answer;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.internal.wake.Wakes;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;

/**
 * Enqueues jobs into PostgreSQL: see {@link JobOperations} for transactions and errors. Workers are woken after the
 * commit.
 */
public final class JobTemplate implements JobOperations {

    /** Jobs that name no queue, by option, annotation or listener, go here. */
    public static final String DEFAULT_QUEUE = Names.DEFAULT_QUEUE;

    /** Jobs per statement; large payloads make it fewer. */
    static final int CHUNK_JOBS = 1_000;

    /** Jobs per statement if some have unique keys: one statement takes its keys in their order, two may deadlock. */
    static final int UNIQUE_CHUNK_JOBS = 10_000;

    /** A call that is chosen as the victim of a deadlock is repeated so often. */
    private static final int TRIES = 10;

    private static final String DEADLOCK = "40P01";

    /** Characters of payload per statement. */
    static final int CHUNK_CHARACTERS = 4 << 20;

    private final Database database;
    private final RequestedJobs requested;
    private final EnqueueJobs enqueue;
    private final EnqueueUniqueJobs enqueueUnique;
    private final UniqueRequests uniqueRequests;
    private final Wakeups wakeups;
    private final AfterCommit afterCommit;
    private final EnqueueInterceptors interceptors;

    /** Nobody intercepts. */
    JobTemplate(
            Database database,
            PayloadCodec codec,
            long maxPayloadBytes,
            UnaryOperator<@Nullable String> listenerQueues,
            Wakeups wakeups) {
        this(database, codec, maxPayloadBytes, listenerQueues, wakeups, EnqueueInterceptors.NONE);
    }

    /**
     * @param maxPayloadBytes the largest payload as JSON in UTF-8
     * @param listenerQueues the queue that a listener of this application names for a type; null if there is none
     */
    JobTemplate(
            Database database,
            PayloadCodec codec,
            long maxPayloadBytes,
            UnaryOperator<@Nullable String> listenerQueues,
            Wakeups wakeups,
            EnqueueInterceptors interceptors) {
        this.database = database;
        this.requested = new RequestedJobs(codec, database.encryption(), maxPayloadBytes, listenerQueues);
        this.enqueue = new EnqueueJobs(database.schema());
        this.enqueueUnique = new EnqueueUniqueJobs(database.schema());
        this.uniqueRequests = new UniqueRequests(database.schema());
        this.wakeups = wakeups;
        this.afterCommit = new AfterCommit(database, wakeups);
        this.interceptors = interceptors;
    }

    @Override
    public long enqueue(Object payload, JobOptions options) {
        JobRequest request = JobRequest.from(payload, options);
        if (!interceptors.none()) {
            return intercepted(request).id();
        }
        return request.options().uniqueKey() == null
                ? enqueuePlain(request)
                : enqueueUnique(request).id();
    }

    private EnqueueResult intercepted(JobRequest request) {
        InterceptedCall call = interceptors.one(
                requested.queueOf(request),
                RequestedJobs.typeOf(request),
                request.options().headers());
        return interceptors.around(call, () -> {
            JobRequest amended = new JobRequest(request.payload(), call.amended(request.options()));
            EnqueueResult result = amended.options().uniqueKey() == null
                    ? new EnqueueResult(enqueuePlain(amended), Enqueued.CREATED)
                    : enqueueUnique(amended);
            call.answered(result.id(), result.what());
            return result;
        });
    }

    private JobRequest amended(InterceptedCall call, JobRequest request) {
        call.count(requested.queueOf(request), RequestedJobs.typeOf(request));
        return new JobRequest(request.payload(), call.amended(request.options()));
    }

    private long enqueuePlain(JobRequest request) {
        TransactionStanding standing = database.requireWritable("enqueue");
        NewJob job = newJob(request);
        // Beside the work of a large payload, a notification of its own does not count.
        boolean byItself = job.due() == null && !job.special() && !standing.joins();
        String message = byItself ? wakeups.sendAlong(job.queue(), job.rank()) : null;
        if (message != null) {
            return enqueueAndNotify(job, message, standing);
        }
        List<NewJob> jobs = List.of(job);
        long[] ids = database.joinedAtOnce(standing, connection -> write(connection, jobs));
        afterCommit.wake(jobs, standing);
        return ids[0];
    }

    private long enqueueAndNotify(NewJob job, String message, TransactionStanding standing) {
        long begun = System.nanoTime();
        long id = database.joinedAtOnce(
                standing, database.numbered(connection -> enqueue.runAndNotify(connection, job, message)));
        wakeups.sentAlong(job.queue(), job.rank(), Duration.ofNanos(System.nanoTime() - begun));
        return id;
    }

    @Override
    public EnqueueResult enqueueUnique(Object payload, UniqueKey key, JobOptions options) {
        JobRequest request = JobRequest.from(payload, options);
        UniqueKey own = request.options().uniqueKey();
        if (own != null && !own.equals(key)) {
            throw new IllegalArgumentException(
                    "unique key %s is not the options' key %s: a job has one key, name it once".formatted(key, own));
        }
        JobRequest keyed = new JobRequest(request.payload(), request.options().unique(key));
        return interceptors.none() ? enqueueUnique(keyed) : intercepted(keyed);
    }

    private EnqueueResult enqueueUnique(JobRequest request) {
        TransactionStanding standing = database.requireWritable("enqueue");
        List<NewJob> job = List.of(newJob(request));
        if (UniqueRequests.needed(request.options().uniqueKey())) {
            return writeEach(standing, job).get(0);
        }
        Placed placed = database.joinedAtOnce(
                        standing, database.numbered(connection -> enqueueUnique.run(connection, job)))
                .get(0);
        if (placed.created()) {
            afterCommit.wake(job, standing);
        }
        return result(answer(placed));
    }

    @Override
    public List<EnqueueResult> enqueueEach(Collection<JobRequest> requests) {
        if (interceptors.none()) {
            return eachOf(requests.stream());
        }
        InterceptedCall call = interceptors.many();
        return interceptors.around(call, () -> {
            List<EnqueueResult> results = eachOf(requests.stream().map(request -> amended(call, request)));
            results.forEach(result -> call.answered(result.what()));
            return results;
        });
    }

    private List<EnqueueResult> eachOf(Stream<JobRequest> requests) {
        TransactionStanding standing = database.requireWritable("enqueueEach");
        return writeEach(standing, requests.map(this::newJob).toList());
    }

    /** All or none, in one transaction. */
    private List<EnqueueResult> writeEach(TransactionStanding standing, List<NewJob> jobs) {
        if (jobs.isEmpty()) {
            return List.of();
        }
        List<Answer> answers = repeatingDeadlocks(
                standing, () -> true, () -> database.joinedAtomically(standing, connection -> place(connection, jobs)));
        Wakes wakes = new Wakes();
        wake(wakes, jobs, answers);
        afterCommit.wake(wakes, standing);
        return answers.stream().map(JobTemplate::result).toList();
    }

    private List<Answer> place(Connection connection, List<NewJob> jobs) throws SQLException {
        database.numbering().check(connection);
        return jobs.stream().anyMatch(job -> UniqueRequests.needed(job.uniqueKey()))
                ? uniqueRequests.run(connection, jobs)
                : enqueueUnique.run(connection, jobs).stream()
                        .map(JobTemplate::answer)
                        .toList();
    }

    private static void wake(Wakes wakes, List<NewJob> jobs, List<Answer> answers) {
        for (int i = 0; i < answers.size(); i++) {
            switch (answers.get(i).what()) {
                case CREATED, POSTPONED -> wakes.add(jobs.get(i));
                case REPLACED -> {
                    if (UniqueRequests.postpones(jobs.get(i))) {
                        wakes.runnable(jobs.get(i)); // it was due, so it is not pushed back
                    } else {
                        wakes.add(jobs.get(i));
                    }
                }
                case ONCE_MORE -> {
                    if (answers.get(i).inserted()) {
                        wakes.attention(); // else nodes look for it already
                    }
                }
                case KEPT -> {}
            }
        }
    }

    private static Answer answer(Placed placed) {
        return new Answer(placed.id(), placed.created() ? Enqueued.CREATED : Enqueued.KEPT, placed.created());
    }

    private static EnqueueResult result(Answer answer) {
        return new EnqueueResult(answer.id(), answer.what());
    }

    @Override
    public long[] enqueueAll(Collection<?> payloads, JobOptions options) {
        if (options.uniqueKey() != null) {
            throw new IllegalArgumentException(
                    "unique key %s for all payloads of one call would make one job of them: give each JobRequest its own"
                            .formatted(options.uniqueKey()));
        }
        long[] ids = new long[payloads.size()];
        int[] count = {0};
        enqueueAll(payloads.stream().map(payload -> JobRequest.from(payload, options)), id -> ids[count[0]++] = id);
        return ids;
    }

    @Override
    public long enqueueAll(Stream<JobRequest> jobs, LongConsumer ids) {
        try (jobs) {
            if (interceptors.none()) {
                return allOf(jobs.iterator(), ids);
            }
            InterceptedCall call = interceptors.many();
            return interceptors.around(call, () -> {
                long created = allOf(jobs.map(request -> amended(call, request)).iterator(), ids);
                if (created == call.jobs()) {
                    call.answered(Enqueued.CREATED);
                }
                return created;
            });
        }
    }

    private long allOf(Iterator<JobRequest> requests, LongConsumer ids) {
        TransactionStanding standing = database.requireWritable("enqueueAll");
        Wakes wakes = new Wakes();
        long count = writeChunks(standing, requests, ids, wakes);
        afterCommit.wake(wakes, standing);
        return count;
    }

    /** Repeats the first chunk after a deadlock: nobody has been told of anything yet, and all else is still in the stream. */
    private long writeChunks(
            TransactionStanding standing, Iterator<JobRequest> requests, LongConsumer ids, Wakes wakes) {
        List<NewJob> first = nextChunk(requests);
        AtomicBoolean told = new AtomicBoolean();
        LongConsumer telling = id -> {
            told.setPlain(true);
            ids.accept(id);
        };
        return repeatingDeadlocks(
                standing,
                () -> !told.getPlain(),
                () -> database.joinedAtomically(standing, connection -> {
                    if (!standing.joins() && mayBeFollowed(first)) {
                        TimeLimit.liftIdle(connection); // the caller's stream may take its time
                    }
                    return writeChunks(connection, first, requests, telling, wakes);
                }));
    }

    private static boolean mayBeFollowed(List<NewJob> chunk) {
        return chunk.size() >= CHUNK_JOBS
                || chunk.stream().mapToInt(job -> job.payload().length()).sum() >= CHUNK_CHARACTERS;
    }

    private static <T> T repeatingDeadlocks(
            TransactionStanding standing, BooleanSupplier repeatable, Supplier<T> work) {
        for (int tries = 1; ; tries++) {
            try {
                return work.get();
            } catch (DataAccessException e) {
                if (standing.joins() || !repeatable.getAsBoolean() || tries == TRIES || !deadlocked(e)) {
                    throw e;
                }
            }
        }
    }

    private static boolean deadlocked(DataAccessException e) {
        return e.getMostSpecificCause() instanceof SQLException cause && DEADLOCK.equals(cause.getSQLState());
    }

    private long writeChunks(
            Connection connection, List<NewJob> first, Iterator<JobRequest> requests, LongConsumer ids, Wakes wakes)
            throws SQLException {
        long count = 0;
        for (List<NewJob> chunk = first; !chunk.isEmpty(); chunk = nextChunk(requests)) {
            count += chunk.stream().anyMatch(job -> job.uniqueKey() != null)
                    ? writeUnique(connection, chunk, ids, wakes)
                    : writeAll(connection, chunk, ids, wakes);
        }
        return count;
    }

    private long writeAll(Connection connection, List<NewJob> jobs, LongConsumer ids, Wakes wakes) throws SQLException {
        for (long id : write(connection, jobs)) {
            ids.accept(id);
        }
        jobs.forEach(wakes::add);
        return jobs.size();
    }

    private long writeUnique(Connection connection, List<NewJob> jobs, LongConsumer ids, Wakes wakes)
            throws SQLException {
        List<Answer> answers = place(connection, jobs);
        answers.forEach(answer -> ids.accept(answer.id()));
        wake(wakes, jobs, answers);
        return answers.stream().filter(Answer::inserted).count();
    }

    private List<NewJob> nextChunk(Iterator<JobRequest> requests) {
        List<NewJob> chunk = new ArrayList<>();
        int most = CHUNK_JOBS;
        int characters = 0;
        while (chunk.size() < most && characters < CHUNK_CHARACTERS && requests.hasNext()) {
            NewJob job = newJob(requests.next());
            chunk.add(job);
            characters += job.payload().length();
            most = job.uniqueKey() != null ? UNIQUE_CHUNK_JOBS : most;
        }
        return chunk;
    }

    /** Returns the ids in the order of the jobs, also where some are runnable at once and some are not. */
    private long[] write(Connection connection, List<NewJob> jobs) throws SQLException {
        database.numbering().check(connection);
        return enqueue.run(connection, jobs);
    }

    /** The request as it will lie in the tables, if it may. */
    NewJob newJob(JobRequest request) {
        return requested.of(request);
    }
}
