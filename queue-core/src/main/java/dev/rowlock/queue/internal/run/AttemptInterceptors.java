package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.AttemptInterceptor;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's interceptors of attempts. They can neither keep an attempt from being made nor change how it ends. */
final class AttemptInterceptors {

    private static final Logger log = LoggerFactory.getLogger(AttemptInterceptors.class);

    private final List<AttemptInterceptor> interceptors;

    public AttemptInterceptors(List<AttemptInterceptor> interceptors) {
        this.interceptors = interceptors;
    }

    public boolean none() {
        return interceptors.isEmpty();
    }

    /** Makes the attempt within the interceptors. {@code attempt} does not throw. */
    public void around(List<ClaimedJob> jobs, Supplier<Map<Long, Outcome>> attempt) {
        new Step(jobs.stream().map(ClaimedJob::withoutPayload).toList(), attempt, 0).make();
    }

    /** The way on from before the interceptor with this number. Handler's thread only. */
    private final class Step implements AttemptInterceptor.Attempt {

        private final List<ClaimedJob> jobs;
        private final Supplier<Map<Long, Outcome>> attempt;
        private final int next;
        private @Nullable Map<Long, Outcome> outcomes;

        Step(List<ClaimedJob> jobs, Supplier<Map<Long, Outcome>> attempt, int next) {
            this.jobs = jobs;
            this.attempt = attempt;
            this.next = next;
        }

        @Override
        public Map<Long, Outcome> make() {
            Map<Long, Outcome> known = outcomes;
            if (known == null) {
                known = next < interceptors.size() ? intercepted(interceptors.get(next)) : attempt.get();
                outcomes = known;
            }
            return known;
        }

        private Map<Long, Outcome> intercepted(AttemptInterceptor interceptor) {
            Step rest = new Step(jobs, attempt, next + 1);
            try {
                interceptor.intercept(jobs, rest);
            } catch (Throwable e) { // user code: it looks on, and the job is not its own
                String name = interceptor.getClass().getName();
                EndlessTask.tell(
                        () -> log.warn("interceptor {} failed around {}; the attempt goes on", name, jobs.get(0), e));
            }
            return rest.make();
        }
    }
}
