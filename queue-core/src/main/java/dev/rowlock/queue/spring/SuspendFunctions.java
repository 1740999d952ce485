package dev.rowlock.queue.spring;

import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import kotlin.Unit;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Kotlin's suspend functions, as Java sees them: the last parameter is a {@code Continuation} of what they return.
 *
 * <p>A listener has a thread, so that thread waits: {@code runBlocking} runs the function on it, and goes on with it there whenever it was
 * suspended, unless the function itself changes to another dispatcher. Transactions and log contexts, which are bound to threads, thus stay.
 * If the thread is interrupted, the coroutine is cancelled.
 */
final class SuspendFunctions {

    private static final String CONTINUATION = "kotlin.coroutines.Continuation";
    private static final String COROUTINES = "kotlinx.coroutines.BuildersKt";

    private SuspendFunctions() {}

    static boolean isOne(Method method) {
        Class<?>[] types = method.getParameterTypes();
        return types.length > 0 && types[types.length - 1].getName().equals(CONTINUATION);
    }

    /** Whether they can be called: their library is one that an application has if it uses more of coroutines than the keyword. */
    static boolean canBeCalled() {
        return ClassUtils.isPresent(COROUTINES, SuspendFunctions.class.getClassLoader());
    }

    /** What any method returns; of a suspend function, what its declaration says. */
    static Class<?> returned(Method method) {
        return isOne(method) ? declared(method) : method.getReturnType();
    }

    private static Class<?> declared(Method method) {
        Type[] types = method.getGenericParameterTypes();
        Type result = types[types.length - 1] instanceof ParameterizedType continuation
                ? continuation.getActualTypeArguments()[0]
                : Object.class;
        if (result instanceof WildcardType wildcard && wildcard.getLowerBounds().length > 0) {
            result = wildcard.getLowerBounds()[0];
        }
        if (result instanceof ParameterizedType generic) {
            result = generic.getRawType();
        }
        return result instanceof Class<?> known ? known : Object.class;
    }

    /**
     * Calls one, and returns when it has ended. Throws what it throws.
     *
     * @param arguments with a place for the continuation at the end
     */
    static @Nullable Object call(ListenerCall call, Object[] arguments) throws InterruptedException {
        return Blocking.call(call, arguments);
    }

    /** A class of its own, because an application without Kotlin cannot load what it names. */
    private static final class Blocking {

        static @Nullable Object call(ListenerCall call, Object[] arguments) throws InterruptedException {
            Object result = BuildersKt.runBlocking(EmptyCoroutineContext.INSTANCE, (scope, continuation) -> {
                arguments[arguments.length - 1] = continuation;
                try {
                    return call.invokeMethod(arguments);
                } catch (Throwable e) { // Java knows of no lambda of Kotlin's that may throw it
                    throw Blocking.<RuntimeException>asIs(e);
                }
            });
            return result == Unit.INSTANCE ? null : result;
        }

        @SuppressWarnings("unchecked")
        private static <E extends Throwable> E asIs(Throwable e) throws E {
            throw (E) e;
        }
    }
}
