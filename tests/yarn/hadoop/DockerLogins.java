import java.io.File;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.yarn.util.DockerClientConfigHandler;

/**
 * Prints the config.json that a NodeManager makes of the tokens of a container, as it passes it to docker.
 *
 * Argument: the container's token file.
 */
public class DockerLogins {
  public static void main(String[] words) throws Exception {
    Credentials tokens = Credentials.readTokenStorageFile(new File(words[0]), new Configuration());
    File config = File.createTempFile("config", ".json");
    config.deleteOnExit();
    if (!DockerClientConfigHandler.writeDockerCredentialsToPath(config, tokens)) {
      throw new IllegalStateException("the tokens have no logins");
    }
    System.out.print(Files.readString(config.toPath()));
  }
}
