package dev.rowlock.queue.internal.db;

import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.UniqueKey;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A job's headers as they lie in its row: a JSON object of strings, of Rowlock's own making. No codec of the application has a part
 * in it, for not everybody who reads headers has one.
 */
public final class Headers {

    /** What has no UTF-8, such as half a surrogate pair, travels as an escape. */
    private static final JsonMapper JSON =
            JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

    private Headers() {}

    /** Where a retry policy of the job's own lies. {@link OverdueStatements} reads it, too. */
    private static final String RETRY = JobOptions.RESERVED_HEADERS + "retry";

    /** Says that the job must not share a call with others. {@link OverdueStatements} writes it. */
    public static final String ALONE = JobOptions.RESERVED_HEADERS + "alone";

    /** The unique key with which the job was enqueued: for people. Which job holds a key, the table {@code unique_key} says. */
    public static final String UNIQUE_KEY = JobOptions.RESERVED_HEADERS + "unique-key";

    /** Names the workflow to which the job belongs. */
    public static final String WORKFLOW = JobOptions.RESERVED_HEADERS + "workflow";

    /** What people read in lists of jobs. */
    public static final String TITLE = JobOptions.RESERVED_HEADERS + "title";

    /** Whether the job belongs to a workflow. */
    public static boolean inWorkflow(@Nullable String document) {
        return has(document, WORKFLOW);
    }

    /** With the workflow to which the job belongs. */
    public static String inWorkflow(@Nullable String document, long workflow) {
        ObjectNode headers = document == null ? JSON.createObjectNode() : (ObjectNode) JSON.readTree(document);
        return JSON.writeValueAsString(headers.put(WORKFLOW, Long.toString(workflow)));
    }

    /** Whether the job must not share a call with others: it was in one that ignored its deadline. */
    public static boolean alone(@Nullable String document) {
        return has(document, ALONE);
    }

    /** Null for none. */
    public static @Nullable String encode(JobOptions options, @Nullable String title) {
        RetryPolicy retry = options.retry();
        UniqueKey key = options.uniqueKey();
        if (retry == null && key == null && title == null) {
            return options.headers().isEmpty() ? null : JSON.writeValueAsString(options.headers());
        }
        Map<String, String> headers = new HashMap<>(options.headers());
        if (retry != null) {
            headers.put(
                    RETRY, StoredRetries.of(retry, RetryPolicy.MAX_INTERVALS).toString());
        }
        if (key != null) {
            headers.put(UNIQUE_KEY, key.value());
        }
        if (title != null) {
            headers.put(TITLE, title);
        }
        return JSON.writeValueAsString(headers);
    }

    /** The unique key with which the job was enqueued; null for none. */
    public static @Nullable String uniqueKey(@Nullable String document) {
        return text(document, UNIQUE_KEY);
    }

    /** What people read in lists of jobs; null for none. */
    public static @Nullable String title(@Nullable String document) {
        return text(document, TITLE);
    }

    private static @Nullable String text(@Nullable String document, String name) {
        return document != null && has(document, name)
                ? JSON.readTree(document).get(name).asString()
                : null;
    }

    /** The retry policy that the job brought along; null if it goes by its listener's. */
    public static @Nullable RetryPolicy retry(@Nullable String document) {
        return document != null && has(document, RETRY)
                ? StoredRetries.policy(
                        JSON.readTree(JSON.readTree(document).get(RETRY).asString()))
                : null;
    }

    /** Without reading the document: only behind a name comes a colon, and a quote within a text has a backslash before it. */
    private static boolean has(@Nullable String document, String name) {
        return document != null
                && document.contains(name)
                && Pattern.compile("(?<!\\\\)\"" + name + "\"\\s*:")
                        .matcher(document)
                        .find();
    }

    /** Without those of Rowlock's own. */
    public static Map<String, String> decode(@Nullable String document) {
        if (document == null) {
            return Map.of();
        }
        Map<String, String> headers = new HashMap<>();
        JSON.readTree(document)
                .properties()
                .forEach(e -> headers.put(e.getKey(), e.getValue().asString()));
        headers.keySet().removeIf(key -> key.startsWith(JobOptions.RESERVED_HEADERS));
        return Map.copyOf(headers);
    }
}
