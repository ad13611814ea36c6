package batch;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** The connection to the lab's task barrier, which all tasks share. */
final class Gathering implements AutoCloseable {

    private final SocketChannel channel;
    private final BufferedReader lines;

    Gathering() throws IOException {
        channel = SocketChannel.open(UnixDomainSocketAddress.of(System.getenv("GATHERING")));
        lines = new BufferedReader(Channels.newReader(channel, StandardCharsets.US_ASCII));
    }

    /** Reports one task. */
    void arrive() throws IOException {
        write(".");
    }

    /** Waits for the barrier's next line. */
    String line() throws IOException {
        String line = lines.readLine();
        if (line == null) {
            throw new EOFException("the gathering ended before all were there");
        }
        return line;
    }

    /** Waits for the first token. */
    int token() throws IOException {
        return Integer.parseUnsignedInt(line());
    }

    /** Sends the last token. */
    void giveBack(int token) throws IOException {
        write(Integer.toUnsignedString(token) + "\n");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private void write(String text) throws IOException {
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }
}
