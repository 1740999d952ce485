package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.ColdStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One entry of a table of checks: a question about one cause, and what the answer means. */
record Check(Question question, Function<Found, Diagnosis> meaning) {

    /**
     * Begins a check.
     *
     * @param code stays the same from release to release: operators and their scripts know it
     * @param healthy what is said when the cause is not there
     */
    static Question check(String code, String healthy) {
        return new Question(code, healthy, false, "", Map.of(), statement -> statement.list(Check::asText));
    }

    /** Begins a check that only a role may call healthy that sees the sessions of other roles. */
    static Question statisticsCheck(String code, String healthy) {
        return new Question(code, healthy, true, "", Map.of(), statement -> statement.list(Check::asText));
    }

    /**
     * Each row of the answer is a case of the cause; no row means that it is not there.
     *
     * @param statistics whether it is SKIPPED, not healthy, for a role that sees its own sessions only
     * @param sql written for the schema {@code rowlock}; empty: it looks at this process
     * @param values of its named parameters, and thresholds of the meaning; {@code :schema} is known beside them
     */
    record Question(
            String code, String healthy, boolean statistics, String sql, Map<String, Object> values, Look look) {

        Question sql(String sql) {
            return sql(sql, Map.of());
        }

        Question sql(String sql, Map<String, Object> values) {
            return new Question(code, healthy, statistics, sql, values, look);
        }

        Question look(String sql, Look look) {
            return new Question(code, healthy, statistics, sql, values, look);
        }

        Question values(Map<String, Object> values) {
            return new Question(code, healthy, statistics, sql, values, look);
        }

        Check finds(Diagnosis diagnosis) {
            return finds(found -> diagnosis);
        }

        Check finds(Function<Found, Diagnosis> meaning) {
            return new Check(this, meaning);
        }
    }

    /** Asks the question, and returns a few rows, whose columns are text and keep their order. */
    interface Look {
        List<Map<String, String>> rows(ColdStatement statement) throws SQLException;
    }

    static Map<String, String> asText(ResultSet row) throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
            columns.put(row.getMetaData().getColumnLabel(i), String.valueOf(row.getString(i)));
        }
        return columns;
    }

    /** At least one row, and the values of the question. */
    record Found(List<Map<String, String>> rows, Map<String, Object> values) {

        private static final Pattern PLACE = Pattern.compile("\\{([a-z_]+)}");

        boolean has(String name) {
            return rows.get(0).containsKey(name) || values.containsKey(name);
        }

        /** The column of the first row, or else the value; a null of the database is the text "null". */
        String get(String name) {
            Object value = rows.get(0).containsKey(name) ? rows.get(0).get(name) : values.get(name);
            return Objects.requireNonNull(value, name).toString();
        }

        boolean is(String name) {
            return is(name, "t");
        }

        boolean is(String name, String text) {
            return get(name).equals(text);
        }

        double number(String name) {
            return Double.parseDouble(get(name));
        }

        private String fill(String words) {
            return PLACE.matcher(words).replaceAll(place -> Matcher.quoteReplacement(get(place.group(1))));
        }
    }

    /** In its words, <code>{role}</code> stands for what {@link Found#get} says of {@code role}. */
    record Diagnosis(Status status, String cause, Remedy remedy) {

        static Diagnosis info(String cause, String remedy) {
            return new Diagnosis(Status.INFO, cause, new Remedy(remedy, null, false));
        }

        static Diagnosis warn(String cause, String remedy) {
            return warn(cause, remedy, null);
        }

        static Diagnosis warn(String cause, String remedy, @Nullable String sql) {
            return new Diagnosis(Status.WARN, cause, new Remedy(remedy, sql, false));
        }

        static Diagnosis fail(String cause, String remedy) {
            return fail(cause, remedy, null);
        }

        static Diagnosis fail(String cause, String remedy, @Nullable String sql) {
            return new Diagnosis(Status.FAIL, cause, new Remedy(remedy, sql, false));
        }

        Diagnosis failIf(boolean worse) {
            return worse ? new Diagnosis(Status.FAIL, cause, remedy) : this;
        }

        /** The SQL of its remedy ends or removes what somebody may still need. */
        static Diagnosis destructive(Diagnosis of) {
            return new Diagnosis(of.status, of.cause, new Remedy(of.remedy.text(), of.remedy.sql(), true));
        }

        Diagnosis filled(Found found) {
            String sql = remedy.sql() == null ? null : found.fill(remedy.sql());
            Remedy filled = new Remedy(found.fill(remedy.text()), sql, remedy.destructive());
            return new Diagnosis(status, found.fill(cause), filled);
        }
    }
}
