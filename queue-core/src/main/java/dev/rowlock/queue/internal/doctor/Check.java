package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.store.doctor.Look;
import java.util.List;
import java.util.Map;

/** Looks for one cause. */
public interface Check {

    /** Stable: operators and their scripts know it. */
    String code();

    /** Shows the cases of the cause; no row: it is not there. */
    Look look();

    /** What is said when it is not there. */
    String healthy();

    /** Whether only a role that sees other roles' sessions may say that the cause is not there. */
    default boolean needsStatistics() {
        return false;
    }

    /** Judges cases, of which there is at least one. */
    Diagnosis judge(List<Map<String, String>> cases);

    /** What a check says of the cases. */
    record Diagnosis(Status status, String cause, Remedy remedy) {}
}
