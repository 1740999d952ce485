package dev.rowlock.queue.dashboard.api.call;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditFilter;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.JobFilter.Criterion;
import dev.rowlock.queue.search.JobTime;
import dev.rowlock.queue.search.TimeRange;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Filters as they stand in the address: {@code state=dead,quarantined&queue=mail&endedFrom=2026-11-23T10:00:00Z}. */
public final class Filters {

    private static final String ALL = "all";

    /** Those that tell nothing of what jobs carry. All others, headers among them, are for users who see payloads. */
    private static final Set<Criterion> FOR_ALL = EnumSet.of(
            Criterion.QUEUE,
            Criterion.TYPE,
            Criterion.KEY,
            Criterion.UNIQUE_KEY,
            Criterion.NODE,
            Criterion.FINGERPRINT,
            Criterion.ERROR_TYPE,
            Criterion.ERROR_TEXT);

    public static final Set<String> NAMES = names();

    private Filters() {}

    private static Set<String> names() {
        Set<String> names = new HashSet<>(Set.of(ALL, "state", "header"));
        for (Criterion criterion : Criterion.values()) {
            names.add(name(criterion));
        }
        for (JobTime time : JobTime.values()) {
            names.add(time.label() + "From");
            names.add(time.label() + "Until");
        }
        return Set.copyOf(names);
    }

    private static boolean tellsOfPayloads(Map<String, String> texts) {
        return texts.containsKey("header")
                || Arrays.stream(Criterion.values())
                        .filter(criterion -> !FOR_ALL.contains(criterion))
                        .anyMatch(criterion -> texts.containsKey(name(criterion)));
    }

    private static String name(Criterion criterion) {
        return criterion == Criterion.ERROR_TEXT ? "error" : criterion.label();
    }

    public static Set<String> and(String... others) {
        Set<String> names = new HashSet<>(NAMES);
        names.addAll(Set.of(others));
        return names;
    }

    /** What of a query is a filter. */
    public static Map<String, String> only(Map<String, String> query) {
        Map<String, String> texts = new HashMap<>(query);
        texts.keySet().retainAll(NAMES);
        return texts;
    }

    /** The filter for a list: without conditions, all jobs. */
    public static JobFilter forList(Map<String, String> texts, boolean payloads) {
        JobFilter filter = forAction(texts, payloads);
        return filter.isEmpty() ? JobFilter.all() : filter;
    }

    /**
     * The filter of an action: without conditions nothing, unless {@code all=true} stands there.
     *
     * @param payloads whether the user sees payloads; otherwise a search for them would tell what is in them
     */
    public static JobFilter forAction(Map<String, String> texts, boolean payloads) {
        if (!payloads && tellsOfPayloads(texts)) {
            throw new Problem(403, "you may not see payloads and headers, so you cannot search in them either");
        }
        JobFilter filter = "true".equals(texts.get(ALL)) ? JobFilter.all() : JobFilter.where();
        filter = states(filter, texts.get("state"));
        for (Criterion criterion : Criterion.values()) {
            String text = texts.get(name(criterion));
            filter = text == null ? filter : filter.with(criterion, text);
        }
        filter = header(filter, texts.get("header"));
        for (JobTime time : JobTime.values()) {
            Instant from = instant(texts, time.label() + "From");
            Instant until = instant(texts, time.label() + "Until");
            if (from != null || until != null) {
                filter = filter.time(time, new TimeRange(from, until));
            }
        }
        return filter;
    }

    private static JobFilter states(JobFilter filter, @Nullable String labels) {
        if (labels == null) {
            return filter;
        }
        EnumSet<JobState> states = EnumSet.noneOf(JobState.class);
        for (String label : labels.split(",", -1)) {
            states.add(JobState.of(label));
        }
        return filter.states(states);
    }

    private static JobFilter header(JobFilter filter, @Nullable String header) {
        if (header == null) {
            return filter;
        }
        int equals = header.indexOf('=');
        if (equals < 1) {
            throw Problem.invalid("a header is written as name=value, not '%s'".formatted(printable(header)));
        }
        return filter.header(header.substring(0, equals), header.substring(equals + 1));
    }

    /** @param payloads as above: the subject of a bulk action is its filter, which may quote a payload */
    public static AuditFilter audit(Map<String, String> texts, boolean payloads) {
        String subject = texts.get("subject");
        try {
            return new AuditFilter(
                    texts.get("who"),
                    texts.get("action"),
                    subject,
                    instant(texts, "from"),
                    instant(texts, "until"),
                    subject != null && !payloads);
        } catch (IllegalArgumentException e) {
            throw Problem.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Instant instant(Map<String, String> texts, String name) {
        String text = texts.get(name);
        return text == null ? null : instant(name, text);
    }

    public static Instant instant(String name, String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw Problem.invalid("%s is '%s': write a time as 2026-11-23T10:00:00Z".formatted(name, printable(text)));
        }
    }

    public static String printable(String text) {
        String shown = text.length() <= 100 ? text : text.substring(0, 100) + "…";
        return shown.replaceAll("[\\p{Cntrl}\\p{Cs}]", "?");
    }
}
