package kotlinx.coroutines;

/** Stands for the one of Kotlin, which Rowlock knows by what it extends. */
public interface Deferred<T> extends Job {}
