package dev.rowlock.queue.internal.doctor.queue;

import dev.rowlock.queue.doctor.Doctor;
import dev.rowlock.queue.internal.doctor.Check;
import dev.rowlock.queue.internal.doctor.Checks;
import dev.rowlock.queue.internal.doctor.ConnectionFirst;
import dev.rowlock.queue.internal.doctor.Examination;
import dev.rowlock.queue.internal.doctor.OneAtATime;
import dev.rowlock.queue.internal.doctor.TransactionPooler;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.doctor.queue.Tables;
import dev.rowlock.queue.schema.SchemaObjects;
import dev.rowlock.queue.spi.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The doctor with all checks: those about the database, then those about Rowlock itself. */
public final class AllChecks {

    private static final Duration HOUR = Duration.ofHours(1);

    private static final List<Check> OF_QUEUE = List.of(
            new SchemaVersion(),
            new AlteredTables(SchemaObjects.all()),
            new SequenceBehind(),
            new UnservedQueue(Duration.ofMinutes(1)),
            new UnlistenedType(Duration.ofMinutes(1)),
            new StuckJobs(Duration.ofMinutes(1)),
            new MissingPartition(),
            new StuckRetention(Duration.ofDays(1)),
            new ManyPartitions(200),
            new StaleChore(20, HOUR),
            new FlappingLease(2, HOUR),
            new MassDeath(100, HOUR),
            new NodeKiller(2, Duration.ofDays(1)),
            new HeldKey(Duration.ofMinutes(10)),
            new SilentPolicy(),
            new UnservedRule(Duration.ofMinutes(1)),
            new StalledWorkflow(Duration.ofMinutes(10), Duration.ofDays(1)));

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
        Check chores = new FailingChore(node, Duration.ofMinutes(1));
        List<Check> checks = unpooled == null || !listens ? all(chores) : all(chores, new TransactionPooler(unpooled));
        return new OneAtATime(new ConnectionFirst(
                database, Duration.ofSeconds(1), through -> new Examination(through, checks), unpooled));
    }

    /** For a process that only looks. */
    public static Doctor doctor(Database database) {
        return new Examination(database, all());
    }

    private static List<Check> all(Check... more) {
        return Stream.of(Checks.ALL, OF_QUEUE, List.of(more))
                .flatMap(List::stream)
                .toList();
    }

    /** Whether there are tables to examine. */
    public static boolean possible(Database database) {
        return !database.alone(connection -> new Tables().run(connection, database.schema()))
                .isEmpty();
    }
}
