package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Told;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The database as a witness: triggers write down every insert into a room, in the transaction that makes it. */
public final class Audit {

    // Numbers are drawn while the row is locked, so for one job their order is the order of its moves.
    private static final String TABLES = """
            CREATE TABLE effect (uid bigint NOT NULL, job bigint NOT NULL, token bigint NOT NULL);
            CREATE SEQUENCE audit_seq;
            CREATE TABLE audit_move (seq bigint NOT NULL, job bigint NOT NULL, room text NOT NULL, detail text NOT NULL,
                                     token bigint NOT NULL, node bigint NOT NULL, attempt int NOT NULL, crashes int NOT NULL);
            CREATE TABLE audit_removal (seq bigint NOT NULL, node bigint NOT NULL, name text NOT NULL);
            CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.audit_removal VALUES (nextval('public.audit_seq'), OLD.id, OLD.name);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_removal AFTER DELETE ON rowlock.node FOR EACH ROW EXECUTE FUNCTION note_removal();
            """;

    private static final String TRIGGER = """
            CREATE FUNCTION note_%1$s() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.audit_move
                VALUES (nextval('public.audit_seq'), NEW.id, '%1$s', %2$s, %3$s, %4$s, NEW.attempt, NEW.crashes);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_%1$s AFTER INSERT ON rowlock.%1$s FOR EACH ROW EXECUTE FUNCTION note_%1$s();
            """;

    private static final Map<String, List<String>> ROOMS = Map.of(
            "waiting", List.of("NEW.reason", "0", "0"),
            "ready", List.of("''", "0", "0"),
            "running", List.of("''", "NEW.token", "NEW.node_id"),
            "done", List.of("NEW.state", "coalesce(NEW.token, 0)", "coalesce(NEW.node_id, 0)"),
            "dead", List.of("NEW.state", "0", "0"));

    private final JdbcClient sql;

    public Audit(DataSource dataSource) {
        this.sql = JdbcClient.create(dataSource);
    }

    /** Starts to write things down. Rowlock's tables must be there. */
    public void install() {
        execute(TABLES);
        ROOMS.forEach(
                (room, columns) -> execute(TRIGGER.formatted(room, columns.get(0), columns.get(1), columns.get(2))));
    }

    /** Reads everything and puts it together. */
    public History history(List<Told> told, List<Path> logs, List<Kill> kills) {
        ActionLogs actions = ActionLogs.read(logs);
        return new History(
                told, actions.starts(), actions.ends(), actions.said(), moves(), removals(), effects(), rows(), kills);
    }

    private void execute(String statements) {
        sql.sql(statements).update();
    }

    private List<Move> moves() {
        return sql.sql("SELECT * FROM audit_move ORDER BY seq")
                .query((row, n) -> new Move(
                        row.getLong("seq"),
                        row.getLong("job"),
                        row.getString("room"),
                        row.getString("detail"),
                        row.getLong("token"),
                        row.getLong("node"),
                        row.getInt("attempt"),
                        row.getInt("crashes")))
                .list();
    }

    private List<Removal> removals() {
        return sql.sql("SELECT * FROM audit_removal ORDER BY seq")
                .query((row, n) -> new Removal(row.getLong("seq"), row.getLong("node"), row.getString("name")))
                .list();
    }

    private List<Effect> effects() {
        return sql.sql("SELECT * FROM effect")
                .query((row, n) -> new Effect(row.getLong("uid"), row.getLong("job"), row.getLong("token")))
                .list();
    }

    private List<Row> rows() {
        return sql.sql("""
                        SELECT id, (payload ->> 'uid')::bigint AS uid, state, attempt, crashes,
                               coalesce(jsonb_array_length(errors), 0) AS errors, token
                          FROM rowlock.job
                        """)
                .query((row, n) -> new Row(
                        row.getLong("id"),
                        row.getLong("uid"),
                        row.getString("state"),
                        row.getInt("attempt"),
                        row.getInt("crashes"),
                        row.getInt("errors"),
                        row.getObject("token", Long.class)))
                .list();
    }
}
