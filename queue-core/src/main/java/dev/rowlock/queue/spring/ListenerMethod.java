package dev.rowlock.queue.spring;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.chunk.ChunkJob;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.Outcome;
import dev.rowlock.queue.job.RetryStrategy;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * The signature of a listener, once it is known to work.
 *
 * @param name for messages: {@code Mailer.send(SendMail)}
 * @param method as the bean's class declares it
 * @param payload the payload's type with its type arguments, all of them known
 * @param payloadIndex where among the parameters the payload stands
 * @param contextIndex where the {@link JobContext} stands; -1 if the listener takes none
 * @param shape whether it takes one job, or many
 */
record ListenerMethod(String name, Method method, Type payload, int payloadIndex, int contextIndex, Shape shape) {

    /** What a call brings. */
    enum Shape {
        SINGLE,
        /** A list of payloads. */
        CHUNK,
        /** A list of {@link ChunkJob}. */
        CHUNK_OF_JOBS
    }

    private static final int NONE = -1;

    /** What stands for work that may go on. By name, because most of them are of libraries that an application may not have. */
    private static final Set<String> ASYNCHRONOUS = Set.of(
            "java.util.concurrent.Future",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher",
            "kotlinx.coroutines.Job", // and Deferred
            "kotlinx.coroutines.flow.Flow",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "io.vertx.core.Future");

    /**
     * @param beanClass the bean's own class, not its proxy's: type variables are resolved against it
     * @throws InvalidJobListenerException if such a method cannot be a listener
     */
    static ListenerMethod of(String beanName, Class<?> beanClass, Method method) {
        Signature signature = new Signature("@JobListener", beanName, beanClass, method);
        signature.requireCallable();
        signature.requireSynchronous();
        int contextIndex = signature.contextIndex();
        int payloadIndex = signature.payloadIndex();
        Shape shape = signature.shapeAt(payloadIndex);
        if (shape != Shape.SINGLE) {
            signature.requireChunk(contextIndex, shape);
        }
        Type payload = signature.payloadAt(payloadIndex, shape);
        return new ListenerMethod(signature.name(), method, payload, payloadIndex, contextIndex, shape);
    }

    Class<?> payloadClass() {
        return rawClass(payload);
    }

    /**
     * What the annotation says about this method, run by the handler.
     *
     * @throws IllegalArgumentException if it says what cannot be
     */
    ListenerDefinition definition(
            ListenerAttributes attributes,
            Function<ListenerAttributes, RetryStrategy> retry,
            OwnTransactions transactions,
            ListenerCall call) {
        JobListener annotation = attributes.annotation();
        return (shape == Shape.SINGLE ? single(attributes, call) : chunk(attributes, call))
                .formerTypes(JobTypes.formerTypesOf(payloadClass()))
                .id(attributes.id(JobTypes.typeOf(payloadClass())))
                .autoStartup(attributes.autoStartup())
                .name(name)
                .queue(attributes.queue(payloadClass()))
                .payload(payload)
                .limit(attributes.limit(method, attributes.queue(payloadClass())))
                .concurrency(attributes.concurrency())
                .timeout(attributes.timeout())
                .retry(retry.apply(attributes))
                .noRetryFor(Arrays.asList(annotation.noRetryFor()))
                .transactional(annotation.transactional())
                .transactions(transactions.of(annotation, attributes.transactionManager()));
    }

    private ListenerDefinition single(ListenerAttributes attributes, ListenerCall call) {
        if (attributes.batch() != null) {
            throw new IllegalArgumentException(
                    "batch '%s' asks for many jobs in one call, and the method takes one: take a List<%2$s> or a List<ChunkJob<%2$s>>"
                            .formatted(attributes.batch(), payloadClass().getSimpleName()));
        }
        requireNoLinger(attributes);
        return ListenerDefinition.of(JobTypes.typeOf(payloadClass()), new MethodJobHandler(call, this))
                .keepResult(attributes.annotation().keepResult());
    }

    private static void requireNoLinger(ListenerAttributes attributes) {
        Duration linger = attributes.linger();
        if (linger != null) {
            throw new IllegalArgumentException(
                    "linger '%s' says how long the first job of a call waits for others, and there is no batch: name batch as well, or remove linger"
                            .formatted(attributes.annotation().linger()));
        }
    }

    private ListenerDefinition chunk(ListenerAttributes attributes, ListenerCall call) {
        Integer batch = attributes.batch();
        if (batch == null) {
            requireNoLinger(attributes);
            throw new IllegalArgumentException(
                    "it takes a List of jobs, and nothing says how many: name batch, such as batch = \"100\", or take one payload");
        }
        if (attributes.annotation().keepResult()) {
            throw new IllegalArgumentException(
                    "keepResult is for listeners that run one job at a time: return a ChunkResult, which names the results");
        }
        ListenerDefinition definition = ListenerDefinition.ofChunks(
                        JobTypes.typeOf(payloadClass()), new MethodChunkHandler(call, this))
                .batch(batch);
        Duration linger = attributes.linger();
        return linger == null ? definition : definition.linger(linger);
    }

    private static Class<?> rawClass(Type type) {
        // Signature lets no other kinds of types through.
        return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
    }

    /**
     * What is asked of a method before it may be a listener, or called when a job has died.
     *
     * @param what for messages
     */
    record Signature(String what, String beanName, Class<?> beanClass, Method method) {

        String name() {
            return "%s.%s(%s)"
                    .formatted(
                            beanClass.getSimpleName(),
                            method.getName(),
                            parameters().map(Class::getSimpleName).collect(Collectors.joining(", ")));
        }

        /** Those that the source names: without the continuation of a suspend function. */
        private Stream<Class<?>> parameters() {
            return Arrays.stream(method.getParameterTypes())
                    .limit(method.getParameterCount() - (SuspendFunctions.isOne(method) ? 1 : 0));
        }

        /** The same with their type arguments. */
        Stream<Type> genericParameters() {
            return Arrays.stream(method.getGenericParameterTypes())
                    .limit(parameters().count());
        }

        void requireCallable() {
            int modifiers = method.getModifiers();
            if (Modifier.isStatic(modifiers) || Modifier.isPrivate(modifiers)) {
                throw invalid(
                        "it is " + (Modifier.isStatic(modifiers) ? "static" : "private"),
                        "Remove private, or static: @Transactional and other advice do not reach such methods");
            }
        }

        /** A method that returns before its work is done would complete the job too early. */
        void requireSynchronous() {
            Class<?> returned = SuspendFunctions.returned(method);
            if (SuspendFunctions.isOne(method) && !SuspendFunctions.canBeCalled()) {
                throw invalid(
                        "it is a suspend function, and nothing on the class path can wait for one",
                        "Add org.jetbrains.kotlinx:kotlinx-coroutines-core, whose runBlocking does");
            }
            if (isAsynchronous(returned)) {
                throw invalid(
                        "it returns a %s, and the job would count as done before the work is"
                                .formatted(returned.getSimpleName()),
                        "Wait for the result and return that");
            }
            if (Outcome.class.isAssignableFrom(returned)) {
                throw invalid(
                        "it returns an Outcome, which decides nothing",
                        "Throw an exception instead: SnoozeException, RetryLaterException, DoNotRetryException");
            }
            if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
                    || AnnotatedElementUtils.hasAnnotation(beanClass, Async.class)) {
                throw invalid(
                        "it is @Async, and the job would count as done before the work is",
                        "Remove @Async: the listener runs on a thread of its queue anyway");
            }
        }

        private static boolean isAsynchronous(@Nullable Class<?> type) {
            return type != null
                    && (ASYNCHRONOUS.contains(type.getName())
                            || isAsynchronous(type.getSuperclass())
                            || Arrays.stream(type.getInterfaces()).anyMatch(Signature::isAsynchronous));
        }

        int contextIndex() {
            return onlyIndex("JobContext", true);
        }

        int payloadIndex() {
            int index = onlyIndex("payload", false);
            if (index == NONE) {
                throw invalid("it takes no payload", "Add a parameter for it: the record that is enqueued");
            }
            return index;
        }

        private int onlyIndex(String what, boolean context) {
            List<Class<?>> types = parameters().toList();
            int found = NONE;
            for (int i = 0; i < types.size(); i++) {
                if ((types.get(i) == JobContext.class) != context) {
                    continue;
                }
                if (found != NONE) {
                    throw invalid(
                            "it takes more than one " + what,
                            "A listener takes one payload and, if it likes, one JobContext, in any order");
                }
                found = i;
            }
            return found;
        }

        Shape shapeAt(int index) {
            if (method.getParameterTypes()[index] != List.class) {
                return Shape.SINGLE;
            }
            return elementAt(index).toClass() == ChunkJob.class ? Shape.CHUNK_OF_JOBS : Shape.CHUNK;
        }

        private ResolvableType elementAt(int index) {
            return ResolvableType.forMethodParameter(method, index, beanClass).getGeneric(0);
        }

        void requireChunk(int contextIndex, Shape shape) {
            if (contextIndex != NONE) {
                throw invalid(
                        "it takes many jobs and one JobContext",
                        "Take a List of ChunkJob: each has the context of its job");
            }
            if (SuspendFunctions.returned(method) == ChunkResult.class && shape == Shape.CHUNK) {
                throw invalid(
                        "it returns a ChunkResult, which names jobs by id, and takes payloads without their ids",
                        "Take a List of ChunkJob: each has the id of its job");
            }
        }

        Type payloadAt(int index, Shape shape) {
            Type type = switch (shape) {
                case SINGLE -> GenericTypeResolver.resolveType(method.getGenericParameterTypes()[index], beanClass);
                case CHUNK -> typeOf(elementAt(index));
                case CHUNK_OF_JOBS -> typeOf(elementAt(index).getGeneric(0));
            };
            if (!(type instanceof Class<?>) && !(type instanceof ParameterizedType)) {
                throw invalidPayload(type, "nobody can say which class it is");
            }
            if (ResolvableType.forType(type).hasUnresolvableGenerics()) {
                throw invalidPayload(type, "its type arguments are unknown");
            }
            Class<?> raw = rawClass(type);
            if (raw.isPrimitive() || raw.isArray() || raw.getName().startsWith("java.")) {
                throw invalidPayload(type, "a job's type is named after a class of your own");
            }
            if (raw.isInterface() || Modifier.isAbstract(raw.getModifiers())) {
                throw invalidPayload(type, "jobs are typed by the class that is enqueued, which is never that one");
            }
            if (raw.isMemberClass() && !Modifier.isStatic(raw.getModifiers())) {
                throw invalidPayload(type, "an inner class cannot be made from JSON");
            }
            return type;
        }

        /** A variable that the bean's class binds is what it is bound to; of {@code ? extends X}, as Kotlin's List of X is, X. */
        private static Type typeOf(ResolvableType element) {
            if (element.getType() instanceof WildcardType wildcard && wildcard.getLowerBounds().length == 0) {
                return wildcard.getUpperBounds()[0];
            }
            return element.getType() instanceof TypeVariable<?> && element.resolve() != null
                    ? element.toClass()
                    : element.getType();
        }

        private InvalidJobListenerException invalidPayload(Type type, String why) {
            return invalid(
                    "its payload is %s, and %s".formatted(type.getTypeName(), why),
                    "Take the record that is enqueued, declared by itself or as a static member; wrap a plain value in one");
        }

        InvalidJobListenerException invalid(String problem, String remedy) {
            return new InvalidJobListenerException(
                    "%s %s of bean '%s' cannot work: %s".formatted(what, name(), beanName, problem), remedy);
        }
    }
}
