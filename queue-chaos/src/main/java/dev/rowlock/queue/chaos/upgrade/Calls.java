package dev.rowlock.queue.chaos.upgrade;

import dev.rowlock.queue.JobTypes;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** What a caller asked for and what it was told, line by line. */
final class Calls {

    private final FileOutputStream file;

    Calls(Path file) {
        try {
            this.file = new FileOutputStream(file.toFile(), true);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    void call(List<? extends Work> works, Supplier<long[]> enqueue) {
        for (Work work : works) {
            write("asks|%d|%s|%s|%d"
                    .formatted(work.uid(), JobTypes.typeOf(work.getClass()), work.act(), work.number()));
        }
        try {
            long[] ids = enqueue.get();
            for (int i = 0; i < ids.length; i++) {
                write("told|%d|%d".formatted(works.get(i).uid(), ids[i]));
            }
        } catch (RuntimeException e) {
            write("failed|%d|%s".formatted(works.get(0).uid(), String.valueOf(e).replaceAll("\\s+", " ")));
        }
    }

    private void write(String line) {
        try {
            file.write((line + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot note a call", e);
        }
    }

    /** What it was told. Of a call without an answer nobody knows what came of it. */
    static List<Told> told(Path file) {
        Map<Long, Long> ids = new HashMap<>();
        lines(file, "told").forEach(part -> ids.put(Long.parseLong(part[1]), Long.parseLong(part[2])));
        return lines(file, "asks")
                .map(part -> {
                    long uid = Long.parseLong(part[1]);
                    return new Told(
                            uid,
                            ids.getOrDefault(uid, 0L),
                            ids.containsKey(uid) ? Fate.COMMITTED : Fate.UNKNOWN,
                            part[2],
                            Act.valueOf(part[3]),
                            Integer.parseInt(part[4]),
                            JobOptions.NONE,
                            file.getFileName().toString());
                })
                .toList();
    }

    /** The calls that threw, and what. */
    static List<String> failed(Path file) {
        return lines(file, "failed").map(part -> part[2]).toList();
    }

    private static Stream<String[]> lines(Path file, String kind) {
        try {
            return Files.readAllLines(file).stream()
                    .map(line -> line.split("\\|", kind.equals("failed") ? 3 : 5))
                    .filter(part -> part[0].equals(kind));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + file, e);
        }
    }
}
