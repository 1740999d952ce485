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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs a search or a bulk action is for: those that meet all of its conditions. Immutable; start from {@link #where}
 * and add conditions: {@code JobFilter.where().states(FAILED).queue("mail").errorText("timed out")}. A method with
 * arguments returns a narrower copy; the same condition again replaces the former one, but headers add up.
 *
 * <p>Every method checks its value and throws an {@link IllegalArgumentException} that names the value and what is allowed.
 * A filter without conditions is refused by whoever is given it, so that a form that was sent empty changes nothing: who
 * means all jobs says {@link #all}. So is a filter that no job can meet, such as one for waiting jobs that have ended.
 *
 * @param everything whether it is {@link #all} and has no condition
 * @param states empty: any
 * @param queue null: any
 * @param type null: any
 * @param key which jobs of their queue they belong with; null: any or none
 * @param uniqueKey a key of the type; null: any or none
 * @param headers by key; empty: any or none
 * @param times by the time that lies within the range
 * @param errorType of the last error
 * @param errorText part of the last error's message
 * @param fingerprint of the last error
 * @param node the name of the node of the last attempt
 * @param payload a jsonpath
 */
public record JobFilter(
        boolean everything,
        Set<JobState> states,
        @Nullable String queue,
        @Nullable String type,
        @Nullable String key,
        @Nullable String uniqueKey,
        Map<String, String> headers,
        Map<JobTime, TimeRange> times,
        @Nullable String errorType,
        @Nullable String errorText,
        @Nullable String fingerprint,
        @Nullable String node,
        @Nullable String payload) {

    /** The longest text to look for, and the longest jsonpath, in characters. */
    public static final int MAX_TEXT = 2_000;

    public JobFilter {
        states = states.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(states));
        headers = Collections.unmodifiableMap(new TreeMap<>(headers));
        times = times.isEmpty() ? Map.of() : Collections.unmodifiableMap(new EnumMap<>(times));
        ifSet(queue, Names::queue);
        ifSet(type, Names::type);
        ifSet(key, JobOptions::validKey);
        ifSet(uniqueKey, UniqueKey::of);
        if (uniqueKey != null && type == null) {
            throw new IllegalArgumentException(
                    "unique key '%s' has no type: different types may use the same key, so name the type too"
                            .formatted(Rules.printable(uniqueKey)));
        }
        headers.forEach(Rules::header);
        ifSet(errorType, text -> Rules.text("error type", text));
        ifSet(errorText, text -> Rules.text("error text", text));
        ifSet(fingerprint, Rules::fingerprint);
        ifSet(node, text -> Rules.text("node", text));
        ifSet(payload, text -> Rules.text("jsonpath", text));
        if (payload != null) {
            Rules.oneOfSeveralPlaces(payload);
        }
        everything = everything
                && states.isEmpty()
                && headers.isEmpty()
                && times.isEmpty()
                && Stream.of(queue, type, key, errorType, errorText, fingerprint, node, payload)
                        .allMatch(Objects::isNull);
    }

    /** A filter that waits for its first condition; without one, nobody accepts it. */
    public static JobFilter where() {
        return new Draft(false).filter();
    }

    /** All jobs. A condition that is added narrows it. */
    public static JobFilter all() {
        return new Draft(true).filter();
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
        Draft draft = new Draft(this);
        draft.states = any;
        return draft.filter();
    }

    /** Jobs of this queue. */
    public JobFilter queue(String name) {
        Draft draft = new Draft(this);
        draft.queue = Names.queue(name);
        return draft.filter();
    }

    /** Jobs of this type, by the name that their rows have. */
    public JobFilter type(String name) {
        Draft draft = new Draft(this);
        draft.type = Names.type(name);
        return draft.filter();
    }

    /** Jobs with this {@linkplain JobOptions#key(String) key}: those of a tenant, an account, a document. */
    public JobFilter key(String value) {
        Draft draft = new Draft(this);
        draft.key = JobOptions.validKey(Rules.given("key", value));
        return draft.filter();
    }

    /**
     * The job of the type that holds this key, or held it last: Rowlock forgets a key soon after it has become free. Sets the
     * {@link #type(String) type} as well.
     */
    public JobFilter uniqueKey(String type, String key) {
        Draft draft = new Draft(this);
        draft.type = Names.type(type);
        draft.uniqueKey = Rules.given("unique key", key);
        return draft.filter();
    }

    /** Jobs with this header. */
    public JobFilter header(String key, String value) {
        Draft draft = new Draft(this);
        draft.headers = new TreeMap<>(headers);
        draft.headers.put(Rules.given("key of a header", key), Rules.given("value of a header", value));
        return draft.filter();
    }

    /** Jobs whose time lies within the range. Jobs in states that do not {@link JobTime#states have} this time do not match. */
    public JobFilter time(JobTime time, TimeRange range) {
        Draft draft = new Draft(this);
        draft.times = new EnumMap<>(JobTime.class);
        draft.times.putAll(times);
        draft.times.put(Rules.given("kind of time", time), Rules.given("time range", range));
        return draft.filter();
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
        Draft draft = new Draft(this);
        draft.errorType = Rules.text("error type", name);
        return draft.filter();
    }

    /** Jobs whose last error has this in its message. A to Z match in upper and lower case, other letters as they are. */
    public JobFilter errorText(String part) {
        Draft draft = new Draft(this);
        draft.errorText = Rules.text("error text", part);
        return draft.filter();
    }

    /** Jobs whose last error has this fingerprint, 16 hexadecimal digits: one group of dead jobs. */
    public JobFilter fingerprint(String digits) {
        Draft draft = new Draft(this);
        draft.fingerprint = Rules.fingerprint(digits);
        return draft.filter();
    }

    /** Jobs that run on the node with this name, or whose last attempt ran there. */
    public JobFilter node(String name) {
        Draft draft = new Draft(this);
        draft.node = Rules.text("node", name);
        return draft.filter();
    }

    /**
     * Jobs whose payload meets this jsonpath of PostgreSQL. A condition must be true: {@code $.customer.id == 42}. A path
     * must find something, whatever it is: {@code $.items[*] ? (@.price > 100)}. One without {@code $} would find itself in every
     * payload, and is refused. Nor may more than one part name several places, such as {@code [0, 1]} and {@code .**}. The
     * database checks it at the call. No index helps, so name a state, a queue or a time as well.
     */
    public JobFilter payload(String jsonpath) {
        Draft draft = new Draft(this);
        draft.payload = Rules.jsonpath(jsonpath);
        return draft.filter();
    }

    private static void ifSet(@Nullable String text, Consumer<String> rule) {
        if (text != null) {
            rule.accept(text);
        }
    }

    /** Whether it has no condition and is not {@link #all}: then nobody accepts it. */
    public boolean isEmpty() {
        return !everything && conditions().isEmpty();
    }

    /** Its conditions, such as {@code state=failed or quarantined, queue=mail}. */
    @Override
    public String toString() {
        return everything ? "all jobs" : isEmpty() ? "no condition" : String.join(", ", conditions());
    }

    private List<String> conditions() {
        List<String> conditions = new ArrayList<>();
        if (!states.isEmpty()) {
            conditions.add("state=" + states.stream().map(JobState::label).collect(Collectors.joining(" or ")));
        }
        add(conditions, "queue", queue);
        add(conditions, "type", type);
        add(conditions, "key", key);
        add(conditions, "uniqueKey", uniqueKey);
        headers.forEach((key, value) -> add(conditions, "header " + key, value));
        times.forEach((time, range) -> add(conditions, time.label(), range.toString()));
        add(conditions, "errorType", errorType);
        add(conditions, "errorText", errorText);
        add(conditions, "fingerprint", fingerprint);
        add(conditions, "node", node);
        add(conditions, "payload", payload);
        return conditions;
    }

    private static void add(List<String> conditions, String name, @Nullable String value) {
        if (value != null) {
            conditions.add(name + "=" + Rules.printable(value));
        }
    }

    /** A filter in the making. */
    private static final class Draft {

        private final boolean everything;
        private Set<JobState> states = Set.of();
        private @Nullable String queue;
        private @Nullable String type;
        private @Nullable String key;
        private @Nullable String uniqueKey;
        private Map<String, String> headers = Map.of();
        private Map<JobTime, TimeRange> times = Map.of();
        private @Nullable String errorType;
        private @Nullable String errorText;
        private @Nullable String fingerprint;
        private @Nullable String node;
        private @Nullable String payload;

        Draft(boolean everything) {
            this.everything = everything;
        }

        Draft(JobFilter filter) {
            this.everything = filter.everything;
            this.states = filter.states;
            this.queue = filter.queue;
            this.type = filter.type;
            this.key = filter.key;
            this.uniqueKey = filter.uniqueKey;
            this.headers = filter.headers;
            this.times = filter.times;
            this.errorType = filter.errorType;
            this.errorText = filter.errorText;
            this.fingerprint = filter.fingerprint;
            this.node = filter.node;
            this.payload = filter.payload;
        }

        JobFilter filter() {
            return new JobFilter(
                    everything,
                    states,
                    queue,
                    type,
                    key,
                    uniqueKey,
                    headers,
                    times,
                    errorType,
                    errorText,
                    fingerprint,
                    node,
                    payload);
        }
    }
}
