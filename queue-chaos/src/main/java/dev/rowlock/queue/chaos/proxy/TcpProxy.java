package dev.rowlock.queue.chaos.proxy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Passes TCP connections on to a server, and hurts them on request. Two threads per connection. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {

    private final ServerSocket door;
    private final int target;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicInteger accepted = new AtomicInteger();
    private final Gate gate = new Gate();
    private volatile Cut cut = Cut.NEVER;
    private volatile boolean refusing;

    /** Listens on a free port of the loopback interface; connections go on to {@code target} there. */
    public TcpProxy(int target) {
        this.target = target;
        try {
            this.door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("no port for a proxy", e);
        }
        thread("proxy-" + door.getLocalPort(), this::accept);
    }

    public int port() {
        return door.getLocalPort();
    }

    /** How many connections were made so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Nothing passes any more, in neither direction, also on connections still to come. Nothing is closed. */
    public void stall() {
        gate.close();
    }

    /** Everything that arrives is passed on so much later. */
    public void delay(Duration time) {
        gate.delay(time);
    }

    /** New connections are closed at once. */
    public void refuse() {
        refusing = true;
    }

    /** Ends a stall, a delay, a refusal and a cut; what was held back passes. */
    public void heal() {
        refusing = false;
        cut = Cut.NEVER;
        gate.open();
    }

    /** Breaks every connection with a reset. */
    public void reset() {
        links.forEach(Link::reset);
    }

    /**
     * Every connection of now looks open to the client for ever, but nobody is there any more: the server sees it
     * closed, and what the client sends is swallowed. New connections work.
     */
    public void halfOpen() {
        links.forEach(Link::halfOpen);
    }

    /** Breaks a connection when what it carries says so. */
    public void cut(Cut when) {
        cut = when;
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close the proxy", e);
        }
        gate.open();
        links.forEach(Link::reset);
    }

    private void accept() {
        while (!door.isClosed()) {
            try {
                Socket client = door.accept();
                if (refusing) {
                    client.close();
                    continue;
                }
                accepted.incrementAndGet();
                thread("proxy-" + port() + "-connect", () -> connect(client));
            } catch (IOException e) {
                // Closed, or a client that has gone already.
            }
        }
    }

    private void connect(Socket client) {
        try {
            gate.pass(); // a stalled network does not answer new clients either
            Socket server = new Socket();
            server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target), 5_000);
            Link link = new Link(client, server, gate, () -> cut, links::remove);
            links.add(link);
            thread("proxy-" + port() + "-up", link::up);
            thread("proxy-" + port() + "-down", link::down);
        } catch (IOException e) {
            Link.close(client);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void thread(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }
}
