package dev.rowlock.queue.payload;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.Modifier;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyName;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.bean.BeanDeserializer;
import tools.jackson.databind.introspect.AnnotatedField;
import tools.jackson.databind.introspect.BeanPropertyDefinition;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.TypeDeserializer;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/**
 * Whether a class knows anything of a document. Jackson passes over what a class does not know, so a document that was written
 * under other names silently becomes an object of nulls. Where properties come and go, some of them are still known.
 */
final class KnownProperties {

    private static final int SHOWN = 10;

    private final JsonMapper mapper;
    private final Map<JavaType, Optional<Names>> known =
            new ConcurrentHashMap<>(); // as many as there are payload classes

    KnownProperties(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /**
     * Returns what is wrong with a document that has properties, of which the class knows none; null: nothing. A class without properties knows
     * none on purpose, for a job may need no data any more.
     */
    @Nullable
    String fault(String json, JavaType type) {
        return names(type)
                .filter(names -> !names.known.isEmpty())
                .filter(names -> knowsNone(json, names))
                .map(Names::fault)
                .orElse(null);
    }

    /** The same for a document that has been read as a tree. */
    @Nullable
    String fault(JsonNode document, JavaType type) {
        return names(type)
                .filter(names -> !names.known.isEmpty())
                .filter(names -> knowsNone(document, names))
                .map(Names::fault)
                .orElse(null);
    }

    /** Whether nothing of a document that the class has just been written as would come back. */
    boolean losesAll(String json, JavaType type) {
        return names(type).filter(names -> knowsNone(json, names)).isPresent();
    }

    /** The fields of a class of which the mapper would write none; empty if it writes any, or has been told to ignore all that there are. */
    List<String> unwritten(Class<?> type) {
        SerializationContext context = mapper._serializationContext();
        ValueSerializer<?> writer = context.findValueSerializer(type);
        if (writer.properties().hasNext()
                || !(writer instanceof UnknownSerializer || writer instanceof BeanSerializerBase)) {
            return List.of();
        }
        // Jackson collects the names of what accessors ignore for its readers only.
        BeanDescription description =
                mapper._deserializationContext().introspectBeanDescription(mapper.constructType(type));
        description.findProperties(); // before that, it knows of none
        Set<String> ofAccessors = description.getIgnoredPropertyNames();
        Set<String> ofClass = context.getConfig()
                .getDefaultPropertyIgnorals(type, description.getClassInfo())
                .getIgnored();
        return StreamSupport.stream(description.getClassInfo().fields().spliterator(), false)
                .filter(field -> !Modifier.isTransient(field.getModifiers())
                        && !ofAccessors.contains(field.getName())
                        && !ofClass.contains(field.getName())
                        && !ignored(context, field))
                .map(AnnotatedField::getName)
                .limit(SHOWN)
                .toList();
    }

    /** Whether the field itself or its type says so, perhaps by a mix-in. */
    private static boolean ignored(SerializationContext context, AnnotatedField field) {
        SerializationConfig config = context.getConfig();
        return context.getAnnotationIntrospector().hasIgnoreMarker(config, field)
                || Boolean.TRUE.equals(context.getAnnotationIntrospector()
                        .isIgnorableType(config, context.introspectClassAnnotations(field.getType())));
    }

    private boolean knowsNone(String json, Names names) {
        if (names.knows(firstName(json))) {
            return false;
        }
        try (JsonParser parser = mapper.createParser(json)) {
            boolean strange = false;
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                    if (names.knows(name)) {
                        return false;
                    }
                    strange |= !name.equals(names.typeId);
                    parser.nextToken();
                    parser.skipChildren();
                }
            }
            return strange;
        }
    }

    /**
     * The first property as it is written, which is its name unless it has escapes; empty if there is none. As a rule the class knows it, and
     * nothing has to be parsed twice: a second parser for each job would cost a fifth of all that a node allocates.
     */
    private static String firstName(String json) {
        int end = json.startsWith("{\"") ? json.indexOf('"', 2) : -1;
        return end < 0 ? "" : json.substring(2, end);
    }

    private static boolean knowsNone(JsonNode document, Names names) {
        List<String> found = document.propertyNames().stream()
                .filter(name -> !name.equals(names.typeId))
                .toList();
        return !found.isEmpty() && found.stream().noneMatch(names::knows);
    }

    private Optional<Names> names(JavaType type) {
        Optional<Names> found = known.get(type);
        return found != null ? found : known.computeIfAbsent(type, this::namesOf);
    }

    /** Empty where it cannot be known which names a document may have. */
    private Optional<Names> namesOf(JavaType type) {
        DeserializationContext context = mapper._deserializationContext();
        ValueDeserializer<?> reader = context.findNonContextualValueDeserializer(type);
        BeanDescription description = context.introspectBeanDescription(type);
        TypeDeserializer typed = context.findTypeDeserializer(type);
        if (!(reader instanceof BeanDeserializer bean)
                || bean.getValueInstantiator().canCreateUsingDelegate()
                || bean.getValueInstantiator().canCreateUsingArrayDelegate()
                || description.findAnySetterAccessor() != null
                || description.findProperties().stream().anyMatch(property -> unwrapped(context, property))
                || (typed != null && typed.getTypeInclusion() != JsonTypeInfo.As.PROPERTY)) {
            return Optional.empty();
        }
        TreeSet<String> names = new TreeSet<>(
                bean.isCaseInsensitive() ? String.CASE_INSENSITIVE_ORDER : Comparator.<String>naturalOrder());
        bean.getKnownPropertyNames().forEach(name -> names.add(String.valueOf(name)));
        description.findProperties().stream()
                .flatMap(property -> property.findAliases().stream())
                .map(PropertyName::getSimpleName)
                .forEach(names::add);
        return Optional.of(new Names(names, typed == null ? null : typed.getPropertyName()));
    }

    /** Its own properties then stand in its place. */
    private static boolean unwrapped(DeserializationContext context, BeanPropertyDefinition property) {
        return property.getPrimaryMember() != null
                && context.getAnnotationIntrospector()
                                .findUnwrappingNameTransformer(context.getConfig(), property.getPrimaryMember())
                        != null;
    }

    /**
     * What a document of a class may have.
     *
     * @param known read only
     * @param typeId the property that says which subclass it is; null: there is none
     */
    private record Names(TreeSet<String> known, @Nullable String typeId) {

        boolean knows(String name) {
            return known.contains(name);
        }

        String fault() {
            return "it has properties, and the class knows none of them. It knows %s%s"
                    .formatted(
                            known.stream().limit(SHOWN).collect(Collectors.joining(", ")),
                            known.size() > SHOWN ? " and %d more".formatted(known.size() - SHOWN) : "");
        }
    }
}
