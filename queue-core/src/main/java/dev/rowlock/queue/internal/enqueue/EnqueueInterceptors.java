package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.spi.EnqueueInterceptor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The application's interceptors of enqueues, one within the other. Where there are none they cost one look. Thread-safe. */
public final class EnqueueInterceptors {

    /** There are none. */
    public static final EnqueueInterceptors NONE = new EnqueueInterceptors(List::of);

    private final Supplier<List<EnqueueInterceptor>> source;
    private final AddedHeaders headers = new AddedHeaders();
    private volatile @Nullable List<EnqueueInterceptor> interceptors; // written once; by two threads at once, the same

    /** @param source asked at the first enqueue */
    public EnqueueInterceptors(Supplier<List<EnqueueInterceptor>> source) {
        this.source = source;
    }

    public boolean none() {
        return interceptors().isEmpty();
    }

    private List<EnqueueInterceptor> interceptors() {
        List<EnqueueInterceptor> known = interceptors;
        if (known == null) {
            known = List.copyOf(source.get());
            interceptors = known;
        }
        return known;
    }

    /** A call with one job. */
    public InterceptedCall one(String queue, String type, Map<String, String> requested) {
        InterceptedCall call = new InterceptedCall(false, requested, headers);
        call.count(queue, type);
        return call;
    }

    /** A call that may have many, each of which is {@linkplain InterceptedCall#count counted}. */
    public InterceptedCall many() {
        return new InterceptedCall(true, Map.of(), headers);
    }

    /** Returns what {@code enqueue} returned. */
    public <T> T around(InterceptedCall call, Supplier<T> enqueue) {
        List<EnqueueInterceptor> all = interceptors();
        Step<T> innermost = new Step<>(enqueue);
        Runnable step = innermost;
        for (int i = all.size() - 1; i >= 0; i--) {
            EnqueueInterceptor interceptor = all.get(i);
            Runnable next = step;
            step = () -> interceptor.intercept(call, next);
        }
        step.run();
        return innermost.result();
    }

    /** The enqueue itself, once. */
    private static final class Step<T> implements Runnable {

        private final Supplier<T> enqueue;
        private boolean gone;
        private @Nullable T result;

        Step(Supplier<T> enqueue) {
            this.enqueue = enqueue;
        }

        @Override
        public void run() {
            if (gone) {
                throw new IllegalStateException(
                        "an interceptor goes on twice with one call, which would enqueue its jobs twice");
            }
            gone = true;
            result = enqueue.get();
        }

        T result() {
            if (result == null) {
                throw new IllegalStateException(
                        "an interceptor returned without going on, and nothing is enqueued: to refuse a call, throw an exception");
            }
            return result;
        }
    }

    /** Headers that interceptors add to jobs, beside those of their requests. Thread-safe. */
    static final class AddedHeaders {

        private static final Logger log = LoggerFactory.getLogger(EnqueueInterceptors.class);

        private final AtomicBoolean told = new AtomicBoolean();

        /** An enqueue must not fail because of what its caller did not ask for: what has no room is left out. */
        JobOptions to(JobOptions options, List<Map<String, String>> groups) {
            Map<String, String> all = new HashMap<>(options.headers());
            for (Map<String, String> group : groups) {
                if (group.keySet().stream().noneMatch(all::containsKey)) {
                    if (fits(all, group)) {
                        all.putAll(group);
                    } else if (told.compareAndSet(false, true)) {
                        log.warn(
                                "headers {} that an interceptor adds are left out of a job: a job has up to {} headers with {} characters together, each up to {}; this is logged once",
                                group.keySet(),
                                JobOptions.MAX_HEADERS,
                                JobOptions.MAX_HEADERS_LENGTH,
                                JobOptions.MAX_HEADER_LENGTH);
                    }
                }
            }
            return all.size() == options.headers().size() ? options : options.headers(all);
        }

        private static boolean fits(Map<String, String> present, Map<String, String> more) {
            return present.size() + more.size() <= JobOptions.MAX_HEADERS
                    && length(present) + length(more) <= JobOptions.MAX_HEADERS_LENGTH
                    && more.entrySet().stream()
                            .allMatch(header -> header.getKey().length() <= JobOptions.MAX_HEADER_LENGTH
                                    && header.getValue().length() <= JobOptions.MAX_HEADER_LENGTH);
        }

        private static int length(Map<String, String> headers) {
            int length = 0;
            for (Map.Entry<String, String> header : headers.entrySet()) {
                length += header.getKey().length() + header.getValue().length();
            }
            return length;
        }
    }
}
