package dev.rowlock.queue.autoconfigure.property;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The names that may stand below one name, as documentation writes them.
 *
 * @param children empty: this is a property, or a map
 * @param ofMap what stands below each key of a map, such as the name of a queue; null: this is no map
 */
record PropertyTree(
        Map<String, PropertyTree> children, @Nullable PropertyTree ofMap) {

    private static final PropertyTree PROPERTY = new PropertyTree(Map.of(), null);

    /** The names of a record's components, and of those of records within it. */
    static PropertyTree of(Class<?> group) {
        Map<String, PropertyTree> children = new TreeMap<>();
        for (RecordComponent component : group.getRecordComponents()) {
            children.put(name(group, component), of(component.getGenericType()));
        }
        return new PropertyTree(children, null);
    }

    private static PropertyTree of(Type type) {
        if (type instanceof ParameterizedType map && map.getRawType() == Map.class) {
            return new PropertyTree(Map.of(), of(map.getActualTypeArguments()[1]));
        }
        // Other records are values that are written as one text, such as a rate.
        return type instanceof Class<?> group && group.isRecord() && group.getEnclosingClass() != null
                ? of(group)
                : PROPERTY;
    }

    private static String name(Class<?> group, RecordComponent component) {
        try {
            Name name = group.getDeclaredField(component.getName()).getAnnotation(Name.class);
            return DataObjectPropertyName.toDashedForm(name == null ? component.getName() : name.value());
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("a record has a field for each component", e);
        }
    }

    boolean isProperty() {
        return children.isEmpty() && ofMap == null;
    }

    /** All properties below, by their names from here; none of a map, whose keys nobody knows. */
    Stream<String> properties() {
        return children.entrySet().stream()
                .flatMap(child -> child.getValue().isProperty()
                        ? Stream.of(child.getKey())
                        : child.getValue().properties().map(name -> child.getKey() + "." + name));
    }

    /** What stands directly below, groups with an asterisk. */
    Stream<String> names() {
        return children.entrySet().stream()
                .map(child -> child.getValue().isProperty() ? child.getKey() : child.getKey() + ".*");
    }
}
