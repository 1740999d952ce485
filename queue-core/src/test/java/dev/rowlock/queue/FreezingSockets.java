package dev.rowlock.queue;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import javax.net.SocketFactory;

/**
 * The connections of a client that freezes: it reads no more, and there is not much room for what it has not read. The driver makes one of these for each
 * connection, so what freezes them all is static.
 */
public final class FreezingSockets extends SocketFactory {

    private static final int ROOM = 16_384;

    private static volatile CountDownLatch thaw = new CountDownLatch(0);

    /** Whoever reads waits until {@link #thaw}. */
    static void freeze() {
        thaw = new CountDownLatch(1);
    }

    static void thaw() {
        thaw.countDown();
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket socket = new Socket() {
            @Override
            public InputStream getInputStream() throws IOException {
                return new Freezing(super.getInputStream());
            }
        };
        socket.setReceiveBufferSize(ROOM);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw new UnsupportedOperationException();
    }

    private static final class Freezing extends FilterInputStream {

        Freezing(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            await();
            return in.read();
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            await();
            return in.read(bytes, offset, length);
        }

        private static void await() throws IOException {
            try {
                thaw.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException();
            }
        }
    }
}
