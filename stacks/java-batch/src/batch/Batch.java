package batch;

import java.util.Map;
import java.util.concurrent.ThreadFactory;

/** Does the job that the environment names, and ends. What a task is, TASK says: nothing else differs between them. */
public final class Batch {

    private static final Map<String, ThreadFactory> TASKS = Map.of(
            "platform", Thread.ofPlatform().factory(),
            "virtual", Thread.ofVirtual().factory());

    private Batch() {}

    public static void main(String[] arguments) throws Exception {
        ThreadFactory threads = TASKS.get(System.getenv().getOrDefault("TASK", "platform"));
        if (threads == null) {
            throw new IllegalArgumentException("TASK must be platform or virtual, not " + System.getenv("TASK"));
        }
        switch (System.getenv("JOB")) {
            case "task-creation" -> TaskCreation.run(threads, number("TASKS"));
            case "task-switching" -> TaskSwitching.run(threads, number("TASKS"), number("SWITCHES"));
            case null, default -> throw new IllegalArgumentException("there is no job " + System.getenv("JOB"));
        }
    }

    private static int number(String name) {
        return Integer.parseInt(System.getenv(name));
    }
}
