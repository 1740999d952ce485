package dev.rowlock.queue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** A node that beats and writes outcomes, but cannot claim. */
@PostgresTest(freshPerTest = true)
class FailingClaimsTest {

    public record Greet(String name) {}

    @Test
    void aNodeThatCannotClaimForHalfAMinuteSaysSoUntilItCan(TestDatabase database) {
        try (TestNode node = new TestNode(database)) {
            node.elsewhere.sql("""
                    CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '42501'; END $$
                    """).update();
            node.elsewhere.sql("""
                    CREATE TRIGGER refuse BEFORE INSERT ON rowlock.running
                    FOR EACH STATEMENT EXECUTE FUNCTION rowlock.refuse()
                    """).update();
            node.listener(Greet.class, (context, payload) -> null);
            node.start();
            node.jobs.enqueue(new Greet("Ada"));
            assertThat(node.status().broken()).isEmpty();

            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(node.status().broken()).containsExactly("rowlock-fetcher-default"));
            assertThat(node.status().beats()).isTrue();

            node.elsewhere.sql("DROP TRIGGER refuse ON rowlock.running").update();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(node.status().broken()).isEmpty());
        }
    }
}
