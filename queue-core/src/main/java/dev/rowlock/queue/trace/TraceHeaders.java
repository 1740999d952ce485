package dev.rowlock.queue.trace;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the headers of a job say about the trace that it comes from, in the formats of W3C and of B3. */
final class TraceHeaders {

    /** What a job belongs to, over all traces; the caller may set it. */
    static final String CONVERSATION = "conversation-id";

    private static final String BAGGAGE = "baggage";
    private static final Set<String> ORIGIN = Set.of(
            "traceparent",
            "tracestate",
            "b3",
            "x-b3-traceid",
            "x-b3-spanid",
            "x-b3-parentspanid",
            "x-b3-sampled",
            "x-b3-flags");

    private static final Pattern W3C = Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2}).*");
    private static final Pattern B3 = Pattern.compile("([0-9a-f]{16,32})-([0-9a-f]{16})(-.*)?");

    /** A span that somebody else has begun. */
    record Origin(String traceId, String spanId, boolean sampled) {

        /** With 128 bits. B3 also has trace ids with 64, which OpenTelemetry does not take. */
        String longTraceId() {
            return "0".repeat(Math.max(0, 32 - traceId.length())) + traceId;
        }
    }

    private TraceHeaders() {}

    /** Null if they name none, or in a format that is not known here. */
    static @Nullable Origin origin(Map<String, String> headers) {
        Matcher w3c = W3C.matcher(headers.getOrDefault("traceparent", ""));
        if (w3c.matches()) {
            boolean sampled = (Integer.parseInt(w3c.group(3), 16) & 1) == 1;
            return new Origin(w3c.group(1), w3c.group(2), sampled);
        }
        Matcher b3 = B3.matcher(headers.getOrDefault("b3", ""));
        if (b3.matches()) {
            return new Origin(b3.group(1), b3.group(2), !"-0".equals(b3.group(3)));
        }
        String trace = headers.get("X-B3-TraceId");
        String span = headers.get("X-B3-SpanId");
        return trace != null && span != null ? new Origin(trace, span, !"0".equals(headers.get("X-B3-Sampled"))) : null;
    }

    /** All that does not name a span that somebody else has begun: with these a tracer begins a trace, and keeps the baggage. */
    static Map<String, String> withoutOrigin(Map<String, String> headers) {
        Map<String, String> others = new HashMap<>(headers);
        others.keySet().removeIf(name -> ORIGIN.contains(name.toLowerCase(Locale.ROOT)));
        return others;
    }

    /** Null if there is none. */
    static @Nullable String traceId(Map<String, String> headers) {
        Origin origin = origin(headers);
        return origin == null ? null : origin.traceId();
    }

    /** What the job belongs to: what its headers say, or the trace in which it was enqueued; null if there is none. */
    static @Nullable String conversation(Map<String, String> headers) {
        String own = headers.get(CONVERSATION);
        return own != null ? own : traceId(headers);
    }

    /** The fields of a propagator that belong together: half of a context would lead to a wrong one. */
    static Map<String, String> context(Map<String, String> carrier) {
        Map<String, String> context = new HashMap<>(carrier);
        context.remove(BAGGAGE);
        return context;
    }

    /** The baggage, by its key; empty if there is none. */
    static Map<String, String> baggage(Map<String, String> carrier) {
        String baggage = carrier.get(BAGGAGE);
        return baggage == null ? Map.of() : Map.of(BAGGAGE, baggage);
    }
}
