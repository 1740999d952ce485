package kotlinx.coroutines.flow;

/** Stands for the one of Kotlin, which Rowlock knows by what it extends. */
public interface StateFlow<T> extends Flow<T> {}
