package dev.rowlock.queue.spring;

import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spring.ListenerBeans.Candidate;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Stops the start of a child context that has listeners: listeners are looked for in the context where Rowlock is, so these would never run.
 */
public final class UnreachedListeners implements ApplicationListener<ContextRefreshedEvent> {

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // A context's events reach its ancestors' listeners as well.
        if (event.getApplicationContext() instanceof ConfigurableApplicationContext refreshed
                && !hasScanner(refreshed.getBeanFactory())) {
            requireNone(refreshed);
        }
    }

    private static boolean hasScanner(ConfigurableListableBeanFactory beans) {
        return beans.getBeanNamesForType(JobListenerScanner.class, true, false).length > 0;
    }

    private static void requireNone(ConfigurableApplicationContext context) {
        List<Candidate> candidates = new ListenerBeans(context.getBeanFactory()).declared();
        if (!candidates.isEmpty()) {
            Candidate first = candidates.get(0);
            throw new InvalidJobListenerException(
                    "nobody would run @JobListener %s of bean '%s': Rowlock is configured in a parent of its context '%s'"
                            .formatted(
                                    ListenerMethod.of(first.beanName(), first.type(), first.method())
                                            .name(),
                                    first.beanName(),
                                    context.getDisplayName()),
                    "Define the bean in the parent context, or configure Rowlock in the child only"
                            + " (rowlock.enabled=false in the parent)");
        }
    }
}
