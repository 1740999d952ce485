package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.ChunkInterceptor;
import dev.rowlock.queue.spi.JobInterceptor;
import dev.rowlock.queue.spi.JobInterceptor.Invocation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The application's interceptors, one within the other. Where there are none they cost nothing. */
final class Interceptors {

    /** As a handler is called; it may throw whatever it likes. */
    @FunctionalInterface
    public interface Attempt {
        @Nullable
        Object make() throws Throwable;
    }

    private final List<JobInterceptor> interceptors;

    public Interceptors(List<JobInterceptor> interceptors) {
        this.interceptors = interceptors;
    }

    /** The same around chunks of one job. All of them are {@link ChunkInterceptor}s where there are such. */
    static Interceptors aroundChunkOfOne(List<JobInterceptor> interceptors) {
        return new Interceptors(interceptors.stream()
                .map(interceptor ->
                        (JobInterceptor) (job, next) -> ofChunks(interceptor).intercept(List.of(job), next))
                .toList());
    }

    /** The same around one call with these jobs. */
    public static Interceptors aroundChunk(List<JobInterceptor> interceptors, List<JobContext> jobs) {
        return new Interceptors(interceptors.stream()
                .map(interceptor ->
                        (JobInterceptor) (first, next) -> ofChunks(interceptor).intercept(jobs, next))
                .toList());
    }

    /** The start has made sure that it is one. */
    private static ChunkInterceptor ofChunks(JobInterceptor interceptor) {
        return (ChunkInterceptor) interceptor;
    }

    public boolean none() {
        return interceptors.isEmpty();
    }

    @Nullable
    public Object around(JobContext job, Attempt attempt) throws Throwable {
        return new Step(job, attempt, 0).proceed();
    }

    /** The way on from before the interceptor with this number. */
    private final class Step implements Invocation {

        private final JobContext job;
        private final Attempt attempt;
        private final int next;
        private boolean gone; // handler's thread only

        Step(JobContext job, Attempt attempt, int next) {
            this.job = job;
            this.attempt = attempt;
            this.next = next;
        }

        @Override
        public @Nullable Object proceed() throws Exception {
            if (gone) {
                throw new IllegalStateException(
                        "an interceptor proceeds twice with job %d: throw an exception, and the job is tried again by its retry policy"
                                .formatted(job.id()));
            }
            gone = true;
            if (next < interceptors.size()) {
                return interceptors.get(next).intercept(job, new Step(job, attempt, next + 1));
            }
            try {
                return attempt.make();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw Step.<RuntimeException>as(e);
            }
        }

        /** A Throwable that is neither passes through as it is, though the signature does not name it. */
        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <E extends Throwable> E as(Throwable thrown) throws E {
            throw (E) thrown;
        }
    }
}
