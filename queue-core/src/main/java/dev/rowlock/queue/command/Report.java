package dev.rowlock.queue.command;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Findings as people and programs read them. */
final class Report {

    /** There is nothing to explain. */
    private static final Set<Status> SHORT = EnumSet.of(Status.OK);

    private Report() {}

    /** {@code {"findings": [{"code": "old-pause", "status": "WARN", …}]}} */
    static String json(List<Finding> findings) {
        return JsonMapper.builder()
                        .enable(SerializationFeature.INDENT_OUTPUT)
                        .build()
                        .writeValueAsString(Map.of("findings", findings))
                + "\n";
    }

    /** A line for each finding, and what shows and helps below those that are not OK. */
    static String text(List<Finding> findings) {
        return findings.stream().map(Report::text).collect(Collectors.joining());
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
