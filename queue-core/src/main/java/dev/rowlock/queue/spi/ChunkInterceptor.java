package dev.rowlock.queue.spi;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.JobInterceptor.Invocation;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link JobInterceptor} also implements where there are listeners of chunks: it wraps each call of such a listener,
 * with all jobs of that call. Startup fails if there is a listener of chunks and an interceptor that does not: only the
 * interceptor can say what it means for many jobs at once.
 *
 * <p>Order, timeout and exceptions are as {@link JobInterceptor} says. Payloads are decoded before interceptors, because one that
 * cannot be read fails its job alone. What {@code intercept} returns is ignored.
 */
public interface ChunkInterceptor {

    /** Called for each call of a listener of chunks, on the handler's thread; also if it has one job only. */
    @Nullable
    Object intercept(List<JobContext> jobs, Invocation next) throws Exception;
}
