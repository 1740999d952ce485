package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.chore.ChoreLoop;
import dev.rowlock.queue.internal.node.LogLines;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** What the log, or the error at the start, says of policies that do not decide. */
class PolicyLogTest extends WrittenPolicies {

    PolicyLogTest(TestDatabase database) {
        super(database);
    }

    @Test
    void aPolicyThatThrowsIsNamedWithTheTraceOfItsExceptionOnly() {
        ILoggingEvent line = warned(request -> {
            throw new IllegalStateException("no idea");
        });

        assertThat(line.getFormattedMessage())
                .isEqualTo(
                        "queue 'default': its policy failed; it is asked again each 1s, and if there is no good answer within 1s, jobs run in their normal order");
        assertThat(Objects.requireNonNull(line.getThrowableProxy()).getClassName())
                .isEqualTo("java.lang.IllegalStateException");
        assertThat(line.getThrowableProxy().getCause()).isNull();
    }

    @Test
    void aPolicyThatHangsIsNamedWithoutATrace() {
        ILoggingEvent line = warned(request -> {
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Admission.of(List.of());
        });

        assertThat(line.getFormattedMessage()).startsWith("queue 'default': its policy gave no answer within 200ms; ");
        assertThat(line.getThrowableProxy()).isNull();
    }

    @Test
    void aPolicyOfAQueueInOrderIsNamedWithoutATrace() {
        Rowlock only = node(WrittenPolicies::all, QUICK);
        only.limits().set(QueueLimit.of("default").inOrder(AfterFailure.HOLD));

        ILoggingEvent line = warned(only);

        assertThat(line.getFormattedMessage())
                .isEqualTo(
                        "queue 'default': its policy has no effect, because the jobs of each key run in order; remove in-order or the policy");
        assertThat(line.getThrowableProxy()).isNull();
    }

    @Test
    void anApplicationThatDeclaresAPolicyAndOrderDoesNotStart() {
        Rowlock only = rowlocks.built(builder()
                .policy(policy(WrittenPolicies::all))
                .limit(QueueLimit.of("default").inOrder(AfterFailure.HOLD)));

        assertThatThrownBy(only::start)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("queue 'default' has a policy and in-order; ")
                .hasMessageContaining(
                        "remove in-order (rowlock.queues.default.in-order, or inOrder of @Limited), or the policy");
    }

    private ILoggingEvent warned(Function<AdmissionRequest, Admission> decide) {
        Rowlock only = node(decide, QUICK);
        enqueue(only, 1);
        return warned(only);
    }

    private static ILoggingEvent warned(Rowlock only) {
        try (LogLines log = new LogLines(ChoreLoop.class.getName())) {
            only.start();
            await().until(() -> !warnings(log).isEmpty());
            return warnings(log).get(0);
        }
    }

    private static List<ILoggingEvent> warnings(LogLines log) {
        return log.events().stream()
                .filter(event -> event.getLevel() == Level.WARN
                        && event.getFormattedMessage().contains("policy"))
                .toList();
    }
}
