package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.settings.LateAfter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs single checks of the doctor, found by their codes. */
final class Examined {

    private Examined() {}

    static Check check(String code) {
        return Examination.CHECKS.stream()
                .filter(check -> check.question().code().equals(code))
                .findFirst()
                .orElseThrow();
    }

    static Check check(String code, Map<String, Object> thresholds) {
        return with(check(code), thresholds);
    }

    /** The check with other thresholds than its own. */
    static Check with(Check check, Map<String, Object> thresholds) {
        Map<String, Object> values = new HashMap<>(check.question().values());
        assertThat(values).containsKeys(thresholds.keySet().toArray(String[]::new));
        values.putAll(thresholds);
        return check.question().sql(check.question().sql(), values).finds(check.meaning());
    }

    static List<Finding> examine(Database database, Check... checks) {
        return new Examination(database, List.of(checks), new LateQueues(LateAfter.DEFAULT), null, null).examine();
    }

    /** What this check says, which must not crash. */
    static Finding only(Database database, Check check) {
        List<Finding> findings = examine(database, check);
        assertThat(findings)
                .singleElement()
                .satisfies(finding ->
                        assertThat(finding.status()).as(finding.cause()).isNotEqualTo(Status.CRASHED));
        return findings.get(0);
    }

    static void isSilent(Database database, Check check) {
        Finding finding = only(database, check);
        assertThat(finding.status()).as(finding.cause()).isEqualTo(Status.OK);
    }
}
