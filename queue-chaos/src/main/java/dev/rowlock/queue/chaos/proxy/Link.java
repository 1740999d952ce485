package dev.rowlock.queue.chaos.proxy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** One connection through the proxy. */
final class Link {

    private final Socket client;
    private final Socket server;
    private final Gate gate;
    private final Supplier<Cut> cut;
    private final Consumer<Link> ended;
    private volatile boolean halfOpen;
    private volatile boolean breakAtAnswer;

    Link(Socket client, Socket server, Gate gate, Supplier<Cut> cut, Consumer<Link> ended) {
        this.client = client;
        this.server = server;
        this.gate = gate;
        this.cut = cut;
        this.ended = ended;
    }

    /** From the client to the server. */
    void up() {
        byte[] data = new byte[1 << 16];
        try {
            InputStream in = client.getInputStream();
            OutputStream out = server.getOutputStream();
            int length;
            while ((length = in.read(data)) >= 0) {
                if (halfOpen) {
                    continue; // swallowed
                }
                Cut.Verdict verdict = cut.get().judge(Cut.text(data, length));
                if (verdict == Cut.Verdict.BREAK_BEFORE) {
                    reset();
                    return;
                }
                breakAtAnswer |= verdict == Cut.Verdict.BREAK_BEFORE_ANSWER;
                gate.pass();
                write(out, data, length);
            }
        } catch (IOException e) {
            // One side is gone; the other follows.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        finish();
    }

    /** From the server to the client. */
    void down() {
        byte[] data = new byte[1 << 16];
        try {
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            int length;
            while ((length = in.read(data)) >= 0) {
                gate.pass();
                if (halfOpen) {
                    break;
                }
                if (breakAtAnswer) {
                    reset();
                    return;
                }
                write(out, data, length);
            }
        } catch (IOException e) {
            // One side is gone; the other follows.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (!halfOpen) {
            finish();
        }
    }

    private static void write(OutputStream out, byte[] data, int length) throws IOException {
        out.write(data, 0, length);
        out.flush();
    }

    void halfOpen() {
        halfOpen = true;
        close(server);
    }

    void reset() {
        try {
            client.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
        finish();
    }

    private void finish() {
        close(client);
        close(server);
        ended.accept(this);
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // There is nothing more to give back.
        }
    }
}
