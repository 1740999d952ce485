package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Finding.Remedy;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.store.doctor.Look;
import dev.rowlock.queue.internal.store.doctor.queue.OtherVersion;
import dev.rowlock.queue.schema.SchemaScript;
import java.util.List;
import java.util.Map;

/** The tables are of another release. */
record SchemaVersion() implements Check {

    @Override
    public String code() {
        return "schema-version";
    }

    @Override
    public Look look() {
        return new OtherVersion(SchemaScript.newestVersion());
    }

    @Override
    public String healthy() {
        return "The tables are of this release.";
    }

    @Override
    public Diagnosis judge(List<Map<String, String>> cases) {
        List<String> missing = cases.stream()
                .filter(script -> "missing".equals(script.get("what")))
                .map(script -> String.valueOf(script.get("version")))
                .toList();
        if (missing.isEmpty()) {
            return new Diagnosis(
                    Status.INFO,
                    "The tables are of version %s, and this release knows version %d: a newer release has upgraded them."
                            .formatted(cases.get(cases.size() - 1).get("version"), SchemaScript.newestVersion()),
                    new Remedy(
                            "This is normal during a deployment. Afterwards, upgrade this application.", null, false));
        }
        return new Diagnosis(
                Status.FAIL,
                "The tables lack scripts that this release needs: version %s.".formatted(String.join(", ", missing)),
                new Remedy(
                        "Start a node with rowlock.schema.mode=migrate, or let the owner of the tables run what SchemaScript prints (--from).",
                        null,
                        false));
    }
}
