package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Remedy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Findings of the doctor. An examination may take seconds, so all who look within a minute see the same one. */
final class Examinations {

    private static final Duration KEPT = Duration.ofMinutes(1);

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final Doctor doctor;
    private final Briefly<String, Report> reports = new Briefly<>(PATIENCE, (report, took) -> KEPT);

    Examinations(Doctor doctor) {
        this.doctor = doctor;
    }

    record Report(Instant at, List<Found> findings) {}

    record Found(
            String code,
            String status,
            String cause,
            String evidenceSql,
            List<String> evidence,
            @Nullable String remedy,
            @Nullable String remedySql,
            boolean destructive) {

        static Found of(Finding finding) {
            Remedy remedy = finding.remedy();
            return new Found(
                    finding.code(),
                    finding.status().name(),
                    finding.cause(),
                    finding.evidence().sql(),
                    finding.evidence().rows(),
                    remedy == null ? null : remedy.text(),
                    remedy == null ? null : remedy.sql(),
                    remedy != null && remedy.destructive());
        }
    }

    Report latest() {
        return reports.get("", this::examined);
    }

    /** That of somebody else, if it goes on. */
    Report now() {
        return reports.anew("", this::examined);
    }

    private Report examined() {
        return new Report(
                Instant.now(), doctor.examine().stream().map(Found::of).toList());
    }
}
