import com.fasterxml.jackson.databind.ObjectMapper;
import com.linkedin.tony.Constants;
import com.linkedin.tony.TonyConfigurationKeys;
import com.linkedin.tony.events.Event;
import com.linkedin.tony.events.Metric;
import com.linkedin.tony.events.TaskFinished;
import com.linkedin.tony.events.TaskStarted;
import com.linkedin.tony.util.ParserUtils;
import com.linkedin.tony.util.Utils;
import java.time.ZoneId;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Prints, as one line of JSON, the data that Dr. Elephant gets about a job.
 *
 * Arguments: CONF_DIR APPLICATION FINISHED_MS. Like Dr. Elephant's fetcher, the program finds the history with
 * CONF_DIR/tony-site.xml, the id of the application and the end time that the ResourceManager reports, and makes the
 * same calls to TonY's classes. It reads the same values as Dr. Elephant's aggregator and heuristics.
 */
public class ElephantFetch {
  public static void main(String[] words) throws Exception {
    Configuration site = new Configuration();
    site.addResource(new Path(words[0], Constants.TONY_SITE_CONF));
    Path finished = new Path(site.get(TonyConfigurationKeys.TONY_HISTORY_FINISHED));
    ZoneId zone = ZoneId.of(site.get(TonyConfigurationKeys.TONY_HISTORY_FINISHED_DIR_TIMEZONE,
        TonyConfigurationKeys.DEFAULT_TONY_HISTORY_FINISHED_DIR_TIMEZONE));
    FileSystem files = finished.getFileSystem(site);
    String day = ParserUtils.getYearMonthDayDirectory(new Date(Long.parseLong(words[2])), zone);
    Path directory = new Path(finished, day + Path.SEPARATOR + words[1]);
    boolean moved = files.exists(directory);
    if (!moved) directory = new Path(site.get(TonyConfigurationKeys.TONY_HISTORY_INTERMEDIATE), words[1]);

    Configuration configuration = new Configuration(false);
    configuration.addResource(files.open(new Path(directory, Constants.TONY_FINAL_XML)));
    Map<String, Map<Integer, Map<String, Object>>> tasks = new TreeMap<>();
    for (Event event : ParserUtils.parseEvents(files, directory)) {
      switch (event.getType()) {
        case TASK_STARTED:
          TaskStarted started = (TaskStarted) event.getEvent();
          of(tasks, started.getTaskType(), started.getTaskIndex()).put("start", event.getTimestamp());
          break;
        case TASK_FINISHED:
          TaskFinished ended = (TaskFinished) event.getEvent();
          Map<String, Object> task = of(tasks, ended.getTaskType(), ended.getTaskIndex());
          task.put("end", event.getTimestamp());
          for (Metric metric : ended.getMetrics()) task.put(metric.getName(), metric.getValue());
          break;
        default:
      }
    }
    Map<String, Object> megabytes = new TreeMap<>();
    Map<String, Object> gpus = new TreeMap<>();
    for (String role : tasks.keySet()) {  // the aggregator reads the memory of each role that has a task
      megabytes.put(role,
          Utils.parseMemoryString(configuration.get(TonyConfigurationKeys.getResourceKey(role, Constants.MEMORY))));
    }
    for (String role : Utils.getAllJobTypes(configuration)) {  // the heuristics read the GPUs of each configured role
      gpus.put(role, configuration.getInt(TonyConfigurationKeys.getResourceKey(role, Constants.GPUS), 0));
    }
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("moved", moved);
    found.put("tasks", tasks);
    found.put("megabytes", megabytes);
    found.put("gpus", gpus);
    System.out.println(new ObjectMapper().writeValueAsString(found));
  }

  static Map<String, Object> of(Map<String, Map<Integer, Map<String, Object>>> tasks, String role, int index) {
    return tasks.computeIfAbsent(role, key -> new TreeMap<>()).computeIfAbsent(index, key -> new TreeMap<>());
  }
}
