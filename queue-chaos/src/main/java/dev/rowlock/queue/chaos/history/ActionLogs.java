package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Gone;
import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.History.Trace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What all worker processes wrote down. A killed process may leave half a line at the end of its file. */
record ActionLogs(
        List<Start> starts,
        List<End> ends,
        List<Said> said,
        List<Pulse> pulses,
        List<Serves> serves,
        List<Gone> gone,
        List<Trace> traces) {

    static ActionLogs read(List<Path> files) {
        ActionLogs logs = new ActionLogs(
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>(),
                new ArrayList<>());
        for (Path file : files) {
            try {
                Files.readAllLines(file).forEach(line -> logs.add(line.split("\\|")));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot read " + file, e);
            }
        }
        return logs;
    }

    private void add(String[] part) {
        if (part.length < 7) {
            return;
        }
        String node = part[0];
        long nanos = Long.parseLong(part[1]);
        long job = Long.parseLong(part[4]);
        long token = Long.parseLong(part[5]);
        switch (part[3]) {
            case "start" -> {
                if (part.length == 9) {
                    starts.add(new Start(
                            node,
                            nanos,
                            job,
                            token,
                            Long.parseLong(part[6]),
                            Integer.parseInt(part[7]),
                            Integer.parseInt(part[8])));
                }
            }
            case "end" -> ends.add(new End(node, nanos, job, token, part[6]));
            case "pulse" -> pulses.add(new Pulse(node, nanos));
            case "serves" -> {
                if (part.length == 8) {
                    serves.add(new Serves(node, part[6], Integer.parseInt(part[7])));
                }
            }
            case "gone" -> gone.add(new Gone(node, nanos, part[6]));
            case "trace" -> traces.add(new Trace(node, nanos, part[6]));
            case "outcome" -> said.add(new Said(node, nanos, job, token, part[6]));
            default -> {} // a note, for people
        }
    }
}
