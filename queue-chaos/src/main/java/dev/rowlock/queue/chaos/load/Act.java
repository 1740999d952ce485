package dev.rowlock.queue.chaos.load;

/** What a handler does. Nothing here is random: a job behaves by its payload, its attempt and its token. */
public enum Act {
    /** Returns after so many milliseconds. */
    SLEEP,
    /** Fails so many attempts, then returns. */
    RETRY,
    /** Fails until it is dead. */
    FAIL,
    /** Fails, and is not tried again; once it is redriven, it returns. */
    MEND,
    /** Snoozes until it is claimed with a token divisible by the number. */
    SNOOZE,
    /** Throws an Error at its first attempt. */
    ERROR,
    /** Works so long without heeding interrupts. */
    IGNORE,
    /** Sits until somebody interrupts it; the job has a timeout, or somebody cancels it. */
    SIT,
    /** Takes the application's connections and keeps them for so many milliseconds. */
    HOG,
    /** Takes all memory of its process, keeps it for so many milliseconds, and fails with what that throws. */
    EXHAUST,
    /** Throws something that is hard to write down; what, the number says. */
    ODD,
    /** Returns what does not serialize, or throws what says nothing that can be used; what, the number says. */
    NONSENSE,
    /** Returns, and leaves something behind on its thread; what, the number says. */
    LEAVE,
    /** Tells its progress so many times, each time on a connection of Rowlock's. */
    PROGRESS,
    /** Counts to the number by a checkpoint: each step writes a row, in one transaction with its checkpoint, and now and then it fails or snoozes. */
    COUNT,
    /** Ends its process at once: Runtime.halt. */
    HALT,
    /** Ends its process in an orderly way: System.exit. */
    EXIT
}
