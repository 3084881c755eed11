import com.fasterxml.jackson.databind.ObjectMapper;
import com.linkedin.tony.events.ApplicationFinished;
import com.linkedin.tony.events.ApplicationInited;
import com.linkedin.tony.events.Event;
import com.linkedin.tony.events.EventHandler;
import com.linkedin.tony.events.EventType;
import com.linkedin.tony.events.Metric;
import com.linkedin.tony.events.TaskFinished;
import com.linkedin.tony.events.TaskStarted;
import com.linkedin.tony.models.JobConfig;
import com.linkedin.tony.models.JobMetadata;
import com.linkedin.tony.util.ParserUtils;
import com.linkedin.tony.util.Utils;
import java.io.File;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.avro.file.CodecFactory;
import org.apache.avro.file.DataFileReader;
import org.apache.avro.file.DataFileWriter;
import org.apache.avro.specific.SpecificDatumReader;
import org.apache.avro.specific.SpecificDatumWriter;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Reads and writes histories with TonY's own classes.
 *
 * <p>read DIR...: prints one line of JSON per job directory, with the data that TonY's portal and Dr. Elephant read.
 * <p>write DIR: writes the history of one job as TonY's application master does.
 * <p>recode FILE NEW: copies the events with Avro's deflate codec, in several blocks.
 */
public class TonyHistory {
  static final String ID = "application_1541469337545_0031";
  static final long START = 1542325695566L;
  static final long END = 1542325733637L;

  public static void main(String[] words) throws Exception {
    switch (words[0]) {
      case "read": for (int i = 1; i < words.length; ++i) read(new Path(words[i])); break;
      case "write": write(new Path(words[1])); break;
      case "recode": recode(new File(words[1]), new File(words[2])); break;
      default: throw new IllegalArgumentException(words[0]);
    }
  }

  static void read(Path directory) throws Exception {
    FileSystem files = FileSystem.getLocal(new Configuration(false));
    Map<String, Object> found = new LinkedHashMap<>();
    JobMetadata metadata =
        ParserUtils.parseMetadata(files, new YarnConfiguration(), directory, "^application_\\d+_\\d+$");
    Map<String, Object> name = new LinkedHashMap<>();
    name.put("id", metadata.getId());
    name.put("started", metadata.getStartedDate().getTime());
    name.put("completed", metadata.getCompletedDate().getTime());
    name.put("user", userOf(metadata));
    name.put("status", metadata.getStatus());
    found.put("metadata", name);
    List<Object> events = new ArrayList<>();
    for (Event event : ParserUtils.parseEvents(files, directory)) {
      events.add(new ObjectMapper().readTree(event.toString()));
    }
    found.put("events", events);
    Map<String, String> settings = new TreeMap<>();
    for (JobConfig setting : ParserUtils.parseConfig(files, directory)) {
      settings.put(setting.getName(), setting.getValue());
    }
    found.put("configuration", settings);
    // Read the configuration like Dr. Elephant's fetcher, and the values that Dr. Elephant's heuristics use.
    Configuration configuration = new Configuration(false);
    configuration.addResource(files.open(new Path(directory, "tony-final.xml")));
    Map<String, Object> roles = new TreeMap<>();
    for (String role : new TreeSet<>(Utils.getAllJobTypes(configuration))) {
      roles.put(role, List.of(configuration.getInt("tony." + role + ".instances", 0),
          Utils.parseMemoryString(configuration.get("tony." + role + ".memory"))));
    }
    found.put("roles", roles);
    System.out.println(new ObjectMapper().writeValueAsString(found));
  }

  // In this version of TonY, only the text of JobMetadata contains the user.
  static String userOf(JobMetadata metadata) {
    String text = metadata.toString();
    return text.substring(text.indexOf("user: ") + 6, text.lastIndexOf('}'));
  }

  static void write(Path directory) throws Exception {
    FileSystem files = FileSystem.getLocal(new Configuration(false)).getRawFileSystem();
    files.mkdirs(directory);
    Configuration configuration = new Configuration(false);
    configuration.set("tony.application.name", "mnist <é> & co", "tony.xml");
    configuration.set("tony.application.framework", "pytorch", "tony-default.xml");
    configuration.set("tony.worker.instances", "2", "tony.xml");
    configuration.set("tony.worker.memory", "3g", "tony.xml");
    configuration.set("tony.worker.gpus", "1", "tony.xml");
    configuration.set("tony.yarn.queue", "ml", "tony.xml");
    configuration.set("tony.containers.command", "python3 train.py", "tony.xml");
    try (OutputStream out = files.create(new Path(directory, "tony-final.xml"))) {
      configuration.writeXml(out);
    }
    JobMetadata.Builder builder = new JobMetadata.Builder().setId(ID).setConf(new YarnConfiguration())
        .setStarted(START).setUser("ann");
    BlockingQueue<Event> queue = new LinkedBlockingQueue<>();
    EventHandler handler = new EventHandler(files, queue);
    if (!handler.setUpThread(directory, builder.build())) throw new IllegalStateException("no in-progress file");
    handler.start();
    handler.emitEvent(
        new Event(EventType.APPLICATION_INITED, new ApplicationInited(ID, 2, "node1", "container_0_01"), START + 1));
    for (int index = 0; index < 2; ++index) {
      handler.emitEvent(new Event(EventType.TASK_STARTED,
          new TaskStarted("worker", index, "node" + (index + 2), "container_0_0" + (index + 2)), START + 10 + index));
    }
    List<Metric> metrics = List.of(new Metric("MAX_MEMORY_BYTES", 2.5e9), new Metric("AVG_MEMORY_BYTES", 1.25e9),
        new Metric("MAX_GPU_UTILIZATION", -1.0));
    handler.emitEvent(new Event(EventType.TASK_FINISHED, new TaskFinished("worker", 0, "SUCCEEDED", metrics, "NA"),
        START + 20));
    handler.emitEvent(new Event(EventType.TASK_FINISHED,
        new TaskFinished("worker", 1, "FAILED", new ArrayList<>(), "Exception from container-launch.\nexit 1"),
        START + 30));
    handler.emitEvent(new Event(EventType.APPLICATION_FINISHED,
        new ApplicationFinished(ID, 1, 1, new ArrayList<>()), END));
    handler.stop(directory, builder.setCompleted(END).setStatus("FAILED").build());
  }

  static void recode(File from, File to) throws Exception {
    try (DataFileReader<Event> events = new DataFileReader<>(from, new SpecificDatumReader<>(Event.class));
        DataFileWriter<Event> out = new DataFileWriter<>(new SpecificDatumWriter<>(Event.class))) {
      out.setCodec(CodecFactory.deflateCodec(6)).setSyncInterval(64);
      out.create(Event.SCHEMA$, to);
      for (Event event : events) out.append(event);
    }
  }
}
