package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.internal.policy.PolicyCall.PolicyException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class PolicyCallTest {

    private static final AdmissionRequest REQUEST =
            new AdmissionRequest("mail", List.of(), 1, 0, 0, Instant.parse("2026-11-22T10:00:00Z"));
    private static final Duration LONG = Duration.ofSeconds(30);

    /** Its thread may not have come back for more when the answer is there already. */
    @Test
    void aPolicyThatAnswersMayBeAskedAgainAtOnceHoweverOften() {
        PolicyCall call = call(LONG, () -> Admission.of(List.of()));

        assertThatCode(() -> {
                    for (int i = 0; i < 50_000; i++) {
                        call.ask(REQUEST);
                    }
                })
                .doesNotThrowAnyException();
    }

    @Test
    void aPolicyThatHangsIsNotAskedAgainUntilItHasComeBack() {
        CountDownLatch goOn = new CountDownLatch(1);
        PolicyCall call = call(Duration.ofMillis(50), () -> {
            awaitWhateverHappens(goOn);
            return Admission.of(List.of());
        });

        assertThatThrownBy(() -> call.ask(REQUEST)).hasMessageContaining("no answer within");
        assertThatThrownBy(() -> call.ask(REQUEST)).hasMessageContaining("still hangs");
        goOn.countDown();

        await().atMost(LONG).ignoreExceptionsInstanceOf(PolicyException.class).until(() -> call.ask(REQUEST) != null);
    }

    @Test
    void aPolicyThatThrewMayBeAskedAgainAtOnce() {
        PolicyCall call = call(LONG, () -> {
            throw new IllegalStateException("no");
        });

        for (int i = 0; i < 10_000; i++) {
            assertThatThrownBy(() -> call.ask(REQUEST)).hasRootCauseMessage("no");
        }
    }

    private static void awaitWhateverHappens(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                assertThat(latch.getCount()).as("hangs on").isNotNegative();
            }
        }
    }

    private static PolicyCall call(Duration longest, Supplier<Admission> answer) {
        return new PolicyCall(
                new AdmissionPolicy() {
                    @Override
                    public String queue() {
                        return "mail";
                    }

                    @Override
                    public Admission admit(AdmissionRequest request) {
                        return answer.get();
                    }
                },
                "mail",
                longest);
    }
}
