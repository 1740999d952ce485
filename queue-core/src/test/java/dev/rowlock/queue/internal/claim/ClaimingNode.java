package dev.rowlock.queue.internal.claim;

import dev.rowlock.queue.RecordedWakeups;
import dev.rowlock.queue.internal.claim.Claimer.KeyedSource;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.SendWakeup;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.node.NodeParts;
import dev.rowlock.queue.internal.node.NodeServices;
import dev.rowlock.queue.internal.node.NodeSettings;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.internal.run.Extensions;
import dev.rowlock.queue.internal.run.QueueWorker;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/** A node beside another one, with a claimer for its only queue. Its threads never end a job, and nothing wakes it. */
final class ClaimingNode implements AutoCloseable {

    static final FetchSettings FETCH = new FetchSettings(Duration.ofMinutes(10), Duration.ZERO, 0);

    private final Rooms rooms;
    private final Notifier notifier;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final AtomicReference<Admissions> admissions = new AtomicReference<>(Admissions.ALL);
    private final NodeView view;
    private final QueueWorker worker;
    private final ClaimReadyJobs claim;
    private final KeyedSource keyed;
    private final Claimer claimer;

    ClaimingNode(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        notifier = new Notifier(new SendWakeup(rooms.database()));
        view = new OneOfTwo(rooms.node(), admissions);
        NodeParts parts = parts(database);
        worker = parts.queues().get(0);
        claim = parts.claim();
        keyed = parts.keyed();
        claimer = new Claimer(worker, claim, keyed, FETCH, view, null);
    }

    /** What nodes of this process hear. */
    RecordedWakeups wakeups() {
        return wakeups;
    }

    Rooms rooms() {
        return rooms;
    }

    NodeView view() {
        return view;
    }

    QueueWorker worker() {
        return worker;
    }

    ClaimReadyJobs claim() {
        return claim;
    }

    Claimer claimer() {
        return claimer;
    }

    /** One that looks for jobs with keys no longer after there was one than for this time, unless it has a reason to. */
    Claimer claimerThatKeepsKeys(Duration kept) {
        return new Claimer(worker, claim, new KeyedSource(keyed.claim(), keyed.changed(), kept), FETCH, view, null);
    }

    /** From now on the database refuses to move this job to running. */
    void refuse(long id) {
        rooms.execute("""
                CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF NEW.id = %d THEN RAISE EXCEPTION 'not this one'; END IF;
                    RETURN NEW;
                END $$
                """.formatted(id));
        rooms.execute(
                "CREATE TRIGGER refuse BEFORE INSERT ON rowlock.running FOR EACH ROW EXECUTE FUNCTION rowlock.refuse()");
    }

    /** From now on a policy keeps all that is claimed. */
    void keepClaimed() {
        admissions.set(new Admissions() {
            @Override
            public boolean hold(String queue) {
                return false;
            }

            @Override
            public List<ClaimedJob> admitted(String queue, List<ClaimedJob> claimed) {
                return List.of();
            }
        });
    }

    @Override
    public void close() {
        rooms.execute("DROP FUNCTION IF EXISTS rowlock.refuse() CASCADE");
        notifier.close();
    }

    private NodeParts parts(TestDatabase database) {
        NodeSettings settings = new NodeSettings(
                new WorkerSettings(10_000, Map.of(), FETCH, Duration.ofSeconds(1), false),
                new LeaseSettings("test", Duration.ofSeconds(30), Duration.ofSeconds(5), 3),
                RetentionSettings.DEFAULT,
                RetryPolicy.DEFAULT,
                1 << 20,
                false);
        WakeupBus bus = new WakeupBus(notifier);
        bus.subscribe(wakeups);
        NodeServices services = new NodeServices(
                rooms.database(), database.unpooled(), TestNode.codec(), Extensions.NONE, bus, null, Admissions.ALL);
        return NodeParts.assemble(
                settings,
                services,
                List.of(ListenerDefinition.of("greet", (context, payload) -> null)
                        .queue(Rooms.QUEUE)));
    }

    private record OneOfTwo(long nodeId, AtomicReference<Admissions> now) implements NodeView {

        @Override
        public Admissions admissions() {
            return now.get();
        }

        @Override
        public Place place(String queue) {
            return new Place(2, 0);
        }

        @Override
        public boolean hearing() {
            return false;
        }

        @Override
        public void claimFailed() {}
    }
}
