package dev.rowlock.queue.dashboard.page;

import dev.rowlock.queue.dashboard.PlainApplication;
import dev.rowlock.queue.dashboard.live.QuickFeed;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.SpringBootTest;

/** A test of pages as people see and use them, in the application that all such tests share. The console of the browser must say nothing all the while. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = {PlainApplication.class, Fixture.class, QuickFeed.class},
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.dashboard.enabled=true",
            "rowlock.dashboard.trace-link=https://traces.example/{traceId}",
            "rowlock.worker.node-name=node-1",
            // With it come the figures of a node.
            "rowlock.worker.heartbeat=500ms",
            "logging.level.dev.rowlock.queue.failures=off"
        })
@ExtendWith(QuietConsole.class)
@interface PageTest {}
