package dev.rowlock.queue.spring;

import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/** How a listener is called. */
final class ListenerCall {

    private final Object bean;
    private final Method invocable;
    private final PayloadCodec codec;
    private final boolean suspends;

    /**
     * @param bean may be a proxy
     * @param invocable the listener's method as this bean can be called by it
     * @param codec reads the payloads
     */
    ListenerCall(Object bean, Method invocable, PayloadCodec codec) {
        this.bean = bean;
        this.invocable = invocable;
        this.codec = codec;
        this.suspends = SuspendFunctions.isOne(invocable);
    }

    /** @throws IllegalArgumentException if the codec refuses payloads of that type */
    void requireReadable(Type payload) {
        try {
            codec.check(payload);
        } catch (PayloadException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    Object decode(String json, Type payload) {
        return codec.decode(json, payload);
    }

    /** Throws what the method throws. */
    @Nullable
    Object invoke(Object[] arguments) throws Throwable {
        return suspends ? SuspendFunctions.call(this, arguments) : invokeMethod(arguments);
    }

    @Nullable
    Object invokeMethod(Object[] arguments) throws Throwable {
        try {
            return invocable.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    Object[] arguments() {
        return new Object[invocable.getParameterCount()];
    }
}
