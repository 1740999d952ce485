package dev.rowlock.queue.autoconfigure.property;

import dev.rowlock.queue.spring.JobListenerScanner;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.env.OriginTrackedMapPropertySource;
import org.springframework.boot.origin.OriginTrackedValue;
import org.springframework.boot.origin.SystemEnvironmentOrigin;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Environment variables about queues, whose names know neither dashes nor case: {@code ROWLOCK_QUEUES_MAIL_BULK_CONCURRENCY} is for the queue {@code
 * mail-bulk}. Boot would take it for one of a queue {@code mail}. They are matched with the queues of the listeners by letters and digits. What is no
 * setting at all, as Kubernetes makes it for a service {@code rowlock-queues}, is left out. Not in a native image, which does not
 * know the components of records.
 */
public final class QueueVariables implements BeanFactoryPostProcessor, ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName QUEUES = ConfigurationPropertyName.of("rowlock.queues");

    private static final String PREFIX = "ROWLOCK_QUEUES_";

    private final ConfigurableEnvironment environment;
    private final Class<?> ofQueue;
    private volatile Set<String> leftOut = Set.of();

    /** @param ofQueue a record that has the properties of a queue */
    public QueueVariables(ConfigurableEnvironment environment, Class<?> ofQueue) {
        this.environment = environment;
        this.ofQueue = ofQueue;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        Map<String, PropertySource<?>> variables = variables(environment);
        if (variables.isEmpty() || NativeDetector.inNativeImage()) {
            return;
        }
        String byDefault = Binder.get(environment)
                .bind("rowlock.default-queue", String.class)
                .orElse("default");
        Set<String> queues = JobListenerScanner.declaredQueues(beans, byDefault, environment::resolvePlaceholders);
        List<String> properties = PropertyTree.of(ofQueue).properties().toList();
        Map<String, Object> meant = new HashMap<>();
        Set<String> settled = new HashSet<>();
        Set<String> open = new HashSet<>();
        variables.forEach((variable, source) -> {
            String rest = rest(variable);
            Object value = OriginTrackedValue.of(source.getProperty(variable), new SystemEnvironmentOrigin(variable));
            List<String> names = queues.stream()
                    .flatMap(queue -> properties.stream()
                            .filter(property -> rest.equals(plain(queue) + plain(property)))
                            .map(property -> "%s.%s".formatted(name(queue), property)))
                    .toList();
            names.forEach(name -> meant.put(name, value));
            boolean setting = properties.stream().anyMatch(property -> rest.endsWith(plain(property)));
            (names.isEmpty() && setting ? open : settled).add(key(variable));
        });
        settled.removeAll(open);
        settled.removeAll(queues);
        leftOut = Set.copyOf(settled);
        String first = variables.values().iterator().next().getName();
        environment
                .getPropertySources()
                .addBefore(first, new OriginTrackedMapPropertySource("rowlockQueueVariables", meant));
    }

    /** Those of which no queue is left that they could mean. */
    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public <T> @Nullable Bindable<T> onStart(
                    ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
                return QUEUES.isParentOf(name) && leftOut.contains(name.getLastElement(Form.ORIGINAL))
                        ? null
                        : super.onStart(name, target, context);
            }
        };
    }

    /** Variables that would set something of a queue, if there were one that they could mean. */
    public Set<String> unmatched(Set<String> queues) {
        List<String> properties = PropertyTree.of(ofQueue).properties().toList();
        Set<String> unmatched = new TreeSet<>();
        for (String variable : variables(environment).keySet()) {
            String rest = rest(variable);
            Stream<String> settings =
                    properties.stream().map(QueueVariables::plain).filter(rest::endsWith);
            List<String> meant = settings.map(setting -> rest.substring(0, rest.length() - setting.length()))
                    .toList();
            if (!meant.isEmpty() && queues.stream().map(QueueVariables::plain).noneMatch(meant::contains)) {
                unmatched.add(variable);
            }
        }
        return unmatched;
    }

    /** Whether nothing but environment variables says anything of this queue. */
    public boolean onlyVariables(String queue) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(name(queue));
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(environment.getPropertySources())) {
            if (!(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource)
                    && source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, PropertySource<?>> variables(ConfigurableEnvironment environment) {
        Map<String, PropertySource<?>> variables = new HashMap<>();
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof SystemEnvironmentPropertySource all) {
                Stream.of(all.getPropertyNames())
                        .filter(name -> name.toUpperCase(Locale.ROOT).startsWith(PREFIX))
                        .forEach(name -> variables.putIfAbsent(name, source));
            }
        }
        return variables;
    }

    /** As files write it, for the two must be one: in brackets only where it must be. */
    private static String name(String queue) {
        String plain = QUEUES + "." + queue;
        return queue.indexOf('.') < 0 && ConfigurationPropertyName.isValid(plain)
                ? plain
                : "%s[%s]".formatted(QUEUES, queue);
    }

    /** As Boot reads it: what stands before the next underscore is the name of a queue. */
    private static String key(String variable) {
        String rest = variable.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
        int end = rest.indexOf('_');
        return end < 0 ? rest : rest.substring(0, end);
    }

    private static String rest(String variable) {
        return plain(variable.substring(PREFIX.length()));
    }

    /** Letters and digits. */
    private static String plain(String name) {
        return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
    }
}
