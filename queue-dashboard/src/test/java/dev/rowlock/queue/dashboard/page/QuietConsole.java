package dev.rowlock.queue.dashboard.page;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Fails a test during which the browser's console said anything. */
final class QuietConsole implements AfterEachCallback {

    @Override
    public void afterEach(ExtensionContext context) {
        SpringExtension.getApplicationContext(context).getBean(Fixture.class).requireQuietConsole();
    }
}
