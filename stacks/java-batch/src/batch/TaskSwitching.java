package batch;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;

/** The job task-switching: threads in a ring that hand a token round, each by a queue of its own. */
final class TaskSwitching {

    /** Ends the thread that gets it. */
    private static final Message END = new Message(0, 0);

    private TaskSwitching() {}

    /** The token, an integer without a sign, with the steps that are left. */
    private record Message(int token, int left) {}

    static void run(ThreadFactory threads, int tasks, int switches) throws IOException, InterruptedException {
        List<BlockingQueue<Message>> inboxes =
                Stream.<BlockingQueue<Message>>generate(LinkedBlockingQueue::new).limit(tasks).toList();
        BlockingQueue<Integer> last = new LinkedBlockingQueue<>();
        GatheredThreads.run(
                threads,
                tasks,
                number -> () -> handOn(number, inboxes.get(number), inboxes.get((number + 1) % tasks), last),
                gathering -> {
                    inboxes.getFirst().add(new Message(gathering.token(), switches));
                    gathering.giveBack(last.take());
                    gathering.line();
                },
                () -> inboxes.forEach(inbox -> inbox.add(END)));
    }

    private static void handOn(
            int number, BlockingQueue<Message> inbox, BlockingQueue<Message> successor, BlockingQueue<Integer> last)
            throws InterruptedException {
        for (Message received = inbox.take(); received != END; received = inbox.take()) {
            int token = (received.token ^ received.token >>> 15) * 0x2C1B3C6D + number;
            if (received.left == 1) {
                last.add(token);
            } else {
                successor.add(new Message(token, received.left - 1));
            }
        }
    }
}
