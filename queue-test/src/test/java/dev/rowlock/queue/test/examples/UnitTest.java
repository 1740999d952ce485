package dev.rowlock.queue.test.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.StopReason;
import dev.rowlock.queue.test.FakeJob;
import dev.rowlock.queue.test.FakeJobContext;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class UnitTest {

    private final Invoices invoices = new Invoices(new Mailer());

    @Test
    void itPublishesItsProgress() {
        FakeJobContext context = FakeJob.of(SendInvoice.class).attempt(2).context();

        invoices.send(new SendInvoice(7), context);

        assertThat(context.progress()).hasValue(100);
    }

    @Test
    void itStopsWhenTheNodeDoes() {
        FakeJobContext context =
                FakeJob.of(SendInvoice.class).stop(StopReason.SHUTDOWN).context();

        assertThatThrownBy(() -> invoices.send(new SendInvoice(7), context)).hasMessage("the node stops");
    }

    @Test
    void theThirdFailureIsFinal() {
        RetryPolicy policy = RetryPolicy.fixed(Duration.ofMinutes(1)).maxRetries(2);

        assertThat(policy.next(FakeJob.of(SendInvoice.class).attempt(2).failed(new IOException("away"))))
                .isPresent();
        assertThat(policy.next(FakeJob.of(SendInvoice.class).attempt(3).failed(new IOException("away"))))
                .isEmpty();
    }
}
