package fairtrial;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The stack java-spring. */
@SpringBootApplication
public class Application {

    public static void main(String[] arguments) {
        SpringApplication application = new SpringApplication(Application.class);
        application.setDefaultProperties(new ContractSettings(System.getenv()).properties());
        application.run(arguments);
    }
}
