package dev.rowlock.queue.autoconfigure.endpoint;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * The actuator endpoint {@code rowlockdoctor}: examines the database, and changes nothing. It is not a section of {@code rowlock}, because it may
 * take seconds. Who calls it while an examination runs waits for the findings of that one.
 */
@Endpoint(id = "rowlockdoctor", defaultAccess = Access.READ_ONLY)
final class RowlockDoctorEndpoint {

    /** How bad it is, the worst last. */
    private static final List<Status> BY_WEIGHT =
            List.of(Status.OK, Status.INFO, Status.SKIPPED, Status.CRASHED, Status.WARN, Status.FAIL);

    private final Doctor doctor;

    RowlockDoctorEndpoint(Doctor doctor) {
        this.doctor = doctor;
    }

    /** Runs all checks. */
    @ReadOperation
    Map<String, Object> examine() {
        List<Finding> findings = doctor.examine();
        Status worst = findings.stream()
                .map(Finding::status)
                .max(Comparator.comparing(BY_WEIGHT::indexOf))
                .orElse(Status.OK);
        return Map.of(
                "worst", worst, "findings", findings.stream().map(Shown::of).toList());
    }

    /** A finding, field by field: what is added elsewhere is not published by itself. */
    record Shown(
            String code,
            Status status,
            String cause,
            String evidenceSql,
            List<String> evidence,
            @Nullable String remedy,
            @Nullable String remedySql,
            boolean destructive) {

        static Shown of(Finding finding) {
            Remedy remedy = finding.remedy();
            return new Shown(
                    finding.code(),
                    finding.status(),
                    finding.cause(),
                    finding.evidence().sql(),
                    finding.evidence().rows(),
                    remedy == null ? null : remedy.text(),
                    remedy == null ? null : remedy.sql(),
                    remedy != null && remedy.destructive());
        }
    }
}
