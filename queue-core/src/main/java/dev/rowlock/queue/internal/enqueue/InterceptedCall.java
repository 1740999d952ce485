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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call that is being intercepted. Its thread only. */
public final class InterceptedCall implements EnqueueCall {

    private final boolean bulk;
    private final Map<String, String> requested;
    private final AddedHeaders headers;
    private final List<Map<String, String>> added = new ArrayList<>();
    private final Map<Target, Long> targets =
            new LinkedHashMap<>(); // how many jobs go there, in the order of the first of each
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
        targets.merge(new Target(itsQueue, itsType), 1L, Long::sum);
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
        return common(Target::queue);
    }

    @Override
    public Optional<String> type() {
        return common(Target::type);
    }

    /** Empty: they have several, or there are no jobs. */
    private Optional<String> common(Function<Target, String> part) {
        List<String> all =
                targets.keySet().stream().map(part).distinct().limit(2).toList();
        return all.size() == 1 ? Optional.of(all.get(0)) : Optional.empty();
    }

    @Override
    public List<Part> parts() {
        return targets.entrySet().stream()
                .map(each -> new Part(each.getKey().queue, each.getKey().type, each.getValue()))
                .toList();
    }

    @Override
    public long jobs() {
        return targets.values().stream().mapToLong(Long::longValue).sum();
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
