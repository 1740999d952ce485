package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.job.JobOptions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Headers that interceptors add to jobs, beside those of their requests. Thread-safe. */
final class AddedHeaders {

    private static final Logger log = LoggerFactory.getLogger(AddedHeaders.class);

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
