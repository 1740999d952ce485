package dev.rowlock.queue.internal.db;

import java.util.regex.Pattern;

/**
 * The schema that holds all tables, sequences and functions of one Rowlock. The only thing that is ever glued into
 * SQL, hence the narrow rule.
 */
public record Schema(String name) {

    /** Leaves room for prefixes within PostgreSQL's 63 bytes. */
    private static final Pattern VALID = Pattern.compile("[a-z_][a-z0-9_]{0,39}");

    // The name first, and then the look back: so it is searched for as a whole, not tried at each letter of a long
    // statement.
    private static final Pattern DEFAULT_PREFIX = Pattern.compile("rowlock\\.(?<!\\wrowlock\\.)");

    public Schema {
        if (!VALID.matcher(name).matches() || name.startsWith("pg_")) {
            throw new IllegalArgumentException(
                    "schema name '%s' is not valid: 1 to 40 lower-case letters, digits or _ are allowed, the first no digit, not starting with pg_"
                            .formatted(name.replaceAll("\\p{Cntrl}", "?")));
        }
    }

    /** The statement, written for the schema {@code rowlock}, for this schema. */
    public String sql(String text) {
        return DEFAULT_PREFIX.matcher(text).replaceAll('"' + name + "\".");
    }

    /** The channel on which this schema's nodes wake each other. */
    public String channel() {
        return "rowlock_" + name;
    }
}
