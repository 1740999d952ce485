package dev.rowlock.queue.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.lease.BeatNode.Answer;
import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Registering, beating, and declaring dead. */
@PostgresTest(migrated = true)
@Representative
class NodesTest {

    private final Rooms rooms;
    private final RemoveExpiredNodes removeExpired;

    NodesTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        removeExpired = new RemoveExpiredNodes(rooms.database());
    }

    // Registering and beating

    @Test
    void aNewNodeHoldsALease() {
        long node = rooms.node("north");

        assertThat(rooms.truth("SELECT name = 'north' AND lease_millis = 600000 FROM rowlock.node WHERE id = " + node))
                .isTrue();
    }

    @Test
    void nodeIdsAreNeverUsedAgain() {
        long first = rooms.node();
        rooms.declareDead(first);

        long second = rooms.node();

        assertThat(second).isGreaterThan(first);
    }

    @Test
    void othersSeeEachBeatByItsNumber() {
        long me = rooms.node();
        long other = rooms.node();
        Heartbeat before = beat(me).others().get(0);

        Answer answer = beat(other);

        assertThat(answer.alive()).isTrue();
        Heartbeat after = beat(me).others().get(0);
        assertThat(before.nodeId()).isEqualTo(other);
        assertThat(before.lease()).isEqualTo(Rooms.LEASE);
        assertThat(after.beats()).isEqualTo(before.beats() + 1);
    }

    @Test
    void theAnswerSaysHowLongAgoEachOtherNodeBeat() {
        long me = rooms.node();
        long other = rooms.node();
        rooms.execute("UPDATE rowlock.node SET heartbeat_at = heartbeat_at - interval '4 minutes' WHERE id = " + other);

        List<Heartbeat> others = beat(me).others();

        assertThat(others)
                .singleElement()
                .satisfies(heartbeat ->
                        assertThat(heartbeat.age()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5)));
    }

    @Test
    void aNodeThatWasRemovedLearnsItFromItsBeat() {
        long node = rooms.node();
        rooms.declareDead(node);

        Answer answer = beat(node);

        assertThat(answer.alive()).isFalse();
        assertThat(rooms.count("node")).isZero();
    }

    @Test
    void theAnswerTellsTheNodesPlaceAmongAllAndAmongThoseOfItsQueues() {
        nodeFor("print");
        long me = nodeFor("mail", "print");
        nodeFor("mail");
        nodeFor("fax");

        Answer answer = beat(me);

        assertThat(answer.place()).isEqualTo(new Place(4, 1));
        assertThat(answer.places()).containsOnly(entry("mail", new Place(2, 0)), entry("print", new Place(2, 1)));
    }

    private long nodeFor(String... queues) {
        NodeRow row = new NodeRow(rooms.database().schema());
        Map<String, Integer> slots = Arrays.stream(queues).collect(Collectors.toMap(queue -> queue, queue -> 10));
        return rooms.database()
                .atomically(connection ->
                        row.register(connection, "node", new NodeRow.Work(slots, null), Duration.ofMinutes(10)));
    }

    // Declaring dead

    @Test
    void aNodeThatWasSilentForItsLeaseIsDeclaredDead() {
        long judge = rooms.node();
        long silent = rooms.node("south");
        long alive = rooms.node("west");

        List<String> removed = removeExpired.run(judge, List.of(seenBy(judge, silent)));

        assertThat(removed).containsExactly("south");
        assertThat(nodes()).containsExactly(judge, alive);
    }

    @Test
    void aNodeThatHasBeatenSinceTheJudgeLookedIsAlive() {
        long judge = rooms.node();
        long late = rooms.node();
        Heartbeat seen = seenBy(judge, late);
        beat(late);

        List<String> removed = removeExpired.run(judge, List.of(seen));

        assertThat(removed).isEmpty();
    }

    @Test
    void aNodeThatWasRemovedMayNotJudge() {
        long judge = rooms.node();
        Heartbeat seen = seenBy(judge, rooms.node());
        rooms.declareDead(judge);

        List<String> removed = removeExpired.run(judge, List.of(seen));

        assertThat(removed).isEmpty();
    }

    @Test
    void aNodeDoesNotDeclareItselfDead() {
        long judge = rooms.node();
        Heartbeat own = seenBy(rooms.node(), judge);

        List<String> removed = removeExpired.run(judge, List.of(own));

        assertThat(removed).isEmpty();
    }

    @Test
    void aBeatThatIsBeingWrittenSavesTheNode() throws Exception {
        long judge = rooms.node();
        long late = rooms.node();
        List<Heartbeat> seen = List.of(seenBy(judge, late));

        List<String> removed;
        try (OpenTransaction beating = new OpenTransaction(rooms.database())) {
            beating.database().alone(beatOf(late));
            removed = removeExpired.run(judge, seen);
            beating.commit();
        }

        assertThat(removed).isEmpty();
        assertThat(removeExpired.run(judge, seen)).isEmpty();
    }

    @Test
    void aBeatThatComesWhileTheNodeIsBeingRemovedIsTooLate() throws Exception {
        long judge = rooms.node();
        long late = rooms.node();
        List<Heartbeat> seen = List.of(seenBy(judge, late));

        CompletableFuture<Answer> answer;
        try (OpenTransaction judging = new OpenTransaction(rooms.database())) {
            new RemoveExpiredNodes(judging.database()).run(judge, seen);
            answer = CompletableFuture.supplyAsync(() -> beat(late));
            rooms.awaitBlocked();
            judging.commit();
        }

        assertThat(answer.get().alive()).isFalse();
    }

    @Test
    void onlyOneOfTwoConcurrentJudgesDeclaresTheNodeDead() throws Exception {
        long judge = rooms.node();
        long second = rooms.node();
        List<Heartbeat> seen = List.of(seenBy(judge, rooms.node("south")));

        List<String> ours;
        List<String> theirs;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new RemoveExpiredNodes(other.database()).run(judge, seen);
            ours = removeExpired.run(second, seen);
            other.commit();
        }

        assertThat(theirs).containsExactly("south");
        assertThat(ours).isEmpty();
    }

    @Test
    void aNodeThatStopsInGoodOrderIsRemoved() {
        long node = rooms.node();

        rooms.database().atomically(connection -> {
            new NodeRow(rooms.database().schema()).remove(connection, node);
            return node;
        });

        assertThat(nodes()).isEmpty();
    }

    private Answer beat(long node) {
        return rooms.database().alone(beatOf(node));
    }

    private Database.Call<Answer> beatOf(long node) {
        return connection -> new BeatNode(rooms.database().schema()).run(connection, node);
    }

    private Heartbeat seenBy(long judge, long node) {
        return beat(judge).others().stream()
                .filter(heartbeat -> heartbeat.nodeId() == node)
                .findFirst()
                .orElseThrow();
    }

    private List<Long> nodes() {
        return rooms.sql("SELECT id FROM rowlock.node ORDER BY id")
                .query(Long.class)
                .list();
    }
}
