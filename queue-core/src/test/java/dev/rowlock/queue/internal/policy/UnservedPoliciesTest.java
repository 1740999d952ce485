package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.rowlock.queue.internal.db.ClusterStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.internal.policy.PoliciesChore.UnservedPolicies;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which policies are warned of at the start. */
@PostgresTest(migrated = true)
class UnservedPoliciesTest {

    private final Rooms rooms;

    UnservedPoliciesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
    }

    @Test
    void aPolicyOfAQueueThatThisNodeOrAnotherServesIsNotWarnedOf() {
        rooms.node();

        assertThat(warnings("mail", "prints")).isEmpty();
    }

    @Test
    void nodesThatAreSilentServeNothing() {
        rooms.node();
        rooms.execute("UPDATE rowlock.node SET heartbeat_at = now() - interval '1 hour'");

        assertThat(warnings("mail")).singleElement().asString().contains("queue 'mail' has a policy");
    }

    @Test
    void itIsSaidOnce() {
        UnservedPolicies policies =
                new UnservedPolicies(new ClusterStatements(rooms.database()), List.of("mial"), Set.of("prints"));
        policies.warnOnce();

        try (LogLines log = new LogLines(PoliciesChore.class.getName())) {
            policies.warnOnce();

            assertThat(log.events()).isEmpty();
        }
    }

    private List<String> warnings(String... queues) {
        try (LogLines log = new LogLines(PoliciesChore.class.getName())) {
            new UnservedPolicies(new ClusterStatements(rooms.database()), List.of(queues), Set.of("prints")).warnOnce();
            return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }
}
