package dev.rowlock.queue.trace;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Outcome;
import io.micrometer.observation.transport.ReceiverContext;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** An attempt, or a call with a chunk. Its carrier is the first job's headers. */
public final class ProcessObservationContext extends ReceiverContext<Map<String, String>> {

    private final List<ClaimedJob> jobs;
    private final List<Map<String, String>> headers;
    private final String clientId;
    private final boolean child;
    private @Nullable Map<Long, Outcome> outcomes; // handler's thread only

    ProcessObservationContext(List<ClaimedJob> jobs, String clientId, Duration parentWithin) {
        super((carrier, key) -> Objects.requireNonNull(carrier).get(key));
        this.jobs = jobs;
        this.headers = jobs.stream().map(job -> Headers.decode(job.headers())).toList();
        this.clientId = clientId;
        this.child = jobs.size() == 1 && firstAndSoon(jobs.get(0), parentWithin);
        setCarrier(headers.get(0));
    }

    /** A trace that stretches over days, or over all attempts of a job, cannot be read. */
    private static boolean firstAndSoon(ClaimedJob job, Duration parentWithin) {
        return job.attempt() == 1 && job.crashes() == 0 && job.age().compareTo(parentWithin) <= 0;
    }

    /** One job, or those of the chunk; without their payloads. */
    public List<ClaimedJob> jobs() {
        return jobs;
    }

    /** The headers of the job, or of the first one of a chunk. */
    public Map<String, String> headers() {
        return headers.get(0);
    }

    /** What this process is called. */
    public String clientId() {
        return clientId;
    }

    /** The id of the conversation to which the job belongs; null if there is none, and for a chunk. */
    public @Nullable String conversation() {
        return jobs.size() == 1 ? TraceHeaders.conversation(headers()) : null;
    }

    /**
     * How it ended: the label of the {@link Outcome}; of a chunk, that of all its jobs, {@code mixed}, or {@code split} if the
     * listener is called again with fewer jobs. Null before its end.
     */
    public @Nullable String outcome() {
        Map<Long, Outcome> known = outcomes;
        if (known == null) {
            return null;
        }
        if (known.size() < jobs.size()) {
            return "split";
        }
        Set<String> labels = known.values().stream().map(Outcome::label).collect(Collectors.toSet());
        return labels.size() == 1 ? labels.iterator().next() : "mixed";
    }

    /** Whether its span is a child of the enqueue's. Otherwise it begins a trace, with links to where its jobs come from. */
    boolean child() {
        return child;
    }

    /** Of all jobs. */
    List<Map<String, String>> allHeaders() {
        return headers;
    }

    void ended(Map<Long, Outcome> byId) {
        outcomes = byId;
    }
}
