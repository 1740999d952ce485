package dev.rowlock.queue.command;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.doctor.Verdict;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Findings as people and programs read them. */
final class Report {

    /** There is nothing to explain. */
    private static final Set<Status> SHORT = EnumSet.of(Status.OK);

    private Report() {}

    /** {@code {"verdict": {"status": "LATE", "reasons": […]}, "findings": [{"code": "old-pause", "status": "WARN", …}]}} */
    static String json(Verdict verdict, List<Finding> findings) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("verdict", verdict);
        all.put("findings", findings);
        return JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()
                        .writeValueAsString(all)
                + "\n";
    }

    /** The verdict, then a line for each finding, and what shows and helps below those that are not OK. */
    static String text(Verdict verdict, List<Finding> findings) {
        StringBuilder text = new StringBuilder("verdict: %s\n".formatted(verdict.status()));
        verdict.reasons().forEach(reason -> line(text, reason.status().name(), reason.cause() + " " + reason.remedy()));
        findings.forEach(finding -> text.append(text(finding)));
        return text.toString();
    }

    private static String text(Finding finding) {
        StringBuilder text =
                new StringBuilder("%-7s %-22s %s\n".formatted(finding.status(), finding.code(), finding.cause()));
        if (!SHORT.contains(finding.status())) {
            finding.evidence().rows().forEach(row -> line(text, "seen", row));
            Remedy remedy = finding.remedy();
            if (remedy != null) {
                line(text, "remedy", remedy.text());
                if (remedy.sql() != null) {
                    line(text, remedy.destructive() ? "destructive SQL" : "SQL", remedy.sql());
                }
            }
        }
        return text.toString();
    }

    private static void line(StringBuilder text, String name, String value) {
        text.append("        ")
                .append(name)
                .append(": ")
                .append(value.replace('\n', ' '))
                .append('\n');
    }
}
