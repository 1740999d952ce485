package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Looks for one cause.
 *
 * @param code stays the same from release to release: operators and their scripts know it
 * @param healthy what is said when the cause is not there
 * @param look shows the cases of the cause; no row: it is not there
 * @param needsStatistics whether only a role that sees other roles' sessions may say that the cause is not there
 */
record Check(String code, String healthy, Look look, Judge judge, boolean needsStatistics) {

    /** What a check says of the cases, of which there is at least one. */
    @FunctionalInterface
    interface Judge {

        Diagnosis of(List<Case> cases);
    }

    /** That judges all cases. */
    static Check checkAll(String code, String healthy, Look look, Judge judge) {
        return new Check(code, healthy, look, judge, false);
    }

    /** That judges the first case; the others are evidence. */
    static Check check(String code, String healthy, Look look, Function<Case, Diagnosis> judge) {
        return checkAll(code, healthy, look, cases -> judge.apply(cases.get(0)));
    }

    Check thatNeedsStatistics() {
        return new Check(code, healthy, look, judge, true);
    }

    /** A row that a look returns, as text; a null is the text "null". */
    record Case(Map<String, String> columns) {

        String get(String column) {
            return String.valueOf(columns.get(column));
        }

        boolean has(String column) {
            return columns.containsKey(column);
        }

        boolean is(String column) {
            return get(column).equals("t");
        }

        @Override
        public String toString() {
            return columns.toString();
        }
    }

    record Diagnosis(Status status, String cause, @Nullable Remedy remedy) {

        static Diagnosis info(String cause) {
            return new Diagnosis(Status.INFO, cause, null);
        }

        static Diagnosis warn(String cause) {
            return new Diagnosis(Status.WARN, cause, null);
        }

        static Diagnosis fail(String cause) {
            return new Diagnosis(Status.FAIL, cause, null);
        }

        Diagnosis failIf(boolean worse) {
            return worse ? new Diagnosis(Status.FAIL, cause, remedy) : this;
        }

        /** In words, which {@link #sql} may follow. */
        Diagnosis remedy(String text) {
            return new Diagnosis(status, cause, new Remedy(text, null, false));
        }

        Diagnosis sql(String sql) {
            return remedy(sql, false);
        }

        /** What may end or remove something that is still needed; null: there is no SQL for it. */
        Diagnosis destructiveSql(@Nullable String sql) {
            return remedy(sql, true);
        }

        private Diagnosis remedy(@Nullable String sql, boolean destructive) {
            String text = remedy == null ? "" : remedy.text();
            return new Diagnosis(status, cause, new Remedy(text, sql, destructive));
        }
    }
}
