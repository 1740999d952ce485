package dev.rowlock.queue;

import dev.rowlock.queue.job.Names;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a payload class says about its jobs: see {@link JobType}. */
public final class JobTypes {

    private static final ClassValue<Declared> DECLARED = new ClassValue<>() {
        @Override
        protected Declared computeValue(Class<?> payload) {
            return Declared.by(payload);
        }
    };

    /** In the names of classes that Hibernate, Spring and others make. */
    private static final List<String> MADE_AT_RUN_TIME =
            List.of("$HibernateProxy$", "$$SpringCGLIB$$", "$$EnhancerBy", "$ByteBuddy$", "_$$_jvst");

    private JobTypes() {}

    /**
     * The stable logical name of a payload class's jobs.
     *
     * @throws IllegalArgumentException if the class has no usable name: annotate it with {@link JobType}
     */
    public static String typeOf(Class<?> payload) {
        return DECLARED.get(payload).type;
    }

    /** The names that its jobs had before; see {@link JobType#formerNames}. */
    public static List<String> formerTypesOf(Class<?> payload) {
        return DECLARED.get(payload).formerTypes;
    }

    /** The queue that the class declares; null if it leaves that open. */
    public static @Nullable String declaredQueueOf(Class<?> payload) {
        return DECLARED.get(payload).queue;
    }

    /**
     * What the payload itself says of its key; null: nothing.
     *
     * @throws IllegalArgumentException if it cannot be read; see {@link JobType#key}
     */
    static @Nullable String keyOf(Object payload) {
        KeyExpression key = DECLARED.get(payload.getClass()).key;
        return key == null ? null : key.of(payload);
    }

    /** What the payload itself says of its title; null: nothing. */
    static @Nullable String titleOf(Object payload) {
        JobTitle title = DECLARED.get(payload.getClass()).title;
        return title == null ? null : title.of(payload);
    }

    private record Declared(
            String type,
            List<String> formerTypes,
            @Nullable String queue,
            @Nullable KeyExpression key,
            @Nullable JobTitle title) {

        static Declared by(Class<?> payload) {
            JobType annotation = payload.getAnnotation(JobType.class);
            String type =
                    annotation == null || annotation.value().isEmpty() ? payload.getSimpleName() : annotation.value();
            String queue = annotation == null || annotation.queue().isEmpty() ? null : annotation.queue();
            String key = annotation == null ? "" : annotation.key();
            if (payload.getName().startsWith("java.")) {
                throw new IllegalArgumentException(
                        "%s cannot be a payload, because its name says nothing about the work: wrap it in a record of your own"
                                .formatted(payload.getName()));
            }
            if (proxy(payload)) {
                throw new IllegalArgumentException(
                        "%s cannot be a payload: it is a proxy that was made at run time, as Hibernate makes them of entities. Enqueue a record of what the job needs, such as the id of the entity"
                                .formatted(payload.getName()));
            }
            KeyExpression keyed = key.isEmpty() ? null : new KeyExpression(payload, key);
            JobTitle titled = annotation == null || annotation.title().isEmpty()
                    ? null
                    : new JobTitle(payload, annotation.title());
            try {
                List<String> former = annotation == null ? List.of() : List.of(annotation.formerNames());
                former.forEach(Names::type);
                return new Declared(Names.type(type), former, queue == null ? null : Names.queue(queue), keyed, titled);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "%s has no usable job type, name one with @JobType: %s"
                                .formatted(payload.getName(), e.getMessage()),
                        e);
            }
        }

        /** Its name would say nothing, and it would be another one after the next start. */
        private static boolean proxy(Class<?> payload) {
            return Proxy.isProxyClass(payload) || MADE_AT_RUN_TIME.stream().anyMatch(payload.getName()::contains);
        }
    }
}
