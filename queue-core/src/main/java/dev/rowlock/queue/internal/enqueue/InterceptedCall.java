package dev.rowlock.queue.internal.enqueue;

import dev.rowlock.queue.internal.enqueue.EnqueueInterceptors.AddedHeaders;
import dev.rowlock.queue.job.Enqueued;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.spi.EnqueueCall;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One call that is being intercepted. Its thread only. */
public final class InterceptedCall implements EnqueueCall {

    private final boolean bulk;
    private final Map<String, String> requested;
    private final AddedHeaders headers;
    private final List<Map<String, String>> added = new ArrayList<>();
    private @Nullable String queue; // of the first job
    private @Nullable String type;
    private boolean manyQueues;
    private boolean manyTypes;
    private long jobs;
    private @Nullable Map<Target, Long> others; // than the first job's, where there are any
    private @Nullable Long id;
    private @Nullable Enqueued answer;
    private boolean manyAnswers;
    private @Nullable JobOptions lastOptions; // a bulk call has mostly one
    private @Nullable JobOptions lastAmended;

    InterceptedCall(boolean bulk, Map<String, String> requested, AddedHeaders headers) {
        this.bulk = bulk;
        this.requested = requested;
        this.headers = headers;
    }

    /** A job of this queue and type is asked for. */
    public void count(String itsQueue, String itsType) {
        if (jobs == 0) {
            queue = itsQueue;
            type = itsType;
        }
        manyQueues |= !itsQueue.equals(queue);
        manyTypes |= !itsType.equals(type);
        if (!itsQueue.equals(queue) || !itsType.equals(type)) {
            others = others == null ? new LinkedHashMap<>() : others;
            others.merge(new Target(itsQueue, itsType), 1L, Long::sum);
        }
        jobs++;
    }

    /** What became of one request. */
    public void answered(long itsId, Enqueued what) {
        id = itsId;
        answered(what);
    }

    /** The same became of all so far, or not. */
    public void answered(Enqueued what) {
        manyAnswers |= answer != null && answer != what;
        answer = what;
    }

    /** The options with the headers that were added. */
    public JobOptions amended(JobOptions options) {
        if (added.isEmpty()) {
            return options;
        }
        if (options != lastOptions || lastAmended == null) {
            lastAmended = headers.to(options, added);
            lastOptions = options;
        }
        return lastAmended;
    }

    @Override
    public boolean bulk() {
        return bulk;
    }

    @Override
    public Optional<String> queue() {
        return manyQueues ? Optional.empty() : Optional.ofNullable(queue);
    }

    @Override
    public Optional<String> type() {
        return manyTypes ? Optional.empty() : Optional.ofNullable(type);
    }

    @Override
    public List<Part> parts() {
        if (jobs == 0 || queue == null || type == null) {
            return List.of();
        }
        List<Part> parts = new ArrayList<>();
        long elsewhere = 0;
        if (others != null) {
            others.forEach((target, count) -> parts.add(new Part(target.queue, target.type, count)));
            elsewhere = others.values().stream().mapToLong(Long::longValue).sum();
        }
        parts.add(0, new Part(queue, type, jobs - elsewhere));
        return parts;
    }

    @Override
    public long jobs() {
        return jobs;
    }

    @Override
    public Map<String, String> requested() {
        return requested;
    }

    @Override
    public void headers(Map<String, String> together) {
        for (String key : together.keySet()) {
            if (key.isEmpty() || key.startsWith(JobOptions.RESERVED_HEADERS)) {
                throw new IllegalArgumentException(
                        "a header with the key '%s' cannot be added: a key is not empty and does not begin with '%s', which is Rowlock's own"
                                .formatted(key, JobOptions.RESERVED_HEADERS));
            }
        }
        if (!together.isEmpty()) {
            added.add(Collections.unmodifiableMap(together));
            lastAmended = null;
        }
    }

    @Override
    public OptionalLong id() {
        return id == null ? OptionalLong.empty() : OptionalLong.of(id);
    }

    @Override
    public Optional<Enqueued> answer() {
        return manyAnswers ? Optional.empty() : Optional.ofNullable(answer);
    }

    private record Target(String queue, String type) {}
}
