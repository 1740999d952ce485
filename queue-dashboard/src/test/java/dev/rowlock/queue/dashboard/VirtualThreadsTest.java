package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.dashboard.live.LiveFeed;
import dev.rowlock.queue.dashboard.live.LostViewers;
import dev.rowlock.queue.test.postgres.Representative;
import org.apache.tomcat.util.threads.VirtualThreadExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** The same where requests run on virtual threads. */
@SpringBootTest(
        classes = PlainApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.dashboard.enabled=true",
            "rowlock.worker.enabled=false",
            "spring.threads.virtual.enabled=true"
        })
@EnabledForJreRange(min = JRE.JAVA_21)
@Representative
class VirtualThreadsTest {

    private final LiveFeed feed;
    private final ServletWebServerApplicationContext context;

    VirtualThreadsTest(@Autowired LiveFeed feed, @Autowired ServletWebServerApplicationContext context) {
        this.feed = feed;
        this.context = context;
    }

    @Test
    void nothingStaysOfViewersWhoAreCutOff() throws Exception {
        assertThat(((TomcatWebServer) context.getWebServer())
                        .getTomcat()
                        .getConnector()
                        .getProtocolHandler()
                        .getExecutor())
                .isInstanceOf(VirtualThreadExecutor.class);

        try (LostViewers viewers = new LostViewers(feed, context, PlainApplication.LEVEL)) {
            viewers.comeAndGo();
        }
    }
}
