package dev.rowlock.queue;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** What producers and operators do, at random, with a queue that has a policy. The model hears of each job. */
final class PolicyLoad {

    private static final int KEYS = 4;

    /** @param acts what its attempts do, one after the other; then it completes */
    record Work(int number, List<String> acts) {}

    private final String queue;
    private final Rowlock front;
    private final PolicyModel model;
    private final List<Long> plain = new ArrayList<>();
    private int numbers;
    private boolean typePaused;
    private boolean queuePaused;

    PolicyLoad(String queue, Rowlock front, PolicyModel model) {
        this.queue = queue;
        this.front = front;
        this.model = model;
    }

    /** Does so many things, drawn at random. */
    void step(Random random, int times) {
        for (int i = 0; i < times; i++) {
            int draw = random.nextInt(20);
            if (draw < 12) {
                enqueue(random);
            } else if (draw < 13) {
                workflow(random);
            } else if (draw < 14) {
                front.recurringJobs().runNow("recurs").ifPresent(model::asked);
            } else if (draw < 15) {
                front.admin().redrive(JobFilter.where().states(JobState.DEAD));
            } else if (draw < 16) {
                pause(random);
            } else if (!plain.isEmpty()) {
                change(plain.get(random.nextInt(plain.size())), random);
            }
        }
    }

    private void enqueue(Random random) {
        int key = random.nextInt(KEYS + 1);
        JobOptions options = JobOptions.NONE.queue(queue).priority(random.nextInt(3));
        options = key < KEYS ? options.key("key-" + key) : options;
        if (random.nextInt(5) == 0) {
            int millis = random.nextInt(400);
            options = options.delay(Duration.ofMillis(millis)).header("delay", String.valueOf(millis));
        }
        if (random.nextInt(5) > 0) {
            long id = front.jobs().enqueue(work(random), options);
            plain.add(id);
            model.asked(id);
            return;
        }
        String name = "u" + random.nextInt(4);
        UniqueKey unique = UniqueKey.of(name);
        switch (random.nextInt(3)) {
            case 0 -> unique = UniqueKey.of("replaced-" + name).untilStarted().replacing();
            case 1 -> unique = UniqueKey.of("again-" + name).onceMore();
            // A job that has failed gives its key back, and may be redriven later.
            default -> {
                model.asked(front.jobs()
                        .enqueueUnique(new Work(numbers++, List.of("throws")), unique, options.header("unique", name))
                        .id());
                return;
            }
        }
        model.asked(front.jobs()
                .enqueueUnique(
                        work(random), unique, options.delay(Duration.ZERO).header("delay", "0"))
                .id());
    }

    private Work work(Random random) {
        List<String> acts = List.of("throws", "snoozes", "fails");
        return new Work(
                numbers++,
                random.ints(Math.max(0, random.nextInt(5) - 2), 0, acts.size())
                        .mapToObj(acts::get)
                        .toList());
    }

    private void workflow(Random random) {
        String name = "w" + numbers;
        List<Object> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String key = "key-" + random.nextInt(KEYS);
            members.add(JobRequest.of(work(random), o -> o.queue(queue).key(key).header("before", name)));
        }
        long workflow = front.workflows()
                .start(Workflow.named("random")
                        .each("members", members)
                        .step(
                                "behind",
                                work(random),
                                s -> s.after("members").job(o -> o.queue(queue).header("after", name))));
        for (String step : List.of("members", "behind")) {
            front.workflows().jobs(workflow, step, Long.MIN_VALUE, 100).forEach(job -> model.asked(job.id()));
        }
    }

    /** A job that comes by itself. */
    void recurring() {
        front.recurringJobs()
                .create(RecurringJob.of("recurs", Schedule.every(Duration.ofSeconds(1)), new Work(-1, List.of()))
                        .options(o -> o.queue(queue).key("key-0"))
                        .overlap(Overlap.ALLOW));
    }

    private void change(long id, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> {
                model.mayBeCancelled(id);
                front.admin().cancel(id);
            }
            case 1 -> front.admin().runNow(id);
            case 2 -> front.admin().changePriority(id, random.nextInt(5));
            case 3 -> front.admin().reschedule(id, Duration.ofMillis(500));
            default -> front.admin().redrive(id);
        }
    }

    private void pause(Random random) {
        if (queuePaused || typePaused) {
            resume();
        } else if (random.nextBoolean()) {
            queuePaused = front.admin().pause(queue);
        } else {
            typePaused = front.admin().pauseType(JobTypes.typeOf(Work.class));
        }
    }

    /** Nothing is paused any more. */
    void resume() {
        front.admin().resume(queue);
        front.admin().resumeType(JobTypes.typeOf(Work.class));
        queuePaused = false;
        typePaused = false;
    }
}
