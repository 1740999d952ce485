package dev.rowlock.queue.internal.store.gate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import org.junit.jupiter.api.Test;

@PostgresTest
class ForgetPoliciesTest {

    private final Rooms rooms;
    private final ForgetPolicies forget;

    ForgetPoliciesTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        forget = new ForgetPolicies(rooms.database());
        rooms.execute("DELETE FROM rowlock.queue_limit");
    }

    private void policy(String queue, Integer maxRunning, String asked) {
        rooms.execute("""
                INSERT INTO rowlock.queue_limit (queue, declared, max_running, policy_asked_at, policy_until)
                VALUES ('%s', true, %s, now() - interval '%s', now() - interval '%s')
                """.formatted(queue, maxRunning, asked, asked));
    }

    @Test
    void aPolicyThatNobodyAsksAnyMoreIsForgottenAndLimitsStay() {
        policy("alone", null, "2 min");
        policy("limited", 3, "2 min");
        policy("silent", null, "5 s");

        assertThat(forget.run()).containsExactlyInAnyOrder("alone", "limited");

        assertThat(forget.run()).isEmpty();
        assertThat(rooms.number("SELECT count(*) FROM rowlock.queue_limit WHERE queue = 'alone'"))
                .isZero();
        assertThat(rooms.number("SELECT max_running FROM rowlock.queue_limit WHERE policy_until IS NULL"))
                .isEqualTo(3);
        assertThat(rooms.number("SELECT count(*) FROM rowlock.queue_limit WHERE queue = 'silent' AND of_queue"))
                .isOne();
    }
}
