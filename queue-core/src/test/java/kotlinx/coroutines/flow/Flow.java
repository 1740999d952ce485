package kotlinx.coroutines.flow;

/** Stands for the one of Kotlin, which Rowlock knows by its name. */
public interface Flow<T> {}
