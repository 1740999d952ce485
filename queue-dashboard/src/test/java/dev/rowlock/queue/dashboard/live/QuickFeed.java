package dev.rowlock.queue.dashboard.live;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/** The application's feed with short rounds, for tests that wait for what comes by itself. */
@TestConfiguration(proxyBeanMethods = false)
public class QuickFeed {

    private static final String FEED = "rowlockDashboardLiveFeed";

    public static final Duration ROUND = Duration.ofMillis(200);

    @Bean
    static BeanFactoryPostProcessor quickRounds() {
        return beans -> {
            BeanDefinitionRegistry definitions = (BeanDefinitionRegistry) beans;
            definitions.removeBeanDefinition(FEED);
            definitions.registerBeanDefinition(FEED, new RootBeanDefinition(LiveFeed.class, () -> quick(beans)));
        };
    }

    private static LiveFeed quick(BeanFactory beans) {
        return new LiveFeed(new Rounds(beans.getBean(Rowlock.class), new Redaction(null)), ROUND);
    }
}
