package dev.rowlock.queue.test;

import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.spi.PayloadCodec;
import java.util.List;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about the jobs that were enqueued since the test method began: {@code assertThat(jobs).hasEnqueued(SendInvoice.class).onQueue("mail")}.
 * Jobs count wherever they are by now, also when they have ended. A message shows what there is instead.
 */
public final class TestJobsAssert extends AbstractAssert<TestJobsAssert, TestJobs> {

    private static final int SHOWN = 20;

    private final PayloadCodec codec;

    TestJobsAssert(TestJobs actual, PayloadCodec codec) {
        super(actual, TestJobsAssert.class);
        this.codec = codec;
    }

    /** There is at least one job with a payload of this class; what follows is about these. */
    public <P> EnqueuedAssert<P> hasEnqueued(Class<P> payload) {
        return new EnqueuedAssert<>(payload, actual.all(), codec);
    }

    /** There is none with a payload of this class. */
    public TestJobsAssert hasNotEnqueued(Class<?> payload) {
        String type = JobTypes.typeOf(payload);
        List<TestJob> found =
                actual.all().stream().filter(job -> job.type().equals(type)).toList();
        if (!found.isEmpty()) {
            throw failure("expected no job of type %s, but there are%s", type, list(found));
        }
        return this;
    }

    /** There is no job. */
    public TestJobsAssert hasEnqueuedNothing() {
        List<TestJob> all = actual.all();
        if (!all.isEmpty()) {
            throw failure("expected no jobs, but there are%s", list(all));
        }
        return this;
    }

    /** There is a job of this class that has completed; what follows is about these. */
    public <P> EnqueuedAssert<P> hasCompleted(Class<P> payload) {
        return hasEnqueued(payload).inState(JobState.COMPLETED);
    }

    /** There is a job of this class whose last attempt failed; what follows is about these. */
    public <P> EnqueuedAssert<P> hasDead(Class<P> payload) {
        return hasEnqueued(payload).inState(JobState.DEAD);
    }

    /** Lines for a message. */
    static String list(List<TestJob> jobs) {
        return jobs.isEmpty()
                ? " none"
                : jobs.stream().limit(SHOWN).map(job -> "\n  " + job).collect(Collectors.joining())
                        + (jobs.size() <= SHOWN ? "" : "\n  and %d more".formatted(jobs.size() - SHOWN));
    }
}
