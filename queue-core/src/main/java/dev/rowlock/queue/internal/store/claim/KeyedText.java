package dev.rowlock.queue.internal.store.claim;

import dev.rowlock.queue.internal.store.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of {@link ClaimKeyedJobs}, both statements.
 *
 * @param sql with question marks
 * @param names what each of them stands for
 */
record KeyedText(String sql, List<String> names) {

    private static final Pattern NAME = Pattern.compile("(?<![:\\w]):([a-z_]+)");

    /**
     * What a text is for.
     *
     * @param parts of the rule; where the rule has others it claims nothing
     * @param walk which keys it comes by
     * @param known whether something is known of some keys: where they were left, and what of them runs
     * @param which of the jobs
     */
    record Form(Set<RulePart> parts, Walk walk, boolean known, Which which) {

        Form {
            parts = Set.copyOf(parts);
            if (known && walk == Walk.FROM_FRONT) {
                throw new IllegalArgumentException("a walk from the front knows nothing of its keys");
            }
        }

        /** Claims all jobs, ready for these parts of a rule. */
        static Form all(Set<RulePart> parts, Walk walk, boolean known) {
            return new Form(parts, walk, known, Which.ALL);
        }

        /** The same for some jobs only, which is rare: ready for all. */
        static Form some(boolean names) {
            return new Form(RulePart.ALL, Walk.OVER_KNOWN, true, names ? Which.NAMES_OF_SOME : Which.SOME);
        }

        boolean has(RulePart part) {
            return parts.contains(part);
        }

        String on(RulePart part, String text) {
            return has(part) ? text : "";
        }
    }

    /** Which keys a claim comes by. */
    enum Walk {
        /** All, of which nothing is known. */
        FROM_FRONT,
        /** All, of which some are known. */
        OVER_KNOWN,
        /** Those that are known. */
        ONLY_KNOWN
    }

    /** Which jobs: all; some of them; or the ids of those that would be claimed. */
    enum Which {
        ALL,
        SOME,
        NAMES_OF_SOME
    }

    static KeyedText of(Form form) {
        Matcher matcher = NAME.matcher(KeyedWalkSql.of(form) + KeyedTakeSql.of(form));
        List<String> names = new ArrayList<>();
        String sql = matcher.replaceAll(found -> {
            names.add(found.group(1));
            return "?";
        });
        return new KeyedText(sql, List.copyOf(names));
    }

    KeyedText in(Schema schema) {
        return new KeyedText(schema.sql(sql), names);
    }
}
