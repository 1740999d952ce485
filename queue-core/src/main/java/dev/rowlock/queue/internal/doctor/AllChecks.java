package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.spi.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The doctor with all checks: those about the server, then those about Rowlock itself. */
public final class AllChecks {

    private static final Look TABLES = Look.sql("SELECT true AS there WHERE to_regclass('rowlock.ready') IS NOT NULL");

    private AllChecks() {}

    /**
     * For a process that may run jobs.
     *
     * @param node what the node in this process says of itself
     * @param unpooled opens connections beside the pool; null: nobody can
     * @param listens whether one of these listens
     */
    public static Doctor doctor(
            Database database, Supplier<NodeStatus> node, @Nullable DataSource unpooled, boolean listens) {
        Check chores = QueueChecks.failingChore(node, Duration.ofMinutes(1));
        List<Check> checks = unpooled == null || !listens ? all(chores) : all(chores, ServerChecks.pooler(unpooled));
        return new OneAtATime(new ConnectionFirst(
                database, Duration.ofSeconds(1), through -> new Examination(through, checks), unpooled));
    }

    /** For a process that only looks. */
    public static Doctor doctor(Database database) {
        return new Examination(database, all());
    }

    private static List<Check> all(Check... more) {
        return Stream.of(ServerChecks.ALL, TableChecks.ALL, QueueChecks.ALL, List.of(more))
                .flatMap(List::stream)
                .toList();
    }

    /** Whether there are tables to examine. */
    public static boolean possible(Database database) {
        return !database.alone(connection -> TABLES.run(connection, database.schema()))
                .isEmpty();
    }
}
