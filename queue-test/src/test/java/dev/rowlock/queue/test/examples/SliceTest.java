package dev.rowlock.queue.test.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.AutoConfigureEmbeddedPostgres;
import dev.rowlock.queue.test.RowlockTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** Without a name, a slice has all listeners of the application, and nothing else of it. */
@RowlockTest
@AutoConfigureEmbeddedPostgres
class SliceTest {

    @MockitoBean
    Mailer mailer;

    @Test
    void listenersAreFoundAndOtherComponentsLeftOut(@Autowired ApplicationContext context) {
        assertThat(context.getBeanProvider(Invoices.class).stream()).hasSize(1);
        assertThat(context.getBeanProvider(Checkout.class).stream()).isEmpty();
    }
}
