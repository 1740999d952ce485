package dev.rowlock.queue.autoconfigure.property;

import dev.rowlock.queue.autoconfigure.failure.UnknownPropertyException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Refuses misspelt properties before there are any beans: what is set there would be lost in silence.
 *
 * <p>An environment variable stops no start, because its name does not tell whose it is: Kubernetes makes {@code ROWLOCK_PORT} for a service
 * of that name. {@link Variables} warns of one that is almost a property. Nothing is refused in a native image either, which does
 * not know the components of records.
 */
public final class UnknownProperties implements BeanFactoryPostProcessor {

    /** Tests of Rowlock itself say there where their server is. */
    private static final ConfigurationPropertyName OWN_TESTS = ConfigurationPropertyName.of("rowlock.test");

    private final ConfigurationPropertyName prefix;
    private final Class<?> properties;
    private final ConfigurableEnvironment environment;
    private final Set<String> others;

    /**
     * @param prefix of the properties
     * @param properties a record that has them
     * @param others names directly below the prefix that belong to somebody else
     */
    public UnknownProperties(
            String prefix, Class<?> properties, ConfigurableEnvironment environment, Set<String> others) {
        this.prefix = ConfigurationPropertyName.of(prefix);
        this.properties = properties;
        this.environment = environment;
        this.others = others;
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        if (NativeDetector.inNativeImage()) {
            return;
        }
        PropertyTree tree = PropertyTree.of(properties);
        List<ConfigurationPropertyName> foreign = foreign(beans);
        Map<String, String> problems = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(environment.getPropertySources())) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
                iterable.stream()
                        .filter(prefix::isAncestorOf)
                        .filter(name -> foreign.stream().noneMatch(of -> of.equals(name) || of.isAncestorOf(name)))
                        .forEach(name -> {
                            if (variables) {
                                Variables.warnOfSlip(name, prefix.getNumberOfElements(), tree);
                            } else {
                                check(name, tree, problems);
                            }
                        });
            }
        }
        if (!problems.isEmpty()) {
            throw new UnknownPropertyException(problems);
        }
    }

    /** Prefixes below ours that others bind: optional modules, and the application itself. */
    private List<ConfigurationPropertyName> foreign(ConfigurableListableBeanFactory beans) {
        List<ConfigurationPropertyName> foreign = new ArrayList<>();
        foreign.add(OWN_TESTS);
        others.forEach(other -> foreign.add(prefix.append(other)));
        for (String bean : beans.getBeanDefinitionNames()) {
            // Makes no bean, also none that would make this one.
            ConfigurationProperties bound = beans.findAnnotationOnBean(bean, ConfigurationProperties.class, false);
            ConfigurationPropertyName name = bound == null ? null : ConfigurationPropertyName.ofIfValid(bound.prefix());
            if (name != null && prefix.isAncestorOf(name)) {
                foreign.add(name);
            }
        }
        return foreign;
    }

    private void check(ConfigurationPropertyName name, PropertyTree all, Map<String, String> problems) {
        PropertyTree tree = all;
        boolean belowKey = false;
        for (int i = prefix.getNumberOfElements(); i < name.getNumberOfElements(); i++) {
            PropertyTree ofMap = tree.ofMap();
            if (ofMap != null) {
                tree = ofMap;
                belowKey = true;
                continue;
            }
            if (tree.isProperty() && name.isNumericIndex(i)) {
                return; // of a list
            }
            String element = name.getElement(i, Form.UNIFORM);
            PropertyTree child = tree.children().entrySet().stream()
                    .filter(each -> Nearest.plain(each.getKey()).equals(element))
                    .map(Map.Entry::getValue)
                    .findAny()
                    .orElse(null);
            if (child == null) {
                problems.put(name.toString(), problem(name, i, tree, belowKey));
                return;
            }
            tree = child;
            belowKey = false;
        }
    }

    /**
     * @param place the first element that is not known
     * @param belowKey whether what is before it is a key of a map: the name of a queue
     */
    private String problem(ConfigurationPropertyName name, int place, PropertyTree tree, boolean belowKey) {
        ConfigurationPropertyName parent = name.chop(place);
        if (tree.isProperty()) {
            return "there is no property %s, because %s is one".formatted(name, parent);
        }
        List<String> below = tree.properties().toList();
        String rest = rest(name, place);
        if (belowKey && dots(name, place, below)) {
            return "%s is not read: a queue's name that has dots or upper case stands in brackets, as in rowlock.queues[Big.Q].concurrency"
                    .formatted(name);
        }
        Set<String> modules = parent.equals(prefix) ? others : Set.of();
        String meant = Nearest.to(rest, below)
                .or(() -> Nearest.to(name.getElement(place, Form.UNIFORM), modules))
                .map(near -> "; did you mean %s.%s?".formatted(parent, near))
                .orElse(".");
        Stream<String> names = Stream.concat(tree.names(), modules.stream().map(module -> module + ".*"));
        return "there is no property %s%s Below %s there are %s"
                .formatted(name, meant, parent, names.sorted().collect(Collectors.joining(", ")));
    }

    /** Whether the name of a queue has dots: what follows it is known, later. */
    private static boolean dots(ConfigurationPropertyName name, int place, List<String> below) {
        return IntStream.range(place + 1, name.getNumberOfElements())
                .mapToObj(from -> Nearest.plain(rest(name, from)))
                .anyMatch(rest -> below.stream().map(Nearest::plain).anyMatch(rest::equals));
    }

    private static String rest(ConfigurationPropertyName name, int from) {
        return name.subName(from).toString();
    }
}
