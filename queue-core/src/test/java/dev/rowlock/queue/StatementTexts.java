package dev.rowlock.queue;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.search.BoundedSearch;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The SQL that classes of this module hold in their fields, as they prepare it. */
final class StatementTexts {

    /**
     * @param place the field that holds it, or the code of a check, or the method that puts it together
     * @param comment empty: the source has one
     */
    record Text(Class<?> owner, String place, String sql, String comment) {

        String name() {
            return owner.getSimpleName() + "." + place;
        }
    }

    private static final Pattern WHOLE = Pattern.compile(
            "\\(?(SELECT|WITH|INSERT|UPDATE|DELETE|LOCK|CREATE|SET|LISTEN)\\b.*[^,\\s]\\s*", Pattern.DOTALL);
    private static final Pattern UNFILLED = Pattern.compile("%(\\d\\$)?[sd]");

    private final Database database;
    private final List<Text> texts = new ArrayList<>();

    private StatementTexts(DataSource dataSource) {
        this.database = new Database(dataSource, new Schema("rowlock"));
    }

    /** Whole statements, in the order of the code; what is only a part of another one of its class is left out. */
    static List<Text> of(DataSource dataSource, Stream<JavaClass> classes) {
        StatementTexts found = new StatementTexts(dataSource);
        classes.map(JavaClass::reflect)
                .sorted(Comparator.comparing(Class::getName))
                .filter(owner -> !owner.isInterface() && !owner.isAnonymousClass())
                .forEach(found::collect);
        return found.texts.stream().filter(text -> !found.isPart(text)).toList();
    }

    private boolean isPart(Text text) {
        return !StatementComments.of(text.owner).passesOn(text.place)
                && texts.stream()
                        .filter(other -> other.owner == text.owner)
                        .anyMatch(other -> other.sql.length() > text.sql.length() && other.sql.contains(text.sql));
    }

    private void collect(Class<?> owner) {
        instance(owner).ifPresent(instance -> fields(outermost(owner), "", owner, instance));
        fields(outermost(owner), "", owner, null);
    }

    /** Whoever holds statements is made of a database or a schema alone. */
    private Optional<Object> instance(Class<?> owner) {
        return owner.isEnum() || owner.isRecord() || Modifier.isAbstract(owner.getModifiers())
                ? Optional.empty()
                : Stream.of(owner.getDeclaredConstructors())
                        .sorted(Comparator.comparing(Constructor::getParameterCount))
                        .flatMap(constructor -> made(constructor).stream())
                        .findFirst();
    }

    private Optional<Object> made(Constructor<?> constructor) {
        Object[] arguments = Stream.of(constructor.getParameterTypes())
                .map(this::argument)
                .flatMap(Optional::stream)
                .toArray();
        if (arguments.length == 0 || arguments.length < constructor.getParameterCount()) {
            return Optional.empty();
        }
        try {
            constructor.setAccessible(true);
            return Optional.of(constructor.newInstance(arguments));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + constructor, e);
        }
    }

    private Optional<Object> argument(Class<?> type) {
        Map<Class<?>, Object> known = Map.of(
                Database.class,
                database,
                Schema.class,
                database.schema(),
                BoundedSearch.class,
                new BoundedSearch(database, Duration.ofSeconds(1)),
                Duration.class,
                Duration.ofSeconds(1),
                boolean.class,
                true,
                int.class,
                1);
        return Optional.ofNullable(known.get(type));
    }

    private void fields(Class<?> owner, String place, Class<?> of, @Nullable Object instance) {
        for (Field field : of.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) == (instance == null) && !field.isSynthetic()) {
                value(owner, place.isEmpty() ? field.getName() : place + "." + field.getName(), read(field, instance));
            }
        }
    }

    private static @Nullable Object read(Field field, @Nullable Object instance) {
        try {
            field.setAccessible(true);
            return field.get(instance);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + field, e);
        }
    }

    private void value(Class<?> owner, String place, @Nullable Object value) {
        if (value instanceof String text) {
            add(owner, place, text, "");
        } else if (value instanceof Collection<?> several) {
            several.forEach(one -> value(owner, place, one));
        } else if (value instanceof Map<?, ?> several) {
            several.forEach((key, one) -> value(owner, place + "." + key, one));
        } else if (value instanceof Record record && isCheck(record)) {
            add(outermost(record.getClass()), read(record, "code"), read(record, "sql"), read(record, "healthy"));
        } else if (value != null && isOf(owner, value)) {
            fields(owner, place, value.getClass(), value);
        }
    }

    /** A question of the doctor: its code, its SQL, and what is said when all is well. */
    private static boolean isCheck(Record record) {
        return Stream.of(record.getClass().getRecordComponents())
                .map(RecordComponent::getName)
                .toList()
                .containsAll(List.of("code", "sql", "healthy"));
    }

    private static String read(Record record, String component) {
        try {
            return String.valueOf(read(record.getClass().getDeclaredField(component), record));
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException("no component " + component, e);
        }
    }

    /** Its own classes, and the records of its package. */
    private static boolean isOf(Class<?> owner, Object value) {
        Class<?> of = value.getClass();
        return of != owner
                && !(value instanceof Enum<?>)
                && (outermost(of) == owner || of.isRecord() && of.getPackage() == owner.getPackage());
    }

    private void add(Class<?> owner, String place, String raw, String comment) {
        String sql = plain(raw);
        if (WHOLE.matcher(sql).matches()
                && !UNFILLED.matcher(sql).find()
                && texts.stream().noneMatch(text -> text.owner == owner && text.sql.equals(sql))) {
            texts.add(new Text(owner, place.replaceFirst("\\.sql$", ""), sql, comment));
        }
    }

    /** For the default schema, as in the code. */
    static String plain(String sql) {
        return sql.replace("\"rowlock\".", "rowlock.").strip();
    }

    static Class<?> outermost(Class<?> aClass) {
        Class<?> outer = aClass.getEnclosingClass();
        return outer == null ? aClass : outermost(outer);
    }
}
