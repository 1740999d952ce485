package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.Held;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Rule;
import dev.rowlock.queue.chaos.history.History.Run;
import dev.rowlock.queue.chaos.history.History.Signs;
import dev.rowlock.queue.chaos.history.History.Steering;
import dev.rowlock.queue.chaos.history.History.Step;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.load.Awaits.Wait;
import dev.rowlock.queue.chaos.load.Drafts.Word;
import dev.rowlock.queue.chaos.load.Operators.Paused;
import dev.rowlock.queue.chaos.load.Questions.Asked;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import dev.rowlock.queue.chaos.load.Told;
import java.nio.file.Path;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The database as a witness: what {@link AuditTables} wrote down, and where the jobs are at the end. */
public final class Audit {

    private final JdbcClient sql;

    public Audit(DataSource dataSource) {
        this.sql = JdbcClient.create(dataSource);
    }

    /** Starts to write things down. Rowlock's tables must be there. */
    public void install() {
        new AuditTables(sql).install();
    }

    /** Reads everything and puts it together, where nobody wrote down what was done to whom. */
    public History history(List<Told> told, List<Path> logs, List<Kill> kills) {
        return history(
                told, List.of(), List.of(), List.of(), List.of(), List.of(), logs, kills, List.of(), List.of(),
                List.of());
    }

    /**
     * Reads everything and puts it together.
     *
     * @param lives the recurring jobs that were made
     * @param pauses of the type that operators pause
     * @param words the last answered requests that change jobs by their keys
     * @param waits what those heard who waited for jobs
     * @param asked what those were told who asked why jobs wait
     * @param held when somebody held back vacuum
     * @param pulses when the database answered
     */
    public History history(
            List<Told> told,
            List<Life> lives,
            List<Paused> pauses,
            List<Word> words,
            List<Wait> waits,
            List<Asked> asked,
            List<Path> logs,
            List<Kill> kills,
            List<Strike> strikes,
            List<Held> held,
            List<Pulse> pulses) {
        ActionLogs actions = ActionLogs.read(logs);
        List<Pulse> all =
                Stream.concat(actions.pulses().stream(), pulses.stream()).toList();
        long offset = nanosSinceServersZero();
        return new History(
                told,
                actions.starts(),
                actions.ends(),
                actions.said(),
                moves(offset),
                removals(offset),
                effects(),
                steps(),
                rows(),
                kills,
                strikes,
                held,
                runs(),
                lives,
                words,
                waits,
                asked,
                rules(offset),
                steering(pauses),
                new Signs(all, actions.serves(), actions.gone(), actions.traces()));
    }

    private Steering steering(List<Paused> pauses) {
        return sql.sql("""
                        SELECT (SELECT coalesce(sum(done), 0) FROM rowlock.bulk_action),
                               (SELECT coalesce(sum(jobs), 0) FROM rowlock.audit WHERE bulk_action_id IS NOT NULL),
                               (SELECT count(*) FROM rowlock.bulk_action WHERE state = 'running')
                        """)
                .query((row, n) -> new Steering(pauses, row.getLong(1), row.getLong(2), row.getLong(3)))
                .single();
    }

    /** What to add to the audit's times, which count from when the machine started, to have this process's. */
    private long nanosSinceServersZero() {
        long theirs = sql.sql("SELECT audit_nanos()").query(Long.class).single();
        return System.nanoTime() - theirs;
    }

    private List<Move> moves(long offset) {
        return sql.sql("SELECT * FROM audit_move ORDER BY seq")
                .query((row, n) -> new Move(
                        row.getLong("seq"),
                        nanos(row, offset),
                        row.getLong("job"),
                        row.getString("queue"),
                        row.getString("room"),
                        row.getString("detail"),
                        row.getLong("token"),
                        row.getLong("node"),
                        row.getInt("attempt"),
                        row.getInt("crashes")))
                .list();
    }

    private List<Removal> removals(long offset) {
        return sql.sql("SELECT * FROM audit_removal ORDER BY seq")
                .query((row, n) ->
                        new Removal(row.getLong("seq"), nanos(row, offset), row.getLong("node"), row.getString("name")))
                .list();
    }

    private List<Rule> rules(long offset) {
        return sql.sql("SELECT * FROM audit_rule ORDER BY seq")
                .query((row, n) -> new Rule(
                        row.getLong("seq"),
                        nanos(row, offset),
                        row.getString("queue"),
                        row.getObject("max_running", Integer.class),
                        row.getObject("max_running_per_key", Integer.class)))
                .list();
    }

    private static long nanos(ResultSet row, long offset) throws SQLException {
        long theirs = row.getLong("nanos");
        return theirs == 0 ? 0 : theirs + offset;
    }

    private List<Effect> effects() {
        return sql.sql("SELECT * FROM effect")
                .query((row, n) -> new Effect(row.getLong("uid"), row.getLong("job"), row.getLong("token")))
                .list();
    }

    private List<Step> steps() {
        return sql.sql("SELECT * FROM step ORDER BY seq")
                .query((row, n) -> new Step(row.getLong("job"), row.getInt("number"), row.getLong("token")))
                .list();
    }

    private List<Row> rows() {
        return sql.sql("""
                        SELECT id, coalesce((payload ->> 'uid')::bigint, u.uid) AS uid, state, attempt, crashes, token,
                               coalesce(jsonb_array_length(errors), 0) AS errors,
                               ARRAY(SELECT e ->> 'type' FROM jsonb_array_elements(coalesce(errors, '[]')) e) AS blames
                          FROM (%s) job
                          LEFT JOIN audit_uid u ON u.job = job.id
                         WHERE type NOT IN ('tick', 'draft')
                        """.formatted(all("id, type, payload, state, attempt, crashes, errors, token")))
                .query((row, n) -> row(row))
                .list();
    }

    private List<Run> runs() {
        return sql.sql(
                        "SELECT id, headers ->> 'recurring-job', headers ->> 'scheduled-at' FROM (%s) job WHERE type = 'tick'"
                                .formatted(all("id, type, headers")))
                .query((row, n) -> new Run(row.getString(2), Instant.parse(row.getString(3)), row.getLong(1)))
                .list();
    }

    /** All jobs, also those in partitions of done that a fault took away: they were kept aside. */
    private String all(String columns) {
        String kept = sql
                .sql("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'kept\\_%'")
                .query(String.class)
                .list()
                .stream()
                .map(table -> " UNION ALL SELECT %s FROM public.%s".formatted(columns, table))
                .collect(Collectors.joining());
        return "SELECT %s FROM rowlock.job_details%s".formatted(columns, kept);
    }

    private static Row row(ResultSet row) throws SQLException {
        Array blames = row.getArray("blames");
        return new Row(
                row.getLong("id"),
                row.getLong("uid"),
                row.getString("state"),
                row.getInt("attempt"),
                row.getInt("crashes"),
                row.getInt("errors"),
                row.getObject("token", Long.class),
                List.of((String[]) blames.getArray()));
    }
}
