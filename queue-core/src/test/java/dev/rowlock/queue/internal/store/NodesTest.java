package dev.rowlock.queue.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.rowlock.queue.internal.store.BeatNode.Answer;
import dev.rowlock.queue.internal.store.BeatNode.Place;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Registering, beating, and declaring dead. Times are moved in the rows rather than waited for. */
@PostgresTest
@Representative
class NodesTest {

    private static final Duration GAP = Duration.ofMinutes(5);

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

        assertThat(rooms.truth("""
                        SELECT name = 'north' AND lease_millis = 600000
                               AND expires_at BETWEEN clock_timestamp() + interval '9 minutes'
                                                  AND clock_timestamp() + interval '10 minutes'
                          FROM rowlock.node WHERE id =
                        """ + node)).isTrue();
    }

    @Test
    void nodeIdsAreNeverUsedAgain() {
        long first = rooms.node();
        rooms.declareDead(first);

        long second = rooms.node();

        assertThat(second).isGreaterThan(first);
    }

    @Test
    void aBeatRenewsTheLease() {
        long node = rooms.node();
        past(node, "expires_at", Duration.ofMinutes(9));

        Answer answer = beat(node);

        assertThat(answer.alive()).isTrue();
        assertThat(expired(node)).isFalse();
    }

    @Test
    void aNodeWhoseLeaseRanOutMayBeatAsLongAsNobodyRemovedIt() {
        long node = rooms.node();
        expire(node);

        Answer answer = beat(node);

        assertThat(answer.alive()).isTrue();
        assertThat(expired(node)).isFalse();
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
    void aBeatAfterAGapStartsTheSteadyTimeAnew() {
        long steady = rooms.node();
        long silent = rooms.node();
        past(steady, "steady_since", Duration.ofHours(1));
        past(silent, "steady_since", Duration.ofHours(1));
        past(silent, "heartbeat_at", GAP.plusSeconds(1));

        beat(steady);
        beat(silent);

        assertThat(steadySeconds(steady)).isGreaterThan(3_500);
        assertThat(steadySeconds(silent)).isLessThan(60);
    }

    @Test
    void theAnswerNamesPausedQueues() {
        PauseQueue queues = new PauseQueue(rooms.database());
        queues.pause("mail");
        queues.pause("print");
        queues.resume("print");

        Answer answer = beat(rooms.node());

        assertThat(answer.paused()).containsExactly("mail");
    }

    @Test
    void theAnswerNamesTheNodesOwnJobsThatAreToBeCancelled() {
        ClaimedJob mine = rooms.running();
        long me = node(mine);
        ClaimedJob others = rooms.running();
        RequestCancel requestCancel = new RequestCancel(rooms.database());
        requestCancel.run(mine.id());
        requestCancel.run(others.id());

        Answer answer = beat(me);

        assertThat(answer.cancelled()).containsExactly(mine.claim());
    }

    @Test
    void theAnswerSaysWhenTheNextOtherLeaseRunsOut() {
        long me = rooms.node();
        assertThat(beat(me).nextExpiry()).isNull();

        long other = rooms.node();
        past(other, "expires_at", Duration.ofMinutes(4));

        assertThat(beat(me).nextExpiry()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(6));
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
        RegisterNode register = new RegisterNode(rooms.database().schema());
        return rooms.database()
                .atomically(connection -> register.run(connection, "node", List.of(queues), Duration.ofMinutes(10)));
    }

    // Declaring dead

    @Test
    void aSteadyNodeDeclaresAnExpiredOneDead() {
        long judge = steadyJudge();
        long expired = rooms.node("south");
        long alive = rooms.node("west");
        expire(expired);

        List<String> removed = removeExpired.run(judge, GAP);

        assertThat(removed).containsExactly("south");
        assertThat(nodes()).containsExactly(judge, alive);
    }

    @Test
    void aNodeThatHasJustStartedMayNotJudge() {
        long judge = rooms.node();
        long expired = rooms.node();
        expire(expired);

        List<String> removed = removeExpired.run(judge, GAP);

        assertThat(removed).isEmpty();
    }

    @Test
    void aNodeThatWasSilentMayNotJudge() {
        long judge = steadyJudge();
        past(judge, "heartbeat_at", GAP.plusSeconds(1));
        long expired = rooms.node();
        expire(expired);

        List<String> removed = removeExpired.run(judge, GAP);

        assertThat(removed).isEmpty();
    }

    @Test
    void afterAnOutageInWhichNobodyBeatNobodyMayJudgeForAWholeLease() {
        long judge = steadyJudge();
        long other = rooms.node();
        Duration outage = Duration.ofHours(1);
        for (long node : List.of(judge, other)) {
            past(node, "heartbeat_at", outage);
            past(node, "expires_at", outage);
            past(node, "steady_since", outage);
        }

        beat(judge);
        List<String> atOnce = removeExpired.run(judge, GAP);
        past(judge, "steady_since", Rooms.LEASE.minusMinutes(2));
        List<String> withinTheLease = removeExpired.run(judge, GAP);
        past(judge, "steady_since", Duration.ofMinutes(3));
        List<String> afterTheLease = removeExpired.run(judge, GAP);

        assertThat(atOnce).isEmpty();
        assertThat(withinTheLease).isEmpty();
        assertThat(afterTheLease).hasSize(1);
        assertThat(nodes()).containsExactly(judge);
    }

    @Test
    void aJudgeWaitsAsLongAsTheOthersLeaseNotItsOwn() {
        long judge = steadyJudge();
        long patient = rooms.node();
        expire(patient);
        rooms.execute("UPDATE rowlock.node SET lease_millis = 7200000 WHERE id = " + patient);

        List<String> removed = removeExpired.run(judge, GAP);

        assertThat(removed).isEmpty();
    }

    @Test
    void aNodeThatWasRemovedMayNotJudge() {
        long judge = steadyJudge();
        long expired = rooms.node();
        expire(expired);
        rooms.declareDead(judge);

        List<String> removed = removeExpired.run(judge, GAP);

        assertThat(removed).isEmpty();
    }

    @Test
    void aNodeDoesNotDeclareItselfDead() {
        long judge = steadyJudge();
        expire(judge);

        List<String> removed = removeExpired.run(judge, GAP);

        assertThat(removed).isEmpty();
    }

    @Test
    void aBeatThatIsBeingWrittenSavesTheNode() throws Exception {
        long judge = steadyJudge();
        long late = rooms.node();
        expire(late);

        List<String> removed;
        try (OpenTransaction beating = new OpenTransaction(rooms.database())) {
            beating.database().alone(connection -> beatOf(late).on(connection));
            removed = removeExpired.run(judge, GAP);
            beating.commit();
        }

        assertThat(removed).isEmpty();
        assertThat(removeExpired.run(judge, GAP)).isEmpty();
    }

    @Test
    void aBeatThatComesWhileTheNodeIsBeingRemovedIsTooLate() throws Exception {
        long judge = steadyJudge();
        long late = rooms.node();
        expire(late);

        CompletableFuture<Answer> answer;
        try (OpenTransaction judging = new OpenTransaction(rooms.database())) {
            new RemoveExpiredNodes(judging.database()).run(judge, GAP);
            answer = CompletableFuture.supplyAsync(() -> beat(late));
            rooms.awaitBlocked();
            judging.commit();
        }

        assertThat(answer.get().alive()).isFalse();
    }

    @Test
    void ofTwoJudgesAtOnceOneDeclaresTheNodeDead() throws Exception {
        long judge = steadyJudge();
        long second = steadyJudge();
        expire(rooms.node("south"));

        List<String> ours;
        List<String> theirs;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new RemoveExpiredNodes(other.database()).run(judge, GAP);
            ours = removeExpired.run(second, GAP);
            other.commit();
        }

        assertThat(theirs).containsExactly("south");
        assertThat(ours).isEmpty();
    }

    @Test
    void aNodeThatStopsInGoodOrderIsRemoved() {
        long node = rooms.node();

        rooms.database().atomically(connection -> {
            new RemoveNode(rooms.database().schema()).run(connection, node);
            return node;
        });

        assertThat(nodes()).isEmpty();
    }

    private Answer beat(long node) {
        return rooms.database().alone(beatOf(node));
    }

    private Database.Call<Answer> beatOf(long node) {
        return connection -> new BeatNode(rooms.database().schema()).run(connection, node, GAP);
    }

    private long steadyJudge() {
        long judge = rooms.node("judge");
        past(judge, "steady_since", Duration.ofHours(1));
        return judge;
    }

    private void expire(long node) {
        past(node, "heartbeat_at", Rooms.LEASE.plusSeconds(1));
        past(node, "expires_at", Rooms.LEASE.plusSeconds(1));
    }

    /** Moves a time of the node's row back. */
    private void past(long node, String column, Duration by) {
        rooms.execute("UPDATE rowlock.node SET %1$s = %1$s - interval '%2$d seconds' WHERE id = %3$d"
                .formatted(column, by.toSeconds(), node));
    }

    private boolean expired(long node) {
        return rooms.truth("SELECT expires_at < clock_timestamp() FROM rowlock.node WHERE id = " + node);
    }

    private long steadySeconds(long node) {
        return rooms.number(
                "SELECT date_part('epoch', clock_timestamp() - steady_since)::bigint FROM rowlock.node WHERE id = "
                        + node);
    }

    private List<Long> nodes() {
        return rooms.sql("SELECT id FROM rowlock.node ORDER BY id")
                .query(Long.class)
                .list();
    }

    private long node(ClaimedJob job) {
        return rooms.number("SELECT node_id FROM rowlock.running WHERE id = " + job.id());
    }
}
