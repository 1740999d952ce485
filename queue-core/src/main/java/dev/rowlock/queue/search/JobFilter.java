package dev.rowlock.queue.search;

import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.Names;
import dev.rowlock.queue.job.UniqueKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a search or a bulk action is for: those that meet all of its conditions. Immutable; start from {@link #where}
 * and add conditions: {@code JobFilter.where().states(DEAD).queue("mail").errorText("timed out")}. A method with
 * arguments returns a narrower copy; the same condition again replaces the former one, but headers add up.
 *
 * <p>Every method checks its value and throws an {@link IllegalArgumentException} that names the value and what is allowed.
 * A filter without conditions is refused by whoever is given it, so that a form that was sent empty changes nothing: who
 * means all jobs says {@link #all}. So is a filter that no job can meet, such as one for waiting jobs that have ended.
 */
public final class JobFilter {

    /** The longest text to look for, and the longest jsonpath, in characters. */
    public static final int MAX_TEXT = 2_000;

    /** A condition that is one text. What it means stands at the method of its name. */
    public enum Criterion {
        QUEUE("queue", Names::queue),
        TYPE("type", Names::type),
        KEY("key", JobOptions::validKey),
        UNIQUE_KEY("uniqueKey", UniqueKey::of),
        NODE("node", text -> Rules.text("node", text)),
        FINGERPRINT("fingerprint", Rules::fingerprint),
        ERROR_TYPE("errorType", text -> Rules.text("error type", text)),
        ERROR_TEXT("errorText", text -> Rules.text("error text", text)),
        PAYLOAD("payload", Rules::jsonpath);

        private final String label;
        private final Consumer<String> rule;

        Criterion(String label, Consumer<String> rule) {
            this.label = label;
            this.rule = rule;
        }

        /** Its name in texts: of filters, of addresses, of the table of bulk actions. */
        public String label() {
            return label;
        }
    }

    private final boolean everything;
    private final Set<JobState> states;
    private final Map<Criterion, String> texts;
    private final Map<String, String> headers;
    private final Map<JobTime, TimeRange> times;

    private JobFilter(
            boolean everything,
            Set<JobState> states,
            Map<Criterion, String> texts,
            Map<String, String> headers,
            Map<JobTime, TimeRange> times) {
        this.everything = everything && states.isEmpty() && texts.isEmpty() && headers.isEmpty() && times.isEmpty();
        this.states = states.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(states));
        this.texts = Collections.unmodifiableMap(texts);
        this.headers = Collections.unmodifiableMap(headers);
        this.times = Collections.unmodifiableMap(times);
    }

    /** A filter that waits for its first condition; without one, nobody accepts it. */
    public static JobFilter where() {
        return new JobFilter(false, Set.of(), Map.of(), Map.of(), Map.of());
    }

    /** All jobs. A condition that is added narrows it. */
    public static JobFilter all() {
        return new JobFilter(true, Set.of(), Map.of(), Map.of(), Map.of());
    }

    /** Jobs in one of these states. */
    public JobFilter states(JobState... any) {
        return states(Set.copyOf(Arrays.asList(any)));
    }

    /** Jobs in one of these states: one at least. */
    public JobFilter states(Set<JobState> any) {
        if (any.isEmpty()) {
            throw new IllegalArgumentException("no state is named: name one at least of "
                    + EnumSet.allOf(JobState.class).stream()
                            .map(JobState::label)
                            .toList());
        }
        return new JobFilter(everything, any, texts, headers, times);
    }

    /** Jobs of this queue. */
    public JobFilter queue(String name) {
        return with(Criterion.QUEUE, name);
    }

    /** Jobs of this type, by the name that their rows have. */
    public JobFilter type(String name) {
        return with(Criterion.TYPE, name);
    }

    /** Jobs with this {@linkplain JobOptions#key(String) key}: those of a tenant, an account, a document. */
    public JobFilter key(String value) {
        return with(Criterion.KEY, value);
    }

    /**
     * The job of the type that holds this key, or held it last: Rowlock forgets a key soon after it has become free. Sets the
     * {@link #type(String) type} as well.
     */
    public JobFilter uniqueKey(String type, String key) {
        return type(type).with(Criterion.UNIQUE_KEY, key);
    }

    /** Jobs with this header. */
    public JobFilter header(String key, String value) {
        Rules.header(key, value);
        Map<String, String> all = new TreeMap<>(headers);
        all.put(key, value);
        return new JobFilter(everything, states, texts, all, times);
    }

    /** Jobs whose time lies within the range. Jobs in states that do not {@link JobTime#states have} this time do not match. */
    public JobFilter time(JobTime time, TimeRange range) {
        Map<JobTime, TimeRange> all = new EnumMap<>(JobTime.class);
        all.putAll(times);
        all.put(Rules.given("kind of time", time), Rules.given("time range", range));
        return new JobFilter(everything, states, texts, headers, all);
    }

    /** Jobs that were enqueued at {@code from} or later, and before {@code until}. */
    public JobFilter enqueued(Instant from, Instant until) {
        return time(JobTime.ENQUEUED, TimeRange.between(from, until));
    }

    /** Jobs that ended at {@code from} or later, and before {@code until}. */
    public JobFilter ended(Instant from, Instant until) {
        return time(JobTime.ENDED, TimeRange.between(from, until));
    }

    /** Jobs whose last error is of this class, with or without its package, or is this word, such as {@code timeout}. */
    public JobFilter errorType(String name) {
        return with(Criterion.ERROR_TYPE, name);
    }

    /** Jobs whose last error has this in its message. A to Z match in upper and lower case, other letters as they are. */
    public JobFilter errorText(String part) {
        return with(Criterion.ERROR_TEXT, part);
    }

    /** Jobs whose last error has this fingerprint, 16 hexadecimal digits: one group of dead jobs. */
    public JobFilter fingerprint(String digits) {
        return with(Criterion.FINGERPRINT, digits);
    }

    /** Jobs that run on the node with this name, or whose last attempt ran there. */
    public JobFilter node(String name) {
        return with(Criterion.NODE, name);
    }

    /**
     * Jobs whose payload meets this jsonpath of PostgreSQL. A condition must be true: {@code $.customer.id == 42}. A path
     * must find something, whatever it is: {@code $.items[*] ? (@.price > 100)}. One without {@code $} would find itself in every
     * payload, and is refused. Nor may more than one part name several places, such as {@code [0, 1]} and {@code .**}. The
     * database checks it at the call. No index helps, so name a state, a queue or a time as well.
     */
    public JobFilter payload(String jsonpath) {
        return with(Criterion.PAYLOAD, jsonpath);
    }

    /** The same as the method of the criterion's name; a unique key needs a type before it. */
    public JobFilter with(Criterion criterion, String text) {
        criterion.rule.accept(Rules.given(criterion.label, text));
        if (criterion == Criterion.UNIQUE_KEY && !texts.containsKey(Criterion.TYPE)) {
            throw new IllegalArgumentException(
                    "unique key '%s' has no type: different types may use the same key, so name the type too"
                            .formatted(Rules.printable(text)));
        }
        Map<Criterion, String> all = new EnumMap<>(Criterion.class);
        all.putAll(texts);
        all.put(criterion, text);
        return new JobFilter(everything, states, all, headers, times);
    }

    /** Whether it is {@link #all} and has no condition. */
    public boolean everything() {
        return everything;
    }

    /** Empty: any. */
    public Set<JobState> states() {
        return states;
    }

    /** The texts that are asked for. */
    public Map<Criterion, String> texts() {
        return texts;
    }

    /** The text that is asked for; null: any or none. */
    public @Nullable String text(Criterion criterion) {
        return texts.get(criterion);
    }

    /** Values by key; empty: any or none. */
    public Map<String, String> headers() {
        return headers;
    }

    /** Ranges by the time that lies within them. */
    public Map<JobTime, TimeRange> times() {
        return times;
    }

    /** Whether it has no condition and is not {@link #all}: then nobody accepts it. */
    public boolean isEmpty() {
        return !everything && conditions().isEmpty();
    }

    /** Its conditions, such as {@code state=dead or quarantined, queue=mail}. */
    @Override
    public String toString() {
        return everything ? "all jobs" : isEmpty() ? "no condition" : String.join(", ", conditions());
    }

    private List<String> conditions() {
        List<String> conditions = new ArrayList<>();
        if (!states.isEmpty()) {
            conditions.add("state=" + states.stream().map(JobState::label).collect(Collectors.joining(" or ")));
        }
        texts.forEach((criterion, text) -> conditions.add(criterion.label + "=" + Rules.printable(text)));
        headers.forEach((key, value) -> conditions.add("header " + key + "=" + Rules.printable(value)));
        times.forEach((time, range) -> conditions.add(time.label() + "=" + range));
        return conditions;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobFilter filter
                && everything == filter.everything
                && states.equals(filter.states)
                && texts.equals(filter.texts)
                && headers.equals(filter.headers)
                && times.equals(filter.times);
    }

    @Override
    public int hashCode() {
        return Objects.hash(everything, states, texts, headers, times);
    }
}
