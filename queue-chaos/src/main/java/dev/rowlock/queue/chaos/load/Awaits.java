package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.result.JobCancelledException;
import dev.rowlock.queue.result.JobDeadException;
import dev.rowlock.queue.result.JobResults;
import dev.rowlock.queue.result.NoSuchJobException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Waits for some of the jobs, in a process that runs none. Thread-safe. */
public final class Awaits {

    /** Each so many-th job. */
    private static final int EACH = 7;

    private static final Duration LONGEST = Duration.ofHours(3);

    /** How a wait ended. */
    public enum Answer {
        COMPLETED,
        DEAD,
        CANCELLED,
        NOT_THERE,
        NONE
    }

    /** What a wait for a job was told. */
    public record Wait(long job, Answer answer) {}

    private final JobResults results;
    private final Map<Long, CompletableFuture<Answer>> waits = new ConcurrentHashMap<>();

    Awaits(JobResults results) {
        this.results = results;
    }

    /** The job was committed. */
    void enqueued(long id) {
        if (id % EACH == 0) {
            waits.put(id, results.handle(id).future(LONGEST).handle((nothing, thrown) -> answer(thrown)));
        }
    }

    private static Answer answer(@Nullable Throwable thrown) {
        if (thrown == null) {
            return Answer.COMPLETED;
        }
        if (thrown instanceof JobDeadException) {
            return Answer.DEAD;
        }
        if (thrown instanceof JobCancelledException) {
            return Answer.CANCELLED;
        }
        return thrown instanceof NoSuchJobException ? Answer.NOT_THERE : Answer.NONE;
    }

    /** All of them, after all jobs have ended: whoever has heard nothing within this time will not. */
    public List<Wait> ended(Duration within) {
        CompletableFuture<?> all = CompletableFuture.allOf(waits.values().toArray(CompletableFuture[]::new));
        all.completeOnTimeout(null, within.toMillis(), TimeUnit.MILLISECONDS).join();
        return waits.entrySet().stream()
                .map(wait -> new Wait(wait.getKey(), wait.getValue().getNow(Answer.NONE)))
                .toList();
    }
}
