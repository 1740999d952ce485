package dev.rowlock.queue.connection;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes sockets that answer at once when the driver asks whether more has arrived. Having received a notification, the
 * driver ({@code PGStream.hasMessagePending} of pgjdbc 42.7) reads on with a timeout of one millisecond, the shortest that a
 * socket has, before it hands the notification over: most of what a wake-up took. On these sockets a read with that very
 * timeout waits for nothing. Whatever comes a moment later is found by the next read, as ever.
 *
 * <p>For the driver to instantiate, by the connection property {@link #PROPERTY}.
 */
public final class InstantPeekSocketFactory extends SocketFactory {

    /** The driver's connection property that names a socket factory's class. */
    public static final String PROPERTY = "socketFactory";

    @Override
    public Socket createSocket() {
        return new InstantPeekSocket();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return connected(new InetSocketAddress(host, port), null);
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        return connected(new InetSocketAddress(host, port), new InetSocketAddress(localHost, localPort));
    }

    private Socket connected(InetSocketAddress to, @Nullable InetSocketAddress from) throws IOException {
        Socket socket = createSocket();
        try {
            socket.bind(from);
            socket.connect(to);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private static final class InstantPeekSocket extends Socket {

        private static final int PEEK_MILLIS = 1;

        private volatile boolean peeking;

        @Override
        public synchronized void setSoTimeout(int millis) throws SocketException {
            peeking = millis == PEEK_MILLIS;
            super.setSoTimeout(millis);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {

                @Override
                public int read() throws IOException {
                    requireArrivedIfPeeking();
                    return super.read();
                }

                @Override
                public int read(byte[] buffer, int offset, int length) throws IOException {
                    requireArrivedIfPeeking();
                    return super.read(buffer, offset, length);
                }

                private void requireArrivedIfPeeking() throws IOException {
                    if (peeking && available() == 0) {
                        throw new NothingArrived();
                    }
                }
            };
        }
    }

    /** Comes with each notification, so it has no stack trace: it would take as long as all else that is done with a notification. */
    private static final class NothingArrived extends SocketTimeoutException {

        private static final long serialVersionUID = 1;

        NothingArrived() {
            super("nothing has arrived");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
