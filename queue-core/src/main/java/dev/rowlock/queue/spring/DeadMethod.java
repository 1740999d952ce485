package dev.rowlock.queue.spring;

import dev.rowlock.queue.job.DeadJob;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.DeadJobHandler;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spring.ListenerBeans.Candidate;
import dev.rowlock.queue.spring.ListenerMethod.Signature;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodIntrospector;

/** Calls the method that a listener names for its dead jobs ({@code onDead}). */
final class DeadMethod implements DeadJobHandler {

    private static final String REMEDY =
            "It takes what it needs of the listener's payload, the DeadJob and the JobContext, each once, in any order";

    private final ListenerCall call;
    private final Type payload;
    private final List<Type> parameters;

    private DeadMethod(ListenerCall call, Type payload, List<Type> parameters) {
        this.call = call;
        this.payload = payload;
        this.parameters = parameters;
    }

    /**
     * Null where the listener names none.
     *
     * @param bean that has both, perhaps a proxy
     * @throws InvalidJobListenerException if such a method cannot be called
     */
    static @Nullable DeadMethod of(Candidate candidate, ListenerMethod listener, Object bean, PayloadCodec codec) {
        if (candidate.annotation().onDead().isEmpty()) {
            return null;
        }
        Method method = named(candidate, listener);
        Signature signature = new Signature("onDead", candidate.beanName(), candidate.type(), method);
        signature.requireCallable();
        signature.requireSynchronous();
        List<Type> parameters = signature
                .genericParameters()
                .map(type -> GenericTypeResolver.resolveType(type, candidate.type()))
                .toList();
        Set<Type> known = Set.of(listener.payload(), DeadJob.class, JobContext.class);
        for (Type parameter : parameters) {
            if (!known.contains(parameter)) {
                throw signature.invalid("it takes a " + parameter.getTypeName(), REMEDY);
            }
        }
        if (Set.copyOf(parameters).size() < parameters.size()) {
            throw signature.invalid("it takes one of its parameters twice", REMEDY);
        }
        ListenerMethod callable =
                new ListenerMethod(signature.name(), method, listener.payload(), 0, 0, ListenerMethod.Shape.SINGLE);
        ListenerCall call = new ListenerCall(bean, JobListenerScanner.invocable(bean, candidate, callable), codec);
        return new DeadMethod(call, listener.payload(), parameters);
    }

    private static Method named(Candidate candidate, ListenerMethod listener) {
        String name = candidate.annotation().onDead();
        Set<Method> methods = methodsOf(candidate.type(), name);
        if (methods.size() != 1) {
            throw new InvalidJobListenerException(
                    "@JobListener %s of bean '%s' cannot work: onDead names '%s', and %s has %s"
                            .formatted(
                                    listener.name(),
                                    candidate.beanName(),
                                    name,
                                    candidate.type().getName(),
                                    methods.isEmpty() ? "no such method" : methods.size() + " methods of that name"),
                    "Name the one method of the listener's class that is to be called when one of its jobs has died");
        }
        return methods.iterator().next();
    }

    /** Those that a listener of this class may mean. */
    static Set<Method> methodsOf(Class<?> type, String name) {
        return MethodIntrospector.selectMethods(
                type, (Method method) -> method.getName().equals(name) && !method.isBridge());
    }

    @Override
    public void handle(JobContext context, DeadJob dead, String json) throws Throwable {
        Object[] arguments = call.arguments();
        for (int i = 0; i < parameters.size(); i++) {
            Type parameter = parameters.get(i);
            arguments[i] = parameter.equals(DeadJob.class)
                    ? dead
                    : parameter.equals(JobContext.class) ? context : call.decode(json, payload);
        }
        call.invoke(arguments);
    }
}
