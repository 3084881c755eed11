import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.yarn.api.records.*;
import org.apache.hadoop.yarn.client.api.*;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Floor OUT WIDTH ROUNDS AT [NODE...] - measures how soon this cluster can run WIDTH processes at once, without any
 * framework.
 *
 * Each of the ROUNDS is one application. The client submits it AT ms after a full second of the clock. The AM requests
 * WIDTH containers of 64 MB on the named nodes (with relaxed locality), or on any node if none is named. It sends a
 * heartbeat every 50 ms, and starts a shell in each container, which writes the time and sleeps. The client prints one
 * JSON object per round, with times in ms:
 *
 *   am          from the submission to the start of the AM's container
 *   registered  from that start to the registration of the AM; other AMs may be faster, because they start no JVM
 *   gang        from the first request to the start of the last process
 *   floor       am + gang: the time that any program has to wait for YARN
 *   total       from the submission to the start of the last process
 *
 * YARN grants a container at the next heartbeat of a node. Nodes send one per second (BEAT_OF_NODES_MS), so the result
 * depends on the moment of the request within the second. Callers vary AT, because rounds in direct succession would
 * all have the same moment. The start of the AM's JVM must not shift that moment, either: the AM sends its first
 * request a whole number of seconds after its container started.
 *
 * All processes run on one machine, use its clock, and write to the folder OUT.
 */
public class Floor {
  static final long BEAT_MS = 50, LIMIT_MS = 120_000, BEAT_OF_NODES_MS = 1000;

  public static void main(String[] args) throws Exception {
    if (args[0].equals("am")) {
      master(Path.of(args[1]), Integer.parseInt(args[2]), List.of(args).subList(3, args.length));
      return;
    }
    YarnConfiguration conf = new YarnConfiguration();
    YarnClient yarn = YarnClient.createYarnClient();
    yarn.init(conf);
    yarn.start();
    for (int round = 0; round < Integer.parseInt(args[2]); round++) {
      Path out = Path.of(args[0]).resolve(args[1] + "-" + round);
      Files.createDirectories(out);
      Thread.sleep(Math.floorMod(Long.parseLong(args[3]) - System.currentTimeMillis(), BEAT_OF_NODES_MS));
      System.out.println(round(yarn, out, Integer.parseInt(args[1]), List.of(args).subList(4, args.length)));
    }
    yarn.stop();
  }

  /** A shell command that writes the time in ns to the file and then executes `command`. */
  static String stamped(String file, String command) {
    return "date +%s%N >" + file + ".new && mv " + file + ".new " + file + " && exec " + command;
  }

  static double stampMs(Path file) throws Exception {
    for (long end = System.currentTimeMillis() + LIMIT_MS; !Files.exists(file); Thread.sleep(5))
      if (System.currentTimeMillis() > end) throw new IllegalStateException("no " + file);
    return Long.parseLong(Files.readString(file).trim()) / 1e6;
  }

  static String round(YarnClient yarn, Path out, int width, List<String> nodes) throws Exception {
    StringBuilder am = new StringBuilder(System.getProperty("java.home") + "/bin/java -Xmx96m");
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments())
      if (!option.startsWith("-Xmx")) am.append(' ').append(option);
    am.append(" Floor am ").append(out).append(' ').append(width);
    for (String node : nodes) am.append(' ').append(node);
    am.append(" 1><LOG_DIR>/stdout 2><LOG_DIR>/stderr");

    double begin = System.currentTimeMillis();
    YarnClientApplication application = yarn.createApplication();
    ApplicationSubmissionContext context = application.getApplicationSubmissionContext();
    context.setApplicationName("floor");
    context.setMaxAppAttempts(1);
    context.setResource(Resource.newInstance(128, 1));
    context.setAMContainerSpec(ContainerLaunchContext.newInstance(Map.of(),
        new HashMap<>(Map.of("CLASSPATH", System.getProperty("java.class.path"))),
        List.of(stamped(out + "/am", am.toString())), null, null, null));
    yarn.submitApplication(context);

    ApplicationId id = context.getApplicationId();
    Set<YarnApplicationState> ends =
        EnumSet.of(YarnApplicationState.FINISHED, YarnApplicationState.FAILED, YarnApplicationState.KILLED);
    ApplicationReport report = yarn.getApplicationReport(id);
    for (; !ends.contains(report.getYarnApplicationState()); report = yarn.getApplicationReport(id)) Thread.sleep(50);
    if (report.getFinalApplicationStatus() != FinalApplicationStatus.SUCCEEDED)
      throw new IllegalStateException(id + " " + report.getFinalApplicationStatus() + ": " + report.getDiagnostics());

    double amExec = stampMs(out.resolve("am"));
    String[] seen = Files.readString(out.resolve("seen")).trim().split(" ");  // registered, first request, last process
    double gang = Double.parseDouble(seen[2]) - Double.parseDouble(seen[1]);
    Map<String, Double> figures = new TreeMap<>();
    figures.put("am", amExec - begin);
    figures.put("registered", Double.parseDouble(seen[0]) - amExec);
    figures.put("gang", gang);
    figures.put("floor", amExec - begin + gang);
    figures.put("total", Double.parseDouble(seen[2]) - begin);
    StringBuilder json = new StringBuilder("{\"width\": " + width);
    figures.forEach((name, ms) -> json.append(String.format(", \"%s\": %.1f", name, ms)));
    return json.append("}").toString();
  }

  static void master(Path out, int width, List<String> nodes) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    AMRMClient<AMRMClient.ContainerRequest> rm = AMRMClient.createAMRMClient();
    rm.init(conf);
    rm.start();
    NMClient nm = NMClient.createNMClient();
    nm.init(conf);
    nm.start();
    rm.registerApplicationMaster("localhost", 0, "");
    long registered = System.currentTimeMillis();

    String[] names = nodes.isEmpty() ? null : nodes.toArray(new String[0]);
    List<AMRMClient.ContainerRequest> asks = new ArrayList<>();
    for (int i = 0; i < width; i++) {
      asks.add(new AMRMClient.ContainerRequest(Resource.newInstance(64, 1), names, null, Priority.newInstance(1)));
      rm.addContainerRequest(asks.get(i));
    }
    long sinceExec = System.currentTimeMillis() - (long) stampMs(out.resolve("am"));
    Thread.sleep(Math.floorMod(-sinceExec, BEAT_OF_NODES_MS));
    long asked = System.currentTimeMillis();
    Set<ContainerId> started = new HashSet<>();
    while (started.size() < width) {
      for (Container container : rm.allocate(0).getAllocatedContainers()) {
        if (started.size() == width) {
          rm.releaseAssignedContainer(container.getId());
          continue;
        }
        rm.removeContainerRequest(asks.get(started.size()));
        started.add(container.getId());
        nm.startContainer(container, ContainerLaunchContext.newInstance(Map.of(), Map.of(),
            Collections.singletonList(stamped(out + "/" + container.getId(), "sleep 300")), null, null, null));
      }
      if (System.currentTimeMillis() > asked + LIMIT_MS) throw new IllegalStateException(started.size() + " granted");
      if (started.size() < width) Thread.sleep(BEAT_MS);
    }
    double last = 0;
    for (ContainerId container : started) last = Math.max(last, stampMs(out.resolve(container.toString())));
    Files.writeString(out.resolve("seen"), registered + " " + asked + " " + last + "\n");
    rm.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
  }
}
