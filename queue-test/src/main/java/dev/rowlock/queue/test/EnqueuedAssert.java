package dev.rowlock.queue.test;

import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.PayloadCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about jobs of one payload class. Each one leaves those jobs that fit, fails if none does, and shows what there is; {@link #once} and
 * {@link #times} count what is left.
 *
 * @param <P> the payload class
 */
public final class EnqueuedAssert<P> extends AbstractAssert<EnqueuedAssert<P>, List<TestJob>> {

    /** Between the computation of a due time and that of the enqueue's. */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    private final Class<P> payload;
    private final List<TestJob> all;
    private final PayloadCodec codec;
    private final List<String> asked = new ArrayList<>();
    private List<TestJob> left = List.of();

    EnqueuedAssert(Class<P> payload, List<TestJob> all, PayloadCodec codec) {
        super(all, EnqueuedAssert.class);
        this.payload = payload;
        this.all = all;
        this.codec = codec;
        String type = JobTypes.typeOf(payload);
        require("type " + type, job -> job.type().equals(type));
    }

    private EnqueuedAssert<P> require(String what, Predicate<TestJob> fits) {
        List<TestJob> before = asked.isEmpty() ? all : left;
        asked.add(what);
        left = before.stream().filter(fits).toList();
        if (left.isEmpty()) {
            throw failure("expected a job of %s, but %s", String.join(", ", asked), found(before));
        }
        return this;
    }

    private String found(List<TestJob> before) {
        if (all.isEmpty()) {
            return "no job was enqueued";
        }
        return asked.size() == 1
                ? "these were enqueued:" + TestJobsAssert.list(all)
                : "of %s there are:%s"
                        .formatted(String.join(", ", asked.subList(0, asked.size() - 1)), TestJobsAssert.list(before));
    }

    /** They are in this queue. */
    public EnqueuedAssert<P> onQueue(String queue) {
        return require("queue '" + queue + "'", job -> job.queue().equals(queue));
    }

    /** They have this key. */
    public EnqueuedAssert<P> withKey(String key) {
        return require("key '" + key + "'", job -> Objects.equals(job.key(), key));
    }

    /** They have this priority. */
    public EnqueuedAssert<P> withPriority(int priority) {
        return require("priority " + priority, job -> job.priority() == priority);
    }

    /** Their payload, read from its JSON, equals this one. */
    public EnqueuedAssert<P> withPayload(P expected) {
        return require("payload " + expected, job -> expected.equals(read(job)));
    }

    /** Their payload, read from its JSON, fits. */
    public EnqueuedAssert<P> withPayload(Predicate<? super P> fits) {
        return require("a payload that fits", job -> fits.test(read(job)));
    }

    private P read(TestJob job) {
        return payload.cast(codec.decode(job.payload(), payload));
    }

    /** They wait, and become due so long after their enqueue, give or take two seconds. */
    public EnqueuedAssert<P> delayedBy(Duration delay) {
        return require(
                "delay " + delay,
                job -> job.state() == JobState.WAITING
                        && job.delay() != null
                        && job.delay().minus(delay).abs().compareTo(TOLERANCE) <= 0);
    }

    /** They are in this state now. */
    public EnqueuedAssert<P> inState(JobState state) {
        return require("state " + state.label(), job -> job.state() == state);
    }

    /** So many attempts were made that count. */
    public EnqueuedAssert<P> afterAttempts(int attempts) {
        return require(attempts + " attempts", job -> job.attempt() == attempts);
    }

    /** Exactly one fits. */
    public EnqueuedAssert<P> once() {
        return times(1);
    }

    /** Exactly so many fit. */
    public EnqueuedAssert<P> times(int count) {
        if (left.size() != count) {
            throw failure(
                    "expected %d of %s, but there are %d:%s",
                    count, String.join(", ", asked), left.size(), TestJobsAssert.list(left));
        }
        return this;
    }
}
