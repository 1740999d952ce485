package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.spi.AttemptInterceptor;
import dev.rowlock.queue.spi.ChunkInterceptor;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application's interceptors, one within the other: those around calls of handlers, which may do with a call what they like, and
 * those around attempts, which can neither keep an attempt from being made nor change how it ends. Where there are none they
 * cost nothing.
 */
public final class Interceptors {

    private static final Logger log = LoggerFactory.getLogger(Interceptors.class);

    /** As a handler is called; it may throw whatever it likes. */
    @FunctionalInterface
    interface Call {
        @Nullable
        Object make() throws Throwable;
    }

    private final List<JobInterceptor> calls;
    private final List<AttemptInterceptor> attempts;

    Interceptors(Extensions extensions) {
        this.calls = extensions.interceptors();
        this.attempts = extensions.attempts();
    }

    /**
     * Fails if an interceptor says nothing about chunks where there are some.
     *
     * @throws InvalidJobListenerException names the two
     */
    public static void requireChunks(List<ListenerDefinition> listeners, List<JobInterceptor> interceptors) {
        for (JobInterceptor interceptor : interceptors) {
            listeners.stream()
                    .filter(listener -> listener.chunking() != null && !(interceptor instanceof ChunkInterceptor))
                    .findFirst()
                    .ifPresent(listener -> {
                        throw new InvalidJobListenerException(
                                "%s runs chunks, and the interceptor %s is for single jobs: it would not be called, or with one job of many"
                                        .formatted(
                                                listener.name(),
                                                interceptor.getClass().getName()),
                                "Let the interceptor implement ChunkInterceptor as well, or remove batch from the listener");
                    });
        }
    }

    boolean noneAroundCalls() {
        return calls.isEmpty();
    }

    boolean noneAroundAttempts() {
        return attempts.isEmpty();
    }

    /**
     * Makes the call within the interceptors. A job whose handler has not begun is neither done nor to blame: what kept it from beginning
     * is thrown, whatever interceptors make of it.
     *
     * @param chunk all jobs of the call; null where the listener runs no chunks
     */
    @Nullable
    Object aroundCall(ExecutionContext first, @Nullable List<JobContext> chunk, Call call) throws Throwable {
        Intercepted intercepted = new Intercepted(first, chunk, call);
        Object result = null;
        Throwable thrown = null;
        try {
            result = intercepted.new Step(0).proceed();
        } catch (Throwable e) {
            thrown = e;
        }
        Throwable cause = intercepted.unbegun != null ? intercepted.unbegun : thrown;
        if (cause != null) {
            throw cause;
        }
        return result;
    }

    /** Makes the attempt within the interceptors, and returns how it ended. {@code attempt} does not throw. */
    Map<Long, Outcome> aroundAttempt(List<ClaimedJob> jobs, Supplier<Map<Long, Outcome>> attempt) {
        return new AttemptStep(jobs.stream().map(ClaimedJob::withoutPayload).toList(), attempt, 0).make();
    }

    /** One call. Handler's thread only. */
    private final class Intercepted {

        private final ExecutionContext first;
        private final @Nullable List<JobContext> chunk;
        private final Call call;
        private @Nullable Throwable unbegun; // what kept the handler from beginning

        Intercepted(ExecutionContext first, @Nullable List<JobContext> chunk, Call call) {
            this.first = first;
            this.chunk = chunk;
            this.call = call;
        }

        /** The way on from before the interceptor with this number. */
        private final class Step implements JobInterceptor.Invocation {

            private final int next;
            private boolean gone;

            Step(int next) {
                this.next = next;
            }

            @Override
            public @Nullable Object proceed() throws Exception {
                if (gone) {
                    throw new IllegalStateException(
                            "an interceptor proceeds twice with job %d: throw an exception, and the job is tried again by its retry policy"
                                    .formatted(first.id()));
                }
                gone = true;
                try {
                    if (next == calls.size()) {
                        return call.make();
                    }
                    JobInterceptor interceptor = calls.get(next);
                    return chunk == null
                            ? interceptor.intercept(first, new Step(next + 1))
                            // The start has made sure that it is one.
                            : ((ChunkInterceptor) interceptor).intercept(chunk, new Step(next + 1));
                } catch (Throwable e) {
                    if (next == calls.size()) {
                        unbegun = !first.begun() && BeginFailures.notReady(e) ? e : null;
                    }
                    throw Step.<RuntimeException>as(e);
                }
            }

            /** A Throwable that is no Exception passes through as it is, though the signature does not name it. */
            @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
            private static <E extends Throwable> E as(Throwable thrown) throws E {
                throw (E) thrown;
            }
        }
    }

    /** The way on from before the interceptor of attempts with this number. Handler's thread only. */
    private final class AttemptStep implements AttemptInterceptor.Attempt {

        private final List<ClaimedJob> jobs;
        private final Supplier<Map<Long, Outcome>> attempt;
        private final int next;
        private @Nullable Map<Long, Outcome> outcomes;

        AttemptStep(List<ClaimedJob> jobs, Supplier<Map<Long, Outcome>> attempt, int next) {
            this.jobs = jobs;
            this.attempt = attempt;
            this.next = next;
        }

        @Override
        public Map<Long, Outcome> make() {
            Map<Long, Outcome> known = outcomes;
            if (known == null) {
                known = next < attempts.size() ? intercepted(attempts.get(next)) : attempt.get();
                outcomes = known;
            }
            return known;
        }

        private Map<Long, Outcome> intercepted(AttemptInterceptor interceptor) {
            AttemptStep rest = new AttemptStep(jobs, attempt, next + 1);
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
