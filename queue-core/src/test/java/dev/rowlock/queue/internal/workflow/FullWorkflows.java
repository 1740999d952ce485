package dev.rowlock.queue.internal.workflow;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.TableStatistics;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Tables full of workflows, statistics that are wrong in several ways, and what is wrong with a plan. */
final class FullWorkflows {

    /** Workflows 1 to 1,000 are chains of ten steps, workflow 2,000 is a longer one; step {@code n} of workflow {@code w} has the job {@code w * 10,000 + n}. */
    static final int CHAINS = 1_000;

    static final long LONG_CHAIN = 2_000;

    static final int LONG_STEPS = 4_000;

    static final List<String> TABLES = List.of(
            "workflow", "workflow_step", "workflow_edge", "workflow_job", "waiting", "ready", "running", "done");

    private static final Pattern SCAN = Pattern.compile(
            "(Seq|Bitmap Heap|Index|Index Only) Scan (?:Backward )?(?:using (\\w+) )?on (\\w+)[^\\n]*\\n(?:\\s+Disabled: true\\n)?(?:\\s+Index Cond: \\(+([^\\n]*))?");

    /** With what the conditions of each index begin. A walk begins with the workflow where it stopped. */
    private static final Map<String, Pattern> BEGINS = Map.ofEntries(
            Map.entry("workflow_pkey", Pattern.compile("id (=|>=) ")),
            Map.entry("workflow_open", Pattern.compile("id (=|>=|>) ")),
            Map.entry("workflow_step_by_name", Pattern.compile("workflow_id = .* AND \\(name = ")),
            Map.entry("workflow_step_pkey", Pattern.compile("workflow_id = ")),
            Map.entry("workflow_edge_pkey", Pattern.compile("workflow_id = .* AND \\(child_no >= ")),
            Map.entry("workflow_edge_by_parent", Pattern.compile("workflow_id = .* AND \\(parent_no >= ")),
            Map.entry("workflow_job_pkey", Pattern.compile("job_id (=|>=) ")),
            Map.entry("workflow_job_by_step", Pattern.compile("workflow_id = .* AND \\((ROW\\()?step_no")),
            Map.entry("waiting_pkey", Pattern.compile("id = ")),
            Map.entry("ready_pkey", Pattern.compile("id = ")),
            Map.entry("running_pkey", Pattern.compile("id = ")));

    /** These hold what is to be found, and nothing else. */
    private static final Pattern SMALL = Pattern.compile("workflow_(step_(moving|accepting)|job_by_failure)");

    private static final Pattern VAIN =
            Pattern.compile("[^\\n]*\\n[^\\n]*\\n\\s+Rows Removed by (Join )?Filter: [1-9][0-9]{2,}");

    private final Rooms rooms;

    /** Empty tables, of which no vacuum brings statistics. */
    FullWorkflows(TestDatabase test) {
        this.rooms = Rooms.emptyIn(test);
        TABLES.stream()
                .filter(table -> !table.equals("done"))
                .forEach(table ->
                        rooms.execute("ALTER TABLE rowlock.%s SET (autovacuum_enabled = off)".formatted(table)));
        rooms.execute("TRUNCATE rowlock.workflow, rowlock.workflow_step, rowlock.workflow_edge, rowlock.workflow_job");
    }

    /** Chains whose first jobs have ended, as nobody has noted yet. */
    void fill() {
        rooms.execute(
                "INSERT INTO rowlock.workflow (id, name) SELECT i, 'w' FROM generate_series(1, %d) AS i UNION ALL SELECT %d, 'w'"
                        .formatted(CHAINS, LONG_CHAIN));
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                SELECT w.id, n, 's' || n, CASE n WHEN 0 THEN 'released' ELSE 'waiting' END, false
                  FROM rowlock.workflow w, generate_series(0, CASE w.id WHEN %d THEN %d ELSE 9 END) AS n
                """.formatted(LONG_CHAIN, LONG_STEPS - 1));
        rooms.execute(
                "INSERT INTO rowlock.workflow_edge SELECT workflow_id, step_no - 1, step_no, 'success' FROM rowlock.workflow_step WHERE step_no > 0");
        rooms.execute(
                "INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, next_steps) SELECT workflow_id * 10000 + step_no, workflow_id, step_no, ARRAY[step_no + 1] FROM rowlock.workflow_step");
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, max_retries, reason, queue, type, payload)
                SELECT job_id, '2255-01-01', now(), 0, 0, 0, 0, 'parents', 'q', 't', '{}' FROM rowlock.workflow_job WHERE step_no > 0
                """);
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                SELECT job_id, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'completed' FROM rowlock.workflow_job WHERE step_no = 0
                """);
    }

    void tell(TableStatistics statistics) {
        statistics.tell(rooms, TABLES);
    }

    /** What is known of empty tables. */
    void analyze() {
        TABLES.forEach(table -> rooms.execute("VACUUM ANALYZE rowlock." + table));
    }

    /** What reads a table otherwise than by the beginning of an index, or reads in vain. */
    static List<String> broken(String plan) {
        List<String> broken = new ArrayList<>();
        Matcher scan = SCAN.matcher(plan);
        while (scan.find()) {
            String index = String.valueOf(scan.group(2));
            if (TABLES.contains(scan.group(3)) && !SMALL.matcher(index).matches()) {
                Pattern begins = BEGINS.get(index);
                if (begins == null
                        || !begins.matcher(String.valueOf(scan.group(4))).lookingAt()) {
                    broken.add(scan.group());
                }
            }
        }
        Matcher vain = VAIN.matcher(plan);
        while (vain.find()) {
            broken.add(vain.group());
        }
        return broken;
    }
}
