package dev.rowlock.queue.chaos.law.node;

import dev.rowlock.queue.chaos.law.Law;
import java.util.List;

/** All laws of this package. */
public final class NodeLaws {

    public static final List<Law> ALL =
            List.of(new CrashesOfDeadNodes(), new OnlyTheSilentDie(), new ThreadsStay(), new NoTraces());

    private NodeLaws() {}
}
