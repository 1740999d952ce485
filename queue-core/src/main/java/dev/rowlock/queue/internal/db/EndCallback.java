package dev.rowlock.queue.internal.db;

import java.lang.StackWalker.StackFrame;
import java.util.Iterator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A callback after a transaction's end, by which the calling thread was reached. No state of Spring's tells {@code
 * afterCommit} from the time before the commit, but the stack does.
 *
 * @param thrown an exception of a {@code @Transactional} method has ended the transaction
 * @param told whether that is known
 */
record EndCallback(boolean thrown, boolean told) {

    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private static final EndCallback UNTOLD = new EndCallback(false, false);

    /** The callback after a transaction's end that the calling thread is in, unless a new one has begun since. */
    static @Nullable EndCallback current() {
        boolean synchronizing = TransactionSynchronizationManager.isSynchronizationActive();
        boolean certain = !synchronizing && TransactionSynchronizationManager.isActualTransactionActive();
        return STACK.walk(frames -> {
            EndCallback callback = current(frames.iterator(), synchronizing, certain);
            return callback == null && certain ? UNTOLD : callback;
        });
    }

    /** Looks outwards as far as the innermost transaction that shows on the stack. */
    private static @Nullable EndCallback current(
            Iterator<StackFrame> outwards, boolean synchronizing, boolean certain) {
        Class<?> called = EndCallback.class;
        while (outwards.hasNext()) {
            StackFrame frame = outwards.next();
            if (!certain && beginsTransaction(frame)) {
                return null;
            }
            if (calls(frame, "invokeAfterCompletion")) {
                return synchronizing ? null : within(outwards); // null: a new transaction has begun since
            }
            if (calls(frame, "invokeAfterCommit")) {
                return synchronizing && registered(called) ? within(outwards) : null; // as above
            }
            called = frame.getDeclaringClass();
        }
        return null;
    }

    /** Goes on outwards as far as the code that has ended the transaction. */
    private static EndCallback within(Iterator<StackFrame> outwards) {
        while (outwards.hasNext()) {
            StackFrame frame = outwards.next();
            if (beginsTransaction(frame)) {
                break;
            }
            if (frame.getDeclaringClass() == TransactionAspectSupport.class
                    && frame.getMethodName().equals("completeTransactionAfterThrowing")) {
                return new EndCallback(true, true);
            }
        }
        return new EndCallback(false, true);
    }

    /** Whether such a callback has called the innermost {@code @Transactional} method, and no other transaction stands between. */
    static boolean isAroundDeclaredTransaction() {
        return STACK.walk(EndCallback::isAroundDeclaredTransaction);
    }

    private static boolean isAroundDeclaredTransaction(Stream<StackFrame> frames) {
        boolean within = false;
        for (Iterator<StackFrame> outwards = frames.iterator(); outwards.hasNext(); ) {
            StackFrame frame = outwards.next();
            if (calls(frame, "invokeAfterCompletion") || calls(frame, "invokeAfterCommit")) {
                return within;
            }
            if (beginsTransaction(frame)) {
                if (within || frame.getDeclaringClass() != TransactionAspectSupport.class) {
                    return false;
                }
                within = true;
            }
        }
        return false;
    }

    private static boolean beginsTransaction(StackFrame frame) {
        Class<?> type = frame.getDeclaringClass();
        return (type == TransactionTemplate.class && frame.getMethodName().equals("execute"))
                || (type == TransactionAspectSupport.class
                        && frame.getMethodName().equals("invokeWithinTransaction"));
    }

    private static boolean calls(StackFrame frame, String callbacks) {
        return frame.getDeclaringClass() == TransactionSynchronizationUtils.class
                && frame.getMethodName().equals(callbacks);
    }

    private static boolean registered(Class<?> synchronization) {
        return TransactionSynchronizationManager.getSynchronizations().stream().anyMatch(synchronization::isInstance);
    }

    /**
     * In {@code afterCompletion} of code that asked for any transaction: the callback after the end of another one that
     * called this code. Spring may have given it the ended one. Null if there is none.
     */
    static @Nullable EndCallback around() {
        return STACK.walk(EndCallback::around);
    }

    private static @Nullable EndCallback around(Stream<StackFrame> frames) {
        Iterator<StackFrame> outwards = frames.iterator();
        EndCallback own = next(outwards);
        if (own == null) {
            return null;
        }
        EndCallback around = next(outwards);
        // While an exception of this code is on its way, nobody knows what Spring knew before.
        return around == null || !own.thrown() ? around : UNTOLD;
    }

    private static @Nullable EndCallback next(Iterator<StackFrame> outwards) {
        while (outwards.hasNext()) {
            if (calls(outwards.next(), "invokeAfterCompletion")) {
                return within(outwards);
            }
        }
        return null;
    }

    /** In a synchronization's own {@code afterCompletion}: that callback. */
    static EndCallback own() {
        EndCallback own = STACK.walk(frames -> next(frames.iterator()));
        return own != null ? own : UNTOLD;
    }
}
