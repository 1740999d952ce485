package kotlinx.coroutines;

/** Stands for the one of Kotlin, which Rowlock knows by its name. */
public interface Job {}
