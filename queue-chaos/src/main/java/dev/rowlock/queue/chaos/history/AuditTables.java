package dev.rowlock.queue.chaos.history;

import java.util.List;
import java.util.Map;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Triggers that write down every insert into a room, in the transaction that makes it, and when by no clock that steps. */
final class AuditTables {

    /** How long the machine has been up: the same clock as {@code System.nanoTime()}, whatever the server's says. */
    private static final String UPTIME =
            "(split_part(pg_read_file('/proc/uptime'), ' ', 1)::numeric * 1000000000)::bigint";

    private static final String NANOS = """
            CREATE FUNCTION audit_nanos() RETURNS bigint LANGUAGE sql VOLATILE SECURITY DEFINER AS $$ SELECT %s $$
            """;

    // Numbers are drawn while the row is locked, so for one job their order is the order of its moves.
    private static final String TABLES = """
            CREATE TABLE effect (uid bigint NOT NULL, job bigint NOT NULL, token bigint NOT NULL);
            CREATE TABLE step (seq bigserial, job bigint NOT NULL, number int NOT NULL, token bigint NOT NULL);
            CREATE SEQUENCE audit_seq;
            CREATE TABLE audit_move (seq bigint NOT NULL, nanos bigint NOT NULL, job bigint NOT NULL, queue text NOT NULL,
                                     room text NOT NULL, detail text NOT NULL, token bigint NOT NULL, node bigint NOT NULL,
                                     attempt int NOT NULL, crashes int NOT NULL);
            CREATE TABLE audit_removal (seq bigint NOT NULL, nanos bigint NOT NULL, node bigint NOT NULL, name text NOT NULL);
            CREATE FUNCTION note_removal() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.audit_removal
                VALUES (nextval('public.audit_seq'), public.audit_nanos(), OLD.id, OLD.name);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_removal AFTER DELETE ON rowlock.node FOR EACH ROW EXECUTE FUNCTION note_removal();
            CREATE TABLE audit_rule (seq bigint NOT NULL, nanos bigint NOT NULL, queue text NOT NULL, max_running int, max_running_per_key int);
            CREATE FUNCTION note_rule() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.audit_rule
                VALUES (nextval('public.audit_seq'), public.audit_nanos(), NEW.queue, NEW.max_running, NEW.max_running_per_key);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_rule AFTER INSERT OR UPDATE ON rowlock.queue_limit FOR EACH ROW EXECUTE FUNCTION note_rule();
            -- Whose a large payload was, which goes away before its job's row does.
            CREATE TABLE audit_uid (job bigint NOT NULL, uid bigint NOT NULL);
            CREATE FUNCTION note_uid() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.audit_uid VALUES (NEW.job_id, (NEW.payload ->> 'uid')::bigint);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_uid AFTER INSERT ON rowlock.payload FOR EACH ROW EXECUTE FUNCTION note_uid();
            """;

    private static final String TRIGGER = """
            CREATE FUNCTION note_%1$s() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO public.audit_move
                VALUES (nextval('public.audit_seq'), public.audit_nanos(), NEW.id, NEW.queue, '%1$s', %2$s, %3$s, %4$s,
                        NEW.attempt, NEW.crashes);
                RETURN NULL;
            END $$;
            CREATE TRIGGER note_%1$s AFTER INSERT ON rowlock.%1$s FOR EACH ROW EXECUTE FUNCTION note_%1$s();
            """;

    private static final Map<String, List<String>> ROOMS = Map.of(
            "waiting", List.of("NEW.reason", "0", "0"),
            "ready", List.of("pg_current_xact_id()::text", "0", "0"),
            "running", List.of("pg_current_xact_id()::text", "NEW.token", "NEW.node_id"),
            "done", List.of("NEW.state", "coalesce(NEW.token, 0)", "coalesce(NEW.node_id, 0)"),
            "dead", List.of("NEW.state", "0", "0"));

    private final JdbcClient sql;

    AuditTables(JdbcClient sql) {
        this.sql = sql;
    }

    void install() {
        execute(NANOS.formatted(tellsUptime() ? UPTIME : "0::bigint"));
        execute(TABLES);
        ROOMS.forEach(
                (room, columns) -> execute(TRIGGER.formatted(room, columns.get(0), columns.get(1), columns.get(2))));
    }

    private boolean tellsUptime() {
        return sql.sql("SELECT (pg_stat_file('/proc/uptime', true)).modification IS NOT NULL")
                .query(Boolean.class)
                .single();
    }

    private void execute(String statements) {
        sql.sql(statements).update();
    }
}
