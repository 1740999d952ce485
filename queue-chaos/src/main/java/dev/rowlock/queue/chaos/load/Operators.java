package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.chaos.load.Work.Steered;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.search.JobFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * People who pause and resume the type {@code steered}, redrive its dead jobs, and change single ones. One of them acts at a time.
 * Not thread-safe, but for {@link #pauses}.
 */
public final class Operators {

    private static final String TYPE = "steered";

    /** How long the type is paused, and then is not. */
    private static final Duration TURN = Duration.ofSeconds(7);

    private static final Duration BETWEEN_REDRIVES = Duration.ofSeconds(4);

    private static final int PER_SECOND = 40;

    private static final int REMEMBERED = 50;

    /** The header of jobs outside this type that are redriven, too, whenever they have failed. */
    public static final String MENDS = "mends";

    private static final JobFilter TO_MEND = JobFilter.where().header(MENDS, "yes");

    /**
     * A pause.
     *
     * @param from when it had been made, and
     * @param to when it was to end, in nanos
     */
    public record Paused(long from, long to) {}

    private record Known(long id, Steered work) {}

    private final JobAdmin admin;
    private final Queue<Paused> pauses = new ConcurrentLinkedQueue<>();
    private final List<Known> known = new ArrayList<>();
    private long turned = System.nanoTime();
    private long redriven = System.nanoTime();
    private long pausedSince; // 0: it is not paused

    Operators(JobAdmin admin) {
        this.admin = admin.by("chaos", "to see what holds");
    }

    /** All that have ended. */
    public List<Paused> pauses() {
        return List.copyOf(pauses);
    }

    /** A job that they may change; 0: nobody knows its id. */
    void know(long id, Steered work) {
        if (id != 0) {
            known.add(new Known(id, work));
        }
        if (known.size() > REMEMBERED) {
            known.remove(0);
        }
    }

    void next(Random random) {
        if (System.nanoTime() - turned > TURN.toNanos()) {
            turn();
            turned = System.nanoTime();
        }
        if (System.nanoTime() - redriven > BETWEEN_REDRIVES.toNanos()) {
            once(() -> admin.redrive(JobFilter.where().type(TYPE), PER_SECOND));
            once(() -> admin.redrive(TO_MEND, PER_SECOND));
            redriven = System.nanoTime();
        }
        if (!known.isEmpty() && random.nextInt(3) == 0) {
            Known job = known.get(random.nextInt(known.size()));
            once(() -> change(job, random.nextInt(4)));
        }
    }

    /** Whatever has become of the job by now: what it is refused is refused. */
    private void change(Known job, int draw) {
        switch (draw) {
            case 0 -> admin.runNow(job.id);
            case 1 -> admin.reschedule(job.id, Duration.ofMillis(500));
            case 2 -> admin.changePriority(job.id, (int) (job.work.uid() % 5));
            default ->
                admin.editPayloadUnchecked(
                        job.id, "{\"uid\": %d, \"act\": \"SLEEP\", \"number\": 2}".formatted(job.work.uid()));
        }
    }

    private void turn() {
        if (pausedSince == 0) {
            Recurrences.persistently(() -> admin.pauseType(TYPE));
            pausedSince = System.nanoTime();
        } else {
            pauses.add(new Paused(pausedSince, System.nanoTime()));
            Recurrences.persistently(() -> admin.resumeType(TYPE));
            pausedSince = 0;
        }
    }

    /** Lets everything that is left run, and redrives nothing more: the run is to end. */
    void stop() {
        if (pausedSince != 0) {
            turn();
        }
        Recurrences.persistently(() -> admin.bulkActions(null, 1_000).stream()
                .filter(action -> action.state() == BulkAction.State.RUNNING)
                .forEach(action -> admin.cancelBulkAction(action.id())));
    }

    /** Redrives once more what is redriven whenever it has failed: others wait for it. */
    public void mend() {
        once(() -> admin.redrive(TO_MEND));
    }

    private static void once(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException e) {
            // The database may be away; whether it was done, it will say itself.
        }
    }
}
