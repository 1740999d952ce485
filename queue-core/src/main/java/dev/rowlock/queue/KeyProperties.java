package dev.rowlock.queue;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.core.NativeDetector;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.util.StringUtils;

/**
 * Finds misspelt properties in the key and the title of a payload class, at the start and not at the first enqueue.
 *
 * <p>It refuses only what cannot be read for sure: properties of the class itself, and below them those of classes that have no subclasses. It
 * leaves alone what follows a method or an index, and operators.
 */
final class KeyProperties {

    private KeyProperties() {}

    /** @throws IllegalArgumentException if a property is missing */
    static void require(Class<?> payload, String named, SpelNode expression) {
        boolean exact = !Modifier.isAbstract(payload.getModifiers()) && !Map.class.isAssignableFrom(payload);
        if (!exact || NativeDetector.inNativeImage()) { // where nobody knows all methods
            return;
        }
        Class<?> owner = payload;
        for (SpelNode node : path(expression)) {
            if (!(node instanceof PropertyOrFieldReference property)) {
                return;
            }
            Set<Class<?>> types = types(owner, property.getName());
            if (types.isEmpty()) {
                throw new IllegalArgumentException("@JobType of %s names %s, and %s has no property '%s'; it has %s"
                        .formatted(
                                payload.getName(),
                                named,
                                owner == payload ? "the class" : owner.getName(),
                                property.getName(),
                                names(owner)));
            }
            owner = types.iterator().next();
            if (types.size() > 1 || !isKnown(owner)) {
                return;
            }
        }
    }

    private static List<SpelNode> path(SpelNode expression) {
        return expression instanceof CompoundExpression
                ? IntStream.range(0, expression.getChildCount())
                        .mapToObj(expression::getChild)
                        .toList()
                : List.of(expression);
    }

    /** What is read is of this very class, and SpEL does nothing special about it, as it does about Optional. */
    private static boolean isKnown(Class<?> type) {
        return type.isRecord()
                || Modifier.isFinal(type.getModifiers())
                        && !type.isArray()
                        && !type.isPrimitive()
                        && !Map.class.isAssignableFrom(type)
                        && !type.getName().startsWith("java.");
    }

    /** Types of all public members that SpEL may take for the property; empty: there is none. */
    private static Set<Class<?>> types(Class<?> owner, String name) {
        String upper = StringUtils.capitalize(name);
        Set<String> getters = Set.copyOf(List.of(name, "get" + upper, "is" + upper, "get" + name, "is" + name));
        return Stream.concat(
                        Stream.of(owner.getMethods())
                                .filter(KeyProperties::reads)
                                .filter(method -> getters.contains(method.getName()))
                                .map(Method::getReturnType),
                        Stream.of(owner.getFields())
                                .filter(field -> field.getName().equals(name))
                                .map(Field::getType))
                .collect(Collectors.toSet());
    }

    private static boolean reads(Method method) {
        return method.getParameterCount() == 0 && method.getReturnType() != void.class;
    }

    private static String property(Method getter) {
        String name = getter.getName();
        return name.startsWith("get") ? name.substring(3) : name.startsWith("is") ? name.substring(2) : name;
    }

    private static Set<String> names(Class<?> owner) {
        if (owner.isRecord()) {
            return Stream.of(owner.getRecordComponents())
                    .map(component -> component.getName())
                    .collect(Collectors.toCollection(TreeSet::new));
        }
        return Stream.concat(
                        Stream.of(owner.getMethods())
                                .filter(KeyProperties::reads)
                                .filter(method -> method.getDeclaringClass() != Object.class)
                                .filter(method -> !property(method).equals(method.getName()))
                                .map(method -> StringUtils.uncapitalize(property(method))),
                        Stream.of(owner.getFields()).map(Field::getName))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
